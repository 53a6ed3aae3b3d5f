//! `cargo xtask web`: the page of `leyden explore`, built from `web/` into the archive that the binary holds.
#![allow(clippy::print_stdout)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ci::finished;
use crate::{Outcome, root};

/// The archive that `leyden-explore` includes.
const PAGE: &str = "crates/leyden-explore/page.zip";
/// The place of a page that is only compared.
const COMPARED: &str = "target/web/page.zip";

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
