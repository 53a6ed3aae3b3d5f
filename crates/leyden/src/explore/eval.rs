//! Running a text on a task: findings, outcomes, verdicts, values.

use std::time::Duration;

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::DEFAULT_FUEL;
use leyden_dsl::table::Dialect;
use leyden_dsl::value::Value as Datum;
use leyden_exec::{Engine, Outcome, reference, with_large_stack};
use leyden_explore::{Call, Refusal, Reply};
use leyden_grid::{Grid, Task};
use leyden_lang::{Diagnostic, Language, Program, parse_in, verify};
use leyden_store::library::ProgramHash;
use serde_json::{Value, json};

use super::App;
use crate::clock::timed;
use crate::pipeline::sample::{Sample, samples};
use crate::report::reference::{all_entries, json as entries_in_json, spell};
use crate::report::trace::{Cell, Drawing, Picture, draw};

/// Longer values are cut.
const MOST_CHARS: usize = 2_000;
/// The most fuel that a caller may ask for.
const MOST_FUEL: u64 = 1_000_000_000;
/// The best credit.
const FULL_CREDIT: f64 = 100.0;

/// The results of a program on the demonstrations of a task.
pub(super) struct Judged {
    pub(super) right: usize,
    pub(super) credit: f64,
    fuel: u64,
    verdicts: Vec<&'static str>,
}

impl Judged {
    /// Adds the fields of the results to a program.
    pub(super) fn write_into(&self, shown: &mut Value) {
        shown["right"] = self.right.into();
        shown["pairs"] = self.verdicts.len().into();
        shown["credit"] = self.credit.into();
        shown["fuel"] = self.fuel.into();
        shown["verdicts"] = json!(self.verdicts);
    }
}

/// The result on one sample.
struct Ended {
    outcome: Outcome,
    fuel: u64,
    verdict: &'static str,
    credit: Option<f64>,
}

/// A text that was read.
struct Reading {
    program: Option<Program>,
    findings: Vec<Diagnostic>,
}

impl App {
    pub(super) fn eval(&self, call: &Call) -> Result<Reply, Refusal> {
        let (reply, time) = timed(|| with_large_stack(|| self.evaluated(call)));
        let mut reply = reply?;
        reply["millis"] = millis(time).into();
        Ok(Reply::Json(reply))
    }

    fn evaluated(&self, call: &Call) -> Result<Value, Refusal> {
        let text = call.text("text")?;
        let task = self.set(call.text("set")?)?.task(call.text("task")?)?;
        let reading = self.read(text, call.text_if_any("dialect")?)?;
        let findings = Findings::new(text);
        let diagnostics: Vec<Value> = reading
            .findings
            .iter()
            .map(|it| findings.to_json(it))
            .collect();
        let Some(program) = &reading.program else {
            return Ok(json!({
                "program": null, "diagnostics": diagnostics, "samples": [], "values": null,
                "fits": false, "fuel": 0,
            }));
        };
        let engine = engine(call)?;
        let shows_tests = call.is_set("tests")?;
        let ended: Vec<(Sample<'_>, Ended)> = samples(task)
            .map(|sample| (sample, self.run(program, task, &sample, &engine)))
            .collect();
        let is_right =
            |(sample, ended): &(Sample<'_>, Ended)| !sample.is_demo || ended.verdict == "right";
        let rows = ended
            .iter()
            .map(|(sample, ended)| ended.to_json(program, sample, shows_tests));
        let values = match call.count_if_any("sample")? {
            None => Value::Null,
            Some(k) => values(program, task, k, &engine)?,
        };
        Ok(json!({
            "program": {
                "name": program.name,
                "dialect": program.dialect.name(),
                "lines": program.lines.len(),
                "hash": ProgramHash::of(program),
            },
            "diagnostics": diagnostics,
            "samples": rows.collect::<Vec<_>>(),
            "values": values,
            "fits": ended.iter().all(is_right),
            "fuel": ended.iter().map(|(_, ended)| ended.fuel).sum::<u64>(),
        }))
    }

    /// Reads a text; its last program counts.
    fn read(&self, text: &str, dialect: Option<&str>) -> Result<Reading, Refusal> {
        let dialect = dialect.map(dialect_named).transpose()?;
        let language = Language {
            dialect: dialect.or(self.language.dialect),
            names: self.language.names.clone(),
        };
        Ok(match parse_in(text, "the text", &language) {
            Ok(mut programs) => match programs.pop() {
                Some(program) => Reading {
                    findings: verify(&program),
                    program: Some(program),
                },
                None => Reading::of_nothing(),
            },
            Err(findings) => Reading {
                program: None,
                findings,
            },
        })
    }

    /// The results of a program on the demonstrations of a task.
    pub(super) fn judge(&self, program: &Program, task: &Task, engine: &Engine) -> Judged {
        let demos = samples(task).filter(|sample| sample.is_demo);
        let ended: Vec<Ended> = with_large_stack(|| {
            demos
                .map(|sample| self.run(program, task, &sample, engine))
                .collect()
        });
        let n_demos = ended.len().max(1) as f64;
        Judged {
            right: ended.iter().filter(|it| it.verdict == "right").count(),
            credit: ended.iter().filter_map(|it| it.credit).sum::<f64>() / n_demos,
            fuel: ended.iter().map(|it| it.fuel).sum(),
            verdicts: ended.iter().map(|it| it.verdict).collect(),
        }
    }

    fn run(&self, program: &Program, task: &Task, sample: &Sample<'_>, engine: &Engine) -> Ended {
        let ran = engine.run_metered(program, &sample.for_program(&task.demos));
        let verdict = verdict(&ran.outcome, sample.output);
        let demo = sample.is_demo.then_some(sample.name.index);
        Ended {
            credit: demo.map(|demo| self.credit(&ran.outcome, task, demo, engine)),
            outcome: ran.outcome,
            fuel: ran.fuel,
            verdict,
        }
    }

    /// Partial credit for a demonstration, 0 to 100.
    fn credit(&self, outcome: &Outcome, task: &Task, demo: usize, engine: &Engine) -> f64 {
        if outcome.equals(&task.demos[demo].output) {
            return FULL_CREDIT;
        }
        let Some(grid) = grid_of(outcome) else {
            return 0.0;
        };
        let engine = Engine {
            fuel: DEFAULT_FUEL,
            ..engine.clone()
        };
        let marks = self.scorer.explain(&engine, &task.demos, demo, &grid);
        let sum: u32 = marks.iter().map(|mark| mark.number).sum();
        FULL_CREDIT * f64::from(sum) / f64::from(self.scorer.most().max(1))
    }

    pub(super) fn primitives(&self, _: &Call) -> Result<Reply, Refusal> {
        let constant = |(name, value): &(&str, _)| json!({ "name": name, "value": spell(*value) });
        let constants: Vec<Value> = Dialect::Tokpidjin.constants().map(constant).collect();
        let primitives = entries_in_json(all_entries());
        Ok(Reply::JsonText(format!(
            "{{\"primitives\":{primitives},\"constants\":{}}}",
            Value::from(constants)
        )))
    }
}

impl Reading {
    fn of_nothing() -> Reading {
        let message = "there is no program here; one begins with `def solve(I):`";
        Reading {
            program: None,
            findings: vec![Diagnostic::error(message, 0..0)],
        }
    }
}

impl Ended {
    fn to_json(&self, program: &Program, sample: &Sample<'_>, shows_tests: bool) -> Value {
        let is_shown = sample.is_demo || shows_tests;
        let half = if sample.is_demo { "train" } else { "test" };
        json!({
            "name": format!("{half} {}", sample.name.index + 1),
            "is_demo": sample.is_demo,
            "outcome": outcome_in_json(&self.outcome, program),
            "verdict": match self.verdict {
                "right" | "wrong" if !is_shown => "unknown",
                verdict => verdict,
            },
            "credit": self.credit,
            "fuel": self.fuel,
        })
    }
}

fn verdict(outcome: &Outcome, expected: Option<&Grid>) -> &'static str {
    match (outcome.fault(), expected) {
        (Some(Fault::Fuel), _) => "fuel",
        (Some(_), _) => "fault",
        (None, None) => "unknown",
        (None, Some(expected)) if outcome.equals(expected) => "right",
        (None, Some(_)) => "wrong",
    }
}

fn outcome_in_json(outcome: &Outcome, program: &Program) -> Value {
    if let Some(grid) = grid_of(outcome) {
        return json!({ "grid": grid });
    }
    match outcome {
        Outcome::Fault { fault, line, .. } => {
            let line = program
                .lines
                .get(*line as usize)
                .map(|line| line.source_line);
            json!({ "error": fault.name(), "line": line })
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

/// The value of each line on one sample, as pictures and words.
fn values(program: &Program, task: &Task, sample: u64, engine: &Engine) -> Result<Value, Refusal> {
    let chosen = samples(task).nth(usize::try_from(sample).unwrap_or(usize::MAX));
    let chosen =
        chosen.ok_or_else(|| Refusal::bad(format!("sample: {} has no {sample}", task.id)))?;
    let seen = chosen.for_program(&task.demos);
    let results = reference::trace(program, &seen, engine.fuel, &engine.cancel);
    let value = |(line, result): (u32, &Result<Datum, Fault>)| drawn(line, result, chosen.input);
    let lines = program.lines.iter().map(|line| line.source_line);
    Ok(lines.zip(&results).map(value).collect())
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

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

fn dialect_named(name: &str) -> Result<Dialect, Refusal> {
    let mut named = Dialect::NAMED.into_iter();
    let found = named.find(|dialect| dialect.name() == name);
    found.ok_or_else(|| Refusal::bad(format!("dialect: there is no {name}")))
}

fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Findings with places as browsers count them: in UTF-16.
struct Findings<'t> {
    text: &'t str,
}

impl<'t> Findings<'t> {
    fn new(text: &'t str) -> Findings<'t> {
        Findings { text }
    }

    fn to_json(&self, found: &Diagnostic) -> Value {
        let (line, column) = found.position(self.text);
        json!({
            "severity": found.severity.name(),
            "message": found.message,
            "label": found.label,
            "help": found.help,
            "from": self.offset(found.span.start),
            "to": self.offset(found.span.end),
            "line": line,
            "column": column,
        })
    }

    /// The place of a byte, counted in UTF-16.
    fn offset(&self, byte: usize) -> usize {
        let before = self.text.char_indices().take_while(|(k, _)| *k < byte);
        before.map(|(_, c)| c.len_utf16()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_browsers_count() {
        let findings = Findings::new("aé😀b");
        assert_eq!(findings.offset(0), 0);
        assert_eq!(findings.offset("aé".len()), 2);
        assert_eq!(findings.offset("aé😀".len()), 4);
        assert_eq!(findings.offset(1_000), 5);
    }
}
