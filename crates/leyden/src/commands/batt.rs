//! `leyden batt`: every program of a battery on every sample of every task.

use leyden_dsl::meter::CancelToken;
use leyden_grid::Task;

use crate::args::{BattArgs, ScoresFrom};
use crate::clock::Wall;
use crate::devices::{self, Work};
use crate::failure::Failure;
use crate::output::{Target, print, say};
use crate::parts::{self, BattResult, BatteryJob, Job, Scores};
use crate::pipeline::Phases;
use crate::pipeline::execute::{Execution, execute};
use crate::pipeline::generate::Plan;
use crate::pipeline::load::load;
use crate::pipeline::observe::OnDone;
use crate::pipeline::read::{Programs, own_scores, programs_hash, scores_in};
use crate::pipeline::scoring::{Scale, Scorer, ScoringProgram};
use crate::pipeline::source::OutcomeSource;
use crate::pipeline::task_run::TaskRun;
use crate::pipeline::totals::Totals;
use crate::programs::Source;
use crate::progress::Progress;
use crate::report::batt_json;
use crate::report::batt_text::{self, Summary};
use crate::report::numbers::{count, counted};
use crate::stop;

pub(crate) fn run(args: BattArgs, cancel: CancelToken, started: Wall) -> Result<(), Failure> {
    let files = sources(&args);
    let loaded = load(&args.tasks, Some(&files), &cancel, started)?.part(args.shard);
    let tasks = &loaded.tasks;
    let mut phases = Phases::after(&loaded);
    let (programs, scores) = phases.compile(|| read(&args, &loaded.sources))?;
    let (members, source_name) = (programs.members(), programs.name());
    let hashes = args
        .shard
        .map(|_| (programs.hash(), scores.as_deref().map(scores_hash)));
    let (group, scorer) = phases.generate(|| {
        let scorer = scores.map(|scores| scorer(&args, scores, &programs));
        (programs.into_group(args.engine.sharing), scorer)
    });
    let plan = Plan::shared(tasks, &group);
    let engine = args.engine.engine(cancel);
    let rules = args.engine.sharing.rules;
    let work = Work {
        plan: &plan,
        n_runs: plan.n_runs(),
        fuel: engine.fuel,
        rules,
        n_threads: args.engine.n_threads,
    };
    let devices = devices::open(&args.backend, &work)?;
    let execution = Execution {
        plan: &plan,
        engine: &engine,
        n_threads: args.engine.n_threads,
        source: &OutcomeSource::of(devices.as_ref(), &plan, engine.fuel, rules),
        scorer: scorer.as_ref(),
    };
    let progress = Progress::new("executing", tasks.len());
    stop::allow_last_words();
    let runs = phases.execute(|| execute(&execution, &OnDone(|| progress.advance(1))));
    drop(progress);
    let runs: Vec<TaskRun> = runs.into_iter().flatten().collect();
    let totals = phases.validate(|| Totals::of(&runs, &members));
    let summary = Summary {
        data_name: &loaded.name,
        data_hash: &loaded.hash,
        source: source_name,
        members: &members,
        n_nodes: group.n_nodes(),
        scorer: scorer.as_ref(),
        runs,
        totals,
        n_tasks: tasks.len(),
        phases,
        args: &args,
        whole: loaded.started.elapsed(),
        devices: devices.as_ref(),
    };
    if engine.cancel.is_cancelled() && summary.runs.len() < summary.n_tasks {
        return Err(stopped(&summary));
    }
    write_json(&summary, tasks, loaded.ids.clone(), hashes)?;
    let is_taken = args.json == Some(Target::Stdout);
    say(&batt_text::render(&summary), is_taken)
}

/// The files that programs come from. A battery needs no others.
fn sources(args: &BattArgs) -> Vec<std::path::PathBuf> {
    let file = args.file.iter().cloned();
    file.chain(args.solvers.iter().cloned()).collect()
}

/// The programs and the scoring programs.
type Read = (Programs, Option<Vec<ScoringProgram>>);

fn read(args: &BattArgs, sources: &[Source]) -> Result<Read, Failure> {
    let scores = match &args.scores {
        ScoresFrom::Nowhere => None,
        ScoresFrom::Own => Some(own_scores()?),
        ScoresFrom::File(path) => Some(scores_in(path, &args.language)?),
    };
    let n_threads = args.engine.n_threads;
    let programs = Programs::read(args.file.as_deref(), sources, &args.language, n_threads)?;
    Ok((programs, scores))
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

fn stopped(summary: &Summary<'_>) -> Failure {
    let n_done = count(summary.runs.len());
    if !summary.runs.is_empty() {
        // The command was stopped, whether or not this can be printed.
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

/// Writes the JSON. This comes before the report, which must not speak of a file that could not be
/// written.
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
            scales: if is_own {
                Vec::new()
            } else {
                scores_seen().map(|(_, scale)| *scale).collect()
            },
        }),
    };
    Job {
        battery: Some(battery),
        tasks: all,
        ..Job::new(report.switches, data, programs)
    }
}
