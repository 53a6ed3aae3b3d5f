//! Work in and around the execution of programs, other than primitives.

use leyden_profile::model::Layer;

/// The work of a thread outside of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Work {
    /// Stepping from line to line.
    Dispatch,
    /// Lending, emptying and copying arenas.
    Memory,
    /// Turning grids into the engine's values.
    Inputs,
    /// Turning the engine's values into outcomes.
    Outcomes,
    /// Finding out which fault counts.
    Faults,
    /// Taking outcomes: comparing them with expected outputs.
    Candidates,
    /// Scoring, without the scoring programs themselves.
    Scores,
    /// Finding equal outcomes.
    Dedupe,
    /// Putting results in order.
    Collect,
    /// Handing out work.
    Schedule,
    /// Ready to run, but without a processor.
    Waiting,
    /// The recorder itself.
    Recorder,
}

/// How many kinds of work there are.
pub(super) const N_WORKS: usize = Work::ALL.len();

impl Work {
    /// All kinds, in order.
    pub const ALL: [Work; 12] = [
        Work::Dispatch,
        Work::Memory,
        Work::Inputs,
        Work::Outcomes,
        Work::Faults,
        Work::Candidates,
        Work::Scores,
        Work::Dedupe,
        Work::Collect,
        Work::Schedule,
        Work::Waiting,
        Work::Recorder,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Work::Dispatch => "(dispatch)",
            Work::Memory => "(memory)",
            Work::Inputs => "(inputs)",
            Work::Outcomes => "(outcomes)",
            Work::Faults => "(fault handling)",
            Work::Candidates => "(candidates)",
            Work::Scores => "(scores)",
            Work::Dedupe => "(dedupe)",
            Work::Collect => "(collect)",
            Work::Schedule => "(schedule)",
            Work::Waiting => "(waiting for a processor)",
            Work::Recorder => "(recorder)",
        }
    }

    /// The layer of its time.
    pub fn layer(self) -> Layer {
        match self {
            Work::Dispatch | Work::Recorder => Layer::Execute,
            Work::Memory | Work::Inputs => Layer::Memory,
            Work::Outcomes | Work::Candidates | Work::Scores => Layer::Candidates,
            Work::Faults => Layer::FaultHandling,
            Work::Dedupe => Layer::Dedupe,
            Work::Collect => Layer::Collect,
            Work::Schedule | Work::Waiting => Layer::Schedule,
        }
    }
}
