//! Mutants of the known programs that come closest to a task.

use std::cmp::Reverse;

use leyden_grid::Puzzle;
use leyden_lang::Program;
use rustc_hash::FxHashMap;

use super::effort::Account;
use super::finding::{Candidate, Source};
use super::price::{PricePart, Tenths};
use super::transfer::{Closeness, Known, Trial};
use crate::colours::Colours;
use crate::dice::Dice;
use crate::mutate::{Kind, Sources, mutate};
use crate::types::check;

/// The number of parents, the number of mutants of each, and the number of generations.
const N_PARENTS: usize = 24;
const N_CHILDREN: usize = 128;
const N_GENERATIONS: usize = 3;
/// The cost of a mutation.
const CHANGE_COST: Tenths = 90;
/// The share of the effort that is spent at the end of this phase.
const UNTIL: f64 = 0.4;
/// The seed of all mutations, so that a search can be repeated.
const SEED: u64 = 1;

/// A program to mutate.
struct Parent {
    program: Program,
    closeness: Closeness,
    /// The mutations so far.
    history: String,
}

/// Finds mutants that reproduce a demonstration.
pub(crate) fn mutants(
    known: &Known,
    closeness: &[Closeness],
    puzzle: &Puzzle,
    account: &Account<'_>,
) -> Vec<Candidate> {
    let mut parents = closest(known, closeness, 0, |program| program.name.clone());
    let (mut dice, mut candidates) = (Dice::seeded(SEED), Vec::new());
    for generation in 1..=N_GENERATIONS as u32 {
        if parents.is_empty() || account.is_past(UNTIL) {
            break;
        }
        let (changed, histories) = children(known, &parents, puzzle, &mut dice, account);
        let history = |program: &Program| histories[&program.content_hash()].clone();
        let mut trial = Trial::new(&changed, puzzle, account);
        trial.run(UNTIL);
        candidates.extend(trial.candidates(|program| {
            let source = Source::Mutant(history(program));
            let changes = format!("{generation} changes of a known program");
            (
                Some(PricePart::new(changes, generation * CHANGE_COST)),
                source,
            )
        }));
        if trial.is_solved() {
            break;
        }
        let best = parents.first().map_or(0, |it| it.closeness);
        parents = closest(&changed, &trial.closeness, best, history);
    }
    candidates
}

/// The programs that come closer than `than`, at most [`N_PARENTS`]: the closest first, small ones
/// before large ones.
fn closest(
    known: &Known,
    closeness: &[Closeness],
    than: Closeness,
    history: impl Fn(&Program) -> String,
) -> Vec<Parent> {
    let mut closer: Vec<usize> = (0..known.len()).filter(|k| closeness[*k] > than).collect();
    closer.sort_by_key(|k| (Reverse(closeness[*k]), known.program(*k).lines.len()));
    closer.truncate(N_PARENTS);
    let parent = |k: usize| Parent {
        program: known.program(k).clone(),
        closeness: closeness[k],
        history: history(known.program(k)),
    };
    closer.into_iter().map(parent).collect()
}

/// The next of the parents with the dialect of parent `k`.
fn donor_for(k: usize, parents: &[Parent]) -> Option<&Program> {
    let later = (1..=parents.len()).map(|n| &parents[(k + n) % parents.len()].program);
    let dialect = parents[k].program.dialect;
    later.into_iter().find(|donor| donor.dialect == dialect)
}

/// Programs that differ from one of the parents in one place, with their histories, by content.
fn children(
    known: &Known,
    parents: &[Parent],
    puzzle: &Puzzle,
    dice: &mut Dice,
    account: &Account<'_>,
) -> (Known, FxHashMap<u128, String>) {
    let colours = Colours::of(puzzle);
    let (mut programs, mut histories) = (Vec::new(), FxHashMap::default());
    for (k, parent) in parents.iter().enumerate() {
        let Some(shapes) = check(&parent.program) else {
            continue;
        };
        let donor = donor_for(k, parents);
        let donor = donor.and_then(|donor| Some((donor, check(donor)?)));
        let sources = Sources {
            donor: donor
                .as_ref()
                .map(|(program, shapes)| (*program, &shapes[..])),
            colours: Some(&colours),
        };
        for _ in 0..N_CHILDREN {
            if account.is_late() {
                break;
            }
            let Some(kind) = dice.pick(Kind::ALL) else {
                break;
            };
            let (changed, _) = mutate(kind, &parent.program, &shapes, &sources, dice);
            let Some(changed) = changed else { continue };
            let history = || format!("{}, {}", parent.history, changed.what);
            let hash = changed.program.content_hash();
            histories.entry(hash).or_insert_with(history);
            programs.push(changed.program);
        }
    }
    (known.with_others(programs), histories)
}
