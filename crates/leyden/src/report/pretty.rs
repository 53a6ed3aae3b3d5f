//! JSON with line breaks, in which each row of a grid is one line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use crate::failure::Failure;

/// A report that contains grids, as JSON with a line break at its end.
pub(crate) fn json_with_grids(report: &impl Serialize) -> Result<String, Failure> {
    let failed = |error: anyhow::Error| Failure::Other(error);
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, RowFormatter::default());
    let written = report.serialize(&mut serializer);
    written.map_err(|error| failed(error.into()))?;
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(|error| failed(error.into()))
}

/// Writes as [`PrettyFormatter`] does, except that lists of small numbers stay on one line.
#[derive(Default)]
struct RowFormatter {
    pretty: PrettyFormatter<'static>,
    /// Whether an item of a list begins here, and whether it is the first one. Its kind decides
    /// whether it gets a line of its own.
    pending: Option<bool>,
    /// Whether the item that ended last is a small number.
    is_inline: bool,
}

impl RowFormatter {
    /// Begins an item that gets a line of its own.
    fn begin_line<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.is_inline = false;
        match self.pending.take() {
            Some(is_first) => self.pretty.begin_array_value(writer, is_first),
            None => Ok(()),
        }
    }
}

/// Methods for numbers that get a line of their own in a list.
macro_rules! numbers {
    ($( $method:ident: $number:ty ),*) => { $(
        fn $method<W: ?Sized + Write>(&mut self, writer: &mut W, value: $number) -> io::Result<()> {
            self.begin_line(writer)?;
            self.pretty.$method(writer, value)
        }
    )* };
}

impl Formatter for RowFormatter {
    fn write_u8<W: ?Sized + Write>(&mut self, writer: &mut W, value: u8) -> io::Result<()> {
        self.is_inline = true;
        if self.pending.take() == Some(false) {
            writer.write_all(b",")?;
        }
        self.pretty.write_u8(writer, value)
    }

    numbers! {
        write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128,
        write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128,
        write_f32: f32, write_f64: f64, write_bool: bool
    }

    fn write_null<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin_line(writer)?;
        self.pretty.write_null(writer)
    }

    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin_line(writer)?;
        self.pretty.begin_string(writer)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin_line(writer)?;
        self.pretty.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.is_inline = false;
        self.pretty.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, _: &mut W, first: bool) -> io::Result<()> {
        self.pending = Some(first);
        Ok(())
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        // The list breaks its line at the end only if it hears of an item.
        if self.is_inline {
            return Ok(());
        }
        self.pretty.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin_line(writer)?;
        self.pretty.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.is_inline = false;
        self.pretty.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.pretty.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.pretty.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use leyden_grid::Grid;
    use serde_json::{Value, json, to_string_pretty};

    use super::*;

    #[test]
    fn a_row_is_a_line() {
        let grid = Grid::from_rows(&[vec![1, 2, 3], vec![4, 5, 6]]).unwrap();
        let text = json_with_grids(&[Some(&grid), None]).unwrap();
        let expected = "[\n  [\n    [1,2,3],\n    [4,5,6]\n  ],\n  null\n]\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn everything_else_is_written_as_before() {
        let value = json!({
            "a": [1.5, "x", true, null, [], {}, [[-1]], { "b": [{ "c": 300 }, { "d": "e" }] }],
            "f": {}, "g": [], "h": 7,
        });
        let text = json_with_grids(&value).unwrap();
        assert_eq!(text, to_string_pretty(&value).unwrap() + "\n");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
