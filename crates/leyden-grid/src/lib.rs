//! Grids and tasks, the data that all other crates work on.
//!
//! This crate knows neither files nor programs. A [`Grid`] is a rectangle of colours in one flat
//! buffer, a [`Task`] is an entry of a data set, and a [`Puzzle`] is the part of a task that a
//! search may see. A puzzle has no test outputs, so a search cannot read them.
//!
//! ```
//! use leyden_grid::{Grid, Pair, Task, TaskId, TestCase};
//!
//! let dark = Grid::from_rows(&[vec![0, 1], vec![1, 0]])?;
//! let light = Grid::from_rows(&[vec![5, 6], vec![6, 5]])?;
//! let task = Task {
//!     id: TaskId::new("brighten")?,
//!     demos: vec![Pair { input: dark.clone(), output: light.clone() }],
//!     tests: vec![TestCase { input: dark, output: Some(light) }],
//! };
//! assert_eq!(task.puzzle().test_inputs.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod grid;
mod task;
mod words;

pub use grid::{Grid, GridError, GridRef, MAX_COLOUR, MAX_SIDE};
pub use task::{Pair, Puzzle, Task, TaskId, TaskIdError, TestCase};
pub use words::{count, counted};
