//! The tools of the server.

use leyden_dsl::fault::Fault;
use leyden_dsl::table::Entry;
use leyden_dsl::value::Value;
use leyden_exec::{Outcome, Sample, reference, with_large_stack};
use leyden_grid::{Grid, Pair, Puzzle, counted};
use leyden_lang::Program;
use leyden_search::judge::{FirstWrong, Judgement};
use serde_json::{Map, Value as Json, json};

use super::mcp::RpcError;
use super::proposal::{Proposal, Refusal, dialect, kind_of, required, text_in};
use super::{Case, Courtroom, VerdictLine, output, source_line};
use crate::args::PaletteName;
use crate::failure::closest;
use crate::report::palette::Palette;
use crate::report::reference::{all_entries, signature};
use crate::report::task_text::{Depth, View};
use crate::report::trace::{Drawing, Step, Trace, draw, draw_grid, to_text};

/// At most this many tasks or primitives are listed at once.
const MOST_LISTED: usize = 50;
/// A longer text of a tool is cut.
const MOST_TEXT_BYTES: usize = 100_000;
/// The columns of drawings.
const WIDTH: usize = 100;

/// A tool: its name, its sentence, and its arguments with their sentences.
struct Tool {
    name: &'static str,
    about: &'static str,
    arguments: &'static [Argument],
    run: fn(&Courtroom, &Map<String, Json>) -> Result<Told, Refusal>,
}

struct Argument {
    name: &'static str,
    kind: &'static str,
    about: &'static str,
    is_required: bool,
}

/// The result of a tool: as text for a model, and as JSON.
struct Told {
    text: String,
    json: Json,
}

macro_rules! argument {
    ($name:literal, $kind:literal, $about:literal) => {
        Argument {
            name: $name,
            kind: $kind,
            about: $about,
            is_required: true,
        }
    };
    (? $name:literal, $kind:literal, $about:literal) => {
        Argument {
            name: $name,
            kind: $kind,
            about: $about,
            is_required: false,
        }
    };
}

const TASK: Argument = argument!("task", "string", "The id of a task");
const PROGRAM: Argument = argument!(
    "program",
    "string",
    "A Python function in arc-dsl, such as: def solve(I):\n    return vmirror(I)"
);
const DIALECT: Argument = argument!(
    ? "dialect", "string", "arc-dsl, re-arc or tokpidjin; by default Leyden finds out"
);
const NAME: Argument = argument!(
    ? "name", "string", "The function to take, if the text has several; by default the last one"
);

const TOOLS: [Tool; 5] = [
    Tool {
        name: "list_tasks",
        about: "List the tasks with their numbers of demonstrations and tests and the sizes of grids",
        arguments: &[
            argument!(? "query", "string", "Only tasks whose id contains this text"),
            argument!(? "offset", "integer", "Skip this many tasks"),
        ],
        run: list_tasks,
    },
    Tool {
        name: "show_task",
        about: "Show the demonstrations and the test inputs of a task",
        arguments: &[TASK],
        run: show_task,
    },
    Tool {
        name: "judge_program",
        about: "Run a program on the demonstrations of a task: does it fit, how close is it, and \
                where does it go wrong first?",
        arguments: &[TASK, PROGRAM, DIALECT, NAME],
        run: judge_program,
    },
    Tool {
        name: "run_program",
        about: "Run a program on a grid, or on a demonstration or a test input of a task, and show \
                the value of each line",
        arguments: &[
            PROGRAM,
            argument!(? "grid", "array", "The rows of the grid, such as [[0, 1], [2, 3]]"),
            argument!(? "task", "string", "The id of a task, in place of a grid"),
            argument!(? "sample", "integer", "The number of the task's grid: demonstrations first, then tests, from 0"),
            DIALECT,
            NAME,
        ],
        run: run_program,
    },
    Tool {
        name: "primitives",
        about: "Search the functions of the language by name, type or purpose",
        arguments: &[
            argument!(? "query", "string", "Words, such as: mirror, or: Objects -> Grid"),
            DIALECT,
        ],
        run: primitives,
    },
];

/// All tools, as `tools/list` describes them.
pub(super) fn described() -> Json {
    TOOLS.iter().map(Tool::described).collect()
}

impl Argument {
    /// The schema. Some clients refuse an array without the schema of its items.
    fn schema(&self) -> Json {
        let mut schema = json!({ "type": self.kind, "description": self.about });
        if self.kind == "array" {
            schema["items"] = json!({ "type": "array", "items": { "type": "integer" } });
        }
        schema
    }
}

impl Tool {
    fn described(&self) -> Json {
        let property = |it: &Argument| (it.name.to_owned(), it.schema());
        let properties: Map<String, Json> = self.arguments.iter().map(property).collect();
        let required = self.arguments.iter().filter(|it| it.is_required);
        let required: Vec<&str> = required.map(|it| it.name).collect();
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": { "type": "object", "properties": properties, "required": required },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    }
}

/// Runs a tool. Wrong arguments are a result that the model can read and correct.
pub(super) fn call(courtroom: &Courtroom, params: &Map<String, Json>) -> Result<Json, RpcError> {
    let name = params.get("name").and_then(Json::as_str);
    let name = name.ok_or_else(|| RpcError::invalid_params("`name`: expected a text"))?;
    let tool = TOOLS.iter().find(|tool| tool.name == name);
    let tool = tool.ok_or_else(|| unknown_tool(name))?;
    let nothing = Map::new();
    let arguments = match params.get("arguments") {
        None | Some(Json::Null) => &nothing,
        Some(Json::Object(arguments)) => arguments,
        Some(other) => {
            let found = kind_of(other);
            let message = format!("`arguments`: expected an object, found {found}");
            return Err(RpcError::invalid_params(message));
        }
    };
    Ok(match (tool.run)(courtroom, arguments) {
        Ok(told) => json!({
            "content": [{ "type": "text", "text": shortened(told.text) }],
            "structuredContent": told.json,
            "isError": false,
        }),
        Err(refusal) => json!({
            "content": [{ "type": "text", "text": refusal.in_words() }],
            "isError": true,
        }),
    })
}

fn unknown_tool(name: &str) -> RpcError {
    let near = closest(super::cut(name), TOOLS.iter().map(|tool| tool.name));
    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    RpcError::invalid_params(format!("there is no tool `{}`{hint}", super::cut(name)))
}

fn shortened(mut text: String) -> String {
    if text.len() > MOST_TEXT_BYTES {
        text.truncate(text.floor_char_boundary(MOST_TEXT_BYTES));
        text.push_str("\n… the rest is left out\n");
    }
    text
}

fn list_tasks(courtroom: &Courtroom, fields: &Map<String, Json>) -> Result<Told, Refusal> {
    let query = text_in(fields, "query")?.unwrap_or_default();
    let offset = index_in(fields, "offset")?.unwrap_or(0);
    let is_wanted = |puzzle: &&Puzzle| puzzle.id.as_str().contains(query.as_str());
    let found: Vec<&Puzzle> = courtroom.puzzles.values().filter(is_wanted).collect();
    let shown = || found.iter().skip(offset).take(MOST_LISTED);
    let lines = shown().map(|puzzle| format!("{}\n", task_line(puzzle)));
    let mut text: String = lines.collect();
    let (n_shown, n_all) = (shown().count(), found.len());
    text += &format!("{n_shown} of {} from {offset}\n", counted(n_all, "task"));
    let ids: Vec<&str> = shown().map(|puzzle| puzzle.id.as_str()).collect();
    Ok(Told {
        text,
        json: json!({ "tasks": ids, "total": n_all }),
    })
}

fn task_line(puzzle: &Puzzle) -> String {
    let size = |pair: &Pair| format!("{} → {}", size_of(&pair.input), size_of(&pair.output));
    let sizes: Vec<String> = puzzle.demos.iter().map(size).collect();
    let (n_demos, n_tests) = (puzzle.demos.len(), puzzle.test_inputs.len());
    format!(
        "{}  {}, {}  {}",
        puzzle.id,
        counted(n_demos, "demonstration"),
        counted(n_tests, "test"),
        sizes.join(", ")
    )
}

fn size_of(grid: &Grid) -> String {
    format!("{}×{}", grid.height(), grid.width())
}

fn show_task(courtroom: &Courtroom, fields: &Map<String, Json>) -> Result<Told, Refusal> {
    let puzzle = courtroom.puzzle(&required(fields, "task")?)?;
    let mut text = format!("{}\n", puzzle.id);
    for (k, pair) in puzzle.demos.iter().enumerate() {
        text += &grid_text(&format!("train[{k}] input"), &pair.input);
        text += &grid_text(&format!("train[{k}] output"), &pair.output);
    }
    for (k, input) in puzzle.test_inputs.iter().enumerate() {
        text += &grid_text(&format!("test[{k}] input"), input);
    }
    let tests: Vec<Json> = puzzle
        .test_inputs
        .iter()
        .map(|it| json!({ "input": it }))
        .collect();
    Ok(Told {
        text,
        json: json!({ "id": puzzle.id, "train": puzzle.demos, "test": tests }),
    })
}

fn grid_text(title: &str, grid: &Grid) -> String {
    let rows: String = grid
        .rows()
        .map(|row| format!("{}\n", digits(row)))
        .collect();
    format!("\n{title}, {}\n{rows}", size_of(grid))
}

fn digits(row: &[u8]) -> String {
    row.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
}

fn judge_program(courtroom: &Courtroom, fields: &Map<String, Json>) -> Result<Told, Refusal> {
    let proposal = Proposal::of_fields(fields, Json::Null)?;
    let case = courtroom.case(&proposal)?;
    let judgement = courtroom.judgement(&case);
    let line = VerdictLine::of(&proposal, &judgement);
    let mut json = line.to_json();
    if let Json::Object(fields) = &mut json {
        fields.remove("id");
    }
    Ok(Told {
        text: verdict_text(&line, &judgement, &case),
        json,
    })
}

fn verdict_text(line: &VerdictLine, judgement: &Judgement, case: &Case<'_>) -> String {
    let (fits, right, pairs) = (line.fit, line.right, line.pairs);
    let head = if fits {
        "The program fits"
    } else {
        "The program does not fit"
    };
    let mut text = format!(
        "{head}: {right} of {} right, credit {} of 100, fuel {}.\n",
        counted(pairs, "demonstration"),
        line.credit,
        line.fuel
    );
    if let Some(message) = line
        .error
        .as_ref()
        .and_then(|error| error["message"].as_str())
    {
        text += &format!("Error: {message}\n");
    }
    if let Some((demo, wrong)) = judgement.first_wrong {
        let outcome = &judgement.demos[demo].ran.outcome;
        let pair = &case.puzzle.demos[demo];
        text += &format!("First wrong: train[{demo}], {}\n", wrong_in_words(wrong));
        text += &difference_text(outcome, pair);
    }
    text
}

fn wrong_in_words(wrong: FirstWrong) -> String {
    match wrong {
        FirstWrong::Cell {
            row,
            column,
            got,
            expected,
        } => format!("row {row}, column {column}: {got}, expected {expected}"),
        FirstWrong::Size { got, expected } => format!(
            "the size is {}×{}, expected {}×{}",
            got.0, got.1, expected.0, expected.1
        ),
        FirstWrong::Ragged => "the rows have different lengths".to_owned(),
        FirstWrong::Value => "the result is not a grid".to_owned(),
        FirstWrong::Fault => "the run ends with an error".to_owned(),
    }
}

/// The result beside the expected output. In the difference, a dot is a right cell.
fn difference_text(outcome: &Outcome, pair: &Pair) -> String {
    let expected = &pair.output;
    let mut text = grid_text("expected", expected);
    let grid = match outcome {
        Outcome::Grid(grid) => grid.to_grid(),
        Outcome::Value(_) => {
            let value = shortened(output(outcome).to_string());
            return format!("{text}\nresult\n{value}\n");
        }
        Outcome::Fault { .. } => return text,
    };
    let Some(grid) = grid else { return text };
    text += &grid_text("result", &grid);
    if grid.shape() != expected.shape() {
        return text;
    }
    text += "\ndifference: a dot is right, a digit is a wrong result\n";
    for (ours, theirs) in grid.rows().zip(expected.rows()) {
        let cell = |(ours, theirs): (&u8, &u8)| match ours == theirs {
            true => ".".to_owned(),
            false => ours.to_string(),
        };
        let cells: Vec<String> = ours.iter().zip(theirs).map(cell).collect();
        text += &format!("{}\n", cells.join(" "));
    }
    text
}

fn run_program(courtroom: &Courtroom, fields: &Map<String, Json>) -> Result<Told, Refusal> {
    let (name, dialect) = (text_in(fields, "name")?, text_in(fields, "dialect")?);
    let text = required(fields, "program")?;
    let program = courtroom.program(&text, name.as_deref(), dialect.as_deref())?;
    let (title, input, demos) = input_of(courtroom, fields)?;
    let sample = Sample {
        input: &input,
        demos,
        expected: None,
    };
    let (fuel, cancel) = (courtroom.fuel, &courtroom.cancel);
    with_large_stack(|| {
        let results = reference::trace(&program, &sample, fuel, cancel);
        let outcome = reference::run(&program, &sample, fuel, cancel);
        let trace = trace_of(&program, &text, (title, &input), &results, &outcome);
        let view = View {
            palette: Palette::named(PaletteName::Arc),
            depth: Depth::Plain,
            numbers: false,
            width: WIDTH,
        };
        Ok(Told {
            text: to_text(&[trace], &view),
            json: output(&outcome),
        })
    })
}

/// The grid to run on, with its name and the demonstrations around it.
fn input_of<'c>(
    courtroom: &'c Courtroom,
    fields: &Map<String, Json>,
) -> Result<(String, Grid, &'c [Pair]), Refusal> {
    let (grid, task) = (fields.get("grid"), text_in(fields, "task")?);
    match (grid.filter(|grid| !grid.is_null()), task) {
        (Some(grid), None) => Ok(("the grid".to_owned(), grid_in(grid)?, &[])),
        (None, Some(task)) => {
            let puzzle = courtroom.puzzle(&task)?;
            let k = index_in(fields, "sample")?.unwrap_or(0);
            let demos = puzzle.demos.iter().map(|pair| &pair.input);
            let mut inputs = demos.chain(&puzzle.test_inputs);
            let n = puzzle.demos.len() + puzzle.test_inputs.len();
            let input = inputs.nth(k).ok_or_else(|| {
                let has = counted(n, "sample");
                let message = format!("`sample`: {k} is too large; {task} has {has}, from 0");
                Refusal::new("BadField", message)
            })?;
            Ok((format!("{task}, sample {k}"), input.clone(), &puzzle.demos))
        }
        _ => {
            let message = "expected either `grid` or `task`".to_owned();
            Err(Refusal::new("BadField", message))
        }
    }
}

fn grid_in(json: &Json) -> Result<Grid, Refusal> {
    let refusal = |message: String| Refusal::new("BadField", format!("`grid`: {message}"));
    let rows: Vec<Vec<u8>> = serde_json::from_value(json.clone())
        .map_err(|_| refusal("expected a list of rows of colours from 0 to 9".to_owned()))?;
    Grid::from_rows(&rows).map_err(|error| refusal(error.to_string()))
}

/// A whole number that may be missing.
fn index_in(fields: &Map<String, Json>, name: &str) -> Result<Option<usize>, Refusal> {
    let number = |json: &Json| json.as_u64().and_then(|n| usize::try_from(n).ok());
    match fields.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(json) => number(json).map(Some).ok_or_else(|| {
            let message = format!("`{name}`: expected a whole number, 0 or more");
            Refusal::new("BadField", message)
        }),
    }
}

fn trace_of(
    program: &Program,
    text: &str,
    (title, input): (String, &Grid),
    results: &[Result<Value, Fault>],
    outcome: &Outcome,
) -> Trace {
    let steps = results.iter().zip(&program.lines).map(|(result, line)| {
        let number = line.source_line;
        Step {
            source: format!("{number}: {}", source_line(text, number).unwrap_or("?")),
            drawing: draw(result, input),
            result: Json::Null,
            is_fault: result.is_err(),
        }
    });
    Trace {
        program: program.name.clone(),
        sample: title,
        input: draw_grid(input),
        steps: steps.collect(),
        verdict: match outcome.fault() {
            Some(fault) => format!("ended with {}", fault.name()),
            None => format!("result: {}", result_in_words(results, input).words),
        },
        expected: None,
    }
}

/// The look of the result, which stands behind the values of the lines.
fn result_in_words(results: &[Result<Value, Fault>], input: &Grid) -> Drawing {
    results
        .last()
        .map_or_else(Drawing::default, |result| draw(result, input))
}

fn primitives(_: &Courtroom, fields: &Map<String, Json>) -> Result<Told, Refusal> {
    let query = text_in(fields, "query")?.unwrap_or_default().to_lowercase();
    let wanted = text_in(fields, "dialect")?;
    let wanted = wanted.map(|name| dialect(&name)).transpose()?;
    let is_spoken = |entry: &Entry| wanted.is_none_or(|dialect| entry.is_in(dialect));
    let mut found: Vec<(usize, &Entry)> = all_entries()
        .filter(|entry| is_spoken(entry))
        .filter_map(|entry| Some((rank(entry, &query)?, entry)))
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    let shown = || found.iter().take(MOST_LISTED).map(|(_, entry)| *entry);
    let line = |entry: &Entry| {
        let (call, result) = (entry.example.call, entry.example.result);
        format!(
            "{}\n    {}\n    {call} gives {result}\n",
            signature(entry),
            entry.doc
        )
    };
    let mut text: String = shown().map(line).collect();
    if found.len() > MOST_LISTED {
        text += &format!(
            "… and {} more; a `query` finds fewer\n",
            found.len() - MOST_LISTED
        );
    }
    if found.is_empty() {
        text = "no primitive matches; try one word, such as `mirror`\n".to_owned();
    }
    let names: Vec<&str> = shown().map(|entry| entry.name).collect();
    Ok(Told {
        text,
        json: json!({ "primitives": names, "total": found.len() }),
    })
}

/// The place of a primitive among those that match: by name, by type, by purpose.
fn rank(entry: &Entry, query: &str) -> Option<usize> {
    let (name, types) = (entry.name.to_lowercase(), signature(entry).to_lowercase());
    let doc = entry.doc.to_lowercase();
    let has_all = |text: &str| query.split_whitespace().all(|word| text.contains(word));
    let texts = [
        name == query,
        has_all(&name),
        has_all(&types),
        has_all(&doc),
    ];
    texts
        .into_iter()
        .position(|matches| matches)
        .or_else(|| has_all(&format!("{types} {doc}")).then_some(texts.len()))
}
