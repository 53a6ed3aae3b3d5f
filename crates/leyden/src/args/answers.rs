//! Arguments of `leyden score` and `leyden submit-check`.

use std::path::PathBuf;

use clap::Args;
use leyden_store::DataSpec;

use super::{PaletteName, checked_target};
use crate::failure::Failure;
use crate::output::Target;

/// The tasks that a submission should answer.
#[derive(Args)]
struct LowTasks {
    /// The tasks: a name or a path, see `leyden help run`
    #[arg(long, value_name = "SPEC", required_unless_present = "challenges")]
    data: Option<DataSpec>,
    /// The same as a Kaggle file, `…_challenges.json`
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    challenges: Option<PathBuf>,
}

impl LowTasks {
    fn validate(self) -> Result<DataSpec, Failure> {
        let challenges = self.challenges.map(|path| DataSpec::Path(path, None));
        let named = self.data.or(challenges);
        named.ok_or_else(|| Failure::bad_input("--data or --challenges is needed"))
    }
}

/// Score a submission by the three rules in use.
///
/// Compares a submission in Kaggle's form with the right answers:
///
///   outputs    Kaggle's rule: the share of test outputs that one of two attempts gets right
///   tasks      the mean over tasks of the share of their outputs
///   solved     the share of tasks with all outputs right
///
/// The tasks come from the data, never from the submission: what is missing there is wrong. A part
/// that is malformed is wrong as well, and the rest still counts; `leyden submit-check` says what
/// Kaggle would not take.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden score submission.json --data arc1:evaluation
  leyden score submission.json --challenges c.json --solutions s.json --html wrong.html
  leyden score submission.json --data arc1:evaluation --summary --json - | jq .outputs")]
pub(super) struct LowScore {
    /// The submission
    #[arg(value_name = "SUBMISSION.json")]
    submission: PathBuf,
    #[command(flatten)]
    tasks: LowTasks,
    /// The right answers of a challenges file
    #[arg(long, value_name = "FILE")]
    solutions: Option<PathBuf>,
    /// Only the totals, no line for each task
    #[arg(long)]
    summary: bool,
    /// Write a page with pictures of what was wrong (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The colours of the pictures
    #[arg(long, value_enum, default_value_t = PaletteName::Arc)]
    palette: PaletteName,
    /// Write everything as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Check that a submission is what Kaggle takes, to the letter.
///
/// Every task is there and none besides; every test input has one answer, with attempt_1 and
/// attempt_2 and nothing else; every attempt is a rectangle of 1 to 30 rows and columns of whole
/// numbers from 0 to 9, no booleans, no fractions, no nulls. All problems are listed with their
/// place, in each grid the first one. Test outputs are not needed.
///
/// The exit code is 0 only if nothing is wrong.
#[derive(Args)]
#[command(after_help = "\
Examples:
  leyden submit-check submission.json --challenges arc-agi_test_challenges.json
  leyden submit-check submission.json --data arc2:evaluation
  leyden submit-check submission.json --data demo --json -")]
pub(super) struct LowSubmitCheck {
    /// The submission
    #[arg(value_name = "SUBMISSION.json")]
    submission: PathBuf,
    #[command(flatten)]
    tasks: LowTasks,
    /// Write the problems as JSON to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(crate) struct ScoreArgs {
    pub(crate) submission: PathBuf,
    pub(crate) data: DataSpec,
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) summary: bool,
    pub(crate) html: Option<Target>,
    pub(crate) palette: PaletteName,
    pub(crate) json: Option<Target>,
}

pub(crate) struct SubmitCheckArgs {
    pub(crate) submission: PathBuf,
    pub(crate) data: DataSpec,
    pub(crate) json: Option<Target>,
}

impl LowScore {
    pub(super) fn validate(self) -> Result<ScoreArgs, Failure> {
        let html = self.html.map(checked_target).transpose()?;
        let json = self.json.map(checked_target).transpose()?;
        if html == Some(Target::Stdout) && json == html {
            return Err(Failure::bad_input(
                "only one thing can go to standard output",
            ));
        }
        Ok(ScoreArgs {
            submission: self.submission,
            data: self.tasks.validate()?,
            solutions: self.solutions,
            summary: self.summary,
            html,
            palette: self.palette,
            json,
        })
    }
}

impl LowSubmitCheck {
    pub(super) fn validate(self) -> Result<SubmitCheckArgs, Failure> {
        Ok(SubmitCheckArgs {
            submission: self.submission,
            data: self.tasks.validate()?,
            json: self.json.map(checked_target).transpose()?,
        })
    }
}
