//! Analyses a profile: shares, priorities, expected gains, consistency, outliers.

use serde::{Deserialize, Serialize};

use crate::histogram::Histogram;
use crate::model::{
    Layer, LayerRow, LayerTime, Phase, PrimitiveRow, Profile, RowKind, TaskPrimitive, TaskRow, Unit,
};
use crate::numbers::{mean, median, median_deviation, share, sum};

/// The factors for which expected gains are given.
pub const FACTORS: [f64; 4] = [2.0, 3.0, 6.0, 35.0];
/// A primitive matters in a task if it takes more than this share of it.
pub const MATTERS: f64 = 0.05;
/// A primitive is a consistent bottleneck if it matters in at least this share of the tasks.
pub const CONSISTENT: f64 = 0.25;
/// A task is an outlier if its robust z is above this (Iglewicz and Hoaglin's threshold).
pub const OUTLIER_Z: f64 = 3.5;
/// The smallest number of tasks among which outliers are named.
pub const MIN_TASKS_FOR_OUTLIERS: usize = 5;

/// The clock's resolution. A median below it is not reliable.
pub const RESOLUTION_NS: f64 = 10.0;

/// Scales a median deviation to the standard deviation of a normal distribution.
const MAD_TO_DEVIATION: f64 = 1.4826;
/// The smallest deviation: times of equal tasks still differ by a tenth from run to run.
const MIN_MAD: f64 = 0.1;

/// The urgency of making something faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Priority {
    /// More than 10 % of the total.
    High,
    /// 5 to 10 %.
    Medium,
    /// 1 to 5 %.
    Low,
    /// Less than 1 %, which is not worth a thought.
    None,
}

impl Priority {
    /// The priority for a share of the total.
    pub fn of(share: f64) -> Self {
        match share {
            _ if share > 0.10 => Priority::High,
            _ if share >= 0.05 => Priority::Medium,
            _ if share >= 0.01 => Priority::Low,
            _ => Priority::None,
        }
    }

    /// The word for reports; empty for [`Priority::None`].
    pub const fn name(self) -> &'static str {
        match self {
            Priority::High => "HIGH",
            Priority::Medium => "MEDIUM",
            Priority::Low => "LOW",
            Priority::None => "",
        }
    }
}

/// Amdahl's law: the factor by which the whole becomes faster if a share of it becomes `factor`
/// times as fast.
///
/// ```
/// use leyden_profile::stats::amdahl;
///
/// assert_eq!(amdahl(0.5, 2.0), 1.0 / 0.75);
/// assert!(amdahl(0.1, f64::INFINITY) < 1.12);
/// ```
pub fn amdahl(share: f64, factor: f64) -> f64 {
    1.0 / (1.0 - share + share / factor)
}

/// The spread of a bottleneck over tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// The primitive matters in at least a quarter of the tasks.
    Consistent,
    /// The primitive matters in some tasks.
    Occasional,
    /// Half of its time or more is in one task out of twenty, or in a single one.
    OneOff,
    /// The profile has fewer than four tasks, so the spread is unknown.
    Unknown,
}

impl Spread {
    /// The word for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Spread::Consistent => "consistent",
            Spread::Occasional => "occasional",
            Spread::OneOff => "one-off",
            Spread::Unknown => "",
        }
    }
}

/// A primitive with statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct PrimitiveStats<'a> {
    /// The numbers.
    pub row: &'a PrimitiveRow,
    /// Its self time as a share of the execute time.
    pub share: f64,
    /// Self time of a call, on average.
    pub mean_ns: f64,
    /// The median of a call's self time; `None` without a histogram.
    pub median_ns: Option<f64>,
    /// The 99th percentile of a call's self time.
    pub p99_ns: Option<f64>,
    /// The priority; always `None` for a row of other work.
    pub priority: Priority,
    /// The gain in execute time for each of [`FACTORS`].
    pub gains: [f64; 4],
    /// The number of tasks that call it.
    pub n_tasks: usize,
    /// The number of tasks in which it [`MATTERS`].
    pub n_matters: usize,
    /// The spread over tasks.
    pub spread: Spread,
}

/// A theme, with the sums over its primitives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeRow {
    /// The name; rows without a theme are under "(engine)".
    pub theme: String,
    /// Self time of its primitives.
    pub self_ns: u64,
    /// Their calls.
    pub calls: u64,
    /// The number of primitives that were called.
    pub n_primitives: usize,
}

/// A part of the execute time: a theme of primitives, or a layer around them. The categories of a
/// profile add up to the execute time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category<'a> {
    /// The theme's or the layer's name.
    pub name: &'a str,
    /// Self time of its rows.
    pub self_ns: u64,
    /// Their calls.
    pub calls: u64,
    /// The names and self times of its rows, the longest first.
    pub functions: Vec<(&'a str, u64)>,
}

/// The number of functions named with each category.
const TOP_FUNCTIONS: usize = 5;

impl Category<'_> {
    /// The slowest functions, with their shares of the category.
    pub fn top_functions(&self) -> String {
        let total = self.self_ns as f64;
        let function = |(name, self_ns): &(&str, u64)| {
            format!("{name} {:.0} %", 100.0 * share(*self_ns as f64, total))
        };
        let functions = self.functions.iter().take(TOP_FUNCTIONS).map(function);
        functions.collect::<Vec<_>>().join(", ")
    }
}

/// A task that took much longer than the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlier {
    /// The index in [`Profile::tasks`].
    pub task: usize,
    /// The number of deviations above the median, in logarithms.
    pub z: f64,
    /// The task's time divided by the median.
    pub times_median: f64,
}

impl Profile {
    /// All rows with statistics, the longest self time first.
    pub fn primitive_stats(&self) -> Vec<PrimitiveStats<'_>> {
        let counts = self.counts_by_row();
        let mut stats: Vec<_> = self
            .primitives
            .iter()
            .zip(&counts)
            .map(|(row, counts)| self.stats_of(row, counts))
            .collect();
        stats.sort_by(|a, b| (b.row.self_ns, &a.row.name).cmp(&(a.row.self_ns, &b.row.name)));
        stats
    }

    fn stats_of<'a>(&self, row: &'a PrimitiveRow, counts: &TaskCounts) -> PrimitiveStats<'a> {
        let share_of_total = share(row.self_ns as f64, self.totals.execute_ns as f64);
        PrimitiveStats {
            row,
            share: share_of_total,
            mean_ns: share(row.self_ns as f64, row.calls as f64),
            median_ns: quantile_of(row, 0.5),
            p99_ns: quantile_of(row, 0.99),
            priority: match row.kind {
                RowKind::Primitive => Priority::of(share_of_total),
                RowKind::Engine | RowKind::Recorder => Priority::None,
            },
            gains: FACTORS.map(|factor| amdahl(share_of_total, factor)),
            n_tasks: counts.times_ns.len(),
            n_matters: counts.n_matters,
            spread: counts.spread(self.tasks.len()),
        }
    }

    fn counts_by_row(&self) -> Vec<TaskCounts> {
        let mut counts = vec![TaskCounts::default(); self.primitives.len()];
        for task in &self.tasks {
            for part in &task.primitives {
                if let Some(counts) = counts.get_mut(part.row as usize) {
                    counts.add(part.self_ns, task.self_ns);
                }
            }
        }
        counts
    }

    /// Time by kernel theme within the execute layer, the longest first.
    pub fn themes(&self) -> Vec<ThemeRow> {
        let mut themes: Vec<ThemeRow> = Vec::new();
        for row in &self.primitives {
            if row.layer == Layer::Execute {
                add_to_theme(&mut themes, row);
            }
        }
        themes.sort_by(|a, b| (b.self_ns, &a.theme).cmp(&(a.self_ns, &b.theme)));
        themes
    }

    /// The execute time by theme, and by layer for rows around primitives; the longest first.
    pub fn categories(&self) -> Vec<Category<'_>> {
        let mut categories: Vec<Category<'_>> = Vec::new();
        for row in self.primitives.iter().filter(|row| row.self_ns > 0) {
            let name = match (row.layer, row.theme.as_str()) {
                (Layer::Execute, "") => "(engine)",
                (Layer::Execute, theme) => theme,
                (layer, _) => layer.name(),
            };
            let k = categories.iter().position(|it| it.name == name);
            let k = k.unwrap_or_else(|| {
                categories.push(Category {
                    name,
                    self_ns: 0,
                    calls: 0,
                    functions: Vec::new(),
                });
                categories.len() - 1
            });
            let category = &mut categories[k];
            category.self_ns = category.self_ns.saturating_add(row.self_ns);
            category.calls = category.calls.saturating_add(row.calls);
            category.functions.push((&row.name, row.self_ns));
        }
        for category in &mut categories {
            let functions = &mut category.functions;
            functions.sort_by(|a, b| (b.1, a.0).cmp(&(a.1, b.0)));
        }
        categories.sort_by(|a, b| (b.self_ns, a.name).cmp(&(a.self_ns, b.name)));
        categories
    }

    /// The layers with any time, the longest first.
    pub fn top_layers(&self) -> Vec<LayerRow> {
        let mut layers: Vec<LayerRow> = self.layers.to_vec();
        layers.retain(|row| row.self_ns > 0);
        layers.sort_by_key(|row| (std::cmp::Reverse(row.self_ns), row.layer));
        layers
    }

    /// The indices of the tasks, the slowest first.
    pub fn slowest_tasks(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.tasks.len()).collect();
        places.sort_by_key(|&k| (std::cmp::Reverse(self.tasks[k].self_ns), k));
        places
    }

    /// Tasks that took far longer than the rest, the slowest first.
    ///
    /// Times of tasks spread over orders of magnitude, so the rule works on their logarithms. A
    /// task is an outlier if it is more than [`OUTLIER_Z`] robust deviations above the median; a
    /// robust deviation is the median distance from the median × 1.4826, at least a tenth. Fast
    /// tasks are never outliers.
    pub fn outliers(&self) -> Vec<Outlier> {
        // A task without a program takes nearly no time and says nothing about the others.
        let (places, times): (Vec<usize>, Vec<f64>) = self
            .tasks
            .iter()
            .enumerate()
            .filter(|(_, task)| task.runs > 0)
            .map(|(k, task)| (k, task.self_ns as f64))
            .unzip();
        let mut found = outliers_among(&times);
        for outlier in &mut found {
            outlier.task = places[outlier.task];
        }
        found
    }
}

/// [`Profile::outliers`] for a list of times.
pub fn outliers_among(times: &[f64]) -> Vec<Outlier> {
    if times.len() < MIN_TASKS_FOR_OUTLIERS {
        return Vec::new();
    }
    let logs: Vec<f64> = times.iter().map(|time| time.max(1.0).ln()).collect();
    let centre = median(&logs);
    let deviation = MAD_TO_DEVIATION * median_deviation(&logs, centre).max(MIN_MAD);
    let outlier = |(task, log): (usize, &f64)| Outlier {
        task,
        z: (log - centre) / deviation,
        times_median: (log - centre).exp(),
    };
    let mut found: Vec<Outlier> = logs.iter().enumerate().map(outlier).collect();
    found.retain(|outlier| outlier.z > OUTLIER_Z);
    found.sort_by(|a, b| b.z.total_cmp(&a.z).then(a.task.cmp(&b.task)));
    found
}

/// A quantile of a row. The time of a single call is known better than its bucket.
fn quantile_of(row: &PrimitiveRow, q: f64) -> Option<f64> {
    let found = row.histogram.quantile(q)?;
    Some(if row.calls == 1 {
        row.self_ns as f64
    } else {
        found
    })
}

/// A primitive's self times in the tasks that call it.
#[derive(Default, Clone)]
struct TaskCounts {
    times_ns: Vec<u64>,
    n_matters: usize,
}

impl TaskCounts {
    fn add(&mut self, self_ns: u64, task_ns: u64) {
        self.times_ns.push(self_ns);
        let matters = share(self_ns as f64, task_ns as f64) > MATTERS;
        self.n_matters += usize::from(matters);
    }

    fn spread(&self, n_tasks: usize) -> Spread {
        if n_tasks < 4 {
            return Spread::Unknown;
        }
        if self.n_matters as f64 >= CONSISTENT * n_tasks as f64 {
            return Spread::Consistent;
        }
        let mut times = self.times_ns.clone();
        times.sort_unstable_by(|a, b| b.cmp(a));
        let few = (n_tasks / 20).max(1);
        let in_few = sum(times.iter().take(few).copied());
        if in_few as f64 >= 0.5 * sum(times) as f64 {
            Spread::OneOff
        } else {
            Spread::Occasional
        }
    }
}

fn add_to_theme(themes: &mut Vec<ThemeRow>, row: &PrimitiveRow) {
    let name = match row.theme.as_str() {
        "" => "(engine)",
        theme => theme,
    };
    let k = themes.iter().position(|theme| theme.theme == name);
    let k = k.unwrap_or_else(|| {
        themes.push(ThemeRow {
            theme: name.to_owned(),
            self_ns: 0,
            calls: 0,
            n_primitives: 0,
        });
        themes.len() - 1
    });
    let theme = &mut themes[k];
    theme.self_ns = theme.self_ns.saturating_add(row.self_ns);
    theme.calls = theme.calls.saturating_add(row.calls);
    theme.n_primitives += usize::from(row.calls > 0);
}

impl Profile {
    /// The profile as if some tasks, by index, had not run. Every table that separates tasks loses
    /// them. Stacks and lines do not separate tasks, so they are left out. The times of generating
    /// and validating stay.
    pub fn without_tasks(&self, places: &[usize]) -> Profile {
        let mut rest = self.clone();
        rest.stacks = Default::default();
        rest.lines.clear();
        rest.totals.outside_lines_ns = 0;
        rest.slow_path.clear();
        rest.totals.reference_ns = 0;
        rest.repeats.clear();
        rest.projections.clear();
        rest.budgets.clear();
        rest.what_ifs.clear();
        // A batch belongs to many tasks, so its remaining time is unknown.
        rest.device = None;
        for &k in places {
            if let Some(task) = self.tasks.get(k) {
                rest.take_out(task);
            }
        }
        let is_kept = |k: usize| !places.contains(&k);
        let kept = (0..).zip(&self.tasks).filter(|(k, _)| is_kept(*k));
        rest.tasks = kept.map(|(_, task)| task.clone()).collect();
        rest.rebuild_histograms();
        rest.count_what_is_left(self.tasks.len());
        rest
    }

    /// Sets the title and the number of right tasks for the tasks that are left.
    fn count_what_is_left(&mut self, n_before: usize) {
        let n_left = self.tasks.len();
        if n_left == n_before {
            return;
        }
        let before = n_before.to_string();
        let mut words: Vec<&str> = self.title.split(' ').collect();
        let left = format!("{n_left} of {n_before}");
        if let Some(word) = words.iter_mut().find(|word| **word == before) {
            *word = &left;
        }
        self.title = words.join(" ");
        // The profile does not list pairs one by one, so the number of right ones is unknown now.
        self.accuracy.retain(|row| row.what == "tasks");
        let right = self.tasks.iter().filter(|task| task.right == Some(true));
        let right = right.count() as u64;
        for row in &mut self.accuracy {
            (row.right, row.of) = (right, n_left as u64);
        }
    }

    fn take_out(&mut self, task: &TaskRow) {
        let wall_ns = task.self_ns / u64::from(self.setting.jobs.max(1));
        let totals = &mut self.totals;
        totals.wall_ns = totals.wall_ns.saturating_sub(wall_ns);
        for ns in [
            &mut totals.worker_cpu_ns,
            &mut totals.whole_ns,
            &mut totals.execute_ns,
        ] {
            *ns = ns.saturating_sub(task.self_ns);
        }
        totals.runs = totals.runs.saturating_sub(task.runs);
        for part in &task.primitives {
            if let Some(row) = self.primitives.get_mut(part.row as usize) {
                take_part_out(row, part);
            }
        }
        self.take_out_of_layers(task);
        for row in &mut self.phases {
            let n_units = match row.scales_with {
                Unit::Tasks if row.phase != Phase::Load => 1,
                Unit::Samples => task.samples.len() as u64,
                Unit::Runs => task.runs,
                _ => 0,
            };
            row.units = row.units.saturating_sub(n_units);
            if row.phase == Phase::Execute {
                row.self_ns = row.self_ns.saturating_sub(task.self_ns);
                row.wall_ns = row.wall_ns.saturating_sub(wall_ns);
            } else if row.phase.is_execution() {
                let ns = task.time_in(row.phase) as u64;
                row.self_ns = row.self_ns.saturating_sub(ns);
                row.wall_ns = row.wall_ns.saturating_sub(ns);
            }
        }
    }

    /// Subtracts a task from the layers. Time that the task did not record by layer comes from the
    /// execute layer.
    fn take_out_of_layers(&mut self, task: &TaskRow) {
        let told = sum(task.layers.iter().map(|part| part.self_ns));
        for row in &mut self.layers {
            let of_layer = |part: &&LayerTime| part.layer == row.layer;
            let mut ns = sum(task.layers.iter().filter(of_layer).map(|part| part.self_ns));
            if row.layer == Layer::Execute {
                ns = ns.saturating_add(task.self_ns.saturating_sub(told));
            }
            row.self_ns = row.self_ns.saturating_sub(ns);
        }
    }

    /// Merges the histograms of the tasks that are left. A histogram cannot be taken apart.
    fn rebuild_histograms(&mut self) {
        let mut histograms = vec![Histogram::default(); self.primitives.len()];
        for part in self.tasks.iter().flat_map(|task| &task.primitives) {
            if let Some(histogram) = histograms.get_mut(part.row as usize) {
                histogram.merge(&part.histogram);
            }
        }
        for (row, histogram) in self.primitives.iter_mut().zip(histograms) {
            row.histogram = histogram;
        }
    }

    /// The mean and the median self time of tasks, for the head of a report.
    pub fn task_times(&self) -> (f64, f64) {
        let times: Vec<f64> = self.tasks.iter().map(|task| task.self_ns as f64).collect();
        (mean(&times), median(&times))
    }
}

fn take_part_out(row: &mut PrimitiveRow, part: &TaskPrimitive) {
    row.calls = row.calls.saturating_sub(part.calls);
    row.self_ns = row.self_ns.saturating_sub(part.self_ns);
    row.cumulative_ns = row.cumulative_ns.saturating_sub(part.cumulative_ns);
    row.cells = row.cells.saturating_sub(part.cells);
    row.faults = row.faults.saturating_sub(part.faults);
}

#[cfg(test)]
mod tests;
