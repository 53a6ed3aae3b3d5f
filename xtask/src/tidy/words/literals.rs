//! String literals and documentation of a Rust source. Not a complete lexer: enough for stock
//! `rustfmt` output.

use std::iter::Peekable;
use std::str::Chars;

/// A line of text that a user may read.
#[derive(Debug, PartialEq)]
pub(super) struct Piece {
    /// Its number in the file.
    pub(super) line: usize,
    pub(super) text: String,
    /// Whether a sentence before it has ended.
    pub(super) is_new: bool,
}

/// The literals of a source up to its unit tests, and its documentation if that is wanted.
pub(super) fn pieces(source: &str, with_docs: bool) -> Vec<Piece> {
    let end = source.find("\n#[cfg(test)]").unwrap_or(source.len());
    let mut reader = Reader {
        rest: source[..end].chars().peekable(),
        line: 1,
        with_docs,
        found: Vec::new(),
        is_after_docs: false,
    };
    while reader.step().is_some() {}
    reader.found
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
    with_docs: bool,
    found: Vec<Piece>,
    is_after_docs: bool,
}

impl Reader<'_> {
    fn step(&mut self) -> Option<()> {
        match self.next()? {
            '/' if self.rest.peek() == Some(&'/') => self.comment(),
            '"' => self.literal(),
            'r' if matches!(self.rest.peek(), Some('"' | '#')) => self.raw(),
            '\'' => self.character(),
            c if c.is_alphanumeric() || c == '_' => self.word(),
            c => self.is_after_docs &= c.is_whitespace(),
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
        self.is_after_docs = false;
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
        let Some(text) = text.strip_prefix("//") else {
            return;
        };
        if self.with_docs {
            let is_new = !self.is_after_docs;
            let text = text.to_owned();
            self.found.push(Piece { line, text, is_new });
            self.is_after_docs = true;
        }
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
        self.found.extend(lines.finish(self.line));
        self.is_after_docs = false;
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
        self.found.extend(lines.finish(self.line));
        self.is_after_docs = false;
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

    fn texts(source: &str, with_docs: bool) -> Vec<(usize, String)> {
        let pieces = pieces(source, with_docs).into_iter();
        pieces
            .map(|piece| (piece.line, piece.text.trim().to_owned()))
            .filter(|(_, text)| !text.is_empty())
            .collect()
    }

    #[test]
    fn literals_are_found_with_their_lines() {
        let source =
            "f(\"one\", \"two \\\n    three\\nfour \\\"five\\\"\", r#\"s \"x\" \"#, br\"y\")";
        let expected = ["one", "two", "three", "four \"five\"", "s \"x\"", "y"];
        let lines = [1, 1, 2, 2, 2, 2];
        let expected: Vec<(usize, String)> =
            lines.into_iter().zip(expected.map(str::to_owned)).collect();
        assert_eq!(texts(source, false), expected);
    }

    #[test]
    fn characters_and_lifetimes_are_no_literals() {
        let source = "fn f<'a>(x: &'a str) { g('\"', '\\'', '\\u{1b}', b'\"'); h(\"end\") }";
        assert_eq!(texts(source, false), [(1, "end".to_owned())]);
    }

    #[test]
    fn documentation_is_found_if_wanted() {
        let source = "/// One\n/// two.\n// no\nfn f() {}\n\n#[cfg(test)]\nmod tests { \"x\" }\n";
        assert_eq!(
            texts(source, true),
            [(1, "One".to_owned()), (2, "two.".to_owned())]
        );
        assert!(texts(source, false).is_empty());
        assert!(!pieces(source, true)[1].is_new);
    }
}
