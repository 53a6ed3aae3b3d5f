//! Arguments of `leyden augment`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use leyden_store::DataSpec;
use leyden_store::augment::Kinds;

use super::shared::{
    LowChoice, LowData, LowEach, LowJson, LowOut, LowSeed, PLAIN, given, needed, outputs,
    with_default,
};
use crate::failure::Failure;
use crate::output::Target;
use crate::pipeline::load::Choice;

/// The number of copies by default: one for each symmetry.
const DEFAULT_COPIES: usize = 8;

/// Turn, flip and recolour tasks, and turn answers back
///
/// Every task gets copies in which all grids are turned or flipped, with the colours 1 to 9
/// exchanged. A copy is called by the task's id, a point and a number, such as 1e7d0001.3. Eight
/// copies have eight different symmetries. The seed, the id and the number decide each change, so
/// the same command makes the same copies.
///
/// The JSON report is the key: it names the change and its inverse for each copy. With the key,
/// --undo turns the answers of a submission for the copies into answers for the tasks themselves.
/// Where copies disagree, the two answers with the most votes become the two attempts.
#[derive(Args)]
#[command(
    mut_arg("data", needed),
    mut_arg("n", |n| with_default(n, "8")),
    after_long_help = "\
Examples:
  leyden augment --data demo --n 4 --seed 7 --out copies.json --json key.json
  leyden solve --data copies.json --per-task 1s --out answers.json
  leyden augment --data demo --undo key.json answers.json --out submission.json
  leyden augment --data arc1:training --only colours --n 20 --out recoloured.json"
)]
pub(super) struct LowAugment {
    /// With --undo: a submission that answers the copies
    #[arg(value_name = "SUBMISSION", requires = "undo")]
    submission: Option<PathBuf>,
    #[command(flatten)]
    data: LowData,
    #[command(flatten)]
    choice: LowChoice,
    #[command(flatten)]
    each: LowEach,
    #[command(flatten)]
    seed: LowSeed,
    /// Make only changes of this kind
    #[arg(long, value_name = "KIND", help_heading = PLAIN)]
    only: Option<ChangeKind>,
    /// Exchange the colour 0, too, which is mostly the background
    #[arg(long, help_heading = PLAIN)]
    background: bool,
    /// Turn answers back, with the key that the JSON of `leyden augment` is
    #[arg(
        long, value_name = "KEY", help_heading = PLAIN, requires = "submission",
        conflicts_with_all = ["n", "seed", "only", "background", "task", "tasks", "start"]
    )]
    undo: Option<PathBuf>,
    #[command(flatten)]
    out: LowOut,
    #[command(flatten)]
    json: LowJson,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ChangeKind {
    /// Turns and flips
    Symmetries,
    /// Other colours
    Colours,
}

/// The way there, or the way back.
pub(crate) enum Augmenting {
    /// Make copies.
    Copy {
        choice: Choice,
        n_copies: usize,
        seed: u64,
        kinds: Kinds,
    },
    /// Turn answers back.
    Undo { key: PathBuf, submission: PathBuf },
}

pub(crate) struct AugmentArgs {
    pub(crate) data: DataSpec,
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) action: Augmenting,
    pub(crate) out: Option<Target>,
    pub(crate) json: Option<Target>,
}

impl LowAugment {
    pub(super) fn validate(self) -> Result<AugmentArgs, Failure> {
        let (out, json) = outputs(self.out, self.json)?;
        let action = match (self.undo, self.submission) {
            (Some(key), Some(submission)) => Augmenting::Undo { key, submission },
            _ => Augmenting::Copy {
                choice: self.choice.into(),
                n_copies: self.each.n.unwrap_or(DEFAULT_COPIES),
                seed: self.seed.seed,
                kinds: Kinds {
                    symmetries: self.only != Some(ChangeKind::Colours),
                    colours: self.only != Some(ChangeKind::Symmetries),
                    background: self.background,
                },
            },
        };
        Ok(AugmentArgs {
            data: given(self.data.spec)?,
            solutions: self.data.solutions,
            action,
            out,
            json,
        })
    }
}
