//! The meaning of a whole number. Python has one type for colours, ranks and counts. Programs keep
//! them apart by the names of constants and parameters, and so do mutations.

use std::sync::LazyLock;

use leyden_dsl::table::{CONSTANTS, Constant, Dialect, Prim};
use leyden_dsl::types::Type;
use leyden_lang::{ConstId, Operand};

use crate::dice::Dice;

/// The meaning of a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Meaning {
    /// A count, a size, a distance.
    Number,
    /// A colour, 0 to 9.
    Colour,
    /// A place in an order, from the first (`F0`) or from the last (`L1`).
    Rank,
    /// One of several ways to do something, counted from 0: tokpidjin's `R0` to `R7`.
    Choice(i64),
}

/// The ranks with names: from the tenth-last to the tenth.
const RANKS: std::ops::RangeInclusive<i64> = -10..=9;
/// The number of ways for a choice of an unknown primitive: the most that any primitive has.
const MOST_CHOICES: i64 = 8;

impl Meaning {
    /// The meaning of a parameter, if it is a whole number. The table uses a few names for colours,
    /// ranks and choices.
    pub(crate) fn of_param(prim: Prim, k: usize) -> Option<Meaning> {
        let param = prim.entry().params.get(k)?;
        if param.ty != Type::Integer {
            return None;
        }
        Some(match param.name {
            "value" | "replacee" | "replacer" | "fallback" | "color" | "c" => Meaning::Colour,
            "rank" => Meaning::Rank,
            "type" => Meaning::Choice(n_choices(prim)),
            _ if prim == Prim::switch => Meaning::Colour,
            _ => Meaning::Number,
        })
    }

    /// The meaning of a named constant.
    fn of_constant(id: ConstId) -> Meaning {
        if id.index() < CONSTANTS.len() {
            return Meaning::Number;
        }
        let name = id.name();
        let numbered = |letter: char| {
            let digits = name.strip_prefix(letter);
            digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|b| b.is_ascii_digit()))
        };
        if numbered('F') || numbered('L') {
            Meaning::Rank
        } else if numbered('R') || numbered('A') {
            Meaning::Choice(MOST_CHOICES)
        } else if COLOURS.contains(&name) {
            Meaning::Colour
        } else {
            Meaning::Number
        }
    }

    /// Whether a number of this meaning can replace one of another. Ranks and choices replace only
    /// their like.
    pub(crate) fn can_be(self, other: Meaning) -> bool {
        match (self, other) {
            (Meaning::Rank, Meaning::Rank) => true,
            (Meaning::Choice(n), Meaning::Choice(most)) => n <= most,
            (Meaning::Rank | Meaning::Choice(_), _) => false,
            (_, Meaning::Rank | Meaning::Choice(_)) => false,
            _ => true,
        }
    }

    /// Whether it is one of a few named things and not a quantity.
    pub(crate) fn is_named(self) -> bool {
        matches!(self, Meaning::Rank | Meaning::Choice(_))
    }

    /// The constants for a rank or a choice; empty for quantities.
    pub(crate) fn constants(self) -> impl Iterator<Item = Operand> {
        let fits = move |id: &ConstId| match (self, id.value()) {
            (Meaning::Rank, Constant::Int(_)) => Meaning::of_constant(*id) == Meaning::Rank,
            (Meaning::Choice(n), Constant::Int(k)) => id.name().starts_with('R') && k < n,
            _ => false,
        };
        let named = ConstId::all_in(Dialect::Tokpidjin)
            .filter(move |id| Meaning::of_constant(*id).is_named() && fits(id));
        named.map(Operand::Const)
    }
}

/// The number of ways in which a primitive can do its work.
fn n_choices(prim: Prim) -> i64 {
    match prim {
        Prim::corner | Prim::col_row | Prim::mir_rot_f => 4,
        Prim::mir_rot_t => 7,
        _ => MOST_CHOICES,
    }
}

const COLOURS: [&str; 10] = [
    "BLACK", "BLUE", "RED", "GREEN", "YELLOW", "GRAY", "MAGENTA", "ORANGE", "CYAN", "BURGUNDY",
];

/// The value of a whole number; `None` for booleans.
pub(crate) fn number(operand: Operand) -> Option<i64> {
    match operand {
        Operand::Int(n) => Some(n),
        Operand::Const(id) => match id.value() {
            Constant::Int(n) => Some(n),
            _ => None,
        },
        _ => None,
    }
}

/// The meaning of an operand by its own name.
pub(crate) fn of_operand(operand: Operand) -> Option<Meaning> {
    number(operand)?;
    Some(match operand {
        Operand::Const(id) => Meaning::of_constant(id),
        _ => Meaning::Number,
    })
}

/// The constants for plain quantities in a dialect, with pairs and booleans.
pub(crate) fn plain_constants(dialect: Dialect) -> &'static [ConstId] {
    static PLAIN: LazyLock<[Vec<ConstId>; Dialect::NAMED.len()]> = LazyLock::new(|| {
        Dialect::NAMED.map(|dialect| {
            let all = ConstId::all_in(dialect);
            all.filter(|id| Meaning::of_constant(*id) == Meaning::Number)
                .collect()
        })
    });
    &PLAIN[dialect as usize]
}

/// Writes a number by its name, if the dialect has one for this meaning.
pub(crate) fn spelled(n: i64, meaning: Meaning, dialect: Dialect) -> Operand {
    let is_same = |id: &ConstId| id.value() == Constant::Int(n);
    let named = match meaning {
        Meaning::Number => plain_constants(dialect).iter().copied().find(is_same),
        Meaning::Colour => ConstId::all_in(dialect)
            .find(|id| is_same(id) && Meaning::of_constant(*id) == Meaning::Colour),
        Meaning::Rank | Meaning::Choice(_) => meaning.constants().find_map(|it| match it {
            Operand::Const(id) if is_same(&id) => Some(id),
            _ => None,
        }),
    };
    named.map_or(Operand::Int(n), Operand::Const)
}

/// Another number of this meaning: a neighbour, or any of its range.
pub(crate) fn other_number(n: i64, meaning: Meaning, dice: &mut Dice) -> Option<i64> {
    let (first, n_all) = match meaning {
        Meaning::Choice(most) => return Some(dice.below(most as usize) as i64),
        Meaning::Rank => (*RANKS.start(), RANKS.count()),
        Meaning::Colour | Meaning::Number => (0, 10),
    };
    let other = match dice.below(3) {
        0 => n.checked_add(1)?,
        1 => n.checked_sub(1)?,
        _ => first + dice.below(n_all) as i64,
    };
    Some(match meaning {
        Meaning::Number => other,
        // The first name follows the last.
        _ => first + other.saturating_sub(first).rem_euclid(n_all as i64),
    })
}

/// The rank at equal distance from the other end: `F0` and `L1`, `F1` and `L2`.
pub(crate) fn opposite_rank(n: i64) -> i64 {
    n.saturating_neg().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(name: &str) -> Operand {
        Operand::Const(ConstId::by_name(name).unwrap())
    }

    #[test]
    fn names_tell_what_numbers_mean() {
        let meaning = |name| of_operand(constant(name));
        assert_eq!(meaning("F0"), Some(Meaning::Rank));
        assert_eq!(meaning("L10"), Some(Meaning::Rank));
        assert_eq!(meaning("R5"), Some(Meaning::Choice(8)));
        assert_eq!(meaning("CYAN"), Some(Meaning::Colour));
        assert_eq!(meaning("FIVE"), Some(Meaning::Number));
        assert_eq!(meaning("F"), None);
        assert_eq!(meaning("UNITY"), None);
        assert_eq!(Meaning::of_param(Prim::o_g, 1), Some(Meaning::Choice(8)));
        assert_eq!(Meaning::of_param(Prim::get_nth_f, 1), Some(Meaning::Rank));
        assert_eq!(Meaning::of_param(Prim::f_ofcolor, 1), Some(Meaning::Colour));
        assert_eq!(Meaning::of_param(Prim::interval, 1), Some(Meaning::Number));
        assert_eq!(Meaning::of_param(Prim::objects, 1), None);
    }

    #[test]
    fn numbers_keep_their_kind_of_name() {
        let tokpidjin = Dialect::Tokpidjin;
        assert_eq!(spelled(2, Meaning::Rank, tokpidjin), constant("F2"));
        assert_eq!(spelled(-2, Meaning::Rank, tokpidjin), constant("L2"));
        assert_eq!(spelled(2, Meaning::Choice(4), tokpidjin), constant("R2"));
        assert_eq!(spelled(2, Meaning::Colour, tokpidjin), constant("RED"));
        assert_eq!(spelled(2, Meaning::Number, tokpidjin), constant("TWO"));
        assert_eq!(
            spelled(-5, Meaning::Number, Dialect::ArcDsl),
            Operand::Int(-5)
        );
        assert_eq!(opposite_rank(0), -1);
        assert_eq!(opposite_rank(-2), 1);
    }

    #[test]
    fn ranks_and_choices_stay_in_their_range() {
        let mut dice = Dice::seeded(3);
        for _ in 0..1_000 {
            let rank = other_number(9, Meaning::Rank, &mut dice);
            assert!(rank.is_some_and(|n| RANKS.contains(&n)), "{rank:?}");
            let choice = other_number(3, Meaning::Choice(4), &mut dice);
            assert!(choice.is_some_and(|n| (0..4).contains(&n)), "{choice:?}");
        }
        assert_eq!(Meaning::Choice(4).constants().count(), 4);
        assert_eq!(Meaning::Rank.constants().count(), 20);
        assert_eq!(Meaning::Number.constants().count(), 0);
    }
}
