//! A device changes the work of a search, and nothing of its results.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::CancelToken;
use leyden_exec::{Answered, Asked, Elsewhere, Engine, Loaded, Outcome, Sample, with_large_stack};
use leyden_grid::Puzzle;
use leyden_lang::{Battery, Program, parse};
use leyden_search::evolve::{Evolution, Settings};
use leyden_search::mutate::{Sources, mutate};
use leyden_search::solve::{Effort, Known, Moves, Parts, Solution, solve};
use leyden_search::types::check;
use leyden_search::{Dice, Kind};
use leyden_store::demo;

/// A made-up device that answers two runs in three, on this processor.
#[derive(Clone, Debug, Default)]
struct Other {
    n_answers: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct OtherLoaded {
    programs: Vec<Program>,
    engine: Engine,
    n_answers: Arc<AtomicUsize>,
}

impl Elsewhere for Other {
    fn load(&self, battery: &Battery, fuel: u64) -> Option<Box<dyn Loaded>> {
        let program = |k| battery.program(k);
        Some(Box::new(OtherLoaded {
            programs: (0..battery.outs.len()).map(program).collect(),
            engine: Engine {
                fuel: fuel / 2,
                ..Engine::default()
            },
            n_answers: self.n_answers.clone(),
        }))
    }
}

impl OtherLoaded {
    fn answer(&self, program: &Program, asked: &Asked<'_>) -> Option<Outcome> {
        let outcome = self.engine.run(program, &Sample::of(asked.input));
        let is_limit = matches!(outcome.fault(), Some(Fault::Fuel | Fault::Memory));
        self.n_answers.fetch_add(1, Ordering::Relaxed);
        (!is_limit).then_some(outcome)
    }
}

impl Loaded for OtherLoaded {
    fn outcomes(
        &self,
        samples: &[Asked<'_>],
        wanted: &(dyn Fn(usize, usize) -> bool + Sync),
    ) -> Vec<Answered> {
        let of_sample = |(sample, asked): (usize, &Asked<'_>)| -> Answered {
            let programs = self.programs.iter().enumerate();
            let known = programs.filter(|(k, program)| {
                let is_grid_alone = program.inputs.len() == 1;
                is_grid_alone && wanted(sample, *k) && (sample + k) % 3 != 0
            });
            known
                .filter_map(|(k, program)| Some((k, self.answer(program, asked)?)))
                .collect()
        };
        with_large_stack(|| samples.iter().enumerate().map(of_sample).collect())
    }

    fn good_batch(&self) -> usize {
        1
    }

    fn n_programs(&self) -> usize {
        self.programs.len()
    }
}

fn library() -> Vec<Program> {
    parse(demo::SOLVERS, "demo", None).unwrap()
}

/// Everything that a store would keep of some rounds, and the fuel of the runs here.
fn evolved(puzzles: &[Puzzle], other: Option<Arc<dyn Elsewhere>>) -> (Vec<String>, u64) {
    let settings = Settings {
        n_children: 16,
        n_broad: 64,
        ..Settings::default()
    };
    let evolution = Evolution::new(puzzles, library(), settings).unwrap();
    let mut evolution = evolution.asking(other);
    let mut told = Vec::new();
    for _ in 0..4 {
        let round = evolution.round(2, &CancelToken::new()).unwrap();
        for kept in &round.kept {
            let (birth, marks) = (&kept.member.birth, &kept.member.marks);
            told.push(format!(
                "{} {birth:?} {marks:?} {}",
                kept.place, kept.program
            ));
        }
    }
    (told, evolution.totals().tally.fuel)
}

#[test]
fn evolution_keeps_the_same_programs_with_the_same_marks() {
    let puzzles: Vec<Puzzle> = demo::tasks()
        .iter()
        .take(20)
        .map(|it| it.puzzle())
        .collect();
    let (alone, fuel_alone) = evolved(&puzzles, None);
    let other = Other::default();
    let (together, fuel_together) = evolved(&puzzles, Some(Arc::new(other.clone())));
    assert!(alone.len() > 20, "{}", alone.len());
    assert_eq!(together, alone);
    assert!(other.n_answers.load(Ordering::Relaxed) > 1_000);
    assert!(
        fuel_together < fuel_alone,
        "{fuel_together} of {fuel_alone}"
    );
}

#[test]
fn known_and_changed_programs_give_the_same_candidates() {
    let moves = Moves::own().unwrap();
    let effort = Effort {
        n_candidates: 50,
        parts: Parts {
            moves: false,
            lists: false,
            objects: false,
            induce: false,
            views: false,
            ..Parts::default()
        },
        ..Effort::default()
    };
    // Spoiled programs come close, and some of their mutants fit.
    let spoiled = library().into_iter().zip(1..);
    let spoiled: Vec<Program> = spoiled.filter_map(|(it, k)| spoiled_by(k, &it)).collect();
    let (mut n_candidates, mut n_spared) = (0, 0);
    for task in demo::tasks().iter().step_by(7) {
        for programs in [&spoiled, &library()] {
            let known = || Known::new(programs.iter().cloned());
            let alone = solve(&moves, &known(), &task.puzzle(), &effort);
            let together = known().asking(Some(Arc::new(Other::default())));
            let together = solve(&moves, &together, &task.puzzle(), &effort);
            let text = |it: &Solution| format!("{:?}", it.candidates);
            assert_eq!(text(&together), text(&alone), "{}", task.id);
            n_candidates += alone.candidates.len();
            n_spared += alone.n_runs.saturating_sub(together.n_runs);
        }
    }
    assert!(n_candidates >= 8, "{n_candidates}");
    assert!(n_spared > 1_000, "{n_spared}");
}

/// A program with a constant changed.
fn spoiled_by(seed: u64, program: &Program) -> Option<Program> {
    let sources = Sources {
        donor: None,
        colours: None,
    };
    let (shapes, mut dice) = (check(program)?, Dice::seeded(seed));
    let changed = mutate(Kind::Constant, program, &shapes, &sources, &mut dice).0?;
    Some(changed.program)
}
