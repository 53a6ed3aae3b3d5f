//! Leyden in Python: the extension module `leyden._leyden`. The package around it is in `python/leyden`.

mod command;
mod dsl;

use pyo3::prelude::*;

/// What `import leyden` stands on.
#[pymodule]
fn _leyden(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    command::register(module)?;
    dsl::register(module)
}
