//! `leyden ranks`: counts at which rank the right answers of a search stand.

use std::path::Path;

use leyden_grid::{Grid, Task};
use leyden_store::{DataSet, read_text};
use serde::Deserialize;

use crate::args::RanksArgs;
use crate::failure::Failure;
use crate::pipeline::load::load_local;
use crate::report::numbers::{count, counted};
use crate::report::ranks::{Counts, Pair, Ranks, text};
use crate::report::write_both;
use crate::search::found::grids;

/// The number of attempts that a task has.
const N_ATTEMPTS: usize = 2;

pub(crate) fn run(args: RanksArgs) -> Result<(), Failure> {
    let data = load_local(&args.data, args.solutions.as_deref())?;
    let is_known = |task: &Task| task.tests.iter().all(|test| test.output.is_some());
    if !data.tasks.iter().all(is_known) {
        return Err(Failure::bad_input(format!(
            "{}: the data has no test outputs, so no answer can be judged; `--solutions FILE` names them",
            data.name
        )));
    }
    let read = args.reports.iter().map(|path| Judged::read(path, &data));
    let judged = read.collect::<Result<Vec<Judged>, Failure>>()?;
    let pair = match judged.as_slice() {
        [first, second] => Some(pair(first, second)?),
        _ => None,
    };
    let counts: Vec<Option<Counts>> = judged.iter().map(Judged::counts).collect();
    if let (None, Some(lacking)) = (&pair, counts.iter().position(Option::is_none)) {
        return Err(without_candidates(&args.reports[lacking]));
    }
    let names = args.reports.iter().map(|path| path.display().to_string());
    let ranks = Ranks {
        data: data.name.clone(),
        data_hash: data.hash.clone(),
        reports: names.zip(counts).collect(),
        pair,
    };
    write_both(&text(&ranks), args.json.as_ref(), &ranks.json())
}

fn without_candidates(path: &Path) -> Failure {
    Failure::bad_input(format!(
        "{}: the report has no candidates; `leyden solve --candidates 200 --json FILE` writes them",
        path.display()
    ))
}

/// A report of `leyden solve`, as far as this command reads it.
#[derive(Deserialize)]
struct SolveReport {
    #[serde(default)]
    max_states: Option<usize>,
    #[serde(default)]
    candidates: usize,
    rows: Vec<SolveRow>,
}

#[derive(Deserialize)]
struct SolveRow {
    task: String,
    states: usize,
    answers: Vec<Vec<SolveAnswer>>,
    #[serde(default)]
    candidates: Option<Vec<SolveCandidate>>,
}

#[derive(Deserialize)]
struct SolveAnswer {
    #[serde(default)]
    is_right: Option<bool>,
}

#[derive(Deserialize)]
struct SolveCandidate {
    demos_reproduced: usize,
    demos: usize,
    source: String,
    #[serde(deserialize_with = "grids")]
    answers: Vec<Option<Grid>>,
}

/// A report beside the right answers.
struct Judged {
    max_states: Option<usize>,
    n_candidates: usize,
    /// In the order of the tasks' ids.
    tasks: Vec<JudgedTask>,
}

struct JudgedTask {
    id: String,
    states: usize,
    is_solved: bool,
    /// `None` without candidates.
    place: Option<Place>,
}

/// The place of the right answer among the candidates of a task.
struct Place {
    /// Does a candidate reproduce all demonstrations?
    fits: bool,
    /// The rank of the right answer, from 1 on, and the source of the program that gives it.
    right: Option<(usize, String)>,
}

impl Judged {
    fn read(path: &Path, data: &DataSet) -> Result<Judged, Failure> {
        let text = read_text(path)?;
        let report: SolveReport = serde_json::from_str(&text).map_err(|error| {
            Failure::bad_input(format!(
                "{}: this is not a report of `leyden solve --json`: {error}",
                path.display()
            ))
        })?;
        let n_rows = report.rows.len();
        let known = |row: SolveRow| data.task(&row.task).map(|task| (task, row));
        let rows: Vec<(&Task, SolveRow)> = report.rows.into_iter().filter_map(known).collect();
        if rows.len() < n_rows || n_rows == 0 {
            return Err(Failure::bad_input(format!(
                "{}: {} of its {} are in {}; is --data right?",
                path.display(),
                count(rows.len()),
                counted(n_rows, "task"),
                data.name
            )));
        }
        let mut tasks: Vec<JudgedTask> = rows
            .into_iter()
            .map(|(task, row)| JudgedTask::new(task, row))
            .collect();
        tasks.sort_by(|a, b| a.id.cmp(&b.id));
        tasks.dedup_by(|a, b| a.id == b.id);
        Ok(Judged {
            max_states: report.max_states,
            n_candidates: report.candidates,
            tasks,
        })
    }

    /// The counts, if all tasks have candidates.
    fn counts(&self) -> Option<Counts> {
        let mut counts = Counts::new(self.tasks.len(), self.n_candidates, self.max_states);
        for task in &self.tasks {
            let place = task.place.as_ref()?;
            counts.add(place.fits, place.right.as_ref(), task.states);
        }
        Some(counts)
    }
}

impl JudgedTask {
    fn new(task: &Task, row: SolveRow) -> JudgedTask {
        let place = row
            .candidates
            .map(|candidates| Place::of(task, &candidates));
        let said: Option<Vec<bool>> = row.answers.iter().map(|answers| said(answers)).collect();
        let rank = place.as_ref().and_then(|place| place.right.as_ref());
        let is_among_attempts = rank.is_some_and(|(rank, _)| *rank <= N_ATTEMPTS);
        JudgedTask {
            id: row.task,
            states: row.states,
            is_solved: match said {
                Some(tests) => !tests.is_empty() && tests.iter().all(|is_right| *is_right),
                None => is_among_attempts,
            },
            place,
        }
    }
}

/// Whether one of the answers to a test input is right, if the report tells it.
fn said(answers: &[SolveAnswer]) -> Option<bool> {
    let mut is_right = false;
    for answer in answers {
        is_right |= answer.is_right?;
    }
    Some(is_right)
}

impl Place {
    fn of(task: &Task, candidates: &[SolveCandidate]) -> Place {
        let fits = |it: &SolveCandidate| it.demos_reproduced == it.demos;
        let of_tests = (0..task.tests.len()).map(|test| rank(task, test, candidates));
        let of_tests: Option<Vec<(usize, &str)>> = of_tests.collect();
        let worst = of_tests.and_then(|ranks| ranks.into_iter().max_by_key(|(rank, _)| *rank));
        Place {
            fits: candidates.iter().any(fits),
            right: worst.map(|(rank, source)| (rank, source.to_owned())),
        }
    }
}

/// The rank of the right answer among the different answers to a test input, and its source.
fn rank<'c>(
    task: &Task,
    test: usize,
    candidates: &'c [SolveCandidate],
) -> Option<(usize, &'c str)> {
    let mut seen: Vec<&Grid> = Vec::new();
    for candidate in candidates {
        let Some(Some(grid)) = candidate.answers.get(test) else {
            continue;
        };
        if seen.contains(&grid) {
            continue;
        }
        seen.push(grid);
        if task.tests[test].output.as_ref() == Some(grid) {
            return Some((seen.len(), &candidate.source));
        }
    }
    None
}

/// Compares two reports on the tasks of both.
fn pair(first: &Judged, second: &Judged) -> Result<Pair, Failure> {
    let mut pair = Pair::default();
    for task in &first.tasks {
        let other = second.tasks.binary_search_by(|it| it.id.cmp(&task.id));
        if let Ok(other) = other {
            pair.add(task.is_solved, second.tasks[other].is_solved);
        }
    }
    if pair.n_tasks() == 0 {
        return Err(Failure::bad_input(
            "the two reports have no task in common, so there is nothing to compare",
        ));
    }
    Ok(pair)
}
