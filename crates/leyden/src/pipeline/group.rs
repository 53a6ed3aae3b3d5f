//! Programs that are ready to run together: merged into one battery, or each alone.

use std::time::Duration;

use leyden_exec::{BatteryPlan, Engine, Outcome, Ran, Ready};
use leyden_lang::{Battery, Input, Operand, Program, Rules, Scripts};

use super::hand::Hand;
use crate::clock::timed;

/// The computations that programs may share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    /// Merge programs; otherwise each runs alone, as written.
    pub(crate) is_on: bool,
    /// Run merged programs together; otherwise each is taken out of the battery again and runs
    /// alone.
    pub(crate) batches: bool,
    /// The rules that rewrite programs when they are merged.
    pub(crate) rules: Rules,
}

impl Sharing {
    /// Everything is shared.
    pub(crate) const ALL: Sharing = Sharing {
        is_on: true,
        batches: true,
        rules: Rules::ALL,
    };

    /// Nothing is shared.
    pub(crate) const NONE: Sharing = Sharing {
        is_on: false,
        batches: false,
        rules: Rules::NONE,
    };
}

/// Programs made ready to run, on any number of threads.
pub(crate) struct Group {
    form: Form,
    /// The battery that the programs were taken out of, if they run alone.
    taken_from: Option<Battery>,
    /// Whether a program reads the expected output.
    reads_expected: bool,
    /// The time that making one graph of the programs took.
    merging: Duration,
}

enum Form {
    Shared(Box<BatteryPlan>),
    Alone(Vec<Lone>),
}

/// A program that runs alone.
pub(super) struct Lone {
    program: Program,
    ready: Ready,
    /// Whether it was taken out of a battery. Then its lines know the original lines they are for.
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

    pub(super) fn run(&self, engine: &Engine, sample: &leyden_exec::Sample<'_>) -> Ran {
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

impl Group {
    pub(crate) fn new<'p>(
        programs: impl IntoIterator<Item = &'p Program>,
        sharing: Sharing,
    ) -> Group {
        if sharing.is_on {
            let (battery, merging) = timed(|| Battery::from_programs(programs, sharing.rules));
            let group = Group::of_merged(battery, sharing.batches);
            return Group { merging, ..group };
        }
        let lone = |program: &Program| Lone::new(program.clone(), false);
        Group::alone(programs.into_iter().map(lone).collect())
    }

    /// Takes a battery unchanged, except that nodes which no program needs are dropped.
    pub(crate) fn of_battery(mut battery: Battery, sharing: Sharing) -> Group {
        let ((), merging) = timed(|| battery.sweep());
        let group = Group::of_merged(battery, sharing.is_on && sharing.batches);
        Group { merging, ..group }
    }

    fn of_merged(battery: Battery, batches: bool) -> Group {
        if batches {
            return Group::shared(battery);
        }
        let mut scripts = Scripts::new(&battery);
        let lone = |k: usize| Lone::new(scripts.program(k), true);
        let group = Group::alone((0..battery.outs.len()).map(lone).collect());
        Group {
            taken_from: Some(battery),
            ..group
        }
    }

    fn shared(battery: Battery) -> Group {
        Group {
            reads_expected: reads_expected(&battery),
            form: Form::Shared(Box::new(BatteryPlan::new(battery))),
            taken_from: None,
            merging: Duration::ZERO,
        }
    }

    fn alone(programs: Vec<Lone>) -> Group {
        Group {
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

    /// The battery that the programs were taken out of, if they run alone.
    pub(crate) fn taken_from(&self) -> Option<&Battery> {
        self.taken_from.as_ref()
    }

    /// The programs as one battery, however they run.
    pub(crate) fn as_battery(&self) -> Battery {
        let battery = self.battery().or(self.taken_from()).cloned();
        battery.unwrap_or_else(|| Battery::from_programs(self.lone_programs(), Rules::NONE))
    }

    /// The time that making one graph of the programs took.
    pub(crate) fn merging(&self) -> Duration {
        self.merging
    }

    pub(crate) fn n_programs(&self) -> usize {
        match &self.form {
            Form::Shared(plan) => plan.battery().outs.len(),
            Form::Alone(programs) => programs.len(),
        }
    }

    /// The number of computations that all programs need together.
    pub(crate) fn n_nodes(&self) -> usize {
        match &self.form {
            Form::Shared(plan) => plan.battery().nodes.len(),
            Form::Alone(programs) => programs.iter().map(|lone| lone.program.lines.len()).sum(),
        }
    }

    /// Lends the state that one thread needs to run the programs.
    pub(crate) fn with_hand<T>(
        &self,
        engine: &Engine,
        body: impl FnOnce(&mut Hand<'_, '_>) -> T,
    ) -> T {
        let reads_expected = self.reads_expected;
        match &self.form {
            Form::Shared(plan) => plan.with_worker(engine, |worker| {
                body(&mut Hand::of_worker(worker, reads_expected))
            }),
            Form::Alone(programs) => body(&mut Hand::of_lone(programs, engine, reads_expected)),
        }
    }
}

/// Does a program read the expected output? A parameter that no line uses does not count.
fn reads_expected(battery: &Battery) -> bool {
    let nodes = battery.nodes.iter().flat_map(|node| node.op.operands());
    let mut operands = nodes.chain(battery.outs.iter().map(|out| out.output));
    operands.any(|operand| operand == Operand::Input(Input::C))
}
