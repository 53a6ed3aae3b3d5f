//! A profile for reading: the same report as text and as Markdown.

use crate::compare::{Change, Comparison, Verdict};
use crate::model::{Interval, Kind, Profile, Projection};
use crate::numbers::{count, duration, percent, share, three_figures};
use crate::plan::{Effort, Runs, ranking};
use crate::stats::{FACTORS, OUTLIER_Z, PrimitiveStats};
use crate::table::Table;

/// What a report shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportOptions {
    /// Rows of long tables.
    pub top: usize,
    /// Show only tables with outliers in them, not also those without.
    pub keep_outliers: bool,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            top: 20,
            keep_outliers: false,
        }
    }
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A title within the report.
    Heading(String),
    /// A sentence or two.
    Paragraph(String),
    /// A table.
    Table(Table),
    /// Text that must stay as it is.
    Literal(String),
}

/// Blocks in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The title of the whole.
    pub title: String,
    /// What follows.
    pub blocks: Vec<Block>,
}

impl Report {
    fn heading(&mut self, text: &str) {
        self.blocks.push(Block::Heading(text.to_owned()));
    }

    fn paragraph(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    /// A heading and a table; nothing if the table is empty.
    fn table(&mut self, heading: &str, table: Table) {
        if !table.is_empty() {
            self.heading(heading);
            self.blocks.push(Block::Table(table));
        }
    }

    /// For a terminal or a text file.
    pub fn to_text(&self) -> String {
        let rule = "═".repeat(self.title.chars().count());
        let blocks = self.blocks.iter().map(|block| match block {
            Block::Heading(text) => format!("\n{text}\n\n"),
            Block::Paragraph(text) | Block::Literal(text) => format!("{}\n", text.trim_end()),
            Block::Table(table) => table.to_text(),
        });
        format!("{}\n{rule}\n\n{}", self.title, blocks.collect::<String>())
    }

    /// For a page.
    pub fn to_markdown(&self) -> String {
        let blocks = self.blocks.iter().map(|block| match block {
            Block::Heading(text) => format!("\n## {text}\n\n"),
            Block::Paragraph(text) => format!("{}\n\n", text.trim_end()),
            Block::Literal(text) => format!(
                "```text\n{}\n```\n\n",
                text.trim_end().replace("```", "'''")
            ),
            Block::Table(table) => table.to_markdown(),
        });
        format!("# {}\n\n{}", self.title, blocks.collect::<String>())
    }
}

impl Profile {
    /// The report that suits the kind of profile.
    pub fn report(&self, options: ReportOptions) -> Report {
        let mut report = Report {
            title: format!("Profile: {}", self.title),
            ..Report::default()
        };
        self.add_head(&mut report);
        match self.kind {
            Kind::Dsl => self.add_primitives(&mut report, options),
            Kind::Batch => self.add_batch(&mut report, options),
            Kind::Framework => self.add_framework(&mut report, options),
            Kind::Pipeline => self.add_pipeline(&mut report),
            Kind::Lines => {
                report.heading("Lines");
                report.blocks.push(Block::Literal(self.to_line_text()));
            }
        }
        self.add_device(&mut report);
        self.notes
            .iter()
            .for_each(|note| report.paragraph(format!("Note: {note}")));
        report
    }

    fn add_device(&self, report: &mut Report) {
        if let Some(device) = &self.device {
            report.table("Device, over the execute phase", device.times_table());
            report.paragraph(device.in_words());
            report.table(
                "Batches of other sizes on the device",
                device.batches_table(),
            );
        }
    }

    fn add_head(&self, report: &mut Report) {
        report.blocks.push(Block::Table(self.head_table()));
        let wrong = self.check();
        if wrong.is_empty() {
            report.paragraph("All sums add up within 2 %.");
        }
        for mismatch in wrong {
            report.paragraph(format!("Does not add up: {mismatch}."));
        }
    }

    /// Hardware, versions, data, seed, totals, the recorder's cost.
    pub fn head_table(&self) -> Table {
        let mut table = Table::new(&["what", "value"]);
        for (what, value) in self.head() {
            table.row(vec![what.to_owned(), value]);
        }
        table
    }

    /// The same as pairs.
    pub fn head(&self) -> Vec<(&'static str, String)> {
        let setting = &self.setting;
        let versions = setting
            .versions
            .iter()
            .map(|v| format!("{} {}", v.name, v.version));
        let hardware = &setting.hardware;
        let device = hardware
            .device
            .as_ref()
            .map_or(String::new(), |d| format!(", {d}"));
        let totals = &self.totals;
        let recorder = &self.recorder;
        let mut head = vec![
            ("command", setting.command.clone()),
            ("versions", versions.collect::<Vec<_>>().join(", ")),
            (
                "hardware",
                format!(
                    "{}, {} cores, {}{device}",
                    hardware.cpu, hardware.cores, hardware.os
                ),
            ),
            (
                "data",
                format!(
                    "{} ({} tasks), hash {}",
                    setting.data.name, setting.data.n_tasks, setting.data.hash
                ),
            ),
            (
                "programs",
                format!(
                    "{} ({}), hash {}",
                    setting.programs.name, setting.programs.n_programs, setting.programs.hash
                ),
            ),
            (
                "seed",
                setting
                    .seed
                    .map_or("none".to_owned(), |seed| seed.to_string()),
            ),
            ("jobs", setting.jobs.to_string()),
            ("wall time", duration(totals.wall_ns as f64)),
            (
                "processor time of workers",
                duration(totals.worker_cpu_ns as f64),
            ),
            ("all work", duration(totals.whole_ns as f64)),
            ("execute time", duration(totals.execute_ns as f64)),
            ("runs", count(totals.runs)),
            (
                "recorder's cost",
                format!(
                    "{} of wall time ({}); {} events of {} ns, grain {}, clock {}",
                    percent(recorder.share_of_wall),
                    recorder.how,
                    count(recorder.events),
                    three_figures(recorder.ns_per_event),
                    recorder.grain,
                    recorder.clock
                ),
            ),
        ];
        for row in &self.accuracy {
            head.push(("right", format!("{} of {} {}", row.right, row.of, row.what)));
        }
        if !setting.date.is_empty() {
            head.insert(1, ("date", setting.date.clone()));
        }
        head.retain(|(_, value)| !value.is_empty());
        head
    }

    fn add_primitives(&self, report: &mut Report, options: ReportOptions) {
        let stats = self.primitive_stats();
        let shown = &stats[..stats.len().min(options.top)];
        report.table("Primitives, by self time", primitives_table(shown));
        if stats.len() > shown.len() {
            let rest: f64 = stats[shown.len()..].iter().map(|s| s.share).sum();
            report.paragraph(format!(
                "{} more rows, together {}.",
                stats.len() - shown.len(),
                percent(rest)
            ));
        }
        report.table(
            "What speeding up one primitive does to the whole",
            gains_table(shown),
        );
        report.table("Themes", self.themes_table());
    }

    fn add_batch(&self, report: &mut Report, options: ReportOptions) {
        self.add_primitives(report, options);
        let stats = self.primitive_stats();
        report.table(
            "In how many tasks a primitive matters",
            spread_table(&stats, self.tasks.len(), options.top),
        );
        report.table("Slowest tasks", self.tasks_table(options.top.min(10)));
        let outliers = self.outliers();
        if outliers.is_empty() {
            return;
        }
        report.table("Outliers", self.outliers_table());
        report.paragraph(format!(
            "A task is an outlier if the logarithm of its time is more than {OUTLIER_Z} robust deviations (median, MAD) above the median."
        ));
        if !options.keep_outliers {
            let places: Vec<usize> = outliers.iter().map(|outlier| outlier.task).collect();
            let rest = self.without_tasks(&places);
            let stats = rest.primitive_stats();
            let shown = &stats[..stats.len().min(options.top)];
            report.table("Primitives, without outliers", primitives_table(shown));
        }
    }

    fn add_framework(&self, report: &mut Report, options: ReportOptions) {
        report.table("Layers", self.layers_table());
        report.table("Themes, within the execute layer", self.themes_table());
        let top_layers = self
            .top_layers()
            .into_iter()
            .take(5)
            .map(|row| row.layer.name());
        report.paragraph(format!(
            "Top layers: {}.",
            top_layers.collect::<Vec<_>>().join(", ")
        ));
        let themes = self.themes();
        let top_themes: Vec<&str> = themes
            .iter()
            .take(5)
            .map(|row| row.theme.as_str())
            .collect();
        report.paragraph(format!("Top themes: {}.", top_themes.join(", ")));
        report.table("Repeated work", self.repeats_table());
        let stats = self.primitive_stats();
        report.table(
            "Primitives, by self time",
            primitives_table(&stats[..stats.len().min(options.top)]),
        );
    }

    fn add_pipeline(&self, report: &mut Report) {
        report.table("Phases", self.phases_table());
        report.table("One-time costs", self.one_time_table());
        report.table("Projections", projections_table(&self.projections));
        report.table("What to do first: gain for effort", self.ranking_table());
        report.table("Repeated work", self.repeats_table());
    }

    fn themes_table(&self) -> Table {
        let mut table = Table::new(&[
            "theme",
            ">self",
            ">share",
            ">calls",
            ">per call",
            ">primitives",
        ]);
        let total = self.totals.execute_ns as f64;
        for row in self.themes() {
            let ns = row.self_ns as f64;
            table.row(vec![
                row.theme,
                duration(ns),
                percent(share(ns, total)),
                count(row.calls),
                duration(share(ns, row.calls as f64)),
                row.n_primitives.to_string(),
            ]);
        }
        table
    }

    fn layers_table(&self) -> Table {
        let mut table = Table::new(&["layer", ">self", ">share", ">calls", ">per call"]);
        let total = self.totals.whole_ns as f64;
        for row in self.top_layers() {
            let ns = row.self_ns as f64;
            table.row(vec![
                row.layer.name().to_owned(),
                duration(ns),
                percent(share(ns, total)),
                count(row.calls),
                duration(share(ns, row.calls as f64)),
            ]);
        }
        table
    }

    fn tasks_table(&self, top: usize) -> Table {
        let mut table = Table::new(&[
            "task",
            ">time",
            ">share",
            ">samples",
            ">runs",
            ">faults",
            "slowest primitive",
        ]);
        let total = self.totals.execute_ns as f64;
        for k in self.slowest_tasks().into_iter().take(top) {
            let task = &self.tasks[k];
            let ns = task.self_ns as f64;
            table.row(vec![
                task.id.clone(),
                duration(ns),
                percent(share(ns, total)),
                task.samples.len().to_string(),
                count(task.runs),
                count(task.faults),
                self.slowest_primitive(k),
            ]);
        }
        table
    }

    fn slowest_primitive(&self, task: usize) -> String {
        let parts = &self.tasks[task].primitives;
        let slowest = parts.iter().max_by_key(|part| part.self_ns);
        let row = slowest.and_then(|part| self.primitives.get(part.row as usize));
        row.map_or(String::new(), |row| row.name.clone())
    }

    fn outliers_table(&self) -> Table {
        let mut table = Table::new(&["task", ">time", ">× median", ">z", ">share"]);
        for outlier in self.outliers() {
            let task = &self.tasks[outlier.task];
            let ns = task.self_ns as f64;
            table.row(vec![
                task.id.clone(),
                duration(ns),
                three_figures(outlier.times_median),
                format!("{:.1}", outlier.z),
                percent(share(ns, self.totals.execute_ns as f64)),
            ]);
        }
        table
    }

    fn repeats_table(&self) -> Table {
        let mut table = Table::new(&["work", ">times", ">different", ">self", "advice"]);
        for row in &self.repeats {
            table.row(vec![
                row.what.clone(),
                count(row.times),
                count(row.distinct),
                duration(row.self_ns as f64),
                row.advice.clone(),
            ]);
        }
        table
    }

    fn phases_table(&self) -> Table {
        let mut table = Table::new(&[
            "phase",
            ">time",
            ">wall",
            ">share",
            "scales with",
            ">units",
            ">rate",
        ]);
        for row in &self.phases {
            let ns = row.self_ns as f64;
            table.row(vec![
                row.phase.name().to_owned(),
                duration(ns),
                duration(row.wall_ns as f64),
                percent(share(ns, self.totals.whole_ns as f64)),
                row.scales_with.name().to_owned(),
                count(row.units),
                format!("{} /s", count(share(row.units as f64 * 1e9, ns) as u64)),
            ]);
        }
        table
    }

    fn one_time_table(&self) -> Table {
        let mut table = Table::new(&["cost", "phase", ">time"]);
        for row in &self.one_time {
            table.row(vec![
                row.name.clone(),
                row.phase.name().to_owned(),
                duration(row.self_ns as f64),
            ]);
        }
        table
    }

    fn ranking_table(&self) -> Table {
        let mut table = Table::new(&["step", ">saves", ">whole becomes", "effort (a guess)"]);
        for step in ranking(self).into_iter().take(10) {
            let effort: Effort = step.effort;
            table.row(vec![
                step.what,
                percent(step.saved),
                format!("{:.2}×", step.gain),
                effort.name().to_owned(),
            ]);
        }
        table
    }
}

fn primitives_table(stats: &[PrimitiveStats<'_>]) -> Table {
    let has_expected = stats.iter().any(|s| s.row.expected_share.is_some());
    let mut columns = vec![
        "primitive",
        ">calls",
        ">self",
        ">share",
        ">cumulative",
        ">mean",
        ">median",
        ">p99",
        ">cells",
        ">faults",
        "priority",
        "device",
    ];
    if has_expected {
        columns.insert(4, ">expected");
    }
    let mut table = Table::new(&columns);
    for s in stats {
        let row = s.row;
        let optional = |ns: Option<f64>| ns.map_or(String::new(), duration);
        let mut cells = vec![
            row.name.clone(),
            count(row.calls),
            duration(row.self_ns as f64),
            percent(s.share),
            duration(row.cumulative_ns as f64),
            duration(s.mean_ns),
            optional(s.median_ns),
            optional(s.p99_ns),
            count(row.cells),
            count(row.faults),
            s.priority.name().to_owned(),
            device(row.device).to_owned(),
        ];
        if has_expected {
            cells.insert(4, row.expected_share.map_or(String::new(), percent));
        }
        table.row(cells);
    }
    table
}

const fn device(device: Option<bool>) -> &'static str {
    match device {
        Some(true) => "yes",
        Some(false) => "no",
        None => "",
    }
}

fn gains_table(stats: &[PrimitiveStats<'_>]) -> Table {
    let names = FACTORS.map(|factor| format!(">{factor}× as fast"));
    let mut columns = vec!["primitive", ">share"];
    columns.extend(names.iter().map(String::as_str));
    let mut table = Table::new(&columns);
    for s in stats.iter().filter(|s| !s.priority.name().is_empty()) {
        let mut cells = vec![s.row.name.clone(), percent(s.share)];
        cells.extend(s.gains.map(|gain| format!("{gain:.3}×")));
        table.row(cells);
    }
    table
}

fn spread_table(stats: &[PrimitiveStats<'_>], n_tasks: usize, top: usize) -> Table {
    let mut table = Table::new(&[
        "primitive",
        ">share",
        ">called in",
        ">matters in",
        "so it is",
    ]);
    for s in stats
        .iter()
        .filter(|s| !s.priority.name().is_empty())
        .take(top)
    {
        table.row(vec![
            s.row.name.clone(),
            percent(s.share),
            format!("{} of {n_tasks}", s.n_tasks),
            format!("{} of {n_tasks}", s.n_matters),
            s.spread.name().to_owned(),
        ]);
    }
    table
}

/// An estimate with its interval: `12 s (9.1 s to 20 s)`.
pub fn interval(estimate: &Interval) -> String {
    format!(
        "{} ({} to {})",
        duration(estimate.ns),
        duration(estimate.low_ns),
        duration(estimate.high_ns)
    )
}

/// Projections, a row for each.
pub fn projections_table(projections: &[Projection]) -> Table {
    let mut table = Table::new(&[
        ">tasks",
        "what if",
        ">time",
        ">95 % from",
        ">to",
        ">once",
        ">without outliers",
    ]);
    for row in projections {
        table.row(vec![
            count(row.n_tasks),
            row.what_if.clone(),
            duration(row.estimate.ns),
            duration(row.estimate.low_ns),
            duration(row.estimate.high_ns),
            duration(row.once_ns),
            duration(row.without_outliers_ns),
        ]);
    }
    table
}

/// What a budget allows, in a sentence.
pub fn budget_sentence(n_tasks: u64, budget: &str, workers: u32, runs: &Runs) -> String {
    format!(
        "{budget} on {workers} workers: {} runs of {} tasks ({} to {}), each {}.",
        count(runs.expected),
        count(n_tasks),
        count(runs.at_least),
        count(runs.at_most),
        interval(&runs.run)
    )
}

impl Comparison {
    /// The comparison as a report.
    pub fn report(&self, options: ReportOptions) -> Report {
        let mut report = Report {
            title: "A against B".to_owned(),
            ..Report::default()
        };
        report.paragraph(format!("Verdict: {}.", self.sentence()));
        report.paragraph(format!("{} tasks in common.", self.n_tasks));
        for warning in &self.warnings {
            report.paragraph(format!("Careful: {warning}."));
        }
        report.table(
            "The whole",
            changes_table(std::slice::from_ref(&self.total)),
        );
        let primitives = &self.primitives[..self.primitives.len().min(options.top)];
        report.table("Primitives", changes_table(primitives));
        report.table("Layers", changes_table(&self.layers));
        let tasks = &self.tasks[..self.tasks.len().min(options.top)];
        report.table("Tasks that moved", changes_table(tasks));
        report
    }
}

fn changes_table(changes: &[Change]) -> Table {
    let mut table = Table::new(&[
        "what",
        ">A",
        ">B",
        ">B / A",
        ">noise",
        ">of total",
        "verdict",
    ]);
    for change in changes {
        let verdict = match change.verdict {
            Verdict::Same => "",
            verdict => verdict.name(),
        };
        table.row(vec![
            change.name.clone(),
            duration(change.a_ns),
            duration(change.b_ns),
            format!("{:.2}", change.ratio()),
            format!("±{:.0} %", 200.0 * change.noise),
            format!("{:+.1} %", 100.0 * change.of_total),
            verdict.to_owned(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::compare;
    use crate::project::{WhatIf, project};
    use crate::sample::{planted_outlier, sample_profile};

    fn text_of(kind: Kind) -> String {
        let mut profile = sample_profile();
        profile.kind = kind;
        profile.projections = vec![project(&profile, 400, &WhatIf::default()).unwrap()];
        profile.report(ReportOptions::default()).to_text()
    }

    #[test]
    fn every_report_names_its_circumstances() {
        for kind in [
            Kind::Dsl,
            Kind::Batch,
            Kind::Framework,
            Kind::Pipeline,
            Kind::Lines,
        ] {
            let text = text_of(kind);
            for part in [
                "A made-up processor",
                "leyden 0.1.0",
                "hash 0f3c5d7e",
                "seed",
                "7.1 % of wall time",
            ] {
                assert!(text.contains(part), "{kind:?} lacks {part}: {text}");
            }
            assert!(text.contains("All sums add up"));
        }
    }

    #[test]
    fn each_kind_has_its_tables() {
        for (kind, parts) in [
            (
                Kind::Dsl,
                &["Primitives, by self time", "HIGH", "35× as fast"][..],
            ),
            (Kind::Batch, &["Slowest tasks", "consistent"]),
            (
                Kind::Framework,
                &[
                    "Top layers: execute",
                    "Repeated work",
                    "once a sample would do",
                ],
            ),
            (
                Kind::Pipeline,
                &[
                    "Projections",
                    "One-time costs",
                    "gain for effort",
                    "34 of 40 tasks",
                ],
            ),
            (Kind::Lines, &["Line #      Hits"]),
        ] {
            let text = text_of(kind);
            for part in parts {
                assert!(text.contains(part), "{kind:?} lacks {part}: {text}");
            }
        }
    }

    #[test]
    fn outliers_are_listed_and_the_tables_redone_without_them() {
        let (profile, place) = planted_outlier();
        let both = profile.report(ReportOptions::default()).to_text();
        assert!(both.contains("Primitives, without outliers"));
        assert!(both.contains(&profile.tasks[place].id));
        let options = ReportOptions {
            keep_outliers: true,
            ..ReportOptions::default()
        };
        let kept = profile.report(options).to_text();
        assert!(!kept.contains("without outliers"));
    }

    #[test]
    fn what_does_not_add_up_is_said() {
        let mut profile = sample_profile();
        profile.primitives[0].self_ns *= 2;
        let text = profile.report(ReportOptions::default()).to_text();
        assert!(
            text.contains("Does not add up: the primitives come to"),
            "{text}"
        );
    }

    #[test]
    fn markdown_has_the_same_tables() {
        let markdown = sample_profile()
            .report(ReportOptions::default())
            .to_markdown();
        assert!(markdown.starts_with("# Profile: 40 made-up tasks\n"));
        assert!(markdown.contains("| objects | 520 |"), "{markdown}");
    }

    #[test]
    fn a_comparison_reads_like_one() {
        let (slow, _) = planted_outlier();
        let report = compare(&sample_profile(), &slow).report(ReportOptions::default());
        let text = report.to_text();
        assert!(
            text.contains("Verdict: no difference beyond noise"),
            "{text}"
        );
        assert!(
            text.contains("Careful: only 40 of 41 tasks are in both."),
            "{text}"
        );
    }

    #[test]
    fn an_empty_profile_makes_a_report_too() {
        let mut profile = sample_profile();
        profile.primitives.clear();
        profile.tasks.clear();
        profile.stacks = Default::default();
        profile.layers.clear();
        profile.phases.clear();
        profile.lines.clear();
        profile.totals = Default::default();
        for kind in [
            Kind::Dsl,
            Kind::Batch,
            Kind::Framework,
            Kind::Pipeline,
            Kind::Lines,
        ] {
            profile.kind = kind;
            assert!(
                profile
                    .report(ReportOptions::default())
                    .to_text()
                    .contains("wall time")
            );
        }
    }
}
