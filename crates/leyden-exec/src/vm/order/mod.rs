//! The order of CPython's sets, which the engine's own sets do not have.

pub(crate) mod from_hashes;
pub(crate) mod from_provenance;
pub(crate) mod hashes;
pub(crate) mod memo;
mod objects;
pub(crate) mod permutation;
pub(crate) mod provenance;
pub(crate) mod tables;
