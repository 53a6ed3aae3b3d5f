//! Profiles whose numbers add up: the data, its statistics, and the forms it is written in.

mod histogram;
pub mod model;

pub use histogram::{Histogram, N_BUCKETS, bounds_of, bucket_of};
pub use model::{FORMAT, Profile};
