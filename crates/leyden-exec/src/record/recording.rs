//! A recording, as plain data that can leave its thread and be added up.

use std::collections::BTreeMap;

use leyden_dsl::table::Prim;
use leyden_profile::Histogram;
use leyden_profile::model::Layer;

use super::frames::{Key, Label, Slow};
use super::work::Work;

/// The subject of a row of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Row {
    /// A primitive, or another kind of line.
    Line(Label),
    /// Programs that the reference engine ran again because of this primitive.
    Again(Option<Prim>),
    /// Work of the reference engine around lines, if it runs alone.
    Exact,
    /// Other work.
    Work(Work),
}

impl Row {
    /// The name in reports.
    pub fn name(self) -> String {
        match self {
            Row::Line(Label::Prim(prim)) => prim.name().to_owned(),
            Row::Line(Label::Tuple) => "(tuple)".to_owned(),
            Row::Line(Label::Copy) => "(copy)".to_owned(),
            Row::Line(Label::Call) => "(call)".to_owned(),
            Row::Again(Some(prim)) => format!("(exact re-run after {})", prim.name()),
            Row::Again(None) => "(exact re-run)".to_owned(),
            Row::Exact => "(exact engine)".to_owned(),
            Row::Work(work) => work.name().to_owned(),
        }
    }

    /// The layer of its time.
    pub fn layer(self) -> Layer {
        match self {
            Row::Line(_) | Row::Exact => Layer::Execute,
            Row::Again(_) => Layer::FaultHandling,
            Row::Work(work) => work.layer(),
        }
    }
}

/// Calls and times of a row or a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// The number of calls.
    pub calls: u64,
    /// Time in it without its callees, in nanoseconds.
    pub self_ns: f64,
    /// Time in it with its callees; of nested calls of one row, only the outermost counts.
    pub total_ns: f64,
    /// Cells or elements that it touched or made.
    pub cells: f64,
    /// Calls that ended in a fault.
    pub faults: u64,
}

impl Figures {
    pub(super) fn add(&mut self, other: &Figures) {
        self.calls += other.calls;
        self.self_ns += other.self_ns;
        self.total_ns += other.total_ns;
        self.cells += other.cells;
        self.faults += other.faults;
    }
}

/// A row with its figures and the self times of single calls.
#[derive(Clone, Debug, Default)]
pub struct RowFigures {
    /// Calls and times.
    pub figures: Figures,
    /// Self time per call, of all or of a sample.
    pub histogram: Histogram,
}

impl RowFigures {
    fn add(&mut self, other: &RowFigures) {
        self.figures.add(&other.figures);
        self.histogram.merge(&other.histogram);
    }
}

/// The record of one task.
#[derive(Clone, Debug, Default)]
pub struct TaskRecord {
    /// By row; self times of all rows add up to the task's time.
    pub rows: BTreeMap<Row, RowFigures>,
    /// The time of each sample, in their order.
    pub samples_ns: Vec<u64>,
    /// By the number of the path in the recording.
    pub(super) frames: Vec<(u32, Figures)>,
}

impl TaskRecord {
    /// All time of the task, without waiting.
    pub fn busy_ns(&self) -> f64 {
        let rows = self.rows.iter();
        let busy = rows.filter(|(row, _)| **row != Row::Work(Work::Waiting));
        busy.map(|(_, it)| it.figures.self_ns).sum()
    }

    /// All time of the task.
    pub fn self_ns(&self) -> f64 {
        self.rows.values().map(|row| row.figures.self_ns).sum()
    }

    fn add(&mut self, other: TaskRecord) {
        if self.rows.is_empty() && self.samples_ns.is_empty() {
            *self = other;
            return;
        }
        for (row, figures) in other.rows {
            self.rows.entry(row).or_default().add(&figures);
        }
        self.samples_ns.extend(other.samples_ns);
        self.frames.extend(other.frames);
    }

    fn renumber_frames(&mut self, numbers: &[u32]) {
        for (number, _) in &mut self.frames {
            *number = numbers[*number as usize];
        }
    }
}

/// A thread's account of its own time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerRecord {
    /// From the first to the last moment of recording.
    pub wall_ns: u64,
    /// Processor time during the recording.
    pub cpu_ns: u64,
}

/// Runs on the reference engine: for each reason, the programs by unit and number, each with the
/// number of its runs.
pub type SlowRuns = BTreeMap<Slow, BTreeMap<(u32, u32), u64>>;

/// Everything that was recorded.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// By task, as the caller numbered them.
    pub tasks: BTreeMap<u32, TaskRecord>,
    /// Work outside of tasks.
    pub outside: TaskRecord,
    /// Frames by number: the keys from the outermost one to each.
    pub(super) paths: Vec<Vec<Key>>,
    /// By path number, the figures of tasks that have no frames themselves. In a large run, frames
    /// for each task would fill the memory.
    pub(super) of_all_tasks: Vec<Figures>,
    /// Runs on the reference engine.
    pub slow_runs: SlowRuns,
    /// By thread.
    pub workers: Vec<WorkerRecord>,
    /// The number of clock readings.
    pub events: u64,
    /// The calibrated price of one reading.
    pub ns_per_event: f64,
}

impl Recording {
    /// Adds another thread's recording. The order of additions does not matter for counts.
    pub fn add(&mut self, mut other: Recording) {
        self.share_paths(&mut other);
        self.add_to_all_tasks((0..).zip(other.of_all_tasks));
        for (task, record) in other.tasks {
            self.add_task(Some(task), record);
        }
        self.add_task(None, other.outside);
        for (slow, programs) in other.slow_runs {
            let runs = self.slow_runs.entry(slow).or_default();
            for (program, n) in programs {
                *runs.entry(program).or_default() += n;
            }
        }
        self.workers.extend(other.workers);
        self.events += other.events;
        self.ns_per_event = self.ns_per_event.max(other.ns_per_event);
    }

    /// Whether every task has frames of its own.
    pub fn has_frames_by_task(&self) -> bool {
        self.of_all_tasks.is_empty()
    }

    /// Takes the wanted tasks from another recording of equal work. In both, every task has its
    /// frames.
    pub fn replace_tasks(&mut self, mut other: Recording, is_wanted: impl Fn(u32) -> bool) {
        self.share_paths(&mut other);
        let wanted = other.tasks.into_iter().filter(|(task, _)| is_wanted(*task));
        self.tasks.extend(wanted);
    }

    pub(super) fn add_to_all_tasks(&mut self, frames: impl Iterator<Item = (u32, Figures)>) {
        for (number, figures) in frames {
            let number = number as usize;
            if self.of_all_tasks.len() <= number {
                self.of_all_tasks.resize(number + 1, Figures::default());
            }
            self.of_all_tasks[number].add(&figures);
        }
    }

    /// Adds up the frames of all tasks and drops those of single tasks.
    pub(super) fn forget_frames_by_task(&mut self) {
        let tasks = self.tasks.values_mut().chain([&mut self.outside]);
        let frames: Vec<Vec<(u32, Figures)>> =
            tasks.map(|it| std::mem::take(&mut it.frames)).collect();
        self.add_to_all_tasks(frames.into_iter().flatten());
    }

    /// Takes over another recording's paths and renumbers its frames.
    fn share_paths(&mut self, other: &mut Recording) {
        let paths = std::mem::take(&mut other.paths);
        if self.paths.is_empty() {
            self.paths = paths;
            return;
        }
        let known = self.paths.iter().cloned().zip(0..);
        let mut known: BTreeMap<Vec<Key>, u32> = known.collect();
        let number = |path: Vec<Key>| {
            let next = known.len() as u32;
            *known.entry(path).or_insert_with_key(|path| {
                self.paths.push(path.clone());
                next
            })
        };
        let numbers: Vec<u32> = paths.into_iter().map(number).collect();
        for record in other.tasks.values_mut().chain([&mut other.outside]) {
            record.renumber_frames(&numbers);
        }
        let of_all_tasks = std::mem::take(&mut other.of_all_tasks);
        let renumbered = numbers.iter().copied().zip(of_all_tasks);
        other.add_to_all_tasks(renumbered);
    }

    /// The figures by path, the outermost frame first, over all tasks.
    pub fn frames(&self) -> BTreeMap<Vec<Key>, Figures> {
        let mut sums = self.of_all_tasks.clone();
        sums.resize(self.paths.len(), Figures::default());
        for record in self.tasks.values().chain([&self.outside]) {
            for (number, figures) in &record.frames {
                sums[*number as usize].add(figures);
            }
        }
        let frames = self.paths.iter().zip(sums);
        frames
            .filter(|(_, figures)| figures.calls > 0)
            .map(|(path, figures)| (path.clone(), figures))
            .collect()
    }

    pub(super) fn add_task(&mut self, task: Option<u32>, record: TaskRecord) {
        match task {
            Some(task) => self.tasks.entry(task).or_default().add(record),
            None => self.outside.add(record),
        }
    }

    /// The rows of all tasks and of work outside of tasks, added up.
    pub fn rows(&self) -> BTreeMap<Row, RowFigures> {
        let mut rows: BTreeMap<Row, RowFigures> = BTreeMap::new();
        for record in self.tasks.values().chain([&self.outside]) {
            for (row, figures) in &record.rows {
                rows.entry(*row).or_default().add(figures);
            }
        }
        rows
    }

    /// The self times of all rows.
    pub fn self_ns(&self) -> f64 {
        let tasks = self.tasks.values().map(TaskRecord::self_ns);
        tasks.sum::<f64>() + self.outside.self_ns()
    }

    /// The wall time of all threads, added up.
    pub fn wall_ns(&self) -> u64 {
        self.workers.iter().map(|worker| worker.wall_ns).sum()
    }

    /// The processor time of all threads, added up.
    pub fn cpu_ns(&self) -> u64 {
        self.workers.iter().map(|worker| worker.cpu_ns).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(task: u32, keys: &[u32]) -> Recording {
        let figures = |k: &u32| Figures {
            calls: u64::from(*k),
            ..Figures::default()
        };
        let record = TaskRecord {
            frames: (0..).zip(keys.iter().map(figures)).collect(),
            ..TaskRecord::default()
        };
        Recording {
            tasks: [(task, record)].into(),
            paths: keys.iter().map(|k| vec![Key::Unit(*k)]).collect(),
            ..Recording::default()
        }
    }

    fn calls(recording: &Recording) -> Vec<u64> {
        recording.frames().values().map(|it| it.calls).collect()
    }

    #[test]
    fn frames_of_several_threads_are_added_by_path() {
        for forget in [false, true] {
            let mut sum = recording(0, &[5, 3]);
            let mut other = recording(1, &[3, 7, 5]);
            if forget {
                other.forget_frames_by_task();
                assert!(!other.has_frames_by_task());
            }
            sum.add(other);
            assert_eq!(calls(&sum), [6, 10, 7]);
        }
    }

    #[test]
    fn tasks_bring_their_frames_along() {
        let mut mine = recording(0, &[5, 3]);
        mine.replace_tasks(recording(0, &[3, 7]), |task| task == 0);
        assert_eq!(calls(&mine), [3, 7]);
        mine.replace_tasks(recording(0, &[9]), |_| false);
        assert_eq!(calls(&mine), [3, 7]);
    }
}
