//! Painting the meant output: the smallest edits of a program that give painted grids.

use std::ops::Range;

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Engine, Outcome, Sample, with_large_stack};
use leyden_explore::{Call, Refusal, Reply};
use leyden_grid::{Grid, Puzzle};
use leyden_lang::{Language, Program};
use leyden_search::judge::Judgement;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use super::eval::grid_of;
use super::tokens::{replaced, tokens};
use super::variants::{by_merit, sound};
use super::{App, FIRST_PASS_FUEL};

/// At most this many pairs of edits are tried.
const MOST_PAIRS: usize = 20_000;
/// At most this many repaired programs are listed.
const MOST_LISTED: usize = 12;

/// A grid that the user painted.
struct Painted<'p> {
    input: &'p Grid,
    wanted: Grid,
}

/// One word in place of another.
struct Edit {
    span: Range<usize>,
    line: usize,
    old: String,
    new: String,
    /// The cells of the first painted grid that the edit alone gets right.
    n_agreeing: usize,
}

/// A program that gives every painted grid.
struct Repaired {
    text: String,
    changes: Vec<String>,
    judgement: Judgement,
}

/// A search for edits.
struct Search<'s> {
    app: &'s App,
    call: &'s Call,
    text: &'s str,
    language: Language,
    current: &'s Program,
    puzzle: &'s Puzzle,
    painted: Vec<Painted<'s>>,
    engine: Engine,
    seen: FxHashSet<u128>,
    n_tried: usize,
    found: Vec<Repaired>,
}

impl App {
    pub(super) fn repair(&self, call: &Call) -> Result<Reply, Refusal> {
        let text = call.text("text")?;
        let puzzle = self
            .set(call.text("set")?)?
            .task(call.text("task")?)?
            .puzzle();
        let current = self.program_of(call)?;
        let mut search = Search {
            app: self,
            call,
            text,
            language: self.language(call)?,
            current: &current,
            puzzle: &puzzle,
            painted: painted(&call.body, &puzzle)?,
            engine: engine(&call.cancel),
            seen: FxHashSet::default(),
            n_tried: 0,
            found: Vec::new(),
        };
        with_large_stack(|| search.run());
        search.found.sort_by(|a, b| {
            let by_size = a.changes.len().cmp(&b.changes.len());
            by_size.then(by_merit(&a.judgement, &b.judgement))
        });
        search.found.truncate(MOST_LISTED);
        let edits: Vec<Value> = search.found.iter().map(Repaired::to_json).collect();
        Ok(Reply::Json(
            json!({ "tried": search.n_tried, "edits": edits }),
        ))
    }
}

fn engine(cancel: &CancelToken) -> Engine {
    Engine {
        fuel: FIRST_PASS_FUEL,
        cancel: cancel.clone(),
        ..Engine::default()
    }
}

fn painted<'p>(body: &Value, puzzle: &'p Puzzle) -> Result<Vec<Painted<'p>>, Refusal> {
    let missing = || Refusal::bad("painted: expected a list of {\"sample\", \"grid\"}");
    let list = body["painted"].as_array().filter(|list| !list.is_empty());
    let one = |item: &'_ Value| {
        let demos = puzzle.demos.iter().map(|pair| &pair.input);
        let mut inputs = demos.chain(&puzzle.test_inputs);
        let sample = item["sample"]
            .as_u64()
            .and_then(|k| usize::try_from(k).ok());
        let sample = sample.ok_or_else(missing)?;
        let no_such = || Refusal::bad(format!("sample: {} has no {sample}", puzzle.id));
        let rows: Vec<Vec<u8>> =
            serde_json::from_value(item["grid"].clone()).map_err(|_| missing())?;
        let wanted = Grid::from_rows(&rows);
        Ok(Painted {
            input: inputs.nth(sample).ok_or_else(no_such)?,
            wanted: wanted.map_err(|error| Refusal::bad(format!("grid: {error}")))?,
        })
    };
    list.ok_or_else(missing)?.iter().map(one).collect()
}

impl Search<'_> {
    /// Tries all single edits; then, if none is enough, pairs of them, the most promising first.
    fn run(&mut self) {
        self.seen.insert(self.current.content_hash());
        let mut edits = self.single_edits();
        for edit in &mut edits {
            if !self.goes_on() {
                return;
            }
            edit.n_agreeing = self.attempt(&[edit]);
        }
        if !self.found.is_empty() {
            return;
        }
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.n_agreeing));
        let ends_at = self.n_tried + MOST_PAIRS;
        for sum in 1..2 * edits.len() {
            for first in 0..sum.div_ceil(2) {
                let Some(second) = edits.get(sum - first) else {
                    continue;
                };
                if !self.goes_on() || self.n_tried >= ends_at {
                    return;
                }
                self.attempt_both(&edits[first], second);
            }
        }
    }

    fn goes_on(&self) -> bool {
        !self.call.cancel.is_cancelled() && self.found.len() < MOST_LISTED
    }

    fn single_edits(&self) -> Vec<Edit> {
        let dialect = self.current.dialect;
        let all = tokens(self.text, dialect).into_iter().flat_map(|token| {
            let line = self.text[..token.span.start].matches('\n').count() + 1;
            let words = token.kind.replacements(dialect).into_iter();
            words.map(move |new| Edit {
                old: self.text[token.span.clone()].to_owned(),
                span: token.span.clone(),
                line,
                new,
                n_agreeing: 0,
            })
        });
        all.collect()
    }

    fn attempt_both(&mut self, one: &Edit, other: &Edit) {
        if one.span.start < other.span.start {
            self.attempt(&[one, other]);
        } else if other.span.start < one.span.start {
            self.attempt(&[other, one]);
        }
    }

    /// Tries edits together. Gives the number of cells of the first painted grid that they get
    /// right.
    fn attempt(&mut self, edits: &[&Edit]) -> usize {
        let words: Vec<(&Range<usize>, &str)> =
            edits.iter().map(|it| (&it.span, it.new.as_str())).collect();
        let text = replaced(self.text, &words);
        let program = sound(&text, &self.language, self.current.dialect, false);
        let Some(program) = program.filter(|it| self.seen.insert(it.content_hash())) else {
            return 0;
        };
        self.n_tried += 1;
        let first = &self.painted[0];
        let n_agreeing = agreeing(&self.run_on(&program, first), &first.wanted);
        let is_right = |it: &Painted<'_>| self.run_on(&program, it).equals(&it.wanted);
        if n_agreeing == first.wanted.cells().len() && self.painted.iter().all(is_right) {
            let judgement = self.app.judged(self.puzzle, &program, self.call);
            let changes = edits.iter().map(|it| it.in_words()).collect();
            self.found.push(Repaired {
                text,
                changes,
                judgement,
            });
        }
        n_agreeing
    }

    fn run_on(&self, program: &Program, painted: &Painted<'_>) -> Outcome {
        let sample = Sample {
            input: painted.input,
            demos: &self.puzzle.demos,
            expected: None,
        };
        self.engine.run(program, &sample)
    }
}

/// The number of cells that are as wanted; none if the sizes differ.
fn agreeing(outcome: &Outcome, wanted: &Grid) -> usize {
    let grid = grid_of(outcome).filter(|grid| grid.shape() == wanted.shape());
    let equal = |grid: Grid| {
        let pairs = grid.cells().iter().zip(wanted.cells());
        pairs.filter(|(ours, theirs)| ours == theirs).count()
    };
    grid.map_or(0, equal)
}

impl Edit {
    fn in_words(&self) -> String {
        format!("line {}: {} → {}", self.line, self.old, self.new)
    }
}

impl Repaired {
    fn to_json(&self) -> Value {
        json!({
            "text": self.text,
            "change": self.changes.join(", "),
            "right": self.judgement.n_right(),
            "pairs": self.judgement.demos.len(),
            "credit": self.judgement.credit(),
            "fits": self.judgement.fits(),
        })
    }
}
