//! The reference of the language, from the table.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use leyden_dsl::table::{CONSTANTS, Constant, Cost, Dialect, Entry, OrderUse, Prim, TABLE, Theme};
use serde::Serialize;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const NAME: Style = AnsiColor::Cyan.on_default();

/// The themes in the order of the page.
const THEMES: [(Theme, &str); 9] = [
    (Theme::Arithmetic, "Numbers, pairs, truth"),
    (Theme::Containers, "Tuples and sets"),
    (Theme::Functional, "Functions of functions"),
    (Theme::Colour, "Colours"),
    (Theme::Geometry, "Extents, positions, distances"),
    (Theme::Grids, "Whole grids"),
    (Theme::Patches, "Sets of cells"),
    (Theme::Lines, "Lines and neighbourhoods"),
    (Theme::Objects, "Objects and patterns"),
];

fn entries_of(theme: Theme) -> impl Iterator<Item = &'static Entry> {
    TABLE.iter().filter(move |entry| entry.theme == theme)
}

/// All primitives by theme, a line each.
pub(crate) fn overview() -> String {
    let mut text = String::new();
    for (theme, title) in THEMES {
        // Writing to a String cannot fail.
        let _ = write_theme(&mut text, theme, title);
    }
    let constants: Vec<&str> = CONSTANTS.iter().map(|(name, _)| *name).collect();
    let (n_primitives, n_constants) = (TABLE.len(), CONSTANTS.len());
    let _ = writeln!(text, "{BOLD}Constants{BOLD:#}\n  {}\n", constants.join(" "));
    let _ = writeln!(
        text,
        "{n_primitives} primitives, {n_constants} constants. `leyden primitives NAME` explains one."
    );
    text
}

fn write_theme(text: &mut String, theme: Theme, title: &str) -> std::fmt::Result {
    writeln!(text, "{BOLD}{title}{BOLD:#}")?;
    for entry in entries_of(theme) {
        writeln!(text, "  {NAME}{:<15}{NAME:#} {}", entry.name, entry.doc)?;
    }
    writeln!(text)
}

/// Everything about one primitive.
pub(crate) fn explanation(entry: &Entry) -> String {
    let mut text = format!("{BOLD}{}{BOLD:#}\n\n  {}\n\n", signature(entry), entry.doc);
    // The example's result stands on a line of its own: some are long.
    let example = entry.example;
    text += &format!(
        "  {DIM}>>>{DIM:#} {}\n  {}\n\n",
        example.call, example.result
    );
    for (label, value) in facts(entry) {
        text += &format!("  {DIM}{label:<8}{DIM:#} {value}\n");
    }
    text
}

fn signature(entry: &Entry) -> String {
    let params = entry
        .params
        .iter()
        .map(|param| format!("{}: {}", param.name, param.ty));
    let params: Vec<String> = params.collect();
    format!("{}({}) -> {}", entry.name, params.join(", "), entry.result)
}

fn facts(entry: &Entry) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("theme", title_of(entry.theme).to_owned()),
        ("fuel", describe_cost(entry.cost).to_owned()),
        ("order", describe_order(entry.order).to_owned()),
    ];
    facts.extend(in_re_arc(entry).map(|difference| (Dialect::ReArc.name(), difference)));
    facts
}

fn title_of(theme: Theme) -> &'static str {
    THEMES
        .iter()
        .find(|(known, _)| *known == theme)
        .map_or("", |(_, title)| title)
}

fn describe_cost(cost: Cost) -> &'static str {
    match cost {
        Cost::Unit => "1 a call",
        Cost::Linear => "1 a call and 1 for each element of arguments and result",
        Cost::Product => {
            "1 a call and the elements of the first argument times those of the second"
        }
        Cost::Scan => {
            "1 a call and a 64th of the elements of the first argument times those of the second"
        }
        Cost::Square => "1 a call and the elements of the first argument squared",
    }
}

fn describe_order(order: OrderUse) -> &'static str {
    match order {
        OrderUse::Blind => "the order of a set makes no difference",
        OrderUse::Observes => "the order of a set can decide, where there is a tie",
    }
}

/// How re-arc's dialect differs.
fn in_re_arc(entry: &Entry) -> Option<String> {
    let meaning = match entry.prim {
        Prim::argmax | Prim::argmin => Some("gives None for an empty container".to_owned()),
        Prim::occurrences => {
            Some("finds an empty object at every cell, not at one row and column more".to_owned())
        }
        _ => None,
    };
    meaning.or_else(|| renamed_params(entry))
}

fn renamed_params(entry: &Entry) -> Option<String> {
    let renamed = entry
        .params
        .iter()
        .filter(|param| param.name != param.re_arc_name);
    let renamed = renamed.map(|param| format!("{} is called {}", param.name, param.re_arc_name));
    let renamed: Vec<String> = renamed.collect();
    (!renamed.is_empty()).then(|| renamed.join(", "))
}

/// What a constant stands for.
pub(crate) fn constant((name, value): &(&str, Constant)) -> String {
    format!("{BOLD}{name}{BOLD:#} = {}\n", spell(*value))
}

fn spell(value: Constant) -> String {
    match value {
        Constant::Bool(true) => "True".to_owned(),
        Constant::Bool(false) => "False".to_owned(),
        Constant::Int(n) => n.to_string(),
        Constant::Pair(i, j) => format!("({i}, {j})"),
    }
}

/// The reference page.
pub(crate) fn markdown() -> String {
    let mut page = MARKDOWN_HEAD.to_owned();
    for (theme, title) in THEMES {
        page += &format!("- [{title}](#{})\n", anchor(title));
        let names: Vec<String> = entries_of(theme)
            .map(|entry| format!("[{0}](#{0})", entry.name))
            .collect();
        page += &format!("  {}\n", names.join(" · "));
    }
    page += "- [Constants](#constants)\n";
    for (theme, title) in THEMES {
        page += &format!("\n## {title}\n");
        entries_of(theme).for_each(|entry| page += &format!("\n{}", markdown_entry(entry)));
    }
    page + &markdown_constants()
}

const MARKDOWN_HEAD: &str = "\
# The primitives

<!-- Made from the table in crates/leyden-dsl by `cargo xtask docs`. Do not edit. -->

The language has 160 primitives and 28 constants. Every example below is a test. A grid is a
tuple of rows, a cell of an object is `(colour, (i, j))`, `{…}` is a set in its iteration order,
`T` and `F` are truth values. `leyden primitives NAME` shows the same in a terminal.

Programs come in two dialects, arc-dsl (`solve_…`) and re-arc (`verify_…`); where the second
differs, the entry says so.

";

/// The fragment that renderers of Markdown make of a heading.
fn anchor(title: &str) -> String {
    let kept = title.to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ')
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// One primitive as Markdown.
pub(crate) fn markdown_entry(entry: &Entry) -> String {
    let mut text = format!(
        "### {}\n\n`{}`\n\n{}",
        entry.name,
        signature(entry),
        entry.doc
    );
    if let Some(difference) = in_re_arc(entry) {
        text += &format!(" In re-arc {}.", in_sentence(entry, &difference));
    }
    if entry.order == OrderUse::Observes {
        text += " The order of a set can decide a tie.";
    }
    let example = entry.example;
    text + &format!(
        "\n\n```python\n>>> {}\n{}\n```\n",
        example.call, example.result
    )
}

/// Differences in meaning are said of the primitive, those in names of its parameters.
fn in_sentence(entry: &Entry, difference: &str) -> String {
    match renamed_params(entry) {
        Some(_) => difference.to_owned(),
        None => format!("it {difference}"),
    }
}

fn markdown_constants() -> String {
    let rows = CONSTANTS
        .iter()
        .map(|(name, value)| format!("| `{name}` | `{}` |\n", spell(*value)));
    format!(
        "\n## Constants\n\n| name | value |\n|---|---|\n{}",
        rows.collect::<String>()
    )
}

#[derive(Serialize)]
struct JsonEntry {
    name: &'static str,
    params: Vec<JsonParam>,
    result: String,
    theme: String,
    cost: String,
    observes_order: bool,
    doc: &'static str,
    example: JsonExample,
    #[serde(skip_serializing_if = "Option::is_none")]
    re_arc: Option<String>,
}

#[derive(Serialize)]
struct JsonParam {
    name: &'static str,
    r#type: String,
}

#[derive(Serialize)]
struct JsonExample {
    call: &'static str,
    result: &'static str,
}

/// Entries as a list of objects.
pub(crate) fn json(entries: &[Entry]) -> String {
    let entries: Vec<JsonEntry> = entries.iter().map(json_entry).collect();
    let text = serde_json::to_string_pretty(&entries);
    // Strings and lists of strings always have a JSON form.
    text.unwrap_or_default() + "\n"
}

fn json_entry(entry: &Entry) -> JsonEntry {
    let param = |param: &leyden_dsl::table::Param| JsonParam {
        name: param.name,
        r#type: param.ty.to_string(),
    };
    JsonEntry {
        name: entry.name,
        params: entry.params.iter().map(param).collect(),
        result: entry.result.to_string(),
        theme: format!("{:?}", entry.theme).to_lowercase(),
        cost: format!("{:?}", entry.cost).to_lowercase(),
        observes_order: entry.order == OrderUse::Observes,
        doc: entry.doc,
        example: JsonExample {
            call: entry.example.call,
            result: entry.example.result,
        },
        re_arc: in_re_arc(entry),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_primitive_is_under_a_theme() {
        let n_listed: usize = THEMES
            .iter()
            .map(|(theme, _)| entries_of(*theme).count())
            .sum();
        assert_eq!(n_listed, TABLE.len());
    }

    #[test]
    fn the_head_of_the_page_counts_right() {
        let counts = format!(
            "{} primitives and {} constants",
            TABLE.len(),
            CONSTANTS.len()
        );
        assert!(MARKDOWN_HEAD.contains(&counts));
    }
}
