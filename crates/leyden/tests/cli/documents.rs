//! Runs README.md and docs/tutorial.md as a reader would: every command in their `sh` and `console`
//! blocks, and compares the output with the `console` blocks. In all documents, every command in a
//! block has arguments that exist. (python/tests/test_api_docs.py runs the Python.)

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Ran, Sandbox};

/// Commands that only build or install, and the files of the project that they need. They take
/// minutes, so CI runs them in separate jobs.
const BUILDS: [(&str, &str); 4] = [
    ("cargo xtask ci", "xtask/src/ci.rs"),
    ("cargo xtask wheel", "xtask/src/package.rs"),
    (
        "cargo install --path crates/leyden",
        "crates/leyden/Cargo.toml",
    ),
    ("pip install .", "pyproject.toml"),
];
/// The replacement for `leyden` in a clone.
const FROM_A_CLONE: &str = "cargo run --release -- ";
const UNITS: [&str; 9] = ["ns", "µs", "ms", "s", "min", "/s", "k/s", "M/s", "G/s"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn document(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// A fenced block: its language and its lines.
struct Block<'a> {
    language: &'a str,
    lines: Vec<&'a str>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for line in page.lines() {
        let fence = line.trim_start().strip_prefix("```");
        if let Some(language) = fence {
            is_open = !is_open;
            if is_open {
                blocks.push(Block {
                    language,
                    lines: Vec::new(),
                });
            }
        } else if let (true, Some(block)) = (is_open, blocks.last_mut()) {
            block.lines.push(line);
        }
    }
    blocks
}

/// A command, and the output on the page if there is one.
struct Step<'a> {
    command: &'a str,
    shown: Option<Vec<&'a str>>,
}

impl<'a> Block<'a> {
    fn steps(&self) -> Vec<Step<'a>> {
        match self.language {
            "sh" => self.plain(),
            "console" => self.session(),
            _ => Vec::new(),
        }
    }

    fn plain(&self) -> Vec<Step<'a>> {
        let commands = self.lines.iter().map(|line| without_remark(line));
        let commands = commands.filter(|command| !command.is_empty());
        commands
            .map(|command| Step {
                command,
                shown: None,
            })
            .collect()
    }

    fn session(&self) -> Vec<Step<'a>> {
        let mut steps: Vec<Step> = Vec::new();
        for line in &self.lines {
            if let Some(command) = line.strip_prefix("$ ") {
                let shown = Some(Vec::new());
                steps.push(Step { command, shown });
            } else if let Some(shown) = steps.last_mut().and_then(|step| step.shown.as_mut()) {
                shown.push(line);
            }
        }
        steps
    }

    /// A Python file that begins with its name in a comment.
    fn file_name(&self) -> Option<&'a str> {
        let name = self.lines.first()?.strip_prefix("# ")?;
        (self.language == "python" && name.ends_with(".py")).then_some(name)
    }
}

fn without_remark(line: &str) -> &str {
    line.split_once(" #")
        .map_or(line, |(command, _)| command)
        .trim()
}

/// A reader's directory and shell, in which `leyden` is the command under test.
struct Reader {
    sandbox: Sandbox,
    is_online: bool,
}

impl Reader {
    fn new() -> Reader {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("bin")).unwrap();
        symlink(env!("CARGO_BIN_EXE_leyden"), sandbox.path("bin/leyden")).unwrap();
        let is_online = std::env::var_os("LEYDEN_TEST_NETWORK").is_some_and(|value| value == "1");
        Reader { sandbox, is_online }
    }

    /// Follows a page from top to bottom and returns the number of commands that ran.
    fn follow(&self, name: &str) -> usize {
        let page = document(name);
        let mut n_run = 0;
        for block in blocks(&page) {
            if let Some(file) = block.file_name() {
                self.sandbox.write(file, &(block.lines.join("\n") + "\n"));
            }
            let steps = block.steps();
            n_run += steps.iter().filter(|step| self.take(step, name)).count();
        }
        n_run
    }

    /// Runs a step and returns whether it ran. A step that fails or prints another output than the
    /// page ends the test.
    fn take(&self, step: &Step, page: &str) -> bool {
        if let Some((_, file)) = BUILDS.iter().find(|(command, _)| *command == step.command) {
            assert!(root().join(file).exists(), "{page}: {file} is missing");
            return false;
        }
        let command = step.command.replacen(FROM_A_CLONE, "leyden ", 1);
        let needs_network = needs_network(&command);
        if needs_network && !self.is_online {
            return false;
        }
        let ran = self.run(&command, needs_network);
        assert_eq!(ran.code, 0, "{page}: {command}\n{}", ran.stdout);
        if let Some(shown) = &step.shown {
            let said: Vec<&str> = ran.stdout.lines().collect();
            let is_shown = does_match(shown, &said);
            assert!(
                is_shown,
                "{page}: `{command}` says something else:\n{}",
                ran.stdout
            );
        }
        true
    }

    fn run(&self, command: &str, needs_network: bool) -> Ran {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = self.sandbox.path("bin");
        let path = std::iter::once(own).chain(std::env::split_paths(&path));
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("{{ {command}\n}} 2>&1"))
            .current_dir(self.sandbox.path(""))
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("LEYDEN_STORE", self.sandbox.path("library.db"));
        // Commands with a network use the user's cache, so that data is fetched once.
        if !needs_network {
            shell
                .env("LEYDEN_CACHE", self.sandbox.path("cache"))
                .env("PIP_NO_INDEX", "1");
        }
        Ran::of(shell.output().unwrap())
    }
}

/// Does the command fetch a public data set? `run` without a data set does.
fn needs_network(command: &str) -> bool {
    command.contains("arc1:") || command == "leyden run" || command == "leyden get"
}

/// Does the page show this output? A line `…` stands for any lines, `…` in a line for any text.
/// Spaces and times do not count.
fn does_match(shown: &[&str], said: &[&str]) -> bool {
    let Some((line, rest)) = shown.split_first() else {
        return said.iter().all(|line| line.trim().is_empty());
    };
    if line.trim() == "…" {
        return (0..=said.len()).any(|k| does_match(rest, &said[k..]));
    }
    let Some((first, others)) = said.split_first() else {
        return line.trim().is_empty() && does_match(rest, said);
    };
    does_line_match(&normal(line), &normal(first)) && does_match(rest, others)
}

fn does_line_match(shown: &str, said: &str) -> bool {
    let Some((head, tail)) = shown.split_once('…') else {
        return shown == said;
    };
    let tail = tail.trim_start();
    let Some(said) = said.strip_prefix(head.trim_end()) else {
        return false;
    };
    let starts = said.char_indices().map(|(k, _)| k).chain([said.len()]);
    tail.is_empty()
        || starts
            .into_iter()
            .any(|k| does_line_match(tail, &said[k..]))
}

/// The words with one space between them. Times and rates are replaced by a mark.
fn normal(line: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in line.split_whitespace() {
        let is_number = |word: &&str| word.chars().all(|c| c.is_ascii_digit() || ".,".contains(c));
        if UNITS.contains(&word.trim_end_matches(',')) && words.last().is_some_and(is_number) {
            words.pop();
            words.push("TIME");
        } else {
            words.push(word);
        }
    }
    words.join(" ")
}

#[test]
fn the_readme_is_true() {
    let reader = Reader::new();
    let expected = if reader.is_online { 3 } else { 1 };
    assert_eq!(reader.follow("README.md"), expected);
    assert!(document("README.md").lines().count() <= 150);
}

#[test]
fn the_tutorial_is_true() {
    let reader = Reader::new();
    assert_eq!(reader.follow("docs/tutorial.md"), 15);
    let left = ["found", "profile.html", "submission.json", "wrong.html"];
    assert!(left.iter().all(|name| reader.sandbox.path(name).exists()));
}

/// With `--help` at its end, a command checks its arguments and runs nothing. The old name of an
/// option works, but causes a note. A text may leave out the value of the last option.
#[test]
fn documents_use_options_that_exist() {
    let sandbox = Sandbox::new();
    let is_refused = |command: &String| {
        let mut args = words(command);
        args.push("--help".into());
        let ran = sandbox.leyden(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let is_fine = ran.stderr.is_empty() || ran.stderr.contains("a value is required");
        (!is_fine).then_some(ran.stderr)
    };
    let mut refused = Vec::new();
    let mut n_commands = 0;
    for name in guides() {
        let page = document(&name);
        let mut commands: Vec<String> = blocks(&page).iter().flat_map(own_commands).collect();
        commands.extend(spans(&page));
        n_commands += commands.len();
        let told = |command: &String| {
            Some(format!(
                "{name}: leyden {command}\n{}",
                is_refused(command)?
            ))
        };
        refused.extend(commands.iter().filter_map(told));
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(n_commands > 100, "{n_commands} commands");
}

/// The documents with commands for the reader. (CHANGELOG.md has old names.)
fn guides() -> Vec<String> {
    let pages = fs::read_dir(root().join("docs")).unwrap();
    let names = pages.map(|page| page.unwrap().file_name().into_string().unwrap());
    let pages = names
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/{name}"));
    let others = ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(str::to_owned);
    others.into_iter().chain(pages).collect()
}

/// The simple commands of a block: those before and after `&&` and `|`, without redirections.
fn own_commands(block: &Block) -> Vec<String> {
    let steps = block.steps();
    let parts = steps.iter().flat_map(|step| step.command.split(" && "));
    let parts = parts
        .flat_map(|part| part.split(" | "))
        .filter_map(own_arguments);
    parts.map(str::to_owned).collect()
}

fn own_arguments(part: &str) -> Option<&str> {
    let args = without_remark(part).strip_prefix("leyden ")?;
    Some(
        args.split(" > ")
            .next()
            .unwrap_or(args)
            .trim_end_matches('\\')
            .trim(),
    )
}

/// The complete commands in running text: code that begins with `leyden` and has an option.
fn spans(page: &str) -> Vec<String> {
    let fenced: Vec<&str> = page.split("```").collect();
    let text: String = fenced.into_iter().step_by(2).collect();
    let spans = text.split('`').skip(1).step_by(2);
    let commands = spans.filter_map(|span| span.strip_prefix("leyden "));
    let whole = commands.filter(|args| args.contains(" -") && !args.contains(['…', '|', '>', '[']));
    whole
        .map(|args| args.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// The words as a shell splits them, as far as documents need it: without quotes, and with a number
/// for `N`.
fn words(command: &str) -> Vec<String> {
    let word = |word: &str| {
        if word == "N" {
            "1".to_owned()
        } else {
            word.replace(['"', '\''], "")
        }
    };
    command.split_whitespace().map(word).collect()
}

#[test]
fn outputs_match_except_for_times_and_omissions() {
    let said = ["a  1.5 ms", "b", "c", "d 7 runs 3.1 k/s", ""];
    assert!(does_match(&["a 80 ms", "…", "d …"], &said));
    assert!(does_match(&["…", "d 7 … 1 k/s", ""], &said));
    assert!(!does_match(&["a 80 ms", "c", "…"], &said));
    assert!(!does_match(&["…", "d 8 runs 3.1 k/s"], &said));
    assert!(!does_match(&["a 1.5 ms", "b", "c"], &said));
}

#[test]
fn a_command_that_fails_ends_the_test() {
    let reader = Reader::new();
    let step = Step {
        command: "leyden run --data nowhere",
        shown: None,
    };
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        reader.take(&step, "a page")
    }));
    assert!(failed.is_err());
}
