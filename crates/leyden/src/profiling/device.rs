//! The part of a run that devices do, and what they took for it.

use std::ops::Range;
use std::time::Duration;

use leyden_exec::{Answered, Loaded, Spent};
use leyden_grid::Task;
use leyden_lang::Battery;
use leyden_profile::model::{BatchRow, DeviceUse};

use super::build::ns;
use super::measure::Walls;
use crate::args::{Backend, BackendArgs};
use crate::clock::timed;
use crate::devices::{self, Devices};
use crate::failure::Failure;
use crate::pipeline::sample::samples;

/// What devices said, and what that took.
#[derive(Default)]
pub(crate) struct Stage {
    /// For each task and sample; programs are counted from 0 for each task.
    pub(super) answered: Vec<Vec<Answered>>,
    pub(super) used: Option<Used>,
}

impl Stage {
    /// Opening devices is part of starting; trying other sizes is no part of the run.
    pub(super) fn leave_out(&self, walls: &mut Walls) {
        if let Some(used) = &self.used {
            walls.start_up += used.opening;
            walls.prepare += used.trying;
        }
    }
}

/// What devices took.
pub(crate) struct Used {
    pub(super) name: String,
    opening: Duration,
    trying: Duration,
    /// From the programs to the last answer, by the wall clock.
    pub(super) wall: Duration,
    pub(super) spent: Spent,
    n_asked: u64,
    n_answered: u64,
    pub(super) batches: Vec<BatchRow>,
}

impl Used {
    /// Copies and kernels, and what the host did besides.
    pub(super) fn parts(&self) -> [u64; 3] {
        let (transfer, kernel) = (ns(self.spent.transfer), ns(self.spent.kernel));
        let host = ns(self.wall).saturating_sub(transfer.saturating_add(kernel));
        [transfer, kernel, host]
    }

    /// As seen from the device, in an execute phase of that length.
    pub(super) fn to_model(&self, execute_wall_ns: u64) -> DeviceUse {
        let [transfer_ns, kernel_ns, _] = self.parts();
        DeviceUse {
            name: self.name.clone(),
            answered: self.n_answered,
            asked: self.n_asked,
            transfer_ns,
            kernel_ns,
            idle_ns: execute_wall_ns.saturating_sub(transfer_ns.saturating_add(kernel_ns)),
            batches: self.batches.clone(),
        }
    }
}

/// Tasks, and where the programs of each stand in the battery.
pub(super) struct Question<'q> {
    pub(super) battery: &'q Battery,
    pub(super) tasks: Vec<&'q Task>,
    pub(super) places: Vec<Range<usize>>,
}

impl Question<'_> {
    fn n_runs(&self, n_tasks: usize) -> usize {
        let tasks = self.tasks.iter().zip(&self.places).take(n_tasks);
        tasks
            .map(|(task, places)| samples(task).count() * places.len())
            .sum()
    }
}

/// Asks devices about all tasks, if somebody wants them to take part.
pub(super) fn ask(
    question: &Question<'_>,
    args: &BackendArgs,
    fuel: u64,
) -> Result<Stage, Failure> {
    if args.backend == Backend::Cpu {
        return Ok(Stage::default());
    }
    let n_tasks = question.tasks.len();
    let (devices, opening) = timed(|| devices::open(args, fuel, question.n_runs(n_tasks)));
    let Some(devices) = devices? else {
        return Ok(Stage::default());
    };
    let before = devices.elsewhere.spent();
    let (asked, wall) = timed(|| {
        let loaded = devices.elsewhere.load(question.battery, fuel)?;
        let answered = ask_some(question, loaded.as_ref(), n_tasks);
        Some((loaded, answered))
    });
    let spent = devices.elsewhere.spent() - before;
    let (loaded, answered) = asked.unzip();
    let answered = answered.unwrap_or_default();
    let n_answered = answered.iter().flatten().map(|it| it.len() as u64).sum();
    let (batches, trying) =
        timed(|| loaded.map_or_else(Vec::new, |it| by_size(question, &devices, it.as_ref())));
    Ok(Stage {
        used: Some(Used {
            name: devices.names,
            opening,
            trying,
            wall,
            spent,
            n_asked: question.n_runs(n_tasks) as u64,
            n_answered,
            batches,
        }),
        answered,
    })
}

fn ask_some(question: &Question<'_>, loaded: &dyn Loaded, n_tasks: usize) -> Vec<Vec<Answered>> {
    let wanted = |task: usize, program: usize| question.places[task].contains(&program);
    let mut answered = devices::ask(loaded, &question.tasks[..n_tasks], &wanted);
    for (of_task, places) in answered.iter_mut().zip(&question.places) {
        for (program, _) in of_task.iter_mut().flatten() {
            *program -= places.start;
        }
    }
    answered
}

/// Sets of the first tasks, four times as many each time, to see what the size of a batch does. All
/// of them together take a third of what all tasks take.
fn by_size(question: &Question<'_>, devices: &Devices, loaded: &dyn Loaded) -> Vec<BatchRow> {
    let row = |n_tasks: usize| {
        let before = devices.elsewhere.spent();
        let (_, wall) = timed(|| ask_some(question, loaded, n_tasks));
        let spent = devices.elsewhere.spent() - before;
        BatchRow {
            runs: question.n_runs(n_tasks) as u64,
            wall_ns: ns(wall),
            transfer_ns: ns(spent.transfer),
            kernel_ns: ns(spent.kernel),
        }
    };
    let sizes = std::iter::successors(Some(1), |n| Some(n * 4));
    let sizes = sizes.take_while(|n| n * 2 <= question.tasks.len());
    sizes.map(row).collect()
}

/// What was said about some of a task's programs, counted from the first of them.
pub(super) fn of_programs(answered: &[Answered], programs: Range<usize>) -> Vec<Answered> {
    let of_sample = |answered: &Answered| -> Answered {
        let own = answered.iter().filter(|(k, _)| programs.contains(k));
        own.map(|(k, outcome)| (k - programs.start, outcome.clone()))
            .collect()
    };
    answered.iter().map(of_sample).collect()
}
