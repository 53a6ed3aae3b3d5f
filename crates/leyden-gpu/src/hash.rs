//! The hash of a grid as the device computes it: a sum over cells, so that lanes can share the
//! work.

use leyden_grid::Grid;

fn mixed(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

/// The device's hash of a grid with these cells. Grids of equal size and equal hash are taken for
/// equal.
pub fn hash_of_grid(grid: &Grid) -> u64 {
    let mut sums = (0u32, 0u32);
    for (k, colour) in grid.cells().iter().enumerate() {
        let x = mixed((k as u32 * 16 + u32::from(*colour)).wrapping_add(0x9e37_79b9));
        sums.0 = sums.0.wrapping_add(x);
        sums.1 = sums.1.wrapping_add(mixed(x ^ 0x85eb_ca6b));
    }
    joined(sums.0, sums.1)
}

/// Joins the two sums into one number.
pub(crate) fn joined(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}
