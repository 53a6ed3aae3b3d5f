//! Errors and warnings about a program text, with their places.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// The weight of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The text is not a program.
    Error,
    /// The program can run, but probably does not do what its author meant.
    Warning,
}

impl Severity {
    /// The severity's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// One finding about a source text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Diagnostic {
    /// The weight of the finding.
    pub severity: Severity,
    /// The problem, in one line.
    pub message: String,
    /// The bytes of the source that the finding marks.
    pub span: Range<usize>,
    /// A short remark at the marked place; may be empty.
    pub label: String,
    /// Advice for the author.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Makes an error at a place.
    pub fn error(message: impl Into<String>, span: Range<usize>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            help: None,
        }
    }

    /// Makes a warning at a place.
    pub fn warning(message: impl Into<String>, span: Range<usize>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(message, span)
        }
    }

    /// Adds a remark at the marked place.
    pub fn label(self, label: impl Into<String>) -> Diagnostic {
        Diagnostic {
            label: label.into(),
            ..self
        }
    }

    /// Adds advice.
    pub fn help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic {
            help: Some(help.into()),
            ..self
        }
    }

    /// Moves the span, for a text that begins further down in its file.
    pub(crate) fn moved_by(self, bytes: usize) -> Diagnostic {
        Diagnostic {
            span: self.span.start + bytes..self.span.end + bytes,
            ..self
        }
    }

    /// The line and the column of the start. Both count from 1; columns are characters.
    pub fn position(&self, source: &str) -> (usize, usize) {
        position_of(source, self.span.start)
    }
}

/// The line and the column of a byte of the source, counted from 1.
fn position_of(source: &str, byte: usize) -> (usize, usize) {
    let before = &source[..floor_boundary(source, byte)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

/// The findings of one file. Those beyond [`Diagnostics::MOST`] are only counted, so that a
/// hopeless file cannot fill the memory.
#[derive(Default)]
pub(crate) struct Diagnostics {
    list: Vec<Diagnostic>,
    left_out: usize,
}

impl Diagnostics {
    const MOST: usize = 500;

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.is_full() {
            self.left_out += 1;
        } else {
            self.list.push(diagnostic);
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= Diagnostics::MOST
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The findings in the order of the source, and a last one with the number of those left out.
    pub(crate) fn into_vec(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|found| found.span.start);
        if let (1.., Some(last)) = (self.left_out, self.list.last()) {
            let problems = if self.left_out == 1 {
                "problem"
            } else {
                "problems"
            };
            let message = format!("{} more {problems} in this file", self.left_out);
            let summary = Diagnostic::error(message, last.span.clone());
            self.list.push(summary);
        }
        self.list
    }
}

/// Prints diagnostics for a terminal: file, line and column, the source line and the advice.
pub fn render(diagnostics: &[Diagnostic], source: &str, file_name: &str, colour: bool) -> String {
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut report = String::new();
    for diagnostic in diagnostics {
        let groups = [group(diagnostic, source, file_name)];
        report.push_str(&renderer.render(&groups));
        report.push('\n');
    }
    report
}

fn group<'a>(diagnostic: &'a Diagnostic, source: &'a str, file_name: &'a str) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let group = level
        .primary_title(diagnostic.message.as_str())
        .element(snippet(diagnostic, source, file_name));
    match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    }
}

/// Cuts the marked lines out of the source, so that the cost of a report does not grow with the
/// file.
fn snippet<'a>(
    diagnostic: &'a Diagnostic,
    source: &'a str,
    file_name: &'a str,
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let span = clamp(source, &diagnostic.span);
    let lines = lines_around(source, &span);
    let mark = AnnotationKind::Primary
        .span(span.start - lines.start..span.end - lines.start)
        .label(Some(diagnostic.label.as_str()).filter(|label| !label.is_empty()));
    Snippet::source(&source[lines.clone()])
        .line_start(position_of(source, lines.start).0)
        .path(file_name)
        .annotation(mark)
}

/// The most bytes of a span, and of the line after it, that a report shows.
const WIDEST: usize = 2_000;

fn clamp(source: &str, span: &Range<usize>) -> Range<usize> {
    let start = floor_boundary(source, span.start);
    let end = floor_boundary(source, span.end.clamp(start, start + WIDEST));
    start..end
}

fn lines_around(source: &str, span: &Range<usize>) -> Range<usize> {
    let start = source[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = source[span.end..]
        .find('\n')
        .map_or(source.len(), |length| span.end + length);
    let end = floor_boundary(source, end.min(span.end + WIDEST));
    start..end
}

fn floor_boundary(source: &str, byte: usize) -> usize {
    source.floor_char_boundary(byte.min(source.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_point_at_file_line_and_column() {
        let source = "first\nsecond line\nthird\n";
        let found = Diagnostic::error("no such thing", 13..17)
            .label("this")
            .help("try another");
        assert_eq!(found.position(source), (2, 8));
        let expected = "\
error: no such thing
 --> a.py:2:8
  |
2 | second line
  |        ^^^^ this
  |
  = help: try another
";
        assert_eq!(render(&[found], source, "a.py", false), expected);
    }

    #[test]
    fn spans_outside_the_source_are_harmless() {
        let source = "é\u{1F600}\r\n\tx";
        for start in 0..20 {
            for end in 0..20 {
                let found = Diagnostic::warning("odd", start..end);
                assert!(render(&[found], source, "f", true).contains("odd"));
            }
        }
        assert!(render(&[Diagnostic::error("e", 0..0)], "", "f", false).contains("f:1:1"));
    }

    #[test]
    fn a_flood_of_findings_is_cut() {
        let mut found = Diagnostics::default();
        (0..1_000).for_each(|k| found.push(Diagnostic::error("e", k..k)));
        let list = found.into_vec();
        assert_eq!(list.len(), Diagnostics::MOST + 1);
        assert_eq!(list[500].message, "500 more problems in this file");
    }
}
