//! [`Profile`]: what was measured, as plain data.
//!
//! All times are nanoseconds. **Self** time is time in which nothing else of the same table was
//! running: self times of a table never overlap, so they add up. **Cumulative** time includes what
//! was called from there, and is for looking at, never for adding; of a primitive that calls
//! itself only the outermost call counts.
//!
//! What adds up to what ([`Profile::check`](crate::check) verifies it):
//!
//! - `layers`, `phases`, and the `stacks` each to [`Totals::whole_ns`];
//! - `primitives` (with the rows for what is not a primitive) to [`Totals::execute_ns`];
//! - `tasks` and [`Totals::outside_tasks_ns`] to [`Totals::execute_ns`];
//! - `lines` and [`Totals::outside_lines_ns`] to [`Totals::execute_ns`];
//! - `slow_path` to [`Totals::reference_ns`];
//! - the device's transfer, kernel and idle time to the execute phase by the wall clock;
//! - the primitives of a task to that task, and over all tasks to the rows of `primitives`.

use serde::{Deserialize, Serialize, Serializer};

use crate::histogram::Histogram;

/// The first words of every result file; another format gets another number.
pub const FORMAT: &str = "leyden-profile/1";

/// A profile: one run, looked at from several sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// [`FORMAT`].
    pub format: String,
    /// Which of the profilers made it.
    pub kind: Kind,
    /// What was profiled, in a few words: "100 tasks of arc1:training".
    pub title: String,
    /// Under which circumstances.
    pub setting: Setting,
    /// What the tables add up to.
    pub totals: Totals,
    /// What measuring cost.
    pub recorder: RecorderCost,
    /// Per primitive, and a row for each kind of work in the execute phase that is none.
    #[serde(default)]
    pub primitives: Vec<PrimitiveRow>,
    /// Per task, in the order they were run in.
    #[serde(default)]
    pub tasks: Vec<TaskRow>,
    /// Programs or batteries that `lines` and `stacks` are about.
    #[serde(default)]
    pub sources: Vec<Source>,
    /// Per line of those sources.
    #[serde(default)]
    pub lines: Vec<LineRow>,
    /// Who called whom.
    #[serde(default)]
    pub stacks: Stacks,
    /// The whole run by layer.
    #[serde(default)]
    pub layers: Vec<LayerRow>,
    /// The whole run by phase.
    #[serde(default)]
    pub phases: Vec<PhaseRow>,
    /// Costs that more tasks would not raise; parts of the phases they name.
    #[serde(default)]
    pub one_time: Vec<OneTimeCost>,
    /// What a device did, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceUse>,
    /// What the reference engine ran, by reason: the longest first.
    #[serde(default)]
    pub slow_path: Vec<SlowPath>,
    /// Work done more often than needed.
    #[serde(default)]
    pub repeats: Vec<Repeat>,
    /// How much of the results was right.
    #[serde(default)]
    pub accuracy: Vec<Accuracy>,
    /// How the tasks were chosen out of the data set.
    #[serde(default)]
    pub sampling: Sampling,
    /// What other numbers of tasks would take ([`crate::project`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projections: Vec<Projection>,
    /// Runs that fit into a time ([`crate::plan`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
    /// What this run would take with phases or primitives imagined faster.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_ifs: Vec<Imagined>,
    /// Remarks for the reader: what was left out, what may mislead.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// How tasks were chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// The rule.
    pub method: SamplingMethod,
    /// The size hints of the data set's tasks that were *not* run, if the method uses hints.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "all_finite"
    )]
    pub hints_of_rest: Vec<f64>,
    /// The limit that every task was run under: no task takes longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_per_task_ns: Option<u64>,
}

/// The rule by which tasks were chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplingMethod {
    /// All of them, or by name: nothing follows for others.
    #[default]
    Given,
    /// Each was as likely as any other.
    Uniform,
    /// With a probability proportional to the size hint
    /// ([`crate::project::sample_by_size`]).
    BySize,
}

/// What a run over some number of tasks would take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    /// So many tasks.
    pub n_tasks: u64,
    /// The changes assumed: empty, or "generate=2x,execute=35x".
    #[serde(default)]
    pub what_if: String,
    /// The estimate, one-time costs included.
    pub estimate: Interval,
    /// What the estimate cannot exceed, by the rules in [`crate::project`].
    #[serde(default, serialize_with = "finite")]
    pub cap_ns: f64,
    /// One-time costs in it, with what timed phases took beyond the times of their tasks.
    #[serde(serialize_with = "finite")]
    pub once_ns: f64,
    /// The estimate if outliers are taken out of it.
    #[serde(serialize_with = "finite")]
    pub without_outliers_ns: f64,
    /// Outliers among the tasks that were run, by id.
    pub outliers: Vec<String>,
    /// Per phase, one-time costs left out.
    pub phases: Vec<PhaseProjection>,
}

/// How many runs fit into a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// The time, as it was asked for: "8h".
    pub budget: String,
    /// Workers that share the tasks of a run.
    pub workers: u32,
    /// Tasks of a run.
    pub n_tasks: u64,
    /// The changes assumed, as in [`Projection::what_if`].
    #[serde(default)]
    pub what_if: String,
    /// What one run takes by the wall clock.
    pub run: Interval,
    /// Whole runs that fit, going by the estimate.
    pub expected: u64,
    /// Whole runs that fit if each takes as long as the interval allows.
    pub at_least: u64,
    /// Whole runs that fit if each is as short as the interval allows.
    pub at_most: u64,
}

/// A run as it was, and as it would be with something faster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imagined {
    /// The changes: "objects=3x,execute=2x".
    pub what_if: String,
    /// The execute time as it was.
    pub execute_ns: u64,
    /// The execute time with the changes.
    pub execute_becomes_ns: u64,
    /// All work as it was.
    pub whole_ns: u64,
    /// All work with the changes.
    pub whole_becomes_ns: u64,
}

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate.
    #[serde(serialize_with = "finite")]
    pub ns: f64,
    /// The lower end.
    #[serde(serialize_with = "finite")]
    pub low_ns: f64,
    /// The upper end.
    #[serde(serialize_with = "finite")]
    pub high_ns: f64,
}

/// A phase within a projection.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PhaseProjection {
    /// Which.
    pub phase: Phase,
    /// What it would take.
    pub estimate: Interval,
}

/// The profiler that made a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One or a few tasks, per primitive.
    Dsl,
    /// Many tasks, per primitive and task.
    Batch,
    /// Layers and themes.
    Framework,
    /// Phases and projections.
    Pipeline,
    /// Lines of programs.
    Lines,
}

/// The circumstances of a run: what a reader needs to repeat it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The command line.
    pub command: String,
    /// When, as RFC 3339; empty where the report should be the same each time.
    #[serde(default)]
    pub date: String,
    /// What ran: the engine first, then whatever else has a version.
    pub versions: Vec<Version>,
    /// On what.
    pub hardware: Hardware,
    /// The tasks.
    pub data: DataSet,
    /// The programs or the battery: name, number, content hash.
    #[serde(default)]
    pub programs: ProgramSet,
    /// The seed of every random choice; `None` where there was none.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Worker threads.
    pub jobs: u32,
}

/// A name with its version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// "leyden", "rustc", a driver.
    pub name: String,
    /// As it calls itself.
    pub version: String,
}

/// The machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hardware {
    /// The processor's name.
    pub cpu: String,
    /// Logical processors that the run could use.
    pub cores: u32,
    /// Bytes of memory; 0 where unknown.
    #[serde(default)]
    pub memory_bytes: u64,
    /// Operating system and architecture: "linux x86_64".
    pub os: String,
    /// A GPU, where one was used.
    #[serde(default)]
    pub device: Option<String>,
}

/// The tasks of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataSet {
    /// "arc1:training".
    pub name: String,
    /// The content hash.
    pub hash: String,
    /// How many tasks the set has; the profile may be of fewer.
    pub n_tasks: u64,
}

/// The programs of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramSet {
    /// A file's name, or "own programs".
    pub name: String,
    /// The content hash.
    pub hash: String,
    /// How many.
    pub n_programs: u64,
}

/// What the tables add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// From start to end by the wall clock.
    pub wall_ns: u64,
    /// Processor time of all workers, summed.
    pub worker_cpu_ns: u64,
    /// All work that was done: with one job the wall time; with more, the main thread's time
    /// outside the workers plus `worker_cpu_ns`.
    pub whole_ns: u64,
    /// The execute phase: with one job its wall time, with more `worker_cpu_ns`.
    pub execute_ns: u64,
    /// The part of `execute_ns` that belongs to no single task: what is computed once for all,
    /// handing out work.
    #[serde(default)]
    pub outside_tasks_ns: u64,
    /// The part of `execute_ns` that belongs to no line of a program: inputs, outcomes, memory,
    /// handing out work, the recorder. 0 where lines were not recorded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outside_lines_ns: u64,
    /// The part of `execute_ns` in which the reference engine ran programs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reference_ns: u64,
    /// Programs run on samples.
    pub runs: u64,
}

/// What the recorder cost, measured in this run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecorderCost {
    /// What was recorded: "primitive", "line", "phase".
    pub grain: String,
    /// The clock: "tsc", "monotonic".
    pub clock: String,
    /// How often it was read.
    pub events: u64,
    /// What one reading and its bookkeeping take.
    #[serde(serialize_with = "finite")]
    pub ns_per_event: f64,
    /// The share of the wall time that recording took: 0.08 is 8 %.
    #[serde(serialize_with = "finite")]
    pub share_of_wall: f64,
    /// The share of the execute time that it took: that of the time which tables are about.
    #[serde(default, serialize_with = "finite")]
    pub share_of_execute: f64,
    /// How that share was found: "against an unrecorded run", "calibrated".
    pub how: String,
}

/// What a row of [`Profile::primitives`] stands for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// A primitive of the language.
    #[default]
    Primitive,
    /// Work around primitives: "(dispatch)", "(exact re-run)". Never gets a priority.
    Engine,
    /// The recorder itself.
    Recorder,
}

/// A primitive, over the whole run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PrimitiveRow {
    /// Its name; of a row that is no primitive, words in parentheses.
    pub name: String,
    /// What the row stands for.
    #[serde(default)]
    pub kind: RowKind,
    /// The layer that its time belongs to.
    #[serde(default)]
    pub layer: Layer,
    /// The kernel theme: "grids", "objects"; empty where it has none.
    #[serde(default)]
    pub theme: String,
    /// Calls, nested ones included.
    pub calls: u64,
    /// Time in it and in nothing that it called.
    pub self_ns: u64,
    /// Time from its outermost call to its return.
    pub cumulative_ns: u64,
    /// Self time per call.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub histogram: Histogram,
    /// Cells or elements that it looked at or made.
    #[serde(default)]
    pub cells: u64,
    /// Calls that ended in a fault.
    #[serde(default)]
    pub faults: u64,
    /// Could the device take it? `None` where nobody knows.
    #[serde(default)]
    pub device: Option<bool>,
    /// The share of the total that was expected (`--expect`), from 0 to 1.
    #[serde(default)]
    pub expected_share: Option<f64>,
}

/// A task, with all programs that ran on it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskRow {
    /// Its id.
    pub id: String,
    /// Programs run on its samples.
    pub runs: u64,
    /// Time in the execute phase that belongs to it.
    pub self_ns: u64,
    /// Runs that ended in a fault.
    #[serde(default)]
    pub faults: u64,
    /// Its samples, in order.
    #[serde(default)]
    pub samples: Vec<SampleRow>,
    /// Rows of [`Profile::primitives`], for this task alone.
    #[serde(default)]
    pub primitives: Vec<TaskPrimitive>,
    /// Its time per layer, as far as it was told apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerTime>,
    /// Its time per phase; projections start from these. Without them, all is execute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseTime>,
    /// A guess, made before it was run, that its time may be proportional to: cells of its
    /// inputs × lines of its program. 0 where there was none.
    #[serde(
        default,
        skip_serializing_if = "is_zero_f64",
        serialize_with = "finite"
    )]
    pub size_hint: f64,
    /// Was its output right? `None` where nobody looked.
    #[serde(default)]
    pub right: Option<bool>,
    /// A pair to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
}

/// A sample of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRow {
    /// Is it a test input?
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_test: bool,
    /// Programs run on it.
    pub runs: u64,
    /// Time that belongs to it.
    pub self_ns: u64,
    /// Runs that ended in a fault.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
    /// Cells of its input grid; 0 where unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cells: u64,
}

/// A primitive within one task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskPrimitive {
    /// Its place in [`Profile::primitives`].
    pub row: u32,
    /// Calls, nested ones included.
    pub calls: u64,
    /// Time in it and in nothing that it called.
    pub self_ns: u64,
    /// Time from its outermost call to its return.
    pub cumulative_ns: u64,
    /// Cells or elements that it looked at or made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cells: u64,
    /// Calls that ended in a fault.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
    /// Self time per call. Where it is left out, medians are lost when tasks are filtered.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub histogram: Histogram,
}

/// A share of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerTime {
    /// Which.
    pub layer: Layer,
    /// How much of it.
    pub self_ns: u64,
}

/// A share of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTime {
    /// Which.
    pub phase: Phase,
    /// How much of it.
    pub self_ns: u64,
}

/// Grids to show with a task: each row is a string of digits, one a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// The input.
    pub input: Vec<String>,
    /// The output that is wanted.
    #[serde(default)]
    pub output: Vec<String>,
}

/// A text that lines come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// A function's or a battery's name: "solve_00d62c1b".
    pub name: String,
    /// The file, as it was given; empty where there is none.
    #[serde(default)]
    pub file: String,
}

/// A line of a program or a battery. Lines do not call each other, so the times of all lines
/// are disjoint, though each includes all primitives that it called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRow {
    /// Its place in [`Profile::sources`].
    pub source: u32,
    /// Counted from 1.
    pub line: u32,
    /// What it says.
    pub text: String,
    /// How often it was run; 0 for lines that are only shown.
    pub hits: u64,
    /// Time in it, with everything that it called.
    pub time_ns: u64,
    /// The part of that time in which the reference engine ran it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reference_ns: u64,
    /// Times that it faulted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
    /// Cells or elements that it looked at or made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cells: u64,
    /// The programs that share it, where it was merged; the first of them if there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_by: Vec<String>,
    /// How many programs share it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_shared: u64,
}

/// Call stacks, collapsed: each path once, with its self time.
///
/// A path runs layer → program → line → primitive → inner primitive, as far as it was recorded.
/// Every layer's own time is a path of one frame, so all paths add up to the whole
/// ([`Profile::complete_stacks`] adds those).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stacks {
    /// Each frame once.
    pub frames: Vec<Frame>,
    /// Each path once.
    pub paths: Vec<Path>,
}

/// What stands on a stack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Frame {
    /// What to call it.
    pub name: String,
    /// What it is.
    pub kind: FrameKind,
    /// The file, where it is a program or a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line, counted from 1; 0 where there is none.
    #[serde(default, skip_serializing_if = "is_zero_u32")]
    pub line: u32,
}

/// What a frame is.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum FrameKind {
    /// A layer.
    Layer,
    /// A program or a battery.
    Program,
    /// A line.
    Line,
    /// A primitive.
    #[default]
    Primitive,
    /// Work of the engine that is no primitive.
    Engine,
}

/// A path from the outermost frame to the innermost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    /// Places in [`Stacks::frames`].
    pub frames: Vec<u32>,
    /// Time with just these frames on the stack.
    pub self_ns: u64,
    /// How often the innermost frame was entered.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls: u64,
}

/// A layer of the system. Every moment of a run belongs to one.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Until arguments are read and threads are there.
    StartUp,
    /// Reading data and programs.
    Load,
    /// Drawing programs.
    Sample,
    /// Changing them.
    Mutate,
    /// Making one graph of many.
    Merge,
    /// Getting the graph ready to run.
    Compile,
    /// Handing out work and waiting for it.
    Schedule,
    /// Copying to a device and back.
    Transfer,
    /// Waiting for a device to run programs.
    Kernel,
    /// Primitives, and stepping from one to the next.
    #[default]
    Execute,
    /// Making, carrying and counting faults; exact re-runs that they cause.
    FaultHandling,
    /// Collecting candidates, comparing, scoring.
    Candidates,
    /// Finding equal programs or results.
    Dedupe,
    /// Putting results in order.
    Collect,
    /// Arenas and buffers.
    Memory,
    /// Writing reports and files.
    Output,
}

/// A phase of a run. Every moment of a run belongs to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Until arguments are read and threads are there.
    StartUp,
    /// Reading data and programs.
    Load,
    /// Making programs: drawing, changing, merging, compiling.
    Generate,
    /// Running them.
    Execute,
    /// Search: trying what is known.
    Transfer,
    /// Search: trying changed versions of what is known.
    Mutate,
    /// Search: moves from picture to picture.
    Enumerate,
    /// Search: learning rules from demonstrations.
    Induce,
    /// Search: laying pictures over each other.
    Compose,
    /// Search: putting what was found in order.
    Rank,
    /// Comparing, scoring, writing.
    Validate,
}

/// A layer, over the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerRow {
    /// Which.
    pub layer: Layer,
    /// Time in it and in no other layer.
    pub self_ns: u64,
    /// How often it was entered.
    pub calls: u64,
}

/// A phase, over the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseRow {
    /// Which.
    pub phase: Phase,
    /// Time in it, counted as in [`Totals::whole_ns`].
    pub self_ns: u64,
    /// The same by the wall clock.
    pub wall_ns: u64,
    /// What more of makes it longer.
    pub scales_with: Unit,
    /// How many of those there were: for the rate.
    pub units: u64,
}

/// What a phase scales with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Nothing: it happens once.
    Once,
    /// Tasks.
    Tasks,
    /// Samples.
    Samples,
    /// Programs.
    Programs,
    /// Programs run on samples.
    Runs,
}

/// A cost that does not grow with the number of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneTimeCost {
    /// What for.
    pub name: String,
    /// The phase that it is a part of.
    pub phase: Phase,
    /// How long.
    pub self_ns: u64,
}

/// What a device did while programs were run: its own time, from the start of the execute phase to
/// its end. It adds up to that by the wall clock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceUse {
    /// Which, and who speaks to it.
    pub name: String,
    /// Runs that it answered.
    pub answered: u64,
    /// Runs that it was asked for.
    pub asked: u64,
    /// Copies, both ways.
    pub transfer_ns: u64,
    /// Kernels at work.
    pub kernel_ns: u64,
    /// Nothing to do: the host got work ready, read answers, or ran what was left.
    pub idle_ns: u64,
    /// The same work in batches of other sizes, one after the other, smallest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub batches: Vec<BatchRow>,
}

/// A batch on a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchRow {
    /// Runs in it.
    pub runs: u64,
    /// From asking to the last answer.
    pub wall_ns: u64,
    /// Copies in that.
    pub transfer_ns: u64,
    /// Kernels in that.
    pub kernel_ns: u64,
}

/// Runs on the reference engine that have one reason.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SlowPath {
    /// Why the fast engine did not run them.
    pub reason: SlowReason,
    /// The primitive that made it give up, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primitive: Option<String>,
    /// How many programs ran there, each counted once for each task that it is meant for.
    pub n_programs: u64,
    /// Names of the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// How many runs of a program on a sample.
    pub n_runs: u64,
    /// Time of these runs on the reference engine.
    pub time_ns: u64,
    /// How many times faster they are expected to run on the fast engine.
    #[serde(serialize_with = "finite")]
    pub expected_speedup: f64,
    /// How that was found: "measured: …", "estimated: …".
    pub how: String,
}

/// Why the reference engine runs a program.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum SlowReason {
    /// The user asked for it with `--exact-order`.
    Asked,
    /// The fast engine does not speak the program's dialect. It speaks all of them since 0.3.0; older
    /// profiles have this reason.
    Dialect,
    /// The order of a set decides, and the fast engine does not know it.
    Order,
    /// A value has a type that the fast engine does not handle there.
    #[default]
    Value,
    /// The run may take more fuel, memory or depth than there is.
    Limit,
}

/// The same work, done more than once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    /// What is done again: "objects(I, T, F, T)".
    pub what: String,
    /// How often it was done.
    pub times: u64,
    /// How many of those were different.
    pub distinct: u64,
    /// What doing it took, in all.
    pub self_ns: u64,
    /// What would help: "once a task would do".
    pub advice: String,
}

/// How much was right.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accuracy {
    /// By which rule: "tasks", "test outputs".
    pub what: String,
    /// Right ones.
    pub right: u64,
    /// Of so many.
    pub of: u64,
}

/// JSON has no infinities; a number that is none would make a file that cannot be read.
fn finite<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(if x.is_finite() { *x } else { 0.0 })
}

fn all_finite<S: Serializer>(list: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(list.iter().map(|x| if x.is_finite() { *x } else { 0.0 }))
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn is_zero_f64(x: &f64) -> bool {
    *x == 0.0
}

fn is_zero_u32(n: &u32) -> bool {
    *n == 0
}

fn is_false(b: &bool) -> bool {
    !b
}
