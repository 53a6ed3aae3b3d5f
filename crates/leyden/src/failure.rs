//! How a command can end other than well, and the exit code for it.

use std::io::{self, Write};

use leyden_profile::table::visible;
use leyden_store::StoreError;
use leyden_store::fetch::FetchError;
use leyden_store::library::LibraryError;

use crate::output::only_colours;

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input or the usage is wrong.
    BadInput(anyhow::Error),
    /// The input is wrong, and the text says where, over several lines.
    Diagnosed(String),
    /// The command line asks for help, or makes no sense.
    Usage(clap::Error),
    /// Something else failed.
    Other(anyhow::Error),
    /// A device that was asked for cannot be had.
    NoDevice(String),
    /// The user pressed Ctrl-C; how far it got.
    Stopped(String),
    /// Nobody reads the output any more.
    BrokenPipe,
}

impl Failure {
    pub(crate) fn bad_input(message: impl Into<String>) -> Failure {
        Failure::BadInput(anyhow::Error::msg(message.into()))
    }

    /// The failure to write something.
    pub(crate) fn writing(error: StoreError) -> Failure {
        Failure::Other(error.into())
    }

    /// Says what went wrong, and gives the exit code.
    pub(crate) fn report(self) -> u8 {
        if let Failure::Usage(usage) = &self {
            // Nor is there any place for this, then.
            let _ = usage.print();
            return exit_code(usage);
        }
        let (message, code) = self.in_words();
        // There is nowhere left to say that standard error is gone.
        let _ = anstream::stderr().write_all(only_colours(&message).as_bytes());
        code
    }

    /// What went wrong, and the exit code for it.
    pub(crate) fn in_words(self) -> (String, u8) {
        match self {
            Failure::BadInput(error) => (in_one_line(&error), 2),
            Failure::Diagnosed(text) => (text, 2),
            Failure::Usage(usage) => (usage.render().to_string(), exit_code(&usage)),
            Failure::Other(error) => (in_one_line(&error), 1),
            Failure::NoDevice(reason) => (in_one_line(&anyhow::Error::msg(reason)), 3),
            Failure::Stopped(progress) => (format!("leyden: stopped: {progress}\n"), 130),
            Failure::BrokenPipe => (String::new(), 0),
        }
    }
}

fn exit_code(usage: &clap::Error) -> u8 {
    u8::try_from(usage.exit_code()).unwrap_or(2)
}

fn in_one_line(error: &anyhow::Error) -> String {
    let red = anstyle::AnsiColor::Red.on_default().bold();
    let message = format!("{error:#}");
    format!("{red}error:{red:#} {}\n", visible(&message))
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::BadInput(error.into())
    }
}

/// What the system or another process does is no mistake of the input.
impl From<LibraryError> for Failure {
    fn from(error: LibraryError) -> Failure {
        match error {
            LibraryError::Io { .. }
            | LibraryError::Busy { .. }
            | LibraryError::Full { .. }
            | LibraryError::Sql { .. } => Failure::Other(error.into()),
            _ => Failure::BadInput(error.into()),
        }
    }
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
            _ => Failure::Other(error.into()),
        }
    }
}
