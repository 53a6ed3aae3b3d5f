//! Runs of the evolution are equal for equal seeds, with any threads and interruptions.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Engine, Sample, with_large_stack};
use leyden_grid::Puzzle;
use leyden_lang::{Program, parse};
use leyden_search::evolve::{Evolution, Round, Settings, library_of};
use leyden_store::demo;

const N_ROUNDS: usize = 6;

fn puzzles(n: usize) -> Vec<Puzzle> {
    demo::tasks()
        .iter()
        .take(n)
        .map(|task| task.puzzle())
        .collect()
}

fn library() -> Vec<Program> {
    parse(demo::SOLVERS, "demo", None).unwrap()
}

fn settings(seed: u64) -> Settings {
    Settings {
        seed,
        n_children: 24,
        n_broad: 48,
        ..Settings::default()
    }
}

fn round(evolution: &mut Evolution<'_>, n_threads: usize) -> Round {
    evolution.round(n_threads, &CancelToken::new()).unwrap()
}

/// Everything about a round that a store would keep.
fn told(round: &Round) -> Vec<String> {
    let kept = round.kept.iter().map(|kept| {
        let (birth, marks) = (&kept.member.birth, &kept.member.marks);
        format!("{} {birth:?} {marks:?} {}", kept.place, kept.program)
    });
    let fitted = round.fitted.iter().map(|place| format!("fitted {place}"));
    let parents = round.parents.iter();
    let parents = parents.map(|parent| format!("parent {} {}", parent.place, parent.program));
    kept.chain(fitted).chain(parents).collect()
}

fn run(puzzles: &[Puzzle], seed: u64, n_threads: usize) -> (Vec<Vec<String>>, Vec<u8>) {
    let mut evolution = Evolution::new(puzzles, library(), settings(seed)).unwrap();
    let rounds = (0..N_ROUNDS).map(|_| told(&round(&mut evolution, n_threads)));
    (rounds.collect(), evolution.checkpoint())
}

#[test]
fn a_seed_decides_everything_and_threads_nothing() {
    let puzzles = puzzles(20);
    let (rounds, end) = run(&puzzles, 1, 1);
    assert_eq!(run(&puzzles, 1, 3), (rounds.clone(), end));
    assert!(rounds.iter().all(|round| !round.is_empty()), "{rounds:?}");
    assert_ne!(run(&puzzles, 2, 1).0[1], rounds[1]);
}

/// The parent of a program may live on an island and be among the best of no puzzle.
#[test]
fn every_ancestor_of_a_kept_program_is_told() {
    let puzzles = puzzles(20);
    let mut evolution = Evolution::new(&puzzles, library(), settings(5)).unwrap();
    let mut told: BTreeSet<u128> = library().iter().map(Program::content_hash).collect();
    let mut n_parents = 0;
    for _ in 0..12 {
        let round = round(&mut evolution, 2);
        n_parents += round.parents.len();
        let all = round.kept.iter().chain(&round.parents);
        let members: Vec<_> = all.map(|it| it.member.clone()).collect();
        told.extend(members.iter().map(|member| member.strain.hash));
        for member in members {
            let parent = member.birth.parent;
            assert!(
                parent.is_none_or(|parent| told.contains(&parent)),
                "{member:?}"
            );
        }
    }
    assert!(n_parents > 5, "{n_parents}");
}

#[test]
fn a_resumed_run_goes_on_as_if_nothing_had_happened() {
    let puzzles = puzzles(20);
    let (rounds, end) = run(&puzzles, 3, 1);
    let mut evolution = Evolution::new(&puzzles, library(), settings(3)).unwrap();
    for expected in &rounds {
        let saved = evolution.checkpoint();
        let hashes: Vec<u128> = library().iter().map(Program::content_hash).collect();
        assert_eq!(library_of(&saved).unwrap(), hashes);
        evolution = Evolution::resume(&puzzles, library(), settings(3), &saved).unwrap();
        assert_eq!(evolution.checkpoint(), saved);
        assert_eq!(told(&round(&mut evolution, 2)), *expected);
    }
    assert_eq!(evolution.checkpoint(), end);
}

#[test]
fn a_cancelled_round_changes_nothing() {
    let puzzles = puzzles(8);
    let mut evolution = Evolution::new(&puzzles, library(), settings(1)).unwrap();
    round(&mut evolution, 1);
    let before = evolution.checkpoint();
    let cancel = CancelToken::new();
    cancel.cancel();
    assert!(evolution.round(2, &cancel).is_none());
    assert_eq!(evolution.checkpoint(), before);
}

#[test]
fn what_is_kept_does_what_it_says_alone() {
    let puzzles = puzzles(20);
    let mut evolution = Evolution::new(&puzzles, library(), settings(5)).unwrap();
    let mut n_checked = 0;
    for _ in 0..N_ROUNDS {
        for kept in round(&mut evolution, 2).kept {
            let puzzle = &puzzles[kept.place];
            for (pair, mark) in puzzle.demos.iter().zip(&kept.member.marks) {
                let sample = Sample {
                    demos: &puzzle.demos,
                    ..Sample::of(&pair.input)
                };
                let outcome = with_large_stack(|| Engine::default().run(&kept.program, &sample));
                assert_eq!(
                    outcome.equals(&pair.output),
                    mark.is_exact,
                    "{}",
                    kept.program
                );
                assert_eq!(
                    evolution.percent(mark) == 100.0,
                    mark.credit == full(&evolution)
                );
                n_checked += 1;
            }
        }
    }
    assert!(n_checked > 100, "{n_checked}");
}

/// The credit of a right output: some library program fits its own puzzle.
fn full(evolution: &Evolution<'_>) -> u32 {
    let mut mark = leyden_search::evolve::Mark {
        is_exact: true,
        credit: 1,
        fuel: 0,
    };
    let one = evolution.percent(&mark);
    mark.credit = (100.0 / one).round() as u32;
    mark.credit
}

#[test]
fn programs_made_for_a_puzzle_do_not_count_as_found() {
    let puzzles = puzzles(20);
    let mut evolution = Evolution::new(&puzzles, library(), settings(1)).unwrap();
    round(&mut evolution, 1);
    let standing = evolution.standing();
    assert_eq!((standing.own, standing.evolved, standing.new), (20, 0, 0));
    // Without them, no program fits these puzzles.
    let others: Vec<Program> = library().into_iter().skip(20).collect();
    let mut evolution = Evolution::new(&puzzles, others, settings(1)).unwrap();
    round(&mut evolution, 1);
    assert_eq!(evolution.standing().own, 0);
}

#[test]
fn damaged_and_foreign_states_are_refused() {
    let puzzles = puzzles(6);
    let mut evolution = Evolution::new(&puzzles, library(), settings(1)).unwrap();
    round(&mut evolution, 1);
    let saved = evolution.checkpoint();
    let resume = |library, settings, bytes: &[u8]| {
        Evolution::resume(&puzzles, library, settings, bytes).map(|_| ())
    };
    resume(library(), settings(1), &saved).unwrap();
    assert!(resume(library(), settings(2), &saved).is_err());
    assert!(resume(library()[1..].to_vec(), settings(1), &saved).is_err());
    assert!(Evolution::resume(&puzzles[1..], library(), settings(1), &saved).is_err());
    for end in [0, 1, 100, saved.len() / 2, saved.len() - 1] {
        assert!(
            resume(library(), settings(1), &saved[..end]).is_err(),
            "{end}"
        );
    }
    let mut n_refused = 0;
    for k in (0..saved.len()).step_by(saved.len() / 200) {
        let mut damaged = saved.clone();
        damaged[k] ^= 0x15;
        n_refused += usize::from(resume(library(), settings(1), &damaged).is_err());
    }
    assert!(n_refused > 0);
}
