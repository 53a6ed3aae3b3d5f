//! Programs on samples: merged into one battery, or each alone.

use std::time::Duration;

use leyden_exec::{
    Answered, BatteryPlan, Counts, Engine, Loaded, Outcome, Ran, Ready, Task, Worker, record,
};
use leyden_grid::Grid;
use leyden_lang::{Battery, Input, Operand, Program, Rules, Scripts};

use crate::clock::timed;
use crate::devices::Devices;
use crate::pipeline::sample::Sample;
use crate::weave::{Told, Weave, unanswered};

/// What programs may have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    /// Merge programs; otherwise each runs alone, as it was written.
    pub(crate) is_on: bool,
    /// Run merged programs together; otherwise each is taken out again and runs alone.
    pub(crate) batches: bool,
    /// How they are rewritten when merged.
    pub(crate) rules: Rules,
}

/// Programs made ready to run, on any number of threads.
pub(crate) struct Runner {
    form: Form,
    /// What programs that run alone were taken out of.
    taken_from: Option<Battery>,
    /// Some program reads the expected output.
    reads_expected: bool,
    /// How long it took to make one graph of the programs.
    merging: Duration,
}

enum Form {
    Shared(Box<BatteryPlan>),
    Alone(Vec<Lone>),
}

/// A program that runs alone.
struct Lone {
    program: Program,
    ready: Ready,
    /// It was taken out of a battery: its lines know which of the original they are for.
    is_extract: bool,
}

impl Lone {
    fn new(program: Program, is_extract: bool) -> Lone {
        Lone {
            ready: Ready::of(&program),
            program,
            is_extract,
        }
    }

    fn run(&self, engine: &Engine, sample: &leyden_exec::Sample<'_>) -> Ran {
        let mut ran = engine.run_again(&self.program, &self.ready, sample);
        if let Outcome::Fault { line, .. } = &mut ran.outcome
            && self.is_extract
        {
            *line = self.original_line(*line);
        }
        ran
    }

    fn original_line(&self, line: u32) -> u32 {
        let own = self.program.lines.get(line as usize);
        own.map_or(line, |own| own.source_line.saturating_sub(1))
    }
}

impl Runner {
    pub(crate) fn new<'p>(
        programs: impl IntoIterator<Item = &'p Program>,
        sharing: Sharing,
    ) -> Runner {
        if sharing.is_on {
            let (battery, merging) = timed(|| Battery::from_programs(programs, sharing.rules));
            let runner = Runner::of_merged(battery, sharing.batches);
            return Runner { merging, ..runner };
        }
        let lone = |program: &Program| Lone::new(program.clone(), false);
        Runner::alone(programs.into_iter().map(lone).collect())
    }

    /// A battery is taken as it stands, but for nodes that no program needs.
    pub(crate) fn of_battery(mut battery: Battery, sharing: Sharing) -> Runner {
        let ((), merging) = timed(|| battery.sweep());
        let runner = Runner::of_merged(battery, sharing.is_on && sharing.batches);
        Runner { merging, ..runner }
    }

    fn of_merged(battery: Battery, batches: bool) -> Runner {
        if batches {
            return Runner::shared(battery);
        }
        let mut scripts = Scripts::new(&battery);
        let lone = |k: usize| Lone::new(scripts.program(k), true);
        let runner = Runner::alone((0..battery.outs.len()).map(lone).collect());
        Runner {
            taken_from: Some(battery),
            ..runner
        }
    }

    fn shared(battery: Battery) -> Runner {
        let reads_expected = reads_expected(&battery);
        let form = Form::Shared(Box::new(BatteryPlan::new(battery)));
        Runner {
            form,
            taken_from: None,
            reads_expected,
            merging: Duration::ZERO,
        }
    }

    fn alone(programs: Vec<Lone>) -> Runner {
        Runner {
            reads_expected: programs.iter().any(|lone| lone.program.reads(Input::C)),
            form: Form::Alone(programs),
            taken_from: None,
            merging: Duration::ZERO,
        }
    }

    /// The graph, if programs were merged.
    pub(crate) fn battery(&self) -> Option<&Battery> {
        match &self.form {
            Form::Shared(plan) => Some(plan.battery()),
            Form::Alone(_) => None,
        }
    }

    /// The programs, if each runs alone.
    pub(crate) fn lone_programs(&self) -> impl Iterator<Item = &Program> {
        let programs: &[Lone] = match &self.form {
            Form::Shared(_) => &[],
            Form::Alone(programs) => programs,
        };
        programs.iter().map(|lone| &lone.program)
    }

    /// What programs that run alone were taken out of.
    pub(crate) fn taken_from(&self) -> Option<&Battery> {
        self.taken_from.as_ref()
    }

    /// The programs on devices, as far as they can run there.
    pub(crate) fn load(&self, devices: Option<&Devices>, fuel: u64) -> Option<Box<dyn Loaded>> {
        let elsewhere = &devices?.elsewhere;
        match &self.form {
            Form::Shared(plan) => elsewhere.load(plan.battery(), fuel),
            Form::Alone(_) => match &self.taken_from {
                Some(battery) => elsewhere.load(battery, fuel),
                None => {
                    let battery = Battery::from_programs(self.lone_programs(), Rules::NONE);
                    elsewhere.load(&battery, fuel)
                }
            },
        }
    }

    /// How long it took to make one graph of the programs.
    pub(crate) fn merging(&self) -> Duration {
        self.merging
    }

    /// How many computations there are for all programs together.
    pub(crate) fn n_nodes(&self) -> usize {
        match &self.form {
            Form::Shared(plan) => plan.battery().nodes.len(),
            Form::Alone(programs) => programs.iter().map(|lone| lone.program.lines.len()).sum(),
        }
    }

    /// Lends what one thread needs to run the programs.
    pub(crate) fn with_hand<T>(
        &self,
        engine: &Engine,
        body: impl FnOnce(&mut Hand<'_, '_>) -> T,
    ) -> T {
        let reads_expected = self.reads_expected;
        match &self.form {
            Form::Shared(plan) => plan.with_worker(engine, |worker| {
                body(&mut Hand {
                    form: HandForm::Shared(worker),
                    reads_expected,
                })
            }),
            Form::Alone(programs) => body(&mut Hand {
                form: HandForm::Alone {
                    programs,
                    engine,
                    n_runs: 0,
                },
                reads_expected,
            }),
        }
    }
}

/// Does some program read the expected output? Taking it as a parameter is not yet reading it.
fn reads_expected(battery: &Battery) -> bool {
    let nodes = battery.nodes.iter().flat_map(|node| node.op.operands());
    let mut operands = nodes.chain(battery.outs.iter().map(|out| out.output));
    operands.any(|operand| operand == Operand::Input(Input::C))
}

/// Runs programs on one thread.
pub(crate) struct Hand<'h, 'w> {
    form: HandForm<'h, 'w>,
    reads_expected: bool,
}

enum HandForm<'h, 'w> {
    Shared(&'h mut Worker<'w>),
    Alone {
        programs: &'h [Lone],
        engine: &'h Engine,
        n_runs: u64,
    },
}

impl Hand<'_, '_> {
    /// What was done so far; of programs alone only the runs are counted.
    pub(crate) fn counts(&self) -> Counts {
        match &self.form {
            HandForm::Shared(worker) => worker.counts(),
            HandForm::Alone { n_runs, .. } => Counts {
                runs: *n_runs,
                ..Counts::default()
            },
        }
    }

    fn n_programs(&self) -> usize {
        match &self.form {
            HandForm::Shared(worker) => worker.n_programs(),
            HandForm::Alone { programs, .. } => programs.len(),
        }
    }

    /// Runs all programs on all inputs, input by input, program by program.
    pub(crate) fn run<'g>(
        &mut self,
        task: &Task<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        each: impl FnMut(usize, usize, Ran),
    ) {
        self.run_some(task, inputs, |_, _| true, each);
    }

    /// The same for those programs on those inputs only that are wanted.
    fn run_some<'g>(
        &mut self,
        task: &Task<'_>,
        inputs: impl IntoIterator<Item = &'g Grid>,
        wanted: impl Fn(usize, usize) -> bool,
        mut each: impl FnMut(usize, usize, Ran),
    ) {
        match &mut self.form {
            HandForm::Shared(worker) => worker.run_metered(task, inputs, wanted, each),
            HandForm::Alone {
                programs,
                engine,
                n_runs,
            } => {
                for (k, input) in inputs.into_iter().enumerate() {
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
                        each(k, program, lone.run(engine, &sample(task, input)));
                    }
                }
                record::end_samples();
            }
        }
    }

    /// Runs on pairs of a task what was not answered elsewhere; all outcomes come in order, pair by
    /// pair, program by program. A program may see the expected output of a demonstration, never
    /// that of a test.
    pub(crate) fn run_samples(
        &mut self,
        task: &leyden_grid::Task,
        samples: &[Sample<'_>],
        answered: Vec<Answered>,
        each: impl FnMut(usize, usize, Told),
    ) {
        let unanswered = unanswered(&answered, self.n_programs());
        let mut weave = Weave::new(answered, each);
        self.run_cases_some(task, samples, unanswered, |k, program, ran| {
            weave.here(k, program, ran);
        });
        weave.finish(samples.len());
    }

    fn run_cases_some(
        &mut self,
        task: &leyden_grid::Task,
        samples: &[Sample<'_>],
        wanted: impl Fn(usize, usize) -> bool,
        mut each: impl FnMut(usize, usize, Ran),
    ) {
        let demos = &task.demos;
        if !self.reads_expected {
            let task = Task {
                demos,
                expected: None,
            };
            return self.run_some(
                &task,
                samples.iter().map(|sample| sample.input),
                wanted,
                each,
            );
        }
        for (k, sample) in samples.iter().enumerate() {
            let expected = sample.output.filter(|_| sample.is_demo);
            let task = Task { demos, expected };
            let wanted = |_, program| wanted(k, program);
            self.run_some(&task, [sample.input], wanted, |_, program, ran| {
                each(k, program, ran);
            });
        }
    }
}

fn sample<'s>(task: &Task<'s>, input: &'s Grid) -> leyden_exec::Sample<'s> {
    leyden_exec::Sample {
        input,
        demos: task.demos,
        expected: task.expected,
    }
}
