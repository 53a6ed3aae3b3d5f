//! Columns of numbers: most functions that are called often come down to arithmetic, and where all
//! elements are numbers there is no need to look at the kind of each again and again.

use leyden_dsl::table::Prim;

use crate::vm::functions::body::Action;
use crate::vm::functions::columns::Column;
use crate::vm::values::value::Val;
use crate::vm::values::word::PairWord;

/// Does a step for columns of numbers, or of pairs of them. If it is none of those that are known here, or
/// if there is anything else among the elements, it is not done. It costs nothing but its units.
pub(crate) fn is_done<'a>(
    action: Action,
    args: &[Column<'_, 'a>; 4],
    results: &mut [Val<'a>],
) -> bool {
    let number = |n: Option<i64>| n.map(Val::Int);
    let truth = |b: bool| Some(Val::Bool(b.into()));
    let [a, b, ..] = args;
    match action {
        Action::Compare | Action::Call(Prim::equality) => {
            are_joined(a, b, results, |a, b| truth(a == b))
        }
        Action::Call(prim) => match prim {
            Prim::add => is_sum(a, b, results, i64::checked_add),
            Prim::subtract => is_sum(a, b, results, i64::checked_sub),
            Prim::multiply => is_sum(a, b, results, i64::checked_mul),
            Prim::greater => are_joined(a, b, results, |a, b| truth(a > b)),
            Prim::invert => are_changed(a, results, |n| number(n.checked_neg())),
            Prim::double => are_changed(a, results, |n| number(n.checked_mul(2))),
            Prim::halve => are_changed(a, results, |n| number(Some(n >> 1))),
            Prim::increment => are_changed(a, results, |n| number(n.checked_add(1))),
            Prim::decrement => are_changed(a, results, |n| number(n.checked_sub(1))),
            Prim::sign => are_changed(a, results, |n| number(Some(n.signum()))),
            Prim::even => are_changed(a, results, |n| truth(n % 2 == 0)),
            Prim::positive => are_changed(a, results, |n| truth(n > 0)),
            _ => false,
        },
        Action::EndOfTwo { .. } => false,
    }
}

/// A number of each pair of a column, by what the two are; not done if there is anything else.
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

/// Does a step for both numbers of pairs at once, as if it were done for the one and then for the other. Where
/// an argument is a number, it is that number for both. The rest is as in [`is_done`].
pub(crate) fn is_done_in_pairs<'a>(
    action: Action,
    args: &[Column<'_, 'a>; 4],
    results: &mut [Val<'a>],
) -> bool {
    let [a, b, ..] = args;
    let Action::Call(prim) = action else {
        return false;
    };
    match prim {
        Prim::add => are_halves_joined(a, b, results, i64::checked_add),
        Prim::subtract => are_halves_joined(a, b, results, i64::checked_sub),
        Prim::multiply => are_halves_joined(a, b, results, i64::checked_mul),
        Prim::invert => are_halves_changed(a, results, i64::checked_neg),
        Prim::double => are_halves_changed(a, results, |n| n.checked_mul(2)),
        Prim::halve => are_halves_changed(a, results, |n| Some(n >> 1)),
        Prim::increment => are_halves_changed(a, results, |n| n.checked_add(1)),
        Prim::decrement => are_halves_changed(a, results, |n| n.checked_sub(1)),
        Prim::sign => are_halves_changed(a, results, |n| Some(n.signum())),
        _ => false,
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

#[inline(always)]
fn are_halves_joined<'a>(
    a: &Column<'_, 'a>,
    b: &Column<'_, 'a>,
    results: &mut [Val<'a>],
    op: impl Fn(i64, i64) -> Option<i64>,
) -> bool {
    are_zipped(a, b, results, |a, b| {
        let ((i, j), (k, l)) = (halves(a)?, halves(b)?);
        PairWord::new(op(i, k)?, op(j, l)?).map(Val::Pair)
    })
}

#[inline(always)]
fn are_halves_changed<'a>(
    pairs: &Column<'_, 'a>,
    results: &mut [Val<'a>],
    op: impl Fn(i64) -> Option<i64>,
) -> bool {
    let Column::Each(pairs) = pairs else {
        return false;
    };
    are_set(results, pairs.iter(), |pair| {
        let (i, j) = halves(pair)?;
        PairWord::new(op(i)?, op(j)?).map(Val::Pair)
    })
}

/// The same operation on numbers, or on both parts of pairs.
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

/// Numbers of two columns, or of a column and the same one again and again.
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
        // What does not depend on the elements is done once.
        (Column::Same(_), Column::Same(_)) => false,
    }
}

/// Sets results one by one, as long as there are any.
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

    const PRIMS: [Prim; 13] = [
        Prim::equality,
        Prim::add,
        Prim::subtract,
        Prim::multiply,
        Prim::greater,
        Prim::invert,
        Prim::double,
        Prim::halve,
        Prim::increment,
        Prim::decrement,
        Prim::sign,
        Prim::even,
        Prim::positive,
    ];

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

    #[test]
    fn what_is_done_is_what_the_kernels_do() {
        let (arena, memo, cancel) = (Room::default(), Memo::default(), CancelToken::default());
        let mut vm = Vm::new(&arena, &memo, Dialect::ArcDsl, DEFAULT_FUEL, &cancel);
        let (columns, mut n_done) = (columns(), 0);
        for prim in PRIMS {
            let action = Action::Call(prim);
            let (kernel, _, cost) = action.kernels(vm.kernels);
            let n_args = prim.entry().params.len();
            for (x, y) in columns
                .iter()
                .flat_map(|x| columns.iter().map(move |y| (x, y)))
            {
                for (a, b) in [
                    (Column::Each(x), Column::Each(y)),
                    (Column::Each(x), Column::Same(&y[0])),
                    (Column::Same(&x[0]), Column::Each(y)),
                ] {
                    let mut results = [Val::None; 4];
                    if !is_done(action, &[a, b, a, a], &mut results) {
                        continue;
                    }
                    n_done += 1;
                    for (k, result) in results.iter().enumerate() {
                        let args = [a.get(k), b.get(k)];
                        let wanted = kernel(&mut vm, &args[..n_args]).expect("a value");
                        assert_eq!(equal(result, &wanted), Some(true), "{prim:?} {args:?}");
                        assert_eq!(result.len(), wanted.len(), "{prim:?} {args:?}");
                    }
                    let is_free = price_of_all(cost, &[a, b][..n_args], &results) == 0;
                    assert!(cost == Cost::Unit || is_free, "{prim:?}");
                }
            }
        }
        assert!(n_done > 300, "{n_done}");
    }

    #[test]
    fn a_number_of_a_pair_is_what_the_kernels_give() {
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
        let (columns, mut n_done) = (columns(), 0);
        for prim in PRIMS {
            let action = Action::Call(prim);
            for (x, y) in columns
                .iter()
                .flat_map(|x| columns.iter().map(move |y| (x, y)))
            {
                for (a, b) in [
                    (Column::Each(x), Column::Each(y)),
                    (Column::Each(x), Column::Same(&y[0])),
                    (Column::Same(&x[0]), Column::Each(y)),
                ] {
                    let mut results = [Val::None; 4];
                    if !is_done_in_pairs(action, &[a, b, a, a], &mut results) {
                        continue;
                    }
                    n_done += 1;
                    for (k, result) in results.iter().enumerate() {
                        let (a, b) = (halves(&a.get(k)), halves(&b.get(k)));
                        let (a, b) = (Column::Each(&a), Column::Each(&b));
                        let mut wanted = [Val::None; 2];
                        assert!(is_done(action, &[a, b, a, a], &mut wanted), "{prim:?}");
                        let wanted = wanted.map(|half| half.as_int().expect("a number"));
                        assert_eq!(result.as_pair(), Some(wanted.into()), "{prim:?}");
                    }
                }
            }
        }
        assert!(n_done > 200, "{n_done}");
    }
}
