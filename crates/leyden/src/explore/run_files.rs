//! The files of a run.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use leyden_store::write_atomic;
use serde::{Deserialize, Serialize};

use super::run_lines::Tail;
use super::run_state::State;
use super::run_wish::{Kind, Wish};

/// The file that tells what a run does. A directory without it is none of a run.
const WISH: &str = "run.json";

/// The directory of a run.
#[derive(Clone, Debug)]
pub(super) struct RunFiles(PathBuf);

/// The end of a run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct End {
    pub(super) state: State,
    pub(super) message: String,
}

impl RunFiles {
    /// The directory of the run with a number.
    pub(super) fn of(all: &Path, number: u64) -> RunFiles {
        RunFiles(all.join(format!("r{number}")))
    }

    /// Makes the directory of a new run: the first number from `first` on that no other run has,
    /// not even one of another server with this store.
    pub(super) fn claim(all: &Path, first: u64) -> io::Result<(u64, RunFiles)> {
        fs::create_dir_all(all)?;
        let mut number = first;
        loop {
            let files = RunFiles::of(all, number);
            match fs::create_dir(&files.0) {
                Ok(()) => return Ok((number, files)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// The runs of a directory.
    pub(super) fn kept(all: &Path) -> Vec<(u64, Wish)> {
        let entries = fs::read_dir(all).into_iter().flatten().flatten();
        let one = |entry: fs::DirEntry| {
            let name = entry.file_name();
            let number = name.to_str()?.strip_prefix('r')?.parse().ok()?;
            let text = fs::read_to_string(entry.path().join(WISH)).ok()?;
            Some((number, serde_json::from_str(&text).ok()?))
        };
        entries.filter_map(one).collect()
    }

    pub(super) fn keep(&self, wish: &Wish) -> io::Result<()> {
        self.write(WISH, wish)
    }

    pub(super) fn report(&self) -> PathBuf {
        self.0.join("report.json")
    }

    pub(super) fn submission(&self) -> PathBuf {
        self.0.join("submission.json")
    }

    pub(super) fn progress(&self) -> PathBuf {
        self.0.join("progress.jsonl")
    }

    /// The file in which the command tells what it found.
    pub(super) fn journal(&self, command: Kind) -> PathBuf {
        match command {
            Kind::Solve => self.0.join("submission.json.journal"),
            Kind::Evolve => self.progress(),
        }
    }

    /// The end of the run; `None` while it goes on, and after a kill.
    pub(super) fn end(&self) -> Option<End> {
        let text = fs::read_to_string(self.end_file()).ok()?;
        serde_json::from_str(&text).ok()
    }

    pub(super) fn keep_end(&self, end: &End) -> io::Result<()> {
        self.write("end.json", end)
    }

    /// The run goes on.
    pub(super) fn forget_end(&self) {
        // Without this file the run has not ended.
        let _ = fs::remove_file(self.end_file());
    }

    fn end_file(&self) -> PathBuf {
        self.0.join("end.json")
    }

    /// Adds a point to the curve.
    pub(super) fn add_point(&self, point: (f64, u64)) -> io::Result<()> {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.curve_file())?;
        let line = serde_json::to_string(&point)? + "\n";
        file.write_all(line.as_bytes())
    }

    pub(super) fn curve(&self) -> Vec<(f64, u64)> {
        let mut tail = Tail::of(self.curve_file());
        let lines = std::iter::from_fn(|| Some(tail.lines()).filter(|lines| !lines.is_empty()));
        let points = lines.flatten();
        points
            .filter_map(|line| serde_json::from_str(&line).ok())
            .collect()
    }

    fn curve_file(&self) -> PathBuf {
        self.0.join("curve.jsonl")
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        fs::remove_dir_all(&self.0)
    }

    fn write(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_vec(value)?;
        write_atomic(&self.0.join(name), &text).map_err(io::Error::other)
    }
}
