use super::*;

/// Measurements with PoCL on a busy 2-core machine, one thread on the CPU: runs, programs,
/// instructions, samples, cells; microseconds on the CPU and on the device. The constants were
/// fitted to the first six. The last four come from another run twelve minutes later, on a busier
/// machine, before the last fit; their batches are assumed to be those of the first run.
const MEASURED: [([u64; 5], f64, f64); 10] = [
    ([10, 10, 123, 1, 102], 55.7, 2_473.5),
    ([96, 12, 147, 8, 647], 308.2, 8_582.3),
    ([996, 12, 147, 83, 6_720], 1_895.2, 56_773.4),
    ([9_996, 12, 147, 833, 66_964], 14_586.1, 733_492.4),
    ([996, 12, 147, 83, 2_634], 1_112.6, 27_253.3),
    ([10_005, 23, 317, 435, 62_872], 47_839.5, 866_414.6),
    ([10, 10, 123, 1, 102], 36.1, 2_480.0),
    ([96, 12, 147, 8, 647], 253.0, 10_500.0),
    ([996, 12, 147, 83, 6_720], 3_510.0, 145_000.0),
    ([9_996, 12, 147, 833, 66_964], 38_600.0, 1_270_000.0),
];

fn batch([n_jobs, n_programs, n_instructions, n_samples, n_cells]: [u64; 5]) -> Batch {
    Batch {
        n_jobs,
        n_programs,
        n_instructions,
        n_samples,
        n_cells,
        n_threads: 1,
    }
}

fn device(name: &str, is_gpu: bool) -> DeviceInfo {
    DeviceInfo {
        name: name.to_owned(),
        vendor: String::new(),
        driver: String::new(),
        is_gpu,
        memory: 1 << 34,
        local_memory: 48 << 10,
    }
}

#[test]
fn the_model_ranks_the_cpu_and_pocl_as_measured_and_is_not_far_off() {
    let pocl = Costs::of(&device("cpu-znver3-AMD EPYC", false));
    assert!(pocl.is_measured);
    for (numbers, cpu_us, device_us) in MEASURED {
        let predicted = pocl.costs.predict(&batch(numbers));
        assert_eq!(predicted.gain() > 1.0, cpu_us > device_us, "{numbers:?}");
        for (model, measured) in [(predicted.cpu, cpu_us), (predicted.device, device_us)] {
            let ratio = model * 1e6 / measured;
            assert!((0.33..3.0).contains(&ratio), "{numbers:?}: {ratio}");
        }
    }
}

#[test]
fn times_are_ranked_among_batches_too() {
    let pocl = KNOWN[0].costs;
    let mut all: Vec<(f64, f64)> = Vec::new();
    for (numbers, cpu_us, device_us) in &MEASURED[..4] {
        let predicted = pocl.predict(&batch(*numbers));
        all.extend([(*cpu_us, predicted.cpu), (*device_us, predicted.device)]);
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(all.is_sorted_by(|a, b| a.1 <= b.1), "{all:?}");
}

#[test]
fn a_device_is_known_by_a_word_of_its_name() {
    let name = |name| Costs::of(&device(name, true)).name;
    assert_eq!(name("Tesla T4"), "T4");
    assert_eq!(name("NVIDIA L4"), "L4");
    assert_eq!(name("Tesla P100-PCIE-16GB"), "P100");
    assert_eq!(name("NVIDIA L40S"), "T4");
}

#[test]
fn small_batches_do_not_pay_and_the_reason_says_so() {
    let of = |n_jobs| Batch {
        n_jobs,
        ..Batch::default()
    };
    assert!(
        may_pay(&of(7))
            .unwrap_err()
            .starts_with("7 runs would be over")
    );
    assert_eq!(may_pay(&of(1_000_000)), Ok(()));
    let l4 = device("NVIDIA L4", true);
    assert_eq!(pays(&l4, &of(1_000_000)), Ok(()));
    let reason = pays(&l4, &of(10)).unwrap_err();
    assert!(reason.starts_with("10 runs would take about"), "{reason}");
    assert!(reason.contains("on NVIDIA L4"), "{reason}");
    assert!(pays(&device("some processor", false), &of(1_000_000)).is_err());
}

#[test]
fn more_threads_make_a_device_less_attractive() {
    let on = |n_threads| Batch {
        n_jobs: 1_000_000,
        n_threads,
        ..Batch::default()
    };
    let l4 = KNOWN.iter().find(|known| known.name == "L4").unwrap();
    assert!(l4.costs.predict(&on(1)).gain() > 1.0);
    assert!(l4.costs.predict(&on(48)).gain() < 1.0);
}

#[test]
fn absurd_batches_have_finite_times() {
    let huge = Batch {
        n_jobs: u64::MAX,
        n_programs: 1,
        n_instructions: u64::MAX,
        n_samples: 1,
        n_cells: u64::MAX,
        n_threads: 0,
    };
    for known in KNOWN {
        for batch in [huge, Batch::default()] {
            let predicted = known.costs.predict(&batch);
            assert!(predicted.cpu.is_finite() && predicted.device.is_finite());
            assert!(!predicted.gain().is_nan());
        }
    }
}

#[test]
fn constants_survive_being_written_and_read() {
    for known in KNOWN {
        let read = KNOWN[0].costs.overridden(&known.costs.to_text()).unwrap();
        assert_eq!(read, known.costs);
    }
}

#[test]
fn bad_constants_are_refused_with_their_line() {
    let check = |text: &str, expected: &str| {
        let error = KNOWN[0].costs.overridden(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    };
    check("launch_us", "line 1: expected `name = number`");
    check("\nlaunch = 3", "line 2: there is no constant `launch`");
    check("launch_us = NaN", "line 1: expected a number");
    check("launch_us = -1", "line 1: expected a number");
    check("n_groups = 0", "line 1: expected a number");
}

/// The document has the constants of the model.
#[test]
fn the_document_states_every_constant() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gpu.md");
    let text = std::fs::read_to_string(path).unwrap();
    for (name, _) in KNOWN[0].costs.named() {
        let numbers = KNOWN.iter().map(|known| {
            let constant = known.costs.named().find(|(other, _)| *other == name);
            format!(" {:.1} |", constant.unwrap().1)
        });
        let row = format!("| `{name}` |{}", numbers.collect::<String>());
        assert!(text.contains(&row), "docs/gpu.md lacks {row}");
    }
}
