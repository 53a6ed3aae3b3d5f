//! Comparisons as reports.

use super::{Block, Report, ReportOptions};
use crate::compare::{Change, Comparison, Verdict};
use crate::numbers::{counted, duration};
use crate::table::Table;

impl Comparison {
    /// Makes a report of the comparison.
    pub fn report(&self, options: &ReportOptions) -> Report {
        let mut report = Report {
            title: format!("A ({}) against B ({})", self.a, self.b),
            ..Report::default()
        };
        let verdict = format!("Verdict: {}.", self.sentence());
        report.blocks.push(Block::Verdict(verdict));
        let common = counted(self.n_tasks as u64, "task");
        report.paragraph(format!(
            "A is {}, B is {}; {common} in common.",
            self.a, self.b
        ));
        for warning in &self.warnings {
            report.paragraph(format!("Careful: {warning}."));
        }
        report.table(
            "The whole",
            changes_table(std::slice::from_ref(&self.total)),
        );
        let wanted = |changes: &[Change]| -> Vec<Change> {
            let wanted = changes.iter().filter(|it| options.is_wanted(&it.name));
            wanted.take(options.top()).cloned().collect()
        };
        report.table("Primitives", changes_table(&wanted(&self.primitives)));
        report.table("Layers", changes_table(&self.layers));
        report.table("Tasks that moved", changes_table(&wanted(&self.tasks)));
        report
    }
}

fn changes_table(changes: &[Change]) -> Table {
    let mut table = Table::new(&[
        "what",
        ">A",
        ">B",
        ">B / A",
        "verdict",
        ">of total",
        ">noise",
    ]);
    for change in changes {
        let is_in_both = change.a_ns > 0.0 && change.b_ns > 0.0;
        let in_both = |text: String| if is_in_both { text } else { String::new() };
        let time = |ns: f64| {
            if ns > 0.0 {
                duration(ns)
            } else {
                "absent".to_owned()
            }
        };
        table.row(vec![
            change.name.clone(),
            time(change.a_ns),
            time(change.b_ns),
            in_both(format!("{:.2}", change.ratio())),
            match change.verdict {
                Verdict::Same => "",
                verdict => verdict.name(),
            }
            .to_owned(),
            format!("{:+.1} %", 100.0 * change.of_total),
            in_both(format!("±{:.0} %", 100.0 * change.allowed)),
        ]);
    }
    table
}
