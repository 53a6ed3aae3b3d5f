//! Names of layers, phases and units.

use std::fmt;

use crate::model::{Kind, Layer, Phase, SlowReason, Unit};

impl Layer {
    /// All layers, in the order of a run.
    pub const ALL: [Layer; 16] = [
        Layer::StartUp,
        Layer::Load,
        Layer::Sample,
        Layer::Mutate,
        Layer::Merge,
        Layer::Compile,
        Layer::Schedule,
        Layer::Transfer,
        Layer::Kernel,
        Layer::Execute,
        Layer::FaultHandling,
        Layer::Candidates,
        Layer::Dedupe,
        Layer::Collect,
        Layer::Memory,
        Layer::Output,
    ];

    /// The name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Layer::StartUp => "start-up",
            Layer::Load => "load",
            Layer::Sample => "sample",
            Layer::Mutate => "mutate",
            Layer::Merge => "merge",
            Layer::Compile => "compile",
            Layer::Schedule => "schedule",
            Layer::Transfer => "transfer",
            Layer::Kernel => "device kernel",
            Layer::Execute => "execute",
            Layer::FaultHandling => "fault handling",
            Layer::Candidates => "candidates and scores",
            Layer::Dedupe => "dedupe",
            Layer::Collect => "result collection",
            Layer::Memory => "memory",
            Layer::Output => "output",
        }
    }
}

impl Phase {
    /// All phases, in order.
    pub const ALL: [Phase; 11] = [
        Phase::StartUp,
        Phase::Load,
        Phase::Generate,
        Phase::Execute,
        Phase::Transfer,
        Phase::Mutate,
        Phase::Enumerate,
        Phase::Induce,
        Phase::Compose,
        Phase::Rank,
        Phase::Validate,
    ];

    /// The name for reports and for `--what-if`.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::StartUp => "start-up",
            Phase::Load => "load",
            Phase::Generate => "generate",
            Phase::Execute => "execute",
            Phase::Transfer => "transfer",
            Phase::Mutate => "mutate",
            Phase::Enumerate => "enumerate",
            Phase::Induce => "induce",
            Phase::Compose => "compose",
            Phase::Rank => "rank",
            Phase::Validate => "validate",
        }
    }

    /// Whether the phase counts as execute time. The phases of a search do.
    pub const fn is_execution(self) -> bool {
        !matches!(
            self,
            Phase::StartUp | Phase::Load | Phase::Generate | Phase::Validate
        )
    }

    /// The phase with this name.
    pub fn from_name(name: &str) -> Option<Phase> {
        Phase::ALL.into_iter().find(|phase| phase.name() == name)
    }
}

impl SlowReason {
    /// The name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            SlowReason::Asked => "--exact-order asks for it",
            SlowReason::Dialect => "the fast engine does not speak the dialect",
            SlowReason::Order => "the order of a set decides",
            SlowReason::Value => "a value of an unusual type",
            SlowReason::Limit => "more fuel or memory than there may be",
        }
    }
}

impl Unit {
    /// The plural for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Once => "once",
            Unit::Tasks => "tasks",
            Unit::Samples => "samples",
            Unit::Programs => "programs",
            Unit::Runs => "runs",
        }
    }
}

impl Kind {
    /// The subcommand that makes such a profile.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Dsl => "dsl",
            Kind::Batch => "batch",
            Kind::Framework => "framework",
            Kind::Pipeline => "pipeline",
            Kind::Lines => "lines",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
