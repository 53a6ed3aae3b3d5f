//! Measures the share of a few programs on the first OpenCL device. Without a device the test prints
//! a note and passes.
#![cfg(feature = "opencl")]
#![allow(clippy::print_stderr, clippy::unwrap_used)]

use leyden_exec::{Engine, with_large_stack};
use leyden_gpu::opencl::{Session, Settings};
use leyden_gpu::share::{Class, Questions, Shares, measure};
use leyden_gpu::{Devices, GpuError};
use leyden_grid::Grid;

/// A program of each class.
const SOURCE: &str = include_str!("classes.py");

fn measured(engine: &Engine, most: usize) -> Result<Option<Shares>, GpuError> {
    let programs = leyden_lang::parse(SOURCE, "classes.py", None).unwrap();
    let grid = |k: u8| Grid::from_rows(&[vec![k, 2, 0], vec![k, k, 0]]).unwrap();
    let inputs: Vec<Grid> = (0..5).map(grid).collect();
    let settings = Settings {
        fuel: Devices::fuel_for(engine.fuel),
        is_timed: true,
        ..Settings::default()
    };
    with_large_stack(|| {
        let session = Session::open(0, settings)?;
        assert!(session.opening().compile.unwrap() <= session.opening().open);
        let questions = Questions {
            programs: &programs,
            inputs: &inputs,
            engine,
        };
        let mut n_done = 0;
        measure(&session, &questions, &mut || {
            n_done += 1;
            n_done < most
        })
    })
}

#[test]
fn every_run_is_answered_or_has_a_reason() {
    let engine = Engine::default();
    let shares = match measured(&engine, 100) {
        Err(reason @ (GpuError::NoLoader | GpuError::NoDevice)) => {
            return eprintln!("skipped: {reason}");
        }
        shares => shares.unwrap().unwrap(),
    };
    assert!(shares.different.is_empty(), "{:?}", shares.different);
    assert_eq!((shares.n_programs, shares.all.n_runs), (3, 15));
    let left: usize = shares.reasons.values().map(|it| it.n_runs).sum();
    assert_eq!(shares.answered.n_runs + left, 15);
    let of = |class: Class| shares.classes[class as usize];
    assert!(Class::ALL.iter().all(|it| of(*it).n_programs == 1));
    assert_eq!(of(Class::Straight).answered.n_runs, 5);
    assert!(of(Class::Straight).times.kernel > std::time::Duration::ZERO);
    assert_eq!(of(Class::Refused).answered.n_runs, 0);
    assert!(shares.reasons.keys().any(|it| it.contains("dedupe")));
    // A caller can stop after any program.
    assert!(measured(&engine, 2).unwrap().is_none());
}
