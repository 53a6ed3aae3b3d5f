//! `leyden solve`: finds programs for new tasks and writes their answers as a submission.

mod explain;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::fs;
use std::path::Path;

use leyden_dsl::meter::CancelToken;
use leyden_grid::{Puzzle, Task, TaskId};
use leyden_search::solve::{Candidate, KNOWN_FUEL, Known, Moves};
use leyden_store::submission::{Attempts, Submission};
use leyden_store::{DataSet, io_words, read_text, write_atomic};
use xxhash_rust::xxh3::xxh3_128;

use crate::args::SolveArgs;
use crate::clock::Wall;
use crate::devices::{self, Devices, SearchWork};
use crate::failure::Failure;
use crate::output::{Target, remark, say};
use crate::pipeline::load::load_local;
use crate::programs::shelf;
use crate::report::numbers::{count, counted};
use crate::report::pretty::json_with_grids;
use crate::report::solve::{Report, Row, SpendRow, Written, n_solved, text};
use crate::search::crew::{Crew, MAX_STATES, Solved};
use crate::search::found::Found;
use crate::search::journal::{self, Header, Journal};
use crate::stop;

pub(crate) fn run(args: SolveArgs, cancel: &CancelToken, started: Wall) -> Result<(), Failure> {
    let mut data = load_local(&args.data, args.solutions.as_deref())?;
    let tasks = std::mem::take(&mut data.tasks);
    let n_all = tasks.len();
    let tasks = args.choice.select(tasks, &data.name)?;
    let puzzles: Vec<Puzzle> = tasks.iter().map(Task::puzzle).collect();
    let moves = read_moves(args.moves.as_deref())?;
    let known = shelf::read(args.library.as_ref(), &args.language)?;
    if known.n_scoring() > 0 {
        let n = counted(known.n_scoring(), "program");
        remark(&format!(
            "note: {n} of the library left out: they read C, the expected output\n"
        ));
    }
    let devices = open_devices(&args, &known, &puzzles)?;
    let known = known.asking(devices.map(|devices| devices.elsewhere));
    let out = args.out_file();
    let (journal, finished) = match out {
        None => (None, Vec::new()),
        Some(out) => {
            let header = header(&args, &data, &tasks, &moves, &known);
            let opened = Journal::open(Journal::beside(out), &header, args.resume)?;
            (Some(opened.0), opened.1)
        }
    };
    stop::allow_last_words();
    let explained = args.explain.as_ref().map_or(0, |_| explain::N_CANDIDATES);
    let crew = Crew {
        moves: &moves,
        known: &known,
        spend: args.spend,
        parts: args.parts,
        n_threads: args.n_threads,
        started,
        cancel,
        journal: journal.as_ref(),
        n_candidates: explained.max(args.n_candidates),
    };
    let run = Run::new(&crew, &puzzles, finished);
    run.write(&args, &puzzles)?;
    let rows = tasks.iter().zip(&run.found);
    let report = Report {
        data: &data.name,
        data_hash: &data.hash,
        engine: env!("CARGO_PKG_VERSION"),
        spend: SpendRow::of(&args.spend),
        known_programs: known.len(),
        max_states: MAX_STATES,
        candidates: args.n_candidates,
        tasks: tasks.len(),
        tried: run.found.iter().flatten().count(),
        fit_all_demos: run.found.iter().flatten().filter(|it| it.fits()).count(),
        solved: n_solved(&tasks, &run.found),
        rows: rows
            .filter_map(|(task, found)| Some(Row::new(task, found.as_ref()?, args.n_candidates)))
            .collect(),
    };
    let is_complete = report.tried == report.tasks && run.n_cut == 0;
    end_journal(journal, !is_complete || args.keeps_journal);
    if cancel.is_cancelled() && !is_complete {
        return Err(stopped(&report, run.n_cut, out));
    }
    let stdout = Some(Target::Stdout);
    let is_stdout_taken = args.json == stdout || args.out == stdout;
    if let (Some(_), Some(task)) = (&args.explain, tasks.first()) {
        let shown = run.candidates.len().min(explain::N_CANDIDATES);
        let text = explain::text(task, &run.candidates[..shown]);
        say(&(text + "\n"), is_stdout_taken)?;
    }
    let journal = out.filter(|_| !is_complete).map(Journal::beside);
    let written = Written {
        out,
        n_all,
        programs: args.programs.as_deref(),
        journal: journal.as_deref(),
    };
    let text = text(&report, started.elapsed(), &written);
    if let Some(target) = &args.json {
        target.write(&json_with_grids(&report)?)?;
    }
    say(&text, is_stdout_taken)
}

/// The devices that try known programs.
fn open_devices(
    args: &SolveArgs,
    known: &Known,
    puzzles: &[Puzzle],
) -> Result<Option<Devices>, Failure> {
    if let Some(named) = devices::open_named(&args.backend, KNOWN_FUEL)? {
        return Ok(Some(named));
    }
    let n_demos: usize = puzzles.iter().map(|puzzle| puzzle.demos.len()).sum();
    let work = SearchWork {
        programs: known.programs().collect(),
        puzzles,
        n_runs: n_demos * known.len(),
        fuel: KNOWN_FUEL,
        n_threads: args.n_threads,
    };
    devices::open_for_search(&args.backend, &work)
}

/// The moves of a file, or Leyden's own.
fn read_moves(path: Option<&Path>) -> Result<Moves, Failure> {
    let Some(path) = path else {
        return Moves::own().map_err(|error| Failure::Other(error.into()));
    };
    let bad = |error: &dyn Display| Failure::bad_input(format!("{}: {error}", path.display()));
    let text = read_text(path)?;
    let moves = Moves::parse(&text).map_err(|error| bad(&error))?;
    if moves.n_moves() == 0 {
        return Err(bad(
            &"no moves; expected lines of `bits name: expression`, such as `1 mirror: vmirror(I)`",
        ));
    }
    Ok(moves)
}

fn stopped(report: &Report<'_>, n_cut: usize, out: Option<&Path>) -> Failure {
    Failure::Stopped(format!(
        "{} of {} tried, {} of them cut short{}",
        count(report.tried),
        counted(report.tasks, "task"),
        count(n_cut),
        out.map_or(String::new(), |out| format!(
            "; the submission is complete: {}; --resume goes on",
            out.display()
        ))
    ))
}

/// The facts that identify this run.
fn header(
    args: &SolveArgs,
    data: &DataSet,
    tasks: &[Task],
    moves: &Moves,
    known: &Known,
) -> Header {
    let ids: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
    Header {
        format: journal::FORMAT.to_owned(),
        engine: env!("CARGO_PKG_VERSION").to_owned(),
        data: data.name.clone(),
        data_hash: data.hash.clone(),
        tasks: hash(&ids.join("\n")),
        moves: format!("{:032x}", moves.content_hash()),
        library: format!("{:032x}", known.content_hash()),
        parts: format!("{:?}", args.parts),
        fuel_per_task: args.spend.fuel_per_task,
        per_task_s: args.spend.per_task.map(|time| time.as_secs_f64()),
        budget_s: args.spend.budget.map(|time| time.as_secs_f64()),
        candidates: args.n_candidates,
    }
}

fn hash(text: &str) -> String {
    format!("{:032x}", xxh3_128(text.as_bytes()))
}

fn end_journal(journal: Option<Journal>, stays: bool) {
    let Some(journal) = journal else { return };
    if let Some(failure) = journal.failure() {
        remark(&format!("the journal is not complete: {failure}\n"));
    }
    if !stays {
        journal.remove();
    }
}

/// The findings of this run and of the run it continues.
struct Run {
    /// In the order of the puzzles.
    found: Vec<Option<Found>>,
    /// The candidates of the task to explain.
    candidates: Vec<Candidate>,
    /// The number of tasks that a signal cut short.
    n_cut: usize,
}

impl Run {
    fn new(crew: &Crew<'_>, puzzles: &[Puzzle], finished: Vec<Found>) -> Run {
        let finished = finished.into_iter().map(|it| (it.task.clone(), it));
        let mut known: BTreeMap<String, Found> = finished.collect();
        let is_open = |puzzle: &&Puzzle| !known.contains_key(puzzle.id.as_str());
        let open: Vec<&Puzzle> = puzzles.iter().filter(is_open).collect();
        let mut candidates = Vec::new();
        let mut n_cut = 0;
        for Solved {
            found,
            candidates: of_task,
            is_whole,
            ..
        } in crew.solve_all(&open)
        {
            n_cut += usize::from(!is_whole);
            candidates.extend(of_task);
            known.insert(found.task.clone(), found);
        }
        let found = |puzzle: &Puzzle| known.remove(puzzle.id.as_str());
        Run {
            found: puzzles.iter().map(found).collect(),
            candidates,
            n_cut,
        }
    }

    fn write(&self, args: &SolveArgs, puzzles: &[Puzzle]) -> Result<(), Failure> {
        if let Some(out) = &args.out {
            let submission = submission(puzzles, &self.found);
            match out {
                Target::File(path) => submission.write(path).map_err(Failure::writing)?,
                Target::Stdout => out.write(&submission.to_json())?,
            }
        }
        match &args.programs {
            Some(directory) => write_programs(directory, &self.found),
            None => Ok(()),
        }
    }
}

fn submission(puzzles: &[Puzzle], found: &[Option<Found>]) -> Submission {
    let found = puzzles.iter().map(|p| &p.id).zip(found);
    let found: HashMap<&TaskId, &Option<Found>> = found.collect();
    Submission::answer(puzzles, |puzzle, test| {
        let found = found.get(&puzzle.id).copied().and_then(Option::as_ref);
        let answers = found.and_then(|found| found.answers.get(test));
        let grids = answers.into_iter().flatten().map(|it| it.grid.clone());
        Attempts::of(&grids.collect::<Vec<_>>(), &puzzle.test_inputs[test])
    })
}

/// A Python file for each task that has answers.
fn write_programs(directory: &Path, found: &[Option<Found>]) -> Result<(), Failure> {
    fs::create_dir_all(directory).map_err(|error| {
        Failure::bad_input(format!("{}: {}", directory.display(), io_words(&error)))
    })?;
    for found in found.iter().flatten() {
        let text = found.programs_text();
        if !text.is_empty() {
            let file = directory.join(format!("{}.py", found.task));
            write_atomic(&file, text.as_bytes()).map_err(Failure::writing)?;
        }
    }
    Ok(())
}
