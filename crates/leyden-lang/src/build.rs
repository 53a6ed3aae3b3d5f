//! Builds a program line by line, for the readers of all text forms.

use std::ops::Range;

use leyden_dsl::table::Dialect;

use crate::diagnostic::Diagnostic;
use crate::names::{Scope, global};
use crate::program::{Input, Line, Op, Operand, Program};
use crate::user_names::UserNames;

/// The positions where the lines of a text begin.
pub(crate) struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    pub(crate) fn new(source: &str) -> LineIndex {
        let newlines = source
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n');
        let starts = newlines.map(|(at, _)| at as u32 + 1).collect();
        LineIndex { starts }
    }

    /// The position where each line begins.
    pub(crate) fn starts(&self) -> impl Iterator<Item = usize> {
        let later = self.starts.iter().map(|start| *start as usize);
        std::iter::once(0).chain(later)
    }

    /// The line of a byte, counted from 1.
    pub(crate) fn line_of(&self, byte: usize) -> u32 {
        self.starts.partition_point(|start| *start as usize <= byte) as u32 + 1
    }
}

/// A program under construction.
pub(crate) struct Builder<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) scope: Scope<'a>,
    inputs: Vec<Input>,
    lines: Vec<Line>,
    index: &'a LineIndex,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(index: &'a LineIndex, dialect: Dialect) -> Builder<'a> {
        Builder {
            dialect,
            scope: Scope::default(),
            inputs: Vec::new(),
            lines: Vec::new(),
            index,
        }
    }

    /// Declares a parameter. An unknown one is an error here, but not again where the program uses
    /// it.
    pub(crate) fn declare(&mut self, name: &'a str, span: Range<usize>) -> Result<(), Diagnostic> {
        let Some(input) = Input::by_name(name) else {
            self.scope.set(name, None);
            let message = format!("unknown parameter `{name}`");
            return Err(Diagnostic::error(message, span).help(PARAMETERS));
        };
        if self.inputs.contains(&input) {
            let message = format!("parameter `{name}` is there twice");
            return Err(Diagnostic::error(message, span));
        }
        self.inputs.push(input);
        self.scope.set(input.name(), Some(Operand::Input(input)));
        Ok(())
    }

    /// Adds a line and returns the variable that holds its result.
    pub(crate) fn push(&mut self, op: Op, span: Range<usize>) -> Operand {
        let variable = Operand::Var(self.lines.len() as u32);
        self.lines.push(Line {
            op,
            source_line: self.index.line_of(span.start),
            span: span.start as u32..span.end as u32,
        });
        variable
    }

    /// The meaning of a name. The inner option is empty if an error about the name is reported
    /// already.
    pub(crate) fn resolve(&self, name: &str) -> Option<Option<Operand>> {
        let outside = || global(self.dialect, name).map(Some);
        self.scope.variable(name).or_else(outside)
    }

    /// The error for an unknown name.
    pub(crate) fn unknown_name(
        &self,
        name: &str,
        span: Range<usize>,
        own: Option<&UserNames>,
    ) -> Diagnostic {
        let found = Diagnostic::error(format!("unknown name `{name}`"), span)
            .label("not a primitive, a constant or an earlier variable");
        match (
            Input::by_name(name),
            self.scope.most_like(self.dialect, name, own),
        ) {
            (Some(_), _) => found.help(format!("add `{name}` to the program's parameters")),
            (None, Some(like)) => found.help(format!("did you mean `{like}`?")),
            (None, None) => found,
        }
    }

    pub(crate) fn finish(self, name: String, output: Operand) -> Program {
        Program {
            name,
            dialect: self.dialect,
            inputs: self.inputs,
            lines: self.lines,
            output,
        }
    }
}

/// The advice in errors about parameters.
pub(crate) const PARAMETERS: &str = "a program's parameters are `I` (the input grid), `S` (the \
     demonstration pairs) and `C` (the expected output, for scoring programs)";

/// The dialect that a program's name stands for.
pub(crate) fn dialect_of(name: &str) -> Dialect {
    if name.starts_with("verify_") {
        Dialect::ReArc
    } else {
        Dialect::ArcDsl
    }
}
