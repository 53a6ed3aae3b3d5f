//! The journal of a run: what was found, task by task, so that a run that was killed can go on.
//!
//! A line of JSON says which run it is, then there is a line for each finished task. Only the last line
//! can be torn, and then it is as if that task had not been finished.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::found::Found;
use crate::failure::Failure;

/// The first words of every journal.
pub(crate) const FORMAT: &str = "leyden-solve-journal/1";

/// What makes two runs the same run.
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
}

impl Header {
    /// What differs, if anything does.
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
        ]
        .into_iter()
        .find_map(|(differs, what)| differs.then_some(what))
    }
}

/// A journal that is being written.
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    /// The first failure to write.
    failure: Mutex<Option<io::Error>>,
}

impl Journal {
    /// Where the journal of a submission is.
    pub(crate) fn beside(out: &Path) -> PathBuf {
        let mut name = out.as_os_str().to_owned();
        name.push(".journal");
        name.into()
    }

    /// Begins a journal, or goes on with one; gives what it holds.
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
            .with_context(|| name.clone())
            .map_err(Failure::Other)?;
        lock(&file, &name)?;
        let (found, n_bytes) = match resume {
            true => read(&mut file, &name, header)?,
            false => (Vec::new(), 0),
        };
        let start = || -> io::Result<()> {
            file.set_len(n_bytes)?;
            file.seek(SeekFrom::Start(n_bytes))?;
            if n_bytes == 0 {
                write_line(&mut file, header)?;
            }
            Ok(())
        }();
        start.with_context(|| name).map_err(Failure::Other)?;
        let journal = Journal {
            path,
            file: Mutex::new(file),
            failure: Mutex::default(),
        };
        Ok((journal, found))
    }

    /// Adds a finished task.
    pub(crate) fn add(&self, found: &Found) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = write_line(&mut file, found) {
            let failure = self.failure.lock();
            failure
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert(error);
        }
    }

    /// Why it is not complete.
    pub(crate) fn failure(&self) -> Option<String> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        let error = failure.as_ref()?;
        Some(format!("{}: {error}", self.path.display()))
    }

    /// The run is complete: there is nothing to go on with.
    pub(crate) fn remove(self) {
        // It may be gone already; then that is what was wanted.
        let _ = fs::remove_file(&self.path);
    }
}

fn lock(file: &File, name: &str) -> Result<(), Failure> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Failure::bad_input(format!(
            "{name}: another run is writing it"
        ))),
        // Some file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// One call, so that a kill leaves a whole line or a torn last one.
fn write_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)
}

/// What was found so far, and how many bytes of the file say so.
fn read(file: &mut File, name: &str, header: &Header) -> Result<(Vec<Found>, u64), Failure> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .with_context(|| name.to_owned())
        .map_err(Failure::Other)?;
    let n_whole = bytes.iter().rposition(|byte| *byte == b'\n');
    let whole = &bytes[..n_whole.map_or(0, |k| k + 1)];
    let mut lines = whole.split_inclusive(|byte| *byte == b'\n');
    let Some(first) = lines.next() else {
        return Ok((Vec::new(), 0));
    };
    let known: Header = serde_json::from_slice(first)
        .map_err(|_| Failure::bad_input(format!("{name}: not a journal of `leyden solve`")))?;
    if let Some(what) = known.difference(header) {
        return Err(Failure::bad_input(format!(
            "{name}: belongs to another run, {what} differs; repeat its command, or leave out --resume to begin anew"
        )));
    }
    let parsed = lines
        .enumerate()
        .map(|(k, line)| {
            serde_json::from_slice(line)
                .map_err(|error| Failure::bad_input(format!("{name}: line {}: {error}", k + 2)))
        })
        .collect::<Result<Vec<Found>, Failure>>()?;
    Ok((parsed, whole.len() as u64))
}

#[cfg(test)]
mod tests {
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
        }
    }

    #[test]
    fn a_torn_last_line_is_as_if_it_had_not_been_written() {
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
