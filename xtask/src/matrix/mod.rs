//! `cargo xtask matrix`: every command on every dialect and every form of program file.
//!
//! A cell works, with evidence that it did something, or refuses with one clear sentence and exit
//! code 2. Everything else fails the check: a panic, a hang, an empty answer, another exit code. A
//! command without a row and a dialect without a column fail it, too. docs/matrix.md is the table;
//! `--write` makes it again.
#![allow(clippy::print_stdout)]

mod cell;
mod engines;
mod forms;
mod rows;

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value as Json, json};

use crate::ci::{absolute, scratch};
use crate::{Outcome, root};

use cell::{Found, Leyden, judge};
use forms::{DIALECTS, FORMS, Form, TASKS, columns};
use rows::{PROGRAMS, PROPOSALS, ROWS, Row, Tried, WITHOUT_PROGRAMS, arguments};

const PAGE: &str = "docs/matrix.md";
const USAGE: &str = "usage: cargo xtask matrix [--write]";
const INTRODUCTION: &str = "\
# Every command, every dialect, every form

`cargo xtask matrix` tries every command on programs of every dialect in every form and compares
with this page; `cargo xtask matrix --write` writes it again. ✓: the command works and shows
something for it. A number: the command refuses with exit code 2 and that sentence of the list below the tables.

The columns are the dialects: **a** arc-dsl, **r** re-arc, **t** tokpidjin, **m** programs of all
three together.
";

/// The directories of the matrix.
struct Place {
    dir: PathBuf,
    leyden: Leyden,
}

/// A cell to try.
struct Cell<'a> {
    row: &'a Row,
    form: &'a Form,
    column: &'static str,
}

/// Tries all cells and compares with the page, or writes it.
pub(crate) fn run(args: &[&str]) -> Outcome {
    let writes = match args {
        [] => false,
        ["--write"] => true,
        _ => return Err(USAGE.into()),
    };
    let place = prepare()?;
    check_rows(&place)?;
    check_columns(&place)?;
    forms::make_all(
        &place.leyden,
        &root().join("tests/forms"),
        &place.dir.join("forms"),
    )?;
    let cells = cells();
    let found = try_all(&place, &cells)?;
    engines::check(&place.leyden, &place.dir)?;
    let page = page(&cells, &found);
    let n_working = found.iter().filter(|found| **found == Found::Works).count();
    println!(
        "{} cells: {n_working} work, {} refuse or note that there is nothing to do",
        cells.len(),
        cells.len() - n_working
    );
    let path = root().join(PAGE);
    if writes {
        return Ok(fs::write(path, page)?);
    }
    if fs::read_to_string(path).unwrap_or_default() == page {
        return Ok(());
    }
    fs::write(place.dir.join("matrix.md"), page)?;
    Err(format!("{PAGE} says otherwise; `cargo xtask matrix --write` writes it again").into())
}

/// Builds the binary and lays out data for it.
fn prepare() -> Result<Place, Box<dyn Error>> {
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build
        .args(["build", "--quiet", "--package", "leyden"])
        .current_dir(root())
        .env("LEYDEN_TEST_NETWORK", "1");
    crate::ci::finished(build)?;
    let target = absolute(&scratch())?;
    let target = target.parent().ok_or("the build has no directory")?;
    let dir = target.join("ci/matrix");
    _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(dir.join("cache"))?;
    write_data(&dir)?;
    let leyden = Leyden {
        binary: target.join("debug/leyden"),
        cache: dir.join("cache"),
    };
    Ok(Place { dir, leyden })
}

/// Writes the tasks of the matrix, and some of their grids.
fn write_data(dir: &Path) -> Outcome {
    let text = fs::read_to_string(root().join("crates/leyden-store/demo/tasks.json"))?;
    let all: Json = serde_json::from_str(&text)?;
    let tasks: serde_json::Map<String, Json> = TASKS
        .iter()
        .map(|id| ((*id).to_owned(), all[*id].clone()))
        .collect();
    let grids: Vec<&Json> = tasks
        .values()
        .map(|task| &task["train"][0]["input"])
        .collect();
    fs::write(dir.join("grids.json"), json!(grids).to_string())?;
    Ok(fs::write(
        dir.join("tasks.json"),
        Json::Object(tasks).to_string(),
    )?)
}

/// Checks that every command has a row, or a reason to have none.
fn check_rows(place: &Place) -> Outcome {
    let commands = leaf_commands(place)?;
    let is_covered = |command: &String| {
        let has_row = ROWS.iter().any(|row| row.command == command);
        has_row || WITHOUT_PROGRAMS.iter().any(|(name, _)| name == command)
    };
    let missing: Vec<&String> = commands.iter().filter(|name| !is_covered(name)).collect();
    let mut known = ROWS.iter().map(|row| row.command);
    let gone = known.find(|row| !commands.iter().any(|command| command == row));
    match (missing.as_slice(), gone) {
        ([], None) => Ok(()),
        ([], Some(gone)) => Err(format!("there is no command `{gone}`").into()),
        _ => Err(format!("xtask/src/matrix/rows.rs has no row for {missing:?}").into()),
    }
}

/// The commands without subcommands, as `leyden options` lists them.
fn leaf_commands(place: &Place) -> Result<Vec<String>, Box<dyn Error>> {
    let told = place.leyden.run(&place.dir, &["options", "--json", "-"])?;
    let told: serde_json::Value = serde_json::from_str(&told.stdout)?;
    let commands = told.as_array().into_iter().flatten();
    let names = commands.filter_map(|command| command["command"].as_str());
    let names: Vec<&str> = names
        .filter_map(|name| name.strip_prefix("leyden "))
        .collect();
    let is_leaf = |name: &&&str| {
        let below = format!("{name} ");
        !names.iter().any(|other| other.starts_with(&below))
    };
    let leaves = names.iter().filter(is_leaf);
    Ok(leaves.map(|name| (*name).to_owned()).collect())
}

/// Checks that every dialect has a column.
fn check_columns(place: &Place) -> Outcome {
    let help = place.leyden.run(&place.dir, &["run", "--help"])?;
    let values = format!("[possible values: {}]", DIALECTS.join(", "));
    if help.stdout.contains(&values) {
        return Ok(());
    }
    Err("xtask/src/matrix/forms.rs does not have the dialects of `leyden run --dialect`".into())
}

fn cells() -> Vec<Cell<'static>> {
    let of_row = |row: &'static Row| {
        let forms = FORMS
            .iter()
            .enumerate()
            .filter(|(k, form)| match row.tried {
                Tried::EveryForm => true,
                Tried::PlainFile => *k == 0,
                Tried::Texts => form.is_text(),
            });
        let forms = forms.map(|(_, form)| form);
        forms.flat_map(move |form| columns().map(move |column| Cell { row, form, column }))
    };
    let has_form = |cell: &Cell<'_>| cell.form.exists_in(cell.column);
    ROWS.iter().flat_map(of_row).filter(has_form).collect()
}

/// Tries the cells on all processors, and reports all problems at once.
fn try_all(place: &Place, cells: &[Cell<'_>]) -> Result<Vec<Found>, Box<dyn Error>> {
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            scope.spawn(|| {
                while let Some(k) = Some(next.fetch_add(1, Ordering::Relaxed))
                    && let Some(cell) = cells.get(k)
                {
                    let found = try_one(place, k, cell).map_err(|error| error.to_string());
                    results
                        .lock()
                        .unwrap_or_else(|lock| lock.into_inner())
                        .push((k, found));
                }
            });
        }
    });
    let mut results = results.into_inner()?;
    results.sort_by_key(|(k, _)| *k);
    let mut wrong = String::new();
    let mut found = Vec::new();
    for (k, result) in results {
        match result {
            Ok(cell) => found.push(cell),
            Err(error) => writeln!(wrong, "{}: {error}", title(&cells[k]))?,
        }
    }
    if wrong.is_empty() {
        return Ok(found);
    }
    Err(wrong.into())
}

fn title(cell: &Cell<'_>) -> String {
    format!("{} · {} · {}", cell.row.usage, cell.form.name, cell.column)
}

fn try_one(place: &Place, k: usize, cell: &Cell<'_>) -> Result<Found, Box<dyn Error>> {
    let dir = place.dir.join(format!("cell-{k}"));
    fs::create_dir_all(&dir)?;
    let programs = format!("../forms/{}/{}", cell.column, cell.form.path);
    let proposals = forms::proposals_beside(&programs);
    let name = match cell.column {
        "re-arc" => "verify_1e7d0006",
        _ => "solve_1e7d0006",
    };
    let words = [
        (PROGRAMS, programs.as_str()),
        (PROPOSALS, proposals.as_str()),
        ("{data}", "../tasks.json"),
        ("{grids}", "../grids.json"),
        ("{name}", name),
    ];
    let (last, before) = cell.row.steps.split_last().ok_or("a row without steps")?;
    for step in before {
        let ended = place.leyden.run(&dir, &arguments(step, &words))?;
        // A preparation that fails stands for the cell; the judge decides on it.
        if ended.code != Some(0) {
            return Ok(judge(&ended, &dir, cell.row.evidence)?);
        }
    }
    let ended = place.leyden.run(&dir, &arguments(last, &words))?;
    let found = judge(&ended, &dir, cell.row.evidence)?;
    fs::remove_dir_all(&dir)?;
    let short = |sentence: String| sentence.replace("../forms/", "").replace("../", "");
    Ok(match found {
        Found::Refuses(sentence) => Found::Refuses(short(sentence)),
        Found::Notes(sentence) => Found::Notes(short(sentence)),
        Found::Works => Found::Works,
    })
}

/// The page: a row for each command and form, a column for each dialect.
fn page(cells: &[Cell<'_>], found: &[Found]) -> String {
    let mut sentences: Vec<String> = Vec::new();
    let mut text = INTRODUCTION.to_owned();
    for row in ROWS {
        let of_row = || {
            cells
                .iter()
                .zip(found)
                .filter(|(cell, _)| std::ptr::eq(cell.row, row))
        };
        _ = write!(
            text,
            "\n**`leyden {}`**\n\n| form | a | r | t | m |\n|---|---|---|---|---|\n",
            row.usage
        );
        for form in &FORMS {
            let of_form = of_row().filter(|(cell, _)| cell.form.name == form.name);
            let marks: Vec<(&str, String)> = of_form
                .map(|(cell, found)| (cell.column, mark(found, cell.column, &mut sentences)))
                .collect();
            if !marks.is_empty() {
                let mark_of = |column: &str| {
                    let found = marks.iter().find(|(name, _)| *name == column);
                    found.map_or("", |(_, mark)| mark.as_str())
                };
                let marks: Vec<&str> = columns().map(mark_of).collect();
                _ = writeln!(text, "| {} | {} |", form.name, marks.join(" | "));
            }
        }
    }
    text += "\n## Refusals\n\n";
    for (k, sentence) in sentences.iter().enumerate() {
        _ = writeln!(text, "{}. {sentence}", k + 1);
    }
    text += "\n## Commands without programs\n\n";
    for (command, reason) in WITHOUT_PROGRAMS {
        _ = writeln!(text, "- `leyden {command}` {reason}");
    }
    text
}

fn mark(found: &Found, column: &str, sentences: &mut Vec<String>) -> String {
    let sentence = match found {
        Found::Works => return "✓".to_owned(),
        Found::Notes(sentence) => format!("Ends well, with the note: {sentence}"),
        Found::Refuses(sentence) => sentence.clone(),
    };
    let sentence = sentence.replace(&format!("{column}/"), "");
    let k = sentences.iter().position(|known| *known == sentence);
    let k = k.unwrap_or_else(|| {
        sentences.push(sentence);
        sentences.len() - 1
    });
    (k + 1).to_string()
}
