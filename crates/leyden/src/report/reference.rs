//! The reference of the language, generated from the table.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use leyden_dsl::table::{
    CONSTANTS, Constant, Cost, Dialect, Entry, OrderUse, Prim, TABLE, TOKPIDJIN_TABLE, Theme,
};
use leyden_dsl::tokpidjin::TOKPIDJIN_CONSTANTS;
use serde::Serialize;

use crate::report::style::{BOLD, DIM};

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

/// The primitives of all dialects.
pub(crate) fn all_entries() -> impl Iterator<Item = &'static Entry> {
    TABLE.iter().chain(TOKPIDJIN_TABLE)
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
    let _ = write_tokpidjin(&mut text);
    let _ = writeln!(
        text,
        "{n_primitives} primitives, {n_constants} constants; {} and {} more in tokpidjin. \
         `leyden primitives NAME` explains one.",
        TOKPIDJIN_TABLE.len(),
        TOKPIDJIN_CONSTANTS.len(),
    );
    text
}

fn write_tokpidjin(text: &mut String) -> std::fmt::Result {
    writeln!(text, "{BOLD}Only in tokpidjin{BOLD:#}")?;
    for entry in TOKPIDJIN_TABLE {
        writeln!(text, "  {NAME}{:<17}{NAME:#} {}", entry.name, entry.doc)?;
    }
    let constants: Vec<&str> = TOKPIDJIN_CONSTANTS.iter().map(|(name, _)| *name).collect();
    writeln!(text, "  {}\n", constants.join(" "))
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
    // The example's result is on a line of its own: some are long.
    let example = entry.example;
    text += &format!(
        "  {DIM}>>>{DIM:#} {}\n  {}\n\n",
        example.call, example.result
    );
    for (label, value) in facts(entry) {
        text += &format!("  {DIM}{label:<9}{DIM:#} {value}\n");
    }
    text
}

/// A primitive with the names and types of its parameters, and the type of its result.
pub(crate) fn signature(entry: &Entry) -> String {
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
    facts.extend(in_tokpidjin(entry).map(|said| (Dialect::Tokpidjin.name(), said)));
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

/// The difference in re-arc's dialect.
fn in_re_arc(entry: &Entry) -> Option<String> {
    let meaning = match entry.prim {
        Prim::argmax | Prim::argmin => Some("gives None for an empty container".to_owned()),
        Prim::occurrences => {
            Some("finds an empty object at every cell, not at one row and column more".to_owned())
        }
        _ => None,
    };
    meaning.or_else(|| renamed_params(entry, Dialect::ReArc))
}

/// The difference in tokpidjin's dialect, apart from its cells and its empty values for faults.
fn in_tokpidjin(entry: &Entry) -> Option<String> {
    let names: Vec<&str> = aliases_of(entry.prim).collect();
    let meaning = match entry.prim {
        _ if !entry.is_in(Dialect::Tokpidjin) => Some("split by type"),
        _ if !entry.prim.is_classic() => Some("only there"),
        Prim::add | Prim::subtract => Some("takes () for 0"),
        Prim::multiply | Prim::divide => Some("takes () for 1"),
        Prim::first => Some("gives None for an empty container"),
        Prim::last => Some("gives () for an empty container"),
        Prim::extract => Some("gives an empty set if no element fits"),
        Prim::uppermost | Prim::lowermost | Prim::leftmost | Prim::rightmost => {
            Some("gives nan for an empty patch")
        }
        Prim::center => Some("gives () for an empty patch"),
        Prim::manhattan => Some("gives inf for an empty patch"),
        Prim::gravitate => Some("gives the source if there is no destination"),
        Prim::color => Some("gives -inf for an empty object"),
        Prim::index => Some("gives -inf outside"),
        Prim::crop => Some("gives () if a part lies outside"),
        Prim::shift => Some("leaves a patch where it is if the vector is ()"),
        Prim::asobject => Some("gives an empty set if the argument is not a grid"),
        _ => None,
    };
    let alias = (!names.is_empty()).then(|| format!("also called {}", names.join(", ")));
    let parts: Vec<String> = meaning
        .map(str::to_owned)
        .into_iter()
        .chain(alias)
        .chain(renamed_params(entry, Dialect::Tokpidjin))
        .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn aliases_of(prim: Prim) -> impl Iterator<Item = &'static str> {
    let aliases = Dialect::Tokpidjin.aliases().iter();
    aliases
        .filter(move |(_, other)| *other == prim)
        .map(|(name, _)| *name)
}

fn renamed_params(entry: &Entry, dialect: Dialect) -> Option<String> {
    let renamed = entry.params.iter().filter_map(|param| {
        let name = param.name_in(dialect);
        (name != param.name).then(|| format!("{} is called {name}", param.name))
    });
    let renamed: Vec<String> = renamed.collect();
    (!renamed.is_empty()).then(|| renamed.join(", "))
}

/// The value of a constant.
pub(crate) fn constant((name, value): &(&str, Constant)) -> String {
    format!("{BOLD}{name}{BOLD:#} = {}\n", spell(*value))
}

pub(crate) fn spell(value: Constant) -> String {
    match value {
        Constant::Bool(true) => "True".to_owned(),
        Constant::Bool(false) => "False".to_owned(),
        Constant::Int(n) => n.to_string(),
        Constant::Pair(i, j) => format!("({i}, {j})"),
    }
}

/// The reference page.
pub(crate) fn markdown() -> String {
    let mut page = markdown_head();
    for (theme, title) in THEMES {
        page += &format!("- [{title}](#{})\n", anchor(title));
        let names: Vec<String> = entries_of(theme)
            .map(|entry| format!("[{0}](#{0})", entry.name))
            .collect();
        page += &format!("  {}\n", names.join(" · "));
    }
    page += "- [Constants](#constants)\n- [Tokpidjin](#tokpidjin)\n";
    for (theme, title) in THEMES {
        page += &format!("\n## {title}\n");
        entries_of(theme).for_each(|entry| page += &format!("\n{}", markdown_entry(entry)));
    }
    page + &markdown_constants() + &markdown_tokpidjin()
}

fn markdown_head() -> String {
    let (n_primitives, n_constants) = (TABLE.len(), CONSTANTS.len());
    format!(
        "\
# The primitives

<!-- Made from the table in crates/leyden-dsl by `cargo xtask docs`. Do not edit. -->

arc-dsl has {n_primitives} primitives and {n_constants} constants. CI runs every example below. A grid is a tuple of
rows, a cell of an object is `(colour, (i, j))`, `{{…}}` is a set in its iteration order, and `T` and
`F` are booleans. `leyden primitives NAME` shows an entry in the terminal.

Programs come in three dialects: arc-dsl (`solve_…`), re-arc (`verify_…`) and tokpidjin
(`solve_…(S, I, C)`). If re-arc differs, the entry says so. The last section lists the differences
of tokpidjin.

"
    )
}

const TOKPIDJIN_HEAD: &str = "
## Tokpidjin

tokpidjin's solvers take `(S, I, C)`: the demonstration pairs, the input grid and `None`. A cell is
`(i, j, colour)`. A primitive never fails. Instead it gives the empty value of its result type: `0`,
`F`, `()`, an empty set, or a function that gives `()`. Many primitives have one variant per type:
`_t` for tuples and grids, `_f` for sets and patches, `_i` for locations, `_o` for objects.
";

fn markdown_tokpidjin() -> String {
    let mut text = TOKPIDJIN_HEAD.to_owned();
    text += "\nPrimitives that differ from arc-dsl:\n\n| primitive | in tokpidjin |\n|---|---|\n";
    for entry in TABLE {
        text += &in_tokpidjin(entry).map_or_else(String::new, |said| {
            format!("| [{0}](#{0}) | {said} |\n", entry.name)
        });
    }
    text += "\nPrimitives that only tokpidjin has:\n\n| primitive | | example |\n|---|---|---|\n";
    for entry in TOKPIDJIN_TABLE {
        let Entry { doc, example, .. } = entry;
        let (call, result) = (example.call, example.result);
        text += &format!(
            "| `{}` | {doc} | `{call}` = `{result}` |\n",
            signature(entry)
        );
    }
    let constants = TOKPIDJIN_CONSTANTS.iter();
    let constants = constants.map(|(name, value)| format!("`{name}` {}", spell(*value)));
    let constants: Vec<String> = constants.collect();
    text + &format!("\nFurther constants: {}.\n", constants.join(", "))
}

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

/// Differences in meaning describe the primitive, differences in names its parameters.
fn in_sentence(entry: &Entry, difference: &str) -> String {
    match renamed_params(entry, Dialect::ReArc) {
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
    dialects: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    re_arc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokpidjin: Option<String>,
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
pub(crate) fn json(entries: impl Iterator<Item = &'static Entry>) -> String {
    let entries: Vec<JsonEntry> = entries.map(json_entry).collect();
    let text = serde_json::to_string_pretty(&entries);
    // Strings and lists of strings always have a JSON form.
    text.unwrap_or_default() + "\n"
}

fn dialects_of(entry: &Entry) -> Vec<&'static str> {
    let dialects = Dialect::ALL.into_iter();
    let having = dialects.filter(|dialect| entry.is_in(*dialect));
    having.map(Dialect::name).collect()
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
        dialects: dialects_of(entry),
        re_arc: in_re_arc(entry),
        tokpidjin: in_tokpidjin(entry),
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
}
