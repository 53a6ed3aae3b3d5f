//! `benches/baseline.txt`: the recorded figures of the workloads.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::{Outcome, root};

const NOTE: &str = "\
# Written by `cargo xtask bench --save`: instructions (callgrind) and median nanoseconds of processor
# time of one round, release profile. `cargo xtask bench-compare` compares the instructions.
";

/// The figures of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) instructions: u64,
    pub(crate) nanoseconds: u64,
}

/// A record of all workloads, and of the tools it was made with.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Baseline {
    made_with: Vec<(String, String)>,
    entries: Vec<(String, Entry)>,
}

impl Baseline {
    /// An empty record of this machine.
    pub(crate) fn here(machine: Vec<(&'static str, String)>) -> Baseline {
        let made_with = machine.into_iter();
        Baseline {
            made_with: made_with
                .map(|(key, text)| (key.to_owned(), text))
                .collect(),
            entries: Vec::new(),
        }
    }

    /// The record in the repository; an empty one if there is none.
    pub(crate) fn read() -> Result<Baseline, Box<dyn Error>> {
        match fs::read_to_string(path()) {
            Ok(text) => Baseline::parse(&text).map_err(Into::into),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Baseline::default()),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn write(&self) -> Outcome {
        let temporary = path().with_extension("txt.new");
        fs::write(&temporary, self.text())?;
        Ok(fs::rename(&temporary, path())?)
    }

    pub(crate) fn push(&mut self, name: String, entry: Entry) {
        self.entries.push((name, entry));
    }

    pub(crate) fn get(&self, name: &str) -> Option<Entry> {
        let found = self.entries.iter().find(|(other, _)| other == name);
        found.map(|(_, entry)| *entry)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.entries.iter().map(|(name, _)| name)
    }

    /// Prints a note if the compiler or the C library differ from those of the record.
    pub(crate) fn note_other_tools(&self, machine: &[(&'static str, String)]) {
        for (key, now) in machine.iter().filter(|(key, _)| *key != "machine") {
            let found = self.made_with.iter().find(|(other, _)| other == key);
            if let Some((_, recorded)) = found.filter(|(_, recorded)| recorded != now) {
                println!("note: recorded with {recorded}, compared with {now}");
            }
        }
    }

    fn text(&self) -> String {
        let mut text = NOTE.to_owned();
        for (key, value) in &self.made_with {
            _ = writeln!(text, "# {key}: {value}");
        }
        for (name, entry) in &self.entries {
            let (instructions, ns) = (entry.instructions, entry.nanoseconds);
            _ = writeln!(text, "{name:<26} {instructions:>14} {ns:>12}");
        }
        text
    }

    fn parse(text: &str) -> Result<Baseline, String> {
        let mut baseline = Baseline::default();
        for line in text.lines() {
            match line.strip_prefix("# ") {
                Some(comment) => baseline.made_with.extend(made_with(comment)),
                None => baseline.entries.push(entry(line)?),
            }
        }
        Ok(baseline)
    }
}

fn path() -> PathBuf {
    root().join("benches/baseline.txt")
}

/// Reads `key: value`, if the key is one word.
fn made_with(comment: &str) -> Option<(String, String)> {
    let (key, value) = comment.split_once(": ")?;
    (!key.contains(' ')).then(|| (key.to_owned(), value.to_owned()))
}

fn entry(line: &str) -> Result<(String, Entry), String> {
    let bad = || format!("benches/baseline.txt: cannot read `{line}`");
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, instructions, nanoseconds] = words.as_slice() else {
        return Err(bad());
    };
    let entry = Entry {
        instructions: instructions.parse().map_err(|_| bad())?,
        nanoseconds: nanoseconds.parse().map_err(|_| bad())?,
    };
    Ok(((*name).to_owned(), entry))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut baseline = Baseline::here(vec![("rustc", "rustc 1.95.0 (x: y)".to_owned())]);
        let entry = Entry {
            instructions: 12_345,
            nanoseconds: 67,
        };
        baseline.push("merge/10".to_owned(), entry);
        let read = Baseline::parse(&baseline.text());
        assert_eq!(read.as_ref(), Ok(&baseline));
        assert_eq!(read.map(|read| read.get("merge/10")), Ok(Some(entry)));
    }

    #[test]
    fn a_line_that_is_no_entry_is_named() {
        let error = Baseline::parse("merge/10 12 x\n").unwrap_err();
        assert!(error.contains("merge/10 12 x"), "{error}");
    }
}
