//! Mutations keep a program in its dialect, and the result can be read again.

#![allow(clippy::unwrap_used)]

use leyden_dsl::table::Dialect;
use leyden_exec::{Engine, Outcome, Sample, with_large_stack};
use leyden_grid::Task;
use leyden_lang::{
    Op, Operand, Program, Rules, parse, parse_python, print_python_alone, print_python_file,
};
use leyden_search::colours::Colours;
use leyden_search::mutate::{Sources, mutate};
use leyden_search::solve::{Effort, Known, Moves, Parts, Source, solve};
use leyden_search::types::{check, unsound_line};
use leyden_search::{Card, Deck, Dice, Kind, NoClock, Rates};
use leyden_store::demo;

const TOKPIDJIN: &str = include_str!("fixtures/tokpidjin.py");

fn tokpidjin() -> Vec<Program> {
    parse(TOKPIDJIN, "tokpidjin.py", None).unwrap()
}

fn classic() -> Vec<Program> {
    parse(demo::SOLVERS, "demo", None).unwrap()
}

fn own_task<'t>(program: &Program, tasks: &'t [Task]) -> &'t Task {
    let is_own = |task: &&Task| Some(task.id.as_str()) == program.task_id();
    tasks.iter().find(is_own).unwrap()
}

/// Whether the dialect has all names of a program.
fn is_in_dialect(program: &Program) -> bool {
    let known = |operand: Operand| match operand {
        Operand::Prim(prim) => prim.entry().is_in(program.dialect),
        Operand::Const(id) => {
            let mut names = program.dialect.constants();
            names.any(|(name, _)| *name == id.name())
        }
        _ => true,
    };
    program.ops().flat_map(Op::operands).all(known)
}

/// Mutants of each program: some for every kind of mutation, each made from the one before.
fn mutants(programs: &[Program], seed: u64) -> Vec<Program> {
    let tasks = demo::tasks();
    let mut dice = Dice::seeded(seed);
    let mut all = Vec::new();
    for (k, first) in programs.iter().enumerate() {
        let colours = Colours::of(&own_task(first, &tasks).puzzle());
        let donor = &programs[(k + 1) % programs.len()];
        let donor_shapes = check(donor).unwrap();
        let sources = Sources {
            donor: Some((donor, &donor_shapes)),
            colours: Some(&colours),
        };
        for kind in Kind::ALL {
            let (mut program, mut shapes) = (first.clone(), check(first).unwrap());
            for _ in 0..8 {
                let (changed, _) = mutate(*kind, &program, &shapes, &sources, &mut dice);
                let Some(changed) = changed else { continue };
                (program, shapes) = (changed.program, changed.shapes);
                all.push(program.clone());
            }
        }
    }
    all
}

#[test]
fn the_fixture_is_sound_and_right() {
    let tasks = demo::tasks();
    for program in tokpidjin() {
        assert_eq!(program.dialect, Dialect::Tokpidjin);
        assert_eq!(unsound_line(&program), None, "{program}");
        let task = own_task(&program, &tasks);
        for pair in &task.demos {
            let sample = Sample {
                input: &pair.input,
                demos: &task.demos,
                expected: None,
            };
            let outcome = Engine::default().run(&program, &sample);
            assert!(
                outcome.equals(&pair.output),
                "{}: {outcome:?}",
                program.name
            );
        }
    }
}

#[test]
fn mutants_stay_in_their_dialect_and_can_be_read_again() {
    let mut n_kinds = 0;
    for seed in 0..20 {
        let mutants = mutants(&tokpidjin(), seed);
        n_kinds += mutants.len();
        for mutant in &mutants {
            assert!(is_in_dialect(mutant), "{mutant}");
            assert_eq!(unsound_line(mutant), None, "{mutant}");
            let text = print_python_alone(mutant);
            let read = parse_python(&text, "mutant.py", None).unwrap();
            assert!(read[0].same_code(mutant), "{text}\n{}\n{mutant}", read[0]);
        }
    }
    assert!(n_kinds > 10_000, "{n_kinds}");
}

/// Every kind of mutation finds something to change, including ranks and choices.
#[test]
fn every_kind_of_change_is_made() {
    let tasks = demo::tasks();
    let colours = Colours::of(&tasks[0].puzzle());
    let programs = tokpidjin();
    for kind in Kind::ALL {
        let mut dice = Dice::seeded(1);
        let n = (0..100).filter(|k| {
            let program = &programs[k % programs.len()];
            let donor = &programs[(k + 1) % programs.len()];
            let donor_shapes = check(donor).unwrap();
            let sources = Sources {
                donor: Some((donor, &donor_shapes)),
                colours: Some(&colours),
            };
            let shapes = check(program).unwrap();
            mutate(*kind, program, &shapes, &sources, &mut dice)
                .0
                .is_some()
        });
        let n = n.count();
        assert!(n >= 4, "{}: {n} of 100", kind.name());
    }
}

#[test]
fn ranks_and_choices_change_among_themselves() {
    let source = "def solve_1e7d0001(S, I, C):
    x1 = o_g(I, R5)
    x2 = get_arg_rank_f(x1, size, F0)
    x3 = corner(x2, R0)
    x4 = canvas(ONE, x3)
    return x4
";
    let program = parse(source, "a.py", None).unwrap().remove(0);
    let shapes = check(&program).unwrap();
    let sources = Sources {
        donor: None,
        colours: None,
    };
    let mut dice = Dice::seeded(7);
    for _ in 0..500 {
        let kind = dice
            .pick(&[Kind::Constant, Kind::Rank, Kind::Boolean])
            .unwrap();
        let (changed, _) = mutate(kind, &program, &shapes, &sources, &mut dice);
        let Some(changed) = changed else { continue };
        let text = changed.program.to_string();
        let argument = |call: &str| {
            let (_, rest) = text.split_once(call).unwrap();
            let (inside, _) = rest.split_once(')').unwrap();
            inside.rsplit(", ").next().unwrap().to_owned()
        };
        let (way, rank, which) = (
            argument("o_g("),
            argument("get_arg_rank_f("),
            argument("corner("),
        );
        assert!(way.starts_with('R'), "{text}");
        assert!(rank.starts_with(['F', 'L']), "{text}");
        assert!(["R0", "R1", "R2", "R3"].contains(&which.as_str()), "{text}");
    }
}

/// The share of mutants that give a grid on the demonstrations of their parent's task.
fn share_of_grids(programs: &[Program]) -> f64 {
    let tasks = demo::tasks();
    let engine = Engine {
        fuel: 1_000_000,
        ..Engine::default()
    };
    let (mut n_grids, mut n_runs) = (0, 0);
    for mutant in mutants(programs, 1) {
        let task = own_task(&mutant, &tasks);
        for pair in &task.demos {
            let sample = Sample {
                input: &pair.input,
                demos: &task.demos,
                expected: None,
            };
            let outcome = with_large_stack(|| engine.run(&mutant, &sample));
            n_grids += usize::from(matches!(outcome, Outcome::Grid(_)));
            n_runs += 1;
        }
    }
    n_grids as f64 / n_runs as f64
}

#[test]
fn most_mutants_give_a_grid_in_either_dialect() {
    let theirs = tokpidjin();
    let names: Vec<&str> = theirs.iter().map(|it| it.name.as_str()).collect();
    let mut ours = classic();
    ours.retain(|program| names.contains(&program.name.as_str()));
    assert_eq!(ours.len(), theirs.len());
    let (theirs, ours) = (share_of_grids(&theirs), share_of_grids(&ours));
    assert!(theirs > 0.6, "{theirs}");
    assert!(theirs > ours - 0.1, "{theirs} against {ours}");
}

#[test]
fn programs_of_two_dialects_are_not_crossed() {
    let (theirs, ours) = (tokpidjin(), classic());
    let (a, b) = (&theirs[0], &ours[0]);
    let (shapes, donor_shapes) = (check(a).unwrap(), check(b).unwrap());
    let sources = Sources {
        donor: Some((b, &donor_shapes)),
        colours: None,
    };
    let mut dice = Dice::seeded(1);
    let (changed, _) = mutate(Kind::Crossover, a, &shapes, &sources, &mut dice);
    assert!(changed.is_none());
}

#[test]
fn mixed_batteries_give_what_each_program_gives_alone() {
    let deck = Deck::new(
        tokpidjin()
            .into_iter()
            .chain(classic())
            .map(|it| (it, None)),
    );
    let card = Card {
        count: 300,
        seed: 4,
        freeze: false,
        rates: Rates::default(),
        rules: Rules::ALL,
    };
    let (battery, _) = card.deal(&deck, &NoClock);
    let programs: Vec<Program> = (0..battery.outs.len())
        .map(|k| battery.program(k))
        .collect();
    assert!(programs.iter().all(is_in_dialect));
    let n_theirs = programs
        .iter()
        .filter(|it| !it.dialect.is_classic())
        .count();
    assert!(n_theirs > 50 && n_theirs < 250, "{n_theirs}");
    let task = &demo::tasks()[0];
    let pair = &task.demos[0];
    let sample = Sample {
        input: &pair.input,
        demos: &task.demos,
        expected: None,
    };
    let engine = Engine {
        fuel: 100_000,
        ..Engine::default()
    };
    let given = leyden_exec::Seen {
        demos: &task.demos,
        expected: None,
    };
    let mut merged = Vec::new();
    leyden_exec::BatteryPlan::new(battery).with_worker(&engine, |worker| {
        worker.run(&given, [&pair.input], |_, _, outcome| {
            merged.push(outcome.content_hash())
        });
    });
    for (program, merged) in programs.iter().zip(merged) {
        let alone = engine.run(program, &sample);
        assert_eq!(alone.content_hash(), merged, "{program}");
    }
}

#[test]
fn files_of_several_dialects_say_which_is_which() {
    let mut programs = tokpidjin();
    programs.truncate(2);
    programs.extend(classic().into_iter().take(2).map(|mut it| {
        it.name = format!("{}_ours", it.name);
        it
    }));
    let mut verifier = classic().remove(2);
    (verifier.dialect, verifier.name) = (Dialect::ReArc, "solve_1e7d0003_theirs".to_owned());
    programs.push(verifier);
    let text = print_python_file(&programs);
    let read = parse(&text, "mixed.py", None).unwrap();
    assert_eq!(read.len(), programs.len());
    for (a, b) in read.iter().zip(&programs) {
        assert!(a.same_code(b), "{a}\n{b}\n{text}");
    }
}

/// A search that only transfers and mutates known programs.
fn find(programs: Vec<Program>, id: &str) -> leyden_search::solve::Solution {
    let tasks = demo::tasks();
    let task = tasks.iter().find(|task| task.id.as_str() == id).unwrap();
    let effort = Effort {
        fuel: 100_000_000,
        parts: Parts {
            moves: false,
            compose: false,
            induce: false,
            objects: false,
            views: false,
            ..Parts::default()
        },
        ..Effort::default()
    };
    solve(
        &Moves::own().unwrap(),
        &Known::new(programs),
        &task.puzzle(),
        &effort,
    )
}

#[test]
fn known_programs_of_tokpidjin_are_transferred() {
    // This program reads the demonstration pairs.
    let solution = find(tokpidjin(), "1e7d0047");
    let attempt = &solution.attempts[0][0];
    assert_eq!(attempt.program.dialect, Dialect::Tokpidjin);
    assert_eq!(
        attempt.source,
        Source::Transfer("solve_1e7d0047".to_owned())
    );
}

#[test]
fn known_programs_of_tokpidjin_are_changed() {
    let mut programs = tokpidjin();
    // The first of two colours is wrong.
    programs.retain(|program| program.name == "solve_1e7d0001");
    let text = programs[0].to_string().replace("EIGHT", "SEVEN");
    let wrong = parse(&text, "wrong", None).unwrap();
    let solution = find(wrong, "1e7d0001");
    let attempt = &solution.attempts[0][0];
    assert_eq!(attempt.n_demos, demo::tasks()[0].demos.len());
    assert!(matches!(attempt.source, Source::Mutant(_)));
    assert!(is_in_dialect(&attempt.program));
    assert_eq!(attempt.program.dialect, Dialect::Tokpidjin);
}

#[test]
fn scoring_programs_are_no_known_solvers() {
    let source = "def differ_a(S, I, C):\n    x = f_ofcolor(C, ONE)\n    return fill(I, ONE, x)\n";
    let known = Known::new(parse(source, "a.py", None).unwrap());
    assert_eq!((known.len(), known.n_scoring()), (0, 1));
}
