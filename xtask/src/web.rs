//! `cargo xtask web`: the page of `leyden explore`, built from `web/` into the archive that the binary
//! holds, and its tests in a browser.
#![allow(clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ci::{absolute, cargo_command, finished, target};
use crate::{Outcome, root};

/// The archive that `leyden-explore` includes.
const PAGE: &str = "crates/leyden-explore/page.zip";
/// The place of a page that is only compared.
const COMPARED: &str = "target/web/page.zip";
/// The pictures of docs/explore.md.
const PICTURES: &str = "docs/pictures";

/// Builds the page. The build fails if the page is larger than its budget.
pub(crate) fn write() -> Outcome {
    build(&root().join(PAGE))
}

/// Builds the page again and compares bytes.
pub(crate) fn check() -> Outcome {
    let made = root().join(COMPARED);
    fs::create_dir_all(made.parent().unwrap_or(Path::new(".")))?;
    build(&made)?;
    if fs::read(&made)? == fs::read(root().join(PAGE))? {
        return Ok(());
    }
    Err(format!("{PAGE} is stale; `cargo xtask web` writes it again").into())
}

/// Walks through every screen in Chromium, with the binary that stands there after a build.
pub(crate) fn test() -> Outcome {
    install()?;
    let mut command = Command::new("node");
    command
        .args(["--test", "--test-concurrency=1"])
        .args(tests()?);
    finished(in_browser(command)?)
}

fn tests() -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
    let all = fs::read_dir(web().join("tests"))?.map(|entry| Ok(entry?.path()));
    let mut all: Vec<PathBuf> = all.collect::<Result<_, std::io::Error>>()?;
    all.retain(|path| path.to_string_lossy().ends_with(".test.mjs"));
    all.sort();
    Ok(all)
}

/// Takes the pictures of docs/explore.md.
pub(crate) fn pictures() -> Outcome {
    install()?;
    let mut command = Command::new("node");
    command.arg("tests/pictures.mjs").arg(root().join(PICTURES));
    finished(in_browser(command)?)
}

/// Measures the page: the gallery, and the time from key strokes to verdicts.
pub(crate) fn figures() -> Outcome {
    install()?;
    let mut command = Command::new("node");
    command.arg("tests/figures.mjs");
    finished(in_browser(command)?)
}

fn in_browser(mut command: Command) -> Result<Command, Box<dyn std::error::Error>> {
    let binary = std::env::var_os("LEYDEN").map_or_else(built, |path| Ok(path.into()))?;
    command.current_dir(web()).env("LEYDEN", binary);
    Ok(command)
}

/// Builds the command and gives its place.
fn built() -> Result<PathBuf, Box<dyn std::error::Error>> {
    finished(cargo_command(&["build", "--package", "leyden"]))?;
    Ok(absolute(&target().join("debug/leyden"))?)
}

fn build(page: &Path) -> Outcome {
    install()?;
    finished(npm(&["run", "--silent", "check"]))?;
    let mut command = Command::new("node");
    command.arg("build.mjs").arg(page).current_dir(web());
    finished(command)
}

/// Installs the packages of the lock file, unless they are there.
fn install() -> Outcome {
    let kept = web().join("node_modules/.leyden-lock");
    let lock = fs::read(web().join("package-lock.json"))?;
    if fs::read(&kept).is_ok_and(|it| it == lock) {
        return Ok(());
    }
    finished(npm(&["ci", "--silent"]))?;
    Ok(fs::write(kept, lock)?)
}

fn npm(args: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(args).current_dir(web());
    command
}

fn web() -> PathBuf {
    root().join("web")
}
