//! The rows of the matrix: every command, with the options through which it takes programs.

use super::cell::Evidence;

/// The placeholder for the programs in a row's arguments.
pub(super) const PROGRAMS: &str = "{programs}";

/// The forms on which a row is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tried {
    /// All forms.
    EveryForm,
    /// A plain file: the command reads a file that another command made of it.
    PlainFile,
    /// The forms that are one text, which a proposal carries: the command reads [`PROPOSALS`].
    Texts,
}

/// The placeholder for proposals, each with the text of the programs.
pub(super) const PROPOSALS: &str = "{proposals}";

/// A row: a command with arguments.
pub(super) struct Row {
    /// The command as `leyden help` lists it: `profile dsl`.
    pub(super) command: &'static str,
    /// The usage on the page.
    pub(super) usage: &'static str,
    /// Commands that run one after the other; the last one is the command itself.
    pub(super) steps: &'static [&'static str],
    pub(super) evidence: Evidence,
    pub(super) tried: Tried,
}

/// Commands that take no programs, with the reason.
pub(super) const WITHOUT_PROGRAMS: [(&str, &str); 9] = [
    ("get", "fetches packages"),
    ("augment", "changes tasks and answers"),
    ("generate", "makes tasks with Python"),
    ("show", "draws a task"),
    ("primitives", "prints the table"),
    ("completions", "prints a script"),
    ("gpu list", "lists devices"),
    ("gpu selftest", "makes its own programs; needs a device"),
    ("gpu bench", "needs a device; tested where builds have one"),
];

macro_rules! rows {
    ($( $command:literal, $usage:literal, $tried:ident, $evidence:expr, [ $( $step:literal ),+ ]; )*) => {
        pub(super) const ROWS: &[Row] = &[ $( Row {
            command: $command,
            usage: $usage,
            steps: &[ $( $step ),+ ],
            evidence: $evidence,
            tried: Tried::$tried,
        } ),* ];
    };
}

use Evidence::{File, Json, Says};

rows! {
    "run", "run --solvers P", EveryForm, Json("/solved"),
        ["run --data {data} --solvers {programs} --json -"];
    "card", "card --solvers P --out OUT.batt", EveryForm, File("out.batt"),
        ["card -c 6 --seed 1 --data {data} --solvers {programs} --out out.batt"];
    "card", "card --solvers P --out OUT.py", EveryForm, File("out.py"),
        ["card -c 6 --seed 1 --data {data} --solvers {programs} --out out.py"];
    "card", "card --library P", EveryForm, File("out.batt"),
        ["card -c 6 --seed 1 --data {data} --library {programs} --out out.batt"];
    "batt", "batt P", EveryForm, Json("/solved"),
        ["batt {programs} --data {data} --json -"];
    "batt", "batt --solvers P", EveryForm, Json("/solved"),
        ["batt --solvers {programs} --data {data} --json -"];
    "batt", "batt --solvers P --scores differs.py", EveryForm, Json("/scores"),
        ["batt --solvers {programs} --data {data} --scores ../forms/differs.py --json -"];
    "batt", "batt --solvers P --scores differ_dir", PlainFile, Json("/scores"),
        ["batt --solvers {programs} --data {data} --scores ../forms/differ_dir --json -"];
    "batt", "batt --solvers P --scores GENERATED.py", PlainFile, Json("/scores"),
        ["batt --solvers {programs} --data {data} --scores ../forms/tokpidjin/generated/batt.py --json -"];
    "eval", "eval --solvers P", EveryForm, Says("\"grid\""),
        ["eval --solvers {programs} --inputs {grids} --out -"];
    "judge", "judge PROPOSALS, each with the text P", Texts, Json("/fits"),
        ["judge {proposals} --data {data} --out out.jsonl --json -"];
    "explore", "explore --solvers P --task ID --export OUT.html", EveryForm, File("out.html"),
        ["explore --data {data} --solvers {programs} --task 1e7d0006 --export out.html"];
    "import", "import P", EveryForm, Says("program "),
        ["import {programs}"];
    "library import", "library import P", EveryForm, Json("/programs"),
        ["library import {programs} --store out.db", "library list --store out.db --json -"];
    "evolve", "evolve --solvers P", EveryForm, Json("/library"),
        ["evolve --data {data} --solvers {programs} --store out.db --rounds 1 --seed 1 --islands 1 --json -"];
    "evolve", "evolve --library P", EveryForm, Json("/library"),
        ["evolve --data {data} --library {programs} --store out.db --rounds 1 --seed 1 --islands 1 --json -"];
    "solve", "solve --library P", EveryForm, Json("/known_programs"),
        ["solve --data {data} --library {programs} --fuel-per-task 200000 --json -"];
    "trace", "trace --solvers P", EveryForm, Says("grid, "),
        ["trace 1e7d0006 --data {data} --solvers {programs} --color plain"];
    "profile dsl", "profile dsl --solvers P", EveryForm, Json("/primitives"),
        ["profile dsl --data {data} --solvers {programs} --json -"];
    "profile dsl", "profile dsl --battery P", EveryForm, Json("/primitives"),
        ["profile dsl --data {data} --battery {programs} --json -"];
    "profile batch", "profile batch --solvers P", EveryForm, Json("/primitives"),
        ["profile batch --data {data} --solvers {programs} --json -"];
    "profile batch", "profile batch --battery P", EveryForm, Json("/primitives"),
        ["profile batch --data {data} --battery {programs} --json -"];
    "profile framework", "profile framework --solvers P", EveryForm, Json("/layers"),
        ["profile framework --data {data} --solvers {programs} --json -"];
    "profile pipeline", "profile pipeline --solvers P", EveryForm, Json("/phases"),
        ["profile pipeline --data {data} --solvers {programs} --json -"];
    "profile pipeline", "profile pipeline --solve --library P", EveryForm, Json("/phases"),
        ["profile pipeline --solve --per-task 20ms --data {data} --library {programs} --json -"];
    "profile lines", "profile lines TASK --solvers P", EveryForm, Json("/lines"),
        ["profile lines 1e7d0006 --data {data} --solvers {programs} --json -"];
    "profile lines", "profile lines P", EveryForm, Json("/lines"),
        ["profile lines {programs} --data {data} --json -"];
    "profile refilter", "profile refilter", PlainFile, Says("subgrid"),
        ["profile batch --data {data} --solvers {programs} --json a.json", "profile refilter a.json"];
    "profile compare", "profile compare", PlainFile, Says("Verdict"),
        ["profile batch --data {data} --solvers {programs} --json a.json", "profile compare a.json a.json"];
    "merge", "merge of a run", PlainFile, Json("/solved"),
        ["run --data {data} --solvers {programs} --shard 0/2 --json a.json",
         "run --data {data} --solvers {programs} --shard 1/2 --json b.json", "merge a.json b.json --json -"];
    "merge", "merge of a batt", PlainFile, Json("/solved"),
        ["batt --data {data} --solvers {programs} --shard 0/2 --json a.json",
         "batt --data {data} --solvers {programs} --shard 1/2 --json b.json", "merge a.json b.json --json -"];
    "library list", "library list", PlainFile, Json("/programs"),
        ["library import {programs} --store out.db", "library list --store out.db --json -"];
    "library show", "library show", PlainFile, Says("subgrid"),
        ["library import {programs} --store out.db", "library show {name} --store out.db --format python"];
    "library best", "library best", PlainFile, Says("1e7d0006"),
        ["evolve --data {data} --solvers {programs} --store out.db --rounds 1 --islands 1", "library best --store out.db"];
    "library export", "library export", PlainFile, Says("subgrid"),
        ["library import {programs} --store out.db", "library export --store out.db --out out.py",
         "import out.py"];
    "library prune", "library prune", PlainFile, Says("removed"),
        ["evolve --data {data} --solvers {programs} --store out.db --rounds 1 --islands 1", "library prune --keep 1 --store out.db"];
    "library check", "library check", PlainFile, Says("sound"),
        ["library import {programs} --store out.db", "library check --store out.db"];
    "score", "score", PlainFile, Json("/solved/right"),
        ["solve --data {data} --library {programs} --fuel-per-task 200000 --out out.json", "score out.json --data {data} --json -"];
    "ranks", "ranks", PlainFile, Json("/reports/0/counts/fits"),
        ["solve --data {data} --library {programs} --fuel-per-task 200000 --candidates 9 --json a.json", "ranks a.json --data {data} --json -"];
    "submit-check", "submit-check", PlainFile, Says("fine"),
        ["solve --data {data} --library {programs} --fuel-per-task 200000 --out out.json", "submit-check out.json --data {data}"];
}

/// Reads a step's line into arguments.
pub(super) fn arguments<'a>(step: &'a str, words: &[(&str, &'a str)]) -> Vec<&'a str> {
    let meant = |word: &'a str| {
        let found = words.iter().find(|(name, _)| *name == word);
        found.map_or(word, |(_, value)| *value)
    };
    step.split(' ').map(meant).collect()
}
