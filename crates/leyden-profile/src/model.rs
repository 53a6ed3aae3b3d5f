//! [`Profile`]: the measurements of a run, as plain data.
//!
//! All times are nanoseconds. **Self** time is time in which nothing else of the same table was
//! running. Self times of a table never overlap, so they add up. **Cumulative** time includes
//! called primitives. It is for reading, never for adding. For a primitive that calls itself, only
//! the outermost call counts.
//!
//! These sums hold ([`Profile::check`](crate::check) verifies them):
//!
//! - `layers`, `phases`, and `stacks` each add up to [`Totals::whole_ns`];
//! - `primitives` (with the rows for other work) to [`Totals::execute_ns`];
//! - `tasks` and [`Totals::outside_tasks_ns`] to [`Totals::execute_ns`];
//! - `lines` and [`Totals::outside_lines_ns`] to [`Totals::execute_ns`];
//! - `slow_path` to [`Totals::reference_ns`];
//! - the device's transfer, kernel and idle time to the wall time of the execute phase;
//! - the primitives of a task to that task, and over all tasks to the rows of `primitives`.

use serde::{Deserialize, Serialize, Serializer};

use crate::histogram::Histogram;

/// The value of `format` in every result file. Another format gets another number.
pub const FORMAT: &str = "leyden-profile/1";

/// A profile: one run, seen from several sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// [`FORMAT`].
    pub format: String,
    /// The profiler that made it.
    pub kind: Kind,
    /// A short title: "100 tasks of arc1:training".
    pub title: String,
    /// The circumstances of the run.
    pub setting: Setting,
    /// The sums of the tables.
    pub totals: Totals,
    /// The cost of measuring.
    pub recorder: RecorderCost,
    /// One row for each primitive, and one for each other kind of work in the execute phase.
    #[serde(default)]
    pub primitives: Vec<PrimitiveRow>,
    /// One row for each task, in the order of the run.
    #[serde(default)]
    pub tasks: Vec<TaskRow>,
    /// The programs or batteries of `lines` and `stacks`.
    #[serde(default)]
    pub sources: Vec<Source>,
    /// One row for each line of those sources.
    #[serde(default)]
    pub lines: Vec<LineRow>,
    /// The call stacks.
    #[serde(default)]
    pub stacks: Stacks,
    /// The whole run by layer.
    #[serde(default)]
    pub layers: Vec<LayerRow>,
    /// The whole run by phase.
    #[serde(default)]
    pub phases: Vec<PhaseRow>,
    /// Costs that do not grow with the number of tasks. They are parts of the phases they name.
    #[serde(default)]
    pub one_time: Vec<OneTimeCost>,
    /// The work of a device, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceUse>,
    /// The runs of the reference engine by reason, the longest first.
    #[serde(default)]
    pub slow_path: Vec<SlowPath>,
    /// Work that was done more often than needed.
    #[serde(default)]
    pub repeats: Vec<Repeat>,
    /// The share of right results.
    #[serde(default)]
    pub accuracy: Vec<Accuracy>,
    /// The choice of tasks out of the data set.
    #[serde(default)]
    pub sampling: Sampling,
    /// Estimates for other numbers of tasks ([`crate::project`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projections: Vec<Projection>,
    /// Runs that fit into a budget of time ([`crate::plan`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
    /// Estimates for this run with faster phases or primitives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_ifs: Vec<Imagined>,
    /// Remarks for the reader: omissions and possible misreadings.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The choice of tasks.
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
    /// The time limit of every task: no task takes longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_per_task_ns: Option<u64>,
}

/// The rule by which tasks were chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplingMethod {
    /// All tasks, or tasks chosen by name. Nothing follows for others.
    #[default]
    Given,
    /// Each task was as likely as any other.
    Uniform,
    /// With a probability proportional to the size hint
    /// ([`crate::project::sample_by_size`]).
    BySize,
}

/// The estimate for a run over some number of tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    /// The number of tasks.
    pub n_tasks: u64,
    /// The assumed changes: empty, or "generate=2x,execute=35x".
    #[serde(default)]
    pub what_if: String,
    /// The estimate, one-time costs included.
    pub estimate: Interval,
    /// The upper bound of the estimate, by the rules in [`crate::project`].
    #[serde(default, serialize_with = "finite")]
    pub cap_ns: f64,
    /// One-time costs in the estimate, with the time of timed phases that belongs to no task.
    #[serde(serialize_with = "finite")]
    pub once_ns: f64,
    /// The estimate without outliers.
    #[serde(serialize_with = "finite")]
    pub without_outliers_ns: f64,
    /// Outliers among the tasks that were run, by id.
    pub outliers: Vec<String>,
    /// Estimates for each phase, without one-time costs.
    pub phases: Vec<PhaseProjection>,
}

/// The number of runs that fit into a budget of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// The budget, as the user wrote it: "8h".
    pub budget: String,
    /// The number of workers that share the tasks of a run.
    pub workers: u32,
    /// The number of tasks of a run.
    pub n_tasks: u64,
    /// The assumed changes, as in [`Projection::what_if`].
    #[serde(default)]
    pub what_if: String,
    /// The wall time of one run.
    pub run: Interval,
    /// The number of whole runs that fit, by the estimate.
    pub expected: u64,
    /// The number of whole runs that fit if each takes the longest time of the interval.
    pub at_least: u64,
    /// The number of whole runs that fit if each takes the shortest time of the interval.
    pub at_most: u64,
}

/// A run as it was, and with a part imagined faster.
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
    /// The phase.
    pub phase: Phase,
    /// Its estimate.
    pub estimate: Interval,
}

/// The profiler that made a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One or a few tasks, by primitive.
    Dsl,
    /// Many tasks, by primitive and task.
    Batch,
    /// Layers and themes.
    Framework,
    /// Phases and projections.
    Pipeline,
    /// Lines of programs.
    Lines,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 5] = [
        Kind::Dsl,
        Kind::Batch,
        Kind::Framework,
        Kind::Pipeline,
        Kind::Lines,
    ];
}

/// The circumstances of a run, so that a reader can repeat it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The command line.
    pub command: String,
    /// The time of the run as RFC 3339; empty where reports have to be reproducible.
    #[serde(default)]
    pub date: String,
    /// The versions of the engine and of everything else that ran.
    pub versions: Vec<Version>,
    /// The machine.
    pub hardware: Hardware,
    /// The tasks.
    pub data: DataSet,
    /// The programs or the battery: name, number, content hash.
    #[serde(default)]
    pub programs: ProgramSet,
    /// The seed of every random choice; `None` if there was none.
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
    /// The version.
    pub version: String,
}

/// The machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hardware {
    /// The processor's name.
    pub cpu: String,
    /// Logical processors that the run could use.
    pub cores: u32,
    /// Bytes of memory; 0 if unknown.
    #[serde(default)]
    pub memory_bytes: u64,
    /// Operating system and architecture: "linux x86_64".
    pub os: String,
    /// The GPU, if one was used.
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
    /// The number of tasks in the set. The profile may have fewer.
    pub n_tasks: u64,
}

/// The programs of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramSet {
    /// A file's name, or "own programs".
    pub name: String,
    /// The content hash.
    pub hash: String,
    /// The number of programs.
    pub n_programs: u64,
}

/// The sums of the tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// The wall time from start to end.
    pub wall_ns: u64,
    /// Processor time of all workers, summed.
    pub worker_cpu_ns: u64,
    /// All work. With one job this is the wall time; with more, the main thread's time outside the
    /// workers plus `worker_cpu_ns`.
    pub whole_ns: u64,
    /// The execute phase: with one job its wall time, with more `worker_cpu_ns`.
    pub execute_ns: u64,
    /// The part of `execute_ns` that belongs to no single task: values computed once for all tasks,
    /// and scheduling.
    #[serde(default)]
    pub outside_tasks_ns: u64,
    /// The part of `execute_ns` that belongs to no line of a program: inputs, outcomes, memory,
    /// scheduling, the recorder. 0 if lines were not recorded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outside_lines_ns: u64,
    /// The part of `execute_ns` in which the reference engine ran programs.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reference_ns: u64,
    /// The number of runs of a program on a sample.
    pub runs: u64,
}

/// The cost of the recorder, measured in this run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecorderCost {
    /// The finest unit recorded: "primitive", "line", "phase".
    pub grain: String,
    /// The clock: "tsc", "monotonic".
    pub clock: String,
    /// The number of readings of the clock.
    pub events: u64,
    /// The time of one reading and its bookkeeping.
    #[serde(serialize_with = "finite")]
    pub ns_per_event: f64,
    /// The share of the wall time that recording took: 0.08 is 8 %.
    #[serde(serialize_with = "finite")]
    pub share_of_wall: f64,
    /// The share of the execute time that recording took. Tables are about this time.
    #[serde(default, serialize_with = "finite")]
    pub share_of_execute: f64,
    /// The method that found the share: "against an unrecorded run", "calibrated".
    pub how: String,
}

/// The kind of a row of [`Profile::primitives`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// A primitive of the language.
    #[default]
    Primitive,
    /// Work around primitives: "(dispatch)", "(exact re-run)". Such a row never gets a priority.
    Engine,
    /// The recorder itself.
    Recorder,
}

/// A primitive, over the whole run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PrimitiveRow {
    /// The name. A row for other work has words in parentheses.
    pub name: String,
    /// The kind of the row.
    #[serde(default)]
    pub kind: RowKind,
    /// The layer of its time.
    #[serde(default)]
    pub layer: Layer,
    /// The kernel theme: "grids", "objects"; empty if it has none.
    #[serde(default)]
    pub theme: String,
    /// Calls, nested ones included.
    pub calls: u64,
    /// Time in the primitive, without the primitives that it called.
    pub self_ns: u64,
    /// Time from its outermost call to its return.
    pub cumulative_ns: u64,
    /// Self times of calls.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub histogram: Histogram,
    /// Cells or elements that it read or made.
    #[serde(default)]
    pub cells: u64,
    /// Calls that ended in a fault.
    #[serde(default)]
    pub faults: u64,
    /// Whether the device could run it; `None` if unknown.
    #[serde(default)]
    pub device: Option<bool>,
    /// The expected share of the total (`--expect`), from 0 to 1.
    #[serde(default)]
    pub expected_share: Option<f64>,
}

/// A task, with all programs that ran on it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskRow {
    /// Its id.
    pub id: String,
    /// The number of runs of a program on one of its samples.
    pub runs: u64,
    /// Its time in the execute phase.
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
    /// Its time by layer, as far as layers were recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerTime>,
    /// Its time by phase, from which projections start. Without phases, all of its time is execute
    /// time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<PhaseTime>,
    /// A guess, made before the task ran, to which its time may be proportional: cells of its
    /// inputs × lines of its program. 0 if there was none.
    #[serde(
        default,
        skip_serializing_if = "is_zero_f64",
        serialize_with = "finite"
    )]
    pub size_hint: f64,
    /// Whether its output was right; `None` if it was not checked.
    #[serde(default)]
    pub right: Option<bool>,
    /// A pair of grids to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
}

/// A sample of a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleRow {
    /// Whether it is a test input.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_test: bool,
    /// The number of programs run on it.
    pub runs: u64,
    /// Its time.
    pub self_ns: u64,
    /// Runs that ended in a fault.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
    /// The number of cells of its input grid; 0 if unknown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cells: u64,
}

/// A primitive within one task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskPrimitive {
    /// The index of its row in [`Profile::primitives`].
    pub row: u32,
    /// Calls, nested ones included.
    pub calls: u64,
    /// Time in the primitive, without the primitives that it called.
    pub self_ns: u64,
    /// Time from its outermost call to its return.
    pub cumulative_ns: u64,
    /// Cells or elements that it read or made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cells: u64,
    /// Calls that ended in a fault.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
    /// Self times of calls. Without them, a profile of fewer tasks has no medians.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub histogram: Histogram,
}

/// A time in a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerTime {
    /// The layer.
    pub layer: Layer,
    /// The time.
    pub self_ns: u64,
}

/// A time in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseTime {
    /// The phase.
    pub phase: Phase,
    /// The time.
    pub self_ns: u64,
}

/// Grids to show with a task. Each row is a string of digits, one for a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// The input.
    pub input: Vec<String>,
    /// The expected output.
    #[serde(default)]
    pub output: Vec<String>,
}

/// A program or battery, the source of lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// A function's or a battery's name: "solve_00d62c1b".
    pub name: String,
    /// The file, as the user named it; empty if there is none.
    #[serde(default)]
    pub file: String,
}

/// A line of a program or a battery. Lines do not call each other, so their times are disjoint,
/// though each includes all primitives that the line called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineRow {
    /// The index of its source in [`Profile::sources`].
    pub source: u32,
    /// The number of the line, counted from 1.
    pub line: u32,
    /// The text of the line.
    pub text: String,
    /// The number of times it ran; 0 for lines that are only shown.
    pub hits: u64,
    /// Time in the line, with everything that it called.
    pub time_ns: u64,
    /// The part of that time in which the reference engine ran it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reference_ns: u64,
    /// The number of its faults.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub faults: u64,
    /// Cells or elements that it read or made.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cells: u64,
    /// The programs that share a merged line; only the first if there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_by: Vec<String>,
    /// The number of programs that share it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_shared: u64,
}

/// Call stacks, collapsed: each path once, with its self time.
///
/// A path goes layer → program → line → primitive → inner primitive, as far as these were recorded.
/// Every layer's own time is a path of one frame, so all paths add up to the whole
/// ([`Profile::complete_stacks`] adds those).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stacks {
    /// Each frame once.
    pub frames: Vec<Frame>,
    /// Each path once.
    pub paths: Vec<Path>,
}

/// A frame of a stack.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Frame {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: FrameKind,
    /// The file of a program or a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line, counted from 1; 0 if there is none.
    #[serde(default, skip_serializing_if = "is_zero_u32")]
    pub line: u32,
}

/// The kind of a frame.
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
    /// Other work of the engine.
    Engine,
}

/// A path from the outermost frame to the innermost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    /// Indices into [`Stacks::frames`].
    pub frames: Vec<u32>,
    /// Time with exactly these frames on the stack.
    pub self_ns: u64,
    /// The number of times the innermost frame was entered.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls: u64,
}

/// A layer of the system. Every moment of a run belongs to one layer.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Reads arguments and starts threads.
    StartUp,
    /// Reads data and programs.
    Load,
    /// Draws programs.
    Sample,
    /// Mutates programs.
    Mutate,
    /// Merges many programs into one graph.
    Merge,
    /// Prepares the graph for running.
    Compile,
    /// Hands out work and waits for it.
    Schedule,
    /// Copies to a device and back.
    Transfer,
    /// Waits for a device to run programs.
    Kernel,
    /// Runs primitives, and steps from one to the next.
    #[default]
    Execute,
    /// Makes, carries and counts faults; repeats runs exactly because of them.
    FaultHandling,
    /// Collects candidates, compares and scores them.
    Candidates,
    /// Finds equal programs or results.
    Dedupe,
    /// Puts results in order.
    Collect,
    /// Manages arenas and buffers.
    Memory,
    /// Writes reports and files.
    Output,
}

/// A phase of a run. Every moment of a run belongs to one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Reads arguments and starts threads.
    StartUp,
    /// Reads data and programs.
    Load,
    /// Makes programs: draws, mutates, merges, compiles.
    Generate,
    /// Runs programs.
    Execute,
    /// Search: tries known programs.
    Transfer,
    /// Search: tries mutants of known programs.
    Mutate,
    /// Search: tries moves from picture to picture.
    Enumerate,
    /// Search: learns rules from demonstrations.
    Induce,
    /// Search: lays pictures over each other.
    Compose,
    /// Search: ranks the programs it found.
    Rank,
    /// Compares, scores, writes.
    Validate,
}

/// A layer, over the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerRow {
    /// The layer.
    pub layer: Layer,
    /// Time in it and in no other layer.
    pub self_ns: u64,
    /// The number of times it was entered.
    pub calls: u64,
}

/// A phase, over the whole run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseRow {
    /// The phase.
    pub phase: Phase,
    /// Time in it, counted as in [`Totals::whole_ns`].
    pub self_ns: u64,
    /// Wall time in it.
    pub wall_ns: u64,
    /// The unit of its work: more of them make the phase longer.
    pub scales_with: Unit,
    /// The number of these units.
    pub units: u64,
}

/// The unit that a phase scales with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// The phase runs once.
    Once,
    /// Tasks.
    Tasks,
    /// Samples.
    Samples,
    /// Programs.
    Programs,
    /// Runs of a program on a sample.
    Runs,
}

/// A cost that does not grow with the number of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneTimeCost {
    /// The name of the cost.
    pub name: String,
    /// The phase that it is part of.
    pub phase: Phase,
    /// The time.
    pub self_ns: u64,
}

/// The time of a device from the start of the execute phase to its end. The parts add up to the
/// wall time of the phase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceUse {
    /// The device and its driver.
    pub name: String,
    /// The number of runs that it answered.
    pub answered: u64,
    /// The number of runs requested from it.
    pub asked: u64,
    /// Copies in both directions.
    pub transfer_ns: u64,
    /// Kernels running.
    pub kernel_ns: u64,
    /// Idle time: the host prepared work, read answers, or ran the rest itself.
    pub idle_ns: u64,
    /// The whole work in batches of other sizes, one after the other, the smallest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub batches: Vec<BatchRow>,
}

/// A batch on a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchRow {
    /// The number of runs in it.
    pub runs: u64,
    /// The time from the request to the last answer.
    pub wall_ns: u64,
    /// Copies in this time.
    pub transfer_ns: u64,
    /// Kernels in this time.
    pub kernel_ns: u64,
}

/// Runs on the reference engine that share a reason.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SlowPath {
    /// The reason why the fast engine did not run them.
    pub reason: SlowReason,
    /// The primitive that made it give up, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primitive: Option<String>,
    /// The number of programs, each counted once for each of its tasks.
    pub n_programs: u64,
    /// The names of the first programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// The number of runs of a program on a sample.
    pub n_runs: u64,
    /// The time of these runs on the reference engine.
    pub time_ns: u64,
    /// The expected speedup on the fast engine.
    #[serde(serialize_with = "finite")]
    pub expected_speedup: f64,
    /// The source of that figure: "measured: …", "estimated: …".
    pub how: String,
}

/// The reason why the reference engine runs a program.
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
    /// The run may exceed the fuel, the memory or the depth.
    Limit,
}

/// Equal work that was done more than once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    /// The work: "objects(I, T, F, T)".
    pub what: String,
    /// The number of times it was done.
    pub times: u64,
    /// The number of distinct results needed.
    pub distinct: u64,
    /// The total time.
    pub self_ns: u64,
    /// Advice for avoiding it.
    pub advice: String,
}

/// A count of right results.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accuracy {
    /// The rule: "tasks", "test outputs".
    pub what: String,
    /// The number of right ones.
    pub right: u64,
    /// The number of all.
    pub of: u64,
}

/// Replaces infinities and nan. JSON has none, and a file with one could not be read.
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
