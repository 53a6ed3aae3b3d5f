//! The fast engine: typed values, sets as bitboards without order.
//!
//! It never guesses. Where the order of a set, the identity of a value or an odd type could
//! decide a result, a kernel stops with [`EXACT`], and the reference engine decides. So every answer
//! of this engine equals CPython's, and a kernel may be as narrow as it likes.

mod functions;
mod kernels;
mod order;
pub(crate) mod run;
#[cfg(test)]
mod tests;
pub(crate) mod values;

use std::cell::Cell;

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::CancelToken;
use leyden_dsl::table::{Dialect, Prim};
use leyden_dsl::value::Value;
use leyden_profile::model::SlowReason;

use functions::body::Body;
pub(crate) use order::memo::Memo;
use order::memo::Orders;
use run::call::Kernels;
pub(crate) use run::outcome::{outcome, read_or_outcome};
pub(crate) use run::program::{Ended, run_alone};
pub use run::ready::Ready;
use run::watch::Watch;
use values::arena::bytes_used;
pub use values::arena::warm_up;
pub(crate) use values::arena::{has_headroom, reserve, with_arena};
pub(crate) use values::inputs::Inputs;
use values::small_map::FewMap;
pub(crate) use values::value::Arena;
pub(crate) use values::value::Val;

use crate::record::Slow;

/// A kernel gave no value. Either only the reference engine can tell what happens, or CPython raises a
/// fault in any order of its sets. The fault lies beside the stop, not in it: so a result fits into two
/// registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop(());

/// A kernel is not sure.
pub(crate) const EXACT: Stop = Stop(());

thread_local! {
    static FAULT: Cell<Option<Fault>> = const { Cell::new(None) };
}

impl Stop {
    #[cold]
    fn because_of(fault: Fault) -> Stop {
        FAULT.set(Some(fault));
        Stop(())
    }

    /// The fault behind the stop, if CPython raises it, too.
    #[cold]
    fn take_fault(self) -> Option<Fault> {
        FAULT.take()
    }

    /// Did the engine take the last fault?
    fn has_no_fault() -> bool {
        FAULT.get().is_none()
    }

    /// Forgets a fault on the way through a container: only the reference engine knows which one comes
    /// first.
    #[cold]
    fn forget_fault() {
        FAULT.set(None);
    }
}

/// The result of a kernel.
pub(crate) type R<'a> = Result<Val<'a>, Stop>;

/// The result of a part of a kernel.
pub(crate) type Maybe<T> = Result<T, Stop>;

/// The most nested calls here. A call is at most four Python frames, so CPython's limit of 1,000 is still
/// far away.
const MAX_DEPTH: u32 = 220;
/// The most nested calls where a second frame catches the faults of each primitive.
const MAX_DEPTH_IF_CAUGHT: u32 = MAX_DEPTH / 2;
const FRAMES_OF_A_LEVEL: u32 = 4;

/// The most memory that the values of one run may take.
const MAX_ARENA_BYTES: usize = 64 << 20;

/// A kernel announces a result with more elements before it makes the result, because the engine pays for
/// columns when all of them are done.
const MANY_ELEMENTS: u64 = 1 << 15;

/// The factor on that memory for a recorded run, which takes fewer short cuts.
const TIMES_IF_RECORDED: usize = 8;

/// The engine's state during a run.
pub(crate) struct Vm<'a> {
    arena: Arena<'a>,
    memo: &'a Memo,
    orders: Orders<'a>,
    /// The orders of some sets as places among their elements, by the address of the set.
    places: rustc_hash::FxHashMap<usize, &'a [u32]>,
    history_depth: u32,
    /// The places of each colour in the grid that a kernel searched last.
    masks: kernels::Masks<'a>,
    /// The bodies of functions that last, by their addresses.
    bodies: FewMap<'a, usize, Option<&'a Body<'a>>>,
    recent_steps: functions::shapes::RecentSteps<'a>,
    /// Room for columns that no call uses at the moment.
    spare_room: &'a mut [Val<'a>],
    /// The elements of large sets, by their addresses.
    lists: FewMap<'a, usize, &'a [Val<'a>]>,
    /// The size of the arena at the start of this run or shared node.
    arena_at_start: usize,
    fuel: u64,
    /// A short cut is under way, such as a step for many elements at once. If it stops, its payments mean
    /// nothing: the engine makes the calls again, one by one.
    is_trying: bool,
    /// Every function runs by its tree, so that each call pays when it happens.
    pays_call_by_call: bool,
    depth: u32,
    max_depth: u32,
    parts_to_hand_over: usize,
    /// The container that the reference engine got last, by its address.
    last_handed_over: Option<(usize, Value)>,
    /// The functions among the arguments that the reference engine gets, by their addresses.
    functions_handed_over: Vec<(usize, Value)>,
    dialect: Dialect,
    kernels: &'static Kernels,
    cancel: &'a CancelToken,
    stopped_by: Option<Prim>,
    /// The last hindrance, if it was not an odd value. Only the recorder reads it.
    hindrance: SlowReason,
    /// The number of the step in which a body stopped last.
    stopped_at: u32,
    /// There is one only while this thread records.
    watch: Option<Watch<'a>>,
}

/// Where the fast engine gave up: the order of a set or an odd value stopped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GaveUp {
    /// The line, counted from 0; the number of lines if the result itself stopped it.
    pub line: u32,
    /// The first primitive that stopped.
    pub prim: Option<Prim>,
    /// The reason.
    pub reason: SlowReason,
}

impl GaveUp {
    /// The reason, for the recorder.
    pub(crate) fn slow(&self) -> Slow {
        Slow {
            reason: self.reason,
            prim: self.prim,
        }
    }
}

/// How deep calls may nest.
fn max_depth(dialect: Dialect) -> u32 {
    if dialect.is_classic() {
        MAX_DEPTH
    } else {
        MAX_DEPTH_IF_CAUGHT
    }
}

impl<'a> Vm<'a> {
    pub(crate) fn new(
        arena: Arena<'a>,
        memo: &'a Memo,
        dialect: Dialect,
        fuel: u64,
        cancel: &'a CancelToken,
    ) -> Vm<'a> {
        arena.speak(dialect);
        Vm {
            arena,
            memo,
            orders: Orders::default(),
            places: Default::default(),
            history_depth: 0,
            masks: Default::default(),
            bodies: FewMap::new(arena),
            recent_steps: Default::default(),
            spare_room: &mut [],
            lists: FewMap::new(arena),
            arena_at_start: bytes_used(arena),
            fuel,
            is_trying: false,
            pays_call_by_call: false,
            depth: 0,
            max_depth: max_depth(dialect),
            parts_to_hand_over: run::reference_call::MOST_PARTS_IN_ALL,
            last_handed_over: None,
            functions_handed_over: Vec::new(),
            dialect,
            kernels: Kernels::of(dialect),
            cancel,
            stopped_by: None,
            hindrance: SlowReason::Value,
            stopped_at: 0,
            watch: Watch::of_thread(arena),
        }
    }

    /// Burns fuel, as `leyden_dsl::meter` says.
    #[inline]
    fn charge(&mut self, amount: u64) -> Maybe<()> {
        match self.fuel.checked_sub(amount) {
            Some(left) => {
                let is_checkpoint = (self.fuel ^ left) >> 16 != 0;
                self.fuel = left;
                if is_checkpoint {
                    return self.check_memory();
                }
                Ok(())
            }
            None => Err(Stop::because_of(Fault::Fuel)),
        }
    }

    /// The arena frees nothing during a run, so runs that need much of it are left to the exact
    /// engine.
    #[cold]
    fn check_memory(&mut self) -> Maybe<()> {
        let n_bytes = bytes_used(self.arena) - self.arena_at_start;
        // The recorder keeps things there, too, and takes fewer short cuts.
        let n_times = if self.is_watched() {
            TIMES_IF_RECORDED
        } else {
            1
        };
        if n_bytes / n_times > MAX_ARENA_BYTES || self.cancel.is_cancelled() {
            self.hindrance = SlowReason::Limit;
            return Err(EXACT);
        }
        Ok(())
    }

    /// Announces a result before it is made. Each kernel whose result can be much larger than its
    /// arguments does. A large one that the tank cannot pay for, or the arena should not hold, is left to
    /// the exact engine, which makes nothing of it either.
    #[inline]
    fn announce(&mut self, n_elements: u64) -> Maybe<()> {
        if n_elements <= MANY_ELEMENTS {
            return Ok(());
        }
        if n_elements > self.fuel {
            self.hindrance = SlowReason::Limit;
            return Err(EXACT);
        }
        self.check_memory()
    }

    /// The tuple that a line writes out, unless the exact engine refuses it for its size.
    fn tuple_of_line(&self, items: &'a [Val<'a>]) -> R<'a> {
        let tuple = Val::tuple(self.arena, items);
        if tuple.is_huge() {
            Err(EXACT)
        } else {
            Ok(tuple)
        }
    }

    /// Speaks a dialect from now on.
    #[inline]
    fn speak(&mut self, dialect: Dialect) {
        let form = self.arena.cells();
        self.dialect = dialect;
        self.arena.speak(dialect);
        if self.arena.cells() != form {
            self.change_kernels();
        }
    }

    /// Forgets what was made of functions with the kernels of another dialect.
    #[cold]
    fn change_kernels(&mut self) {
        self.kernels = Kernels::of(self.dialect);
        self.max_depth = max_depth(self.dialect);
        self.bodies = FewMap::new(self.arena);
    }

    /// Does every call of a primitive catch what it raises, and give an empty value instead?
    #[inline]
    fn catches(&self) -> bool {
        !self.dialect.is_classic()
    }

    #[inline]
    fn enter(&mut self, levels: u32) -> Maybe<()> {
        self.depth += levels;
        if self.depth > self.max_depth || self.cancel.is_cancelled() {
            self.depth -= levels;
            self.hindrance = SlowReason::Limit;
            return Err(EXACT);
        }
        Ok(())
    }

    /// As many levels as some Python frames make.
    fn levels_of_frames(n_frames: u32) -> u32 {
        n_frames.div_ceil(FRAMES_OF_A_LEVEL)
    }

    #[inline]
    fn leave(&mut self, levels: u32) {
        self.depth -= levels;
    }
}
