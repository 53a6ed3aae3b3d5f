//! The sources of outcomes: devices may answer first, and this processor runs the rest.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use leyden_exec::{Answered, Asked, Loaded, Outcome, Ran};
use leyden_lang::{Battery, Rules};

use super::generate::Plan;
use super::sample::samples;
use crate::devices::Devices;

/// The source that answers before the CPU runs the rest.
pub(crate) enum OutcomeSource {
    /// None: all programs run on the CPU.
    Cpu,
    /// Devices, asked about a few tasks at a time.
    Devices(OnDevices),
    /// Answers of devices that were asked about all tasks beforehand: for each task, for each
    /// sample.
    Asked(Vec<Vec<Answered>>),
}

/// A plan's programs on devices.
pub(crate) struct OnDevices {
    loaded: Box<dyn Loaded>,
    /// For each task, the range of its programs among all programs.
    places: Vec<Range<usize>>,
}

impl OutcomeSource {
    /// Brings a plan's programs to devices, as far as devices can run them.
    pub(crate) fn of(
        devices: Option<&Devices>,
        plan: &Plan<'_>,
        fuel: u64,
        rules: Rules,
    ) -> OutcomeSource {
        let Some(devices) = devices else {
            return OutcomeSource::Cpu;
        };
        OutcomeSource::on(devices, plan.as_one_battery(rules), fuel)
    }

    /// Brings a battery to devices. `places` has the range of each task's programs.
    pub(crate) fn on(
        devices: &Devices,
        (battery, places): (Battery, Vec<Range<usize>>),
        fuel: u64,
    ) -> OutcomeSource {
        match devices.elsewhere.load(&battery, fuel) {
            Some(loaded) => OutcomeSource::Devices(OnDevices { loaded, places }),
            None => OutcomeSource::Cpu,
        }
    }

    /// Whether devices are asked about some programs.
    #[cfg(any(feature = "opencl", feature = "cuda"))]
    pub(crate) fn has_devices(&self) -> bool {
        matches!(self, OutcomeSource::Devices(_))
    }

    /// The number of runs to ask about at a time.
    pub(super) fn good_batch(&self) -> usize {
        match self {
            OutcomeSource::Devices(on_devices) => on_devices.loaded.good_batch(),
            OutcomeSource::Cpu | OutcomeSource::Asked(_) => 0,
        }
    }

    /// The answers about some tasks of a plan: for each task, for each sample. A task's programs are
    /// counted from 0.
    pub(crate) fn answers(&self, plan: &Plan<'_>, tasks: &[usize]) -> Vec<Vec<Answered>> {
        match self {
            OutcomeSource::Cpu => vec![Vec::new(); tasks.len()],
            OutcomeSource::Devices(on_devices) => on_devices.ask(plan, tasks),
            OutcomeSource::Asked(answers) => {
                let answer = |k: &usize| answers.get(*k).cloned().unwrap_or_default();
                tasks.iter().map(answer).collect()
            }
        }
    }
}

impl OnDevices {
    fn ask(&self, plan: &Plan<'_>, tasks: &[usize]) -> Vec<Vec<Answered>> {
        let (mut owners, mut asked) = (Vec::new(), Vec::new());
        for (place, k) in tasks.iter().enumerate() {
            for sample in samples(plan.tasks[*k].task) {
                owners.push(place);
                asked.push(Asked {
                    input: sample.input,
                    expected: sample.output,
                });
            }
        }
        let places_of = |place: usize| &self.places[tasks[place]];
        let wanted = |sample: usize, program| places_of(owners[sample]).contains(&program);
        let answered = self.loaded.outcomes(&asked, &wanted);
        let mut of_tasks: Vec<Vec<Answered>> = vec![Vec::new(); tasks.len()];
        for (owner, mut answered) in owners.iter().zip(answered) {
            let first = places_of(*owner).start;
            answered
                .iter_mut()
                .for_each(|(program, _)| *program -= first);
            of_tasks[*owner].push(answered);
        }
        of_tasks
    }
}

/// The answers about some of a task's programs, counted from the first of them.
pub(super) fn of_programs(answered: &[Answered], programs: &Range<usize>) -> Vec<Answered> {
    let of_sample = |answered: &Answered| -> Answered {
        let own = answered.iter().filter(|(k, _)| programs.contains(k));
        own.map(|(k, outcome)| (k - programs.start, outcome.clone()))
            .collect()
    };
    answered.iter().map(of_sample).collect()
}

/// The outcome of a run.
pub(crate) struct Told {
    pub(crate) outcome: Outcome,
    /// The fuel that it took on the CPU; devices do not count fuel.
    pub(crate) fuel: Option<u64>,
}

/// The programs without an answer, for each sample. They run on this processor.
pub(super) fn unanswered(
    answered: &[Answered],
    n_programs: usize,
) -> impl Fn(usize, usize) -> bool + use<> {
    let mut is_answered = vec![false; answered.len() * n_programs];
    for (sample, of_sample) in answered.iter().enumerate() {
        for (program, _) in of_sample {
            is_answered[sample * n_programs + program] = true;
        }
    }
    move |sample, program| {
        let place = sample * n_programs + program;
        !is_answered.get(place).is_some_and(|it| *it)
    }
}

/// Puts answers and the outcomes of runs into one order: sample by sample, program by program.
pub(super) struct InOrder<F> {
    /// The answers for each sample.
    answered: Vec<Peekable<IntoIter<(usize, Outcome)>>>,
    /// The sample whose outcomes are handed on now.
    sample: usize,
    each: F,
}

impl<F: FnMut(usize, usize, Told)> InOrder<F> {
    pub(super) fn new(answered: Vec<Answered>, each: F) -> InOrder<F> {
        let answered = answered.into_iter();
        InOrder {
            answered: answered.map(|it| it.into_iter().peekable()).collect(),
            sample: 0,
            each,
        }
    }

    /// Takes an outcome of this processor: the next one without an answer.
    pub(super) fn here(&mut self, sample: usize, program: usize, ran: Ran) {
        self.finish(sample);
        self.answered_before(program);
        let told = Told {
            outcome: ran.outcome,
            fuel: Some(ran.fuel),
        };
        (self.each)(sample, program, told);
    }

    /// Hands on the remaining outcomes of the samples before this one.
    pub(super) fn finish(&mut self, sample: usize) {
        while self.sample < sample {
            self.answered_before(usize::MAX);
            self.sample += 1;
        }
    }

    fn answered_before(&mut self, program: usize) {
        let Some(answered) = self.answered.get_mut(self.sample) else {
            return;
        };
        while let Some((program, outcome)) = answered.next_if(|(k, _)| *k < program) {
            let told = Told {
                outcome,
                fuel: None,
            };
            (self.each)(self.sample, program, told);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_dsl::fault::Fault;

    fn outcome(line: u32) -> Outcome {
        let fault = Fault::Fuel;
        Outcome::Fault { fault, line }
    }

    /// Three programs run on three samples, some of them answered elsewhere; all outcomes come in
    /// order.
    fn check(answered: &[&[usize]]) {
        let of_sample = |list: &&[usize]| list.iter().map(|k| (*k, outcome(1))).collect();
        let answered: Vec<Answered> = answered.iter().map(of_sample).collect();
        let mut told = Vec::new();
        let unanswered = unanswered(&answered, 3);
        let mut in_order = InOrder::new(answered.clone(), |sample, program, it: Told| {
            told.push((sample, program, it.fuel.is_none()));
        });
        for k in 0..9 {
            if unanswered(k / 3, k % 3) {
                let (outcome, fuel) = (outcome(2), 5);
                in_order.here(k / 3, k % 3, Ran { outcome, fuel });
            }
        }
        in_order.finish(3);
        let is_answered = |k: usize| {
            let of_sample = answered.get(k / 3);
            of_sample.is_some_and(|it| it.iter().any(|(program, _)| *program == k % 3))
        };
        let expected: Vec<_> = (0..9).map(|k| (k / 3, k % 3, is_answered(k))).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn answers_and_runs_come_in_one_order() {
        check(&[]);
        check(&[&[], &[], &[]]);
        check(&[&[0, 1, 2], &[0, 1, 2], &[0, 1, 2]]);
        check(&[&[1], &[0, 2], &[]]);
        check(&[&[], &[0, 1, 2], &[2]]);
        check(&[&[2], &[0], &[0, 1]]);
    }
}
