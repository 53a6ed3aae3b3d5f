//! Columns that were worked out before.
//!
//! A function that is called for each object often goes over the same container each time and begins with
//! the same steps: what does not depend on the object. Steps are numbered by what they do to which
//! elements, as expressions are numbered in a compiler. When a step comes by again its results are kept,
//! and from then on it is paid for and not done.

use rustc_hash::FxHashMap;

use crate::vm::functions::body::{Action, Body, Reg, Source, Step};
use crate::vm::functions::columns::Column;
use crate::vm::functions::flatten::MAX_STEPS;
use crate::vm::run::watch::{CallsBelow, Laps};
use crate::vm::values::finder::address;
use crate::vm::values::small_map::FewMap;
use crate::vm::values::value::{Arena, Val};
use crate::vm::{Stop, Vm};

/// Fewer elements do not pay for it.
pub(crate) const WORTH_IT: usize = 32;
/// How many steps are numbered, and how many values are kept, in one run.
const MAX_KEYS: usize = 2_048;
const MAX_VALUES: usize = 1 << 16;

/// Elements, by where they lie and how many they are.
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
    /// What the step of this number gives.
    Result(u32),
}

/// What is known of a step.
struct Numbered<'a> {
    number: u32,
    state: State<'a>,
}

#[derive(Clone, Copy)]
enum State<'a> {
    /// It came by once.
    Seen,
    /// Its results, the fuel that it took, and what was called meanwhile if that is recorded.
    Kept(&'a [Val<'a>], u64, Option<CallsBelow<'a>>),
    /// It stops for some element.
    Unfit,
}

/// The steps of a run.
pub(crate) struct KnownColumns<'a> {
    /// The body that elements met first, until they meet another: most never do, and then its steps need
    /// no numbers.
    first: FewMap<'a, Elements, Option<&'a Body<'a>>>,
    entries: FxHashMap<Key, Numbered<'a>>,
    n_values: usize,
}

/// The results of the steps of a body for all elements, where they are known.
pub(crate) type Known<'a> = [Option<&'a [Val<'a>]>];

impl<'a> Vm<'a> {
    /// The elements of a container; of large sets, the same list each time.
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

    /// The columns of a body that are known or worth knowing, paid for; none if there are none.
    pub(crate) fn known_columns(
        &mut self,
        body: &'a Body<'a>,
        items: &'a [Val<'a>],
        mut laps: Option<&mut Laps<'a>>,
    ) -> Option<&'a Known<'a>> {
        if self.known.are_new(body, items) {
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

    /// Do these elements come by for the first time? At the second time the steps that they went through
    /// at the first get their numbers.
    fn are_new(&mut self, body: &'a Body<'a>, items: &[Val<'a>]) -> bool {
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

    /// The number of a step, and its state if it came by before. None if there are too many.
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

/// A constant as what it consists of.
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
