//! Runs batteries on a fleet of devices.

use std::sync::Arc;

use leyden_dsl::fault::Fault;
use leyden_exec::{Answered, Asked, Elsewhere, Loaded, Outcome, Spent};
use leyden_lang::{Battery, Program, Scripts};

use crate::batch::Answer;
use crate::compile::Compiled;
use crate::fleet::{Fleet, Wants};

/// The number of runs that keeps a device busy for a while. Their answers take a few megabytes.
const GOOD_BATCH: usize = 16_384;

/// Devices as batteries see them.
#[derive(Clone, Debug)]
pub struct Devices {
    fleet: Arc<Fleet>,
    fuel: u64,
}

impl Devices {
    /// The fuel of a device for runs with this fuel. A device counts no less than the CPU for the calls it
    /// makes; half the fuel leaves room for calls that became no instruction.
    pub fn fuel_for(fuel: u64) -> u64 {
        fuel / 2
    }

    /// Wraps devices that were opened with [`Devices::fuel_for`] this fuel.
    pub fn new(fleet: Arc<Fleet>, fuel: u64) -> Devices {
        Devices { fleet, fuel }
    }
}

impl Elsewhere for Devices {
    fn load(&self, battery: &Battery, fuel: u64) -> Option<Box<dyn Loaded>> {
        if fuel < self.fuel || self.fleet.n_devices() == 0 {
            return None;
        }
        let mut scripts = Scripts::new(battery);
        let mut loaded = OnDevices {
            fleet: self.fleet.clone(),
            compiled: Vec::new(),
            about: Vec::new(),
        };
        for k in 0..battery.outs.len() {
            let program = scripts.program(k);
            if let Ok(compiled) = Compiled::of(&program) {
                loaded.compiled.push(compiled);
                loaded.about.push(About::of(k, &program));
            }
        }
        (!loaded.compiled.is_empty()).then(|| Box::new(loaded) as Box<dyn Loaded>)
    }

    fn spent(&self) -> Spent {
        let times = self.fleet.times();
        Spent {
            transfer: times.transfer(),
            kernel: times.kernel,
        }
    }
}

/// A program of a battery.
#[derive(Debug)]
struct About {
    /// Its index in the battery.
    program: usize,
    /// For each of its lines, the line of the original, counted from 0.
    lines: Vec<u32>,
}

impl About {
    fn of(place: usize, program: &Program) -> About {
        let lines = program.lines.iter();
        About {
            program: place,
            lines: lines
                .map(|line| line.source_line.saturating_sub(1))
                .collect(),
        }
    }

    fn outcome(&self, answer: &Answer) -> Option<Outcome> {
        match answer.outcome()? {
            // The CPU decides on limits.
            Outcome::Fault {
                fault: Fault::Fuel | Fault::Memory | Fault::Cancelled,
                ..
            } => None,
            Outcome::Fault { fault, line } => {
                let line = *self.lines.get(line as usize)?;
                Some(Outcome::Fault { fault, line })
            }
            other => Some(other),
        }
    }
}

/// The programs of a battery that the devices accept.
#[derive(Debug)]
struct OnDevices {
    fleet: Arc<Fleet>,
    compiled: Vec<Compiled>,
    /// The programs, in the order of the battery.
    about: Vec<About>,
}

impl Loaded for OnDevices {
    fn outcomes(
        &self,
        samples: &[Asked<'_>],
        wanted: &(dyn Fn(usize, usize) -> bool + Sync),
    ) -> Vec<Answered> {
        let list = |sample: usize| -> Vec<u32> {
            let about = self.about.iter().zip(0u32..);
            let wanted = about.filter(|(about, _)| wanted(sample, about.program));
            wanted.map(|(_, k)| k).collect()
        };
        let lists: Vec<Vec<u32>> = (0..samples.len()).map(list).collect();
        let answers = self
            .fleet
            .answers(samples, &self.compiled, &lists, Wants::Grids);
        let told = |(list, answers): (&Vec<u32>, &Vec<Answer>)| {
            let told = |(k, answer): (&u32, &Answer)| {
                let about = &self.about[*k as usize];
                Some((about.program, about.outcome(answer)?))
            };
            list.iter().zip(answers).filter_map(told).collect()
        };
        lists.iter().zip(&answers).map(told).collect()
    }

    fn good_batch(&self) -> usize {
        GOOD_BATCH
    }

    fn n_programs(&self) -> usize {
        self.compiled.len()
    }
}
