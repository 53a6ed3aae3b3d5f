//! `leyden show`: draws a task.

use std::io::IsTerminal;
use std::path::Path;

use leyden_grid::{Task, TaskId};
use leyden_store::{Cache, Collection, DataSet, DataSpec, StoreError, Subset, load};
use serde_json::json;

use crate::args::{ColorChoice, ShowArgs};
use crate::commands::write_with_json;
use crate::failure::Failure;
use crate::output::{Target, remark};
use crate::pipeline::load::{load_local, names_a_file, unknown_task};
use crate::report::numbers::counted;
use crate::report::palette::Palette;
use crate::report::task_text::{Depth, View};
use crate::report::{pretty_json, task_svg, task_text, terminal_width};

/// The width of a page that goes to a file or a pipe.
pub(crate) const PAGE_WIDTH: usize = 100;

pub(crate) fn run(args: ShowArgs) -> Result<(), Failure> {
    let task = find(&args)?;
    let palette = Palette::named(args.palette);
    if let Some(target) = &args.svg {
        target.write(&task_svg::render(&task, &palette, args.numbers))?;
    }
    let view = View {
        palette,
        depth: depth(args.color),
        numbers: args.numbers,
        width: terminal_width().unwrap_or(PAGE_WIDTH),
    };
    let text = task_text::render(&task, &view);
    if args.svg == Some(Target::Stdout) {
        remark(&text);
        return args
            .json
            .map_or(Ok(()), |json| json.write(&pretty_json(&in_json(&task))?));
    }
    write_with_json(&text, None, args.json.as_ref(), || in_json(&task))
}

/// The task as files of tasks have it, with its id.
fn in_json(task: &Task) -> serde_json::Value {
    json!({ "id": task.id, "train": task.demos, "test": task.tests })
}

fn find(args: &ShowArgs) -> Result<Task, Failure> {
    match &args.data {
        Some(spec) => {
            let solutions = args.solutions.as_deref();
            named_in(&args.task, load_local(spec, solutions)?)
        }
        None if Path::new(&args.task).is_file() => only_task(&args.task),
        None => anywhere(&args.task),
    }
}

fn named_in(id: &str, data: DataSet) -> Result<Task, Failure> {
    let DataSet { name, tasks, .. } = data;
    let ids: Vec<TaskId> = tasks.iter().map(|task| task.id.clone()).collect();
    let found = tasks.into_iter().find(|task| task.id.as_str() == id);
    found.ok_or_else(|| unknown_task(id, ids.iter(), &name))
}

fn only_task(file: &str) -> Result<Task, Failure> {
    let spec = DataSpec::Path(file.into(), None);
    let mut tasks = load(&spec, None, &Cache::at(""))?.tasks;
    match (tasks.pop(), tasks.len()) {
        (Some(task), 0) => Ok(task),
        (_, n_more) => Err(Failure::bad_input(format!(
            "{file}: there are {} in this file; `leyden show ID --data {file}` shows one",
            counted(n_more + 1, "task"),
        ))),
    }
}

/// Searches everything that is available without a network.
fn anywhere(id: &str) -> Result<Task, Failure> {
    let cache = Cache::from_env().unwrap_or_else(|_| Cache::at(""));
    let cached = |collection| DataSpec::Named(collection, Subset::All);
    let places = [
        DataSpec::Demo,
        DataSpec::Families,
        cached(Collection::Arc1),
        cached(Collection::Arc2),
    ];
    let mut searched = Vec::new();
    for spec in &places {
        match load(spec, None, &cache) {
            Ok(data) => match data.task(id) {
                Some(task) => return Ok(task.clone()),
                None => searched.push(data),
            },
            Err(StoreError::NotFetched { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(not_found(id, &searched, places.len()))
}

fn not_found(id: &str, searched: &[DataSet], n_places: usize) -> Failure {
    let names: Vec<&str> = searched.iter().map(|data| data.name.as_str()).collect();
    let ids = searched
        .iter()
        .flat_map(|data| &data.tasks)
        .map(|task| &task.id);
    let failure = unknown_task(id, ids, &names.join(", "));
    let has_more = searched.len() < n_places && !names_a_file(Path::new(id));
    match (has_more, failure) {
        (true, Failure::BadInput(error)) => {
            Failure::bad_input(format!("{error}; `leyden get` fetches more tasks"))
        }
        (_, failure) => failure,
    }
}

pub(crate) fn depth(choice: ColorChoice) -> Depth {
    match choice {
        ColorChoice::Auto => detected_depth(),
        ColorChoice::Truecolor => Depth::True,
        ColorChoice::Indexed => Depth::Indexed,
        ColorChoice::Plain => Depth::Plain,
    }
}

fn detected_depth() -> Depth {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let is_silent = !variable("NO_COLOR").is_empty() || variable("TERM") == "dumb";
    if is_silent || !std::io::stdout().is_terminal() {
        return Depth::Plain;
    }
    match variable("COLORTERM").as_str() {
        "truecolor" | "24bit" => Depth::True,
        _ => Depth::Indexed,
    }
}
