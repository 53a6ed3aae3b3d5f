//! Runs equal batches on the CPU and on a device.

use std::time::Duration;

use leyden_exec::{BatteryPlan, Engine, Worker, parallel_map};
use leyden_grid::Grid;
use leyden_lang::{Battery, Program, Rules};

use crate::batch::{Answer, Job, Samples};
use crate::compile::Compiled;
use crate::error::GpuError;
use crate::session::{Backend, Session};
use crate::times::{Times, timed};

/// The time and the number of repetitions for small batches, which are measured again with other
/// programs and grids.
const PATIENCE: Duration = Duration::from_millis(400);
const MOST_ROUNDS: u32 = 24;
/// The smallest number of runs that is worth another thread.
const RUNS_OF_A_THREAD: usize = 512;

/// Programs and grids for batches.
#[derive(Clone, Debug)]
pub struct Workload {
    programs: Vec<Program>,
    compiled: Vec<Compiled>,
    grids: Vec<(Grid, Option<Grid>)>,
}

/// The size of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The number of runs of a program on a sample.
    pub n_jobs: u64,
    /// The number of programs.
    pub n_programs: u64,
    /// The number of their instructions.
    pub n_instructions: u64,
    /// The number of samples.
    pub n_samples: u64,
    /// The number of cells of all inputs.
    pub n_cells: u64,
}

impl Batch {
    fn plus(&self, other: &Batch) -> Batch {
        self.with(other, |a, b| a + b)
    }

    /// The mean of `n` batches, rounded.
    fn divided(&self, n: u64) -> Batch {
        self.with(self, |sum, _| (sum + n / 2) / n.max(1))
    }

    fn with(&self, other: &Batch, f: impl Fn(u64, u64) -> u64) -> Batch {
        Batch {
            n_jobs: f(self.n_jobs, other.n_jobs),
            n_programs: f(self.n_programs, other.n_programs),
            n_instructions: f(self.n_instructions, other.n_instructions),
            n_samples: f(self.n_samples, other.n_samples),
            n_cells: f(self.n_cells, other.n_cells),
        }
    }
}

/// The times of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The batch.
    pub batch: Batch,
    /// The time on the CPU, with its threads.
    pub cpu: Duration,
    /// The time on the device, from grids of the host to answers.
    pub device: Duration,
    /// Copies and kernels in that time, if the session is timed.
    pub times: Times,
    /// The number of runs that gave the expected grid, on the CPU and on the device.
    pub n_right: [usize; 2],
}

impl Measured {
    fn plus(self, other: &Measured) -> Measured {
        let ([a, b], [c, d]) = (self.n_right, other.n_right);
        Measured {
            batch: self.batch.plus(&other.batch),
            cpu: self.cpu + other.cpu,
            device: self.device + other.device,
            times: self.times + other.times,
            n_right: [a + c, b + d],
        }
    }

    /// The mean of `n` measurements.
    fn divided(self, n: u32) -> Measured {
        Measured {
            batch: self.batch.divided(n.into()),
            cpu: self.cpu / n,
            device: self.device / n,
            times: self.times / n,
            n_right: self.n_right.map(|right| right / n as usize),
        }
    }

    /// The factor by which the device is faster.
    pub fn gain(&self) -> f64 {
        self.cpu.as_secs_f64() / self.device.as_secs_f64().max(1e-9)
    }
}

impl Workload {
    /// Keeps the programs that the device accepts and is sure about on all grids. Others would run
    /// on the CPU again, and say nothing about either side.
    pub fn new<B: Backend>(
        session: &Session<B>,
        programs: &[Program],
        grids: Vec<(Grid, Option<Grid>)>,
    ) -> Result<Workload, GpuError> {
        let compile = |program: &Program| Some((program.clone(), Compiled::of(program).ok()?));
        let (programs, compiled) = programs.iter().filter_map(compile).unzip();
        let mut all = Workload {
            programs,
            compiled,
            grids,
        };
        let answers = all
            .choose(all.n_programs() * all.n_grids(), 0)
            .on_device(session)?;
        let is_sure = |program: usize| {
            let mine = answers.iter().skip(program).step_by(all.n_programs());
            !mine.into_iter().any(Answer::is_unsure)
        };
        let sure: Vec<bool> = (0..all.n_programs()).map(is_sure).collect();
        let mut keep = sure.iter().copied();
        all.programs.retain(|_| keep.next().unwrap_or(false));
        let mut keep = sure.iter().copied();
        all.compiled.retain(|_| keep.next().unwrap_or(false));
        Ok(all)
    }

    /// The number of programs.
    pub fn n_programs(&self) -> usize {
        self.programs.len()
    }

    /// The number of grids. Large batches repeat them.
    pub fn n_grids(&self) -> usize {
        self.grids.len()
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.programs.is_empty() || self.grids.is_empty()
    }

    /// Chooses programs and grids for about this many runs, different ones in every round.
    fn choose(&self, n_jobs: usize, round: usize) -> Chosen<'_> {
        let n_programs = self.n_programs().min(n_jobs).max(1);
        let n_samples = (n_jobs + n_programs / 2) / n_programs;
        let turned = |k: usize| (k + round * n_programs) % self.n_programs().max(1);
        let places: Vec<usize> = (0..n_programs).map(turned).collect();
        let skipped = (round * n_samples) % self.n_grids().max(1);
        Chosen {
            programs: places.iter().map(|k| &self.programs[*k]).collect(),
            compiled: places.iter().map(|k| self.compiled[*k].clone()).collect(),
            grids: self
                .grids
                .iter()
                .cycle()
                .skip(skipped)
                .take(n_samples)
                .collect(),
        }
    }
}

/// A batch.
struct Chosen<'w> {
    programs: Vec<&'w Program>,
    compiled: Vec<Compiled>,
    grids: Vec<&'w (Grid, Option<Grid>)>,
}

impl Chosen<'_> {
    fn batch(&self) -> Batch {
        let cells = self
            .grids
            .iter()
            .map(|(input, _)| input.cells().len() as u64);
        let instructions = self.compiled.iter().map(|it| it.n_instructions() as u64);
        Batch {
            n_jobs: (self.compiled.len() * self.grids.len()) as u64,
            n_programs: self.compiled.len() as u64,
            n_instructions: instructions.sum(),
            n_samples: self.grids.len() as u64,
            n_cells: cells.sum(),
        }
    }

    /// Runs the batch on the device, grid by grid, program by program.
    fn on_device<B: Backend>(&self, session: &Session<B>) -> Result<Vec<Answer>, GpuError> {
        let mut samples = Samples::default();
        for (input, expected) in &self.grids {
            samples.push(input, expected.as_ref());
        }
        let programs = 0..self.compiled.len() as u32;
        let of_sample = |sample| programs.clone().map(move |program| Job { program, sample });
        let jobs: Vec<Job> = (0..self.grids.len() as u32).flat_map(of_sample).collect();
        let resident = session.upload(&samples)?;
        session.run(&resident, &self.compiled, &jobs, false)
    }

    /// Runs the batch on the CPU; returns the number of runs with the expected grid.
    fn on_cpu(&self, plan: &BatteryPlan, n_threads: usize) -> usize {
        let engine = Engine::default();
        let work = |part: &&[&(Grid, Option<Grid>)]| {
            let one = |worker: &mut Worker<'_>, pair: &&(Grid, Option<Grid>)| right(worker, pair);
            plan.with_worker(&engine, |worker| {
                part.iter().map(|pair| one(worker, pair)).sum::<usize>()
            })
        };
        let n_runs = self.programs.len() * self.grids.len();
        let n_threads = n_threads.min(n_runs / RUNS_OF_A_THREAD).max(1);
        let of_each = self.grids.len().div_ceil(n_threads).max(1);
        match &self.grids.chunks(of_each).collect::<Vec<_>>()[..] {
            [all] => work(all),
            parts => parallel_map(n_threads, parts, work).into_iter().sum(),
        }
    }
}

fn right(worker: &mut Worker<'_>, (input, expected): &(Grid, Option<Grid>)) -> usize {
    let mut n_right = 0;
    worker.run_grid(input, |_, outcome| {
        let is_right = expected.as_ref().is_some_and(|it| outcome.equals(it));
        n_right += usize::from(is_right);
    });
    n_right
}

/// Runs batches of about this many runs on both sides and returns the mean. A large batch runs
/// once.
///
/// Must be called on a thread with a large stack.
pub fn measure<B: Backend>(
    session: &Session<B>,
    workload: &Workload,
    n_jobs: usize,
    n_threads: usize,
) -> Result<Measured, GpuError> {
    let mut all = one_round(session, &workload.choose(n_jobs, 0), n_threads)?;
    let mut n_rounds = 1;
    while n_rounds < MOST_ROUNDS && all.cpu + all.device < PATIENCE {
        let chosen = workload.choose(n_jobs, n_rounds as usize);
        all = all.plus(&one_round(session, &chosen, n_threads)?);
        n_rounds += 1;
    }
    Ok(all.divided(n_rounds))
}

fn one_round<B: Backend>(
    session: &Session<B>,
    chosen: &Chosen<'_>,
    n_threads: usize,
) -> Result<Measured, GpuError> {
    let programs = chosen.programs.iter().copied();
    let plan = BatteryPlan::new(Battery::from_programs(programs, Rules::ALL));
    let (right_on_cpu, cpu) = timed(|| chosen.on_cpu(&plan, n_threads));
    let before = session.times();
    let (answers, device) = timed(|| chosen.on_device(session));
    let is_right = |answer: &&Answer| {
        matches!(
            answer,
            Answer::Grid {
                is_expected: true,
                ..
            }
        )
    };
    Ok(Measured {
        batch: chosen.batch(),
        cpu,
        device,
        times: session.times() - before,
        n_right: [right_on_cpu, answers?.iter().filter(is_right).count()],
    })
}
