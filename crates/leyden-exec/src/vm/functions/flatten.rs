//! Flattening: from a tree of functions to the steps of a [`Body`](crate::vm::functions::body::Body).
//!
//! A step may call a function for each element of a container (`valmin(objects, f)`), and the body
//! may run for many elements, with another `f` for each: `compose(distance, lbind(astuple, place))`. If
//! earlier steps make `f`, the builder writes out the steps of `f`, too, as an inner body that captures
//! `place`. [`nested_columns`](crate::vm::functions::nested_columns) runs inner bodies.
//!
//! `leyden_lang::Function` writes out functions that a program's lines make, for compilers. The builder
//! starts from values of a run instead: it merges equal steps, and it follows functions that steps
//! make into inner bodies.

use leyden_dsl::table::{N_CLASSIC, Prim};
use leyden_dsl::types::Type;

use crate::vm::functions::body::{Action, Lift, Reg, Step, Way};
use crate::vm::functions::fused_size::Wanted;
use crate::vm::run::call::Kernels;
use crate::vm::values::value::{Func, Val};

/// The most steps of a body.
pub(crate) const MAX_STEPS: usize = 60;
/// The most registers of a body; a register is a byte.
const MAX_REGISTERS: usize = 250;
/// The most calls of a function that is written out. Powers of powers have very many.
const MAX_CALLS: u32 = 1 << 12;
/// The deepest nesting of bodies.
const MAX_SCOPES: usize = 4;
/// The most captures of an inner body.
pub(crate) const MAX_CAPTURES: usize = 3;

/// A function as a list of steps, without the values in it.
#[derive(Debug)]
pub(crate) struct Flat {
    pub(crate) n_args: usize,
    pub(crate) steps: Vec<Step<Reg>>,
    pub(crate) out: Reg,
    pub(crate) depth: u32,
    pub(crate) n_calls: u32,
    pub(crate) inners: Vec<Flat>,
}

/// Turns a function into a list of steps. All values in it are among the constants. `None` if that is
/// not possible.
pub(crate) fn flattened<'a>(
    function: &Val<'a>,
    constants: &[Val<'a>],
    kernels: &'static Kernels,
) -> Option<Flat> {
    let n_args = arity(function)?;
    let mut builder = Builder {
        kernels,
        constants,
        scopes: vec![Scope::new(n_args)],
        n_calls: 0,
    };
    let args = [Slot::Arg(0), Slot::Arg(1)];
    let out = builder.call(function, args.get(..n_args)?, 1)?;
    let scope = builder.scopes.pop()?;
    scope.finish(constants.len(), out)
}

/// The number of arguments of a function, if it is one or two.
fn arity(function: &Val<'_>) -> Option<usize> {
    n_params(function).filter(|n| (1..=2).contains(n))
}

/// The number of arguments of a function.
fn n_params(function: &Val<'_>) -> Option<usize> {
    match function {
        Val::Prim(entry) => Some(entry.params.len()),
        Val::Func(closure) => Some(match closure.func {
            Func::Rbind(_, _, left) | Func::Lbind(_, _, left) => left.into(),
            _ => 1,
        }),
        _ => None,
    }
}

/// The places of the container and of the function, for a primitive whose function can become an inner
/// body.
fn places_to_lift(prim: Prim) -> Option<(usize, usize)> {
    // A sorted tuple of each set would need the order of each set.
    let places = prim.entry().each_of_one();
    places.filter(|_| prim != Prim::order)
}

/// Does a step only make a function of others? `power` is not among these steps, since it can fault.
fn makes_function(action: Action) -> bool {
    matches!(
        action,
        Action::Call(
            Prim::compose | Prim::chain | Prim::fork | Prim::matcher | Prim::rbind | Prim::lbind
        )
    )
}

/// Can the result of a step hold functions that other functions make for it? A function equals only
/// itself, so such a step runs as often as in CPython.
fn may_hold_new_functions(action: Action) -> bool {
    let Action::Call(prim) = action else {
        return false;
    };
    match prim {
        Prim::apply
        | Prim::mapply
        | Prim::mpapply
        | Prim::papply
        | Prim::prapply
        | Prim::rapply
        | Prim::valmax
        | Prim::valmin => true,
        _ => prim as usize >= N_CLASSIC && prim.entry().function().is_some(),
    }
}

/// Can a step that no other step reads be left out? Then it never stops and costs only its unit of fuel.
fn never_stops(action: Action) -> bool {
    makes_function(action) || action == Action::Call(Prim::astuple)
}

/// A register, before it has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Arg(usize),
    Constant(usize),
    Result(usize),
}

/// The slots that a step may compare or hand on, other than functions that it calls.
fn shown_by(step: &Step<Slot>) -> impl Iterator<Item = Slot> {
    let params = match step.action {
        Action::Call(prim) => prim.entry().params,
        Action::Compare | Action::EndOfTwo { .. } => &[],
    };
    let is_shown = |k: usize| params.get(k).is_none_or(|param| param.ty != Type::Callable);
    let args = (0..step.n_args.into()).filter(move |k| is_shown(*k));
    let lifted = step
        .lift
        .iter()
        .flat_map(|lift| &lift.args[..lift.n_args.into()]);
    args.map(|k| step.args[k]).chain(lifted.copied())
}

/// A body that is being built.
struct Scope {
    n_args: usize,
    /// The slots that an inner body captures. They are its arguments after the element.
    captures: Vec<Slot>,
    steps: Vec<Step<Slot>>,
    depth: u32,
    n_calls: u32,
    inners: Vec<Flat>,
}

impl Scope {
    fn new(n_args: usize) -> Scope {
        Scope {
            n_args,
            captures: Vec::new(),
            steps: Vec::new(),
            depth: 0,
            n_calls: 0,
            inners: Vec::new(),
        }
    }

    fn finish(mut self, n_constants: usize, out: Slot) -> Option<Flat> {
        let n_args = self.n_args + self.captures.len();
        if n_args + n_constants + self.steps.len() > MAX_REGISTERS
            || self.shows_shared_function(out)
        {
            return None;
        }
        let register = |slot: Slot| {
            (match slot {
                Slot::Arg(k) => k,
                Slot::Constant(k) => n_args + k,
                Slot::Result(k) => n_args + n_constants + k,
            }) as Reg
        };
        let is_counted = self.count_sizes(out);
        let is_lazy = self.lazy_steps(out, &is_counted);
        let steps = self.steps.iter().zip(is_lazy).map(|(step, is_lazy)| Step {
            action: step.action,
            args: step.args.map(register),
            n_args: step.n_args,
            n_times: step.n_times,
            lift: step.lift.map(|lift| Lift {
                way: lift.way,
                args: lift.args.map(register),
                n_args: lift.n_args,
            }),
            is_lazy,
            kernel: step.kernel,
            column_kernel: step.column_kernel,
            cost: step.cost,
        });
        Some(Flat {
            n_args,
            steps: steps.collect(),
            out: register(out),
            depth: self.depth,
            n_calls: self.n_calls,
            inners: self.inners,
        })
    }

    /// Does a step use a function other than by calling it, of which CPython makes several? They would be
    /// one function here, and equal.
    fn shows_shared_function(&self, out: Slot) -> bool {
        let is_shared = |step: &Step<Slot>| {
            let makes_function = makes_function(step.action);
            step.n_times > 1 && (makes_function || step.action == Action::Call(Prim::power))
        };
        let shared = (0..self.steps.len()).filter(|k| is_shared(&self.steps[*k]));
        let is_shown = |k: usize| {
            let mut shown = self.steps.iter().flat_map(shown_by);
            out == Slot::Result(k) || shown.any(|slot| slot == Slot::Result(k))
        };
        shared.into_iter().any(is_shown)
    }

    /// Finds the steps that make a set of which only the size is read. The size is counted, and the set
    /// is not made.
    fn count_sizes(&mut self, out: Slot) -> Vec<bool> {
        let mut is_counted = vec![false; self.steps.len()];
        for k in 0..self.steps.len() {
            let Slot::Result(of) = self.steps[k].args[0] else {
                continue;
            };
            let are_common = match self.steps[of].action {
                Action::Call(Prim::intersection) => true,
                Action::Call(Prim::difference) => false,
                _ => continue,
            };
            let is_size = self.steps[k].action == Action::Call(Prim::size);
            let is_as_often = self.steps[k].n_times == self.steps[of].n_times;
            if !is_size || !is_as_often || self.n_uses(of, out) != 1 {
                continue;
            }
            is_counted[of] = true;
            let moved = [0, 1].into_iter().find_map(|place| {
                let moved = self.moved_for(of, place, out)?;
                Some((place, moved))
            });
            let sets = self.steps[of].args;
            self.steps[k].lift = Some(match moved {
                Some((place, moved)) => {
                    is_counted[moved] = true;
                    let [patch, to, ..] = self.steps[moved].args;
                    let wanted = match (are_common, place) {
                        (true, _) => Wanted::Common,
                        (false, 0) => Wanted::Moved,
                        (false, _) => Wanted::Other,
                    };
                    Lift {
                        way: Way::CountMoved(wanted),
                        args: [patch, to, sets[1 - place], sets[1 - place]],
                        n_args: 3,
                    }
                }
                None => Lift {
                    way: Way::Count { are_common },
                    args: sets,
                    n_args: 2,
                },
            });
        }
        is_counted
    }

    /// The step that moves a patch for that argument of a step only, if there is one.
    fn moved_for(&self, step: usize, place: usize, out: Slot) -> Option<usize> {
        let Slot::Result(k) = self.steps[step].args[place] else {
            return None;
        };
        let is_moved = self.steps[k].action == Action::Call(Prim::shift);
        let is_as_often = self.steps[k].n_times == self.steps[step].n_times;
        (is_moved && is_as_often && self.n_uses(k, out) == 1).then_some(k)
    }

    /// The number of uses of a step's result.
    fn n_uses(&self, step: usize, out: Slot) -> usize {
        let args = self.steps.iter().flat_map(|step| {
            let lifted = step
                .lift
                .iter()
                .flat_map(|lift| &lift.args[..lift.n_args.into()]);
            step.args[..step.n_args.into()].iter().chain(lifted)
        });
        let uses = args.chain([&out]);
        uses.filter(|slot| **slot == Slot::Result(step)).count()
    }

    /// Marks the steps whose results are never read where the body runs for many elements at once:
    /// functions that became inner bodies, and tuples of which only the parts are used.
    fn lazy_steps(&self, out: Slot, is_counted: &[bool]) -> Vec<bool> {
        let mut is_needed = vec![false; self.steps.len()];
        let need = |is_needed: &mut [bool], slot: &Slot| {
            if let Slot::Result(k) = slot {
                is_needed[*k] = true;
            }
        };
        need(&mut is_needed, &out);
        for (k, step) in self.steps.iter().enumerate().rev() {
            if (is_counted[k] || never_stops(step.action)) && !is_needed[k] {
                continue;
            }
            is_needed[k] = true;
            let args = match &step.lift {
                Some(lift) => &lift.args[..lift.n_args.into()],
                None => &step.args[..step.n_args.into()],
            };
            args.iter().for_each(|slot| need(&mut is_needed, slot));
        }
        is_needed.iter().map(|is_needed| !is_needed).collect()
    }
}

/// A body that is being built, and the inner bodies in it.
struct Builder<'c, 'a> {
    kernels: &'static Kernels,
    constants: &'c [Val<'a>],
    scopes: Vec<Scope>,
    n_calls: u32,
}

impl<'a> Builder<'_, 'a> {
    fn innermost(&self) -> usize {
        self.scopes.len() - 1
    }

    fn scope(&mut self) -> &mut Scope {
        let innermost = self.innermost();
        &mut self.scopes[innermost]
    }

    fn constant(&self, value: &Val<'a>) -> Option<Slot> {
        let known = self.constants.iter().position(|c| c.is_same(value));
        known.map(Slot::Constant)
    }

    /// Adds a step and gives its result. An end of a tuple of two is known without a call.
    fn step(&mut self, action: Action, slots: &[Slot]) -> Option<Slot> {
        let is_first = match action {
            Action::Call(Prim::first) => true,
            Action::Call(Prim::last) => false,
            _ => return self.add_step(action, slots),
        };
        let Some([a, b]) = self.parts_of_two(slots) else {
            return self.add_step(action, slots);
        };
        self.add_step(Action::EndOfTwo { is_first }, &[a, b])?;
        Some(if is_first { a } else { b })
    }

    /// The two parts of the tuple in a slot, if a step made it of two values.
    fn parts_of_two(&mut self, slots: &[Slot]) -> Option<[Slot; 2]> {
        let [Slot::Result(k)] = *slots else {
            return None;
        };
        let step = &self.scope().steps[k];
        let is_made = step.action == Action::Call(Prim::astuple);
        is_made.then_some([step.args[0], step.args[1]])
    }

    /// Adds a step, unless an earlier step is equal. Primitives have no side effects.
    fn add_step(&mut self, action: Action, slots: &[Slot]) -> Option<Slot> {
        let mut args = [Slot::Arg(0); 4];
        args.get_mut(..slots.len())?.copy_from_slice(slots);
        let n_args = slots.len() as u8;
        let is_same =
            |step: &Step<Slot>| (step.action, step.args, step.n_args) == (action, args, n_args);
        let scope = self.scope();
        let known = scope.steps.iter().position(is_same);
        if let Some(known) = known.filter(|_| !may_hold_new_functions(action)) {
            scope.steps[known].n_times += 1;
            return Some(Slot::Result(known));
        }
        let (kernel, column_kernel, cost) = action.kernels(self.kernels);
        let lift = self.lift(action, slots);
        let scope = self.scope();
        scope.steps.push(Step {
            action,
            args,
            n_args,
            n_times: 1,
            lift,
            is_lazy: false,
            kernel,
            column_kernel,
            cost,
        });
        let n_steps = scope.steps.len();
        (n_steps < MAX_STEPS).then_some(Slot::Result(n_steps - 1))
    }

    /// Writes out the function that a step calls for each element, if earlier steps make it.
    fn lift(&mut self, action: Action, slots: &[Slot]) -> Option<Lift<Slot>> {
        let Action::Call(prim) = action else {
            return None;
        };
        let (container, function) = places_to_lift(prim)?;
        let (container, function) = (*slots.get(container)?, *slots.get(function)?);
        if self.scopes.len() >= MAX_SCOPES || self.scope().inners.len() > u8::MAX.into() {
            return None;
        }
        let outer = self.innermost();
        self.scopes.push(Scope::new(1));
        let out = self.call_slot((outer, function), &[Slot::Arg(0)], 1);
        let inner = self.scopes.pop()?;
        // All lanes would share the functions that the inner body makes.
        if matches!(out, Some(Slot::Result(k)) if makes_function(inner.steps[k].action)) {
            return None;
        }
        let mut args = [container; 4];
        let n_captures = inner.captures.len();
        args.get_mut(1..=n_captures)?
            .copy_from_slice(&inner.captures);
        let inner = inner.finish(self.constants.len(), out?)?;
        let inners = &mut self.scope().inners;
        inners.push(inner);
        Some(Lift {
            way: Way::Inner(inners.len() as u8 - 1),
            args,
            n_args: 1 + n_captures as u8,
        })
    }

    /// Makes a slot of an outer scope a slot of the innermost.
    fn imported(&mut self, (scope, slot): (usize, Slot)) -> Option<Slot> {
        if scope == self.innermost() || matches!(slot, Slot::Constant(_)) {
            return Some(slot);
        }
        let captures = &mut self.scopes[scope + 1].captures;
        let known = captures.iter().position(|known| *known == slot);
        let k = known.unwrap_or(captures.len());
        if k == captures.len() {
            captures.push(slot);
        }
        if k < MAX_CAPTURES {
            self.imported((scope + 1, Slot::Arg(1 + k)))
        } else {
            None
        }
    }

    /// The number of arguments of the function in a slot, if that is known.
    fn n_params_of(&self, (scope, slot): (usize, Slot)) -> Option<usize> {
        match slot {
            Slot::Constant(k) => n_params(&self.constants[k]),
            Slot::Arg(k) => {
                let outer = self.scopes[scope].captures.get(k.checked_sub(1)?)?;
                self.n_params_of((scope.checked_sub(1)?, *outer))
            }
            Slot::Result(k) => {
                let step = &self.scopes[scope].steps[k];
                match step.action {
                    Action::Call(Prim::rbind | Prim::lbind) => {
                        let n_params = self.n_params_of((scope, step.args[0]))?;
                        Some(n_left_open(n_params))
                    }
                    action => makes_function(action).then_some(1),
                }
            }
        }
    }

    /// Adds the steps of a call of the function in a slot, with arguments of the innermost scope.
    fn call_slot(
        &mut self,
        (scope, slot): (usize, Slot),
        args: &[Slot],
        depth: u32,
    ) -> Option<Slot> {
        let step = match slot {
            Slot::Constant(k) => {
                let constants = self.constants;
                return self.call(&constants[k], args, depth);
            }
            Slot::Arg(k) => {
                let outer = *self.scopes[scope].captures.get(k.checked_sub(1)?)?;
                return self.call_slot((scope.checked_sub(1)?, outer), args, depth);
            }
            Slot::Result(k) => self.scopes[scope].steps[k],
        };
        let Action::Call(prim) = step.action else {
            return None;
        };
        self.begin_call(depth)?;
        let depth = depth + 1;
        let [f, g, h, _] = step.args.map(|slot| (scope, slot));
        match (prim, args) {
            (Prim::compose, [_]) => {
                let y = self.call_slot(g, args, depth)?;
                self.call_slot(f, &[y], depth)
            }
            (Prim::chain, [_]) => {
                let y = self.call_slot(h, args, depth)?;
                let z = self.call_slot(g, &[y], depth)?;
                self.call_slot(f, &[z], depth)
            }
            (Prim::fork, [_]) => {
                let left = self.call_slot(g, args, depth)?;
                let right = self.call_slot(h, args, depth)?;
                self.call_slot(f, &[left, right], depth)
            }
            (Prim::matcher, [_]) => {
                let y = self.call_slot(f, args, depth)?;
                let target = self.imported(g)?;
                self.step(Action::Compare, &[y, target])
            }
            (Prim::rbind | Prim::lbind, _) => {
                let n_open = n_left_open(self.n_params_of(f)?);
                let fixed = self.imported(g)?;
                let args = with_fixed(args, fixed, prim == Prim::rbind, n_open)?;
                self.call_slot(f, &args, depth)
            }
            _ => None,
        }
    }

    /// Counts a call that nests that deep.
    fn begin_call(&mut self, depth: u32) -> Option<()> {
        self.n_calls += 1;
        let scope = self.scope();
        scope.depth = scope.depth.max(depth);
        (self.n_calls <= MAX_CALLS).then_some(())
    }

    /// Adds the steps of a call. `None` if a body cannot do it.
    fn call(&mut self, callee: &Val<'a>, args: &[Slot], depth: u32) -> Option<Slot> {
        self.begin_call(depth)?;
        match callee {
            Val::Prim(entry) if entry.params.len() == args.len() => {
                self.scope().n_calls += 1;
                match entry.prim {
                    Prim::identity => Some(args[0]),
                    prim => self.step(Action::Call(prim), args),
                }
            }
            Val::Func(closure) => self.call_func(&closure.func, args, depth + 1),
            _ => None,
        }
    }

    fn call_func(&mut self, func: &Func<'a>, args: &[Slot], depth: u32) -> Option<Slot> {
        match (func, args) {
            (Func::Compose(outer, inner), [_]) => {
                let y = self.call(inner, args, depth)?;
                self.call(outer, &[y], depth)
            }
            (Func::Chain(h, g, f), [_]) => {
                let y = self.call(f, args, depth)?;
                let z = self.call(g, &[y], depth)?;
                self.call(h, &[z], depth)
            }
            (Func::Fork(outer, a, b), [_]) => {
                let left = self.call(a, args, depth)?;
                let right = self.call(b, args, depth)?;
                self.call(outer, &[left, right], depth)
            }
            (Func::Matcher(function, target), [_]) => {
                let y = self.call(function, args, depth)?;
                let target = self.constant(target)?;
                self.step(Action::Compare, &[y, target])
            }
            (Func::Rbind(function, fixed, n) | Func::Lbind(function, fixed, n), _) => {
                let fixed = self.constant(fixed)?;
                let is_last = matches!(func, Func::Rbind(..));
                let args = with_fixed(args, fixed, is_last, (*n).into())?;
                self.call(function, &args, depth)
            }
            (Func::Power(function, n), [x]) if *n <= 8 => {
                let mut x = *x;
                for _ in 0..*n {
                    x = self.call(function, &[x], depth + n)?;
                }
                Some(x)
            }
            _ => None,
        }
    }
}

/// The number of arguments that are open after `rbind` or `lbind` bound one.
fn n_left_open(n_params: usize) -> usize {
    match n_params {
        2 => 1,
        3 => 2,
        _ => 3,
    }
}

/// All arguments of a function of which one was bound, the last or the first.
fn with_fixed(args: &[Slot], fixed: Slot, is_last: bool, n_open: usize) -> Option<Vec<Slot>> {
    if args.len() != n_open {
        return None;
    }
    let mut all = args.to_vec();
    all.insert(if is_last { args.len() } else { 0 }, fixed);
    Some(all)
}
