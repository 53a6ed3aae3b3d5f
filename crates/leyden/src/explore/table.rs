//! THE list of calls. Routes, documents and tests read it.

use leyden_explore::{Endpoint, Method};

use super::App;

/// Every call of the page.
pub(crate) const ENDPOINTS: &[Endpoint<App>] = &[
    Endpoint {
        method: Method::Get,
        path: "about",
        does: "Tells what is open: data sets, files of programs, the store.",
        takes: "",
        gives: r#"{"version", "sets": [{"id", "title", "tasks", "has_solutions"}], "solvers": [{"id", "name", "programs"}], "store", "can_run", "dialects", "fuel": {"default", "first_pass"}, "files": [{"id", "name", "kind"}]}"#,
        call: App::about,
    },
    Endpoint {
        method: Method::Get,
        path: "sets/{set}/tasks",
        does: "Lists the tasks of a data set with the state of each: `solved`, `fits`, `part` or `none`.",
        takes: "",
        gives: r#"{"set", "tasks": [{"id", "demos", "tests", "same_size", "side", "colours", "badge", "credit", "program"}]}"#,
        call: App::tasks,
    },
    Endpoint {
        method: Method::Get,
        path: "sets/{set}/thumbs",
        does: "Gives the first pair of every task as bytes: height and width of input and output (0 0: none), then the cells of both grids, two to a byte, the high half first, each grid filled up to a whole byte.",
        takes: "`of`: `first` (the demonstration) or `predicted` (the output of the best known program)",
        gives: "bytes",
        call: App::thumbs,
    },
    Endpoint {
        method: Method::Get,
        path: "sets/{set}/tasks/{task}",
        does: "Gives a task without the outputs of its tests, and the programs for it, best first.",
        takes: "",
        gives: r#"{"set", "id", "train": [{"input", "output"}], "test": [{"input"}], "has_solutions", "programs": [{"hash", "name", "dialect", "origin", "lines", "text", "right", "pairs", "credit", "fuel", "verdicts"}]}"#,
        call: App::task,
    },
    Endpoint {
        method: Method::Get,
        path: "sets/{set}/tasks/{task}/solutions",
        does: "Gives the outputs of a task's tests, as far as they are known.",
        takes: "",
        gives: r#"{"outputs": [grid or null]}"#,
        call: App::solutions,
    },
    Endpoint {
        method: Method::Get,
        path: "primitives",
        does: "Lists the words of the language.",
        takes: "",
        gives: r#"{"primitives": [{"name", "params", "result", "theme", "doc", "example", "dialects"}], "constants": [{"name", "value", "dialects"}]}"#,
        call: App::primitives,
    },
    Endpoint {
        method: Method::Post,
        path: "eval",
        does: "Runs the last program of a text on every pair of a task.",
        takes: "`text`, `set`, `task`; `dialect`, `fuel`, `sample` (also gives the value of each line on this pair), `tests` (also compares with known outputs of tests)",
        gives: r#"{"program": {"name", "dialect", "lines", "hash"}, "diagnostics": [{"severity", "message", "label", "help", "from", "to", "line", "column"}], "samples": [{"name", "is_demo", "outcome", "verdict", "credit", "fuel"}], "values": [{"line", "words", "pictures", "fault"}], "fits", "fuel", "millis"}"#,
        call: App::eval,
    },
];
