//! The errors for bad input, all in one file that people can read through.
//!
//! `tests/fixtures/bad_inputs.txt` has a command on each line that begins with `$`, and below it
//! the exit code and standard error. Each command runs in a fresh copy of the directory
//! `tests/fixtures/bad_inputs`. To add a case, add its `$` line; `LEYDEN_BLESS=1 cargo test -p
//! leyden --test cli bad_inputs` writes the answers.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Ran, Sandbox};

/// The number of cases that cover the ways in which input goes wrong.
const FEWEST_CASES: usize = 60;

#[test]
fn every_bad_input_gets_the_message_that_was_read_through() {
    let path = fixtures().join("bad_inputs.txt");
    let known = fs::read_to_string(&path).unwrap();
    let found = answer_all(&known);
    let n_cases = found.lines().filter(|line| line.starts_with("$ ")).count();
    assert!(n_cases >= FEWEST_CASES, "only {n_cases} cases");
    if std::env::var_os("LEYDEN_BLESS").is_some() {
        fs::write(&path, found).unwrap();
        return;
    }
    let differing = known.split("\n\n").zip(found.split("\n\n"));
    let first = differing.into_iter().find(|(known, found)| known != found);
    if let Some((known, found)) = first {
        panic!("known:\n{known}\n\nfound:\n{found}\n\nLEYDEN_BLESS=1 writes the file anew");
    }
    assert_eq!(known, found);
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The file with its headings and commands, and the present answers.
fn answer_all(known: &str) -> String {
    let kept = known
        .lines()
        .filter(|line| line.starts_with("# ") || line.starts_with("$ "));
    let sections = kept.map(|line| match line.strip_prefix("$ leyden") {
        Some(args) => format!("{line}\n{}", answer(args)),
        None => format!("{line}\n"),
    });
    sections.collect::<Vec<String>>().join("\n")
}

/// The exit code and standard error of a command. The command may not write a file beside its
/// inputs.
fn answer(args: &str) -> String {
    let sandbox = Sandbox::new();
    copy(&fixtures().join("bad_inputs"), &sandbox.path(""));
    let before = sandbox.names();
    // Two quotes stand for an empty argument.
    let args: Vec<&str> = args
        .split_whitespace()
        .map(|it| it.trim_matches('\''))
        .collect();
    let ran = sandbox.leyden(&args);
    assert_eq!(sandbox.names(), before, "{args:?} left a file");
    in_words(&sandbox, &args, &ran)
}

fn in_words(sandbox: &Sandbox, args: &[&str], ran: &Ran) -> String {
    assert_ne!(ran.code, 0, "{args:?} is taken for good: {}", ran.stdout);
    assert_eq!(ran.stdout, "", "{args:?} writes to standard output");
    let here = sandbox.0.path().display().to_string();
    let stderr = ran.stderr.replace(&here, "HERE");
    let text = format!("exit code {}\n{stderr}", ran.code);
    // An empty line would end the case.
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| format!("{line}\n")).collect()
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
