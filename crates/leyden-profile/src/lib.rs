//! Profiles whose numbers add up: the data, its analysis and its output formats.
//!
//! A [`Profile`] is plain data ([`model`]). The code that measures fills it, and keeps self time
//! (which adds up) apart from cumulative time (which does not). [`Profile::check`] tests that self
//! times add up. The other modules answer questions:
//!
//! | question | where |
//! |---|---|
//! | what takes the time, what is worth speeding up | [`stats`] |
//! | the answer in one sentence | [`Profile::verdict`] |
//! | what to do first, and what it gives | [`advice`] |
//! | what would more tasks take | [`project`] |
//! | what if something were faster | [`what_if`] |
//! | what fits into a budget | [`plan`] |
//! | did it get faster | [`compare`] |
//! | a report to read | [`report`] (text, Markdown), [`html`] |
//! | a file for other programs | [`json`], [`csv`], [`flame`], [`pprof`], `to_speedscope`, `to_collapsed` |
//!
//! Nothing here reads a clock, a file or the terminal.
//!
//! ```
//! use leyden_profile::Profile;
//! use leyden_profile::project::{WhatIf, project};
//! use leyden_profile::sample::sample_profile;
//!
//! let profile = sample_profile();
//! assert!(profile.check().is_empty());
//!
//! let stats = profile.primitive_stats();
//! assert_eq!(stats[0].row.name, "objects");
//! assert_eq!(stats[0].priority.name(), "HIGH");
//!
//! let all = project(&profile, 400, &WhatIf::default())?;
//! assert!(all.estimate.low_ns < all.estimate.ns && all.estimate.ns < all.estimate.high_ns);
//!
//! assert_eq!(Profile::from_json(&profile.to_json())?, profile);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod advice;
mod chance;
pub mod check;
pub mod compare;
pub mod csv;
mod device;
pub mod flame;
mod histogram;
pub mod html;
pub mod json;
mod legacy;
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
mod verdict;
pub mod what_if;

pub use histogram::{Histogram, N_BUCKETS, bounds_of, bucket_of};
pub use model::{FORMAT, Profile};
