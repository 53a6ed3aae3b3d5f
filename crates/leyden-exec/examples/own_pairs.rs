//! Runs every program of a file on its own task and reports time, answers and fallbacks.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::time::Instant;

use leyden_exec::{GaveUp, Engine, Mode, Sample, with_large_stack};

fn main() {
    with_large_stack(body)
}

fn cpu() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

fn body() {
    let args: Vec<String> = std::env::args().collect();
    let data: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&args[1]).unwrap()).unwrap();
    let source = std::fs::read_to_string(&args[2]).unwrap();
    let exact = args.get(3).is_some_and(|a| a == "exact");
    let n_passes: usize = args.get(4).map_or(1, |a| a.parse().unwrap());
    let started = Instant::now();
    let programs = leyden_lang::parse(&source, &args[2], None).unwrap();
    println!("parse {:?}", started.elapsed());
    let grid = |v: &serde_json::Value| {
        let rows: Vec<Vec<u8>> = serde_json::from_value(v.clone()).unwrap();
        leyden_grid::Grid::from_rows(&rows).unwrap()
    };
    let mut tasks = BTreeMap::new();
    for (id, task) in data["train"].as_object().unwrap() {
        let pairs: Vec<_> = task["train"].as_array().unwrap().iter().chain(task["test"].as_array().unwrap())
            .map(|p| (grid(&p["input"]), grid(&p["output"]))).collect();
        tasks.insert(id.clone(), pairs);
    }
    let engine = Engine { mode: if exact { Mode::Exact } else { Mode::Fast }, ..Engine::default() };
    let mut times = serde_json::Map::new();
    let (mut total, mut right, mut fallbacks) = (0, 0, 0);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut fallback_names = Vec::new();
    let only = std::env::var("ONLY").ok();
    for program in &programs {
        if only.as_ref().is_some_and(|only| !only.contains(program.task_id().unwrap())) {
            continue;
        }
        let Some(pairs) = program.task_id().and_then(|id| tasks.get(id)) else { continue };
        if std::env::var("SKIP").is_ok() && pairs.iter().any(|(i, _)| engine.run_fast(program, &Sample::of(i)).is_err()) {
            continue;
        }
        let mut best = f64::MAX;
        let mut ok = 0;
        for _ in 0..n_passes {
            let started = cpu();
            ok = 0;
            for (input, output) in pairs {
                ok += usize::from(engine.run(program, &Sample::of(input)).equals(output));
            }
            best = best.min(cpu() - started);
        }
        let text = program.to_string();
        let stops: Vec<_> = pairs.iter().filter_map(|(i, _)| engine.run_fast(program, &Sample::of(i)).err()).collect();
        for GaveUp { line, prim } in &stops {
            let _ = line;
            *reasons.entry(format!("{prim:?}")).or_insert(0) += 1;
        }
        let fell = stops.len();
        if fell > 0 {
            let at = text.lines().nth(stops[0].line as usize + 1).unwrap().trim().to_owned();
            fallback_names.push((format!("{} {at} {:?}", program.name, stops[0].prim), fell, best));
        }
        fallbacks += fell;
        times.insert(program.task_id().unwrap().to_owned(), best.into());
        total += pairs.len();
        right += ok;
        if ok != pairs.len() {
            println!("{}: {ok} of {}", program.name, pairs.len());
        }
    }
    let sum: f64 = times.values().map(|v| v.as_f64().unwrap()).sum();
    let without = sum - times.get("a64e4611").map_or(0.0, |v| v.as_f64().unwrap());
    println!("{right} of {total} pairs, {fallbacks} fallbacks in {} programs, {:.2} ms, without a64e4611 {:.2} ms, fallbacks {:.2} ms", fallback_names.len(), sum * 1e3, without * 1e3, fallback_names.iter().map(|f| f.2).sum::<f64>() * 1e3);
    fallback_names.sort_by(|a, b| b.2.total_cmp(&a.2));
    for (name, n, t) in fallback_names.iter().take(60) {
        println!("  {name}: {n} pairs, {:.0} us", t * 1e6);
    }
    println!("{reasons:?}");
    std::fs::write("/tmp/ours_times.json", serde_json::to_string(&times).unwrap()).unwrap();
}
