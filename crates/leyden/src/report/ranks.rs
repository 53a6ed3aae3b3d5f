//! The ranks of right answers, as text and as JSON. Only counts leave this module.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;
use serde_json::{Value, json};

use crate::report::numbers::{count, counted, percent};
use crate::report::style::{BOLD, DIM, rendered};

/// The classes of ranks: the last rank of each, its name in JSON, and its name for people.
const CLASSES: [(usize, &str, &str); 5] = [
    (1, "rank_1", "1"),
    (2, "rank_2", "2"),
    (10, "rank_3_to_10", "3–10"),
    (200, "rank_11_to_200", "11–200"),
    (usize::MAX, "rank_over_200", "later"),
];

/// The class of a rank.
fn class(rank: usize) -> usize {
    let is_within = |(last, ..): &(usize, &str, &str)| rank <= *last;
    CLASSES
        .iter()
        .position(is_within)
        .unwrap_or(CLASSES.len() - 1)
}

/// The number of right answers in each class.
type ByClass = [usize; CLASSES.len()];

/// The counts of one report.
pub(crate) struct Counts {
    n_tasks: usize,
    n_candidates: usize,
    max_states: Option<usize>,
    /// Tasks for which a program reproduces all demonstrations, by the rank of the right answer.
    fitting: ByClass,
    /// Those for which no candidate gives the right answer.
    n_never: usize,
    /// The number of tasks for which no program reproduces all demonstrations, and those of them
    /// that are still right, by rank.
    n_unfitted: usize,
    unfitted: ByClass,
    /// All right answers by the part of the search that found them.
    sources: BTreeMap<String, ByClass>,
    n_at_cap: usize,
}

impl Counts {
    pub(crate) fn new(n_tasks: usize, n_candidates: usize, max_states: Option<usize>) -> Counts {
        Counts {
            n_tasks,
            n_candidates,
            max_states,
            fitting: ByClass::default(),
            n_never: 0,
            n_unfitted: 0,
            unfitted: ByClass::default(),
            sources: BTreeMap::new(),
            n_at_cap: 0,
        }
    }

    /// Adds a task.
    pub(crate) fn add(&mut self, fits: bool, right: Option<&(usize, String)>, states: usize) {
        self.n_at_cap += usize::from(self.max_states.is_some_and(|most| states >= most));
        self.n_unfitted += usize::from(!fits);
        let Some((rank, source)) = right else {
            self.n_never += usize::from(fits);
            return;
        };
        let class = class(*rank);
        let classes = if fits {
            &mut self.fitting
        } else {
            &mut self.unfitted
        };
        classes[class] += 1;
        self.sources.entry(source.clone()).or_default()[class] += 1;
    }

    fn n_fitting(&self) -> usize {
        self.n_tasks - self.n_unfitted
    }

    /// Right within two attempts, of these.
    fn n_attempted(classes: &ByClass) -> usize {
        classes[0] + classes[1]
    }

    fn json(&self) -> Value {
        let classes = |of: &ByClass| -> BTreeMap<&str, usize> {
            CLASSES.iter().map(|class| class.1).zip(*of).collect()
        };
        let sources = self.sources.iter();
        let sources: BTreeMap<&String, _> = sources.map(|(name, of)| (name, classes(of))).collect();
        json!({
            "tasks": self.n_tasks,
            "candidates": self.n_candidates,
            "fits": self.n_fitting(),
            "right_where_fits": classes(&self.fitting),
            "never_right_where_fits": self.n_never,
            "nothing_fits": self.n_unfitted,
            "right_where_nothing_fits": classes(&self.unfitted),
            "by_source": sources,
            "at_cap": self.n_at_cap,
            "max_states": self.max_states,
        })
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let all = self.n_tasks;
        let line = |out: &mut String, name: &str, n: usize, more: &str| {
            let share = percent(n, all);
            writeln!(out, "  {name:<20} {:>6}  {share:>7}{more}", count(n))
        };
        for ((_, _, name), n) in CLASSES.iter().zip(self.fitting) {
            if *name != "later" || n > 0 {
                line(out, &format!("right at {name}"), n, "")?;
            }
        }
        line(out, "fits, never right", self.n_never, "")?;
        let (within, any) = (
            Counts::n_attempted(&self.unfitted),
            self.unfitted.iter().sum(),
        );
        let more = format!(
            "  of these {} right by a program that fits in part, {} within two attempts",
            count(any),
            count(within)
        );
        line(out, "nothing fits", self.n_unfitted, &more)?;
        let right = Counts::n_attempted(&self.fitting);
        writeln!(
            out,
            "  where a program fits all demonstrations, {} of {} are right within two attempts ({})",
            count(right),
            count(self.n_fitting()),
            percent(right, self.n_fitting())
        )?;
        if let Some(most) = self.max_states {
            let n = counted(self.n_at_cap, "task");
            writeln!(out, "  {n} reached the cap of {} states", count(most))?;
        }
        self.write_sources(out)
    }

    fn write_sources(&self, out: &mut String) -> std::fmt::Result {
        if self.sources.is_empty() {
            return Ok(());
        }
        write!(out, "\n  {DIM}{:<20}", "right, by source")?;
        for (_, _, name) in CLASSES {
            write!(out, " {name:>6}")?;
        }
        writeln!(out, "{DIM:#}")?;
        for (source, classes) in &self.sources {
            write!(out, "  {source:<20}")?;
            for n in classes {
                write!(out, " {:>6}", count(*n))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Two reports side by side, on the tasks of both: which of them solves how many.
#[derive(Default, Serialize)]
pub(crate) struct Pair {
    both: usize,
    only_first: usize,
    only_second: usize,
    neither: usize,
}

impl Pair {
    pub(crate) fn add(&mut self, first: bool, second: bool) {
        let n = match (first, second) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.only_first,
            (false, true) => &mut self.only_second,
            (false, false) => &mut self.neither,
        };
        *n += 1;
    }

    pub(crate) fn n_tasks(&self) -> usize {
        self.both + self.only_first + self.only_second + self.neither
    }

    /// The probability that a fair coin for each task that only one report solves gives a
    /// difference as large as this, or a larger one.
    fn p(&self) -> f64 {
        sign_test(self.only_first, self.only_second)
    }
}

/// The two-sided exact sign test: twice the probability of at most the smaller count out of both.
fn sign_test(one: usize, other: usize) -> f64 {
    let (n, least) = (one + other, one.min(other));
    // Logarithms, because a probability of one outcome of many is too small for a number.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = log_term.exp();
    for k in 1..=least {
        log_term += ((n - k + 1) as f64).ln() - (k as f64).ln();
        sum += log_term.exp();
    }
    (2.0 * sum).min(1.0)
}

/// Everything that the command found.
pub(crate) struct Ranks {
    pub(crate) data: String,
    pub(crate) data_hash: String,
    /// The names of the reports; counts are missing if a report has no candidates.
    pub(crate) reports: Vec<(String, Option<Counts>)>,
    pub(crate) pair: Option<Pair>,
}

impl Ranks {
    pub(crate) fn json(&self) -> Value {
        let report = |(name, counts): &(String, Option<Counts>)| json!({ "report": name, "counts": counts.as_ref().map(Counts::json) });
        let mut value = json!({
            "engine": env!("CARGO_PKG_VERSION"),
            "data": self.data,
            "data_hash": self.data_hash,
            "reports": self.reports.iter().map(report).collect::<Vec<Value>>(),
        });
        if let Some(pair) = &self.pair {
            value["pair"] = json!({
                "tasks": pair.n_tasks(),
                "both": pair.both,
                "only_first": pair.only_first,
                "only_second": pair.only_second,
                "neither": pair.neither,
                "p": pair.p(),
            });
        }
        value
    }
}

pub(crate) fn text(ranks: &Ranks) -> String {
    rendered(|out| {
        for (name, counts) in &ranks.reports {
            let Some(counts) = counts else {
                writeln!(out, "{BOLD}{name}{BOLD:#}: no candidates, so no ranks\n")?;
                continue;
            };
            writeln!(
                out,
                "{BOLD}{name}{BOLD:#} on {} {DIM}{:.8}{DIM:#}  {}, up to {} each",
                ranks.data,
                ranks.data_hash,
                counted(counts.n_tasks, "task"),
                counted(counts.n_candidates, "candidate")
            )?;
            counts.write(out)?;
            if ranks.pair.is_some() {
                writeln!(out)?;
            }
        }
        match &ranks.pair {
            Some(pair) => write_pair(out, pair),
            None => Ok(()),
        }
    })
}

fn write_pair(out: &mut String, pair: &Pair) -> std::fmt::Result {
    let tasks = counted(pair.n_tasks(), "task");
    writeln!(
        out,
        "{BOLD}right within two attempts{BOLD:#}, {tasks} of both reports"
    )?;
    let lines = [
        ("both", pair.both),
        ("only the first", pair.only_first),
        ("only the second", pair.only_second),
        ("neither", pair.neither),
    ];
    for (name, n) in lines {
        writeln!(out, "  {name:<20} {:>6}", count(n))?;
    }
    writeln!(out, "  {:<20} p = {:.3}, two-sided", "sign test", pair.p())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(one: usize, other: usize, expected: f64) {
        let p = sign_test(one, other);
        assert!((p - expected).abs() < 1e-9, "{one} and {other}: {p}");
        assert_eq!(p, sign_test(other, one));
    }

    #[test]
    fn the_sign_test_is_exact() {
        check(0, 0, 1.0);
        check(1, 0, 1.0);
        check(3, 3, 1.0);
        check(0, 5, 2.0 / 32.0);
        check(1, 7, 2.0 * 9.0 / 256.0);
        check(2, 8, 2.0 * 56.0 / 1024.0);
        // Numbers beyond the range of a probability of one outcome.
        assert_eq!(sign_test(0, 5_000), 0.0);
        assert!((sign_test(2_500, 2_500) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn every_rank_has_a_class() {
        let names = [1, 2, 3, 10, 11, 200, 201].map(|rank| CLASSES[class(rank)].2);
        assert_eq!(
            names,
            ["1", "2", "3–10", "3–10", "11–200", "11–200", "later"]
        );
    }
}
