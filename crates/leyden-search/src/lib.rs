//! Makes programs out of programs.
//!
//! [`Card`] samples programs from a library, [`mutate`] changes them, and the result is one
//! [`Battery`](leyden_lang::Battery). All choices come from [`Dice`], hence from one seed.
//!
//! Nothing here sees a test output: colours come from a [`Puzzle`](leyden_grid::Puzzle)'s
//! demonstration pairs. A [`Task`](leyden_grid::Task), which has the answers, does not compile:
//!
//! ```compile_fail
//! fn peek(task: &leyden_grid::Task) -> leyden_search::colours::Colours {
//!     leyden_search::colours::Colours::of(task)
//! }
//! ```
//!
//! ```
//! fn look(task: &leyden_grid::Task) -> leyden_search::colours::Colours {
//!     leyden_search::colours::Colours::of(&task.puzzle())
//! }
//! ```
//!
//! `examples/solve_a_task.rs`:
//!
#![doc = "```"]
#![doc = include_str!("../examples/solve_a_task.rs")]
#![doc = "```"]

pub mod card;
pub mod colours;
mod dice;
pub mod evolve;
pub mod judge;
mod meaning;
pub mod mutate;
mod pairs;
pub mod scores;
pub mod solve;
pub mod types;
mod urn;

pub use card::{Card, CardReport, Clock, Deck, NoClock};
pub use dice::Dice;
pub use mutate::{Kind, Rates};
