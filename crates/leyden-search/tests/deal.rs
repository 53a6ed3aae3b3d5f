//! Batteries dealt from the built-in programs.

#![allow(clippy::unwrap_used)]

use leyden_exec::{Engine, Mode, Outcome, Sample, with_large_stack};
use leyden_grid::Task;
use leyden_lang::{Battery, BatteryFile, Program, Rules, parse, parse_battery, print_battery};
use leyden_search::colours::Colours;
use leyden_search::{Card, CardReport, Deck, Kind, NoClock, Rates, types};
use leyden_store::demo;

fn tasks() -> Vec<Task> {
    demo::tasks()
}

fn deck() -> Deck {
    let tasks = tasks();
    let programs = parse(demo::SOLVERS, "demo", None).unwrap();
    Deck::new(programs.into_iter().map(|program| {
        let task = tasks
            .iter()
            .find(|task| Some(task.id.as_str()) == program.task_id());
        let colours = task.map(|task| Colours::of(&task.puzzle()));
        (program, colours)
    }))
}

fn card(count: usize, seed: u64) -> Card {
    Card {
        count,
        seed,
        freeze: false,
        rates: Rates::default(),
        rules: Rules::ALL,
    }
}

fn deal(card: &Card) -> (Battery, CardReport) {
    card.deal(&deck(), &NoClock)
}

#[test]
fn the_same_seed_deals_the_same() {
    let (first, report) = deal(&card(64, 5));
    assert_eq!(deal(&card(64, 5)), (first.clone(), report));
    assert_ne!(deal(&card(64, 6)).0, first);
}

#[test]
fn as_many_programs_as_were_asked_for_each_with_its_own_name() {
    let (battery, report) = deal(&card(500, 1));
    assert_eq!(battery.outs.len(), 500);
    let mut names: Vec<&str> = battery.outs.iter().map(|out| out.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 500);
    let n_mutants = battery
        .outs
        .iter()
        .filter(|out| !out.mutations.is_empty())
        .count();
    assert_eq!(report.n_mutants, n_mutants);
    assert_eq!(report.n_sampled, 500 + report.n_dropped);
}

#[test]
fn frozen_programs_are_as_they_were() {
    let frozen = Card {
        freeze: true,
        rules: Rules::NONE,
        ..card(1_000, 3)
    };
    let (battery, report) = deal(&frozen);
    let programs = parse(demo::SOLVERS, "demo", None).unwrap();
    assert_eq!(battery.outs.len(), programs.len());
    assert_eq!((report.n_mutants, report.n_dropped), (0, 0));
    for (k, program) in programs.iter().enumerate() {
        assert_eq!(battery.program(k).to_string(), program.to_string());
    }
}

#[test]
fn every_kind_of_change_happens_when_it_is_wanted_and_else_not() {
    for kind in Kind::ALL {
        let mut rates = Rates::none();
        rates.set(*kind, 1.0);
        let (battery, report) = deal(&Card {
            rates,
            ..card(100, 2)
        });
        assert!(
            report.kinds[*kind as usize].n_done >= 10,
            "{}: {report:?}",
            kind.name()
        );
        let mut mutations = battery.outs.iter().flat_map(|out| &out.mutations);
        assert!(mutations.all(|mutation| mutation.kind == kind.name()));
    }
    let (_, report) = deal(&Card {
        rates: Rates::none(),
        ..card(100, 2)
    });
    assert_eq!(report.n_mutants, 0);
}

#[test]
fn colours_come_from_the_demonstration_pairs() {
    let mut rates = Rates::none();
    rates.set(Kind::Colour, 1.0);
    let (battery, _) = deal(&Card {
        rates,
        ..card(200, 2)
    });
    let tasks = tasks();
    for out in battery.outs.iter().filter(|out| !out.mutations.is_empty()) {
        let id = out.origin.trim_start_matches("solve_");
        let task = tasks.iter().find(|task| task.id.as_str() == id).unwrap();
        let (_, colour) = out.mutations[0].what.rsplit_once(' ').unwrap();
        let names = [
            "ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE",
        ];
        let colour = names.iter().position(|name| *name == colour).unwrap() as u8;
        let grids = task
            .demos
            .iter()
            .flat_map(|pair| [&pair.input, &pair.output]);
        assert!(
            grids
                .flat_map(|grid| grid.cells())
                .any(|cell| *cell == colour)
        );
    }
}

#[test]
fn mutants_pass_the_checks() {
    // Without rules the graph keeps the mutants' lines.
    let (battery, _) = deal(&Card {
        rules: Rules::NONE,
        ..card(2_000, 9)
    });
    for k in 0..battery.outs.len() {
        let program = battery.program(k);
        assert_eq!(types::unsound_line(&program), None, "{program}");
    }
}

#[test]
fn no_two_programs_do_the_same() {
    let (battery, report) = deal(&card(1_000, 4));
    assert!(report.n_dropped > 0);
    let mut bodies: Vec<String> = (0..battery.outs.len())
        .filter(|k| !battery.outs[*k].mutations.is_empty())
        .map(|k| {
            Program {
                name: String::new(),
                ..battery.program(k)
            }
            .to_string()
        })
        .collect();
    let n_all = bodies.len();
    bodies.sort_unstable();
    bodies.dedup();
    assert_eq!(bodies.len(), n_all);
}

#[test]
fn batteries_survive_printing_and_reading() {
    for seed in 0..20 {
        let (battery, _) = deal(&card(64, seed));
        let file = BatteryFile {
            battery,
            ..BatteryFile::default()
        };
        assert_eq!(parse_battery(&print_battery(&file)).unwrap(), file);
    }
}

/// A battery merged with all rules gives the results of one merged with none: the rules are sound
/// on mutants.
#[test]
fn rules_change_no_mutant() {
    let engine = Engine {
        fuel: 300_000,
        mode: Mode::Exact,
        ..Engine::default()
    };
    let run = |battery: &Battery, k: usize, sample: &Sample<'_>| {
        let program = battery.program(k);
        match engine.run(&program, sample) {
            Outcome::Fault { fault, .. } => Err(fault),
            other => Ok(other),
        }
    };
    let tasks = tasks();
    with_large_stack(|| {
        for seed in 0..12 {
            let plain = Card {
                rules: Rules::NONE,
                ..card(64, seed)
            };
            let (plain, _) = deal(&plain);
            let programs: Vec<Program> = (0..plain.outs.len()).map(|k| plain.program(k)).collect();
            let ruled = Battery::from_programs(&programs, Rules::ALL);
            for task in tasks.iter().skip(seed as usize * 4).take(4) {
                let sample = Sample::of(&task.demos[0].input);
                for (k, program) in programs.iter().enumerate() {
                    assert_eq!(
                        run(&ruled, k, &sample),
                        run(&plain, k, &sample),
                        "{program}"
                    );
                }
            }
        }
    });
}

/// The built-in programs. The first ones have these weights, the others 0.
fn weighted_deck(weights: &[u64]) -> Deck {
    let programs = parse(demo::SOLVERS, "demo", None).unwrap();
    let weights = weights.iter().copied().chain(std::iter::repeat(0));
    let cards = programs.into_iter().zip(weights);
    Deck::by_weight(cards.map(|(program, weight)| (program, None, weight)))
}

#[test]
fn weights_decide_what_is_drawn() {
    let deck = weighted_deck(&[1, 0, 99]);
    let names: Vec<String> = parse(demo::SOLVERS, "demo", None)
        .unwrap()
        .into_iter()
        .map(|program| program.name)
        .collect();
    let (battery, report) = card(200, 3).deal(&deck, &NoClock);
    assert_eq!(
        card(200, 3).deal(&deck, &NoClock),
        (battery.clone(), report)
    );
    let n_from = |name: &str| battery.outs.iter().filter(|out| out.origin == name).count();
    let (light, heavy) = (n_from(&names[0]), n_from(&names[2]));
    assert_eq!(light + heavy, battery.outs.len());
    assert!(heavy > 5 * light.max(1), "{light} and {heavy}");
}

#[test]
fn a_frozen_draw_by_weight_has_each_program_once() {
    let frozen = Card {
        freeze: true,
        ..card(40, 3)
    };
    let (battery, _) = frozen.deal(&weighted_deck(&[1, 0, 99, 5]), &NoClock);
    assert_eq!(battery.outs.len(), 3);
    let (battery, report) = frozen.deal(&weighted_deck(&[]), &NoClock);
    assert_eq!((battery.outs.len(), report.n_sampled), (0, 0));
}
