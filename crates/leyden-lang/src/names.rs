//! The meanings of names: primitives and constants for all programs, variables for one.

use std::sync::LazyLock;

use leyden_dsl::table::Dialect;
use rustc_hash::FxHashMap;

use crate::program::{ConstId, Operand};
use crate::user_names::UserNames;

type Names = FxHashMap<&'static str, Operand>;

/// The names that every program of a dialect knows.
static GLOBALS: LazyLock<[Names; Dialect::NAMED.len()]> =
    LazyLock::new(|| Dialect::NAMED.map(names_of));

/// All names of a dialect. Python's `True`, `False` and `None` count as names too.
fn names_of(dialect: Dialect) -> Names {
    let prims = dialect
        .entries()
        .map(|entry| (entry.name, Operand::Prim(entry.prim)));
    let aliases = dialect.aliases().iter();
    let aliases = aliases.map(|(name, prim)| (*name, Operand::Prim(*prim)));
    let constants = ConstId::all_in(dialect).map(|id| (id.name(), Operand::Const(id)));
    let literals = [
        ("True", Operand::Const(ConstId::of_bool(true))),
        ("False", Operand::Const(ConstId::of_bool(false))),
        ("None", Operand::None),
    ];
    let named = prims.chain(aliases).chain(constants);
    named.chain(literals).collect()
}

fn globals(dialect: Dialect) -> &'static Names {
    &GLOBALS[dialect as usize]
}

/// The meaning of a name that no program of the dialect has to define.
pub(crate) fn global(dialect: Dialect, name: &str) -> Option<Operand> {
    globals(dialect).get(name).copied()
}

/// The variables of one program. A variable whose line is in error is known but has no value, so
/// that one mistake is reported once.
#[derive(Default)]
pub(crate) struct Scope<'a> {
    variables: FxHashMap<&'a str, Option<Operand>>,
}

impl<'a> Scope<'a> {
    pub(crate) fn set(&mut self, name: &'a str, value: Option<Operand>) {
        self.variables.insert(name, value);
    }

    /// The value of a variable. The outer option tells whether the variable exists.
    pub(crate) fn variable(&self, name: &str) -> Option<Option<Operand>> {
        self.variables.get(name).copied()
    }

    /// The known name that is most like an unknown one, if one is close enough.
    pub(crate) fn most_like<'n>(
        &'n self,
        dialect: Dialect,
        name: &str,
        own: Option<&'n UserNames>,
    ) -> Option<&'n str> {
        let known = globals(dialect).keys().copied();
        let own = own.into_iter().flat_map(UserNames::if_few);
        let close = self.variables.keys().copied().filter(|_| self.is_small());
        known
            .chain(own)
            .chain(close)
            .filter_map(|candidate| Some((likeness(name, candidate)?, candidate)))
            .min()
            .map(|(_, candidate)| candidate)
    }

    /// Whether the variables are few enough to search. Without a limit, many unknown names would
    /// take quadratic time.
    fn is_small(&self) -> bool {
        self.variables.len() <= MOST_TO_LOOK_THROUGH
    }
}

/// The longest list that the search for a similar name goes through.
pub(crate) const MOST_TO_LOOK_THROUGH: usize = 2_000;

/// The distance of two names, if it is small enough for a typing mistake.
fn likeness(name: &str, candidate: &str) -> Option<usize> {
    if name.eq_ignore_ascii_case(candidate) {
        return Some(0);
    }
    let tolerated = (name.len() / 3).min(3);
    let worth_it = name.len().abs_diff(candidate.len()) <= tolerated && name.len() <= 40;
    let mistakes = worth_it.then(|| edit_distance(name.as_bytes(), candidate.as_bytes()))?;
    (mistakes <= tolerated && !is_numbered(candidate)).then_some(mistakes)
}

/// Whether a name is a letter and a number. `x12` is no likelier than any other number.
fn is_numbered(name: &str) -> bool {
    let digits = name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    name.len() - digits.len() <= 1 && !digits.is_empty()
}

fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_understood() {
        let mut scope = Scope::default();
        scope.set("counter", None);
        scope.set("x1", None);
        let like = |name| scope.most_like(Dialect::ArcDsl, name, None);
        assert_eq!(like("vmiror"), Some("vmirror"));
        assert_eq!(like("unity"), Some("UNITY"));
        assert_eq!(like("conter"), Some("center"));
        assert_eq!(like("countr"), Some("counter"));
        assert_eq!(like("x2"), None);
        assert_eq!(like("zzzzzzzz"), None);
        assert_eq!(
            scope.most_like(Dialect::Tokpidjin, "heigth_f", None),
            Some("height_f")
        );
    }

    /// Programs may change their dialect after they are read.
    #[test]
    fn names_that_dialects_share_mean_the_same() {
        let shared = globals(Dialect::Tokpidjin).keys();
        let shared = shared.filter(|name| global(Dialect::ArcDsl, name).is_some());
        let names: Vec<_> = shared.collect();
        assert!(names.len() > 150, "{}", names.len());
        for name in names {
            let meanings = [Dialect::ArcDsl, Dialect::Tokpidjin].map(|it| global(it, name));
            assert_eq!(meanings[0], meanings[1], "{name}");
        }
    }

    #[test]
    fn distances_are_levenshtein() {
        assert_eq!(edit_distance(b"", b"abc"), 3);
        assert_eq!(edit_distance(b"kitten", b"sitting"), 3);
    }
}
