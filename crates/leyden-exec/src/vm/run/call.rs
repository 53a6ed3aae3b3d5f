//! Calling primitives and closures.

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::MAX_SET_ELEMENTS;
use leyden_dsl::table::{Cost, Dialect, ENTRIES, N_PRIMITIVES, Prim};
use leyden_dsl::types::Type;
use leyden_dsl::{for_each_primitive, for_each_tokpidjin_primitive};
use leyden_profile::model::SlowReason;

use crate::vm::functions::columns::Column;
use crate::vm::kernels::{self, tokpidjin};
use crate::vm::values::value::{Func, Val, equal};
use crate::vm::{EXACT, Maybe, R, Stop, Vm};

/// The cost column of the table, packed for the hot path.
pub(crate) static COSTS: [Cost; N_PRIMITIVES] = {
    let mut costs = [Cost::Unit; N_PRIMITIVES];
    let mut k = 0;
    while k < N_PRIMITIVES {
        costs[k] = ENTRIES[k].cost;
        k += 1;
    }
    costs
};

/// The kernels of a dialect, in the table's order.
pub(crate) struct Kernels {
    /// Each behind a check of the number of arguments.
    pub(crate) calls: [Kernel; N_PRIMITIVES],
    /// For columns of arguments; one loop for each primitive, so that there is nothing between the
    /// calls.
    pub(crate) columns: [ColumnKernel; N_PRIMITIVES],
}

impl Kernels {
    /// The kernels of a dialect.
    pub(crate) fn of(dialect: Dialect) -> &'static Kernels {
        if dialect.is_classic() {
            &CLASSIC
        } else {
            &TOKPIDJIN
        }
    }
}

/// A kernel of a module, or its stand-in if it has none: the compiler looks into the inner scope first.
macro_rules! or_missing {
    ($module:ident, $prim:ident) => {{
        #[allow(unused_imports, reason = "most primitives have a kernel")]
        use kernels::missing::*;
        {
            #[allow(unused_imports, reason = "a new primitive may have none yet")]
            use $module::*;
            $prim
        }
    }};
}

/// Defines the kernels of a dialect: those of the given module, each behind a check of its arguments'
/// kinds.
macro_rules! define_kernels {
    ($name:ident, $module:ident;
     $( $prim:ident ( $( $param:ident $(/ $other:ident)* : $ty:ident ),* ) -> $result:ident,
        $theme:ident, $cost:ident, $order:ident $(+ $mark:ident)*, $doc:literal, $call:literal => $value:literal; )*) => {
        #[allow(non_snake_case, reason = "made from the table")]
        static $name: Kernels = {
            let mut kernels = Kernels {
                calls: [no_kernel; N_PRIMITIVES],
                columns: [no_column_kernel; N_PRIMITIVES],
            };
            $( {
                fn call<'a>(vm: &mut Vm<'a>, args: &[Val<'a>]) -> R<'a> {
                    let [$($param),*] = args else { return Err(EXACT) };
                    if !(true $(&& $module::is_usual(Type::$ty, $param))*) {
                        return Err(EXACT);
                    }
                    let result = or_missing!($module, $prim)(vm, $($param),*);
                    unless_huge(Type::$result, result)
                }
                fn column<'a>(
                    vm: &mut Vm<'a>,
                    args: &[Column<'_, 'a>; 4],
                    results: &mut [Val<'a>],
                ) -> Maybe<()> {
                    let [$($param,)* ..] = args;
                    for (k, result) in results.iter_mut().enumerate() {
                        $( let $param = &$param.get(k); )*
                        if !(true $(&& $module::is_usual(Type::$ty, $param))*) {
                            return Err(EXACT);
                        }
                        let value = or_missing!($module, $prim)(vm, $($param),*);
                        match unless_huge(Type::$result, value) {
                            Ok(value) => *result = value,
                            Err(stop) => return Err(stop),
                        }
                    }
                    Ok(())
                }
                kernels.calls[Prim::$prim as usize] = call;
                kernels.columns[Prim::$prim as usize] = column;
            } )*
            kernels
        };
    };
}

macro_rules! define_classic {
    ($( $table:tt )*) => { define_kernels!(CLASSIC, kernels; $( $table )*); };
}
macro_rules! define_tokpidjin {
    ($( $table:tt )*) => { define_kernels!(TOKPIDJIN, tokpidjin; $( $table )*); };
}
macro_rules! define_whole_tokpidjin {
    ($( $arc_dsl:tt )*) => { for_each_tokpidjin_primitive!(define_tokpidjin $( $arc_dsl )*); };
}

for_each_primitive!(define_classic);
for_each_primitive!(define_whole_tokpidjin);

/// The result of a call, unless the exact engine refuses it for its size. Only the results that a kernel
/// makes are looked into, and not those that it takes out of an argument.
#[inline(always)]
fn unless_huge(ty: Type, result: R<'_>) -> R<'_> {
    let is_made = !matches!(
        ty,
        Type::Any | Type::Boolean | Type::Callable | Type::Integer | Type::Numerical
    );
    match &result {
        Ok(value) if is_made && value.is_huge() => Err(EXACT),
        _ => result,
    }
}

/// The stand-in for a primitive that the dialect does not have.
fn no_kernel<'a>(_: &mut Vm<'a>, _: &[Val<'a>]) -> R<'a> {
    Err(EXACT)
}

fn no_column_kernel<'a>(_: &mut Vm<'a>, _: &[Column<'_, 'a>; 4], _: &mut [Val<'a>]) -> Maybe<()> {
    Err(EXACT)
}

/// A primitive on any arguments.
pub(crate) type Kernel = for<'a> fn(&mut Vm<'a>, &[Val<'a>]) -> R<'a>;

/// A primitive on columns of arguments, as many as it has parameters.
pub(crate) type ColumnKernel =
    for<'a> fn(&mut Vm<'a>, &[Column<'_, 'a>; 4], &mut [Val<'a>]) -> Maybe<()>;

/// The price of a call's arguments. Every call costs one unit more.
#[inline(always)]
pub(crate) fn price_of_args(cost: Cost, args: &[Val<'_>]) -> u64 {
    cost.of_args(args.len(), |k| args[k].weight())
}

/// Are there too many or too few arguments?
fn is_miscounted(prim: Prim, args: &[Val<'_>]) -> bool {
    prim.entry().params.len() != args.len()
}

impl<'a> Vm<'a> {
    pub(crate) fn call_prim(&mut self, prim: Prim, args: &[Val<'a>]) -> R<'a> {
        let kernel = self.kernels.calls[prim as usize];
        self.call_kernel(kernel, COSTS[prim as usize], prim, args)
    }

    /// Calls a primitive by its kernel, and pays for it.
    // This matches the result where it lies: to unwrap it and wrap it again would cost more than many a
    // kernel.
    #[inline(always)]
    pub(crate) fn call_kernel(
        &mut self,
        kernel: Kernel,
        cost: Cost,
        prim: Prim,
        args: &[Val<'a>],
    ) -> R<'a> {
        self.charge(price_of_args(cost, args).saturating_add(1))?;
        let fuel = self.fuel;
        let mut result = kernel(self, args);
        if let Err(stop) = result {
            result = self.stopped(stop, prim, args, fuel);
        }
        match &result {
            Ok(value) if cost == Cost::Linear => self.charge(value.weight())?,
            Ok(_) => {}
            Err(_) => self.note_stop(prim),
        }
        result
    }

    /// The stop of a call whose result would be a set of that many elements: the set would be too large, or
    /// the fuel does not suffice.
    #[inline]
    pub(crate) fn too_many_to_make(&mut self, n_elements: u64) -> Option<Stop> {
        if n_elements > MAX_SET_ELEMENTS as u64 {
            Some(Stop::because_of(Fault::Memory))
        } else if n_elements > self.fuel {
            Some(Stop::because_of(Fault::Fuel))
        } else {
            None
        }
    }

    /// The result of a call whose kernel gave no value. `fuel` was left before the call.
    #[cold]
    pub(crate) fn stopped(&mut self, stop: Stop, prim: Prim, args: &[Val<'a>], fuel: u64) -> R<'a> {
        if self.catches() {
            return self.caught(stop, prim, args, fuel);
        }
        if !Stop::has_no_fault() {
            return Err(stop);
        }
        if is_miscounted(prim, args) {
            return Err(Stop::because_of(Fault::TypeError));
        }
        // A short cut that fails does not count; the call comes again.
        if self.is_trying {
            return Err(EXACT);
        }
        self.fuel = fuel;
        self.asked(prim, args)
    }

    /// [`Vm::stopped`] where every call of a primitive catches its faults. The kernels of this engine call
    /// each other without catching, so their stops say nothing; the reference engine's kernel decides.
    /// No call catches limits.
    fn caught(&mut self, stop: Stop, prim: Prim, args: &[Val<'a>], fuel: u64) -> R<'a> {
        match stop.take_fault() {
            Some(fault) if fault.is_limit() => return Err(Stop::because_of(fault)),
            _ if self.hindrance == SlowReason::Limit => return Err(EXACT),
            _ => {}
        }
        self.fuel = fuel;
        if let Ok(value) = tokpidjin::with_odd_arguments(self, prim, args) {
            return Ok(value);
        }
        Stop::forget_fault();
        self.fuel = fuel;
        self.asked(prim, args)
    }

    #[cold]
    pub(crate) fn note_stop(&mut self, prim: Prim) {
        self.stopped_by.get_or_insert(prim);
    }

    /// Calls any callable with any arguments.
    pub(crate) fn call(&mut self, callee: &Val<'a>, args: &[Val<'a>]) -> R<'a> {
        self.enter(1)?;
        let result = match (callee, args) {
            (Val::Prim(entry), _) if self.watch.is_some() => self.call_watched(entry.prim, args),
            (Val::Prim(entry), _) => self.call_prim(entry.prim, args),
            (Val::Func(closure), _) => self.call_func(&closure.func, args),
            _ => Err(Stop::because_of(Fault::TypeError)),
        };
        self.leave(1);
        result
    }

    /// A line that calls a value. A line of a generated batt file catches the faults of the call; a
    /// primitive has caught its own already.
    pub(crate) fn call_in_own_line(&mut self, callee: &Val<'a>, args: &[Val<'a>]) -> R<'a> {
        let result = self.call(callee, args);
        let Err(stop) = result else { return result };
        if !self.dialect.lines_catch() {
            return result;
        }
        match stop.take_fault() {
            Some(fault) if fault.is_caught_by_lines() => Ok(Val::empty_tuple()),
            Some(fault) => Err(Stop::because_of(fault)),
            None => Err(stop),
        }
    }

    fn call_func(&mut self, func: &Func<'a>, args: &[Val<'a>]) -> R<'a> {
        match (func, args) {
            (Func::Compose(outer, inner), [x]) => {
                let y = self.call(inner, &[*x])?;
                self.call(outer, &[y])
            }
            (Func::Chain(h, g, f), [x]) => {
                let y = self.call(f, &[*x])?;
                let z = self.call(g, &[y])?;
                self.call(h, &[z])
            }
            (Func::Matcher(function, target), [x]) => {
                let y = self.call(function, &[*x])?;
                match equal(&y, target) {
                    Some(is_equal) => Ok(Val::Bool(is_equal.into())),
                    None => Err(EXACT),
                }
            }
            (Func::Fork(outer, a, b), [x]) => {
                let (left, right) = (self.call(a, &[*x])?, self.call(b, &[*x])?);
                self.call(outer, &[left, right])
            }
            (Func::Rbind(function, fixed, 1), [x]) => self.call(function, &[*x, *fixed]),
            (Func::Rbind(function, fixed, 2), [x, y]) => self.call(function, &[*x, *y, *fixed]),
            (Func::Rbind(function, fixed, 3), [x, y, z]) => {
                self.call(function, &[*x, *y, *z, *fixed])
            }
            (Func::Lbind(function, fixed, 1), [x]) => self.call(function, &[*fixed, *x]),
            (Func::Lbind(function, fixed, 2), [x, y]) => self.call(function, &[*fixed, *x, *y]),
            (Func::Lbind(function, fixed, 3), [x, y, z]) => {
                self.call(function, &[*fixed, *x, *y, *z])
            }
            (Func::Power(function, n), [x]) => self.call_power(function, *n, x),
            // Too few arguments, or too many.
            _ => Err(Stop::because_of(Fault::TypeError)),
        }
    }

    fn call_power(&mut self, function: &Val<'a>, n: u32, x: &Val<'a>) -> R<'a> {
        // Each composition is one frame around the next.
        let levels = Vm::levels_of_frames(n);
        self.enter(levels)?;
        let mut result = self.call(function, &[*x]);
        for _ in 1..n {
            let Ok(value) = result else { break };
            result = self.call(function, &[value]);
        }
        self.leave(levels);
        result
    }
}
