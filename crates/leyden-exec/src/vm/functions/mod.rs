//! Functions that are called on many elements: flattened, then run a column at a time.

pub(crate) mod body;
pub(crate) mod columns;
pub(crate) mod flatten;
pub(crate) mod fused_size;
pub(crate) mod nested_columns;
pub(crate) mod number_columns;
pub(crate) mod shapes;
