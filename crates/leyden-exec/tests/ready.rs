//! A program that was made ready gives what it gives without, however often and whatever ran before.

use leyden_exec::random::{Case, Dice};
use leyden_exec::{Engine, GaveUp, Mode, Ran, Ready, Sample};

const N_CASES: u64 = 3_000;

/// What the fast engine gives by itself.
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
