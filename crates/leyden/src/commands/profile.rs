//! `leyden profile …`: where time goes, and which change would save it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_profile::Profile;
use leyden_profile::compare::compare;
use leyden_profile::model::{Kind, Projection};
use leyden_profile::plan::budget;
use leyden_profile::project::{ProjectError, project};
use leyden_profile::what_if::{WhatIf, imagine};
use leyden_store::{read_text, write_atomic};

use crate::args::profile::{
    CompareArgs, CompareFormat, Futures, PipelineArgs, ProfileArgs, ProfileCommand, RefilterArgs,
};
use crate::clock::Wall;
use crate::failure::Failure;
use crate::output::{Target, say};
use crate::pipeline::read::file_name;
use crate::profiling::measure::Detail;
use crate::profiling::{output, profile, search};
use crate::report::numbers::counted;

pub(crate) fn run(
    command: ProfileCommand,
    cancel: CancelToken,
    started: Wall,
) -> Result<(), Failure> {
    if !leyden_exec::record::IS_BUILT_IN {
        return Err(Failure::bad_input(
            "this leyden was built without the recorder; build it with the feature `recorder`",
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
    let mut profile = profile(&args.work, kind, detail, cancel, started)?;
    if let Some(expected) = expected {
        note_expected(&mut profile, &expected);
    }
    refuse_faults(&profile)?;
    tell_device(&mut profile);
    imagine_all(&mut profile, &args.futures);
    // A profile of a few tasks tells nothing about other tasks.
    profile.projections = projections(&profile, &args.futures).unwrap_or_default();
    args.outputs.write(&profile, "")
}

/// Marks each primitive that devices have, if this build knows devices.
#[cfg(any(feature = "opencl", feature = "cuda"))]
fn tell_device(profile: &mut Profile) {
    use leyden_dsl::table::Prim;
    use leyden_profile::model::RowKind;
    let known = leyden_gpu::device_primitives();
    let rows = profile.primitives.iter_mut();
    for row in rows.filter(|row| row.kind == RowKind::Primitive) {
        row.device = Prim::by_name(&row.name).map(|prim| known.contains(&prim));
    }
}

#[cfg(not(any(feature = "opencl", feature = "cuda")))]
fn tell_device(_: &mut Profile) {}

fn imagine_all(profile: &mut Profile, futures: &Futures) {
    let found = futures.what_if.iter().map(|it| imagine(profile, it));
    profile.what_ifs = found.collect();
}

/// Projections of the run at each scale, unchanged and with each of the changes.
fn projections(profile: &Profile, futures: &Futures) -> Result<Vec<Projection>, ProjectError> {
    let changes: Vec<WhatIf> = std::iter::once(WhatIf::default())
        .chain(futures.what_if.clone())
        .collect();
    let mut found = Vec::new();
    for n_tasks in &futures.scales {
        for what_if in &changes {
            found.push(project(profile, *n_tasks, what_if)?);
        }
    }
    Ok(found)
}

/// Refuses a profile whose runs all faulted: it would describe only faults.
fn refuse_faults(profile: &Profile) -> Result<(), Failure> {
    let faults: u64 = profile.tasks.iter().map(|task| task.faults).sum();
    if profile.totals.runs > 0 && faults == profile.totals.runs {
        Err(Failure::bad_input(format!(
            "{} ended in a fault: there is nothing to profile; `leyden trace TASK` shows where",
            if faults == 1 {
                "the only run".to_owned()
            } else {
                format!("all {faults} runs")
            }
        )))
    } else {
        Ok(())
    }
}

/// Expected shares: a JSON object of primitives and shares or percentages, or lines of
/// `name share`.
fn read_expected(path: &Path) -> Result<BTreeMap<String, f64>, Failure> {
    let text = read_text(path)?;
    let parsed = serde_json::from_str(&text)
        .ok()
        .or_else(|| from_lines(&text));
    let mut shares: BTreeMap<String, f64> = parsed.ok_or_else(|| {
        Failure::bad_input(format!(
            "{}: expected a JSON object of shares (`{{\"objects\": 0.4}}`), or lines such as `objects 40 %`",
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
        Some(search) => search::profile(search, &common.work, cancel, started)?,
        None => profile(
            &common.work,
            Kind::Pipeline,
            Detail::Primitives,
            cancel,
            started,
        )?,
    };
    refuse_faults(&profile)?;
    if let Some(search) = &args.search {
        let limit = u64::try_from(search.per_task.as_nanos()).unwrap_or(u64::MAX);
        profile.sampling.most_per_task_ns = Some(limit);
    }
    tell_device(&mut profile);
    imagine_all(&mut profile, &common.futures);
    let found = projections(&profile, &common.futures);
    profile.projections = found.map_err(|error| Failure::BadInput(error.into()))?;
    if let Some(time) = args.budget {
        let (asked, budget_ns) = (in_units(time), time.as_secs_f64() * 1e9);
        let rows = profile.projections.iter();
        let budgets = rows.map(|it| budget(it, &asked, budget_ns, args.workers));
        profile.budgets = budgets.collect();
    }
    common.outputs.write(&profile, "")
}

/// A time as the command line takes it: `1h30m`.
fn in_units(time: Duration) -> String {
    let seconds = time.as_secs();
    let units = [
        (seconds / 3600, "h"),
        (seconds / 60 % 60, "m"),
        (seconds % 60, "s"),
    ];
    let units = units.iter().filter(|(n, _)| *n > 0);
    let mut text: String = units.map(|(n, unit)| format!("{n}{unit}")).collect();
    if time.subsec_millis() > 0 || text.is_empty() {
        text += &format!("{}ms", time.subsec_millis());
    }
    text
}

/// Shows a saved profile without its outliers.
fn refilter(args: &RefilterArgs) -> Result<(), Failure> {
    let profile = output::read(&args.file)?;
    let places: Vec<usize> = if args.outputs.options.keep_outliers {
        Vec::new()
    } else {
        profile.outliers().iter().map(|it| it.task).collect()
    };
    let mut filtered = profile.without_tasks(&places);
    let names: Vec<&str> = places
        .iter()
        .map(|k| profile.tasks[*k].id.as_str())
        .collect();
    filtered.notes.push(if names.is_empty() {
        "No outliers were left out.".to_owned()
    } else {
        format!(
            "Outliers left out: {}. {} of {} remain.",
            names.join(", "),
            filtered.tasks.len(),
            counted(profile.tasks.len(), "task")
        )
    });
    imagine_all(&mut filtered, &args.futures);
    filtered.projections = projections(&filtered, &args.futures).unwrap_or_default();
    args.outputs.write(&filtered, "")
}

fn compare_files(args: &CompareArgs) -> Result<(), Failure> {
    let (a, b) = (output::read(&args.a)?, output::read(&args.b)?);
    let (name_a, name_b) = names_apart(&args.a, &args.b);
    let found = compare(&a, &b).named(&name_a, &name_b);
    let report = found.report(&args.options);
    let text = match args.format {
        CompareFormat::Text => report.to_text(),
        CompareFormat::Md => report.to_markdown(),
        CompareFormat::Html => report.to_html(),
        CompareFormat::Json => found.to_json(),
    };
    if let Some(directory) = &args.report {
        output::write_report(directory, "compare".to_owned(), &report.to_text())?;
    }
    if let Some(target) = &args.json {
        target.write(&found.to_json())?;
    }
    match &args.out {
        Some(Target::File(path)) => write_atomic(path, text.as_bytes()).map_err(Failure::writing),
        _ => say(&text, args.json == Some(Target::Stdout)),
    }
}

/// The files' names; equal names get their directories.
fn names_apart(a: &Path, b: &Path) -> (String, String) {
    let names = (file_name(a), file_name(b));
    if names.0 == names.1 {
        (a.display().to_string(), b.display().to_string())
    } else {
        names
    }
}
