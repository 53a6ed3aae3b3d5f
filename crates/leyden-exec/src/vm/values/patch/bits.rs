//! Bits of rows, and the locations that they stand for.

/// The number of bits in rows of at most 64 columns. It packs as many rows into a word as fit,
/// because counting bits takes longer.
#[inline(always)]
pub(super) fn n_bits(width: u8, rows: impl Iterator<Item = u64>) -> u32 {
    let (mut n_bits, mut word, mut n_used) = (0, 0u64, 0);
    for row in rows {
        if n_used + width > 64 {
            n_bits += word.count_ones();
            (word, n_used) = (0, 0);
        }
        word |= row << n_used;
        n_used += width;
    }
    n_bits + word.count_ones()
}

/// Moves bits towards higher columns by `by` and drops those that leave the window.
#[inline]
pub(crate) fn shift_bits(row: u128, by: i64) -> u128 {
    match by {
        0..=127 => row << by,
        -127..=-1 => row >> -by,
        _ => 0,
    }
}

/// The locations of a patch, row by row.
#[derive(Clone)]
pub(crate) struct Cells<'a> {
    pub(super) rest: &'a [u128],
    pub(super) i: i64,
    pub(super) left: i64,
    pub(super) bits: u128,
    pub(super) n_left: usize,
}

impl Iterator for Cells<'_> {
    type Item = (i64, i64);

    #[inline]
    fn next(&mut self) -> Option<(i64, i64)> {
        while self.bits == 0 {
            let (next, rest) = self.rest.split_first()?;
            (self.bits, self.rest) = (*next, rest);
            self.i += 1;
        }
        let k = lowest_bit(self.bits);
        self.bits &= self.bits - 1;
        self.n_left -= 1;
        Some((self.i, self.left + k))
    }

    /// Visits all remaining locations, with half a row in a word.
    #[inline]
    fn fold<B, F: FnMut(B, (i64, i64)) -> B>(mut self, init: B, mut f: F) -> B {
        let mut result = init;
        loop {
            for (bits, left) in [
                (self.bits as u64, self.left),
                ((self.bits >> 64) as u64, self.left + 64),
            ] {
                let mut bits = bits;
                while bits != 0 {
                    result = f(result, (self.i, left + i64::from(bits.trailing_zeros())));
                    bits &= bits - 1;
                }
            }
            let Some((next, rest)) = self.rest.split_first() else {
                return result;
            };
            (self.bits, self.rest) = (*next, rest);
            self.i += 1;
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.n_left, Some(self.n_left))
    }
}

impl ExactSizeIterator for Cells<'_> {}

/// The number of the lowest bit. Patches are seldom wider than 64, which makes the common case one
/// instruction.
#[inline]
fn lowest_bit(bits: u128) -> i64 {
    let low = bits as u64;
    i64::from(if low != 0 {
        low.trailing_zeros()
    } else {
        bits.trailing_zeros()
    })
}

/// Calls a function with the number of each bit of a row, lowest first.
#[inline]
pub(crate) fn for_each_bit(row: u128, mut f: impl FnMut(usize)) {
    let (mut low, mut high) = (row as u64, (row >> 64) as u64);
    while low != 0 {
        f(low.trailing_zeros() as usize);
        low &= low - 1;
    }
    while high != 0 {
        f(64 + high.trailing_zeros() as usize);
        high &= high - 1;
    }
}
