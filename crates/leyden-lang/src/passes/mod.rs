//! Rules that rewrite operations, so that programs share more computations.
//!
//! A rule gets one operation whose operands are nodes, and returns an equivalent one. It must not
//! change a program's outcome: the value, the order of sets, the class and the line of a fault. The
//! table [`RULES`] lists the rules; each can be switched off.

mod arithmetic;
mod closures;
mod copies;
mod facts;
mod grids;

use leyden_dsl::table::Dialect;

use crate::battery::Node;
use crate::program::{Op, Operand};

pub(crate) use closures::{functions_are_values, is_function_call, is_shallow};
pub(crate) use facts::Facts;

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name, for switches and reports.
    pub name: &'static str,
    /// A description in one line.
    pub doc: &'static str,
    /// Whether the rule keeps the fuel of a run exactly; otherwise a run takes a few units less.
    pub keeps_fuel: bool,
    /// Whether the rule inspects or replaces functions.
    pub(crate) on_functions: bool,
    /// Whether the rule relies on `I` being a grid. The `I` of a scoring program may be another
    /// value.
    pub(crate) on_grids: bool,
    pub(crate) rewrite: fn(&View<'_>, &Op) -> Option<Rewrite>,
}

macro_rules! rules {
    ($( $name:literal, $fuel:ident, $scope:ident, $function:path, $doc:literal; )*) => {
        /// All rules, in the order in which they are tried.
        pub static RULES: &[Rule] = &[$( Rule {
            name: $name,
            doc: $doc,
            keeps_fuel: rules!(@is $fuel keeps),
            on_functions: rules!(@is $scope functions),
            on_grids: rules!(@is $scope grids),
            rewrite: $function,
        } ),*];
    };
    (@is keeps keeps) => { true };
    (@is functions functions) => { true };
    (@is grids grids) => { true };
    (@is $other:ident $wanted:ident) => { false };
}

rules! {
    "copies", keeps, values, copies::copy, "`x = y` becomes `y`";
    "spelling", keeps, values, copies::spelling, "a number with a name becomes the name: `1` is `ONE`";
    "identity", saves, values, copies::identity, "`identity(x)` becomes `x`";
    "fold", saves, values, arithmetic::fold, "arithmetic on constants becomes its result, if that is a number or has a name";
    "branch", saves, values, arithmetic::branch, "`branch` on a constant becomes the value it chooses";
    "commute", keeps, values, arithmetic::commute, "`add`, `multiply` with a number, `equality` and `switch` of two colours get their arguments in one order";
    "named", keeps, values, arithmetic::named, "`add(x, ONE)` becomes `increment(x)`; likewise decrement, double, halve, positive, toivec, tojvec";
    "symmetry", saves, grids, grids::symmetry, "a chain of mirrors and turns of a grid becomes one mirror or turn, or the grid";
    "bind-commute", keeps, functions, closures::commute, "`lbind` of `add`, `multiply` and `equality` becomes `rbind`";
    "bind-named", saves, functions, closures::named, "`rbind(add, ONE)` becomes `increment`; likewise the other named primitives";
    "compose", keeps, functions, closures::compose, "`compose` of `compose` becomes `chain`";
    "compose-identity", saves, functions, closures::compose_identity, "`compose` with `identity` becomes the other function";
}

/// The name of the switch that drops functions which no line calls any more.
const DROP: &str = "drop";

/// The set of rules that are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules(u32);

impl Rules {
    /// No rule: programs share only operations that are written alike.
    pub const NONE: Rules = Rules(0);
    /// All rules.
    pub const ALL: Rules = Rules((1 << (RULES.len() + 1)) - 1);

    /// The names of all switches: the rules, and `drop`, which leaves out functions that are made
    /// but never read.
    pub fn names() -> impl Iterator<Item = &'static str> {
        RULES.iter().map(|rule| rule.name).chain([DROP])
    }

    /// Only the rules that keep the fuel of a run exactly.
    pub fn keeping_fuel() -> Rules {
        let kept = (0..RULES.len()).filter(|k| RULES[*k].keeps_fuel);
        Rules(kept.fold(0, |rules, k| rules | 1 << k))
    }

    /// Switches a rule on; none if the name is unknown.
    pub fn with(self, name: &str) -> Option<Rules> {
        Some(Rules(self.0 | Rules::bit(name)?))
    }

    /// Switches a rule off; none if the name is unknown.
    pub fn without(self, name: &str) -> Option<Rules> {
        Some(Rules(self.0 & !Rules::bit(name)?))
    }

    pub(crate) fn has(self, k: usize) -> bool {
        self.0 >> k & 1 == 1
    }

    pub(crate) fn drops(self) -> bool {
        self.has(RULES.len())
    }

    fn bit(name: &str) -> Option<u32> {
        Rules::names()
            .position(|known| known == name)
            .map(|k| 1 << k)
    }
}

/// The replacement of an operation.
pub(crate) enum Rewrite {
    /// An operand that exists already.
    Is(Operand),
    /// Another operation.
    Op(Op),
}

/// The part of the battery that a rule may read.
pub(crate) struct View<'a> {
    pub(crate) nodes: &'a [Node],
    pub(crate) facts: &'a [Facts],
    pub(crate) dialect: Dialect,
}

impl View<'_> {
    /// The operation of an operand, if it is a node.
    pub(crate) fn op(&self, operand: Operand) -> Option<&Op> {
        match operand {
            Operand::Var(k) => self.nodes.get(k as usize).map(|node| &node.op),
            _ => None,
        }
    }

    pub(crate) fn facts(&self, operand: Operand) -> Facts {
        Facts::of_operand(operand, self.facts)
    }
}
