//! CPython's hashes.

/// CPython's hash of a whole number: modulo 2^61 - 1, with the sign kept and -1 avoided.
#[inline]
pub const fn hash_int(n: i64) -> i64 {
    const MODULUS: u64 = (1 << 61) - 1;
    if n.unsigned_abs() < MODULUS {
        return if n == -1 { -2 } else { n };
    }
    let magnitude = (n.unsigned_abs() % MODULUS) as i64;
    match if n < 0 { -magnitude } else { magnitude } {
        -1 => -2,
        hash => hash,
    }
}

/// CPython's hash of a float that is whole or infinite. CPython hashes nan by address.
pub(super) fn hash_float(x: f64) -> i64 {
    match x {
        f64::INFINITY => 314_159,
        f64::NEG_INFINITY => -314_159,
        x if x.is_nan() => 0x2545_f491,
        x => hash_int(x as i64),
    }
}

const PRIME_1: u64 = 11_400_714_785_074_694_791;
const PRIME_2: u64 = 14_029_467_366_897_019_727;
const PRIME_5: u64 = 2_870_177_450_012_600_261;

/// CPython's hash of a tuple, from the hashes of its items.
#[inline]
pub fn hash_tuple(hashes: impl Iterator<Item = i64>, len: usize) -> i64 {
    hash_of_sum(hashes.fold(PRIME_5, with_item), len)
}

#[inline]
const fn with_item(sum: u64, hash: i64) -> u64 {
    let sum = sum.wrapping_add((hash as u64).wrapping_mul(PRIME_2));
    sum.rotate_left(31).wrapping_mul(PRIME_1)
}

#[inline]
const fn hash_of_sum(sum: u64, len: usize) -> i64 {
    match sum.wrapping_add(len as u64 ^ (PRIME_5 ^ 3_527_539)) {
        u64::MAX => 1_546_275_796,
        hash => hash as i64,
    }
}

/// CPython's hash of a pair of whole numbers.
#[inline]
pub fn hash_pair(i: i64, j: i64) -> i64 {
    if (i | j) as u64 >= N_KNOWN as u64 {
        return hash_any_pair(i, j);
    }
    PAIRS[i as usize % N_KNOWN][j as usize % N_KNOWN]
}

const fn hash_any_pair(i: i64, j: i64) -> i64 {
    let first = with_item(PRIME_5, hash_int(i));
    hash_of_sum(with_item(first, hash_int(j)), 2)
}

/// The side of the largest grid whose hashes are computed in advance: a power of two that most
/// grids fit in.
const N_KNOWN: usize = 32;

/// The hashes of all locations of such a grid.
static PAIRS: [[i64; N_KNOWN]; N_KNOWN] = {
    let mut pairs = [[0; N_KNOWN]; N_KNOWN];
    let mut k = 0;
    while k < N_KNOWN * N_KNOWN {
        let (i, j) = (k / N_KNOWN, k % N_KNOWN);
        pairs[i][j] = hash_any_pair(i as i64, j as i64);
        k += 1;
    }
    pairs
};

/// CPython's hash of a frozenset, from the hashes of its elements in any order.
pub fn hash_frozenset(hashes: impl Iterator<Item = i64>, len: usize) -> i64 {
    let shuffled = |hash: u64| ((hash ^ 89_869_747) ^ (hash << 16)).wrapping_mul(3_644_798_167);
    let mut hash = hashes.fold(0, |sum, hash| sum ^ shuffled(hash as u64));
    hash ^= (len as u64 + 1).wrapping_mul(1_927_868_237);
    hash ^= (hash >> 11) ^ (hash >> 25);
    match hash.wrapping_mul(69_069).wrapping_add(907_133_923) {
        u64::MAX => 590_923_713,
        hash => hash as i64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_pairs_hash_as_others_do() {
        for i in -2..40 {
            for j in -2..40 {
                let hashes = [hash_int(i), hash_int(j)];
                assert_eq!(hash_pair(i, j), hash_tuple(hashes.into_iter(), 2));
            }
        }
    }
}
