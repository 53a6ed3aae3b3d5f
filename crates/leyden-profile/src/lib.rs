//! Profiles whose numbers add up: the data, its statistics, and the forms it is written in.

mod chance;
pub mod check;
pub mod compare;
pub mod csv;
pub mod flame;
mod histogram;
pub mod html;
pub mod json;
mod lines;
pub mod model;
mod names;
pub mod numbers;
pub mod plan;
pub mod pprof;
pub mod project;
pub mod report;
pub mod sample;
mod speedscope;
mod stacks;
pub mod stats;
pub mod table;

pub use histogram::{Histogram, N_BUCKETS, bounds_of, bucket_of};
pub use model::{FORMAT, Profile};
