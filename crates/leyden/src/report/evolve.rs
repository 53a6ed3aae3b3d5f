//! The progress and the results of `leyden evolve`.

use std::fmt::Write;
use std::time::Duration;

use leyden_search::evolve::{Evolution, Standing, Totals};
use serde::Serialize;

use super::numbers::{count, counted, duration, rate};
use super::style::{BOLD, rendered};

/// The best partial scores that are listed.
const N_PARTIAL: usize = 10;

#[derive(Serialize)]
pub(crate) struct EvolveReport {
    pub(crate) store: String,
    pub(crate) data: String,
    pub(crate) data_hash: String,
    pub(crate) engine: &'static str,
    pub(crate) seed: u64,
    pub(crate) settings: String,
    pub(crate) stop_reason: &'static str,
    pub(crate) tasks: usize,
    pub(crate) library: usize,
    pub(crate) rounds: u64,
    /// Outcomes of a program on a demonstration pair, none of them from a cache.
    pub(crate) evaluations: u64,
    /// Runs without an outcome; they are not among the evaluations.
    pub(crate) unsure: u64,
    pub(crate) fuel: u64,
    pub(crate) children: u64,
    pub(crate) repeated: u64,
    pub(crate) restarts: u64,
    pub(crate) behaviours: u64,
    pub(crate) own: usize,
    pub(crate) transferred: usize,
    pub(crate) evolved: usize,
    pub(crate) new: usize,
    pub(crate) improved: usize,
    pub(crate) evolved_tasks: Vec<String>,
    /// The number of evolved tasks whose test outputs are all right too, if the data has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) right_on_tests: Option<usize>,
    pub(crate) best_partial: Vec<(String, f64)>,
    pub(crate) programs_saved: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_hash: Option<String>,
    pub(crate) times: Times,
}

/// The facts that differ between equal runs.
#[derive(Serialize)]
pub(crate) struct Times {
    pub(crate) wall_s: f64,
    pub(crate) cpu_s: f64,
    pub(crate) saving_s: f64,
    /// The evaluations of this process: a resumed run counts from its start here.
    pub(crate) evaluations_here: u64,
    pub(crate) evaluations_per_s: f64,
    pub(crate) evaluations_per_cpu_s: f64,
}

/// The best scores of tasks that no program fits yet.
pub(crate) fn best_partial(evolution: &Evolution<'_>) -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> = evolution
        .partial()
        .map(|(puzzle, credit)| (puzzle.id.to_string(), credit))
        .collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    all.truncate(N_PARTIAL);
    all
}

/// A line of `--progress` about a round. docs/evolve.md describes it.
#[derive(Serialize)]
pub(crate) struct RoundLine {
    round: u64,
    surveyed: usize,
    library: usize,
    /// Tasks that a program fits that was not written for them.
    fitting: usize,
    own: usize,
    transferred: usize,
    evolved: usize,
    new: usize,
    evaluations: u64,
    fuel: u64,
    children: u64,
    behaviours: u64,
    best_partial: f64,
    wall_s: f64,
}

impl RoundLine {
    pub(crate) fn of(evolution: &Evolution<'_>, wall: Duration) -> RoundLine {
        let (totals, standing) = (evolution.totals(), evolution.standing());
        let (surveyed, library) = evolution.surveyed();
        let partial = evolution.partial().map(|(_, credit)| credit);
        RoundLine {
            round: totals.rounds,
            surveyed,
            library,
            fitting: standing.transferred + standing.evolved,
            own: standing.own,
            transferred: standing.transferred,
            evolved: standing.evolved,
            new: standing.new,
            evaluations: totals.tally.evaluations,
            fuel: totals.tally.fuel,
            children: totals.children,
            behaviours: evolution.n_behaviours(),
            best_partial: partial.fold(0.0, f64::max),
            wall_s: wall.as_secs_f64(),
        }
    }
}

/// A line of `--progress` about a task that a program fits now.
#[derive(Serialize)]
pub(crate) struct FindLine<'f> {
    pub(crate) task: &'f str,
    /// The hash of the program in the store.
    pub(crate) program: String,
    pub(crate) fits: bool,
    /// The change that made it; empty for a program of the library.
    pub(crate) mutation: &'f str,
}

/// The progress of a run, in one line.
pub(crate) fn progress(evolution: &Evolution<'_>, n_here: u64, wall: Duration) -> String {
    let Totals { rounds, .. } = evolution.totals();
    let (n_surveyed, n_library) = evolution.surveyed();
    let Standing {
        transferred,
        evolved,
        new,
        ..
    } = evolution.standing();
    let phase = if n_surveyed < n_library {
        format!("library {n_surveyed}/{n_library}, ")
    } else {
        String::new()
    };
    let best = best_partial(evolution);
    let best = best.first().map_or(0.0, |best| best.1);
    format!(
        "round {rounds}: {phase}{} of {}, {transferred} transferred, {evolved} evolved ({new} new), best partial {best:.1}, {} behaviours",
        rate(n_here as usize, wall),
        counted(n_here as usize, "evaluation"),
        count(evolution.n_behaviours() as usize)
    )
}

/// The reason why a run stopped, from the word in its JSON.
fn why(stop_reason: &str) -> &str {
    match stop_reason {
        "rounds" => "after all rounds",
        "budget" => "because its time was over",
        "fuel" => "because its fuel was used up",
        "cancelled" => "because it was cancelled",
        "nothing left" => "because programs fit all tasks",
        other => other,
    }
}

pub(crate) fn text(report: &EvolveReport) -> String {
    let n = |n: u64| count(n as usize);
    rendered(|text| {
        writeln!(
            text,
            "{BOLD}{}{BOLD:#} {:.8}  {}, {} in the library, seed {}",
            report.data,
            report.data_hash,
            counted(report.tasks, "task"),
            counted(report.library, "program"),
            report.seed
        )?;
        writeln!(text, "  stopped       {}", why(report.stop_reason))?;
        writeln!(
            text,
            "  rounds        {:>12}   {} children made, {} known already, {} islands started again",
            n(report.rounds),
            n(report.children),
            n(report.repeated),
            n(report.restarts)
        )?;
        let times = &report.times;
        writeln!(
            text,
            "  evaluations   {:>12}   {} more without a sure outcome; {} /s, {} per second of processor time",
            n(report.evaluations),
            n(report.unsure),
            n(times.evaluations_per_s as u64),
            n(times.evaluations_per_cpu_s as u64)
        )?;
        writeln!(text, "  fuel          {:>12}", n(report.fuel))?;
        writeln!(
            text,
            "  behaviours    {:>12}   different ones, about",
            n(report.behaviours)
        )?;
        writeln!(
            text,
            "  fitted        {:>12}   tasks that their own program in the library fits",
            count(report.own)
        )?;
        writeln!(
            text,
            "  transferred   {:>12}   more tasks that another program in the library fits",
            count(report.transferred)
        )?;
        writeln!(
            text,
            "  evolved       {:>12}   more tasks that only an evolved program fits, {} of them for the first time",
            count(report.evolved),
            count(report.new)
        )?;
        if let Some(right) = report.right_on_tests {
            writeln!(
                text,
                "  right         {:>12}   of these evolved programs are right on all test outputs, which no round has seen",
                count(right)
            )?;
        }
        writeln!(
            text,
            "  shortened     {:>12}   tasks whose own program became shorter",
            count(report.improved)
        )?;
        if !report.evolved_tasks.is_empty() {
            writeln!(text, "  {}", report.evolved_tasks.join(" "))?;
        }
        if let Some((task, credit)) = report.best_partial.first() {
            writeln!(
                text,
                "  closest       {credit:>12.1}   of 100 on {task}, the best score on a task that no program fits"
            )?;
        }
        writeln!(
            text,
            "  saved         {:>12}   programs in {}",
            count(report.programs_saved),
            report.store
        )?;
        writeln!(
            text,
            "  {} of wall time, {} of processor time, {} for saving",
            duration(Duration::from_secs_f64(times.wall_s)),
            duration(Duration::from_secs_f64(times.cpu_s)),
            duration(Duration::from_secs_f64(times.saving_s))
        )
    })
}
