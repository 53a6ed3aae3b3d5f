//! Runs the built binary as a user would.

#![allow(clippy::unwrap_used)]

mod augment;
mod backend;
mod bad_input;
mod bad_inputs;
mod batt;
mod card;
mod dialects;
#[cfg(unix)]
mod documents;
mod eval;
#[cfg(unix)]
mod evolve;
mod forms;
#[cfg(unix)]
mod from_tokpidjin;
mod generate;
mod gpu;
mod import;
mod interrupt;
mod judge;
mod library;
#[cfg(unix)]
mod machine;
mod merge;
mod names;
mod options;
mod primitives;
mod profile;
mod profile_lines;
mod profile_report;
mod ranks;
mod run;
mod score;
mod show;
mod solve;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A separate directory for each test, with an empty cache and no store.
struct Sandbox(tempfile::TempDir);

impl Sandbox {
    fn new() -> Sandbox {
        Sandbox(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> = entries
            .map(|entry| name(entry).into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The command in this directory, without the user's cache and store and without a network.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leyden"));
        command
            .args(args)
            .current_dir(self.0.path())
            .env("LEYDEN_CACHE", self.path("cache"))
            .env("LEYDEN_STORE", self.path("library.db"));
        command
            .env("PIP_NO_INDEX", "1")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE");
        command
    }

    fn leyden(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(args).output().unwrap())
    }
}

/// The end of a command.
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks that the command succeeded.
    fn ok(self) -> Ran {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self
    }

    /// Checks that the command refused its input and printed these words.
    fn refused(self, words: &[&str]) {
        assert_eq!(self.code, 2, "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        for word in words {
            assert!(
                self.stderr.contains(word),
                "{word:?} is not in:\n{}",
                self.stderr
            );
        }
    }
}

fn demo_solvers() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../leyden-store/demo/solvers.py");
    std::fs::read_to_string(path).unwrap()
}

/// The words of a command line.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}
