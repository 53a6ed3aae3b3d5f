//! Made-up profiles with known answers, for tests and for trying readers on every form.

use crate::chance::Chance;
use crate::model::*;
use crate::numbers::sum;

/// Name, theme, self time of a call in ns, and whether the device could run it.
const PRIMITIVES: [(&str, &str, f64, bool); 12] = [
    ("objects", "objects", 5_200.0, true),
    ("mapply", "functional", 900.0, false),
    ("sfilter", "functional", 640.0, false),
    ("occurrences", "objects", 3_100.0, true),
    ("fill", "grids", 420.0, true),
    ("paint", "grids", 380.0, true),
    ("shift", "patches", 150.0, true),
    ("toindices", "patches", 120.0, true),
    ("mostcolor", "colour", 90.0, true),
    ("first", "containers", 40.0, false),
    ("add", "arithmetic", 18.0, true),
    ("connect", "lines", 210.0, true),
];
const DISPATCH: u32 = PRIMITIVES.len() as u32;
const SEED: u64 = 4;
const N_TASKS: u64 = 40;

/// A profile of 40 made-up tasks with every table and right sums.
pub fn sample_profile() -> Profile {
    finish(tasks(N_TASKS))
}

/// A made-up profile of `n_tasks` tasks.
pub fn profile_of(n_tasks: u64) -> Profile {
    finish(tasks(n_tasks))
}

/// The sample profile with one more task, far slower than the others; returns the task's index.
pub fn planted_outlier() -> (Profile, usize) {
    let mut tasks = tasks(N_TASKS);
    let mut slow = task(N_TASKS, &mut Chance::seeded(99));
    stretch(&mut slow, 2_000);
    tasks.insert(17, slow);
    (finish(tasks), 17)
}

/// A made-up profile with some share of its execute time on the reference engine.
pub fn slow_profile(part: f64) -> Profile {
    let mut profile = sample_profile();
    let time_ns = (profile.totals.execute_ns as f64 * part) as u64;
    profile.totals.reference_ns = time_ns;
    profile.slow_path = vec![SlowPath {
        reason: SlowReason::Order,
        primitive: Some("order".to_owned()),
        n_programs: 14,
        programs: vec!["solve_00d62c1b".to_owned()],
        n_runs: 56,
        time_ns,
        expected_speedup: 25.0,
        how: "made up".to_owned(),
    }];
    profile
}

fn tasks(n: u64) -> Vec<TaskRow> {
    let mut chance = Chance::seeded(SEED);
    (0..n).map(|k| task(k, &mut chance)).collect()
}

/// A task that uses about half of the primitives; its size varies by a factor of ten or so.
fn task(k: u64, chance: &mut Chance) -> TaskRow {
    let size = (0.7 * (chance.exponential() - 1.0)).exp();
    let mut primitives = Vec::new();
    for (row, &(_, _, ns, _)) in PRIMITIVES.iter().enumerate() {
        if chance.unit() < 0.55 {
            primitives.push(part(row as u32, ns * size, chance));
        }
    }
    primitives.push(part(DISPATCH, 60.0, chance));
    let self_ns = sum(primitives.iter().map(|part| part.self_ns));
    TaskRow {
        id: format!("{:08x}", 0x00d6_2c1b + k * 0x0123_4567),
        runs: 4,
        self_ns,
        faults: u64::from(k.is_multiple_of(9)),
        samples: samples(self_ns),
        primitives,
        phases: phase_times(self_ns, chance),
        size_hint: (400.0 * size).round(),
        right: Some(k % 7 != 3),
        picture: (k < 12).then(|| picture(chance)),
        ..TaskRow::default()
    }
}

fn part(row: u32, ns: f64, chance: &mut Chance) -> TaskPrimitive {
    let n_calls = 3 + chance.below(40);
    let times: Vec<u64> = (0..n_calls)
        .map(|_| (ns * (0.5 + 0.5 * chance.exponential())) as u64)
        .collect();
    let self_ns = sum(times.iter().copied());
    TaskPrimitive {
        row,
        calls: n_calls as u64,
        self_ns,
        cumulative_ns: self_ns + self_ns / 4,
        cells: n_calls as u64 * 90,
        faults: u64::from(chance.unit() < 0.05),
        histogram: times.into_iter().collect(),
    }
}

fn samples(self_ns: u64) -> Vec<SampleRow> {
    let sample = |k: u64| SampleRow {
        is_test: k == 3,
        runs: 1,
        self_ns: self_ns * (k + 1) / 10,
        faults: 0,
        cells: 100 * (k + 1),
    };
    (0..4).map(sample).collect()
}

fn phase_times(execute_ns: u64, chance: &mut Chance) -> Vec<PhaseTime> {
    let time = |phase, self_ns| PhaseTime { phase, self_ns };
    vec![
        time(Phase::Generate, 20_000 + chance.below(20_000) as u64),
        time(Phase::Execute, execute_ns),
        time(Phase::Validate, 3_000 + chance.below(500) as u64),
    ]
}

/// A frame around a block; the output has the block filled.
fn picture(chance: &mut Chance) -> Picture {
    let (height, width) = (5 + chance.below(5), 5 + chance.below(6));
    let colour = 1 + chance.below(9);
    let draw = |inner: usize| -> Vec<String> {
        let cell = |i: usize, j: usize| match (i, j) {
            _ if i == 0 || j == 0 || i + 1 == height || j + 1 == width => colour,
            _ if i > 1 && j > 1 && i + 2 < height && j + 2 < width => inner,
            _ => 0,
        };
        let row = |i: usize| (0..width).map(|j| cell(i, j).to_string()).collect();
        (0..height).map(row).collect()
    };
    Picture {
        input: draw(5),
        output: draw((colour + 3) % 10),
    }
}

fn stretch(task: &mut TaskRow, factor: u64) {
    for part in &mut task.primitives {
        part.self_ns *= factor;
        part.cumulative_ns *= factor;
    }
    task.self_ns *= factor;
    task.samples.iter_mut().for_each(|s| s.self_ns *= factor);
    for part in &mut task.phases {
        if part.phase == Phase::Execute {
            part.self_ns *= factor;
        }
    }
}

/// Makes the tables that follow from the tasks.
fn finish(tasks: Vec<TaskRow>) -> Profile {
    let primitives = rows(&tasks);
    let execute_ns = sum(tasks.iter().map(|task| task.self_ns));
    let phases = phases(&tasks, execute_ns);
    // The times of generating and validating do not depend on the planted outlier, so the profile
    // without it equals the plain profile.
    let whole_ns = sum(phases.iter().map(|row| row.self_ns));
    let mut profile = Profile {
        format: FORMAT.to_owned(),
        kind: Kind::Batch,
        title: format!("{} made-up tasks", tasks.len()),
        setting: setting(),
        totals: Totals {
            wall_ns: whole_ns,
            worker_cpu_ns: execute_ns,
            whole_ns,
            execute_ns,
            outside_tasks_ns: 0,
            outside_lines_ns: 0,
            reference_ns: 0,
            runs: sum(tasks.iter().map(|task| task.runs)),
        },
        recorder: RecorderCost {
            grain: "primitive".to_owned(),
            clock: "tsc".to_owned(),
            events: 2 * sum(primitives.iter().map(|row| row.calls)),
            ns_per_event: 9.5,
            share_of_wall: 0.071,
            share_of_execute: 0.083,
            how: "made up".to_owned(),
        },
        layers: layers(execute_ns),
        lines: lines(execute_ns),
        sources: vec![Source {
            name: "solve_00d62c1b".to_owned(),
            file: "solvers.py".to_owned(),
        }],
        stacks: stacks(execute_ns),
        phases,
        primitives,
        tasks,
        one_time: vec![OneTimeCost {
            name: "reading the data set".to_owned(),
            phase: Phase::Load,
            self_ns: 150_000,
        }],
        slow_path: Vec::new(),
        repeats: vec![Repeat {
            what: "objects(I, T, F, T)".to_owned(),
            times: 120,
            distinct: 40,
            self_ns: execute_ns / 10,
            advice: "once a sample would do".to_owned(),
        }],
        accuracy: vec![Accuracy {
            what: "tasks".to_owned(),
            right: 34,
            of: 40,
        }],
        sampling: Sampling {
            method: SamplingMethod::BySize,
            hints_of_rest: vec![300.0; 360],
            most_per_task_ns: None,
        },
        projections: Vec::new(),
        budgets: Vec::new(),
        what_ifs: Vec::new(),
        device: None,
        notes: vec!["These numbers are made up.".to_owned()],
    };
    profile.complete_stacks();
    profile
}

fn rows(tasks: &[TaskRow]) -> Vec<PrimitiveRow> {
    let plain = PRIMITIVES
        .iter()
        .map(|&(name, theme, _, device)| PrimitiveRow {
            name: name.to_owned(),
            theme: theme.to_owned(),
            device: Some(device),
            ..PrimitiveRow::default()
        });
    let engine = PrimitiveRow {
        name: "(dispatch)".to_owned(),
        kind: RowKind::Engine,
        ..PrimitiveRow::default()
    };
    let mut rows: Vec<PrimitiveRow> = plain.chain([engine]).collect();
    for part in tasks.iter().flat_map(|task| &task.primitives) {
        let row = &mut rows[part.row as usize];
        row.calls += part.calls;
        row.self_ns += part.self_ns;
        row.cumulative_ns += part.cumulative_ns;
        row.cells += part.cells;
        row.faults += part.faults;
        row.histogram.merge(&part.histogram);
    }
    rows
}

fn setting() -> Setting {
    let version = |name: &str, version: &str| Version {
        name: name.to_owned(),
        version: version.to_owned(),
    };
    Setting {
        command: "leyden profile batch -n 40 --seed 4".to_owned(),
        date: String::new(),
        versions: vec![version("leyden", "0.1.0"), version("rustc", "1.95.0")],
        hardware: Hardware {
            cpu: "A made-up processor".to_owned(),
            cores: 2,
            memory_bytes: 8 << 30,
            os: "linux x86_64".to_owned(),
            device: None,
        },
        data: DataSet {
            name: "arc1:training".to_owned(),
            hash: "0f3c5d7e".to_owned(),
            n_tasks: 400,
        },
        programs: ProgramSet {
            name: "solvers.py".to_owned(),
            hash: "77aa01b2".to_owned(),
            n_programs: 400,
        },
        seed: Some(SEED),
        jobs: 1,
    }
}

/// Constant work of the whole run. Generating is one figure for all tasks.
const FIXED: [(Phase, u64); 3] = [
    (Phase::StartUp, 400_000),
    (Phase::Load, 250_000),
    (Phase::Generate, 1_200_000),
];
const VALIDATE_NS: u64 = 140_000;

fn phases(tasks: &[TaskRow], execute_ns: u64) -> Vec<PhaseRow> {
    let row = |phase, self_ns, scales_with, units| PhaseRow {
        phase,
        self_ns,
        wall_ns: self_ns,
        scales_with,
        units,
    };
    let n_tasks = N_TASKS.min(tasks.len() as u64);
    vec![
        row(FIXED[0].0, FIXED[0].1, Unit::Once, 1),
        row(FIXED[1].0, FIXED[1].1, Unit::Tasks, n_tasks),
        row(FIXED[2].0, FIXED[2].1, Unit::Programs, 400),
        row(Phase::Execute, execute_ns, Unit::Samples, 4 * n_tasks),
        row(Phase::Validate, VALIDATE_NS, Unit::Tasks, n_tasks),
    ]
}

fn layers(execute_ns: u64) -> Vec<LayerRow> {
    let row = |layer, self_ns, calls| LayerRow {
        layer,
        self_ns,
        calls,
    };
    vec![
        row(Layer::StartUp, 400_000, 1),
        row(Layer::Load, 250_000, 2),
        row(Layer::Sample, 100_000, 40),
        row(Layer::Mutate, 300_000, 400),
        row(Layer::Merge, 500_000, 40),
        row(Layer::Compile, 300_000, 40),
        row(Layer::Execute, execute_ns, 160),
        row(Layer::Candidates, 90_000, 160),
        row(Layer::Output, 50_000, 3),
    ]
}

fn lines(execute_ns: u64) -> Vec<LineRow> {
    let texts = [
        "def solve_00d62c1b(I):",
        "    x1 = objects(I, T, F, F)",
        "    x2 = colorfilter(x1, ZERO)",
        "    x3 = rbind(bordering, I)",
        "    x4 = compose(flip, x3)",
        "    x5 = mfilter(x2, x4)",
        "    O = fill(I, FOUR, x5)",
        "    return O",
    ];
    let share = [0, 42, 8, 1, 1, 31, 17, 0];
    let line = |k: usize| LineRow {
        source: 0,
        line: 1 + k as u32,
        text: texts[k].to_owned(),
        hits: if share[k] > 0 { 160 } else { 0 },
        time_ns: execute_ns * share[k] / 100,
        shared_by: match k {
            1 => vec!["solve_00d62c1b".to_owned(), "solve_a5313dff".to_owned()],
            _ => Vec::new(),
        },
        n_shared: if k == 1 { 2 } else { 0 },
        ..LineRow::default()
    };
    (0..texts.len()).map(line).collect()
}

fn stacks(execute_ns: u64) -> Stacks {
    let mut stacks = Stacks::default();
    let layer = stacks.frame(Frame::of(Layer::Execute));
    let program = stacks.frame(Frame {
        name: "solve_00d62c1b".to_owned(),
        kind: FrameKind::Program,
        file: "solvers.py".to_owned(),
        line: 1,
    });
    for (line, text, prims, percent) in [
        (2, "x1 = objects(I, T, F, F)", &["objects"][..], 40),
        (6, "x5 = mfilter(x2, x4)", &["mfilter"], 12),
        (6, "x5 = mfilter(x2, x4)", &["mfilter", "bordering"], 18),
        (7, "O = fill(I, FOUR, x5)", &["fill"], 10),
        (7, "O = fill(I, FOUR, x5)", &["fill", "toindices"], 5),
    ] {
        let line = stacks.frame(Frame {
            name: text.to_owned(),
            kind: FrameKind::Line,
            file: "solvers.py".to_owned(),
            line,
        });
        let mut frames = vec![layer, program, line];
        for name in prims {
            frames.push(stacks.frame(Frame::primitive(name)));
        }
        stacks.add(frames, execute_ns * percent / 100, 160);
    }
    stacks
}
