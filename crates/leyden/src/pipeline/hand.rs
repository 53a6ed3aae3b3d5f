//! One thread's way to run a [`Group`](super::group::Group).

use leyden_exec::{Answered, Counts, Engine, Ran, Seen, Worker, record};
use leyden_grid::Grid;

use super::group::Lone;
use super::sample::Sample;
use super::source::{InOrder, Told, unanswered};

/// Runs programs on one thread.
pub(crate) struct Hand<'h, 'w> {
    form: Form<'h, 'w>,
    reads_expected: bool,
}

enum Form<'h, 'w> {
    Shared(&'h mut Worker<'w>),
    Alone {
        programs: &'h [Lone],
        engine: &'h Engine,
        n_runs: u64,
    },
}

impl<'h, 'w> Hand<'h, 'w> {
    pub(super) fn of_worker(worker: &'h mut Worker<'w>, reads_expected: bool) -> Hand<'h, 'w> {
        Hand {
            form: Form::Shared(worker),
            reads_expected,
        }
    }

    pub(super) fn of_lone(
        programs: &'h [Lone],
        engine: &'h Engine,
        reads_expected: bool,
    ) -> Hand<'h, 'w> {
        let n_runs = 0;
        Hand {
            form: Form::Alone {
                programs,
                engine,
                n_runs,
            },
            reads_expected,
        }
    }
}

impl Hand<'_, '_> {
    /// The work so far. For programs that run alone, only the runs are counted.
    pub(crate) fn counts(&self) -> Counts {
        match &self.form {
            Form::Shared(worker) => worker.counts(),
            Form::Alone { n_runs, .. } => Counts {
                runs: *n_runs,
                ..Counts::default()
            },
        }
    }

    pub(super) fn n_programs(&self) -> usize {
        match &self.form {
            Form::Shared(worker) => worker.n_programs(),
            Form::Alone { programs, .. } => programs.len(),
        }
    }

    /// Runs all programs on all inputs, input by input, program by program.
    pub(crate) fn run<'g>(
        &mut self,
        seen: &Seen<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        each: impl FnMut(usize, usize, Ran),
    ) {
        self.run_wanted(seen, inputs, |_, _| true, each);
    }

    /// Runs only the wanted programs on each input.
    fn run_wanted<'g>(
        &mut self,
        seen: &Seen<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        wanted: impl Fn(usize, usize) -> bool,
        mut each: impl FnMut(usize, usize, Ran),
    ) {
        let (programs, engine, n_runs) = match &mut self.form {
            Form::Shared(worker) => return worker.run_metered(seen, inputs, wanted, each),
            Form::Alone {
                programs,
                engine,
                n_runs,
            } => (programs, engine, n_runs),
        };
        for (k, input) in inputs.into_iter().enumerate() {
            let sample = leyden_exec::Sample {
                input,
                demos: seen.demos,
                expected: seen.expected,
            };
            record::next_sample(record::Work::Schedule);
            let wanted = |(program, _): &(usize, &Lone)| wanted(k, *program);
            for (program, lone) in programs.iter().enumerate().filter(wanted) {
                if engine.cancel.is_cancelled() {
                    return;
                }
                if programs.len() > 1 {
                    record::unit(program as u32);
                }
                *n_runs += 1;
                each(k, program, lone.run(engine, &sample));
            }
        }
        record::end_samples();
    }

    /// Runs the programs on the samples of a task, except where another source has answered. All
    /// outcomes come in order, sample by sample, program by program.
    pub(crate) fn run_samples(
        &mut self,
        task: &leyden_grid::Task,
        samples: &[Sample<'_>],
        answered: Vec<Answered>,
        each: impl FnMut(usize, usize, Told),
    ) {
        let unanswered = unanswered(&answered, self.n_programs());
        let mut in_order = InOrder::new(answered, each);
        self.run_samples_wanted(task, samples, unanswered, |k, program, ran| {
            in_order.here(k, program, ran);
        });
        in_order.finish(samples.len());
    }

    fn run_samples_wanted(
        &mut self,
        task: &leyden_grid::Task,
        samples: &[Sample<'_>],
        wanted: impl Fn(usize, usize) -> bool,
        mut each: impl FnMut(usize, usize, Ran),
    ) {
        let demos = &task.demos;
        if !self.reads_expected {
            let expected = None;
            let inputs = samples.iter().map(|sample| sample.input);
            return self.run_wanted(&Seen { demos, expected }, inputs, wanted, each);
        }
        for (k, sample) in samples.iter().enumerate() {
            let expected = sample.visible_output();
            let wanted = |_, program| wanted(k, program);
            let seen = Seen { demos, expected };
            self.run_wanted(&seen, [sample.input], wanted, |_, program, ran| {
                each(k, program, ran);
            });
        }
    }
}
