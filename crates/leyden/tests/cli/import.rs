use crate::{Sandbox, demo_solvers};

#[test]
fn a_round_trip_changes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    sandbox
        .leyden(&["import", "a.py", "--out", "a.leyden"])
        .ok();
    sandbox
        .leyden(&["import", "a.leyden", "--out", "b.py"])
        .ok();
    sandbox
        .leyden(&["import", "b.py", "--out", "b.leyden"])
        .ok();
    let text = sandbox.read("a.leyden");
    assert!(text.starts_with("program solve_1e7d0001(I) arc-dsl\n  x1 = objects(I, T, F, F)\n"));
    assert_eq!(sandbox.read("b.leyden"), text);
    assert_eq!(sandbox.leyden(&["import", "a.leyden"]).ok().stdout, text);
    let solved = sandbox
        .leyden(&["run", "--data", "demo", "--solvers", "b.py"])
        .ok()
        .stdout;
    assert!(solved.contains("50 of     50 tasks"), "{solved}");
}

#[test]
fn warnings_are_shown_and_do_no_harm() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.py",
        "def solve_0a1b2c3d(I):\n    x1 = vmirror(I)\n    return I\n",
    );
    let ran = sandbox.leyden(&["import", "a.py"]).ok();
    assert!(
        ran.stderr.contains("warning") && ran.stderr.contains("a.py:2:"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.ends_with("  return I\n"));
}

#[test]
fn errors_point_at_the_place_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "a.py",
        "def solve_0a1b2c3d(I):\n    x1 = vmiror(I)\n    for x in I:\n        pass\n    return x1\n",
    );
    let ran = sandbox.leyden(&["import", "a.py", "--out", "out.leyden"]);
    ran.refused(&["a.py:2:10", "did you mean `vmirror`?", "a.py:3:5", "`for`"]);
    assert_eq!(sandbox.names(), ["a.py"]);
}
