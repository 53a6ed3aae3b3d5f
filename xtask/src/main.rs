//! Chores of the project.
//!
//! - `cargo xtask docs` writes the generated documents and the device's numbers; with `--check` it
//!   only compares them.
//! - `cargo xtask book` makes a site of all documents.
//! - `cargo xtask web` builds the page of `leyden explore`; `--check` only compares it, `--test` walks
//!   through it in a browser, `--pictures` takes the pictures of docs/explore.md, `--figures` measures.
//! - `cargo xtask tidy` checks files, links and dependencies.
//! - `cargo xtask matrix` tries every command on every dialect and form of program file.
//! - `cargo xtask hands` checks that nothing was made from evaluation tasks.
//! - `cargo xtask readers` opens exported profiles in their programs.
//! - `cargo xtask ci` runs every check, `cargo xtask test` the quick tests of everyday work.
//! - `cargo xtask package` packs every crate that can be published and builds it from its package.
//! - `cargo xtask python` tests the Python package and `cargo xtask wheel` builds it.
//! - `cargo xtask bench` and `cargo xtask bench-compare` measure.
//! - `cargo xtask profile-of-leyden` writes docs/profile-of-leyden.md.

mod baseline;
mod bench;
mod book;
mod ci;
mod hands;
mod licence;
mod links;
mod matrix;
mod old_tables;
mod package;
mod picture;
mod public;
mod tidy;
mod web;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask docs [--check] | web [--check | --test | --pictures | --figures] | book | tidy | matrix [--write] | readers | hands | ci | test [TEST OPTIONS] | package | python [PYTEST OPTIONS] | wheel [DIR] | bench [--help] | bench-compare [--help] | profile-of-leyden --solvers FILE";

/// The files that `cargo xtask docs` writes: each file, and the function that makes its
/// content.
type Generated = (&'static str, fn() -> Result<Vec<u8>, Box<dyn Error>>);
const GENERATED: [Generated; 5] = [
    ("docs/primitives.md", || {
        printed(&["-p", "leyden", "--", "primitives", "--format", "md"])
    }),
    ("docs/commands.md", || {
        printed(&["-p", "leyden", "--", "options", "--format", "md"])
    }),
    ("docs/explore-api.md", || {
        printed(&["-p", "leyden", "--", "options", "--api"])
    }),
    ("crates/leyden-gpu/kernels/interpreter/1_wire.cl", || {
        printed(&["-p", "leyden-gpu", "--example", "wire"])
    }),
    (picture::PICTURE, picture::draw),
];

/// The result of a chore.
type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["docs"] => GENERATED.iter().try_for_each(write),
        ["docs", "--check"] => GENERATED.iter().try_for_each(check),
        ["web"] => web::write(),
        ["web", "--check"] => web::check(),
        ["web", "--test"] => web::test(),
        ["web", "--pictures"] => web::pictures(),
        ["web", "--figures"] => web::figures(),
        ["book"] => book::run(),
        ["tidy"] => tidy::run(),
        ["matrix", args @ ..] => matrix::run(args),
        ["readers"] => ci::readers(),
        ["hands"] => hands::run(),
        ["ci"] => ci::run(),
        ["test", args @ ..] => ci::everyday_tests(args),
        ["package"] => package::crates(),
        ["python", args @ ..] => package::test(args),
        ["wheel", args @ ..] => package::wheel(args),
        ["bench", args @ ..] => bench::run(args),
        ["bench-compare", args @ ..] => bench::compare(args),
        ["profile-of-leyden", args @ ..] => old_tables::run(args),
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&*error),
    }
}

#[allow(clippy::print_stderr)]
fn fail(error: &dyn Error) -> ExitCode {
    eprintln!("{error}");
    ExitCode::FAILURE
}

/// Makes a file from the output of one of the programs of this repository, so that both have one source.
fn printed(options: &[&str]) -> Result<Vec<u8>, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    let output = command
        .args(["run", "--quiet"])
        .args(options)
        .current_dir(root())
        .stderr(std::process::Stdio::inherit())
        .output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(format!("`cargo run {}` failed", options.join(" ")).into())
    }
}

fn write((name, content): &Generated) -> Outcome {
    let (path, content) = (root().join(name), content()?);
    let temporary = path.with_extension("new");
    fs::write(&temporary, content)?;
    Ok(fs::rename(&temporary, &path)?)
}

fn check((name, content): &Generated) -> Outcome {
    let found = fs::read(root().join(name)).unwrap_or_default();
    if found != content()? {
        return Err(format!("{name} is stale; `cargo xtask docs` writes it again").into());
    }
    Ok(())
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
