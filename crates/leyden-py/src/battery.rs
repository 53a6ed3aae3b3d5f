//! Batteries in Python: many programs on many tasks.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use leyden::host::{
    BATTERY_FUEL, Backend, BatteryOutcomes, Closest, HowToRun, ReadyBattery, TaskRun, TaskScores,
};
use leyden_exec::with_large_stack;
use leyden_lang::{
    Battery, BatteryFile, BatteryHeader, Program, Rules, Scripts, is_generated_batt, parse,
    parse_battery, print_battery,
};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::command::{told, watched};
use crate::faults::refused;
use crate::program::{PyProgram, not_parsed};
use crate::task::PyTaskSet;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("BATTERY_FUEL", BATTERY_FUEL)?;
    module.add_class::<RawBattery>()
}

/// The engine behind `leyden.Battery`: many programs merged into one graph.
#[pyclass(module = "leyden._leyden", frozen)]
pub(crate) struct RawBattery {
    file: BatteryFile,
    /// The hashes of the programs that it was made from.
    hashes: Vec<String>,
    ready: OnceLock<Arc<ReadyBattery>>,
}

impl RawBattery {
    fn of(file: BatteryFile, hashes: Vec<String>) -> RawBattery {
        RawBattery {
            file,
            hashes,
            ready: OnceLock::new(),
        }
    }

    fn ready(&self) -> Arc<ReadyBattery> {
        let make = || Arc::new(ReadyBattery::new(self.file.battery.clone()));
        self.ready.get_or_init(make).clone()
    }
}

#[pymethods]
impl RawBattery {
    /// Merges programs into one graph.
    #[staticmethod]
    fn from_programs(py: Python<'_>, programs: Vec<Py<PyProgram>>) -> RawBattery {
        let programs: Vec<_> = programs.iter().map(|it| it.get().program.clone()).collect();
        py.detach(|| {
            let hash = |k: usize| format!("{:032x}", programs[k].content_hash());
            let hashes = (0..programs.len()).map(hash).collect();
            let programs = with_own_names(programs);
            let battery = Battery::from_programs(programs.iter().map(Arc::as_ref), Rules::ALL);
            let header = BatteryHeader {
                engine: Some(env!("CARGO_PKG_VERSION").to_owned()),
                ..BatteryHeader::default()
            };
            RawBattery::of(BatteryFile { header, battery }, hashes)
        })
    }

    /// Reads the text of a `.batt` file, or of a batt file that tokpidjin's card.py wrote.
    /// Without `hashes`, the programs get the hashes of their merged form.
    #[staticmethod]
    #[pyo3(signature = (text, hashes=None, file="<string>"))]
    fn parse(text: &str, hashes: Option<Vec<String>>, file: &str) -> PyResult<RawBattery> {
        let parsed = with_large_stack(|| {
            if is_generated_batt(text) {
                parse(text, file, None).map(|candidates| BatteryFile {
                    header: BatteryHeader::default(),
                    battery: Battery::from_programs(&candidates, Rules::ALL),
                })
            } else {
                parse_battery(text)
            }
        });
        let parsed = parsed.map_err(|findings| not_parsed(&findings, text, (file, 1)))?;
        let n_programs = parsed.battery.outs.len();
        let hashes = match hashes {
            Some(hashes) if hashes.len() != n_programs => {
                return Err(PyValueError::new_err("expected one hash for each program"));
            }
            Some(hashes) => hashes,
            None => own_hashes(&parsed.battery),
        };
        Ok(RawBattery::of(parsed, hashes))
    }

    #[getter]
    fn text(&self) -> String {
        print_battery(&self.file)
    }

    #[getter]
    fn hashes(&self) -> Vec<String> {
        self.hashes.clone()
    }

    /// For each program its name, the name of its origin, and the task id in its name.
    #[getter]
    fn members(&self) -> Vec<(&str, &str, Option<&str>)> {
        let outs = self.file.battery.outs.iter();
        outs.map(|out| (out.name.as_str(), out.origin.as_str(), out.task_id()))
            .collect()
    }

    #[getter]
    fn n_lines(&self) -> usize {
        self.file.battery.n_lines()
    }

    #[getter]
    fn n_nodes(&self) -> usize {
        self.ready().n_nodes()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let args = (this.text(), this.hashes()).into_pyobject(py)?;
        Ok((slf.get_type().getattr("parse")?, args))
    }

    /// Runs all programs on all tasks. Calls `look` now and then with the number of finished tasks.
    #[pyo3(signature = (tasks, jobs=None, fuel=None, exact_order=false, scores=false, look=None, backend=None, devices=None))]
    #[allow(clippy::too_many_arguments)]
    fn run<'py>(
        &self,
        py: Python<'py>,
        tasks: Py<PyTaskSet>,
        jobs: Option<usize>,
        fuel: Option<u64>,
        exact_order: bool,
        scores: bool,
        look: Option<Bound<'py, PyAny>>,
        backend: Option<&str>,
        devices: Option<Vec<usize>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (ready, data) = (self.ready(), tasks.get().data.clone());
        let n_tasks = data.tasks.len();
        let done = Arc::new(AtomicUsize::new(0));
        let theirs = done.clone();
        let mut how = HowToRun {
            fuel: fuel.unwrap_or(BATTERY_FUEL),
            exact_order,
            scores,
            backend: backend.map(backend_named).transpose()?,
            devices: devices.unwrap_or_default(),
            ..HowToRun::default()
        };
        how.n_threads = jobs.unwrap_or(how.n_threads);
        let work = move |cancel| {
            how.cancel = cancel;
            ready.run(&data.tasks, &how, &|| {
                theirs.fetch_add(1, Ordering::Relaxed);
            })
        };
        let outcomes = watched(py, work, |_| {
            told(look.as_ref(), done.load(Ordering::Relaxed))
        })?;
        let outcomes = outcomes.map_err(refused)?;
        if outcomes.tasks.len() == n_tasks {
            in_python(py, &outcomes)
        } else {
            Err(PyKeyboardInterrupt::new_err("stopped"))
        }
    }
}

fn backend_named(name: &str) -> PyResult<Backend> {
    Backend::named(name).ok_or_else(|| {
        let message = format!("unknown backend {name:?}; choose one of auto, cpu, cuda and opencl");
        PyValueError::new_err(message)
    })
}

fn own_hashes(battery: &Battery) -> Vec<String> {
    let mut scripts = Scripts::new(battery);
    let hash = |k| format!("{:032x}", scripts.program(k).content_hash());
    (0..battery.outs.len()).map(hash).collect()
}

fn in_python<'py>(py: Python<'py>, outcomes: &BatteryOutcomes) -> PyResult<Bound<'py, PyDict>> {
    let tasks = outcomes.tasks.iter().map(|task| task_in_python(py, task));
    let of_all = PyDict::new(py);
    of_all.set_item("tasks", tasks.collect::<PyResult<Vec<_>>>()?)?;
    of_all.set_item("score_names", &outcomes.score_names)?;
    of_all.set_item("remarks", &outcomes.remarks)?;
    of_all.set_item("execute_s", outcomes.execute.as_secs_f64())?;
    Ok(of_all)
}

/// Converts the outcomes of a task. Numbers come as bytes, which `memoryview.cast` reads, because
/// there are many.
fn task_in_python<'py>(py: Python<'py>, task: &TaskRun) -> PyResult<Bound<'py, PyDict>> {
    let outcomes = task.outcomes.iter();
    let hashes: Vec<String> = outcomes
        .clone()
        .map(|outcome| format!("{:032x}", outcome.hash))
        .collect();
    let kinds: Vec<&str> = outcomes.map(|outcome| outcome.kind.name()).collect();
    let bytes = |numbers: &mut dyn Iterator<Item = [u8; 8]>| {
        let bytes: Vec<u8> = numbers.flatten().collect();
        PyBytes::new(py, &bytes)
    };
    let picks: Vec<u8> = task.picks.iter().flat_map(|k| k.to_ne_bytes()).collect();
    let of_task = PyDict::new(py);
    of_task.set_item("hashes", hashes)?;
    of_task.set_item("kinds", kinds)?;
    of_task.set_item("right", task.right.clone())?;
    of_task.set_item("picks", PyBytes::new(py, &picks))?;
    of_task.set_item(
        "fuel",
        bytes(&mut task.fuel.iter().map(|it| it.sum.to_ne_bytes())),
    )?;
    of_task.set_item(
        "most",
        bytes(&mut task.fuel.iter().map(|it| it.most.to_ne_bytes())),
    )?;
    let most_on = task
        .fuel
        .iter()
        .map(|it| u64::from(it.most_on).to_ne_bytes());
    of_task.set_item("most_on", bytes(&mut { most_on }))?;
    let device_runs = task.fuel.iter().map(|it| u64::from(it.n_on_device));
    let device_runs = device_runs.map(u64::to_ne_bytes);
    of_task.set_item("device_runs", bytes(&mut { device_runs }))?;
    of_task.set_item("nodes", task.counts.nodes)?;
    of_task.set_item("exact_runs", task.counts.exact_runs)?;
    of_task.set_item("exact_nodes", task.counts.exact_nodes)?;
    of_task.set_item("cpu_s", task.cpu.as_secs_f64())?;
    let scores = task.scores.as_ref();
    of_task.set_item(
        "scores",
        scores
            .map(|it| scores_in_python(py, task, it))
            .transpose()?,
    )?;
    Ok(of_task)
}

fn scores_in_python<'py>(
    py: Python<'py>,
    task: &TaskRun,
    scores: &TaskScores,
) -> PyResult<Bound<'py, PyDict>> {
    let partial = (0..task.n_programs).filter_map(|k| task.partial(k));
    let partial = partial.flat_map(f64::to_ne_bytes);
    let of_task = PyDict::new(py);
    of_task.set_item("partial", PyBytes::new(py, &partial.collect::<Vec<u8>>()))?;
    let closest = scores.closest.as_ref().map(Closest::to_json);
    of_task.set_item("closest", closest)?;
    of_task.set_item("unscored", &scores.n_unscored)?;
    of_task.set_item("runs", scores.counts.runs)?;
    of_task.set_item("exact_runs", scores.counts.exact_runs)?;
    of_task.set_item("cpu_s", scores.cpu.as_secs_f64())?;
    Ok(of_task)
}

/// Gives every program a unique name. Solvers of one task in two dialects often share one.
fn with_own_names(mut programs: Vec<Arc<Program>>) -> Vec<Arc<Program>> {
    let mut taken: HashSet<String> = HashSet::new();
    for program in &mut programs {
        let mut name = program.name.clone();
        let mut n = 1;
        while !taken.insert(name.clone()) {
            n += 1;
            name = format!("{}_{n}", program.name);
        }
        if name != program.name {
            Arc::make_mut(program).name = name;
        }
    }
    programs
}
