//! A battery on all tasks, as `leyden batt` runs it.

use std::path::Path;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_exec::record::{self, Recorder};
use leyden_exec::{Answered, Engine, Queue};
use leyden_grid::Task;
use leyden_lang::{Battery, BatteryFile, Scripts, print_battery};
use leyden_profile::model::{Accuracy, DataSet, Kind as ProfileKind, ProgramSet};
use xxhash_rust::xxh3::xxh3_128;

use super::device::{self, Question, Stage};
use super::measure::{
    Measured, SampleOutcome, TaskOutcome, Walls, Work, choose, in_any_order, on_threads, picture,
    repeated, without_order,
};
use super::units::{NodeLines, Unit, node_lines, sharers};
use crate::args::Backend;
use crate::battery_run::{Kind, TaskRun, run_task};
use crate::clock::timed;
use crate::commands::batt::{file_name, read_battery};
use crate::failure::Failure;
use crate::pipeline::load::LoadedTasks;
use crate::pipeline::sample::samples;
use crate::progress::Progress;
use crate::runner::Runner;

pub(super) fn measure(
    path: &Path,
    work: &Work,
    loaded: LoadedTasks,
    mut walls: Walls,
    kind: ProfileKind,
    cancel: CancelToken,
) -> Result<Measured, Failure> {
    let n_threads = work.engine.n_threads;
    let (battery, load_programs) = timed(|| read_battery(path));
    let battery = battery?;
    walls.load_programs = load_programs;
    let (n_programs, n_nodes) = (battery.outs.len(), battery.nodes.len());
    let programs = program_set(path, &battery);
    let is_kept = battery.needed();
    let hint = |task: &Task| size_hint(task, n_nodes);
    let hints: Vec<f64> = loaded.tasks.iter().map(hint).collect();
    let (places, sampling) = choose(work.draw, &hints);
    let tasks: Vec<&Task> = places.iter().map(|k| &loaded.tasks[*k]).collect();

    let asked = (work.backend.backend != Backend::Cpu).then(|| battery.clone());
    let (runner, generate) = timed(|| Runner::of_battery(battery, work.engine.sharing));
    walls.generate = generate;
    walls.merge = runner.merging();
    let engine = work.engine.engine(cancel);
    let stage = match &asked {
        Some(battery) => {
            let question = Question {
                battery,
                places: vec![0..n_programs; tasks.len()],
                tasks: tasks.clone(),
            };
            device::ask(&question, &work.backend, engine.fuel)?
        }
        None => Stage::default(),
    };
    stage.leave_out(&mut walls);
    let pass_of = |engine: &Engine, is_recorded: bool, progress: Option<&Progress>| {
        on_threads(n_threads, &tasks, is_recorded, |queue, recorder| {
            execute(
                engine,
                &runner,
                (n_programs, &stage.answered),
                queue,
                (recorder, progress),
            )
        })
    };
    let pass = |is_recorded| pass_of(&engine, is_recorded, None);
    let mut first = {
        let progress = Progress::of_long_items("profiling", tasks.len());
        pass_of(&engine, true, Some(&progress))
    };
    let runs = std::mem::take(&mut first.results);
    walls.set_execute(&first);
    if engine.cancel.is_cancelled() {
        return Err(Failure::Stopped("nothing was written".to_owned()));
    }
    let (outcomes, validate) = timed(|| {
        let outcome = |(run, task): (&TaskRun, &&Task)| {
            let (is_solved, time) = timed(|| (0..n_programs).any(|k| run.solves(k)));
            outcome(run, task, is_solved, n_nodes, time)
        };
        runs.iter().zip(&tasks).map(outcome).collect::<Vec<_>>()
    });
    walls.validate = validate;
    walls.whole = loaded.started.elapsed().saturating_sub(walls.prepare);

    let (cost, shown) = repeated(kind, first, pass);
    let without_order = without_order(engine.mode, (cost, &shown), || {
        pass_of(&in_any_order(&engine), false, None)
    });
    walls.set_shown(&shown);
    let name = file_name(path);
    let file = leyden_store::read_text(path).ok();
    let swept = runner.battery().or(runner.taken_from());
    let lines = file.zip(swept);
    let lines = lines.and_then(|(text, battery)| node_lines(&text, &is_kept, battery));
    let units = units(&runner, &name, lines.as_ref());
    let sharers = match runner.battery() {
        Some(battery) => vec![sharers(battery)],
        None => units.iter().map(|_| Vec::new()).collect(),
    };
    Ok(Measured {
        walls,
        frames: shown.recording.frames(),
        recording: shown.recording,
        cost,
        without_order,
        accuracy: accuracy(&outcomes),
        tasks: outcomes,
        units,
        sharers,
        programs,
        data: DataSet {
            name: loaded.name,
            hash: loaded.hash,
            n_tasks: loaded.n_all as u64,
        },
        sampling,
        seed: work.seed(),
        n_threads,
        notes: Vec::new(),
        device: stage.used,
    })
}

/// The battery, or each of its programs.
fn units(runner: &Runner, name: &str, lines: Option<&NodeLines>) -> Vec<Unit> {
    if let Some(battery) = runner.battery() {
        return vec![Unit::of_battery(battery, name, lines)];
    }
    let mut scripts = runner.taken_from().map(Scripts::new);
    let unit = |(k, program)| {
        let script = scripts.as_mut().map(|scripts| scripts.script(k));
        let nodes: Vec<u32> = script.iter().flatten().map(|step| step.node.0).collect();
        Unit::of_program(program, &nodes, name, lines)
    };
    runner.lone_programs().enumerate().map(unit).collect()
}

/// Takes tasks until there are no more.
fn execute(
    engine: &Engine,
    runner: &Runner,
    (n_programs, answered): (usize, &[Vec<Answered>]),
    queue: &Queue<'_, &Task>,
    (recorder, progress): (Option<&Recorder>, Option<&Progress>),
) -> Vec<(usize, (TaskRun, Duration))> {
    record::unit(0);
    runner.with_hand(engine, |hand| {
        let mut done = Vec::new();
        while let Some((k, task)) = queue.take() {
            let answered = answered.get(k).cloned().unwrap_or_default();
            let (run, took) = timed(|| {
                recorder.iter().for_each(|it| it.task(Some(k as u32)));
                run_task(task, n_programs, answered, engine, hand, None)
            });
            let Some(run) = run else { break };
            done.push((k, (run, took)));
            progress.iter().for_each(|it| it.advance(1));
        }
        recorder.iter().for_each(|it| it.task(None));
        done
    })
}

fn size_hint(task: &Task, n_nodes: usize) -> f64 {
    let cells: usize = samples(task).map(|sample| sample.input.cells().len()).sum();
    cells as f64 * n_nodes as f64
}

fn outcome(
    run: &TaskRun,
    task: &Task,
    is_solved: bool,
    n_nodes: usize,
    validate: Duration,
) -> TaskOutcome {
    let is_fault = |pick: &&u32| matches!(run.seen[**pick as usize].kind, Kind::Fault(_));
    let sample = |(k, sample): (usize, crate::pipeline::sample::Sample<'_>)| SampleOutcome {
        is_test: !sample.is_demo,
        cells: sample.input.cells().len() as u64,
        runs: run.n_programs as u64,
        faults: run.picks(k).iter().filter(is_fault).count() as u64,
    };
    let samples: Vec<SampleOutcome> = samples(task).enumerate().map(sample).collect();
    TaskOutcome {
        id: task.id.as_str().to_owned(),
        runs: run.n_programs as u64 * samples.len() as u64,
        right: Some(is_solved),
        samples,
        picture: picture(task),
        size_hint: size_hint(task, n_nodes),
        generate: Duration::ZERO,
        validate,
    }
}

fn accuracy(outcomes: &[TaskOutcome]) -> Vec<Accuracy> {
    let right = outcomes.iter().filter(|task| task.right == Some(true));
    vec![Accuracy {
        what: "tasks".to_owned(),
        right: right.count() as u64,
        of: outcomes.len() as u64,
    }]
}

fn program_set(path: &Path, battery: &Battery) -> ProgramSet {
    let file = BatteryFile {
        battery: battery.clone(),
        ..BatteryFile::default()
    };
    ProgramSet {
        name: file_name(path),
        hash: format!("{:032x}", xxh3_128(print_battery(&file).as_bytes())),
        n_programs: battery.outs.len() as u64,
    }
}
