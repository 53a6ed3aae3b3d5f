//! Functions that are called often, flattened.
//!
//! `compose`, `fork`, `rbind` and their kin build trees of functions. Where such a tree is going
//! to be called on many elements, it is turned into a list of steps over a few registers first:
//! no tree is walked and no function value is looked at for each element.

use leyden_dsl::table::{Cost, Prim};

use super::call::{COLUMN_KERNELS, COSTS, ColumnKernel, KERNELS, Kernel, price};
use super::columns::Column;
use super::value::{Arena, Func, List, Val, equal};
use super::watch::Watched;
use super::{EXACT, Maybe, R, Vm};

/// A register: an argument, a constant or the result of an earlier step.
pub(super) type Reg = u8;

/// Functions with more steps than this are left as they are.
pub(super) const MAX_STEPS: usize = 60;
/// Functions that are called less often than this do not pay for flattening.
const WORTH_IT: usize = 4;
/// No function is written out with more calls than this: powers of powers have very many.
const MAX_CALLS: u32 = 1 << 12;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Action {
    Call(Prim),
    /// The last part of a `matcher`.
    Compare,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Step<R> {
    pub(super) action: Action,
    pub(super) args: [R; 4],
    pub(super) n_args: u8,
    /// How often CPython does the same, and so how often it is paid for.
    pub(super) n_times: u32,
    pub(super) kernel: Kernel,
    pub(super) column_kernel: ColumnKernel,
    pub(super) cost: Cost,
}

impl Action {
    fn kernels(self) -> Option<(Kernel, ColumnKernel, Cost)> {
        Some(match self {
            Action::Call(prim) => {
                let prim = prim as usize;
                (*KERNELS.get(prim)?, COLUMN_KERNELS[prim], COSTS[prim])
            }
            Action::Compare => (compare, compare_columns, Cost::Unit),
        })
    }
}

/// Does the result of a `matcher`'s function equal its target?
fn compare<'a>(_: &mut Vm<'a>, args: &[Val<'a>]) -> R<'a> {
    let [a, b] = args else { return Err(EXACT) };
    let is_equal = equal(a, b).ok_or(EXACT)?;
    Ok(Val::Bool(is_equal.into()))
}

fn compare_columns<'a>(
    _: &mut Vm<'a>,
    [a, b, ..]: &[Column<'_, 'a>; 4],
    results: &mut [Val<'a>],
) -> Maybe<()> {
    for (k, result) in results.iter_mut().enumerate() {
        let is_equal = equal(&a.get(k), &b.get(k)).ok_or(EXACT)?;
        *result = Val::Bool(is_equal.into());
    }
    Ok(())
}

/// A function as a list of steps. Registers hold the arguments, then the constants, then the
/// results of the steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    pub(super) n_args: usize,
    pub(super) constants: &'a [Val<'a>],
    pub(super) steps: &'a [Step<Reg>],
    pub(super) out: Reg,
    /// How deep its calls would nest.
    pub(super) depth: u32,
    /// How many primitives it calls: each costs a unit of fuel.
    pub(super) n_calls: u32,
}

/// Where a register of a body of one argument gets its value from.
pub(super) enum Source<'b, 'a> {
    Arg,
    Constant(&'b Val<'a>),
    Step(usize),
}

impl<'a> Body<'a> {
    /// Where a register gets its value from, if there is one argument.
    #[inline]
    pub(super) fn source(&self, reg: Reg) -> Source<'_, 'a> {
        let Some(after_args) = usize::from(reg).checked_sub(self.n_args) else {
            return Source::Arg;
        };
        match self.constants.get(after_args) {
            Some(constant) => Source::Constant(constant),
            None => Source::Step(after_args - self.constants.len()),
        }
    }
}

/// A function that is ready to be called often.
pub(crate) enum Prepared<'a> {
    Body(&'a Body<'a>, &'a mut [Val<'a>]),
    Plain(Val<'a>),
    /// One whose calls are recorded.
    Watched(Watched<'a>),
}

/// A body in the making.
struct Builder<'a> {
    n_args: usize,
    constants: List<'a>,
    steps: List<'a, Step<Slot>>,
    depth: u32,
    n_calls: u32,
}

/// A register, before it is known how many constants there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Arg(usize),
    Constant(usize),
    Result(usize),
}

impl<'a> Builder<'a> {
    fn register(&self, slot: Slot) -> Reg {
        (match slot {
            Slot::Arg(k) => k,
            Slot::Constant(k) => self.n_args + k,
            Slot::Result(k) => self.n_args + self.constants.len() + k,
        }) as Reg
    }

    fn constant(&mut self, value: Val<'a>) -> Slot {
        let known = self.constants.iter().position(|c| c.is_same(&value));
        Slot::Constant(known.unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        }))
    }

    /// Adds a step, unless an earlier one does the same: primitives have no side effects.
    fn step(&mut self, action: Action, slots: &[Slot]) -> Option<Slot> {
        let mut args = [Slot::Arg(0); 4];
        args.get_mut(..slots.len())?.copy_from_slice(slots);
        let n_args = slots.len() as u8;
        let is_same =
            |step: &Step<Slot>| (step.action, step.args, step.n_args) == (action, args, n_args);
        if let Some(known) = self.steps.iter().position(is_same) {
            self.steps[known].n_times += 1;
            return Some(Slot::Result(known));
        }
        let (kernel, column_kernel, cost) = action.kernels()?;
        self.steps.push(Step {
            action,
            args,
            n_args,
            n_times: 1,
            kernel,
            column_kernel,
            cost,
        });
        let is_small = self.steps.len() + self.constants.len() < MAX_STEPS;
        is_small.then_some(Slot::Result(self.steps.len() - 1))
    }

    fn finish(self, arena: Arena<'a>, out: Slot) -> &'a Body<'a> {
        let step = |step: &Step<Slot>| Step {
            action: step.action,
            args: step.args.map(|slot| self.register(slot)),
            n_args: step.n_args,
            n_times: step.n_times,
            kernel: step.kernel,
            column_kernel: step.column_kernel,
            cost: step.cost,
        };
        arena.alloc(Body {
            n_args: self.n_args,
            out: self.register(out),
            depth: self.depth,
            n_calls: self.n_calls,
            steps: arena.alloc_slice_fill_iter(self.steps.iter().map(step)),
            constants: arena.alloc_slice_copy(&self.constants),
        })
    }

    /// Adds the steps of a call; `None` where the interpreter knows better.
    fn call(&mut self, callee: &Val<'a>, args: &[Slot], depth: u32) -> Option<Slot> {
        self.depth = self.depth.max(depth);
        if self.n_calls > MAX_CALLS {
            return None;
        }
        match callee {
            Val::Prim(entry) if entry.params.len() == args.len() => {
                self.n_calls += 1;
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
                let target = self.constant(*target);
                self.step(Action::Compare, &[y, target])
            }
            (Func::Rbind(function, fixed, n), _) if usize::from(*n) == args.len() => {
                let fixed = self.constant(*fixed);
                match *args {
                    [a] => self.call(function, &[a, fixed], depth),
                    [a, b] => self.call(function, &[a, b, fixed], depth),
                    [a, b, c] => self.call(function, &[a, b, c, fixed], depth),
                    _ => None,
                }
            }
            (Func::Lbind(function, fixed, n), _) if usize::from(*n) == args.len() => {
                let fixed = self.constant(*fixed);
                match *args {
                    [a] => self.call(function, &[fixed, a], depth),
                    [a, b] => self.call(function, &[fixed, a, b], depth),
                    [a, b, c] => self.call(function, &[fixed, a, b, c], depth),
                    _ => None,
                }
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

impl<'a> Vm<'a> {
    /// A function made ready for that many calls.
    pub(super) fn prepared(&mut self, function: &Val<'a>, n_calls: usize) -> Prepared<'a> {
        // `identity` has no step by which its calls could be counted.
        let is_uncounted = self.watch.is_some()
            && matches!(function, Val::Prim(entry) if entry.prim == Prim::identity);
        let body = match is_uncounted {
            true => None,
            false => self.body_of(function, n_calls),
        };
        match body {
            Some(body) => {
                let n_registers = body.n_args + body.constants.len() + body.steps.len();
                let registers = self.arena.alloc_slice_fill_copy(n_registers, Val::None);
                registers[body.n_args..][..body.constants.len()].copy_from_slice(body.constants);
                match self.watch {
                    Some(_) => self.watched(body, registers),
                    None => Prepared::Body(body, registers),
                }
            }
            None => Prepared::Plain(*function),
        }
    }

    /// The body of a function that is going to be called that often, if it can be flattened and pays
    /// for it. Nothing else decides that, so that what a run does follows from the run alone.
    fn body_of(&mut self, function: &Val<'a>, n_calls: usize) -> Option<&'a Body<'a>> {
        let address = match function {
            Val::Func(closure) if closure.is_lasting => Some(std::ptr::from_ref(*closure).addr()),
            Val::Prim(entry) => Some(std::ptr::from_ref(*entry).addr()),
            _ => None,
        };
        if let Some(known) = address.and_then(|address| self.bodies.get(&address)) {
            return *known;
        }
        if n_calls < WORTH_IT {
            return None;
        }
        let body = self.body_by_shape(function);
        self.bodies.extend(address.map(|address| (address, body)));
        body
    }

    /// Calls a function that was made ready.
    #[inline]
    pub(super) fn call_prepared(&mut self, function: &mut Prepared<'a>, args: &[Val<'a>]) -> R<'a> {
        match function {
            Prepared::Body(body, registers) if body.n_args == args.len() => {
                self.run_body(body, registers, args)
            }
            Prepared::Body(..) => Err(EXACT),
            Prepared::Plain(function) => self.call(function, args),
            Prepared::Watched(function) => self.call_prepared_watched(function, args),
        }
    }

    pub(super) fn run_body(
        &mut self,
        body: &Body<'a>,
        registers: &mut [Val<'a>],
        args: &[Val<'a>],
    ) -> R<'a> {
        let first = self.begin_body(body, registers, args)?;
        for (k, step) in body.steps.iter().enumerate() {
            match self.run_step(step, registers) {
                Ok(value) => registers[first + k] = value,
                stop => {
                    self.stopped_at = k as u32;
                    self.leave(body.depth);
                    return stop;
                }
            }
        }
        self.leave(body.depth);
        Ok(registers[usize::from(body.out)])
    }

    /// Pays for the calls of a body and fills in its arguments; gives the first step's register.
    #[inline]
    pub(super) fn begin_body(
        &mut self,
        body: &Body<'a>,
        registers: &mut [Val<'a>],
        args: &[Val<'a>],
    ) -> Maybe<usize> {
        self.enter(body.depth)?;
        self.charge(u64::from(body.n_calls))?;
        registers[..args.len()].copy_from_slice(args);
        Ok(args.len() + body.constants.len())
    }

    /// Runs a step and pays for it as often as CPython does the same.
    #[inline]
    pub(super) fn run_step(&mut self, step: &Step<Reg>, registers: &[Val<'a>]) -> R<'a> {
        let fuel = self.fuel;
        let result = self.run_once(step, registers);
        if result.is_ok() {
            self.charge_again(step, fuel)?;
        }
        result
    }

    /// Pays for the other times that CPython does what was done since there was that much fuel.
    #[inline]
    pub(super) fn charge_again(&mut self, step: &Step<Reg>, fuel: u64) -> Maybe<()> {
        match step.n_times {
            1 => Ok(()),
            n => self.charge((fuel - self.fuel).saturating_mul(u64::from(n - 1))),
        }
    }

    #[inline]
    fn run_once(&mut self, step: &Step<Reg>, registers: &[Val<'a>]) -> R<'a> {
        let arg = |k: usize| registers[usize::from(step.args[k])];
        match step.n_args {
            1 => self.step_into(step, &[arg(0)]),
            2 => self.step_into(step, &[arg(0), arg(1)]),
            3 => self.step_into(step, &[arg(0), arg(1), arg(2)]),
            _ => self.step_into(step, &[arg(0), arg(1), arg(2), arg(3)]),
        }
    }

    /// A step whose unit of fuel has been paid.
    #[inline(always)]
    pub(super) fn step_into(&mut self, step: &Step<Reg>, args: &[Val<'a>]) -> R<'a> {
        if step.cost != Cost::Unit {
            self.charge(price(step.cost, args))?;
        }
        let fuel = self.fuel;
        let mut result = (step.kernel)(self, args);
        if let (Err(stop), Action::Call(prim)) = (result, step.action) {
            result = self.stopped(stop, prim, args, fuel);
        }
        match &result {
            Ok(value) if step.cost == Cost::Linear => self.charge(value.weight())?,
            Ok(_) => {}
            Err(_) => self.note_stop_of(step),
        }
        result
    }

    #[cold]
    pub(super) fn note_stop_of(&mut self, step: &Step<Reg>) {
        if let Action::Call(prim) = step.action {
            self.note_stop(prim);
        }
    }
}

/// A function as a list of steps, with these constants before all others; none if it cannot be one.
pub(super) fn flattened<'a>(
    arena: Arena<'a>,
    function: &Val<'a>,
    constants: &[Val<'a>],
) -> Option<&'a Body<'a>> {
    let mut builder = Builder {
        n_args: arity(function)?,
        constants: List::from_iter_in(constants.iter().copied(), arena),
        steps: List::with_capacity_in(8, arena),
        depth: 0,
        n_calls: 0,
    };
    let args = [Slot::Arg(0), Slot::Arg(1)];
    let out = builder.call(function, args.get(..builder.n_args)?, 1)?;
    Some(builder.finish(arena, out))
}

/// How many arguments a function takes, if that is one or two.
fn arity(function: &Val<'_>) -> Option<usize> {
    match function {
        Val::Prim(entry) => Some(entry.params.len()).filter(|n| (1..=2).contains(n)),
        Val::Func(closure) => match closure.func {
            Func::Rbind(_, _, left) | Func::Lbind(_, _, left) if left <= 2 => Some(left.into()),
            Func::Rbind(..) | Func::Lbind(..) => None,
            _ => Some(1),
        },
        _ => None,
    }
}
