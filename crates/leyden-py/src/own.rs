//! The functions of a module, each on all pairs of the task in its name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Engine, Outcome, Ready, Sample, parallel_map};
use leyden_grid::{Grid, Task};
use leyden_store::DataSet;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;

use crate::command::{LOOK, watched};
use crate::jit::JitFunction;
use crate::program::PyProgram;
use crate::task::PyTaskSet;
use crate::values;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<OwnRuns>()?;
    module.add_function(wrap_pyfunction!(run_own, module)?)
}

/// What came of it, as the engine has it; values of Python's are made when somebody asks.
#[pyclass(module = "leyden._leyden", frozen)]
pub(crate) struct OwnRuns {
    runs: Vec<OwnRun>,
    data: Arc<DataSet>,
}

/// A function that has a task, and what it gave on each of the pairs.
struct OwnRun {
    program: Py<PyProgram>,
    /// The task's place among all.
    task: usize,
    outcomes: Vec<Outcome>,
}

#[pymethods]
impl OwnRuns {
    /// The name of each function, and the id of its task.
    #[getter]
    fn names(&self) -> Vec<(&str, &str)> {
        let names = self.runs.iter().map(|run| {
            let program = &run.program.get().program;
            (program.name.as_str(), self.task(run).id.as_str())
        });
        names.collect()
    }

    /// What the k-th function gave: grids, other values, or exceptions.
    fn outputs<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let run = self.run(k)?;
        let value = |outcome: &Outcome| match values::outcome(py, outcome) {
            Some(value) => value,
            None => Ok(run
                .program
                .get()
                .raise(outcome)
                .into_value(py)
                .into_bound(py)
                .into_any()),
        };
        run.outcomes.iter().map(value).collect()
    }

    /// Which of them are right, where that is known.
    fn right(&self, k: usize) -> PyResult<Vec<Option<bool>>> {
        let run = self.run(k)?;
        let wanted = self.task(run).pairs().map(|(_, output)| output);
        let is_right = |(outcome, wanted): (&Outcome, Option<&Grid>)| Some(outcome.equals(wanted?));
        Ok(run.outcomes.iter().zip(wanted).map(is_right).collect())
    }

    fn __len__(&self) -> usize {
        self.runs.len()
    }
}

impl OwnRuns {
    fn run(&self, k: usize) -> PyResult<&OwnRun> {
        let none = || PyIndexError::new_err("no such function");
        self.runs.get(k).ok_or_else(none)
    }

    fn task(&self, run: &OwnRun) -> &Task {
        &self.data.tasks[run.task]
    }
}

/// Runs each function on its task if there is one, on `jobs` threads. `look` is told now and then how many
/// functions are done.
#[pyfunction]
#[pyo3(signature = (functions, tasks, jobs=None, look=None))]
fn run_own(
    py: Python<'_>,
    functions: Vec<Py<JitFunction>>,
    tasks: Py<PyTaskSet>,
    jobs: Option<usize>,
    look: Option<Bound<'_, PyAny>>,
) -> PyResult<OwnRuns> {
    let data = tasks.get().data.clone();
    let places: FxHashMap<&str, usize> = (data.tasks.iter().enumerate())
        .map(|(place, task)| (task.id.as_str(), place))
        .collect();
    let programs = functions.iter().map(|it| it.get().program(py));
    let with_task = |program: Py<PyProgram>| {
        let place = *places.get(program.get().program.task_id()?)?;
        Some((program, place))
    };
    let chosen: Vec<_> = programs.filter_map(with_task).collect();
    let n_cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let tell = |n_done: usize| match &look {
        Some(look) => look.call1((n_done,)).map(|_| ()),
        None => Ok(()),
    };
    let outcomes = match jobs.unwrap_or_else(n_cores) {
        0 | 1 => one_by_one(py, &chosen, &data, tell)?,
        jobs => at_once(py, &chosen, &data, jobs, tell)?,
    };
    let run = |((program, task), outcomes)| OwnRun {
        program,
        task,
        outcomes,
    };
    let runs = chosen.into_iter().zip(outcomes).map(run).collect();
    Ok(OwnRuns { runs, data })
}

/// Everything on this thread, which knows the functions from earlier calls.
fn one_by_one(
    py: Python<'_>,
    chosen: &[(Py<PyProgram>, usize)],
    data: &DataSet,
    tell: impl Fn(usize) -> PyResult<()>,
) -> PyResult<Vec<Vec<Outcome>>> {
    let mut all = Vec::with_capacity(chosen.len());
    let mut last_look = Instant::now();
    for (program, task) in chosen {
        all.push(program.get().run_on_task(py, &data.tasks[*task])?);
        if last_look.elapsed() > LOOK {
            py.check_signals()?;
            tell(all.len())?;
            last_look = Instant::now();
        }
    }
    Ok(all)
}

/// Everything on several threads, while this one looks for signals.
fn at_once(
    py: Python<'_>,
    chosen: &[(Py<PyProgram>, usize)],
    data: &Arc<DataSet>,
    jobs: usize,
    tell: impl Fn(usize) -> PyResult<()>,
) -> PyResult<Vec<Vec<Outcome>>> {
    let (data, done) = (data.clone(), Arc::new(AtomicUsize::new(0)));
    let items = chosen.iter().map(|(program, task)| {
        let program = program.get();
        (program.program.clone(), program.most_fuel(), *task)
    });
    let (items, theirs): (Vec<_>, _) = (items.collect(), done.clone());
    let work = move |cancel: CancelToken| {
        parallel_map(jobs, &items, |(program, fuel, task)| {
            let engine = Engine {
                fuel: *fuel,
                cancel: cancel.clone(),
                ..Engine::default()
            };
            let task = &data.tasks[*task];
            let ready = Ready::of(program);
            let run = |(input, _)| engine.run_again(program, &ready, &sample(task, input));
            let outcomes = task.pairs().map(|pair| run(pair).outcome).collect();
            theirs.fetch_add(1, Ordering::Relaxed);
            outcomes
        })
    };
    watched(py, work, |_| tell(done.load(Ordering::Relaxed)))
}

/// What a function sees of its task.
pub(crate) fn sample<'t>(task: &'t Task, input: &'t Grid) -> Sample<'t> {
    Sample {
        demos: &task.demos,
        ..Sample::of(input)
    }
}
