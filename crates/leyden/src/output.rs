//! Writes results to standard output, or to a file that appears whole or not at all.

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use leyden_profile::table::visible;
use leyden_store::temporary::{NewFile, directory_of};
use leyden_store::write_atomic;

use crate::failure::Failure;

static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Silences standard output and standard error until the end of the process, which belongs to a
/// host.
pub(crate) fn be_silent() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

/// Does the process belong to a host?
pub(crate) fn is_silent() -> bool {
    IS_SILENT.load(Ordering::Relaxed)
}

/// The meaning of `-` or a path on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Stdout,
    File(PathBuf),
}

impl Target {
    pub(crate) fn new(path: PathBuf) -> Target {
        if path.as_os_str() == "-" {
            Target::Stdout
        } else {
            Target::File(path)
        }
    }

    /// Finds early the errors that would otherwise come late.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let Target::File(path) = self else {
            return Ok(());
        };
        if path.is_dir() {
            return Err(Failure::bad_input(format!(
                "{}: this is a directory; expected the name of a file to write",
                path.display()
            )));
        }
        let directory = directory_of(path);
        if directory.is_dir() {
            return Ok(());
        }
        let (file, directory) = (path.display(), directory.display());
        Err(Failure::bad_input(if directory_of(path).exists() {
            format!("{file}: {directory} is a file; expected a directory to write into")
        } else {
            format!("{file}: there is no directory {directory} to write into; `mkdir -p` makes it")
        }))
    }

    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        match self {
            Target::Stdout => write_stdout(text),
            Target::File(path) => write_atomic(path, text.as_bytes()).map_err(Failure::writing),
        }
    }

    /// Opens the target for a stream.
    pub(crate) fn open(&self) -> Result<Stream, Failure> {
        match self {
            Target::Stdout => Ok(Stream::Stdout(BufWriter::new(io::stdout()))),
            Target::File(path) => Stream::beside(path),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Stdout => f.write_str("standard output"),
            Target::File(path) => path.display().fmt(f),
        }
    }
}

/// Writes text unchanged.
pub(crate) fn write_stdout(text: &str) -> Result<(), Failure> {
    if is_silent() {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Writes text, without its colours if the stream cannot show them.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    if is_silent() {
        return Ok(());
    }
    let mut out = anstream::stdout().lock();
    out.write_all(only_colours(text).as_bytes())?;
    Ok(out.flush()?)
}

/// Writes a remark, with colours if the stream can show them.
pub(crate) fn remark(text: &str) {
    if is_silent() {
        return;
    }
    // A command does not fail because its standard error is closed.
    let _ = anstream::stderr().write_all(only_colours(text).as_bytes());
}

/// The text without control characters except colours: names of files, tasks and programs come from
/// outside and must not steer the terminal.
pub(crate) fn only_colours(text: &str) -> Cow<'_, str> {
    if !text.contains(|c: char| c.is_control() && c != '\n') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split('\u{1b}');
    let mut plain = visible(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        plain.push(if is_colour(part) { '\u{1b}' } else { '␛' });
        plain.push_str(&visible(part));
    }
    Cow::Owned(plain)
}

/// Does the text after an escape character choose a colour?
fn is_colour(rest: &str) -> bool {
    let rest = rest.strip_prefix('[');
    let end = rest.and_then(|rest| rest.find(|c: char| !c.is_ascii_digit() && c != ';'));
    rest.zip(end)
        .is_some_and(|(rest, end)| rest[end..].starts_with('m'))
}

/// A word as a shell reads it.
pub(crate) fn in_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=+,@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Writes a report. It goes to standard error if standard output is taken.
pub(crate) fn say(text: &str, is_stdout_taken: bool) -> Result<(), Failure> {
    if is_stdout_taken {
        remark(text);
        return Ok(());
    }
    print(text)
}

/// Output that is written piece by piece. A file gets its name only in [`Stream::finish`]. If the
/// stream is dropped before, the file vanishes.
pub(crate) enum Stream {
    Stdout(BufWriter<io::Stdout>),
    /// A device or pipe, which cannot be replaced.
    Direct(BufWriter<fs::File>),
    New(Box<BufWriter<NewFile>>, PathBuf),
}

impl Stream {
    fn beside(path: &Path) -> Result<Stream, Failure> {
        let opened = match fs::metadata(path) {
            Ok(found) if !found.is_file() => Stream::direct(path),
            _ => Stream::new_file(path),
        };
        opened.map_err(|error| Failure::system(path, &error))
    }

    fn direct(path: &Path) -> io::Result<Stream> {
        let file = fs::OpenOptions::new().write(true).open(path)?;
        Ok(Stream::Direct(BufWriter::new(file)))
    }

    fn new_file(path: &Path) -> io::Result<Stream> {
        let file = NewFile::at(path)?;
        let writer = BufWriter::with_capacity(1 << 16, file);
        Ok(Stream::New(Box::new(writer), path.to_owned()))
    }

    /// Writes the rest and gives the file its name.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        let Stream::New(writer, path) = self else {
            return Ok(());
        };
        let file = writer
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.finish()
            .map_err(|error| Failure::system(&path, &error))
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Stream::Stdout(writer) => writer,
            Stream::Direct(writer) => writer,
            Stream::New(writer, _) => writer,
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_stay_and_other_escapes_become_visible() {
        let text = "\u{1b}[1;31merror\u{1b}[0m \u{1b}[2J\u{1b}]0;title\u{7}\r\n";
        let shown = "\u{1b}[1;31merror\u{1b}[0m ␛[2J␛]0;title␇␍\n";
        assert_eq!(only_colours(text), shown);
        assert_eq!(only_colours("\u{1b}"), "␛");
        assert_eq!(only_colours("plain\n"), "plain\n");
    }

    #[test]
    fn a_stream_that_is_dropped_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let target = Target::new(dir.path().join("out.jsonl"));
        let mut stream = target.open().unwrap();
        stream.write_all(b"half a li").unwrap();
        drop(stream);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_finished_stream_is_the_file_and_nothing_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.jsonl");
        fs::write(&path, "old").unwrap();
        let mut stream = Target::new(path.clone()).open().unwrap();
        stream.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        stream.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn bad_targets_are_found_before_any_work() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Target::new(dir.path().to_owned()).check().is_err());
        assert!(Target::new(dir.path().join("none/out")).check().is_err());
        assert!(Target::new(dir.path().join("out")).check().is_ok());
        assert!(Target::new("-".into()).check().is_ok());
    }
}
