//! arc-dsl's primitives on plain Python values: `leyden.dsl` and `leyden.rearc`.
//!
//! A kernel does the set operations of the Python original, in its order, through the C API. So
//! values, identities, errors and the order of sets are CPython's own. For heavy computations a
//! kernel extracts numbers first and makes objects of them at the end. If an argument is not plain,
//! the kernel takes the general way.

mod arguments;
mod cache;
mod call;
mod ffi;
mod kernels;
mod obj;

use leyden_dsl::table::{CONSTANTS, Constant, Dialect, Entry, TABLE};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// Any Python value.
type Obj<'py> = Bound<'py, PyAny>;

/// The result of a kernel.
type Res<'py> = PyResult<Obj<'py>>;

/// The context of every kernel.
#[derive(Clone, Copy)]
struct Cx<'py> {
    py: Python<'py>,
    dialect: Dialect,
}

impl<'py> Cx<'py> {
    fn new(py: Python<'py>, dialect: Dialect) -> Self {
        Cx { py, dialect }
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<call::Function>()?;
    ffi::remember_grids(module.py());
    module.add("dsl", primitives(module, Dialect::ArcDsl, "leyden.dsl")?)?;
    module.add("rearc", primitives(module, Dialect::ReArc, "leyden.rearc")?)?;
    module.add("constants", constants(module.py())?)?;
    module.add("signatures", signatures(module.py())?)
}

/// All primitives of a dialect by their names.
fn primitives<'py>(
    module: &Bound<'py, PyModule>,
    dialect: Dialect,
    home: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let named = PyDict::new(module.py());
    let home = PyString::new(module.py(), home);
    for entry in TABLE {
        let me = (entry.prim, dialect);
        let function = ffi::function_object(module, &home, me, &documentation(entry, dialect))?;
        call::make_known(&function, me);
        named.set_item(entry.name, function)?;
    }
    Ok(named)
}

/// The signature as Python reads it, a description of the primitive, and an example.
fn documentation(entry: &Entry, dialect: Dialect) -> String {
    let names = entry.params.iter().map(|param| param.name_in(dialect));
    let params = names.collect::<Vec<_>>().join(", ");
    let (name, doc, example) = (entry.name, entry.doc, entry.example);
    let (call, result) = (example.call, example.result);
    format!("{name}({params})\n--\n\n{doc}\n\nExample: {call} is {result}")
}

/// The types of parameters and results by the primitive's name. The stubs are made from them.
fn signatures(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let named = PyDict::new(py);
    for entry in TABLE {
        let types: Vec<String> = entry
            .params
            .iter()
            .map(|param| format!("{:?}", param.ty))
            .collect();
        named.set_item(entry.name, (types, format!("{:?}", entry.result)))?;
    }
    Ok(named)
}

fn constants(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let named = PyDict::new(py);
    for (name, value) in CONSTANTS {
        match *value {
            Constant::Bool(truth) => named.set_item(name, truth)?,
            Constant::Int(number) => named.set_item(name, number)?,
            Constant::Pair(i, j) => named.set_item(name, (i, j))?,
        }
    }
    Ok(named)
}
