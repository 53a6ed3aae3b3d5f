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
//! The limits below hold for 210 pairs of equal runs of each of five workloads, on a machine with
//! two cores that was building at the time. `tools/compare_equal.py` repeats this.

use serde::Serialize;

use crate::model::{Kind, Layer, PrimitiveRow, Profile, RowKind, TaskPrimitive, TaskRow};
use crate::numbers::{counted, duration, median, median_deviation, share, sum};

/// The value of `format` in every comparison's JSON.
pub const FORMAT: &str = "leyden-comparison/1";

/// The number of parts from which a middle is taken.
const MIN_PARTS: usize = 5;
/// The number of samples from which a middle is taken.
const MIN_SAMPLES: usize = 3;
/// The number of calls from which a middle is taken.
const MIN_CALLS: u64 = 8;
/// The largest share of the weight that one task has.
const MOST_WEIGHT: f64 = 0.25;
/// The smallest moves of a row and of a task worth naming, as shares of the total.
const WORTH_NAMING: f64 = 0.01;
const TASK_WORTH_NAMING: f64 = 0.02;
/// The disturbance of work outside the execute phase, which runs once, with cold caches.
const OUTSIDE_SLACK_NS: f64 = 1e9;
/// The smallest move of a row that is mostly in fewer tasks than [`FEW`], as a share of the total.
/// The total has to move too; otherwise time has only moved between a primitive and its caller.
const WORTH_NAMING_IN_FEW: f64 = 0.03;
/// The first words of the note that a machine was busy, and the factors by which limits and
/// slacks grow then.
const BUSY_NOTE: &str = "The machine is busy";
const BUSY: f64 = 2.0;
const BUSY_SLACK: f64 = 5.0;

/// The largest differences between equal runs. Ratios are logarithms.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// The difference that an interruption makes in a row.
    row_slack_ns: f64,
    /// The difference that an interruption makes in a task or in the total.
    task_slack_ns: f64,
    /// The limits for the total: the smallest and the largest. Between them the limit is four times
    /// the scatter of tasks.
    total: (f64, f64),
    /// The limit for a row whose middle agrees.
    row: f64,
    /// The limit for a task whose middle agrees.
    task: f64,
    /// The limit for everything without a middle.
    gross: f64,
}

/// For repeated runs, of which the profile shows the least disturbed.
const REPEATED: Limits = Limits {
    row_slack_ns: 20e3,
    task_slack_ns: 50e3,
    total: (0.06, 0.20),
    row: 0.3,
    task: 0.4,
    gross: 1.5,
};
/// For runs that were made once.
const ONCE: Limits = Limits {
    row_slack_ns: 1e6,
    task_slack_ns: 2e6,
    total: (0.45, 0.60),
    row: 0.7,
    task: 0.8,
    gross: 2.0,
};
impl Limits {
    fn of(a: &Profile, b: &Profile) -> Self {
        let is_once = |p: &Profile| matches!(p.kind, Kind::Framework | Kind::Pipeline);
        let limits = if is_once(a) || is_once(b) {
            ONCE
        } else {
            REPEATED
        };
        if was_busy(a) || was_busy(b) {
            limits.when_busy()
        } else {
            limits
        }
    }

    fn when_busy(self) -> Self {
        Self {
            row_slack_ns: BUSY_SLACK * self.row_slack_ns,
            task_slack_ns: BUSY_SLACK * self.task_slack_ns,
            total: (BUSY * self.total.0, BUSY * self.total.1),
            row: BUSY * self.row,
            task: BUSY * self.task,
            gross: BUSY * self.gross,
        }
    }
}

fn was_busy(profile: &Profile) -> bool {
    profile.notes.iter().any(|note| note.starts_with(BUSY_NOTE))
}

/// Added to the limit for rows around primitives, which vary more.
const AROUND: f64 = 0.2;
/// Added to the limit for a row that is mostly in fewer tasks than [`FEW`].
const IN_FEW: f64 = 0.35;
const FEW: f64 = 2.5;
/// The limit for work outside the execute phase, which varies most.
const OUTSIDE: f64 = 1.2;
/// Added to the limit between machines, of which one may be faster as a whole.
const OTHER_MACHINE: f64 = 0.3;

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

/// Times in A and B, part by part.
struct Times(Vec<(f64, f64)>);

impl Times {
    fn a_ns(&self) -> f64 {
        self.0.iter().map(|(a, _)| a).sum()
    }

    fn b_ns(&self) -> f64 {
        self.0.iter().map(|(_, b)| b).sum()
    }

    /// Logarithms of the ratios of parts that both have, with their weights.
    fn ratios(&self) -> Vec<(f64, f64)> {
        let both = self.0.iter().filter(|(a, b)| *a > 0.0 && *b > 0.0);
        both.map(|(a, b)| ((b / a).ln(), a + b)).collect()
    }

    /// The weighted median of the ratios.
    fn middle(&self) -> Option<f64> {
        let mut ratios = self.ratios();
        if ratios.len() < MIN_PARTS {
            return None;
        }
        let cap = weight_cap(&ratios);
        ratios.sort_by(|x, y| x.0.total_cmp(&y.0));
        let half = ratios.iter().map(|it| it.1.min(cap)).sum::<f64>() / 2.0;
        let mut reached = 0.0;
        let found = ratios.iter().find(|it| {
            reached += it.1.min(cap);
            reached >= half
        });
        found.map(|it| it.0)
    }

    /// The scatter of the ratios about their median.
    fn scatter(&self) -> f64 {
        let ratios: Vec<f64> = self.ratios().iter().map(|it| it.0).collect();
        1.4826 * median_deviation(&ratios, median(&ratios))
    }

    /// The effective number of parts, as if all were equally long; the smaller one of A and B.
    fn n_effective(&self) -> f64 {
        let of = |times: &dyn Fn(&(f64, f64)) -> f64| {
            let total: f64 = self.0.iter().map(times).sum();
            let squares: f64 = self.0.iter().map(|it| times(it).powi(2)).sum();
            share(total * total, squares)
        };
        of(&|it| it.0).min(of(&|it| it.1))
    }
}

/// The largest weight of a part. Cut to it, no part has more than [`MOST_WEIGHT`] of all.
fn weight_cap(ratios: &[(f64, f64)]) -> f64 {
    let mut cap = ratios.iter().map(|it| it.1).fold(0.0, f64::max);
    for _ in 0..60 {
        let total: f64 = ratios.iter().map(|it| it.1.min(cap)).sum();
        cap = cap.min(MOST_WEIGHT * total);
    }
    cap
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
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::sample::sample_profile;

    /// The sample profile measured again: every time is off by some percent, and one primitive is
    /// `factor` times as slow.
    fn again(seed: u64, factor: f64, row: u32) -> Profile {
        let mut profile = sample_profile();
        let mut chance = Chance::seeded(seed);
        for task in &mut profile.tasks {
            for part in &mut task.primitives {
                let planted = if part.row == row { factor } else { 1.0 };
                let jitter = (0.05 * chance.normal()).exp();
                part.self_ns = (part.self_ns as f64 * planted * jitter) as u64;
            }
            task.self_ns = sum(task.primitives.iter().map(|part| part.self_ns));
        }
        profile
    }

    #[test]
    fn noise_is_not_taken_for_a_change() {
        let a = sample_profile();
        for seed in 0..20 {
            let found = compare(&a, &again(seed, 1.0, 0));
            let alarms: Vec<_> = found.alarms().map(|it| &it.name).collect();
            assert!(alarms.is_empty(), "{alarms:?}");
        }
        assert_eq!(compare(&a, &a).alarms().count(), 0);
    }

    #[test]
    fn an_interruption_is_not_taken_for_a_change() {
        let a = sample_profile();
        for place in 0..a.tasks.len() {
            let mut b = again(place as u64, 1.0, 0);
            let task = &mut b.tasks[place];
            let part = &mut task.primitives[0];
            let stall = a.totals.execute_ns / 25;
            part.self_ns += stall;
            task.self_ns += stall;
            task.samples[1].self_ns += stall;
            let found = compare(&a, &b);
            let alarms: Vec<_> = found.alarms().collect();
            assert!(alarms.is_empty(), "{alarms:?}");
        }
    }

    #[test]
    fn time_that_moves_between_caller_and_called_is_no_change() {
        let mut a = sample_profile();
        a.tasks.truncate(1);
        let mut b = a.clone();
        let part = |p: &mut Profile, k: usize, ns: u64| p.tasks[0].primitives[k].self_ns = ns;
        let both = a.tasks[0].primitives[0].self_ns + a.tasks[0].primitives[1].self_ns;
        let total = |p: &mut Profile| {
            p.tasks[0].self_ns = 1_000 * both;
            p.primitives
                .iter_mut()
                .for_each(|row| row.histogram = Default::default());
        };
        total(&mut a);
        total(&mut b);
        part(&mut a, 0, 900 * both);
        part(&mut a, 1, both);
        part(&mut b, 0, both);
        part(&mut b, 1, 900 * both);
        let found = compare(&a, &b);
        assert_eq!(found.moved().count(), 0, "{}", found.sentence());
    }

    #[test]
    fn a_busy_machine_is_said_to_be_and_widens_the_limits() {
        let a = sample_profile();
        let mut b = again(1, 1.3, 0);
        let quiet = compare(&a, &b).total.allowed;
        b.notes = vec![format!("{BUSY_NOTE}: workers waited.")];
        let found = compare(&a, &b);
        assert!(found.total.allowed > quiet);
        assert!(found.warnings.iter().any(|it| it.contains("busy when B")));
    }

    #[test]
    fn rows_that_only_one_has_are_new_or_gone() {
        let a = sample_profile();
        let mut b = sample_profile();
        b.primitives[0].name = "newcomer".to_owned();
        let found = compare(&a, &b);
        let verdict = |name: &str| {
            let row = found.primitives.iter().find(|it| it.name == name);
            row.unwrap().verdict
        };
        assert_eq!(verdict("newcomer"), Verdict::New);
        assert_eq!(verdict("objects"), Verdict::Gone);
        let found = found.named("old.json", "new.json");
        let text = found.report(&Default::default()).to_text();
        assert!(
            text.contains("old.json") && text.contains("new.json"),
            "{text}"
        );
        assert!(!text.contains("0.00"), "{text}");
    }

    #[test]
    fn a_task_that_became_slower_is_named() {
        let a = sample_profile();
        let mut b = again(3, 1.0, 0);
        let task = &mut b.tasks[8];
        task.self_ns *= 3;
        task.samples.iter_mut().for_each(|it| it.self_ns *= 3);
        let found = compare(&a, &b);
        assert_eq!(found.tasks.len(), 1, "{:?}", found.tasks);
        assert_eq!(found.tasks[0].name, a.tasks[8].id);
    }

    #[test]
    fn a_planted_change_is_found_and_named() {
        let a = sample_profile();
        for seed in 0..20 {
            let slower = compare(&a, &again(seed, 2.0, 0));
            assert_eq!(slower.verdict(), Verdict::Slower, "{}", slower.sentence());
            assert_eq!(slower.primitives[0].name, "objects");
            assert!((1.9..2.1).contains(&slower.primitives[0].ratio()));
            let names: Vec<&str> = slower.moved().map(|c| c.name.as_str()).collect();
            assert_eq!(names, ["objects"]);
        }
        let json: serde_json::Value =
            serde_json::from_str(&compare(&a, &again(1, 2.0, 0)).to_json()).unwrap();
        assert_eq!(json["comparison"]["total"]["verdict"], "slower");
        let faster = compare(&again(1, 2.0, 0), &a);
        assert_eq!(faster.verdict(), Verdict::Faster);
        assert!(
            faster.sentence().starts_with("B is 1."),
            "{}",
            faster.sentence()
        );
    }

    #[test]
    fn unfair_comparisons_are_said_to_be() {
        let a = sample_profile();
        let mut b = sample_profile();
        b.setting.data.hash = "other".to_owned();
        b.setting.jobs = 2;
        b.tasks.truncate(30);
        let warnings = compare(&a, &b).warnings;
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        b.tasks.clear();
        b.totals.whole_ns *= 3;
        assert_eq!(compare(&a, &b).verdict(), Verdict::Slower);
    }
}
