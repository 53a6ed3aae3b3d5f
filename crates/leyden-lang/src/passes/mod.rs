//! Rewrites that let more computations be the same one.

/// Which rules are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules(u32);

impl Rules {
    /// No rule: only what is the same word for word is shared.
    pub const NONE: Rules = Rules(0);
    /// All rules.
    pub const ALL: Rules = Rules(u32::MAX);
}
