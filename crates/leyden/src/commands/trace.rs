//! `leyden trace`: shows every value on the way through a program.

use leyden_dsl::codec::encode;
use leyden_dsl::fault::Fault;
use leyden_dsl::meter::CancelToken;
use leyden_dsl::value::Value;
use leyden_exec::{Outcome, reference, with_large_stack};
use leyden_grid::{Grid, Task};
use serde_json::json;

use crate::args::{SampleName, TraceArgs, TraceFormat};
use crate::clock::Wall;
use crate::commands::show::{PAGE_WIDTH, depth};
use crate::commands::write_with_json;
use crate::failure::Failure;
use crate::pipeline::load::load;
use crate::pipeline::sample::{Sample, samples};
use crate::programs::{Known, Library};
use crate::report::numbers::counted;
use crate::report::palette::Palette;
use crate::report::task_text::View;
use crate::report::terminal_width;
use crate::report::trace::{self, Step, Trace, draw, draw_grid};

pub(crate) fn run(args: TraceArgs, cancel: CancelToken) -> Result<(), Failure> {
    let loaded = load(&args.tasks, Some(&args.solvers), &cancel, Wall::start())?;
    let library = Library::read(&loaded.sources, &args.language, 1)?;
    let task = &loaded.tasks[0];
    let sample = sample_named(task, args.sample)?;
    let is_own = |known: &&Known| known.program.task_id() == Some(task.id.as_str());
    let programs: Vec<&Known> = library.programs.iter().filter(is_own).collect();
    if programs.is_empty() {
        return Err(Failure::bad_input(format!(
            "no program is meant for {id}; expected one with this id in its name, such as \
             `solve_{id}`",
            id = task.id
        )));
    }
    let traces: Vec<Trace> = with_large_stack(|| {
        let trace = |known: &&Known| trace_of(known, &library, task, &sample, &args, &cancel);
        programs.iter().map(trace).collect()
    });
    if cancel.is_cancelled() {
        return Err(Failure::Stopped("nothing was written".to_owned()));
    }
    let palette = Palette::named(args.palette);
    let text = match args.format {
        TraceFormat::Html => trace::to_html(&traces, &palette),
        TraceFormat::Text => {
            let view = View {
                palette,
                depth: depth(args.color),
                numbers: false,
                width: terminal_width().unwrap_or(PAGE_WIDTH),
            };
            trace::to_text(&traces, &view)
        }
    };
    let report = || traces.iter().map(in_json).collect();
    write_with_json(&text, args.out.as_ref(), args.json.as_ref(), report)
}

fn sample_named(task: &Task, name: SampleName) -> Result<Sample<'_>, Failure> {
    let found = match name {
        SampleName::Nth(k) => samples(task).nth(k),
        SampleName::Demo(k) => samples(task).filter(|sample| sample.is_demo).nth(k),
        SampleName::Test(k) => samples(task).filter(|sample| !sample.is_demo).nth(k),
    };
    found.ok_or_else(|| {
        let (demos, tests) = (task.demos.len(), task.tests.len());
        Failure::bad_input(format!(
            "--sample {name}: {} has {} ({} and {}), counted from 0",
            task.id,
            counted(demos + tests, "sample"),
            counted(demos, "demonstration"),
            counted(tests, "test")
        ))
    })
}

fn in_json(trace: &Trace) -> serde_json::Value {
    let step = |step: &Step| json!({ "line": step.source, "result": step.result });
    json!({
        "program": trace.program,
        "sample": trace.sample,
        "verdict": trace.verdict,
        "steps": trace.steps.iter().map(step).collect::<Vec<_>>(),
    })
}

fn trace_of(
    known: &Known,
    library: &Library,
    task: &Task,
    sample: &Sample<'_>,
    args: &TraceArgs,
    cancel: &CancelToken,
) -> Trace {
    let program = &known.program;
    let seen = sample.for_program(&task.demos);
    let results = reference::trace(program, &seen, args.fuel, cancel);
    let step = |(k, result)| Step {
        source: source_of(known, library, k),
        drawing: draw(result, sample.input),
        result: result_in_json(result),
        is_fault: result.is_err(),
    };
    let steps = results
        .iter()
        .take(program.lines.len())
        .enumerate()
        .map(step);
    let outcome = reference::run(program, &seen, args.fuel, cancel);
    let missed = sample.output.filter(|expected| !outcome.equals(expected));
    Trace {
        program: program.name.clone(),
        sample: format!("{} {}", task.id, sample.name),
        input: draw_grid(sample.input),
        verdict: match outcome.fault() {
            Some(fault) => format!(
                "ended with {}{}",
                fault.name(),
                place(known, library, &results)
            ),
            None => verdict(&outcome, sample.output),
        },
        expected: missed.map(draw_grid),
        steps: steps.collect(),
    }
}

/// A value as docs/eval-format.md describes it, or the class of the error.
fn result_in_json(result: &Result<Value, Fault>) -> serde_json::Value {
    match result {
        Ok(value) => json!({ "value": encode(value) }),
        Err(fault) => json!({ "error": fault.name() }),
    }
}

/// The line as written in the file.
fn source_of(known: &Known, library: &Library, k: usize) -> String {
    let number = known.program.lines[k].source_line;
    let text = library.file_of(known).line(number).unwrap_or("?");
    format!("{number}: {text}")
}

/// The line that failed, and the call on it; empty if all lines gave a value.
fn place(known: &Known, library: &Library, results: &[Result<Value, Fault>]) -> String {
    let failed = results.iter().position(Result::is_err);
    let line = failed.and_then(|k| known.program.lines.get(k));
    let Some(number) = line.map(|line| line.source_line) else {
        return String::new();
    };
    let text = library.file_of(known).line(number).unwrap_or("?").trim();
    let call = text.split_once(" = ").map_or(text, |(_, call)| call);
    let call = call.strip_prefix("return ").unwrap_or(call);
    format!(" in line {number}: {call}")
}

/// The verdict about a program that gave a value.
fn verdict(outcome: &Outcome, expected: Option<&Grid>) -> String {
    match expected {
        None => "the right output is not known".to_owned(),
        Some(expected) if outcome.equals(expected) => "right".to_owned(),
        Some(expected) => format!("wrong: {}", difference(outcome, expected)),
    }
}

/// The distance of a wrong result from the right output.
fn difference(outcome: &Outcome, expected: &Grid) -> String {
    let grid = match outcome {
        Outcome::Grid(grid) => grid.to_grid(),
        _ => None,
    };
    let Some(grid) = grid else {
        return "the result is not a grid of colours".to_owned();
    };
    if grid.shape() != expected.shape() {
        let ((h, w), (height, width)) = (grid.shape(), expected.shape());
        return format!("the result has {h} × {w} cells, expected {height} × {width}");
    }
    let cells = grid.cells().iter().zip(expected.cells());
    let n_wrong = cells.filter(|(ours, right)| ours != right).count();
    let n_cells = counted(expected.cells().len(), "cell");
    format!("{n_wrong} of {n_cells} differ from the expected output")
}
