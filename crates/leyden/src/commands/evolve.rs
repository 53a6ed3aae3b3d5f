//! `leyden evolve`: draws, changes, runs and keeps programs, round by round.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use indicatif::ProgressBar;
use leyden_dsl::meter::CancelToken;
use leyden_exec::{Engine, Sample, with_large_stack};
use leyden_grid::{Puzzle, Task};
use leyden_lang::{Language, Program};
use leyden_search::evolve::{Evolution, Kept, Round, StopReason, library_of};
use leyden_store::io_words;
use leyden_store::library::{
    Batch, Filter, LibraryError, NewRun, Origin, ProgramHash, RunEnd, RunId, SampleScore, Store,
    TaskKey,
};

use crate::args::{EvolveArgs, Limit};
use crate::clock::{Wall, process_cpu};
use crate::commands::library::add;
use crate::devices::{self, Devices, SearchWork};
use crate::failure::Failure;
use crate::output::remark;
use crate::pipeline::load::{load_local, material};
use crate::programs::shelf::place;
use crate::programs::{Library, Source, is_of_files};
use crate::progress::spinner;
use crate::report::evolve::{
    EvolveReport, FindLine, RoundLine, Times, best_partial, progress, text,
};
use crate::report::numbers::counted;
use crate::report::write_both;
use crate::search::lines::Lines;
use crate::stop;

/// Memory has room for this many programs; of more, the best ones stay.
const MOST_PROGRAMS: usize = 5_000;
/// The maker of a program, as stores name it.
const SOURCE: &str = "leyden evolve";

pub(crate) fn run(args: EvolveArgs, cancel: &CancelToken, started: Wall) -> Result<(), Failure> {
    let data = load_local(&args.data, args.solutions.as_deref())?;
    let tasks = args.choice.select(data.tasks, &data.name)?;
    let named = (data.name, data.hash);
    // Only the count at the end sees the tasks with their test outputs.
    let puzzles: Vec<Puzzle> = tasks.iter().map(Task::puzzle).collect();
    // If a device is missing, no store begins.
    let by_name = devices::open_named(&args.backend, args.settings.run_fuel)?;
    let mut store = Store::open(&args.store)?;
    let plan = Plan {
        args: &args,
        puzzles: &puzzles,
        data: named,
        keys: puzzles.iter().map(TaskKey::of).collect(),
    };
    let resumed = if args.is_resumed {
        plan.resume(&store)?
    } else {
        None
    };
    let progress = args.progress.as_deref();
    let progress = progress.map(|path| ProgressFile::open(path, resumed.is_some()));
    let progress = progress.transpose()?;
    let (run, evolution) = match resumed {
        Some(resumed) => resumed,
        None => plan.begin(&mut store, cancel)?,
    };
    let devices = match by_name {
        None => open_if_it_pays(&args, &evolution)?,
        by_name => by_name,
    };
    let mut evolution = evolution.asking(devices.map(|devices| devices.elsewhere));
    stop::allow_last_words();
    let mut session = Session {
        plan: &plan,
        store,
        run,
        started,
        view: View::new(),
        progress,
        n_before: evolution.totals().tally.evaluations,
        saving: Duration::ZERO,
    };
    let reason = session.evolve(&mut evolution, cancel)?;
    session.finish(&evolution, reason, &tasks)
}

/// The devices that pay for a round. Programs of the library stand for those that a round makes of
/// them.
fn open_if_it_pays(
    args: &EvolveArgs,
    evolution: &Evolution<'_>,
) -> Result<Option<Devices>, Failure> {
    let puzzles = evolution.puzzles();
    let work = SearchWork {
        programs: evolution.library().collect(),
        puzzles,
        n_runs: args.settings.n_broad * puzzles.len(),
        fuel: args.settings.run_fuel,
        n_threads: args.n_threads,
    };
    devices::open_for_search(&args.backend, &work)
}

/// The settings and inputs of a run.
struct Plan<'a> {
    args: &'a EvolveArgs,
    puzzles: &'a [Puzzle],
    /// The name and the hash of the data set.
    data: (String, String),
    keys: Vec<TaskKey>,
}

impl<'a> Plan<'a> {
    /// The settings that make two runs equal, except for the point where they stop.
    fn command(&self) -> String {
        let ids: Vec<&str> = self
            .puzzles
            .iter()
            .map(|puzzle| puzzle.id.as_str())
            .collect();
        let tasks = xxhash_rust::xxh3::xxh3_64(ids.join(" ").as_bytes());
        let (data, settings) = (&self.data.1, self.args.settings.summary());
        format!("evolve {data} tasks {tasks:016x} {settings}")
    }

    /// Brings the programs into the store and records the start of the run.
    fn begin(
        &self,
        store: &mut Store,
        cancel: &CancelToken,
    ) -> Result<(RunId, Evolution<'a>), Failure> {
        self.bring_files(store, cancel)?;
        let other = self.args.library.as_ref().map(place).transpose()?;
        if let Some(other) = other.flatten().filter(|path| path != &self.args.store) {
            bring_library(store, &other, &self.args.language)?;
        }
        let library = library(store)?;
        let evolution = self.evolution(library)?;
        let run = NewRun {
            command: self.command(),
            seed: Some(self.args.settings.seed),
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            data_name: self.data.0.clone(),
            data_hash: self.data.1.clone(),
            started: None,
        };
        let state = evolution.checkpoint();
        let run = store.write(|batch| {
            let run = batch.begin_run(&run)?;
            batch.save_state(run, &state)?;
            Ok(run)
        })?;
        Ok((run, evolution))
    }

    fn evolution(&self, library: Vec<Program>) -> Result<Evolution<'a>, Failure> {
        let made = Evolution::new(self.puzzles, library, self.args.settings.clone());
        made.map_err(|error| Failure::Other(error.into()))
    }

    /// Brings the named files. Without any, an empty store gets the default ones.
    fn bring_files(&self, store: &mut Store, cancel: &CancelToken) -> Result<(), Failure> {
        let is_wanted = !self.args.solvers.is_empty()
            || (self.args.library.is_none() && store.n_programs()? == 0);
        if !is_wanted {
            return Ok(());
        }
        let material = material(Some(self.args.data.clone()), &self.args.solvers, cancel)?;
        let library = Library::read(&material.sources, &self.args.language, 1)?;
        add(store, &library)?;
        Ok(())
    }

    /// Continues the last unfinished run, or prints that there is none.
    fn resume(&self, store: &Store) -> Result<Option<(RunId, Evolution<'a>)>, Failure> {
        let run = store.unfinished_run(&self.command())?;
        let Some((run, state)) = run.and_then(|run| Some((run.id, run.state?))) else {
            remark(&format!(
                "note: {}: no unfinished run has these tasks, seed and sizes; a new one begins\n",
                store.path().display()
            ));
            return Ok(None);
        };
        let failed = |error: leyden_search::evolve::EvolveError| Failure::BadInput(error.into());
        let hashes: Vec<ProgramHash> = library_of(&state)
            .map_err(failed)?
            .into_iter()
            .map(ProgramHash)
            .collect();
        let library = store.programs(&hashes)?;
        let settings = self.args.settings.clone();
        let evolution = Evolution::resume(self.puzzles, library, settings, &state);
        Ok(Some((run, evolution.map_err(failed)?)))
    }
}

/// Brings the programs of files, or those of another store with their origins.
fn bring_library(store: &mut Store, other: &Path, language: &Language) -> Result<(), Failure> {
    if is_of_files(other) {
        let files = [Source::Path(other.to_owned())];
        add(store, &Library::read(&files, &language.names_only(), 1)?)?;
    } else {
        store.absorb(&Store::open_read_only(other)?)?;
    }
    Ok(())
}

/// The best programs of a store, in an order that depends only on their texts.
fn library(store: &Store) -> Result<Vec<Program>, Failure> {
    let filter = Filter {
        limit: Some(MOST_PROGRAMS),
        ..Filter::default()
    };
    let hashes: BTreeSet<ProgramHash> = store
        .standings(&filter)?
        .into_iter()
        .map(|standing| standing.hash)
        .collect();
    let hashes: Vec<ProgramHash> = hashes.into_iter().collect();
    if hashes.is_empty() {
        Err(Failure::bad_input(format!(
            "{}: there are no programs to begin with; `--solvers FILE` names some",
            store.path().display()
        )))
    } else {
        Ok(store.programs(&hashes)?)
    }
}

/// A run in this process.
struct Session<'a> {
    plan: &'a Plan<'a>,
    store: Store,
    run: RunId,
    started: Wall,
    view: View,
    progress: Option<ProgressFile>,
    /// The evaluations of the processes before this one.
    n_before: u64,
    saving: Duration,
}

impl Session<'_> {
    fn evolve(
        &mut self,
        evolution: &mut Evolution<'_>,
        cancel: &CancelToken,
    ) -> Result<StopReason, Failure> {
        let alarm = Alarm::set(self.plan.args.limit.budget, self.started, cancel)?;
        loop {
            if let Some(reason) = self.reason(evolution, cancel) {
                return Ok(reason);
            }
            // An interrupted round leaves no trace.
            if let Some(round) = evolution.round(self.plan.args.n_threads, &alarm.token) {
                self.save(evolution, &round)?;
                if let Some(file) = &mut self.progress {
                    file.add(evolution, &round, self.started.elapsed());
                }
                let n_here = evolution.totals().tally.evaluations - self.n_before;
                self.view
                    .say(&progress(evolution, n_here, self.started.elapsed()));
            }
        }
    }

    /// The reason to stop now; `None` means another round.
    fn reason(&self, evolution: &Evolution<'_>, cancel: &CancelToken) -> Option<StopReason> {
        let Limit {
            rounds,
            budget,
            fuel,
        } = self.plan.args.limit;
        let totals = evolution.totals();
        let reasons = [
            (cancel.is_cancelled(), StopReason::Cancelled),
            (evolution.is_over(), StopReason::NothingLeft),
            (
                rounds.is_some_and(|n| totals.rounds >= n),
                StopReason::Rounds,
            ),
            (
                fuel.is_some_and(|n| totals.tally.fuel >= n),
                StopReason::Fuel,
            ),
            (
                budget.is_some_and(|time| self.started.elapsed() >= time),
                StopReason::Budget,
            ),
        ];
        let reached = reasons.into_iter().find(|(is_reached, _)| *is_reached);
        reached.map(|(_, reason)| reason)
    }

    /// Saves a round, whole or not at all.
    fn save(&mut self, evolution: &Evolution<'_>, round: &Round) -> Result<(), Failure> {
        let begin = self.started.elapsed();
        let state = evolution.checkpoint();
        let (run, keys) = (self.run, &self.plan.keys);
        let saved = self.store.write(|batch| {
            for kept in &round.kept {
                save_program(batch, evolution, kept, &keys[kept.place], run)?;
            }
            for parent in &round.parents {
                if !batch.has_program(ProgramHash(parent.member.strain.hash))? {
                    save_program(batch, evolution, parent, &keys[parent.place], run)?;
                }
            }
            batch.save_state(run, &state)
        });
        saved?;
        self.saving += self.started.elapsed().saturating_sub(begin);
        Ok(())
    }

    fn finish(
        mut self,
        evolution: &Evolution<'_>,
        reason: StopReason,
        tasks: &[Task],
    ) -> Result<(), Failure> {
        self.view.end();
        if let Some(file) = &mut self.progress {
            file.end();
        }
        let totals = evolution.totals();
        // A run that was stopped from outside can continue.
        if reason != StopReason::Cancelled {
            let end = RunEnd {
                stop_reason: reason.name().to_owned(),
                n_evaluations: totals.tally.evaluations,
                ended: None,
            };
            self.store.write(|batch| batch.end_run(self.run, &end))?;
        }
        let report = self.report(evolution, reason, tasks)?;
        write_both(&text(&report), self.plan.args.json.as_ref(), &report)?;
        match reason {
            StopReason::Cancelled => Err(Failure::Stopped(format!(
                "{} saved; --resume goes on",
                counted(totals.rounds as usize, "round")
            ))),
            _ => Ok(()),
        }
    }

    fn report(
        &self,
        evolution: &Evolution<'_>,
        reason: StopReason,
        tasks: &[Task],
    ) -> Result<EvolveReport, Failure> {
        let totals = evolution.totals();
        let standing = evolution.standing();
        let plan = self.plan;
        let id = |place: usize| plan.puzzles[place].id.to_string();
        Ok(EvolveReport {
            store: self.store.path().display().to_string(),
            data: plan.data.0.clone(),
            data_hash: plan.data.1.clone(),
            engine: env!("CARGO_PKG_VERSION"),
            seed: plan.args.settings.seed,
            settings: plan.args.settings.summary(),
            stop_reason: reason.name(),
            tasks: plan.puzzles.len(),
            library: evolution.surveyed().1,
            rounds: totals.rounds,
            evaluations: totals.tally.evaluations,
            unsure: totals.tally.unsure,
            fuel: totals.tally.fuel,
            children: totals.children,
            repeated: totals.repeated,
            restarts: totals.restarts,
            behaviours: evolution.n_behaviours(),
            own: standing.own,
            transferred: standing.transferred,
            evolved: standing.evolved,
            new: standing.new,
            improved: standing.improved,
            evolved_tasks: evolution.evolved().into_iter().map(id).collect(),
            right_on_tests: n_right(evolution, tasks),
            best_partial: best_partial(evolution),
            programs_saved: self.store.n_programs()?,
            content_hash: self.content_hash(reason)?,
            times: self.times(totals.tally.evaluations - self.n_before),
        })
    }

    /// The hash of the store. Reading all of it takes a while, so only `--json` has the hash, and
    /// no stopped run has it.
    fn content_hash(&self, reason: StopReason) -> Result<Option<String>, Failure> {
        if self.plan.args.json.is_none() || reason == StopReason::Cancelled {
            return Ok(None);
        }
        Ok(Some(format!("{:032x}", self.store.content_hash()?)))
    }

    fn times(&self, n_here: u64) -> Times {
        let (wall, cpu) = (self.started.elapsed(), process_cpu());
        let per = |time: Duration| n_here as f64 / time.as_secs_f64().max(1e-9);
        Times {
            wall_s: wall.as_secs_f64(),
            cpu_s: cpu.as_secs_f64(),
            saving_s: self.saving.as_secs_f64(),
            evaluations_here: n_here,
            evaluations_per_s: per(wall),
            evaluations_per_cpu_s: per(cpu),
        }
    }
}

fn save_program(
    batch: &mut Batch<'_>,
    evolution: &Evolution<'_>,
    kept: &Kept,
    task: &TaskKey,
    run: RunId,
) -> Result<(), LibraryError> {
    let birth = &kept.member.birth;
    if let Some(parent) = birth.parent {
        let origin = Origin {
            source: SOURCE.to_owned(),
            parent: Some(ProgramHash(parent)),
            mutation: birth.mutation.clone(),
            seed: Some(birth.seed),
            run: Some(run),
        };
        batch.add_program(&kept.program, &origin)?;
    }
    let sample = |mark: &leyden_search::evolve::Mark| SampleScore {
        is_exact: mark.is_exact,
        partial: in_hundredths(evolution.percent(mark)),
        fuel: mark.fuel,
    };
    let samples: Vec<SampleScore> = kept.member.marks.iter().map(sample).collect();
    batch.record_scores(ProgramHash(kept.member.strain.hash), task, &samples)
}

/// Few enough digits that JSON gives back an equal number.
fn in_hundredths(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}

/// How many of the tasks that evolved programs fit have all test outputs right; `None` if the data
/// has no outputs.
fn n_right(evolution: &Evolution<'_>, tasks: &[Task]) -> Option<usize> {
    let evolved = evolution.evolved();
    let tests = |place: &usize| tasks[*place].tests.iter();
    let is_known = |place: &usize| tests(place).all(|test| test.output.is_some());
    let is_right = |place: &&usize| {
        let program = evolution.best(**place).map(|best| &best.strain.program);
        program.is_some_and(|program| is_right(program, &tasks[**place]))
    };
    let count = || evolved.iter().filter(is_right).count();
    evolved
        .iter()
        .all(is_known)
        .then(|| with_large_stack(count))
}

fn is_right(program: &Program, task: &Task) -> bool {
    task.tests.iter().all(|test| {
        let sample = Sample {
            input: &test.input,
            demos: &task.demos,
            expected: None,
        };
        let outcome = Engine::default().run(program, &sample);
        test.output
            .as_ref()
            .is_some_and(|output| outcome.equals(output))
    })
}

/// The file of `--progress`. A round is in the store before it is in the file.
struct ProgressFile {
    path: PathBuf,
    lines: Lines,
}

impl ProgressFile {
    fn open(path: &Path, continues: bool) -> Result<ProgressFile, Failure> {
        let lines = Lines::open(path, continues);
        Ok(ProgressFile {
            path: path.to_owned(),
            lines: lines.map_err(|error| Failure::system(path, &error))?,
        })
    }

    /// Adds the finds of a round, then the round. Lines that cannot be written wait for the next
    /// round.
    fn add(&mut self, evolution: &Evolution<'_>, round: &Round, wall: Duration) {
        for place in &round.fitted {
            let Some(best) = evolution.best(*place) else {
                continue;
            };
            let _ = self.lines.add(&FindLine {
                task: evolution.puzzles()[*place].id.as_str(),
                program: format!("{:032x}", best.strain.hash),
                fits: true,
                mutation: &best.birth.mutation,
            });
        }
        let _ = self.lines.add(&RoundLine::of(evolution, wall));
    }

    fn end(&mut self) {
        if let Some(error) = self.lines.last_failure() {
            let (path, why) = (self.path.display(), io_words(&error));
            remark(&format!("note: {path}: lines are missing: {why}\n"));
        }
    }
}

/// Cancels rounds when the time is over or the user stops the command.
struct Alarm {
    token: CancelToken,
    /// Dropped with the alarm, which ends its thread.
    _off: Option<Sender<()>>,
}

/// The alarm checks the clock and Ctrl-C this often.
const TICK: Duration = Duration::from_millis(20);

impl Alarm {
    fn set(budget: Option<Duration>, started: Wall, cancel: &CancelToken) -> io::Result<Alarm> {
        let Some(budget) = budget else {
            return Ok(Alarm {
                token: cancel.clone(),
                _off: None,
            });
        };
        let token = CancelToken::new();
        let (off, is_off) = channel::<()>();
        let (user, own) = (cancel.clone(), token.clone());
        std::thread::Builder::new().spawn(move || {
            while is_off.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if user.is_cancelled() || started.elapsed() >= budget {
                    own.cancel();
                }
            }
        })?;
        Ok(Alarm {
            token,
            _off: Some(off),
        })
    }
}

/// The display while a run goes on: a line that changes, or without a terminal a line for each
/// round.
struct View {
    bar: Option<ProgressBar>,
}

impl View {
    fn new() -> View {
        View {
            bar: std::io::stderr().is_terminal().then(spinner),
        }
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(line.to_owned()),
            None => remark(&format!("{line}, saved\n")),
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
