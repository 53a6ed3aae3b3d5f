#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Ran, Sandbox};

/// A program that would run for hours with enough fuel.
const ENDLESS: &str = "
def solve_00000001(I):
    x1 = interval(0, 500, 1)
    x2 = product(x1, x1)
    x3 = lbind(lbind(branch, T), x2)
    x4 = compose(lbind(apply, double), x3)
    return apply(x4, x2)
";

#[test]
fn ctrl_c_stops_at_once_and_leaves_nothing() {
    for mode in [&[][..], &["--exact-order"]] {
        let sandbox = Sandbox::new();
        sandbox.write("a.py", ENDLESS);
        sandbox.write("grids.json", "[[[1]]]");
        let args = [
            "eval",
            "--solvers",
            "a.py",
            "--inputs",
            "grids.json",
            "--out",
            "out.jsonl",
            "--fuel",
            "1000000000000000",
        ];
        let mut command = sandbox.command(&[&args[..], mode].concat());
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Work begins when the temporary file is there.
        while !sandbox
            .names()
            .iter()
            .any(|name| name.starts_with(".leyden-"))
        {
            std::thread::yield_now();
        }
        let pressed = Instant::now();
        let killed = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        let ran = Ran::of(child.wait_with_output().unwrap());
        // 100 ms is the aim; a busy machine may need longer to wake the process up.
        assert!(
            pressed.elapsed() < Duration::from_secs(2),
            "{:?}",
            pressed.elapsed()
        );
        assert_eq!(ran.code, 130);
        assert!(ran.stderr.starts_with("leyden: stopped"), "{}", ran.stderr);
        assert_eq!(sandbox.names(), ["a.py", "grids.json"]);
    }
}
