//! Data sets, the cache, submissions and the library of programs. No other library crate touches
//! the disk.
//!
//! ARC data is JSON in half a dozen shapes. [`load`] takes a [`DataSpec`] (a known name or a path),
//! recognises the shape by its content and returns a [`DataSet`]: tasks sorted by id, with a hash
//! of their content. [`fetch::ensure`] brings the public data sets and programs into the [`Cache`];
//! [`demo`] has built-in tasks that need no file and no network.
//!
//! ```
//! use leyden_store::{Cache, DataSpec, load};
//!
//! let data = load(&DataSpec::Demo, None, &Cache::at("unused"))?;
//! assert!(data.tasks.len() >= 16);
//! assert_eq!(data.hash.len(), 32);
//!
//! let missing = load(&"arc1:training".parse()?, None, &Cache::at("unused")).unwrap_err();
//! assert_eq!(
//!     missing.to_string(),
//!     "arc1:training is not in the cache; `leyden get` fetches it",
//! );
//! # Ok::<(), leyden_store::StoreError>(())
//! ```

mod atomic;
mod cache;
mod dataset;
pub mod demo;
mod error;
pub mod fetch;
mod json;
pub mod library;
mod load;
mod pip;
mod shape;
mod spec;
pub mod submission;
pub mod temporary;
#[cfg(test)]
mod testing;
mod words;

pub use atomic::write_atomic;
pub use cache::Cache;
pub use dataset::{DataSet, task_hash};
pub use error::{ContentError, StoreError};
pub use json::Problem;
pub use load::{
    load, load_grids, load_solutions, parse_grids, parse_solutions, parse_tasks, read_text,
    read_text_within, read_within, without_mark,
};
pub use shape::{Shape, Solutions};
pub use spec::{Collection, DataSpec, NewPart, Subset};
pub use words::io_words;
