//! A progress bar for people: only on a terminal, and only when work takes long.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::clock::Wall;

const PATIENCE: Duration = Duration::from_secs(1);
const FRAME: Duration = Duration::from_millis(100);
const COUNTED: &str = "{msg} {wide_bar} {human_pos}/{human_len} {eta}";
const WAITING: &str = "{spinner} {msg} {elapsed}";
const LIVE: &str = "{msg} {wide_bar} {human_pos}/{human_len}";

/// Counts finished items, from any thread.
pub(crate) struct Progress {
    what: &'static str,
    n_items: u64,
    n_done: AtomicU64,
    started: Wall,
    visible: bool,
    template: &'static str,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(what: &'static str, n_items: usize) -> Progress {
        Progress {
            what,
            n_items: n_items as u64,
            n_done: AtomicU64::new(0),
            started: Wall::start(),
            visible: std::io::stderr().is_terminal(),
            template: COUNTED,
            bar: OnceLock::new(),
        }
    }

    /// A bar that appears at once and shows a note beside the count.
    pub(crate) fn live(what: &'static str, n_items: usize) -> Progress {
        let mut progress = Progress::new(what, n_items);
        progress.template = LIVE;
        if progress.visible {
            progress.bar.get_or_init(|| progress.draw());
        }
        progress
    }

    /// A bar for items that may each take long: for a few items it appears before the first is
    /// done.
    pub(crate) fn of_long_items(what: &'static str, n_items: usize) -> Progress {
        const FEW: usize = 8;
        if n_items < FEW {
            Progress::live(what, n_items)
        } else {
            Progress::new(what, n_items)
        }
    }

    /// Sets the note beside the count.
    pub(crate) fn note(&self, note: &str) {
        if let Some(bar) = self.bar.get() {
            bar.set_message(format!("{}: {note}", self.what));
        }
    }

    /// Counts `n_items` more as done.
    pub(crate) fn advance(&self, n_items: usize) {
        let n_done = self.n_done.fetch_add(n_items as u64, Ordering::Relaxed) + n_items as u64;
        if self.visible && (self.bar.get().is_some() || self.started.elapsed() > PATIENCE) {
            self.bar.get_or_init(|| self.draw()).set_position(n_done);
        }
    }

    pub(crate) fn n_done(&self) -> u64 {
        self.n_done.load(Ordering::Relaxed)
    }

    fn draw(&self) -> ProgressBar {
        let style = ProgressStyle::with_template(self.template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(self.n_items)
            .with_style(style)
            .with_message(self.what);
        bar.enable_steady_tick(FRAME);
        bar
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

/// A spinner for work that cannot be counted; hidden without a terminal.
pub(crate) fn spinner() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(WAITING);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.enable_steady_tick(FRAME);
    bar
}
