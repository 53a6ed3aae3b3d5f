//! Calls the server of `leyden explore` as its page, scripts and attackers do.

#![cfg(feature = "explore")]
#![allow(clippy::unwrap_used)]

mod api;
mod calls;
mod guard;
mod page;
mod runs;
