//! The functions of a module, each on all pairs of the task in its name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use leyden::host::{self, OwnProgram, samples_of};
use leyden_dsl::meter::CancelToken;
use leyden_exec::{Outcome, OutputGrid, is_grid};
use leyden_grid::{Grid, Task};
use leyden_store::DataSet;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;

use crate::command::{LOOK, told, watched};
use crate::grid::PyGrid;
use crate::jit::JitFunction;
use crate::program::PyProgram;
use crate::task::PyTaskSet;
use crate::values;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<OwnRuns>()?;
    module.add_function(wrap_pyfunction!(run_own, module)?)
}

/// The engine's results behind `leyden.OwnResults`; it makes Python values on demand.
#[pyclass(module = "leyden._leyden", frozen)]
pub(crate) struct OwnRuns {
    runs: Vec<OwnRun>,
    data: Arc<DataSet>,
}

/// A function that has a task, with its output on each of the pairs.
struct OwnRun {
    program: Py<PyProgram>,
    /// The index of the task.
    task: usize,
    outputs: Vec<Output>,
}

/// The output of a function on a pair.
pub(crate) enum Output {
    /// The expected output.
    Expected,
    Other(Outcome),
}

impl Output {
    pub(crate) fn of_cells(width: usize, cells: &[i8], expected: Option<&Grid>) -> Output {
        if expected.is_some_and(|grid| is_grid(width, cells, grid)) {
            Output::Expected
        } else {
            Output::Other(Outcome::Grid(OutputGrid::rectangle(width, cells)))
        }
    }

    fn of(outcome: Outcome, expected: Option<&Grid>) -> Output {
        if expected.is_some_and(|grid| outcome.equals(grid)) {
            Output::Expected
        } else {
            Output::Other(outcome)
        }
    }
}

#[pymethods]
impl OwnRuns {
    /// The name of each function and the id of its task.
    #[getter]
    fn names(&self) -> Vec<(&str, &str)> {
        let names = self.runs.iter().map(|run| {
            let program = &run.program.get().program;
            (program.name.as_str(), self.task(run).id.as_str())
        });
        names.collect()
    }

    /// The outputs of the k-th function: grids, other values, or exceptions.
    fn outputs<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let run = self.run(k)?;
        let value = |(output, expected): (&Output, Option<&Grid>)| match (output, expected) {
            (Output::Other(outcome), _) => match values::outcome(py, outcome) {
                Some(value) => value,
                None => {
                    let error = run.program.get().raise(outcome);
                    Ok(error.into_value(py).into_bound(py).into_any())
                }
            },
            (Output::Expected, Some(grid)) => PyGrid::from(grid.clone()).into_bound_py_any(py),
            (Output::Expected, None) => Ok(py.None().into_bound(py)),
        };
        self.with_expected(run).map(value).collect()
    }

    /// Which of its outputs are right; `None` if the right output is unknown.
    fn right(&self, k: usize) -> PyResult<Vec<Option<bool>>> {
        let is_right = |(output, expected): (&Output, Option<&Grid>)| {
            expected.map(|_| matches!(output, Output::Expected))
        };
        Ok(self.with_expected(self.run(k)?).map(is_right).collect())
    }

    fn __len__(&self) -> usize {
        self.runs.len()
    }
}

impl OwnRuns {
    fn run(&self, k: usize) -> PyResult<&OwnRun> {
        let none = || PyIndexError::new_err("function index out of range");
        self.runs.get(k).ok_or_else(none)
    }

    fn task(&self, run: &OwnRun) -> &Task {
        &self.data.tasks[run.task]
    }

    fn with_expected<'r>(
        &'r self,
        run: &'r OwnRun,
    ) -> impl Iterator<Item = (&'r Output, Option<&'r Grid>)> {
        let expected = self.task(run).pairs().map(|(_, output)| output);
        run.outputs.iter().zip(expected)
    }
}

/// Runs each function on its own task, on `jobs` threads. Calls `look` now and then with the number of
/// finished functions.
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
    let tell = |n_done: usize| told(look.as_ref(), n_done);
    let outputs = match jobs.unwrap_or_else(n_cores) {
        0 | 1 => one_by_one(py, &chosen, &data, tell)?,
        jobs => at_once(py, &chosen, &data, jobs, tell)?,
    };
    let run = |((program, task), outputs)| OwnRun {
        program,
        task,
        outputs,
    };
    let runs = chosen.into_iter().zip(outputs).map(run).collect();
    Ok(OwnRuns { runs, data })
}

/// Runs everything on this thread, which knows the functions from earlier calls.
fn one_by_one(
    py: Python<'_>,
    chosen: &[(Py<PyProgram>, usize)],
    data: &DataSet,
    tell: impl Fn(usize) -> PyResult<()>,
) -> PyResult<Vec<Vec<Output>>> {
    let mut all = Vec::with_capacity(chosen.len());
    while all.len() < chosen.len() {
        let rest = &chosen[all.len()..];
        let some = py.detach(|| for_a_while(rest, data));
        for (outputs, (program, task)) in some.into_iter().zip(rest) {
            all.push(completed(py, outputs, program.get(), &data.tasks[*task])?);
        }
        py.check_signals()?;
        tell(all.len())?;
    }
    Ok(all)
}

/// Runs the first functions, until it is time to look for signals.
fn for_a_while(rest: &[(Py<PyProgram>, usize)], data: &DataSet) -> Vec<Vec<Option<Output>>> {
    let (start, mut some) = (Instant::now(), Vec::with_capacity(rest.len()));
    for (program, task) in rest {
        some.push(program.get().outputs_at_once(&data.tasks[*task]));
        if start.elapsed() > LOOK {
            break;
        }
    }
    some
}

/// Completes the outputs of a function. Missing ones take longer.
fn completed(
    py: Python<'_>,
    outputs: Vec<Option<Output>>,
    program: &PyProgram,
    task: &Task,
) -> PyResult<Vec<Output>> {
    let all = outputs.into_iter().zip(samples_of(task));
    let all = all.map(|(output, (sample, expected))| match output {
        Some(output) => Ok(output),
        None => Ok(Output::of(program.output_on(py, &sample)?, expected)),
    });
    all.collect()
}

/// Runs everything on several threads, while this one looks for signals.
fn at_once(
    py: Python<'_>,
    chosen: &[(Py<PyProgram>, usize)],
    data: &Arc<DataSet>,
    jobs: usize,
    tell: impl Fn(usize) -> PyResult<()>,
) -> PyResult<Vec<Vec<Output>>> {
    let (data, done) = (data.clone(), Arc::new(AtomicUsize::new(0)));
    let items = chosen.iter().map(|(program, task)| {
        let program = program.get();
        (program.program.clone(), program.fuel(), *task)
    });
    let (items, theirs): (Vec<_>, _) = (items.collect(), done.clone());
    let work = move |cancel: CancelToken| {
        let own = items.iter().map(|(program, fuel, task)| OwnProgram {
            program,
            task: &data.tasks[*task],
            fuel: *fuel,
        });
        let own: Vec<OwnProgram<'_>> = own.collect();
        host::run_own(&own, jobs, &cancel, Output::of, || {
            theirs.fetch_add(1, Ordering::Relaxed);
        })
    };
    watched(py, work, |_| tell(done.load(Ordering::Relaxed)))
}
