//! What a program may say: the table of primitives, their values, and the plainest exact
//! implementation of each.

pub mod fault;
pub mod meter;
pub mod table;
pub mod types;
