//! The results of `leyden card`, for people and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use leyden_lang::{BatteryFile, RULES};
use leyden_search::{Card, CardReport, Deck, Kind};
use serde::Serialize;

use crate::failure::Failure;
use crate::report::numbers::{count, counted, duration};
use crate::report::style::{BOLD, DIM};

/// The contents of a report.
pub(crate) struct Summary<'a> {
    pub(crate) card: &'a Card,
    pub(crate) deck: &'a Deck,
    pub(crate) file: &'a BatteryFile,
    pub(crate) report: &'a CardReport,
}

impl Summary<'_> {
    fn lines_per_node(&self) -> f64 {
        let battery = &self.file.battery;
        battery.n_lines() as f64 / battery.nodes.len().max(1) as f64
    }

    fn whole(&self) -> Duration {
        self.report.sample + self.report.mutate + self.report.merge
    }
}

pub(crate) fn text(summary: &Summary<'_>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_all(&mut text, summary);
    text
}

fn write_all(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    let (report, battery) = (summary.report, &summary.file.battery);
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} from {}, seed {}",
        counted(battery.outs.len(), "program"),
        count(summary.deck.len()),
        summary.card.seed
    )?;
    writeln!(
        out,
        "{} changed; {} dropped because another program does the same",
        count(report.n_mutants),
        count(report.n_dropped)
    )?;
    writeln!(
        out,
        "{} in {}: {BOLD}{:.2}{BOLD:#} lines per node; {} to run for each sample\n",
        counted(battery.n_lines(), "line"),
        counted(battery.nodes.len(), "node"),
        summary.lines_per_node(),
        count(battery.n_per_sample())
    )?;
    let phases = [
        ("sample", report.sample),
        ("mutate", report.mutate),
        ("merge", report.merge),
    ];
    for (name, time) in phases.into_iter().chain([("whole", summary.whole())]) {
        writeln!(out, "  {name:<8} {:>10}", duration(time))?;
    }
    write_kinds(out, summary)
}

fn write_kinds(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    if summary.card.freeze {
        return Ok(());
    }
    writeln!(
        out,
        "\n  {DIM}change       rate   wanted     done  unsound{DIM:#}"
    )?;
    for (kind, counts) in Kind::ALL.iter().zip(&summary.report.kinds) {
        let rate = summary.card.rates.get(*kind);
        writeln!(
            out,
            "  {:<10}  {rate:>5.2} {:>8} {:>8} {:>8}",
            kind.name(),
            count(counts.n_wanted as usize),
            count(counts.n_done as usize),
            count(counts.n_unsound as usize)
        )?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Report {
    engine: &'static str,
    seed: u64,
    frozen: bool,
    library: LibraryReport,
    programs: usize,
    sampled: usize,
    mutants: usize,
    dropped: usize,
    lines: usize,
    nodes: usize,
    nodes_per_sample: usize,
    phases: Phases,
    mutations: BTreeMap<&'static str, KindReport>,
    rules: BTreeMap<&'static str, u32>,
}

#[derive(Serialize)]
struct LibraryReport {
    programs: usize,
    mutable: usize,
    hash: String,
}

#[derive(Serialize)]
struct Phases {
    sample_s: f64,
    mutate_s: f64,
    merge_s: f64,
}

#[derive(Serialize)]
struct KindReport {
    rate: f64,
    wanted: u32,
    done: u32,
    unsound: u32,
}

pub(crate) fn json(summary: &Summary<'_>) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(&report(summary));
    let text = text.map_err(|error| Failure::Other(error.into()))?;
    Ok(text + "\n")
}

fn report(summary: &Summary<'_>) -> Report {
    let (report, battery) = (summary.report, &summary.file.battery);
    let kinds = Kind::ALL.iter().zip(&report.kinds);
    let rules = RULES.iter().map(|rule| rule.name);
    Report {
        engine: env!("CARGO_PKG_VERSION"),
        seed: summary.card.seed,
        frozen: summary.card.freeze,
        library: LibraryReport {
            programs: summary.deck.len(),
            mutable: summary.deck.n_mutable(),
            hash: format!("{:032x}", summary.file.header.library.unwrap_or_default()),
        },
        programs: battery.outs.len(),
        sampled: report.n_sampled,
        mutants: report.n_mutants,
        dropped: report.n_dropped,
        lines: battery.n_lines(),
        nodes: battery.nodes.len(),
        nodes_per_sample: battery.n_per_sample(),
        phases: Phases {
            sample_s: report.sample.as_secs_f64(),
            mutate_s: report.mutate.as_secs_f64(),
            merge_s: report.merge.as_secs_f64(),
        },
        mutations: kinds
            .map(|(kind, counts)| {
                let rate = if summary.card.freeze {
                    0.0
                } else {
                    summary.card.rates.get(*kind)
                };
                let report = KindReport {
                    rate,
                    wanted: counts.n_wanted,
                    done: counts.n_done,
                    unsound: counts.n_unsound,
                };
                (kind.name(), report)
            })
            .collect(),
        rules: rules.zip(report.n_rewrites.iter().copied()).collect(),
    }
}
