//! Outcomes of two origins in one order: what was answered elsewhere, and what ran here.

use std::iter::Peekable;
use std::vec::IntoIter;

use leyden_exec::{Answered, Outcome, Ran};

/// What a run gave.
pub(crate) struct Told {
    pub(crate) outcome: Outcome,
    /// What it took here; of what ran elsewhere nobody knows.
    pub(crate) fuel: Option<u64>,
}

/// Which programs on which samples were not answered, and are to run here.
pub(crate) fn unanswered(
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

/// Hands on outcomes sample by sample, program by program.
pub(crate) struct Weave<F> {
    /// What was answered, for each sample.
    answered: Vec<Peekable<IntoIter<(usize, Outcome)>>>,
    /// The sample that is handed on now.
    sample: usize,
    each: F,
}

impl<F: FnMut(usize, usize, Told)> Weave<F> {
    pub(crate) fn new(answered: Vec<Answered>, each: F) -> Weave<F> {
        let answered = answered.into_iter();
        Weave {
            answered: answered.map(|it| it.into_iter().peekable()).collect(),
            sample: 0,
            each,
        }
    }

    /// An outcome of here: the next of those that were not answered.
    pub(crate) fn here(&mut self, sample: usize, program: usize, ran: Ran) {
        self.finish(sample);
        self.elsewhere_before(program);
        let told = Told {
            outcome: ran.outcome,
            fuel: Some(ran.fuel),
        };
        (self.each)(sample, program, told);
    }

    /// Hands on all that is left of the samples before one.
    pub(crate) fn finish(&mut self, sample: usize) {
        while self.sample < sample {
            self.elsewhere_before(usize::MAX);
            self.sample += 1;
        }
    }

    fn elsewhere_before(&mut self, program: usize) {
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

    /// With three programs on three samples of which these were answered, all come in order.
    fn check(answered: &[&[usize]]) {
        let of_sample = |list: &&[usize]| list.iter().map(|k| (*k, outcome(1))).collect();
        let answered: Vec<Answered> = answered.iter().map(of_sample).collect();
        let mut told = Vec::new();
        let unanswered = unanswered(&answered, 3);
        let mut weave = Weave::new(answered.clone(), |sample, program, it: Told| {
            told.push((sample, program, it.fuel.is_none()));
        });
        for k in 0..9 {
            if unanswered(k / 3, k % 3) {
                let (outcome, fuel) = (outcome(2), 5);
                weave.here(k / 3, k % 3, Ran { outcome, fuel });
            }
        }
        weave.finish(3);
        let is_answered = |k: usize| {
            let of_sample = answered.get(k / 3);
            of_sample.is_some_and(|it| it.iter().any(|(program, _)| *program == k % 3))
        };
        let expected: Vec<_> = (0..9).map(|k| (k / 3, k % 3, is_answered(k))).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn all_come_in_order_whoever_ran_them() {
        check(&[]);
        check(&[&[], &[], &[]]);
        check(&[&[0, 1, 2], &[0, 1, 2], &[0, 1, 2]]);
        check(&[&[1], &[0, 2], &[]]);
        check(&[&[], &[0, 1, 2], &[2]]);
        check(&[&[2], &[0], &[0, 1]]);
    }
}
