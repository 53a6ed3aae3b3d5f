//! `leyden augment`: changed copies of tasks, and the way back.

use std::collections::BTreeMap;
use std::path::Path;

use leyden_grid::{Grid, Puzzle, Task};
use leyden_store::augment::{Change, Copied, augment, by_votes, challenges_json};
use leyden_store::submission::{Attempts, Draft, Submission};
use leyden_store::{DataSet, read_text};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::args::{AugmentArgs, Augmenting};
use crate::commands::write_with_json;
use crate::failure::Failure;
use crate::output::remark;
use crate::pipeline::load::load_local;
use crate::report::numbers::{count, counted};

/// The first words of a key.
const FORMAT: &str = "leyden-augment/1";

/// The changes behind a file of copies.
#[derive(Serialize, Deserialize)]
struct Key {
    format: String,
    engine: String,
    data: String,
    data_hash: String,
    seed: u64,
    /// By the ids of the copies.
    tasks: BTreeMap<String, CopyRow>,
}

/// A copy: its original, the change, and the change that undoes it.
#[derive(Serialize, Deserialize)]
struct CopyRow {
    task: String,
    change: Change,
    inverse: Change,
}

pub(crate) fn run(args: AugmentArgs) -> Result<(), Failure> {
    let mut data = load_local(&args.data, args.solutions.as_deref())?;
    let (text, report, summary) = match &args.action {
        Augmenting::Copy {
            choice,
            n_copies,
            seed,
            kinds,
        } => {
            let tasks = std::mem::take(&mut data.tasks);
            data.tasks = choice.select(tasks, &data.name)?;
            let copies = augment(&data.tasks, *n_copies, *seed, *kinds);
            let copies = copies.map_err(|error| Failure::bad_input(error.to_string()))?;
            let tasks: Vec<&Task> = copies.iter().map(|it| &it.task).collect();
            let key = json!(key(&data, *seed, &copies));
            (challenges_json(&tasks), key, made(&data, &copies))
        }
        Augmenting::Undo { key, submission } => {
            let key = read_key(key)?;
            let (answers, n_votes) = turned_back(&data, &key, submission)?;
            let n_tasks = answers.answers().len();
            let report = json!({
                "engine": env!("CARGO_PKG_VERSION"),
                "data": data.name,
                "data_hash": data.hash,
                "tasks": n_tasks,
                "answers": n_votes,
            });
            let summary = format!(
                "{} turned back into attempts for {}\n",
                counted(n_votes, "answer"),
                counted(n_tasks, "task")
            );
            (answers.to_json(), report, summary)
        }
    };
    if args.out.is_some() {
        remark(&summary);
    }
    write_with_json(&text, args.out.as_ref(), args.json.as_ref(), || report)
}

fn made(data: &DataSet, copies: &[Copied]) -> String {
    format!(
        "{} of {} from {}\n",
        if copies.len() == 1 {
            "1 copy".to_owned()
        } else {
            format!("{} copies", count(copies.len()))
        },
        counted(data.tasks.len(), "task"),
        data.name
    )
}

fn key(data: &DataSet, seed: u64, copies: &[Copied]) -> Key {
    let row = |copied: &Copied| {
        let row = CopyRow {
            task: copied.original.to_string(),
            change: copied.change,
            inverse: copied.change.inverse(),
        };
        (copied.task.id.to_string(), row)
    };
    Key {
        format: FORMAT.to_owned(),
        engine: env!("CARGO_PKG_VERSION").to_owned(),
        data: data.name.clone(),
        data_hash: data.hash.clone(),
        seed,
        tasks: copies.iter().map(row).collect(),
    }
}

fn read_key(path: &Path) -> Result<Key, Failure> {
    let bad = |why: &str| {
        Failure::bad_input(format!(
            "{}: this is not a key of `leyden augment --json`: {why}",
            path.display()
        ))
    };
    let value: Value =
        serde_json::from_str(&read_text(path)?).map_err(|error| bad(&error.to_string()))?;
    if value["format"] != FORMAT {
        return Err(bad(&format!("its format is not {FORMAT}")));
    }
    let key: Key = serde_json::from_value(value).map_err(|error| bad(&error.to_string()))?;
    let is_sound = |row: &CopyRow| row.inverse.is_permutation();
    if !key.tasks.values().all(is_sound) {
        return Err(bad("a change does not exchange colours one for one"));
    }
    Ok(key)
}

/// The answers for the tasks themselves, and the number of answers that they come from.
fn turned_back(
    data: &DataSet,
    key: &Key,
    submission: &Path,
) -> Result<(Submission, usize), Failure> {
    let draft = Draft::read(submission)?;
    let mut copies: BTreeMap<&str, Vec<(&str, Change)>> = BTreeMap::new();
    for (id, row) in &key.tasks {
        let of_task = copies.entry(&row.task).or_default();
        of_task.push((id, row.inverse));
    }
    if let Some(id) = copies.keys().find(|id| data.task(id).is_none()) {
        return Err(Failure::bad_input(format!(
            "{} has no task {id}, but the key has copies of it; is --data right?",
            data.name
        )));
    }
    if !key.tasks.keys().any(|id| draft.names(id)) {
        return Err(Failure::bad_input(format!(
            "{}: it answers no copy of the key; do these files belong together?",
            submission.display()
        )));
    }
    let is_copied = |task: &&Task| copies.contains_key(task.id.as_str());
    let puzzles: Vec<Puzzle> = data
        .tasks
        .iter()
        .filter(is_copied)
        .map(Task::puzzle)
        .collect();
    let mut n_votes = 0;
    let answers = Submission::answer(&puzzles, |puzzle, test| {
        let of_task = copies
            .get(puzzle.id.as_str())
            .map_or(&[][..], Vec::as_slice);
        let votes = votes(&draft, of_task, test);
        n_votes += votes.len();
        Attempts::of(&by_votes(votes), &puzzle.test_inputs[test])
    });
    Ok((answers, n_votes))
}

/// The answers of all copies to a test input, turned back. First attempts come first.
fn votes(draft: &Draft, copies: &[(&str, Change)], test: usize) -> Vec<Grid> {
    let mut votes = Vec::new();
    for attempt in 0..2 {
        for (id, inverse) in copies {
            let answer = draft.answers(id).get(test);
            let grid = answer.and_then(|answer| answer[attempt].as_ref());
            votes.extend(grid.map(|grid| inverse.apply(grid)));
        }
    }
    votes
}
