//! A simulated device: it runs programs on the CPU, and fails on request.

use leyden_exec::{Engine, Outcome, Sample};
use leyden_grid::Grid;
use leyden_lang::Program;

use super::Device;
use crate::batch::{Answer, Job, Samples, Transfers};
use crate::compile::Compiled;
use crate::device::DeviceInfo;
use crate::error::GpuError;
use crate::hash::hash_of_grid;

/// The moment of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temper {
    Sound,
    /// Its memory is full before the first sample arrives.
    FullAtOnce,
    /// It fails at its n-th launch, counted from 0.
    FailsAt(u64),
    /// It answers only the first half of the jobs.
    Forgetful,
}

pub(crate) struct Simulated {
    info: DeviceInfo,
    temper: Temper,
    /// The originals of the compiled programs, which this device cannot read.
    programs: Vec<Program>,
    samples: Samples,
    transfers: Transfers,
}

pub(crate) fn info(name: &str) -> DeviceInfo {
    DeviceInfo {
        name: name.to_owned(),
        vendor: "simulated".to_owned(),
        driver: "none".to_owned(),
        is_gpu: true,
        memory: 1 << 30,
        local_memory: 48 << 10,
    }
}

impl Simulated {
    pub(crate) fn boxed(name: &str, temper: Temper, programs: &[Program]) -> Box<dyn Device> {
        Box::new(Simulated {
            info: info(name),
            temper,
            programs: programs.to_vec(),
            samples: Samples::default(),
            transfers: Transfers::default(),
        })
    }

    fn grid(&self, number: i32) -> Option<Grid> {
        let at = 3 * usize::try_from(number).ok()?;
        let [offset, height, width] = self.samples.grids[at..at + 3] else {
            return None;
        };
        let (height, width) = (height as usize, width as usize);
        let cells = &self.samples.cells[offset as usize..][..height * width];
        Grid::from_cells(height, width, cells).ok()
    }

    fn answer(&self, job: &Job, wants_grids: bool) -> Answer {
        let at = 2 * job.sample as usize;
        let input = self.grid(self.samples.pairs[at]).expect("an input");
        let expected = self.grid(self.samples.pairs[at + 1]);
        let program = &self.programs[job.program as usize];
        match Engine::default().run(program, &Sample::of(&input)) {
            Outcome::Fault { fault, line } => Answer::Fault { fault, line },
            Outcome::Value(_) => Answer::NONE,
            Outcome::Grid(grid) => {
                let grid = grid.to_grid().expect("a grid of a task");
                Answer::Grid {
                    height: grid.height(),
                    width: grid.width(),
                    hash: hash_of_grid(&grid),
                    is_expected: expected.as_ref() == Some(&grid),
                    cells: wants_grids.then(|| grid.cells().to_vec()),
                }
            }
        }
    }
}

impl Device for Simulated {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn transfers(&self) -> Transfers {
        self.transfers
    }

    fn upload(&mut self, samples: &Samples) -> Result<(), GpuError> {
        if self.temper == Temper::FullAtOnce {
            return Err(GpuError::Call {
                call: "clCreateBuffer",
                error: "CL_MEM_OBJECT_ALLOCATION_FAILURE".to_owned(),
            });
        }
        self.transfers.grids += samples.cells.len() as u64;
        self.samples = samples.clone();
        Ok(())
    }

    fn run(
        &mut self,
        _programs: &[Compiled],
        jobs: &[Job],
        wants_grids: bool,
    ) -> Result<Vec<Answer>, GpuError> {
        if self.temper == Temper::FailsAt(self.transfers.launches) {
            return Err(GpuError::Call {
                call: "clFinish",
                error: "CL_OUT_OF_RESOURCES".to_owned(),
            });
        }
        self.transfers.launches += 1;
        self.transfers.results += 32 * jobs.len() as u64;
        let n_answers = match self.temper {
            Temper::Forgetful => jobs.len() / 2,
            _ => jobs.len(),
        };
        let answer = |job| self.answer(job, wants_grids);
        Ok(jobs[..n_answers].iter().map(answer).collect())
    }
}
