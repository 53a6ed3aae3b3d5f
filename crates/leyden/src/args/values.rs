//! Values on the command line: parsers whose messages say what was expected.

use std::num::IntErrorKind;
use std::str::FromStr;
use std::time::Duration;

use leyden_profile::plan::parse_duration;

/// A whole number from 1 on.
pub(super) fn count(text: &str) -> Result<usize, String> {
    at_least_one(text)
}

/// A whole number from 0 on.
pub(super) fn number(text: &str) -> Result<usize, String> {
    whole(text, "0")
}

/// [`count`], of fuel or rounds.
pub(super) fn long_count(text: &str) -> Result<u64, String> {
    at_least_one(text)
}

/// [`number`], as a seed.
pub(super) fn long_number(text: &str) -> Result<u64, String> {
    whole(text, "0")
}

/// [`count`], of workers.
pub(super) fn short_count(text: &str) -> Result<u32, String> {
    at_least_one(text)
}

fn at_least_one<N>(text: &str) -> Result<N, String>
where
    N: FromStr<Err = std::num::ParseIntError> + PartialEq + Default,
{
    let n: N = whole(text, "1")?;
    if n == N::default() {
        return Err(expected("1"));
    }
    Ok(n)
}

fn whole<N>(text: &str, least: &str) -> Result<N, String>
where
    N: FromStr<Err = std::num::ParseIntError>,
{
    text.parse()
        .map_err(|error: std::num::ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => "the number is too large".to_owned(),
            _ => expected(least),
        })
}

fn expected(least: &str) -> String {
    format!("expected a whole number, {least} or more")
}

/// A limit on rows or programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Top {
    All,
    Count(usize),
}

impl Top {
    /// The number of rows of a table.
    pub(super) fn rows(self) -> usize {
        match self {
            Top::All => usize::MAX,
            Top::Count(n) => n,
        }
    }

    /// The number of programs to take; none: all of them.
    pub(super) fn limit(self) -> Option<usize> {
        match self {
            Top::All => None,
            Top::Count(n) => Some(n),
        }
    }
}

impl FromStr for Top {
    type Err = String;

    fn from_str(text: &str) -> Result<Top, String> {
        if text == "all" {
            return Ok(Top::All);
        }
        let or_all = |message: String| format!("{message}, or `all`");
        count(text).map(Top::Count).map_err(or_all)
    }
}

/// A time such as `4s`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let expected = "expected a number and ms, s, m or h, such as 500ms, 4s, 10m or 1h30m";
    let nanoseconds = parse_duration(text).ok_or(expected)?;
    Duration::try_from_secs_f64(nanoseconds / 1e9).map_err(|_| expected.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5h"), Ok(Duration::from_secs(5400)));
        for wrong in ["4", "s", "0s", "-1s", "4x", "", "nans"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_say_what_was_expected() {
        assert_eq!(count("3"), Ok(3));
        assert_eq!(number("0"), Ok(0));
        for wrong in ["0", "-1", "x", "", "1.5"] {
            assert_eq!(
                count(wrong),
                Err("expected a whole number, 1 or more".into())
            );
        }
        assert_eq!(
            number("-1"),
            Err("expected a whole number, 0 or more".into())
        );
        let large = "99999999999999999999999";
        assert_eq!(long_number(large), Err("the number is too large".into()));
    }

    #[test]
    fn all_is_a_number_of_rows() {
        assert_eq!("all".parse(), Ok(Top::All));
        assert_eq!("7".parse(), Ok(Top::Count(7)));
        let error = "0".parse::<Top>().unwrap_err();
        assert_eq!(error, "expected a whole number, 1 or more, or `all`");
    }
}
