//! Runs programs on their own tasks, with the recorder and without, and prints the price of
//! recording and whether the times add up.
//!
//! ```sh
//! cargo run --release -p leyden-exec --example recorded -- arc1:training solvers.py [ROUNDS [on|off]]
//! ```
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Instant;

use leyden_exec::record::{self, Recorder};
use leyden_exec::{BatteryPlan, Engine, Seen, with_large_stack};
use leyden_lang::{Battery, Rules, parse};
use leyden_store::{Cache, load};

fn main() {
    with_large_stack(measure);
}

fn measure() {
    let args: Vec<String> = std::env::args().collect();
    let cache = Cache::from_env().unwrap();
    let data = load(&args[1].parse().unwrap(), None, &cache).unwrap();
    let text = std::fs::read_to_string(&args[2]).unwrap();
    let programs = parse(&text, &args[2], None).unwrap();
    let rounds: usize = args.get(3).map_or(5, |n| n.parse().unwrap());
    let plans: Vec<_> = data
        .tasks
        .iter()
        .filter_map(|task| {
            let mut own = programs
                .iter()
                .filter(|program| program.task_id() == Some(task.id.as_str()))
                .peekable();
            own.peek()?;
            let plan = BatteryPlan::new(Battery::from_programs(own, Rules::ALL));
            Some((task, plan))
        })
        .collect();
    let engine = Engine::default();
    let run = |recorder: Option<&Recorder>, least: &mut [f64]| {
        for (k, (task, plan)) in plans.iter().enumerate() {
            let start = Instant::now();
            if let Some(recorder) = recorder {
                recorder.task(Some(k as u32));
                record::unit(k as u32);
            }
            let inputs = task.pairs().map(|(input, _)| input);
            plan.with_worker(&engine, |worker| {
                worker.run(&Seen::default(), inputs, |_, _, outcome| {
                    drop(black_box(outcome))
                });
            });
            least[k] = least[k].min(start.elapsed().as_secs_f64());
        }
    };
    let only = args.get(4).map_or("", String::as_str);
    let mut least = [(); 2].map(|()| vec![f64::INFINITY; plans.len()]);
    let (mut settling, mut last) = (f64::INFINITY, None);
    for _ in 0..rounds {
        if only != "on" {
            run(None, &mut least[0]);
        }
        if !record::IS_BUILT_IN || only == "off" {
            continue;
        }
        let recorder = Recorder::start();
        run(Some(&recorder), &mut least[1]);
        let start = Instant::now();
        last = Some(recorder.finish());
        settling = settling.min(start.elapsed().as_secs_f64());
    }
    // The least time of each task counts, because on a busy machine whole rounds are rarely
    // undisturbed.
    let [off, on] = least.map(|times| times.iter().sum::<f64>());
    println!(
        "off {:.1} ms, on {:.1} ms ({:+.1} %), then {:.1} ms to settle ({:+.1} %)",
        off * 1e3,
        on * 1e3,
        (on / off - 1.0) * 100.0,
        settling * 1e3,
        settling / off * 100.0
    );
    let Some(recording) = last else { return };
    println!(
        "rows {:.3} ms, wall {:.3} ms, cpu {:.3} ms, {} events at {} ns",
        recording.self_ns() / 1e6,
        recording.wall_ns() as f64 / 1e6,
        recording.cpu_ns() as f64 / 1e6,
        recording.events,
        recording.ns_per_event
    );
    let mut rows: Vec<_> = recording.rows().into_iter().collect();
    rows.sort_by(|a, b| b.1.figures.self_ns.total_cmp(&a.1.figures.self_ns));
    for (row, figures) in rows.iter().take(30) {
        let it = &figures.figures;
        println!(
            "{:28} {:>8} calls {:>9.3} ms self {:>9.3} ms cum {:>10.0} cells {:>5} faults  p50 {:>8.0}",
            row.name(),
            it.calls,
            it.self_ns / 1e6,
            it.total_ns / 1e6,
            it.cells,
            it.faults,
            figures.histogram.quantile(0.5).unwrap_or(0.0)
        );
    }
}
