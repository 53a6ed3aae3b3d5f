//! Functions of one shape: made in one way of the same primitives, around other values.
//!
//! A program may make a function for each element (`lbind(astuple, place)`) and call it a few times.
//! Flattening each of them would not pay. But all of them have one shape, and the steps of a [`Body`]
//! follow from the shape alone. So a thread works out the steps of a shape once and fills in the values
//! of each function. Functions that the thread met before change only the time of a run.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::vm::Vm;
use crate::vm::functions::body::{Body, Reg, Step};
use crate::vm::functions::flatten::{Flat, flattened};
use crate::vm::run::call::Kernels;
use crate::vm::values::arena::CellForm;
use crate::vm::values::value::{Func, List, Val};

/// Functions of more parts than this have no shape.
const MAX_PARTS: usize = 512;
/// The room for values from the start. Most functions have no more values.
const N_VALUES: usize = 4;
/// The most shapes that a thread knows. With more it starts from none.
const MAX_SHAPES: usize = 1 << 13;

/// The steps of all functions of one shape.
#[derive(Debug)]
struct Template {
    id: u64,
    n_args: usize,
    steps: Box<[Step<Reg>]>,
    out: Reg,
    depth: u32,
    n_calls: u32,
    inners: Box<[Template]>,
}

thread_local! {
    static SHAPES: RefCell<Shapes> = RefCell::default();
}

#[derive(Default)]
struct Shapes {
    /// The shape that is being looked up.
    parts: Vec<u16>,
    /// The templates by shape. A shape that cannot be flattened has none.
    templates: FxHashMap<Box<[u16]>, Option<Rc<Template>>>,
    n_made: u64,
}

/// Steps that were copied into an arena, of the last few shapes.
#[derive(Default)]
pub(crate) struct RecentSteps<'a> {
    steps: [(u64, &'a [Step<Reg>]); 8],
    n_put: usize,
}

impl<'a> RecentSteps<'a> {
    fn find(&self, id: u64) -> Option<&'a [Step<Reg>]> {
        let mut known = self.steps.iter();
        known.find(|known| known.0 == id).map(|known| known.1)
    }

    fn put(&mut self, id: u64, steps: &'a [Step<Reg>]) {
        self.steps[self.n_put % self.steps.len()] = (id, steps);
        self.n_put += 1;
    }
}

impl<'a> Vm<'a> {
    /// The body of a function, if it can be flattened.
    pub(crate) fn body_by_shape(&mut self, function: &Val<'a>) -> Option<&'a Body<'a>> {
        let mut constants = List::with_capacity_in(N_VALUES, self.arena);
        let form = self.arena.cells();
        let template = SHAPES
            .with_borrow_mut(|shapes| shapes.of(function, &mut constants, form, self.kernels))?;
        let body = self.filled(&template, constants.into_bump_slice());
        Some(self.arena.alloc(body))
    }

    /// A shape filled with values.
    fn filled(&mut self, template: &Template, constants: &'a [Val<'a>]) -> Body<'a> {
        let steps = self.recent_steps.find(template.id).unwrap_or_else(|| {
            let steps = self.arena.alloc_slice_copy(&template.steps);
            self.recent_steps.put(template.id, steps);
            steps
        });
        let mut inners = List::with_capacity_in(template.inners.len(), self.arena);
        for inner in &template.inners {
            let inner = self.filled(inner, constants);
            inners.push(inner);
        }
        Body {
            n_args: template.n_args,
            constants,
            steps,
            out: template.out,
            depth: template.depth,
            n_calls: template.n_calls,
            inners: inners.into_bump_slice(),
        }
    }
}

impl Shapes {
    /// The template of a function. Its values go into `values`.
    fn of<'a>(
        &mut self,
        function: &Val<'a>,
        values: &mut List<'a>,
        form: CellForm,
        kernels: &'static Kernels,
    ) -> Option<Rc<Template>> {
        self.parts.clear();
        if form == CellForm::Flat {
            self.parts.push(OTHER_KERNELS);
        }
        note_parts(function, &mut self.parts, values)?;
        if let Some(known) = self.templates.get(self.parts.as_slice()) {
            return known.clone();
        }
        if self.templates.len() >= MAX_SHAPES {
            self.templates.clear();
        }
        let template = flattened(function, values, kernels);
        let template = template.map(|flat| Rc::new(Template::of(flat, &mut self.n_made)));
        let parts = self.parts.as_slice().into();
        self.templates.insert(parts, template.clone());
        template
    }
}

impl Template {
    fn of(flat: Flat, n_made: &mut u64) -> Template {
        // The first number is 1; empty entries of `RecentSteps` have 0.
        *n_made += 1;
        Template {
            id: *n_made,
            n_args: flat.n_args,
            steps: flat.steps.into(),
            out: flat.out,
            depth: flat.depth,
            n_calls: flat.n_calls,
            inners: flat
                .inners
                .into_iter()
                .map(|inner| Template::of(inner, n_made))
                .collect(),
        }
    }
}

/// Starts the shape of a function whose kernels are tokpidjin's.
const OTHER_KERNELS: u16 = 900;
/// Numbers from here on are ways to make a function; smaller ones are primitives.
const COMPOSE: u16 = 1_000;
const CHAIN: u16 = 1_001;
const FORK: u16 = 1_002;
const MATCHER: u16 = 1_003;
const POWER: u16 = 1_004;
const RBIND: u16 = 1_010;
const LBIND: u16 = 1_020;
const NO_FUNCTION: u16 = 1_030;
/// Precedes the shape of a function that is among the values. The steps follow from it, too.
const FUNCTION: u16 = 1_040;
/// The values in a function, each by its number. A value that comes again has its first number.
const VALUE: u16 = 2_000;

/// Writes down a function's shape and its values. `None` if it has too many parts.
#[inline(always)]
fn note_parts<'a>(function: &Val<'a>, parts: &mut Vec<u16>, values: &mut List<'a>) -> Option<()> {
    match function {
        Val::Func(closure) => note_func(&closure.func, parts, values),
        Val::Prim(entry) => {
            parts.push(entry.prim as u16);
            Some(())
        }
        _ => {
            parts.push(NO_FUNCTION);
            Some(())
        }
    }
}

/// Most parts of a function are primitives, which `note_parts` writes down without a call.
#[inline(never)]
fn note_func<'a>(func: &Func<'a>, parts: &mut Vec<u16>, values: &mut List<'a>) -> Option<()> {
    if parts.len() > MAX_PARTS {
        return None;
    }
    match func {
        Func::Compose(outer, inner) => {
            parts.push(COMPOSE);
            note_parts(outer, parts, values)?;
            note_parts(inner, parts, values)
        }
        Func::Chain(h, g, f) => {
            parts.push(CHAIN);
            note_parts(h, parts, values)?;
            note_parts(g, parts, values)?;
            note_parts(f, parts, values)
        }
        Func::Fork(outer, a, b) => {
            parts.push(FORK);
            note_parts(outer, parts, values)?;
            note_parts(a, parts, values)?;
            note_parts(b, parts, values)
        }
        Func::Power(function, n) => {
            parts.push(POWER);
            note_parts(function, parts, values)?;
            parts.push(u16::try_from(*n).ok()?);
            Some(())
        }
        Func::Matcher(function, value) => {
            parts.push(MATCHER);
            note_parts(function, parts, values)?;
            note_value(value, parts, values)
        }
        Func::Rbind(function, value, n) => {
            parts.push(RBIND + u16::from(*n));
            note_parts(function, parts, values)?;
            note_value(value, parts, values)
        }
        Func::Lbind(function, value, n) => {
            parts.push(LBIND + u16::from(*n));
            note_parts(function, parts, values)?;
            note_value(value, parts, values)
        }
    }
}

fn note_value<'a>(value: &Val<'a>, parts: &mut Vec<u16>, values: &mut List<'a>) -> Option<()> {
    if let Some(known) = values.iter().position(|known| known.is_same(value)) {
        parts.push(VALUE + known as u16);
        return Some(());
    }
    parts.push(VALUE + values.len() as u16);
    values.push(*value);
    if matches!(value, Val::Func(_) | Val::Prim(_)) {
        parts.push(FUNCTION);
        note_parts(value, parts, values)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::vm::values::arena::Room;
    use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
    use leyden_dsl::table::{Dialect, Prim};

    use super::*;
    use crate::vm::Memo;

    fn with_vm<T>(body: impl FnOnce(&mut Vm<'_>) -> T) -> T {
        let (arena, memo) = (Room::default(), Memo::default());
        let cancel = CancelToken::default();
        body(&mut Vm::new(
            &arena,
            &memo,
            Dialect::ArcDsl,
            DEFAULT_FUEL,
            &cancel,
        ))
    }

    fn prim(prim: Prim) -> Val<'static> {
        Val::Prim(prim.entry())
    }

    /// `fork(multiply, rbind(add, a), rbind(add, b))`
    fn product_of_sums<'a>(vm: &mut Vm<'a>, a: i64, b: i64) -> Val<'a> {
        let [a, b] = [a, b].map(|n| {
            vm.call_prim(Prim::rbind, &[prim(Prim::add), Val::Int(n)])
                .expect("a function")
        });
        vm.call_prim(Prim::fork, &[prim(Prim::multiply), a, b])
            .expect("a function")
    }

    #[test]
    fn functions_of_one_shape_share_their_steps_and_no_values() {
        with_vm(|vm| {
            let bodies = [(1, 2), (5, 4)].map(|(a, b)| {
                let function = product_of_sums(vm, a, b);
                vm.body_by_shape(&function).expect("a body")
            });
            assert!(std::ptr::eq(bodies[0].steps, bodies[1].steps));
            assert_eq!(bodies[0].steps.len(), 3);
            let values =
                bodies.map(|body| body.constants.iter().map(Val::as_int).collect::<Vec<_>>());
            let wanted = [vec![Some(1), Some(2)], vec![Some(5), Some(4)]];
            assert_eq!(values, wanted);
        });
    }

    #[test]
    fn a_value_that_comes_twice_makes_another_shape() {
        with_vm(|vm| {
            let n_steps = [(1, 2), (3, 3), (2, 1), (7, 7)].map(|(a, b)| {
                let function = product_of_sums(vm, a, b);
                vm.body_by_shape(&function).expect("a body").steps.len()
            });
            assert_eq!(n_steps, [3, 2, 3, 2]);
        });
    }

    #[test]
    fn functions_of_very_many_parts_have_no_shape() {
        with_vm(|vm| {
            let mut function = prim(Prim::invert);
            for _ in 0..10 {
                let args = [prim(Prim::add), function, function];
                function = vm.call_prim(Prim::fork, &args).expect("a function");
            }
            assert!(vm.body_by_shape(&function).is_none());
        });
    }
}
