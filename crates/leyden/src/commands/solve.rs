//! `leyden solve`: answers to tasks that nobody has programs for.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Queue, share_out};
use leyden_grid::{Puzzle, Task, TaskId};
use leyden_lang::print_python;
use leyden_search::solve::{Attempt, Effort, Moves, Parts, Solution, solve};
use leyden_store::submission::{Attempts, Submission};
use leyden_store::{load, write_atomic};
use serde::Serialize;

use crate::args::SolveArgs;
use crate::clock::{Wall, thread_cpu};
use crate::commands::run::select;
use crate::commands::show::cache_for;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::report::numbers::{count, counted};
use crate::report::style::{BOLD, rendered};
use crate::report::write_both;
use crate::stop;

/// Where nothing else is said, a task may take this long.
const DEFAULT_PER_TASK: Duration = Duration::from_secs(4);
/// Memory is bounded by the number of states; these are some hundred megabytes.
const MAX_STATES: usize = 400_000;
const N_ATTEMPTS: usize = 2;

/// What was found for a task.
#[derive(Serialize)]
struct Row {
    task: String,
    states: usize,
    pieces: usize,
    wall_s: f64,
    answers: Vec<Vec<AnswerRow>>,
}

#[derive(Serialize)]
struct AnswerRow {
    demos_reproduced: usize,
    demos: usize,
    cost: u32,
    program: String,
    program_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_right: Option<bool>,
}

#[derive(Serialize)]
struct Report {
    data: String,
    data_hash: String,
    engine: &'static str,
    per_task_s: f64,
    tasks: usize,
    tried: usize,
    fit_all_demos: usize,
    /// Tasks all of whose test outputs are right in one of two attempts, where the data tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    solved: Option<usize>,
    rows: Vec<Row>,
}

pub(crate) fn run(args: SolveArgs, cancel: &CancelToken, started: Wall) -> Result<(), Failure> {
    let data = load(&args.data, None, &cache_for(&args.data)?)?;
    let tasks = select(data.tasks, &args.only, args.most_tasks, &data.name)?;
    let puzzles: Vec<Puzzle> = tasks.iter().map(Task::puzzle).collect();
    let moves = Moves::own().map_err(|error| Failure::Other(error.into()))?;
    let progress = Progress::new("solving", puzzles.len());
    let per_task = per_task(&args, puzzles.len());
    let crew = Crew {
        moves: &moves,
        per_task,
        deadline: args.budget,
        started,
        cancel,
        progress: &progress,
    };
    stop::allow_last_words();
    let found = share_out(args.n_threads, &puzzles, |queue| crew.work(queue));
    drop(progress);
    let mut solutions: Vec<Option<(Solution, Duration)>> = puzzles.iter().map(|_| None).collect();
    for (k, solution) in found {
        solutions[k] = Some(solution);
    }
    if let Some(out) = &args.out {
        submission(&puzzles, &solutions)
            .write(out)
            .map_err(Failure::writing)?;
    }
    if let Some(directory) = &args.programs {
        write_programs(directory, &puzzles, &solutions)?;
    }
    let report = Report {
        data: data.name,
        data_hash: data.hash,
        engine: env!("CARGO_PKG_VERSION"),
        per_task_s: per_task.as_secs_f64(),
        tasks: tasks.len(),
        tried: solutions.iter().flatten().count(),
        fit_all_demos: puzzles
            .iter()
            .zip(&solutions)
            .filter(|(p, s)| fits(p, s.as_ref()))
            .count(),
        solved: n_solved(&tasks, &solutions),
        rows: tasks
            .iter()
            .zip(&solutions)
            .filter_map(|(t, s)| Some(row(t, s.as_ref()?)))
            .collect(),
    };
    let text = text(&report, started.elapsed(), args.out.as_deref());
    if cancel.is_cancelled() && report.tried < report.tasks {
        return Err(Failure::Stopped(format!(
            "{} of {} tasks tried{}",
            count(report.tried),
            count(report.tasks),
            args.out.as_ref().map_or(String::new(), |out| format!(
                "; the submission is complete: {}",
                out.display()
            ))
        )));
    }
    write_both(&text, args.json.as_ref(), &report)
}

/// The time for a task: what was said, or its share of the budget.
fn per_task(args: &SolveArgs, n_tasks: usize) -> Duration {
    let share = args.budget.map(|budget| {
        let n_rounds = n_tasks.div_ceil(args.n_threads).max(1);
        budget.mul_f64(0.97) / n_rounds as u32
    });
    args.per_task.or(share).unwrap_or(DEFAULT_PER_TASK)
}

/// What the threads share.
struct Crew<'c> {
    moves: &'c Moves,
    per_task: Duration,
    deadline: Option<Duration>,
    started: Wall,
    cancel: &'c CancelToken,
    progress: &'c Progress,
}

impl Crew<'_> {
    fn work(&self, queue: &Queue<'_, Puzzle>) -> Vec<(usize, (Solution, Duration))> {
        let mut found = Vec::new();
        while !self.is_late()
            && let Some((k, puzzle)) = queue.take()
        {
            found.push((k, self.solve(puzzle)));
            self.progress.advance(1);
        }
        found
    }

    /// Is there no time left for anything?
    fn is_late(&self) -> bool {
        let is_past = |deadline: Duration| self.started.elapsed() >= deadline;
        self.cancel.is_cancelled() || self.deadline.is_some_and(is_past)
    }

    fn solve(&self, puzzle: &Puzzle) -> (Solution, Duration) {
        // The search has a thread of its own, and so a clock that starts when it first asks.
        let begin = OnceLock::new();
        let spent = || thread_cpu().saturating_sub(*begin.get_or_init(thread_cpu));
        let effort = Effort {
            is_over: &|| spent() >= self.per_task || self.is_late(),
            max_states: MAX_STATES,
            n_attempts: N_ATTEMPTS,
            parts: Parts::default(),
        };
        let wall = Wall::start();
        (solve(self.moves, puzzle, &effort), wall.elapsed())
    }
}

type Found = Option<(Solution, Duration)>;

fn submission(puzzles: &[Puzzle], solutions: &[Found]) -> Submission {
    let found: HashMap<&TaskId, &Found> = puzzles.iter().map(|p| &p.id).zip(solutions).collect();
    Submission::answer(puzzles, |puzzle, test| {
        let solution = found.get(&puzzle.id).copied().and_then(Option::as_ref);
        let attempts = solution.and_then(|(solution, _)| solution.attempts.get(test));
        let grids = attempts
            .into_iter()
            .flatten()
            .map(|attempt| attempt.grid.clone());
        Attempts::of(&grids.collect::<Vec<_>>(), &puzzle.test_inputs[test])
    })
}

/// Do the first answers come from programs that reproduce all demonstrations?
fn fits(puzzle: &Puzzle, found: Option<&(Solution, Duration)>) -> bool {
    let fits_all = |attempt: &Attempt| attempt.n_demos == puzzle.demos.len();
    found.is_some_and(|(solution, _)| {
        let mut answers = solution.attempts.iter();
        answers.all(|attempts| attempts.first().is_some_and(fits_all))
    })
}

/// Tasks with all test outputs right, if the data has them all.
fn n_solved(tasks: &[Task], solutions: &[Found]) -> Option<usize> {
    let is_known = |task: &Task| task.tests.iter().all(|test| test.output.is_some());
    let is_solved = |(task, found): &(&Task, &Found)| {
        found.as_ref().is_some_and(|(solution, _)| {
            let mut tests = task.tests.iter().zip(&solution.attempts);
            tests.all(|(test, attempts)| {
                attempts
                    .iter()
                    .any(|attempt| Some(&attempt.grid) == test.output.as_ref())
            })
        })
    };
    tasks
        .iter()
        .all(is_known)
        .then(|| tasks.iter().zip(solutions).filter(is_solved).count())
}

fn row(task: &Task, (solution, time): &(Solution, Duration)) -> Row {
    let answers = task
        .tests
        .iter()
        .zip(&solution.attempts)
        .map(|(test, attempts)| {
            let answer = |attempt: &Attempt| AnswerRow {
                demos_reproduced: attempt.n_demos,
                demos: task.demos.len(),
                cost: attempt.cost,
                program: attempt.program.to_string(),
                program_hash: format!("{:032x}", attempt.program.content_hash()),
                is_right: test.output.as_ref().map(|output| *output == attempt.grid),
            };
            attempts.iter().map(answer).collect()
        });
    Row {
        task: task.id.to_string(),
        states: solution.n_states,
        pieces: solution.n_pieces,
        wall_s: time.as_secs_f64(),
        answers: answers.collect(),
    }
}

/// A Python file for each task that has answers.
fn write_programs(
    directory: &Path,
    puzzles: &[Puzzle],
    solutions: &[Found],
) -> Result<(), Failure> {
    fs::create_dir_all(directory)
        .map_err(|error| Failure::bad_input(format!("{}: {error}", directory.display())))?;
    for (puzzle, found) in puzzles.iter().zip(solutions) {
        let Some((solution, _)) = found else { continue };
        let text = programs_text(puzzle, solution);
        if !text.is_empty() {
            let file = directory.join(format!("{}.py", puzzle.id));
            write_atomic(&file, text.as_bytes()).map_err(Failure::writing)?;
        }
    }
    Ok(())
}

fn programs_text(puzzle: &Puzzle, solution: &Solution) -> String {
    let mut text = String::new();
    for (test, attempts) in solution.attempts.iter().enumerate() {
        for (k, attempt) in attempts.iter().enumerate() {
            let mut program = attempt.program.clone();
            program.name = format!("solve_{}_t{test}_a{}", puzzle.id, k + 1);
            let _ = writeln!(
                text,
                "# test {test}, attempt {}: reproduces {} of {} demonstrations",
                k + 1,
                attempt.n_demos,
                puzzle.demos.len()
            );
            let _ = writeln!(text, "{}", print_python(&program));
        }
    }
    text
}

fn text(report: &Report, wall: Duration, out: Option<&Path>) -> String {
    rendered(|text| {
        writeln!(
            text,
            "{BOLD}{}{BOLD:#} {}  {}",
            report.data,
            &report.data_hash[..8.min(report.data_hash.len())],
            counted(report.tasks, "task")
        )?;
        writeln!(text, "  tried       {:>6}", count(report.tried))?;
        writeln!(
            text,
            "  fit demos   {:>6}   all demonstrations of the task, by the first answers",
            count(report.fit_all_demos)
        )?;
        if let Some(solved) = report.solved {
            let share = 100.0 * solved as f64 / report.tasks.max(1) as f64;
            writeln!(
                text,
                "  solved      {:>6}   {share:.1} %, all test outputs, two attempts",
                count(solved)
            )?;
        }
        writeln!(
            text,
            "  {:.1} s of processor time for each task at most, {:.1} s in all",
            report.per_task_s,
            wall.as_secs_f64()
        )?;
        if let Some(out) = out {
            writeln!(text, "  written: {}", out.display())?;
        }
        Ok(())
    })
}
