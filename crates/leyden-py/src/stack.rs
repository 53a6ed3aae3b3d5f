//! What is left of this thread's stack. Programs and values nest, and what nests is recursion here; a thread
//! of the user's may have any stack, however small.

use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use serde_json::Value as Json;

/// The fast engine needs no more for a program: values nest up to 4,000 levels, and to compare them is recursion.
const OF_A_RUN: usize = 4 << 20;

/// A level of a nested value takes less to become one of Python's, which hashes it as well.
const OF_A_LEVEL: usize = 2 << 10;

/// So much is left to what a nested call does besides nesting: a kernel's own frames, and the interpreter's
/// where a kernel compares, hashes or calls something of Python's.
const OF_A_CALL: usize = 96 << 10;

/// How many bytes are left, at least as far as the system tells.
fn left() -> usize {
    stacker::remaining_stack().unwrap_or(usize::MAX)
}

/// Is there room for a run of a program?
pub(crate) fn has_room_for_a_run() -> bool {
    left() >= OF_A_RUN
}

/// Is there room for one more nested call?
#[inline]
pub(crate) fn has_room_for_a_call() -> bool {
    left() >= OF_A_CALL
}

/// How many levels of a value there is room for.
pub(crate) fn levels() -> usize {
    left() / OF_A_LEVEL
}

/// The complaint about a value that nests deeper than that.
pub(crate) fn too_deep(levels: usize) -> PyErr {
    PyRecursionError::new_err(format!("a value nested over {levels} deep"))
}

/// How deep a value may nest that comes from another thread: this one has to drop it.
pub(crate) fn levels_to_keep() -> usize {
    match has_room_for_a_run() {
        true => usize::MAX,
        false => levels(),
    }
}

/// Does a value nest no deeper? Only for a thread with a large stack.
pub(crate) fn is_within(json: &Json, levels: usize) -> bool {
    let inner = |json: &Json| levels > 0 && is_within(json, levels - 1);
    match json {
        _ if levels == usize::MAX => true,
        Json::Array(items) => items.iter().all(inner),
        Json::Object(fields) => fields.values().all(|content| is_within(content, levels)),
        _ => true,
    }
}
