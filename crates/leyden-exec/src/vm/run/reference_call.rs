//! One call on the reference engine, after a kernel of the fast engine gave up.
//!
//! Most arguments that kernels do not expect are mistakes of mutants: a number for a grid, a row
//! that is too short. CPython's answer to such a call follows from its arguments alone, and the
//! rest of the program can stay on the fast engine. The reference engine's sets are filled as
//! CPython fills them, if this engine knows how. Otherwise it does not know the order in which
//! CPython would see their elements. But if a primitive goes through the elements one by one and
//! faults alike on every single one, it faults so on all of them, in any order.

use leyden_dsl::cx::{Cx, call_prim, price_of_call};
use leyden_dsl::fault::Fault;
use leyden_dsl::marks::Mark;
use leyden_dsl::meter::Meter;
use leyden_dsl::pyset::Table;
use leyden_dsl::table::{Param, Prim};
use leyden_dsl::types::Type;
use leyden_dsl::value::{Lambda, Value};

use crate::vm::order::provenance::{Made, Recipe};
use crate::vm::run::call::{COSTS, price_of_args};
use crate::vm::run::outcome::plain;
use crate::vm::values::object::Object;
use crate::vm::values::patch::Patch;
use crate::vm::values::value::{Func, Grid, Items, Val};
use crate::vm::values::word::FloatWord;
use crate::vm::{EXACT, Maybe, R, Stop, Vm};

/// The most parts of a call's arguments, or of its result; with more, the reference engine runs the
/// program.
const MOST_PARTS: usize = 1 << 14;

/// The most parts that one line or run hands over. The reference engine runs a program in less time than
/// it takes to hand over many elements one by one. Without any, batteries take 0.6 % more instructions.
pub(crate) const MOST_PARTS_IN_ALL: usize = 1 << 14;

/// The most Python frames of a call in a dialect that catches, where each call has a second frame.
const MOST_FRAMES_OF_A_CALL: u32 = 8;

/// The most elements, or pairs of elements of two sets, that a call is tried on; with more, the reference
/// engine runs the program.
const MOST_TRIES: usize = 128;

/// The fuel of a call on a single element; one that takes more is not tried further.
const MOST_FUEL_OF_A_TRY: u64 = 1 << 16;

/// The argument whose elements the primitive opens before anything else can go wrong
/// ([`Mark::Opens`]), if the grids and pairs beside it have the right types.
fn patch_looked_into<'v, 'a>(prim: Prim, args: &'v [Val<'a>]) -> Option<&'v Val<'a>> {
    let entry = prim.entry();
    let place = entry.opened()?;
    let is_sound = |(param, arg): (&Param, &Val<'a>)| match param.ty {
        Type::Grid => matches!(arg, Val::Grid(_)),
        Type::IntegerTuple => matches!(arg, Val::Pair(_)),
        _ => true,
    };
    let are_sound = entry.params.iter().zip(args).all(is_sound);
    args.get(place)
        .filter(|_| are_sound && args.len() == entry.params.len())
}

/// Whether a location or a cell is the patch of a primitive that opens it ([`Mark::OpensTuples`]).
fn opens_number(prim: Prim, args: &[Val<'_>]) -> bool {
    let is_location = matches!(args.last(), Some(Val::Pair(_) | Val::Cell(_)));
    is_location && prim.entry().marks.has(Mark::OpensTuples)
}

/// Whether no element of a set has parts with numbers.
fn are_without_parts(set: &Val<'_>) -> bool {
    let Val::Set(items) = set else { return false };
    let is_without = |item: &Val<'_>| item.is_set() || item.len().is_none();
    !items.is_empty() && items.iter().all(is_without)
}

/// The address of a container, with its kind in the lowest bits: an object begins with its patch,
/// which is a container, too.
fn address_of_container(value: &Val<'_>) -> Option<usize> {
    let (address, kind) = match value {
        Val::Indices(patch) => (std::ptr::from_ref(*patch).addr(), 0),
        Val::Object(object) => (std::ptr::from_ref(*object).addr(), 1),
        Val::Set(items) => (std::ptr::from_ref(*items).addr(), 2),
        Val::Bag(items) => (std::ptr::from_ref(*items).addr(), 3),
        Val::Tuple(items) => (std::ptr::from_ref(*items).addr(), 4),
        Val::Grid(grid) => (std::ptr::from_ref(*grid).addr(), 5),
        _ => return None,
    };
    Some(address + kind)
}

// All of them have an alignment that leaves room for the kind.
const _: () = assert!(align_of::<Items>() >= 8 && align_of::<Patch>() >= 8);
const _: () = assert!(align_of::<Object>() >= 8 && align_of::<Grid>() >= 8);

impl<'a> Vm<'a> {
    /// The result of a call whose kernel gave up.
    #[cold]
    pub(crate) fn asked(&mut self, prim: Prim, args: &[Val<'a>]) -> R<'a> {
        let is_type_error = opens_number(prim, args)
            || patch_looked_into(prim, args).is_some_and(are_without_parts);
        if is_type_error && !self.catches() {
            return Err(Stop::because_of(Fault::TypeError));
        }
        match self.all_handed_over(prim, args) {
            Some(values) => self.answered(prim, args, &values),
            None => self.alike_on_each(prim, args),
        }
    }

    /// The arguments for the reference engine, with sets as CPython's tables. `None` if the
    /// identity of two sets would matter, or if the call takes functions: these may take long, and
    /// mostly the end of the fuel stopped them here.
    fn all_handed_over(&mut self, prim: Prim, args: &[Val<'a>]) -> Option<Vec<Value>> {
        let is_function = |arg: &Val<'a>| matches!(arg, Val::Prim(_) | Val::Func(_));
        let is_excluded = if self.catches() {
            prim == Prim::intersection && args.iter().all(Val::is_set)
        } else {
            let is_excluded = prim == Prim::intersection || args.iter().any(is_function);
            is_excluded && args.iter().any(Val::is_set)
        };
        if is_excluded {
            return None;
        }
        let n_before = self.parts_to_hand_over.min(MOST_PARTS);
        let n_left = &mut { n_before };
        self.functions_handed_over.clear();
        let values = args.iter().map(|arg| self.argument(arg, n_left));
        let values = values.collect();
        self.parts_to_hand_over -= n_before - *n_left;
        values
    }

    /// An argument for the reference engine. Many programs of a battery make mistakes with equal
    /// arguments.
    fn argument(&mut self, value: &Val<'a>, n_left: &mut usize) -> Option<Value> {
        let Some(address) = address_of_container(value) else {
            return self.handed_over(value, n_left);
        };
        // A function that faults for each element mostly does so with one container.
        if let Some((known, handed)) = &self.last_handed_over
            && *known == address
        {
            return Some(handed.clone());
        }
        if let Some((known, n_parts)) = self.memo.handed_over(address) {
            *n_left = n_left.checked_sub(n_parts)?;
            return Some(known);
        }
        let n_before = *n_left;
        let handed = self.handed_over(value, n_left)?;
        // Another call would hand over other copies of the functions.
        if !self.functions_handed_over.is_empty() {
            return Some(handed);
        }
        let n_parts = n_before - *n_left;
        self.memo.keep_handed_over(address, &handed, n_parts);
        self.last_handed_over = Some((address, handed.clone()));
        Some(handed)
    }

    /// A value for the reference engine, if it has no functions, has no more parts than are left,
    /// and the provenance of its sets is known.
    fn handed_over(&mut self, value: &Val<'a>, n_left: &mut usize) -> Option<Value> {
        if let Val::Func(closure) = value {
            // A function equals only itself, so it is handed over once in a call.
            let address = std::ptr::from_ref(*closure).addr();
            let mut known = self.functions_handed_over.iter();
            if let Some((_, known)) = known.find(|(known, _)| *known == address) {
                return Some(known.clone());
            }
            let handed = self.function_handed_over(&closure.func, n_left)?;
            self.functions_handed_over.push((address, handed.clone()));
            return Some(handed);
        }
        if !value.is_tuple() && (!value.is_set() || value.is_empty_set()) {
            return plain(self, value, n_left);
        }
        *n_left = n_left.checked_sub(1)?;
        if value.len()? > *n_left {
            return None;
        }
        let mut all_of = |vm: &mut Vm<'a>, items: &[Val<'a>]| {
            let items = items.iter().map(|item| vm.handed_over(item, n_left));
            items.collect::<Option<Vec<_>>>()
        };
        if value.is_set() {
            let table = self.table_of(value, all_of)?;
            return Value::set(table).ok();
        }
        let items = self.in_order(value)?;
        Value::tuple(all_of(self, items)?).ok()
    }

    /// A function for the reference engine, in dialects whose calls catch faults. There, a call
    /// with functions ends with a value, often one that means that nothing was found.
    fn function_handed_over(&mut self, func: &Func<'a>, n_left: &mut usize) -> Option<Value> {
        *n_left = n_left.checked_sub(1).filter(|_| self.catches())?;
        let mut part = |value: &Val<'a>| self.handed_over(value, n_left);
        let (lambda, arity) = match func {
            Func::Compose(outer, inner) => (Lambda::Compose(part(outer)?, part(inner)?), 1),
            Func::Chain(h, g, f) => (Lambda::Chain(part(h)?, part(g)?, part(f)?), 1),
            Func::Matcher(function, target) => (Lambda::Matcher(part(function)?, part(target)?), 1),
            Func::Fork(outer, a, b) => (Lambda::Fork(part(outer)?, part(a)?, part(b)?), 1),
            Func::Rbind(function, fixed, n) => (
                Lambda::Rbind(part(function)?, part(fixed)?),
                usize::from(*n),
            ),
            Func::Lbind(function, fixed, n) => (
                Lambda::Lbind(part(function)?, part(fixed)?),
                usize::from(*n),
            ),
            Func::Power(..) => return None,
        };
        Value::function(lambda, arity).ok()
    }

    /// The reference engine's answer to a call. The caller has paid for the arguments and will pay
    /// for the result, so this pays only the further charges of the kernel.
    fn answered(&mut self, prim: Prim, args: &[Val<'a>], values: &[Value]) -> R<'a> {
        let cost = COSTS[prim as usize];
        let of_call = price_of_args(cost, args).saturating_add(1);
        let (outcome, used) = self.ask(prim, values, self.fuel.saturating_add(of_call))?;
        let of_kernel = used.saturating_sub(of_call);
        match outcome {
            Ok(value) => {
                let of_result = cost.of_result(|| value.weight());
                self.charge(of_kernel.saturating_sub(of_result))?;
                let value = self.taken_over(&value, &mut { MOST_PARTS })?;
                Ok(if prim.entry().marks.has(Mark::ByRows) {
                    self.made_by_rows(value)
                } else {
                    value
                })
            }
            Err(fault) => {
                self.charge(of_kernel)?;
                Err(Stop::because_of(fault))
            }
        }
    }

    /// A patch with its known provenance.
    fn made_by_rows(&self, value: Val<'a>) -> Val<'a> {
        match value {
            Val::Indices(patch) => Val::Indices(self.arena.alloc(patch.made(Made::ByRows))),
            Val::Object(object) => Val::Object(self.arena.alloc(Object {
                patch: object.patch.made(Made::ByRows),
                ..*object
            })),
            other => other,
        }
    }

    /// The fault of a call on sets, in any order of their elements.
    fn alike_on_each(&mut self, prim: Prim, args: &[Val<'a>]) -> R<'a> {
        if !prim.entry().marks.has(Mark::OneByOne) || self.catches() {
            return Err(EXACT);
        }
        let mut n_left = MOST_PARTS;
        let (mut values, mut sets) = (Vec::with_capacity(args.len()), Vec::new());
        for (k, arg) in args.iter().enumerate() {
            if arg.is_set() && !arg.is_empty_set() {
                sets.push((k, self.singles(arg, &mut n_left)?));
                values.push(Value::None);
            } else {
                values.push(plain(self, arg, &mut n_left).ok_or(EXACT)?);
            }
        }
        match self.fault_on_each(prim, &mut values, &sets, &mut { MOST_TRIES })? {
            // Other faults depend on the number of elements.
            Some(Fault::TypeError) => Err(Stop::because_of(Fault::TypeError)),
            _ => Err(EXACT),
        }
    }

    /// The call on the reference engine with this fuel: its result and the fuel it took. Gives up
    /// if another limit of Leyden ends it.
    fn ask(&mut self, prim: Prim, args: &[Value], fuel: u64) -> Maybe<(Result<Value, Fault>, u64)> {
        let mut cx = Cx::new(self.dialect);
        cx.meter = Meter::new(fuel, self.cancel.clone());
        if self.catches() {
            let n_frames = self.depth * MOST_FRAMES_OF_A_CALL;
            cx.meter.enter(n_frames).map_err(|_| EXACT)?;
        }
        let outcome = call_prim(&mut cx, prim, args);
        match outcome {
            // The kernel may have caught it, and the fast engine may never meet it.
            _ if cx.meter.has_overflowed() => Err(EXACT),
            Err(Fault::RecursionError) => Err(EXACT),
            Err(fault) if fault.is_limit() && fault != Fault::Fuel => Err(EXACT),
            outcome => Ok((outcome, cx.meter.used())),
        }
    }

    /// The fault of a call that pays for its arguments alone, if it faults.
    fn fault_of_call(&mut self, prim: Prim, args: &[Value]) -> Maybe<Option<Fault>> {
        let (outcome, used) = self.ask(prim, args, MOST_FUEL_OF_A_TRY)?;
        // Further charges of a kernel may depend on all elements.
        if used != price_of_call(prim, args) {
            return Err(EXACT);
        }
        Ok(outcome.err())
    }

    /// The fault of a call on each choice of one element of every set, if all these calls fault
    /// alike.
    fn fault_on_each(
        &mut self,
        prim: Prim,
        args: &mut [Value],
        sets: &[(usize, Vec<Value>)],
        n_left: &mut usize,
    ) -> Maybe<Option<Fault>> {
        let Some(((k, singles), others)) = sets.split_first() else {
            *n_left = n_left.checked_sub(1).ok_or(EXACT)?;
            return self.fault_of_call(prim, args);
        };
        let mut common = None;
        for single in singles {
            args[*k] = single.clone();
            let fault = self.fault_on_each(prim, args, others, n_left)?;
            if fault.is_none() || common.is_some_and(|common| Some(common) != fault) {
                return Err(EXACT);
            }
            common = fault;
        }
        Ok(common)
    }

    /// For each element of a set, the set of it alone. Elements have to be alike, because otherwise
    /// the fault of one could depend on another that comes before it.
    fn singles(&mut self, set: &Val<'a>, n_left: &mut usize) -> Maybe<Vec<Value>> {
        let items = set.elements(self.arena).ok_or(EXACT)?;
        let are_alike = match set {
            Val::Indices(_) | Val::Object(_) => true,
            _ => {
                let all = |is_one: fn(&Val<'_>) -> bool| items.iter().all(is_one);
                all(|item| matches!(item, Val::Int(_)))
                    || all(|item| matches!(item, Val::Pair(_)))
                    || all(|item| matches!(item, Val::Cell(_) | Val::Triple(_)))
            }
        };
        if !are_alike || items.len() > MOST_TRIES {
            return Err(EXACT);
        }
        let single = |item: &Val<'a>| {
            let value = plain(self, item, n_left)?;
            let mut table = Table::new();
            table.insert(value);
            Value::set(table).ok()
        };
        items.iter().map(single).collect::<Option<_>>().ok_or(EXACT)
    }

    /// A value of the reference engine as one of this engine, if it has no functions and no more
    /// parts than are left. It keeps the order of sets, not their provenance.
    fn taken_over(&self, value: &Value, n_left: &mut usize) -> R<'a> {
        *n_left = n_left.checked_sub(1).ok_or(EXACT)?;
        match value {
            Value::None => Ok(Val::None),
            Value::Bool(b) => Ok(Val::Bool((*b).into())),
            Value::Int(n) => Ok(Val::Int(*n)),
            Value::Float(x) => Ok(Val::Float(FloatWord::new(*x))),
            Value::Prim(prim) => Ok(Val::Prim(prim.entry())),
            Value::Tuple(_) => {
                let items = value.as_items().ok_or(EXACT)?.iter();
                let items = items.map(|item| self.taken_over(item, n_left));
                let items = items.collect::<Maybe<Vec<_>>>()?;
                Ok(Val::rows(self.arena, self.arena.alloc_slice_copy(&items)))
            }
            Value::Set(set) => {
                let items = set.iter().map(|item| self.taken_over(item, n_left));
                let items = items.collect::<Maybe<Vec<_>>>()?;
                let items = self.arena.alloc_slice_copy(&items);
                let made = Made::by(self.arena, Recipe::Ordered(items));
                Val::set(self.arena, items, made)
            }
            _ => Err(EXACT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_dsl::cx::price_of_call;
    use leyden_dsl::table::Dialect;

    #[test]
    fn a_location_is_no_patch_to_those_that_take_one() {
        let location = Value::from((3, -1));
        let cell = Value::pair(5.into(), (0, 2).into()).expect("small");
        let mut n_tried = 0;
        for dialect in Dialect::CLASSIC {
            let marked = dialect
                .entries()
                .filter(|entry| entry.marks.has(Mark::OpensTuples));
            for (entry, patch) in marked.flat_map(|entry| [(entry, &location), (entry, &cell)]) {
                for first in [Value::Int(1), Value::None, location.clone()] {
                    let args = match entry.params.len() {
                        1 => vec![patch.clone()],
                        _ => vec![first, patch.clone()],
                    };
                    let mut cx = Cx::new(dialect);
                    let outcome = call_prim(&mut cx, entry.prim, &args);
                    assert_eq!(outcome, Err(Fault::TypeError), "{dialect}: {}", entry.name);
                    assert_eq!(cx.meter.used(), price_of_call(entry.prim, &args));
                    n_tried += 1;
                }
            }
        }
        assert_eq!(n_tried, 2 * 19 * 2 * 3);
    }
}
