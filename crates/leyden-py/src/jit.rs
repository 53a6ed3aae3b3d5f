//! A user's functions on the fast engine: plain tuples in, plain tuples out.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use leyden_exec::Outcome;

use crate::program::PyProgram;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<JitFunction>()
}

/// A compiled function of a solver module.
///
/// It takes and returns what the original does. If an argument is not a plain grid, or a run reaches
/// one of Leyden's limits, it calls the original.
#[pyclass(module = "leyden._leyden", frozen, weakref, dict)]
pub(crate) struct JitFunction {
    program: Py<PyProgram>,
    /// The original, or an object that finds it when it is needed.
    original: Option<Py<PyAny>>,
}

#[pymethods]
impl JitFunction {
    #[new]
    #[pyo3(signature = (program, original=None))]
    fn new(program: Py<PyProgram>, original: Option<Py<PyAny>>) -> JitFunction {
        JitFunction { program, original }
    }

    /// The compiled program.
    #[getter]
    pub(crate) fn program(&self, py: Python<'_>) -> Py<PyProgram> {
        self.program.clone_ref(py)
    }

    /// The original function, or `None`.
    #[getter]
    fn __wrapped__(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.original.as_ref().map(|it| it.clone_ref(py))
    }

    #[getter]
    fn __name__(&self) -> String {
        self.program.get().program.name.clone()
    }

    #[getter]
    fn __qualname__(&self) -> String {
        self.__name__()
    }

    /// The parameters are those of the original, by position; a function of one may name it.
    #[allow(non_snake_case)]
    #[pyo3(signature = (I, *more))]
    fn __call__<'py>(
        &self,
        I: &Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let program = self.program.get();
        let ran = if more.is_empty() && program.takes_a_grid() {
            program.run_plain(I)?
        } else {
            program.run_plain_on(I, more)?
        };
        match ran {
            None => self.fall_back(I, more, || not_a_grid(I)),
            Some(Err(fault)) if is_limit(&fault) => {
                self.fall_back(I, more, || program.raise(&fault))
            }
            Some(Err(fault)) => Err(program.raise(&fault)),
            Some(Ok(value)) => Ok(value),
        }
    }

    fn __repr__(&self) -> String {
        format!("<leyden.jit of {}>", self.__name__())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        // The original may exist in one process only.
        let args = (slf.get().program.clone_ref(slf.py()),).into_pyobject(slf.py())?;
        Ok((slf.get_type().into_any(), args))
    }
}

impl JitFunction {
    fn fall_back<'py>(
        &self,
        first: &Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
        otherwise: impl FnOnce() -> PyErr,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.original {
            Some(original) => {
                let all = std::iter::once(first.clone()).chain(more.iter());
                let all = PyTuple::new(first.py(), all.collect::<Vec<_>>())?;
                original.bind(first.py()).call1(all)
            }
            None => Err(otherwise()),
        }
    }
}

fn is_limit(outcome: &Outcome) -> bool {
    outcome.fault().is_some_and(|fault| fault.is_limit())
}

fn not_a_grid(argument: &Bound<'_, PyAny>) -> PyErr {
    let kind = argument.get_type().name();
    let kind = kind.map_or_else(|_| "this".to_owned(), |kind| kind.to_string());
    PyTypeError::new_err(format!(
        "a compiled function takes a grid (a tuple of tuples of colours), not {kind}"
    ))
}
