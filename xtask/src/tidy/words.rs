//! Words that text for users avoids, because they make it read as translated.
//!
//! A finding has one remedy: another sentence. There is no way to excuse a word.

mod literals;

use literals::Piece;

/// Which files users read, and what of them. A path that ends with `/` stands for all files below it.
const READ_BY_USERS: [(&str, Seen); 15] = [
    ("README.md", Seen::Markdown),
    ("CHANGELOG.md", Seen::Markdown),
    ("SECURITY.md", Seen::Markdown),
    ("docs/", Seen::Markdown),
    ("examples/", Seen::Notebooks),
    ("python/leyden/", Seen::Python),
    ("crates/leyden/src/args/", Seen::DocsAndStrings),
    ("crates/leyden/src/", Seen::Strings),
    ("crates/leyden-profile/src/", Seen::Strings),
    ("crates/leyden-store/src/", Seen::Strings),
    ("crates/leyden-lang/src/", Seen::Strings),
    ("crates/leyden-search/src/", Seen::Strings),
    ("crates/leyden-gpu/src/", Seen::Strings),
    ("crates/leyden-dsl/src/", Seen::Strings),
    ("crates/leyden-py/src/", Seen::Strings),
];

#[derive(Clone, Copy, PartialEq)]
enum Seen {
    Markdown,
    Notebooks,
    Python,
    /// Rust: documentation and string literals, which become help texts.
    DocsAndStrings,
    /// Rust: string literals.
    Strings,
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

/// The unwanted words of a file, with their lines; none if users do not read it.
pub(super) fn unwanted_in(name: &str, text: &str) -> Vec<String> {
    let Some(seen) = seen_of(name) else {
        return Vec::new();
    };
    let paragraphs = match seen {
        Seen::Markdown => markdown(text),
        Seen::Notebooks | Seen::Python => lines(text),
        Seen::DocsAndStrings => of_pieces(literals::pieces(text, true)),
        Seen::Strings => of_pieces(literals::pieces(text, false)),
    };
    let mut found: Vec<(usize, String)> = paragraphs.iter().flat_map(Paragraph::findings).collect();
    found.sort();
    let report = |(line, said)| format!("{name}:{line}: {said}");
    found.into_iter().map(report).collect()
}

fn seen_of(name: &str) -> Option<Seen> {
    let is_of = |path: &str| name == path || path.ends_with('/') && name.starts_with(path);
    let (_, seen) = READ_BY_USERS.into_iter().find(|(path, _)| is_of(path))?;
    let endings: &[&str] = match seen {
        Seen::Markdown => &[".md"],
        Seen::Notebooks => &[".ipynb"],
        Seen::Python => &[".py", ".pyi"],
        Seen::DocsAndStrings | Seen::Strings => &[".rs"],
    };
    endings
        .iter()
        .any(|end| name.ends_with(end))
        .then_some(seen)
}

/// Lines that belong together, so that a phrase is found across the end of a line.
#[derive(Default)]
struct Paragraph {
    text: String,
    /// Where each line begins in the text, and its number in the file.
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

    /// Where sentences begin with the word and do not end with a question mark.
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

/// Where a word, or several, occurs and is not a part of a longer one.
fn places_of(word: &str, text: &str) -> Vec<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |place: &usize| {
        let (before, rest) = text.split_at(*place);
        !before.ends_with(is_part) && !rest[word.len()..].starts_with(is_part)
    };
    let places = text.match_indices(word).map(|(place, _)| place);
    places.filter(is_whole).collect()
}

fn markdown(text: &str) -> Vec<Paragraph> {
    let mut found = vec![Paragraph::of_sentences()];
    let mut is_code = false;
    for (number, line) in (1..).zip(text.lines()) {
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

/// Python, or a notebook's JSON: what surrounds the words on a line goes.
fn lines(text: &str) -> Vec<Paragraph> {
    let mut found = vec![Paragraph::of_sentences()];
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let is_new = line.starts_with(['"', '#', '-']) || line.contains("\"\"\"");
        if line.is_empty() || is_new {
            found.push(Paragraph::of_sentences());
        }
        let bare = line.trim_matches(['"', '#', ' ', ',', '-']);
        let bare = bare.strip_suffix("\\n").unwrap_or(bare);
        if let Some(last) = found.last_mut() {
            last.push(number, bare);
        }
    }
    found
}

fn of_pieces(pieces: Vec<Piece>) -> Vec<Paragraph> {
    let mut found = vec![Paragraph::of_sentences()];
    for Piece { line, text, is_new } in pieces {
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
    fn only_files_that_users_read_are_looked_at() {
        let is_read = |name: &str| !unwanted_in(name, "nobody \"nobody\"").is_empty();
        assert!(is_read("docs/deep/page.md"));
        assert!(is_read("python/leyden/ray.py"));
        assert!(is_read("examples/tour.ipynb"));
        assert!(is_read("crates/leyden/src/report/trace/html.rs"));
        assert!(!is_read("CONTRIBUTING.md"));
        assert!(!is_read("docs/demo.svg"));
        assert!(!is_read("crates/leyden-exec/src/lib.rs"));
    }

    #[test]
    fn of_rust_only_what_users_see_is_looked_at() {
        let code = "/// nobody\n// nobody\nfn nobody() { print(\"for\\\n   nobody\"); }\n";
        let in_args = found("crates/leyden/src/args/a.rs", code);
        assert_eq!(in_args.len(), 2);
        assert!(in_args[1].contains("a.rs:4:"), "{in_args:?}");
        assert_eq!(found("crates/leyden/src/commands/a.rs", code).len(), 1);
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
        let notebook = "  \"source\": [\n   \"The same as\\n\",\n   \"before.\"\n  ]\n";
        assert_eq!(found("examples/a.ipynb", notebook).len(), 2);
    }
}
