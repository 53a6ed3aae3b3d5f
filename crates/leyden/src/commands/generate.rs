//! `leyden generate`: fresh pairs of known tasks.

use leyden_dsl::meter::CancelToken;
use leyden_grid::{Pair, Task, TaskId, TestCase};
use leyden_store::Cache;
use leyden_store::augment::challenges_json;
use leyden_store::fetch::Scope;
use leyden_store::generate::{Fresh, GenerateError, generate, is_fetched, known_tasks};
use serde_json::json;

use crate::args::GenerateArgs;
use crate::commands::write_with_json;
use crate::failure::Failure;
use crate::output::remark;
use crate::pipeline::fetch::fetch;
use crate::progress::spinner;
use crate::report::numbers::{count, counted};

pub(crate) fn run(args: GenerateArgs, cancel: &CancelToken) -> Result<(), Failure> {
    let cache = Cache::from_env()?;
    if !is_fetched(&cache) {
        fetch(&cache, Scope::Arc, cancel)?;
    }
    let mut ids = args.tasks;
    if ids.is_empty() {
        ids = known_tasks(&cache)?;
    }
    ids.sort();
    ids.dedup();
    let spinner = spinner();
    spinner.set_message(format!("making pairs of {} …", counted(ids.len(), "task")));
    let is_stopped = || cancel.is_cancelled();
    let fresh = generate(&cache, &ids, args.n_pairs, args.seed, &is_stopped);
    spinner.finish_and_clear();
    let fresh = fresh.map_err(failure)?;
    let report = json!({
        "engine": env!("CARGO_PKG_VERSION"),
        "seed": args.seed,
        "tasks": ids.len(),
        "pairs": args.n_pairs,
        "tests": args.n_tests,
        "cached": fresh.n_cached,
        "dsl": fresh.dsl,
    });
    if args.out.is_some() {
        remark(&summary(&fresh, args.n_pairs));
    }
    let made = fresh.tasks.into_iter();
    let tasks: Vec<Task> = made
        .map(|(id, pairs)| task(id, pairs, args.n_tests))
        .collect();
    let text = challenges_json(&tasks.iter().collect::<Vec<&Task>>());
    write_with_json(&text, args.out.as_ref(), args.json.as_ref(), || report)
}

fn failure(error: GenerateError) -> Failure {
    match error {
        GenerateError::UnknownTask { .. } | GenerateError::TooFew { .. } => {
            Failure::bad_input(error.to_string())
        }
        GenerateError::Stopped => {
            Failure::Stopped("the pairs of finished tasks are kept".to_owned())
        }
        GenerateError::Store(error) => error.into(),
        other => Failure::Other(other.into()),
    }
}

fn summary(fresh: &Fresh, n_pairs: usize) -> String {
    let n_tasks = fresh.tasks.len();
    let place = match &fresh.dsl {
        None => "all from the cache".to_owned(),
        Some(dsl) => format!(
            "{} from the cache, the others made on {dsl}",
            count(fresh.n_cached)
        ),
    };
    format!(
        "{} of {}: {place}\n",
        counted(n_pairs * n_tasks, "pair"),
        counted(n_tasks, "task")
    )
}

/// A task whose last pairs are its tests.
fn task(id: TaskId, mut pairs: Vec<Pair>, n_tests: usize) -> Task {
    let tests = pairs.split_off(pairs.len().saturating_sub(n_tests));
    let test = |pair: Pair| TestCase {
        input: pair.input,
        output: Some(pair.output),
    };
    Task {
        id,
        demos: pairs,
        tests: tests.into_iter().map(test).collect(),
    }
}
