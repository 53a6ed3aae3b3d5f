//! Compares the first OpenCL device with the CPU. Without a device the tests print a note and pass,
//! unless `LEYDEN_TEST_DEVICE=1` promises one.
#![cfg(feature = "opencl")]
#![allow(clippy::print_stderr, clippy::unwrap_used)]

use leyden_dsl::fault::Fault;
use leyden_exec::with_large_stack;
use leyden_gpu::opencl::{Session, Settings};
use leyden_gpu::{Answer, Compiled, GpuError, Job, Samples, hash_of_grid, selftest};
use leyden_grid::Grid;

/// Fails if a device was promised, otherwise prints why the test is skipped.
fn skip(reason: &GpuError) {
    let is_promised = std::env::var_os("LEYDEN_TEST_DEVICE").is_some_and(|value| value == "1");
    assert!(!is_promised, "{reason}");
    eprintln!("skipped: {reason}");
}

fn session(settings: Settings) -> Option<Session> {
    match Session::open(0, settings) {
        Ok(session) => Some(session),
        Err(reason @ (GpuError::NoLoader | GpuError::NoDevice)) => {
            skip(&reason);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn with_lanes(lanes: usize) -> Settings {
    Settings {
        lanes: Some(lanes),
        ..Settings::default()
    }
}

fn compiled(lines: &str) -> Compiled {
    let source = format!("def solve_0a1b2c3d(I):\n{lines}\n    return O\n");
    let program = leyden_lang::parse(&source, "test.py", None)
        .unwrap()
        .remove(0);
    Compiled::of(&program).unwrap()
}

fn grid(rows: &[&[u8]]) -> Grid {
    let rows: Vec<Vec<u8>> = rows.iter().map(|row| row.to_vec()).collect();
    Grid::from_rows(&rows).unwrap()
}

fn check_random_programs(lanes: usize, seed: u64) {
    if session(with_lanes(lanes)).is_none() {
        return;
    }
    // A session stays in its thread, so the thread with a large stack for the CPU's engine opens
    // it.
    let verdict = with_large_stack(|| {
        let session = Session::open(0, with_lanes(lanes)).unwrap();
        selftest(&session, 40, seed).unwrap()
    });
    assert!(verdict.agrees(), "{}", verdict.differences.join("\n\n"));
    let total = verdict.total();
    assert!(total.n_answered * 3 > total.n_sent, "{verdict:?}");
    assert!(total.n_faults > 0);
}

#[test]
fn random_programs_give_what_they_give_on_the_cpu() {
    check_random_programs(1, 1);
}

#[test]
fn and_with_many_lanes_side_by_side() {
    check_random_programs(16, 2);
}

#[test]
fn answers_are_grids_numbers_and_faults() {
    let Some(session) = session(Settings::default()) else {
        return;
    };
    let input = grid(&[&[0, 7, 7], &[7, 7, 0]]);
    let mirrored = grid(&[&[7, 7, 0], &[0, 7, 7]]);
    let mut samples = Samples::default();
    samples.push(&input, Some(&mirrored));
    let resident = session.upload(&samples).unwrap();
    let programs = [
        compiled("    O = vmirror(I)"),
        compiled("    O = colorcount(I, SEVEN)"),
        compiled("    x = subtract(ONE, ONE)\n    O = divide(SEVEN, x)"),
        compiled("    x = canvas(ZERO, TEN)\n    O = rot90(x)"),
    ];
    let jobs: Vec<Job> = (0..6)
        .map(|k| Job {
            program: k % 5,
            sample: k / 5,
        })
        .collect();
    let answers = session.run(&resident, &programs, &jobs, false).unwrap();
    let expected = [
        Answer::Grid {
            height: 2,
            width: 3,
            hash: hash_of_grid(&mirrored),
            is_expected: true,
            cells: None,
        },
        Answer::Int(4),
        Answer::Fault {
            fault: Fault::ZeroDivisionError,
            line: 1,
        },
        Answer::Unsure { line: Some(0) },
        // There is no fifth program, and no second sample.
        Answer::Unsure { line: None },
        Answer::Unsure { line: None },
    ];
    assert_eq!(answers, expected);
}

#[test]
fn inputs_go_over_once_and_few_bytes_come_back() {
    let Some(session) = session(Settings::default()) else {
        return;
    };
    let mut samples = Samples::default();
    for k in 0..50u8 {
        let input = grid(&[&[k % 10; 30][..]; 30]);
        samples.push(&input, Some(&input));
    }
    let resident = session.upload(&samples).unwrap();
    let sent = session.transfers().grids;
    assert_eq!(sent, 50 * (2 * (900 + 12) + 8));
    let programs = [compiled("    O = rot90(I)"), compiled("    O = hmirror(I)")];
    let jobs: Vec<Job> = (0..100)
        .map(|k| Job {
            program: k % 2,
            sample: k / 2,
        })
        .collect();
    for _ in 0..3 {
        let answers = session.run(&resident, &programs, &jobs, false).unwrap();
        let is_match = |answer: &Answer| {
            matches!(
                answer,
                Answer::Grid {
                    is_expected: true,
                    ..
                }
            )
        };
        assert!(answers.iter().all(is_match));
    }
    let transfers = session.transfers();
    assert_eq!(transfers.grids, sent);
    assert!(transfers.results <= 3 * 100 * 64, "{transfers:?}");
    assert_eq!(transfers.outputs, 0);
}

#[test]
fn a_device_with_too_little_memory_is_not_sure() {
    let settings = Settings {
        local_memory: Some(1024),
        ..Settings::default()
    };
    let Some(session) = session(settings) else {
        return;
    };
    let mut samples = Samples::default();
    samples.push(&grid(&[&[1]]), None);
    let resident = session.upload(&samples).unwrap();
    let job = Job {
        program: 0,
        sample: 0,
    };
    let programs = [compiled("    O = rot90(I)")];
    let answers = session.run(&resident, &programs, &[job], true).unwrap();
    assert_eq!(answers, [Answer::Unsure { line: None }]);
}

#[test]
fn what_takes_too_much_fuel_is_not_sure() {
    let settings = Settings {
        fuel: 100,
        ..Settings::default()
    };
    let Some(session) = session(settings) else {
        return;
    };
    let mut samples = Samples::default();
    samples.push(&grid(&[&[1; 30][..]; 30]), None);
    let resident = session.upload(&samples).unwrap();
    let job = Job {
        program: 0,
        sample: 0,
    };
    let programs = [compiled("    O = rot90(I)")];
    let answers = session.run(&resident, &programs, &[job], true).unwrap();
    assert!(answers[0].is_unsure());
}

#[test]
fn a_device_that_is_not_there_is_an_error_that_helps() {
    match Session::open(1_000, Settings::default()).err() {
        Some(GpuError::NoSuchDevice {
            wanted: 1_000,
            found,
        }) => assert!(found > 0),
        Some(reason @ (GpuError::NoLoader | GpuError::NoDevice)) => skip(&reason),
        other => panic!("{other:?}"),
    }
}
