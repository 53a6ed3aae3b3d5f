use super::*;

const ONE_THREAD: Ahead = Ahead {
    n_runs: 1_000_000,
    n_threads: 1,
};

/// Runs of 10 µs, of which the device answers half in 1 µs each.
const GOOD: Costs = Costs {
    floor_s: 5.0,
    cpu_run_us: 10.0,
    rest_run_us: 5.0,
    device_run_us: 1.0,
};

#[test]
fn a_batch_that_is_over_soon_opens_no_device() {
    assert_eq!(GOOD.may_pay(&ONE_THREAD), Ok(()));
    let with = |n_runs, n_threads| GOOD.may_pay(&Ahead { n_runs, n_threads });
    let reason = with(7, 1).unwrap_err();
    assert!(
        reason.starts_with("7 runs are expected to take 0.0 s"),
        "{reason}"
    );
    assert!(with(1_000_000, 2).is_ok());
    assert!(with(1_000_000, 3).is_err(), "3.3 s on three threads");
}

#[test]
fn the_bound_before_a_trial_lets_every_batch_through_that_may_be_large() {
    let measured = Costs {
        cpu_run_us: 15.0,
        ..Costs::BEFORE
    };
    for n_runs in [10_000, 100_000, 1_000_000] {
        let ahead = Ahead {
            n_runs,
            n_threads: 1,
        };
        assert!(measured.may_pay(&ahead).is_err() || Costs::BEFORE.may_pay(&ahead).is_ok());
    }
}

#[test]
fn a_device_pays_by_the_time_it_saves_and_not_by_the_runs_it_answers() {
    assert_eq!(GOOD.pays(&ONE_THREAD, "it"), Ok(()));
    // A device that answers nothing only costs.
    let useless = Costs {
        rest_run_us: 10.0,
        ..GOOD
    };
    let reason = useless.pays(&ONE_THREAD, "a GPU").unwrap_err();
    assert!(
        reason.starts_with("1,000,000 runs would take about 11.0 s with a GPU, 10.0 s without"),
        "{reason}"
    );
    assert!(reason.ends_with("0 % of that time"), "{reason}");
}

#[test]
fn more_threads_make_a_device_less_attractive() {
    let with = |n_threads| Ahead {
        n_threads,
        ..ONE_THREAD
    };
    assert!(GOOD.pays(&with(4), "it").is_ok());
    assert!(GOOD.pays(&with(5), "it").is_err());
}

#[test]
fn absurd_batches_have_finite_times() {
    let huge = Ahead {
        n_runs: u64::MAX,
        n_threads: 0,
    };
    let none = Spell::default();
    assert_eq!(none.run_us(), 0.0);
    for costs in [GOOD, Costs::BEFORE] {
        let predicted = costs.predict(&huge);
        assert!(predicted.cpu.is_finite() && predicted.device.is_finite());
        assert!((0.0..=1.0).contains(&costs.share()));
    }
}

#[test]
fn bad_costs_are_refused_with_their_line() {
    let check = |text: &str, expected: &str| {
        let error = Overrides::read(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    };
    check("floor_s", "line 1: expected `name = number`");
    check("\nflour_s = 3", "line 2: there is no cost `flour_s`");
    check("floor_s = NaN", "line 1: expected a number");
    check("floor_s = -1", "line 1: expected a number");
}

#[test]
fn the_last_line_about_a_cost_counts() {
    let read = Overrides::read("floor_s = 1\n# no\nfloor_s = 2 # yes\n").unwrap();
    assert_eq!(read.applied(GOOD).floor_s, 2.0);
    assert_eq!(read.applied(GOOD).cpu_run_us, GOOD.cpu_run_us);
}

/// The document names every cost that a file can have.
#[test]
fn the_document_states_every_cost() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gpu.md");
    let text = std::fs::read_to_string(path).unwrap();
    for name in ["floor_s", "cpu_run_us", "rest_run_us", "device_run_us"] {
        assert!(
            text.contains(&format!("`{name}`")),
            "docs/gpu.md lacks {name}"
        );
    }
}
