//! A prepared program gives the results of an unprepared one, in every run and after any other.

use leyden_exec::random::{Case, Dice};
use leyden_exec::{Engine, GaveUp, Mode, Outcome, Ran, Ready, Sample};

const N_CASES: u64 = 3_000;

/// The fast engine's own result.
fn ran_alone(engine: &Engine, case: &Case, sample: &Sample<'_>) -> Result<Ran, GaveUp> {
    engine.run_ready(&Ready::of(&case.program), sample)
}

#[test]
fn runs_of_a_ready_program_do_not_depend_on_each_other() {
    for fuel in [60, 700, 50_000] {
        let engine = Engine {
            fuel,
            ..Engine::default()
        };
        for seed in 0..N_CASES {
            let [case, other] = [seed, seed + N_CASES].map(|k| Case::random(&mut Dice::seeded(k)));
            let samples = [case.sample(), Sample::of(&other.input)];
            let alone = samples.map(|sample| ran_alone(&engine, &case, &sample));
            let ready = Ready::of(&case.program);
            for k in [0, 1, 1, 0] {
                let again = engine.run_ready(&ready, &samples[k]);
                assert_eq!(
                    again, alone[k],
                    "seed {seed}, fuel {fuel}\n{}",
                    case.program
                );
            }
        }
    }
}

#[test]
fn a_grid_that_is_read_where_it_lies_is_the_one_that_is_handed_out() {
    let engine = Engine::default();
    let as_rectangle = |outcome: &Outcome| match outcome {
        Outcome::Grid(grid) => grid
            .as_rectangle()
            .map(|(width, cells)| (width, cells.to_vec())),
        _ => None,
    };
    let (mut n_read, mut n_others) = (0, 0);
    for seed in 0..N_CASES {
        let case = Case::random(&mut Dice::seeded(seed));
        let ready = Ready::of(&case.program);
        let read = |width: usize, cells: &[i8]| (width, cells.to_vec());
        let there = engine.run_ready_on(&ready, case.input.by_ref(), read);
        let handed_out = engine.run_ready(&ready, &Sample::of(&case.input));
        match (there, handed_out) {
            (Ok(Ok(grid)), Ok(ran)) => {
                assert_eq!(Some(grid), as_rectangle(&ran.outcome));
                n_read += 1;
            }
            (Ok(Err(outcome)), Ok(ran)) => {
                assert_eq!(outcome, ran.outcome);
                n_others += 1;
            }
            (there, handed_out) => assert_eq!(there.err(), handed_out.err()),
        }
    }
    assert!(
        n_read.min(n_others) > N_CASES / 50,
        "{n_read} and {n_others}"
    );
}

#[test]
fn a_ready_program_faults_where_the_exact_engine_says() {
    let engine = Engine::default();
    let exact = Engine {
        mode: Mode::Exact,
        ..Engine::default()
    };
    let mut n_faults = 0;
    for seed in 0..N_CASES {
        let case = Case::random(&mut Dice::seeded(seed));
        let ready = Ready::of(&case.program);
        if let Ok(ran) = engine.run_ready(&ready, &case.sample()) {
            assert_eq!(ran.outcome, exact.run(&case.program, &case.sample()));
            n_faults += u64::from(ran.outcome.fault().is_some());
        }
    }
    assert!(n_faults > N_CASES / 10, "only {n_faults} faults");
}
