//! The threads of a search, and the time that each task gets.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Queue, share_out};
use leyden_grid::Puzzle;
use leyden_search::solve::{Candidate, Effort, Known, Moves, Parts, Times, solve};

use super::found::Found;
use super::journal::Journal;
use crate::args::Spend;
use crate::clock::{Wall, thread_cpu};
use crate::progress::Progress;
use crate::report::numbers::{duration, rate};

/// Memory is bounded by the number of states; these are some hundred megabytes.
pub(crate) const MAX_STATES: usize = 400_000;
/// The share of a budget that is reserved for writing results.
const RESERVE: f64 = 0.005;
const MIN_RESERVE: Duration = Duration::from_millis(30);
/// An interrupted search has this long to turn its findings into answers.
const PATIENCE: Duration = Duration::from_millis(400);

/// The state that the threads of a search share.
pub(crate) struct Crew<'c> {
    pub(crate) moves: &'c Moves,
    pub(crate) known: &'c Known,
    pub(crate) spend: Spend,
    pub(crate) parts: Parts,
    pub(crate) n_threads: usize,
    /// The budget counts from here.
    pub(crate) started: Wall,
    pub(crate) cancel: &'c CancelToken,
    pub(crate) journal: Option<&'c Journal>,
    pub(crate) n_candidates: usize,
}

/// The result for a task.
pub(crate) struct Solved {
    pub(crate) found: Found,
    pub(crate) candidates: Vec<Candidate>,
    /// By phase of the search.
    pub(crate) times: Times,
    /// Did the search spend its whole allowance, without being cut short?
    pub(crate) is_whole: bool,
}

/// The progress of all threads together.
struct Watch<'w> {
    progress: &'w Progress,
    began: Wall,
    n_items: usize,
    n_fitting: AtomicUsize,
}

impl Crew<'_> {
    /// Searches for answers to the puzzles. Puzzles that the budget did not reach are missing.
    pub(crate) fn solve_all(&self, puzzles: &[&Puzzle]) -> Vec<Solved> {
        let progress = Progress::live("solving", puzzles.len());
        let watch = Watch {
            progress: &progress,
            began: Wall::start(),
            n_items: puzzles.len(),
            n_fitting: AtomicUsize::new(0),
        };
        let solved = share_out(self.n_threads, puzzles, |queue| self.work(queue, &watch));
        solved.into_iter().map(|(_, solved)| solved).collect()
    }

    fn work(&self, queue: &Queue<'_, &Puzzle>, watch: &Watch<'_>) -> Vec<(usize, Solved)> {
        let mut done = Vec::new();
        while !self.is_late()
            && let Some((k, puzzle)) = queue.take()
        {
            let solved = self.solve(puzzle, self.share(watch.n_items - k));
            if let Some(journal) = self.journal
                && solved.is_whole
            {
                journal.add(&solved.found);
            }
            self.tell(watch, &solved.found);
            done.push((k, solved));
        }
        done
    }

    /// Is the time over?
    fn is_late(&self) -> bool {
        self.cancel.is_cancelled() || self.left().is_some_and(|left| left.is_zero())
    }

    /// The rest of the budget.
    fn left(&self) -> Option<Duration> {
        let budget = self.spend.budget?;
        let reserve = budget.mul_f64(RESERVE).max(MIN_RESERVE);
        Some(budget.saturating_sub(reserve + self.started.elapsed()))
    }

    /// The wall time for the next task: an equal share of the rest for every task that waits.
    fn share(&self, n_waiting: usize) -> Option<Duration> {
        let n_rounds = n_waiting.div_ceil(self.n_threads).max(1);
        Some(self.left()? / n_rounds as u32)
    }

    fn solve(&self, puzzle: &Puzzle, share: Option<Duration>) -> Solved {
        let wall = Wall::start();
        let cpu = OnceLock::new();
        let interrupted = OnceLock::new();
        let time_used = || {
            // The search may run on another thread, so its clock starts when it first asks.
            let spent = thread_cpu().saturating_sub(*cpu.get_or_init(thread_cpu));
            let of_task = part(spent, self.spend.per_task);
            let of_share = part(wall.elapsed(), share);
            let of_patience = if self.cancel.is_cancelled() {
                let since: &Wall = interrupted.get_or_init(Wall::start);
                0.9 + part(since.elapsed(), Some(PATIENCE)) / 10.0
            } else {
                0.0
            };
            of_task.max(of_share).max(of_patience)
        };
        let effort = Effort {
            time_used: &time_used,
            fuel: self.spend.fuel_per_task.unwrap_or(u64::MAX),
            max_states: MAX_STATES,
            n_candidates: self.n_candidates,
            leaves_early: share.is_some(),
            parts: self.parts,
            clock: &wall,
            ..Effort::default()
        };
        let solution = solve(self.moves, self.known, puzzle, &effort);
        Solved {
            found: Found::new(puzzle, &solution, wall.elapsed().as_secs_f64()),
            times: solution.times,
            candidates: solution.candidates,
            is_whole: !self.cancel.is_cancelled(),
        }
    }

    fn tell(&self, watch: &Watch<'_>, found: &Found) {
        let n_new = usize::from(found.fits());
        let n_fitting = watch.n_fitting.fetch_add(n_new, Ordering::Relaxed) + n_new;
        watch.progress.advance(1);
        let n_done = watch.progress.n_done() as usize;
        let elapsed = watch.began.elapsed();
        let rest = watch.n_items.saturating_sub(n_done) as f64 / n_done.max(1) as f64;
        let left = elapsed.mul_f64(rest);
        let left = self.left().map_or(left, |most| left.min(most));
        watch.progress.note(&format!(
            "{n_done} tried ({}), {n_fitting} fit all demos, {} left",
            rate(n_done, elapsed),
            duration(left)
        ));
    }
}

/// A time as a share of the whole; 0 if the whole has no end.
fn part(time: Duration, whole: Option<Duration>) -> f64 {
    whole.map_or(0.0, |whole| {
        time.as_secs_f64() / whole.as_secs_f64().max(1e-9)
    })
}
