//! `leyden eval`: every program on every grid, a line each.

use std::ops::Range;

use leyden_dsl::meter::CancelToken;
use leyden_exec::{Engine, Seen, parallel_map};
use leyden_grid::Grid;
use leyden_lang::Program;
use leyden_store::load_grids;
use serde_json::json;

use crate::args::{EngineArgs, EvalArgs};
use crate::clock::timed;
use crate::failure::Failure;
use crate::in_order::InOrder;
use crate::output::{Stream, remark};
use crate::pipeline::group::{Group, Sharing};
use crate::programs::{Library, Source};
use crate::progress::Progress;
use crate::report::numbers::{count, counted, duration, rate};
use crate::report::pretty_json;

/// A thread takes at most this many runs at a time.
const RUNS_PER_CHUNK: usize = 16;

/// At most this many programs are merged: the results of all of them wait for the first.
const MOST_MERGED: usize = 32;

/// If merged programs write more than this, each runs again alone, piece by piece.
const MOST_MERGED_BYTES: usize = 16 << 20;

pub(crate) fn run(args: EvalArgs, cancel: CancelToken) -> Result<(), Failure> {
    let grids = load_grids(&args.inputs)?;
    let sources: Vec<Source> = args.solvers.into_iter().map(Source::Path).collect();
    let n_threads = args.engine.n_threads;
    let library = Library::read(&sources, &args.language, n_threads)?;
    let chunks = chunks(&library, grids.len());
    let n_merged = n_merged(&args.engine, library.programs.len());
    let n_ranges = grids.len().div_ceil(RUNS_PER_CHUNK);
    let units: Vec<&[Chunk<'_>]> = match n_merged {
        1 => chunks.chunks(1).collect(),
        _ => chunks.chunks((n_merged * n_ranges).max(1)).collect(),
    };
    let n_runs = library.programs.len() * grids.len();
    let engine = args.engine.engine(cancel);
    let progress = Progress::new("evaluating", n_runs);
    let sink = InOrder::new(args.out.open()?);
    let job = Job {
        grids: &grids,
        engine: &engine,
        sharing: args.engine.sharing,
        most_merged_bytes: MOST_MERGED_BYTES,
        sink: &sink,
        progress: &progress,
    };
    let (_, time) = timed(|| {
        parallel_map(n_threads, &units, |unit| match n_merged {
            1 => unit.iter().for_each(|chunk| job.run_alone(chunk)),
            _ => job.run_merged(unit, n_ranges),
        })
    });
    let n_done = progress.n_done() as usize;
    drop(progress);
    let stream = sink.end()?;
    if engine.cancel.is_cancelled() {
        return Err(stopped(stream, n_done, n_runs));
    }
    stream.finish()?;
    if let Some(target) = &args.json {
        let report = json!({
            "programs": library.programs.len(),
            "grids": grids.len(),
            "runs": n_runs,
            "seconds": time.as_secs_f64(),
            "out": args.out.to_string(),
        });
        target.write(&pretty_json(&report)?)?;
    }
    remark(&format!(
        "{} on {}: {} in {} ({}) to {}\n",
        counted(library.programs.len(), "program"),
        counted(grids.len(), "grid"),
        counted(n_runs, "run"),
        duration(time),
        rate(n_runs, time),
        args.out,
    ));
    Ok(())
}

/// A program and the grids it runs on next.
struct Chunk<'a> {
    index: usize,
    program: &'a Program,
    inputs: Range<usize>,
}

fn chunks(library: &Library, n_grids: usize) -> Vec<Chunk<'_>> {
    let starts = || (0..n_grids).step_by(RUNS_PER_CHUNK);
    let ranges = library.programs.iter().flat_map(|known| {
        starts().map(move |start| (&known.program, start..n_grids.min(start + RUNS_PER_CHUNK)))
    });
    let numbered = ranges.enumerate();
    numbered
        .map(|(index, (program, inputs))| Chunk {
            index,
            program,
            inputs,
        })
        .collect()
}

/// How many programs run together: few enough that every thread has work.
fn n_merged(args: &EngineArgs, n_programs: usize) -> usize {
    if args.sharing.is_on {
        n_programs
            .div_ceil(4 * args.n_threads)
            .clamp(1, MOST_MERGED)
    } else {
        1
    }
}

/// The state that all threads share.
struct Job<'a> {
    grids: &'a [Grid],
    engine: &'a Engine,
    sharing: Sharing,
    most_merged_bytes: usize,
    sink: &'a InOrder,
    progress: &'a Progress,
}

impl Job<'_> {
    /// Runs the program of a chunk as written.
    fn run_alone(&self, chunk: &Chunk<'_>) {
        let mut lines = String::new();
        let group = Group::new([chunk.program], Sharing::NONE);
        let grids = &self.grids[chunk.inputs.clone()];
        group.with_hand(self.engine, |hand| {
            hand.run(&Seen::default(), grids, |k, _, ran| {
                let (name, input) = (&chunk.program.name, chunk.inputs.start + k);
                write_line(&mut lines, name, input, &ran.outcome.to_json());
            });
        });
        if !self.engine.cancel.is_cancelled() {
            self.submit(chunk, lines);
        }
    }

    /// Runs all programs of some chunks as one battery. `n_ranges` chunks belong to a program.
    fn run_merged(&self, chunks: &[Chunk<'_>], n_ranges: usize) {
        let programs = chunks.iter().step_by(n_ranges.max(1));
        let group = Group::new(programs.map(|chunk| chunk.program), self.sharing);
        let mut texts = vec![String::new(); chunks.len()];
        let mut n_bytes = 0;
        group.with_hand(self.engine, |hand| {
            hand.run(&Seen::default(), self.grids, |input, program, ran| {
                if n_bytes > self.most_merged_bytes {
                    return;
                }
                let k = program * n_ranges + input / RUNS_PER_CHUNK;
                let n_before = texts[k].len();
                let name = &chunks[k].program.name;
                write_line(&mut texts[k], name, input, &ran.outcome.to_json());
                n_bytes += texts[k].len() - n_before;
            });
        });
        if self.engine.cancel.is_cancelled() {
            return;
        }
        if n_bytes > self.most_merged_bytes {
            drop(texts);
            return chunks.iter().for_each(|chunk| self.run_alone(chunk));
        }
        for (chunk, lines) in chunks.iter().zip(texts) {
            self.submit(chunk, lines);
        }
    }

    fn submit(&self, chunk: &Chunk<'_>, lines: String) {
        let cancel = &self.engine.cancel;
        if self.sink.submit(chunk.index, lines, cancel) {
            self.progress.advance(chunk.inputs.len())
        } else {
            cancel.cancel()
        }
    }
}

/// Writes a line: the solver and the input, then the outcome's own field.
fn write_line(lines: &mut String, solver: &str, input: usize, outcome: &serde_json::Value) {
    let outcome = outcome.to_string();
    let field = outcome.strip_prefix('{').unwrap_or(&outcome);
    let solver = serde_json::Value::from(solver);
    lines.push_str(&format!(
        "{{\"solver\":{solver},\"input\":{input},{field}\n"
    ));
}

fn stopped(stream: Stream, n_done: usize, n_runs: usize) -> Failure {
    let kept = match stream {
        Stream::Stdout(_) => "complete lines were written",
        _ => "nothing was written",
    };
    Failure::Stopped(format!(
        "{} of {} runs were done; {kept}",
        count(n_done),
        count(n_runs)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Target;

    /// The output of merged programs that may keep `most_merged_bytes` bytes.
    fn merged(most_merged_bytes: usize) -> String {
        let source = "def a(I):\n    return vmirror(I)\n\ndef b(I):\n    return hmirror(I)\n";
        let programs = leyden_lang::parse(source, "a.py", None).unwrap();
        let grids = vec![Grid::from_rows(&[vec![1, 2]]).unwrap(); RUNS_PER_CHUNK + 3];
        let n_ranges = grids.len().div_ceil(RUNS_PER_CHUNK);
        let chunks: Vec<Chunk<'_>> = (0..programs.len() * n_ranges)
            .map(|index| {
                let start = index % n_ranges * RUNS_PER_CHUNK;
                Chunk {
                    index,
                    program: &programs[index / n_ranges],
                    inputs: start..grids.len().min(start + RUNS_PER_CHUNK),
                }
            })
            .collect();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        let sink = InOrder::new(Target::new(path.clone()).open().unwrap());
        let engine = Engine::default();
        let job = Job {
            grids: &grids,
            engine: &engine,
            sharing: Sharing::ALL,
            most_merged_bytes,
            sink: &sink,
            progress: &Progress::new("evaluating", 38),
        };
        leyden_exec::with_large_stack(|| job.run_merged(&chunks, n_ranges));
        sink.end().unwrap().finish().unwrap();
        std::fs::read_to_string(&path).unwrap()
    }

    #[test]
    fn programs_that_write_too_much_are_run_alone_and_nothing_is_lost() {
        let expected = merged(usize::MAX);
        assert_eq!(expected.lines().count(), 38);
        assert!(expected.ends_with("{\"solver\":\"b\",\"input\":18,\"grid\":[[1,2]]}\n"));
        assert_eq!(merged(100), expected);
        assert_eq!(merged(0), expected);
    }

    #[test]
    fn lines_are_json_with_the_fields_in_order() {
        let mut line = String::new();
        let outcome = serde_json::json!({ "error": "Fuel" });
        write_line(&mut line, "solve_\"x", 7, &outcome);
        assert_eq!(
            line,
            "{\"solver\":\"solve_\\\"x\",\"input\":7,\"error\":\"Fuel\"}\n"
        );
    }
}
