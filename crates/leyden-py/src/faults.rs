//! Faults as Python exceptions.

use leyden::host::Refused;
use leyden_dsl::fault::Fault;
use leyden_store::StoreError;
use pyo3::create_exception;
use pyo3::exceptions::{
    PyAttributeError, PyIndexError, PyKeyError, PyKeyboardInterrupt, PyRecursionError,
    PyRuntimeError, PyStopIteration, PyTypeError, PyValueError, PyZeroDivisionError,
};
use pyo3::prelude::*;

create_exception!(
    leyden,
    LimitError,
    PyRuntimeError,
    "A run reached one of Leyden's own limits."
);
create_exception!(leyden, FuelError, LimitError, "A program used up its fuel.");
create_exception!(
    leyden,
    MemoryLimit,
    LimitError,
    "A value has too many elements or nests too deep."
);
create_exception!(
    leyden,
    OverflowLimit,
    LimitError,
    "An integer does not fit in 64 bits."
);
create_exception!(
    leyden,
    ParseError,
    PyValueError,
    "The text is not a program; the message shows where."
);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("LimitError", py.get_type::<LimitError>())?;
    module.add("FuelError", py.get_type::<FuelError>())?;
    module.add("MemoryLimit", py.get_type::<MemoryLimit>())?;
    module.add("OverflowLimit", py.get_type::<OverflowLimit>())?;
    module.add("ParseError", py.get_type::<ParseError>())
}

/// Turns a fault into CPython's exception, or into that of a limit.
pub(crate) fn exception(fault: Fault, message: String) -> PyErr {
    match fault {
        Fault::AttributeError => PyAttributeError::new_err(message),
        Fault::IndexError => PyIndexError::new_err(message),
        Fault::KeyError => PyKeyError::new_err(message),
        Fault::RecursionError => PyRecursionError::new_err(message),
        Fault::RuntimeError => PyRuntimeError::new_err(message),
        Fault::StopIteration => PyStopIteration::new_err(message),
        Fault::TypeError => PyTypeError::new_err(message),
        Fault::ValueError => PyValueError::new_err(message),
        Fault::ZeroDivisionError => PyZeroDivisionError::new_err(message),
        Fault::Overflow => OverflowLimit::new_err(message),
        Fault::Fuel => FuelError::new_err(message),
        Fault::Memory => MemoryLimit::new_err(message),
        Fault::Cancelled => PyKeyboardInterrupt::new_err(message),
    }
}

/// The exception of a command that refused its arguments. Exit code 2 is the caller's mistake.
pub(crate) fn refused(refused: Refused) -> PyErr {
    let message = refused.message.trim_end();
    let message = message
        .strip_prefix("error: ")
        .unwrap_or(message)
        .to_owned();
    match refused.code {
        2 => PyValueError::new_err(message),
        130 => PyKeyboardInterrupt::new_err(message),
        _ => PyRuntimeError::new_err(message),
    }
}

pub(crate) fn bad_data(error: StoreError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
