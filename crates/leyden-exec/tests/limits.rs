//! Programs that would run for ever, fill the memory or nest without end stop at one place every
//! time.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;

use leyden_dsl::fault::Fault;
use leyden_exec::random::{Case, Dice};
use leyden_exec::{Engine, Mode, Outcome, Ran, Ready, Sample, with_large_stack};
use leyden_grid::Grid;
use leyden_lang::Program;

fn program(lines: &str) -> Program {
    let source = format!("def solve_0a1b2c3d(I):\n{lines}");
    leyden_lang::parse(&source, "limits.py", None)
        .unwrap()
        .remove(0)
}

fn run(program: &Program, mode: Mode, fuel: u64) -> Outcome {
    let engine = Engine {
        mode,
        fuel,
        ..Engine::default()
    };
    let input = Grid::from_rows(&[vec![1, 2], vec![3, 4]]).unwrap();
    with_large_stack(|| engine.run(program, &Sample::of(&input)))
}

#[track_caller]
fn check(lines: &str, fault: Fault, line: u32) {
    let program = program(lines);
    for mode in [Mode::Fast, Mode::Exact, Mode::Fast] {
        let outcome = run(&program, mode, Engine::default().fuel);
        assert_eq!(outcome, Outcome::Fault { fault, line });
    }
}

#[test]
fn a_program_that_never_ends_runs_out_of_fuel() {
    check(
        "    x1 = power(increment, 200)
    x2 = apply(x1, interval(0, 1000, 1))
    x3 = lbind(apply, x1)
    x4 = power(x3, 100)
    x5 = interval(0, 100000, 1)
    x6 = x4(x5)
    return x6
",
        Fault::Fuel,
        6,
    );
}

#[test]
fn an_object_is_not_enlarged_beyond_size_or_fuel() {
    check(
        "    x1 = asobject(I)\n    x2 = upscale(x1, 1000)\n    return x2\n",
        Fault::Memory,
        1,
    );
    let program = program("    x1 = asobject(I)\n    x2 = upscale(x1, 90)\n    return size(x2)\n");
    for fuel in [20_000, 32_000, 32_399, 32_500, 33_000] {
        let [fast, exact] = [Mode::Fast, Mode::Exact].map(|mode| run(&program, mode, fuel));
        assert_eq!(fast, exact, "with {fuel}");
        assert_eq!(
            fast.fault() == Some(Fault::Fuel),
            fuel < 32_500,
            "with {fuel}"
        );
    }
}

#[test]
fn a_value_that_is_too_large_within_a_function_is_refused() {
    // Sixty doublings share their halves, so they take no memory. A walk through them would not end.
    check(
        "    x1 = fork(astuple, identity, identity)
    x2 = power(x1, 60)
    x3 = fork(equality, x2, x2)
    x4 = x3(I)
    return x4
",
        Fault::Memory,
        3,
    );
    check(
        "    x1 = canvas(0, (30, 30))
    x2 = lbind(repeat, x1)
    x3 = compose(size, x2)
    x4 = apply(x3, (20000, 5, 6))
    return x4
",
        Fault::Memory,
        5,
    );
    check(
        "    x1 = canvas(0, (30, 30))
    x3 = asobject(x1)
    x4 = interval(0, 10000, 1)
    x5 = lbind(shift, x3)
    x6 = fork(astuple, identity, identity)
    x7 = compose(x5, x6)
    x8 = mapply(x7, x4)
    return x8
",
        Fault::Memory,
        7,
    );
}

/// The ends of a run on both engines with this fuel; they must agree, fuel included.
#[track_caller]
fn ran(program: &Program, fuel: u64) -> Ran {
    let input = Grid::from_rows(&[vec![1, 2], vec![3, 4]]).unwrap();
    let [fast, exact] = [Mode::Fast, Mode::Exact].map(|mode| {
        let engine = Engine {
            mode,
            fuel,
            ..Engine::default()
        };
        with_large_stack(|| engine.run_metered(program, &Sample::of(&input)))
    });
    assert_eq!(fast, exact, "with {fuel}\n{program}");
    fast
}

#[test]
fn every_element_is_paid_for_after_any_result_or_fault() {
    let with = |line: &str| {
        let lines = format!(
            "    x1 = interval(0, 9, 1)\n    x2 = lbind(divide, 9)\n    x3 = {line}\n    return x3\n"
        );
        ran(&program(&lines), 1_000)
    };
    // The condition holds for the first element, the last, or none: all are called. The result has
    // no weight.
    let fuel_of = |n: usize| with(&format!("extract(x1, matcher(identity, {n}))")).fuel;
    assert_eq!(fuel_of(0), fuel_of(8));
    assert_eq!(fuel_of(0), fuel_of(9));
    // The first element faults, the last, or one in the middle.
    let fuel_of = |n: usize| {
        let ran = with(&format!("apply(compose(x2, rbind(subtract, {n})), x1)"));
        let fault = if n < 9 {
            Some(Fault::ZeroDivisionError)
        } else {
            None
        };
        assert_eq!(ran.outcome.fault(), fault);
        ran.fuel
    };
    assert_eq!(fuel_of(0), fuel_of(8));
    assert_eq!(fuel_of(0), fuel_of(4));
    // The result of nine more is paid for, too.
    assert_eq!(fuel_of(0) + 9, fuel_of(9));
}

#[test]
fn a_line_that_costs_too_much_is_out_of_fuel_even_if_an_element_faults() {
    // Its first element faults at once, the others are expensive.
    let program = program(
        "    x1 = lbind(divide, 9)
    x2 = power(increment, 50)
    x3 = fork(add, x1, x2)
    x4 = apply(x3, interval(0, 9, 1))
    return x4
",
    );
    let whole = ran(&program, 10_000);
    let fault = Fault::ZeroDivisionError;
    assert_eq!(whole.outcome, Outcome::Fault { fault, line: 4 });
    assert!(whole.fuel > 400, "{}", whole.fuel);
    assert_eq!(ran(&program, whole.fuel), whole);
    for fuel in (0..whole.fuel).step_by(7).chain([whole.fuel - 1]) {
        let ran = ran(&program, fuel);
        assert_eq!(ran.outcome.fault(), Some(Fault::Fuel), "with {fuel}");
        assert_eq!(ran.fuel, fuel);
    }
}

#[test]
fn a_tuple_weighs_the_same_in_every_order() {
    let fuel_of = |tuple: &str| {
        let lines = format!("    x1 = size(totuple({tuple}))\n    return x1\n");
        ran(&program(&lines), 1_000).fuel
    };
    assert_eq!(
        fuel_of("((1, 2), (1, 2, 3, 4), ())"),
        fuel_of("((), (1, 2), (1, 2, 3, 4))")
    );
    assert_eq!(fuel_of("(7, (1, 2, 3, 4))"), fuel_of("((1, 2, 3, 4), 7)"));
}

#[test]
fn the_fuel_of_a_search_in_a_set_does_not_depend_on_its_order() {
    let lines = "    x1 = asindices(upscale(I, 6))
    x2 = matcher(first, 7)
    x3 = extract(x1, x2)
    x4 = shift(x1, x3)
    x5 = shift(x4, x3)
    return x5
";
    let program = program(lines);
    let mut faults = Vec::new();
    for fuel in (100..1_500).step_by(7) {
        let [fast, exact] = [Mode::Fast, Mode::Exact].map(|mode| run(&program, mode, fuel));
        assert_eq!(fast, exact, "with {fuel}");
        faults.push(fast.fault());
    }
    faults.dedup();
    assert_eq!(faults, [Some(Fault::Fuel), None]);
}

#[test]
fn a_wrong_call_pays_for_its_arguments() {
    // Their number is wrong, or their types are.
    let lines = "    x1 = rapply((lefthalf, order, center), I)\n    return x1\n";
    let wrong_number = program(lines);
    let lines = "    x1 = manhattan(I, I)\n    return x1\n";
    let wrong_type = program(lines);
    for program in [wrong_number, wrong_type] {
        for fuel in 1..60 {
            let [fast, exact] = [Mode::Fast, Mode::Exact].map(|mode| run(&program, mode, fuel));
            assert_eq!(fast, exact, "with {fuel}");
        }
    }
}

#[test]
fn a_set_of_a_thousand_million_cells_is_refused() {
    check(
        "    x1 = interval(0, 31623, 1)
    x2 = product(x1, x1)
    return x2
",
        Fault::Memory,
        1,
    );
    check(
        "    x1 = connect(ORIGIN, (0, 1000000000))\n    return x1\n",
        Fault::Memory,
        1,
    );
    check(
        "    x1 = canvas(0, (1000000, 1000000))\n    return x1\n",
        Fault::Memory,
        1,
    );
    check(
        "    x1 = asobject(upscale(I, 3))
    x2 = prapply(product, x1, x1)
    x3 = product(x2, repeat(x2, 8))
    return size(x3)
",
        Fault::Memory,
        4,
    );
    // A tuple of one grid twenty thousand times has as many parts as one of that many grids.
    check(
        "    x1 = canvas(0, (30, 30))\n    x2 = repeat(x1, 20000)\n    return size(x2)\n",
        Fault::Memory,
        2,
    );
}

#[test]
fn a_million_nested_closures_are_refused() {
    let mut lines = String::from(
        "    x0 = lbind(compose, increment)\n    x1 = power(x0, 900)\n    y0 = x1(increment)\n",
    );
    for k in 1..1_200 {
        writeln!(lines, "    y{k} = x1(y{})", k - 1).unwrap();
    }
    lines.push_str("    z = y1199(0)\n    return z\n");
    let program = program(&lines);
    let outcomes: Vec<Outcome> = [Mode::Fast, Mode::Exact]
        .map(|mode| run(&program, mode, Engine::default().fuel))
        .into();
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0].fault(), Some(Fault::Memory));
}

#[test]
fn nested_tuples_are_refused_before_the_stack_ends() {
    let mut lines = String::from("    x0 = identity(I)\n");
    for k in 1..5_000 {
        writeln!(lines, "    x{k} = initset(x{})", k - 1).unwrap();
    }
    lines.push_str("    return x4999\n");
    assert_eq!(
        run(&program(&lines), Mode::Fast, Engine::default().fuel).fault(),
        Some(Fault::Memory)
    );
}

#[test]
fn recursion_ends_where_cpythons_does() {
    let with = |n: usize| {
        program(&format!(
            "    x1 = power(increment, {n})\n    return x1(0)\n"
        ))
    };
    for mode in [Mode::Fast, Mode::Exact] {
        assert_eq!(
            run(&with(900), mode, 1_000_000).to_json(),
            serde_json::json!({ "value": 900 })
        );
        assert_eq!(
            run(&with(1_000), mode, 1_000_000).fault(),
            Some(Fault::RecursionError)
        );
        assert_eq!(
            run(&with(0), mode, 1_000_000).fault(),
            Some(Fault::RecursionError)
        );
    }
}

/// The least fuel with which a program ends, by bisection.
fn least_fuel(program: &Program, mode: Mode) -> u64 {
    let is_enough = |fuel: u64| run(program, mode, fuel).fault() != Some(Fault::Fuel);
    let (mut low, mut high) = (0, 1 << 24);
    while low + 1 < high {
        let middle = (low + high) / 2;
        if is_enough(middle) {
            high = middle
        } else {
            low = middle
        }
    }
    high
}

#[test]
fn both_engines_need_the_same_fuel() {
    // A grid and a set make a tuple in unknown order: any of its elements may be the first.
    same_fuel(
        "    x1 = hupscale(I, 9)
    x2 = combine(x1, neighbors(UNITY))
    x3 = mostcommon(x2)
    return x1
",
    );
    // The price of its square is far beyond the limit.
    same_fuel(
        "    x1 = hupscale(I, 9)
    x2 = mpapply(combine, apply(initset, x1), x1)
    return dedupe(x2)
",
    );
    same_fuel(
        "    x1 = upscale(I, 5)
    x2 = objects(x1, T, F, F)
    x3 = order(x2, color)
    x4 = apply(size, x3)
    x5 = argmax(x2, ulcorner)
    x6 = mapply(neighbors, toindices(x5))
    return fill(x1, 0, x6)
",
    );
}

#[test]
fn functions_that_are_run_side_by_side_need_the_same_fuel() {
    let places = "    x1 = objects(upscale(I, THREE), T, F, F)
    x2 = asindices(I)
    x3 = compose(fork(add, first, last), fork(subtract, first, compose(center, last)))
    x4 = compose(lbind(compose, x3), lbind(lbind, astuple))
    x6 = compose(rbind(difference, x2), neighbors)
    x7 = compose(initset, x6)
    x8 = lbind(shift, initset(ORIGIN))
    x9 = chain(size, rbind(difference, x2), x8)
    x10 = chain(size, lbind(intersection, x2), x8)
";
    for line in [
        "apply(compose(lbind(valmin, x1), x4), x2)",
        "apply(compose(lbind(argmax, x1), x4), totuple(x2))",
        "sfilter(x2, chain(positive, lbind(valmax, x1), x4))",
        "apply(chain(size, lbind(sfilter, x1), compose(lbind(compose, positive), x4)), x2)",
        "apply(fork(apply, compose(lbind(rbind, add), first), neighbors), totuple(x2))",
        "apply(chain(size, rbind(difference, x2), neighbors), totuple(x2))",
        "apply(fork(add, size, chain(size, lbind(intersection, x2), neighbors)), totuple(x2))",
        "apply(fork(add, compose(size, x6), compose(size, x6)), totuple(x2))",
        "apply(fork(add, chain(size, merge, x7), compose(size, x6)), totuple(x2))",
        "apply(chain(size, rbind(intersection, palette(I)), delta), apply(toindices, x1))",
        "apply(x9, totuple(x2))",
        "apply(fork(add, x9, x9), totuple(x2))",
        "apply(fork(add, x9, x10), totuple(x2))",
        "apply(fork(add, x9, compose(size, x8)), totuple(x2))",
        "apply(chain(size, lbind(difference, x2), lbind(shift, asindices(upscale(I, FIVE)))), totuple(x2))",
        "apply(chain(size, rbind(difference, x2), lbind(shift, difference(x2, x2))), totuple(x2))",
        "apply(chain(size, lbind(difference, difference(x2, x2)), x8), totuple(x2))",
        "apply(compose(maximum, lbind(apply, fork(multiply, sign, increment))), totuple(x2))",
        "apply(compose(minimum, fork(apply, compose(lbind(rbind, add), first), identity)), x2)",
    ] {
        same_fuel(&format!("{places}    x5 = {line}\n    return x5\n"));
    }
}

fn same_fuel(lines: &str) {
    let program = program(lines);
    let exact = least_fuel(&program, Mode::Exact);
    assert_eq!(exact, least_fuel(&program, Mode::Fast));
    assert_eq!(exact, least_fuel(&program, Mode::Exact));
}

#[test]
fn keys_are_paid_for_even_if_one_faults() {
    same_fuel("    x1 = upscale(I, 9)\n    x2 = argmin((x1, 2), shape)\n    return x2\n");
    same_fuel(
        "    x1 = compose(urcorner, mostcommon)\n    x2 = valmin(upscale(I, 9), x1)\n    return x2\n",
    );
}

#[test]
fn both_engines_run_dry_in_the_same_line() {
    let mut n_decided = 0;
    for seed in 0..4_000 {
        let case = Case::random(&mut Dice::seeded(seed));
        let with = |mode| Engine {
            mode,
            fuel: [30, 100, 400, 2_000][seed as usize % 4],
            ..Engine::default()
        };
        let (exact, fast) = with_large_stack(|| {
            let exact = with(Mode::Exact).run_metered(&case.program, &case.sample());
            let ready = Ready::of(&case.program);
            (exact, with(Mode::Fast).run_ready(&ready, &case.sample()))
        });
        let Ok(fast) = fast else { continue };
        assert_eq!(fast, exact, "seed {seed}\n{}", case.program);
        n_decided += usize::from(fast.outcome.fault() == Some(Fault::Fuel));
    }
    // The fast engine decides most of them alone.
    assert!(n_decided > 1_000, "{n_decided}");
}

#[test]
fn a_cancelled_engine_stops_at_once() {
    let engine = Engine {
        mode: Mode::Exact,
        fuel: u64::MAX,
        ..Engine::default()
    };
    let program = program(
        "    x1 = power(double, 60)\n    x2 = interval(0, 900000, 1)\n    return apply(identity, apply(even, x2))\n",
    );
    let input = Grid::from_rows(&[vec![1]]).unwrap();
    engine.cancel.cancel();
    let outcome = with_large_stack(|| engine.run(&program, &Sample::of(&input)));
    assert_eq!(outcome.fault(), Some(Fault::Cancelled));
}

#[test]
fn long_rays_cost_their_length() {
    let program = program(
        "    x1 = rbind(shoot, (10000, 10000))
    x2 = apply(x1, product(interval(0, 100, 1), interval(0, 100, 1)))
    return x2
",
    );
    for mode in [Mode::Fast, Mode::Exact] {
        let outcome = run(&program, mode, 2_000_000);
        assert_eq!(outcome.fault(), Some(Fault::Fuel));
    }
}

/// Each line doubles the value, which takes no time and no memory until it is written out.
#[test]
fn a_value_that_doubles_at_every_line_ends_at_the_cap() {
    let mut lines = String::from("    x0 = astuple(I, I)\n");
    for k in 1..100 {
        writeln!(lines, "    x{k} = astuple(x{0}, x{0})", k - 1).unwrap();
    }
    let program = program(&format!("{lines}    return x99\n"));
    let outcome = run(&program, Mode::Fast, Engine::default().fuel);
    assert!(
        matches!(
            outcome,
            Outcome::Fault {
                fault: Fault::Memory,
                ..
            }
        ),
        "{outcome:?}"
    );
}

#[test]
fn functions_that_look_for_themselves_do_not_fill_the_memory() {
    let alone = "    x1 = fork(extract, initset, identity)\n    return x1(x1)\n";
    let among_others = "    x1 = rbind(insert, initset(identity))
    x2 = fork(extract, x1, identity)
    return x2(x2)
";
    for lines in [alone, among_others] {
        let program = program(lines);
        let [fast, exact] = [Mode::Fast, Mode::Exact].map(|mode| run(&program, mode, 50_000));
        assert_eq!(fast, exact);
    }
}

#[test]
fn powers_of_powers_are_not_written_out() {
    let mut lines = String::from("    x0 = lbind(add, ONE)\n");
    for k in 1..12 {
        _ = writeln!(lines, "    x{k} = power(x{}, 8)", k - 1);
    }
    lines.push_str("    x12 = (1, 2, 3, 4, 5, 6)\n    return apply(x11, x12)\n");
    check(&lines, Fault::Fuel, 13);
}

#[test]
fn a_few_huge_sets_have_too_many_parts_to_be_merged() {
    // Three sets that share a tuple of seven million parts; their union has it once.
    check(
        "    x1 = repeat(I, 1000000)
    x2 = canvas(0, (1, 3))
    x3 = asindices(x2)
    x4 = lbind(insert, x1)
    x5 = compose(x4, initset)
    x6 = mapply(x5, x3)
    x7 = size(x6)
    return x7
",
        Fault::Memory,
        6,
    );
}

#[test]
fn parts_of_unequal_height_cost_both_engines_alike() {
    let source = "def solve_0a1b2c3d(I):\n    x1 = vupscale(I, 251)\n    return vsplit(x1, 8)\n";
    let program = leyden_lang::parse(source, "parts.py", None).expect("a program");
    let input = leyden_grid::Grid::from_rows(&vec![vec![8; 2]; 19]).expect("a grid");
    let ran = |mode| {
        let engine = Engine {
            mode,
            ..Engine::default()
        };
        engine.run_metered(&program[0], &Sample::of(&input))
    };
    assert_eq!(ran(Mode::Fast), ran(Mode::Exact));
}
