//! A file of JSON lines that a run adds to, and that stays whole on a full disk.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;

/// The lines of a file: those in the file, and those that wait because the file had no room.
pub(crate) struct Lines {
    pub(super) file: File,
    /// How many bytes of the file are whole lines.
    n_whole: u64,
    pub(super) waiting: Vec<u8>,
    /// The reason why they wait.
    pub(super) failure: Option<io::Error>,
}

impl Lines {
    /// Begins a file, or continues one behind its last whole line.
    pub(crate) fn open(path: &Path, continues: bool) -> io::Result<Lines> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let mut file = file.open(path)?;
        let n_whole = if continues {
            n_whole_bytes(&mut file)?
        } else {
            0
        };
        Lines::after(file, n_whole)
    }

    /// Starts after the first bytes of a file and cuts off the rest.
    pub(super) fn after(file: File, n_whole: u64) -> io::Result<Lines> {
        let mut lines = Lines {
            file,
            n_whole,
            waiting: Vec::new(),
            failure: None,
        };
        lines.take_back()?;
        Ok(lines)
    }

    /// Adds a line, or keeps it until there is room.
    pub(crate) fn add(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.waiting, value)?;
        self.waiting.push(b'\n');
        self.write()
    }

    /// Writes all waiting lines in one call, so that a kill leaves whole lines or a torn last one.
    fn write(&mut self) -> io::Result<()> {
        // An earlier attempt may have left bytes, which would become a part of this line.
        let written = self
            .take_back()
            .and_then(|()| self.file.write_all(&self.waiting));
        if let Err(error) = &written {
            self.failure = Some(io::Error::new(error.kind(), error.to_string()));
            // If this fails too, the next attempt begins with it.
            let _ = self.take_back();
            return written;
        }
        self.n_whole += self.waiting.len() as u64;
        self.waiting.clear();
        self.failure = None;
        Ok(())
    }

    /// Cuts off everything after the last whole line.
    fn take_back(&mut self) -> io::Result<()> {
        self.file.set_len(self.n_whole)?;
        self.file.seek(SeekFrom::Start(self.n_whole)).map(|_| ())
    }

    /// Tries a last time, then gives the reason why lines are missing.
    pub(crate) fn last_failure(&mut self) -> Option<io::Error> {
        // The attempt keeps its failure.
        let _ = self.write();
        self.failure.take()
    }
}

/// The number of bytes up to the end of the last whole line.
fn n_whole_bytes(file: &mut File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    let mut piece = [0; 4_096];
    while end > 0 {
        let begin = end.saturating_sub(piece.len() as u64);
        let piece = &mut piece[..(end - begin) as usize];
        file.seek(SeekFrom::Start(begin))?;
        file.read_exact(piece)?;
        if let Some(k) = piece.iter().rposition(|byte| *byte == b'\n') {
            return Ok(begin + k as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_continues_behind_its_last_whole_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        let long = "x".repeat(9_000);
        for (before, after) in [
            (String::new(), "7\n".to_owned()),
            ("torn".to_owned(), "7\n".to_owned()),
            ("1\n2\nto".to_owned(), "1\n2\n7\n".to_owned()),
            (format!("1\n{long}"), "1\n7\n".to_owned()),
        ] {
            fs::write(&path, &before).unwrap();
            Lines::open(&path, true).unwrap().add(&7).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), after);
        }
        Lines::open(&path, false).unwrap().add(&8).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "8\n");
    }
}
