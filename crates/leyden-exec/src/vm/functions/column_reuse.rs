//! Columns that earlier calls worked out.
//!
//! A function that is called for each object often goes over one container each time and starts with
//! equal steps, which do not depend on the object. The engine numbers steps by their work and their
//! elements, as a compiler numbers expressions. When a step comes for the second time, the engine keeps
//! its results. From then on it pays for the step but does not run it.

use rustc_hash::FxHashMap;

use crate::vm::functions::body::{Action, Body, Reg, Source, Step};
use crate::vm::functions::columns::Column;
use crate::vm::functions::flatten::MAX_STEPS;
use crate::vm::run::watch::{CallsBelow, Laps};
use crate::vm::values::finder::address;
use crate::vm::values::small_map::FewMap;
use crate::vm::values::value::{Arena, Val};
use crate::vm::{Stop, Vm};

/// Keeping columns does not pay for fewer elements.
pub(crate) const WORTH_IT: usize = 32;
/// The most steps that get numbers, and the most values that are kept, in one run.
const MAX_KEYS: usize = 2_048;
const MAX_VALUES: usize = 1 << 16;

/// Elements, by their address and their number.
type Elements = (usize, usize);

/// A step on the elements of a container.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    elements: Elements,
    action: Action,
    args: [Argument; 4],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Argument {
    Missing,
    Element,
    /// A constant, by its kind and its word or address.
    Constant(u8, u64),
    /// The result of the step with this number.
    Result(u32),
}

/// A step with a number.
struct Numbered<'a> {
    number: u32,
    state: State<'a>,
}

#[derive(Clone, Copy)]
enum State<'a> {
    /// The step came once.
    Seen,
    /// Its results, the fuel that it took, and the calls in it if the recorder wants them.
    Kept(&'a [Val<'a>], u64, Option<CallsBelow<'a>>),
    /// The step stops for an element.
    Unfit,
}

/// The steps of a run.
pub(crate) struct KnownColumns<'a> {
    /// The first body of elements, until a second body comes. Most elements have only one, and then its
    /// steps need no numbers.
    first: FewMap<'a, Elements, Option<&'a Body<'a>>>,
    entries: FxHashMap<Key, Numbered<'a>>,
    n_values: usize,
}

/// The results of the steps of a body for all elements, where they are known.
pub(crate) type Known<'a> = [Option<&'a [Val<'a>]>];

impl<'a> Vm<'a> {
    /// The elements of a container. A large patch has one list in a run.
    pub(crate) fn elements_of(&mut self, value: &Val<'a>) -> Option<&'a [Val<'a>]> {
        let is_patch = matches!(value, Val::Indices(_) | Val::Object(_));
        if !is_patch || value.len()? < WORTH_IT {
            return value.elements(self.arena);
        }
        let address = address(value)?;
        if let Some(known) = self.lists.get(address) {
            return Some(known);
        }
        let elements = value.elements(self.arena)?;
        self.lists.add(address, elements);
        Some(elements)
    }

    /// The columns of a body that are known or become known now. Pays for them. `None` if there are
    /// none.
    pub(crate) fn known_columns(
        &mut self,
        body: &'a Body<'a>,
        items: &'a [Val<'a>],
        mut laps: Option<&mut Laps<'a>>,
    ) -> Option<&'a Known<'a>> {
        if self.known.note_elements(body, items) {
            return None;
        }
        let mut known = [None; MAX_STEPS];
        let mut numbers = [None; MAX_STEPS];
        let before = self.fuel;
        for (k, step) in body.steps.iter().enumerate() {
            let Some(key) = key(body, step, items, &numbers) else {
                continue;
            };
            let Some((number, state)) = self.known.look_up(key) else {
                break;
            };
            numbers[k] = Some(number);
            if step.is_lazy {
                continue;
            }
            known[k] = match state {
                None | Some(State::Unfit) => None,
                Some(State::Kept(_, _, calls))
                    if !self.is_counted_again(laps.as_deref(), (k, step), calls) =>
                {
                    None
                }
                Some(State::Kept(column, fuel, _)) => {
                    let fuel = fuel.saturating_mul(step.n_times.into());
                    if self.charge(fuel).is_err() {
                        Stop::forget_fault();
                        self.fuel = before;
                        return None;
                    }
                    Some(column)
                }
                Some(State::Seen) => self.kept(key, (body, k), items, &known, laps.as_deref_mut()),
            };
        }
        let known = &known[..body.steps.len()];
        known
            .iter()
            .any(Option::is_some)
            .then(|| &*self.arena.alloc_slice_copy(known))
    }

    /// Works out a column and keeps it.
    fn kept(
        &mut self,
        key: Key,
        (body, k): (&Body<'a>, usize),
        items: &[Val<'a>],
        known: &Known<'a>,
        laps: Option<&mut Laps<'a>>,
    ) -> Option<&'a [Val<'a>]> {
        let step = &body.steps[k];
        if self.known.n_values + items.len() > MAX_VALUES {
            return None;
        }
        let mut args = [Column::Same(&Val::None); 4];
        for (arg, reg) in args.iter_mut().zip(step.registers()) {
            *arg = match body.source(*reg) {
                Source::Element => Column::Each(items),
                Source::Constant(constant) => Column::Same(constant),
                Source::Step(k) => Column::Each(known[k]?),
                Source::Capture(_) => return None,
            };
        }
        let before = (self.fuel, self.stopped_by);
        let results = self.arena.alloc_slice_fill_copy(items.len(), Val::None);
        let counted = laps
            .as_deref()
            .and_then(|laps| self.calls_below(laps, (k, step)));
        let done = match laps {
            Some(laps) => self.in_step(laps, k, |vm| vm.run_column(body, step, &args, results)),
            None => self.run_column(body, step, &args, results),
        };
        let fuel = before.0 - self.fuel;
        if done.is_err() || self.charge_again(step, before.0).is_err() {
            Stop::forget_fault();
            (self.fuel, self.stopped_by) = before;
            self.take_back(counted);
            self.known.set(key, State::Unfit);
            return None;
        }
        self.known.n_values += items.len();
        let calls = counted.map(|before| self.calls_since(before));
        self.known.set(key, State::Kept(results, fuel, calls));
        Some(results)
    }
}

impl<'a> KnownColumns<'a> {
    pub(crate) fn new(arena: Arena<'a>) -> KnownColumns<'a> {
        KnownColumns {
            first: FewMap::new(arena),
            entries: FxHashMap::default(),
            n_values: 0,
        }
    }

    /// Notes that elements go through a body, and gives whether this is the first time. At the second
    /// time the steps of the first body get their numbers.
    fn note_elements(&mut self, body: &'a Body<'a>, items: &[Val<'a>]) -> bool {
        let key = elements(items);
        let Some(first) = self.first.get_mut(key) else {
            if self.first.len() < MAX_KEYS {
                self.first.add(key, Some(body));
            }
            return true;
        };
        if let Some(first) = first.take() {
            self.number_steps(first, items);
        }
        false
    }

    fn number_steps(&mut self, body: &Body<'a>, items: &[Val<'a>]) {
        let mut numbers = [None; MAX_STEPS];
        for (k, step) in body.steps.iter().enumerate() {
            let key = key(body, step, items, &numbers);
            numbers[k] = key.and_then(|key| Some(self.look_up(key)?.0));
        }
    }

    /// The number of a step, and its state if it came before. `None` if there are too many steps.
    fn look_up(&mut self, key: Key) -> Option<(u32, Option<State<'a>>)> {
        let number = self.entries.len() as u32;
        if let Some(entry) = self.entries.get(&key) {
            return Some((entry.number, Some(entry.state)));
        }
        if self.entries.len() >= MAX_KEYS {
            return None;
        }
        let state = State::Seen;
        self.entries.insert(key, Numbered { number, state });
        Some((number, None))
    }

    fn set(&mut self, key: Key, state: State<'a>) {
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.state = state;
        }
    }
}

fn elements(items: &[Val<'_>]) -> Elements {
    (items.as_ptr().addr(), items.len())
}

fn key<'a>(
    body: &Body<'a>,
    step: &Step<Reg>,
    items: &[Val<'a>],
    numbers: &[Option<u32>],
) -> Option<Key> {
    let mut args = [Argument::Missing; 4];
    for (arg, reg) in args.iter_mut().zip(&step.args[..step.n_args.into()]) {
        *arg = match body.source(*reg) {
            Source::Element => Argument::Element,
            Source::Constant(constant) => word(constant),
            Source::Step(k) => Argument::Result(numbers[k]?),
            Source::Capture(_) => return None,
        };
    }
    Some(Key {
        elements: elements(items),
        action: step.action,
        args,
    })
}

/// A constant by its kind and its word or address.
fn word(value: &Val<'_>) -> Argument {
    fn at<T>(of: &T) -> u64 {
        std::ptr::from_ref(of).addr() as u64
    }
    match value {
        Val::None => Argument::Constant(0, 0),
        Val::Bool(b) => Argument::Constant(1, b.get().into()),
        Val::Int(n) => Argument::Constant(2, *n as u64),
        Val::Pair(pair) => Argument::Constant(3, pair.sort_key()),
        Val::Cell(cell) => Argument::Constant(4, cell.sort_key()),
        Val::Grid(of) => Argument::Constant(5, at(*of)),
        Val::Two(of) => Argument::Constant(6, at(*of)),
        Val::Tuple(of) => Argument::Constant(7, at(*of)),
        Val::Bag(of) => Argument::Constant(8, at(*of)),
        Val::Indices(of) => Argument::Constant(9, at(*of)),
        Val::Object(of) => Argument::Constant(10, at(*of)),
        Val::Set(of) => Argument::Constant(11, at(*of)),
        Val::Prim(of) => Argument::Constant(12, at(*of)),
        Val::Func(of) => Argument::Constant(13, at(*of)),
        Val::Triple(cell) => Argument::Constant(14, cell.sort_key()),
        Val::Float(x) => Argument::Constant(15, x.get().to_bits()),
    }
}
