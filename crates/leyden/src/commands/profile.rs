//! `leyden profile …`: where time goes, and what would change it.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use leyden_dsl::meter::CancelToken;
use leyden_profile::Profile;
use leyden_profile::compare::compare;
use leyden_profile::model::Kind;
use leyden_profile::plan::runs_within;
use leyden_profile::project::{WhatIf, project};
use leyden_profile::report::{ReportOptions, budget_sentence};
use leyden_store::write_atomic;

use crate::args::profile::{CompareArgs, PipelineArgs, ProfileArgs, ProfileCommand, RefilterArgs};
use crate::clock::Wall;
use crate::failure::Failure;
use crate::output::{Target, print};
use crate::profiling::measure::{Choice, Detail};
use crate::profiling::{output, profile, search};

pub(crate) fn run(
    command: ProfileCommand,
    cancel: CancelToken,
    started: Wall,
) -> Result<(), Failure> {
    if !leyden_exec::record::IS_BUILT_IN {
        return Err(Failure::bad_input(
            "this leyden was built without the recorder",
        ));
    }
    match command {
        ProfileCommand::Dsl(args) => simple(&args, Kind::Dsl, Detail::Primitives, cancel, started),
        ProfileCommand::Batch(args) => {
            simple(&args, Kind::Batch, Detail::Primitives, cancel, started)
        }
        ProfileCommand::Framework(args) => {
            simple(&args, Kind::Framework, Detail::Primitives, cancel, started)
        }
        ProfileCommand::Lines(args) => simple(&args, Kind::Lines, Detail::Lines, cancel, started),
        ProfileCommand::Pipeline(args) => pipeline(&args, cancel, started),
        ProfileCommand::Refilter(args) => refilter(&args),
        ProfileCommand::Compare(args) => compare_files(&args),
    }
}

fn simple(
    args: &ProfileArgs,
    kind: Kind,
    detail: Detail,
    cancel: CancelToken,
    started: Wall,
) -> Result<(), Failure> {
    let expected = args.expect.as_deref().map(read_expected).transpose()?;
    let mut profile = profile(&args.work, &args.choice, kind, detail, cancel, started)?;
    if let Some(expected) = expected {
        note_expected(&mut profile, &expected);
    }
    refuse_faults(&profile)?;
    args.outputs.write(&profile, "")
}

/// Where every run faulted a profile would be about faults, and nobody asked for that.
fn refuse_faults(profile: &Profile) -> Result<(), Failure> {
    let faults: u64 = profile.tasks.iter().map(|task| task.faults).sum();
    match profile.totals.runs > 0 && faults == profile.totals.runs {
        true => Err(Failure::bad_input(format!(
            "all {faults} runs ended in faults: there is nothing to profile",
        ))),
        false => Ok(()),
    }
}

/// Expected shares: a JSON object of primitives and shares or percentages, or lines of
/// `name share`.
fn read_expected(path: &Path) -> Result<BTreeMap<String, f64>, Failure> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string());
    let text = text.map_err(Failure::BadInput)?;
    let parsed = serde_json::from_str(&text)
        .ok()
        .or_else(|| from_lines(&text));
    let mut shares: BTreeMap<String, f64> = parsed.ok_or_else(|| {
        Failure::bad_input(format!(
            "{}: neither a JSON object of shares nor lines of `name share`",
            path.display()
        ))
    })?;
    // Shares above 1 can only be percentages.
    if shares.values().any(|share| *share > 1.0) {
        shares.values_mut().for_each(|share| *share /= 100.0);
    }
    Ok(shares)
}

fn from_lines(text: &str) -> Option<BTreeMap<String, f64>> {
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, share) = line.split_once([' ', ',', '\t'])?;
            let share = share.trim().trim_end_matches('%').trim().parse().ok()?;
            Some((name.to_owned(), share))
        })
        .collect()
}

fn note_expected(profile: &mut Profile, expected: &BTreeMap<String, f64>) {
    for row in &mut profile.primitives {
        row.expected_share = expected.get(&row.name).copied();
    }
    let is_missing = |name: &&String| profile.primitives.iter().all(|row| row.name != **name);
    let missing: Vec<&str> = expected
        .keys()
        .filter(is_missing)
        .map(String::as_str)
        .collect();
    if !missing.is_empty() {
        let note = format!("Expected, but never called: {}.", missing.join(", "));
        profile.notes.push(note);
    }
}

fn pipeline(args: &PipelineArgs, cancel: CancelToken, started: Wall) -> Result<(), Failure> {
    let common = &args.common;
    let mut profile = match &args.search {
        Some(search) => search::profile(search, &common.work, &common.choice, cancel, started)?,
        None => profile(
            &common.work,
            &common.choice,
            Kind::Pipeline,
            Detail::Primitives,
            cancel,
            started,
        )?,
    };
    refuse_faults(&profile)?;
    let project = |n_tasks: u64, what_if: &WhatIf| {
        project(&profile, n_tasks, what_if).map_err(|error| Failure::BadInput(error.into()))
    };
    let mut projections = Vec::new();
    let mut budgets = String::new();
    for n_tasks in &args.scales {
        let mut changes = vec![WhatIf::default()];
        changes.extend(args.what_if.clone());
        for what_if in changes {
            let projection = project(*n_tasks, &what_if)?;
            if let Some((text, budget_ns)) = &args.budget {
                let runs = runs_within(&projection, *budget_ns, args.workers);
                budgets += &budget_sentence(*n_tasks, text, args.workers, &runs);
                budgets += &match projection.what_if.is_empty() {
                    true => "\n".to_owned(),
                    false => format!(" (with {})\n", projection.what_if),
                };
            }
            projections.push(projection);
        }
    }
    profile.projections = projections;
    if !budgets.is_empty() {
        profile.notes.extend(budgets.lines().map(str::to_owned));
    }
    common.outputs.write(&profile, "")
}

/// The same tables without outliers, from a file.
fn refilter(args: &RefilterArgs) -> Result<(), Failure> {
    let profile = output::read(&args.file)?;
    let places: Vec<usize> = match args.outputs.options.keep_outliers {
        true => Vec::new(),
        false => profile.outliers().iter().map(|it| it.task).collect(),
    };
    let mut filtered = profile.without_tasks(&places);
    let names: Vec<&str> = places
        .iter()
        .map(|k| profile.tasks[*k].id.as_str())
        .collect();
    filtered.notes.push(match names.is_empty() {
        true => "No outliers were left out.".to_owned(),
        false => format!("Outliers left out: {}.", names.join(", ")),
    });
    args.outputs.write(&filtered, "")
}

fn compare_files(args: &CompareArgs) -> Result<(), Failure> {
    let (a, b) = (output::read(&args.a)?, output::read(&args.b)?);
    let report = compare(&a, &b).report(ReportOptions::default());
    let text = match args.markdown {
        true => report.to_markdown(),
        false => report.to_text(),
    };
    if let Some(directory) = &args.report {
        output::write_report(directory, "compare".to_owned(), &report.to_text())?;
    }
    match &args.out {
        Some(Target::File(path)) => write_atomic(path, text.as_bytes()).map_err(Failure::writing),
        _ => print(&text),
    }
}

/// The choice that arguments of `batch` make.
pub(crate) fn range(start: usize, count: Option<usize>) -> Choice {
    match (start, count) {
        (0, None) => Choice::All,
        (start, count) => Choice::Range(start, count.unwrap_or(usize::MAX)),
    }
}
