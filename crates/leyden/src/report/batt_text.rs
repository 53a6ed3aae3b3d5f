//! A battery's results as a report for people.

use std::cmp::Reverse;
use std::fmt::Write;
use std::time::Duration;

use leyden_dsl::fault::Fault;

use crate::args::BattArgs;
use crate::devices::Devices;
use crate::pipeline::Phases;
use crate::pipeline::credit::Closest;
use crate::pipeline::read::Member;
use crate::pipeline::scoring::Scorer;
use crate::pipeline::task_run::{OutcomeKind, TaskRun};
use crate::pipeline::totals::{OfTask, Totals};
use crate::report::batt_json::{self, Switches};
use crate::report::numbers::{count, counted, duration, percent};
use crate::report::rows::{Rows, write_unknown, write_whole};
use crate::report::style::{BAD, BOLD, DIM, GOOD, rendered};
use crate::report::terminal_width;

const MOST_ROWS: usize = 20;
const MOST_PROGRAMS_NAMED: usize = 4;
const MOST_SAMPLES_NAMED: usize = 3;

const ROWS: Rows = Rows { width: 9 };

/// The contents of a report.
pub(crate) struct Summary<'a> {
    pub(crate) data_name: &'a str,
    pub(crate) data_hash: &'a str,
    /// The name of the file or files that the programs come from.
    pub(crate) source: String,
    pub(crate) members: &'a [Member],
    pub(crate) n_nodes: usize,
    pub(crate) scorer: Option<&'a Scorer>,
    pub(crate) runs: Vec<TaskRun>,
    /// The sums over all runs.
    pub(crate) totals: Totals,
    pub(crate) n_tasks: usize,
    pub(crate) phases: Phases,
    pub(crate) args: &'a BattArgs,
    pub(crate) whole: Duration,
    /// The devices that took part.
    pub(crate) devices: Option<&'a Devices>,
}

impl Summary<'_> {
    /// The report as JSON.
    pub(crate) fn as_json(&self) -> batt_json::Report<'_> {
        batt_json::Report {
            data_name: self.data_name,
            data_hash: self.data_hash,
            switches: Switches::of(&self.args.engine),
            members: self.members,
            n_nodes: self.n_nodes,
            scores: self
                .scorer
                .map(|scorer| scorer.names().zip(scorer.scales()).collect()),
            runs: &self.runs,
            totals: &self.totals,
            phases: self.phases,
        }
    }
}

/// Text for a stream that may or may not show colours.
pub(crate) fn render(summary: &Summary<'_>) -> String {
    rendered(|out| write_all(out, summary))
}

fn write_all(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    write_head(out, summary)?;
    write_score(out, summary)?;
    write_phases(out, summary)?;
    write_devices(out, summary)?;
    write_outcomes(out, summary)?;
    write_solved(out, summary)?;
    write_fitted(out, summary)?;
    write_closest(out, summary)?;
    write_runaways(out, summary)
}

fn write_head(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let hash = &summary.data_hash;
    let (n_done, n_tasks) = (summary.runs.len(), summary.n_tasks);
    let tasks = if n_done == n_tasks {
        counted(n_tasks, "task")
    } else {
        format!(
            "{BAD}stopped{BAD:#} after {} of {}; this is about those",
            count(n_done),
            counted(n_tasks, "task")
        )
    };
    let n_samples = counted(summary.totals.n_samples, "sample");
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} {DIM}{hash:.8}{DIM:#}  {tasks}, {n_samples}",
        summary.data_name
    )?;
    let n_lines: usize = summary.members.iter().map(|member| member.n_lines).sum();
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}  {}, {} in {}",
        summary.source,
        counted(summary.members.len(), "program"),
        counted(n_lines, "line"),
        counted(summary.n_nodes, "node")
    )
}

fn write_score(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let (totals, n_tasks) = (&summary.totals, summary.runs.len());
    writeln!(out)?;
    ROWS.share(out, "solved", (totals.n_solved(), n_tasks), "tasks")?;
    ROWS.share(out, "transfer", (totals.n_transferred(), n_tasks), "tasks")?;
    ROWS.share(out, "fit only", (totals.n_only_fitted(), n_tasks), "tasks")?;
    ROWS.share(out, "right", (totals.n_right, totals.n_runs), "runs")?;
    if let Some(mean) = mean_partial(summary) {
        writeln!(
            out,
            "  {:<8} {BOLD}{mean:>9.1}{BOLD:#} of 100, on average",
            "partial"
        )?;
    }
    write_unknown(out, totals.n_unknown)
}

fn mean_partial(summary: &Summary<'_>) -> Option<f64> {
    summary.scorer?;
    let programs = summary.totals.programs.iter();
    let sum: f64 = programs.map(|program| program.partial).sum();
    let n = summary.members.len() * summary.runs.len();
    (n > 0).then(|| sum / n as f64)
}

fn write_phases(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let (phases, totals) = (&summary.phases, &summary.totals);
    let n_programs = summary.members.len();
    let n_scored = totals.score_counts.runs as usize;
    let on_threads = format!(
        "   both in {} on {}",
        duration(phases.execute),
        counted(summary.args.engine.n_threads, "thread")
    );
    let rows = [
        ("load", phases.load, summary.n_tasks, "tasks", ""),
        ("compile", phases.compile, n_programs, "programs", ""),
        ("generate", phases.generate, n_programs, "programs", ""),
        (
            "execute",
            totals.execute_cpu,
            totals.n_runs,
            "runs",
            "   of CPU",
        ),
        ("score", totals.score_cpu, n_scored, "runs", "   of CPU"),
        ("validate", phases.validate, totals.n_runs, "runs", ""),
    ];
    writeln!(out)?;
    for (label, time, n_items, unit, remark) in rows {
        let remark = match label {
            "score" => format!("{remark},{}", on_threads.trim_start_matches("  ")),
            _ => remark.to_owned(),
        };
        ROWS.phase(out, (label, time), (n_items, unit), &remark)?;
    }
    write_whole(out, summary.whole)
}

fn write_devices(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let Some(devices) = summary.devices else {
        return Ok(());
    };
    let totals = &summary.totals;
    let n_runs = totals.n_on_device() as usize;
    let is_whole = |n: u64| n > 0 && n as usize == totals.n_samples;
    let whole = totals.programs.iter().filter(|it| is_whole(it.n_on_device));
    let (n_whole, n_programs) = (whole.count(), totals.programs.len());
    let of_lines = totals.programs.iter().zip(summary.members);
    let n_lines: usize = of_lines
        .map(|(of, member)| of.n_on_device as usize * member.n_lines)
        .sum();
    let all_lines: usize = summary.members.iter().map(|it| it.n_lines).sum();
    let all_lines = all_lines * totals.n_samples;
    let shares = [
        (n_runs, totals.n_runs),
        (n_lines, all_lines),
        (n_whole, n_programs),
    ];
    ROWS.on_devices(out, devices, shares)
}

fn write_outcomes(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let totals = &summary.totals;
    let share = |n: usize| percent(n, totals.n_runs);
    let n_faults = totals.faults.sum() as usize;
    writeln!(
        out,
        "\n{BOLD}outcomes{BOLD:#}  grids {}   other values {}   faults {}",
        share(totals.n_grids),
        share(totals.n_values),
        share(n_faults)
    )?;
    let faults = totals.faults.iter();
    let faults: Vec<String> = faults
        .map(|(fault, n)| format!("{} {DIM}{}{DIM:#}", fault.name(), count(n as usize)))
        .collect();
    if !faults.is_empty() {
        writeln!(out, "  {}", faults.join("   "))?;
    }
    let sharing = summary.args.engine.sharing;
    if sharing.is_on && sharing.batches {
        writeln!(
            out,
            "  {} computed; {} left to the exact engine, which computed {}",
            counted(totals.counts.nodes as usize, "node"),
            counted(totals.counts.exact_runs as usize, "run"),
            counted(totals.counts.exact_nodes as usize, "node")
        )?;
    }
    write_failed_scores(out, summary)
}

fn write_failed_scores(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let names = summary.scorer.iter().flat_map(|scorer| scorer.names());
    for (name, n) in names.zip(&summary.totals.n_unscored) {
        if *n > 0 {
            let n = counted(*n as usize, "run");
            writeln!(
                out,
                "  {BAD}{name}{BAD:#} gave no number in {n}, counted as 0"
            )?;
        }
    }
    write_misranking(out, summary)
}

/// Scoring programs that cannot be trusted: they score a wrong output above the right one.
fn write_misranking(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let names = summary.scorer.iter().flat_map(|scorer| scorer.names());
    let misranked = summary.totals.n_misranked.iter().enumerate();
    for (name, (score, n)) in names.zip(misranked).filter(|(_, (_, n))| **n > 0) {
        let n_misranked = |run: &TaskRun| run.scores.as_ref()?.n_misranked.get(score).copied();
        let is_meant = |run: &&TaskRun| n_misranked(run).is_some_and(|n| n > 0);
        let first = summary.runs.iter().find(is_meant);
        let first = first.map_or(String::new(), |run| format!(", first of {}", run.task.id));
        let n = counted(*n as usize, "demonstration");
        writeln!(
            out,
            "  {BAD}{name}{BAD:#} ranks a wrong output above the right one on {n}{first}"
        )?;
    }
    Ok(())
}

/// Rows for some tasks, up to a limit.
fn write_rows(
    out: &mut String,
    title: &str,
    rows: &[String],
    n_more: usize,
    what: &str,
) -> std::fmt::Result {
    if rows.is_empty() && n_more == 0 {
        return Ok(());
    }
    writeln!(out, "\n{BOLD}{title}{BOLD:#}")?;
    for row in rows.iter().take(MOST_ROWS) {
        writeln!(out, "  {}", row.trim_end())?;
    }
    match n_more + rows.len().saturating_sub(MOST_ROWS) {
        0 => Ok(()),
        n => writeln!(out, "  {DIM}… and {} {what}{DIM:#}", count(n)),
    }
}

/// Tasks that programs of other tasks solve come first: they are the reason to run a battery.
fn write_solved(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let runs = || summary.runs.iter().zip(&summary.totals.tasks);
    let transferred = runs().filter(|(_, of)| of.is_transferred);
    let rest = runs().filter(|(_, of)| !of.is_transferred && !of.solved_by.is_empty());
    let rows: Vec<String> = transferred
        .chain(rest)
        .map(|(run, of)| solved_row(run, of, summary.members))
        .collect();
    write_rows(out, "solved", &rows, 0, "more (--json has all)")
}

fn solved_row(run: &TaskRun, of: &OfTask, members: &[Member]) -> String {
    let is_foreign = |k: &&usize| members[**k].is_foreign_to(&run.task.id);
    let own: Vec<usize> = of
        .solved_by
        .iter()
        .filter(|k| !is_foreign(k))
        .copied()
        .collect();
    let foreign: Vec<usize> = of.solved_by.iter().filter(is_foreign).copied().collect();
    let mut parts = Vec::new();
    if !own.is_empty() {
        parts.push(format!("{DIM}{}{DIM:#}", names(&own, members)));
    }
    if !foreign.is_empty() {
        let names = names(&foreign, members);
        parts.push(format!("{GOOD}transfer{GOOD:#} {names}"));
    }
    format!("{:<8}  {}", run.task.id, parts.join("   "))
}

fn names(places: &[usize], members: &[Member]) -> String {
    let some = places.iter().take(MOST_PROGRAMS_NAMED);
    let some: Vec<&str> = some.map(|k| members[*k].name.as_str()).collect();
    match places.len().saturating_sub(MOST_PROGRAMS_NAMED) {
        0 => some.join(" "),
        n_more => format!("{} +{}", some.join(" "), count(n_more)),
    }
}

fn write_fitted(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let runs = summary.runs.iter().zip(&summary.totals.tasks);
    let rows: Vec<String> = runs
        .filter(|(_, of)| !of.fitted_by.is_empty())
        .map(|(run, of)| {
            let names = names(&of.fitted_by, summary.members);
            format!("{:<8}  {names}", run.task.id)
        })
        .collect();
    let title = "all demonstrations right, but not the tests";
    write_rows(out, title, &rows, 0, "more (--json has all)")
}

fn write_closest(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let mut closest: Vec<(&TaskRun, &Closest, f64)> = summary
        .runs
        .iter()
        .filter_map(|run| {
            let closest = run.scores.as_ref()?.closest.as_ref()?;
            Some((run, closest, run.partial(closest.program)?))
        })
        .collect();
    closest.sort_by(|a, b| b.2.total_cmp(&a.2));
    let row = |(run, closest, score): &(&TaskRun, &Closest, f64)| {
        let name = &summary.members[closest.program].name;
        let why = why(closest, summary);
        format!(
            "{:<8}  {score:>5.1}  {name:<22} {DIM}{why}{DIM:#}",
            run.task.id
        )
    };
    let rows: Vec<String> = closest.iter().take(MOST_ROWS / 2).map(row).collect();
    let n_more = closest.len() - rows.len();
    let title = "closest, where no program fits (partial score of 100)";
    write_rows(out, title, &rows, n_more, "more (--json has all)")
}

/// The verdict of the strictest scoring program.
fn why(closest: &Closest, summary: &Summary<'_>) -> String {
    let names = summary.scorer.iter().flat_map(|scorer| scorer.names());
    let scales = summary.scorer.iter().flat_map(|scorer| scorer.scales());
    let marks = names.zip(scales).zip(&closest.marks);
    let worst =
        marks.min_by(|((_, a), x), ((_, b), y)| a.share(x.number).total_cmp(&b.share(y.number)));
    let Some(((name, _), mark)) = worst else {
        return format!("train[{}] no grid", closest.demo);
    };
    let name = name.strip_prefix("score_").unwrap_or(name);
    let text = format!(
        "train[{}] {name} {}: {}",
        closest.demo, mark.number, mark.witness
    );
    let width = terminal_width().map_or(100, |width| width.saturating_sub(44));
    shorten(&text, width)
}

fn shorten(text: &str, width: usize) -> String {
    let width = width.max(20);
    if text.chars().count() <= width {
        text.to_owned()
    } else {
        text.chars().take(width - 1).chain(['…']).collect()
    }
}

/// The programs that a limit ended, most expensive first.
fn write_runaways(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let programs = &summary.totals.programs;
    let mut runaways: Vec<usize> = (0..programs.len())
        .filter(|k| programs[*k].n_ended() > 0)
        .collect();
    runaways.sort_by_key(|k| Reverse(programs[*k].fuel));
    let row = |k: &usize| runaway_row(summary, *k);
    let rows: Vec<String> = runaways.iter().take(MOST_ROWS).map(row).collect();
    let n_more = runaways.len() - rows.len();
    let title = "ended because they took too much";
    write_rows(out, title, &rows, n_more, "more (--json has all)")
}

/// The reason why a program was ended, the place, and the fuel of all its runs.
fn runaway_row(summary: &Summary<'_>, k: usize) -> String {
    let of = &summary.totals.programs[k];
    let limit = |fault: Fault| match of.faults.get(fault) {
        0 => String::new(),
        n => format!(
            "{BAD}{}{BAD:#} in {}  ",
            fault.name(),
            counted(n as usize, "run")
        ),
    };
    let (fuel, memory) = (limit(Fault::Fuel), limit(Fault::Memory));
    let most = of.dearest.map_or(0, |dearest| dearest.fuel);
    format!(
        "{:<22} {fuel}{memory}{DIM}fuel {}, at most {}; on {}{DIM:#}",
        summary.members[k].name,
        count(of.fuel as usize),
        count(most as usize),
        ended_on(summary, k)
    )
}

/// The first samples on which a limit ended a program.
fn ended_on(summary: &Summary<'_>, k: usize) -> String {
    let is_end = |kind| matches!(kind, OutcomeKind::Fault(Fault::Fuel | Fault::Memory));
    let on_task = |run: &TaskRun| -> Vec<String> {
        let ended = run.outcomes_of(k).enumerate();
        let ended = ended.filter(|(_, outcome)| is_end(outcome.kind));
        let name = |(sample, _)| format!("{} {}", run.task.id, run.task.pair_name(sample));
        ended.map(name).take(MOST_SAMPLES_NAMED).collect()
    };
    let all = summary.runs.iter().flat_map(on_task);
    let named: Vec<String> = all.take(MOST_SAMPLES_NAMED).collect();
    let n_more = summary.totals.programs[k].n_ended() as usize - named.len();
    match n_more {
        0 => named.join(", "),
        _ => format!("{} +{}", named.join(", "), count(n_more)),
    }
}
