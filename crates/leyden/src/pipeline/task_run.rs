//! [`TaskRun`]: the results of programs on the samples of a task. It keeps hashes of outcomes and
//! verdicts, not the outcomes.

use std::time::Duration;

use leyden_dsl::fault::Fault;
use leyden_exec::{Counts, Outcome};
use leyden_grid::{Grid, Task, TaskId};
use rustc_hash::FxHashMap;

use super::credit::TaskScores;
use super::sample::{PairName, Sample};
use super::source::Told;

/// The kind of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeKind {
    /// A grid.
    Grid,
    /// Some other value.
    Value,
    /// No output.
    Fault(Fault),
}

impl OutcomeKind {
    fn of(outcome: &Outcome) -> OutcomeKind {
        match outcome {
            Outcome::Grid(_) => OutcomeKind::Grid,
            Outcome::Value(_) => OutcomeKind::Value,
            Outcome::Fault { fault, .. } => OutcomeKind::Fault(*fault),
        }
    }

    /// Its name in files: `grid`, `value`, or the class of the fault.
    pub fn name(self) -> &'static str {
        match self {
            OutcomeKind::Grid => "grid",
            OutcomeKind::Value => "value",
            OutcomeKind::Fault(fault) => fault.name(),
        }
    }

    /// The kind with a name.
    pub(crate) fn named(name: &str) -> Option<OutcomeKind> {
        let faults = Fault::ALL.into_iter().map(OutcomeKind::Fault);
        let mut all = [OutcomeKind::Grid, OutcomeKind::Value]
            .into_iter()
            .chain(faults);
        all.find(|kind| kind.name() == name)
    }

    /// Did the run end without an output?
    pub(crate) fn is_fault(self) -> bool {
        matches!(self, OutcomeKind::Fault(_))
    }
}

/// An outcome without its content.
#[derive(Clone, Copy, Debug)]
pub struct Digest {
    /// The hash of the content.
    pub hash: u128,
    /// Its kind.
    pub kind: OutcomeKind,
}

/// The fuel that a program took on the samples of a task, as far as it ran on the CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FuelTaken {
    /// On all of them.
    pub sum: u64,
    /// On the sample that took most.
    pub most: u64,
    /// The first sample on which it took most.
    pub most_on: u32,
    /// The number of samples that a device ran, whose fuel is not counted.
    pub n_on_device: u32,
}

impl FuelTaken {
    fn add(&mut self, sample: usize, fuel: Option<u64>) {
        let Some(fuel) = fuel else {
            self.n_on_device += 1;
            return;
        };
        self.sum = self.sum.saturating_add(fuel);
        if fuel > self.most {
            self.most = fuel;
            self.most_on = sample as u32;
        }
    }
}

/// The facts about a task that reports need.
#[derive(Clone, Debug)]
pub struct TaskShape {
    /// Which task it is.
    pub id: TaskId,
    /// How many demonstrations it has.
    pub n_demos: usize,
    /// How many tests it has.
    pub n_tests: usize,
    /// The tests whose outputs are known.
    pub n_known_tests: usize,
}

impl TaskShape {
    fn of(task: &Task) -> TaskShape {
        let known = task.tests.iter().filter(|test| test.output.is_some());
        TaskShape {
            id: task.id.clone(),
            n_demos: task.demos.len(),
            n_tests: task.tests.len(),
            n_known_tests: known.count(),
        }
    }

    /// The name of a sample.
    pub(crate) fn pair_name(&self, sample: usize) -> PairName {
        PairName::of(sample, self.n_demos)
    }
}

/// The line on which a program ended without an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultLine {
    pub(crate) sample: usize,
    pub(crate) program: usize,
    /// Counted from 0 in the program.
    pub(crate) line: u32,
}

/// The results of a group's programs on all samples of a task, demonstrations first.
#[derive(Clone, Debug)]
pub struct TaskRun {
    /// The task.
    pub task: TaskShape,
    /// How many programs ran.
    pub n_programs: usize,
    /// The different outcomes, in the order in which they came.
    pub outcomes: Vec<Digest>,
    /// For each sample and each program, the index of its outcome.
    pub picks: Vec<u32>,
    /// For each sample the index of the right outcome, if a program had it.
    pub right: Vec<Option<u32>>,
    /// The fuel of each program.
    pub fuel: Vec<FuelTaken>,
    /// The scores of the outcomes, if there were scoring programs.
    pub scores: Option<TaskScores>,
    /// The work.
    pub counts: Counts,
    /// The processor time.
    pub cpu: Duration,
    /// The lines where programs faulted, if the plan knows their files.
    pub(crate) fault_lines: Vec<FaultLine>,
}

/// How many samples a program got right, demonstrations and tests apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hits {
    pub(crate) n_demos: usize,
    pub(crate) n_tests: usize,
}

impl TaskRun {
    pub(crate) fn n_samples(&self) -> usize {
        self.right.len()
    }

    /// The outcomes of all programs on a sample.
    pub(crate) fn picks(&self, sample: usize) -> &[u32] {
        &self.picks[sample * self.n_programs..][..self.n_programs]
    }

    /// The outcome of a program on a sample.
    pub(crate) fn outcome(&self, sample: usize, program: usize) -> Digest {
        self.outcomes[self.picks(sample)[program] as usize]
    }

    pub(crate) fn is_right(&self, sample: usize, program: usize) -> bool {
        self.right[sample] == Some(self.picks(sample)[program])
    }

    pub(crate) fn hits(&self, program: usize) -> Hits {
        let is_right = |sample: &usize| self.is_right(*sample, program);
        let n_demos = self.task.n_demos;
        Hits {
            n_demos: (0..n_demos).filter(is_right).count(),
            n_tests: (n_demos..self.n_samples()).filter(is_right).count(),
        }
    }

    /// Are all demonstrations right?
    pub(crate) fn fits(&self, program: usize) -> bool {
        let n_demos = self.task.n_demos;
        n_demos > 0 && self.hits(program).n_demos == n_demos
    }

    /// Are all demonstrations and all known test outputs right?
    pub(crate) fn solves(&self, program: usize) -> bool {
        let expected = Hits {
            n_demos: self.task.n_demos,
            n_tests: self.task.n_known_tests,
        };
        expected != Hits::default() && self.hits(program) == expected
    }

    /// The outcomes of a program on all samples.
    pub(crate) fn outcomes_of(&self, program: usize) -> impl Iterator<Item = Digest> {
        (0..self.n_samples()).map(move |sample| self.outcome(sample, program))
    }

    /// The line on which a program faulted on a sample, counted from 0; 0 if lines are not kept.
    pub(crate) fn fault_line(&self, sample: usize, program: usize) -> u32 {
        let lines = &self.fault_lines;
        let place = lines.binary_search_by_key(&(sample, program), |it| (it.sample, it.program));
        place.map_or(0, |place| lines[place].line)
    }

    /// How many programs faulted on a sample.
    pub(crate) fn n_faults(&self, sample: usize) -> usize {
        let is_fault = |pick: &&u32| self.outcomes[**pick as usize].kind.is_fault();
        self.picks(sample).iter().filter(is_fault).count()
    }
}

/// A grid that a program gave for a demonstration, and the index of that outcome.
pub(super) type Candidate = (u32, Grid);

/// The further facts to keep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeps {
    Nothing,
    /// The lines of faults, for reports that show them.
    FaultLines,
    /// The grids for demonstrations, for scoring programs.
    Candidates,
}

/// Takes outcomes as they come.
pub(super) struct Collector<'s> {
    samples: &'s [Sample<'s>],
    keeps: Keeps,
    numbers: FxHashMap<u128, u32>,
    outcomes: Vec<Digest>,
    /// For each outcome the last sample, counted from 1, that had it.
    last_on: Vec<usize>,
    picks: Vec<u32>,
    right: Vec<Option<u32>>,
    fuel: Vec<FuelTaken>,
    fault_lines: Vec<FaultLine>,
    /// For each demonstration the different grids.
    candidates: Vec<Vec<Candidate>>,
}

impl<'s> Collector<'s> {
    pub(super) fn new(samples: &'s [Sample<'s>], n_programs: usize, keeps: Keeps) -> Collector<'s> {
        let n_demos = samples.iter().filter(|sample| sample.is_demo).count();
        Collector {
            samples,
            keeps,
            numbers: FxHashMap::default(),
            outcomes: Vec::new(),
            last_on: Vec::new(),
            picks: Vec::with_capacity(samples.len() * n_programs),
            right: vec![None; samples.len()],
            fuel: vec![FuelTaken::default(); n_programs],
            fault_lines: Vec::new(),
            candidates: vec![Vec::new(); n_demos],
        }
    }

    /// Takes an outcome. Outcomes come sample by sample, program by program.
    pub(super) fn take(&mut self, sample: usize, program: usize, told: Told) {
        let Told { outcome, fuel } = told;
        self.fuel[program].add(sample, fuel);
        let number = self.number_of(&outcome);
        self.picks.push(number);
        if let Outcome::Fault { line, .. } = outcome
            && self.keeps == Keeps::FaultLines
        {
            self.fault_lines.push(FaultLine {
                sample,
                program,
                line,
            });
        }
        let last_on = std::mem::replace(&mut self.last_on[number as usize], sample + 1);
        if last_on != sample + 1 {
            self.look_at(sample, number, outcome);
        }
    }

    /// Takes an outcome that is new on this sample.
    fn look_at(&mut self, sample: usize, number: u32, outcome: Outcome) {
        let Sample {
            output, is_demo, ..
        } = self.samples[sample];
        if output.is_some_and(|expected| outcome.equals(expected)) {
            self.right[sample] = Some(number);
        }
        if let Outcome::Grid(grid) = outcome
            && is_demo
            && self.keeps == Keeps::Candidates
        {
            let grid = grid.to_grid().map(|grid| (number, grid));
            self.candidates[sample].extend(grid);
        }
    }

    fn number_of(&mut self, outcome: &Outcome) -> u32 {
        let hash = outcome.content_hash();
        *self.numbers.entry(hash).or_insert_with(|| {
            let kind = OutcomeKind::of(outcome);
            self.outcomes.push(Digest { hash, kind });
            self.last_on.push(0);
            self.outcomes.len() as u32 - 1
        })
    }

    /// The finished run, and the candidates for each demonstration.
    pub(super) fn finish(
        self,
        task: &Task,
        counts: Counts,
        cpu: Duration,
    ) -> (TaskRun, Vec<Vec<Candidate>>) {
        let run = TaskRun {
            task: TaskShape::of(task),
            n_programs: self.fuel.len(),
            outcomes: self.outcomes,
            picks: self.picks,
            right: self.right,
            fuel: self.fuel,
            scores: None,
            counts,
            cpu,
            fault_lines: self.fault_lines,
        };
        (run, self.candidates)
    }
}
