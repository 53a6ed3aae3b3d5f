//! Runs programs.
//!
//! Two engines, one answer. The reference engine ([`reference`](mod@reference)) is the plainest
//! interpreter over values that behave as CPython's do, order of sets included. The fast engine
//! keeps sets as bitboards without order and gives up, rather than guess, wherever an order
//! could be seen; [`Engine::run`] then asks the reference engine. So every answer is exact and
//! few programs pay for it.
//!
//! `examples/run_a_program.rs`:
//!
#![doc = "```"]
#![doc = include_str!("../examples/run_a_program.rs")]
#![doc = "```"]

mod batch;
mod battery;
mod cache;
mod elsewhere;
mod engine;
mod outcome;
pub mod random;
pub mod record;
pub mod reference;
mod shortage;
mod vm;

pub use batch::{Queue, parallel_map, share_out, with_large_stack};
pub use battery::{BatteryPlan, Counts, Seen, Worker};
pub use cache::{Cache, CacheCounts};
pub use elsewhere::{Answered, Asked, Elsewhere, Loaded, Spent};
pub use engine::{Engine, Mode, Sample};
pub use outcome::{Outcome, OutputGrid, Ran, is_grid};
pub use shortage::Shortage;
pub use vm::{GaveUp, Ready, warm_up};
