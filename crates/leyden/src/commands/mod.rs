//! One file per command.

pub(crate) mod batt;
pub(crate) mod card;
pub(crate) mod completions;
pub(crate) mod eval;
pub(crate) mod evolve;
pub(crate) mod get;
pub(crate) mod gpu;
#[cfg(any(feature = "opencl", feature = "cuda"))]
mod gpu_bench;
#[cfg(any(feature = "opencl", feature = "cuda"))]
mod gpu_selftest;
pub(crate) mod import;
pub(crate) mod library;
pub(crate) mod merge;
pub(crate) mod primitives;
pub(crate) mod profile;
pub(crate) mod run;
pub(crate) mod score;
pub(crate) mod show;
pub(crate) mod solve;
pub(crate) mod submit_check;
pub(crate) mod trace;
