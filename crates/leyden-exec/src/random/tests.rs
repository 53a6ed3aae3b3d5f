use leyden_dsl::table::TABLE;

use super::*;
use crate::{Engine, Mode, with_large_stack};

fn texts(seeds: std::ops::Range<u64>) -> Vec<String> {
    seeds
        .map(|seed| Case::random(&mut Dice::seeded(seed)).program.to_string())
        .collect()
}

#[test]
fn a_seed_gives_one_case_and_seeds_differ() {
    assert_eq!(texts(0..50), texts(0..50));
    let distinct: std::collections::BTreeSet<_> = texts(0..50).into_iter().collect();
    assert!(distinct.len() > 40);
}

#[test]
fn bytes_that_run_out_still_make_a_case() {
    for bytes in [&[][..], &[255; 3], &[200; 40]] {
        let case = Case::random(&mut Dice::of_bytes(bytes));
        assert!(!case.program.lines.is_empty());
    }
}

#[test]
fn every_primitive_turns_up() {
    let all = texts(0..3_000).concat();
    let is_missing = |name: &str| !all.contains(&format!("= {name}("));
    let missing: Vec<_> = TABLE
        .iter()
        .map(|entry| entry.name)
        .filter(|name| is_missing(name))
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn programs_print_and_read_back() {
    for seed in 0..300 {
        let program = Case::random(&mut Dice::seeded(seed)).program;
        let again = leyden_lang::parse(&program.to_string(), "random", Some(program.dialect));
        assert!(
            again.is_ok_and(|again| again[0].same_code(&program)),
            "{program}"
        );
    }
}

/// The example `random_programs` does this a million times.
#[test]
fn the_engines_agree() {
    let fast = Engine {
        fuel: 20_000,
        ..Engine::default()
    };
    let exact = Engine {
        mode: Mode::Exact,
        ..fast.clone()
    };
    with_large_stack(|| {
        for seed in 0..20_000 {
            let case = Case::random(&mut Dice::seeded(seed));
            let outcome = |engine: &Engine| engine.run(&case.program, &case.sample());
            assert_eq!(
                outcome(&fast),
                outcome(&exact),
                "seed {seed}\n{}",
                case.program
            );
        }
    });
}
