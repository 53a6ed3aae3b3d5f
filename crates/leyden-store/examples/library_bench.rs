//! Times a store with many programs: `library_bench PATH N_PROGRAMS N_SCORES`, where `N_SCORES` is
//! the number of scores of each program.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::path::PathBuf;
use std::time::Instant;

use leyden_grid::{Puzzle, TaskId};
use leyden_lang::parse;
use leyden_store::demo;
use leyden_store::library::{Filter, Keep, LibraryError, Origin, SampleScore, Store, TaskKey};

const N_IN_A_BATCH: usize = 1_000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, n_programs, n_scores] = &args[..] else {
        println!("library_bench PATH N_PROGRAMS N_SCORES");
        return;
    };
    let (n_programs, n_scores) = (n_programs.parse().unwrap(), n_scores.parse().unwrap());
    let mut store = Store::open(&PathBuf::from(path)).unwrap();
    let tasks = tasks();
    timed("fill", || fill(&mut store, n_programs, n_scores, &tasks));
    let best = timed("best of a task", || store.best(&tasks[0], 10).unwrap());
    let all = timed("standings", || store.standings(&Filter::default()).unwrap());
    let hashes: Vec<_> = all.iter().map(|standing| standing.hash).collect();
    let programs = timed("programs", || store.programs(&hashes).unwrap());
    timed("content hash", || store.content_hash().unwrap());
    let report = timed("check", || store.check().unwrap());
    let keep = Keep {
        per_task: 10,
        unscored: false,
    };
    let pruned = timed("prune", || store.prune(keep).unwrap());
    timed("compact", || store.compact().unwrap());
    println!(
        "{} best, {} programs, {} findings, {} kept",
        best.len(),
        programs.len(),
        report.findings.len(),
        pruned.n_kept
    );
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let value = work();
    println!("{what:<16} {:>9.3} s", started.elapsed().as_secs_f64());
    value
}

/// Four hundred tasks with three demonstration pairs each.
fn tasks() -> Vec<TaskKey> {
    let demos = &demo::tasks()[0].demos;
    let task = |k: usize| {
        TaskKey::of(&Puzzle {
            id: TaskId::new(format!("{k:08x}")).unwrap(),
            demos: demos.iter().cycle().take(3).cloned().collect(),
            test_inputs: Vec::new(),
        })
    };
    (0..400).map(task).collect()
}

fn fill(store: &mut Store, n_programs: usize, n_scores: usize, tasks: &[TaskKey]) {
    let numbers: Vec<usize> = (0..n_programs).collect();
    for batch_of in numbers.chunks(N_IN_A_BATCH) {
        let done: Result<(), LibraryError> = store.write(|batch| {
            for number in batch_of {
                let body: String = (0..12)
                    .map(|k| format!("    x{k} = add({number}, {k})\n"))
                    .collect();
                let source = format!("def solve_{number:08x}(I):\n{body}    return x3\n");
                let program = parse(&source, "bench", None).unwrap().remove(0);
                let hash = batch
                    .add_program(&program, &Origin::of_source("bench"))?
                    .hash;
                for k in 0..n_scores {
                    let partial = ((number * 31 + k * 17) % 101) as f64;
                    let sample = SampleScore {
                        is_exact: partial == 100.0,
                        partial,
                        fuel: *number as u64,
                    };
                    let task = &tasks[(number * 7 + k) % tasks.len()];
                    batch.record_scores(hash, task, &[sample; 3])?;
                }
            }
            Ok(())
        });
        done.unwrap();
    }
}
