//! `leyden run`: load, compile, generate, execute, validate.

use leyden_dsl::meter::CancelToken;
use leyden_grid::TaskId;
use leyden_store::DataSpec;

use crate::args::RunArgs;
use crate::clock::Wall;
use crate::devices::{self, Work};
use crate::failure::Failure;
use crate::output::{Target, in_shell, remark, say};
use crate::parts;
use crate::pipeline::Phases;
use crate::pipeline::execute::{Execution, execute};
use crate::pipeline::generate::{Plan, assign};
use crate::pipeline::load::{DEFAULT_DATA, load};
use crate::pipeline::observe::OnDone;
use crate::pipeline::read::programs_hash;
use crate::pipeline::source::OutcomeSource;
use crate::pipeline::validate::validate;
use crate::programs::{Known, Library};
use crate::progress::Progress;
use crate::report::batt_json::Switches;
use crate::report::numbers::{count, counted};
use crate::report::run_json;
use crate::report::run_text::{self, Summary};

pub(crate) fn run(args: RunArgs, cancel: CancelToken, started: Wall) -> Result<(), Failure> {
    let loaded = load(&args.tasks, Some(&args.solvers), &cancel, started)?.part(args.shard);
    let n_threads = args.engine.n_threads;
    let mut phases = Phases::after(&loaded);
    let library = phases.compile(|| Library::read(&loaded.sources, &args.language, n_threads))?;
    note_strangers(&library, &loaded.ids, &args.tasks.choice.only, &loaded.name);
    let sharing = args.engine.sharing;
    let assigned = assign(&loaded.tasks, &library);
    let plan = phases.generate(|| Plan::own(assigned, sharing, n_threads));
    let engine = args.engine.engine(cancel);
    let work = Work {
        plan: &plan,
        n_runs: plan.n_runs(),
        fuel: engine.fuel,
        rules: sharing.rules,
        n_threads,
    };
    let devices = devices::open(&args.backend, &work)?;
    let execution = Execution {
        plan: &plan,
        engine: &engine,
        n_threads,
        source: &OutcomeSource::of(devices.as_ref(), &plan, engine.fuel, sharing.rules),
        scorer: None,
    };
    let progress = Progress::new("executing", plan.tasks.len());
    let runs = phases.execute(|| execute(&execution, &OnDone(|| progress.advance(1))));
    drop(progress);
    if engine.cancel.is_cancelled() {
        return Err(stopped(runs.len(), plan.tasks.len()));
    }
    let results = phases.validate(|| validate(&plan, &runs, n_threads));
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

/// The options with which `leyden trace` finds the programs and tasks of this run.
fn trace_options(args: &RunArgs, data: &DataSpec) -> String {
    let mut words = Vec::new();
    if args.tasks.data.is_some() || *data != DEFAULT_DATA {
        words.extend(["--data".to_owned(), in_shell(&data.to_string())]);
    }
    if let Some(solutions) = &args.tasks.solutions {
        let solutions = in_shell(&solutions.to_string_lossy());
        words.extend(["--solutions".to_owned(), solutions]);
    }
    if let Some(dialect) = args.language.dialect {
        words.extend(["--dialect".to_owned(), dialect.name().to_owned()]);
    }
    if let Some(names) = &args.names {
        let names = in_shell(&names.to_string_lossy());
        words.extend(["--names".to_owned(), names]);
    }
    if !args.solvers.is_empty() {
        words.push("--solvers".to_owned());
        let paths = args.solvers.iter();
        words.extend(paths.map(|path| in_shell(&path.to_string_lossy())));
    }
    words.join(" ")
}

/// Prints a note about programs without a task here: they do not run, which is seldom intended.
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

fn stopped(n_done: usize, n_tasks: usize) -> Failure {
    Failure::Stopped(format!(
        "{} of {} were run; nothing was written",
        count(n_done),
        counted(n_tasks, "task")
    ))
}

/// Writes the JSON. This comes before the report, which must not speak of a file that could not be
/// written.
fn write_json(summary: &Summary<'_>, args: &RunArgs, all: Vec<String>) -> Result<(), Failure> {
    let Some(target) = &args.json else {
        return Ok(());
    };
    let per_task = run_json::per_task(summary);
    let (name, hash) = (summary.data_name, summary.data_hash);
    let Some(shard) = args.shard else {
        return target.write(&run_json::render(name, hash, &summary.phases, &per_task)?);
    };
    let job = parts::Job {
        tasks: all,
        ..parts::Job::new(
            Switches::of(&args.engine),
            (name, hash),
            programs_hash(summary.library.programs()),
        )
    };
    let tasks = summary.results.iter().map(|result| result.task);
    let records = tasks.zip(per_task);
    let records = records.map(|(task, result)| parts::record(&job, task, result));
    parts::write(target, shard, &job, &summary.phases, records)
}
