//! `--backend`: the place where programs run changes no result, and an error names a backend that
//! is not available.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{Ran, Sandbox, json};

/// Enough programs for `auto` to consider devices.
const N_PROGRAMS: usize = 150;

/// Programs that a device runs, programs that it is not sure about, and programs that it lacks.
fn write_programs(sandbox: &Sandbox) {
    let bodies = [
        "O = vmirror(I)",
        "x1 = objects(I, T, F, T)\n    x2 = argmax(x1, size)\n    O = subgrid(x2, I)",
        "x1 = ofcolor(I, TWO)\n    O = fill(I, THREE, x1)",
        "x1 = height(I)\n    x2 = subtract(x1, x1)\n    O = divide(SEVEN, x2)",
        "O = dedupe(I)",
        "O = palette(I)",
    ];
    let program = |k: usize| {
        let body = bodies[k % bodies.len()].replace("TWO", ["TWO", "ONE", "FOUR"][k / 6 % 3]);
        format!("def solve_{k:08x}(I):\n    {body}\n    return O\n\n")
    };
    let text: String = (0..N_PROGRAMS).map(program).collect();
    sandbox.write("programs.py", &text);
}

const BATT: [&str; 8] = [
    "batt",
    "--data",
    "demo",
    "--solvers",
    "programs.py",
    "--json",
    "out.json",
    "--backend",
];

/// Every command with a backend, as short as possible.
const COMMANDS: [&[&str]; 4] = [
    &["batt", "--data", "demo", "--backend"],
    &["run", "--data", "demo", "--backend"],
    &[
        "evolve",
        "--data",
        "demo",
        "--rounds",
        "1",
        "--tasks",
        "1",
        "--backend",
    ],
    &["solve", "--data", "demo", "--tasks", "1", "--backend"],
];

fn leyden(sandbox: &Sandbox, args: &[&str], env: &[(&str, &Path)]) -> Ran {
    let mut command: Command = sandbox.command(args);
    command.envs(env.iter().copied());
    Ran::of(command.output().unwrap())
}

/// The report without times, fuel and the shares of CPU and devices.
fn results(sandbox: &Sandbox) -> Value {
    let mut report = json(&sandbox.read("out.json"));
    let head = report.as_object_mut().unwrap();
    head.remove("phases").unwrap();
    head.remove("work").unwrap();
    for program in head["programs"].as_array_mut().unwrap() {
        let program = program.as_object_mut().unwrap();
        program.retain(|key, _| !key.contains("fuel") && key != "device_runs");
    }
    report
}

fn on_the_cpu(sandbox: &Sandbox) -> Value {
    write_programs(sandbox);
    let ran = leyden(sandbox, &[&BATT[..], &["cpu"]].concat(), &[]).ok();
    assert_eq!(ran.stderr, "");
    results(sandbox)
}

/// Costs of a processor so slow that every device pays.
#[cfg(all(any(feature = "opencl", feature = "cuda"), target_os = "linux"))]
const SLOW_CPU: &str = "# a very slow processor\ncpu_run_us = 1000000\n";

/// In every command, a named backend that is not available is an error with the reason. Under
/// `auto` the CPU runs everything, and one note names the reason.
#[cfg(all(any(feature = "opencl", feature = "cuda"), target_os = "linux"))]
fn check_refused(name: &str, env: &[(&str, &Path)], words: &str) {
    let sandbox = Sandbox::new();
    let expected = on_the_cpu(&sandbox);
    for command in COMMANDS {
        let ran = leyden(&sandbox, &[command, &[name]].concat(), env);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    assert!(!sandbox.path("library.db").exists(), "evolve began a store");
    // Costs of a slow processor make `auto` look for a device, and a number makes it take PoCL.
    sandbox.write("slow.txt", SLOW_CPU);
    let number: &[&str] = if name == "opencl" {
        &["--device", "0"]
    } else {
        &[]
    };
    let auto = [&BATT[..], &["auto", "--cost", "slow.txt"], number].concat();
    let ran = leyden(&sandbox, &auto, env).ok();
    assert_eq!(ran.stderr.matches(words).count(), 1, "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(
        ran.stderr.starts_with("leyden: on the CPU: "),
        "{}",
        ran.stderr
    );
    assert_eq!(results(&sandbox), expected);
    assert!(!sandbox.read("out.json").contains("device_runs"));
}

#[test]
#[cfg(not(any(feature = "opencl", feature = "cuda")))]
fn a_build_without_devices_says_so() {
    for name in ["opencl", "cuda"] {
        for command in COMMANDS {
            let ran = Sandbox::new().leyden(&[command, &[name]].concat());
            assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
            let words = format!("`--features {name}`");
            assert!(ran.stderr.contains(&words), "{}", ran.stderr);
        }
    }
}

#[test]
#[cfg(not(any(feature = "opencl", feature = "cuda")))]
fn a_build_without_devices_is_silent_by_default() {
    let sandbox = Sandbox::new();
    let expected = on_the_cpu(&sandbox);
    let ran = leyden(&sandbox, &BATT[..7], &[]).ok();
    assert_eq!(
        (ran.stderr.as_str(), results(&sandbox)),
        ("", expected.clone())
    );
    let ran = leyden(&sandbox, &[&BATT[..], &["auto"]].concat(), &[]).ok();
    assert!(ran.stderr.contains("knows no devices"), "{}", ran.stderr);
    assert_eq!(results(&sandbox), expected);
}

#[test]
fn nonsense_is_refused_with_a_message() {
    let refused = |args: &[&str], words: &str| {
        let ran = Sandbox::new().leyden(&[&["batt", "--data", "demo"], args].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    };
    refused(
        &["--backend", "gpu"],
        "[possible values: auto, cpu, cuda, opencl]",
    );
    refused(&["--backend", "cpu", "--device", "0"], "has no devices");
    refused(&["--device", "0"], "--backend");
    refused(
        &["--backend", "opencl", "--device", "-"],
        "a device's number or `all`",
    );
    refused(
        &["--backend", "opencl", "--exact-order"],
        "on the CPU alone",
    );
}

#[test]
#[cfg(all(feature = "opencl", not(feature = "cuda")))]
fn a_build_with_one_backend_names_the_feature_of_the_other() {
    for command in COMMANDS {
        let ran = Sandbox::new().leyden(&[command, &["cuda"]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("`--features cuda`"), "{}", ran.stderr);
    }
}

#[cfg(all(feature = "opencl", target_os = "linux"))]
mod with_opencl {
    use super::*;

    #[test]
    fn without_a_loader() {
        // A library that is not a loader stands for a missing one.
        let env = [("OPENCL_DYLIB_PATH", Path::new("libm.so.6"))];
        check_refused("opencl", &env, "no OpenCL loader");
    }

    fn has_device() -> bool {
        Sandbox::new().leyden(&["gpu", "list"]).code == 0
    }

    #[test]
    fn with_a_loader_that_knows_no_device() {
        if has_device() {
            let env = [("OCL_ICD_VENDORS", Path::new("/nowhere"))];
            check_refused("opencl", &env, "pocl-opencl-icd");
        }
    }

    #[test]
    fn with_a_device_that_has_too_little_memory() {
        if has_device() {
            let env = [("LEYDEN_DEVICE_MEMORY", Path::new("1000000"))];
            let words = "the device has 1000000 bytes of memory, 33554432 are needed; use another device or the CPU";
            check_refused("opencl", &env, words);
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_an_error() {
        if has_device() {
            let args = [
                "batt",
                "--data",
                "demo",
                "--backend",
                "opencl",
                "--device",
                "99",
            ];
            let ran = Sandbox::new().leyden(&args);
            assert_eq!(ran.code, 3, "{}", ran.stderr);
            assert!(
                ran.stderr.contains("there is no device 99"),
                "{}",
                ran.stderr
            );
        }
    }

    /// `auto` with these costs, on the first device.
    fn auto(file: &'static str) -> Vec<&'static str> {
        [&BATT[..], &["auto", "--device", "0", "--cost", file]].concat()
    }

    /// Other costs change the decision of `auto`, but no result.
    #[test]
    fn costs_can_be_others_than_the_measured_ones() {
        let sandbox = Sandbox::new();
        let expected = on_the_cpu(&sandbox);
        sandbox.write("odd.txt", "cpu_run_us = fast\n");
        sandbox.write("slow.txt", SLOW_CPU);
        for file in ["odd.txt", "missing.txt"] {
            let ran = leyden(&sandbox, &auto(file), &[]);
            assert_eq!(ran.code, 2, "{}", ran.stderr);
        }
        if has_device() {
            let ran = leyden(&sandbox, &auto("slow.txt"), &[]).ok();
            assert!(
                ran.stdout.contains("on devices  opencl: "),
                "{}",
                ran.stdout
            );
            assert_eq!(results(&sandbox), expected);
        }
    }

    #[test]
    fn auto_opens_no_device_for_a_batch_that_is_over_soon() {
        let sandbox = Sandbox::new();
        let expected = on_the_cpu(&sandbox);
        let ran = leyden(&sandbox, &[&BATT[..], &["auto"]].concat(), &[]).ok();
        let words = "opening a device does not pay below 5 s";
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
        assert_eq!(results(&sandbox), expected);
        assert_eq!(leyden(&sandbox, &BATT[..7], &[]).ok().stderr, "");
    }

    /// PoCL runs on the processor, so a trial shows that it is slower.
    #[test]
    fn auto_drops_a_device_that_is_slower_in_a_trial() {
        if !has_device() {
            return;
        }
        let sandbox = Sandbox::new();
        let expected = on_the_cpu(&sandbox);
        sandbox.write("small.txt", "floor_s = 0\n");
        let ran = leyden(&sandbox, &auto("small.txt"), &[]).ok();
        assert!(ran.stderr.contains(" would take about "), "{}", ran.stderr);
        assert!(ran.stderr.contains("with opencl: "), "{}", ran.stderr);
        assert_eq!(results(&sandbox), expected);
        assert!(!sandbox.read("out.json").contains("device_runs"));
    }

    #[test]
    fn evolve_tries_devices_on_programs_of_its_library() {
        if !has_device() {
            return;
        }
        let sandbox = Sandbox::new();
        sandbox.write("small.txt", "floor_s = 0\n");
        for command in COMMANDS.into_iter().filter(|it| it[0] == "evolve") {
            let auto = ["auto", "--device", "0", "--cost", "small.txt"];
            let ran = leyden(&sandbox, &[command, &auto[..]].concat(), &[]).ok();
            assert!(ran.stderr.contains(" would take about "), "{}", ran.stderr);
        }
    }

    /// A device and the CPU give equal results with any other switches.
    #[test]
    fn a_device_changes_no_result_of_a_battery() {
        if !has_device() {
            return;
        }
        let sandbox = Sandbox::new();
        let expected = on_the_cpu(&sandbox);
        for more in [
            &[][..],
            &["--device", "all", "--jobs", "1"],
            &["--no-share"],
            &["--no-batch", "--no-scores"],
        ] {
            let args = [&BATT[..], &["opencl"], more].concat();
            let ran = leyden(&sandbox, &args, &[]).ok();
            assert_eq!(ran.stderr, "");
            assert!(
                ran.stdout.contains("on devices  opencl: "),
                "{}",
                ran.stdout
            );
            let report = json(&sandbox.read("out.json"));
            let n_there = report["work"]["device_runs"].as_u64().unwrap();
            let n_runs = report["runs"].as_u64().unwrap();
            assert!(
                n_there > n_runs / 4 && n_there < n_runs,
                "{n_there} of {n_runs}"
            );
            let mut found = results(&sandbox);
            let mut wanted = expected.clone();
            for report in [&mut found, &mut wanted] {
                let report = report.as_object_mut().unwrap();
                report.remove("switches");
                report.remove("battery");
                if more.contains(&"--no-scores") {
                    report.remove("scores");
                    for list in ["programs", "per_task"] {
                        for item in report[list].as_array_mut().unwrap() {
                            let item = item.as_object_mut().unwrap();
                            item.remove("partial");
                            item.remove("closest");
                        }
                    }
                }
            }
            assert_eq!(found, wanted, "{more:?}");
        }
    }

    #[test]
    fn a_device_changes_no_result_of_programs_on_their_own_tasks() {
        if !has_device() {
            return;
        }
        let sandbox = Sandbox::new();
        let without_times = |mut report: Value| {
            let head = report.as_object_mut().unwrap();
            head.remove("phases");
            head.remove("execute_cpu_s");
            for task in head["per_task"].as_array_mut().unwrap() {
                task.as_object_mut().unwrap().remove("execute_s");
            }
            report
        };
        let run = |name: &str| {
            let args = [
                "run",
                "--data",
                "demo",
                "--json",
                "out.json",
                "--backend",
                name,
            ];
            let ran = sandbox.leyden(&args).ok();
            assert_eq!(ran.stdout.contains("on devices"), name == "opencl");
            without_times(json(&sandbox.read("out.json")))
        };
        assert_eq!(run("opencl"), run("cpu"));
    }

    #[test]
    fn parts_of_a_battery_on_a_device_can_be_merged() {
        if !has_device() {
            return;
        }
        let sandbox = Sandbox::new();
        let expected = on_the_cpu(&sandbox);
        for (shard, part, name) in [("0/2", "0.json", "opencl"), ("1/2", "1.json", "cpu")] {
            let args = [
                "batt",
                "--data",
                "demo",
                "--solvers",
                "programs.py",
                "--json",
                part,
                "--shard",
                shard,
                "--backend",
                name,
            ];
            sandbox.leyden(&args).ok();
        }
        let args = ["merge", "0.json", "1.json", "--json", "out.json"];
        sandbox.leyden(&args).ok();
        assert_eq!(results(&sandbox), expected);
        let report = json(&sandbox.read("out.json"));
        assert!(report["work"]["device_runs"].as_u64().unwrap() > 0);
    }

    #[test]
    fn a_device_changes_no_search() {
        if !has_device() {
            return;
        }
        let sandbox = Sandbox::new();
        let hash = |name: &str| {
            let store = format!("{name}.db");
            let args = [
                "evolve",
                "--data",
                "demo",
                "--tasks",
                "8",
                "--rounds",
                "3",
                "--broad",
                "64",
                "--store",
                &store,
                "--json",
                "out.json",
                "--backend",
                name,
            ];
            sandbox.leyden(&args).ok();
            let report = json(&sandbox.read("out.json"));
            let names = [
                "behaviours",
                "children",
                "repeated",
                "best_partial",
                "programs_saved",
            ];
            (
                names.map(|name| report[name].clone()),
                report["fuel"].as_u64().unwrap(),
            )
        };
        let (device, cpu) = (hash("opencl"), hash("cpu"));
        assert_eq!(device.0, cpu.0);
        assert!(device.1 < cpu.1, "{} of {}", device.1, cpu.1);
        let answers = |name: &str| {
            let args = [
                "solve",
                "--data",
                "demo",
                "--tasks",
                "4",
                "--without",
                "moves",
                "--without",
                "induce",
                "--without",
                "views",
                "--out",
                "out.json",
                "--backend",
                name,
            ];
            sandbox.leyden(&args).ok();
            sandbox.read("out.json")
        };
        assert_eq!(answers("opencl"), answers("cpu"));
    }
}

#[cfg(all(feature = "cuda", target_os = "linux"))]
mod with_cuda {
    use super::*;

    /// The names of the driver's library.
    const NAMES: [&str; 5] = [
        "libcuda.so",
        "libcuda.so.1",
        "libcuda.so.12",
        "libcuda64.so",
        "libnvcuda.so",
    ];

    #[test]
    fn without_the_driver() {
        // Empty files hide the real libraries.
        let sandbox = Sandbox::new();
        for name in NAMES {
            sandbox.write(name, "");
        }
        let place = sandbox.path("");
        check_refused(
            "cuda",
            &[("LD_LIBRARY_PATH", &place)],
            "no CUDA driver (libcuda)",
        );
    }

    /// A driver that finds no device, as in a container without one.
    const NO_DEVICE: &str = "
int cuInit(unsigned flags) { (void)flags; return 100; }
int cuDeviceGetCount(int *n) { *n = 0; return 0; }
";

    #[test]
    fn with_a_driver_that_knows_no_device() {
        let sandbox = Sandbox::new();
        let source = sandbox.write("stub.c", NO_DEVICE);
        let library = sandbox.path("libcuda.so");
        let compiler = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .args([&library, &source])
            .status();
        if compiler.is_ok_and(|status| status.success()) {
            let place = sandbox.path("");
            check_refused(
                "cuda",
                &[("LD_LIBRARY_PATH", &place)],
                "the CUDA driver knows no device",
            );
        }
    }
}
