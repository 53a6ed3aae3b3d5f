//! The results of a battery on a task, as a part holds them.

use leyden_exec::Counts;
use leyden_grid::TaskId;
use serde::{Deserialize, Serialize};

use super::{BatteryJob, Outcome, Scores};
use crate::pipeline::credit::{Closest, TaskScores};
use crate::pipeline::task_run::{Digest, FuelTaken, OutcomeKind, TaskRun, TaskShape};
use crate::report::numbers::{seconds, time_of};

/// The written form of a [`TaskRun`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BattResult {
    task: String,
    demos: usize,
    tests: usize,
    known_tests: usize,
    /// The different outcomes: a hash, and `grid`, `value` or the class of a fault.
    seen: Vec<(String, String)>,
    /// For each sample and each program, the index of its outcome.
    outputs: Vec<Vec<u32>>,
    right: Vec<Option<u32>>,
    /// For each program the sum of its fuel, the most on one sample, and that sample.
    fuel: Vec<(u64, u64, u32)>,
    /// For each program the number of samples that a device ran; empty without devices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    device_runs: Vec<u32>,
    credits: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    differ_scores: Vec<Vec<u32>>,
    closest: Option<Closest>,
    unscored: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    misranked: Vec<u32>,
    work: Work,
    score_work: Work,
    execute_s: f64,
    score_s: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Work {
    runs: u64,
    exact_runs: u64,
    nodes: u64,
    exact_nodes: u64,
    fuel: u64,
}

impl Outcome for BattResult {
    const COMMAND: &'static str = "batt";

    fn task(&self) -> &str {
        &self.task
    }

    fn timeless(&self) -> BattResult {
        BattResult {
            execute_s: 0.0,
            score_s: 0.0,
            ..self.clone()
        }
    }
}

impl From<&TaskRun> for BattResult {
    fn from(run: &TaskRun) -> BattResult {
        let seen = |outcome: &Digest| {
            let hash = format!("{:032x}", outcome.hash);
            (hash, outcome.kind.name().to_owned())
        };
        let fuel = |fuel: &FuelTaken| (fuel.sum, fuel.most, fuel.most_on);
        let scores = run.scores.clone().unwrap_or_default();
        BattResult {
            task: run.task.id.to_string(),
            demos: run.task.n_demos,
            tests: run.task.n_tests,
            known_tests: run.task.n_known_tests,
            seen: run.outcomes.iter().map(seen).collect(),
            outputs: (0..run.n_samples())
                .map(|k| run.picks(k).to_vec())
                .collect(),
            right: run.right.clone(),
            fuel: run.fuel.iter().map(fuel).collect(),
            device_runs: device_runs(&run.fuel),
            credits: scores.credits,
            differ_scores: scores.differ_scores,
            closest: scores.closest,
            unscored: scores.n_unscored,
            misranked: scores.n_misranked,
            work: run.counts.into(),
            score_work: scores.counts.into(),
            execute_s: seconds(run.cpu),
            score_s: seconds(scores.cpu),
        }
    }
}

fn device_runs(fuel: &[FuelTaken]) -> Vec<u32> {
    if fuel.iter().any(|fuel| fuel.n_on_device > 0) {
        fuel.iter().map(|fuel| fuel.n_on_device).collect()
    } else {
        Vec::new()
    }
}

/// The credit of a program that is right on `n_demos` demonstrations.
fn most_credit(job: &BatteryJob, n_demos: usize) -> u32 {
    let scales = job.scores.iter().flat_map(Scores::scales);
    let most: u32 = scales
        .map(|scale| scale.most())
        .fold(0, u32::saturating_add);
    most.saturating_mul(u32::try_from(n_demos).unwrap_or(u32::MAX))
}

impl From<Counts> for Work {
    fn from(counts: Counts) -> Work {
        Work {
            runs: counts.runs,
            exact_runs: counts.exact_runs,
            nodes: counts.nodes,
            exact_nodes: counts.exact_nodes,
            fuel: counts.fuel,
        }
    }
}

impl From<Work> for Counts {
    fn from(work: Work) -> Counts {
        Counts {
            runs: work.runs,
            exact_runs: work.exact_runs,
            nodes: work.nodes,
            exact_nodes: work.exact_nodes,
            fuel: work.fuel,
        }
    }
}

impl BattResult {
    /// Back to a run. An index that points nowhere is an error.
    pub(crate) fn into_run(self, job: &BatteryJob) -> Result<TaskRun, &'static str> {
        self.check(job)?;
        let seen = |(hash, kind): &(String, String)| {
            let hash = u128::from_str_radix(hash, 16).ok()?;
            let kind = OutcomeKind::named(kind)?;
            Some(Digest { hash, kind })
        };
        let outcomes: Option<Vec<Digest>> = self.seen.iter().map(seen).collect();
        let device_runs = self.device_runs.iter().copied();
        let device_runs = device_runs.chain(std::iter::repeat(0));
        let fuel = |((sum, most, most_on), n_on_device)| FuelTaken {
            sum,
            most,
            most_on,
            n_on_device,
        };
        let fuel: Vec<FuelTaken> = self
            .fuel
            .iter()
            .copied()
            .zip(device_runs)
            .map(fuel)
            .collect();
        let scores = job.scores.as_ref().map(|_| TaskScores {
            most_credit: most_credit(job, self.demos),
            credits: self.credits,
            differ_scores: self.differ_scores,
            n_misranked: self.misranked,
            closest: self.closest,
            n_unscored: self.unscored,
            counts: self.score_work.into(),
            cpu: time_of(self.score_s),
        });
        Ok(TaskRun {
            task: TaskShape {
                id: TaskId::new(self.task).map_err(|_| "a bad task id")?,
                n_demos: self.demos,
                n_tests: self.tests,
                n_known_tests: self.known_tests,
            },
            n_programs: job.members.len(),
            outcomes: outcomes.ok_or("a bad outcome")?,
            picks: self.outputs.into_iter().flatten().collect(),
            right: self.right,
            fuel,
            scores,
            counts: self.work.into(),
            cpu: time_of(self.execute_s),
            fault_lines: Vec::new(),
        })
    }

    fn check(&self, job: &BatteryJob) -> Result<(), &'static str> {
        let n_programs = job.members.len();
        let n_scores = job.scores.as_ref().map_or(0, |scores| scores.names.len());
        let n_credits = if job.scores.is_some() { n_programs } else { 0 };
        let scales = job.scores.iter().flat_map(Scores::scales);
        let n_differs = scales.filter(|scale| scale.over_input).count();
        let is_complete = |of_differ: &Vec<u32>| of_differ.len() == n_programs;
        let is_place = |place: &u32| (*place as usize) < self.seen.len();
        let is_row = |row: &Vec<u32>| row.len() == n_programs && row.iter().all(is_place);
        let closest = self.closest.as_ref();
        let sound = [
            (
                self.demos.checked_add(self.tests) == Some(self.outputs.len()),
                "samples",
            ),
            (self.known_tests <= self.tests, "known tests"),
            (self.outputs.iter().all(is_row), "outputs"),
            (self.right.len() == self.outputs.len(), "right outcomes"),
            (self.right.iter().flatten().all(is_place), "right outcomes"),
            (self.fuel.len() == n_programs, "fuel"),
            (
                self.device_runs.is_empty() || self.device_runs.len() == n_programs,
                "runs on devices",
            ),
            (self.credits.len() == n_credits, "credits"),
            (self.unscored.len() == n_scores, "scores"),
            (
                self.misranked.is_empty() || self.misranked.len() == n_scores,
                "ranks of scores",
            ),
            (
                self.differ_scores.len() == n_differs && self.differ_scores.iter().all(is_complete),
                "scores of differs",
            ),
            (
                closest.is_none_or(|it| it.program < n_programs),
                "the closest program",
            ),
        ];
        let mut unsound = sound.into_iter().filter(|(is_sound, _)| !is_sound);
        unsound.next().map_or(Ok(()), |(_, what)| Err(what))
    }
}
