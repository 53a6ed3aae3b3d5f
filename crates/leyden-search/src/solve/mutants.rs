//! Changed versions of the known programs that come closest to a task.

use std::cmp::Reverse;

use leyden_grid::Puzzle;
use leyden_lang::Program;
use rustc_hash::FxHashMap;

use super::effort::Account;
use super::finding::{Candidate, Source};
use super::transfer::{Closeness, Known, Trial};
use crate::colours::Colours;
use crate::dice::Dice;
use crate::mutate::{Kind, Sources, mutate};
use crate::types::check;

/// So many programs are changed, each so often; then the best of what came out.
const N_PARENTS: usize = 24;
const N_CHILDREN: usize = 128;
const N_GENERATIONS: usize = 3;
/// A change makes a program so much less likely.
const CHANGE_COST: u32 = 6;
/// This share of the effort is spent at the end, what went before included.
const UNTIL: f64 = 0.4;
/// All changes come from one seed, so that a search can be repeated.
const SEED: u64 = 1;

/// A program to be changed.
struct Parent {
    program: Program,
    closeness: Closeness,
    /// What was changed already.
    history: String,
}

/// What changed programs give, if they reproduce a demonstration.
pub(crate) fn mutants(
    known: &Known,
    closeness: &[Closeness],
    puzzle: &Puzzle,
    account: &Account<'_>,
) -> Vec<Candidate> {
    let parent = |k: usize| Parent {
        program: known.program(k).clone(),
        closeness: closeness[k],
        history: known.program(k).name.clone(),
    };
    let mut parents = closest((0..known.len()).map(parent).collect());
    let (mut dice, mut candidates) = (Dice::seeded(SEED), Vec::new());
    for generation in 1..=N_GENERATIONS as u32 {
        if parents.is_empty() || account.is_past(UNTIL) {
            break;
        }
        let (changed, histories) = children(&parents, puzzle, &mut dice);
        let history = |program: &Program| histories[&program.content_hash()].clone();
        let mut trial = Trial::new(&changed, puzzle, account);
        trial.run(UNTIL);
        candidates.extend(trial.candidates(|program| {
            let source = Source::Mutant(history(program));
            (generation * CHANGE_COST, source)
        }));
        if trial.is_solved() {
            break;
        }
        let best = parents.first().map_or(0, |it| it.closeness);
        let better = (0..changed.len()).filter(|k| trial.closeness[*k] > best);
        let parent = |k: usize| Parent {
            program: changed.program(k).clone(),
            closeness: trial.closeness[k],
            history: history(changed.program(k)),
        };
        parents = closest(better.map(parent).collect());
    }
    candidates
}

/// Those that come closest, best first; small ones before large ones.
fn closest(mut parents: Vec<Parent>) -> Vec<Parent> {
    parents.retain(|it| it.closeness > 0);
    parents.sort_by_key(|it| (Reverse(it.closeness), it.program.lines.len()));
    parents.truncate(N_PARENTS);
    parents
}

/// Programs that differ from one of the parents in one place, and what was changed, by content.
fn children(
    parents: &[Parent],
    puzzle: &Puzzle,
    dice: &mut Dice,
) -> (Known, FxHashMap<u128, String>) {
    let colours = Colours::of(puzzle);
    let (mut programs, mut histories) = (Vec::new(), FxHashMap::default());
    for (k, parent) in parents.iter().enumerate() {
        let Some(shapes) = check(&parent.program) else {
            continue;
        };
        let donor = &parents[(k + 1) % parents.len()].program;
        let donor = check(donor).map(|shapes| (donor, shapes));
        let sources = Sources {
            donor: donor
                .as_ref()
                .map(|(program, shapes)| (*program, &shapes[..])),
            colours: Some(&colours),
        };
        for _ in 0..N_CHILDREN {
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
    (Known::new(programs), histories)
}
