//! Lines of a proposer, which may be as long as it likes or never end.

use std::io::{self, BufRead};

/// The longest line, in bytes.
pub(crate) const MOST_LINE_BYTES: usize = 1 << 20;

/// A line of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The bytes of the line, without its end.
    Whole(Vec<u8>),
    /// A line of more than [`MOST_LINE_BYTES`]. Its bytes were skipped.
    TooLong,
}

impl Line {
    /// Whether the line holds only white space.
    pub(crate) fn is_blank(&self) -> bool {
        matches!(self, Line::Whole(bytes) if bytes.iter().all(u8::is_ascii_whitespace))
    }
}

/// Reads the next line; `None` at the end of the input. A last line without an end counts.
pub(crate) fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut n_bytes = 0usize;
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let is_over = end.is_some() || bytes.is_empty();
        if bytes.is_empty() && n_bytes == 0 {
            return Ok(None);
        }
        n_bytes = n_bytes.saturating_add(part.len());
        if n_bytes <= MOST_LINE_BYTES {
            line.extend_from_slice(part);
        } else {
            line = Vec::new();
        }
        let n_read = part.len() + usize::from(end.is_some());
        input.consume(n_read);
        if is_over {
            let is_too_long = n_bytes > MOST_LINE_BYTES;
            return Ok(Some(match is_too_long {
                true => Line::TooLong,
                false => Line::Whole(line),
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// The lengths of all lines; `None` for a line that is too long.
    fn lengths(text: &[u8], n_buffer: usize) -> Vec<Option<usize>> {
        let mut input = BufReader::with_capacity(n_buffer, text);
        let mut lengths = Vec::new();
        while let Some(line) = next_line(&mut input).unwrap() {
            lengths.push(match line {
                Line::Whole(bytes) => Some(bytes.len()),
                Line::TooLong => None,
            });
        }
        lengths
    }

    #[test]
    fn lines_end_at_their_ends_and_at_the_end_of_the_input() {
        for n_buffer in [1, 3, 100] {
            assert_eq!(lengths(b"", n_buffer), []);
            assert_eq!(lengths(b"\n", n_buffer), [Some(0)]);
            assert_eq!(lengths(b"ab\n\nc", n_buffer), [Some(2), Some(0), Some(1)]);
            assert_eq!(lengths(b"ab\nc\n", n_buffer), [Some(2), Some(1)]);
        }
    }

    #[test]
    fn a_line_that_is_too_long_ends_alone() {
        let longest = vec![b'x'; MOST_LINE_BYTES];
        let text = [
            &longest[..],
            b"\n",
            &longest,
            b"y\nshort\n",
            &longest,
            b"yz",
        ]
        .concat();
        let expected = [Some(MOST_LINE_BYTES), None, Some(5), None];
        assert_eq!(lengths(&text, 8 << 10), expected);
    }
}
