//! Profiles as reports: text, Markdown and plain HTML.
//!
//! Every report opens with its verdict and a line of figures. Tables follow, and the circumstances
//! of the run come last.

mod compare;
mod tables;

use crate::advice::Advice;
use crate::lines::LineOptions;
use crate::model::{Kind, Profile};
use crate::numbers::{counted, duration, percent};
use crate::stats::{OUTLIER_Z, PrimitiveStats};
use crate::table::{Table, escape_html_in_markdown, visible};
use tables::{gains_table, primitives_table, spread_table};
pub use tables::{interval, projections_table};

/// The default number of rows of long tables.
const USUAL_TOP: usize = 20;

/// The choices of a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportOptions {
    /// The number of rows of long tables. Without it, tables have the usual number, and lines are
    /// all shown.
    pub top: Option<usize>,
    /// Whether to show only tables with outliers, and not also those without.
    pub keep_outliers: bool,
    /// Show only rows whose names contain one of these words; empty for all rows.
    pub search: Vec<String>,
    /// The order of lines.
    pub sort: LineSort,
}

/// The order in which lines of programs are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LineSort {
    /// As in the file.
    #[default]
    Line,
    /// Most time first.
    Time,
    /// Most hits first.
    Hits,
    /// Most time for each hit first.
    PerHit,
}

impl ReportOptions {
    fn top(&self) -> usize {
        self.top.unwrap_or(USUAL_TOP)
    }

    fn is_wanted(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let is_in = |word: &String| name.contains(&word.to_lowercase());
        self.search.is_empty() || self.search.iter().any(is_in)
    }

    /// The rows to show, and the share of the others.
    fn shown<'a, 'b>(&self, stats: &'a [PrimitiveStats<'b>]) -> (Vec<&'a PrimitiveStats<'b>>, f64) {
        let wanted = stats.iter().filter(|it| self.is_wanted(&it.row.name));
        let shown: Vec<_> = wanted.take(self.top()).collect();
        let all: f64 = stats.iter().map(|it| it.share).sum();
        let part: f64 = shown.iter().map(|it| it.share).sum();
        (shown, all - part)
    }
}

/// A part of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// The answer.
    Verdict(String),
    /// A title within the report.
    Heading(String),
    /// A sentence or two.
    Paragraph(String),
    /// A table.
    Table(Table),
    /// Text that must stay unchanged.
    Literal(String),
}

/// A title and blocks in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The title of the report.
    pub title: String,
    /// The blocks.
    pub blocks: Vec<Block>,
}

impl Report {
    fn heading(&mut self, text: &str) {
        self.blocks.push(Block::Heading(text.to_owned()));
    }

    fn paragraph(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    /// Adds a heading and a table, unless the table is empty.
    fn table(&mut self, heading: &str, table: Table) {
        self.table_with(heading, table, "");
    }

    /// Adds a table with a note below it.
    fn table_with(&mut self, heading: &str, table: Table, foot: &str) {
        if table.is_empty() {
            return;
        }
        self.heading(heading);
        self.blocks.push(Block::Table(table));
        if !foot.is_empty() {
            self.paragraph(foot);
        }
    }

    /// Writes the report for a terminal or a text file.
    pub fn to_text(&self) -> String {
        let rule = "═".repeat(self.title.chars().count());
        let blocks = self.blocks.iter().map(|block| match block {
            Block::Verdict(text) => format!("{text}\n\n"),
            Block::Heading(text) => format!("\n{text}\n\n"),
            Block::Paragraph(text) | Block::Literal(text) => format!("{}\n", text.trim_end()),
            Block::Table(table) => table.to_text(),
        });
        let text = format!("{}\n{rule}\n\n{}", self.title, blocks.collect::<String>());
        visible(&text).into_owned()
    }

    /// Writes the report as Markdown.
    pub fn to_markdown(&self) -> String {
        let blocks = self.blocks.iter().map(|block| match block {
            Block::Verdict(text) => format!("**{}**\n\n", escape_html_in_markdown(text)),
            Block::Heading(text) => format!("\n## {}\n\n", escape_html_in_markdown(text)),
            Block::Paragraph(text) => format!("{}\n\n", escape_html_in_markdown(text.trim_end())),
            Block::Literal(text) => format!(
                "```text\n{}\n```\n\n",
                visible(text.trim_end()).replace("```", "'''")
            ),
            Block::Table(table) => table.to_markdown() + "\n",
        });
        let title = escape_html_in_markdown(&self.title);
        format!("# {title}\n\n{}", blocks.collect::<String>())
    }
}

impl Profile {
    /// Makes the report that suits the kind of profile.
    pub fn report(&self, options: &ReportOptions) -> Report {
        let mut report = Report {
            title: format!("Profile: {}", self.title),
            ..Report::default()
        };
        let advice = self.advice();
        report
            .blocks
            .push(Block::Verdict(self.verdict_with(&advice)));
        self.add_figures(&mut report);
        report.table_with("Programs on the slow path", self.slow_table(), SLOW_FOOT);
        match self.kind {
            Kind::Dsl => self.add_primitives(&mut report, options),
            Kind::Batch => self.add_batch(&mut report, options),
            Kind::Framework => self.add_framework(&mut report, options),
            Kind::Pipeline => self.add_pipeline(&mut report),
            Kind::Lines => self.add_lines(&mut report, options),
        }
        self.add_advice(&mut report, &advice);
        self.add_futures(&mut report);
        self.add_device(&mut report);
        let notes = self.notes.iter();
        notes.for_each(|note| report.paragraph(format!("\nNote: {note}")));
        report.table("How this was measured", self.head_table());
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

    /// Adds the figures right below the verdict.
    fn add_figures(&self, report: &mut Report) {
        let totals = &self.totals;
        let mut figures = vec![
            counted(self.tasks.len() as u64, "task"),
            counted(totals.runs, "run"),
            format!("execute time {}", duration(totals.execute_ns as f64)),
            format!("whole run {}", duration(totals.whole_ns as f64)),
        ];
        let right = self.accuracy.iter();
        figures.extend(right.map(|row| format!("{} of {} {} right", row.right, row.of, row.what)));
        report.paragraph(figures.join(", ") + ".");
        let wrong = self.check();
        if wrong.is_empty() {
            report.paragraph("All sums add up within 2 %.");
        }
        for mismatch in wrong {
            report.paragraph(format!("Does not add up: {mismatch}."));
        }
    }

    fn add_primitives(&self, report: &mut Report, options: &ReportOptions) {
        let stats = self.primitive_stats();
        let (shown, rest) = options.shown(&stats);
        let foot = match stats.len() - shown.len() {
            0 => String::new(),
            more => {
                let rows = counted(more as u64, "row");
                format!("{rows} not shown, together {}.", percent(rest))
            }
        };
        report.table_with(
            "Primitives, by self time: 100 % is the execute time",
            primitives_table(&shown),
            &foot,
        );
        report.table(
            "How much faster execution becomes if one primitive does",
            gains_table(&shown),
        );
        report.table(
            "Execute time by category: themes of primitives, and the engine around them",
            self.categories_table(),
        );
    }

    fn add_batch(&self, report: &mut Report, options: &ReportOptions) {
        self.add_primitives(report, options);
        let stats = self.primitive_stats();
        let (shown, _) = options.shown(&stats);
        report.table(
            "In how many tasks a primitive matters",
            spread_table(&shown, self.tasks.len()),
        );
        report.table("Slowest tasks", self.tasks_table(options.top().min(10)));
        report.table_with(
            "Outliers",
            self.outliers_table(),
            &format!(
                "A task is an outlier if the logarithm of its time is more than {OUTLIER_Z} \
                 robust deviations (median, MAD) above the median."
            ),
        );
        if let (false, Some(rest)) = (options.keep_outliers, self.without_outliers()) {
            let stats = rest.primitive_stats();
            let (shown, _) = options.shown(&stats);
            report.table("Primitives, without outliers", primitives_table(&shown));
        }
    }

    fn add_framework(&self, report: &mut Report, options: &ReportOptions) {
        report.table("Layers: 100 % is the whole run", self.layers_table());
        report.table(
            "Execute time by category: themes of primitives, and the engine around them",
            self.categories_table(),
        );
        report.table("Repeated work", self.repeats_table());
        let stats = self.primitive_stats();
        let (shown, _) = options.shown(&stats);
        report.table(
            "Primitives, by self time: 100 % is the execute time",
            primitives_table(&shown),
        );
    }

    fn add_pipeline(&self, report: &mut Report) {
        report.table("Phases: 100 % is the whole run", self.phases_table());
        report.table("One-time costs", self.one_time_table());
        report.table("Repeated work", self.repeats_table());
    }

    fn add_lines(&self, report: &mut Report, options: &ReportOptions) {
        report.table(
            "Lines that take most",
            self.top_lines_table(options.top.unwrap_or(10).min(10)),
        );
        report.heading("Lines");
        report
            .blocks
            .push(Block::Literal(self.lines_text(LineOptions {
                top: options.top.unwrap_or(usize::MAX),
                sort: options.sort,
            })));
    }

    fn add_advice(&self, report: &mut Report, advice: &Advice) {
        let foot = format!(
            "Shares refer to the work that every task repeats{} ({}), without one-time \
             costs{}. {}",
            match self.kind {
                Kind::Dsl | Kind::Batch | Kind::Lines => " in the execute time",
                Kind::Framework | Kind::Pipeline => "",
            },
            duration(advice.recurring_ns as f64),
            match advice.outliers.len() {
                0 => String::new(),
                n => format!(" and {}", counted(n as u64, "outlier")),
            },
            advice.judged
        );
        report.table_with("First steps", tables::steps_table(advice), &foot);
        report.table_with(
            "The most that all primitives of a priority can save",
            tables::combined_table(advice),
            "As if these primitives took no time at all.",
        );
    }

    /// Adds imagined, projected and planned runs.
    fn add_futures(&self, report: &mut Report) {
        report.table("Imagined speedups", self.what_ifs_table());
        report.table_with(
            "Projections",
            projections_table(&self.projections),
            &self.cap_sentence(),
        );
        report.table("Budgets", self.budgets_table());
    }
}

const SLOW_FOOT: &str = "The reference engine runs the programs about which the fast one is not \
    sure. No other change helps as much: on the fast engine such a program is that many times as fast.";

#[cfg(test)]
mod tests;
