//! Kills a process that writes to a store, again and again, and checks the store.
//!
//! This program plays both parts. With an argument it writes until it is killed; without one it is
//! the test.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use leyden_grid::{Grid, Pair, Puzzle, TaskId};
use leyden_lang::{Program, parse};
use leyden_store::library::{LibraryError, Origin, ProgramHash, SampleScore, Store, TaskKey};

const N_KILLS: u64 = 20;
const N_IN_A_BATCH: usize = 8;

fn main() {
    match std::env::var_os("LEYDEN_TEST_WRITER") {
        Some(path) => write_for_ever(Path::new(&path)),
        None => kill_and_look(),
    }
}

fn program(number: usize) -> Program {
    let source = format!("def solve_{number:08x}(I):\n    x = add({number}, 1)\n    return x\n");
    parse(&source, "test", None).unwrap().remove(0)
}

fn task() -> TaskKey {
    let grid = Grid::from_rows(&[vec![1]]).unwrap();
    let demo = Pair {
        input: grid.clone(),
        output: grid,
    };
    TaskKey::of(&Puzzle {
        id: TaskId::new("t").unwrap(),
        demos: vec![demo],
        test_inputs: Vec::new(),
    })
}

/// Prints the number of programs after each saved batch.
fn write_for_ever(path: &Path) {
    let mut store = Store::open(path).unwrap();
    let mut n_saved = store.n_programs().unwrap();
    let task = task();
    loop {
        let saved: Result<(), LibraryError> = store.write(|batch| {
            for number in n_saved..n_saved + N_IN_A_BATCH {
                let hash = batch
                    .add_program(&program(number), &Origin::of_source("test"))?
                    .hash;
                let score = SampleScore {
                    is_exact: false,
                    partial: 50.0,
                    fuel: 1,
                };
                batch.record_scores(hash, &task, &[score])?;
            }
            Ok(())
        });
        saved.unwrap();
        n_saved += N_IN_A_BATCH;
        println!("{n_saved}");
    }
}

fn kill_and_look() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("library.db");
    for round in 0..N_KILLS {
        kill_while_it_is_made(dir.path(), round);
        let n_reported = write_and_kill(&path, Duration::from_millis(3 + 17 * round % 60));
        look(&path, n_reported);
    }
    two_at_once(&dir.path().join("shared.db"));
    let n_programs = Store::open(&path).unwrap().n_programs().unwrap();
    assert!(n_programs > N_IN_A_BATCH, "{n_programs}");
    println!("killed {N_KILLS} times, {n_programs} programs saved, none lost");
}

/// Kills the first process of a new store within a few milliseconds.
fn kill_while_it_is_made(dir: &Path, round: u64) {
    let path = dir.join(format!("new{round}.db"));
    let n_reported = write_and_kill(&path, Duration::from_millis(3 * (round % 8)));
    look(&path, n_reported);
}

/// Kills two processes that write to one store. Neither finds the store made.
fn two_at_once(path: &Path) {
    let reported = std::thread::scope(|scope| {
        let writers = [61, 83]
            .map(|delay| scope.spawn(move || write_and_kill(path, Duration::from_millis(delay))));
        writers.map(|writer| writer.join().unwrap())
    });
    assert!(reported.iter().all(|n_reported| *n_reported > 0));
    look(path, reported[0].max(reported[1]));
}

/// Kills a writer after a delay; returns the number of programs that it reported as saved.
fn write_and_kill(path: &Path, delay: Duration) -> usize {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .env("LEYDEN_TEST_WRITER", path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // Some delays begin before the first batch, so they kill the writer while it opens the store.
    let first = (!delay.as_millis().is_multiple_of(3)).then(|| lines.next());
    std::thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap();
    let rest = lines.map_while(Result::ok);
    let reported = first.flatten().and_then(Result::ok).into_iter().chain(rest);
    reported
        .filter_map(|line| line.parse().ok())
        .max()
        .unwrap_or(0)
}

fn look(path: &Path, n_reported: usize) {
    if !path.exists() {
        assert_eq!(n_reported, 0);
        return;
    }
    let store = Store::open(path).unwrap();
    let report = store.check().unwrap();
    assert_eq!(report.findings, Vec::<String>::new());
    assert!(
        report.n_programs >= n_reported,
        "{} of {n_reported}",
        report.n_programs
    );
    // A batch and its scores are there as a whole, or not at all.
    assert_eq!(report.n_programs % N_IN_A_BATCH, 0);
    assert_eq!(report.n_scores, report.n_programs);
    let all_there = (0..n_reported).all(|number| {
        let hash = ProgramHash::of(&program(number));
        store.program(hash).unwrap().is_some()
    });
    assert!(all_there);
}
