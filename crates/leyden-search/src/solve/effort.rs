//! What a search may spend, and what it has spent.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

use leyden_exec::Counts;
use leyden_profile::model::Phase;

use crate::card::{Clock, NoClock};

/// Questions whether it is late look at the clock once in so many times: a look takes half a
/// microsecond, a small program two.
const QUESTIONS_PER_LOOK: u32 = 8;

/// What to spend on a puzzle, and what to bring back.
///
/// Fuel is counted, not measured: under fuel alone a search gives the same on every machine.
#[derive(Clone, Copy)]
pub struct Effort<'e> {
    /// The share of the time that is used up; at 1 the search ends.
    pub time_used: &'e (dyn Fn() -> f64 + Sync),
    /// The most fuel: what moves and known programs burn, and what comparing pictures costs in
    /// the same unit.
    pub fuel: u64,
    /// The most states to keep.
    pub max_states: usize,
    /// The most memory for states, in bytes, more or less.
    pub max_bytes: usize,
    /// The most answers to give for each test input.
    pub n_attempts: usize,
    /// How many candidates to bring back besides the answers.
    pub n_candidates: usize,
    /// Whether to be content early with what reproduces all demonstrations.
    pub leaves_early: bool,
    /// What takes part.
    pub parts: Parts,
    /// For the times of the phases.
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

/// The parts of the search, to be switched off one by one to see what each adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Known programs.
    pub transfer: bool,
    /// Changed versions of known programs.
    pub mutants: bool,
    /// Moves from picture to picture.
    pub moves: bool,
    /// Pictures laid over each other.
    pub compose: bool,
    /// Rules learned from the demonstrations.
    pub induce: bool,
    /// Colours named by their role in each picture.
    pub views: bool,
}

impl Default for Parts {
    /// All of them.
    fn default() -> Parts {
        Parts {
            transfer: true,
            mutants: true,
            moves: true,
            compose: true,
            induce: true,
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

/// How long each phase took.
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
    /// The share at which the step that runs is broken off, and whether fuel has a say in it.
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

    /// Another phase begins.
    pub(crate) fn enter(&self, phase: Phase) {
        let now = self.effort.clock.now();
        let (before, since) = self.now.replace((phase, now));
        let mut times = self.times.get();
        times.0[before as usize] += now.saturating_sub(since);
        self.times.set(times);
    }

    /// So much more fuel is spent.
    pub(crate) fn spend(&self, fuel: u64) {
        self.fuel.set(self.fuel.get().saturating_add(fuel));
    }

    /// Programs were run.
    pub(crate) fn count(&self, done: Counts) {
        self.spend(done.fuel);
        self.n_runs.set(self.n_runs.get() + done.runs);
    }

    /// A program was run on a grid.
    pub(crate) fn ran(&self, fuel: u64) {
        self.spend(fuel);
        self.n_runs.set(self.n_runs.get() + 1);
    }

    /// Is this share of the effort spent?
    pub(crate) fn is_past(&self, share: f64) -> bool {
        let most_fuel = self.effort.fuel as f64 * share;
        self.fuel.get() as f64 >= most_fuel || (self.effort.time_used)() >= share
    }

    /// From now on steps are broken off at this share of the time, and of the fuel if they are
    /// long. Where they are short, a step that was begun is finished: its fuel is paid for already.
    pub(crate) fn set_end(&self, share: f64, are_steps_long: bool) {
        self.end.set((share, are_steps_long));
        self.is_late.set((self.effort.time_used)() >= share);
    }

    /// Is all spent, in the middle of a step that has burnt so much besides?
    pub(crate) fn is_spent(&self, besides: u64) -> bool {
        let fuel = self.fuel.get().saturating_add(besides);
        let (share, are_steps_long) = self.end.get();
        let is_burnt = are_steps_long && fuel as f64 >= self.effort.fuel as f64 * share;
        is_burnt || self.is_late()
    }

    /// Is the time over? Steps that fuel does not pay for ask this: under fuel alone nothing is
    /// ever late. Asking is cheap, as most questions do not look at the clock.
    pub(crate) fn is_late(&self) -> bool {
        let n_looks = self.n_looks.get().wrapping_add(1);
        self.n_looks.set(n_looks);
        match n_looks.is_multiple_of(QUESTIONS_PER_LOOK) {
            true => self.is_late_now(),
            false => self.is_late.get(),
        }
    }

    /// Is the time over? This looks at the clock, for steps that take milliseconds.
    pub(crate) fn is_late_now(&self) -> bool {
        if (self.effort.time_used)() >= self.end.get().0 {
            self.is_late.set(true);
        }
        self.is_late.get()
    }

    /// What is left of the fuel.
    pub(crate) fn fuel_left(&self) -> u64 {
        self.effort.fuel.saturating_sub(self.fuel.get())
    }

    pub(crate) fn n_runs(&self) -> u64 {
        self.n_runs.get()
    }

    pub(crate) fn fuel(&self) -> u64 {
        self.fuel.get()
    }

    /// The times of all phases, this moment included.
    pub(crate) fn times(&self) -> Times {
        self.enter(self.now.get().0);
        self.times.get()
    }
}

/// A part of an effort, from one share of it to another.
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

    /// Is this share of it spent?
    pub(crate) fn is_past(&self, share: f64) -> bool {
        self.account
            .is_past(self.from + share * (self.to - self.from))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_past(1.0)
    }

    /// Is all spent, not only this part of it?
    pub(crate) fn is_spent(&self, besides: u64) -> bool {
        self.account.is_spent(besides)
    }

    /// Is the time of the whole effort over, not only that of this part?
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

    /// Every look takes a second.
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
