//! A run as a report for people.

use std::fmt::Write;
use std::time::Duration;

use crate::devices::Devices;
use crate::output::in_shell;
use crate::pipeline::Phases;
use crate::pipeline::sample::PairName;
use crate::pipeline::validate::{FaultAt, Judged, TaskResult};
use crate::programs::Library;
use crate::report::numbers::{count, counted, duration};
use crate::report::rows::{Rows, write_unknown, write_whole};
use crate::report::style::{BAD, BOLD, DIM, rendered};
use crate::report::terminal_width;

const MOST_FAILURES: usize = 20;
const N_SLOWEST: usize = 5;
const MOST_PAIRS_NAMED: usize = 3;

const ROWS: Rows = Rows { width: 6 };

/// The contents of a report.
pub(crate) struct Summary<'a> {
    pub(crate) data_name: &'a str,
    pub(crate) data_hash: &'a str,
    pub(crate) library: &'a Library,
    pub(crate) results: Vec<TaskResult<'a>>,
    pub(crate) phases: Phases,
    pub(crate) n_threads: usize,
    pub(crate) whole: Duration,
    /// The devices that took part.
    pub(crate) devices: Option<Devices>,
    /// The options of a `leyden trace` of these tasks and programs.
    pub(crate) trace_options: String,
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
    write_failures(out, summary)?;
    write_without_program(out, summary)?;
    write_slowest(out, summary)
}

fn write_head(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let hash = &summary.data_hash;
    let n_tasks = counted(summary.results.len(), "task");
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} {DIM}{hash:.8}{DIM:#}  {n_tasks}",
        summary.data_name
    )?;
    writeln!(out, "{}", describe_programs(summary.library))
}

fn describe_programs(library: &Library) -> String {
    let files = match library.files.as_slice() {
        [file] => short_name(&file.name).to_owned(),
        files => counted(files.len(), "file"),
    };
    let n_programs = counted(library.programs.len(), "program");
    let skipped = match library.n_skipped {
        0 => String::new(),
        n => format!(" ({} without programs skipped)", counted(n, "file")),
    };
    format!("{BOLD}{files}{BOLD:#}  {n_programs}{skipped}")
}

/// The last part of a path.
fn short_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

fn write_score(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let results = &summary.results;
    let n_solved = results.iter().filter(|result| result.is_solved()).count();
    let n_samples = results.iter().map(|result| result.n_samples).sum();
    let n_correct = results.iter().map(TaskResult::n_correct).sum();
    let n_unknown = results.iter().map(|result| result.n_unknown).sum();
    writeln!(out)?;
    ROWS.share(out, "solved", (n_solved, results.len()), "tasks")?;
    ROWS.share(out, "right", (n_correct, n_samples), "pairs")?;
    write_unknown(out, n_unknown)
}

fn write_devices(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let Some(devices) = &summary.devices else {
        return Ok(());
    };
    let (mut runs, mut lines, mut programs) = ((0, 0), (0, 0), (0, 0));
    for result in &summary.results {
        let n_pairs = result.n_samples + result.n_unknown;
        for judged in &result.programs {
            let n_lines = judged.known.program.lines.len();
            runs = (runs.0 + judged.n_on_device, runs.1 + n_pairs);
            lines = (
                lines.0 + n_lines * judged.n_on_device,
                lines.1 + n_lines * n_pairs,
            );
            let is_whole = judged.n_on_device == n_pairs;
            programs = (programs.0 + usize::from(is_whole), programs.1 + 1);
        }
    }
    ROWS.on_devices(out, devices, [runs, lines, programs])
}

fn write_phases(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let results = &summary.results;
    let n_runs = results
        .iter()
        .map(|result| (result.n_samples + result.n_unknown) * result.programs.len());
    let n_runs: usize = n_runs.sum();
    let n_merged = results.iter().map(|result| result.programs.len()).sum();
    let (phases, cpu) = (&summary.phases, describe_cpu(summary));
    let rows = [
        ("load", phases.load, results.len(), "tasks", ""),
        (
            "compile",
            phases.compile,
            summary.library.programs.len(),
            "programs",
            "",
        ),
        ("generate", phases.generate, n_merged, "programs", ""),
        ("execute", phases.execute, n_runs, "runs", &cpu),
        ("validate", phases.validate, n_runs, "runs", ""),
    ];
    writeln!(out)?;
    for (label, time, n_items, plural, remark) in rows {
        ROWS.phase(out, (label, time), (n_items, plural), remark)?;
    }
    write_whole(out, summary.whole)
}

fn describe_cpu(summary: &Summary<'_>) -> String {
    let cpu: Duration = summary.results.iter().map(|result| result.cpu).sum();
    format!(
        "   {} of CPU on {}",
        duration(cpu),
        counted(summary.n_threads, "thread")
    )
}

/// One reason why a task failed: a wrong result, or an error on a line.
struct Reason {
    kind: &'static str,
    line: u32,
    pairs: Vec<PairName>,
}

fn write_failures(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let failed: Vec<_> = summary.results.iter().filter_map(failed_program).collect();
    if failed.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{BOLD}failed{BOLD:#}")?;
    for (result, judged) in failed.iter().take(MOST_FAILURES) {
        write_failure(out, result, judged, summary.library)?;
    }
    if let n_more @ 1.. = failed.len().saturating_sub(MOST_FAILURES) {
        writeln!(
            out,
            "  {DIM}… and {} more (--json has all){DIM:#}",
            count(n_more)
        )?;
    }
    write_trace(out, failed[0], &summary.trace_options)
}

/// The command that shows where a program goes wrong.
fn write_trace(
    out: &mut String,
    (result, judged): (&TaskResult<'_>, &Judged<'_>),
    options: &str,
) -> std::fmt::Result {
    let faults = judged.faults.iter().map(|at| at.pair);
    let pair = judged.wrong.iter().copied().chain(faults).next();
    let sample = pair.map_or(String::new(), |pair| {
        format!(" --sample {}", in_shell(&pair.to_string()))
    });
    let id = in_shell(result.task.id.as_str());
    let command = format!("leyden trace {id}{sample} {options}");
    writeln!(out, "  {DIM}look closer: {}{DIM:#}", command.trim_end())
}

fn failed_program<'a, 'b>(
    result: &'a TaskResult<'b>,
) -> Option<(&'a TaskResult<'b>, &'a Judged<'b>)> {
    let judged = result.best()?;
    (!judged.wrong.is_empty() || !judged.faults.is_empty()).then_some((result, judged))
}

fn write_failure(
    out: &mut String,
    result: &TaskResult<'_>,
    judged: &Judged<'_>,
    library: &Library,
) -> std::fmt::Result {
    let mut id = result.task.id.as_str();
    for reason in reasons(judged) {
        let place = describe_place(&reason, judged, library);
        let pairs = name_pairs(&reason.pairs);
        let row = format!(
            "  {id:<8}  {BAD}{:<17}{BAD:#} {pairs:<29} {DIM}{place}{DIM:#}",
            reason.kind
        );
        writeln!(out, "{}", row.trim_end())?;
        id = "";
    }
    Ok(())
}

fn reasons(judged: &Judged<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if !judged.wrong.is_empty() {
        reasons.push(Reason {
            kind: "wrong",
            line: 0,
            pairs: judged.wrong.clone(),
        });
    }
    for at in &judged.faults {
        add_fault(&mut reasons, at);
    }
    reasons
}

/// Adds a fault. Faults of one kind on one line are one reason.
fn add_fault(reasons: &mut Vec<Reason>, at: &FaultAt) {
    let kind = at.fault.name();
    match reasons
        .iter_mut()
        .find(|reason| reason.kind == kind && reason.line == at.line)
    {
        Some(reason) => reason.pairs.push(at.pair),
        None => reasons.push(Reason {
            kind,
            line: at.line,
            pairs: vec![at.pair],
        }),
    }
}

fn name_pairs(pairs: &[PairName]) -> String {
    let names: Vec<String> = pairs
        .iter()
        .take(MOST_PAIRS_NAMED)
        .map(PairName::to_string)
        .collect();
    match pairs.len().saturating_sub(MOST_PAIRS_NAMED) {
        0 => names.join(" "),
        n_more => format!("{} +{n_more}", names.join(" ")),
    }
}

/// The program, or the line of the file with its text.
fn describe_place(reason: &Reason, judged: &Judged<'_>, library: &Library) -> String {
    let file = library.file_of(judged.known);
    if reason.line == 0 {
        return judged.known.program.name.clone();
    }
    let source = file.line(reason.line).unwrap_or_default();
    let place = format!("{}:{}", short_name(&file.name), reason.line);
    shorten(
        &format!("{place}  {source}"),
        terminal_width().map_or(160, |width| width.saturating_sub(60)),
    )
}

fn shorten(text: &str, width: usize) -> String {
    let width = width.max(20);
    if text.chars().count() <= width {
        text.to_owned()
    } else {
        text.chars().take(width - 1).chain(['…']).collect()
    }
}

fn write_without_program(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let without = |result: &&TaskResult<'_>| result.programs.is_empty();
    let ids: Vec<&str> = summary
        .results
        .iter()
        .filter(without)
        .map(|result| result.task.id.as_str())
        .collect();
    if ids.is_empty() {
        return Ok(());
    }
    let some = ids[..ids.len().min(MOST_PAIRS_NAMED)].join(" ");
    let more = if ids.len() > MOST_PAIRS_NAMED {
        " …"
    } else {
        ""
    };
    writeln!(
        out,
        "\n{BOLD}no program{BOLD:#} for {}: {some}{more}",
        counted(ids.len(), "task")
    )
}

fn write_slowest(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let mut ran: Vec<&TaskResult<'_>> = summary
        .results
        .iter()
        .filter(|result| !result.programs.is_empty())
        .collect();
    if ran.len() <= N_SLOWEST {
        return Ok(());
    }
    ran.sort_by_key(|result| std::cmp::Reverse(result.cpu));
    let slowest = ran
        .iter()
        .take(N_SLOWEST)
        .map(|result| format!("{} {DIM}{}{DIM:#}", result.task.id, duration(result.cpu)));
    let slowest: Vec<String> = slowest.collect();
    writeln!(out, "\n{BOLD}slowest{BOLD:#}  {}", slowest.join("   "))
}
