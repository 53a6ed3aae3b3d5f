//! docs/result.svg: a task, the answer of `leyden solve` and the program behind it, in one picture.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::ci::{leyden, scratch};
use crate::root;

/// The picture, from the root of the project.
pub(crate) const PICTURE: &str = "docs/result.svg";

/// A built-in task with a clear rule that the search finds: shapes that touch the bar light up.
const TASK: &str = "1e7d0029";
/// The fuel, which is counted, so that every machine draws an equal picture.
const FUEL: &str = "20000000";
/// The colours of the ARC site.
const COLOURS: [&str; 10] = [
    "#000000", "#0074d9", "#ff4136", "#2ecc40", "#ffdc00", "#aaaaaa", "#f012be", "#ff851b",
    "#7fdbff", "#870c25",
];
const WIDTH: usize = 684;
const MARGIN: usize = 20;
const SMALL: usize = 8;
const LARGE: usize = 14;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The content of the picture.
struct Scene {
    task: Json,
    answer: Json,
    program: String,
}

/// Solves the task and draws the result.
pub(crate) fn draw() -> Result<Vec<u8>> {
    Ok(Scene::made()?.svg()?.into_bytes())
}

impl Scene {
    /// Solves the task; returns an error if the answer is not the test output, since the picture
    /// would show a failure.
    fn made() -> Result<Scene> {
        let dir = scratch().join("picture");
        let (submission, programs) = (dir.join("submission.json"), dir.join("programs"));
        fs::create_dir_all(&dir)?;
        let (out, to) = (text(&submission)?, text(&programs)?);
        let args = [
            "solve",
            "--data",
            "demo",
            "--task",
            TASK,
            "--library",
            "none",
        ];
        let more = ["--fuel-per-task", FUEL, "--out", out, "--programs", to];
        leyden(&[&args[..], &more[..]].concat(), false)?;
        let tasks = json(&root().join("crates/leyden-store/demo/tasks.json"))?;
        let scene = Scene {
            task: tasks[TASK].clone(),
            answer: json(&submission)?[TASK][0]["attempt_1"].clone(),
            program: first_program(&fs::read_to_string(programs.join(format!("{TASK}.py")))?),
        };
        if scene.answer == scene.task["test"][0]["output"] {
            Ok(scene)
        } else {
            Err(format!("the search no longer solves {TASK}: {PICTURE} needs another task").into())
        }
    }

    fn svg(&self) -> Result<String> {
        let mut body = String::new();
        let mut y = 44;
        caption(&mut body, MARGIN, 28, "Given: three demonstrations");
        y += self.demonstrations(&mut body, y)? + 44;
        let bottom = self.answered(&mut body, y)?;
        let height = bottom + MARGIN;
        let frame = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
             viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" font-size=\"13\" \
             font-family=\"ui-sans-serif, system-ui, sans-serif\">\n\
             <title>A task, the answer of leyden solve, and the program behind it</title>\n\
             <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"#ffffff\" \
             stroke=\"#d0d7de\"/>\n",
            WIDTH - 1,
            height - 1
        );
        Ok(frame + &body + "</svg>\n")
    }

    /// Draws pairs side by side; returns the height of the row.
    fn demonstrations(&self, body: &mut String, y: usize) -> Result<usize> {
        let (mut x, mut height) = (MARGIN, 0);
        for pair in list(&self.task["train"])? {
            for (side, gap) in [("input", 24), ("output", 30)] {
                let (wide, high) = grid(body, &pair[side], (x, y), SMALL)?;
                x += wide + gap;
                height = height.max(high);
                if side == "input" {
                    arrow(body, x - 18, y + high / 2);
                }
            }
        }
        Ok(height)
    }

    /// Draws the test, the answer and the program; returns the end of the row.
    fn answered(&self, body: &mut String, y: usize) -> Result<usize> {
        let at = |x: usize| (x, y + 14);
        caption(body, MARGIN, y, "Given: a test input");
        let (wide, high) = grid(body, &self.task["test"][0]["input"], at(MARGIN), LARGE)?;
        arrow(body, MARGIN + wide + 10, y + 14 + high / 2);
        let x = MARGIN + wide + 34;
        caption(body, x, y, "Leyden's answer: right");
        grid(body, &self.answer, at(x), LARGE)?;
        let x = x + wide + 34;
        caption(body, x, y, "The program it found");
        let bottom = listing(body, &self.program, (x, y + 26));
        Ok(bottom.max(y + 14 + high))
    }
}

/// Draws a grid, a path for each colour; returns its width and height.
fn grid(
    body: &mut String,
    cells: &Json,
    at: (usize, usize),
    size: usize,
) -> Result<(usize, usize)> {
    let rows = list(cells)?;
    let (mut wide, high, side) = (0, rows.len() * size, size - 1);
    let mut paths: [String; COLOURS.len()] = Default::default();
    for (i, row) in rows.iter().enumerate() {
        let row = list(row)?;
        wide = wide.max(row.len() * size);
        for (j, cell) in row.iter().enumerate() {
            let number = cell.as_u64().and_then(|it| usize::try_from(it).ok());
            let path = number.and_then(|it| paths.get_mut(it));
            let (x, y) = (j * size, i * size);
            let path = path.ok_or("a cell is no colour")?;
            write!(path, "M{x} {y}h{side}v{side}h-{side}z")?;
        }
    }
    writeln!(body, "<g transform=\"translate({} {})\">", at.0, at.1)?;
    let drawn = COLOURS.iter().zip(&paths).filter(|it| !it.1.is_empty());
    for (colour, path) in drawn {
        writeln!(body, "<path d=\"{path}\" fill=\"{colour}\"/>")?;
    }
    body.push_str("</g>\n");
    Ok((wide, high))
}

fn caption(body: &mut String, x: usize, y: usize, words: &str) {
    _ = writeln!(
        body,
        "<text x=\"{x}\" y=\"{y}\" fill=\"#1f2328\" font-weight=\"600\">{words}</text>"
    );
}

fn arrow(body: &mut String, x: usize, y: usize) {
    _ = writeln!(
        body,
        "<path d=\"M{x} {y}h12m-4 -4l4 4l-4 4\" fill=\"none\" stroke=\"#57606a\" stroke-width=\"1.5\"/>"
    );
}

/// Writes a program line by line; returns its end.
fn listing(body: &mut String, program: &str, (x, y): (usize, usize)) -> usize {
    const LEADING: usize = 16;
    let mut end = y;
    for (k, line) in program.lines().enumerate() {
        end = y + k * LEADING;
        let indent = if line.starts_with(' ') { 18 } else { 0 };
        _ = writeln!(
            body,
            "<text x=\"{}\" y=\"{end}\" fill=\"#1f2328\" font-size=\"11.5\" \
             font-family=\"ui-monospace, monospace\">{}</text>",
            x + indent,
            line.trim()
        );
    }
    end
}

/// The best program, without the number of its attempt.
fn first_program(module: &str) -> String {
    let lines = module.lines().skip_while(|line| !line.starts_with("def "));
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    lines.join("\n").replace("_t0_a1", "")
}

fn json(path: &Path) -> Result<Json> {
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

fn list(value: &Json) -> Result<&Vec<Json>> {
    Ok(value.as_array().ok_or("a list is expected")?)
}

fn text(path: &Path) -> Result<&str> {
    Ok(path.to_str().ok_or("a path is not UTF-8")?)
}
