//! Programs in Python: read, run, traced.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use leyden::host::samples_of;
use leyden_dsl::codec;
use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_dsl::table::Dialect;
use leyden_dsl::value::Value;
use leyden_exec::{Engine, Outcome, Ready, Sample, reference, with_large_stack};
use leyden_grid::{Grid, Pair, Task};
use leyden_lang::{
    Diagnostic, Input, Language, Line, Operand, Program, is_battery, is_text_form, parse_in,
    print_python_alone, render,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use serde_json::Value as Json;

use crate::command::interruptible;
use crate::faults::{ParseError, exception, refused};
use crate::grid::grid_of;
use crate::language::language;
use crate::own::Output;
use crate::plain;
use crate::stack;
use crate::task::pairs_of;
use crate::values;

/// The fuel of a run that keeps Python's other threads waiting (some tenths of a millisecond). Most
/// calls are shorter, and stopping and starting threads takes time, too.
const FUEL_ATTACHED: u64 = 250_000;

/// The fuel of a run on the caller's thread (some milliseconds).
const FUEL_AT_ONCE: u64 = 2_000_000;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyProgram>()?;
    module.add_function(wrap_pyfunction!(language_names, module)?)?;
    module.add_function(wrap_pyfunction!(load_programs, module)?)?;
    module.add_function(wrap_pyfunction!(user_names, module)?)?;
    module.add_function(wrap_pyfunction!(parse_programs, module)?)
}

/// The text from which programs were read.
struct Source {
    /// The name for messages.
    file: String,
    text: String,
    /// The line number of the text's first line in the file.
    first_line: u32,
    /// Whether it is Python. Otherwise it is Leyden's text form.
    is_python: bool,
    /// Was it read with names of the user's own? Without them it means nothing.
    has_user_names: bool,
}

impl Source {
    fn line(&self, number: u32) -> &str {
        let k = (number as usize).saturating_sub(1);
        self.text.lines().nth(k).unwrap_or_default().trim()
    }

    /// The function with this name, and the number of its first line in the text.
    fn function(&self, name: &str) -> Option<(String, u32)> {
        let head = format!("def {name}(");
        let lines: Vec<&str> = self.text.lines().collect();
        let at = lines.iter().position(|line| line.starts_with(&head))?;
        let is_over = |line: &&str| !line.is_empty() && !line.starts_with([' ', '\t', ')', '#']);
        let rest = &lines[at + 1..];
        let n_lines = rest.iter().position(is_over).unwrap_or(rest.len());
        let text = lines[at..=at + n_lines].join("\n");
        Some((format!("{}\n", text.trim_end()), at as u32 + 1))
    }
}

/// A program written in arc-dsl (or re-arc's or tokpidjin's dialect), ready to run.
///
/// `Program.parse(text)` makes one. Call it with a grid: `program([[1, 2], [3, 4]])`.
#[pyclass(name = "Program", module = "leyden", frozen)]
pub(crate) struct PyProgram {
    pub(crate) program: Arc<Program>,
    source: Arc<Source>,
    fuel: u64,
    /// The engine for runs on the caller's thread, attached to Python or not.
    attached: Engine,
    at_once: Engine,
    /// The compiled program, made by the first call.
    ready: OnceLock<Ready>,
}

#[pymethods]
impl PyProgram {
    /// Reads a program from text.
    ///
    /// - `text`: one program, or several if `name` says which.
    /// - `dialect`: `arc-dsl`, `re-arc` or `tokpidjin`; by default Leyden decides by names.
    /// - `file`, `first_line`: the place of the text, for messages.
    /// - `names`: names of your own, as the path or the text of a file that `--names` takes.
    #[staticmethod]
    #[pyo3(name = "parse", signature = (text, name=None, dialect=None, file="<string>", first_line=1, names=None))]
    fn parse_one(
        text: &str,
        name: Option<&str>,
        dialect: Option<&str>,
        file: &str,
        first_line: u32,
        names: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyProgram> {
        let mut all = read(text, &language(dialect, names)?, file, first_line)?;
        let k = match name {
            Some(name) => all.iter().position(|program| program.program.name == name),
            None => (all.len() == 1).then_some(0),
        };
        match (k, name) {
            (Some(k), _) => Ok(all.swap_remove(k)),
            (None, Some(name)) => Err(PyValueError::new_err(format!(
                "{file} has no program {name}"
            ))),
            (None, None) => Err(PyValueError::new_err(format!(
                "{file} has {} programs: choose one with name=…, or read all with leyden.programs",
                all.len()
            ))),
        }
    }

    /// The name of the function.
    #[getter]
    fn name(&self) -> &str {
        &self.program.name
    }

    /// The dialect: `arc-dsl`, `re-arc`, `tokpidjin` or `tokpidjin-batt`.
    #[getter]
    fn dialect(&self) -> &str {
        self.program.dialect.name()
    }

    /// The task id in the name, or `None`.
    #[getter]
    fn task_id(&self) -> Option<&str> {
        self.program.task_id()
    }

    /// The text of the program as it was read.
    #[getter]
    fn source(&self) -> String {
        self.own_source().0
    }

    /// The program in Leyden's text form, with one call per line.
    #[getter]
    fn text(&self) -> String {
        self.program.to_string()
    }

    /// The file of the program.
    #[getter]
    fn file(&self) -> &str {
        &self.source.file
    }

    /// A hash of the program without its name, as 32 hexadecimal digits.
    #[getter]
    fn hash(&self) -> String {
        format!("{:032x}", self.program.content_hash())
    }

    /// The number of lines, with one call per line.
    fn __len__(&self) -> usize {
        self.program.lines.len()
    }

    /// The most fuel that a run may use.
    #[getter]
    pub(crate) fn fuel(&self) -> u64 {
        self.fuel
    }

    /// A copy of the program with another fuel limit.
    fn with_fuel(&self, fuel: u64) -> PyProgram {
        PyProgram::new(self.program.clone(), self.source.clone(), fuel)
    }

    /// Runs the program on a grid.
    ///
    /// - `grid`: a `Grid` or anything that makes one.
    /// - `demos`: the demonstration pairs, or a `Task`, for programs that read `S`.
    /// - `expected`: the expected output, for programs that read `C`.
    ///
    /// Returns a `Grid`, or plain Python values if the result is not a grid. If the program fails, the
    /// call raises CPython's exception or a `LimitError`.
    #[pyo3(signature = (grid, demos=None, expected=None))]
    fn __call__<'py>(
        &self,
        grid: &Bound<'py, PyAny>,
        demos: Option<&Bound<'py, PyAny>>,
        expected: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = grid.py();
        let seen = Seen::of(grid, demos, expected)?;
        let outcome = self.run(py, seen)?;
        match values::outcome(py, &outcome) {
            Some(value) => value,
            None => Err(self.raise(&outcome)),
        }
    }

    /// Runs the program and returns all steps as a `leyden.Trace`; the arguments are those of a call.
    ///
    /// With `expected`, the trace ends with a verdict: right, or how the result is wrong.
    #[pyo3(signature = (grid, demos=None, expected=None))]
    fn trace<'py>(
        slf: &Bound<'py, Self>,
        grid: &Bound<'py, PyAny>,
        demos: Option<&Bound<'py, PyAny>>,
        expected: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("leyden._programs")?;
        module.call_method1("trace", (slf, grid, demos, expected))
    }

    /// All steps as dictionaries. If the program fails, the last one has the error.
    #[pyo3(signature = (grid, demos=None, expected=None))]
    fn _trace<'py>(
        &self,
        grid: &Bound<'py, PyAny>,
        demos: Option<&Bound<'py, PyAny>>,
        expected: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let py = grid.py();
        let seen = Seen::of(grid, demos, expected)?;
        let (program, fuel) = (self.program.clone(), self.fuel);
        let levels = stack::levels_to_keep();
        let values = interruptible(py, move |cancel| {
            with_large_stack(|| trace(&program, &seen, (fuel, levels), &cancel))
        })?;
        let lines = self.program.lines.iter().zip(&values).enumerate();
        let mut steps: Vec<_> = lines
            .map(|(k, (line, value))| self.step(py, k, line, value))
            .collect::<PyResult<_>>()?;
        if let Some(value) = values.get(self.program.lines.len()) {
            steps.push(self.output_step(py, value)?);
        }
        Ok(steps)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<PyProgram>();
        other.is_ok_and(|other| other.get().program.same_code(&self.program))
    }

    fn __hash__(&self) -> u64 {
        self.program.content_hash() as u64
    }

    fn __repr__(&self) -> String {
        let (name, n_lines) = (&self.program.name, self.program.lines.len());
        let s = if n_lines == 1 { "" } else { "s" };
        format!("<Program {name}: {n_lines} line{s}, {}>", self.dialect())
    }

    fn __str__(&self) -> String {
        self.source()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let (text, first_line) = this.own_source();
        let args = (text, this.name(), this.dialect(), this.file(), first_line);
        let parse = slf.get_type().getattr("_restore")?;
        let args = (args.0, args.1, args.2, args.3, args.4, this.fuel);
        Ok((parse, args.into_pyobject(py)?))
    }

    #[staticmethod]
    fn _restore(
        text: &str,
        name: &str,
        dialect: &str,
        file: &str,
        first_line: u32,
        fuel: u64,
    ) -> PyResult<PyProgram> {
        let dialect = Some(dialect);
        let program = PyProgram::parse_one(text, Some(name), dialect, file, first_line, None)?;
        Ok(program.with_fuel(fuel))
    }
}

impl PyProgram {
    fn new(program: Arc<Program>, source: Arc<Source>, fuel: u64) -> PyProgram {
        let within = |most: u64| Engine {
            fuel: fuel.min(most),
            ..Engine::default()
        };
        PyProgram {
            program,
            source,
            fuel,
            attached: within(FUEL_ATTACHED),
            at_once: within(FUEL_AT_ONCE),
            ready: OnceLock::new(),
        }
    }

    /// Runs it on a tuple of tuples, and returns the result of the Python function. Returns `None`
    /// if the argument is not a plain grid; a fault is an outcome.
    pub(crate) fn run_plain<'py>(
        &self,
        grid: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Result<Bound<'py, PyAny>, Outcome>>> {
        let py = grid.py();
        let mut room = plain::ROOM;
        let Some(input) = plain::grid(grid, &mut room) else {
            return Ok(None);
        };
        let read = |width: usize, cells: &[i8]| plain::tuples(py, (width, cells), Some(input));
        let run = || self.attached.run_ready_on(self.ready(), input.grid, read);
        let outcome = match stack::has_room_for_a_run().then(run) {
            Some(Ok(Ok(tuple))) => return Ok(Some(Ok(tuple?.into_any()))),
            Some(Ok(Err(outcome))) if self.is_final(&self.attached, &outcome) => outcome,
            _ => self.run_detached(py, Seen::alone(input.grid.to_grid()))?,
        };
        plain_value(py, outcome).map(Some)
    }

    /// Whether a grid is its only parameter.
    pub(crate) fn takes_a_grid(&self) -> bool {
        self.program.inputs == [Input::I]
    }

    /// [`PyProgram::run_plain`] with arguments for all parameters, in their order: the grid, the
    /// demonstration pairs as a tuple of pairs of grids, and the expected grid or `None`.
    pub(crate) fn run_plain_on<'py>(
        &self,
        first: &Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Option<Result<Bound<'py, PyAny>, Outcome>>> {
        let (py, inputs) = (first.py(), &self.program.inputs);
        let n_given = 1 + more.len();
        if n_given != inputs.len() {
            let (name, n) = (&self.program.name, inputs.len());
            let message =
                format!("{name}() takes {n} positional arguments but {n_given} were given");
            return Err(PyTypeError::new_err(message));
        }
        let arguments = std::iter::once(first.clone()).chain(more.iter());
        let Some(seen) = Seen::of_plain(inputs.iter().copied().zip(arguments)) else {
            return Ok(None);
        };
        let outcome = self.run(py, seen)?;
        plain_value(py, outcome).map(Some)
    }

    /// Its outputs on all pairs of its task, as far as the fast engine is sure within little fuel.
    pub(crate) fn outputs_at_once(&self, task: &Task) -> Vec<Option<Output>> {
        let ready = self.ready();
        let output = |(sample, expected): (Sample<'_>, Option<&Grid>)| {
            let read = |width: usize, cells: &[i8]| Output::of_cells(width, cells, expected);
            if !stack::has_room_for_a_run() {
                return None;
            }
            let ran = (self.at_once).run_ready_with(ready, &sample, read);
            match ran.ok()? {
                Ok(output) => Some(output),
                Err(outcome) => self
                    .is_final(&self.at_once, &outcome)
                    .then_some(Output::Other(outcome)),
            }
        };
        samples_of(task).map(output).collect()
    }

    /// Its output on one sample, without a limit of time.
    pub(crate) fn output_on(&self, py: Python<'_>, sample: &Sample<'_>) -> PyResult<Outcome> {
        let seen = Seen {
            input: sample.input.clone(),
            demos: sample.demos.to_vec(),
            expected: sample.expected.cloned(),
        };
        self.run_interruptibly(py, seen)
    }

    fn run(&self, py: Python<'_>, seen: Seen) -> PyResult<Outcome> {
        match self.run_within(&self.attached, &seen.sample()) {
            Some(outcome) => Ok(outcome),
            None => self.run_detached(py, seen),
        }
    }

    /// Runs longer than other threads should wait.
    #[cold]
    fn run_detached(&self, py: Python<'_>, seen: Seen) -> PyResult<Outcome> {
        match py.detach(|| self.run_within(&self.at_once, &seen.sample())) {
            Some(outcome) => Ok(outcome),
            None => self.run_interruptibly(py, seen),
        }
    }

    /// The outcome, if the fast engine is sure within that engine's fuel and this thread has enough
    /// stack.
    fn run_within(&self, engine: &Engine, sample: &Sample<'_>) -> Option<Outcome> {
        if !stack::has_room_for_a_run() {
            return None;
        }
        let ran = engine.run_ready(self.ready(), sample).ok()?;
        Some(ran.outcome).filter(|outcome| self.is_final(engine, outcome))
    }

    /// Whether an outcome within little fuel is final. More fuel changes only the end of the fuel.
    fn is_final(&self, engine: &Engine, outcome: &Outcome) -> bool {
        engine.fuel == self.fuel || outcome.fault() != Some(Fault::Fuel)
    }

    fn ready(&self) -> &Ready {
        self.ready.get_or_init(|| Ready::of(&self.program))
    }

    fn run_interruptibly(&self, py: Python<'_>, seen: Seen) -> PyResult<Outcome> {
        let (program, fuel) = (self.program.clone(), self.fuel);
        // A value that this thread could not even drop stays on the other one.
        let levels = stack::levels_to_keep();
        let outcome = interruptible(py, move |cancel| {
            let engine = Engine {
                fuel,
                cancel,
                ..Engine::default()
            };
            let run = || engine.run(&program, &seen.sample());
            let can_leave = |outcome: &Outcome| match outcome {
                Outcome::Value(json) => stack::is_within(json, levels),
                _ => true,
            };
            with_large_stack(|| Some(run()).filter(can_leave))
        })?;
        outcome.ok_or_else(|| stack::too_deep(levels))
    }

    /// The exception of a run that faulted.
    pub(crate) fn raise(&self, outcome: &Outcome) -> PyErr {
        match outcome {
            Outcome::Fault { fault, line } => exception(*fault, self.message(*fault, *line)),
            _ => PyValueError::new_err("there was no fault"),
        }
    }

    fn message(&self, fault: Fault, line: u32) -> String {
        let lines = &self.program.lines;
        let number = lines.get(line as usize).or(lines.last());
        let number = number.map_or(1, |line| line.source_line);
        let Source {
            file, first_line, ..
        } = &*self.source;
        format!(
            "{} in {}, {file} line {}: {}",
            fault.name(),
            self.program.name,
            number + first_line - 1,
            self.source.line(number)
        )
    }

    /// The text of this program alone, and the number of its first line in the file.
    fn own_source(&self) -> (String, u32) {
        if self.source.has_user_names && self.source.is_python {
            return (print_python_alone(&self.program), 1);
        }
        let alone = if self.source.is_python {
            self.source.function(&self.program.name)
        } else {
            None
        };
        match alone {
            Some((text, line)) => (text, line + self.source.first_line - 1),
            None => (self.program.to_string(), 1),
        }
    }

    /// The name that a line gives its value, if this is the last step of that line.
    fn assigned(&self, k: usize, line: &Line) -> Option<&str> {
        let next = self.program.lines.get(k + 1);
        if next.is_some_and(|next| next.source_line == line.source_line) {
            return None;
        }
        let (name, _) = self.source.line(line.source_line).split_once('=')?;
        let name = name.split(':').next()?.trim();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        (!name.is_empty() && name.chars().all(is_name)).then_some(name)
    }

    fn step<'py>(
        &self,
        py: Python<'py>,
        k: usize,
        line: &Line,
        value: &Traced,
    ) -> PyResult<Bound<'py, PyDict>> {
        let span = line.span.start as usize..line.span.end as usize;
        let text = self.source.text.get(span).filter(|text| !text.is_empty());
        let text = text.unwrap_or_else(|| self.source.line(line.source_line));
        let step = step_of(py, value)?;
        step.set_item("name", self.assigned(k, line))?;
        step.set_item("line", line.source_line + self.source.first_line - 1)?;
        step.set_item("text", text)?;
        step.set_item("source", self.source.line(line.source_line))?;
        Ok(step)
    }

    /// The result of the program as a step. A result that is the last line adds nothing.
    fn output_step<'py>(&self, py: Python<'py>, value: &Traced) -> PyResult<Bound<'py, PyDict>> {
        let step = step_of(py, value)?;
        let last = self.program.lines.last();
        let is_last = Operand::Var(self.program.lines.len().wrapping_sub(1) as u32);
        step.set_item("name", "return")?;
        step.set_item("line", last.map_or(0, |line| line.source_line + 1))?;
        step.set_item("text", "return")?;
        step.set_item("source", "return")?;
        step.set_item("repeats", self.program.output == is_last)?;
        Ok(step)
    }
}

/// Converts the result of a run to arc-dsl's form, or returns its fault.
fn plain_value<'py>(
    py: Python<'py>,
    outcome: Outcome,
) -> PyResult<Result<Bound<'py, PyAny>, Outcome>> {
    Ok(match outcome {
        Outcome::Grid(it) => Ok(values::rows(py, &it)?),
        Outcome::Value(it) => Ok(values::value(py, &it)?),
        fault => Err(fault),
    })
}

fn step_of<'py>(py: Python<'py>, value: &Traced) -> PyResult<Bound<'py, PyDict>> {
    let step = PyDict::new(py);
    match value {
        Traced::Value(json) => step.set_item("value", values::display(py, json)?)?,
        Traced::Large(n_parts) => step.set_item("omitted", n_parts)?,
        Traced::Fault(fault) => step.set_item("error", fault.name())?,
    }
    Ok(step)
}

/// The inputs of a program.
pub(crate) struct Seen {
    input: Grid,
    demos: Vec<Pair>,
    expected: Option<Grid>,
}

impl Seen {
    /// A grid alone.
    fn alone(input: Grid) -> Seen {
        Seen {
            input,
            demos: Vec::new(),
            expected: None,
        }
    }

    fn of(
        input: &Bound<'_, PyAny>,
        demos: Option<&Bound<'_, PyAny>>,
        expected: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Seen> {
        Ok(Seen {
            input: grid_of(input)?,
            demos: demos.map(pairs_of).transpose()?.unwrap_or_default(),
            expected: expected.map(grid_of).transpose()?,
        })
    }

    /// Reads plain tuples, one for each parameter; `None` if one is not plain.
    fn of_plain<'py>(arguments: impl Iterator<Item = (Input, Bound<'py, PyAny>)>) -> Option<Seen> {
        let (mut input, mut demos, mut expected) = (None, Vec::new(), None);
        for (parameter, argument) in arguments {
            match parameter {
                Input::I => input = Some(plain_grid(&argument)?),
                Input::S => demos = plain_pairs(&argument)?,
                Input::C if argument.is_none() => {}
                Input::C => expected = Some(plain_grid(&argument)?),
            }
        }
        Some(Seen {
            input: input?,
            demos,
            expected,
        })
    }

    fn sample(&self) -> Sample<'_> {
        Sample {
            input: &self.input,
            demos: &self.demos,
            expected: self.expected.as_ref(),
        }
    }
}

/// Reads a tuple of tuples as a grid.
fn plain_grid(value: &Bound<'_, PyAny>) -> Option<Grid> {
    let mut room = plain::ROOM;
    plain::grid(value, &mut room).map(|it| it.grid.to_grid())
}

/// Reads a tuple of pairs of grids.
fn plain_pairs(value: &Bound<'_, PyAny>) -> Option<Vec<Pair>> {
    let pair = |pair: Bound<'_, PyAny>| {
        let pair = pair.cast_into::<PyTuple>().ok()?;
        let part = |k: usize| plain_grid(&pair.get_item(k).ok()?);
        let (input, output) = (part(0)?, part(1)?);
        (pair.len() == 2).then_some(Pair { input, output })
    };
    value.cast::<PyTuple>().ok()?.iter().map(pair).collect()
}

/// The result of a line.
enum Traced {
    Value(Json),
    /// A value that is too large to show, with the number of its parts.
    Large(u32),
    Fault(Fault),
}

/// The largest number of parts of a value that is shown, and of all values of a trace.
const MOST_PARTS: u32 = 50_000;
const MOST_PARTS_IN_ALL: u32 = 500_000;

/// Runs with a trace. Values do not leave their thread, so this writes them down there, unless they
/// nest deeper than `levels`.
fn trace(
    program: &Program,
    seen: &Seen,
    (fuel, levels): (u64, usize),
    cancel: &CancelToken,
) -> Vec<Traced> {
    let values = reference::trace(program, &seen.sample(), fuel, cancel);
    let mut n_parts = 0u32;
    let mut shown = |value: &Value| {
        n_parts = n_parts.saturating_add(value.n_parts());
        if value.n_parts() > MOST_PARTS || n_parts > MOST_PARTS_IN_ALL {
            return None;
        }
        Some(codec::encode(value)).filter(|json| stack::is_within(json, levels))
    };
    let traced = |value: Result<Value, Fault>| match value {
        Err(fault) => Traced::Fault(fault),
        Ok(value) => shown(&value).map_or(Traced::Large(value.n_parts()), Traced::Value),
    };
    values.into_iter().map(traced).collect()
}

/// The exception of a text that is not a program. `first_line` is the number of the text's first
/// line in its file. Empty lines replace those above it, so that the message counts them too.
pub(crate) fn not_parsed(
    findings: &[Diagnostic],
    text: &str,
    (file, first_line): (&str, u32),
) -> PyErr {
    let n_above = first_line as usize - 1;
    let text = format!("{}{text}", "\n".repeat(n_above));
    let below = |found: &Diagnostic| Diagnostic {
        span: found.span.start + n_above..found.span.end + n_above,
        ..found.clone()
    };
    let shown: Vec<_> = findings.iter().take(20).map(below).collect();
    ParseError::new_err(render(&shown, &text, file, false).trim_end().to_owned())
}

/// The largest line at which a text may begin in its file. No file has more lines.
const LAST_FIRST_LINE: u32 = 10_000_000;

fn read(text: &str, language: &Language, file: &str, first_line: u32) -> PyResult<Vec<PyProgram>> {
    let first_line = first_line.clamp(1, LAST_FIRST_LINE);
    let parsed = with_large_stack(|| parse_in(text, file, language));
    let place = (file, first_line);
    let programs = parsed.map_err(|findings| not_parsed(&findings, text, place))?;
    let has_user_names = language.names.is_some();
    Ok(with_source(programs, text, place, has_user_names))
}

fn with_source(
    programs: Vec<Program>,
    text: &str,
    (file, first_line): (&str, u32),
    has_user_names: bool,
) -> Vec<PyProgram> {
    let source = Arc::new(Source {
        file: file.to_owned(),
        text: text.to_owned(),
        first_line,
        is_python: !is_text_form(text) && !is_battery(text),
        has_user_names,
    });
    let program = |program| PyProgram::new(Arc::new(program), source.clone(), DEFAULT_FUEL);
    programs.into_iter().map(program).collect()
}

/// Reads all programs of a file, directory or store.
#[pyfunction]
#[pyo3(signature = (path, dialect=None, names=None))]
fn load_programs(
    path: PathBuf,
    dialect: Option<&str>,
    names: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyProgram>> {
    let language = language(dialect, names)?;
    let has_user_names = language.names.is_some();
    let files = leyden::host::programs(&path, &language).map_err(refused)?;
    let programs = files
        .into_iter()
        .flat_map(|file| with_source(file.programs, &file.text, (&file.name, 1), has_user_names));
    Ok(programs.collect())
}

/// Reads all programs of a text.
#[pyfunction]
#[pyo3(signature = (text, dialect=None, file="<string>", first_line=1, names=None))]
fn parse_programs(
    text: &str,
    dialect: Option<&str>,
    file: &str,
    first_line: u32,
    names: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyProgram>> {
    read(text, &language(dialect, names)?, file, first_line)
}

/// The names in a file of names or its text.
#[pyfunction]
fn user_names(names: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let language = language(None, Some(names))?;
    let names = language.names.iter().flat_map(|names| names.all());
    Ok(names.map(str::to_owned).collect())
}

/// The names of all primitives and constants of all dialects.
#[pyfunction]
fn language_names() -> Vec<&'static str> {
    let constants = Dialect::ALL.into_iter().flat_map(Dialect::constants);
    let names = constants.map(|(name, _)| *name);
    let prims = Dialect::ALL.into_iter().flat_map(Dialect::entries);
    let aliases = Dialect::ALL.into_iter().flat_map(Dialect::aliases);
    names
        .chain(prims.map(|entry| entry.name))
        .chain(aliases.map(|(name, _)| *name))
        .collect()
}
