use crate::{Sandbox, demo_solvers, json, words};

const PROGRAMS: &str = "
def solve_00000001(I):
    return vmirror(I)

def solve_00000002(I):
    return palette(I)

def solve_00000003(I):
    x1 = asindices(I)
    return first(difference(x1, x1))

def solve_00000004(I):
    return (T, None, (), identity, compose(first, last))
";

const EVAL: &str = "eval --solvers a.py --inputs grids.json --out";

const GRIDS: &str = "[[[1, 2], [3, 4]], [[8, 0]]]";

#[test]
fn every_program_runs_on_every_grid_in_order() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", PROGRAMS);
    sandbox.write("grids.json", GRIDS);
    let args = [&words(EVAL)[..], &["out.jsonl"]].concat();
    sandbox.leyden(&args).ok();
    let values = r#"[true,null,[],{"fn":"identity"},{"fn":"<lambda>"}]"#;
    let expected = [
        r#"{"solver":"solve_00000001","input":0,"grid":[[2,1],[4,3]]}"#.to_owned(),
        r#"{"solver":"solve_00000001","input":1,"grid":[[0,8]]}"#.to_owned(),
        r#"{"solver":"solve_00000002","input":0,"value":{"set":[1,2,3,4]}}"#.to_owned(),
        r#"{"solver":"solve_00000002","input":1,"value":{"set":[8,0]}}"#.to_owned(),
        r#"{"solver":"solve_00000003","input":0,"error":"StopIteration"}"#.to_owned(),
        r#"{"solver":"solve_00000003","input":1,"error":"StopIteration"}"#.to_owned(),
        format!(r#"{{"solver":"solve_00000004","input":0,"value":{values}}}"#),
        format!(r#"{{"solver":"solve_00000004","input":1,"value":{values}}}"#),
    ];
    assert_eq!(
        sandbox.read("out.jsonl").lines().collect::<Vec<_>>(),
        expected
    );
    assert_eq!(sandbox.names(), ["a.py", "grids.json", "out.jsonl"]);
}

#[test]
fn threads_and_engines_change_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", &demo_solvers());
    let grids: Vec<String> = (1..40)
        .map(|k| format!("[[{}, 0, {}], [0, {}, 5]]", k % 10, k % 7, k % 3))
        .collect();
    sandbox.write("grids.json", &format!("[{}]", grids.join(",")));
    let eval = |more: &[&str]| {
        let args = [&words(EVAL)[..], &["-"], more].concat();
        sandbox.leyden(&args).ok().stdout
    };
    let expected = eval(&["--jobs", "1"]);
    assert_eq!(expected.lines().count(), 50 * 39);
    assert!(
        expected
            .lines()
            .all(|line| json(line)["solver"].is_string())
    );
    assert_eq!(eval(&["--jobs", "3"]), expected);
    assert_eq!(eval(&["--exact-order"]), expected);
    assert_eq!(eval(&["--no-share"]), expected);
    assert_eq!(eval(&["--no-rules", "--jobs", "2"]), expected);
    assert_eq!(eval(&["--no-batch", "--jobs", "1"]), expected);
    assert_eq!(eval(&["--no-cache"]), expected);
    assert_eq!(eval(&["--exact-order", "--no-share"]), expected);
    assert_eq!(eval(&["--exact-order", "--no-cache"]), expected);
}

#[test]
fn dialects_differ_where_they_should() {
    let sandbox = Sandbox::new();
    let body = "(I):\n    x1 = asindices(I)\n    return argmax(difference(x1, x1), first)\n";
    sandbox.write(
        "a.py",
        &format!("def solve_00000001{body}def verify_00000001{body}"),
    );
    sandbox.write("grids.json", "[[[1]]]");
    let eval = |more: &[&str]| {
        let args = [&words(EVAL)[..], &["-"], more].concat();
        let out = sandbox.leyden(&args).ok().stdout;
        out.lines()
            .map(|line| json(line).get("error").is_some())
            .collect::<Vec<_>>()
    };
    assert_eq!(eval(&[]), [true, false]);
    assert_eq!(eval(&["--dialect", "re-arc"]), [false, false]);
    assert_eq!(eval(&["--dialect", "arc-dsl"]), [true, true]);
}

#[test]
fn runaways_end_in_faults() {
    let sandbox = Sandbox::new();
    let program = "
def solve_00000001(I):
    x1 = interval(0, 500, 1)
    x2 = product(x1, x1)
    x3 = lbind(lbind(branch, T), x2)
    x4 = compose(lbind(apply, double), x3)
    return apply(x4, x2)

def solve_00000002(I):
    x1 = canvas(0, (100000, 100000))
    return asindices(x1)

def solve_00000003(I):
    return power(compose(identity, identity), 1000000)
";
    sandbox.write("a.py", program);
    sandbox.write("grids.json", "[[[1]]]");
    let args = [&words(EVAL)[..], &["-"]].concat();
    let first = sandbox.leyden(&args).ok().stdout;
    let errors: Vec<String> = first
        .lines()
        .map(|line| json(line)["error"].to_string())
        .collect();
    assert_eq!(errors[..2], ["\"Fuel\"", "\"Memory\""]);
    assert_ne!(errors[2], "null");
    assert_eq!(sandbox.leyden(&args).ok().stdout, first);
}
