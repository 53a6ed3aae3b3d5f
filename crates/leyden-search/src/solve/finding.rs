//! What was found, from whatever part of the search, in one order.

use std::cmp::Reverse;

use leyden_grid::Grid;
use leyden_lang::Program;

/// Where an answer comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Pictures that moves lead to.
    Search,
    /// A rule that was learned from the demonstrations.
    Rule,
    /// A known program of this name gives it.
    Transfer(String),
    /// A known program of this name, with these changes, gives it.
    Mutant(String),
}

impl Source {
    /// What it is called in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Source::Search => "search",
            Source::Rule => "rule",
            Source::Transfer(_) => "transfer",
            Source::Mutant(_) => "mutant",
        }
    }
}

/// A program that was found, and what speaks for it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it gives for each test input, if that is a grid.
    pub answers: Vec<Option<Grid>>,
    /// The program.
    pub program: Program,
    /// How many demonstrations it reproduces.
    pub n_demos: usize,
    /// What it costs; less is better.
    pub cost: u32,
    /// How many pictures it lays over each other.
    pub n_layers: usize,
    /// How many others give the same answers.
    pub n_agreeing: usize,
    /// Where it comes from.
    pub source: Source,
}

impl Candidate {
    fn is_known(&self) -> bool {
        matches!(self.source, Source::Transfer(_))
    }
}

/// Best first: what reproduces most demonstrations; if those are all, known programs before others; then
/// what costs least.
pub(crate) fn rank(candidates: &mut [Candidate], n_demos: usize) {
    candidates.sort_by_key(|it| {
        let is_proven = it.is_known() && it.n_demos == n_demos;
        (Reverse(it.n_demos), !is_proven, it.cost)
    });
}

/// The first candidates with different answers; they know how many others agree with them.
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
