//! Profiles: runs with the recorder on, and their evaluation.

mod build;
mod device;
mod lines;
mod machine;
pub(crate) mod measure;
pub(crate) mod output;
mod passes;
mod repeats;
pub(crate) mod search;
mod slow;
mod stacks;
mod units;

pub(crate) use measure::profile;
