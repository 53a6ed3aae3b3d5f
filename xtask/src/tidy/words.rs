//! Words that the project's text avoids, because they make it read as translated.
//!
//! A finding has one remedy: another sentence. There is no way to excuse a word.

mod rust;

use rust::{Piece, Pieces};

/// Files without the project's prose: inputs of tests, generated files, and the list itself. A path
/// that ends with `/` stands for all files below it.
const EXEMPT: [&str; 5] = [
    "tests/",
    "fuzz/seeds/",
    "crates/leyden/tests/fixtures/",
    "crates/leyden-lang/tests/fixtures/",
    "xtask/src/tidy/words.txt",
];

/// The form of a text.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Markdown,
    Rust,
    /// Lines with comments: scripts, notebooks, settings.
    Lines,
}

impl Form {
    fn of(name: &str) -> Option<Form> {
        let (_, ending) = name.rsplit_once('.')?;
        match ending {
            "md" => Some(Form::Markdown),
            "rs" => Some(Form::Rust),
            "c" | "cl" | "css" | "html" | "ipynb" | "js" | "mjs" | "py" | "pyi" | "toml"
            | "txt" | "yml" => Some(Form::Lines),
            _ => None,
        }
    }
}

/// The list, for people to read and extend.
const LIST: &str = include_str!("words.txt");

/// A word of the list.
struct Unwanted {
    word: &'static str,
    /// Whether it is unwanted only at the start of a sentence.
    is_start: bool,
    better: &'static str,
}

impl Unwanted {
    fn of_line(line: &'static str) -> Option<Unwanted> {
        let (place, rest) = line.split_once('|')?;
        let (word, better) = rest.split_once('|')?;
        Some(Unwanted {
            word: word.trim(),
            is_start: place.trim() == "start",
            better: better.trim(),
        })
    }
}

fn unwanted() -> impl Iterator<Item = Unwanted> {
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(Unwanted::of_line)
}

/// The unwanted words of a file, with their lines.
pub(super) fn unwanted_in(name: &str, text: &str) -> Vec<String> {
    let Some(form) = Form::of(name).filter(|_| !is_among(&EXEMPT, name)) else {
        return Vec::new();
    };
    let paragraphs = match form {
        Form::Markdown => markdown((1..).zip(text.lines())),
        Form::Rust => rust(name, text),
        Form::Lines => lines(text),
    };
    let mut found: Vec<(usize, String)> = paragraphs.iter().flat_map(Paragraph::findings).collect();
    found.sort();
    let report = |(line, said)| format!("{name}:{line}: {said}");
    found.into_iter().map(report).collect()
}

fn is_among(paths: &[&str], name: &str) -> bool {
    let is_of = |path: &&str| name == *path || path.ends_with('/') && name.starts_with(*path);
    paths.iter().any(is_of)
}

/// Lines that belong together, so that a phrase is found across the end of a line.
#[derive(Default)]
struct Paragraph {
    text: String,
    /// The start of each line in the text, and its number in the file.
    lines: Vec<(usize, usize)>,
    /// Headings and code have no sentences.
    has_sentences: bool,
}

impl Paragraph {
    fn of_sentences() -> Paragraph {
        Paragraph {
            has_sentences: true,
            ..Paragraph::default()
        }
    }

    fn single(number: usize, line: &str, has_sentences: bool) -> Paragraph {
        let mut paragraph = Paragraph {
            has_sentences,
            ..Paragraph::default()
        };
        paragraph.push(number, line);
        paragraph
    }

    fn push(&mut self, number: usize, line: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.lines.push((self.text.len(), number));
        self.text.push_str(line.trim());
    }

    fn findings(&self) -> Vec<(usize, String)> {
        let lower = self.text.to_ascii_lowercase();
        let mut found = Vec::new();
        for Unwanted {
            word,
            is_start,
            better,
        } in unwanted()
        {
            let places = if is_start {
                self.starts_with(word)
            } else {
                places_of(word, &lower)
            };
            let report = |place| (self.line_of(place), format!("\"{word}\": {better}"));
            found.extend(places.into_iter().map(report));
        }
        found
    }

    /// The places where a sentence begins with the word and does not end with a question mark.
    fn starts_with(&self, word: &str) -> Vec<usize> {
        if !self.has_sentences {
            return Vec::new();
        }
        let is_start = |place: &usize| {
            let before = self.text[..*place].trim_end_matches([' ', '*', '"', '(', '_', '-']);
            before.is_empty() || before.ends_with(['.', '!', '?', '|'])
        };
        let is_question = |place: &usize| {
            let end = |c| matches!(c, '.' | '?' | '!' | '|');
            let rest = &self.text[*place..];
            rest.find(end).is_some_and(|at| rest[at..].starts_with('?'))
        };
        let places = places_of(word, &self.text);
        places
            .into_iter()
            .filter(|place| is_start(place) && !is_question(place))
            .collect()
    }

    fn line_of(&self, place: usize) -> usize {
        let before = self.lines.partition_point(|(start, _)| *start <= place);
        self.lines[before.saturating_sub(1)].1
    }
}

/// The places of a word, or of several, that are not a part of a longer word.
fn places_of(word: &str, text: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |place: &usize| {
        let (before, rest) = text.split_at(*place);
        !before.ends_with(is_part) && !rest[word.len()..].starts_with(is_part)
    };
    let places = text.match_indices(word).map(|(place, _)| place);
    places.filter(is_whole).collect()
}

fn markdown<'t>(lines: impl Iterator<Item = (usize, &'t str)>) -> Vec<Paragraph> {
    let mut found = vec![Paragraph::of_sentences()];
    let mut is_code = false;
    for (number, line) in lines {
        let line = line.trim();
        if line.starts_with("```") {
            is_code = !is_code;
            found.push(Paragraph::of_sentences());
        } else if is_code || line.starts_with('#') {
            found.push(Paragraph::single(number, line, false));
            found.push(Paragraph::of_sentences());
        } else if line.starts_with('|') {
            found.push(Paragraph::single(number, line, true));
            found.push(Paragraph::of_sentences());
        } else if line.is_empty() {
            found.push(Paragraph::of_sentences());
        } else {
            let bare = without_bullet(line);
            if bare.len() < line.len() {
                found.push(Paragraph::of_sentences());
            }
            if let Some(last) = found.last_mut() {
                last.push(number, bare);
            }
        }
    }
    found
}

/// A list's item without its bullet or number.
fn without_bullet(line: &str) -> &str {
    let bare = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let bare = if bare.len() < line.len() {
        bare.strip_prefix(". ")
    } else {
        line.strip_prefix("- ").or_else(|| line.strip_prefix("> "))
    };
    bare.unwrap_or(line)
}

/// The comments of a Rust file, and the literals of code that runs outside tests.
fn rust(name: &str, text: &str) -> Vec<Paragraph> {
    let Pieces { comments, literals } = rust::pieces(text);
    let blocks = comments.chunk_by(|_, next| !next.is_new);
    let sentences = |block: &[Piece]| {
        let lines = block.iter().map(|piece| (piece.line, piece.text.as_str()));
        markdown(lines)
    };
    let mut found: Vec<Paragraph> = blocks.flat_map(sentences).collect();
    if name.contains("/src/") {
        found.extend(of_literals(literals));
    }
    found
}

/// The paragraphs of other files. Comments, docstrings and cells of notebooks are separate ones.
fn lines(text: &str) -> Vec<Paragraph> {
    const MARKS: [&str; 5] = ["#", "//", "/*", "*", "<!--"];
    let mut found = vec![Paragraph::of_sentences()];
    let mut was_comment = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let is_comment = MARKS.iter().any(|mark| line.starts_with(mark));
        let is_new = line.starts_with(['"', '-']) || line.contains("\"\"\"");
        let bare = line.trim_matches(['"', '#', ' ', ',', '-', '/', '*']);
        if bare.is_empty() || is_new || is_comment != was_comment {
            found.push(Paragraph::of_sentences());
        }
        let bare = bare.strip_suffix("\\n").unwrap_or(bare);
        if let Some(last) = found.last_mut() {
            last.push(number, bare);
        }
        was_comment = is_comment;
    }
    found
}

fn of_literals(literals: Vec<Piece>) -> Vec<Paragraph> {
    let mut found = vec![Paragraph::of_sentences()];
    for Piece { line, text, is_new } in literals {
        if is_new || text.trim().is_empty() {
            found.push(Paragraph::of_sentences());
        }
        if let Some(last) = found.last_mut() {
            last.push(line, &text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Vec<String> {
        let heads = unwanted_in(name, text).into_iter();
        heads
            .map(|line| line.rsplit_once("\": ").unwrap().0.to_owned() + "\"")
            .collect()
    }

    #[test]
    fn every_line_of_the_list_is_complete() {
        let is_word = |line: &&str| !line.is_empty() && !line.starts_with('#');
        assert_eq!(unwanted().count(), LIST.lines().filter(is_word).count());
        for line in LIST.lines().filter(is_word) {
            let place = line.split('|').next().unwrap().trim();
            assert!(["anywhere", "start"].contains(&place), "{line}");
        }
        for Unwanted {
            word,
            is_start,
            better,
        } in unwanted()
        {
            assert!(!word.is_empty() && !better.is_empty(), "{word}");
            assert_eq!(word != word.to_lowercase(), is_start, "{word}");
        }
    }

    #[test]
    fn a_word_is_found_with_its_line_and_a_better_way() {
        let page = "# Title\n\nFine.\nLines that\nnobody reads are the same\nas others.\n";
        assert_eq!(
            found("docs/a.md", page),
            ["docs/a.md:5: \"nobody\"", "docs/a.md:5: \"the same as\""]
        );
        assert!(unwanted_in("docs/a.md", page)[0].ends_with("\"no program reads it\""));
    }

    #[test]
    fn only_whole_words_count() {
        assert!(found("README.md", "A nobodyish word. It sends besides_x.").is_empty());
        assert_eq!(found("README.md", "NOBODY").len(), 1);
    }

    #[test]
    fn only_starts_of_sentences_count_where_only_these_do() {
        let starts = |text: &str| found("SECURITY.md", text).len();
        assert_eq!(starts("The same file. What is wrong is printed."), 2);
        assert_eq!(starts("| The same | What is new |"), 2);
        assert_eq!(starts("- What is new\n- **What** is old\n1. The same"), 3);
        assert_eq!(starts("It has the same size. See what happens."), 0);
        assert_eq!(starts("What is slow? What if it were fast?"), 0);
        assert_eq!(starts("## What it does\n"), 0);
        assert_eq!(starts("```\nWhat a program prints\n```\n"), 0);
    }

    #[test]
    fn only_the_projects_prose_is_looked_at() {
        let is_read = |name: &str| !unwanted_in(name, "nobody \"nobody\"").is_empty();
        assert!(is_read("docs/deep/page.md"));
        assert!(is_read("CONTRIBUTING.md"));
        assert!(is_read("python/leyden/ray.py"));
        assert!(is_read("examples/tour.ipynb"));
        assert!(is_read("Cargo.toml"));
        assert!(is_read("crates/leyden/src/report/trace/html.rs"));
        assert!(!is_read("docs/demo.svg"));
        assert!(!is_read("tests/forms/solvers.py"));
        assert!(!is_read("crates/leyden/tests/cli/main.rs"));
    }

    #[test]
    fn comments_and_literals_of_rust_are_looked_at() {
        let code = "/// nobody\n// nobody\nfn nobody() { print(\"for\\\n   nobody\"); }\n";
        let lines = |name: &str| -> Vec<usize> {
            let found = found(name, code).into_iter();
            let line_of = |finding: String| finding.split(':').nth(1).unwrap().parse();
            found.map(line_of).collect::<Result<_, _>>().unwrap()
        };
        assert_eq!(lines("crates/leyden-grid/src/a.rs"), [1, 2, 4]);
        assert_eq!(lines("crates/leyden-grid/tests/a.rs"), [1, 2]);
        assert_eq!(lines("crates/leyden-exec/src/a.rs"), [1, 2, 4]);
    }

    #[test]
    fn a_doc_comment_is_read_as_markdown() {
        let code =
            "/// Fine.\n///\n/// What is\n/// wrong.\n/// ```\n/// What?\n/// What x\n/// ```\n";
        let here = |code: &str| found("xtask/src/a.rs", code);
        assert_eq!(here(code), ["xtask/src/a.rs:3: \"What\""]);
        assert_eq!(here("/// A line\n/// as it\n/// stands.\n").len(), 1);
        assert!(here("// A line as it\nf();\n// stands\n").is_empty());
    }

    #[test]
    fn python_and_notebooks_are_read_line_by_line() {
        let module = "\"\"\"What came first is here.\"\"\"\n\n# The same again.\nx = 1\n";
        assert_eq!(
            found("python/leyden/a.py", module),
            [
                "python/leyden/a.py:1: \"What\"",
                "python/leyden/a.py:3: \"The same\""
            ]
        );
        let comment = "# A phrase as it\n# stands is found.\nas = it\n# stands\n";
        assert_eq!(found("tools/a.py", comment).len(), 1);
        let notebook = "  \"source\": [\n   \"The same as\\n\",\n   \"before.\"\n  ]\n";
        assert_eq!(found("examples/a.ipynb", notebook).len(), 2);
    }
}
