//! Programs and batteries in compiled form, and the calls that their lines make.

pub(crate) mod call;
pub(crate) mod graph;
pub(crate) mod outcome;
pub(crate) mod program;
pub(crate) mod ready;
pub(crate) mod reference_call;
pub(crate) mod watch;
