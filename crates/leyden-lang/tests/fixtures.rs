//! Bad programs as fixtures: each section of a file under `fixtures` is a source and the
//! diagnostics expected of it. `BLESS=1 cargo test` writes the present diagnostics into the files.
//!
//! ```text
//! --- name ---
//! source
//! === expected
//! 2:4 `marked text` error: message [label] (help)
//! ```

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use leyden_lang::{Diagnostic, parse, verify};

const EXPECTED: &str = "=== expected\n";

struct Section {
    name: String,
    source: String,
    expected: String,
}

fn sections(text: &str) -> Vec<Section> {
    let parts = text.split("--- ").skip(1);
    parts.map(section).collect()
}

fn section(part: &str) -> Section {
    let (name, rest) = part.split_once(" ---\n").expect("a section has a name");
    let (source, expected) = rest.split_once(EXPECTED).unwrap_or((rest, ""));
    Section {
        name: name.to_owned(),
        source: source.to_owned(),
        expected: expected.trim_end().to_owned(),
    }
}

/// The errors, or the warnings about a sound source.
fn outcome(source: &str) -> String {
    let found = match parse(source, "fixture", None) {
        Ok(programs) => programs.iter().flat_map(verify).collect(),
        Err(found) => found,
    };
    let lines: Vec<String> = found.iter().map(|found| line(found, source)).collect();
    if lines.is_empty() {
        "nothing".to_owned()
    } else {
        lines.join("\n")
    }
}

fn line(found: &Diagnostic, source: &str) -> String {
    let (row, column) = found.position(source);
    let marked = &source[found.span.clone()];
    let severity = found.severity.name();
    let mut line = format!("{row}:{column} {marked:?} {severity}: {}", found.message);
    if !found.label.is_empty() {
        line += &format!(" [{}]", found.label);
    }
    if let Some(help) = &found.help {
        line += &format!(" ({help})");
    }
    line
}

fn print(sections: &[Section]) -> String {
    let print = |section: &Section| {
        let Section { name, source, .. } = section;
        format!("--- {name} ---\n{source}{EXPECTED}{}\n\n", outcome(source))
    };
    let text: String = sections.iter().map(print).collect();
    text.trim_end().to_owned() + "\n"
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn fixtures_give_what_they_say() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut count = 0;
    for file in files() {
        let text = fs::read_to_string(&file).unwrap();
        let sections = sections(&text);
        if bless {
            fs::write(&file, print(&sections)).unwrap();
        }
        for section in sections.iter().filter(|_| !bless) {
            let name = &section.name;
            assert_eq!(
                outcome(&section.source),
                section.expected,
                "{name} in {file:?}"
            );
        }
        count += sections.len();
    }
    assert!(count > 50, "only {count} fixtures found");
}
