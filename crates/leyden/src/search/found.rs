//! [`Found`]: a task's answers, as journals and reports keep them.

use std::collections::BTreeMap;
use std::fmt::Write;

use leyden_dsl::table::Dialect;
use leyden_grid::{Grid, Puzzle};
use leyden_lang::{print_dialect, print_python};
use leyden_search::solve::{Attempt, Candidate, PHASES, Phase, PricePart, Solution, Source};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// The answers to a task, and the effort behind them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) task: String,
    pub(crate) demos: usize,
    pub(crate) states: usize,
    pub(crate) pieces: usize,
    /// The number of runs of a program on a grid.
    pub(crate) runs: u64,
    pub(crate) fuel: u64,
    pub(crate) wall_s: f64,
    /// Seconds by phase of the search.
    pub(crate) phases_s: BTreeMap<String, f64>,
    /// For each test input the best answers, best first.
    pub(crate) answers: Vec<Vec<Answer>>,
    /// The best candidates, best first, if the run keeps them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) candidates: Vec<Ranked>,
}

/// A candidate: a program with its answers to all test inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ranked {
    pub(crate) demos_reproduced: usize,
    pub(crate) bits: f64,
    /// The parts of the price, with their bits.
    pub(crate) parts: Vec<(String, f64)>,
    /// As in [`Answer`].
    pub(crate) source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) known_as: Option<String>,
    pub(crate) dialect: String,
    pub(crate) program: String,
    /// The number of other programs with equal answers.
    pub(crate) n_agreeing: usize,
    /// For each test input a grid, if the program gives one.
    #[serde(deserialize_with = "grids")]
    pub(crate) answers: Vec<Option<Grid>>,
}

/// An answer with the program that gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer {
    #[serde(deserialize_with = "grid")]
    pub(crate) grid: Grid,
    pub(crate) demos_reproduced: usize,
    /// The price; less is better.
    pub(crate) bits: f64,
    /// `search`, `rule`, `transfer` or `mutant`.
    pub(crate) source: String,
    /// The name of the known program, and what was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) known_as: Option<String>,
    /// The dialect of the program.
    #[serde(default)]
    pub(crate) dialect: String,
    pub(crate) program: String,
    pub(crate) program_hash: String,
    /// The program as a Python function with a name of its own.
    pub(crate) python: String,
}

fn grid<'de, D: Deserializer<'de>>(input: D) -> Result<Grid, D::Error> {
    let rows = Vec::<Vec<u8>>::deserialize(input)?;
    Grid::from_rows(&rows).map_err(D::Error::custom)
}

/// Reads grids that may be missing.
pub(crate) fn grids<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Option<Grid>>, D::Error> {
    let grids = Vec::<Option<Vec<Vec<u8>>>>::deserialize(input)?;
    let grid = |rows: Vec<Vec<u8>>| Grid::from_rows(&rows).map_err(D::Error::custom);
    grids
        .into_iter()
        .map(|it| it.map(grid).transpose())
        .collect()
}

impl Ranked {
    fn new(candidate: &Candidate) -> Ranked {
        Ranked {
            demos_reproduced: candidate.n_demos,
            bits: bits(candidate.price()),
            parts: candidate.parts.iter().map(part).collect(),
            source: candidate.source.name().to_owned(),
            known_as: known_as(&candidate.source),
            dialect: candidate.program.dialect.name().to_owned(),
            program: candidate.program.to_string(),
            n_agreeing: candidate.n_agreeing,
            answers: candidate.answers.clone(),
        }
    }
}

/// A price in tenths of a bit as bits.
pub(crate) fn bits(tenths: i64) -> f64 {
    tenths as f64 / 10.0
}

fn part(part: &PricePart) -> (String, f64) {
    (part.name.clone(), bits(part.tenths))
}

/// The name of the known program behind an answer.
fn known_as(source: &Source) -> Option<String> {
    match source {
        Source::Transfer(name) | Source::Mutant(name) => Some(name.clone()),
        Source::Search | Source::Rule => None,
    }
}

impl Found {
    pub(crate) fn new(puzzle: &Puzzle, solution: &Solution, wall_s: f64) -> Found {
        let tests = solution.attempts.iter().enumerate();
        let answers = tests.map(|(test, attempts)| {
            let answer = |(k, attempt)| Answer::new(puzzle, (test, k), attempt);
            attempts.iter().enumerate().map(answer).collect()
        });
        let seconds = |phase: Phase| solution.times.of(phase).as_secs_f64();
        let phases = PHASES.map(|phase| (phase.name().to_owned(), seconds(phase)));
        Found {
            task: puzzle.id.to_string(),
            demos: puzzle.demos.len(),
            states: solution.n_states,
            pieces: solution.n_pieces,
            runs: solution.n_runs,
            fuel: solution.fuel,
            wall_s,
            phases_s: phases.into(),
            answers: answers.collect(),
            candidates: solution.candidates.iter().map(Ranked::new).collect(),
        }
    }

    /// Do the first answers come from programs that reproduce all demonstrations?
    pub(crate) fn fits(&self) -> bool {
        let fits_all = |answer: &Answer| answer.demos_reproduced == self.demos;
        let mut tests = self.answers.iter();
        tests.all(|answers| answers.first().is_some_and(fits_all))
    }

    /// All programs, each under a line about it, with a line for the dialect if the names do not
    /// tell it.
    pub(crate) fn programs_text(&self) -> String {
        let mut text = String::new();
        let theirs = Dialect::Tokpidjin.name();
        let is_told = self
            .answers
            .iter()
            .flatten()
            .any(|it| it.dialect.starts_with(theirs));
        for (test, answers) in self.answers.iter().enumerate() {
            for (k, answer) in answers.iter().enumerate() {
                let origin = answer.known_as.as_ref();
                let origin = origin.map_or(String::new(), |name| format!("; known as {name}"));
                let _ = writeln!(
                    text,
                    "# test {test}, attempt {}: reproduces {} of {} demonstrations{origin}",
                    k + 1,
                    answer.demos_reproduced,
                    self.demos
                );
                if is_told {
                    text.push_str(&print_dialect(&answer.dialect));
                }
                let _ = writeln!(text, "{}", answer.python);
            }
        }
        text
    }
}

impl Answer {
    fn new(puzzle: &Puzzle, (test, k): (usize, usize), attempt: &Attempt) -> Answer {
        let mut program = attempt.program.clone();
        // A name tells re-arc's dialect; tokpidjin's stands in a comment.
        let prefix = match program.dialect {
            Dialect::ReArc => "verify",
            _ => "solve",
        };
        program.name = format!("{prefix}_{}_t{test}_a{}", puzzle.id, k + 1);
        Answer {
            grid: attempt.grid.clone(),
            demos_reproduced: attempt.n_demos,
            bits: bits(attempt.price),
            source: attempt.source.name().to_owned(),
            known_as: known_as(&attempt.source),
            dialect: program.dialect.name().to_owned(),
            program: attempt.program.to_string(),
            program_hash: format!("{:032x}", attempt.program.content_hash()),
            python: print_python(&program),
        }
    }
}
