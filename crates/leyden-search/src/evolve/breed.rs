//! Breeds programs from programs.

use std::sync::Arc;

use leyden_lang::Program;

use super::member::{Birth, Strain};
use crate::card::hash_of;
use crate::colours::Colours;
use crate::dice::Dice;
use crate::mutate::{Kind, Rates, Sources, mutate};
use crate::types::Shape;
use crate::urn::Urn;

/// The number of rolls for kinds of mutation until one succeeds.
const MOST_ROLLS: usize = 8;
/// The number of draws until a parent is usable.
const MOST_DRAWS: usize = 8;

/// A new program.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) strain: Strain,
    pub(super) birth: Birth,
    /// A quick hash of its lines.
    pub(super) said: u64,
}

/// Programs to draw from, by weight.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    strains: Vec<Arc<Strain>>,
    urn: Urn,
}

impl Pool {
    /// Weighs a program that fits a task by a hundred, others by ten. Short programs count for
    /// more.
    pub(super) fn new(strains: Vec<Arc<Strain>>, fits: impl Fn(&Strain) -> bool) -> Pool {
        let weight = |strain: &Arc<Strain>| {
            let merit = if fits(strain) { 100 } else { 10 };
            let n_lines = strain.program.lines.len() as u64;
            match strain.shapes {
                Some(_) => 1 + merit * 1_000 / (10 + n_lines),
                None => 0,
            }
        };
        let weights: Vec<u64> = strains.iter().map(weight).collect();
        Pool {
            urn: Urn::new(&weights),
            strains,
        }
    }

    /// Draws a program by weight, but not one that was made for the task `without`.
    fn draw(&self, without: Option<usize>, dice: &mut Dice) -> Option<&Arc<Strain>> {
        let is_allowed = |strain: &&Arc<Strain>| !without.is_some_and(|task| strain.is_from(task));
        (0..MOST_DRAWS)
            .filter_map(|_| self.urn.draw(dice))
            .map(|k| &self.strains[k])
            .find(is_allowed)
    }
}

/// Makes children from one seed.
pub(super) struct Breeder<'b> {
    pub(super) pool: &'b Pool,
    pub(super) rates: &'b Rates,
    pub(super) seed: u64,
    pub(super) dice: Dice,
    /// The task whose own programs must not be used.
    pub(super) without: Option<usize>,
}

impl<'b> Breeder<'b> {
    pub(super) fn seeded(pool: &'b Pool, rates: &'b Rates, seed: u64) -> Breeder<'b> {
        Breeder {
            pool,
            rates,
            seed,
            dice: Dice::seeded(seed),
            without: None,
        }
    }

    /// Draws a parent from the pool.
    pub(super) fn parent(&mut self) -> Option<Arc<Strain>> {
        self.pool.draw(self.without, &mut self.dice).cloned()
    }

    /// Mutates a program; `None` if no mutation was possible.
    pub(super) fn child(&mut self, parent: &Strain, colours: Option<&Colours>) -> Option<Child> {
        let shapes = parent.shapes.as_ref()?;
        let mut draft = Draft {
            program: parent.program.clone(),
            shapes: shapes.clone(),
            lineage: parent.lineage.clone(),
            mutations: Vec::new(),
        };
        (0..MOST_ROLLS).find(|_| self.change(&mut draft, colours))?;
        Some(Child {
            said: hash_of(&draft.program),
            birth: Birth {
                parent: Some(parent.hash),
                mutation: draft.mutations.join("; "),
                seed: self.seed,
            },
            strain: Strain {
                hash: draft.program.content_hash(),
                program: draft.program,
                lineage: draft.lineage,
                shapes: Some(draft.shapes),
            },
        })
    }

    /// Rolls for each kind of mutation; returns whether one was made.
    fn change(&mut self, draft: &mut Draft, colours: Option<&Colours>) -> bool {
        for kind in Kind::ALL {
            if self.dice.chance(self.rates.get(*kind)) {
                self.apply(*kind, draft, colours);
            }
        }
        !draft.mutations.is_empty()
    }

    fn apply(&mut self, kind: Kind, draft: &mut Draft, colours: Option<&Colours>) {
        let donor = match kind {
            Kind::Crossover => self.donor(draft),
            _ => None,
        };
        let sources = Sources {
            donor: donor
                .as_ref()
                .and_then(|donor| Some((&donor.program, donor.shapes.as_deref()?))),
            colours,
        };
        let (changed, _) = mutate(
            kind,
            &draft.program,
            &draft.shapes,
            &sources,
            &mut self.dice,
        );
        if let Some(changed) = changed {
            draft.program = changed.program;
            draft.shapes = changed.shapes;
            draft
                .mutations
                .push(format!("{}: {}", kind.name(), changed.what));
            if let Some(donor) = donor {
                draft.join(&donor.lineage);
            }
        }
    }

    fn donor(&mut self, draft: &Draft) -> Option<Arc<Strain>> {
        let donor = self.pool.draw(self.without, &mut self.dice)?;
        let is_kin = donor.program.dialect == draft.program.dialect;
        is_kin.then(|| donor.clone())
    }
}

/// A program under mutation.
struct Draft {
    program: Program,
    shapes: Vec<Shape>,
    lineage: Vec<u32>,
    mutations: Vec<String>,
}

impl Draft {
    fn join(&mut self, lineage: &[u32]) {
        self.lineage.extend(lineage);
        self.lineage.sort_unstable();
        self.lineage.dedup();
    }
}

impl Breeder<'_> {
    /// An index below `n`; the first ones are more likely.
    pub(super) fn rank(&mut self, n: usize) -> usize {
        self.dice.below(n).min(self.dice.below(n))
    }
}
