//! Running a text on a task: findings, outcomes, verdicts, values.

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_dsl::value::Value as Datum;
use leyden_exec::{Engine, Outcome, Ran, Sample, reference, with_large_stack};
use leyden_explore::{Call, Refusal, Reply};
use leyden_grid::{Grid, Puzzle, Task};
use leyden_lang::Program;
use leyden_search::judge::{JudgedDemo, Judgement};
use leyden_store::library::ProgramHash;
use serde_json::{Value, json};

use super::App;
use super::reading::read;
use crate::clock::timed;
use crate::report::trace::{Cell, Drawing, Picture, draw};

/// Longer values are cut.
const MOST_CHARS: usize = 2_000;
/// The values of at most this many lines are drawn, the first ones. The longest public program has
/// 157.
pub(super) const MOST_LINES: usize = 1_000;
/// The most fuel that a caller may ask for.
const MOST_FUEL: u64 = 1_000_000_000;

/// The results of a program on the demonstrations of a task.
pub(super) struct Judged {
    pub(super) judgement: Judgement,
    verdicts: Vec<&'static str>,
}

impl Judged {
    /// Adds the fields of the results to a program.
    pub(super) fn write_into(&self, shown: &mut Value) {
        shown["right"] = self.judgement.n_right().into();
        shown["pairs"] = self.verdicts.len().into();
        shown["credit"] = self.judgement.credit().into();
        shown["fuel"] = self.judgement.fuel().into();
        shown["verdicts"] = json!(self.verdicts);
    }
}

/// A program on a task, with the limits of one call.
struct Evaluation<'e> {
    task: &'e Task,
    puzzle: Puzzle,
    program: &'e Program,
    engine: Engine,
}

impl App {
    pub(super) fn eval(&self, call: &Call) -> Result<Reply, Refusal> {
        let (reply, time) = timed(|| with_large_stack(|| self.evaluated(call)));
        let mut reply = reply?;
        reply["millis"] = ((time.as_secs_f64() * 1e6).round() / 1e3).into();
        Ok(Reply::Json(reply))
    }

    fn evaluated(&self, call: &Call) -> Result<Value, Refusal> {
        let text = call.text("text")?;
        let task = self.set(call.text("set")?)?.task(call.text("task")?)?;
        let reading = read(text, &self.language(call)?);
        let diagnostics = reading.findings_in_json(text);
        let Some(program) = &reading.program else {
            return Ok(json!({
                "program": null, "diagnostics": diagnostics, "samples": [], "values": null,
                "fits": false, "fuel": 0,
            }));
        };
        let evaluation = Evaluation {
            task,
            puzzle: task.puzzle(),
            program,
            engine: engine(call)?,
        };
        let (fuel, cancel) = (evaluation.engine.fuel, &call.cancel);
        let judgement = self
            .judge
            .verdict(&evaluation.puzzle, program, fuel, cancel);
        let mut samples = evaluation.demos(&judgement);
        samples.extend(evaluation.tests(call.is_set("tests")?));
        let values = match call.count_if_any("sample")? {
            None => Value::Null,
            Some(k) => evaluation.values(k)?,
        };
        Ok(json!({
            "program": {
                "name": program.name,
                "dialect": program.dialect.name(),
                "lines": program.lines.len(),
                "hash": ProgramHash::of(program),
            },
            "diagnostics": diagnostics,
            "samples": samples,
            "values": values,
            "fits": judgement.fits(),
            "credit": judgement.credit(),
            "fuel": judgement.fuel(),
        }))
    }

    /// The results of a program on the demonstrations of a task.
    pub(super) fn judge(&self, program: &Program, puzzle: &Puzzle, cancel: &CancelToken) -> Judged {
        let judgement = self.judge.verdict(puzzle, program, DEFAULT_FUEL, cancel);
        let verdict = |demo: &JudgedDemo| verdict(&demo.ran.outcome, Some(demo.is_right));
        Judged {
            verdicts: judgement.demos.iter().map(verdict).collect(),
            judgement,
        }
    }
}

impl Evaluation<'_> {
    fn demos(&self, judgement: &Judgement) -> Vec<Value> {
        let full = f64::from(judgement.full_credit.max(1));
        let demo = |(k, demo): (usize, &JudgedDemo)| {
            json!({
                "name": format!("train {}", k + 1),
                "is_demo": true,
                "outcome": outcome_in_json(&demo.ran.outcome, self.program),
                "verdict": verdict(&demo.ran.outcome, Some(demo.is_right)),
                "credit": 100.0 * f64::from(demo.credit) / full,
                "fuel": demo.ran.fuel,
            })
        };
        judgement.demos.iter().enumerate().map(demo).collect()
    }

    /// The answers to the test inputs; verdicts only if the user asked for them.
    fn tests(&self, shows_verdicts: bool) -> impl Iterator<Item = Value> {
        self.task.tests.iter().enumerate().map(move |(k, test)| {
            let Ran { outcome, fuel } = self
                .engine
                .run_metered(self.program, &self.seen(&test.input));
            let expected = test.output.as_ref().filter(|_| shows_verdicts);
            let is_right = expected.map(|expected| outcome.equals(expected));
            json!({
                "name": format!("test {}", k + 1),
                "is_demo": false,
                "outcome": outcome_in_json(&outcome, self.program),
                "verdict": verdict(&outcome, is_right),
                "credit": null,
                "fuel": fuel,
            })
        })
    }

    fn seen<'s>(&'s self, input: &'s Grid) -> Sample<'s> {
        Sample {
            input,
            demos: &self.puzzle.demos,
            expected: None,
        }
    }

    /// The value of each line on one sample, as pictures and words.
    fn values(&self, sample: u64) -> Result<Value, Refusal> {
        let sample = usize::try_from(sample).unwrap_or(usize::MAX);
        let demos = self.puzzle.demos.iter().map(|pair| &pair.input);
        let input = demos.chain(&self.puzzle.test_inputs).nth(sample);
        let no_such = || Refusal::bad(format!("sample: {} has no {sample}", self.task.id));
        let input = input.ok_or_else(no_such)?;
        let Engine { fuel, cancel, .. } = &self.engine;
        let results = reference::trace(self.program, &self.seen(input), *fuel, cancel);
        let value = |(line, result): (u32, &Result<Datum, Fault>)| drawn(line, result, input);
        let lines = self.program.lines.iter().map(|line| line.source_line);
        let drawn = lines.zip(&results).take(MOST_LINES);
        Ok(drawn.map(value).collect())
    }
}

pub(super) fn verdict(outcome: &Outcome, is_right: Option<bool>) -> &'static str {
    match (outcome.fault(), is_right) {
        (Some(Fault::Fuel), _) => "fuel",
        (Some(_), _) => "fault",
        (None, None) => "unknown",
        (None, Some(true)) => "right",
        (None, Some(false)) => "wrong",
    }
}

fn outcome_in_json(outcome: &Outcome, program: &Program) -> Value {
    if let Some(grid) = grid_of(outcome) {
        return json!({ "grid": grid });
    }
    match outcome {
        Outcome::Fault { fault, line } => {
            let line = program.lines.get(*line as usize);
            json!({ "error": fault.name(), "line": line.map(|line| line.source_line) })
        }
        other => json!({ "value": cut(&other.to_json().to_string()) }),
    }
}

/// The grid of an outcome, if it is one of a task: at most 30 by 30 cells, colours 0 to 9.
pub(super) fn grid_of(outcome: &Outcome) -> Option<Grid> {
    match outcome {
        Outcome::Grid(grid) => grid.to_grid(),
        _ => None,
    }
}

fn engine(call: &Call) -> Result<Engine, Refusal> {
    let fuel = call.count_if_any("fuel")?.unwrap_or(DEFAULT_FUEL);
    if !(1..=MOST_FUEL).contains(&fuel) {
        return Err(Refusal::bad(format!("fuel: expected 1 to {MOST_FUEL}")));
    }
    Ok(Engine {
        fuel,
        cancel: call.cancel.clone(),
        ..Engine::default()
    })
}

fn drawn(line: u32, result: &Result<Datum, Fault>, input: &Grid) -> Value {
    let Drawing { words, pictures } = draw(result, input);
    let pictures: Vec<Value> = pictures.iter().map(picture).collect();
    let fault = result.as_ref().err().map(|fault| fault.name());
    json!({ "line": line, "words": cut(&words), "pictures": pictures, "fault": fault })
}

fn picture(picture: &Picture) -> Value {
    let cell = |cell: &Cell| match cell {
        Cell::Colour(colour) => Value::from(*colour),
        Cell::Marked => Value::from("x"),
        Cell::Outside => Value::from("."),
    };
    let row = |row: &Vec<Cell>| row.iter().map(cell).collect::<Value>();
    picture.rows.iter().map(row).collect()
}

pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}
