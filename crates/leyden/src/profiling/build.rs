//! Turns measurements into a profile.

use std::collections::BTreeMap;
use std::time::Duration;

use leyden_dsl::table::{Prim, Theme};
use leyden_dsl::types::Type;
use leyden_exec::record::{Label, Row, RowFigures, TaskRecord, Work};
use leyden_profile::model::{
    DeviceUse, Hardware, Kind, Layer, LayerRow, LayerTime, OneTimeCost, Phase, PhaseRow, PhaseTime,
    PrimitiveRow, RecorderCost, RowKind, SampleRow, Setting, SlowPath, TaskPrimitive, TaskRow,
    Totals, Unit as Scale,
};
use leyden_profile::{FORMAT, Profile};

use super::measure::{Detail, Measured, TaskOutcome, Walls};
use super::{lines, machine, repeats, slow, stacks};
use crate::report::numbers::counted;

pub(super) fn profile(measured: &Measured, kind: Kind, detail: Detail) -> Profile {
    let table = Table::of(measured);
    let slow_path = slow::slow_path(measured);
    let totals = totals(measured, &table, &slow_path);
    let (sources, lines) = match detail {
        Detail::Lines => lines::lines(measured),
        Detail::Primitives => (Vec::new(), Vec::new()),
    };
    let mut profile = Profile {
        format: FORMAT.to_owned(),
        kind,
        title: title(measured),
        setting: setting(measured),
        totals,
        recorder: recorder_cost(measured, &totals),
        primitives: table
            .rows()
            .into_iter()
            .chain(device_rows(measured))
            .collect(),
        tasks: tasks(measured, &table),
        sources,
        lines,
        stacks: stacks::stacks(measured, detail),
        layers: layers(measured, &table),
        phases: phases(measured, &totals),
        one_time: one_time(measured, &totals),
        slow_path,
        repeats: repeats::repeats(measured, totals.execute_ns),
        accuracy: measured.accuracy.clone(),
        notes: notes(measured),
        sampling: measured.sampling.clone(),
        projections: Vec::new(),
        budgets: Vec::new(),
        what_ifs: Vec::new(),
        device: device_use(measured),
    };
    profile.complete_stacks();
    profile
}

pub(super) fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

pub(super) fn is_waiting(row: &Row) -> bool {
    *row == Row::Work(Work::Waiting)
}

/// Time in which workers were ready, but other processes had the processor. It tells nothing about
/// the run, so it is in a note and not in a table.
fn waited(measured: &Measured) -> Duration {
    let rows = measured.recording.rows();
    let row = rows.get(&Row::Work(Work::Waiting));
    let recorded = row.map_or(0, |it| it.figures.self_ns as u64);
    let unrecorded = match measured.n_threads {
        1 => unrecorded_ns(measured) - starting_ns(measured),
        _ => 0,
    };
    Duration::from_nanos(recorded + unrecorded)
}

/// The walls without that waiting. Starting a thread is not part of running programs.
fn quiet(measured: &Measured) -> Walls {
    let mut walls = measured.walls;
    if measured.n_threads == 1 {
        let waited = waited(measured).min(walls.phases.execute);
        let starting = Duration::from_nanos(starting_ns(measured));
        walls.phases.execute = walls.phases.execute.saturating_sub(waited + starting);
        walls.whole = walls.whole.saturating_sub(waited);
        walls.start_up += starting;
    }
    walls
}

/// The rows of all tasks, the largest first.
struct Table {
    rows: Vec<(Row, RowFigures)>,
    places: BTreeMap<Row, u32>,
}

impl Table {
    fn of(measured: &Measured) -> Table {
        let mut rows = measured.recording.rows();
        rows.retain(|row, _| !is_waiting(row));
        let mut rows: Vec<(Row, RowFigures)> = rows.into_iter().collect();
        let self_ns = |row: &(Row, RowFigures)| row.1.figures.self_ns;
        rows.sort_by(|a, b| self_ns(b).total_cmp(&self_ns(a)).then(a.0.cmp(&b.0)));
        let places = rows.iter().enumerate();
        Table {
            places: places.map(|(k, (row, _))| (*row, k as u32)).collect(),
            rows,
        }
    }

    fn rows(&self) -> Vec<PrimitiveRow> {
        let row = |(row, it): &(Row, RowFigures)| PrimitiveRow {
            name: row.name(),
            kind: kind_of(*row),
            layer: row.layer(),
            theme: theme_of(*row).to_owned(),
            calls: it.figures.calls,
            self_ns: it.figures.self_ns.round() as u64,
            cumulative_ns: it.figures.total_ns.max(it.figures.self_ns).round() as u64,
            histogram: it.histogram.clone(),
            cells: it.figures.cells.round() as u64,
            faults: it.figures.faults,
            device: None,
            expected_share: None,
        };
        self.rows.iter().map(row).collect()
    }

    fn self_ns(&self) -> f64 {
        self.rows.iter().map(|(_, it)| it.figures.self_ns).sum()
    }
}

/// The wall time of the execute phase in which the host was busy with devices. Workers start after
/// it.
fn on_devices(measured: &Measured) -> Duration {
    measured
        .device
        .as_ref()
        .map_or(Duration::ZERO, |used| used.wall)
}

/// The uses of that time.
fn device_rows(measured: &Measured) -> Vec<PrimitiveRow> {
    let Some(used) = &measured.device else {
        return Vec::new();
    };
    let [transfer, kernel, host] = used.parts();
    let row = |name: &str, layer, self_ns| PrimitiveRow {
        name: name.to_owned(),
        kind: RowKind::Engine,
        layer,
        calls: 1,
        self_ns,
        cumulative_ns: self_ns,
        ..PrimitiveRow::default()
    };
    vec![
        row("(transfer)", Layer::Transfer, transfer),
        row("(device kernel)", Layer::Kernel, kernel),
        row("(device host)", Layer::Schedule, host),
    ]
}

fn device_use(measured: &Measured) -> Option<DeviceUse> {
    let used = measured.device.as_ref()?;
    let wall = quiet(measured).phases.execute + on_devices(measured);
    Some(used.to_model(ns(wall)))
}

/// With one thread: the wall time around that thread's work.
fn unrecorded_ns(measured: &Measured) -> u64 {
    ns(measured.walls.phases.execute).saturating_sub(measured.recording.wall_ns())
}

/// With one thread: the processor time of starting the thread, its memory and its recorder. For the
/// rest the thread waited to be started.
fn starting_ns(measured: &Measured) -> u64 {
    let cpu = ns(measured.walls.execute_cpu).saturating_sub(measured.recording.cpu_ns());
    match measured.n_threads {
        1 => unrecorded_ns(measured).min(cpu),
        _ => 0,
    }
}

fn kind_of(row: Row) -> RowKind {
    match row {
        Row::Line(Label::Prim(_)) => RowKind::Primitive,
        Row::Work(Work::Recorder) => RowKind::Recorder,
        _ => RowKind::Engine,
    }
}

fn theme_of(row: Row) -> &'static str {
    match row {
        Row::Line(Label::Prim(prim)) => prim_theme(prim),
        _ => "",
    }
}

/// The theme of the kernel. Containers have a theme for each kind of result.
fn prim_theme(prim: Prim) -> &'static str {
    let entry = prim.entry();
    match entry.theme {
        Theme::Arithmetic => "arithmetic",
        Theme::Functional => "functional",
        Theme::Grids => "grids",
        Theme::Containers if is_tuple(entry.result) => "tuples",
        Theme::Containers => "sets",
        _ => "objects",
    }
}

fn is_tuple(ty: Type) -> bool {
    matches!(ty, Type::Tuple | Type::TupleTuple | Type::IntegerTuple)
}

fn title(measured: &Measured) -> String {
    let data = &measured.data.name;
    match measured.tasks.as_slice() {
        [task] => format!("task {} of {data}", task.id),
        tasks => format!("{} of {data}", counted(tasks.len(), "task")),
    }
}

/// The command line as the user typed it.
pub(super) fn command() -> String {
    let args: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    format!("leyden {}", args.join(" "))
}

fn setting(measured: &Measured) -> Setting {
    Setting {
        command: command(),
        date: machine::now(),
        versions: machine::versions(),
        hardware: Hardware {
            device: measured.device.as_ref().map(|used| used.name.clone()),
            ..machine::hardware()
        },
        data: measured.data.clone(),
        programs: measured.programs.clone(),
        seed: measured.seed,
        jobs: measured.n_threads as u32,
    }
}

fn totals(measured: &Measured, table: &Table, slow_path: &[SlowPath]) -> Totals {
    let walls = quiet(measured);
    let worker_cpu_ns = measured.recording.cpu_ns();
    let execute_ns = match measured.n_threads {
        1 => ns(walls.phases.execute),
        _ => worker_cpu_ns,
    };
    let on_devices = ns(on_devices(measured));
    let outside = ns(walls.whole).saturating_sub(ns(walls.phases.execute) + on_devices);
    let execute_ns = execute_ns + on_devices;
    let in_tasks: f64 = measured
        .recording
        .tasks
        .values()
        .map(TaskRecord::busy_ns)
        .sum();
    Totals {
        wall_ns: ns(walls.whole),
        worker_cpu_ns,
        whole_ns: outside + execute_ns,
        execute_ns,
        outside_tasks_ns: (table.self_ns() - in_tasks).max(0.0).round() as u64,
        outside_lines_ns: lines::outside_ns(measured).round() as u64 + on_devices,
        reference_ns: slow_path.iter().map(|it| it.time_ns).sum(),
        runs: measured.tasks.iter().map(|task| task.runs).sum(),
    }
}

/// The time that recording added to the run, as a share of it.
fn recorder_cost(measured: &Measured, totals: &Totals) -> RecorderCost {
    let recording = &measured.recording;
    let (of_execute, how) = match measured.cost {
        Some((off, on)) if !on.is_zero() => {
            let added = on.saturating_sub(off).as_secs_f64();
            (added / on.as_secs_f64(), "against unrecorded runs")
        }
        _ => (
            recorder_ns(measured) / totals.execute_ns.max(1) as f64,
            "calibrated: events times their cost",
        ),
    };
    let execute_of_wall = match measured.n_threads {
        1 => totals.execute_ns as f64 / totals.wall_ns.max(1) as f64,
        _ => ns(measured.walls.phases.execute) as f64 / totals.wall_ns.max(1) as f64,
    };
    RecorderCost {
        grain: "primitive".to_owned(),
        clock: "tsc".to_owned(),
        events: recording.events,
        ns_per_event: recording.ns_per_event,
        share_of_wall: of_execute * execute_of_wall.min(1.0),
        share_of_execute: of_execute,
        how: how.to_owned(),
    }
}

/// The recorder's part of the workers' time, by its own account.
fn recorder_ns(measured: &Measured) -> f64 {
    let rows = measured.recording.rows();
    let row = rows.get(&Row::Work(Work::Recorder));
    row.map_or(0.0, |it| it.figures.self_ns)
}

fn tasks(measured: &Measured, table: &Table) -> Vec<TaskRow> {
    let nothing = TaskRecord::default();
    let outcomes = measured.tasks.iter().enumerate();
    outcomes
        .map(|(k, outcome)| {
            let record = measured.recording.tasks.get(&(k as u32));
            let mut row = task(outcome, record.unwrap_or(&nothing), table);
            add_share_of_devices(&mut row, measured, table);
            row
        })
        .collect()
}

/// Adds a task's share of the devices' time. A batch has many tasks, so each gets a share by its
/// runs.
fn add_share_of_devices(task: &mut TaskRow, measured: &Measured, table: &Table) {
    let all: u64 = measured.tasks.iter().map(|task| task.runs).sum();
    for (k, row) in device_rows(measured).into_iter().enumerate() {
        let share = task.runs as f64 / all.max(1) as f64;
        let self_ns = (row.self_ns as f64 * share).round() as u64;
        task.self_ns += self_ns;
        task.primitives.push(TaskPrimitive {
            row: (table.rows.len() + k) as u32,
            calls: 0,
            self_ns,
            cumulative_ns: self_ns,
            ..TaskPrimitive::default()
        });
        let layer = row.layer;
        task.layers.push(LayerTime { layer, self_ns });
        let execute = task.phases.iter_mut().find(|it| it.phase == Phase::Execute);
        execute.into_iter().for_each(|it| it.self_ns += self_ns);
    }
}

fn task(outcome: &TaskOutcome, record: &TaskRecord, table: &Table) -> TaskRow {
    let self_ns = record.busy_ns().round() as u64;
    let sample = |(k, sample): (usize, &super::measure::SampleOutcome)| SampleRow {
        is_test: sample.is_test,
        runs: sample.runs,
        self_ns: record.samples_ns.get(k).copied().unwrap_or(0),
        faults: sample.faults,
        cells: sample.cells,
    };
    let phase = |phase: Phase, self_ns: u64| PhaseTime { phase, self_ns };
    TaskRow {
        id: outcome.id.clone(),
        runs: outcome.runs,
        self_ns,
        faults: outcome.samples.iter().map(|sample| sample.faults).sum(),
        samples: outcome.samples.iter().enumerate().map(sample).collect(),
        primitives: task_primitives(record, table),
        layers: task_layers(record),
        phases: vec![
            phase(Phase::Generate, ns(outcome.generate)),
            phase(Phase::Execute, self_ns),
            phase(Phase::Validate, ns(outcome.validate)),
        ],
        right: outcome.right,
        picture: outcome.picture.clone(),
        size_hint: outcome.size_hint,
    }
}

fn task_primitives(record: &TaskRecord, table: &Table) -> Vec<TaskPrimitive> {
    let rows = record.rows.iter().filter(|(row, _)| !is_waiting(row));
    rows.filter_map(|(row, it)| {
        Some(TaskPrimitive {
            row: *table.places.get(row)?,
            calls: it.figures.calls,
            self_ns: it.figures.self_ns.round() as u64,
            cumulative_ns: it.figures.total_ns.max(it.figures.self_ns).round() as u64,
            cells: it.figures.cells.round() as u64,
            faults: it.figures.faults,
            histogram: it.histogram.clone(),
        })
    })
    .collect()
}

fn task_layers(record: &TaskRecord) -> Vec<LayerTime> {
    let mut times: BTreeMap<Layer, f64> = BTreeMap::new();
    for (row, it) in record.rows.iter().filter(|(row, _)| !is_waiting(row)) {
        *times.entry(row.layer()).or_default() += it.figures.self_ns;
    }
    times
        .into_iter()
        .map(|(layer, ns)| LayerTime {
            layer,
            self_ns: ns.round() as u64,
        })
        .collect()
}

/// The rest of the wall time: choosing tasks, finding their programs.
fn rest(measured: &Measured) -> Duration {
    let walls = &measured.walls;
    let named = walls.start_up
        + walls.phases.load
        + walls.phases.compile
        + walls.phases.generate
        + walls.phases.execute
        + on_devices(measured)
        + walls.phases.validate;
    walls.whole.saturating_sub(named)
}

fn layers(measured: &Measured, table: &Table) -> Vec<LayerRow> {
    let walls = quiet(measured);
    let mut layers: BTreeMap<Layer, (f64, u64)> = BTreeMap::new();
    let mut add = |layer: Layer, time: f64, calls: u64| {
        let entry = layers.entry(layer).or_default();
        *entry = (entry.0 + time, entry.1 + calls);
    };
    let n_units = measured.units.len() as u64;
    add(Layer::StartUp, ns(walls.start_up) as f64, 1);
    add(Layer::Load, ns(walls.phases.load) as f64, 1);
    add(Layer::Load, ns(walls.phases.compile) as f64, 1);
    let merge = walls.merge.min(walls.phases.generate);
    add(Layer::Merge, ns(merge) as f64, n_units);
    add(
        Layer::Compile,
        ns(walls.phases.generate - merge) as f64,
        n_units,
    );
    add(Layer::Schedule, ns(rest(measured)) as f64, 1);
    add(
        Layer::Candidates,
        ns(walls.phases.validate) as f64,
        measured.tasks.len() as u64,
    );
    for (row, it) in &table.rows {
        add(row.layer(), it.figures.self_ns, it.figures.calls);
    }
    for row in device_rows(measured) {
        add(row.layer, row.self_ns as f64, row.calls);
    }
    let row = |(layer, (time, calls)): (Layer, (f64, u64))| LayerRow {
        layer,
        self_ns: time.round() as u64,
        calls,
    };
    layers.into_iter().map(row).collect()
}

fn phases(measured: &Measured, totals: &Totals) -> Vec<PhaseRow> {
    let walls = quiet(measured);
    let (n_tasks, runs) = (measured.tasks.len() as u64, totals.runs);
    let samples = measured.tasks.iter().map(|task| task.samples.len() as u64);
    let row = |phase, time: Duration, scales_with, units| PhaseRow {
        phase,
        self_ns: ns(time),
        wall_ns: ns(time),
        scales_with,
        units,
    };
    let load = walls.phases.load + walls.phases.compile;
    vec![
        row(Phase::StartUp, walls.start_up, Scale::Once, 1),
        row(Phase::Load, load, Scale::Tasks, measured.data.n_tasks),
        row(
            Phase::Generate,
            walls.phases.generate + rest(measured),
            Scale::Tasks,
            n_tasks,
        ),
        PhaseRow {
            phase: Phase::Execute,
            self_ns: totals.execute_ns,
            wall_ns: ns(walls.phases.execute + on_devices(measured)),
            scales_with: Scale::Runs,
            units: runs,
        },
        row(
            Phase::Validate,
            walls.phases.validate,
            Scale::Samples,
            samples.sum(),
        ),
    ]
}

/// Costs that more tasks would not raise: any run reads the whole data set and all programs.
fn one_time(measured: &Measured, totals: &Totals) -> Vec<OneTimeCost> {
    let walls = &measured.walls;
    let cost = |name: &str, phase, self_ns| OneTimeCost {
        name: name.to_owned(),
        phase,
        self_ns,
    };
    vec![
        cost("starting", Phase::StartUp, ns(walls.start_up)),
        cost("starting a thread", Phase::StartUp, starting_ns(measured)),
        cost("reading the data set", Phase::Load, ns(walls.phases.load)),
        cost(
            "reading the programs",
            Phase::Load,
            ns(walls.phases.compile),
        ),
        cost("choosing tasks", Phase::Generate, ns(rest(measured))),
        cost(
            "constants, handing out tasks",
            Phase::Execute,
            totals.outside_tasks_ns,
        ),
    ]
}

fn notes(measured: &Measured) -> Vec<String> {
    let mut notes = measured.notes.clone();
    let waited = waited(measured);
    let share = ns(waited) as f64 / measured.recording.wall_ns().max(1) as f64;
    if share > 0.01 {
        notes.push(format!(
            "The machine is busy: workers waited {:.1} ms for a processor, {:.0} % of the time \
             that they worked. No table includes these waits.",
            waited.as_secs_f64() * 1e3,
            100.0 * share
        ));
    }
    let n_faulty = measured
        .tasks
        .iter()
        .filter(|task| all_faulted(task))
        .count();
    if n_faulty > 0 {
        notes.push(format!(
            "On {} every run ended in a fault.",
            counted(n_faulty, "task")
        ));
    }
    notes
}

pub(super) fn all_faulted(task: &TaskOutcome) -> bool {
    let faults: u64 = task.samples.iter().map(|sample| sample.faults).sum();
    task.runs > 0 && faults == task.runs
}
