//! Two profiles side by side: what moved, and is it more than noise?
//!
//! The noise of single tasks is read off the profiles themselves: were nothing but the machine's
//! mood between them, the ratios of the tasks' times would scatter about one value. Half of the
//! scatter's width, robustly, is a task's noise; over many tasks it averages out, what the whole
//! machine does from one run to the next does not.

use serde::Serialize;

use crate::model::{PrimitiveRow, Profile, TaskRow};
use crate::numbers::{median, median_deviation, share, sum};

/// The first words of every comparison's JSON.
pub const FORMAT: &str = "leyden-comparison/1";

/// What two runs on one machine differ by as a whole, though nothing changed.
const SAME_MACHINE: f64 = 0.03;
/// What is assumed where the machines are not the same.
const OTHER_MACHINE: f64 = 0.15;
/// A single task's noise where it cannot be measured.
const UNKNOWN_TASK_NOISE: f64 = 0.10;
/// Tasks in common that it takes to measure noise.
const MIN_TASKS: usize = 5;
/// A change is one beyond this many deviations.
const BEYOND: f64 = 2.0;
/// A primitive that moved by less than this share of the total is not worth naming.
const WORTH_NAMING: f64 = 0.005;

/// What became of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// B is faster, by more than noise.
    Faster,
    /// B is slower, by more than noise.
    Slower,
    /// The difference is within noise.
    Same,
    /// They have nothing in common that could be compared.
    Incomparable,
}

impl Verdict {
    /// As reports write it.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Faster => "faster",
            Verdict::Slower => "slower",
            Verdict::Same => "no difference beyond noise",
            Verdict::Incomparable => "nothing to compare",
        }
    }
}

/// A time in both profiles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Of what.
    pub name: String,
    /// In A.
    pub a_ns: f64,
    /// In B.
    pub b_ns: f64,
    /// The noise of B/A, relative: one deviation.
    pub noise: f64,
    /// Is it beyond noise?
    pub verdict: Verdict,
    /// How much of A's total the difference is; negative where B is faster.
    pub of_total: f64,
}

impl Change {
    /// B in terms of A: 0.5 is half the time.
    pub fn ratio(&self) -> f64 {
        share(self.b_ns, self.a_ns)
    }
}

/// Two profiles, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The execute time of the tasks in common; of all work where tasks are not told apart.
    pub total: Change,
    /// Tasks in common.
    pub n_tasks: usize,
    /// Primitives, the largest differences first; those that did not move are in it too.
    pub primitives: Vec<Change>,
    /// Layers, by the same rule.
    pub layers: Vec<Change>,
    /// Tasks that moved, largest difference first.
    pub tasks: Vec<Change>,
    /// What may make the comparison unfair.
    pub warnings: Vec<String>,
}

impl Comparison {
    /// The answer.
    pub fn verdict(&self) -> Verdict {
        self.total.verdict
    }

    /// The answer in a sentence.
    pub fn sentence(&self) -> String {
        let Change {
            verdict,
            a_ns,
            b_ns,
            noise,
            ..
        } = self.total;
        let noise = 100.0 * BEYOND * noise;
        match verdict {
            Verdict::Faster => format!("B is {:.2}× as fast (noise ±{noise:.0} %)", a_ns / b_ns),
            Verdict::Slower => format!("B takes {:.2}× as long (noise ±{noise:.0} %)", b_ns / a_ns),
            Verdict::Same => format!("no difference beyond noise (±{noise:.0} %)"),
            Verdict::Incomparable => "the profiles have nothing in common".to_owned(),
        }
    }

    /// The comparison as JSON, on one line.
    pub fn to_json(&self) -> String {
        let verdict = self.sentence();
        let file = serde_json::json!({ "format": FORMAT, "sentence": verdict, "comparison": self });
        file.to_string() + "\n"
    }

    /// Primitives that moved beyond noise and are worth naming.
    pub fn moved(&self) -> impl Iterator<Item = &Change> {
        let is_beyond = |c: &&Change| matches!(c.verdict, Verdict::Faster | Verdict::Slower);
        self.primitives.iter().filter(is_beyond)
    }
}

/// Compares B with A.
pub fn compare(a: &Profile, b: &Profile) -> Comparison {
    let pairs = common_tasks(a, b);
    let machine = match a.setting.hardware == b.setting.hardware {
        true => SAME_MACHINE,
        false => OTHER_MACHINE,
    };
    let times: Vec<(f64, f64)> = pairs
        .iter()
        .map(|(a, b)| (a.self_ns as f64, b.self_ns as f64))
        .collect();
    let total_ns = a.totals.execute_ns as f64;
    let total = match times.is_empty() {
        true => change(
            "all work",
            &[(a.totals.whole_ns as f64, b.totals.whole_ns as f64)],
            machine,
            0.0,
        ),
        false => change("tasks in common", &times, machine, 0.0),
    };
    Comparison {
        total,
        n_tasks: pairs.len(),
        primitives: primitive_changes(a, b, &pairs, machine, total_ns),
        layers: layer_changes(a, b, machine),
        tasks: task_changes(&pairs, &times, machine),
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

/// The sums of paired times, and whether they differ.
fn change(name: &str, times: &[(f64, f64)], machine: f64, min_ns: f64) -> Change {
    let a_ns: f64 = times.iter().map(|(a, _)| a).sum();
    let b_ns: f64 = times.iter().map(|(_, b)| b).sum();
    let noise = noise(times, machine);
    Change {
        name: name.to_owned(),
        a_ns,
        b_ns,
        noise,
        verdict: verdict(a_ns, b_ns, noise, min_ns),
        of_total: 0.0,
    }
}

fn verdict(a_ns: f64, b_ns: f64, noise: f64, min_ns: f64) -> Verdict {
    if a_ns <= 0.0 && b_ns <= 0.0 {
        return Verdict::Incomparable;
    }
    let is_beyond = match a_ns > 0.0 && b_ns > 0.0 {
        true => (b_ns / a_ns).ln().abs() > BEYOND * noise,
        false => true,
    };
    match is_beyond && (a_ns - b_ns).abs() > min_ns {
        false => Verdict::Same,
        true if b_ns < a_ns => Verdict::Faster,
        true => Verdict::Slower,
    }
}

/// The relative deviation of a ratio of sums: each task's own noise, weighted by its part in the
/// sum, and the machine's, which all share.
fn noise(times: &[(f64, f64)], machine: f64) -> f64 {
    let both = times.iter().filter(|(a, b)| *a > 0.0 && *b > 0.0);
    let ratios: Vec<f64> = both.map(|(a, b)| (b / a).ln()).collect();
    let own = match ratios.len() >= MIN_TASKS {
        true => 1.4826 * median_deviation(&ratios, median(&ratios)),
        false => UNKNOWN_TASK_NOISE,
    };
    let total: f64 = times.iter().map(|(a, _)| a).sum();
    let squares: f64 = times.iter().map(|(a, _)| a * a).sum();
    let averaged = own * share(squares.sqrt(), total);
    averaged.hypot(machine)
}

fn primitive_changes(
    a: &Profile,
    b: &Profile,
    pairs: &[(&TaskRow, &TaskRow)],
    machine: f64,
    total_ns: f64,
) -> Vec<Change> {
    let mut names: Vec<&str> = a
        .primitives
        .iter()
        .chain(&b.primitives)
        .map(|r| r.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let of = |name: &&str| {
        let times = primitive_times(a, b, pairs, name);
        change(name, &times, machine, WORTH_NAMING * total_ns)
    };
    by_difference(names.iter().map(of).collect(), total_ns)
}

/// A primitive's times in the tasks in common, or in the whole run if tasks do not tell.
fn primitive_times(
    a: &Profile,
    b: &Profile,
    pairs: &[(&TaskRow, &TaskRow)],
    name: &str,
) -> Vec<(f64, f64)> {
    let row = |p: &Profile| p.primitives.iter().position(|row| row.name == name);
    let (row_a, row_b) = (row(a), row(b));
    let time = |task: &TaskRow, row: Option<usize>| {
        let is_it = |part: &&crate::model::TaskPrimitive| row == Some(part.row as usize);
        sum(task
            .primitives
            .iter()
            .filter(is_it)
            .map(|part| part.self_ns)) as f64
    };
    let times: Vec<(f64, f64)> = pairs
        .iter()
        .map(|(a, b)| (time(a, row_a), time(b, row_b)))
        .filter(|(a, b)| *a > 0.0 || *b > 0.0)
        .collect();
    if !times.is_empty() {
        return times;
    }
    let whole = |p: &Profile, row: Option<usize>| {
        let found: Option<&PrimitiveRow> = row.and_then(|row| p.primitives.get(row));
        found.map_or(0.0, |row| row.self_ns as f64)
    };
    match pairs.is_empty() {
        true => vec![(whole(a, row_a), whole(b, row_b))],
        false => Vec::new(),
    }
}

fn layer_changes(a: &Profile, b: &Profile, machine: f64) -> Vec<Change> {
    let whole_ns = a.totals.whole_ns as f64;
    let time = |p: &Profile, layer| {
        let rows = p.layers.iter().filter(|row| row.layer == layer);
        sum(rows.map(|row| row.self_ns)) as f64
    };
    let of = |layer: crate::model::Layer| {
        let times = [(time(a, layer), time(b, layer))];
        change(layer.name(), &times, machine, WORTH_NAMING * whole_ns)
    };
    by_difference(crate::model::Layer::ALL.map(of).into(), whole_ns)
}

fn task_changes(pairs: &[(&TaskRow, &TaskRow)], times: &[(f64, f64)], machine: f64) -> Vec<Change> {
    let total: f64 = times.iter().map(|(a, _)| a).sum();
    let of_all = noise(times, machine);
    let ratios: Vec<f64> = times
        .iter()
        .filter(|(a, b)| *a > 0.0 && *b > 0.0)
        .map(|(a, b)| (b / a).ln())
        .collect();
    let own = (1.4826 * median_deviation(&ratios, median(&ratios))).max(of_all);
    let of = |((task, _), pair): (&(&TaskRow, &TaskRow), &(f64, f64))| {
        let mut change = change(&task.id, &[*pair], machine, WORTH_NAMING * total);
        change.noise = own;
        change.verdict = verdict(pair.0, pair.1, own, WORTH_NAMING * total);
        change
    };
    let mut changes = by_difference(pairs.iter().zip(times).map(of).collect(), total);
    changes.retain(|c| c.verdict != Verdict::Same);
    changes
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
        found.push(format!("only {n_common} of {most} tasks are in both"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::sample::sample_profile;

    /// The same profile measured again: every time is off by some percent, and one primitive is
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
        let n_same = (0..20)
            .filter(|seed| compare(&a, &again(*seed, 1.0, 0)).verdict() == Verdict::Same)
            .count();
        assert!(n_same >= 19, "{n_same} of 20");
        assert_eq!(compare(&a, &a).moved().count(), 0);
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
