//! `leyden gpu`, with and without devices.

use crate::Sandbox;

#[test]
#[cfg(not(feature = "opencl"))]
fn a_build_without_devices_says_so() {
    for command in ["list", "selftest", "bench"] {
        let ran = Sandbox::new().leyden(&["gpu", command]);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
        assert!(ran.stderr.contains("--features opencl"), "{}", ran.stderr);
    }
}

#[cfg(feature = "opencl")]
fn check_refused(variable: &str, value: &str, words: &str) {
    for command in ["list", "selftest", "bench"] {
        let sandbox = Sandbox::new();
        let mut command = sandbox.command(&["gpu", command]);
        let ran = crate::Ran::of(command.env(variable, value).output().unwrap());
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
}

#[test]
#[cfg(all(feature = "opencl", target_os = "linux"))]
fn without_a_loader_the_remedy_is_named() {
    // A library that is not a loader stands for a missing one.
    check_refused("OPENCL_DYLIB_PATH", "libm.so.6", "no OpenCL loader");
}

#[test]
#[cfg(all(feature = "opencl", target_os = "linux"))]
fn without_a_driver_the_remedy_is_named() {
    if leyden_gpu_is_there() {
        check_refused("OCL_ICD_VENDORS", "/nowhere", "pocl-opencl-icd");
    }
}

/// Does a loader with a device exist? The test can then hide it.
#[cfg(feature = "opencl")]
fn leyden_gpu_is_there() -> bool {
    Sandbox::new().leyden(&["gpu", "list"]).code == 0
}

#[test]
#[cfg(feature = "opencl")]
fn a_device_gives_what_the_cpu_gives() {
    if leyden_gpu_is_there() {
        let ran = Sandbox::new()
            .leyden(&["gpu", "selftest", "--cases", "20"])
            .ok();
        assert!(ran.stdout.contains("wrong answers 0\n"), "{}", ran.stdout);
    }
}

#[test]
#[cfg(all(feature = "opencl", not(feature = "cuda")))]
fn a_backend_that_was_not_built_is_named() {
    let ran = Sandbox::new().leyden(&["gpu", "selftest", "--backend", "cuda"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    assert!(ran.stderr.contains("--features cuda"), "{}", ran.stderr);
}

#[test]
#[cfg(all(feature = "cuda", target_os = "linux"))]
fn without_a_cuda_driver_the_remedy_is_named() {
    let has_driver = ["libcuda.so", "libcuda.so.1"].iter().any(|name| {
        let found = std::process::Command::new("ldconfig").arg("-p").output();
        found.is_ok_and(|found| String::from_utf8_lossy(&found.stdout).contains(name))
    });
    if !has_driver {
        let ran = Sandbox::new().leyden(&["gpu", "selftest", "--backend", "cuda"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
        assert!(ran.stderr.contains("NVIDIA's driver"), "{}", ran.stderr);
    }
}

#[test]
#[cfg(feature = "opencl")]
fn bench_measures_both_and_draws_it() {
    if !leyden_gpu_is_there() {
        return;
    }
    let sandbox = Sandbox::new();
    let args = ["gpu", "bench", "--most", "30", "--jobs", "1"];
    let files = ["--json", "out.json", "--svg", "out.svg"];
    let ran = sandbox.leyden(&[&args[..], &files[..]].concat()).ok();
    assert!(ran.stdout.contains("ready: "), "{}", ran.stdout);
    let report = crate::json(&sandbox.read("out.json"));
    let batches = report["batches"].as_array().unwrap();
    assert_eq!(batches.len(), 4);
    for batch in batches {
        let ns = |name: &str| batch[name].as_u64().unwrap();
        let parts = ns("to_device_ns") + ns("kernel_ns") + ns("from_device_ns");
        assert!(ns("kernel_ns") > 0 && parts <= ns("device_ns"), "{batch}");
        assert!(ns("cpu_ns") > 0, "{batch}");
    }
    assert!(sandbox.read("out.svg").starts_with("<svg"));
}

/// A program of each class.
#[cfg(feature = "opencl")]
const SOLVERS: &str = include_str!("../../../leyden-gpu/tests/classes.py");

#[test]
#[cfg(feature = "opencl")]
fn bench_measures_which_share_of_the_time_a_device_answers() {
    if !leyden_gpu_is_there() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("mine.py", SOLVERS);
    let args = ["gpu", "bench", "--solvers", "mine.py", "--data", "demo"];
    let more = ["--every", "20", "--fuel", "1000000", "--json", "out.json"];
    let ran = sandbox.leyden(&[&args[..], &more[..]].concat()).ok();
    for words in [
        "ready: ",
        "without loops",
        "lacks only some of order",
        "devices can answer ",
        "results are equal",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    let report = crate::json(&sandbox.read("out.json"));
    let n_inputs = report["inputs"].as_u64().unwrap();
    assert!(n_inputs > 2, "{n_inputs}");
    assert_eq!(report["all"]["runs"], 3 * n_inputs);
    assert_eq!(
        (&report["equal"], &report["fuel"]),
        (&true.into(), &1_000_000.into())
    );
    let classes = report["classes"].as_array().unwrap();
    let programs = |k: usize| classes[k]["programs"].as_u64().unwrap();
    assert_eq!([programs(0), programs(1), programs(2)], [1, 1, 1]);
    assert!(classes[0]["kernel_s"].as_f64().unwrap() > 0.0);
    assert!(report["opening"]["open_s"].as_f64().unwrap() > 0.0);
    assert!(report["whole"]["cpu_s"].as_f64().unwrap() > 0.0);
    let share = report["share_of_time"].as_f64().unwrap();
    let most = report["most_gain"].as_f64().unwrap();
    assert!((most * (1.0 - share) - 1.0).abs() < 1e-9, "{share} {most}");
}

#[test]
#[cfg(feature = "opencl")]
fn bench_refuses_programs_it_cannot_read_before_it_opens_a_device() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "bad.py",
        "def solve_00000001(I):\n    O = vmirror(I\n    return O\n",
    );
    let with = |file: &'static str| {
        let args = ["gpu", "bench", "--data", "demo", "--solvers", file];
        let mut command = sandbox.command(&args);
        crate::Ran::of(
            command
                .env("OPENCL_DYLIB_PATH", "libm.so.6")
                .output()
                .unwrap(),
        )
    };
    with("bad.py").refused(&["bad.py:2:"]);
    with("none.py").refused(&["none.py"]);
    sandbox.write("mine.py", SOLVERS);
    let ran = with("mine.py");
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
    for words in [["--every", "2"], ["--fuel", "9"], ["--data", "demo"]] {
        let ran = sandbox.leyden(&[&["gpu", "bench"], &words[..]].concat());
        ran.refused(&["--solvers"]);
    }
}

#[test]
#[cfg(feature = "opencl")]
fn a_profile_has_the_device_in_rows_of_their_own_and_they_add_up() {
    if !leyden_gpu_is_there() {
        return;
    }
    let sandbox = Sandbox::new();
    for kind in ["framework", "pipeline", "batch"] {
        let args = ["profile", kind, "--data", "demo", "--backend", "opencl"];
        let mut shown = String::new();
        // On a busy machine, a short wait is two percent of such a small workload.
        let adds_up = (0..20).any(|_| {
            let args = [&args[..], &["--json", "out.json"]].concat();
            shown = sandbox.leyden(&args).ok().stdout;
            shown.contains("All sums add up")
        });
        assert!(adds_up, "{shown}");
        for row in ["transfer", "kernel", "idle", "runs in a batch"] {
            assert!(shown.contains(row), "{shown}");
        }
        let profile = crate::json(&sandbox.read("out.json"));
        let device = &profile["device"];
        let ns = |name: &str| device[name].as_u64().unwrap();
        assert!(
            ns("answered") > 0 && ns("answered") < ns("asked"),
            "{device}"
        );
        assert!(ns("kernel_ns") > 0 && ns("transfer_ns") > 0, "{device}");
        assert!(device["batches"].as_array().unwrap().len() > 1, "{device}");
        let solved = &profile["accuracy"][0];
        assert_eq!(solved["right"], solved["of"], "{solved}");
    }
    let args = ["profile", "pipeline", "--solve", "--data", "demo"];
    let ran = sandbox.leyden(&[&args[..], &["--backend", "opencl"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}
