//! The devices' part of a run, and its times.

use std::time::Duration;

use leyden_exec::Spent;
use leyden_lang::Rules;
use leyden_profile::model::{BatchRow, DeviceUse};

use super::build::ns;
use super::measure::Walls;
use crate::args::{Backend, BackendArgs};
use crate::clock::timed;
use crate::devices::{self, Devices, Work};
use crate::failure::Failure;
use crate::pipeline::generate::{Plan, TaskPlan};
use crate::pipeline::source::OutcomeSource;

/// The answers of devices about all tasks, and the times.
pub(crate) struct Stage {
    pub(super) source: OutcomeSource,
    pub(super) used: Option<Used>,
}

impl Stage {
    /// A run without devices.
    const CPU: Stage = Stage {
        source: OutcomeSource::Cpu,
        used: None,
    };

    /// Opening devices counts as starting; trying other sizes does not count at all.
    pub(super) fn leave_out(&self, walls: &mut Walls) {
        if let Some(used) = &self.used {
            walls.start_up += used.opening;
            walls.prepare += used.trying;
        }
    }
}

/// The times of devices.
pub(crate) struct Used {
    pub(super) name: String,
    opening: Duration,
    trying: Duration,
    /// Wall time from the programs to the last answer.
    pub(super) wall: Duration,
    pub(super) spent: Spent,
    n_asked: u64,
    n_answered: u64,
    pub(super) batches: Vec<BatchRow>,
}

impl Used {
    /// Copies, kernels, and the host's other work.
    pub(super) fn parts(&self) -> [u64; 3] {
        let (transfer, kernel) = (ns(self.spent.transfer), ns(self.spent.kernel));
        let host = ns(self.wall).saturating_sub(transfer.saturating_add(kernel));
        [transfer, kernel, host]
    }

    /// The times from the device's view, within an execute phase of this length.
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

/// Asks devices about all tasks of a plan, if they take part.
pub(super) fn ask(
    plan: &Plan<'_>,
    args: &BackendArgs,
    (fuel, n_threads): (u64, usize),
    rules: Rules,
) -> Result<Stage, Failure> {
    if args.backend == Backend::Cpu {
        return Ok(Stage::CPU);
    }
    let work = Work {
        plan,
        n_runs: plan.n_runs(),
        fuel,
        rules,
        n_threads,
    };
    let (devices, opening) = timed(|| devices::open(args, &work));
    let Some(devices) = devices? else {
        return Ok(Stage::CPU);
    };
    let battery = plan.as_one_battery(rules);
    let before = devices.elsewhere.spent();
    let ((source, answered), wall) = timed(|| {
        let source = OutcomeSource::on(&devices, battery, fuel);
        let answered = source.answers(plan, &first(plan.tasks.len()));
        (source, answered)
    });
    let spent = devices.elsewhere.spent() - before;
    let (batches, trying) = timed(|| by_size(plan, &devices, &source));
    Ok(Stage {
        used: Some(Used {
            name: devices.names,
            opening,
            trying,
            wall,
            spent,
            n_asked: plan.n_runs() as u64,
            n_answered: answered.iter().flatten().map(|it| it.len() as u64).sum(),
            batches,
        }),
        source: OutcomeSource::Asked(answered),
    })
}

/// The indices of the first tasks.
fn first(n_tasks: usize) -> Vec<usize> {
    (0..n_tasks).collect()
}

/// Batches of the first tasks, four times larger each time, to see the effect of the size of a
/// batch. All of them together take a third of the time for all tasks.
fn by_size(plan: &Plan<'_>, devices: &Devices, source: &OutcomeSource) -> Vec<BatchRow> {
    if !matches!(source, OutcomeSource::Devices(_)) {
        return Vec::new();
    }
    let row = |n_tasks: usize| {
        let before = devices.elsewhere.spent();
        let (_, wall) = timed(|| source.answers(plan, &first(n_tasks)));
        let spent = devices.elsewhere.spent() - before;
        let n_runs: usize = plan.tasks[..n_tasks].iter().map(TaskPlan::n_runs).sum();
        BatchRow {
            runs: n_runs as u64,
            wall_ns: ns(wall),
            transfer_ns: ns(spent.transfer),
            kernel_ns: ns(spent.kernel),
        }
    };
    let sizes = std::iter::successors(Some(1), |n| Some(n * 4));
    let sizes = sizes.take_while(|n| n * 2 <= plan.tasks.len());
    sizes.map(row).collect()
}
