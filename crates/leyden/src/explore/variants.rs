//! Scrubbing: every replacement of fitting type for one word of a program, and what it gives.

use leyden_dsl::table::Dialect;
use leyden_exec::Outcome;
use leyden_explore::{Call, Refusal, Reply};
use leyden_grid::Puzzle;
use leyden_lang::{Language, Program};
use leyden_search::judge::{Judge, Judgement};
use leyden_search::types::unsound_line;
use serde_json::{Value, json};

use super::eval::grid_of;
use super::reading::{byte_at, read, utf16};
use super::tokens::{replaced, tokens};
use super::{App, FIRST_PASS_FUEL};

/// A program that differs from the user's.
struct Variant {
    word: String,
    text: String,
    judgement: Judgement,
    /// The outcome on the chosen sample.
    outcome: Outcome,
    is_current: bool,
}

impl App {
    pub(super) fn variants(&self, call: &Call) -> Result<Reply, Refusal> {
        let text = call.text("text")?;
        let puzzle = self
            .set(call.text("set")?)?
            .task(call.text("task")?)?
            .puzzle();
        let current = self.program_of(call)?;
        let language = self.language(call)?;
        let place = call.count_if_any("position")?.unwrap_or(0);
        let byte = byte_at(text, usize::try_from(place).unwrap_or(usize::MAX));
        let sample = self.sample_of(call, &puzzle)?;
        let found = tokens(text, current.dialect).into_iter();
        let mut touching = found.filter(|it| it.span.start <= byte && byte <= it.span.end);
        let Some(token) = touching.next_back() else {
            let message = "position: there is no constant and no primitive here";
            return Err(Refusal::bad(message));
        };
        let word = text[token.span.clone()].to_owned();
        let others = token.kind.replacements(current.dialect);
        let words = std::iter::once(word.clone()).chain(others);
        let variant = |other: String| {
            let text = replaced(text, &[(&token.span, &other)]);
            let is_current = other == word;
            let program = sound(&text, &language, current.dialect, is_current)?;
            let judged = self.judged(&puzzle, &program, call);
            Some(Variant {
                outcome: outcome_on(sample, &judged, &puzzle, &program, call)?,
                judgement: judged,
                is_current,
                word: other,
                text,
            })
        };
        let mut variants: Vec<Variant> = words.filter_map(variant).collect();
        variants.sort_by(|a, b| by_merit(&a.judgement, &b.judgement));
        Ok(Reply::Json(json!({
            "token": word,
            "kind": token.kind.name(),
            "from": utf16(text, token.span.start),
            "to": utf16(text, token.span.end),
            "variants": variants.iter().map(Variant::to_json).collect::<Vec<_>>(),
        })))
    }

    /// The sample of a call, the first by default.
    fn sample_of(&self, call: &Call, puzzle: &Puzzle) -> Result<usize, Refusal> {
        let sample = call.count_if_any("sample")?.unwrap_or(0);
        let sample = usize::try_from(sample).unwrap_or(usize::MAX);
        if sample < puzzle.demos.len() + puzzle.test_inputs.len() {
            return Ok(sample);
        }
        Err(Refusal::bad(format!(
            "sample: {} has no {sample}",
            puzzle.id
        )))
    }

    /// A first look at a program: little fuel, so that a slow one does not hold up the others.
    pub(super) fn judged(&self, puzzle: &Puzzle, program: &Program, call: &Call) -> Judgement {
        self.judge
            .verdict(puzzle, program, FIRST_PASS_FUEL, &call.cancel)
    }
}

/// The program of a changed text, unless the change makes no sense. The user's own text counts as it is.
pub(super) fn sound(
    text: &str,
    language: &Language,
    dialect: Dialect,
    is_current: bool,
) -> Option<Program> {
    let language = Language {
        dialect: Some(dialect),
        ..language.clone()
    };
    let program = read(text, &language).program?;
    (is_current || unsound_line(&program).is_none()).then_some(program)
}

fn outcome_on(
    sample: usize,
    judged: &Judgement,
    puzzle: &Puzzle,
    program: &Program,
    call: &Call,
) -> Option<Outcome> {
    match sample.checked_sub(puzzle.demos.len()) {
        None => judged
            .demos
            .get(sample)
            .map(|demo| demo.ran.outcome.clone()),
        Some(test) => {
            let answers = Judge::answers(puzzle, program, FIRST_PASS_FUEL, &call.cancel);
            answers.into_iter().nth(test)
        }
    }
}

/// Most right pairs first, then most credit, then least fuel.
pub(super) fn by_merit(a: &Judgement, b: &Judgement) -> std::cmp::Ordering {
    b.n_right()
        .cmp(&a.n_right())
        .then(b.credit().total_cmp(&a.credit()))
        .then(a.fuel().cmp(&b.fuel()))
}

impl Variant {
    fn to_json(&self) -> Value {
        json!({
            "token": self.word,
            "text": self.text,
            "right": self.judgement.n_right(),
            "pairs": self.judgement.demos.len(),
            "credit": self.judgement.credit(),
            "fuel": self.judgement.fuel(),
            "grid": grid_of(&self.outcome),
            "error": self.outcome.fault().map(|fault| fault.name()),
            "is_current": self.is_current,
        })
    }
}
