//! Finds work that was done more often than there were different things to do.

use std::collections::{BTreeMap, BTreeSet};

use leyden_dsl::table::{Dialect, Prim};
use leyden_exec::record::{Figures, Key, Slow};
use leyden_lang::{Input, Op, Operand};
use leyden_profile::model::Repeat;
use xxhash_rust::xxh3::xxh3_128;

use super::lines::line_of;
use super::measure::Measured;

/// The number of lines worth a reader's time, and of causes of repeated runs.
const MOST_LINES: usize = 8;
const MOST_CAUSES: usize = 3;
/// Less than this share of the execute phase is not worth hoisting.
const LEAST_SHARE: f64 = 0.000_5;
/// Within other expressions, a longer one is shown as an ellipsis.
const MOST_SHOWN: usize = 40;

/// The computation of a line, independent of the names of earlier lines.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    key: u128,
    text: String,
    reads: Reads,
}

/// The inputs that a value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reads {
    Nothing,
    Task,
    Sample,
}

/// The expressions of lines that may read those before them.
pub(crate) fn expressions<'o>(lines: impl Iterator<Item = (Dialect, &'o Op)>) -> Vec<Expression> {
    let mut known: Vec<Expression> = Vec::new();
    for (dialect, op) in lines {
        let expression = expression(&known, dialect, op);
        known.push(expression);
    }
    known
}

fn expression(known: &[Expression], dialect: Dialect, op: &Op) -> Expression {
    let parts = |show: &dyn Fn(Operand) -> String| {
        let parts: Vec<String> = op.operands().map(show).collect();
        match (op, parts.as_slice()) {
            (Op::Call { .. }, [callee, args @ ..]) => format!("{callee}({})", args.join(", ")),
            (Op::Tuple(_), items) => format!("({})", items.join(", ")),
            (_, parts) => parts.concat(),
        }
    };
    let key_of = |operand| match var(known, operand) {
        Some(inner) => format!("{:032x}", inner.key),
        None => name(operand),
    };
    let text_of = |operand| match var(known, operand) {
        Some(inner) if inner.text.len() > MOST_SHOWN => "…".to_owned(),
        Some(inner) => inner.text.clone(),
        None => name(operand),
    };
    let reads = op.operands().map(|operand| match operand {
        Operand::Input(Input::S) => Reads::Task,
        Operand::Input(_) => Reads::Sample,
        _ => var(known, operand).map_or(Reads::Nothing, |inner| inner.reads),
    });
    Expression {
        key: xxh3_128(format!("{dialect:?} {}", parts(&key_of)).as_bytes()),
        text: parts(&text_of),
        reads: reads.max().unwrap_or(Reads::Nothing),
    }
}

fn var(known: &[Expression], operand: Operand) -> Option<&Expression> {
    match operand {
        Operand::Var(k) => known.get(k as usize),
        _ => None,
    }
}

fn name(operand: Operand) -> String {
    match operand {
        Operand::Var(k) => format!("x{k}"),
        Operand::Input(input) => input.name().to_owned(),
        Operand::Const(constant) => constant.name().to_owned(),
        Operand::Int(number) => number.to_string(),
        Operand::None => "None".to_owned(),
        Operand::Prim(prim) => prim.name().to_owned(),
    }
}

/// An expression, with all places that compute it.
struct Computed<'m> {
    expression: &'m Expression,
    times: u64,
    ns: f64,
    tasks: BTreeSet<usize>,
}

impl Computed<'_> {
    /// The number of different values that it can have.
    fn distinct(&self, measured: &Measured) -> u64 {
        let n_samples = |task: &usize| measured.tasks.get(*task).map_or(0, |it| it.samples.len());
        let distinct = match self.expression.reads {
            Reads::Nothing => 1,
            Reads::Task => self.tasks.len(),
            Reads::Sample => self.tasks.iter().map(n_samples).sum(),
        };
        distinct as u64
    }

    fn repeat(&self, measured: &Measured) -> Repeat {
        let advice = match self.expression.reads {
            Reads::Nothing => "it reads no input: once would do",
            Reads::Task => "it reads the demonstrations only: once a task would do",
            Reads::Sample => "several programs compute it: once a sample would do",
        };
        Repeat {
            what: self.expression.text.clone(),
            times: self.times,
            distinct: self.distinct(measured),
            self_ns: self.ns.round() as u64,
            advice: advice.to_owned(),
        }
    }
}

/// The cost of a repeat beyond the first times.
fn wasted(repeat: &Repeat) -> f64 {
    let share = repeat.distinct as f64 / repeat.times.max(1) as f64;
    repeat.self_ns as f64 * (1.0 - share)
}

/// The lines that could be hoisted, most expensive first.
pub(super) fn repeats(measured: &Measured, execute_ns: u64) -> Vec<Repeat> {
    let computed = computed(measured);
    let lines = computed.values().map(|it| it.repeat(measured)).collect();
    let least = LEAST_SHARE * execute_ns as f64;
    let mut repeats = worst(lines, least, MOST_LINES);
    repeats.extend(worst(runs_again(measured), least, MOST_CAUSES));
    worst(repeats, least, MOST_LINES + MOST_CAUSES)
}

/// The repeats that waste most.
fn worst(mut repeats: Vec<Repeat>, least: f64, most: usize) -> Vec<Repeat> {
    repeats.retain(|repeat| repeat.times > repeat.distinct && wasted(repeat) > least);
    repeats.sort_by(|a, b| wasted(b).total_cmp(&wasted(a)).then(a.what.cmp(&b.what)));
    repeats.truncate(most);
    repeats
}

fn computed(measured: &Measured) -> BTreeMap<u128, Computed<'_>> {
    let mut computed: BTreeMap<u128, Computed<'_>> = BTreeMap::new();
    for (path, figures) in &measured.frames {
        let Some((unit, node, slow)) = line_of(path) else {
            continue;
        };
        if slow.is_some_and(Slow::is_again) {
            continue;
        }
        let Some(unit) = measured.units.get(unit as usize) else {
            continue;
        };
        let Some(expression) = unit.expressions.get(node as usize) else {
            continue;
        };
        let entry = computed.entry(expression.key).or_insert(Computed {
            expression,
            times: 0,
            ns: 0.0,
            tasks: BTreeSet::new(),
        });
        entry.times += figures.calls;
        entry.ns += figures.total_ns;
        match unit.task {
            Some(task) => drop(entry.tasks.insert(task)),
            None => entry.tasks.extend(0..measured.tasks.len()),
        }
    }
    computed
}

/// Programs that ran twice on one sample because the fast engine gave up on them. The second run
/// brings nothing new.
fn runs_again(measured: &Measured) -> Vec<Repeat> {
    let mut again: BTreeMap<Option<Prim>, Figures> = BTreeMap::new();
    for (path, figures) in &measured.frames {
        if let Some(Key::Reference(slow)) = path.last()
            && slow.is_again()
        {
            let sum = again.entry(slow.prim).or_default();
            sum.calls += figures.calls;
            sum.total_ns += figures.total_ns;
        }
    }
    let repeat = |(cause, figures): (Option<Prim>, Figures)| {
        let (after, decided) = match cause {
            Some(prim) => (format!(" after {}", prim.name()), prim.name()),
            None => (String::new(), "them"),
        };
        Repeat {
            what: format!("exact re-runs of whole programs{after}"),
            times: figures.calls,
            distinct: 0,
            self_ns: figures.total_ns.round() as u64,
            advice: format!("none, if the fast engine decided {decided} itself"),
        }
    };
    again.into_iter().map(repeat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Vec<Expression> {
        let program = leyden_lang::parse(source, "a.py", None).unwrap().remove(0);
        let lines = program.lines.iter();
        expressions(lines.map(|line| (program.dialect, &line.op)))
    }

    #[test]
    fn names_of_lines_do_not_change_expressions() {
        let a = of("def a(I):\n    x1 = vmirror(I)\n    O = hmirror(x1)\n    return O\n");
        let b = of(
            "def b(I):\n    x1 = rot90(I)\n    y = vmirror(I)\n    O = hmirror(y)\n    return O\n",
        );
        assert_eq!((a[0].key, a[1].key), (b[1].key, b[2].key));
        assert_ne!(a[0].key, b[0].key);
        assert_eq!(b[2].text, "hmirror(vmirror(I))");
    }

    #[test]
    fn expressions_that_read_no_input_are_known() {
        let lines = of("def a(I):\n    f = compose(first, last)\n    O = f(I)\n    return O\n");
        let reads: Vec<Reads> = lines.iter().map(|line| line.reads).collect();
        assert_eq!(reads, [Reads::Nothing, Reads::Sample]);
        assert_eq!(lines[1].text, "compose(first, last)(I)");
    }
}
