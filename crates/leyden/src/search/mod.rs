//! A search of `leyden solve`: its threads, its findings and its journal.

pub(crate) mod crew;
pub(crate) mod found;
pub(crate) mod journal;
