//! Tables of a device's work.

use crate::model::{BatchRow, DeviceUse};
use crate::numbers::{count, counted, duration, percent, share, sum};
use crate::table::Table;

impl DeviceUse {
    /// The device's times by name. They add up to the execute phase.
    pub fn times(&self) -> [(&'static str, u64); 3] {
        [
            ("transfer", self.transfer_ns),
            ("kernel", self.kernel_ns),
            ("idle", self.idle_ns),
        ]
    }

    fn whole_ns(&self) -> u64 {
        sum(self.times().map(|(_, ns)| ns))
    }

    /// The share of the time in which the device ran programs.
    pub fn utilisation(&self) -> f64 {
        share(self.kernel_ns as f64, self.whole_ns() as f64)
    }

    pub(crate) fn times_table(&self) -> Table {
        let mut table = Table::new(&["device", ">time", ">share"]);
        for (name, ns) in self.times() {
            let ns = ns as f64;
            let part = percent(share(ns, self.whole_ns() as f64));
            table.row(vec![name.to_owned(), duration(ns), part]);
        }
        table
    }

    pub(crate) fn in_words(&self) -> String {
        format!(
            "{} answered {} of {} and worked for {} of the execute phase.",
            self.name,
            count(self.answered),
            counted(self.asked, "run"),
            percent(self.utilisation())
        )
    }

    pub(crate) fn batches_table(&self) -> Table {
        let mut table = Table::new(&[
            ">runs in a batch",
            ">per run",
            ">transfer",
            ">host",
            ">utilisation",
        ]);
        for row in &self.batches {
            table.row(in_cells(row));
        }
        table
    }
}

fn in_cells(row: &BatchRow) -> Vec<String> {
    let wall = row.wall_ns as f64;
    let host = row.wall_ns.saturating_sub(row.transfer_ns + row.kernel_ns);
    vec![
        count(row.runs),
        duration(share(wall, row.runs as f64)),
        percent(share(row.transfer_ns as f64, wall)),
        percent(share(host as f64, wall)),
        percent(share(row.kernel_ns as f64, wall)),
    ]
}

#[cfg(test)]
mod tests {
    use crate::model::{BatchRow, DeviceUse, Kind, Phase};
    use crate::report::ReportOptions;
    use crate::sample::sample_profile;

    fn used(kernel_ns: u64, idle_ns: u64) -> DeviceUse {
        DeviceUse {
            name: "opencl: some device".to_owned(),
            answered: 900,
            asked: 1_000,
            transfer_ns: 1_000,
            kernel_ns,
            idle_ns,
            batches: vec![BatchRow {
                runs: 10,
                wall_ns: 4_000,
                transfer_ns: 1_000,
                kernel_ns: 2_000,
            }],
        }
    }

    #[test]
    fn reports_have_the_device_and_the_effect_of_batch_size_in_rows_of_their_own() {
        let mut profile = sample_profile();
        let execute = profile.phases.iter().find(|it| it.phase == Phase::Execute);
        let wall = execute.unwrap().wall_ns;
        profile.device = Some(used(wall / 4, wall - wall / 4 - 1_000));
        for kind in [Kind::Framework, Kind::Pipeline, Kind::Batch, Kind::Dsl] {
            profile.kind = kind;
            let text = profile.report(&ReportOptions::default()).to_text();
            for part in ["transfer", "kernel", "idle", "25.0 %", "runs in a batch"] {
                assert!(text.contains(part), "{kind:?} lacks {part}: {text}");
            }
            assert!(text.contains("900 of 1,000 runs"), "{text}");
            assert!(text.contains("All sums add up"), "{text}");
        }
    }

    #[test]
    fn times_that_do_not_add_up_are_found() {
        let mut profile = sample_profile();
        profile.device = Some(used(5, 5));
        let wrong = profile.check();
        assert_eq!(wrong.len(), 1, "{wrong:?}");
        assert!(wrong[0].parts.contains("device"));
    }
}
