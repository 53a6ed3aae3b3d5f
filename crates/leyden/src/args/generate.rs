//! Arguments of `leyden generate`.

use clap::Args;
use leyden_grid::TaskId;

use super::shared::{LowEach, LowJson, LowOut, LowSeed, LowTask, PLAIN, outputs, with_default};
use super::values::number;
use crate::failure::Failure;
use crate::output::Target;

/// The number of pairs by default.
const DEFAULT_PAIRS: usize = 50;

/// Make fresh pairs of known tasks
///
/// Re-arc has a generator for each task of ARC-AGI-1 training: it makes new pairs that follow the
/// rule of the task. `leyden generate` makes --n different pairs of each task, and keeps only pairs
/// that re-arc's verifier confirms. The last pairs (--tests) become the tests of the task, with
/// outputs, and the others its demonstrations. The result is a data set, for `--data FILE`.
///
/// The generators are part of the PyPI package reasoning-gym 0.1.25, which the first use fetches. A
/// python3 on the PATH runs them, on `leyden.rearc` if the Python package leyden is installed, and
/// else on their own dsl, which is slower and gives equal pairs. The cache keeps all pairs, so an
/// equal command needs no Python a second time. Equal seeds give equal pairs.
#[derive(Args)]
#[command(
    mut_arg("task", |task| with_default(task, "all 400")),
    mut_arg("n", |n| with_default(n, "50")),
    after_long_help = "\
Examples:
  leyden generate --task 007bbfb7 --n 50 --seed 1 --out fresh.json
  leyden run mine.py --data fresh.json
  leyden generate --n 4 --seed 7 --out fresh.json                   3 demonstrations and a test each
  leyden solve --data fresh.json --library none --per-task 1s"
)]
pub(super) struct LowGenerate {
    #[command(flatten)]
    task: LowTask,
    #[command(flatten)]
    each: LowEach,
    /// How many of the pairs are tests [default: 1, or 0 if there is one pair]
    #[arg(long, value_name = "K", value_parser = number, help_heading = PLAIN)]
    tests: Option<usize>,
    #[command(flatten)]
    seed: LowSeed,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
}

pub(crate) struct GenerateArgs {
    /// Empty for all.
    pub(crate) tasks: Vec<TaskId>,
    pub(crate) n_pairs: usize,
    /// Less than the number of pairs.
    pub(crate) n_tests: usize,
    pub(crate) seed: u64,
    pub(crate) out: Option<Target>,
    pub(crate) json: Option<Target>,
}

impl LowGenerate {
    pub(super) fn validate(self) -> Result<GenerateArgs, Failure> {
        let (out, json) = outputs(self.out, self.json)?;
        let n_pairs = self.each.n.unwrap_or(DEFAULT_PAIRS);
        let n_tests = self.tests.unwrap_or(usize::from(n_pairs > 1));
        if n_tests >= n_pairs {
            return Err(Failure::bad_input(format!(
                "--tests {n_tests}: this leaves no demonstration of {n_pairs}; make more pairs with --n"
            )));
        }
        Ok(GenerateArgs {
            tasks: self.task.task,
            n_pairs,
            n_tests,
            seed: self.seed.seed,
            out,
            json,
        })
    }
}
