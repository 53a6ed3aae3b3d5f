//! The journal of a run: its findings, task by task, from which a killed run continues.
//!
//! The first line is a JSON object that identifies the run. Each finished task adds a line. If a
//! line cannot be written (the disk was full for a moment), the journal takes it back and writes it
//! again with the next one. A kill can tear the last line; the task of an unreadable line counts as
//! unfinished.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use leyden_store::{io_words, read_within};
use serde::{Deserialize, Serialize};

use super::found::Found;
use super::lines::Lines;
use crate::failure::Failure;
use crate::output::remark;
use crate::report::numbers::counted;

/// The first words of each journal.
pub(crate) const FORMAT: &str = "leyden-solve-journal/1";

/// The largest journal. A thousand tasks with long answers take a hundredth of this.
const MAX_BYTES: u64 = 1 << 30;

/// The facts that identify a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Header {
    pub(crate) format: String,
    pub(crate) engine: String,
    pub(crate) data: String,
    pub(crate) data_hash: String,
    pub(crate) tasks: String,
    pub(crate) moves: String,
    pub(crate) parts: String,
    pub(crate) library: String,
    pub(crate) fuel_per_task: Option<u64>,
    pub(crate) per_task_s: Option<f64>,
    pub(crate) budget_s: Option<f64>,
    /// The number of candidates that the lines keep.
    #[serde(default)]
    pub(crate) candidates: usize,
}

impl Header {
    /// The first difference from another run, if there is one.
    fn difference(&self, other: &Header) -> Option<&'static str> {
        let budget = |it: &Header| (it.fuel_per_task, it.per_task_s, it.budget_s);
        [
            (self.format != other.format, "the format"),
            (self.engine != other.engine, "the version of leyden"),
            (self.moves != other.moves, "the moves of the search"),
            (self.parts != other.parts, "the parts of the search"),
            (self.data_hash != other.data_hash, "the data"),
            (self.tasks != other.tasks, "the choice of tasks"),
            (self.library != other.library, "the library"),
            (budget(self) != budget(other), "what to spend"),
            (self.candidates != other.candidates, "--candidates"),
        ]
        .into_iter()
        .find_map(|(differs, what)| differs.then_some(what))
    }
}

/// A journal that is being written.
pub(crate) struct Journal {
    path: PathBuf,
    lines: Mutex<Lines>,
}

impl Journal {
    /// The path of the journal beside a submission.
    pub(crate) fn beside(out: &Path) -> PathBuf {
        let mut name = out.as_os_str().to_owned();
        name.push(".journal");
        name.into()
    }

    /// Begins a journal, or continues one; gives its contents.
    pub(crate) fn open(
        path: PathBuf,
        header: &Header,
        resume: bool,
    ) -> Result<(Journal, Vec<Found>), Failure> {
        let name = path.display().to_string();
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let mut file = file
            .open(&path)
            .map_err(|error| Failure::system(&path, &error))?;
        lock(&file, &name)?;
        let read = if resume {
            read(&mut file, &name, header)?
        } else {
            Kept::default()
        };
        if resume && read.n_bytes == 0 {
            remark(&format!(
                "note: {name}: there is nothing to resume; the run begins from the start\n"
            ));
        }
        let start = || -> io::Result<Lines> {
            let mut lines = Lines::after(file, read.n_bytes)?;
            if read.n_bytes == 0 {
                lines.add(header)?;
            }
            Ok(lines)
        }();
        let lines = start.map_err(|error| Failure::system(&path, &error))?;
        let journal = Journal {
            path,
            lines: Mutex::new(lines),
        };
        Ok((journal, read.found))
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a finished task.
    pub(crate) fn add(&self, found: &Found) {
        // The journal keeps the line and the failure.
        let _ = self.lines().add(found);
    }

    /// Tries a last time, then gives the reason why the journal is incomplete.
    pub(crate) fn failure(&self) -> Option<String> {
        let error = self.lines().last_failure()?;
        Some(format!("{}: {}", self.path.display(), io_words(&error)))
    }

    /// Removes the journal of a complete run.
    pub(crate) fn remove(self) {
        // Another process may have removed it already.
        let _ = fs::remove_file(&self.path);
    }
}

fn lock(file: &File, name: &str) -> Result<(), Failure> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Failure::bad_input(format!(
            "{name}: another run is writing this journal; wait for it, or choose another --out"
        ))),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// The contents of a journal.
#[derive(Default)]
struct Kept {
    found: Vec<Found>,
    /// How many bytes of the file are whole lines.
    n_bytes: u64,
}

/// Reads a journal. The tasks of lines that cannot be read are searched again.
fn read(file: &mut File, name: &str, header: &Header) -> Result<Kept, Failure> {
    let mut bytes = Vec::new();
    let fits = read_within(file, MAX_BYTES, &mut bytes)
        .map_err(|error| Failure::system(Path::new(name), &error))?;
    if !fits {
        return Err(Failure::bad_input(format!(
            "{name}: larger than {} MB, the most that a journal may have",
            MAX_BYTES >> 20
        )));
    }
    let n_whole = bytes.iter().rposition(|byte| *byte == b'\n');
    let whole = &bytes[..n_whole.map_or(0, |k| k + 1)];
    let mut lines = whole.split_inclusive(|byte| *byte == b'\n');
    let Some(first) = lines.next() else {
        return Ok(Kept::default());
    };
    let known: Header = serde_json::from_slice(first).map_err(|_| {
        Failure::bad_input(format!(
            "{name}: this is not a journal of `leyden solve`; leave out --resume to begin again"
        ))
    })?;
    if let Some(what) = known.difference(header) {
        return Err(Failure::bad_input(format!(
            "{name}: this journal belongs to another run, {what} differs; repeat its command, or leave out --resume to begin again"
        )));
    }
    let lines = lines.map(serde_json::from_slice::<Found>);
    let (found, torn): (Vec<_>, Vec<_>) = lines.partition(Result::is_ok);
    let n_torn = torn.len() + usize::from(whole.len() < bytes.len());
    if n_torn > 0 {
        remark(&format!(
            "note: {name}: {} cannot be read; the search does these tasks again\n",
            counted(n_torn, "line")
        ));
    }
    Ok(Kept {
        found: found.into_iter().flatten().collect(),
        n_bytes: whole.len() as u64,
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn header() -> Header {
        Header {
            format: FORMAT.to_owned(),
            engine: "1".to_owned(),
            data: "demo".to_owned(),
            data_hash: "0".to_owned(),
            tasks: String::new(),
            moves: String::new(),
            parts: String::new(),
            library: String::new(),
            fuel_per_task: Some(7),
            per_task_s: None,
            budget_s: None,
            candidates: 0,
        }
    }

    fn found(task: &str) -> Found {
        Found {
            task: task.to_owned(),
            demos: 3,
            states: 1,
            pieces: 0,
            runs: 9,
            fuel: 5,
            wall_s: 0.25,
            phases_s: Default::default(),
            answers: vec![vec![]],
            candidates: Vec::new(),
        }
    }

    #[test]
    fn a_torn_last_line_counts_as_missing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.json.journal");
        let (journal, before) = Journal::open(path.clone(), &header(), true).unwrap();
        assert!(before.is_empty());
        journal.add(&found("a"));
        journal.add(&found("b"));
        drop(journal);
        let whole = fs::read(&path).unwrap();
        let ends: Vec<usize> = (0..whole.len()).filter(|k| whole[*k] == b'\n').collect();
        for n_bytes in 0..=whole.len() {
            fs::write(&path, &whole[..n_bytes]).unwrap();
            let (journal, kept) = Journal::open(path.clone(), &header(), true).unwrap();
            let n_whole = ends.iter().filter(|end| **end < n_bytes).count();
            assert_eq!(kept.len(), n_whole.saturating_sub(1), "{n_bytes}");
            journal.add(&found("c"));
            drop(journal);
            let (_, kept) = Journal::open(path.clone(), &header(), true).unwrap();
            assert_eq!(kept.last(), Some(&found("c")));
        }
    }

    /// Lines whose writing fails after some bytes, as on a disk that is full for a moment.
    #[test]
    fn a_line_that_did_not_fit_is_written_with_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.json.journal");
        let (journal, _) = Journal::open(path.clone(), &header(), false).unwrap();
        journal.add(&found("a"));
        {
            let mut lines = journal.lines();
            // The disk takes some bytes of the line, and then no more.
            lines.file.write_all(b"{\"task\":\"b\",\"de").unwrap();
            serde_json::to_writer(&mut lines.waiting, &found("b")).unwrap();
            lines.waiting.push(b'\n');
            lines.failure = Some(io::ErrorKind::StorageFull.into());
        }
        journal.add(&found("c"));
        assert_eq!(journal.failure(), None);
        drop(journal);
        let (_, kept) = Journal::open(path, &header(), true).unwrap();
        assert_eq!(kept, [found("a"), found("b"), found("c")]);
    }

    /// Journals that an earlier version wrote on a full disk.
    #[test]
    fn a_torn_line_in_the_middle_costs_its_task_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.json.journal");
        let (journal, _) = Journal::open(path.clone(), &header(), false).unwrap();
        for task in ["a", "b", "c", "d"] {
            journal.add(&found(task));
        }
        drop(journal);
        let text = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines[2] = &lines[2][..30];
        // Without its end the line runs into the next.
        let text = lines
            .join("\n")
            .replacen(&format!("{}\n", lines[2]), lines[2], 1)
            + "\n";
        fs::write(&path, text).unwrap();
        let (_, kept) = Journal::open(path, &header(), true).unwrap();
        assert_eq!(kept, [found("a"), found("d")]);
    }

    #[test]
    fn another_run_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.json.journal");
        drop(Journal::open(path.clone(), &header(), false).unwrap());
        let other = Header {
            fuel_per_task: Some(8),
            ..header()
        };
        let refused = |path: &Path, header: &Header| {
            let opened = Journal::open(path.to_owned(), header, true);
            format!("{:?}", opened.err().unwrap())
        };
        assert!(refused(&path, &other).contains("what to spend"));
        let (_held, _) = Journal::open(path.clone(), &header(), true).unwrap();
        assert!(refused(&path, &header()).contains("another run is writing"));
        let foreign = dir.path().join("t.json.journal");
        fs::write(&foreign, "hello\n").unwrap();
        assert!(refused(&foreign, &header()).contains("not a journal"));
    }
}
