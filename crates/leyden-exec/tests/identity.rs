//! A function equals only itself. The fast engine must not make one of two.

use std::sync::Arc;

use leyden_exec::{BatteryPlan, Cache, Engine, Mode, Outcome, Ran, Sample, Seen};
use leyden_grid::Grid;
use leyden_lang::{Battery, Program, Rules, parse};

fn program(lines: &str) -> Program {
    let source = format!("def solve_0a1b2c3d(I):\n{lines}\n");
    let programs = parse(&source, "identity.py", None).expect("a program");
    programs.into_iter().next().expect("one program")
}

fn column(n: usize) -> Grid {
    let row = |k: usize| vec![(k % 10) as u8];
    Grid::from_rows(&(0..n).map(row).collect::<Vec<_>>()).expect("a grid")
}

/// The outcome of both engines, which have to agree.
fn outcome(program: &Program, input: &Grid) -> Outcome {
    let exact = Engine {
        mode: Mode::Exact,
        ..Engine::default()
    };
    let wanted = exact.run_metered(program, &Sample::of(input));
    let ran = Engine::default().run_metered(program, &Sample::of(input));
    assert_eq!(ran, wanted, "{program}");
    ran.outcome
}

#[test]
fn functions_that_are_made_twice_differ() {
    let makers = [
        "lbind(matcher, decrement)",
        "rbind(matcher, ONE)",
        "lbind(compose, size)",
        "lbind(lbind, equality)",
    ];
    for maker in makers {
        let lines = format!(
            "    x1 = {maker}\n    x2 = fork(equality, x1, x1)\n    x3 = sfilter(I, x2)\n    return x3"
        );
        for n in [1, 2, 5, 9, 30] {
            let outcome = outcome(&program(&lines), &column(n));
            assert_eq!(outcome.to_json(), serde_json::json!({ "value": [] }));
        }
    }
}

#[test]
fn functions_within_results_of_functions_differ_too() {
    let calls = [
        "lbind(apply, x1)",
        "lbind(mapply, x1)",
        "rbind(valmax, x1)",
        "rbind(valmin, x1)",
    ];
    for call in calls {
        let lines = format!(
            "    x1 = lbind(matcher, decrement)\n    x2 = {call}\n    x3 = fork(equality, x2, x2)\n    \
             x4 = sfilter(I, x3)\n    return x4"
        );
        for n in [1, 5, 30] {
            outcome(&program(&lines), &column(n));
        }
    }
}

#[test]
fn functions_that_are_only_called_may_be_shared() {
    let lines = "    x1 = lbind(rbind, equality)\n    x2 = compose(x1, first)\n    x3 = fork(sfilter, identity, x2)\n    \
                 x4 = fork(equality, x3, x3)\n    x5 = sfilter(I, x4)\n    return x5";
    for n in [1, 5, 30] {
        let outcome = outcome(&program(lines), &column(n));
        assert!(matches!(outcome, Outcome::Grid(_)));
    }
}

#[test]
fn values_of_a_task_from_a_cache_reach_the_nodes_of_the_task() {
    let source = "def solve_0a1b2c3d(S, I, C):\n    x1 = vmirror(C)\n    x2 = vconcat(x1, C)\n    \
                  x3 = objects(x2, T, F, F)\n    return x3\n";
    let programs = parse(source, "identity.py", None).expect("a program");
    let plan = BatteryPlan::new(Battery::from_programs(&programs, Rules::ALL));
    let (input, expected) = (column(3), column(9));
    let seen = Seen {
        demos: &[],
        expected: Some(&expected),
    };
    let run = |engine: &Engine, inputs: &[&Grid]| {
        let mut all: Vec<Ran> = Vec::new();
        plan.with_worker(engine, |worker| {
            let inputs = inputs.iter().copied();
            worker.run_metered(&seen, inputs, |_, _| true, |_, _, ran| all.push(ran));
        });
        all
    };
    let engine = |fuel: u64, cache: Option<&Arc<Cache>>| Engine {
        fuel,
        cache: cache.cloned(),
        ..Engine::default()
    };
    let cache = Arc::new(Cache::new(1 << 20));
    let wanted = run(&engine(50_000, None), &[&input]);
    // Another tank is another key of the outcome, but not of the nodes.
    run(&engine(60_000, Some(&cache)), &[&input]);
    assert_eq!(run(&engine(50_000, Some(&cache)), &[&input]), wanted);
    assert!(cache.counts().node_hits > 0);
}

#[test]
fn a_function_stays_one_when_the_reference_engine_does_a_call() {
    let source = "# dialect: tokpidjin\ndef solve_0a1b2c3d(S, I, C):\n    x1 = rbind(pair, I)\n    \
                  x2 = (x1, UNITY, x1)\n    x3 = mfilter_t(x2, identity)\n    x4 = size(x3)\n    return x4\n";
    let programs = parse(source, "identity.py", None).expect("a program");
    for fuel in 1..40 {
        let ran = |mode| {
            let engine = Engine {
                fuel,
                mode,
                ..Engine::default()
            };
            engine.run_metered(&programs[0], &Sample::of(&column(3)))
        };
        assert_eq!(ran(Mode::Fast), ran(Mode::Exact), "fuel {fuel}");
    }
}
