//! `cargo run -p leyden-exec --example batt_outcomes -- DATA BATT.py ID,ID,… OUT.jsonl`
//!
//! Runs a generated batt file on tasks and writes every outcome, a line each, as
//! `tools/check_generated_batt.py` does for CPython: candidates (`o0`, `o1` …) on all pairs,
//! without an expected output; differs (`s0`, `s1` …) on the demonstration pairs, with it. A
//! battery of Leyden's has only candidates.
#![allow(clippy::print_stdout)]

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use leyden_exec::{Engine, Sample, with_large_stack};
use leyden_grid::Task;
use leyden_lang::{GeneratedBatt, is_battery, parse, parse_generated_batt};
use leyden_store::{Cache, DataSpec, load};
use serde_json::{Value as Json, json};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [data, batt, ids, out] = &args[..] else {
        println!("usage: batt_outcomes DATA BATT.py ID,ID,… OUT.jsonl");
        return ExitCode::from(2);
    };
    match with_large_stack(|| run(data, batt, ids, Path::new(out))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(data: &str, path: &str, ids: &str, out: &Path) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let spec: DataSpec = data.parse().map_err(|e| text(&e))?;
    let cache = Cache::from_env().map_err(|e| text(&e))?;
    let data = load(&spec, None, &cache).map_err(|e| text(&e))?;
    let source = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let batt = if is_battery(&source) {
        parse(&source, path, None).map(|candidates| GeneratedBatt {
            candidates,
            ..GeneratedBatt::default()
        })
    } else {
        parse_generated_batt(&source, path)
    };
    let batt = batt.map_err(|e| format!("{path}: {} errors, first: {}", e.len(), e[0].message))?;
    let (n_candidates, n_differs) = (batt.candidates.len(), batt.differs.len());
    println!("candidates {n_candidates}, results of differs {n_differs}");
    let beside = out.with_extension("part");
    let file = std::fs::File::create(&beside).map_err(|e| text(&e))?;
    let mut file = BufWriter::new(file);
    for id in ids.split(',') {
        let task = data.task(id).ok_or_else(|| format!("no task {id}"))?;
        write_task(&mut file, &batt, task).map_err(|e| text(&e))?;
    }
    file.flush().map_err(|e| text(&e))?;
    std::fs::rename(beside, out).map_err(|e| text(&e))
}

fn write_task(out: &mut impl Write, batt: &GeneratedBatt, task: &Task) -> std::io::Result<()> {
    let engine = Engine::default();
    for (number, (input, _)) in task.pairs().enumerate() {
        let pair = format!("{}/{number}", task.id);
        let mut sample = Sample {
            demos: &task.demos,
            ..Sample::of(input)
        };
        for (k, program) in batt.candidates.iter().enumerate() {
            let outcome = engine.run(program, &sample).to_json();
            write_line(out, &format!("o{k}"), &pair, outcome)?;
        }
        let Some(demo) = task.demos.get(number) else {
            continue;
        };
        sample.expected = Some(&demo.output);
        for (k, differ) in batt.differs.iter().enumerate() {
            let outcome = engine.run(&differ.program, &sample).to_json();
            write_line(out, &format!("s{k}"), &pair, outcome)?;
        }
    }
    Ok(())
}

fn write_line(out: &mut impl Write, what: &str, pair: &str, outcome: Json) -> std::io::Result<()> {
    let mut line = json!({ "what": what, "pair": pair });
    if let (Json::Object(line), Json::Object(outcome)) = (&mut line, outcome) {
        line.extend(outcome);
    }
    writeln!(out, "{line}")
}
