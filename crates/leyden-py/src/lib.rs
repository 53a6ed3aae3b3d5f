//! Leyden in Python: the extension module `leyden._leyden`. The package around it is in `python/leyden`.

mod battery;
mod buffer;
mod command;
mod dsl;
mod faults;
mod grid;
mod jit;
mod language;
mod ordered;
mod own;
mod plain;
mod program;
mod stack;
mod task;
mod tuples;
mod values;

use pyo3::prelude::*;

/// The engine of the package `leyden`.
//
// It counts references to numbers itself (tuples.rs), which needs the interpreter's lock. A build of
// Python without that lock switches it back on.
#[pymodule(gil_used = true)]
fn _leyden(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    command::register(module)?;
    dsl::register(module)?;
    faults::register(module)?;
    grid::register(module)?;
    task::register(module)?;
    program::register(module)?;
    plain::register(module)?;
    jit::register(module)?;
    own::register(module)?;
    battery::register(module)
}
