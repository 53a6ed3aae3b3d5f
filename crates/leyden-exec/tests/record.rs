//! The recorder: counts are exact, times add up.

#![cfg(feature = "recorder")]
#![allow(clippy::unwrap_used)]

use leyden_exec::record::{self, Figures, Key, Label, Recorder, Recording, Row, Slow, Work};
use leyden_exec::{BatteryPlan, Engine, Mode, Outcome, Sample, Seen, share_out};
use leyden_grid::Grid;
use leyden_lang::{Battery, Program, Rules, parse};
use leyden_profile::model::SlowReason;

const PROGRAMS: &str = "
def solve_00000001(I):
    x1 = objects(I, T, F, T)
    x2 = apply(size, x1)
    x3 = order(x1, size)
    x4 = mapply(toindices, x1)
    x5 = asindices(I)
    x6 = compose(double, first)
    x7 = fork(add, x6, last)
    x8 = matcher(x7, SEVEN)
    x9 = sfilter(x5, x8)
    O = fill(I, EIGHT, x9)
    return O

def solve_00000002(I):
    x1 = compose(vmirror, hmirror)
    x2 = x1(I)
    O = hconcat(I, x2)
    return O

def solve_00000003(I):
    x1 = objects(I, T, F, T)
    x2 = first(x1)
    O = paint(I, x2)
    return O

def solve_00000004(I):
    x1 = asindices(I)
    x2 = rbind(divide, ZERO)
    x3 = chain(x2, double, first)
    x4 = apply(x3, x1)
    return I

def solve_00000005(I):
    x1 = shape(I)
    x2 = initset(x1)
    x3 = prapply(connect, x2, x2)
    x4 = ofcolor(I, ONE)
    x5 = prapply(connect, x4, x4)
    x6 = apply(identity, x4)
    return I
";

fn programs() -> Vec<Program> {
    parse(PROGRAMS, "a.py", None).unwrap()
}

fn grids() -> Vec<Grid> {
    let cell = |n: usize, k: usize| ((k * k + n * k) % 11 % 3) as u8;
    let row = |n: usize, i: usize| (0..12).map(|j| cell(n, 12 * i + j)).collect::<Vec<u8>>();
    let grid = |n: usize| Grid::from_rows(&(0..9).map(|i| row(n, i)).collect::<Vec<_>>()).unwrap();
    (0..6).map(grid).collect()
}

/// Records all programs as one battery on all grids, as `n_tasks` tasks.
fn recorded(n_tasks: usize, n_threads: usize, mode: Mode) -> Recording {
    let plan = BatteryPlan::new(Battery::from_programs(&programs(), Rules::ALL));
    let engine = Engine {
        mode,
        ..Engine::default()
    };
    let (grids, tasks): (Vec<Grid>, Vec<u32>) = (grids(), (0..n_tasks as u32).collect());
    let recordings = std::sync::Mutex::new(Recording::default());
    share_out(n_threads, &tasks, |queue| {
        let recorder = Recorder::start();
        plan.with_worker(&engine, |worker| {
            while let Some((_, task)) = queue.take() {
                recorder.task(Some(*task));
                worker.run(&Seen::default(), &grids, |_, _, _| {});
            }
        });
        recordings.lock().unwrap().add(recorder.finish());
        Vec::<(usize, ())>::new()
    });
    recordings.into_inner().unwrap()
}

fn calls(recording: &Recording, name: &str) -> u64 {
    let rows = recording.rows();
    let row = rows.iter().find(|(row, _)| row.name() == name);
    row.map_or(0, |(_, it)| it.figures.calls)
}

#[track_caller]
fn assert_close(parts: f64, whole: f64) {
    assert!((parts / whole - 1.0).abs() < 0.02, "{parts} of {whole}");
}

#[test]
fn self_times_add_up_to_wall_and_processor_time() {
    for (n_tasks, n_threads, mode) in [
        (60, 1, Mode::Fast),
        (60, 2, Mode::Fast),
        (20, 1, Mode::Exact),
    ] {
        let recording = recorded(n_tasks, n_threads, mode);
        assert_eq!(recording.tasks.len(), n_tasks);
        assert_eq!(recording.workers.len(), n_threads);
        assert_close(recording.self_ns(), recording.wall_ns() as f64);
        let rows = recording.rows();
        assert!(rows.values().all(|row| row.figures.self_ns >= 0.0));
        assert!(
            rows.iter()
                .all(|(_, row)| row.figures.self_ns <= row.figures.total_ns * 1.000_001 + 1.0)
        );
    }
}

#[test]
fn frames_add_up_to_the_rows() {
    let recording = recorded(10, 1, Mode::Fast);
    let frames: f64 = recording.frames().values().map(|it| it.self_ns).sum();
    let is_work = |row: &Row| matches!(row, Row::Work(_));
    let rows = recording.rows();
    let rows = rows.iter().filter(|(row, _)| !is_work(row));
    assert_close(frames, rows.map(|(_, it)| it.figures.self_ns).sum());
}

#[test]
fn counts_are_exact_and_do_not_depend_on_threads() {
    let (one, two) = (recorded(8, 1, Mode::Fast), recorded(8, 2, Mode::Fast));
    let exact = recorded(8, 1, Mode::Exact);
    // Outside of tasks there are constants, once for each thread.
    for (task, record) in &one.tasks {
        for (row, it) in &record.rows {
            let other = &two.tasks[task].rows;
            let calls = other.get(row).map_or(0, |it| it.figures.calls);
            if let Row::Line(Label::Prim(_)) = row {
                assert_eq!(calls, it.figures.calls, "{row:?}");
            }
        }
    }
    // 8 tasks of 6 grids with 108 cells each.
    assert_eq!(calls(&one, "asindices"), 8 * 6);
    assert_eq!(calls(&one, "vmirror"), 8 * 6);
    assert_eq!(calls(&one, "last"), 8 * 6 * 108);
    assert_eq!(calls(&exact, "last"), 8 * 6 * 108);
    // A single pair, and many at once.
    for name in ["connect", "identity"] {
        assert!(calls(&exact, name) > 8 * 6, "{name}");
        assert_eq!(calls(&one, name), calls(&exact, name), "{name}");
    }
    // The fourth program divides by zero at the first place, and no more after that.
    let divisions = one
        .rows()
        .iter()
        .find(|(row, _)| row.name() == "divide")
        .map(|(_, it)| it.figures.faults);
    assert!(divisions.is_some_and(|faults| faults >= 8 * 6));
}

#[test]
fn recording_changes_no_outcome() {
    let (programs, grids) = (programs(), grids());
    let engine = Engine::default();
    let run = || -> Vec<Outcome> {
        let pairs = programs
            .iter()
            .flat_map(|program| grids.iter().map(move |grid| (program, grid)));
        pairs
            .map(|(program, grid)| engine.run(program, &Sample::of(grid)))
            .collect()
    };
    let plain = run();
    let recorder = Recorder::start();
    let watched = run();
    drop(recorder.finish());
    let hashes = |outcomes: &[Outcome]| -> Vec<u128> {
        outcomes.iter().map(Outcome::content_hash).collect()
    };
    assert_eq!(hashes(&plain), hashes(&watched));
}

#[test]
fn exact_runs_are_named_after_their_causes() {
    // The order depends on whether both are one set.
    let source = "def solve_00000001(I):\n    x1 = asindices(I)\n    x2 = intersection(x1, x1)\n    x3 = first(x2)\n    return x3\n";
    let program = parse(source, "a.py", None).unwrap().remove(0);
    let recorder = Recorder::start();
    recorder.task(Some(0));
    Engine::default().run(&program, &Sample::of(&grids()[0]));
    let recording = recorder.finish();
    let is_again = |row: &&Row| matches!(row, Row::Again(_));
    let rows = recording.rows();
    let again: Vec<&Row> = rows.keys().filter(is_again).collect();
    assert_eq!(again.len(), 1, "{rows:?}");
    assert_eq!(rows[again[0]].figures.calls, 1);
}

/// Records a program alone on all grids: each line that the reference engine ran, with the reason.
fn lines_on_reference(program: &Program, mode: Mode) -> (Vec<(Slow, u32, Figures)>, Recording) {
    let engine = Engine {
        mode,
        ..Engine::default()
    };
    let recorder = Recorder::start();
    recorder.task(Some(0));
    for grid in &grids() {
        engine.run(program, &Sample::of(grid));
    }
    let recording = recorder.finish();
    let line = |(path, figures): (&Vec<Key>, &Figures)| match path.as_slice() {
        [Key::Unit(_), Key::Reference(slow), Key::Node(line, _)] => {
            Some((*slow, *line, figures.clone()))
        }
        _ => None,
    };
    (
        recording.frames().iter().filter_map(line).collect(),
        recording,
    )
}

const TOKPIDJIN: &str = "
def solve_00000001(S, I, C):
    x1 = asindices(I)
    x2 = size_f(x1)
    x3 = canvas(x2, TWO_BY_TWO)
    O = hconcat(x3, x3)
    return O
";

#[test]
fn every_line_on_the_reference_engine_is_timed() {
    let tokpidjin = parse(TOKPIDJIN, "a.py", None).unwrap().remove(0);
    let cases = [
        (programs().remove(0), Mode::Exact, SlowReason::Asked),
        (tokpidjin, Mode::Exact, SlowReason::Asked),
    ];
    for (program, mode, reason) in cases {
        let (lines, recording) = lines_on_reference(&program, mode);
        let numbers: Vec<u32> = lines.iter().map(|(_, line, _)| *line).collect();
        let all: Vec<u32> = (0..program.lines.len() as u32).collect();
        assert_eq!(numbers, all, "{reason:?}");
        for (slow, line, figures) in &lines {
            assert_eq!((slow.reason, slow.prim), (reason, None));
            assert_eq!(figures.calls, grids().len() as u64, "line {line}");
            assert!(figures.total_ns > 0.0, "line {line}");
        }
        let runs: u64 = recording
            .slow_runs
            .values()
            .flat_map(|it| it.values())
            .sum();
        assert_eq!(runs, grids().len() as u64);
    }
}

#[test]
fn a_line_that_calls_a_primitive_is_that_call() {
    let (_, recording) = lines_on_reference(&programs()[0], Mode::Exact);
    let n_grids = grids().len() as u64;
    assert_eq!(calls(&recording, "objects"), n_grids);
    assert_eq!(calls(&recording, "asindices"), n_grids);
    // Called for each cell, from inside the line.
    assert_eq!(calls(&recording, "add"), n_grids * 108);
}

#[test]
fn lines_of_programs_that_fall_back_are_timed_twice() {
    let source = "def solve_00000001(I):\n    x1 = asindices(I)\n    x2 = intersection(x1, x1)\n    x3 = first(x2)\n    return x3\n";
    let program = parse(source, "a.py", None).unwrap().remove(0);
    let (lines, recording) = lines_on_reference(&program, Mode::Fast);
    let n_grids = grids().len() as u64;
    let calls: Vec<u64> = lines.iter().map(|(_, _, figures)| figures.calls).collect();
    assert_eq!(calls, [n_grids; 3]);
    let (slow, _, _) = lines[0];
    assert_eq!(slow.reason, SlowReason::Order);
    assert_eq!(slow.prim.map(|prim| prim.name()), Some("first"));
    let again = &recording.rows()[&Row::Again(slow.prim)];
    assert_eq!(again.figures.calls, n_grids);
    assert_eq!(again.histogram.count(), n_grids);
    let time_of_lines: f64 = lines.iter().map(|(_, _, figures)| figures.total_ns).sum();
    assert!(again.figures.self_ns >= time_of_lines);
    assert_eq!(recording.slow_runs[&slow], [((0, 0), n_grids)].into());
}

#[test]
fn nothing_is_recorded_without_a_recorder() {
    record::work(Work::Collect);
    record::next_sample(Work::Memory);
    Engine::default().run(&programs()[0], &Sample::of(&grids()[0]));
    let recording = Recorder::start().finish();
    assert!(recording.tasks.is_empty() && recording.frames().is_empty());
}
