//! What was found, from whatever part of the search, in one order.

use std::cmp::Reverse;

use leyden_grid::Grid;
use leyden_lang::Program;

use super::compose::Layer;

/// Where an answer comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It was searched for.
    Search,
    /// A known program of this name gives it.
    Transfer(String),
}

impl Source {
    /// What it is called in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Source::Search => "search",
            Source::Transfer(_) => "transfer",
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

/// How to make the program of a finding.
#[derive(Clone, Debug)]
pub(crate) enum Maker {
    /// Lay these over each other, topmost first.
    Layers(Vec<Layer>),
    /// It is known already.
    Known(usize),
}

/// What a program would give, before it is written down.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) answers: Vec<Option<Grid>>,
    pub(crate) n_demos: usize,
    pub(crate) cost: u32,
    pub(crate) maker: Maker,
}

impl Finding {
    pub(crate) fn n_layers(&self) -> usize {
        match &self.maker {
            Maker::Layers(layers) => layers.len(),
            Maker::Known(_) => 1,
        }
    }

    fn is_known(&self) -> bool {
        matches!(self.maker, Maker::Known(_))
    }
}

/// Best first: what reproduces most demonstrations; if those are all, known programs before others; then
/// what costs least.
pub(crate) fn rank(findings: &mut [Finding], n_demos: usize) {
    findings.sort_by_key(|finding| {
        let is_proven = finding.is_known() && finding.n_demos == n_demos;
        (Reverse(finding.n_demos), !is_proven, finding.cost)
    });
}

/// The first finding of each different set of answers, with the number of others that agree.
pub(crate) fn distinct(findings: &[Finding], most: usize) -> Vec<(&Finding, usize)> {
    let mut distinct: Vec<(&Finding, usize)> = Vec::new();
    for finding in findings {
        let same = |it: &(&Finding, usize)| it.0.answers == finding.answers;
        match distinct.iter().position(same) {
            Some(k) => distinct[k].1 += 1,
            None if distinct.len() < most => distinct.push((finding, 0)),
            None => {}
        }
    }
    distinct
}
