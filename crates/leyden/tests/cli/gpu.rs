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
    assert!(ran.stdout.contains("not measured"), "{}", ran.stdout);
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

#[test]
#[cfg(feature = "opencl")]
fn constants_of_the_cost_model_can_be_others() {
    if !leyden_gpu_is_there() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("cost.txt", "# mine\nlaunch_us = 5000000\n");
    let args = ["gpu", "bench", "--most", "1", "--json", "-", "--cost"];
    let ran = sandbox.leyden(&[&args[..], &["cost.txt"]].concat()).ok();
    let report = crate::json(&ran.stdout);
    assert_eq!(report["constants"]["launch_us"], 5e6);
    let expected = report["batches"][0]["expected_device_ns"].as_f64().unwrap();
    assert!(expected > 5e9, "{expected}");
    sandbox.write("bad.txt", "lunch_us = 1\n");
    let ran = sandbox.leyden(&[&args[..], &["bad.txt"]].concat());
    ran.refused(&["line 1", "lunch_us", "launch_us"]);
    let ran = sandbox.leyden(&[&args[..], &["none.txt"]].concat());
    ran.refused(&["none.txt"]);
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
