//! Tasks and data sets in Python.

use std::path::PathBuf;
use std::sync::Arc;

use leyden_grid::{Grid, Pair, Task, TaskId, TestCase, counted};
use leyden_store::DataSet;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyTuple};

use crate::command::interruptible;
use crate::faults::{bad_data, refused};
use crate::grid::{PyGrid, grid_of};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyTask>()?;
    module.add_class::<PyTaskSet>()?;
    module.add_function(wrap_pyfunction!(load, module)?)
}

/// A task: demonstration pairs (`train`) and test inputs (`test`).
///
/// `Task(id, train, test)` takes pairs `(input, output)` or dictionaries with these keys. The output
/// of a test may be missing or `None`.
#[pyclass(name = "Task", module = "leyden", frozen)]
pub(crate) struct PyTask {
    pub(crate) task: Arc<Task>,
}

type PyPair<'py> = (Py<PyGrid>, Option<Py<PyGrid>>);

#[pymethods]
impl PyTask {
    /// Makes a task from pairs `(input, output)`; a test may lack its output.
    #[new]
    fn new(id: String, train: &Bound<'_, PyAny>, test: &Bound<'_, PyAny>) -> PyResult<PyTask> {
        let id = TaskId::new(id).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let demos = train.try_iter()?.map(|pair| demo(&pair?));
        let tests = test.try_iter()?.map(|pair| case(&pair?));
        Ok(PyTask::from(Task {
            id,
            demos: demos.collect::<PyResult<_>>()?,
            tests: tests.collect::<PyResult<_>>()?,
        }))
    }

    /// The id, unique in its data set.
    #[getter]
    fn id(&self) -> &str {
        self.task.id.as_str()
    }

    /// The demonstrations, as pairs of grids.
    #[getter]
    fn train(&self, py: Python<'_>) -> PyResult<Vec<PyPair<'_>>> {
        let pairs = self.task.demos.iter();
        pairs
            .map(|pair| pair_of(py, &pair.input, Some(&pair.output)))
            .collect()
    }

    /// The tests, as pairs of grids; an unknown output is `None`.
    #[getter]
    fn test(&self, py: Python<'_>) -> PyResult<Vec<PyPair<'_>>> {
        let tests = self.task.tests.iter();
        tests
            .map(|test| pair_of(py, &test.input, test.output.as_ref()))
            .collect()
    }

    /// A hash of the id and the grids, as 32 hexadecimal digits.
    #[getter]
    fn hash(&self) -> PyResult<String> {
        hash_of(&self.task)
    }

    /// The task as in ARC's files: `{"train": [{"input": …, "output": …}, …], "test": […]}`.
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (half, pairs) in [("train", self.train(py)?), ("test", self.test(py)?)] {
            let pairs = pairs.iter().map(|pair| pair_dict(py, pair));
            dict.set_item(half, PyList::new(py, pairs.collect::<PyResult<Vec<_>>>()?)?)?;
        }
        Ok(dict)
    }

    /// A copy of the task without test outputs.
    fn without_answers(&self) -> PyTask {
        without_answers(&self.task).into()
    }

    /// Draws the task as SVG.
    fn svg(&self) -> String {
        leyden::host::task_svg(&self.task)
    }

    fn _repr_svg_(&self) -> String {
        crate::grid::with_namespace(self.svg())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<PyTask>();
        other.is_ok_and(|other| other.get().task == self.task)
    }

    fn __hash__(&self) -> PyResult<u64> {
        let hash = hash_of(&self.task)?;
        Ok(u64::from_str_radix(&hash[..16], 16).unwrap_or_default())
    }

    fn __repr__(&self) -> String {
        let (n_demos, n_tests) = (self.task.demos.len(), self.task.tests.len());
        format!("<Task {}: {n_demos} train, {n_tests} test>", self.task.id)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let args = (this.id(), this.train(py)?, this.test(py)?).into_pyobject(py)?;
        Ok((slf.get_type().into_any(), args))
    }
}

impl From<Task> for PyTask {
    fn from(task: Task) -> PyTask {
        PyTask {
            task: Arc::new(task),
        }
    }
}

fn without_answers(task: &Task) -> Task {
    let mut task = task.clone();
    task.tests.iter_mut().for_each(|test| test.output = None);
    task
}

fn hash_of(task: &Task) -> PyResult<String> {
    let alone = DataSet::new("", vec![task.clone()]).map_err(bad_data)?;
    Ok(alone.hash)
}

fn pair_of<'py>(
    py: Python<'py>,
    input: &Grid,
    output: Option<&Grid>,
) -> PyResult<(Py<PyGrid>, Option<Py<PyGrid>>)> {
    let grid = |grid: &Grid| Py::new(py, PyGrid::from(grid.clone()));
    Ok((grid(input)?, output.map(grid).transpose()?))
}

fn pair_dict<'py>(py: Python<'py>, pair: &PyPair<'py>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("input", pair.0.call_method0(py, "tolist")?)?;
    if let Some(output) = &pair.1 {
        dict.set_item("output", output.call_method0(py, "tolist")?)?;
    }
    Ok(dict)
}

/// Reads a pair, or a dictionary with `input` and maybe `output`.
fn case(pair: &Bound<'_, PyAny>) -> PyResult<TestCase> {
    if let Ok(dict) = pair.cast::<PyDict>() {
        let input = dict.get_item("input")?;
        let input = input.ok_or_else(|| PyKeyError::new_err("this pair has no input"))?;
        let output = dict.get_item("output")?;
        return both(&input, output);
    }
    let parts = pair.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    match parts.as_slice() {
        [input] => both(input, None),
        [input, output] => both(input, Some(output.clone())),
        _ => Err(PyTypeError::new_err("expected a pair of input and output")),
    }
}

fn both(input: &Bound<'_, PyAny>, output: Option<Bound<'_, PyAny>>) -> PyResult<TestCase> {
    let output = output.filter(|output| !output.is_none());
    Ok(TestCase {
        input: grid_of(input)?,
        output: output.as_ref().map(grid_of).transpose()?,
    })
}

fn demo(pair: &Bound<'_, PyAny>) -> PyResult<Pair> {
    let TestCase { input, output } = case(pair)?;
    let output = output.ok_or_else(|| PyValueError::new_err("this demonstration has no output"))?;
    Ok(Pair { input, output })
}

/// Reads demonstrations: a task, or pairs.
pub(crate) fn pairs_of(demos: &Bound<'_, PyAny>) -> PyResult<Vec<Pair>> {
    if let Ok(task) = demos.cast::<PyTask>() {
        return Ok(task.get().task.demos.clone());
    }
    demos.try_iter()?.map(|pair| demo(&pair?)).collect()
}

/// A data set: tasks in the order of their ids.
///
/// `tasks[0]` and `tasks["1e7d0001"]` give a task, `tasks[:10]` gives a smaller set.
#[pyclass(name = "TaskSet", module = "leyden", frozen, sequence)]
pub(crate) struct PyTaskSet {
    pub(crate) data: Arc<DataSet>,
}

impl PyTaskSet {
    fn of(data: DataSet) -> PyTaskSet {
        PyTaskSet {
            data: Arc::new(data),
        }
    }

    fn from_tasks(name: &str, tasks: Vec<Task>) -> PyResult<PyTaskSet> {
        let data = DataSet::new(name, tasks).map_err(bad_data)?;
        Ok(PyTaskSet::of(data))
    }

    fn py_tasks(&self) -> impl Iterator<Item = PyTask> {
        self.data.tasks.iter().cloned().map(PyTask::from)
    }
}

#[pymethods]
impl PyTaskSet {
    /// Makes a data set from tasks in any order.
    #[new]
    #[pyo3(signature = (tasks, name="tasks"))]
    fn new(tasks: &Bound<'_, PyAny>, name: &str) -> PyResult<PyTaskSet> {
        let tasks = tasks
            .try_iter()?
            .map(|task| task?.extract::<Py<PyTask>>().map_err(PyErr::from));
        let tasks = tasks.collect::<PyResult<Vec<_>>>()?;
        let tasks = tasks.iter().map(|task| Task::clone(&task.get().task));
        PyTaskSet::from_tasks(name, tasks.collect())
    }

    /// The name of the data set.
    #[getter]
    fn name(&self) -> &str {
        &self.data.name
    }

    /// A hash of ids and grids, as 32 hexadecimal digits.
    #[getter]
    fn hash(&self) -> &str {
        &self.data.hash
    }

    /// The ids, sorted.
    #[getter]
    fn ids(&self) -> Vec<&str> {
        let tasks = self.data.tasks.iter();
        tasks.map(|task| task.id.as_str()).collect()
    }

    /// A dictionary of all tasks by id, each as in ARC's files.
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for task in self.py_tasks() {
            dict.set_item(task.id(), task.to_json(py)?)?;
        }
        Ok(dict)
    }

    /// A copy without test outputs.
    fn without_answers(&self) -> PyResult<PyTaskSet> {
        let tasks = self.data.tasks.iter().map(without_answers);
        PyTaskSet::from_tasks(&self.data.name, tasks.collect())
    }

    fn __len__(&self) -> usize {
        self.data.tasks.len()
    }

    /// A task by position or id, or several by a slice.
    fn __getitem__<'py>(&self, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = at.py();
        if let Ok(id) = at.extract::<&str>() {
            let missing = || PyKeyError::new_err(format!("{} has no task {id}", self.data.name));
            let task = self.data.task(id).ok_or_else(missing)?;
            return PyTask::from(task.clone()).into_bound_py_any(py);
        }
        if let Ok(slice) = at.cast::<PySlice>() {
            let range = slice.indices(self.data.tasks.len() as isize)?;
            let places = (0..range.slicelength as isize).map(|k| range.start + k * range.step);
            let tasks = places.map(|k| self.data.tasks[k as usize].clone());
            let tasks = tasks.collect();
            return PyTaskSet::from_tasks(&self.data.name, tasks)?.into_bound_py_any(py);
        }
        let k: isize = at.extract()?;
        let k = if k < 0 {
            k + self.data.tasks.len() as isize
        } else {
            k
        };
        let found = usize::try_from(k).ok().and_then(|k| self.data.tasks.get(k));
        let outside = || pyo3::exceptions::PyIndexError::new_err("task index out of range");
        let task = found.ok_or_else(outside)?.clone();
        PyTask::from(task).into_bound_py_any(py)
    }

    fn __contains__(&self, it: &Bound<'_, PyAny>) -> bool {
        if let Ok(task) = it.cast::<PyTask>() {
            let task = &task.get().task;
            return self.data.task(task.id.as_str()) == Some(&**task);
        }
        it.extract::<&str>()
            .is_ok_and(|id| self.data.task(id).is_some())
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let list = this.py_tasks().collect::<Vec<_>>().into_pyobject(py)?;
        Ok(list.try_iter()?.into_any())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<PyTaskSet>();
        other.is_ok_and(|other| other.get().data.hash == self.data.hash)
    }

    fn __hash__(&self) -> u64 {
        u64::from_str_radix(&self.data.hash[..16], 16).unwrap_or_default()
    }

    fn __repr__(&self) -> String {
        format!(
            "<TaskSet {}: {}>",
            self.data.name,
            counted(self.data.tasks.len(), "task")
        )
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let tasks: Vec<PyTask> = this.py_tasks().collect();
        let args = (tasks, &this.data.name).into_pyobject(py)?;
        Ok((slf.get_type().into_any(), args))
    }
}

/// Loads a data set: a known name (`arc1:training`, `demo`) or a path.
#[pyfunction]
#[pyo3(signature = (name, solutions=None))]
fn load(py: Python<'_>, name: String, solutions: Option<PathBuf>) -> PyResult<PyTaskSet> {
    let loaded = interruptible(py, move |cancel| {
        leyden::host::data_set(&name, solutions.as_deref(), &cancel)
    })?;
    Ok(PyTaskSet::of(loaded.map_err(refused)?))
}
