//! `leyden run`: load, compile, generate, execute, validate.

use std::collections::HashMap;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Answered, Engine, Loaded, parallel_map};
use leyden_grid::{Task, TaskId};
use leyden_lang::{Battery, Program};
use leyden_store::DataSpec;

use crate::args::RunArgs;
use crate::clock::{Wall, timed};
use crate::devices::{self, Devices};
use crate::failure::Failure;
use crate::output::{Target, remark, say};
use crate::parts::{self, programs_hash};
use crate::pipeline::Phases;
use crate::pipeline::load::{DEFAULT_DATA, Wanted, load};
use crate::programs::{Known, Library};
use crate::progress::Progress;
use crate::report::batt_json::Switches;
use crate::report::numbers::{count, counted};
use crate::report::{run_json, run_text};
use crate::results::{self, Attempt, Group, Job, TaskResult};

/// Everything a report can say.
pub(crate) struct Summary<'a> {
    pub(crate) data_name: &'a str,
    pub(crate) data_hash: &'a str,
    pub(crate) library: &'a Library,
    pub(crate) results: Vec<TaskResult<'a>>,
    pub(crate) phases: Phases,
    pub(crate) n_threads: usize,
    pub(crate) whole: Duration,
    /// The devices that took part.
    pub(crate) devices: Option<Devices>,
    /// The options of a `leyden trace` of these tasks and programs.
    pub(crate) trace_options: String,
}

pub(crate) fn run(args: RunArgs, cancel: CancelToken, started: Wall) -> Result<(), Failure> {
    let wanted = Wanted {
        data: args.data.as_ref(),
        solutions: args.solutions.as_deref(),
        choice: &args.choice,
        shard: args.shard,
        programs: Some(&args.solvers),
    };
    let loaded = load(&wanted, &cancel, started)?;
    let n_threads = args.engine.n_threads;
    let (library, compile_time) = timed(|| Library::read(&loaded.sources, args.dialect, n_threads));
    let library = library?;
    note_strangers(&library, &loaded.ids, &args.choice.only, &loaded.name);
    let jobs = assign(&loaded.tasks, &library);
    let sharing = args.engine.sharing;
    let (groups, generate_time) =
        timed(|| parallel_map(n_threads, &jobs, |job| results::generate(job, sharing)));
    let engine = args.engine.engine(cancel);
    let n_runs = jobs.iter().map(Job::n_runs).sum();
    let devices = devices::open(&args.backend, engine.fuel, n_runs)?;
    let on_devices = devices
        .as_ref()
        .and_then(|devices| load_all(devices, &jobs, &args));
    let ahead = on_devices.as_deref();
    let (attempts, execute_time) = timed(|| execute(&engine, n_threads, (&jobs, &groups), ahead));
    let attempts = attempts?;
    let (results, validate_time) = timed(|| validate(n_threads, &jobs, &attempts));
    let phases = Phases {
        load: loaded.time,
        compile: compile_time,
        generate: generate_time,
        execute: execute_time,
        validate: validate_time,
    };
    let summary = Summary {
        data_name: &loaded.name,
        data_hash: &loaded.hash,
        library: &library,
        results,
        phases,
        n_threads,
        whole: loaded.started.elapsed(),
        devices,
        trace_options: trace_options(&args, &loaded.spec),
    };
    write_json(&summary, &args, loaded.ids)?;
    let text = run_text::render(&summary);
    say(&text, args.json == Some(Target::Stdout))
}

/// The options with which `leyden trace` finds what this run found.
fn trace_options(args: &RunArgs, data: &DataSpec) -> String {
    let mut words = Vec::new();
    if args.data.is_some() || *data != DEFAULT_DATA {
        words.extend(["--data".to_owned(), in_shell(&data.to_string())]);
    }
    if let Some(solutions) = &args.solutions {
        let solutions = in_shell(&solutions.to_string_lossy());
        words.extend(["--solutions".to_owned(), solutions]);
    }
    if let Some(dialect) = args.dialect {
        words.extend(["--dialect".to_owned(), dialect.name().to_owned()]);
    }
    if !args.solvers.is_empty() {
        words.push("--solvers".to_owned());
        let paths = args.solvers.iter();
        words.extend(paths.map(|path| in_shell(&path.to_string_lossy())));
    }
    words.join(" ")
}

/// A word as a shell reads it.
pub(crate) fn in_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:=+,@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Programs without a task here do not run, which is seldom meant.
fn note_strangers(library: &Library, all: &[String], only: &[TaskId], data_name: &str) {
    let names_a_task = |known: &Known| {
        let id = known.program.task_id();
        id.is_some_and(|id| all.iter().any(|task| task == id))
    };
    if library.programs.iter().any(names_a_task) {
        return;
    }
    if !only.is_empty() {
        let only: Vec<&str> = only.iter().map(TaskId::as_str).collect();
        let only = only.join(" or ");
        let none = match library.programs.len() {
            1 => "the program is not".to_owned(),
            n => format!("none of the {} programs is", count(n)),
        };
        remark(&format!("note: {none} for {only}\n"));
    } else {
        let n_programs = counted(library.programs.len(), "program");
        remark(&format!(
            "note: {n_programs}, but none named after a task of {data_name}, such as `solve_<task>`; `leyden \
             batt` runs programs on every task\n"
        ));
    }
}

/// Finds the programs of each task.
pub(crate) fn assign<'a>(tasks: &'a [Task], library: &'a Library) -> Vec<Job<'a>> {
    let mut by_task: HashMap<&str, Vec<&Known>> = HashMap::new();
    for known in &library.programs {
        if let Some(id) = known.program.task_id() {
            by_task.entry(id).or_default().push(known);
        }
    }
    let job = |task: &'a Task| Job {
        task,
        programs: by_task.get(task.id.as_str()).cloned().unwrap_or_default(),
    };
    tasks.iter().map(job).collect()
}

/// All programs of all tasks on devices, in their order.
fn load_all(devices: &Devices, jobs: &[Job<'_>], args: &RunArgs) -> Option<Box<dyn Loaded>> {
    let programs: Vec<&Program> = jobs.iter().flat_map(Job::programs).collect();
    let battery = Battery::from_programs(programs, args.engine.sharing.rules);
    devices.elsewhere.load(&battery, args.engine.fuel)
}

/// Tasks with the groups of their programs.
type Jobs<'j, 'a> = (&'j [Job<'a>], &'j [Vec<Group<'a>>]);

fn execute<'a>(
    engine: &Engine,
    n_threads: usize,
    (jobs, groups): Jobs<'_, 'a>,
    loaded: Option<&dyn Loaded>,
) -> Result<Vec<Vec<Attempt<'a>>>, Failure> {
    let progress = Progress::new("executing", jobs.len());
    let mut attempts = Vec::with_capacity(jobs.len());
    let (mut first, mut n_before) = (0, 0);
    while first < jobs.len() && !engine.cancel.is_cancelled() {
        let n_jobs = n_in_batch(&jobs[first..], loaded);
        let batch = first..first + n_jobs;
        let answered = match loaded {
            Some(loaded) => ask(loaded, &jobs[batch.clone()], n_before),
            None => Vec::new(),
        };
        let groups: Vec<(usize, &Vec<Group<'a>>)> =
            groups[batch.clone()].iter().enumerate().collect();
        attempts.extend(parallel_map(n_threads, &groups, |(k, groups)| {
            if engine.cancel.is_cancelled() {
                return Vec::new();
            }
            let answered = answered.get(*k).map_or(&[][..], Vec::as_slice);
            let attempts = execute_task(engine, groups, answered);
            if !engine.cancel.is_cancelled() {
                progress.advance(1);
            }
            attempts
        }));
        n_before += jobs[batch]
            .iter()
            .map(|job| job.programs.len())
            .sum::<usize>();
        first += n_jobs;
    }
    match engine.cancel.is_cancelled() {
        true => Err(stopped(&progress, jobs.len())),
        false => Ok(attempts),
    }
}

fn execute_task<'a>(
    engine: &Engine,
    groups: &[Group<'a>],
    answered: &[Answered],
) -> Vec<Attempt<'a>> {
    let mut first = 0;
    let run = |group: &Group<'a>| {
        let programs = first..first + group.programs.len();
        first = programs.end;
        let of_group = |answered: &Answered| -> Answered {
            let own = answered.iter().filter(|(k, _)| programs.contains(k));
            own.map(|(k, outcome)| (k - programs.start, outcome.clone()))
                .collect()
        };
        results::execute(engine, group, answered.iter().map(of_group).collect())
    };
    groups.iter().map(run).collect()
}

/// How many tasks are worked on before the next ones are asked about: with devices as many as make
/// a batch, else all.
fn n_in_batch(jobs: &[Job<'_>], loaded: Option<&dyn Loaded>) -> usize {
    let Some(loaded) = loaded else {
        return jobs.len();
    };
    let mut n_runs = 0;
    let is_enough = |job: &Job<'_>| {
        n_runs += job.n_runs();
        n_runs >= loaded.good_batch()
    };
    jobs.iter()
        .position(is_enough)
        .map_or(jobs.len(), |k| k + 1)
}

/// What devices say about tasks and their own programs, which are counted from 0 for each task.
/// Of all programs, so many come before those of the first task.
fn ask(loaded: &dyn Loaded, jobs: &[Job<'_>], n_before: usize) -> Vec<Vec<Answered>> {
    let mut places = Vec::with_capacity(jobs.len());
    let mut next = n_before;
    for job in jobs {
        places.push(next..next + job.programs.len());
        next += job.programs.len();
    }
    let tasks: Vec<&Task> = jobs.iter().map(|job| job.task).collect();
    let wanted = |task: usize, program: usize| places[task].contains(&program);
    let mut answered = devices::ask(loaded, &tasks, &wanted);
    for (of_task, places) in answered.iter_mut().zip(&places) {
        for (program, _) in of_task.iter_mut().flatten() {
            *program -= places.start;
        }
    }
    answered
}

fn stopped(progress: &Progress, n_jobs: usize) -> Failure {
    let n_done = count(progress.n_done() as usize);
    Failure::Stopped(format!(
        "{n_done} of {} were run; nothing was written",
        counted(n_jobs, "task")
    ))
}

fn validate<'a>(
    n_threads: usize,
    jobs: &[Job<'a>],
    attempts: &[Vec<Attempt<'a>>],
) -> Vec<TaskResult<'a>> {
    let both: Vec<(&Job<'a>, &Vec<Attempt<'a>>)> = jobs.iter().zip(attempts).collect();
    parallel_map(n_threads, &both, |(job, attempts)| {
        results::validate(job.task, attempts)
    })
}

/// Comes before the report: that says nothing about a file that could not be written.
fn write_json(summary: &Summary<'_>, args: &RunArgs, all: Vec<String>) -> Result<(), Failure> {
    let Some(target) = &args.json else {
        return Ok(());
    };
    let per_task = run_json::per_task(summary);
    let (name, hash) = (summary.data_name, summary.data_hash);
    let Some(shard) = args.shard else {
        return target.write(&run_json::render(name, hash, &summary.phases, &per_task)?);
    };
    let programs = summary.library.programs.iter().map(|known| &known.program);
    let job = parts::Job {
        tasks: all,
        ..parts::Job::new(
            Switches::of(&args.engine),
            (name, hash),
            programs_hash(programs),
        )
    };
    let tasks = summary.results.iter().map(|result| result.task);
    let records = tasks.zip(per_task);
    let records = records.map(|(task, result)| parts::record(&job, task, result));
    parts::write(target, shard, &job, &summary.phases, records)
}
