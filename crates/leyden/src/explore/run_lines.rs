//! The journals of runs: whole lines as they come, and what they say.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use serde_json::Value;

/// A look takes at most this many bytes; the next one goes on there.
const MOST_BYTES: u64 = 8 << 20;
/// A line that is longer is passed over.
const MOST_OF_LINE: usize = 64 << 20;

/// The end of a file that grows.
pub(super) struct Tail {
    path: PathBuf,
    /// The bytes read so far.
    n_read: u64,
    /// The beginning of a line that is not whole yet.
    rest: Vec<u8>,
}

impl Tail {
    pub(super) fn of(path: PathBuf) -> Tail {
        Tail {
            path,
            n_read: 0,
            rest: Vec::new(),
        }
    }

    /// The whole lines that came since the last look. A file that is missing has none, and one that
    /// became shorter is read from its start.
    pub(super) fn lines(&mut self) -> Vec<String> {
        let Ok(mut file) = File::open(&self.path) else {
            return Vec::new();
        };
        let length = file.metadata().map_or(0, |data| data.len());
        if length < self.n_read {
            self.n_read = 0;
            self.rest.clear();
        }
        let mut bytes = Vec::new();
        let from = file.seek(SeekFrom::Start(self.n_read));
        let read = from.and_then(|_| file.take(MOST_BYTES).read_to_end(&mut bytes));
        if read.is_err() {
            return Vec::new();
        }
        self.n_read += bytes.len() as u64;
        self.rest.extend(bytes);
        if self.rest.len() > MOST_OF_LINE {
            self.rest.clear();
        }
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else {
            return Vec::new();
        };
        let whole: Vec<u8> = self.rest.drain(..=end).collect();
        let text = String::from_utf8_lossy(&whole);
        text.lines().map(str::to_owned).collect()
    }
}

/// A line of a journal.
pub(super) enum Line {
    /// A task that `solve` has finished.
    Task {
        task: String,
        fits: bool,
        source: String,
        program: String,
        /// The seconds that `solve` spent on the task.
        took: f64,
    },
    /// A round of `evolve`.
    Round { fitting: u64, rounds: u64 },
    /// A program that `evolve` has found for a task.
    Find {
        task: String,
        program: String,
        fits: bool,
    },
    /// Anything else.
    Other,
}

impl Line {
    pub(super) fn read(line: &str) -> Line {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        let found = task_of_solve(&value)
            .or_else(|| round_of_evolve(&value))
            .or_else(|| find_of_evolve(&value));
        found.unwrap_or(Line::Other)
    }

    /// The task that the line tells about.
    pub(super) fn task(&self) -> Option<&str> {
        match self {
            Line::Task { task, .. } | Line::Find { task, .. } => Some(task),
            Line::Round { .. } | Line::Other => None,
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn task_of_solve(value: &Value) -> Option<Line> {
    let best = value
        .get("answers")?
        .as_array()?
        .first()
        .map(|answers| &answers[0]);
    let reproduced = best.and_then(|best| best["demos_reproduced"].as_u64());
    let field = |name: &str| best.and_then(|best| text(&best[name])).unwrap_or_default();
    Some(Line::Task {
        task: text(&value["task"])?,
        fits: reproduced.is_some() && reproduced == value["demos"].as_u64(),
        source: field("source"),
        program: field("python"),
        took: value["wall_s"].as_f64().unwrap_or(0.0),
    })
}

fn round_of_evolve(value: &Value) -> Option<Line> {
    Some(Line::Round {
        rounds: value.get("round")?.as_u64()?,
        fitting: value.get("fitting")?.as_u64()?,
    })
}

fn find_of_evolve(value: &Value) -> Option<Line> {
    Some(Line::Find {
        task: text(value.get("task")?)?,
        program: text(value.get("program")?)?,
        fits: value["fits"].as_bool().unwrap_or(false),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn lines_come_when_they_are_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let mut tail = Tail::of(path.clone());
        assert!(tail.lines().is_empty());
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(tail.lines(), ["one"]);
        assert!(tail.lines().is_empty());
        file.write_all(b"o\nthree\n").unwrap();
        assert_eq!(tail.lines(), ["two", "three"]);
        file.set_len(4).unwrap();
        assert_eq!(tail.lines(), ["one"]);
    }

    #[test]
    fn a_finished_task_of_solve_is_understood() {
        let line = r#"{"task":"a1","demos":2,"wall_s":0.5,"answers":[[{"demos_reproduced":2,"source":"rule","python":"def f(I):"}]]}"#;
        let Line::Task {
            task, fits, source, ..
        } = Line::read(line)
        else {
            panic!("not a task");
        };
        assert_eq!((task.as_str(), fits, source.as_str()), ("a1", true, "rule"));
        assert!(matches!(Line::read("{\"format\":\"x\"}"), Line::Other));
        assert!(matches!(Line::read("torn {"), Line::Other));
    }
}
