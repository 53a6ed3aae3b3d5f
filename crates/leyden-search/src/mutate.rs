//! Mutations: small changes to programs, each typed by the table's signatures.

mod lines;

use std::borrow::Cow;

use leyden_dsl::kinds::Kinds;
use leyden_dsl::table::{Constant, Prim};
use leyden_dsl::types::Type;
use leyden_lang::{ConstId, Input, Op, Operand, Program};

use crate::colours::Colours;
use crate::dice::Dice;
use crate::meaning::{
    Meaning, number, of_operand, opposite_rank, other_number, plain_constants, spelled,
};
use crate::types::{Shape, alternatives, check_from, primitives, rule, shape_of, shape_of_op};
use lines::{graft, insert_lines, prune, replace_uses, set};

macro_rules! kinds {
    ($( $kind:ident, $name:literal, $rate:literal, $doc:literal; )*) => {
        /// A kind of mutation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $( #[doc = $doc] $kind, )* }

        impl Kind {
            /// All kinds, in the order of the rolls.
            pub const ALL: &[Kind] = &[$( Kind::$kind ),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $( Kind::$kind => $name, )* }
            }

            /// A description in one line.
            pub fn doc(self) -> &'static str {
                match self { $( Kind::$kind => $doc, )* }
            }

            /// The default probability that a program undergoes it.
            pub fn default_rate(self) -> f64 {
                match self { $( Kind::$kind => $rate, )* }
            }
        }
    };
}

kinds! {
    Constant, "constant", 0.15, "A number becomes a neighbouring one or another of its range.";
    Colour, "colour", 0.15, "A colour becomes one that the demonstration pairs speak of.";
    Direction, "direction", 0.10, "A direction or a size becomes another.";
    Boolean, "boolean", 0.10, "True becomes false, or the other way round; so does one of the three that a way to find objects is made of.";
    Rank, "rank", 0.10, "The largest becomes the smallest, the first the last, a rank the one from the other end.";
    Primitive, "primitive", 0.15, "A primitive becomes one of a compatible signature.";
    Variable, "variable", 0.15, "A value becomes an earlier one of a compatible type.";
    Insert, "insert", 0.05, "A new line is put before a use of a value.";
    Delete, "delete", 0.05, "A line is left out; what it read stands for it.";
    Crossover, "crossover", 0.05, "A value is computed as in another program.";
}

impl Kind {
    /// The kind with this name.
    pub fn by_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// The probability of each kind of mutation.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates([f64; Kind::ALL.len()]);

impl Default for Rates {
    fn default() -> Rates {
        let mut rates = Rates::none();
        Kind::ALL
            .iter()
            .for_each(|kind| rates.set(*kind, kind.default_rate()));
        rates
    }
}

impl Rates {
    /// Rates of 0 for all kinds.
    pub fn none() -> Rates {
        Rates([0.0; Kind::ALL.len()])
    }

    /// The probability of a kind.
    pub fn get(&self, kind: Kind) -> f64 {
        self.0[kind as usize]
    }

    /// Sets the probability of a kind, clamped to 0 to 1.
    pub fn set(&mut self, kind: Kind, rate: f64) {
        self.0[kind as usize] = rate.clamp(0.0, 1.0);
    }
}

/// A mutated program, and a description of the mutation.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The program; it passes [`check`](crate::types::check).
    pub program: Program,
    /// The shapes of its lines.
    pub shapes: Vec<Shape>,
    /// A description of the mutation.
    pub what: String,
}

/// The material for a mutation.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// Another program with the shapes of its lines, for a cross-over.
    pub donor: Option<(&'a Program, &'a [Shape])>,
    /// The colours of the program's task.
    pub colours: Option<&'a Colours>,
}

/// The number of tries for a mutation.
const N_TRIES: usize = 6;
/// The largest number of lines of a mutated program.
const MOST_LINES: usize = 250;
/// Longer programs are not tried at all: hardly any mutation makes them short enough, and each try
/// goes through all lines.
const FAR_TOO_LONG: usize = 10 * MOST_LINES;

/// Mutates a program in one place. The result passes [`check`](crate::types::check) and can give a
/// grid. It is `None` if there was nothing to mutate or every try was unsound. The second value
/// counts unsound tries.
pub fn mutate(
    kind: Kind,
    program: &Program,
    shapes: &[Shape],
    sources: &Sources<'_>,
    dice: &mut Dice,
) -> (Option<Changed>, u32) {
    let mut n_unsound = 0;
    if program.lines.len() > FAR_TOO_LONG {
        return (None, n_unsound);
    }
    for _ in 0..N_TRIES {
        let site = Site {
            program,
            shapes,
            sources,
        };
        let Some((changed, what)) = site.change(kind, dice) else {
            return (None, n_unsound);
        };
        match accepted(changed, (program, shapes), what) {
            Some(changed) => return (Some(changed), n_unsound),
            None => n_unsound += 1,
        }
    }
    (None, n_unsound)
}

/// Removes the lines that a mutated program no longer needs. `None` if the program is unsound or
/// unchanged.
fn accepted(
    mut program: Program,
    (parent, parent_shapes): (&Program, &[Shape]),
    what: String,
) -> Option<Changed> {
    prune(&mut program);
    if program.lines.len() > MOST_LINES {
        return None;
    }
    // Up to the first line that differs, the shapes are those of the parent.
    let both = || program.ops().zip(parent.ops());
    let n_alike = both().position(|(own, other)| own != other);
    let n_alike = n_alike.unwrap_or(program.lines.len().min(parent.lines.len()));
    let shapes = check_from(&program, &parent_shapes[..n_alike])?;
    let gives = shape_of(program.output, &shapes).kinds;
    let is_useful = gives.meet(Kinds::GRID) || parent.reads(Input::C);
    let is_longest = n_alike == program.lines.len() && n_alike == parent.lines.len();
    let is_other = program.output != parent.output || !is_longest;
    (is_useful && is_other).then_some(Changed {
        program,
        shapes,
        what,
    })
}

/// An operand of a line.
#[derive(Clone, Copy, Debug)]
struct Slot {
    line: usize,
    place: usize,
    operand: Operand,
}

struct Site<'a> {
    program: &'a Program,
    shapes: &'a [Shape],
    sources: &'a Sources<'a>,
}

impl Site<'_> {
    fn change(&self, kind: Kind, dice: &mut Dice) -> Option<(Program, String)> {
        match kind {
            Kind::Constant => {
                self.swap(dice, |slot| number(slot.operand).is_some(), other_constant)
            }
            Kind::Colour => self.colour(dice),
            Kind::Direction => self.swap(dice, |slot| is_pair(slot.operand), other_pair),
            Kind::Boolean => self.swap(dice, |slot| self.is_truth(slot), other_truth),
            Kind::Rank => self.swap(
                dice,
                |slot| self.has_opposite(slot),
                |site, slot, _| site.opposite(slot),
            ),
            Kind::Primitive => self.swap(dice, |slot| self.has_alternative(slot), other_primitive),
            Kind::Variable => self.variable(dice),
            Kind::Insert => self.insert(dice),
            Kind::Delete => self.delete(dice),
            Kind::Crossover => self.crossover(dice),
        }
    }

    /// Picks one of the slots of interest.
    fn pick(&self, dice: &mut Dice, wanted: impl Fn(Slot) -> bool) -> Option<Slot> {
        let slots = || self.slots().filter(|slot| wanted(*slot));
        let k = dice.below(slots().count());
        slots().nth(k)
    }

    /// All slots.
    fn slots(&self) -> impl Iterator<Item = Slot> {
        let lines = self.program.ops().enumerate();
        lines.flat_map(|(line, op)| {
            let operands = op.operands().enumerate();
            operands.map(move |(place, operand)| Slot {
                line,
                place,
                operand,
            })
        })
    }

    /// Puts another operand into one of the wanted slots.
    fn swap(
        &self,
        dice: &mut Dice,
        wanted: impl Fn(Slot) -> bool,
        other: impl Fn(&Self, Slot, &mut Dice) -> Option<Operand>,
    ) -> Option<(Program, String)> {
        let slot = self.pick(dice, wanted)?;
        let operand = other(self, slot, dice)?;
        Some(self.with(slot, operand))
    }

    fn with(&self, slot: Slot, operand: Operand) -> (Program, String) {
        let mut program = self.program.clone();
        set(&mut program, slot, operand);
        let what = format!(
            "line {}: {} to {}",
            slot.line + 1,
            name(slot.operand),
            name(operand)
        );
        (program, what)
    }

    fn colour(&self, dice: &mut Dice) -> Option<(Program, String)> {
        let colours = self.sources.colours?;
        let is_colour = |slot: Slot| {
            let is_one = number(slot.operand).is_some_and(|n| (0..10).contains(&n));
            is_one && self.meaning_of(slot) == Some(Meaning::Colour)
        };
        let other = |site: &Self, slot: Slot, dice: &mut Dice| {
            let lists = [
                &colours.only_in_inputs,
                &colours.only_in_outputs,
                &colours.by_rank,
            ];
            let lists: Vec<&Vec<u8>> = lists.into_iter().filter(|list| !list.is_empty()).collect();
            let list = dice.pick(&lists)?;
            let colour = dice.pick(list)?;
            let named = of_operand(slot.operand)?;
            Some(spelled(i64::from(colour), named, site.program.dialect))
        };
        self.swap(dice, is_colour, other)
    }

    /// The meaning of a number in its slot. The parameter decides it, otherwise the number's own
    /// name.
    fn meaning_of(&self, slot: Slot) -> Option<Meaning> {
        self.meant_by_callee(slot)
            .or_else(|| of_operand(slot.operand))
    }

    fn meant_by_callee(&self, slot: Slot) -> Option<Meaning> {
        let Op::Call {
            callee: Operand::Prim(prim),
            args,
        } = &self.program.lines[slot.line].op
        else {
            return None;
        };
        match (prim, args.first(), slot.place) {
            (Prim::rbind, Some(Operand::Prim(inner)), 2) => {
                Meaning::of_param(*inner, inner.arity().saturating_sub(1))
            }
            (Prim::lbind, Some(Operand::Prim(inner)), 2) => Meaning::of_param(*inner, 0),
            (Prim::matcher, Some(Operand::Prim(inner)), 2) => {
                gives_colour(*inner).then_some(Meaning::Colour)
            }
            (_, _, 1..) => Meaning::of_param(*prim, slot.place - 1),
            _ => None,
        }
    }

    /// The operand that takes the other end: another primitive, or another rank.
    fn opposite(&self, slot: Slot) -> Option<Operand> {
        match slot.operand {
            Operand::Prim(prim) => opposite(prim).map(Operand::Prim),
            _ => self.opposite_rank(slot),
        }
    }

    #[inline]
    fn has_opposite(&self, slot: Slot) -> bool {
        match slot.operand {
            Operand::Prim(prim) => opposite(prim).is_some(),
            _ => self.has_ranks() && self.opposite_rank(slot).is_some(),
        }
    }

    fn opposite_rank(&self, slot: Slot) -> Option<Operand> {
        let n = number(slot.operand)?;
        let meaning = self.meaning_of(slot).filter(|it| *it == Meaning::Rank)?;
        Some(spelled(opposite_rank(n), meaning, self.program.dialect))
    }

    /// Whether the dialect has ranks and choices.
    #[inline]
    fn has_ranks(&self) -> bool {
        !self.program.dialect.is_classic()
    }

    /// Whether it is a boolean, or three of them in one number.
    #[inline]
    fn is_truth(&self, slot: Slot) -> bool {
        let is_number = || self.has_ranks() && number(slot.operand).is_some();
        let finds_objects = || self.meaning_of(slot) == Some(Meaning::Choice(8));
        boolean(slot.operand).is_some() || is_number() && finds_objects()
    }

    fn has_alternative(&self, slot: Slot) -> bool {
        let dialect = self.program.dialect;
        matches!(slot.operand, Operand::Prim(prim) if !alternatives(dialect, prim).is_empty())
    }

    fn variable(&self, dice: &mut Dice) -> Option<(Program, String)> {
        let is_value = |slot: Slot| matches!(slot.operand, Operand::Var(_) | Operand::Input(_));
        let slot = self.pick(dice, is_value)?;
        let wanted = shape_of(slot.operand, self.shapes);
        let values = self.values_before(slot.line, slot.operand);
        let fitting = values.into_iter().filter(|value| {
            let shape = shape_of(*value, self.shapes);
            shape.kinds.meet(wanted.kinds) && shape.arity() == wanted.arity()
        });
        let operand = dice.pick(&fitting.collect::<Vec<_>>())?;
        Some(self.with(slot, operand))
    }

    /// The inputs and the earlier lines, except for one. The expected output is there only for a
    /// program that reads it: a solver gets none.
    fn values_before(&self, line: usize, but: Operand) -> Vec<Operand> {
        let is_given = |input: &Input| *input != Input::C || self.program.reads(Input::C);
        let inputs = self.program.inputs.iter().copied().filter(is_given);
        let inputs = inputs.map(Operand::Input);
        let lines = (0..line as u32).map(Operand::Var);
        inputs.chain(lines).filter(|value| *value != but).collect()
    }

    fn insert(&self, dice: &mut Dice) -> Option<(Program, String)> {
        let is_value = |slot: Slot| matches!(slot.operand, Operand::Var(_) | Operand::Input(_));
        let slot = self.pick(dice, |slot| {
            is_value(slot) && !self.is_function(slot.operand)
        })?;
        let wanted = shape_of(slot.operand, self.shapes).kinds;
        let op = (0..40).find_map(|_| self.new_op(slot, wanted, dice))?;
        let mut program = self.program.clone();
        let what = format!("line {}: {} before it", slot.line + 1, callee_name(&op));
        insert_lines(&mut program, slot.line, vec![op]);
        let moved = Slot {
            line: slot.line + 1,
            ..slot
        };
        set(&mut program, moved, Operand::Var(slot.line as u32));
        Some((program, what))
    }

    fn is_function(&self, operand: Operand) -> bool {
        shape_of(operand, self.shapes).arity().is_some()
    }

    /// A call on a value of a primitive that gives the wanted kind.
    fn new_op(&self, slot: Slot, wanted: Kinds, dice: &mut Dice) -> Option<Op> {
        let prim = dice.pick(primitives(self.program.dialect))?;
        let params = prim.entry().params;
        let main = shape_of(slot.operand, self.shapes).kinds;
        let place = params
            .iter()
            .position(|param| Kinds::of_type(param.ty).meet(main))?;
        let arg = |k: usize| {
            if k == place {
                Some(slot.operand)
            } else {
                self.filler(prim, k, slot.line, dice)
            }
        };
        let args = (0..params.len()).map(arg).collect::<Option<Vec<_>>>()?;
        let op = Op::Call {
            callee: Operand::Prim(prim),
            args,
        };
        let shape = shape_of_op(&op, &self.shapes[..slot.line])?;
        (shape.kinds.meet(wanted) && shape.arity().is_none()).then_some(op)
    }

    /// An operand for a parameter: an earlier value, a constant or a primitive.
    fn filler(&self, prim: Prim, k: usize, line: usize, dice: &mut Dice) -> Option<Operand> {
        let (ty, dialect) = (prim.entry().params[k].ty, self.program.dialect);
        if ty == Type::Callable {
            return dice.pick(primitives(dialect)).map(Operand::Prim);
        }
        if let Some(meaning) = Meaning::of_param(prim, k).filter(|it| it.is_named()) {
            return dice.pick(&meaning.constants().collect::<Vec<_>>());
        }
        let wanted = Kinds::of_type(ty);
        let values = self.values_before(line, Operand::None).into_iter();
        let constants = plain_constants(dialect).iter().copied().map(Operand::Const);
        let fits = |value: &Operand| shape_of(*value, self.shapes).kinds.meet(wanted);
        let fitting: Vec<Operand> = values.chain(constants).filter(fits).collect();
        dice.pick(&fitting)
    }

    fn delete(&self, dice: &mut Dice) -> Option<(Program, String)> {
        let at = dice.below(self.program.lines.len());
        let op = &self.program.lines.get(at)?.op;
        let wanted = self.shapes.get(at)?;
        let stands_in = |operand: &Operand| {
            let shape = shape_of(*operand, self.shapes);
            let is_rank = self.has_ranks() && of_operand(*operand).is_some_and(Meaning::is_named);
            shape.kinds.meet(wanted.kinds) && shape.arity() == wanted.arity() && !is_rank
        };
        let fitting: Vec<Operand> = op.operands().skip(1).filter(stands_in).collect();
        let operand = dice.pick(&fitting)?;
        let mut program = self.program.clone();
        let what = format!("line {}: {} for {}", at + 1, name(operand), callee_name(op));
        program.lines[at].op = Op::Copy(operand);
        replace_uses(&mut program, at as u32, operand);
        Some((program, what))
    }

    fn crossover(&self, dice: &mut Dice) -> Option<(Program, String)> {
        let (donor, donor_shapes) = self.sources.donor?;
        // A line has its meaning only in its own dialect.
        if donor.dialect != self.program.dialect {
            return None;
        }
        let at = dice.below(self.program.lines.len());
        let wanted = self.shapes.get(at)?;
        let fits = |k: &usize| {
            let shape = donor_shapes[*k];
            shape.kinds.meet(wanted.kinds) && shape.arity() == wanted.arity()
        };
        let fitting: Vec<usize> = (0..donor_shapes.len()).filter(fits).collect();
        let from = dice.pick(&fitting)?;
        let ops = graft(donor, from, at as u32, &self.program.inputs)?;
        let root = Operand::Var((at + ops.len()) as u32 - 1);
        let what = format!("line {}: line {} of {}", at + 1, from + 1, donor.name);
        let mut program = self.program.clone();
        let old = (at + ops.len()) as u32;
        insert_lines(&mut program, at, ops);
        replace_uses(&mut program, old, root);
        Some((program, what))
    }
}

fn name(operand: Operand) -> Cow<'static, str> {
    match operand {
        Operand::Var(k) => format!("x{}", u64::from(k) + 1).into(),
        Operand::Input(input) => input.name().into(),
        Operand::Const(id) => id.name().into(),
        Operand::Int(n) => n.to_string().into(),
        Operand::None => "None".into(),
        Operand::Prim(prim) => prim.name().into(),
    }
}

fn callee_name(op: &Op) -> Cow<'static, str> {
    match op {
        Op::Call { callee, .. } => name(*callee),
        Op::Tuple(_) => "a tuple".into(),
        Op::Copy(value) => name(*value),
    }
}

/// Another number of this meaning, with this kind of name.
fn other_constant(site: &Site<'_>, slot: Slot, dice: &mut Dice) -> Option<Operand> {
    let meant = site.has_ranks().then(|| site.meaning_of(slot)).flatten();
    let meant = meant.filter(|it| it.is_named());
    let meaning = meant.or_else(|| of_operand(slot.operand))?;
    let n = other_number(number(slot.operand)?, meaning, dice)?;
    Some(spelled(n, meaning, site.program.dialect))
}

const DIRECTIONS: &[&str] = &[
    "DOWN",
    "RIGHT",
    "UP",
    "LEFT",
    "UNITY",
    "NEG_UNITY",
    "UP_RIGHT",
    "DOWN_LEFT",
];
const SIZES: &[&str] = &[
    "ORIGIN",
    "UNITY",
    "ZERO_BY_TWO",
    "TWO_BY_ZERO",
    "TWO_BY_TWO",
    "THREE_BY_THREE",
];

fn is_pair(operand: Operand) -> bool {
    matches!(operand, Operand::Const(id) if matches!(id.value(), Constant::Pair(..)))
}

fn other_pair(_: &Site<'_>, slot: Slot, dice: &mut Dice) -> Option<Operand> {
    let Operand::Const(id) = slot.operand else {
        return None;
    };
    let groups = [DIRECTIONS, SIZES]
        .into_iter()
        .filter(|group| group.contains(&id.name()));
    let others: Vec<&str> = groups
        .flatten()
        .copied()
        .filter(|name| *name != id.name())
        .collect();
    ConstId::by_name(dice.pick(&others)?).map(Operand::Const)
}

fn boolean(operand: Operand) -> Option<bool> {
    match operand {
        Operand::Const(id) => match id.value() {
            Constant::Bool(value) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

fn other_truth(site: &Site<'_>, slot: Slot, dice: &mut Dice) -> Option<Operand> {
    if let Some(truth) = boolean(slot.operand) {
        return Some(Operand::Const(ConstId::of_bool(!truth)));
    }
    let (n, meaning) = (number(slot.operand)?, site.meaning_of(slot)?);
    Some(spelled(
        n ^ (1 << dice.below(3)),
        meaning,
        site.program.dialect,
    ))
}

/// Pairs of primitives that take opposite ends.
const OPPOSITES: &[(Prim, Prim)] = &[
    (Prim::argmax, Prim::argmin),
    (Prim::valmax, Prim::valmin),
    (Prim::maximum, Prim::minimum),
    (Prim::first, Prim::last),
    (Prim::mostcolor, Prim::leastcolor),
    (Prim::mostcommon, Prim::leastcommon),
];

/// The pairs that tokpidjin has by type.
const OPPOSITES_BY_TYPE: &[(Prim, Prim)] = &[
    (Prim::first_t, Prim::last_t),
    (Prim::first_f, Prim::last_f),
    (Prim::mostcolor_t, Prim::leastcolor_t),
    (Prim::mostcolor_f, Prim::leastcolor_f),
    (Prim::mostcommon_f, Prim::leastcommon_f),
];

#[inline]
fn opposite(prim: Prim) -> Option<Prim> {
    let pairs = if prim.is_classic() {
        OPPOSITES
    } else {
        OPPOSITES_BY_TYPE
    };
    pairs.iter().find_map(|(a, b)| match prim {
        prim if prim == *a => Some(*b),
        prim if prim == *b => Some(*a),
        _ => None,
    })
}

fn other_primitive(site: &Site<'_>, slot: Slot, dice: &mut Dice) -> Option<Operand> {
    let Operand::Prim(prim) = slot.operand else {
        return None;
    };
    let others = alternatives(site.program.dialect, prim);
    dice.pick(others).map(Operand::Prim)
}

fn gives_colour(prim: Prim) -> bool {
    use Prim::*;
    let rule = rule(prim);
    matches!(
        rule,
        color | mostcolor | leastcolor | get_color_rank_t | get_color_rank_f
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use leyden_lang::parse;

    fn program(source: &str) -> Program {
        parse(source, "a.py", None).unwrap().remove(0)
    }

    #[test]
    fn lines_that_the_output_needs_stay_in_their_order() {
        let mut long = program(
            "def solve(I):\n    a = hmirror(I)\n    b = vmirror(I)\n    c = rot90(a)\n    \
             d = rot180(b)\n    e = hconcat(d, b)\n    f = rot270(c)\n    return e\n",
        );
        let short = program(
            "def solve(I):\n    b = vmirror(I)\n    d = rot180(b)\n    e = hconcat(d, b)\n    return e\n",
        );
        prune(&mut long);
        assert!(long.ops().eq(short.ops()) && long.output == short.output);
    }

    #[test]
    fn a_program_that_is_far_too_long_stays_as_it_is() {
        let lines = "    x = rot90(x)\n".repeat(FAR_TOO_LONG);
        let long = program(&format!("def solve(I):\n    x = I\n{lines}    return x\n"));
        let shapes = crate::types::check(&long).unwrap();
        let sources = Sources {
            donor: None,
            colours: None,
        };
        let mut dice = Dice::seeded(1);
        for kind in Kind::ALL {
            let (changed, n_tries) = mutate(*kind, &long, &shapes, &sources, &mut dice);
            assert!(changed.is_none() && n_tries == 0);
        }
    }

    /// Renumbering all following lines for each line would take minutes.
    #[test]
    fn very_many_lines_go_at_once() {
        let lines = "    x = vmirror(I)\n".repeat(200_000);
        let mut long = program(&format!("def solve(I):\n{lines}    return x\n"));
        prune(&mut long);
        assert_eq!((long.lines.len(), long.output), (1, Operand::Var(0)));
    }
}
