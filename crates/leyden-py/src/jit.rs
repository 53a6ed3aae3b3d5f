//! A user's functions on the fast engine: plain tuples in, plain tuples out.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use leyden_exec::Outcome;

use crate::program::PyProgram;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<JitFunction>()
}

/// A function of a solver module, compiled. It takes and gives what the original does; where an
/// argument is no plain grid, or a run meets a limit of Leyden's, the original is called.
#[pyclass(module = "leyden._leyden", frozen, weakref, dict)]
pub(crate) struct JitFunction {
    program: Py<PyProgram>,
    /// The original, or something that finds it when it is needed.
    original: Option<Py<PyAny>>,
}

#[pymethods]
impl JitFunction {
    #[new]
    #[pyo3(signature = (program, original=None))]
    fn new(program: Py<PyProgram>, original: Option<Py<PyAny>>) -> JitFunction {
        JitFunction { program, original }
    }

    /// What it was compiled to.
    #[getter]
    pub(crate) fn program(&self, py: Python<'_>) -> Py<PyProgram> {
        self.program.clone_ref(py)
    }

    /// The original, if there is one.
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

    #[allow(non_snake_case)]
    #[pyo3(signature = (I))]
    fn __call__<'py>(&self, I: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let program = self.program.get();
        match program.run_plain(I)? {
            None => self.fall_back(I, || not_a_grid(I)),
            Some(Err(fault)) if is_limit(&fault) => self.fall_back(I, || program.raise(&fault)),
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
        // The original may be a thing of one process.
        let args = (slf.get().program.clone_ref(slf.py()),).into_pyobject(slf.py())?;
        Ok((slf.get_type().into_any(), args))
    }
}

impl JitFunction {
    fn fall_back<'py>(
        &self,
        argument: &Bound<'py, PyAny>,
        otherwise: impl FnOnce() -> PyErr,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.original {
            Some(original) => original.bind(argument.py()).call1((argument,)),
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
        "only a grid (a tuple of tuples of colours) can be compiled for, not {kind}"
    ))
}
