//! Arguments of `leyden score` and `leyden submit-check`.

use std::path::PathBuf;

use clap::Args;
use leyden_store::DataSpec;

use super::shared::{
    LowChoice, LowData, LowJson, LowPalette, LowSpec, PaletteName, checked_target, given, needed,
    refuse_two_on_stdout,
};
use crate::failure::Failure;
use crate::output::Target;
use crate::pipeline::load::Choice;

/// Score a submission by the three rules in use
///
/// Leyden compares a submission in Kaggle's form with the test outputs of the data. A task that the
/// submission leaves out counts as wrong, and so does a malformed answer; the rest still counts.
/// `leyden submit-check` lists what Kaggle would refuse.
#[derive(Args)]
#[command(
    mut_arg("data", needed),
    after_long_help = "\
The three rules:
  outputs    Kaggle's rule: the share of test outputs that one of the two attempts gets right
  tasks      the mean over all tasks of the share of their test outputs that are right
  solved     the share of tasks whose test outputs are all right

Examples:
  leyden score submission.json --data arc1:evaluation
  leyden score submission.json --data arc1:evaluation --tasks 20
  leyden score submission.json --data c.json --solutions s.json --html wrong.html
  leyden score submission.json --data arc1:evaluation --summary --json - | jq .outputs"
)]
pub(super) struct LowScore {
    /// The submission, a JSON file
    #[arg(value_name = "SUBMISSION")]
    submission: PathBuf,
    #[command(flatten)]
    data: LowData,
    #[command(flatten)]
    choice: LowChoice,
    /// Print only the totals, no line for each task
    #[arg(long, help_heading = "Output")]
    summary: bool,
    /// Also draw the wrong answers as a page to FILE (`-`: standard output)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
    #[command(flatten)]
    palette: LowPalette,
    #[command(flatten)]
    json: LowJson,
}

/// Check that Kaggle would accept a submission
///
/// The submission must name every task of the data and no other. Every test input needs one answer
/// with attempt_1 and attempt_2 and nothing else. Every attempt is a rectangle of 1 to 30 rows and
/// columns of whole numbers from 0 to 9. The command lists all problems with their places, and in
/// each grid the first one. It does not need the test outputs.
///
/// The exit code is 0 only for a submission without problems.
#[derive(Args)]
#[command(
    mut_arg("data", needed),
    after_long_help = "\
Examples:
  leyden submit-check submission.json --data arc-agi_test_challenges.json
  leyden submit-check submission.json --data arc2:evaluation
  leyden submit-check submission.json --data arc2:evaluation --tasks 20
  leyden submit-check submission.json --data demo --json -"
)]
pub(super) struct LowSubmitCheck {
    /// The submission, a JSON file
    #[arg(value_name = "SUBMISSION")]
    submission: PathBuf,
    #[command(flatten)]
    data: LowSpec,
    #[command(flatten)]
    choice: LowChoice,
    #[command(flatten)]
    json: LowJson,
}

/// The tasks that a submission should answer.
pub(crate) struct AnsweredArgs {
    pub(crate) data: DataSpec,
    pub(crate) solutions: Option<PathBuf>,
    pub(crate) choice: Choice,
}

pub(crate) struct ScoreArgs {
    pub(crate) submission: PathBuf,
    pub(crate) answered: AnsweredArgs,
    pub(crate) summary: bool,
    pub(crate) html: Option<Target>,
    pub(crate) palette: PaletteName,
    pub(crate) json: Option<Target>,
}

pub(crate) struct SubmitCheckArgs {
    pub(crate) submission: PathBuf,
    pub(crate) answered: AnsweredArgs,
    pub(crate) json: Option<Target>,
}

fn answered(
    data: LowSpec,
    solutions: Option<PathBuf>,
    choice: LowChoice,
) -> Result<AnsweredArgs, Failure> {
    Ok(AnsweredArgs {
        data: given(data)?,
        solutions,
        choice: choice.into(),
    })
}

impl LowScore {
    pub(super) fn validate(self) -> Result<ScoreArgs, Failure> {
        let html = self.html.map(checked_target).transpose()?;
        let json = self.json.validate()?;
        refuse_two_on_stdout([&html, &json])?;
        Ok(ScoreArgs {
            submission: self.submission,
            answered: answered(self.data.spec, self.data.solutions, self.choice)?,
            summary: self.summary,
            html,
            palette: self.palette.palette,
            json,
        })
    }
}

impl LowSubmitCheck {
    pub(super) fn validate(self) -> Result<SubmitCheckArgs, Failure> {
        Ok(SubmitCheckArgs {
            submission: self.submission,
            answered: answered(self.data, None, self.choice)?,
            json: self.json.validate()?,
        })
    }
}
