//! The shown task or gallery as one file that needs no server.

use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_exec::{Outcome, Sample, reference, with_large_stack};
use leyden_explore::{Call, Refusal, Reply};
use leyden_grid::{Puzzle, Task, TaskId};
use leyden_lang::{Language, Line, Program};
use leyden_search::judge::Judge;
use serde_json::{Value, json};

use super::App;
use super::eval::{MOST_LINES, cut, grid_of, verdict};
use super::reading::{dialect_named, read};
use super::sets::Set;
use crate::args::PaletteName;
use crate::failure::Failure;
use crate::report::explored::{
    LinePart, Page, PairPart, Part, ProgramPart, Thumb, file_name, page,
};
use crate::report::palette::Palette;
use crate::report::trace::draw;

/// The gallery of a file has at most this many tasks.
const MOST_THUMBS: usize = 400;
/// A task in a file has at most this many programs, the best ones.
const MOST_PROGRAMS: usize = 5;

/// A page of `--export`, and its facts for `--json`.
pub(crate) struct Exported {
    pub(crate) html: String,
    pub(crate) facts: Value,
}

impl App {
    pub(super) fn export(&self, call: &Call) -> Result<Reply, Refusal> {
        let set = self.set(call.text("set")?)?;
        let task = set.task(call.text("task")?)?;
        let program = self.program_of(call)?;
        let sample = call.count_if_any("sample")?.unwrap_or(0);
        let sample = usize::try_from(sample).unwrap_or(usize::MAX);
        if sample >= task.demos.len() + task.tests.len() {
            return Err(Refusal::bad(format!("sample: {} has no {sample}", task.id)));
        }
        let text = call.text("text")?;
        let part = self.program_part(task, &program, text, sample, &call.cancel);
        Ok(Reply::File {
            name: file_name(&task.id),
            html: task_page(set, task, vec![part]),
        })
    }

    /// The page that the command line asks for: a task with its programs, or the gallery.
    pub(crate) fn exported(
        &self,
        task: Option<&TaskId>,
        cancel: &CancelToken,
    ) -> Result<Exported, Failure> {
        match task {
            Some(id) => self.exported_task(id, cancel),
            None => self.exported_gallery(),
        }
    }

    fn exported_task(&self, id: &TaskId, cancel: &CancelToken) -> Result<Exported, Failure> {
        let mut found = self.sets.iter().filter_map(|set| {
            let task = set.task(id.as_str()).ok()?;
            Some((set, task))
        });
        let unknown = || Failure::bad_input(format!("--task {id}: no open data set has it"));
        let (set, task) = found.next().ok_or_else(unknown)?;
        let programs = self.programs_for(task, cancel);
        let part = |shown: &Value| {
            let text = shown["text"].as_str()?;
            let language = Language {
                dialect: dialect_named(shown["dialect"].as_str()?).ok(),
                ..self.language.clone()
            };
            // Read again, because the lines' numbers are those of the file.
            let program = read(text, &language).program?;
            Some(self.program_part(task, &program, text, 0, cancel))
        };
        let best = programs.iter().take(MOST_PROGRAMS);
        let parts: Vec<ProgramPart> = best.filter_map(part).collect();
        let n_programs = parts.len();
        Ok(Exported {
            html: task_page(set, task, parts),
            facts: json!({ "set": set.id(), "task": task.id, "programs": n_programs }),
        })
    }

    fn exported_gallery(&self) -> Result<Exported, Failure> {
        let set = self.sets.first();
        let set = set.ok_or_else(|| Failure::bad_input("no data set is open"))?;
        let badges = self.badges(set);
        let tasks = set.tasks().iter().take(MOST_THUMBS).zip(badges);
        let thumbs: Vec<Thumb<'_>> = tasks.map(|(task, badge)| Thumb { task, badge }).collect();
        let (n_shown, n_all) = (thumbs.len(), set.tasks().len());
        let title = match n_all - n_shown {
            0 => format!("{}: {n_all} tasks", set.id()),
            _ => format!("{}: the first {n_shown} of {n_all} tasks", set.id()),
        };
        let part = Part::Gallery(thumbs);
        Ok(Exported {
            html: page(&Page { title, part }, &palette()),
            facts: json!({ "set": set.id(), "tasks": n_shown }),
        })
    }

    /// A program's results on all pairs, and the values of its lines on one.
    fn program_part(
        &self,
        task: &Task,
        program: &Program,
        text: &str,
        sample: usize,
        cancel: &CancelToken,
    ) -> ProgramPart {
        let puzzle = task.puzzle();
        let judgement = self.judge(program, &puzzle, cancel).judgement;
        let demos = judgement.demos.iter().enumerate().map(|(k, demo)| {
            let name = format!("train {}", k + 1);
            pair_part(
                name,
                &demo.ran.outcome,
                Some(demo.is_right),
                Some(demo.ran.fuel),
            )
        });
        let answers = Judge::answers(&puzzle, program, DEFAULT_FUEL, cancel);
        let tests = answers.iter().enumerate().map(|(k, outcome)| {
            let name = format!("test {}", k + 1);
            pair_part(name, outcome, None, None)
        });
        let pairs: Vec<PairPart> = demos.chain(tests).collect();
        ProgramPart {
            name: program.name.clone(),
            dialect: program.dialect.name(),
            sample: pairs
                .get(sample)
                .map_or_else(String::new, |it| it.name.clone()),
            lines: with_large_stack(|| lines(&puzzle, program, text, sample, cancel)),
            pairs,
        }
    }
}

fn palette() -> Palette {
    Palette::named(PaletteName::Arc)
}

fn task_page(set: &Set, task: &Task, programs: Vec<ProgramPart>) -> String {
    let title = format!("ARC task {} of {}", task.id, set.id());
    let part = Part::Task(task, programs);
    page(&Page { title, part }, &palette())
}

fn pair_part(
    name: String,
    outcome: &Outcome,
    is_right: Option<bool>,
    fuel: Option<u64>,
) -> PairPart {
    let grid = grid_of(outcome);
    let words = match (&grid, outcome.fault()) {
        (Some(_), _) => String::new(),
        (None, Some(fault)) => fault.name().to_owned(),
        (None, None) => cut(&outcome.to_json().to_string()),
    };
    PairPart {
        name,
        words,
        outcome: grid,
        verdict: verdict(outcome, is_right),
        fuel,
    }
}

/// The lines of a program with their values. A line of the text with several calls comes once; its
/// further calls stand below it.
fn lines(
    puzzle: &Puzzle,
    program: &Program,
    text: &str,
    sample: usize,
    cancel: &CancelToken,
) -> Vec<LinePart> {
    let demos = puzzle.demos.iter().map(|pair| &pair.input);
    let Some(input) = demos.chain(&puzzle.test_inputs).nth(sample) else {
        return Vec::new();
    };
    let seen = Sample {
        input,
        demos: &puzzle.demos,
        expected: None,
    };
    let results = reference::trace(program, &seen, DEFAULT_FUEL, cancel);
    let sources = sources(program, text);
    let part = |(source, result)| LinePart {
        source,
        drawing: draw(result, input),
        is_fault: Result::is_err(result),
    };
    let drawn = sources.into_iter().zip(&results).take(MOST_LINES);
    drawn.map(part).collect()
}

/// The text of each line of a program; dots for another call of the line above.
fn sources(program: &Program, text: &str) -> Vec<String> {
    let of_text: Vec<&str> = text.lines().collect();
    let mut last = 0;
    let source = |line: &Line| {
        let number = std::mem::replace(&mut last, line.source_line);
        if number == line.source_line {
            return "…".to_owned();
        }
        let k = (line.source_line as usize).saturating_sub(1);
        of_text.get(k).map_or("", |line| line.trim()).to_owned()
    };
    program.lines.iter().map(source).collect()
}
