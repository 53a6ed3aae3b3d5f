//! Lines that catch, as in generated batt files: alone and merged, beside lines that do not.

#![allow(clippy::unwrap_used)]

use leyden_dsl::fault::Fault;
use leyden_exec::{BatteryPlan, Engine, Mode, Outcome, Sample, Seen, with_large_stack};
use leyden_grid::Grid;
use leyden_lang::{Battery, Program, Rules, parse};

/// Programs that call values that are not functions, or functions with arguments that they do not
/// take.
const BODIES: [&str; 5] = [
    // A number.
    "  x1 = height_t(I)\n  x2 = x1(I)\n  return x2\n",
    // A function that calls a number.
    "  x1 = compose(size, ONE)\n  x2 = x1(I)\n  return x2\n",
    // A function of one argument with two.
    "  x1 = rbind(add, ONE)\n  x2 = x1(TWO, TWO)\n  return x2\n",
    // A correct program.
    "  x1 = rbind(add, ONE)\n  x2 = x1(TWO)\n  return x2\n",
    // A value that a primitive catches itself has the type of its result.
    "  x1 = identity(height_t)\n  x2 = x1(ONE)\n  return x2\n",
];

fn programs(dialect: &str) -> Vec<Program> {
    let numbered = BODIES.iter().enumerate();
    let texts = numbered.map(|(k, body)| {
        format!(
            "program p{k}_{}(S, I, C) {dialect}\n{body}\n",
            dialect.len()
        )
    });
    parse(&texts.collect::<String>(), "a", None).unwrap()
}

fn said(outcome: &Outcome) -> String {
    outcome.to_json().to_string()
}

#[test]
fn lines_catch_where_their_dialect_says_so() {
    let plain = programs("tokpidjin");
    let catching = programs("tokpidjin-batt");
    let expected = [
        [r#"{"error":"TypeError"}"#, r#"{"value":[]}"#],
        [r#"{"error":"TypeError"}"#, r#"{"value":[]}"#],
        [r#"{"error":"TypeError"}"#, r#"{"value":[]}"#],
        [r#"{"value":3}"#, r#"{"value":3}"#],
        [r#"{"value":0}"#, r#"{"value":0}"#],
    ];
    let grid = Grid::from_rows(&[vec![1, 2]]).unwrap();
    let mixed: Vec<Program> = plain
        .into_iter()
        .zip(catching)
        .flat_map(|(a, b)| [a, b])
        .collect();
    let expected = expected.as_flattened();
    with_large_stack(|| {
        for mode in [Mode::Fast, Mode::Exact] {
            let engine = Engine {
                mode,
                ..Engine::default()
            };
            let alone = mixed
                .iter()
                .map(|program| engine.run(program, &Sample::of(&grid)));
            assert_eq!(alone.map(|it| said(&it)).collect::<Vec<_>>(), expected);
            let plan = BatteryPlan::new(Battery::from_programs(&mixed, Rules::ALL));
            let mut merged = vec![String::new(); mixed.len()];
            plan.with_worker(&engine, |worker| {
                worker.run(
                    &Seen::default(),
                    std::slice::from_ref(&grid),
                    |_, program, ran| {
                        merged[program] = said(&ran);
                    },
                );
            });
            assert_eq!(merged, expected);
        }
    });
}

#[test]
fn limits_are_not_caught() {
    let source = "program a(S, I, C) tokpidjin-batt\n  x1 = lbind(apply, identity)\n  x2 = x1(I)\n  return x2\n";
    let program = parse(source, "a", None).unwrap().remove(0);
    let engine = Engine {
        fuel: 2,
        ..Engine::default()
    };
    let grid = Grid::from_rows(&[vec![1, 2], vec![3, 4]]).unwrap();
    let outcome = with_large_stack(|| engine.run(&program, &Sample::of(&grid)));
    assert_eq!(outcome.fault(), Some(Fault::Fuel));
}
