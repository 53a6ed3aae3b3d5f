//! The engine's values, and the arena that holds them.

pub(crate) mod arena;
pub(crate) mod bytes;
pub(crate) mod distinct;
pub(crate) mod finder;
pub(crate) mod inputs;
pub(crate) mod object;
pub(crate) mod patch;
pub(crate) mod portable;
pub(crate) mod small_map;
pub(crate) mod value;
pub(crate) mod word;
