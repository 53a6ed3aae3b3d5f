//! The budget of a search, and an account of its use.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

use leyden_exec::Counts;
use leyden_profile::model::Phase;

use crate::card::{Clock, NoClock};

/// The number of questions for one look at the clock: a look takes half a microsecond, a small
/// program two.
const QUESTIONS_PER_LOOK: u32 = 8;

/// The budget for a puzzle, and the number of results.
///
/// Fuel is counted, not measured: under fuel alone a search gives equal results on every machine.
#[derive(Clone, Copy)]
pub struct Effort<'e> {
    /// Returns the used share of the time. At 1 the search ends.
    pub time_used: &'e (dyn Fn() -> f64 + Sync),
    /// The fuel for moves and known programs, and for comparing pictures in the same unit.
    pub fuel: u64,
    /// The largest number of states to keep.
    pub max_states: usize,
    /// The approximate memory for states, in bytes.
    pub max_bytes: usize,
    /// The number of answers for each test input.
    pub n_attempts: usize,
    /// The number of candidates to return in addition to the answers.
    pub n_candidates: usize,
    /// Whether to stop early with programs that reproduce all demonstrations.
    pub leaves_early: bool,
    /// The active parts of the search.
    pub parts: Parts,
    /// The clock for the times of the phases.
    pub clock: &'e (dyn Clock + Sync),
}

impl Default for Effort<'_> {
    fn default() -> Self {
        Effort {
            time_used: &|| 0.0,
            fuel: u64::MAX,
            max_states: 400_000,
            max_bytes: 450 << 20,
            n_attempts: 2,
            n_candidates: 0,
            leaves_early: false,
            parts: Parts::default(),
            clock: &NoClock,
        }
    }
}

impl fmt::Debug for Effort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Effort")
            .field("fuel", &self.fuel)
            .field("max_states", &self.max_states)
            .finish_non_exhaustive()
    }
}

/// The parts of the search. Each can be switched off to measure its worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Known programs.
    pub transfer: bool,
    /// Mutants of known programs.
    pub mutants: bool,
    /// Moves from picture to picture.
    pub moves: bool,
    /// Pictures completed by their symmetries.
    pub repair: bool,
    /// Drawings on blank cells.
    pub draw: bool,
    /// Lists of pictures.
    pub lists: bool,
    /// Pictures laid over each other.
    pub compose: bool,
    /// Rules learned from the demonstrations.
    pub induce: bool,
    /// Rules on pictures that moves made.
    pub later: bool,
    /// Rules for objects that know each other.
    pub objects: bool,
    /// Colours named by their role in each picture.
    pub views: bool,
}

impl Default for Parts {
    /// All parts.
    fn default() -> Parts {
        Parts {
            transfer: true,
            mutants: true,
            moves: true,
            repair: true,
            draw: true,
            lists: true,
            compose: true,
            induce: true,
            later: true,
            objects: true,
            views: true,
        }
    }
}

/// The phases of a search, in the order in which they begin.
pub const PHASES: [Phase; 6] = [
    Phase::Transfer,
    Phase::Mutate,
    Phase::Enumerate,
    Phase::Induce,
    Phase::Compose,
    Phase::Rank,
];

/// The time of each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times([Duration; Phase::ALL.len()]);

impl Times {
    /// The time of a phase.
    pub fn of(&self, phase: Phase) -> Duration {
        self.0[phase as usize]
    }

    /// Adds the times of another search.
    pub fn add(&mut self, other: &Times) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }
}

/// Keeps account of an [`Effort`].
pub(crate) struct Account<'e> {
    effort: &'e Effort<'e>,
    fuel: Cell<u64>,
    n_runs: Cell<u64>,
    times: Cell<Times>,
    now: Cell<(Phase, Duration)>,
    /// The share at which the current step is broken off, and whether fuel decides too.
    end: Cell<(f64, bool)>,
    n_looks: Cell<u32>,
    is_late: Cell<bool>,
}

impl<'e> Account<'e> {
    pub(crate) fn new(effort: &'e Effort<'e>) -> Account<'e> {
        Account {
            effort,
            fuel: Cell::new(0),
            n_runs: Cell::new(0),
            times: Cell::default(),
            now: Cell::new((Phase::Enumerate, effort.clock.now())),
            end: Cell::new((1.0, false)),
            n_looks: Cell::new(0),
            is_late: Cell::new(false),
        }
    }

    /// Begins another phase.
    pub(crate) fn enter(&self, phase: Phase) {
        let now = self.effort.clock.now();
        let (before, since) = self.now.replace((phase, now));
        let mut times = self.times.get();
        times.0[before as usize] += now.saturating_sub(since);
        self.times.set(times);
    }

    /// Counts spent fuel.
    pub(crate) fn spend(&self, fuel: u64) {
        self.fuel.set(self.fuel.get().saturating_add(fuel));
    }

    /// Counts runs of programs.
    pub(crate) fn count(&self, done: Counts) {
        self.spend(done.fuel);
        self.n_runs.set(self.n_runs.get() + done.runs);
    }

    /// Counts a run of a program on a grid.
    pub(crate) fn ran(&self, fuel: u64) {
        self.spend(fuel);
        self.n_runs.set(self.n_runs.get() + 1);
    }

    /// The share of the effort that is spent.
    pub(crate) fn used(&self) -> f64 {
        let of_fuel = match self.effort.fuel {
            0 => 1.0,
            fuel => self.fuel.get() as f64 / fuel as f64,
        };
        of_fuel.max((self.effort.time_used)())
    }

    /// Whether this share of the effort is spent.
    pub(crate) fn is_past(&self, share: f64) -> bool {
        self.used() >= share
    }

    /// Sets the share of the time at which steps are broken off, and of the fuel if steps are long.
    /// A short step that has begun is finished: its fuel is already paid for.
    pub(crate) fn set_end(&self, share: f64, are_steps_long: bool) {
        self.end.set((share, are_steps_long));
        self.is_late.set((self.effort.time_used)() >= share);
    }

    /// Whether everything is spent in the middle of a step that has used this much more fuel.
    pub(crate) fn is_spent(&self, besides: u64) -> bool {
        let fuel = self.fuel.get().saturating_add(besides);
        let (share, are_steps_long) = self.end.get();
        let is_burnt = are_steps_long && fuel as f64 >= self.effort.fuel as f64 * share;
        is_burnt || self.is_late()
    }

    /// Whether the time is over. Steps that fuel does not pay for ask this; under fuel alone
    /// nothing is ever late. Asking is cheap, as most questions do not look at the clock.
    pub(crate) fn is_late(&self) -> bool {
        let n_looks = self.n_looks.get().wrapping_add(1);
        self.n_looks.set(n_looks);
        if n_looks.is_multiple_of(QUESTIONS_PER_LOOK) {
            self.is_late_now()
        } else {
            self.is_late.get()
        }
    }

    /// Whether the time is over. This reads the clock, for steps that take milliseconds.
    pub(crate) fn is_late_now(&self) -> bool {
        if (self.effort.time_used)() >= self.end.get().0 {
            self.is_late.set(true);
        }
        self.is_late.get()
    }

    /// The fuel that is left.
    pub(crate) fn fuel_left(&self) -> u64 {
        self.effort.fuel.saturating_sub(self.fuel.get())
    }

    pub(crate) fn n_runs(&self) -> u64 {
        self.n_runs.get()
    }

    pub(crate) fn fuel(&self) -> u64 {
        self.fuel.get()
    }

    /// The times of all phases, including the current one.
    pub(crate) fn times(&self) -> Times {
        self.enter(self.now.get().0);
        self.times.get()
    }
}

/// A part of an effort, from one share to another.
#[derive(Clone, Copy)]
pub(crate) struct Span<'e> {
    account: &'e Account<'e>,
    from: f64,
    to: f64,
}

impl<'e> Span<'e> {
    pub(crate) fn new(account: &'e Account<'e>, from: f64, to: f64) -> Span<'e> {
        Span { account, from, to }
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.account.enter(phase);
    }

    pub(crate) fn spend(&self, fuel: u64) {
        self.account.spend(fuel);
    }

    pub(crate) fn count(&self, done: Counts) {
        self.account.count(done);
    }

    /// Whether this share of the part is spent.
    pub(crate) fn is_past(&self, share: f64) -> bool {
        self.account
            .is_past(self.from + share * (self.to - self.from))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_past(1.0)
    }

    /// Whether the whole effort is spent, not only this part.
    pub(crate) fn is_spent(&self, besides: u64) -> bool {
        self.account.is_spent(besides)
    }

    /// Whether the time of the whole effort is over, not only that of this part.
    pub(crate) fn is_late(&self) -> bool {
        self.account.is_late()
    }

    /// [`Span::is_late`] for steps that take milliseconds.
    pub(crate) fn is_late_now(&self) -> bool {
        self.account.is_late_now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A clock that advances a second at every look.
    #[derive(Default)]
    struct Slow(AtomicU64);

    impl Clock for Slow {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[test]
    fn times_of_phases_add_up() {
        let clock = Slow::default();
        let effort = Effort {
            clock: &clock,
            ..Effort::default()
        };
        let account = Account::new(&effort);
        for phase in [Phase::Enumerate, Phase::Compose, Phase::Enumerate] {
            account.enter(phase);
        }
        let times = account.times();
        let seconds = PHASES.map(|phase| times.of(phase).as_secs());
        assert_eq!(seconds, [0, 0, 3, 0, 1, 0]);
    }

    #[test]
    fn fuel_or_time_end_a_search() {
        let effort = Effort {
            fuel: 100,
            ..Effort::default()
        };
        let account = Account::new(&effort);
        account.spend(79);
        assert!(!account.is_past(0.8));
        account.spend(1);
        assert!(account.is_past(0.8) && !account.is_past(1.0));
        let late = Effort {
            time_used: &|| 1.0,
            ..Effort::default()
        };
        assert!(Account::new(&late).is_past(1.0));
    }
}
