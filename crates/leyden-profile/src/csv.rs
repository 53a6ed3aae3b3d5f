//! Tables for spreadsheets: csv with plain numbers, times in nanoseconds.

use crate::model::{Kind, Profile};
use crate::numbers::share;
use crate::stats::FACTORS;
use crate::table::Table;

/// A table that can be written as csv.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsvTable {
    /// A line for each primitive.
    Primitives,
    /// A line for each task.
    Tasks,
    /// A line for each sample.
    Samples,
    /// A line for each line of a program.
    Lines,
    /// A line for each layer.
    Layers,
    /// A line for each phase.
    Phases,
    /// A line for each projection.
    Projections,
}

impl CsvTable {
    /// All tables.
    pub const ALL: [CsvTable; 7] = [
        CsvTable::Primitives,
        CsvTable::Tasks,
        CsvTable::Samples,
        CsvTable::Lines,
        CsvTable::Layers,
        CsvTable::Phases,
        CsvTable::Projections,
    ];

    /// The name, which is fit for a file.
    pub const fn name(self) -> &'static str {
        match self {
            CsvTable::Primitives => "primitives",
            CsvTable::Tasks => "tasks",
            CsvTable::Samples => "samples",
            CsvTable::Lines => "lines",
            CsvTable::Layers => "layers",
            CsvTable::Phases => "phases",
            CsvTable::Projections => "projections",
        }
    }

    /// The table that a kind of profile is mainly about.
    pub const fn main_of(kind: Kind) -> Self {
        match kind {
            Kind::Dsl | Kind::Batch => CsvTable::Primitives,
            Kind::Framework => CsvTable::Layers,
            Kind::Pipeline => CsvTable::Phases,
            Kind::Lines => CsvTable::Lines,
        }
    }
}

impl Profile {
    /// Writes a table as csv: a head, then one line for each row, with plain numbers.
    pub fn to_csv(&self, table: CsvTable) -> String {
        let table = match table {
            CsvTable::Primitives => self.primitives_csv(),
            CsvTable::Tasks => self.tasks_csv(),
            CsvTable::Samples => self.samples_csv(),
            CsvTable::Lines => self.lines_csv(),
            CsvTable::Layers => self.layers_csv(),
            CsvTable::Phases => self.phases_csv(),
            CsvTable::Projections => self.projections_csv(),
        };
        table.to_csv()
    }

    fn primitives_csv(&self) -> Table {
        let gains = FACTORS.map(|factor| format!("gain_{factor}x"));
        let mut columns = vec![
            "primitive",
            "kind",
            "theme",
            "layer",
            "calls",
            "self_ns",
            "cumulative_ns",
            "share",
            "mean_ns",
            "median_ns",
            "p99_ns",
            "cells",
            "faults",
            "priority",
            "device",
            "expected_share",
            "tasks",
            "matters_in",
            "spread",
        ];
        columns.extend(gains.iter().map(String::as_str));
        let mut table = Table::new(&columns);
        for stats in self.primitive_stats() {
            let row = stats.row;
            let mut cells = vec![
                row.name.clone(),
                format!("{:?}", row.kind).to_lowercase(),
                row.theme.clone(),
                row.layer.name().to_owned(),
                row.calls.to_string(),
                row.self_ns.to_string(),
                row.cumulative_ns.to_string(),
                format!("{:.6}", stats.share),
                format!("{:.1}", stats.mean_ns),
                optional(stats.median_ns),
                optional(stats.p99_ns),
                row.cells.to_string(),
                row.faults.to_string(),
                stats.priority.name().to_owned(),
                row.device
                    .map_or(String::new(), |device| device.to_string()),
                row.expected_share
                    .map_or(String::new(), |share| share.to_string()),
                stats.n_tasks.to_string(),
                stats.n_matters.to_string(),
                stats.spread.name().to_owned(),
            ];
            cells.extend(stats.gains.map(|gain| format!("{gain:.4}")));
            table.row(cells);
        }
        table
    }

    fn tasks_csv(&self) -> Table {
        let mut table = Table::new(&[
            "task",
            "runs",
            "samples",
            "self_ns",
            "faults",
            "size_hint",
            "right",
            "outlier_z",
        ]);
        let outliers = self.outliers();
        for (k, task) in self.tasks.iter().enumerate() {
            let outlier = outliers.iter().find(|outlier| outlier.task == k);
            table.row(vec![
                task.id.clone(),
                task.runs.to_string(),
                task.samples.len().to_string(),
                task.self_ns.to_string(),
                task.faults.to_string(),
                task.size_hint.to_string(),
                task.right.map_or(String::new(), |right| right.to_string()),
                outlier.map_or(String::new(), |outlier| format!("{:.2}", outlier.z)),
            ]);
        }
        table
    }

    fn samples_csv(&self) -> Table {
        let mut table = Table::new(&[
            "task", "sample", "kind", "runs", "self_ns", "faults", "cells",
        ]);
        for task in &self.tasks {
            for (k, sample) in task.samples.iter().enumerate() {
                table.row(vec![
                    task.id.clone(),
                    k.to_string(),
                    if sample.is_test { "test" } else { "demo" }.to_owned(),
                    sample.runs.to_string(),
                    sample.self_ns.to_string(),
                    sample.faults.to_string(),
                    sample.cells.to_string(),
                ]);
            }
        }
        table
    }

    fn lines_csv(&self) -> Table {
        let mut table = Table::new(&[
            "source",
            "line",
            "hits",
            "time_ns",
            "faults",
            "shared_by",
            "text",
        ]);
        for line in &self.lines {
            let source = self.sources.get(line.source as usize);
            table.row(vec![
                source.map_or(String::new(), |source| source.name.clone()),
                line.line.to_string(),
                line.hits.to_string(),
                line.time_ns.to_string(),
                line.faults.to_string(),
                line.n_shared.max(line.shared_by.len() as u64).to_string(),
                line.text.clone(),
            ]);
        }
        table
    }

    fn layers_csv(&self) -> Table {
        let mut table = Table::new(&["layer", "self_ns", "share", "calls"]);
        for row in &self.layers {
            let part = share(row.self_ns as f64, self.totals.whole_ns as f64);
            table.row(vec![
                row.layer.name().to_owned(),
                row.self_ns.to_string(),
                format!("{part:.6}"),
                row.calls.to_string(),
            ]);
        }
        table
    }

    fn phases_csv(&self) -> Table {
        let mut table = Table::new(&[
            "phase",
            "self_ns",
            "wall_ns",
            "share",
            "scales_with",
            "units",
        ]);
        for row in &self.phases {
            let part = share(row.self_ns as f64, self.totals.whole_ns as f64);
            table.row(vec![
                row.phase.name().to_owned(),
                row.self_ns.to_string(),
                row.wall_ns.to_string(),
                format!("{part:.6}"),
                row.scales_with.name().to_owned(),
                row.units.to_string(),
            ]);
        }
        table
    }

    fn projections_csv(&self) -> Table {
        let mut table = Table::new(&[
            "tasks",
            "what_if",
            "ns",
            "low_ns",
            "high_ns",
            "once_ns",
            "without_outliers_ns",
        ]);
        for row in &self.projections {
            let whole = |ns: f64| format!("{ns:.0}");
            table.row(vec![
                row.n_tasks.to_string(),
                row.what_if.clone(),
                whole(row.estimate.ns),
                whole(row.estimate.low_ns),
                whole(row.estimate.high_ns),
                whole(row.once_ns),
                whole(row.without_outliers_ns),
            ]);
        }
        table
    }
}

fn optional(ns: Option<f64>) -> String {
    ns.map_or(String::new(), |ns| format!("{ns:.1}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample_profile;

    #[test]
    fn every_table_is_rectangular_and_adds_up() {
        let profile = sample_profile();
        for table in CsvTable::ALL {
            let text = profile.to_csv(table);
            assert!(text.ends_with("\r\n"), "{}", table.name());
        }
        let text = profile.to_csv(CsvTable::Primitives);
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().unwrap().split(',').collect();
        let self_ns = head.iter().position(|name| *name == "self_ns").unwrap();
        let of = |line: &str| {
            line.split(',')
                .nth(self_ns)
                .unwrap()
                .parse::<u64>()
                .unwrap()
        };
        assert_eq!(
            lines.clone().map(of).sum::<u64>(),
            profile.totals.execute_ns
        );
        assert!(lines.all(|line| line.split(',').count() == head.len()));
    }

    #[test]
    fn program_text_is_quoted() {
        let text = sample_profile().to_csv(CsvTable::Lines);
        assert!(text.contains("\"    x1 = objects(I, T, F, F)\""), "{text}");
    }
}
