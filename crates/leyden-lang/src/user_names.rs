//! Names of the user for primitives and constants, for renamed forks of a dialect.
//!
//! A file of names has a line such as `vertical_mirror = vmirror` for each name. The right side is
//! a primitive, a constant, a number, a truth value or a tuple of them. `#` begins a comment.
//! `dialect = re-arc` names the dialect of the programs. The parser replaces these names, so no
//! later stage knows them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use leyden_dsl::table::{Constant, Dialect};
use ruff_python_ast::Expr;
use ruff_python_parser::parse_expression;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::guard;
use crate::names::{MOST_TO_LOOK_THROUGH, Scope, global};
use crate::parse::{check_size, integer, span_of, syntax_error};
use crate::program::{ConstId, Input, Operand};

/// The left side of the line that names the dialect.
const DIALECT: &str = "dialect";

/// The most parts of a value: a program gets a copy for each use of the name.
const MOST_PARTS: usize = 16;

const FORM: &str =
    "a line is `name = target`: a primitive, a constant, a number or a tuple of them";

/// The language that the programs of a file speak.
#[derive(Clone, Debug, Default)]
pub struct Language {
    /// The dialect of all programs. If it is missing, each program has its own.
    pub dialect: Option<Dialect>,
    /// The user's names.
    pub names: Option<Arc<UserNames>>,
}

impl Language {
    /// The dialect that the caller or the file of names gives.
    pub fn given_dialect(&self) -> Option<Dialect> {
        let named = || self.names.as_ref().and_then(|names| names.dialect);
        self.dialect.or_else(named)
    }

    /// The user's names alone, for programs that name their own dialect.
    #[must_use]
    pub fn names_only(&self) -> Language {
        Language {
            dialect: None,
            names: self.names.clone(),
        }
    }

    /// The value of a user's name in a program of a dialect.
    pub(crate) fn meaning(&self, dialect: Dialect, name: &str) -> Option<&Meaning> {
        let names = self.names.as_ref()?;
        names.meanings.get(name).filter(|_| names.hold_in(dialect))
    }
}

impl From<Option<Dialect>> for Language {
    fn from(dialect: Option<Dialect>) -> Language {
        let names = None;
        Language { dialect, names }
    }
}

/// The value of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A primitive, a constant or a number.
    Operand(Operand),
    /// A tuple that is not the value of a constant of the dialect.
    Tuple(Vec<Meaning>),
}

impl Meaning {
    fn n_parts(&self) -> usize {
        match self {
            Meaning::Operand(_) => 1,
            Meaning::Tuple(items) => 1 + items.iter().map(Meaning::n_parts).sum::<usize>(),
        }
    }

    /// Whether two meanings have equal values: a named number equals the literal one.
    fn is_equal(&self, other: &Meaning) -> bool {
        let value = |it: &Meaning| match it {
            Meaning::Operand(Operand::Const(id)) => match id.value() {
                Constant::Int(number) => Meaning::Operand(Operand::Int(number)),
                _ => it.clone(),
            },
            _ => it.clone(),
        };
        value(self) == value(other)
    }
}

/// Names of the user for primitives and constants of a dialect.
///
/// ```
/// use std::sync::Arc;
/// use leyden_lang::{Language, UserNames, parse_in, print_python};
///
/// let names = UserNames::parse("flip_columns = vmirror\nBLACK = 0\n").unwrap();
/// let language = Language { names: Some(Arc::new(names)), ..Language::default() };
/// let source = "def solve_0a1b2c3d(I):\n    return replace(flip_columns(I), BLACK, ONE)\n";
/// let programs = parse_in(source, "solvers.py", &language).unwrap();
/// assert!(print_python(&programs[0]).contains("vmirror(I)"));
/// ```
#[derive(Clone, Debug)]
pub struct UserNames {
    dialect: Option<Dialect>,
    meanings: BTreeMap<String, Meaning>,
}

impl UserNames {
    /// Reads a file of names. The errors name all problems and their places.
    pub fn parse(source: &str) -> Result<UserNames, Vec<Diagnostic>> {
        check_size(source).map_err(|found| vec![found])?;
        let mut reader = Reader::default();
        let entries: Vec<Entry<'_>> = entries_of(source)
            .filter_map(|entry| reader.kept(entry))
            .collect();
        reader.read_dialect(&entries);
        for entry in entries.iter().filter(|entry| entry.name != DIALECT) {
            reader.read_name(entry, &entries);
        }
        reader.finish()
    }

    /// The dialect that the file names.
    pub fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// Whether the names hold in a dialect. arc-dsl and re-arc share the names of primitives, so a
    /// file without a dialect serves both.
    fn hold_in(&self, dialect: Dialect) -> bool {
        match self.dialect {
            None => dialect.is_classic(),
            Some(own) if own.is_classic() => own == dialect,
            Some(_) => !dialect.is_classic(),
        }
    }

    /// The names, in alphabetical order.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.meanings.keys().map(String::as_str)
    }

    /// The names if they are few enough to search for each unknown name, otherwise none.
    pub(crate) fn if_few(&self) -> impl Iterator<Item = &str> {
        let are_few = self.meanings.len() <= MOST_TO_LOOK_THROUGH;
        self.all().filter(move |_| are_few)
    }
}

/// A line of the file, split at its `=`. Spans are places in the file.
struct Entry<'a> {
    line: usize,
    name: &'a str,
    name_span: Range<usize>,
    value: &'a str,
    value_span: Range<usize>,
}

/// Splits the lines at their `=`, and skips those without content.
fn entries_of(source: &str) -> impl Iterator<Item = Result<Entry<'_>, Diagnostic>> {
    let mut start = 0;
    let lines = source.split_inclusive('\n').enumerate();
    lines.filter_map(move |(k, line)| {
        let at = start;
        start += line.len();
        let said = line.split('#').next().unwrap_or("");
        let (text, span) = trimmed(said, at);
        (!text.is_empty()).then(|| entry_of(k + 1, text, &span))
    })
}

fn entry_of<'a>(line: usize, text: &'a str, span: &Range<usize>) -> Result<Entry<'a>, Diagnostic> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(Diagnostic::error("a line without `=`", span.clone()).help(FORM));
    };
    let value_start = span.start + name.len() + 1;
    let (name, name_span) = trimmed(name, span.start);
    let (value, value_span) = trimmed(value, value_start);
    if name.is_empty() || value.is_empty() {
        let side = if name.is_empty() { "before" } else { "after" };
        let message = format!("nothing {side} `=`");
        return Err(Diagnostic::error(message, span.clone()).help(FORM));
    }
    Ok(Entry {
        line,
        name,
        name_span,
        value,
        value_span,
    })
}

/// A text without the space around it, and its span.
fn trimmed(text: &str, at: usize) -> (&str, Range<usize>) {
    let inner = text.trim();
    let start = at + (text.len() - text.trim_start().len());
    (inner, start..start + inner.len())
}

#[derive(Default)]
struct Reader<'a> {
    dialect: Option<Dialect>,
    meanings: BTreeMap<String, Meaning>,
    lines: FxHashMap<String, usize>,
    /// The names so far, for advice about unknown ones.
    scope: Scope<'a>,
    found: Diagnostics,
}

impl<'a> Reader<'a> {
    fn kept<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|found| self.found.push(found)).ok()
    }

    fn targets_dialect(&self) -> Dialect {
        self.dialect.unwrap_or_default()
    }

    /// Reads the dialect. It holds for the whole file, so its line may come anywhere.
    fn read_dialect(&mut self, entries: &[Entry<'a>]) {
        for entry in entries.iter().filter(|entry| entry.name == DIALECT) {
            let is_named = |dialect: &Dialect| dialect.name() == entry.value;
            let found = Dialect::ALL.into_iter().find(is_named);
            if self.dialect.is_some() {
                let message = "the file names a dialect twice";
                self.found
                    .push(Diagnostic::error(message, entry.name_span.clone()));
            } else if found.is_none() {
                let all = Dialect::ALL.map(Dialect::name).join("`, `");
                let found = Diagnostic::error("no such dialect", entry.value_span.clone());
                self.found.push(found.help(format!("there are `{all}`")));
            }
            self.dialect = self.dialect.or(found);
        }
    }

    fn read_name(&mut self, entry: &Entry<'a>, entries: &[Entry<'a>]) {
        let name = identifier(entry);
        let Some(name) = self.kept(name) else { return };
        if let Some(first) = self.lines.get(&name) {
            let message = format!("`{name}` has two lines");
            let found = Diagnostic::error(message, entry.name_span.clone());
            self.found
                .push(found.label(format!("the first is line {first}")));
            return;
        }
        self.lines.insert(name.clone(), entry.line);
        self.scope.set(entry.name, None);
        let meaning = self.value(entry, entries);
        let Some(meaning) = self.kept(meaning) else {
            // Lines below may use the name, and one mistake is reported once.
            self.meanings.insert(name, Meaning::Operand(Operand::None));
            return;
        };
        match global(self.targets_dialect(), &name) {
            None => drop(self.meanings.insert(name, meaning)),
            Some(theirs) if Meaning::Operand(theirs).is_equal(&meaning) => {}
            Some(theirs) => {
                let found = hides(&name, theirs, self.targets_dialect(), entry);
                self.found.push(found);
            }
        }
    }

    fn value(&self, entry: &Entry<'a>, entries: &[Entry<'a>]) -> Result<Meaning, Diagnostic> {
        let moved = |found: Diagnostic| found.moved_by(entry.value_span.start);
        guard::check_depth(entry.value).map_err(moved)?;
        let parsed = parse_expression(entry.value);
        let parsed = parsed.map_err(|error| moved(syntax_error(&error)))?;
        let meaning = self.meaning(parsed.expr(), entries).map_err(moved)?;
        if meaning.n_parts() > MOST_PARTS {
            let message = format!("a value of more than {MOST_PARTS} parts");
            return Err(Diagnostic::error(message, entry.value_span.clone()));
        }
        Ok(meaning)
    }

    fn meaning(&self, expr: &Expr, entries: &[Entry<'a>]) -> Result<Meaning, Diagnostic> {
        let operand = match expr {
            Expr::Name(name) => return self.target(name.id.as_str(), span_of(expr), entries),
            Expr::Tuple(tuple) => {
                let items = tuple.elts.iter().map(|item| self.meaning(item, entries));
                let items: Vec<Meaning> = items.collect::<Result<_, _>>()?;
                return self.tuple(items, span_of(expr));
            }
            Expr::BooleanLiteral(literal) => Operand::Const(ConstId::of_bool(literal.value)),
            Expr::NoneLiteral(_) => Operand::None,
            other => Operand::Int(integer(other).map_err(|found| found.help(FORM))?),
        };
        Ok(Meaning::Operand(operand))
    }

    /// Makes a tuple, or the dialect's constant with this value: `UP` reads better than `(-1, 0)`.
    fn tuple(&self, items: Vec<Meaning>, span: Range<usize>) -> Result<Meaning, Diagnostic> {
        let number = |item: &Meaning| match item {
            Meaning::Operand(Operand::Int(number)) => Some(*number),
            Meaning::Operand(Operand::Const(id)) => match id.value() {
                Constant::Int(number) => Some(number),
                _ => None,
            },
            _ => None,
        };
        let numbers: Option<Vec<i64>> = items.iter().map(number).collect();
        if let Some([a, b]) = numbers.as_deref() {
            let pair = Constant::Pair(*a, *b);
            let mut constants = ConstId::all_in(self.targets_dialect());
            if let Some(id) = constants.find(|id| id.value() == pair) {
                return Ok(Meaning::Operand(Operand::Const(id)));
            }
        }
        let tuple = Meaning::Tuple(items);
        if tuple.n_parts() > MOST_PARTS {
            let message = format!("a value of more than {MOST_PARTS} parts");
            return Err(Diagnostic::error(message, span));
        }
        Ok(tuple)
    }

    /// The value of a name on the right side: from the dialect or from a line above.
    fn target(
        &self,
        name: &str,
        span: Range<usize>,
        entries: &[Entry<'a>],
    ) -> Result<Meaning, Diagnostic> {
        let dialect = self.targets_dialect();
        let theirs = global(dialect, name).map(Meaning::Operand);
        let known = theirs.or_else(|| self.meanings.get(name).cloned());
        known.ok_or_else(|| {
            if self.found.is_full() {
                return Diagnostic::error("unknown name", span);
            }
            let later = entries.iter().find(|entry| entry.name == name);
            let label = match later {
                Some(entry) => format!("line {} gives it; a line uses names above it", entry.line),
                None => format!("not a primitive or a constant of {dialect}"),
            };
            let found = Diagnostic::error(format!("unknown name `{name}`"), span).label(label);
            match self
                .scope
                .most_like(dialect, name, None)
                .filter(|_| later.is_none())
            {
                Some(like) => found.help(format!("did you mean `{like}`?")),
                None => found,
            }
        })
    }

    fn finish(self) -> Result<UserNames, Vec<Diagnostic>> {
        if !self.found.is_empty() {
            return Err(self.found.into_vec());
        }
        Ok(UserNames {
            dialect: self.dialect,
            meanings: self.meanings,
        })
    }
}

/// The name as Python's parser reads it. Keywords and parameters of programs are refused.
fn identifier(entry: &Entry<'_>) -> Result<String, Diagnostic> {
    let refused = |message: String| Err(Diagnostic::error(message, entry.name_span.clone()));
    let is_word = entry.name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let parsed = is_word.then(|| parse_expression(entry.name).ok()).flatten();
    let Some(Expr::Name(name)) = parsed.as_ref().map(|parsed| parsed.expr()) else {
        return refused(format!("`{}` is not a name in Python", entry.name));
    };
    if Input::by_name(&name.id).is_some() {
        return refused(format!("`{}` is a parameter of programs", name.id));
    }
    Ok(name.id.to_string())
}

fn hides(name: &str, theirs: Operand, dialect: Dialect, entry: &Entry<'_>) -> Diagnostic {
    let what = match theirs {
        Operand::Prim(_) => "a primitive",
        _ => "a constant",
    };
    let message = format!("`{name}` is {what} of {dialect} with another meaning");
    Diagnostic::error(message, entry.name_span.clone())
        .help("a file of names adds names; give this one another name in the programs too")
}
