//! Tests the CUDA session's host side with a driver without a GPU (`fake_cuda/driver.c`), which
//! runs the interpreter's text on the processor. These tests say nothing about real devices.
//!
//! A process looks for libraries when it starts. So each test starts this binary again with another
//! library in reach, and runs one of the tests that are otherwise ignored.
#![cfg(all(feature = "cuda", target_os = "linux"))]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use leyden_exec::with_large_stack;
use leyden_gpu::cuda::{Session, Settings, devices};
use leyden_gpu::{Answer, Compiled, GpuError, Job, Samples, selftest};
use leyden_grid::Grid;

/// Makes a directory with a libcuda.so from a C text.
fn library(name: &str, source: &Path) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&directory).unwrap();
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/interpreter");
    let made = directory.join(format!("{}.so", std::process::id()));
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-w", "-I", kernels, "-o"]);
    let status = compiler.arg(&made).arg(source).status();
    assert!(status.unwrap().success(), "the C compiler failed");
    fs::rename(made, directory.join("libcuda.so")).unwrap();
    directory
}

fn fake() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake_cuda/driver.c");
    MADE.get_or_init(|| library("fake_cuda", Path::new(source)))
}

/// Runs an ignored test of this file in a process that finds its libraries there.
fn run_with(libraries: &Path, settings: &[(&str, &str)], test: &str) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--ignored", "--test-threads", "1"]);
    child.env("LD_LIBRARY_PATH", libraries);
    child.envs(settings.iter().copied());
    let output = child.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_driver_that_lacks_functions_is_an_error_that_helps() {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nothing.c");
    fs::write(&source, "int nothing;\n").unwrap();
    run_with(
        &library("empty_cuda", &source),
        &[],
        "child_with_an_empty_driver",
    );
}

#[test]
#[ignore = "started by another test"]
fn child_with_an_empty_driver() {
    let error = devices().unwrap_err();
    assert!(matches!(error, GpuError::OldCudaDriver(_)), "{error:?}");
    assert!(error.to_string().contains("install a newer one"));
    assert_eq!(Session::open(0, Settings::default()).err(), Some(error));
}

#[test]
fn a_driver_without_devices_is_an_error_that_helps() {
    run_with(
        fake(),
        &[("FAKE_CUDA_DEVICES", "0")],
        "child_without_devices",
    );
}

#[test]
#[ignore = "started by another test"]
fn child_without_devices() {
    let error = devices().unwrap_err();
    assert_eq!(error, GpuError::NoCudaDevice);
    assert!(error.to_string().contains("nvidia-smi"));
    assert_eq!(Session::open(0, Settings::default()).err(), Some(error));
}

#[test]
fn a_machine_without_cuda_is_an_error_that_helps() {
    match devices() {
        Ok(devices) => assert!(!devices.is_empty()),
        Err(error) => {
            let message = error.to_string();
            assert!(
                message.contains("install") || message.contains("nvidia-smi"),
                "{message}"
            );
            assert_eq!(Session::open(0, Settings::default()).err(), Some(error));
        }
    }
}

#[test]
fn programs_give_what_they_give_on_the_cpu() {
    run_with(fake(), &[("FAKE_CUDA_DEVICES", "2")], "child_with_devices");
}

#[test]
#[ignore = "started by another test"]
fn child_with_devices() {
    assert_eq!(devices().unwrap().len(), 2);
    assert_eq!(devices().unwrap()[1].name, "Fake 1");
    let missing = GpuError::NoSuchDevice {
        wanted: 2,
        found: 2,
    };
    assert_eq!(Session::open(2, Settings::default()).err(), Some(missing));
    with_large_stack(|| {
        let session = Session::open(1, Settings::default()).unwrap();
        let verdict = selftest(&session, 40, 5).unwrap();
        assert!(verdict.agrees(), "{}", verdict.differences.join("\n\n"));
        let total = verdict.total();
        assert!(total.n_answered * 3 > total.n_sent, "{verdict:?}");
    });
    check_many_launches();
}

fn compiled(lines: &str) -> Compiled {
    let source = format!("def solve_0a1b2c3d(I):\n{lines}\n    return O\n");
    let program = leyden_lang::parse(&source, "test.py", None).unwrap();
    Compiled::of(&program[0]).unwrap()
}

/// More jobs than one launch takes, with two kinds of need, so that streams take turns. A session
/// may move to another thread.
fn check_many_launches() {
    let session = Session::open(0, Settings::default()).unwrap();
    let thread = std::thread::spawn(move || check_launches(&session));
    thread.join().unwrap();
}

fn check_launches(session: &Session) {
    let mut samples = Samples::default();
    for colour in 0..10 {
        let grid = Grid::from_rows(&[vec![colour, 0], vec![0, colour]]).unwrap();
        samples.push(&grid, Some(&grid));
    }
    let resident = session.upload(&samples).unwrap();
    let programs = [
        compiled("    x = colorcount(I, ZERO)\n    O = add(x, ONE)"),
        compiled("    x = objects(I, T, F, F)\n    O = size(x)"),
        compiled("    O = rot180(I)"),
    ];
    let job = |k: u32| Job {
        program: k % 3,
        sample: k / 3 % 10,
    };
    let jobs: Vec<Job> = (0..30_000).map(job).collect();
    for wants_grids in [true, false] {
        let answers = session.run(&resident, &programs, &jobs, wants_grids);
        for (answer, job) in answers.unwrap().iter().zip(&jobs) {
            check_answer(answer, *job, wants_grids);
        }
    }
    assert!(session.transfers().launches > 10);
}

fn check_answer(answer: &Answer, job: Job, wants_grids: bool) {
    let colour = job.sample as u8;
    match (job.program, answer) {
        (0, Answer::Int(n)) => assert_eq!(*n, if colour == 0 { 5 } else { 3 }),
        (1, Answer::Int(n)) => assert_eq!(*n, if colour == 0 { 1 } else { 4 }),
        (
            2,
            Answer::Grid {
                is_expected, cells, ..
            },
        ) => {
            assert!(is_expected);
            let wanted = wants_grids.then(|| vec![colour, 0, 0, colour]);
            assert_eq!(*cells, wanted);
        }
        _ => panic!("{job:?} gave {answer:?}"),
    }
}

/// Opens a device of a compute capability; returns the images that the driver was given.
fn images(capability: &str, settings: &[(&str, &str)], child: &str) -> String {
    let name = format!("images-{}-{child}-{capability}", std::process::id());
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut all = vec![
        ("FAKE_CUDA_CAPABILITY", capability),
        ("FAKE_CUDA_LOG", log.to_str().unwrap()),
    ];
    all.extend(settings);
    run_with(fake(), &all, child);
    let text = fs::read_to_string(&log).unwrap();
    fs::remove_file(&log).unwrap();
    text
}

#[test]
fn common_gpus_compile_nothing() {
    let loaded = |capability| images(capability, &[], "child_that_opens_a_device");
    assert_eq!(loaded("6.0"), "sm_60 loaded\n");
    assert_eq!(loaded("7.5"), "sm_75 loaded\n");
    assert_eq!(loaded("8.9"), "sm_89 loaded\n");
    assert_eq!(loaded("6.1"), "sm_60 loaded\n");
}

#[test]
fn the_driver_compiles_for_other_gpus() {
    let compiles = [("FAKE_CUDA_COMPILES", "1")];
    for capability in ["7.0", "8.6", "9.0", "12.0"] {
        let loaded = images(capability, &compiles, "child_that_opens_a_device");
        assert_eq!(loaded, "compute_60 loaded\n", "{capability}");
    }
}

#[test]
fn the_driver_compiles_if_it_refuses_machine_code() {
    let settings = [
        ("FAKE_CUDA_COMPILES", "1"),
        ("FAKE_CUDA_REFUSES_CUBINS", "1"),
    ];
    let loaded = images("7.5", &settings, "child_that_opens_a_device");
    assert_eq!(loaded, "sm_75 refused\ncompute_60 loaded\n");
}

#[test]
#[ignore = "started by another test"]
fn child_that_opens_a_device() {
    Session::open(0, Settings::default()).unwrap();
}

#[test]
fn a_driver_without_a_compiler_is_an_error_that_helps() {
    let loaded = images("8.6", &[], "child_without_a_compiler");
    assert_eq!(loaded, "compute_60 refused\n");
}

#[test]
#[ignore = "started by another test"]
fn child_without_a_compiler() {
    let error = Session::open(0, Settings::default()).err().unwrap();
    assert!(matches!(error, GpuError::Build(_)), "{error:?}");
    assert!(error.to_string().contains("a newer driver may help"));
}

#[test]
fn a_device_that_runs_out_of_memory_is_an_error_that_helps() {
    let settings = [("FAKE_CUDA_MEMORY", "100000")];
    run_with(fake(), &settings, "child_with_little_memory");
}

#[test]
#[ignore = "started by another test"]
fn child_with_little_memory() {
    let session = Session::open(0, Settings::default()).unwrap();
    let grid = Grid::from_rows(&vec![vec![7; 30]; 30]).unwrap();
    let mut samples = Samples::default();
    samples.push(&grid, None);
    let resident = session.upload(&samples).unwrap();
    let programs = [compiled("    O = rot180(I)")];
    let job = Job {
        program: 0,
        sample: 0,
    };
    let error = session.run(&resident, &programs, &[job; 1000], true);
    check_out_of_memory(&error.unwrap_err());
    // The session still works for programs that fit.
    let answers = session.run(&resident, &programs, &[job], true).unwrap();
    assert!(!answers[0].is_unsure());
    for _ in 0..200 {
        samples.push(&grid, None);
    }
    check_out_of_memory(&session.upload(&samples).err().unwrap());
}

fn check_out_of_memory(error: &GpuError) {
    let message = error.to_string();
    assert!(message.contains("out of memory"), "{message}");
    assert!(message.contains("a smaller batch"), "{message}");
}
