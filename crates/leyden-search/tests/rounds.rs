//! A program gives one result, alone and in a battery, with any lines in common and any values kept
//! from earlier batteries.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use leyden_exec::{
    BatteryPlan, Cache, Counts, Engine, Mode, Ran, Sample, Seen, reference, with_large_stack,
};
use leyden_grid::{Grid, Task};
use leyden_lang::{Battery, Program, Rules, Scripts, parse};
use leyden_search::colours::Colours;
use leyden_search::{Card, Deck, NoClock, Rates};
use leyden_store::demo;

/// Programs and mutants of them, about eight of a kind.
fn mutants(count: usize, seed: u64, rules: Rules) -> Battery {
    let tasks = demo::tasks();
    let programs = parse(demo::SOLVERS, "demo", None).unwrap().into_iter();
    let programs = programs
        .skip(seed as usize * 7 % 40)
        .take(count.div_ceil(8));
    let deck = Deck::new(programs.map(|program| {
        let task = tasks
            .iter()
            .find(|task| Some(task.id.as_str()) == program.task_id());
        (program, task.map(|task| Colours::of(&task.puzzle())))
    }));
    let card = Card {
        count,
        seed,
        freeze: false,
        rates: Rates::default(),
        rules,
    };
    card.deal(&deck, &NoClock).0
}

fn programs_of(battery: &Battery) -> Vec<Program> {
    let mut scripts = Scripts::new(battery);
    (0..battery.outs.len())
        .map(|k| scripts.program(k))
        .collect()
}

fn inputs(task: &Task) -> Vec<&Grid> {
    task.pairs().map(|(input, _)| input).collect()
}

/// Runs all programs on all inputs of a task; returns the outcomes and the work.
fn run(plan: &BatteryPlan, engine: &Engine, task: &Task) -> (Vec<Ran>, Counts) {
    let seen = Seen {
        demos: &task.demos,
        expected: None,
    };
    let mut all = Vec::new();
    let counts = plan.with_worker(engine, |worker| {
        worker.run_metered(&seen, inputs(task), |_, _| true, |_, _, ran| all.push(ran));
        worker.counts()
    });
    (all, counts)
}

/// Runs the programs of a battery alone on the exact engine, with the lines of the originals.
fn alone(battery: &Battery, engine: &Engine, task: &Task) -> Vec<Ran> {
    let programs = programs_of(battery);
    let mut all = Vec::new();
    for input in inputs(task) {
        let sample = Sample {
            demos: &task.demos,
            ..Sample::of(input)
        };
        for (program, out) in programs.iter().zip(&battery.outs) {
            let mut ran = reference::run_metered(program, &sample, engine.fuel, &engine.cancel);
            if let leyden_exec::Outcome::Fault { line, .. } = &mut ran.outcome {
                let at = program.lines.get(*line as usize);
                *line = at.map_or(out.lines.len() as u32, |at| at.source_line - 1);
            }
            all.push(ran);
        }
    }
    all
}

/// Amounts of fuel that end a few runs, many, and nearly all.
const TANKS: [u64; 3] = [300_000, 3_000, 250];

#[test]
fn exact_results_are_shared_and_nothing_changes_not_even_the_fuel() {
    let tasks = demo::tasks();
    let check = |seed: u64| {
        let rules = [Rules::ALL, Rules::NONE][seed as usize % 2];
        let battery = mutants(48, seed, rules);
        let plan = BatteryPlan::new(battery.clone());
        let task = &tasks[seed as usize * 11 % tasks.len()];
        let engine = Engine {
            fuel: TANKS[seed as usize % 3],
            mode: Mode::Exact,
            ..Engine::default()
        };
        let expected = alone(&battery, &engine, task);
        let (shared, with) = run(&plan, &engine, task);
        assert_eq!(shared, expected, "seed {seed}");
        let forgetful = Engine {
            caches: false,
            ..engine
        };
        let (again, without) = run(&plan, &forgetful, task);
        assert_eq!(again, expected, "seed {seed}");
        assert!(with.exact_nodes < without.exact_nodes);
    };
    with_large_stack(|| (0..24).for_each(check));
}

#[test]
fn both_engines_together_give_what_the_exact_one_gives() {
    let tasks = demo::tasks();
    let check = |seed: u64| {
        let battery = mutants(48, seed, Rules::ALL);
        let task = &tasks[seed as usize * 13 % tasks.len()];
        let engine = Engine {
            fuel: TANKS[seed as usize % 3],
            ..Engine::default()
        };
        let outcomes = |all: Vec<Ran>| -> Vec<_> { all.into_iter().map(|r| r.outcome).collect() };
        let expected = outcomes(alone(&battery, &engine, task));
        let (merged, counts) = run(&BatteryPlan::new(battery), &engine, task);
        assert_eq!(outcomes(merged), expected, "seed {seed}");
        counts.exact_runs
    };
    let n_exact: u64 = with_large_stack(|| (0..72).map(check).sum());
    assert!(n_exact > 40, "{n_exact}");
}

/// Replaces every eighth program of a battery.
fn next_round(programs: &[Program], others: &[Program]) -> Vec<Program> {
    let pairs = programs.iter().zip(others).enumerate();
    pairs
        .map(|(k, (old, new))| if k % 8 == 3 { new } else { old })
        .cloned()
        .collect()
}

#[test]
fn rounds_with_any_cache_give_what_they_give_without() {
    let tasks = demo::tasks();
    let check = |seed: u64| {
        let mut programs = programs_of(&mutants(48, seed, Rules::NONE));
        let caches = [0, 20_000, 300_000, 64 << 20].map(|n| Arc::new(Cache::new(n)));
        for round in 0..4 {
            let plan = BatteryPlan::new(Battery::from_programs(&programs, Rules::ALL));
            for task in &tasks[seed as usize * 5..][..2] {
                let engine = Engine {
                    fuel: TANKS[seed as usize % 3],
                    ..Engine::default()
                };
                let outcomes = |(all, _): (Vec<Ran>, _)| -> Vec<_> {
                    all.into_iter().map(|r| r.outcome).collect()
                };
                let expected = outcomes(run(&plan, &engine, task));
                for cache in &caches {
                    let engine = Engine {
                        cache: Some(cache.clone()),
                        ..engine.clone()
                    };
                    let message = format!("seed {seed}, round {round}, {:?}", cache.counts());
                    assert_eq!(outcomes(run(&plan, &engine, task)), expected, "{message}");
                }
            }
            let others = programs_of(&mutants(48, seed + 10 + 10 * round, Rules::NONE));
            programs = next_round(&programs, &others);
        }
        let counts = caches.map(|cache| cache.counts());
        assert_eq!((counts[0].hits, counts[0].bytes), (0, 0));
        assert!(counts[1].bytes <= 20_000 && counts[2].bytes <= 300_000);
        assert!(counts[1].hits < counts[3].hits);
        // Three rounds of four could use the values of the one before, except for every eighth
        // program.
        assert!(counts[3].hits > counts[3].misses);
        counts[3].node_hits
    };
    let n_hits: u64 = with_large_stack(|| (0..6).map(check).sum());
    assert!(n_hits > 0);
}

#[test]
fn a_changed_program_is_all_that_runs_again() {
    let tasks = demo::tasks();
    let task = &tasks[0];
    with_large_stack(|| {
        let mut programs = programs_of(&mutants(400, 2, Rules::NONE));
        let cache = Arc::new(Cache::new(256 << 20));
        let engine = Engine {
            cache: Some(cache.clone()),
            ..Engine::default()
        };
        let round = |programs: &[Program]| {
            let plan = BatteryPlan::new(Battery::from_programs(programs, Rules::ALL));
            run(&plan, &engine, task).1
        };
        let first = round(&programs);
        assert!(first.nodes > 1_000, "{first:?}");
        let again = round(&programs);
        assert_eq!((again.nodes, again.exact_nodes), (0, 0));
        assert_eq!((again.runs, again.exact_runs), (first.runs, 0));
        let source = "def solve_0a1b2c3d(I):\n    x1 = vmirror(I)\n    x2 = hconcat(x1, I)\n    x3 = hconcat(x2, x2)\n    return x3\n";
        programs[200] = parse(source, "new.py", None).unwrap().remove(0);
        let before = cache.counts();
        let changed = round(&programs);
        let n_inputs = inputs(task).len() as u64;
        assert!((1..=3 * n_inputs).contains(&changed.nodes), "{changed:?}");
        let after = cache.counts();
        assert_eq!(after.hits - before.hits, 399 * n_inputs);
        assert_eq!(after.misses - before.misses, n_inputs);
        // Only the last line is new now; the cache has the value of the one before it.
        let source = source.replace("hconcat(x2, x2)", "vconcat(x2, x2)");
        programs[200] = parse(&source, "new.py", None).unwrap().remove(0);
        assert_eq!(round(&programs).nodes, n_inputs);
    });
}
