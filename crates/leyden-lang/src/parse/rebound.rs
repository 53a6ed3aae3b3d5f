//! Names of the language that a file redefines.
//!
//! A program that calls `vmirror` means the primitive. Python calls the module's own `vmirror`: a
//! function of the file, or an import. A program that uses such a name is refused.

use std::ops::Range;

use leyden_dsl::table::Dialect;
use ruff_python_ast::{Alias, Stmt, StmtImport, StmtImportFrom};
use rustc_hash::FxHashMap;

use super::caught::{CAUGHT, DEFAULT};
use super::span_of;
use crate::build::LineIndex;
use crate::diagnostic::Diagnostic;
use crate::names::global;
use crate::user_names::Language;

/// The places where a file redefines names of the language.
#[derive(Default)]
pub(super) struct Rebound<'a> {
    places: FxHashMap<&'a str, Place>,
}

struct Place {
    line: u32,
    how: &'static str,
}

impl<'a> Rebound<'a> {
    /// The names that statements outside of programs bind. Imports from the DSL's own modules keep
    /// their meaning.
    pub(super) fn of(body: &'a [Stmt], index: &LineIndex, language: &Language) -> Rebound<'a> {
        let mut rebound = Rebound::default();
        for statement in body {
            match statement {
                Stmt::FunctionDef(function) => {
                    let line = index.line_of(span_of(&function.name).start);
                    rebound.note(&function.name, line, "defines it");
                    rebound.note_own(&function.name, line, language);
                }
                Stmt::Import(import) => rebound.import(import, index),
                Stmt::ImportFrom(import) => rebound.import_from(import, index),
                _ => {}
            }
        }
        rebound
    }

    fn import(&mut self, import: &'a StmtImport, index: &LineIndex) {
        for alias in &import.names {
            let module = alias.name.as_str();
            let first = module.split('.').next().unwrap_or(module);
            let name = alias.asname.as_ref().map_or(first, |name| name.as_str());
            self.note(
                name,
                line_of(alias, index),
                "imports a module under this name",
            );
        }
    }

    fn import_from(&mut self, import: &'a StmtImportFrom, index: &LineIndex) {
        let is_ours = import
            .module
            .as_ref()
            .is_some_and(|name| is_of_the_dsl(name));
        for alias in &import.names {
            let name = alias.asname.as_ref().unwrap_or(&alias.name);
            if !is_ours || name.as_str() != alias.name.as_str() {
                self.note(name, line_of(alias, index), "imports it from elsewhere");
            }
        }
    }

    fn note(&mut self, name: &'a str, line: u32, how: &'static str) {
        if is_of_the_language(name) {
            self.places.insert(name, Place { line, how });
        }
    }

    /// Notes a function with a user's name. A file of names gives meanings to names that programs
    /// import, but not to functions that they define.
    fn note_own(&mut self, name: &'a str, line: u32, language: &Language) {
        let is_own = |dialect: Dialect| language.meaning(dialect, name).is_some();
        if Dialect::ALL.into_iter().any(is_own) {
            let how = "defines it";
            self.places.insert(name, Place { line, how });
        }
    }

    /// The error for a program that uses a redefined name.
    pub(super) fn complaint(&self, name: &str, span: &Range<usize>) -> Option<Diagnostic> {
        let Place { line, how } = self.places.get(name)?;
        let message = format!("`{name}` is something else in this file: line {line} {how}");
        let found = Diagnostic::error(message, span.clone()).label("Python would use that one");
        Some(found.help("give that one another name"))
    }
}

fn line_of(alias: &Alias, index: &LineIndex) -> u32 {
    index.line_of(span_of(alias).start)
}

/// Is it one of the modules with primitives and constants? They have several names: `dsl`, `.dsl`,
/// `arc_dsl`, `safe_dsl`, `leyden.dsl`, `constants`.
fn is_of_the_dsl(module: &str) -> bool {
    let last = module.rsplit('.').next().unwrap_or(module);
    last.ends_with("dsl") || last.ends_with("constants")
}

fn is_of_the_language(name: &str) -> bool {
    let is_known = |dialect: Dialect| global(dialect, name).is_some();
    Dialect::ALL.into_iter().any(is_known) || CAUGHT.contains(&name) || name == DEFAULT
}
