//! The language of programs: the table of primitives, their values, and the plainest exact
//! implementation of each.

pub mod codec;
pub mod cx;
pub mod fault;
pub mod kernels;
pub mod kinds;
pub mod marks;
pub mod meter;
pub mod ops;
pub mod pyset;
mod sort;
pub mod table;
pub mod tokpidjin;
pub mod types;
pub mod value;
