//! Checks that the numbers of a profile add up.

use std::fmt;

use crate::model::{Layer, Profile, Totals};
use crate::numbers::{share, sum};

/// The largest allowed difference between parts and their whole, as a share of the whole.
pub const TOLERANCE: f64 = 0.02;
/// A smaller difference (10 µs) comes from the clock.
const SLACK_NS: f64 = 10_000.0;

/// A sum that differs from its whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// A name for the parts.
    pub parts: String,
    /// A name for the whole.
    pub whole: String,
    /// The sum of the parts.
    pub parts_ns: u64,
    /// The whole.
    pub whole_ns: u64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * share(self.parts_ns as f64, self.whole_ns as f64);
        write!(
            f,
            "{} come to {} ns, which is {percent:.1} % of {} ({} ns)",
            self.parts, self.parts_ns, self.whole, self.whole_ns
        )
    }
}

/// The mismatches found so far.
struct Checks(Vec<Mismatch>);

impl Checks {
    fn equal(&mut self, parts: &str, parts_ns: u64, whole: &str, whole_ns: u64) {
        self.within(parts, parts_ns, whole, whole_ns, whole_ns);
    }

    /// Notes a mismatch if the parts are off by more than a share of `scale_ns`.
    fn within(&mut self, parts: &str, parts_ns: u64, whole: &str, whole_ns: u64, scale_ns: u64) {
        let allowed = (TOLERANCE * scale_ns as f64).max(SLACK_NS);
        if parts_ns.abs_diff(whole_ns) as f64 > allowed {
            self.add(parts, parts_ns, whole, whole_ns);
        }
    }

    fn at_most(&mut self, parts: &str, parts_ns: u64, whole: &str, whole_ns: u64) {
        if parts_ns > whole_ns {
            self.equal(parts, parts_ns, whole, whole_ns);
        }
    }

    fn add(&mut self, parts: &str, parts_ns: u64, whole: &str, whole_ns: u64) {
        self.0.push(Mismatch {
            parts: parts.to_owned(),
            whole: whole.to_owned(),
            parts_ns,
            whole_ns,
        });
    }
}

impl Profile {
    /// Checks that self times add up to their wholes, within [`TOLERANCE`]. Empty tables are
    /// skipped. Returns the sums that are wrong.
    pub fn check(&self) -> Vec<Mismatch> {
        let mut checks = Checks(Vec::new());
        self.check_whole(&mut checks);
        self.check_primitives(&mut checks);
        self.check_tasks(&mut checks);
        self.check_tasks_against_rows(&mut checks);
        self.check_lines(&mut checks);
        self.check_slow_path(&mut checks);
        self.check_device(&mut checks);
        checks.0
    }

    fn check_whole(&self, checks: &mut Checks) {
        let Totals {
            wall_ns, whole_ns, ..
        } = self.totals;
        if self.setting.jobs == 1 {
            checks.equal("all work", whole_ns, "the wall time", wall_ns);
        }
        if !self.layers.is_empty() {
            let layers = sum(self.layers.iter().map(|row| row.self_ns));
            checks.equal("the layers", layers, "all work", whole_ns);
        }
        if !self.phases.is_empty() {
            let phases = sum(self.phases.iter().map(|row| row.self_ns));
            checks.equal("the phases", phases, "all work", whole_ns);
            self.check_phases(checks);
        }
        if !self.stacks.paths.is_empty() {
            let paths = sum(self.stacks.paths.iter().map(|path| path.self_ns));
            checks.equal("the stacks", paths, "all work", whole_ns);
        }
    }

    fn check_device(&self, checks: &mut Checks) {
        let Some(device) = &self.device else {
            return;
        };
        let parts = sum([device.transfer_ns, device.kernel_ns, device.idle_ns]);
        let execute = self.phases.iter().filter(|row| row.phase.is_execution());
        let wall = sum(execute.map(|row| row.wall_ns));
        checks.equal(
            "the device's times",
            parts,
            "phase execute by the wall clock",
            wall,
        );
    }

    fn check_phases(&self, checks: &mut Checks) {
        for row in &self.phases {
            let of_phase = |cost: &&crate::model::OneTimeCost| cost.phase == row.phase;
            let once = sum(self.one_time.iter().filter(of_phase).map(|c| c.self_ns));
            let name = row.phase.name();
            checks.at_most("one-time costs", once, name, row.self_ns);
        }
        let execute = self.phases.iter().filter(|row| row.phase.is_execution());
        let execute = sum(execute.map(|row| row.self_ns));
        checks.equal(
            "phase execute",
            execute,
            "execute time",
            self.totals.execute_ns,
        );
    }

    fn check_primitives(&self, checks: &mut Checks) {
        if self.primitives.is_empty() {
            return;
        }
        let execute_ns = self.totals.execute_ns;
        let rows = sum(self.primitives.iter().map(|row| row.self_ns));
        checks.equal("the primitives", rows, "execute time", execute_ns);
        for row in &self.primitives {
            checks.at_most(
                &row.name,
                row.self_ns,
                "its cumulative time",
                row.cumulative_ns,
            );
            checks.at_most(&row.name, row.cumulative_ns, "execute time", execute_ns);
        }
        for row in &self.layers {
            let in_layer = sum(self.rows_of(row.layer).map(|row| row.self_ns));
            let parts = format!("the rows of layer {}", row.layer.name());
            checks.at_most(&parts, in_layer, "the layer", row.self_ns);
        }
    }

    fn rows_of(&self, layer: Layer) -> impl Iterator<Item = &crate::model::PrimitiveRow> {
        self.primitives.iter().filter(move |row| row.layer == layer)
    }

    fn check_tasks(&self, checks: &mut Checks) {
        if self.tasks.is_empty() {
            return;
        }
        let tasks = sum(self.tasks.iter().map(|task| task.self_ns));
        let all = tasks.saturating_add(self.totals.outside_tasks_ns);
        let execute_ns = self.totals.execute_ns;
        checks.equal("the tasks", all, "execute time", execute_ns);
        for task in &self.tasks {
            let samples = sum(task.samples.iter().map(|sample| sample.self_ns));
            let samples_of = format!("the samples of {}", task.id);
            checks.at_most(&samples_of, samples, "the task", task.self_ns);
            if !task.primitives.is_empty() {
                let parts = sum(task.primitives.iter().map(|part| part.self_ns));
                let parts_of = format!("the primitives of {}", task.id);
                checks.equal(&parts_of, parts, "the task", task.self_ns);
            }
        }
    }

    /// Compares the primitives' times in tasks with the rows, which also have work outside tasks.
    fn check_tasks_against_rows(&self, checks: &mut Checks) {
        if self.tasks.iter().all(|task| task.primitives.is_empty()) {
            return;
        }
        let mut by_row = vec![0_u64; self.primitives.len()];
        for part in self.tasks.iter().flat_map(|task| &task.primitives) {
            if let Some(ns) = by_row.get_mut(part.row as usize) {
                *ns = ns.saturating_add(part.self_ns);
            }
        }
        let Totals {
            execute_ns,
            outside_tasks_ns,
            ..
        } = self.totals;
        for (row, ns) in self.primitives.iter().zip(by_row) {
            let parts = format!("{} over all tasks", row.name);
            let nearest = row.self_ns.clamp(ns, ns.saturating_add(outside_tasks_ns));
            checks.within(&parts, nearest, "its row", row.self_ns, execute_ns);
        }
    }

    /// Checks lines against the execute time. The time outside lines, the lines and the whole are
    /// measured independently.
    fn check_lines(&self, checks: &mut Checks) {
        if self.lines.is_empty() {
            return;
        }
        let Totals {
            execute_ns,
            outside_lines_ns,
            ..
        } = self.totals;
        let lines = sum(self.lines.iter().map(|line| line.time_ns));
        let all = lines.saturating_add(outside_lines_ns);
        let parts = "the lines and what is around them";
        checks.equal(parts, all, "execute time", execute_ns);
        let slow = sum(self.lines.iter().map(|line| line.reference_ns));
        let (parts, whole) = ("lines on the reference engine", self.totals.reference_ns);
        checks.at_most(parts, slow, "its time", whole);
    }

    fn check_slow_path(&self, checks: &mut Checks) {
        let Totals {
            execute_ns,
            reference_ns,
            ..
        } = self.totals;
        let slow = sum(self.slow_path.iter().map(|it| it.time_ns));
        checks.equal("the slow path", slow, "the reference engine", reference_ns);
        checks.at_most(
            "the reference engine",
            reference_ns,
            "execute time",
            execute_ns,
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::sample::sample_profile;

    #[test]
    fn a_sound_profile_adds_up() {
        assert_eq!(sample_profile().check(), []);
    }

    type Spoil = fn(&mut crate::Profile);

    #[test]
    fn every_sum_is_looked_at() {
        let complaint = |spoil: Spoil| {
            let mut profile = sample_profile();
            spoil(&mut profile);
            let found = profile.check();
            assert!(!found.is_empty());
            found[0].to_string()
        };
        let much = 900_000_000;
        let cases: [(Spoil, &str); 12] = [
            (|p| p.totals.wall_ns *= 2, "all work come to"),
            (|p| p.layers[0].self_ns += 900_000_000, "the layers"),
            (|p| p.phases[0].self_ns += 900_000_000, "the phases"),
            (|p| p.stacks.paths[0].self_ns += 900_000_000, "the stacks"),
            (|p| p.one_time[0].self_ns += 900_000_000, "one-time costs"),
            (|p| p.primitives[0].self_ns *= 3, "the primitives"),
            (|p| p.tasks[0].self_ns += 900_000_000, "the tasks"),
            (
                |p| p.tasks[0].primitives[0].self_ns += 900_000_000,
                "the primitives of",
            ),
            (|p| p.lines[0].time_ns += 900_000_000, "the lines"),
            (|p| p.lines[1].time_ns /= 2, "the lines and what is around"),
            (|p| p.totals.reference_ns += 1_000_000, "the slow path"),
            (|p| p.lines[1].reference_ns = p.lines[1].time_ns, "lines on"),
        ];
        assert!(sample_profile().totals.whole_ns < much);
        for (spoil, expected) in cases {
            let said = complaint(spoil);
            assert!(said.starts_with(expected), "{said}");
        }
    }

    #[test]
    fn two_percent_are_let_pass_and_three_are_not() {
        let mut profile = sample_profile();
        let execute = profile.totals.execute_ns;
        profile.primitives[0].cumulative_ns += execute / 33;
        profile.primitives[0].self_ns += execute / 66;
        assert!(!profile.check().iter().any(|m| m.parts == "the primitives"));
        profile.primitives[0].self_ns += execute / 66;
        assert!(profile.check().iter().any(|m| m.parts == "the primitives"));
    }
}
