//! Choices, from a seed or from bytes.

/// A source of choices.
#[derive(Clone, Debug)]
pub struct Dice<'a>(Rolls<'a>);

#[derive(Clone, Debug)]
enum Rolls<'a> {
    Seed(u64),
    Bytes(&'a [u8]),
}

impl<'a> Dice<'a> {
    /// Dice that roll for ever.
    pub fn seeded(seed: u64) -> Dice<'static> {
        Dice(Rolls::Seed(seed))
    }

    /// Dice that read their rolls from bytes, and roll zeros after the last one.
    pub fn of_bytes(bytes: &'a [u8]) -> Dice<'a> {
        Dice(Rolls::Bytes(bytes))
    }

    /// A number below `n`, which is at least 1.
    pub(super) fn below(&mut self, n: usize) -> usize {
        match &mut self.0 {
            Rolls::Seed(state) => (split_mix(state) % n as u64) as usize,
            Rolls::Bytes(bytes) => {
                let n_bytes = if n <= 256 { 1 } else { 2 };
                let roll = (0..n_bytes).fold(0, |roll, _| roll << 8 | usize::from(next(bytes)));
                roll % n
            }
        }
    }

    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.below(items.len())])
    }
}

fn next(bytes: &mut &[u8]) -> u8 {
    bytes.split_off_first().copied().unwrap_or(0)
}

/// The SplitMix64 generator.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
