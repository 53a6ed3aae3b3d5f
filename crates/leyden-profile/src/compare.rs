//! Compares two profiles: what moved, and is it more than noise?
//!
//! Equal runs differ: the whole machine slows down for a while, a task is interrupted, time moves
//! between a primitive and its caller. So a sum that differs is not enough. The comparison names a
//! change if the sum differs by more than equal runs do *and* the middle of its parts agrees. For a
//! row over many tasks, the middle is their median ratio, with no task above a quarter of the
//! weight. For a row in a few tasks it is the median call, and for a task its median sample. An
//! interruption moves a sum but not the middle; a change of code moves both. Without a middle, the
//! comparison names only a difference that no interruption makes.
//!
//! The limits (limits.rs) hold for 210 pairs of equal runs of each of five workloads, on a machine with
//! two cores that was building at the time. `tools/compare_equal.py` repeats this.

mod limits;
mod times;

use serde::Serialize;

use crate::model::{Layer, PrimitiveRow, Profile, RowKind, TaskPrimitive, TaskRow};
use crate::numbers::{counted, duration, median, share, sum};
use limits::*;
use times::Times;

/// The value of `format` in every comparison's JSON.
pub const FORMAT: &str = "leyden-comparison/1";

/// The result for one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// B is faster, by more than noise.
    Faster,
    /// B is slower, by more than noise.
    Slower,
    /// The difference is within noise.
    Same,
    /// Only B has this row.
    New,
    /// Only A has this row.
    Gone,
    /// The profiles have nothing in common to compare.
    Incomparable,
}

impl Verdict {
    /// The word for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Same => "no difference beyond noise",
            Verdict::New => "new",
            Verdict::Gone => "gone",
            Verdict::Incomparable => "nothing to compare",
        }
    }
}

/// A time in both profiles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The name of the row, layer or task.
    pub name: String,
    /// The time in A.
    pub a_ns: f64,
    /// The time in B.
    pub b_ns: f64,
    /// The difference of B/A from one that means nothing: 0.35 is 35 %.
    pub allowed: f64,
    /// Whether the difference is beyond noise.
    pub verdict: Verdict,
    /// The difference as a share of A's total; negative if B is faster.
    pub of_total: f64,
}

impl Change {
    /// B's time divided by A's: 0.5 is half the time.
    pub fn ratio(&self) -> f64 {
        share(self.b_ns, self.a_ns)
    }

    /// Whether a reader should look at this change.
    pub const fn has_moved(&self) -> bool {
        !matches!(self.verdict, Verdict::Same | Verdict::Incomparable)
    }
}

/// Two profiles, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The name of A: its file.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// The execute time of the tasks in common, or of all work if the profile does not separate
    /// tasks.
    pub total: Change,
    /// The number of tasks in common.
    pub n_tasks: usize,
    /// Primitives, the largest differences first, including those that did not move.
    pub primitives: Vec<Change>,
    /// Layers, in the same order.
    pub layers: Vec<Change>,
    /// Tasks that moved, the largest difference first.
    pub tasks: Vec<Change>,
    /// Circumstances that may make the comparison unfair.
    pub warnings: Vec<String>,
}

impl Comparison {
    /// Sets the names of the files.
    pub fn named(self, a: &str, b: &str) -> Self {
        Self {
            a: a.to_owned(),
            b: b.to_owned(),
            ..self
        }
    }

    /// The verdict on the total.
    pub fn verdict(&self) -> Verdict {
        self.total.verdict
    }

    /// The verdict as a sentence.
    pub fn sentence(&self) -> String {
        let Change {
            verdict,
            a_ns,
            b_ns,
            allowed,
            ..
        } = self.total;
        let noise = 100.0 * allowed;
        let whole = match verdict {
            Verdict::Faster => format!("B is {:.2}× as fast (noise ±{noise:.0} %)", a_ns / b_ns),
            Verdict::Slower => format!("B takes {:.2}× as long (noise ±{noise:.0} %)", b_ns / a_ns),
            Verdict::Incomparable | Verdict::New | Verdict::Gone => {
                return "the profiles have nothing in common".to_owned();
            }
            Verdict::Same => format!("no difference beyond noise (±{noise:.0} %)"),
        };
        let moved: Vec<String> = self.moved().take(3).map(in_words).collect();
        if moved.is_empty() {
            whole
        } else {
            format!("{whole}; {}", moved.join(", "))
        }
    }

    /// The comparison as JSON, on one line.
    pub fn to_json(&self) -> String {
        let verdict = self.sentence();
        let file = serde_json::json!({ "format": FORMAT, "verdict": verdict, "sentence": verdict, "comparison": self });
        file.to_string() + "\n"
    }

    /// Primitives that moved beyond noise and are worth naming.
    pub fn moved(&self) -> impl Iterator<Item = &Change> {
        self.primitives.iter().filter(|it| it.has_moved())
    }

    /// Everything that moved: the total, rows, layers and tasks.
    pub fn alarms(&self) -> impl Iterator<Item = &Change> {
        let rows = self
            .primitives
            .iter()
            .chain(&self.layers)
            .chain(&self.tasks);
        [&self.total]
            .into_iter()
            .chain(rows)
            .filter(|it| it.has_moved())
    }
}

fn in_words(change: &Change) -> String {
    match change.verdict {
        Verdict::New => format!("{} is new", change.name),
        Verdict::Gone => format!("{} is gone", change.name),
        _ => format!("{} takes {:.2}×", change.name, change.ratio()),
    }
}

/// Compares B with A.
pub fn compare(a: &Profile, b: &Profile) -> Comparison {
    let pairs = common_tasks(a, b);
    let sides = Sides::of(a, b, &pairs);
    let mut total = sides.total();
    total.of_total = share(total.b_ns - total.a_ns, total.a_ns);
    Comparison {
        a: "A".to_owned(),
        b: "B".to_owned(),
        total,
        n_tasks: pairs.len(),
        primitives: sides.primitives(),
        layers: sides.layers(),
        tasks: sides.tasks(),
        warnings: warnings(a, b, pairs.len()),
    }
}

fn common_tasks<'a>(a: &'a Profile, b: &'a Profile) -> Vec<(&'a TaskRow, &'a TaskRow)> {
    let mut of_b: Vec<&TaskRow> = b.tasks.iter().collect();
    of_b.sort_by(|x, y| x.id.cmp(&y.id));
    let partner = |task: &'a TaskRow| {
        let found = of_b.binary_search_by(|other| other.id.cmp(&task.id)).ok()?;
        Some((task, of_b[found]))
    };
    a.tasks.iter().filter_map(partner).collect()
}

/// The conditions for a difference to count.
struct Rule {
    /// The smallest difference.
    slack_ns: f64,
    /// The smallest ratio, as a logarithm, of the sum and of its middle.
    limit: f64,
    /// The smallest ratio of a sum without a middle.
    gross: f64,
}

impl Rule {
    fn change(&self, name: &str, (a_ns, b_ns): (f64, f64), middle: Option<f64>) -> Change {
        let limit = match middle {
            Some(_) => self.limit,
            None => self.gross,
        };
        Change {
            name: name.to_owned(),
            a_ns,
            b_ns,
            allowed: limit.exp() - 1.0,
            verdict: self.verdict(a_ns, b_ns, middle),
            of_total: 0.0,
        }
    }

    fn verdict(&self, a_ns: f64, b_ns: f64, middle: Option<f64>) -> Verdict {
        if a_ns <= 0.0 && b_ns <= 0.0 {
            return Verdict::Incomparable;
        }
        let ratio = (b_ns.max(1.0) / a_ns.max(1.0)).ln();
        let is_beyond = match middle {
            Some(middle) => {
                let least = ratio.abs().min(middle.abs());
                ratio * middle > 0.0 && least > self.limit
            }
            None => ratio.abs() > self.gross,
        };
        let differs = is_beyond && (a_ns - b_ns).abs() > self.slack_ns;
        if !differs {
            Verdict::Same
        } else if b_ns < a_ns {
            Verdict::Faster
        } else {
            Verdict::Slower
        }
    }
}

/// Both profiles, with the data that all comparisons of their parts need.
struct Sides<'a> {
    a: &'a Profile,
    b: &'a Profile,
    pairs: &'a [(&'a TaskRow, &'a TaskRow)],
    limits: Limits,
    /// The time of the tasks in common in A.
    total_ns: f64,
    /// The allowance for another machine.
    machine: f64,
}

impl<'a> Sides<'a> {
    fn of(a: &'a Profile, b: &'a Profile, pairs: &'a [(&'a TaskRow, &'a TaskRow)]) -> Self {
        let total: f64 = pairs.iter().map(|(a, _)| a.self_ns as f64).sum();
        Self {
            a,
            b,
            pairs,
            limits: Limits::of(a, b),
            total_ns: if total > 0.0 {
                total
            } else {
                a.totals.execute_ns as f64
            },
            machine: if a.setting.hardware == b.setting.hardware {
                0.0
            } else {
                OTHER_MACHINE
            },
        }
    }

    fn total(&self) -> Change {
        let Limits { total, gross, .. } = self.limits;
        if self.pairs.is_empty() {
            let whole = |p: &Profile| p.totals.whole_ns as f64;
            let rule = Rule {
                slack_ns: OUTSIDE_SLACK_NS.min(0.5 * whole(self.a)),
                limit: total.1 + self.machine,
                gross: total.1 + self.machine,
            };
            return rule.change("all work", (whole(self.a), whole(self.b)), None);
        }
        let pairs = self.pairs.iter();
        let times = pairs.map(|(a, b)| (a.self_ns as f64, b.self_ns as f64));
        let times = Times(times.collect());
        let limit = (4.0 * times.scatter() + 0.02).clamp(total.0, total.1);
        let rule = Rule {
            slack_ns: self.limits.task_slack_ns,
            limit: limit + self.machine,
            gross: gross.min(0.5) + self.machine,
        };
        let sums = (times.a_ns(), times.b_ns());
        rule.change("tasks in common", sums, times.middle())
    }

    fn primitives(&self) -> Vec<Change> {
        let mut names: Vec<&str> = self
            .a
            .primitives
            .iter()
            .chain(&self.b.primitives)
            .map(|row| row.name.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        let changes = names.iter().map(|name| self.primitive(name)).collect();
        by_difference(changes, self.total_ns)
    }

    fn primitive(&self, name: &str) -> Change {
        let row = |p: &'a Profile| p.primitives.iter().position(|row| row.name == name);
        let (row_a, row_b) = (row(self.a), row(self.b));
        let times = self.primitive_times(row_a, row_b);
        let get = |p: &'a Profile, row: Option<usize>| row.and_then(|row| p.primitives.get(row));
        let (of_a, of_b) = (get(self.a, row_a), get(self.b, row_b));
        let around = if name.starts_with('(') { AROUND } else { 0.0 };
        let is_in_few = times.n_effective() < FEW;
        let (in_few, worth_naming) = if is_in_few {
            (IN_FEW, WORTH_NAMING_IN_FEW)
        } else {
            (0.0, WORTH_NAMING)
        };
        let rule = Rule {
            slack_ns: (worth_naming * self.total_ns).max(self.limits.row_slack_ns),
            limit: self.limits.row + around + in_few + self.machine,
            gross: self.limits.gross + self.machine,
        };
        let middle = times.middle().or_else(|| median_calls(of_a, of_b));
        let mut change = rule.change(name, (times.a_ns(), times.b_ns()), middle);
        let is_there =
            |row: Option<&PrimitiveRow>| row.is_some_and(|it| it.calls > 0 || it.self_ns > 0);
        // The recorder is not part of the measured work.
        let is_recorder =
            |row: Option<&PrimitiveRow>| row.is_some_and(|it| it.kind == RowKind::Recorder);
        change.verdict = match (is_there(of_a), is_there(of_b)) {
            _ if is_recorder(of_a) || is_recorder(of_b) => Verdict::Same,
            (false, true) => Verdict::New,
            (true, false) => Verdict::Gone,
            _ if is_in_few && !self.has_moved_with(&change) => Verdict::Same,
            _ => change.verdict,
        };
        change
    }

    /// Whether the time of all tasks moved in the row's direction by at least half of the row's
    /// change.
    fn has_moved_with(&self, change: &Change) -> bool {
        let pairs = self.pairs.iter();
        let moved: f64 = pairs
            .map(|(a, b)| b.self_ns as f64 - a.self_ns as f64)
            .sum();
        let by = change.b_ns - change.a_ns;
        self.pairs.is_empty() || moved * by > 0.0 && moved.abs() >= 0.5 * by.abs()
    }

    /// A primitive's times in the tasks in common, or in the whole run if tasks have no primitives.
    fn primitive_times(&self, row_a: Option<usize>, row_b: Option<usize>) -> Times {
        let whole = |p: &Profile, row: Option<usize>| {
            let row = row.and_then(|row| p.primitives.get(row));
            row.map_or(0.0, |row| row.self_ns as f64)
        };
        if self.pairs.is_empty() {
            return Times(vec![(whole(self.a, row_a), whole(self.b, row_b))]);
        }
        let time = |task: &TaskRow, row: Option<usize>| {
            let is_it = |part: &&TaskPrimitive| row == Some(part.row as usize);
            let parts = task.primitives.iter().filter(is_it);
            sum(parts.map(|part| part.self_ns)) as f64
        };
        let pairs = self.pairs.iter();
        let times = pairs.map(|(a, b)| (time(a, row_a), time(b, row_b)));
        Times(times.filter(|(a, b)| *a > 0.0 || *b > 0.0).collect())
    }

    fn layers(&self) -> Vec<Change> {
        let whole_ns = self.a.totals.whole_ns as f64;
        let changes = Layer::ALL.map(|layer| self.layer(layer)).into();
        by_difference(changes, whole_ns)
    }

    fn layer(&self, layer: Layer) -> Change {
        let time = |p: &Profile| {
            let rows = p.layers.iter().filter(|row| row.layer == layer);
            sum(rows.map(|row| row.self_ns)) as f64
        };
        let of_task = |task: &TaskRow| {
            let parts = task.layers.iter().filter(|part| part.layer == layer);
            sum(parts.map(|part| part.self_ns)) as f64
        };
        let pairs = self.pairs.iter();
        let times = Times(pairs.map(|(a, b)| (of_task(a), of_task(b))).collect());
        let sums = (time(self.a), time(self.b));
        let is_of_tasks = times.a_ns() > 0.8 * sums.0 && times.b_ns() > 0.8 * sums.1;
        let slack = (WORTH_NAMING * self.total_ns).max(self.limits.task_slack_ns);
        let (rule, middle) = if is_of_tasks {
            (
                Rule {
                    slack_ns: slack,
                    limit: self.limits.row + AROUND + self.machine,
                    gross: self.limits.gross + self.machine,
                },
                times.middle(),
            )
        } else {
            (
                Rule {
                    slack_ns: OUTSIDE_SLACK_NS,
                    limit: OUTSIDE + self.machine,
                    gross: OUTSIDE + self.machine,
                },
                None,
            )
        };
        rule.change(layer.name(), sums, middle)
    }

    fn tasks(&self) -> Vec<Change> {
        let rule = Rule {
            slack_ns: (TASK_WORTH_NAMING * self.total_ns).max(self.limits.task_slack_ns),
            limit: self.limits.task + self.machine,
            gross: self.limits.gross + self.machine,
        };
        let change = |(a, b): &(&TaskRow, &TaskRow)| {
            let sums = (a.self_ns as f64, b.self_ns as f64);
            rule.change(&a.id, sums, median_sample(a, b))
        };
        let mut changes = by_difference(self.pairs.iter().map(change).collect(), self.total_ns);
        changes.retain(Change::has_moved);
        changes
    }
}

/// The ratio of the median calls; `None` if there are too few calls.
fn median_calls(a: Option<&PrimitiveRow>, b: Option<&PrimitiveRow>) -> Option<f64> {
    let median = |row: &PrimitiveRow| {
        let found = row.histogram.quantile(0.5)?;
        (row.calls >= MIN_CALLS && found > 0.0).then_some(found)
    };
    Some((median(b?)? / median(a?)?).ln())
}

/// The ratio of the median samples.
fn median_sample(a: &TaskRow, b: &TaskRow) -> Option<f64> {
    let both = a.samples.iter().zip(&b.samples);
    let both = both.filter(|(a, b)| a.self_ns > 0 && b.self_ns > 0);
    let ratios: Vec<f64> = both
        .map(|(a, b)| (b.self_ns as f64 / a.self_ns as f64).ln())
        .collect();
    (ratios.len() >= MIN_SAMPLES).then(|| median(&ratios))
}

fn by_difference(mut changes: Vec<Change>, total_ns: f64) -> Vec<Change> {
    changes.retain(|c| c.verdict != Verdict::Incomparable);
    for change in &mut changes {
        change.of_total = share(change.b_ns - change.a_ns, total_ns);
    }
    changes.sort_by(|x, y| {
        let order = y.of_total.abs().total_cmp(&x.of_total.abs());
        order.then_with(|| x.name.cmp(&y.name))
    });
    changes
}

fn warnings(a: &Profile, b: &Profile, n_common: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut differ = |what: &str, x: &str, y: &str| {
        if x != y {
            found.push(format!("{what} differ: {x} and {y}"));
        }
    };
    differ("kinds of profile", a.kind.name(), b.kind.name());
    differ("data sets", &a.setting.data.hash, &b.setting.data.hash);
    differ(
        "programs",
        &a.setting.programs.hash,
        &b.setting.programs.hash,
    );
    differ(
        "processors",
        &a.setting.hardware.cpu,
        &b.setting.hardware.cpu,
    );
    differ(
        "numbers of jobs",
        &a.setting.jobs.to_string(),
        &b.setting.jobs.to_string(),
    );
    differ("grains of recording", &a.recorder.grain, &b.recorder.grain);
    let most = a.tasks.len().max(b.tasks.len());
    if n_common < most {
        found.push(format!(
            "the profiles share only {n_common} of {}",
            counted(most as u64, "task")
        ));
    }
    for (name, profile) in [("A", a), ("B", b)] {
        if was_busy(profile) {
            found.push(format!(
                "the machine was busy when {name} was made, so only large differences are reported"
            ));
        }
    }
    let shortest = a.totals.execute_ns.min(b.totals.execute_ns) as f64;
    let slack = Limits::of(a, b).row_slack_ns;
    if shortest < 20.0 * slack {
        found.push(format!(
            "execution takes {}; differences below {} may be interruptions",
            duration(shortest),
            duration(slack)
        ));
    }
    found
}

#[cfg(test)]
mod tests;
