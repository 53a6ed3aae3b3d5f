//! One cell of the matrix: a command on a form, and its end.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::Outcome;

/// The longest time of a command. One that takes longer hangs.
const LONGEST: Duration = Duration::from_secs(120);

/// The binary, kept away from the user's cache and store.
pub(super) struct Leyden {
    pub(super) binary: PathBuf,
    /// An empty cache: the matrix needs no network.
    pub(super) cache: PathBuf,
}

/// The end of a command.
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Leyden {
    /// Runs the command in a directory, until it ends or hangs.
    pub(super) fn run(&self, dir: &Path, args: &[&str]) -> Result<Ended, Box<dyn Error>> {
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| dir.join(format!(".{name}")));
        let mut command = Command::new(&self.binary);
        command
            .args(args)
            .current_dir(dir)
            .env("LEYDEN_CACHE", &self.cache)
            .env("LEYDEN_STORE", dir.join("own.db"))
            .env("PIP_NO_INDEX", "1")
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?);
        let mut child = command.spawn()?;
        let started = Instant::now();
        let code = loop {
            if let Some(status) = child.try_wait()? {
                break status.code();
            }
            if started.elapsed() > LONGEST {
                child.kill()?;
                child.wait()?;
                return Err(format!("`leyden {}` hangs", args.join(" ")).into());
            }
            sleep(Duration::from_millis(2));
        };
        let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into());
        Ok(Ended {
            code,
            stdout: text(&stdout)?,
            stderr: text(&stderr)?,
        })
    }

    /// Runs a command that has to work.
    pub(super) fn must(&self, dir: &Path, args: &[&str]) -> Outcome {
        let ended = self.run(dir, args)?;
        if ended.code == Some(0) {
            return Ok(());
        }
        Err(format!("`leyden {}`: {}", args.join(" "), ended.stderr).into())
    }
}

/// Evidence that a command did its work and was not silently empty.
#[derive(Clone, Copy)]
pub(super) enum Evidence {
    /// Standard output is JSON with a positive number, or a list of something, at this pointer.
    Json(&'static str),
    /// Standard output contains this text.
    Says(&'static str),
    /// This file is not empty.
    File(&'static str),
}

impl Evidence {
    fn is_in(self, ended: &Ended, dir: &Path) -> bool {
        match self {
            Evidence::Json(pointer) => {
                let json: Json = serde_json::from_str(&ended.stdout).unwrap_or_default();
                json.pointer(pointer).is_some_and(is_something)
            }
            Evidence::Says(words) => ended.stdout.contains(words),
            Evidence::File(name) => {
                fs::metadata(dir.join(name)).is_ok_and(|metadata| metadata.len() > 0)
            }
        }
    }
}

fn is_something(json: &Json) -> bool {
    match json {
        Json::Number(number) => number.as_f64().is_some_and(|number| number > 0.0),
        Json::Array(items) => !items.is_empty(),
        Json::Object(entries) => !entries.is_empty(),
        _ => false,
    }
}

/// The content of a cell of the page.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Found {
    Works,
    /// The command has nothing to do, and a note gives the reason.
    Notes(String),
    /// The command refuses with this sentence.
    Refuses(String),
}

/// Judges the end of a command. It must work with evidence, note why it has nothing to do, or
/// refuse in one clear sentence; any other end is an error.
pub(super) fn judge(ended: &Ended, dir: &Path, evidence: Evidence) -> Result<Found, String> {
    let complaint = |what: &str| {
        let (out, err) = (ended.stdout.trim_end(), ended.stderr.trim_end());
        Err(format!("{what}\n{out}\n{err}"))
    };
    if ended.stderr.contains("panicked") {
        return complaint("it panics");
    }
    match ended.code {
        Some(0) if evidence.is_in(ended, dir) => Ok(Found::Works),
        Some(0) => match after("note: ", &ended.stderr) {
            Some(note) => Ok(Found::Notes(note)),
            None => complaint("it ends well but shows nothing for it"),
        },
        Some(2) if !ended.stdout.is_empty() => complaint("it refuses after it printed something"),
        Some(2) => match after("error: ", &ended.stderr) {
            Some(sentence) => Ok(Found::Refuses(sentence)),
            None => complaint("it refuses without a clear sentence"),
        },
        code => complaint(&format!("it ends with exit code {code:?}")),
    }
}

/// The line that begins with this word, if text follows the word.
fn after(word: &str, stderr: &str) -> Option<String> {
    let (_, rest) = stderr.split_once(word)?;
    let line = rest.lines().next()?.trim();
    (line.len() > 15).then(|| line.to_owned())
}
