//! Options that had another name before 0.2, and those that people bring from tokpidjin's scripts
//! (docs/from-tokpidjin.md). Words are replaced before clap reads them, so that clap knows only the
//! names of today.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use leyden_dsl::table::Prim;

use crate::output::remark;

/// Does the old name earn a remark?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Leyden before 0.2: a remark names the new spelling.
    Before,
    /// tokpidjin: taken silently.
    Tokpidjin,
}

use Origin::{Before, Tokpidjin};

/// A command, an old option, and the words in its place.
type Renamed = (&'static str, &'static str, &'static [&'static str], Origin);

const RENAMED: &[Renamed] = &[
    ("run", "-c", &["--tasks"], Tokpidjin),
    ("batt", "-c", &["--tasks"], Tokpidjin),
    ("batt", "-b", &["--battery"], Tokpidjin),
    ("card", "-fs", &["--freeze"], Tokpidjin),
    // Leyden never changes scoring programs, so `-fd` asks for nothing.
    ("card", "-fd", &[], Tokpidjin),
    ("card", "-f", &["--out"], Before),
    ("card", "--file", &["--out"], Before),
    ("card", "--form", &["--format"], Before),
    ("evolve", "--run-fuel", &["--fuel"], Before),
    ("score", "--challenges", &["--data"], Before),
    ("submit-check", "--challenges", &["--data"], Before),
    ("profile", "-f", &["--battery"], Before),
    ("profile", "--file", &["--battery"], Before),
    ("profile", "-t", &["--task"], Before),
    ("profile", "--n", &["--tasks"], Before),
    ("profile", "--num-tasks", &["--tasks"], Tokpidjin),
    ("profile", "--all", &["--top", "all"], Before),
    ("profile", "--markdown", &["--format", "md"], Before),
    ("profile", "--output", &["--json"], Tokpidjin),
    ("primitives", "--markdown", &["--format", "md"], Before),
    ("import", "--python", &["--format", "python"], Before),
    ("library", "-n", &["--top"], Before),
    ("library", "--limit", &["--top"], Before),
    ("library", "--as", &["--format"], Before),
    ("library", "--python", &["--format", "python"], Before),
    ("gpu", "--programs", &["--cases"], Before),
];

/// Options that once needed no value, and the value that they stood for.
const WITHOUT_VALUE: [(&str, &str, &str); 2] =
    [("primitives", "--json", "-"), ("card", "--library", "own")];

/// Puts today's names in place of old ones, and says so.
pub(super) fn spelt_anew(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let (args, remarks) = replaced(args.into_iter().collect());
    for (old, new) in remarks {
        remark(&format!("note: `{old}` is now `{new}`\n"));
    }
    args
}

/// Old and new names, as a remark has them.
type Remarks = BTreeSet<(String, String)>;

fn replaced(args: Vec<OsString>) -> (Vec<OsString>, Remarks) {
    let mut remarks = Remarks::new();
    let Some(command) = args.get(1).and_then(|word| word.to_str()) else {
        return (args, remarks);
    };
    let mut words = Vec::with_capacity(args.len());
    let mut rest = args.iter().enumerate();
    for (k, word) in rest.by_ref() {
        if word == "--" {
            words.push(word.clone());
            break;
        }
        match find(command, word) {
            Some(((_, old, new, origin), value)) if k > 1 => {
                words.extend(new.iter().map(OsString::from));
                words.extend(value);
                if *origin == Before {
                    remarks.insert(((*old).to_owned(), new.join(" ")));
                }
            }
            _ => words.push(word.clone()),
        }
        if let Some((option, value)) = missing_value(command, word, args.get(k + 1)) {
            words.push(value.into());
            remarks.insert((option.to_owned(), format!("{option} {value}")));
        }
    }
    words.extend(rest.map(|(_, word)| word.clone()));
    (words, remarks)
}

/// The old option that a word is, and a value that is written into the same word.
fn find<'a>(command: &str, word: &OsStr) -> Option<(&'a Renamed, Option<OsString>)> {
    let text = word.to_str()?;
    let of_command = || RENAMED.iter().filter(|renamed| renamed.0 == command);
    if let Some(whole) = of_command().find(|renamed| renamed.1 == text) {
        return Some((whole, None));
    }
    of_command().find_map(|renamed| {
        let rest = text.strip_prefix(renamed.1)?;
        let is_long = renamed.1.starts_with("--");
        let value = match rest.strip_prefix('=') {
            Some(value) => value,
            None if is_long => return None,
            None => rest,
        };
        Some((renamed, Some(value.into())))
    })
}

/// The option that a word is, where the next word is not its value.
fn missing_value(
    command: &str,
    word: &OsStr,
    next: Option<&OsString>,
) -> Option<(&'static str, &'static str)> {
    let mut known = WITHOUT_VALUE.iter();
    let (_, option, value) = known.find(|(of, option, _)| *of == command && word == *option)?;
    let is_value = next
        .and_then(|next| next.to_str())
        .is_none_or(|next| next == "-" || (!next.starts_with('-') && !is_primitive(command, next)));
    (next.is_none() || !is_value).then_some((*option, *value))
}

/// `primitives --json objects` names a primitive and no file.
fn is_primitive(command: &str, word: &str) -> bool {
    command == "primitives" && Prim::by_name(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelt(line: &str) -> (String, Vec<String>) {
        let (args, remarks) = replaced(line.split(' ').map(OsString::from).collect());
        let words: Vec<&str> = args.iter().map(|arg| arg.to_str().unwrap()).collect();
        let remarks = remarks.into_iter().map(|(old, _)| old).collect();
        (words.join(" "), remarks)
    }

    #[test]
    fn tokpidjins_names_are_accepted_silently() {
        let (line, remarks) = spelt("leyden card -fs -fd -c 3");
        assert_eq!(line, "leyden card --freeze -c 3");
        assert!(remarks.is_empty());
        assert_eq!(
            spelt("leyden batt -b x -c5").0,
            "leyden batt --battery x --tasks 5"
        );
        assert_eq!(spelt("leyden solve -fs").0, "leyden solve -fs");
    }

    #[test]
    fn values_stay_with_their_options() {
        let (line, remarks) = spelt("leyden profile dsl --file=a.batt -t007bbfb7 --all");
        let expected = "leyden profile dsl --battery a.batt --task 007bbfb7 --top all";
        assert_eq!(line, expected);
        assert_eq!(remarks, ["--all", "--file", "-t"]);
        assert_eq!(spelt("leyden card -- -f").0, "leyden card -- -f");
        assert_eq!(
            spelt("leyden profile --format md").0,
            "leyden profile --format md"
        );
    }

    #[test]
    fn options_that_needed_no_value_get_one() {
        assert_eq!(
            spelt("leyden primitives --json").0,
            "leyden primitives --json -"
        );
        let named = spelt("leyden primitives --json objects").0;
        assert_eq!(named, "leyden primitives --json - objects");
        assert_eq!(spelt("leyden primitives --json a.json").1.len(), 0);
        let drawn = spelt("leyden card --library -c 5").0;
        assert_eq!(drawn, "leyden card --library own -c 5");
        assert_eq!(
            spelt("leyden card --library x.db").0,
            "leyden card --library x.db"
        );
    }
}
