//! Measures the rest of this thread's stack. Programs and values nest, and nesting is recursion in
//! Rust. A thread of the user may have a stack of any size.

use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use serde_json::Value as Json;

/// The stack that the fast engine needs for a program. Values nest up to 4,000 levels, and
/// comparing them is recursion.
const OF_A_RUN: usize = 4 << 20;

/// The stack that converting one level of a nested value to Python takes at most, including its
/// hash.
const OF_A_LEVEL: usize = 2 << 10;

/// The stack for a nested call without its nesting: a kernel's own frames, and the interpreter's if
/// a kernel compares, hashes or calls a Python object.
const OF_A_CALL: usize = 96 << 10;

/// The bytes left, as far as the system tells.
fn left() -> usize {
    stacker::remaining_stack().unwrap_or(usize::MAX)
}

/// Whether the stack suffices for a run of a program.
pub(crate) fn has_room_for_a_run() -> bool {
    left() >= OF_A_RUN
}

/// Whether the stack suffices for one more nested call.
#[inline]
pub(crate) fn has_room_for_a_call() -> bool {
    left() >= OF_A_CALL
}

/// The number of levels of a value for which the stack suffices.
pub(crate) fn levels() -> usize {
    left() / OF_A_LEVEL
}

/// The error for a value that nests deeper.
pub(crate) fn too_deep(levels: usize) -> PyErr {
    PyRecursionError::new_err(format!("a value nested over {levels} deep"))
}

/// The deepest nesting of a value from another thread: this thread has to drop it.
pub(crate) fn levels_to_keep() -> usize {
    if has_room_for_a_run() {
        usize::MAX
    } else {
        levels()
    }
}

/// Whether a value nests no deeper. Only for a thread with a large stack.
pub(crate) fn is_within(json: &Json, levels: usize) -> bool {
    let inner = |json: &Json| levels > 0 && is_within(json, levels - 1);
    match json {
        _ if levels == usize::MAX => true,
        Json::Array(items) => items.iter().all(inner),
        Json::Object(fields) => fields.values().all(|content| is_within(content, levels)),
        _ => true,
    }
}
