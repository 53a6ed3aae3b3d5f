//! Every primitive of every dialect on huge and absurd arguments: the engines agree, none aborts or
//! takes much memory or time, and no call makes more than it pays for.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod evaluate;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::rc::Rc;
use std::time::Duration;

use leyden_dsl::cx::{Cx, call_prim};
use leyden_dsl::fault::Fault;
use leyden_dsl::meter::{CancelToken, Meter};
use leyden_dsl::table::{Dialect, Entry};
use leyden_dsl::types::Type;
use leyden_dsl::value::Value;
use leyden_exec::{Engine, Mode, Outcome, Ready, Sample, with_large_stack};
use leyden_grid::Grid;
use leyden_lang::parse_expr_in;
use rustix::time::{ClockId, clock_gettime};

use evaluate::evaluate;

/// The fuel of a call of a primitive.
const FUEL: u64 = 50_000;

/// The fuel of a program that makes the arguments first.
const FUEL_OF_PROGRAM: u64 = 200_000;

/// The places in new containers that a unit of fuel pays for: a cell of an object takes five, and
/// `frontiers` makes two cells of one.
const PLACES_OF_A_UNIT: u64 = 16;

/// The places that every call has for free: 4,096 cells of five.
const FREE_PLACES: u64 = 5 << 12;

const MAX_RESIDENT_BYTES: u64 = 1 << 30;
const MAX_TIME: Duration = Duration::from_secs(20);

/// Arguments for all parameters.
enum Set {
    /// By the type that a parameter asks for: number, pair, grid, set, tuple.
    Typed([&'static str; 5]),
    /// In order, without regard to types.
    Any(&'static [&'static str]),
}

const SETS: [Set; 12] = [
    Set::Typed([
        "1000000",
        "(1000000, 1000000)",
        "canvas(0, (100, 1))",
        "connect((0, 0), (0, 1500))",
        "interval(0, 1500, 1)",
    ]),
    Set::Typed([
        "9223372036854775807",
        "(9223372036854775807, 9223372036854775807)",
        "canvas(9223372036854775807, (30, 30))",
        "initset((9223372036854775807, 9223372036854775807))",
        "(9223372036854775807, 0, 1)",
    ]),
    Set::Typed([
        "-9223372036854775807",
        "(-9223372036854775807, -9223372036854775807)",
        "canvas(-9223372036854775807, (1, 1500))",
        "initset((-9223372036854775807, 0))",
        "(-9223372036854775807, -1)",
    ]),
    Set::Typed([
        "-1000000",
        "(-1000000, 1000000)",
        "canvas(1, (1500, 1))",
        "insert((-400000, 1), initset((400000, 2)))",
        "repeat(interval(0, 99, 1), 99)",
    ]),
    Set::Typed([
        "3000",
        "(3000, 2999)",
        "canvas(3, (60, 40))",
        "asobject(canvas(2, (40, 40)))",
        "totuple(product(interval(0, 40, 1), interval(0, 40, 1)))",
    ]),
    Set::Typed([
        "50000",
        "(40000, -40000)",
        "vconcat(canvas(0, (1, 0)), canvas(0, (9, 1500)))",
        "product(interval(0, 40, 1), interval(0, 40, 1))",
        "repeat(canvas(0, (9, 0)), 999)",
    ]),
    Set::Any(&["(1000000, 1000000)", "1000000"]),
    Set::Any(&["canvas(0, (1500, 0))", "99999", "()"]),
    Set::Any(&[
        "apply(power(lbind(repeat, initset(7)), 1), interval(0, 30, 1))",
        "pair(repeat(interval(0, 40, 1), 40), repeat(interval(0, 40, 1), 40))",
        "apply(power(rbind(repeat, 2), 14), (1, 2, 3))",
    ]),
    Set::Any(&[
        "power(increment, 900)",
        "fork(astuple, identity, identity)",
        "canvas",
    ]),
    Set::Any(&[
        "apply(initset, apply(rbind(repeat, 60), interval(0, 60, 1)))",
        "mapply(neighbors, product(interval(0, 30, 1), interval(0, 30, 1)))",
        "1000000",
        "(1, 1)",
    ]),
    Set::Any(&[
        "((1, 2), interval(0, 1500, 1))",
        "900",
        "astuple(interval(0, 1500, 1), interval(0, 1500, 1))",
        "T",
    ]),
];

impl Set {
    fn arguments(&self, entry: &Entry) -> Vec<&'static str> {
        let types = entry.params.iter().map(|param| param.ty).enumerate();
        types.map(|(k, ty)| self.argument(k, ty)).collect()
    }

    fn argument(&self, k: usize, ty: Type) -> &'static str {
        match self {
            Set::Any(all) => all[k % all.len()],
            Set::Typed([number, pair, grid, set, tuple]) => match ty {
                Type::Integer | Type::Numerical | Type::Any => number,
                Type::IntegerTuple => pair,
                Type::Grid | Type::Element | Type::Piece => grid,
                Type::Tuple | Type::TupleTuple | Type::Container | Type::ContainerContainer => {
                    tuple
                }
                Type::Boolean => "T",
                Type::Callable => "identity",
                _ => set,
            },
        }
    }
}

fn made_of(dialect: Dialect, text: &str) -> Value {
    let expr = parse_expr_in(dialect, text).unwrap();
    evaluate(&mut Cx::new(dialect), &expr)
}

/// The number of places in containers that are not in `seen`.
fn n_new_places(value: &Value, seen: &mut HashSet<usize>) -> u64 {
    let (address, n_places, inner): (_, _, Vec<&Value>) = match value {
        Value::Tuple(items) => (
            Rc::as_ptr(items).addr(),
            items.len(),
            items.iter().collect(),
        ),
        Value::Set(set) => (Rc::as_ptr(set).addr(), set.len(), set.iter().collect()),
        _ => return 0,
    };
    if !seen.insert(address) {
        return 0;
    }
    let of_inner: u64 = inner.iter().map(|part| n_new_places(part, seen)).sum();
    n_places as u64 + of_inner
}

/// Calls a primitive on the reference engine and checks that it pays for its result.
fn check_call(dialect: Dialect, entry: &Entry, args: &[Value]) -> Duration {
    let mut cx = Cx::new(dialect);
    cx.meter = Meter::new(FUEL, CancelToken::new());
    let (result, time) = timed(|| call_prim(&mut cx, entry.prim, args));
    let Ok(result) = result else {
        return time;
    };
    let mut seen = HashSet::new();
    args.iter().for_each(|arg| _ = n_new_places(arg, &mut seen));
    let n_places = n_new_places(&result, &mut seen);
    let used = cx.meter.used();
    assert!(
        n_places <= PLACES_OF_A_UNIT * used + FREE_PLACES,
        "{dialect}: {} made {n_places} places for {used} units",
        entry.name
    );
    time
}

/// Runs the call as a program on both engines.
fn check_program(dialect: Dialect, entry: &Entry, args: &[&str], sample: &Sample<'_>) -> Duration {
    let call = format!("{}({})", entry.name, args.join(", "));
    let source = format!("def solve_0a1b2c3d(S, I, C):\n    O = {call}\n    return O\n");
    let program = leyden_lang::parse(&source, "bombs.py", Some(dialect))
        .unwrap()
        .remove(0);
    let engine = Engine {
        fuel: FUEL_OF_PROGRAM,
        ..Engine::default()
    };
    let exact = Engine {
        mode: Mode::Exact,
        ..engine.clone()
    };
    let (fast, time) = timed(|| engine.run_ready(&Ready::of(&program), sample));
    let (exact, time_of_exact) = timed(|| exact.run(&program, sample));
    if let Ok(fast) = fast {
        assert_eq!(fast.outcome, exact, "{dialect}: {call}");
    }
    time + time_of_exact
}

/// The processor time of this thread so far.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The result of a function, and its processor time.
fn timed<T>(body: impl FnOnce() -> T) -> (T, Duration) {
    let before = processor_time();
    let result = body();
    (result, processor_time() - before)
}

/// The largest memory that this process ever had, if the system knows it.
fn most_resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Memory is that of this file's tests alone, and time is the processor's.
#[test]
fn every_primitive_is_paid_for_its_result() {
    let input = Grid::from_rows(&[vec![1, 2, 3], vec![4, 5, 6]]).unwrap();
    let (n_calls, time) = with_large_stack(|| {
        let (mut n_calls, mut time) = (0, Duration::ZERO);
        for dialect in [Dialect::ArcDsl, Dialect::ReArc, Dialect::Tokpidjin] {
            for set in &SETS {
                let mut known = HashMap::new();
                for entry in dialect.entries() {
                    let texts = set.arguments(entry);
                    let mut value = |text: &&'static str| -> Value {
                        let made = || made_of(dialect, text);
                        known.entry(*text).or_insert_with(made).clone()
                    };
                    let args: Vec<Value> = texts.iter().map(&mut value).collect();
                    time += check_call(dialect, entry, &args);
                    time += check_program(dialect, entry, &texts, &Sample::of(&input));
                    n_calls += 1;
                }
            }
        }
        (n_calls, time)
    });
    let resident = most_resident_bytes();
    println!("{n_calls} calls, {time:.1?} of the engines, {resident:?} bytes at most");
    assert!(resident.is_none_or(|bytes| bytes < MAX_RESIDENT_BYTES));
    assert!(time < MAX_TIME);
}

/// Calls that once took gigabytes, or made a million elements for free.
#[test]
fn calls_that_once_filled_the_memory_end_at_once() {
    let input = Grid::from_rows(&[vec![1, 2, 3], vec![4, 5, 6]]).unwrap();
    let end = |call: &str, fuel: u64| -> Vec<Option<Fault>> {
        let source = format!("def solve_0a1b2c3d(I):\n    O = {call}\n    return O\n");
        let program = leyden_lang::parse(&source, "bombs.py", None)
            .unwrap()
            .remove(0);
        let run = |mode| {
            let engine = Engine {
                fuel,
                mode,
                ..Engine::default()
            };
            let outcome: Outcome = engine.run(&program, &Sample::of(&input));
            outcome.fault()
        };
        with_large_stack(|| [Mode::Fast, Mode::Exact].map(run).to_vec())
    };
    let (memory, fuel) = (vec![Some(Fault::Memory); 2], vec![Some(Fault::Fuel); 2]);
    assert_eq!(
        end("size(hsplit(canvas(0, (100, 1)), 1000000))", 20_000),
        memory
    );
    assert_eq!(
        end("upscale(canvas(0, (300, 300)), 3000)", 50_000_000),
        memory
    );
    assert_eq!(
        end("hupscale(canvas(1, (1000000, 1)), 1000)", 50_000_000),
        memory
    );
    assert_eq!(end("hsplit(I, 1000000)", 1_000), fuel);
    assert_eq!(end("vsplit(I, 1000000)", 1_000), fuel);
    assert_eq!(end("multiply(((1, 2), (3, 4)), 400000)", 1_000), fuel);
    assert_eq!(end("double((interval(0, 99, 1), 7))", 250), fuel);
    assert_eq!(
        end("hsplit(canvas(0, (999999, 1)), 1000)", 50_000_000),
        memory
    );
    assert_eq!(
        end("backdrop(insert(ORIGIN, initset((500, 500))))", 9_999),
        fuel
    );
    assert_eq!(end("vsplit(I, 1000)", 1_100), vec![None; 2]);
}
