//! The tables of reports.

use crate::advice::Advice;
use crate::model::{Interval, LineRow, Profile, Projection, SlowPath};
use crate::numbers::{count, counted, duration, percent, share, sum, three_figures};
use crate::project::MOST_TIMES;
use crate::stats::{FACTORS, PrimitiveStats, RESOLUTION_NS};
use crate::table::Table;
use crate::verdict::times;

/// The largest number of steps in a table.
const MOST_STEPS: usize = 10;

impl Profile {
    /// Hardware, versions, data, seed, totals, the recorder's cost.
    pub fn head_table(&self) -> Table {
        let mut table = Table::new(&["what", "value"]);
        for (what, value) in self.head() {
            table.row(vec![what.to_owned(), value]);
        }
        table
    }

    /// The circumstances of the run, as pairs.
    pub fn head(&self) -> Vec<(&'static str, String)> {
        let setting = &self.setting;
        let versions = setting
            .versions
            .iter()
            .map(|v| format!("{} {}", v.name, v.version));
        let hardware = &setting.hardware;
        let device = hardware
            .device
            .as_ref()
            .map_or(String::new(), |d| format!(", {d}"));
        let totals = &self.totals;
        let mut head = vec![
            ("command", setting.command.clone()),
            ("date", setting.date.clone()),
            ("versions", versions.collect::<Vec<_>>().join(", ")),
            (
                "hardware",
                format!(
                    "{}, {}, {}{device}",
                    hardware.cpu,
                    counted(hardware.cores.into(), "core"),
                    hardware.os
                ),
            ),
            (
                "data",
                format!(
                    "{} ({}), hash {}",
                    setting.data.name,
                    counted(setting.data.n_tasks, "task"),
                    setting.data.hash
                ),
            ),
            (
                "programs",
                format!(
                    "{} ({}), hash {}",
                    setting.programs.name,
                    counted(setting.programs.n_programs, "program"),
                    setting.programs.hash
                ),
            ),
            (
                "seed",
                setting
                    .seed
                    .map_or("none".to_owned(), |seed| seed.to_string()),
            ),
            ("jobs", setting.jobs.to_string()),
            ("wall time", duration(totals.wall_ns as f64)),
            (
                "processor time of workers",
                duration(totals.worker_cpu_ns as f64),
            ),
            ("whole run (all work)", duration(totals.whole_ns as f64)),
            ("execute time", duration(totals.execute_ns as f64)),
            ("runs", count(totals.runs)),
            ("recorder's cost", self.recorder_in_words()),
        ];
        for row in &self.accuracy {
            head.push(("right", format!("{} of {} {}", row.right, row.of, row.what)));
        }
        head.retain(|(_, value)| !value.is_empty());
        head
    }

    fn recorder_in_words(&self) -> String {
        let recorder = &self.recorder;
        let of_execute = if recorder.share_of_execute > 0.0 {
            format!(
                "{} of the execute time, ",
                percent(recorder.share_of_execute)
            )
        } else {
            String::new()
        };
        format!(
            "{of_execute}{} of wall time ({}); {} events of {} ns, grain {}, clock {}",
            percent(recorder.share_of_wall),
            recorder.how,
            count(recorder.events),
            three_figures(recorder.ns_per_event),
            recorder.grain,
            recorder.clock
        )
    }

    pub(super) fn slow_table(&self) -> Table {
        let mut table = Table::new(&[
            "why",
            "at",
            ">programs",
            ">runs",
            ">time",
            ">of execute",
            ">fast engine",
            "how that is known",
            "for example",
        ]);
        let execute = self.totals.execute_ns as f64;
        for slow in &self.slow_path {
            table.row(slow_cells(slow, execute));
        }
        table
    }

    pub(super) fn categories_table(&self) -> Table {
        let mut table = Table::new(&[
            "category",
            ">self",
            ">share",
            ">calls",
            ">per call",
            "top five functions, with shares of the category",
        ]);
        let categories = self.categories();
        let total = sum(categories.iter().map(|it| it.self_ns)) as f64;
        for category in categories {
            let ns = category.self_ns as f64;
            table.row(vec![
                category.name.to_owned(),
                duration(ns),
                percent(share(ns, total)),
                count(category.calls),
                duration(share(ns, category.calls as f64)),
                category.top_functions(),
            ]);
        }
        table
    }

    pub(super) fn layers_table(&self) -> Table {
        let mut table = Table::new(&["layer", ">self", ">share", ">calls", ">per call"]);
        let total = self.totals.whole_ns as f64;
        for row in self.top_layers() {
            let ns = row.self_ns as f64;
            table.row(vec![
                row.layer.name().to_owned(),
                duration(ns),
                percent(share(ns, total)),
                count(row.calls),
                duration(share(ns, row.calls as f64)),
            ]);
        }
        table
    }

    pub(super) fn tasks_table(&self, top: usize) -> Table {
        let mut table = Table::new(&[
            "task",
            ">time",
            ">share",
            ">samples",
            ">runs",
            ">faults",
            "slowest primitive",
        ]);
        let total = self.totals.execute_ns as f64;
        for k in self.slowest_tasks().into_iter().take(top) {
            let task = &self.tasks[k];
            let ns = task.self_ns as f64;
            table.row(vec![
                task.id.clone(),
                duration(ns),
                percent(share(ns, total)),
                task.samples.len().to_string(),
                count(task.runs),
                count(task.faults),
                self.slowest_primitive(k),
            ]);
        }
        table
    }

    fn slowest_primitive(&self, task: usize) -> String {
        let parts = &self.tasks[task].primitives;
        let slowest = parts.iter().max_by_key(|part| part.self_ns);
        let row = slowest.and_then(|part| self.primitives.get(part.row as usize));
        row.map_or(String::new(), |row| row.name.clone())
    }

    pub(super) fn outliers_table(&self) -> Table {
        let mut table = Table::new(&["task", ">time", ">× median", ">z", ">share"]);
        for outlier in self.outliers() {
            let task = &self.tasks[outlier.task];
            let ns = task.self_ns as f64;
            table.row(vec![
                task.id.clone(),
                duration(ns),
                three_figures(outlier.times_median),
                format!("{:.1}", outlier.z),
                percent(share(ns, self.totals.execute_ns as f64)),
            ]);
        }
        table
    }

    pub(super) fn repeats_table(&self) -> Table {
        let mut table = Table::new(&["work", ">times", ">different", ">self", "advice"]);
        for row in self.repeats_beside_slow_path() {
            table.row(vec![
                row.what.clone(),
                count(row.times),
                count(row.distinct),
                duration(row.self_ns as f64),
                row.advice.clone(),
            ]);
        }
        table
    }

    pub(super) fn phases_table(&self) -> Table {
        let mut table = Table::new(&[
            "phase",
            ">time",
            ">wall",
            ">share",
            "scales with",
            ">units",
            ">rate",
        ]);
        for row in &self.phases {
            let ns = row.self_ns as f64;
            table.row(vec![
                row.phase.name().to_owned(),
                duration(ns),
                duration(row.wall_ns as f64),
                percent(share(ns, self.totals.whole_ns as f64)),
                row.scales_with.name().to_owned(),
                count(row.units),
                format!("{} /s", count(share(row.units as f64 * 1e9, ns) as u64)),
            ]);
        }
        table
    }

    pub(super) fn one_time_table(&self) -> Table {
        let mut table = Table::new(&["cost", "phase", ">time"]);
        for row in &self.one_time {
            table.row(vec![
                row.name.clone(),
                row.phase.name().to_owned(),
                duration(row.self_ns as f64),
            ]);
        }
        table
    }

    pub(super) fn top_lines_table(&self, top: usize) -> Table {
        let mut table = Table::new(&[
            "program",
            ">line",
            ">hits",
            ">time",
            ">share",
            ">slow path",
            "line",
        ]);
        let total = sum(self.lines.iter().map(|line| line.time_ns)) as f64;
        let mut lines: Vec<&LineRow> = self.lines.iter().filter(|it| it.time_ns > 0).collect();
        lines.sort_by_key(|line| (std::cmp::Reverse(line.time_ns), line.source, line.line));
        for line in lines.into_iter().take(top) {
            let source = self.sources.get(line.source as usize);
            let slow = share(line.reference_ns as f64, line.time_ns as f64);
            table.row(vec![
                source.map_or(String::new(), |source| source.name.clone()),
                line.line.to_string(),
                count(line.hits),
                duration(line.time_ns as f64),
                percent(share(line.time_ns as f64, total)),
                if slow > 0.0 {
                    percent(slow)
                } else {
                    String::new()
                },
                line.text.trim().to_owned(),
            ]);
        }
        table
    }

    pub(super) fn what_ifs_table(&self) -> Table {
        let mut table = Table::new(&[
            "what if",
            ">execute time",
            ">becomes",
            ">speedup",
            ">whole run",
            ">becomes",
            ">speedup",
        ]);
        for row in &self.what_ifs {
            let gain = |before: u64, after: u64| times(share(before as f64, after as f64));
            table.row(vec![
                row.what_if.clone(),
                duration(row.execute_ns as f64),
                duration(row.execute_becomes_ns as f64),
                gain(row.execute_ns, row.execute_becomes_ns),
                duration(row.whole_ns as f64),
                duration(row.whole_becomes_ns as f64),
                gain(row.whole_ns, row.whole_becomes_ns),
            ]);
        }
        table
    }

    pub(super) fn budgets_table(&self) -> Table {
        let mut table = Table::new(&[
            "budget",
            ">tasks",
            "what if",
            ">runs",
            ">at least",
            ">at most",
            "each takes",
        ]);
        for row in &self.budgets {
            let workers = counted(row.workers.into(), "worker");
            table.row(vec![
                format!("{} on {workers}", row.budget),
                count(row.n_tasks),
                row.what_if.clone(),
                count(row.expected),
                count(row.at_least),
                count(row.at_most),
                interval(&row.run),
            ]);
        }
        table
    }

    pub(crate) fn cap_sentence(&self) -> String {
        let limit = match self.sampling.most_per_task_ns {
            Some(ns) => format!(
                ", and none slower than the limit of {} a task, or than the slowest that was run \
                 if that took longer",
                duration(ns as f64)
            ),
            None => String::new(),
        };
        format!(
            "No projection exceeds its cap. The cap assumes that the tasks that were not run are, for \
             their size and on average, at most {MOST_TIMES} times as slow as those that were{limit}."
        )
    }
}

fn slow_cells(slow: &SlowPath, execute: f64) -> Vec<String> {
    let more = slow.n_programs.saturating_sub(slow.programs.len() as u64);
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    vec![
        slow.reason.name().to_owned(),
        slow.primitive.clone().unwrap_or_default(),
        count(slow.n_programs),
        count(slow.n_runs),
        duration(slow.time_ns as f64),
        percent(share(slow.time_ns as f64, execute)),
        format!("{}× as fast", three_figures(slow.expected_speedup)),
        slow.how.clone(),
        if slow.programs.is_empty() {
            String::new()
        } else {
            slow.programs.join(", ") + &more
        },
    ]
}

pub(super) fn steps_table(advice: &Advice) -> Table {
    let mut table = Table::new(&["step", ">saves", ">speedup", "effort"]);
    for step in advice.steps.iter().take(MOST_STEPS) {
        table.row(vec![
            step.what.clone(),
            percent(step.saved),
            times(step.gain),
            step.effort.name().to_owned(),
        ]);
    }
    table
}

pub(super) fn combined_table(advice: &Advice) -> Table {
    let mut table = Table::new(&["which", ">primitives", "of", ">saves", ">of", ">speedup"]);
    for row in &advice.combined {
        table.row(vec![
            row.which.to_owned(),
            row.n_primitives.to_string(),
            match row.n_tasks {
                Some(n) => format!("a run of {}", counted(n, "task")),
                None => "the execute time of this run".to_owned(),
            },
            duration(row.saved_ns),
            duration(row.total_ns),
            times(row.gain),
        ]);
    }
    table
}

/// Writes a time for which the clock may be too coarse.
fn measured(ns: f64) -> String {
    if ns < RESOLUTION_NS {
        format!("< {RESOLUTION_NS} ns")
    } else {
        duration(ns)
    }
}

pub(super) fn primitives_table(stats: &[&PrimitiveStats<'_>]) -> Table {
    let has_expected = stats.iter().any(|s| s.row.expected_share.is_some());
    let has_device = stats.iter().any(|s| s.row.device.is_some());
    let mut columns = vec!["primitive", ">calls", ">self", ">share"];
    if has_expected {
        columns.push(">expected");
    }
    columns.extend([
        ">cumulative",
        ">mean",
        ">median",
        ">p99",
        ">cells",
        ">faults",
        "priority",
    ]);
    if has_device {
        columns.push("device");
    }
    let mut table = Table::new(&columns);
    for s in stats {
        let row = s.row;
        let optional = |ns: Option<f64>| ns.map_or(String::new(), measured);
        let mut cells = vec![
            row.name.clone(),
            count(row.calls),
            duration(row.self_ns as f64),
            percent(s.share),
        ];
        if has_expected {
            cells.push(row.expected_share.map_or(String::new(), percent));
        }
        cells.extend([
            duration(row.cumulative_ns as f64),
            duration(s.mean_ns),
            optional(s.median_ns),
            optional(s.p99_ns),
            count(row.cells),
            count(row.faults),
            s.priority.name().to_owned(),
        ]);
        if has_device {
            cells.push(device(row.device).to_owned());
        }
        table.row(cells);
    }
    table
}

const fn device(device: Option<bool>) -> &'static str {
    match device {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
}

pub(super) fn gains_table(stats: &[&PrimitiveStats<'_>]) -> Table {
    let names = FACTORS.map(|factor| format!(">{factor}× as fast"));
    let mut columns = vec!["primitive", ">share"];
    columns.extend(names.iter().map(String::as_str));
    let mut table = Table::new(&columns);
    for s in stats.iter().filter(|s| !s.priority.name().is_empty()) {
        let mut cells = vec![s.row.name.clone(), percent(s.share)];
        cells.extend(s.gains.map(|gain| format!("{gain:.3}×")));
        table.row(cells);
    }
    table
}

pub(super) fn spread_table(stats: &[&PrimitiveStats<'_>], n_tasks: usize) -> Table {
    let mut table = Table::new(&["primitive", ">share", ">called in", ">matters in", "spread"]);
    for s in stats.iter().filter(|s| !s.priority.name().is_empty()) {
        table.row(vec![
            s.row.name.clone(),
            percent(s.share),
            format!("{} of {n_tasks}", s.n_tasks),
            format!("{} of {n_tasks}", s.n_matters),
            s.spread.name().to_owned(),
        ]);
    }
    table
}

/// An estimate with its interval: `12 s (9.1 s to 20 s)`.
pub fn interval(estimate: &Interval) -> String {
    format!(
        "{} ({} to {})",
        duration(estimate.ns),
        duration(estimate.low_ns),
        duration(estimate.high_ns)
    )
}

/// One row for each projection.
pub fn projections_table(projections: &[Projection]) -> Table {
    let mut table = Table::new(&[
        ">tasks",
        "what if",
        ">time",
        ">95 % from",
        ">to",
        ">cap",
        ">once",
        ">without outliers",
    ]);
    for row in projections {
        table.row(vec![
            count(row.n_tasks),
            row.what_if.clone(),
            duration(row.estimate.ns),
            duration(row.estimate.low_ns),
            duration(row.estimate.high_ns),
            duration(row.cap_ns),
            duration(row.once_ns),
            duration(row.without_outliers_ns),
        ]);
    }
    table
}
