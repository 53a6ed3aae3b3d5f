//! One device's part of a batch.

use std::collections::BTreeMap;

use leyden_exec::Asked;
use leyden_grid::Grid;

use super::{Device, Wants};
use crate::batch::{Answer, Job, Samples};
use crate::compile::Compiled;
use crate::error::GpuError;
use crate::hash::hash_of_grid;

/// Samples, and for each of them the programs to run.
pub(super) struct Part<'p> {
    pub(super) samples: &'p [Asked<'p>],
    pub(super) programs: &'p [Compiled],
    pub(super) lists: &'p [Vec<u32>],
    pub(super) wants: Wants,
}

/// The key of a grid: the sample, the size and the hash.
type Face = (usize, usize, usize, u64);

impl Part<'_> {
    /// Sends each grid once; each distinct result comes back once.
    pub(super) fn run(&self, device: &mut dyn Device) -> Result<Vec<Vec<Answer>>, GpuError> {
        let mut samples = Samples::default();
        for asked in self.samples {
            samples.push(asked.input, asked.expected);
        }
        device.upload(&samples)?;
        let jobs = self.jobs();
        let mut answers = device.run(self.programs, &jobs, false)?;
        // A device may answer less than it was asked; the missing answers are unsure.
        answers.resize(jobs.len(), Answer::NONE);
        if self.wants == Wants::Grids {
            self.fill_in(device, &jobs, &mut answers)?;
        }
        let mut answers = answers.into_iter();
        let take = |list: &Vec<u32>| answers.by_ref().take(list.len()).collect();
        Ok(self.lists.iter().map(take).collect())
    }

    fn jobs(&self) -> Vec<Job> {
        let of_sample = |(sample, list): (usize, &Vec<u32>)| -> Vec<Job> {
            let sample = sample as u32;
            let jobs = list.iter().map(|program| Job {
                program: *program,
                sample,
            });
            jobs.collect()
        };
        self.lists.iter().enumerate().flat_map(of_sample).collect()
    }

    /// Gives all grids their cells. Those of the samples are known here. For each other key, the
    /// first run is repeated for its cells.
    fn fill_in(
        &self,
        device: &mut dyn Device,
        jobs: &[Job],
        answers: &mut [Answer],
    ) -> Result<(), GpuError> {
        let mut known = self.known();
        let mut again: Vec<Job> = Vec::new();
        let mut faces: BTreeMap<Face, usize> = BTreeMap::new();
        for (job, answer) in jobs.iter().zip(&*answers) {
            if let Some(face) = face(job, answer)
                && !known.contains_key(&face)
                && !is_expected(answer)
            {
                faces.entry(face).or_insert_with(|| {
                    again.push(*job);
                    again.len() - 1
                });
            }
        }
        let mut shown = if again.is_empty() {
            Vec::new()
        } else {
            device.run(self.programs, &again, true)?
        };
        shown.resize(again.len(), Answer::NONE);
        for (wanted, k) in faces {
            if face(&again[k], &shown[k]) == Some(wanted)
                && let Answer::Grid {
                    cells: Some(cells), ..
                } = &mut shown[k]
            {
                known.insert(wanted, std::mem::take(cells));
            }
        }
        for (job, answer) in jobs.iter().zip(answers) {
            self.give_cells(job, answer, &known);
        }
        Ok(())
    }

    /// The grids that need not come back.
    fn known(&self) -> BTreeMap<Face, Vec<u8>> {
        let input = |(k, asked): (usize, &Asked<'_>)| {
            let (grid, hash) = (asked.input, hash_of_grid(asked.input));
            let face = (k, grid.height(), grid.width(), hash);
            (face, grid.cells().to_vec())
        };
        self.samples.iter().enumerate().map(input).collect()
    }

    fn give_cells(&self, job: &Job, answer: &mut Answer, known: &BTreeMap<Face, Vec<u8>>) {
        let Some(face) = face(job, answer) else {
            return;
        };
        let expected = if is_expected(answer) {
            self.expected(job).map(|grid| grid.cells().to_vec())
        } else {
            known.get(&face).cloned()
        };
        match (answer, expected) {
            (Answer::Grid { cells, .. }, Some(found)) => *cells = Some(found),
            (answer, _) => *answer = Answer::NONE,
        }
    }

    fn expected(&self, job: &Job) -> Option<&Grid> {
        self.samples.get(job.sample as usize)?.expected
    }
}

fn face(job: &Job, answer: &Answer) -> Option<Face> {
    match answer {
        Answer::Grid {
            height,
            width,
            hash,
            ..
        } => Some((job.sample as usize, *height, *width, *hash)),
        _ => None,
    }
}

fn is_expected(answer: &Answer) -> bool {
    matches!(
        answer,
        Answer::Grid {
            is_expected: true,
            ..
        }
    )
}
