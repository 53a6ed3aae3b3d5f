//! Texts of the editor: from text to program, and findings with places as browsers count them.

use leyden_dsl::table::Dialect;
use leyden_explore::{Call, Refusal};
use leyden_lang::{Diagnostic, Language, Program, parse_in, verify};
use serde_json::{Value, json};

use super::App;

/// The first findings are enough, as each costs a walk through the text to its place.
const MOST_FINDINGS: usize = 100;

/// A text that was read. Its last program counts.
pub(super) struct Reading {
    pub(super) program: Option<Program>,
    pub(super) findings: Vec<Diagnostic>,
}

impl App {
    /// The language of a call: the dialect that it names, otherwise that of the command line.
    pub(super) fn language(&self, call: &Call) -> Result<Language, Refusal> {
        let dialect = call.text_if_any("dialect")?.map(dialect_named);
        Ok(Language {
            dialect: dialect.transpose()?.or(self.language.dialect),
            names: self.language.names.clone(),
        })
    }

    /// The program of a call's `text`, which must be one.
    pub(super) fn program_of(&self, call: &Call) -> Result<Program, Refusal> {
        let text = call.text("text")?;
        let reading = read(text, &self.language(call)?);
        reading.program.ok_or_else(|| {
            let first = reading.findings.first();
            let message = first.map_or("it has no program", |found| &found.message);
            Refusal::bad(format!("text: {message}"))
        })
    }
}

/// Reads a text.
pub(super) fn read(text: &str, language: &Language) -> Reading {
    match parse_in(text, "the text", language) {
        Ok(mut programs) => match programs.pop() {
            Some(program) => Reading {
                findings: verify(&program),
                program: Some(program),
            },
            None => Reading::of_nothing(),
        },
        Err(findings) => Reading {
            program: None,
            findings,
        },
    }
}

impl Reading {
    fn of_nothing() -> Reading {
        let message = "there is no program here; one begins with `def solve(I):`";
        Reading {
            program: None,
            findings: vec![Diagnostic::error(message, 0..0)],
        }
    }

    /// The findings about a text.
    pub(super) fn findings_in_json(&self, text: &str) -> Vec<Value> {
        let finding = |found: &Diagnostic| in_json(found, text);
        self.findings
            .iter()
            .take(MOST_FINDINGS)
            .map(finding)
            .collect()
    }
}

fn in_json(found: &Diagnostic, text: &str) -> Value {
    let (line, column) = found.position(text);
    json!({
        "severity": found.severity.name(),
        "message": found.message,
        "label": found.label,
        "help": found.help,
        "from": utf16(text, found.span.start),
        "to": utf16(text, found.span.end),
        "line": line,
        "column": column,
    })
}

/// The place of a byte of a text, counted in UTF-16.
pub(super) fn utf16(text: &str, byte: usize) -> usize {
    let before = text.char_indices().take_while(|(k, _)| *k < byte);
    before.map(|(_, c)| c.len_utf16()).sum()
}

/// The byte at a place that is counted in UTF-16.
pub(super) fn byte_at(text: &str, place: usize) -> usize {
    let mut n_before = 0;
    let found = text.char_indices().find(|(_, c)| {
        let is_here = n_before >= place;
        n_before += c.len_utf16();
        is_here
    });
    found.map_or(text.len(), |(byte, _)| byte)
}

pub(super) fn dialect_named(name: &str) -> Result<Dialect, Refusal> {
    let mut named = Dialect::NAMED.into_iter();
    let found = named.find(|dialect| dialect.name() == name);
    found.ok_or_else(|| Refusal::bad(format!("dialect: there is no {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_browsers_count() {
        let text = "aé😀b";
        assert_eq!(utf16(text, 0), 0);
        assert_eq!(utf16(text, "aé".len()), 2);
        assert_eq!(utf16(text, "aé😀".len()), 4);
        assert_eq!(utf16(text, 1_000), 5);
        for byte in [0, "a".len(), "aé".len(), "aé😀".len(), text.len()] {
            assert_eq!(byte_at(text, utf16(text, byte)), byte);
        }
        assert_eq!(byte_at(text, 1_000), text.len());
    }
}
