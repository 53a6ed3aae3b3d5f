//! Profiles a search by its phases.

use std::collections::BTreeMap;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_grid::{Puzzle, Task};
use leyden_profile::model::{
    Accuracy, DataSet, Kind, Layer, LayerRow, OneTimeCost, Phase, PhaseRow, PhaseTime, ProgramSet,
    RecorderCost, Setting, TaskRow, Totals, Unit,
};
use leyden_profile::{FORMAT, Profile};
use leyden_search::solve::{Moves, Parts, Times};

use super::build::{command, ns};
use super::machine;
use super::measure::{Work, choose, picture};
use crate::args::{Shelf, Spend};
use crate::clock::{Wall, timed};
use crate::failure::Failure;
use crate::pipeline::load::load;
use crate::programs::shelf;
use crate::report::numbers::counted;
use crate::report::solve::n_solved;
use crate::search::crew::Crew;
use crate::search::found::Found;

/// The search to profile.
pub(crate) struct Search {
    pub(crate) per_task: Duration,
    pub(crate) library: Option<Shelf>,
}

/// The walls around a search.
struct Walls {
    start_up: Duration,
    load: Duration,
    solve: Duration,
    whole: Duration,
}

/// Searches on one thread, so that the times of all phases are wall time and add up.
pub(crate) fn profile(
    search: &Search,
    work: &Work,
    cancel: CancelToken,
    started: Wall,
) -> Result<Profile, Failure> {
    let loaded = load(&work.tasks, None, &cancel, started)?;
    let (started, start_up) = (loaded.started, loaded.start_up);
    let (tasks, n_all) = (loaded.tasks, loaded.n_all);
    let (name, hash) = (loaded.name, loaded.hash);
    let hints: Vec<f64> = tasks.iter().map(size_hint).collect();
    let (places, sampling) = choose(work.draw, &hints);
    let tasks: Vec<Task> = places.iter().map(|k| tasks[*k].clone()).collect();
    let moves = Moves::own().map_err(|error| Failure::Other(error.into()))?;
    let known = shelf::read(search.library.as_ref(), &work.language)?;
    let load = started.elapsed().saturating_sub(start_up);
    let crew = Crew {
        moves: &moves,
        known: &known,
        spend: Spend {
            per_task: Some(search.per_task),
            budget: None,
            fuel_per_task: None,
        },
        parts: Parts::default(),
        n_threads: 1,
        started,
        cancel: &cancel,
        journal: None,
        n_candidates: 0,
    };
    let puzzles: Vec<Puzzle> = tasks.iter().map(Task::puzzle).collect();
    let (solved, solve) = timed(|| crew.solve_all(&puzzles.iter().collect::<Vec<_>>()));
    if cancel.is_cancelled() {
        return Err(Failure::Stopped("nothing was written".to_owned()));
    }
    let times: Vec<Times> = solved.iter().map(|solved| solved.times).collect();
    let found = solved.into_iter().map(|solved| Some(solved.found));
    let found: Vec<Option<Found>> = found.collect();
    let accuracy = n_solved(&tasks, &found).map(|right| Accuracy {
        what: "tasks".to_owned(),
        right: right as u64,
        of: tasks.len() as u64,
    });
    let walls = Walls {
        start_up,
        load,
        solve,
        whole: started.elapsed(),
    };
    let sums = sums(&times);
    let mut profile = Profile {
        format: FORMAT.to_owned(),
        kind: Kind::Pipeline,
        title: format!("search on {} of {name}", counted(tasks.len(), "task")),
        setting: Setting {
            command: command(),
            date: machine::now(),
            versions: machine::versions(),
            hardware: machine::hardware(),
            data: DataSet {
                name,
                hash,
                n_tasks: n_all as u64,
            },
            programs: ProgramSet {
                name: "moves and known programs".to_owned(),
                hash: format!("{:032x}", known.content_hash()),
                n_programs: (moves.n_moves() + known.len()) as u64,
            },
            seed: work.seed(),
            jobs: 1,
        },
        totals: totals(&walls, &sums, &found),
        recorder: RecorderCost {
            grain: "phase".to_owned(),
            clock: "monotonic".to_owned(),
            how: "the clock is read at the ends of phases only".to_owned(),
            ..RecorderCost::default()
        },
        primitives: Vec::new(),
        tasks: tasks
            .iter()
            .zip(found.iter().flatten().zip(&times))
            .map(|(task, (found, times))| task_row(task, found, times))
            .collect(),
        sources: Vec::new(),
        lines: Vec::new(),
        stacks: Default::default(),
        layers: layers(&walls, &sums),
        phases: phases(&walls, &sums, &found),
        one_time: one_time(&walls),
        slow_path: Vec::new(),
        repeats: Vec::new(),
        accuracy: accuracy.into_iter().collect(),
        sampling,
        projections: Vec::new(),
        budgets: Vec::new(),
        what_ifs: Vec::new(),
        device: None,
        notes: Vec::new(),
    };
    profile.complete_stacks();
    Ok(profile)
}

/// Cells of all inputs.
fn size_hint(task: &Task) -> f64 {
    let demos = task.demos.iter().map(|pair| &pair.input);
    let inputs = demos.chain(task.tests.iter().map(|test| &test.input));
    inputs.map(|grid| grid.cells().len() as f64).sum()
}

/// The phases of a search, with the layers that they belong to.
const PHASES: [(Phase, Layer); 6] = [
    (Phase::Transfer, Layer::Execute),
    (Phase::Mutate, Layer::Execute),
    (Phase::Enumerate, Layer::Execute),
    (Phase::Induce, Layer::Execute),
    (Phase::Compose, Layer::Candidates),
    (Phase::Rank, Layer::Collect),
];

/// The times of the search's phases over all tasks.
fn sums(times: &[Times]) -> BTreeMap<Phase, u64> {
    let sum = |phase| times.iter().map(|times| ns(times.of(phase))).sum();
    PHASES
        .iter()
        .map(|(phase, _)| (*phase, sum(*phase)))
        .collect()
}

/// The time for comparing and writing: everything except the search itself.
fn validate_ns(walls: &Walls, sums: &BTreeMap<Phase, u64>) -> u64 {
    let before = ns(walls.start_up + walls.load);
    ns(walls.whole).saturating_sub(before + sums.values().sum::<u64>())
}

fn totals(walls: &Walls, sums: &BTreeMap<Phase, u64>, found: &[Option<Found>]) -> Totals {
    Totals {
        wall_ns: ns(walls.whole),
        worker_cpu_ns: ns(walls.solve),
        whole_ns: ns(walls.whole),
        execute_ns: sums.values().sum(),
        outside_tasks_ns: 0,
        outside_lines_ns: 0,
        reference_ns: 0,
        runs: found.iter().flatten().map(|it| it.runs).sum(),
    }
}

fn task_row(task: &Task, found: &Found, times: &Times) -> TaskRow {
    let phases = PHASES.map(|(phase, _)| PhaseTime {
        phase,
        self_ns: ns(times.of(phase)),
    });
    TaskRow {
        id: found.task.clone(),
        runs: found.runs,
        self_ns: phases.iter().map(|part| part.self_ns).sum(),
        phases: phases.into(),
        size_hint: size_hint(task),
        picture: picture(task),
        ..TaskRow::default()
    }
}

fn layers(walls: &Walls, sums: &BTreeMap<Phase, u64>) -> Vec<LayerRow> {
    let of_phases = PHASES.map(|(phase, layer)| (layer, sums[&phase]));
    let others = [
        (Layer::StartUp, ns(walls.start_up)),
        (Layer::Load, ns(walls.load)),
        (Layer::Output, validate_ns(walls, sums)),
    ];
    let mut layers: BTreeMap<Layer, u64> = BTreeMap::new();
    for (layer, self_ns) in others.into_iter().chain(of_phases) {
        *layers.entry(layer).or_default() += self_ns;
    }
    let row = |(layer, self_ns)| LayerRow {
        layer,
        self_ns,
        calls: 1,
    };
    layers.into_iter().map(row).collect()
}

fn phases(walls: &Walls, sums: &BTreeMap<Phase, u64>, found: &[Option<Found>]) -> Vec<PhaseRow> {
    let n_tasks = found.len() as u64;
    let row = |phase, self_ns, scales_with, units| PhaseRow {
        phase,
        self_ns,
        wall_ns: self_ns,
        scales_with,
        units,
    };
    let mut rows = vec![
        row(Phase::StartUp, ns(walls.start_up), Unit::Once, 1),
        row(Phase::Load, ns(walls.load), Unit::Once, 1),
    ];
    rows.extend(PHASES.map(|(phase, _)| row(phase, sums[&phase], Unit::Tasks, n_tasks)));
    let validate = validate_ns(walls, sums);
    rows.push(row(Phase::Validate, validate, Unit::Tasks, n_tasks));
    rows
}

fn one_time(walls: &Walls) -> Vec<OneTimeCost> {
    let cost = |name: &str, phase, time| OneTimeCost {
        name: name.to_owned(),
        phase,
        self_ns: ns(time),
    };
    vec![
        cost("starting", Phase::StartUp, walls.start_up),
        cost("reading data, moves and programs", Phase::Load, walls.load),
    ]
}
