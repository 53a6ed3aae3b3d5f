//! The ways in which a command can fail, with their exit codes.

use std::io::{self, Write};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use leyden_exec::Shortage;
use leyden_profile::table::visible;
use leyden_store::fetch::FetchError;
use leyden_store::library::LibraryError;
use leyden_store::{StoreError, io_words};

use crate::output::{only_colours, print, remark};
use crate::programs::neighbour;
use crate::stop;

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input or the usage is wrong.
    BadInput(anyhow::Error),
    /// The input is wrong, and the text shows where, over several lines.
    Diagnosed(String),
    /// The command line asks for help, or makes no sense.
    Usage(clap::Error),
    /// Something else failed.
    Other(anyhow::Error),
    /// A device that the user asked for is not available.
    NoDevice(String),
    /// The user pressed Ctrl-C, or the system ends the process. The text tells how far the command
    /// got.
    Stopped(String),
    /// The reader of the output is gone.
    BrokenPipe,
}

/// Runs a command. A shortage of memory or threads is a failure like others, not a bug.
pub(crate) fn or_shortage(run: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    // No value that the panic interrupted is used again.
    let ended = std::panic::catch_unwind(AssertUnwindSafe(run));
    ended.unwrap_or_else(|panic| match Shortage::of(&*panic) {
        Some(shortage) => Err(Failure::Other(shortage.into())),
        None => std::panic::resume_unwind(panic),
    })
}

/// Silences panics that are shortages: one sentence reports them later.
pub(crate) fn keep_shortages_quiet() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if Shortage::of(panic.payload()).is_none() {
            loud(panic);
        }
    }));
}

impl Failure {
    pub(crate) fn bad_input(message: impl Into<String>) -> Failure {
        Failure::BadInput(anyhow::Error::msg(message.into()))
    }

    /// The system's error about a file.
    pub(crate) fn system(path: &Path, error: &io::Error) -> Failure {
        let message = format!("{}: {}", path.display(), io_words(error));
        Failure::Other(anyhow::Error::msg(message))
    }

    /// The failure to read the input of a command that reads to its end.
    pub(crate) fn reading(error: &io::Error) -> Failure {
        let message = format!("cannot read the input: {}", io_words(error));
        Failure::Other(anyhow::Error::msg(message))
    }

    /// The failure to write something.
    pub(crate) fn writing(error: StoreError) -> Failure {
        Failure::Other(error.into())
    }

    /// Prints the error; gives the exit code.
    pub(crate) fn report(self) -> u8 {
        if let Failure::Usage(usage) = &self {
            return print_usage(usage);
        }
        let (message, code) = self.in_words();
        // Standard error is gone, so there is no place left for an error about it.
        let _ = anstream::stderr().write_all(only_colours(&message).as_bytes());
        code
    }

    /// The message and the exit code.
    pub(crate) fn in_words(self) -> (String, u8) {
        match self {
            Failure::BadInput(error) => (in_one_line(&error), 2),
            Failure::Diagnosed(text) => (text, 2),
            Failure::Usage(usage) => (usage.render().to_string(), exit_code(&usage)),
            Failure::Other(error) => (in_one_line(&error), 1),
            Failure::NoDevice(reason) => (in_one_line(&anyhow::Error::msg(reason)), 3),
            Failure::Stopped(progress) => {
                (format!("leyden: stopped: {progress}\n"), stop::exit_code())
            }
            Failure::BrokenPipe => (String::new(), 0),
        }
    }
}

/// Help is a result like others: if it cannot be written, the command fails.
fn print_usage(usage: &clap::Error) -> u8 {
    let text = usage.render().ansi().to_string();
    if usage.use_stderr() {
        remark(&text);
        return exit_code(usage);
    }
    match print(&text) {
        Ok(()) => exit_code(usage),
        Err(failure) => failure.report(),
    }
}

fn exit_code(usage: &clap::Error) -> u8 {
    u8::try_from(usage.exit_code()).unwrap_or(2)
}

fn in_one_line(error: &anyhow::Error) -> String {
    let red = anstyle::AnsiColor::Red.on_default().bold();
    let message = sentence(error);
    format!("{red}error:{red:#} {}\n", visible(&message))
}

/// An error with its causes, each once: many errors quote their cause.
fn sentence(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if said.is_empty() {
            said = cause;
        } else if !said.ends_with(&cause) {
            said += &format!(": {cause}");
        }
    }
    said
}

/// A missing file may be a typing error, so the message names a file with a similar name.
#[cfg(any(feature = "opencl", feature = "cuda"))]
impl From<leyden_gpu::GpuError> for Failure {
    fn from(error: leyden_gpu::GpuError) -> Failure {
        Failure::NoDevice(error.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let missing = match &error {
            StoreError::NotFound { spec } => Some(PathBuf::from(spec)),
            StoreError::Io { path, cause } if cause.kind() == io::ErrorKind::NotFound => {
                Some(path.clone())
            }
            _ => None,
        };
        let near = missing.and_then(|path| Some((neighbour(&path)?, path)));
        match near {
            Some((near, path)) => Failure::bad_input(format!(
                "{}: there is no such file or directory; did you mean {near}?",
                path.display()
            )),
            None => Failure::BadInput(error.into()),
        }
    }
}

/// Failures of the system or of another process are not mistakes of the input.
impl From<LibraryError> for Failure {
    fn from(error: LibraryError) -> Failure {
        match error {
            // A path that leads nowhere is the user's mistake, as for data.
            LibraryError::Io { ref cause, .. } if is_bad_path(cause) => {
                Failure::BadInput(error.into())
            }
            LibraryError::Io { .. }
            | LibraryError::Busy { .. }
            | LibraryError::Full { .. }
            | LibraryError::NotCompacted { .. }
            | LibraryError::NotCopied { .. }
            | LibraryError::Sql { .. } => Failure::Other(error.into()),
            _ => Failure::BadInput(error.into()),
        }
    }
}

fn is_bad_path(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Failure {
        Failure::Other(error.into())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => {
                let message = format!("cannot write the output: {}", io_words(&error));
                Failure::Other(anyhow::Error::msg(message))
            }
        }
    }
}

/// The known name closest to a mistyped one.
pub(crate) fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let tolerated = (name.chars().count() / 3).clamp(1, 3);
    let distance = |known: &'a str| (strsim::damerau_levenshtein(name, known), known);
    known
        .map(distance)
        .filter(|(mistakes, _)| *mistakes <= tolerated)
        .min()
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_understood() {
        let known = || ["objects", "object", "paint"].into_iter();
        assert_eq!(closest("objcts", known()), Some("objects"));
        assert_eq!(closest("piant", known()), Some("paint"));
        assert_eq!(closest("zzz", known()), None);
    }
}
