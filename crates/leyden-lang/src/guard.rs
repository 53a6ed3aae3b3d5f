//! Checks a Python text before the real parser reads it.
//!
//! The parser, and all code that walks or drops its tree, recurses. This scan bounds the depth of a
//! tree in one pass over the bytes: by nested brackets, by indentation, and by the number of tokens
//! that one expression can chain without a comma (`not not not …`, `f()()()…`).

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::unsupported::SUPPORTED;

/// The most nested brackets. CPython has the same limit.
const MOST_BRACKETS: usize = 200;
/// The widest indentation: CPython's limit of a hundred levels, at four columns each.
const MOST_INDENTATION: usize = 400;
/// The most tokens in one chain; a line of a program has about ten.
const MOST_TOKENS: usize = 1_000;

/// The most tokens of a text: some 400,000 lines, fifty times the largest known files. The tree
/// takes a hundred bytes for each token.
const MOST_TOKENS_IN_ALL: usize = 2_500_000;

/// Refuses a text whose syntax tree could be too deep or too large.
pub(crate) fn check_depth(source: &str) -> Result<(), Diagnostic> {
    let mut scan = Scan::new(source.as_bytes());
    while scan.at < scan.bytes.len() {
        scan.step()?;
    }
    Ok(())
}

/// An open bracket, or the line itself.
struct Level {
    opened_at: usize,
    closer: u8,
    tokens: usize,
    /// Whether a `:` or a `lambda` came before: after these, a comma does not end the chain.
    chained: bool,
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    levels: Vec<Level>,
    /// The tokens of all open levels.
    tokens: usize,
    /// The tokens of the whole text so far.
    tokens_in_all: usize,
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8]) -> Scan<'a> {
        let mut scan = Scan {
            bytes,
            at: 0,
            levels: Vec::new(),
            tokens: 0,
            tokens_in_all: 0,
        };
        scan.open(0, 0);
        scan.at = scan.indentation();
        scan
    }

    fn step(&mut self) -> Result<(), Diagnostic> {
        match self.bytes[self.at] {
            b' ' | b'\t' | b'\x0c' => self.at += 1,
            b'\n' | b'\r' => return self.newline(),
            b'#' => self.skip_while(|byte| !is_newline(byte)),
            b'\\' => self.backslash(),
            b'"' | b'\'' => self.string()?,
            b'(' => self.bracket(b')')?,
            b'[' => self.bracket(b']')?,
            b'{' => self.bracket(b'}')?,
            closer @ (b')' | b']' | b'}') => self.close(closer)?,
            b',' => self.comma(),
            b';' => self.statement_end(),
            byte if is_word(byte) => self.word()?,
            byte => self.symbol(byte)?,
        }
        Ok(())
    }

    fn skip_while(&mut self, holds: impl Fn(u8) -> bool) {
        self.at += count_while(&self.bytes[self.at..], holds);
    }

    fn top(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the line's own level stays")
    }

    fn open(&mut self, opened_at: usize, closer: u8) {
        self.levels.push(Level {
            opened_at,
            closer,
            tokens: 0,
            chained: false,
        });
    }

    fn token(&mut self, length: usize) -> Result<(), Diagnostic> {
        self.tokens += 1;
        self.tokens_in_all += 1;
        self.top().tokens += 1;
        if self.tokens_in_all > MOST_TOKENS_IN_ALL {
            let message = "the file has more than 2,500,000 words and signs";
            return Err(Diagnostic::error(message, self.at..self.at + length)
                .label("they end here")
                .help("make several files of it: they may be read together"));
        }
        if self.tokens > MOST_TOKENS {
            Err(self.too_long(self.at..self.at + length))
        } else {
            Ok(())
        }
    }

    fn too_long(&self, here: Range<usize>) -> Diagnostic {
        let message = format!("an expression of more than {MOST_TOKENS} parts is not supported");
        match self.levels.as_slice() {
            [_, .., level] => Diagnostic::error(message, level.opened_at..level.opened_at + 1)
                .label("it starts at this bracket")
                .help("is the bracket closed?"),
            _ => Diagnostic::error(message, here).label("it reaches this place"),
        }
    }

    fn symbol(&mut self, byte: u8) -> Result<(), Diagnostic> {
        self.top().chained |= byte == b':';
        self.token(1)?;
        self.at += 1;
        Ok(())
    }

    fn word(&mut self) -> Result<(), Diagnostic> {
        let length = count_while(&self.bytes[self.at..], is_word);
        let word = &self.bytes[self.at..self.at + length];
        self.top().chained |= word == b"lambda";
        self.token(length)?;
        self.at += length;
        Ok(())
    }

    fn comma(&mut self) {
        if !self.top().chained {
            self.tokens -= self.top().tokens;
            self.top().tokens = 0;
        }
        self.at += 1;
    }

    /// Ends a statement at a semicolon or a newline, unless a bracket is open.
    fn statement_end(&mut self) {
        if self.levels.len() == 1 {
            self.tokens = 0;
            self.top().tokens = 0;
            self.top().chained = false;
        }
        self.at += 1;
    }

    fn newline(&mut self) -> Result<(), Diagnostic> {
        self.statement_end();
        let width = self.indentation();
        let text = self.bytes.get(self.at + width).copied();
        let start = self.at;
        self.at += width;
        match text {
            Some(byte) if width > MOST_INDENTATION && !is_newline(byte) => {
                let message = "this line is indented too far";
                Err(Diagnostic::error(message, start..self.at)
                    .label(format!("at most {MOST_INDENTATION} columns")))
            }
            _ => Ok(()),
        }
    }

    fn indentation(&self) -> usize {
        count_while(&self.bytes[self.at..], |byte| b" \t\x0c".contains(&byte))
    }

    /// Skips a backslash and the newline that it escapes: the next line continues this one.
    fn backslash(&mut self) {
        let newline = match self.bytes.get(self.at + 1..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([b'\r' | b'\n', ..]) => 1,
            _ => 0,
        };
        self.at += 1 + newline;
    }

    fn bracket(&mut self, closer: u8) -> Result<(), Diagnostic> {
        self.token(1)?;
        if self.levels.len() > MOST_BRACKETS {
            let message = format!("more than {MOST_BRACKETS} brackets within each other");
            return Err(Diagnostic::error(message, self.at..self.at + 1)
                .label("this one is too deep")
                .help("give the inner parts names of their own"));
        }
        self.open(self.at, closer);
        self.at += 1;
        Ok(())
    }

    /// Closes a bracket. A bracket that does not match is refused, because this scan and the parser
    /// could then disagree about depth.
    fn close(&mut self, closer: u8) -> Result<(), Diagnostic> {
        if self.levels.len() == 1 || self.top().closer != closer {
            let message = format!("`{}` closes no bracket", closer as char);
            return Err(Diagnostic::error(message, self.at..self.at + 1));
        }
        self.tokens -= self.top().tokens;
        self.levels.pop();
        self.at += 1;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Diagnostic> {
        let quote = self.bytes[self.at];
        if self.is_interpolated() {
            let message = "a string is not supported here";
            return Err(Diagnostic::error(message, self.at..self.at + 1).help(SUPPORTED));
        }
        self.token(1)?;
        if self.bytes[self.at..].starts_with(&[quote; 3]) {
            self.long_string(quote)
        } else {
            self.short_string(quote)
        }
        Ok(())
    }

    /// Whether this is a string like `f"…"`. Its text contains code that only the parser can
    /// follow.
    fn is_interpolated(&self) -> bool {
        let before = last_two(&self.bytes[..self.at]);
        matches!(before, [_, b'f' | b't'] | [b'f' | b't', b'r'])
    }

    fn long_string(&mut self, quote: u8) {
        self.at += 3;
        while self.at < self.bytes.len() && !self.bytes[self.at..].starts_with(&[quote; 3]) {
            self.skip_character();
        }
        self.at = (self.at + 3).min(self.bytes.len());
    }

    fn short_string(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            match byte {
                _ if byte == quote => return self.at += 1,
                b'\n' | b'\r' => return,
                _ => self.skip_character(),
            }
        }
    }

    /// Skips one character of a string, or an escaped one.
    fn skip_character(&mut self) {
        let length = match &self.bytes[self.at..] {
            [b'\\', b'\r', b'\n', ..] => 3,
            [b'\\', _, ..] => 2,
            _ => 1,
        };
        self.at += length;
    }
}

/// The last two bytes in lower case; a space stands for a missing byte.
fn last_two(bytes: &[u8]) -> [u8; 2] {
    let from_end = |k: usize| bytes.len().checked_sub(k).map_or(b' ', |at| bytes[at]);
    [from_end(2), from_end(1)].map(|byte| byte.to_ascii_lowercase())
}

fn count_while(bytes: &[u8], holds: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| holds(**byte)).count()
}

fn is_newline(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: Result<(), &str>) {
        let found = check_depth(source).map_err(|found| found.message);
        assert_eq!(
            found.as_ref().map_err(|message| message.as_str()).copied(),
            expected
        );
    }

    #[test]
    fn ordinary_text_passes() {
        check("def f(I):\n    x = (1, 2, (3, -4))\n    return x\n", Ok(()));
        check("'''a (((( '''\n# ((((\nx = '((' \"]]\\\" ]\"\n", Ok(()));
        check(&format!("x = ({})\n", "-1, ".repeat(100_000)), Ok(()));
        check(&"x = f(a, b)\n".repeat(10_000), Ok(()));
        check("", Ok(()));
    }

    #[test]
    fn deep_text_is_refused() {
        let brackets = "more than 200 brackets within each other";
        let parts = "an expression of more than 1000 parts is not supported";
        check(&"(".repeat(100_000), Err(brackets));
        check(&format!("{}{}", "(".repeat(200), ")".repeat(200)), Ok(()));
        for link in [
            "not ",
            "-",
            "lambda a, b: ",
            "f()",
            "x.",
            "x**",
            "a if b else ",
            "\\\n-",
        ] {
            check(&link.repeat(2_000), Err(parts));
        }
        check(
            &format!("a\n{}b", " ".repeat(401)),
            Err("this line is indented too far"),
        );
    }

    #[test]
    fn brackets_must_match() {
        check("f(]", Err("`]` closes no bracket"));
        check(")", Err("`)` closes no bracket"));
        check("f(a", Ok(()));
    }

    #[test]
    fn code_within_strings_is_refused() {
        let message = "a string is not supported here";
        for source in ["f'{x}'", "x = rf\"{x}\"", "FR'''{'", "t'{x}'", "1f''"] {
            check(source, Err(message));
        }
    }
}
