//! `leyden merge`: one report from the parts that several machines wrote.

use crate::args::MergeArgs;
use crate::failure::Failure;
use crate::output::{Target, say};
use crate::parts::{BattResult, Outcome, Union, command_of};
use crate::pipeline::task_run::TaskRun;
use crate::pipeline::totals::Totals;
use crate::report::numbers::counted;
use crate::report::run_json::PerTask;
use crate::report::{batt_json, run_json};

pub(crate) fn run(args: &MergeArgs) -> Result<(), Failure> {
    let commands: Result<Vec<String>, Failure> =
        args.parts.iter().map(|path| command_of(path)).collect();
    let mut commands = commands?;
    commands.dedup();
    let (n_tasks, n_all, n_solved) = match commands.as_slice() {
        [command] if command == PerTask::COMMAND => merge_runs(args),
        [command] if command == BattResult::COMMAND => merge_batteries(args),
        [command] => Err(Failure::bad_input(format!(
            "the parts come from `leyden {command}`, which has no parts; expected `run` or `batt`"
        ))),
        _ => Err(Failure::bad_input(
            "the parts come from different commands; merge those of `run` and of `batt` apart",
        )),
    }?;
    let of_all = if n_tasks < n_all {
        format!(" of {n_all}")
    } else {
        String::new()
    };
    let text = format!(
        "{} merged: {}{of_all}, {n_solved} solved\n",
        counted(args.parts.len(), "part"),
        counted(n_tasks, "task"),
    );
    say(&text, args.json == Some(Target::Stdout))
}

/// The number of tasks with results, of all tasks, and of solved tasks.
type Merged = (usize, usize, usize);

fn merge_runs(args: &MergeArgs) -> Result<Merged, Failure> {
    let union: Union<PerTask> = Union::read(&args.parts)?;
    let (results, job, phases) = union.finish(args.is_partial)?;
    if let Some(target) = &args.json {
        let report = run_json::render(&job.data_name, &job.data_hash, &phases, &results)?;
        target.write(&report)?;
    }
    let n_solved = results.iter().filter(|task| task.is_solved()).count();
    Ok((results.len(), job.tasks.len(), n_solved))
}

fn merge_batteries(args: &MergeArgs) -> Result<Merged, Failure> {
    let union: Union<BattResult> = Union::read(&args.parts)?;
    let (results, job, phases) = union.finish(args.is_partial)?;
    let damaged = |what: &str| Failure::bad_input(format!("a part is damaged: {what}"));
    let battery = job.battery.as_ref().ok_or_else(|| damaged("no battery"))?;
    let results = results.into_iter();
    let runs: Result<Vec<TaskRun>, &str> = results.map(|result| result.into_run(battery)).collect();
    let runs = runs.map_err(damaged)?;
    let totals = Totals::of(&runs, &battery.members);
    let scores = battery.scores.as_ref();
    let report = batt_json::Report {
        data_name: &job.data_name,
        data_hash: &job.data_hash,
        switches: job.switches,
        members: &battery.members,
        n_nodes: battery.nodes,
        scores: scores.map(|scores| {
            let names = scores.names.iter().map(String::as_str);
            names.zip(scores.scales()).collect()
        }),
        runs: &runs,
        totals: &totals,
        phases,
    };
    if let Some(target) = &args.json {
        batt_json::write(&report, target)?;
    }
    Ok((runs.len(), job.tasks.len(), totals.n_solved()))
}
