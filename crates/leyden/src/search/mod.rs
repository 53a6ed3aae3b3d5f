//! A search of `leyden solve`: its threads, its findings and its journal; and the lines
//! that a run adds to a file.

pub(crate) mod crew;
pub(crate) mod found;
pub(crate) mod journal;
pub(crate) mod lines;
