//! Columns of numbers.
//!
//! Most functions that are called often come down to arithmetic. Where all elements of a column are
//! numbers, or pairs of numbers, one loop does the step for all of them.

use leyden_dsl::table::Prim;

use crate::vm::functions::body::Action;
use crate::vm::functions::columns::Column;
use crate::vm::values::value::Val;
use crate::vm::values::word::PairWord;

/// Does a step for columns of numbers, or of pairs of numbers. It gives `false` if the step is no
/// arithmetic, or if a column holds other values. The step costs only its units.
pub(crate) fn is_done<'a>(
    action: Action,
    args: &[Column<'_, 'a>; 4],
    results: &mut [Val<'a>],
) -> bool {
    let truth = |b: bool| Some(Val::Bool(b.into()));
    let [a, b, ..] = args;
    match action {
        Action::Compare | Action::Call(Prim::equality) => {
            are_joined(a, b, results, |a, b| truth(a == b))
        }
        Action::Call(Prim::greater) => are_joined(a, b, results, |a, b| truth(a > b)),
        Action::Call(Prim::even) => are_changed(a, results, |n| truth(n % 2 == 0)),
        Action::Call(Prim::positive) => are_changed(a, results, |n| truth(n > 0)),
        Action::Call(prim) => is_computed::<Numbers>(prim, args, results),
        Action::EndOfTwo { .. } => false,
    }
}

/// Does a step for both numbers of pairs at once, as if it were done for one and then for the other.
/// An argument that is a number stands for both. Otherwise this is [`is_done`].
pub(crate) fn is_done_in_pairs<'a>(
    action: Action,
    args: &[Column<'_, 'a>; 4],
    results: &mut [Val<'a>],
) -> bool {
    let Action::Call(prim) = action else {
        return false;
    };
    is_computed::<Halves>(prim, args, results)
}

/// A way to do an operation on numbers for whole columns.
trait Arithmetic {
    fn one<'a>(
        a: &Column<'_, 'a>,
        results: &mut [Val<'a>],
        op: impl Fn(i64) -> Option<i64>,
    ) -> bool;

    fn two<'a>(
        a: &Column<'_, 'a>,
        b: &Column<'_, 'a>,
        results: &mut [Val<'a>],
        op: impl Fn(i64, i64) -> Option<i64> + Copy,
    ) -> bool;
}

/// Does a primitive that makes numbers of numbers, and pairs of pairs.
#[inline(always)]
fn is_computed<'a, W: Arithmetic>(
    prim: Prim,
    [a, b, ..]: &[Column<'_, 'a>; 4],
    results: &mut [Val<'a>],
) -> bool {
    match prim {
        Prim::add => W::two(a, b, results, i64::checked_add),
        Prim::subtract => W::two(a, b, results, i64::checked_sub),
        Prim::multiply => W::two(a, b, results, i64::checked_mul),
        Prim::invert => W::one(a, results, i64::checked_neg),
        Prim::double => W::one(a, results, |n| n.checked_mul(2)),
        Prim::halve => W::one(a, results, |n| Some(n >> 1)),
        Prim::increment => W::one(a, results, |n| n.checked_add(1)),
        Prim::decrement => W::one(a, results, |n| n.checked_sub(1)),
        Prim::sign => W::one(a, results, |n| Some(n.signum())),
        _ => false,
    }
}

/// Numbers give numbers. Operations on two arguments take pairs, too.
struct Numbers;

impl Arithmetic for Numbers {
    #[inline(always)]
    fn one<'a>(
        a: &Column<'_, 'a>,
        results: &mut [Val<'a>],
        op: impl Fn(i64) -> Option<i64>,
    ) -> bool {
        are_changed(a, results, |n| op(n).map(Val::Int))
    }

    #[inline(always)]
    fn two<'a>(
        a: &Column<'_, 'a>,
        b: &Column<'_, 'a>,
        results: &mut [Val<'a>],
        op: impl Fn(i64, i64) -> Option<i64> + Copy,
    ) -> bool {
        is_sum(a, b, results, op)
    }
}

/// Pairs, and numbers that stand for both parts of a pair, give pairs.
struct Halves;

impl Arithmetic for Halves {
    #[inline(always)]
    fn one<'a>(
        a: &Column<'_, 'a>,
        results: &mut [Val<'a>],
        op: impl Fn(i64) -> Option<i64>,
    ) -> bool {
        let Column::Each(pairs) = a else {
            return false;
        };
        are_set(results, pairs.iter(), |pair| {
            let (i, j) = halves(pair)?;
            PairWord::new(op(i)?, op(j)?).map(Val::Pair)
        })
    }

    #[inline(always)]
    fn two<'a>(
        a: &Column<'_, 'a>,
        b: &Column<'_, 'a>,
        results: &mut [Val<'a>],
        op: impl Fn(i64, i64) -> Option<i64> + Copy,
    ) -> bool {
        are_zipped(a, b, results, |a, b| {
            let ((i, j), (k, l)) = (halves(a)?, halves(b)?);
            PairWord::new(op(i, k)?, op(j, l)?).map(Val::Pair)
        })
    }
}

/// The numbers of a pair, or a number twice.
#[inline(always)]
fn halves(value: &Val<'_>) -> Option<(i64, i64)> {
    match value {
        Val::Pair(pair) => Some(pair.get()),
        Val::Int(n) => Some((*n, *n)),
        _ => None,
    }
}

/// Makes a number of each pair of a column. It gives `false` if there are other values.
#[inline(always)]
pub(crate) fn are_of_pairs<'a>(
    pairs: &[Val<'a>],
    results: &mut [Val<'a>],
    number: impl Fn(i64, i64) -> i64,
) -> bool {
    are_set(results, pairs.iter(), |pair| {
        let (i, j) = pair.as_pair()?;
        Some(Val::Int(number(i, j)))
    })
}

/// Applies an operation to two numbers, or to both parts of two pairs.
fn is_sum<'a>(
    a: &Column<'_, 'a>,
    b: &Column<'_, 'a>,
    results: &mut [Val<'a>],
    op: impl Fn(i64, i64) -> Option<i64> + Copy,
) -> bool {
    if let Column::Each([Val::Int(_), ..]) | Column::Same(Val::Int(_)) = a {
        return are_joined(a, b, results, |a, b| op(a, b).map(Val::Int));
    }
    are_zipped(a, b, results, |a, b| {
        let (Val::Pair(a), Val::Pair(b)) = (a, b) else {
            return None;
        };
        let ((i, j), (k, l)) = (a.get(), b.get());
        PairWord::new(op(i, k)?, op(j, l)?).map(Val::Pair)
    })
}

/// Applies an operation to the numbers of two columns.
#[inline(always)]
fn are_joined<'a>(
    a: &Column<'_, 'a>,
    b: &Column<'_, 'a>,
    results: &mut [Val<'a>],
    op: impl Fn(i64, i64) -> Option<Val<'a>>,
) -> bool {
    are_zipped(a, b, results, |a, b| match (a, b) {
        (Val::Int(a), Val::Int(b)) => op(*a, *b),
        _ => None,
    })
}

#[inline(always)]
fn are_changed<'a>(
    numbers: &Column<'_, 'a>,
    results: &mut [Val<'a>],
    op: impl Fn(i64) -> Option<Val<'a>>,
) -> bool {
    let Column::Each(numbers) = numbers else {
        return false;
    };
    are_set(results, numbers.iter(), |number| match number {
        Val::Int(n) => op(*n),
        _ => None,
    })
}

#[inline(always)]
fn are_zipped<'a>(
    a: &Column<'_, 'a>,
    b: &Column<'_, 'a>,
    results: &mut [Val<'a>],
    op: impl Fn(&Val<'a>, &Val<'a>) -> Option<Val<'a>>,
) -> bool {
    match (a, b) {
        (Column::Each(a), Column::Each(b)) => are_set(results, a.iter().zip(*b), |(a, b)| op(a, b)),
        (Column::Each(a), Column::Same(b)) => are_set(results, a.iter(), |a| op(a, b)),
        (Column::Same(a), Column::Each(b)) => are_set(results, b.iter(), |b| op(a, b)),
        // The caller does a step once if it does not depend on the elements.
        (Column::Same(_), Column::Same(_)) => false,
    }
}

/// Sets results one by one until the operation gives none.
#[inline(always)]
fn are_set<'a, T>(
    results: &mut [Val<'a>],
    args: impl Iterator<Item = T>,
    op: impl Fn(T) -> Option<Val<'a>>,
) -> bool {
    for (result, args) in results.iter_mut().zip(args) {
        match op(args) {
            Some(value) => *result = value,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::vm::values::arena::Room;
    use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
    use leyden_dsl::table::{Cost, Dialect};

    use super::*;
    use crate::vm::functions::columns::price_of_all;
    use crate::vm::values::value::equal;
    use crate::vm::{Memo, Vm};

    /// Columns of numbers, pairs and truths, small, large and mixed.
    fn columns() -> Vec<[Val<'static>; 4]> {
        let int = |n: [i64; 4]| n.map(Val::Int);
        let pair = |n: [(i64, i64); 4]| n.map(Val::place);
        let far = i64::from(i32::MAX);
        vec![
            int([0, 1, -7, 30]),
            int([5, -5, 2, 2]),
            int([i64::MAX, 0, i64::MIN, 1]),
            pair([(0, 1), (-3, 5), (9, -9), (2, 2)]),
            pair([(far, -far), (0, 0), (1, 1), (-far, 5)]),
            [
                Val::Int(3),
                Val::Int(1),
                Val::Bool(true.into()),
                Val::Int(1),
            ],
            [Val::Int(3), Val::place((1, 2)), Val::Int(0), Val::None],
        ]
    }

    type Done = fn(Action, &[Column<'_, 'static>; 4], &mut [Val<'static>]) -> bool;

    /// Tries every primitive on all columns and calls `check` where it is done. Gives the number of
    /// times, and of primitives.
    fn try_all(
        is_done: Done,
        mut check: impl FnMut(Prim, [Column<'_, 'static>; 2], [Val<'static>; 4]),
    ) -> (usize, usize) {
        let columns = columns();
        let both = |x| columns.iter().map(move |y| (x, y));
        let pairs: Vec<_> = columns.iter().flat_map(both).collect();
        let (mut n_done, mut n_prims) = (0, 0);
        for entry in Dialect::ArcDsl.entries() {
            let n_before = n_done;
            for (x, y) in &pairs {
                for (a, b) in [
                    (Column::Each(*x), Column::Each(*y)),
                    (Column::Each(*x), Column::Same(&y[0])),
                    (Column::Same(&x[0]), Column::Each(*y)),
                ] {
                    let mut results = [Val::None; 4];
                    if is_done(Action::Call(entry.prim), &[a, b, a, a], &mut results) {
                        n_done += 1;
                        check(entry.prim, [a, b], results);
                    }
                }
            }
            n_prims += usize::from(n_done > n_before);
        }
        (n_done, n_prims)
    }

    #[test]
    fn columns_have_the_results_of_kernels() {
        let (arena, memo, cancel) = (Room::default(), Memo::default(), CancelToken::default());
        let mut vm = Vm::new(&arena, &memo, Dialect::ArcDsl, DEFAULT_FUEL, &cancel);
        let (n_done, n_prims) = try_all(is_done, |prim, columns, results| {
            let (kernel, _, cost) = Action::Call(prim).kernels(vm.kernels);
            let used = &columns[..prim.arity()];
            for (k, result) in results.iter().enumerate() {
                let args: Vec<Val<'_>> = used.iter().map(|column| column.get(k)).collect();
                let wanted = kernel(&mut vm, &args).expect("a value");
                assert_eq!(equal(result, &wanted), Some(true), "{prim:?} {args:?}");
                assert_eq!(result.len(), wanted.len(), "{prim:?} {args:?}");
            }
            let is_free = price_of_all(cost, used, &results) == 0;
            assert!(cost == Cost::Unit || is_free, "{prim:?}");
        });
        assert!(n_done > 300, "{n_done}");
        assert_eq!(n_prims, 13);
    }

    #[test]
    fn a_number_of_a_pair_is_the_result_of_the_kernel() {
        let (arena, memo, cancel) = (Room::default(), Memo::default(), CancelToken::default());
        let mut vm = Vm::new(&arena, &memo, Dialect::ArcDsl, DEFAULT_FUEL, &cancel);
        type Number = fn(i64, i64) -> i64;
        let numbers: [(Prim, Number); 4] = [
            (Prim::first, |i, _| i),
            (Prim::last, |_, j| j),
            (Prim::maximum, i64::max),
            (Prim::minimum, i64::min),
        ];
        let mut n_done = 0;
        for (column, (prim, number)) in columns().iter().flat_map(|c| numbers.map(|n| (c, n))) {
            let mut results = [Val::None; 4];
            if !are_of_pairs(column, &mut results, number) {
                continue;
            }
            n_done += 1;
            let (kernel, _, cost) = Action::Call(prim).kernels(vm.kernels);
            for (pair, result) in column.iter().zip(&results) {
                let wanted = kernel(&mut vm, &[*pair]).expect("a value");
                assert_eq!(equal(result, &wanted), Some(true), "{prim:?} {pair:?}");
            }
            let price = price_of_all(cost, &[Column::Each(column)], &results);
            assert_eq!(price, if prim == Prim::first { 0 } else { 8 }, "{prim:?}");
        }
        assert_eq!(n_done, 8);
    }

    #[test]
    fn both_numbers_of_a_pair_go_the_way_of_one() {
        let halves = |value: &Val<'static>| match value {
            Val::Pair(pair) => [Val::Int(pair.get().0), Val::Int(pair.get().1)],
            other => [*other; 2],
        };
        let (n_done, n_prims) = try_all(is_done_in_pairs, |prim, columns, results| {
            for (k, result) in results.iter().enumerate() {
                let [a, b] = columns.map(|column| halves(&column.get(k)));
                let (a, b) = (Column::Each(&a), Column::Each(&b));
                let mut wanted = [Val::None; 2];
                let action = Action::Call(prim);
                assert!(is_done(action, &[a, b, a, a], &mut wanted), "{prim:?}");
                let wanted = wanted.map(|half| half.as_int().expect("a number"));
                assert_eq!(result.as_pair(), Some(wanted.into()), "{prim:?}");
            }
        });
        assert!(n_done > 200, "{n_done}");
        assert_eq!(n_prims, 9);
    }
}
