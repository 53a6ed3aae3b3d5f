//! Functions that are called often, as lists of steps.
//!
//! `compose`, `fork`, `rbind` and their kin build trees of functions. Before the engine calls such a
//! tree on many elements, it turns the tree into a list of steps over a few registers. Then no call
//! walks a tree or asks for the kind of a function.

use leyden_dsl::table::{Cost, Prim};

use crate::vm::functions::columns::Column;
use crate::vm::functions::fused_size::Wanted;
use crate::vm::run::call::{COSTS, ColumnKernel, Kernel, Kernels, price_of_args};
use crate::vm::run::watch::Watched;
use crate::vm::values::value::{Val, equal, weight_of_two};
use crate::vm::{EXACT, Maybe, R, Stop, Vm};

/// A register: an argument, a constant or the result of an earlier step.
pub(crate) type Reg = u8;

/// Flattening does not pay for functions that are called less often. `run/alone` takes 2.2 % more
/// instructions with 4 and 6 % more with 2; `run/battery` takes 1.3 % more with 12.
const WORTH_IT: usize = 6;
/// The least number of calls times the depth of the function that pays for flattening, too. Without it
/// arc-dsl's solvers on their own tasks (`public/run/alone`) take 7.9 % more instructions.
const WORTH_IT_BY_DEPTH: usize = 6;

/// The work of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    Call(Prim),
    /// The last part of a `matcher`.
    Compare,
    /// `first` (or `last`) of a tuple that an earlier step made of two values. The result is one of
    /// them, so the step only pays.
    EndOfTwo {
        is_first: bool,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<R> {
    pub(crate) action: Action,
    pub(crate) args: [R; 4],
    pub(crate) n_args: u8,
    /// The number of times that CPython runs the step, and that the engine pays for it.
    pub(crate) n_times: u32,
    /// A way to run the step for many elements at once, if there is a better way than one by one.
    pub(crate) lift: Option<Lift<R>>,
    /// Is the result never read where the body runs for many elements at once?
    pub(crate) is_lazy: bool,
    pub(crate) kernel: Kernel,
    pub(crate) column_kernel: ColumnKernel,
    pub(crate) cost: Cost,
}

/// A way to run a step for many elements at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lift<R> {
    pub(crate) way: Way,
    pub(crate) args: [R; 4],
    pub(crate) n_args: u8,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// The step calls one of the body's inner bodies ([`nested_columns`](crate::vm::functions::nested_columns)).
    /// The arguments are the container and the captures of the inner body.
    Inner(u8),
    /// The size of an intersection or of a difference. The step counts the elements and pays for them,
    /// but does not make the set. The arguments are the two sets.
    Count { are_common: bool },
    /// The size of an intersection or of a difference with a shifted patch that no other step reads. The
    /// patch stays in place. The arguments are the patch, the direction and the other set.
    CountMoved(Wanted),
}

impl Step<Reg> {
    /// The registers that the step reads when it runs for many elements at once.
    #[inline]
    pub(crate) fn registers(&self) -> &[Reg] {
        match &self.lift {
            Some(lift) => &lift.args[..lift.n_args.into()],
            None => &self.args[..self.n_args.into()],
        }
    }
}

impl Action {
    /// The kernel for one element, the kernel for many, and the price.
    pub(crate) fn kernels(self, kernels: &Kernels) -> (Kernel, ColumnKernel, Cost) {
        match self {
            Action::Call(prim) => {
                let prim = prim as usize;
                (kernels.calls[prim], kernels.columns[prim], COSTS[prim])
            }
            Action::Compare => (compare, compare_columns, Cost::Unit),
            Action::EndOfTwo { is_first: true } => (first_of_two, first_of_twos, Cost::Unit),
            Action::EndOfTwo { is_first: false } => (last_of_two, last_of_twos, Cost::Unit),
        }
    }
}

fn first_of_two<'a>(_: &mut Vm<'a>, _: &[Val<'a>]) -> R<'a> {
    Ok(Val::None)
}

fn first_of_twos<'a>(_: &mut Vm<'a>, _: &[Column<'_, 'a>; 4], _: &mut [Val<'a>]) -> Maybe<()> {
    Ok(())
}

/// `last` of a tuple of two pays for the tuple and for the part that it gives.
fn last_of_two<'a>(vm: &mut Vm<'a>, args: &[Val<'a>]) -> R<'a> {
    let [a, b] = args else { return Err(EXACT) };
    vm.charge(weight_of_two(a, b) + b.weight())?;
    Ok(Val::None)
}

fn last_of_twos<'a>(
    vm: &mut Vm<'a>,
    [a, b, ..]: &[Column<'_, 'a>; 4],
    results: &mut [Val<'a>],
) -> Maybe<()> {
    let n_calls = results.len();
    let of_twos = (0..n_calls).map(|k| weight_of_two(&a.get(k), &b.get(k)));
    let of_twos = of_twos.fold(0, u64::saturating_add);
    vm.charge(b.weight(n_calls).saturating_add(of_twos))
}

/// Compares the result of a `matcher`'s function with its target.
fn compare<'a>(_: &mut Vm<'a>, args: &[Val<'a>]) -> R<'a> {
    let [a, b] = args else { return Err(EXACT) };
    is_equal(a, b)
}

#[inline]
fn is_equal<'a>(a: &Val<'a>, b: &Val<'a>) -> R<'a> {
    let is_equal = match (a, b) {
        (Val::Int(a), Val::Int(b)) => a == b,
        _ => equal(a, b).ok_or(EXACT)?,
    };
    Ok(Val::Bool(is_equal.into()))
}

fn compare_columns<'a>(
    _: &mut Vm<'a>,
    [a, b, ..]: &[Column<'_, 'a>; 4],
    results: &mut [Val<'a>],
) -> Maybe<()> {
    for (k, result) in results.iter_mut().enumerate() {
        *result = is_equal(&a.get(k), &b.get(k))?;
    }
    Ok(())
}

/// A function as a list of steps. Registers hold the arguments, then the constants, then the
/// results of the steps. The arguments of an inner body are the element and the captures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<'a> {
    pub(crate) n_args: usize,
    pub(crate) constants: &'a [Val<'a>],
    pub(crate) steps: &'a [Step<Reg>],
    pub(crate) out: Reg,
    /// The depth to which CPython's calls nest.
    pub(crate) depth: u32,
    /// The number of primitives that it calls. Each costs a unit of fuel.
    pub(crate) n_calls: u32,
    /// The functions that steps call on each element of a container.
    pub(crate) inners: &'a [Body<'a>],
}

/// The source of a register's value.
pub(crate) enum Source<'b, 'a> {
    /// The element.
    Element,
    /// A value that an inner body takes from the body around it, by number.
    Capture(usize),
    Constant(&'b Val<'a>),
    Step(usize),
}

impl<'a> Body<'a> {
    /// The source of a register's value.
    #[inline]
    pub(crate) fn source(&self, reg: Reg) -> Source<'_, 'a> {
        let reg = usize::from(reg);
        let Some(after_args) = reg.checked_sub(self.n_args) else {
            return match reg.checked_sub(1) {
                None => Source::Element,
                Some(capture) => Source::Capture(capture),
            };
        };
        match self.constants.get(after_args) {
            Some(constant) => Source::Constant(constant),
            None => Source::Step(after_args - self.constants.len()),
        }
    }
}

/// A function that is ready to be called often.
pub(crate) struct Prepared<'a> {
    function: Val<'a>,
    pub(crate) form: Form<'a>,
}

/// The form in which a function is ready.
pub(crate) enum Form<'a> {
    /// A body. Its registers exist once an element ran alone.
    Body(&'a Body<'a>, &'a mut [Val<'a>]),
    /// The tree of functions.
    Tree,
    /// A function whose calls are recorded.
    Watched(Watched<'a>),
}

impl<'a> Vm<'a> {
    /// Prepares a function for a number of calls.
    pub(crate) fn prepared(&mut self, function: &Val<'a>, n_calls: usize) -> Prepared<'a> {
        // `identity` has no step by which its calls could be counted.
        let is_uncounted = self.watch.is_some()
            && matches!(function, Val::Prim(entry) if entry.prim == Prim::identity);
        // A body pays for its calls before it makes them.
        let body = if is_uncounted || self.pays_call_by_call {
            None
        } else {
            self.body_of(function, n_calls)
        };
        let form = match body {
            Some(body) => match self.watch {
                Some(_) => {
                    let registers = self.registers_of(body);
                    self.watched(body, registers)
                }
                None => Form::Body(body, &mut []),
            },
            None => Form::Tree,
        };
        Prepared {
            function: *function,
            form,
        }
    }

    /// The registers of a body, with its constants.
    fn registers_of(&self, body: &Body<'a>) -> &'a mut [Val<'a>] {
        let n_registers = body.n_args + body.constants.len() + body.steps.len();
        let registers = self.arena.alloc_slice_fill_copy(n_registers, Val::None);
        registers[body.n_args..][..body.constants.len()].copy_from_slice(body.constants);
        registers
    }

    /// The body of a function, if flattening is possible and pays for this number of calls. Nothing else
    /// decides, so the work of a run follows from the run alone.
    fn body_of(&mut self, function: &Val<'a>, n_calls: usize) -> Option<&'a Body<'a>> {
        let address = match function {
            Val::Func(closure) if closure.is_lasting => Some(std::ptr::from_ref(*closure).addr()),
            Val::Prim(entry) => Some(std::ptr::from_ref(*entry).addr()),
            _ => None,
        };
        if let Some(known) = address.and_then(|address| self.bodies.get(address)) {
            return *known;
        }
        let depth = match function {
            Val::Func(closure) => closure.depth as usize,
            _ => 0,
        };
        if n_calls < WORTH_IT && n_calls * depth < WORTH_IT_BY_DEPTH {
            return None;
        }
        let body = self.body_by_shape(function);
        if let Some(address) = address {
            self.bodies.add(address, body);
        }
        body
    }

    /// Calls a prepared function. A body pays for all its calls at once. So if it stops, the engine
    /// calls the tree of functions to learn how the call ends and what it costs.
    #[inline]
    pub(crate) fn call_prepared(&mut self, function: &mut Prepared<'a>, args: &[Val<'a>]) -> R<'a> {
        let fuel = self.fuel;
        let was_trying = std::mem::replace(&mut self.is_trying, true);
        let result = match &mut function.form {
            Form::Body(body, registers) if body.n_args == args.len() => {
                self.run_body_with(body, registers, args)
            }
            Form::Watched(function) => self.call_prepared_watched(function, args),
            Form::Body(..) | Form::Tree => {
                self.is_trying = was_trying;
                return self.call(&function.function, args);
            }
        };
        self.is_trying = was_trying;
        match result {
            Err(_) if !was_trying => {
                self.fuel = fuel;
                self.call_by_call(function, args)
            }
            result => result,
        }
    }

    /// Calls a function and all functions below it by their trees, so that the engine pays for each call
    /// when it makes it. The recorder does not see these calls again.
    #[cold]
    pub(crate) fn call_by_call(&mut self, function: &Prepared<'a>, args: &[Val<'a>]) -> R<'a> {
        Stop::forget_fault();
        let watch = self.watch.take();
        let paid_so_before = std::mem::replace(&mut self.pays_call_by_call, true);
        let result = self.call(&function.function, args);
        self.pays_call_by_call = paid_so_before;
        self.watch = watch;
        result
    }

    /// Runs a body on its arguments. Makes the registers if there are none yet.
    #[inline]
    pub(crate) fn run_body_with(
        &mut self,
        body: &Body<'a>,
        registers: &mut &'a mut [Val<'a>],
        args: &[Val<'a>],
    ) -> R<'a> {
        if registers.is_empty() {
            *registers = self.registers_of(body);
        }
        self.run_body(body, registers, args)
    }

    pub(crate) fn run_body(
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

    /// Pays for the calls of a body and fills in its arguments. Gives the register of the first step.
    #[inline]
    pub(crate) fn begin_body(
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

    /// Runs a step and pays for each time that CPython runs it.
    #[inline]
    pub(crate) fn run_step(&mut self, step: &Step<Reg>, registers: &[Val<'a>]) -> R<'a> {
        let fuel = self.fuel;
        let result = self.run_once(step, registers);
        if result.is_ok() {
            self.charge_again(step, fuel)?;
        }
        result
    }

    /// Pays for the further times that CPython runs a step. `fuel` was left before the first.
    #[inline]
    pub(crate) fn charge_again(&mut self, step: &Step<Reg>, fuel: u64) -> Maybe<()> {
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

    /// Runs a step whose unit of fuel is paid.
    #[inline(always)]
    pub(crate) fn step_into(&mut self, step: &Step<Reg>, args: &[Val<'a>]) -> R<'a> {
        if step.cost != Cost::Unit {
            self.charge(price_of_args(step.cost, args))?;
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
    pub(crate) fn note_stop_of(&mut self, step: &Step<Reg>) {
        if let Action::Call(prim) = step.action {
            self.note_stop(prim);
        }
    }
}
