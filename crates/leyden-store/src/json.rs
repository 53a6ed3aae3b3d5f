//! A pull reader for JSON that goes straight into flat grids.
//!
//! ARC files are nearly all digits of grids. A general library reads them into lists of lists and
//! allocates every row. This reader compares one byte for a cell and pushes it into a buffer that
//! serves all grids. Errors name their place. The reader puts the path together only on the way out
//! of an error, so a good file pays nothing for it.

mod problem;

pub use problem::Problem;
pub(crate) use problem::{Fault, Read};

use std::borrow::Cow;

use leyden_grid::{Grid, MAX_SIDE};
use problem::quote;
use serde::de::IgnoredAny;

/// The deepest nesting of a value that the reader skips.
const MAX_DEPTH: usize = 64;

/// The sort of a JSON value. Its first character decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    List,
    Scalar,
}

/// Reads one document from its beginning to its end.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
    cells: Vec<u8>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Reader<'a> {
        Reader {
            text,
            at: 0,
            cells: Vec::new(),
        }
    }

    /// Makes a fault at the next value.
    pub(crate) fn fault(&mut self, problem: Problem) -> Box<Fault> {
        Fault::new(problem, self.offset())
    }

    /// Makes a fault at the value that began at `offset`.
    pub(crate) fn fault_at(&self, offset: usize, problem: Problem) -> Box<Fault> {
        Fault::new(problem, offset)
    }

    /// The offset of the next value.
    pub(crate) fn offset(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// The sort of the next value.
    pub(crate) fn kind(&mut self) -> Read<Kind> {
        match self.peek() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::List),
            Some(_) => Ok(Kind::Scalar),
            None => Err(self.ends_early("a value")),
        }
    }

    /// Enters a list (`[`) or an object (`{`).
    pub(crate) fn begin(&mut self, open: u8, expected: &'static str) -> Read<()> {
        match self.peek() {
            Some(found) if found == open => {
                self.at += 1;
                Ok(())
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Returns whether another item follows in a list or object of which `n_seen` were read. Goes
    /// past the comma or the closing bracket.
    pub(crate) fn more(&mut self, close: u8, n_seen: usize) -> Read<bool> {
        match self.peek() {
            Some(found) if found == close => {
                self.at += 1;
                Ok(false)
            }
            Some(b',') if n_seen > 0 => {
                let comma = self.at;
                self.at += 1;
                if self.peek() == Some(close) {
                    let problem = Problem::NeedlessComma(char::from(close));
                    return Err(self.fault_at(comma, problem));
                }
                Ok(true)
            }
            Some(_) if n_seen == 0 => Ok(true),
            _ => Err(self.unexpected(after_item(close))),
        }
    }

    /// Reads the key of the next member of an object, and its colon.
    pub(crate) fn key(&mut self) -> Read<Cow<'a, str>> {
        let key = self.string("a key in double quotes")?;
        self.begin(b':', "':' after the key")?;
        Ok(key)
    }

    /// Reads an object; `member` reads the value of each key.
    pub(crate) fn object(
        &mut self,
        expected: &'static str,
        mut member: impl FnMut(&mut Self, &str) -> Read<()>,
    ) -> Read<()> {
        self.begin(b'{', expected)?;
        let mut n_seen = 0;
        while self.more(b'}', n_seen)? {
            let key = self.key()?;
            member(self, &key).map_err(|fault| fault.in_key(&key))?;
            n_seen += 1;
        }
        Ok(())
    }

    /// Reads a list; `item` reads each value.
    pub(crate) fn list<T>(
        &mut self,
        expected: &'static str,
        mut item: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<Vec<T>> {
        self.begin(b'[', expected)?;
        let mut items = Vec::new();
        while self.more(b']', items.len())? {
            let value = item(self).map_err(|fault| fault.in_index(items.len()))?;
            items.push(value);
        }
        Ok(items)
    }

    /// Reads a string.
    pub(crate) fn string(&mut self, expected: &'static str) -> Read<Cow<'a, str>> {
        self.begin(b'"', expected)?;
        let start = self.at;
        let mut escaped = false;
        loop {
            match self.text.as_bytes().get(self.at) {
                None => return Err(self.fault(Problem::Truncated("the end of a string"))),
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at = (self.at + 2).min(self.text.len());
                }
                Some(0..=0x1f) => {
                    return Err(self.invalid(self.at, "a control character in a string"));
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        self.unescape(start, escaped)
    }

    /// Decodes the string from `start` to the quote just passed.
    fn unescape(&self, start: usize, escaped: bool) -> Read<Cow<'a, str>> {
        let end = self.at - 1;
        if !escaped {
            return Ok(Cow::Borrowed(&self.text[start..end]));
        }
        // Escapes are rare, so the library decodes them.
        serde_json::from_str(&self.text[start - 1..self.at])
            .map(Cow::Owned)
            .map_err(|_| self.invalid(start - 1, "a bad escape in a string"))
    }

    /// Goes past the next value of any kind.
    pub(crate) fn skip(&mut self) -> Read<()> {
        self.skip_within(MAX_DEPTH)
    }

    fn skip_within(&mut self, depth: usize) -> Read<()> {
        let first = self.peek();
        if depth == 0 && matches!(first, Some(b'{' | b'[')) {
            return Err(self.fault(Problem::TooDeep));
        }
        match first {
            Some(b'{') => self.object("an object", |reader, _| reader.skip_within(depth - 1)),
            Some(b'[') => self.skip_list(depth - 1),
            Some(b'"') => self.string("a string").map(drop),
            _ => self.skip_scalar(),
        }
    }

    fn skip_list(&mut self, depth: usize) -> Read<()> {
        self.begin(b'[', "a list")?;
        let mut n_seen = self.skip_compact_digits();
        while self.more(b']', n_seen)? {
            self.skip_within(depth)
                .map_err(|fault| fault.in_index(n_seen))?;
            n_seen += 1;
        }
        Ok(())
    }

    /// Goes past the leading `1,2,3` of a list, up to a comma; returns the number of digits.
    fn skip_compact_digits(&mut self) -> usize {
        let rest = &self.text.as_bytes()[self.at..];
        let is_digit = |two: &&[u8]| matches!(two, [b'0'..=b'9', b',']);
        let n_digits = rest.chunks_exact(2).take_while(is_digit).count();
        self.at += (2 * n_digits).saturating_sub(1);
        n_digits
    }

    fn skip_scalar(&mut self) -> Read<()> {
        let start = self.at;
        let token = self.token();
        let digit = matches!(token.as_bytes(), [b'0'..=b'9']);
        if digit || is_valid(token) {
            return Ok(());
        }
        self.at = start;
        Err(self.unexpected("a value"))
    }

    /// Makes sure that only space follows.
    pub(crate) fn finish(&mut self) -> Read<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.fault(Problem::Trailing)),
        }
    }

    /// Reads a grid: a list of equally long lists of colours.
    pub(crate) fn grid(&mut self) -> Read<Grid> {
        let start = self.offset();
        self.cells.clear();
        self.begin(b'[', "a grid (a list of rows)")?;
        let (mut height, mut width) = (0, 0);
        while self.more(b']', height)? {
            let row = self.row(height, width);
            width = row.map_err(|fault| fault.in_index(height))?;
            height += 1;
        }
        if height == 0 {
            return Err(self.fault_at(start, Problem::NoRows));
        }
        let grid = Grid::from_cells(height, width, &self.cells);
        grid.map_err(|error| self.fault_at(start, error.into()))
    }

    /// Reads row `i` of a grid into the buffer; returns its length.
    fn row(&mut self, i: usize, expected: usize) -> Read<usize> {
        let start = self.offset();
        if i == MAX_SIDE {
            let n_rows = MAX_SIDE + self.count_rest();
            return Err(self.fault_at(start, Problem::TooManyRows(n_rows)));
        }
        self.begin(b'[', "a row (a list of colours)")?;
        let found = self.row_cells(start)?;
        match found {
            0 => Err(self.fault_at(start, Problem::NoCells)),
            _ if i > 0 && found != expected => {
                Err(self.fault_at(start, Problem::Ragged { expected, found }))
            }
            _ => Ok(found),
        }
    }

    fn row_cells(&mut self, start: usize) -> Read<usize> {
        let mut n_cells = self.plain_cells();
        while self.more(b']', n_cells)? {
            if n_cells == MAX_SIDE {
                let n_all = MAX_SIDE + self.count_rest();
                return Err(self.fault_at(start, Problem::TooManyCells(n_all)));
            }
            let cell = self.cell().map_err(|fault| fault.in_index(n_cells))?;
            self.cells.push(cell);
            n_cells += 1;
        }
        Ok(n_cells)
    }

    /// Takes the leading cells of a row that are single digits, in one tight loop. In a good file
    /// these are all cells. Stops before the comma or bracket after the last one, which
    /// [`more`](Self::more) reads.
    fn plain_cells(&mut self) -> usize {
        let bytes = self.text.as_bytes();
        let mut row = [0; MAX_SIDE];
        let mut n_cells = 0;
        let mut at = self.at;
        while n_cells < MAX_SIDE {
            at = past_space(bytes, at);
            let Some(digit @ b'0'..=b'9') = bytes.get(at) else {
                break;
            };
            at = past_space(bytes, at + 1);
            let Some(after @ (b',' | b']')) = bytes.get(at) else {
                break;
            };
            row[n_cells] = digit - b'0';
            n_cells += 1;
            self.at = at;
            if *after == b']' {
                break;
            }
            at += 1;
        }
        self.cells.extend_from_slice(&row[..n_cells]);
        n_cells
    }

    /// Reads one colour.
    fn cell(&mut self) -> Read<u8> {
        if self.kind()? != Kind::Scalar {
            return Err(self.unexpected("a colour (0 to 9)"));
        }
        let start = self.at;
        let token = self.token();
        if let &[digit @ b'0'..=b'9'] = token.as_bytes() {
            return Ok(digit - b'0');
        }
        self.at = start;
        let is_number = token.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        if is_number && is_valid(token) {
            Err(self.fault(not_a_colour(token)))
        } else {
            Err(self.unexpected("a colour (0 to 9)"))
        }
    }

    /// Counts the items left in the list, including the next one, as far as they can be read. Only
    /// messages use the number.
    fn count_rest(&mut self) -> usize {
        let mut n_items = 0;
        loop {
            if self.skip().is_err() {
                return n_items + 1;
            }
            n_items += 1;
            if !matches!(self.more(b']', n_items), Ok(true)) {
                return n_items;
            }
        }
    }

    /// The next number or word, up to punctuation or space.
    #[inline]
    fn token(&mut self) -> &'a str {
        let text = self.text;
        let start = self.at;
        let n_bytes = text.as_bytes()[start..].iter().position(ends_token);
        self.at = n_bytes.map_or(text.len(), |n| start + n);
        &text[start..self.at]
    }

    /// Peeks at the next byte that is not space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        self.at = past_space(self.text.as_bytes(), self.at);
        self.text.as_bytes().get(self.at).copied()
    }

    fn unexpected(&mut self, expected: &'static str) -> Box<Fault> {
        let problem = match self.peek() {
            None => return self.ends_early(expected),
            Some(_) => Problem::Unexpected {
                expected,
                found: self.describe_next(),
            },
        };
        self.fault(problem)
    }

    /// Makes a fault: the file ends where a value is expected.
    fn ends_early(&mut self, expected: &'static str) -> Box<Fault> {
        let is_empty = self.text.trim_ascii().is_empty();
        self.fault(if is_empty {
            Problem::Empty
        } else {
            Problem::Truncated(expected)
        })
    }

    /// Makes a fault: the document does not begin as JSON does.
    pub(crate) fn not_json(&mut self) -> Box<Fault> {
        let found = self.describe_next();
        self.fault(Problem::NotJson(found))
    }

    fn describe_next(&self) -> String {
        let rest = &self.text[self.at..];
        match rest.chars().next() {
            Some('{') => "an object".into(),
            Some('[') => "a list".into(),
            Some('"') => "a string".into(),
            Some(c) if c.is_ascii_alphanumeric() || c == '-' => {
                format!("`{}`", quote(self.clone().token()))
            }
            Some(c) if c.is_control() => format!("{c:?}"),
            Some(c) => format!("`{c}`"),
            None => "the end of the file".into(),
        }
    }

    fn invalid(&self, offset: usize, what: &str) -> Box<Fault> {
        self.fault_at(offset, Problem::Invalid(what.to_owned()))
    }
}

/// The offset of the next byte that is not space.
#[inline]
fn past_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Whether a number or word ends before this byte.
fn ends_token(byte: &u8) -> bool {
    matches!(
        byte,
        b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b'[' | b']' | b'{' | b'}' | b'"'
    )
}

/// Whether JSON allows this number or word.
fn is_valid(token: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(token).is_ok()
}

fn after_item(close: u8) -> &'static str {
    match close {
        b'}' => "`,` or `}`",
        _ => "`,` or `]`",
    }
}

fn not_a_colour(number: &str) -> Problem {
    let text = quote(number);
    match number {
        _ if number.contains(['.', 'e', 'E']) => Problem::Float(text),
        _ if number.starts_with('-') => Problem::Negative(text),
        _ => Problem::Colour(text),
    }
}
