//! Comments and string literals of a Rust source. Not a complete lexer: enough for stock `rustfmt`
//! output.

use std::iter::Peekable;
use std::str::Chars;

/// A line of text.
#[derive(Debug, PartialEq)]
pub(super) struct Piece {
    /// Its number in the file.
    pub(super) line: usize,
    pub(super) text: String,
    /// Whether a sentence before it has ended.
    pub(super) is_new: bool,
}

/// The text of a source.
#[derive(Default)]
pub(super) struct Pieces {
    /// Comments and documentation.
    pub(super) comments: Vec<Piece>,
    /// String literals, except those of the unit tests at the end.
    pub(super) literals: Vec<Piece>,
}

/// Finds the comments and literals of a source.
pub(super) fn pieces(source: &str) -> Pieces {
    let code = source.split("\n#[cfg(test)]").next().unwrap_or_default();
    let mut reader = Reader {
        rest: source.chars().peekable(),
        line: 1,
        last_line_of_code: code.matches('\n').count() + 1,
        found: Pieces::default(),
        before: None,
    };
    while reader.step().is_some() {}
    reader.found
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
    /// The last line before the unit tests.
    last_line_of_code: usize,
    found: Pieces,
    /// The line and the third character of a comment with only space after it.
    before: Option<(usize, Option<char>)>,
}

impl Reader<'_> {
    fn step(&mut self) -> Option<()> {
        match self.next()? {
            '/' if self.rest.peek() == Some(&'/') => self.comment(),
            '"' => self.literal(),
            'r' if matches!(self.rest.peek(), Some('"' | '#')) => self.raw(),
            '\'' => self.character(),
            c if c.is_alphanumeric() || c == '_' => self.word(),
            c if !c.is_whitespace() => self.before = None,
            _ => {}
        }
        Some(())
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    /// The rest of a name or number, so that its last letter is not taken for the `r` of a raw string.
    fn word(&mut self) {
        self.before = None;
        while self
            .rest
            .next_if(|c| c.is_alphanumeric() || *c == '_')
            .is_some()
        {}
    }

    fn comment(&mut self) {
        let line = self.line;
        let mut text = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            text.push(c);
        }
        let bare = text.strip_prefix('/').unwrap_or(&text);
        let mark = bare.chars().next().filter(|c| ['/', '!'].contains(c));
        self.found.comments.push(Piece {
            line,
            text: bare.strip_prefix(['/', '!']).unwrap_or(bare).to_owned(),
            is_new: self.before != Some((line - 1, mark)),
        });
        self.before = Some((line, mark));
    }

    /// Keeps the lines of a literal, unless it is part of the unit tests.
    fn keep(&mut self, lines: Lines) {
        if self.line <= self.last_line_of_code {
            self.found.literals.extend(lines.finish(self.line));
        }
        self.before = None;
    }

    fn literal(&mut self) {
        let mut lines = Lines::new(self.line);
        while let Some(c) = self.next() {
            match c {
                '"' => break,
                '\\' => match self.next() {
                    Some('n') => lines.end(self.line, true),
                    Some('\n') => {
                        lines.end(self.line, false);
                        while self.rest.peek().is_some_and(|c| c.is_whitespace()) {
                            self.next();
                        }
                        lines.move_to(self.line);
                    }
                    Some(c) => lines.text.push(c),
                    None => break,
                },
                '\n' => lines.end(self.line, false),
                c => lines.text.push(c),
            }
        }
        self.keep(lines);
    }

    fn raw(&mut self) {
        let mut n_hashes = 0;
        while self.rest.next_if_eq(&'#').is_some() {
            n_hashes += 1;
        }
        if self.rest.next_if_eq(&'"').is_none() {
            return;
        }
        let close = format!("\"{}", "#".repeat(n_hashes));
        let mut lines = Lines::new(self.line);
        while let Some(c) = self.next() {
            match c {
                '\n' => lines.end(self.line, false),
                c => lines.text.push(c),
            }
            if lines.text.ends_with(&close) {
                lines.text.truncate(lines.text.len() - close.len());
                break;
            }
        }
        self.keep(lines);
    }

    /// A character such as `'"'`; a lifetime is left to be read as a word.
    fn character(&mut self) {
        if self.rest.next_if_eq(&'\\').is_some() {
            self.next();
            while self.next().is_some_and(|c| c != '\'') {}
            return;
        }
        let mut ahead = self.rest.clone();
        if ahead.next().is_some() && ahead.next() == Some('\'') {
            self.next();
            self.next();
        }
    }
}

/// The lines of a literal.
struct Lines {
    found: Vec<Piece>,
    line: usize,
    text: String,
    is_new: bool,
}

impl Lines {
    fn new(line: usize) -> Lines {
        Lines {
            found: Vec::new(),
            line,
            text: String::new(),
            is_new: true,
        }
    }

    fn end(&mut self, next_line: usize, ends_sentence: bool) {
        let text = std::mem::take(&mut self.text);
        let (line, is_new) = (self.line, self.is_new);
        self.found.push(Piece { line, text, is_new });
        self.line = next_line;
        self.is_new = ends_sentence;
    }

    fn move_to(&mut self, line: usize) {
        self.line = line;
    }

    fn finish(mut self, line: usize) -> Vec<Piece> {
        self.end(line, true);
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pieces: Vec<Piece>) -> Vec<(usize, String)> {
        let trimmed = |piece: Piece| (piece.line, piece.text.trim().to_owned());
        let texts = pieces.into_iter().map(trimmed);
        texts.filter(|(_, text)| !text.is_empty()).collect()
    }

    #[test]
    fn literals_are_found_with_their_lines() {
        let source =
            "f(\"one\", \"two \\\n    three\\nfour \\\"five\\\"\", r#\"s \"x\" \"#, br\"y\")";
        let expected = ["one", "two", "three", "four \"five\"", "s \"x\"", "y"];
        let lines = [1, 1, 2, 2, 2, 2];
        let expected: Vec<(usize, String)> =
            lines.into_iter().zip(expected.map(str::to_owned)).collect();
        assert_eq!(texts(pieces(source).literals), expected);
    }

    #[test]
    fn characters_and_lifetimes_are_no_literals() {
        let source = "fn f<'a>(x: &'a str) { g('\"', '\\'', '\\u{1b}', b'\"'); h(\"end\") }";
        assert_eq!(texts(pieces(source).literals), [(1, "end".to_owned())]);
    }

    #[test]
    fn comments_are_found_in_tests_too_and_literals_are_not() {
        let source = "//! One\n//! two.\n\nf(\"x//y\"); // Three\n/// Four\nfn f() {}\n\n#[cfg(test)]\nmod tests {\n    // Five\n    \"z\" }\n";
        let expected = [
            (1, "One"),
            (2, "two."),
            (4, "Three"),
            (5, "Four"),
            (10, "Five"),
        ];
        let expected = expected.map(|(line, text)| (line, text.to_owned()));
        let found = pieces(source);
        let is_new: Vec<bool> = found.comments.iter().map(|piece| piece.is_new).collect();
        assert_eq!(is_new, [true, false, true, true, true]);
        assert_eq!(texts(found.comments), expected);
        assert_eq!(texts(found.literals), [(4, "x//y".to_owned())]);
    }
}
