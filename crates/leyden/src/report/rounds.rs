//! The rounds and finds of `leyden evolve` as lines of JSON, for programs that watch the run.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use leyden_store::io_words;
use leyden_store::library::ProgramHash;
use serde_json::{Value, json};

use crate::failure::Failure;

/// A file that grows by a line for each find and each round. Readers pass over lines that they know
/// already.
pub(crate) struct RoundFile {
    file: File,
    name: String,
}

impl RoundFile {
    /// Begins a file, or goes on at its end.
    pub(crate) fn open(path: &Path) -> Result<RoundFile, Failure> {
        let name = path.display().to_string();
        match OpenOptions::new().append(true).create(true).open(path) {
            Ok(file) => Ok(RoundFile { file, name }),
            Err(error) => Err(Failure::bad_input(format!("{name}: {}", io_words(&error)))),
        }
    }

    /// A program fits the demonstrations of a task.
    pub(crate) fn find(&mut self, task: &str, program: ProgramHash) -> Result<(), Failure> {
        self.add(&json!({ "task": task, "program": program.to_string(), "fits": true }))
    }

    /// A round is saved, and programs fit this many tasks.
    pub(crate) fn round(&mut self, round: u64, n_fitting: usize) -> Result<(), Failure> {
        self.add(&json!({ "round": round, "fitting": n_fitting }))
    }

    /// Writes a line at once, so that a kill tears the last one at most.
    fn add(&mut self, line: &Value) -> Result<(), Failure> {
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|error| Failure::bad_input(format!("{}: {}", self.name, io_words(&error))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_goes_on_at_its_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("rounds");
        RoundFile::open(&path).unwrap().round(1, 0).unwrap();
        let mut file = RoundFile::open(&path).unwrap();
        file.find("a", ProgramHash(1)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines[0], json!({ "round": 1, "fitting": 0 }));
        assert_eq!(lines[1]["task"], "a");
    }
}
