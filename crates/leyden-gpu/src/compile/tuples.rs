//! Tuples whose items, among them functions, are known one by one.

use std::rc::Rc;

use leyden_dsl::table::Prim;

use super::function::{Function, Known};
use super::lower::{Lowered, Lowering, MAX_ITEMS};
use super::{Refusal, Virtual};
use crate::wire::{Op, flag, tag};

impl Lowering<'_> {
    /// Applies a primitive to such tuples; `None` if it needs them as values.
    pub(super) fn on_tuples(&mut self, prim: Prim, args: &[Known]) -> Lowered<Option<Known>> {
        Ok(match (prim, args) {
            (Prim::astuple, [_, _]) => Some(Known::tuple(args.iter().cloned())),
            (Prim::repeat, [item, times]) => {
                let times = self.small_constant(prim, times)?;
                Some(Known::tuple(std::iter::repeat_n(item.clone(), times)))
            }
            (Prim::hsplit, [grid, n]) => Some(self.pieces(prim, Op::HPIECE, grid, n)?),
            (Prim::vsplit, [grid, n]) => Some(self.pieces(prim, Op::VPIECE, grid, n)?),
            (Prim::pair, [Known::Tuple(a), Known::Tuple(b)]) => {
                Some(Known::tuple(zipped(a, b).into_iter().map(Known::tuple)))
            }
            (Prim::papply, [function, Known::Tuple(a), Known::Tuple(b)]) => {
                let function = function.function()?;
                Some(self.each(&zipped(a, b), |lowering, pair| {
                    lowering.call(&function, pair)
                })?)
            }
            (Prim::pair | Prim::papply, _) => return Err(Refusal::Use(prim)),
            (Prim::merge, [Known::Tuple(items)]) => Some(self.stacked(items)?),
            (Prim::mapply, [function, Known::Tuple(items)]) => {
                let function = function.function()?;
                let results = self.each(items, |lowering, item| {
                    lowering.call(&function, std::slice::from_ref(item))
                })?;
                return self.on_tuples(Prim::merge, &[results]);
            }
            (Prim::initset, [item @ Known::Function(_)]) => {
                Some(Known::Single(Rc::new(item.clone())))
            }
            (Prim::first, [Known::Single(item)]) => Some(Known::clone(item)),
            (Prim::first, [Known::Tuple(items)]) => items.first().cloned(),
            (Prim::last, [Known::Tuple(items)]) => items.last().cloned(),
            (Prim::size, [Known::Tuple(items)]) => {
                let size = self.constant(tag::INT, items.len() as i64, 0)?;
                Some(Known::Value(size))
            }
            (Prim::combine, [Known::Tuple(a), Known::Tuple(b)])
                if a.len() + b.len() <= MAX_ITEMS =>
            {
                Some(Known::tuple(a.iter().chain(b.iter()).cloned()))
            }
            (Prim::apply, [function, Known::Tuple(items)]) => {
                let function = function.function()?;
                Some(self.each(items, |lowering, item| {
                    lowering.call(&function, std::slice::from_ref(item))
                })?)
            }
            (Prim::rapply, [Known::Tuple(items), value]) => {
                Some(self.each(items, |lowering, item| {
                    lowering.call(&*item.function()?, std::slice::from_ref(value))
                })?)
            }
            (Prim::rapply, [Known::Single(item), value]) => {
                self.depth += 1;
                let result = self.call(&*item.function()?, std::slice::from_ref(value))?;
                self.depth -= 1;
                Some(Known::Single(Rc::new(result)))
            }
            (Prim::rapply, _) => return Err(Refusal::Use(prim)),
            (
                Prim::argmax | Prim::argmin | Prim::valmax | Prim::valmin,
                [Known::Tuple(items), key],
            ) => Some(self.best_item(prim, items, &*key.function()?)?),
            (Prim::extract, [Known::Tuple(items), condition]) => {
                Some(self.extracted(items, &*condition.function()?)?)
            }
            _ => None,
        })
    }

    /// A small number that is known when the program is compiled.
    fn small_constant(&self, prim: Prim, number: &Known) -> Lowered<usize> {
        let number = self.steps.constant_at(number.value()?);
        let number = number.filter(|n| n.tag == tag::INT && (1..=MAX_ITEMS as i32).contains(&n.i));
        number.map(|n| n.i as usize).ok_or(Refusal::Use(prim))
    }

    /// The parts of a grid.
    fn pieces(&mut self, prim: Prim, op: Op, grid: &Known, n: &Known) -> Lowered {
        let (grid, n_pieces) = (self.value_of(grid)?, self.small_constant(prim, n)?);
        let n = n.value()?;
        let mut pieces = Vec::new();
        for k in 0..n_pieces {
            let place = self.constant(tag::INT, k as i64, 0)?;
            pieces.push(Known::Value(self.emit(op, &[grid, n, place])?));
        }
        Ok(Known::tuple(pieces))
    }

    /// Stacks grids: the rows of all of them, one grid below the other. The device is not sure
    /// about other items.
    fn stacked(&mut self, items: &[Known]) -> Lowered {
        let [first, second, others @ ..] = items else {
            return Err(Refusal::Tuple);
        };
        let pair = [self.value_of(first)?, self.value_of(second)?];
        let mut all = self.emit(Op::VCONCAT, &pair)?;
        for item in others {
            let item = self.value_of(item)?;
            all = self.emit(Op::VCONCAT, &[all, item])?;
        }
        Ok(Known::Value(all))
    }

    /// The results for all items. A fault among them is one within an iteration.
    fn each<T>(&mut self, items: &[T], mut call: impl FnMut(&mut Self, &T) -> Lowered) -> Lowered {
        self.depth += 1;
        let results: Lowered<Vec<Known>> = items.iter().map(|item| call(self, item)).collect();
        self.depth -= 1;
        Ok(Known::tuple(results?))
    }

    /// The item with the best key, or that key. Among several Python takes the first.
    fn best_item(&mut self, prim: Prim, items: &[Known], key: &Function) -> Lowered {
        let wants_most = matches!(prim, Prim::argmax | Prim::valmax);
        let wants_key = matches!(prim, Prim::valmax | Prim::valmin);
        let most = if wants_most { flag::WANTS_MOST } else { 0 };
        let best = self.emit_with(Op::BEST_RESET, &[], 0)?;
        self.depth += 1;
        for (k, item) in items.iter().enumerate() {
            let key = self.call(key, std::slice::from_ref(item))?;
            let key = self.value_of(&key)?;
            let place = self.constant(tag::INT, k as i64, 0)?;
            self.push(Op::BEST_OFFER, best, &[key, place], most | flag::FIRST_WINS);
        }
        self.depth -= 1;
        let flags = if wants_key { flag::WANTS_KEY } else { 0 };
        let taken = self.emit_with(Op::BEST_TAKE, &[best], flags)?;
        if wants_key {
            Ok(Known::Value(taken))
        } else {
            self.chosen(items, taken)
        }
    }

    /// The first item for which a condition holds. The device asks all conditions, as a run pays for all. If no
    /// item passes, it is not sure, as with the best of nothing.
    fn extracted(&mut self, items: &[Known], condition: &Function) -> Lowered {
        let key = self.constant(tag::INT, 1, 0)?;
        let best = self.emit_with(Op::BEST_RESET, &[], 0)?;
        self.depth += 1;
        for (k, item) in items.iter().enumerate() {
            let verdict = self.call(condition, std::slice::from_ref(item))?;
            let verdict = self.value_of(&verdict)?;
            let skip = self.mark_jump(Op::JUMP_UNLESS, &[verdict])?;
            let place = self.constant(tag::INT, k as i64, 0)?;
            self.push(Op::BEST_OFFER, best, &[key, place], flag::FIRST_WINS);
            self.steps.steps[skip].jump = self.steps.steps.len();
        }
        let chosen = self.emit_with(Op::BEST_TAKE, &[best], 0)?;
        self.depth -= 1;
        self.chosen(items, chosen)
    }

    /// The item at an index that is known only when the program runs.
    fn chosen(&mut self, items: &[Known], place: Virtual) -> Lowered {
        let (last, others) = items.split_last().ok_or(Refusal::Tuple)?;
        let mut found = last.clone();
        for (k, item) in others.iter().enumerate().rev() {
            let number = self.constant(tag::INT, k as i64, 0)?;
            let is_it = self.emit(Op::EQUALITY, &[place, number])?;
            found = self.one_of(is_it, item, &found)?;
        }
        Ok(found)
    }

    fn one_of(&mut self, condition: Virtual, a: &Known, b: &Known) -> Lowered {
        let (Known::Function(f), Known::Function(g)) = (a, b) else {
            let (a, b) = (self.value_of(a)?, self.value_of(b)?);
            return Ok(Known::Value(self.emit(Op::BRANCH, &[condition, a, b])?));
        };
        Function::branch(condition, Rc::clone(f), Rc::clone(g))
    }
}

/// Zips items, as many as the shorter tuple has.
fn zipped(a: &[Known], b: &[Known]) -> Vec<[Known; 2]> {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| [a.clone(), b.clone()]).collect()
}
