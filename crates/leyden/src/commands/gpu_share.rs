//! `leyden gpu bench --solvers`: which part of the CPU's time a device can take over.

use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_exec::Engine;
use leyden_gpu::share::{Questions, Shares, measure};
use leyden_gpu::{Backend as DeviceBackend, DeviceInfo, Opening, Session, Settings};
use leyden_grid::{Grid, Task, TestCase};
use leyden_lang::{Program, Rules};

use super::on_device::{DeviceWork, on_device};
use crate::args::gpu::TestedBackend;
use crate::args::gpu_bench::{BenchArgs, ShareArgs};
use crate::args::{Backend, BackendArgs, Chosen};
use crate::clock::timed;
use crate::devices;
use crate::failure::Failure;
use crate::pipeline::execute::{Execution, execute};
use crate::pipeline::generate::Plan;
use crate::pipeline::group::{Group, Sharing};
use crate::pipeline::load::tasks_only;
use crate::pipeline::observe::OnDone;
use crate::pipeline::read::programs_hash;
use crate::pipeline::source::OutcomeSource;
use crate::pipeline::task_run::TaskRun;
use crate::programs::{Library, Source};
use crate::progress::Progress;
use crate::report::gpu_share::{Share, Whole};
use crate::report::write_both;

pub(super) fn run(
    args: &BenchArgs,
    share: &ShareArgs,
    cancel: &CancelToken,
) -> Result<(), Failure> {
    let programs = read(share, args.n_threads)?;
    let data = tasks_only(share.data.clone(), cancel)?.load(None)?;
    let tasks = inputs(&data.tasks, share.every);
    let grids: Vec<Grid> = tasks
        .iter()
        .map(|task| task.tests[0].input.clone())
        .collect();
    let engine = Engine {
        fuel: share.fuel,
        cancel: cancel.clone(),
        ..Engine::default()
    };
    let questions = Questions {
        programs: &programs,
        inputs: &grids,
        engine: &engine,
    };
    let settings = Settings {
        fuel: leyden_gpu::Devices::fuel_for(share.fuel),
        is_timed: true,
        ..Settings::default()
    };
    let work = Measurement(&questions);
    let (device, opening, shares) = on_device(args.backend, args.device, settings, work)?;
    let whole = whole(args, &questions, &tasks)?;
    let report = Share {
        device,
        opening,
        backend: args.backend.name(),
        n_threads: args.n_threads,
        data_name: &data.name,
        data_hash: &data.hash,
        programs_hash: programs_hash(&programs),
        every: share.every,
        fuel: share.fuel,
        shares,
        whole,
    };
    write_both(&report.to_text(), args.json.as_ref(), &report.to_json())?;
    report.check()
}

fn read(share: &ShareArgs, n_threads: usize) -> Result<Vec<Program>, Failure> {
    let sources: Vec<Source> = share.solvers.iter().cloned().map(Source::Path).collect();
    let library = Library::read(&sources, &share.language, n_threads)?;
    if library.programs.is_empty() {
        return Err(Failure::bad_input("--solvers: there are no programs"));
    }
    Ok(library.programs().cloned().collect())
}

/// Every N-th input of some tasks, as a task of its own.
fn inputs(tasks: &[Task], every: usize) -> Vec<Task> {
    let pairs = tasks.iter().flat_map(|task| {
        let id = &task.id;
        task.pairs().map(move |(input, _)| (id, input))
    });
    let task = |(id, input): (&leyden_grid::TaskId, &Grid)| Task {
        id: id.clone(),
        demos: Vec::new(),
        tests: vec![TestCase {
            input: input.clone(),
            output: None,
        }],
    };
    pairs.step_by(every).map(task).collect()
}

/// The questions, asked run by run.
struct Measurement<'m>(&'m Questions<'m>);

impl DeviceWork for Measurement<'_> {
    type Done = (DeviceInfo, Opening, Shares);

    fn run<B: DeviceBackend>(self, session: &Session<B>) -> Result<Self::Done, Failure> {
        let Measurement(questions) = self;
        let progress = Progress::of_long_items("measuring programs", questions.programs.len());
        let shares = measure(session, questions, &mut || {
            progress.advance(1);
            !questions.engine.cancel.is_cancelled()
        })?;
        let shares = shares.ok_or_else(|| Failure::Stopped("nothing was written".to_owned()))?;
        Ok((session.info().clone(), session.opening(), shares))
    }
}

/// Runs everything twice, as `leyden batt` does: on the CPU, and with the device.
fn whole(args: &BenchArgs, questions: &Questions<'_>, tasks: &[Task]) -> Result<Whole, Failure> {
    let group = Group::new(questions.programs, Sharing::ALL);
    let plan = Plan::shared(tasks, &group);
    let (on_cpu, cpu) = executed(args, questions, &plan, &OutcomeSource::Cpu)?;
    let (opened, opening) = timed(|| open(args, questions.engine.fuel));
    let devices = opened?;
    let source = OutcomeSource::of(devices.as_ref(), &plan, questions.engine.fuel, Rules::ALL);
    let (there, device) = executed(args, questions, &plan, &source)?;
    Ok(Whole {
        cpu,
        device,
        opening,
        n_different: n_different(&on_cpu, &there),
    })
}

fn open(args: &BenchArgs, fuel: u64) -> Result<Option<devices::Devices>, Failure> {
    let backend = match args.backend {
        TestedBackend::Cuda => Backend::Cuda,
        TestedBackend::Opencl => Backend::Opencl,
    };
    let chosen = Chosen::These(vec![args.device]);
    devices::open_named(&BackendArgs::of(Some(backend), chosen), fuel)
}

fn executed(
    args: &BenchArgs,
    questions: &Questions<'_>,
    plan: &Plan<'_>,
    source: &OutcomeSource,
) -> Result<(Vec<TaskRun>, Duration), Failure> {
    let execution = Execution {
        plan,
        engine: questions.engine,
        n_threads: args.n_threads,
        source,
        scorer: None,
    };
    let progress = Progress::new("executing", plan.tasks.len());
    let (runs, time) = timed(|| execute(&execution, &OnDone(|| progress.advance(1))));
    if questions.engine.cancel.is_cancelled() {
        return Err(Failure::Stopped("nothing was written".to_owned()));
    }
    Ok((runs.into_iter().flatten().collect(), time))
}

/// The number of outcomes whose bytes differ.
fn n_different(ours: &[TaskRun], theirs: &[TaskRun]) -> usize {
    let of_task = |(ours, theirs): (&TaskRun, &TaskRun)| {
        let outcome = |run: &TaskRun, program| run.outcome(0, program).hash;
        let programs = 0..ours.n_programs;
        let differs = |program: &usize| outcome(ours, *program) != outcome(theirs, *program);
        programs.filter(differs).count()
    };
    ours.iter().zip(theirs).map(of_task).sum()
}
