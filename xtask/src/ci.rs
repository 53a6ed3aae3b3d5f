//! `cargo xtask ci`: every check, one after the other, with a summary at the end.
//!
//! The checks on public material need packages from PyPI. Without these packages they are skipped,
//! and the summary lists them; with `LEYDEN_TEST_NETWORK=1` that is a failure.
#![allow(clippy::print_stdout)]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::{Outcome, hands, matrix, package, public, root, tidy, web};

/// The result of a check.
enum Verdict {
    Passed,
    Failed(String),
    Skipped,
}

struct Report {
    name: &'static str,
    verdict: Verdict,
    seconds: f64,
}

struct Run {
    reports: Vec<Report>,
}

/// Runs all checks; returns an error if any failed.
pub(crate) fn run() -> Outcome {
    let mut run = Run {
        reports: Vec::new(),
    };
    run.step("fmt", || cargo(&["fmt", "--all", "--check"]));
    run.step("tidy", tidy::run);
    run.step("clippy", || {
        cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ])
    });
    run.step("build", || cargo(&["build", "--package", "leyden"]));
    let is_online = run.fetch();
    run.step("test", || test(is_online));
    run.step("devices", devices);
    run.step_if(is_online, "ptx", ptx);
    run.step("docs", fresh_docs);
    run.step("matrix", || matrix::run(&[]));
    run.step_if(is_online, "clean hands", hands::clean);
    run.step_if(is_online, "public programs", public::programs);
    run.step_if(is_online, "cross-run slice", public::cross_runs);
    run.step_if(is_online, "readers", readers);
    run.step_if(is_online, "page", page);
    run.step_if(is_online, "python", || package::test(&[]));
    run.finish()
}

impl Run {
    fn step(&mut self, name: &'static str, check: impl FnOnce() -> Outcome) -> bool {
        println!("\n== {name}");
        let started = Instant::now();
        let outcome = check();
        let seconds = started.elapsed().as_secs_f64();
        let verdict = outcome.map_or_else(
            |error| Verdict::Failed(error.to_string()),
            |()| Verdict::Passed,
        );
        if let Verdict::Failed(error) = &verdict {
            println!("{error}");
        }
        let passed = matches!(verdict, Verdict::Passed);
        self.reports.push(Report {
            name,
            verdict,
            seconds,
        });
        passed
    }

    /// Fetches the public material into an empty cache. Without a network this is not a failure,
    /// unless `LEYDEN_TEST_NETWORK=1` promises one.
    fn fetch(&mut self) -> bool {
        let is_online = self.step("get", || leyden(&["get"], true));
        let is_promised = std::env::var_os("LEYDEN_TEST_NETWORK").is_some_and(|value| value == "1");
        if let Some(report) = self.reports.last_mut()
            && !is_online
            && !is_promised
        {
            report.verdict = Verdict::Skipped;
        }
        is_online
    }

    fn step_if(&mut self, is_possible: bool, name: &'static str, check: impl FnOnce() -> Outcome) {
        if is_possible {
            self.step(name, check);
        } else {
            self.reports.push(Report {
                name,
                verdict: Verdict::Skipped,
                seconds: 0.0,
            });
        }
    }

    fn finish(self) -> Outcome {
        println!("\n== summary");
        for Report {
            name,
            verdict,
            seconds,
        } in &self.reports
        {
            let word = match verdict {
                Verdict::Passed => "ok",
                Verdict::Failed(_) => "FAILED",
                Verdict::Skipped => "skipped: the public packages could not be fetched",
            };
            println!("{name:<16} {seconds:>6.1} s  {word}");
        }
        let failed = self
            .reports
            .iter()
            .filter(|report| matches!(report.verdict, Verdict::Failed(_)));
        match failed.count() {
            0 => Ok(()),
            n => Err(format!("{n} of {} checks failed", self.reports.len()).into()),
        }
    }
}

fn test(is_online: bool) -> Outcome {
    let mut command = cargo_command(&["test", "--workspace", "--no-fail-fast"]);
    if is_online {
        // README.md begins with public data.
        command.env("LEYDEN_CACHE", absolute(&cache())?);
    } else {
        command.env_remove("LEYDEN_TEST_NETWORK");
    }
    finished(command)
}

/// The tests of everyday work: unit tests of every crate, and the commands as a user runs them.
/// `ci` adds vectors, bombs, kills, public programs, devices and Python.
pub(crate) fn everyday_tests(args: &[&str]) -> Outcome {
    let which = ["test", "--workspace", "--lib", "--bins", "--test=cli", "--"];
    cargo(&[&which[..], args].concat())
}

/// Builds the page again, and walks through it in a browser.
fn page() -> Outcome {
    web::check()?;
    web::test()
}

/// Checks the parts that only builds with devices have. The command names the whole workspace: for
/// a part of it, cargo would build the dependencies again with other features. Only the tests of
/// devices run again.
fn devices() -> Outcome {
    const WITH: [&str; 2] = [
        "--workspace",
        "--features=leyden/opencl,leyden/cuda,leyden-gpu/opencl,leyden-gpu/cuda",
    ];
    let run = |command: &str, args: &[&str]| cargo(&[&[command], &WITH[..], args].concat());
    run("clippy", &["--all-targets", "--", "-D", "warnings"])?;
    run(
        "test",
        &[
            "--test=device",
            "--test=cuda",
            "--test=device_vectors",
            "--test=share",
        ],
    )?;
    run("test", &["--test=cli", "--", "gpu", "backend"])
}

/// Checks that PTX and cubins fit the kernel's text, and that the assembler accepts the PTX.
fn ptx() -> Outcome {
    let packages = scratch().join("cuda");
    let args = [
        "--check".as_ref(),
        "--packages".as_ref(),
        packages.as_os_str(),
    ];
    python("make_ptx.py", &args)
}

/// Runs in a separate process, so that it builds with the environment of the other checks.
fn fresh_docs() -> Outcome {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["docs", "--check"])
        .env("LEYDEN_TEST_NETWORK", "1");
    finished(command)
}

/// Opens every form of a profile in its program.
pub(crate) fn readers() -> Outcome {
    let (files, modules) = (scratch().join("readers"), scratch().join("node"));
    let mut command = cargo_command(&["run", "--quiet", "--package", "leyden-profile"]);
    command.args(["--example", "made_up", "--"]).arg(&files);
    finished(command)?;
    let args = [files.as_os_str(), "--modules".as_ref(), modules.as_os_str()];
    python("check_readers.py", &args)
}

/// The directory for the files of this run: the cache, and the output of programs.
pub(crate) fn scratch() -> PathBuf {
    target().join("ci")
}

/// The directory of everything that is built.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The cache of the checks, separate from the user's.
pub(crate) fn cache() -> PathBuf {
    scratch().join("cache")
}

/// Runs the command with the checks' own cache, and empties it first if requested.
pub(crate) fn leyden(args: &[&str], with_empty_cache: bool) -> Outcome {
    if with_empty_cache {
        _ = fs::remove_dir_all(cache());
    }
    fs::create_dir_all(cache())?;
    let mut command = cargo_command(&["run", "--quiet", "--package", "leyden", "--"]);
    command.args(args).env("LEYDEN_CACHE", absolute(&cache())?);
    finished(command)
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf, std::io::Error> {
    std::path::absolute(path)
}

/// Runs one of the project's Python tools.
pub(crate) fn python(tool: &str, args: &[&OsStr]) -> Outcome {
    let mut command = Command::new("python3");
    command
        .arg("-B")
        .arg(root().join("tools").join(tool))
        .args(args)
        .current_dir(root());
    finished(command)
}

fn cargo(args: &[&str]) -> Outcome {
    finished(cargo_command(args))
}

/// Makes a cargo command with one environment for all: another value would build everything again.
pub(crate) fn cargo_command(args: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(args)
        .current_dir(root())
        .env("LEYDEN_TEST_NETWORK", "1");
    command
}

pub(crate) fn finished(mut command: Command) -> Outcome {
    let status = command.status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?} ended with {status}").into())
    }
}
