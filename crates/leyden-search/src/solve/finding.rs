//! Findings of all parts of the search, in one order.

use std::cmp::Reverse;

use leyden_grid::{Grid, Puzzle};
use leyden_lang::Program;

use super::price::PricePart;

/// The tenths of a bit that each doubling of the number of agreeing programs saves.
const AGREEMENT: f64 = 30.0;

/// The origin of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Pictures that moves lead to.
    Search,
    /// A rule that was learned from the demonstrations.
    Rule,
    /// A known program with this name.
    Transfer(String),
    /// A mutant of the known program with this name.
    Mutant(String),
}

impl Source {
    /// The name for reports.
    pub fn name(&self) -> &'static str {
        match self {
            Source::Search => "search",
            Source::Rule => "rule",
            Source::Transfer(_) => "transfer",
            Source::Mutant(_) => "mutant",
        }
    }
}

/// A program that was found, with its evidence.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its answer to each test input, if that is a grid.
    pub answers: Vec<Option<Grid>>,
    /// The program.
    pub program: Program,
    /// The number of demonstrations that it reproduces.
    pub n_demos: usize,
    /// The parts of its price.
    pub parts: Vec<PricePart>,
    /// The number of pictures that it lays over each other.
    pub n_layers: usize,
    /// The number of others with equal answers.
    pub n_agreeing: usize,
    /// Its origin.
    pub source: Source,
}

impl Candidate {
    /// Whether it reproduces all demonstrations.
    pub(crate) fn fits(&self, puzzle: &Puzzle) -> bool {
        self.n_demos == puzzle.demos.len()
    }

    /// The price in tenths of a bit; less is better.
    pub fn price(&self) -> i64 {
        self.parts.iter().map(|part| part.tenths).sum()
    }

    pub(crate) fn pay(&mut self, part: Option<PricePart>) {
        self.parts.extend(part);
    }

    fn is_known(&self) -> bool {
        matches!(self.source, Source::Transfer(_))
    }
}

/// Makes answers cheaper that several programs give: two programs rarely err in one way.
pub(crate) fn pool(candidates: &mut [Candidate]) {
    let n_votes: Vec<usize> = candidates.iter().map(|it| votes(it, candidates)).collect();
    for (candidate, n_votes) in candidates.iter_mut().zip(n_votes) {
        let saved = (AGREEMENT * (n_votes.max(1) as f64).log2()) as i64;
        let others = format!("{} more programs agree", n_votes.saturating_sub(1));
        candidate.pay((saved > 0).then(|| PricePart::new(others, -saved)));
    }
}

/// The number of programs that give a candidate's answers and reproduce as many demonstrations.
fn votes(candidate: &Candidate, all: &[Candidate]) -> usize {
    let is_agreeing =
        |it: &&Candidate| it.n_demos == candidate.n_demos && it.answers == candidate.answers;
    let agreeing = all.iter().filter(is_agreeing);
    agreeing.map(|it| 1 + it.n_agreeing).sum()
}

/// Ranks candidates. More reproduced demonstrations come first. If those are all, known programs
/// come before others. Then lower costs come first.
pub(crate) fn rank(candidates: &mut [Candidate], n_demos: usize) {
    candidates.sort_by_key(|it| {
        let is_proven = it.is_known() && it.n_demos == n_demos;
        (Reverse(it.n_demos), !is_proven, it.price())
    });
}

/// The first candidates with distinct answers. Each counts the others that agree with it.
pub(crate) fn distinct(candidates: Vec<Candidate>, most: usize) -> Vec<Candidate> {
    let mut distinct: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        match distinct
            .iter()
            .position(|it| it.answers == candidate.answers)
        {
            Some(k) => distinct[k].n_agreeing += 1 + candidate.n_agreeing,
            None if distinct.len() < most => distinct.push(candidate),
            None => {}
        }
    }
    distinct
}
