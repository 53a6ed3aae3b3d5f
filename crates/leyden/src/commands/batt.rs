//! `leyden batt`: every program of a battery on every sample of every task.

use std::path::Path;
use std::time::Duration;

use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_exec::{Answered, Engine, Loaded, Queue, share_out};
use leyden_grid::{Task, TaskId};
use leyden_lang::{Battery, Diagnostic, Out, Program, Rules, Scripts, is_battery, parse_battery};
use leyden_search::scores;
use serde::{Deserialize, Serialize};

use crate::args::{BattArgs, ScoresFrom};
use crate::battery_run::{Scoring, TaskRun, run_task};
use crate::clock::{Wall, timed};
use crate::devices::{self, Devices};
use crate::failure::Failure;
use crate::output::{Target, print, say};
use crate::parts::{self, BattResult, BatteryJob, Job, Scores, battery_hash, programs_hash};
use crate::pipeline::Phases;
use crate::pipeline::load::{Wanted, load};
use crate::pipeline::sample::n_samples;
use crate::programs::{Differs, Library, Source, SourceFile};
use crate::progress::Progress;
use crate::report::batt_json::Switches;
use crate::report::batt_totals::Totals;
use crate::report::numbers::{count, counted};
use crate::report::{batt_json, batt_text};
use crate::runner::{Hand, Runner};
use crate::scoring::{Scale, Scorer, ScoringProgram};
use crate::stop;

/// A program of the battery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) origin: String,
    /// The task in its name.
    pub(crate) own: Option<String>,
    pub(crate) n_lines: usize,
}

impl Member {
    fn of_out(out: &Out) -> Member {
        Member {
            name: out.name.clone(),
            origin: out.origin.clone(),
            own: out.task_id().map(str::to_owned),
            n_lines: out.lines.len(),
        }
    }

    fn of_program(program: &Program) -> Member {
        Member {
            name: program.name.clone(),
            origin: program.name.clone(),
            own: program.task_id().map(str::to_owned),
            n_lines: program.lines.len(),
        }
    }

    /// Is it meant for another task?
    pub(crate) fn is_foreign_to(&self, task: &TaskId) -> bool {
        self.own.as_deref().is_some_and(|own| own != task.as_str())
    }
}

/// Everything a report can say.
pub(crate) struct Summary<'a> {
    pub(crate) data_name: &'a str,
    pub(crate) data_hash: &'a str,
    /// What the programs were read from.
    pub(crate) source: String,
    pub(crate) members: &'a [Member],
    pub(crate) n_nodes: usize,
    pub(crate) scorer: Option<&'a Scorer>,
    pub(crate) runs: Vec<TaskRun>,
    /// What the runs add up to.
    pub(crate) totals: Totals,
    pub(crate) n_tasks: usize,
    pub(crate) phases: Phases,
    pub(crate) args: &'a BattArgs,
    pub(crate) whole: Duration,
    /// The devices that took part.
    pub(crate) devices: Option<&'a Devices>,
}

impl Summary<'_> {
    fn as_json(&self) -> batt_json::Report<'_> {
        batt_json::Report {
            data_name: self.data_name,
            data_hash: self.data_hash,
            switches: Switches::of(&self.args.engine),
            members: self.members,
            n_nodes: self.n_nodes,
            scores: self
                .scorer
                .map(|scorer| scorer.names().zip(scorer.scales()).collect()),
            runs: &self.runs,
            totals: &self.totals,
            phases: self.phases,
        }
    }
}

pub(crate) fn run(args: BattArgs, cancel: CancelToken, started: Wall) -> Result<(), Failure> {
    let files = sources(&args);
    let wanted = Wanted {
        data: args.data.as_ref(),
        solutions: args.solutions.as_deref(),
        choice: &args.choice,
        shard: args.shard,
        programs: Some(&files),
    };
    let loaded = load(&wanted, &cancel, started)?;
    let tasks = &loaded.tasks;
    let (read, compile_time) = timed(|| read(&args, &loaded.sources));
    let (programs, scores, source) = read?;
    let members = programs.members();
    let hashes = args
        .shard
        .map(|_| (programs.hash(), scores.as_deref().map(scores_hash)));
    let ((runner, scorer), generate_time) = timed(|| {
        let scorer = scores.map(|scores| scorer(&args, scores, &programs));
        (programs.into_runner(&args), scorer)
    });
    let devices = open_devices(&args, tasks, members.len())?;
    let on_devices = runner.load(devices.as_ref(), args.engine.fuel);
    let progress = Progress::new("executing", tasks.len());
    let crew = Crew {
        loaded: on_devices.as_deref(),
        engine: args.engine.engine(cancel.clone()),
        scoring_engine: Engine {
            fuel: DEFAULT_FUEL,
            ..args.engine.engine(cancel.clone())
        },
        runner: &runner,
        scorer: scorer.as_ref(),
        n_programs: members.len(),
        advance: &|| progress.advance(1),
    };
    stop::allow_last_words();
    let (runs, execute_time) =
        timed(|| share_out(args.engine.n_threads, tasks, |queue| crew.work(queue)));
    drop(progress);
    let runs: Vec<TaskRun> = runs.into_iter().map(|(_, run)| run).collect();
    let (totals, validate_time) = timed(|| Totals::of(&runs, &members));
    let summary = Summary {
        data_name: &loaded.name,
        data_hash: &loaded.hash,
        source,
        members: &members,
        n_nodes: runner.n_nodes(),
        scorer: scorer.as_ref(),
        runs,
        totals,
        n_tasks: tasks.len(),
        phases: Phases {
            load: loaded.time,
            compile: compile_time,
            generate: generate_time,
            execute: execute_time,
            validate: validate_time,
        },
        args: &args,
        whole: loaded.started.elapsed(),
        devices: devices.as_ref(),
    };
    match cancel.is_cancelled() && summary.runs.len() < summary.n_tasks {
        true => Err(stopped(&summary)),
        false => {
            write_json(&summary, tasks, loaded.ids.clone(), hashes)?;
            let is_taken = args.json == Some(Target::Stdout);
            say(&batt_text::render(&summary), is_taken)
        }
    }
}

fn open_devices(
    args: &BattArgs,
    tasks: &[Task],
    n_programs: usize,
) -> Result<Option<Devices>, Failure> {
    let n_samples: usize = tasks.iter().map(n_samples).sum();
    devices::open(&args.backend, args.engine.fuel, n_samples * n_programs)
}

/// The files that programs come from: with a battery nothing else is needed.
fn sources(args: &BattArgs) -> Vec<std::path::PathBuf> {
    let file = args.file.iter().cloned();
    file.chain(args.solvers.iter().cloned()).collect()
}

/// Programs as they were read.
enum Programs {
    Battery(Battery),
    Library(Library),
}

impl Programs {
    fn members(&self) -> Vec<Member> {
        match self {
            Programs::Battery(battery) => battery.outs.iter().map(Member::of_out).collect(),
            Programs::Library(library) => {
                let programs = library.programs.iter();
                programs
                    .map(|known| Member::of_program(&known.program))
                    .collect()
            }
        }
    }

    /// A hash of all of them.
    fn hash(&self) -> String {
        match self {
            Programs::Battery(battery) => battery_hash(battery),
            Programs::Library(library) => {
                programs_hash(library.programs.iter().map(|known| &known.program))
            }
        }
    }

    /// Each of them alone.
    fn alone(&self) -> Vec<Program> {
        match self {
            Programs::Battery(battery) => {
                let mut scripts = Scripts::new(battery);
                let places = 0..battery.outs.len();
                places.map(|k| scripts.program(k)).collect()
            }
            Programs::Library(library) => {
                let programs = library.programs.iter();
                programs.map(|known| known.program.clone()).collect()
            }
        }
    }

    fn into_runner(self, args: &BattArgs) -> Runner {
        let sharing = args.engine.sharing;
        match self {
            Programs::Battery(battery) => Runner::of_battery(battery, sharing),
            Programs::Library(library) => {
                let programs = library.programs.iter().map(|known| &known.program);
                Runner::new(programs, sharing)
            }
        }
    }
}

/// The programs, the scoring programs and what to call the source of the former.
type Read = (Programs, Option<Vec<ScoringProgram>>, String);

fn read(args: &BattArgs, sources: &[Source]) -> Result<Read, Failure> {
    let scores = match &args.scores {
        ScoresFrom::Nowhere => None,
        ScoresFrom::Own => Some(own_scores()?),
        ScoresFrom::File(path) => Some(scores_in(path)?),
    };
    if let Some(path) = &args.file {
        let battery = read_battery(path)?;
        return Ok((Programs::Battery(battery), scores, file_name(path)));
    }
    let n_threads = args.engine.n_threads;
    let library = Library::read(sources, args.dialect, n_threads)?;
    let source = match library.files.as_slice() {
        [file] => file_name(Path::new(&file.name)),
        files => counted(files.len(), "file"),
    };
    Ok((Programs::Library(library), scores, source))
}

pub(crate) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A `.batt` file as it stands; programs in any other form are merged.
pub(crate) fn read_battery(path: &Path) -> Result<Battery, Failure> {
    if !path.is_dir() {
        let file = SourceFile::read(path)?;
        if is_battery(&file.text) {
            let parsed = parse_battery(&file.text).map(|parsed| parsed.battery);
            return parsed.map_err(|findings| Failure::Diagnosed(file.render(&findings)));
        }
    }
    let library = Library::read(&[Source::Path(path.to_owned())], None, 1)?;
    let programs: Vec<Program> = library.programs.into_iter().map(|it| it.program).collect();
    Ok(Battery::from_programs(&programs, Rules::ALL))
}

pub(crate) fn own_scores() -> Result<Vec<ScoringProgram>, Failure> {
    let damaged = |findings: Vec<Diagnostic>| {
        let file = SourceFile {
            name: scores::NAME.to_owned(),
            text: scores::SOURCE.to_owned(),
        };
        Failure::Diagnosed(file.render(&findings))
    };
    let own = scores::own().map_err(damaged)?;
    Ok(own.into_iter().map(ScoringProgram::own).collect())
}

fn scores_in(path: &Path) -> Result<Vec<ScoringProgram>, Failure> {
    if let Some(differs) = Differs::read(path)? {
        let programs = differs.on_inputs()?.into_iter();
        return Ok(programs.map(ScoringProgram::by_dialect).collect());
    }
    ScoringProgram::all_in(Library::read(&[Source::Path(path.to_owned())], None, 1)?)
}

fn scores_hash(scores: &[ScoringProgram]) -> String {
    programs_hash(scores.iter().map(|score| &score.program))
}

fn scorer(args: &BattArgs, scores: Vec<ScoringProgram>, programs: &Programs) -> Scorer {
    let sharing = args.engine.sharing;
    match args.scores {
        ScoresFrom::File(_) => Scorer::new(scores, sharing).of_solvers(|| programs.alone()),
        _ => Scorer::own(scores, sharing),
    }
}

/// What all threads share.
pub(crate) struct Crew<'c> {
    pub(crate) engine: Engine,
    pub(crate) scoring_engine: Engine,
    pub(crate) runner: &'c Runner,
    pub(crate) scorer: Option<&'c Scorer>,
    pub(crate) n_programs: usize,
    /// The programs on devices, if there are any.
    pub(crate) loaded: Option<&'c dyn Loaded>,
    /// Is told of every task that is done.
    pub(crate) advance: &'c (dyn Fn() + Sync),
}

impl Crew<'_> {
    /// Takes tasks until there are no more.
    pub(crate) fn work(&self, queue: &Queue<'_, Task>) -> Vec<(usize, TaskRun)> {
        let engine = &self.scoring_engine;
        self.runner
            .with_hand(&self.engine, |hand| match self.scorer {
                None => self.work_with(queue, hand, None),
                Some(scorer) => scorer.runner().with_hand(engine, |scoring_hand| {
                    let mut scoring = Scoring {
                        scorer,
                        engine,
                        hand: scoring_hand,
                    };
                    self.work_with(queue, hand, Some(&mut scoring))
                }),
            })
    }

    fn work_with(
        &self,
        queue: &Queue<'_, Task>,
        hand: &mut Hand<'_, '_>,
        mut scoring: Option<&mut Scoring<'_, '_, '_>>,
    ) -> Vec<(usize, TaskRun)> {
        let mut done = Vec::new();
        while let Some(batch) = self.take(queue) {
            let answered = self.ask(&batch);
            for ((k, task), answered) in batch.into_iter().zip(answered) {
                let scoring = scoring.as_deref_mut();
                let n_programs = self.n_programs;
                let run = run_task(task, n_programs, answered, &self.engine, hand, scoring);
                let Some(run) = run else { return done };
                (self.advance)();
                done.push((k, run));
            }
        }
        done
    }

    /// The next task; for devices as many as make a batch.
    fn take<'q>(&self, queue: &Queue<'q, Task>) -> Option<Vec<(usize, &'q Task)>> {
        let mut batch = vec![queue.take()?];
        let n_runs = |task: &Task| (task.demos.len() + task.tests.len()) * self.n_programs;
        let good = self.loaded.map_or(0, Loaded::good_batch);
        let mut n = n_runs(batch[0].1);
        while n < good
            && !self.engine.cancel.is_cancelled()
            && let Some((k, task)) = queue.take()
        {
            n += n_runs(task);
            batch.push((k, task));
        }
        Some(batch)
    }

    /// What devices say about each of some tasks.
    fn ask(&self, batch: &[(usize, &Task)]) -> Vec<Vec<Answered>> {
        let tasks: Vec<&Task> = batch.iter().map(|(_, task)| *task).collect();
        match self.loaded {
            Some(loaded) => devices::ask(loaded, &tasks, &|_, _| true),
            None => vec![Vec::new(); batch.len()],
        }
    }
}

fn stopped(summary: &Summary<'_>) -> Failure {
    let n_done = count(summary.runs.len());
    if !summary.runs.is_empty() {
        // Whether this can be read or not, the command was stopped.
        let _ = print(&batt_text::render(summary));
    }
    let json = match summary.args.json {
        Some(_) => "; no JSON was written",
        None => "",
    };
    Failure::Stopped(format!(
        "{n_done} of {} were run{json}",
        counted(summary.n_tasks, "task")
    ))
}

/// The hashes of programs and of scoring programs.
type Hashes = (String, Option<String>);

/// Comes before the report: that says nothing about a file that could not be written.
fn write_json(
    summary: &Summary<'_>,
    tasks: &[Task],
    all: Vec<String>,
    hashes: Option<Hashes>,
) -> Result<(), Failure> {
    let Some(target) = &summary.args.json else {
        return Ok(());
    };
    let report = summary.as_json();
    let (Some(shard), Some(hashes)) = (summary.args.shard, hashes) else {
        return batt_json::write(&report, target);
    };
    let job = job(&report, all, hashes);
    let records = tasks.iter().zip(&summary.runs);
    let records = records.map(|(task, run)| parts::record(&job, task, BattResult::from(run)));
    parts::write(target, shard, &job, &summary.phases, records)
}

fn job(report: &batt_json::Report<'_>, all: Vec<String>, (programs, scores): Hashes) -> Job {
    let data = (report.data_name, report.data_hash);
    let scores_seen = || report.scores.iter().flatten();
    let is_own = scores_seen().all(|(_, scale)| *scale == Scale::OWN);
    let battery = BatteryJob {
        nodes: report.n_nodes,
        members: report.members.to_vec(),
        scores: scores.map(|hash| Scores {
            hash,
            names: scores_seen().map(|(name, _)| (*name).to_owned()).collect(),
            scales: match is_own {
                true => Vec::new(),
                false => scores_seen().map(|(_, scale)| *scale).collect(),
            },
        }),
    };
    Job {
        battery: Some(battery),
        tasks: all,
        ..Job::new(report.switches, data, programs)
    }
}
