//! Small values packed into one machine word, so that a [`Val`](crate::vm::Val) is a tag and a word
//! and travels in two registers.

/// A tuple of two numbers; compares as the tuple does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PairWord(u64);

/// Flips the sign bit, so that unsigned words compare as the signed numbers do.
const BIAS: u32 = 1 << 31;

impl PairWord {
    /// The pair, if both numbers fit in 32 bits.
    #[inline]
    pub(crate) fn new(i: i64, j: i64) -> Option<PairWord> {
        let (i, j) = (i32::try_from(i).ok()?, i32::try_from(j).ok()?);
        Some(PairWord(
            u64::from(i as u32 ^ BIAS) << 32 | u64::from(j as u32 ^ BIAS),
        ))
    }

    /// The pair of two coordinates of a patch, which are always small.
    #[inline]
    pub(crate) fn place((i, j): (i64, i64)) -> PairWord {
        PairWord(u64::from(i as u32 ^ BIAS) << 32 | u64::from(j as u32 ^ BIAS))
    }

    /// The place this many rows and columns further on, within a patch.
    #[inline]
    pub(crate) fn further(self, n_rows: u64, n_columns: u64) -> PairWord {
        PairWord(self.0 + (n_rows << 32) + n_columns)
    }

    /// A number that sorts as pairs do.
    #[inline]
    pub(crate) fn sort_key(self) -> u64 {
        self.0
    }

    /// The two numbers.
    #[inline]
    pub(crate) fn get(self) -> (i64, i64) {
        let part = |bits: u64| i64::from((bits as u32 ^ BIAS) as i32);
        (part(self.0 >> 32), part(self.0))
    }
}

/// A tuple `(colour, (i, j))`; compares as the tuple does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CellWord(u64);

/// Coordinates take 28 bits each and are stored from zero on.
const MIDDLE: i64 = 1 << 27;

impl CellWord {
    /// The cell, if its coordinates fit.
    #[inline]
    pub(crate) fn new(colour: i8, i: i64, j: i64) -> Option<CellWord> {
        let fits = |k: i64| (-MIDDLE..MIDDLE).contains(&k);
        (fits(i) && fits(j)).then(|| CellWord::place((colour, i, j)))
    }

    /// The cell at two coordinates of a patch, which are always small.
    #[inline]
    pub(crate) fn place((colour, i, j): (i8, i64, i64)) -> CellWord {
        let colour = u64::from(colour as u8 ^ 0x80);
        CellWord(colour << 56 | ((i + MIDDLE) as u64) << 28 | (j + MIDDLE) as u64)
    }

    /// The cell of equal colour this many rows and columns further on, within a patch.
    #[inline]
    pub(crate) fn further(self, n_rows: u64, n_columns: u64) -> CellWord {
        CellWord(self.0 + (n_rows << 28) + n_columns)
    }

    /// Gives a colour to a cell whose colour is 0.
    #[inline]
    pub(crate) fn recoloured_from_0(self, colour: i8) -> CellWord {
        CellWord(self.0 ^ u64::from(colour as u8) << 56)
    }

    /// A number that sorts as cells do.
    #[inline]
    pub(crate) fn sort_key(self) -> u64 {
        self.0
    }

    /// A number that sorts as tuples `(i, j, colour)` do.
    #[inline]
    pub(crate) fn sort_key_of_triple(self) -> u64 {
        self.0.rotate_left(8)
    }

    /// The cell of a number from [`CellWord::sort_key_of_triple`].
    #[inline]
    pub(crate) fn of_sort_key_of_triple(key: u64) -> CellWord {
        CellWord(key.rotate_right(8))
    }

    /// The colour and the two coordinates.
    #[inline]
    pub(crate) fn get(self) -> (i8, i64, i64) {
        let part = |bits: u64| (bits & 0x0fff_ffff) as i64 - MIDDLE;
        (
            ((self.0 >> 56) as u8 ^ 0x80) as i8,
            part(self.0 >> 28),
            part(self.0),
        )
    }
}

/// A float, as its bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatWord(u64);

impl FloatWord {
    pub(crate) fn new(x: f64) -> FloatWord {
        FloatWord(x.to_bits())
    }

    pub(crate) fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// A boolean as wide as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u64)]
pub(crate) enum Flag {
    False,
    True,
}

impl Flag {
    #[inline]
    pub(crate) fn get(self) -> bool {
        self == Flag::True
    }
}

impl From<bool> for Flag {
    #[inline]
    fn from(b: bool) -> Flag {
        if b { Flag::True } else { Flag::False }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_numbers_and_their_order() {
        let numbers = [i64::from(i32::MIN), -5, -1, 0, 1, 7, i64::from(i32::MAX)];
        let pairs = || {
            numbers
                .iter()
                .flat_map(|i| numbers.iter().map(move |j| (*i, *j)))
        };
        for (i, j) in pairs() {
            assert_eq!(PairWord::new(i, j).unwrap().get(), (i, j));
            for (k, l) in pairs() {
                assert_eq!(
                    PairWord::new(i, j).cmp(&PairWord::new(k, l)),
                    (i, j).cmp(&(k, l))
                );
            }
        }
        assert_eq!(PairWord::new(1 << 31, 0), None);
    }

    #[test]
    fn cells_keep_their_parts_and_their_order() {
        let cells = [
            (-128, -9, 4),
            (-1, 0, 0),
            (0, -MIDDLE, MIDDLE - 1),
            (9, 3, -3),
            (127, 29, 29),
        ];
        for a in cells {
            assert_eq!(CellWord::new(a.0, a.1, a.2).unwrap().get(), a);
            for b in cells {
                assert_eq!(CellWord::place(a).cmp(&CellWord::place(b)), a.cmp(&b));
                let key = |cell| CellWord::place(cell).sort_key_of_triple();
                assert_eq!(CellWord::of_sort_key_of_triple(key(a)).get(), a);
                let triple = |(v, i, j)| (i, j, v);
                assert_eq!(key(a).cmp(&key(b)), triple(a).cmp(&triple(b)));
            }
        }
        assert_eq!(CellWord::new(0, MIDDLE, 0), None);
    }

    #[test]
    fn places_of_a_patch_are_counted_on_from_its_first() {
        for (i, j) in [
            (0, 0),
            (-7, 3),
            (-1_000, -128),
            (-1, -1),
            (1 << 20, 1 << 20),
        ] {
            for (r, k) in [(0, 0), (0, 127), (1_023, 0), (7, 9), (1_023, 127)] {
                let place = (i + r, j + k);
                let by = (r as u64, k as u64);
                assert_eq!(PairWord::place((i, j)).further(by.0, by.1).get(), place);
                for colour in [-128, -3, 0, 9, 127] {
                    let cell = CellWord::place((colour, i, j)).further(by.0, by.1);
                    assert_eq!(cell.get(), (colour, place.0, place.1));
                    let cell = CellWord::place((0, i, j)).further(by.0, by.1);
                    let cell = cell.recoloured_from_0(colour);
                    assert_eq!(cell.get(), (colour, place.0, place.1));
                }
            }
        }
    }
}
