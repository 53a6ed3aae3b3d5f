//! Tests every rule on programs made to provoke it: a program's outcome from the graph equals its
//! outcome alone, and a fault happens at the same line.

#![allow(clippy::unwrap_used)]

use leyden_dsl::table::{Dialect, Prim};
use leyden_exec::random::{Case, Dice};
use leyden_exec::{Engine, Mode, Outcome, Sample, with_large_stack};
use leyden_lang::{
    Battery, BatteryFile, ConstId, Input, Line, Merger, Op, Operand, Program, RULES, Rules, parse,
    parse_battery, print_battery,
};

/// A small generator for tests: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

const SHORT: &[Prim] = {
    use Prim::*;
    &[
        add,
        multiply,
        equality,
        subtract,
        divide,
        greater,
        astuple,
        switch,
        both,
        first,
        last,
        size,
        height,
        width,
        shape,
        mostcolor,
        positive,
        increment,
        toivec,
        flip,
        branch,
        identity,
        fill,
        ofcolor,
        hconcat,
        upscale,
        initset,
        intersection,
        combine,
        asindices,
        apply,
        sfilter,
        argmax,
        objects,
        totuple,
        manhattan,
    ]
};
const TURNS: &[Prim] = {
    use Prim::*;
    &[hmirror, vmirror, dmirror, cmirror, rot90, rot180, rot270]
};
const MAKERS: &[Prim] = {
    use Prim::*;
    &[compose, chain, rbind, lbind, fork, matcher, compose, rbind]
};
const FUNCTIONS: &[Prim] = {
    use Prim::*;
    &[
        identity,
        add,
        multiply,
        equality,
        increment,
        first,
        last,
        size,
        greater,
        vmirror,
        toindices,
        intersection,
        initset,
        subtract,
    ]
};

const ARITHMETIC: &[Prim] = {
    use Prim::*;
    &[add, subtract, multiply, divide, greater, astuple, equality]
};

/// A program whose lines the rules apply to.
fn program(random: &mut Random) -> Program {
    let n_lines = 3 + random.below(12);
    let mut lines: Vec<Line> = Vec::new();
    for k in 0..n_lines {
        let op = match random.below(20) {
            0 => Op::Copy(operand(random, &lines)),
            1..=6 => call(random, TURNS, &lines),
            7..=10 => closure(random, &lines),
            11 => called(random, &lines),
            _ => call(random, SHORT, &lines),
        };
        lines.push(Line {
            op,
            source_line: k as u32 + 1,
            span: 0..0,
        });
    }
    Program {
        name: "p".to_owned(),
        dialect: random.pick(&Dialect::CLASSIC),
        inputs: vec![Input::I],
        output: Operand::Var(random.below(lines.len()) as u32),
        lines,
    }
}

fn call(random: &mut Random, prims: &[Prim], lines: &[Line]) -> Op {
    let prim = random.pick(prims);
    let args = prim.entry().params.iter().map(|param| match param.ty {
        leyden_dsl::types::Type::Callable => function(random, lines),
        leyden_dsl::types::Type::Grid if random.below(3) > 0 => grid(random, lines),
        _ => operand(random, lines),
    });
    Op::Call {
        callee: Operand::Prim(prim),
        args: args.collect(),
    }
}

fn grid(random: &mut Random, lines: &[Line]) -> Operand {
    let turned: Vec<u32> = (0..lines.len() as u32)
        .filter(|k| matches!(&lines[*k as usize].op, Op::Call { callee: Operand::Prim(prim), .. } if TURNS.contains(prim)))
        .collect();
    if turned.is_empty() || random.below(3) == 0 {
        Operand::Input(Input::I)
    } else {
        Operand::Var(random.pick(&turned))
    }
}

fn closure(random: &mut Random, lines: &[Line]) -> Op {
    let prim = random.pick(MAKERS);
    let args = match prim {
        Prim::rbind | Prim::lbind if random.below(2) == 0 => {
            let number = Operand::Int(random.below(3) as i64);
            vec![Operand::Prim(random.pick(ARITHMETIC)), number]
        }
        Prim::rbind | Prim::lbind => vec![function(random, lines), operand(random, lines)],
        Prim::matcher => vec![function(random, lines), operand(random, lines)],
        _ => (0..prim.arity()).map(|_| function(random, lines)).collect(),
    };
    Op::Call {
        callee: Operand::Prim(prim),
        args,
    }
}

fn called(random: &mut Random, lines: &[Line]) -> Op {
    let callee = function(random, lines);
    Op::Call {
        callee,
        args: vec![operand(random, lines)],
    }
}

fn function(random: &mut Random, lines: &[Line]) -> Operand {
    let made: Vec<u32> = (0..lines.len() as u32)
        .filter(|k| matches!(&lines[*k as usize].op, Op::Call { callee: Operand::Prim(prim), .. } if MAKERS.contains(prim)))
        .collect();
    if made.is_empty() || random.below(2) == 0 {
        Operand::Prim(random.pick(FUNCTIONS))
    } else {
        Operand::Var(random.pick(&made))
    }
}

fn operand(random: &mut Random, lines: &[Line]) -> Operand {
    let constants: Vec<ConstId> = ConstId::all().collect();
    match random.below(16) {
        0..=6 if !lines.is_empty() => Operand::Var(random.below(lines.len()) as u32),
        7..=8 => Operand::Input(Input::I),
        9 => Operand::Int(random.below(14) as i64 - 3),
        10 if random.below(4) == 0 => Operand::Prim(random.pick(FUNCTIONS)),
        11 if random.below(8) == 0 => Operand::None,
        _ => Operand::Const(random.pick(&constants)),
    }
}

fn engine() -> Engine {
    Engine {
        fuel: 1_000_000,
        mode: Mode::Exact,
        ..Engine::default()
    }
}

/// The outcome of a program from the graph. The line of a fault is the original program's.
fn from_graph(battery: &Battery, k: usize, sample: &Sample<'_>) -> Outcome {
    let program = battery.program(k);
    match engine().run(&program, sample) {
        Outcome::Fault { fault, line } => {
            let source = program
                .lines
                .get(line as usize)
                .map(|line| line.source_line - 1);
            Outcome::Fault {
                fault,
                line: source.unwrap_or(line),
            }
        }
        other => other,
    }
}

/// Checks that printing and reading gives an equal graph. A damaged text gives errors, or a graph
/// that prints as it reads.
fn check_text(battery: &Battery, random: &mut Random) {
    let file = BatteryFile {
        battery: battery.clone(),
        ..BatteryFile::default()
    };
    let text = print_battery(&file);
    assert_eq!(parse_battery(&text).unwrap(), file);
    let mut damaged = text.into_bytes();
    let at = random.below(damaged.len());
    damaged[at] = random.pick(b" ()\"\\,=#t1\nIx-");
    let damaged = String::from_utf8(damaged).unwrap();
    if let Ok(read) = parse_battery(&damaged) {
        assert_eq!(parse_battery(&print_battery(&read)).unwrap(), read);
    }
}

/// Merges programs eight at a time, checks each, and returns how often each rule was applied.
fn check(rules: Rules, n_programs: usize, seed: u64) -> Vec<u32> {
    let mut random = Random(seed);
    let mut applied = vec![0; RULES.len()];
    for round in 0..n_programs / 8 {
        let case = Case::random(&mut Dice::seeded(seed << 20 | round as u64));
        let sample = Sample {
            demos: &[],
            expected: None,
            input: &case.input,
        };
        let programs = (0..8).map(|k| Program {
            name: format!("p{k}"),
            ..program(&mut random)
        });
        let programs: Vec<Program> = programs.collect();
        let mut merger = Merger::new(rules);
        programs.iter().for_each(|program| {
            merger.add(program);
        });
        applied
            .iter_mut()
            .zip(merger.n_rewrites())
            .for_each(|(sum, n)| *sum += n);
        let battery = merger.finish();
        check_text(&battery, &mut random);
        for (k, program) in programs.iter().enumerate() {
            let alone = engine().run(program, &sample);
            let merged = from_graph(&battery, k, &sample);
            assert_eq!(
                merged,
                alone,
                "{program}\n{}\n{:?}",
                battery.program(k),
                case.input
            );
        }
    }
    applied
}

#[test]
fn each_rule_alone_changes_nothing() {
    with_large_stack(|| {
        for (k, rule) in RULES.iter().enumerate() {
            let rules = Rules::NONE.with(rule.name).unwrap();
            let applied = check(rules, 8_000, 100 + k as u64);
            assert!(
                applied[k] >= 20,
                "{} was applied {} times",
                rule.name,
                applied[k]
            );
            assert_eq!(applied.iter().sum::<u32>(), applied[k]);
        }
    });
}

#[test]
fn all_rules_together_and_none_change_nothing() {
    with_large_stack(|| {
        check(Rules::ALL, 8_000, 7);
        check(Rules::NONE, 2_000, 8);
        check(Rules::keeping_fuel(), 2_000, 9);
    });
}

#[test]
fn random_programs_of_all_primitives_stay_what_they_are() {
    with_large_stack(|| {
        for round in 0..400 {
            let cases: Vec<Case> = (0..8)
                .map(|k| Case::random(&mut Dice::seeded(round * 8 + k)))
                .collect();
            let programs: Vec<Program> = cases.iter().map(|case| case.program.clone()).collect();
            let battery = Battery::from_programs(&programs, Rules::ALL);
            for (k, case) in cases.iter().enumerate() {
                let alone = engine().run(&case.program, &case.sample());
                assert_eq!(
                    from_graph(&battery, k, &case.sample()),
                    alone,
                    "{}",
                    case.program
                );
            }
        }
    });
}

fn battery_of(source: &str) -> Battery {
    Battery::from_programs(&parse(source, "a.py", None).unwrap(), Rules::ALL)
}

#[test]
fn equal_sets_stay_two_objects_for_an_intersection() {
    let battery = battery_of(
        "def solve(I):\n    a = asindices(I)\n    b = asindices(I)\n    return intersection(a, b)\n",
    );
    assert_ne!(battery.outs[0].lines[0], battery.outs[0].lines[1]);
    let battery = battery_of(
        "def solve(I):\n    a = asindices(I)\n    b = asindices(I)\n    return combine(a, b)\n",
    );
    assert_eq!(battery.outs[0].lines[0], battery.outs[0].lines[1]);
}

#[test]
fn copies_kept_apart_are_shared_between_programs() {
    let body = "a = asindices(I)\n    b = asindices(I)\n    return intersection(a, b)\n";
    let source = format!("def f(I):\n    {body}\ndef g(I):\n    {body}");
    let battery = battery_of(&source);
    assert_eq!(battery.nodes.len(), 3);
    let mut merger = Merger::resume(battery.clone(), Rules::ALL);
    merger.add(&battery.program(0));
    assert_eq!(merger.finish().nodes.len(), 3);
}

#[test]
fn dialects_share_all_but_what_differs() {
    let body = "x = objects(I, T, F, T)\n    y = argmax(x, size)\n    return subgrid(y, I)\n";
    let source = format!("def solve_a(I):\n    {body}\ndef verify_a(I):\n    {body}");
    let battery = battery_of(&source);
    let [ours, theirs] = &battery.outs[..] else {
        panic!()
    };
    assert_eq!(ours.lines[0], theirs.lines[0]);
    assert_ne!(ours.lines[1], theirs.lines[1]);
    assert_ne!(ours.lines[2], theirs.lines[2]);
    assert_eq!(battery.nodes.len(), 5);
}

#[test]
fn programs_that_do_the_same_are_recognised() {
    let source = "
def a(I):
    x = add(ONE, size(I))
    return canvas(x, UNITY)

def b(I):
    y = size(I)
    y = identity(y)
    return canvas(increment(y), UNITY)

def c(I):
    x = size(I)
    return canvas(x, UNITY)
";
    let programs = parse(source, "a.py", None).unwrap();
    let mut merger = Merger::new(Rules::ALL);
    merger.add(&programs[0]);
    assert_eq!(merger.add_new(&programs[1], "a", Vec::new()), None);
    assert_eq!(merger.add_new(&programs[2], "a", Vec::new()), Some(1));
    merger.replace(0, &programs[2]);
    let battery = merger.finish();
    assert_eq!(battery.nodes.len(), 2);
    assert_eq!(battery.outs[0].output, battery.outs[1].output);
}

#[test]
fn the_page_about_batteries_lists_every_rule() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/battery.md");
    let page = std::fs::read_to_string(page).unwrap();
    for rule in RULES {
        let fuel = if rule.keeps_fuel { "equal" } else { "less" };
        let row = format!("| `{}` | {} | {fuel} |\n", rule.name, rule.doc);
        assert!(page.contains(&row), "{row}");
    }
}
