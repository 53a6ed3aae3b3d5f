//! A program that competes for a task, and the few best ones.

use std::cmp::Reverse;
use std::sync::Arc;

use leyden_lang::Program;

use crate::types::{Shape, check};

/// The mark of a program on one demonstration pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Whether the output is the expected one.
    pub is_exact: bool,
    /// The sum of all scoring programs.
    pub credit: u32,
    /// The fuel it used.
    pub fuel: u64,
}

impl Mark {
    /// The mark of a pair on which a program was not tried.
    pub(super) const UNTRIED: Mark = Mark {
        is_exact: false,
        credit: 0,
        fuel: 0,
    };
}

/// A program with the data that mutations need.
#[derive(Clone, Debug)]
pub struct Strain {
    /// The program.
    pub program: Program,
    /// The hash of its lines.
    pub hash: u128,
    /// The tasks whose own programs are its ancestors, by index, sorted.
    pub(super) lineage: Vec<u32>,
    /// The shapes of its lines; `None` if its types are not sound. Such a program is never mutated.
    pub(super) shapes: Option<Vec<Shape>>,
}

impl Strain {
    pub(super) fn new(program: Program, lineage: Vec<u32>) -> Strain {
        Strain {
            hash: program.content_hash(),
            shapes: check(&program),
            program,
            lineage,
        }
    }

    /// Whether it descends from a program that was made for this task.
    pub(super) fn is_from(&self, place: usize) -> bool {
        self.lineage.binary_search(&(place as u32)).is_ok()
    }
}

/// The origin of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Birth {
    /// The hash of its parent; `None` for programs of the library.
    pub parent: Option<u128>,
    /// The mutation that made it.
    pub mutation: String,
    /// The seed of the choices that made it.
    pub seed: u64,
}

/// A program and its marks on a task.
#[derive(Clone, Debug)]
pub struct Member {
    /// The program.
    pub strain: Arc<Strain>,
    /// Its origin.
    pub birth: Birth,
    /// Its marks, pair by pair.
    pub marks: Vec<Mark>,
    /// A hash of its outputs.
    pub(super) behaviour: u64,
}

/// The key that orders programs, the best first.
type Merit = (Reverse<usize>, Reverse<u64>, usize, u64, u128);

impl Member {
    /// The number of right demonstration pairs.
    pub fn n_exact(&self) -> usize {
        self.marks.iter().filter(|mark| mark.is_exact).count()
    }

    /// Whether all demonstration pairs are right.
    pub fn fits(&self) -> bool {
        !self.marks.is_empty() && self.n_exact() == self.marks.len()
    }

    /// The number of pairs on which it was tried. A program without credit on a pair would not have
    /// continued.
    pub(super) fn n_tried(&self) -> usize {
        self.marks.iter().filter(|mark| mark.credit > 0).count()
    }

    /// The credit for all pairs.
    pub(super) fn credit(&self) -> u64 {
        self.marks.iter().map(|mark| u64::from(mark.credit)).sum()
    }

    /// The order: exact first, then partial credit, then small, then cheap. The hash breaks ties.
    fn merit(&self) -> Merit {
        let fuel = self
            .marks
            .iter()
            .fold(0, |sum: u64, mark| sum.saturating_add(mark.fuel));
        (
            Reverse(self.n_exact()),
            Reverse(self.credit()),
            self.strain.program.lines.len(),
            fuel,
            self.strain.hash,
        )
    }
}

/// The best few programs, the best first. No two of them behave alike.
#[derive(Clone, Debug, Default)]
pub(super) struct Elite(pub(super) Vec<Arc<Member>>);

impl Elite {
    /// Admits a program if it is better than one that behaves alike, or than the worst; returns
    /// whether it did.
    pub(super) fn admit(&mut self, member: &Arc<Member>, most: usize) -> bool {
        let alike = |other: &Arc<Member>| other.behaviour == member.behaviour;
        if let Some(k) = self.0.iter().position(alike) {
            if self.0[k].merit() <= member.merit() {
                return false;
            }
            self.0.remove(k);
        }
        let place = self
            .0
            .partition_point(|other| other.merit() < member.merit());
        if place >= most {
            return false;
        }
        self.0.insert(place, member.clone());
        self.0.truncate(most);
        true
    }

    pub(super) fn best(&self) -> Option<&Arc<Member>> {
        self.0.first()
    }

    /// The credit for a pair that a newcomer needs; 0 while there is room.
    pub(super) fn floor(&self, most: usize) -> u64 {
        match self.0.last() {
            Some(worst) if self.0.len() >= most => worst.credit() / worst.n_tried().max(1) as u64,
            _ => 0,
        }
    }
}
