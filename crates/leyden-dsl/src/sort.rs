//! `sorted` with CPython's comparisons, because on a partial order they decide the result.

use crate::fault::Fault;
use crate::ops::less;
use crate::value::Value;

/// Shorter lists are sorted by binary insertion alone, as in CPython.
const MIN_MERGE: usize = 64;

/// An item with its key.
pub(crate) type Keyed = (Value, Value);

/// Sorts `(key, item)` pairs by key; items with equal keys keep their order.
pub(crate) fn sort(pairs: &mut Vec<Keyed>) -> Result<(), Fault> {
    if pairs.len() < MIN_MERGE {
        return insertion_sort(pairs);
    }
    let mut right = pairs.split_off(pairs.len() / 2);
    sort(pairs)?;
    sort(&mut right)?;
    *pairs = merge(std::mem::take(pairs), right)?;
    Ok(())
}

/// Sorts from the largest key down; items with equal keys keep their order.
pub(crate) fn sort_reversed(pairs: &mut Vec<Keyed>) -> Result<(), Fault> {
    pairs.reverse();
    sort(pairs)?;
    pairs.reverse();
    Ok(())
}

fn precedes(a: &Keyed, b: &Keyed) -> Result<bool, Fault> {
    less(&a.0, &b.0)
}

fn insertion_sort(pairs: &mut [Keyed]) -> Result<(), Fault> {
    for k in first_run(pairs)?..pairs.len() {
        let position = insertion_point(&pairs[..k], &pairs[k])?;
        pairs[position..=k].rotate_right(1);
    }
    Ok(())
}

/// The length of the run at the start; a strictly descending run is reversed.
fn first_run(pairs: &mut [Keyed]) -> Result<usize, Fault> {
    if pairs.len() < 2 {
        return Ok(pairs.len());
    }
    let is_descending = precedes(&pairs[1], &pairs[0])?;
    let mut n = 2;
    while n < pairs.len() && precedes(&pairs[n], &pairs[n - 1])? == is_descending {
        n += 1;
    }
    if is_descending {
        pairs[..n].reverse();
    }
    Ok(n)
}

fn insertion_point(sorted: &[Keyed], new: &Keyed) -> Result<usize, Fault> {
    let (mut low, mut high) = (0, sorted.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if precedes(new, &sorted[middle])? {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(low)
}

fn merge(left: Vec<Keyed>, right: Vec<Keyed>) -> Result<Vec<Keyed>, Fault> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let mut left = left.into_iter().peekable();
    for new in right {
        while let Some(old) = left.peek() {
            if precedes(&new, old)? {
                break;
            }
            merged.extend(left.next());
        }
        merged.push(new);
    }
    merged.extend(left);
    Ok(merged)
}
