//! `--names`: renamed forks of a dialect, through every command that takes programs.

use crate::{Sandbox, json};

const NAMES: &str = "\
turn_half = rot180      # a primitive under another name
cells_of = ofcolor
cut_out = subgrid
BLACK = 0
";

const RENAMED: &str = "\
def solve_1e7d0006(I):
    x1 = cells_of(I, BLACK)
    x2 = turn_half(I)
    O = cut_out(x1, x2)
    return O
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("fork.py", RENAMED);
    sandbox.write("names.txt", NAMES);
    sandbox.write("grids.json", "[[[0, 1], [0, 1]]]");
    sandbox
}

/// Every command that takes programs. The programs are errors without the names.
const COMMANDS: &[&str] = &[
    "run fork.py --data demo",
    "run --solvers fork.py --data demo",
    "card --solvers fork.py --data demo -c 3",
    "card --library fork.py --data demo -c 3",
    "batt fork.py --data demo --task 1e7d0006",
    "batt --battery fork.py --data demo --task 1e7d0006",
    "batt --solvers fork.py --data demo --task 1e7d0006",
    "batt --data demo --task 1e7d0006 --scores fork.py",
    "eval --solvers fork.py --inputs grids.json --out -",
    "import fork.py",
    "library import fork.py --store out.db",
    "evolve --data demo --task 1e7d0006 --solvers fork.py --store a.db --rounds 1 --islands 1",
    "evolve --data demo --task 1e7d0006 --library fork.py --store b.db --rounds 1 --islands 1",
    "solve --data demo --task 1e7d0006 --library fork.py --fuel-per-task 100000",
    "trace 1e7d0006 --data demo --solvers fork.py",
    "profile dsl --data demo --solvers fork.py",
    "profile batch --data demo --battery fork.py --task 1e7d0006",
    "profile framework --data demo --solvers fork.py",
    "profile pipeline --data demo --solvers fork.py",
    "profile pipeline --data demo --tasks 5 --solve --per-task 10ms --library fork.py",
    "profile lines fork.py --data demo",
];

#[test]
fn every_command_that_takes_programs_takes_names() {
    let sandbox = sandbox();
    for command in COMMANDS {
        let args: Vec<&str> = command.split(' ').collect();
        sandbox
            .leyden(&args)
            .refused(&["unknown name `cells_of`", "fork.py:2:10"]);
        let args = [args.as_slice(), &["--names", "names.txt"]].concat();
        let ran = sandbox.leyden(&args);
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
    }
}

#[test]
fn programs_read_with_names_solve_their_tasks_and_print_in_the_dialect() {
    let sandbox = sandbox();
    let run = "run fork.py --names names.txt --data demo --json -";
    let ran = sandbox.leyden(&run.split(' ').collect::<Vec<_>>()).ok();
    assert_eq!(json(&ran.stdout)["solved"], 1);
    let import = "import fork.py --names names.txt --out plain.py";
    sandbox.leyden(&import.split(' ').collect::<Vec<_>>()).ok();
    let plain = sandbox.read("plain.py");
    assert!(plain.contains("x1 = ofcolor(I, 0)\n"), "{plain}");
    sandbox.leyden(&["run", "plain.py", "--data", "demo"]).ok();
}

#[test]
fn the_advice_to_trace_names_the_file() {
    let sandbox = sandbox();
    sandbox.write("fork.py", &RENAMED.replace("BLACK", "BLACK, BLACK"));
    let run = "run fork.py --names names.txt --data demo";
    let ran = sandbox.leyden(&run.split(' ').collect::<Vec<_>>()).ok();
    assert!(ran.stdout.contains("--names names.txt"), "{}", ran.stdout);
}

#[test]
fn two_dialects_are_refused() {
    let sandbox = sandbox();
    sandbox.write("names.txt", &format!("dialect = arc-dsl\n{NAMES}"));
    let run = "run fork.py --names names.txt --dialect re-arc --data demo";
    let args: Vec<&str> = run.split(' ').collect();
    let words = "--dialect re-arc: the file of --names says `dialect = arc-dsl`";
    sandbox.leyden(&args).refused(&[words]);
}
