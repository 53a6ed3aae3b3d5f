//! Profiles whose numbers add up: the data, its statistics, and the forms it is written in.

mod chance;
pub mod check;
pub mod compare;
mod histogram;
pub mod model;
mod names;
pub mod numbers;
pub mod plan;
pub mod project;
pub mod sample;
mod stacks;
pub mod stats;

pub use histogram::{Histogram, N_BUCKETS, bounds_of, bucket_of};
pub use model::{FORMAT, Profile};
