//! Chores of the project: `cargo xtask docs` writes the generated documents, with `--check` it
//! only says whether they are fresh; `cargo xtask tidy` looks through files and dependencies;
//! `cargo xtask matrix` tries every command on every dialect and form of program file;
//! `cargo xtask readers` opens exported profiles in the programs they are meant for;
//! `cargo xtask ci` runs every check there is, `cargo xtask test` the quick tests of everyday work;
//! `cargo xtask package` packs every crate that can be published and builds it from its package; `cargo xtask python` tests the Python package and
//! `cargo xtask wheel` builds it; `cargo xtask bench` and `cargo xtask bench-compare`
//! measure; `cargo xtask profile-of-leyden` writes docs/profile-of-leyden.md.

mod baseline;
mod bench;
mod ci;
mod licence;
mod matrix;
mod old_tables;
mod package;
mod public;
mod tidy;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask docs [--check] | tidy | matrix [--write] | readers | ci | test [TEST OPTIONS] | package | python [PYTEST OPTIONS] | wheel [DIR] | bench [--help] | bench-compare [--help] | profile-of-leyden --solvers FILE";

/// The generated documents, each with the command that prints it.
const PAGES: [(&str, &[&str]); 2] = [
    ("docs/primitives.md", &["primitives", "--format", "md"]),
    ("docs/commands.md", &["options", "--format", "md"]),
];

/// How a chore ends.
type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match args.as_slice() {
        ["docs"] => write_pages(),
        ["docs", "--check"] => check_pages(),
        ["tidy"] => tidy::run(),
        ["matrix", args @ ..] => matrix::run(args),
        ["readers"] => ci::readers(),
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

/// A page is what a command prints, so that there is one source for both.
fn page(options: &[&str]) -> Result<Vec<u8>, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", "leyden", "--"]);
    let output = command
        .args(options)
        .current_dir(root())
        .stderr(std::process::Stdio::inherit())
        .output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(format!("`leyden {}` failed", options.join(" ")).into())
    }
}

fn write_pages() -> Outcome {
    fs::create_dir_all(root().join("docs"))?;
    for (name, options) in PAGES {
        let path = root().join(name);
        let temporary = path.with_extension("md.new");
        fs::write(&temporary, page(options)?)?;
        fs::rename(&temporary, &path)?;
    }
    Ok(())
}

fn check_pages() -> Outcome {
    for (name, options) in PAGES {
        let found = fs::read(root().join(name)).unwrap_or_default();
        if found != page(options)? {
            return Err(format!("{name} is stale; `cargo xtask docs` makes it anew").into());
        }
    }
    Ok(())
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
