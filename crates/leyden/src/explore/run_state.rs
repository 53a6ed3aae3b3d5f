//! The state of a run, as far as its journal tells.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::run_files::End;
use super::run_lines::Line;

/// At most this many finds are kept for the page, the first ones.
const MOST_FINDS: usize = 2_000;
/// At most this many points of the curve; then every second one goes.
const MOST_POINTS: usize = 1_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    #[default]
    Running,
    Done,
    Stopped,
    Failed,
}

/// A run.
#[derive(Debug, Default)]
pub(super) struct RunState {
    pub(super) state: State,
    message: String,
    /// The tasks that are finished or found, and whether a program fits.
    tasks: BTreeMap<String, bool>,
    finds: Vec<Value>,
    n_rounds: u64,
    n_fitting: u64,
    curve: Vec<(f64, u64)>,
}

impl End {
    /// The end of a command with an exit code.
    pub(super) fn of(code: u8, is_cancelled: bool, message: &str) -> End {
        let state = match code {
            _ if is_cancelled => State::Stopped,
            0 => State::Done,
            _ => State::Failed,
        };
        let message = match state {
            State::Failed => message.trim().trim_start_matches("error: ").to_owned(),
            _ => String::new(),
        };
        End { state, message }
    }
}

impl RunState {
    /// The run begins or goes on. Its journal is read from the start.
    pub(super) fn begin(&mut self) {
        self.state = State::Running;
        self.message.clear();
    }

    /// The run has ended; without an end, a kill stopped it.
    pub(super) fn end(&mut self, end: Option<End>) {
        let (state, message) = end.map_or((State::Stopped, String::new()), |end| {
            (end.state, end.message)
        });
        (self.state, self.message) = (state, message);
    }

    /// The number of tasks that a program fits.
    pub(super) fn n_fitting(&self) -> u64 {
        self.n_fitting
    }

    /// The time of the last point of the curve.
    pub(super) fn seconds(&self) -> f64 {
        self.curve.last().map_or(0.0, |point| point.0)
    }

    /// Takes a line; gives the event that the page hears. Lines that are known already change nothing.
    pub(super) fn take(
        &mut self,
        line: Line,
        seconds: Option<f64>,
    ) -> Option<(&'static str, Value)> {
        let changed = line.task().map(str::to_owned);
        let find = match line {
            Line::Other => return None,
            Line::Task {
                task,
                fits,
                source,
                program,
                took,
            } => {
                if self.tasks.insert(task.clone(), fits).is_some() {
                    return None;
                }
                self.n_fitting += u64::from(fits);
                fits.then(|| json!({ "task": task, "source": source, "text": program, "took": took, "seconds": seconds }))
            }
            Line::Find {
                task,
                program,
                fits,
            } => {
                if self.tasks.insert(task.clone(), fits) == Some(fits) {
                    return None;
                }
                // The round that follows gives the number of all tasks.
                self.n_fitting += u64::from(fits);
                fits.then(|| json!({ "task": task, "program": program, "seconds": seconds }))
            }
            Line::Round { rounds, fitting } => {
                if rounds <= self.n_rounds && self.n_rounds > 0 {
                    return None;
                }
                self.n_rounds = rounds;
                self.n_fitting = fitting;
                None
            }
        };
        if let Some(seconds) = seconds {
            self.add_point(seconds, self.n_fitting);
        }
        let mut event = self.in_short();
        if let Some(id) = changed {
            event["task"] = json!({ "id": id, "state": self.state_of(&id) });
        }
        let Some(find) = find else {
            return Some(("progress", event));
        };
        if self.finds.len() < MOST_FINDS {
            self.finds.push(find.clone());
        }
        event["find"] = find;
        Some(("find", event))
    }

    fn state_of(&self, id: &str) -> &'static str {
        match self.tasks.get(id) {
            None => "open",
            Some(true) => "fits",
            Some(false) => "none",
        }
    }

    /// Adds a point to the curve.
    fn add_point(&mut self, seconds: f64, n_fitting: u64) {
        if self.curve.len() == MOST_POINTS {
            let mut k = 0;
            self.curve.retain(|_| {
                k += 1;
                k % 2 == 0
            });
        }
        self.curve.push((seconds, n_fitting));
    }

    /// The facts of a list.
    pub(super) fn in_short(&self) -> Value {
        json!({
            "state": self.state,
            "message": self.message,
            "done": self.tasks.len(),
            "rounds": self.n_rounds,
            "solved": self.n_fitting,
            "seconds": self.seconds(),
        })
    }

    /// Adds tasks, finds and the curve.
    pub(super) fn write_into<'t>(&self, whole: &mut Value, ids: impl Iterator<Item = &'t str>) {
        let tasks: Vec<Value> = ids
            .map(|id| json!({ "id": id, "state": self.state_of(id) }))
            .collect();
        whole["tasks"] = tasks.into();
        whole["finds"] = self.finds.clone().into();
        whole["curve"] = json!(self.curve);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, fits: bool) -> Line {
        Line::Task {
            task: name.to_owned(),
            fits,
            source: "search".to_owned(),
            program: String::new(),
            took: 1.0,
        }
    }

    #[test]
    fn a_journal_that_is_read_again_counts_once() {
        let mut state = RunState::default();
        assert_eq!(state.take(task("a", true), Some(1.0)).unwrap().0, "find");
        let (kind, event) = state.take(task("b", false), Some(2.0)).unwrap();
        assert_eq!(kind, "progress");
        assert_eq!(event["task"], json!({ "id": "b", "state": "none" }));
        assert!(state.take(task("a", true), Some(3.0)).is_none());
        assert_eq!(state.in_short()["solved"], 1);
        assert_eq!(state.in_short()["done"], 2);
        assert_eq!(state.curve, [(1.0, 1), (2.0, 1)]);
    }

    #[test]
    fn the_curve_stays_short() {
        let mut state = RunState::default();
        (0..3 * MOST_POINTS).for_each(|k| state.add_point(k as f64, 1));
        assert!(state.curve.len() <= MOST_POINTS);
        assert_eq!(state.seconds(), (3 * MOST_POINTS - 1) as f64);
    }

    #[test]
    fn a_stopped_run_has_not_failed() {
        let mut state = RunState::default();
        state.end(Some(End::of(130, true, "error: stopped")));
        assert_eq!(state.state, State::Stopped);
        state.end(Some(End::of(2, false, "error: no such data")));
        assert_eq!(
            (state.state, state.message.as_str()),
            (State::Failed, "no such data")
        );
        state.end(None);
        assert_eq!(state.state, State::Stopped);
    }
}
