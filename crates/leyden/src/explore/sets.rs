//! Data sets: lists of tasks, small pictures, single tasks.

use std::sync::OnceLock;

use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_exec::Outcome;
use leyden_explore::{Call, Refusal, Reply};
use leyden_grid::{Grid, Task};
use leyden_store::DataSet;
use serde_json::{Value, json};

use super::App;
use super::eval::{Judged, grid_of};
use super::shelf::Shown;
use super::variants::by_merit;
use crate::args::ExploreArgs;
use crate::failure::Failure;
use crate::host::{OwnProgram, run_own};
use crate::pipeline::load::material;
use crate::programs::Source;

/// At most this many programs of a task are shown, the best ones.
const MOST_PROGRAMS: usize = 20;

/// A data set, and how far the known programs get on it.
pub(super) struct Set {
    data: DataSet,
    /// Its name on a command line.
    pub(super) spec: String,
    standings: OnceLock<Vec<Standing>>,
}

/// How far the best known program gets on a task.
#[derive(Clone, Default)]
struct Standing {
    badge: &'static str,
    credit: f64,
    program: Option<String>,
    /// Its output on the first demonstration.
    predicted: Option<Grid>,
}

/// Loads the data sets, and finds the places of programs.
pub(super) fn load(
    args: &ExploreArgs,
    cancel: &CancelToken,
) -> Result<(Vec<Set>, Vec<Source>), Failure> {
    let (mut sets, mut sources): (Vec<Set>, Vec<Source>) = (Vec::new(), Vec::new());
    let named = args.data.iter().cloned().map(Some);
    let named: Vec<_> = if args.data.is_empty() {
        vec![None]
    } else {
        named.collect()
    };
    for spec in named {
        let material = material(spec, &args.solvers, cancel)?;
        let data = material.load(None)?;
        if sets.iter().all(|set| set.data.name != data.name) {
            sets.push(Set {
                data,
                spec: material.data.to_string(),
                standings: OnceLock::new(),
            });
        }
        for source in material.sources {
            if !sources.iter().any(|known| known.is(&source)) {
                sources.push(source);
            }
        }
    }
    Ok((sets, sources))
}

impl Set {
    pub(super) fn id(&self) -> &str {
        &self.data.name
    }

    /// The name without the directories of a path.
    fn title(&self) -> &str {
        self.id().rsplit('/').next().unwrap_or_default()
    }

    pub(super) fn tasks(&self) -> &[Task] {
        &self.data.tasks
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "id": self.id(),
            "title": self.title(),
            "tasks": self.data.tasks.len(),
            "has_solutions": self.data.tasks.iter().any(has_solutions),
        })
    }

    pub(super) fn task(&self, id: &str) -> Result<&Task, Refusal> {
        let task = self.data.task(id);
        task.ok_or_else(|| Refusal::missing(format!("{} has no task {id}", self.id())))
    }
}

fn has_solutions(task: &Task) -> bool {
    task.tests.iter().any(|test| test.output.is_some())
}

impl App {
    pub(super) fn tasks(&self, call: &Call) -> Result<Reply, Refusal> {
        let set = self.set(call.path("set")?)?;
        let tasks = set.tasks().iter().zip(self.standings(set));
        let tasks: Vec<Value> = tasks.map(|(task, standing)| line(task, standing)).collect();
        Ok(Reply::Json(json!({ "set": set.id(), "tasks": tasks })))
    }

    pub(super) fn thumbs(&self, call: &Call) -> Result<Reply, Refusal> {
        let set = self.set(call.path("set")?)?;
        let is_predicted = match call.words_of("of") {
            "" | "first" => false,
            "predicted" => true,
            other => {
                let message = format!("of: `first` or `predicted`, not `{other}`");
                return Err(Refusal::bad(message));
            }
        };
        let mut bytes = Vec::new();
        for (k, task) in set.tasks().iter().enumerate() {
            let first = task.demos.first();
            let input = first.map(|pair| &pair.input);
            let output = if is_predicted {
                self.standings(set)[k].predicted.as_ref()
            } else {
                first.map(|pair| &pair.output)
            };
            pack(&mut bytes, input, output);
        }
        Ok(Reply::Bytes(bytes))
    }

    pub(super) fn task(&self, call: &Call) -> Result<Reply, Refusal> {
        let set = self.set(call.path("set")?)?;
        let task = set.task(call.path("task")?)?;
        let tests = task.tests.iter().map(|test| json!({ "input": test.input }));
        Ok(Reply::Json(json!({
            "set": set.id(),
            "id": task.id,
            "train": task.demos,
            "test": tests.collect::<Vec<_>>(),
            "has_solutions": has_solutions(task),
            "programs": self.programs_for(task, &call.cancel),
        })))
    }

    pub(super) fn solutions(&self, call: &Call) -> Result<Reply, Refusal> {
        let set = self.set(call.path("set")?)?;
        let task = set.task(call.path("task")?)?;
        let outputs: Vec<_> = task.tests.iter().map(|test| &test.output).collect();
        Ok(Reply::Json(json!({ "outputs": outputs })))
    }

    /// The programs for a task with their results on the demonstrations, best first.
    pub(super) fn programs_for(&self, task: &Task, cancel: &CancelToken) -> Vec<Value> {
        let puzzle = task.puzzle();
        let judged = |shown: &Shown| {
            let judged = self.judge(&shown.program, &puzzle, cancel);
            (judged, shown.to_json())
        };
        let mut judged: Vec<(Judged, Value)> =
            self.shelf.of_task(task.id.as_str()).map(judged).collect();
        judged.sort_by(|(a, _), (b, _)| by_merit(&a.judgement, &b.judgement));
        judged.truncate(MOST_PROGRAMS);
        let whole = |(judged, mut shown): (Judged, Value)| {
            judged.write_into(&mut shown);
            shown
        };
        judged.into_iter().map(whole).collect()
    }

    /// The state of each task.
    pub(super) fn badges(&self, set: &Set) -> Vec<&'static str> {
        let standings = self.standings(set).iter();
        standings.map(|standing| standing.badge).collect()
    }

    /// How far the known programs get, worked out once.
    fn standings<'s>(&'s self, set: &'s Set) -> &'s [Standing] {
        set.standings.get_or_init(|| {
            let own = set.tasks().iter().flat_map(|task| {
                let programs = self.shelf.of_task(task.id.as_str());
                programs.map(move |shown| OwnProgram {
                    program: &shown.program,
                    task,
                    fuel: DEFAULT_FUEL,
                })
            });
            let own: Vec<OwnProgram<'_>> = own.collect();
            let cancel = CancelToken::new();
            let keep = |outcome: Outcome, expected: Option<&Grid>| {
                let is_right = expected.map(|expected| outcome.equals(expected));
                (is_right, grid_of(&outcome))
            };
            let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
            let results = run_own(&own, n_threads, &cancel, keep, || {});
            let mut results = own.iter().zip(results).peekable();
            let of_task = |task: &Task| {
                let mut best = Standing {
                    badge: "none",
                    ..Standing::default()
                };
                while let Some((own, outcomes)) =
                    results.next_if(|(own, _)| std::ptr::eq(own.task, task))
                {
                    best.consider(own, &outcomes);
                }
                best
            };
            set.tasks().iter().map(of_task).collect()
        })
    }
}

impl Standing {
    /// Takes a program's results if they are better.
    fn consider(&mut self, own: &OwnProgram<'_>, outcomes: &[(Option<bool>, Option<Grid>)]) {
        let n_demos = own.task.demos.len();
        let is_right = |(is_right, _): &(Option<bool>, Option<Grid>)| *is_right == Some(true);
        let n_right = outcomes
            .iter()
            .take(n_demos)
            .filter(|it| is_right(it))
            .count();
        let credit = 100.0 * n_right as f64 / n_demos.max(1) as f64;
        let fits = n_right == n_demos && n_demos > 0;
        let is_wrong = |it: &(Option<bool>, Option<Grid>)| it.0 == Some(false);
        let badge = match fits {
            true if outcomes.iter().skip(n_demos).any(is_wrong) => "fits",
            true if has_solutions(own.task) => "solved",
            true => "fits",
            false if n_right > 0 => "part",
            false => "none",
        };
        let is_better = self.program.is_none() || credit > self.credit;
        if is_better {
            *self = Standing {
                badge,
                credit,
                program: Some(own.program.name.clone()),
                predicted: outcomes.first().and_then(|(_, grid)| grid.clone()),
            };
        }
    }
}

fn line(task: &Task, standing: &Standing) -> Value {
    let grids = task
        .demos
        .iter()
        .flat_map(|pair| [&pair.input, &pair.output]);
    let side = grids
        .clone()
        .map(|grid| grid.height().max(grid.width()))
        .max();
    let colours = grids.fold(0, |all, grid| all | grid.palette());
    let colours: Vec<u8> = (0..10)
        .filter(|colour| colours >> colour & 1 == 1)
        .collect();
    let is_even = |pair: &leyden_grid::Pair| pair.input.shape() == pair.output.shape();
    json!({
        "id": task.id,
        "demos": task.demos.len(),
        "tests": task.tests.len(),
        "same_size": task.demos.iter().all(is_even),
        "side": side,
        "colours": colours,
        "badge": standing.badge,
        "credit": standing.credit,
        "program": standing.program,
    })
}

/// Adds a pair: four bytes of sizes, then half a byte for each cell.
fn pack(bytes: &mut Vec<u8>, input: Option<&Grid>, output: Option<&Grid>) {
    for grid in [input, output] {
        let (height, width) = grid.map_or((0, 0), Grid::shape);
        bytes.extend([height as u8, width as u8]);
    }
    for grid in [input, output].into_iter().flatten() {
        let halves = grid.cells().chunks(2);
        bytes.extend(halves.map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_packed_into_half_bytes() {
        let input = Grid::from_rows(&[vec![1, 2, 3]]).unwrap();
        let output = Grid::from_rows(&[vec![9], vec![8]]).unwrap();
        let mut bytes = Vec::new();
        pack(&mut bytes, Some(&input), Some(&output));
        pack(&mut bytes, Some(&output), None);
        assert_eq!(bytes, [1, 3, 2, 1, 0x12, 0x30, 0x98, 2, 1, 0, 0, 0x98]);
    }
}
