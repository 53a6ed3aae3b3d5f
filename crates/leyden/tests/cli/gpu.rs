//! `leyden gpu`, with and without devices.

use crate::Sandbox;

#[test]
#[cfg(not(feature = "opencl"))]
fn a_build_without_devices_says_so() {
    for command in ["list", "selftest"] {
        let ran = Sandbox::new().leyden(&["gpu", command]);
        assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
        assert!(ran.stderr.contains("--features opencl"), "{}", ran.stderr);
    }
}

#[cfg(feature = "opencl")]
fn check_refused(variable: &str, value: &str, words: &str) {
    for command in ["list", "selftest"] {
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
    // A library that is no loader stands for one that is not there.
    check_refused("OPENCL_DYLIB_PATH", "libm.so.6", "no OpenCL loader");
}

#[test]
#[cfg(all(feature = "opencl", target_os = "linux"))]
fn without_a_driver_the_remedy_is_named() {
    if leyden_gpu_is_there() {
        check_refused("OCL_ICD_VENDORS", "/nowhere", "pocl-opencl-icd");
    }
}

/// Is there a loader with a device, which can then be hidden?
#[cfg(feature = "opencl")]
fn leyden_gpu_is_there() -> bool {
    Sandbox::new().leyden(&["gpu", "list"]).code == 0
}

#[test]
#[cfg(feature = "opencl")]
fn a_device_gives_what_the_cpu_gives() {
    if leyden_gpu_is_there() {
        let ran = Sandbox::new()
            .leyden(&["gpu", "selftest", "--programs", "20"])
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
