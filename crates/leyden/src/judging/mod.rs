//! Judges the programs of any proposer on the demonstrations of tasks: as lines of JSON
//! (`stream.rs`), or as tools of the Model Context Protocol (`mcp.rs`).

mod lines;
pub(crate) mod mcp;
mod proposal;
pub(crate) mod stream;
mod tools;

use std::collections::BTreeMap;

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Outcome, parallel_map};
use leyden_grid::{Puzzle, counted};
use leyden_lang::{Diagnostic, Language, Program, parse_in};
use leyden_search::judge::{FirstFault, FirstWrong, Judge, Judgement};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::failure::{Failure, closest};
use crate::report::batt_json::tenths;

use proposal::{Proposal, Refusal};

/// The name of a proposed text in messages.
const TEXT_NAME: &str = "the program";
/// Longer outputs are left out of a verdict.
const MOST_OUTPUT_BYTES: usize = 64 << 10;
/// Longer words of the proposer are cut in messages.
const MOST_QUOTED: usize = 80;
/// Longer messages are cut. They quote names of the proposer, which may be long.
const MOST_MESSAGE: usize = 500;

/// Everything that judging needs, for any number of threads.
pub(crate) struct Courtroom {
    data_name: String,
    puzzles: BTreeMap<String, Puzzle>,
    judge: Judge,
    language: Language,
    fuel: u64,
    cancel: CancelToken,
}

/// A program that was read, and its task.
struct Case<'c> {
    puzzle: &'c Puzzle,
    program: Program,
}

impl Courtroom {
    pub(crate) fn new(
        data_name: String,
        puzzles: impl IntoIterator<Item = Puzzle>,
        language: Language,
        fuel: u64,
        cancel: CancelToken,
    ) -> Result<Courtroom, Failure> {
        let judge = own_judge()?;
        let by_id = |puzzle: Puzzle| (puzzle.id.to_string(), puzzle);
        Ok(Courtroom {
            data_name,
            puzzles: puzzles.into_iter().map(by_id).collect(),
            judge,
            language,
            fuel,
            cancel,
        })
    }

    /// Whether the user or the system ends the command.
    pub(crate) fn is_stopped(&self) -> bool {
        self.cancel.is_cancelled()
    }

    fn puzzle(&self, id: &str) -> Result<&Puzzle, Refusal> {
        self.puzzles.get(id).ok_or_else(|| {
            let near = closest(cut(id), self.puzzles.keys().map(String::as_str));
            let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            let message = format!("{} has no task {}{hint}", self.data_name, cut(id));
            Refusal::new("UnknownTask", message)
        })
    }

    /// The program of a text: the one with this name, otherwise the last one.
    fn program(
        &self,
        text: &str,
        name: Option<&str>,
        dialect: Option<&str>,
    ) -> Result<Program, Refusal> {
        let mut programs = match dialect {
            None => parse_in(text, TEXT_NAME, &self.language),
            Some(dialect) => {
                let language = Language {
                    dialect: Some(proposal::dialect(dialect)?),
                    names: self.language.names.clone(),
                };
                parse_in(text, TEXT_NAME, &language)
            }
        }
        .map_err(|found| syntax_error(&found, text))?;
        let index = match name {
            None => programs.len().checked_sub(1),
            Some(name) => programs.iter().position(|program| program.name == name),
        };
        let Some(index) = index else {
            let name = name.unwrap_or_default();
            let near = closest(cut(name), programs.iter().map(|it| it.name.as_str()));
            let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            let message = format!("`name`: the text has no function `{}`{hint}", cut(name));
            return Err(Refusal::new("BadField", message));
        };
        Ok(programs.swap_remove(index))
    }

    fn case(&self, proposal: &Proposal) -> Result<Case<'_>, Refusal> {
        let (name, dialect) = (proposal.name.as_deref(), proposal.dialect.as_deref());
        Ok(Case {
            puzzle: self.puzzle(&proposal.task)?,
            program: self.program(&proposal.program, name, dialect)?,
        })
    }

    fn judgement(&self, case: &Case<'_>) -> Judgement {
        self.judge
            .verdict(case.puzzle, &case.program, self.fuel, &self.cancel)
    }

    /// The verdicts on a list of proposals, as `leyden judge` prints them.
    #[cfg(feature = "explore")]
    pub(crate) fn verdicts(&self, proposals: &[Json], with_outputs: bool) -> Vec<Json> {
        let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
        let numbered: Vec<(usize, &Json)> = proposals.iter().enumerate().collect();
        parallel_map(n_threads, &numbered, |(k, json)| {
            let verdict = match Proposal::of_json(json, k + 1) {
                Ok(proposal) => self.verdict(&proposal, with_outputs),
                Err(unread) => VerdictLine::unread(unread.id, unread.task, &unread.refusal),
            };
            verdict.to_json()
        })
    }

    /// The verdict on a proposal.
    fn verdict(&self, proposal: &Proposal, with_outputs: bool) -> VerdictLine {
        let case = match self.case(proposal) {
            Ok(case) => case,
            Err(refusal) => return VerdictLine::refused(proposal, &refusal),
        };
        let judgement = self.judgement(&case);
        let line = VerdictLine::of(proposal, &judgement);
        if !with_outputs {
            return line;
        }
        let answers = Judge::answers(case.puzzle, &case.program, self.fuel, &self.cancel);
        let demos = judgement.demos.iter().map(|demo| &demo.ran.outcome);
        VerdictLine {
            outputs: Some(demos.map(output).collect()),
            tests: Some(answers.iter().map(output).collect()),
            ..line
        }
    }
}

/// A verdict, as a line of JSON has it.
#[derive(Serialize)]
struct VerdictLine {
    id: Json,
    task: Json,
    fit: bool,
    credit: f64,
    right: usize,
    pairs: usize,
    fuel: u64,
    first_wrong: Option<Json>,
    error: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outputs: Option<Vec<Json>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<Vec<Json>>,
}

impl VerdictLine {
    fn of(proposal: &Proposal, judgement: &Judgement) -> VerdictLine {
        let first_wrong = judgement.first_wrong.as_ref();
        let error = judgement.error.as_ref();
        VerdictLine {
            id: proposal.id.clone(),
            task: proposal.task.clone().into(),
            fit: judgement.fits(),
            credit: tenths(judgement.credit()),
            right: judgement.n_right(),
            pairs: judgement.demos.len(),
            fuel: judgement.fuel(),
            first_wrong: first_wrong.map(|(demo, wrong)| first_wrong_in_json(*demo, *wrong)),
            error: error.map(|error| fault_in_json(error, &proposal.program)),
            outputs: None,
            tests: None,
        }
    }

    /// The verdict on a proposal that could not run.
    fn refused(proposal: &Proposal, refusal: &Refusal) -> VerdictLine {
        VerdictLine::unread(proposal.id.clone(), proposal.task.clone().into(), refusal)
    }

    /// The verdict on a line that is not a proposal.
    fn unread(id: Json, task: Json, refusal: &Refusal) -> VerdictLine {
        VerdictLine {
            id,
            task,
            fit: false,
            credit: 0.0,
            right: 0,
            pairs: 0,
            fuel: 0,
            first_wrong: None,
            error: Some(refusal.to_json()),
            outputs: None,
            tests: None,
        }
    }

    /// The verdict as JSON.
    fn to_json(&self) -> Json {
        // Strings, numbers and lists of them always have a JSON form.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// An outcome as `leyden eval` writes it, unless it is very long.
fn output(outcome: &Outcome) -> Json {
    let written = outcome.to_json();
    let n_bytes = match outcome {
        Outcome::Fault { .. } => 0,
        _ => written.to_string().len(),
    };
    if n_bytes <= MOST_OUTPUT_BYTES {
        return written;
    }
    json!({ "left_out": format!("{} of JSON", counted(n_bytes, "byte")) })
}

fn first_wrong_in_json(demo: usize, wrong: FirstWrong) -> Json {
    match wrong {
        FirstWrong::Cell {
            row,
            column,
            got,
            expected,
        } => json!({
            "demo": demo, "kind": "cell", "row": row, "column": column,
            "got": got, "expected": expected,
        }),
        FirstWrong::Size { got, expected } => {
            json!({ "demo": demo, "kind": "size", "got": got, "expected": expected })
        }
        FirstWrong::Ragged => json!({ "demo": demo, "kind": "ragged" }),
        FirstWrong::Value => json!({ "demo": demo, "kind": "value" }),
        FirstWrong::Fault => json!({ "demo": demo, "kind": "error" }),
    }
}

fn fault_in_json(error: &FirstFault, text: &str) -> Json {
    let class = error.fault.name();
    let at = error
        .line
        .and_then(|line| Some((line, source_line(text, line)?)));
    let place = at.map_or(String::new(), |(line, text)| {
        format!(" in line {line}: {text}")
    });
    let message = format!("demonstration {} ends with {class}{place}", error.demo);
    json!({ "class": class, "message": message, "line": error.line, "column": null })
}

/// A line of a text, counted from 1, without the space around it.
fn source_line(text: &str, number: u32) -> Option<&str> {
    let k = (number as usize).checked_sub(1)?;
    text.lines().nth(k).map(|line| cut(line.trim()))
}

/// The first error of a text that is not a program, with its advice.
fn syntax_error(found: &[Diagnostic], text: &str) -> Refusal {
    let Some(first) = found.first() else {
        return Refusal::new("SyntaxError", "this is not a program".to_owned());
    };
    let help = first.help.as_deref();
    let help = help.map_or(String::new(), |help| format!("; {help}"));
    let (line, column) = first.position(text);
    let message = format!("{}{help}", first.message);
    Refusal::new("SyntaxError", beginning(&message, MOST_MESSAGE).to_owned()).at(line, column)
}

/// The beginning of a word of the proposer, for messages.
fn cut(text: &str) -> &str {
    beginning(text, MOST_QUOTED)
}

/// At most this many characters of a text.
fn beginning(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most);
    &text[..end.map_or(text.len(), |(end, _)| end)]
}

/// The judge with Leyden's own scoring programs.
pub(crate) fn own_judge() -> Result<Judge, Failure> {
    let damaged = |_| anyhow::Error::msg("Leyden's own scoring programs are damaged");
    Judge::new().map_err(|findings| Failure::Other(damaged(findings)))
}
