//! Reads Python files of programs.

mod caught;
mod function;
mod generated;
mod rebound;

use std::ops::Range;

use leyden_dsl::table::Dialect;
use ruff_python_ast::{Expr, Number, Stmt, StmtFunctionDef, UnaryOp};
use ruff_python_parser::{Mode, ParseError, ParseOptions, parse_unchecked};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use crate::battery_text;
use crate::build::{LineIndex, dialect_of};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::names::global;
use crate::program::{Program, ProgramFile};
use crate::unsupported::{expression_name, has_body, instead_of_expression};
use crate::user_names::Language;
use crate::{guard, text};

use caught::catches;
pub(crate) use caught::{CAUGHT, DEFAULT};
use function::{FunctionReader, assigned_names};
pub use generated::{DifferResult, GeneratedBatt, is_generated_batt, parse_generated_batt};
use generated::{is_batt, python_battery};
use rebound::Rebound;

/// A line that begins with this comment names the dialect of the programs below it.
pub(crate) const DIALECT_COMMENT: &str = "# dialect:";

/// The largest source, in bytes.
pub const MAX_SOURCE_BYTES: usize = 64 << 20;

/// Reads programs from Python, from the engine's own text form or from a battery, and recognises
/// which it is.
///
/// `name` is the file's name for messages. `dialect` holds for all programs of a Python file. If it
/// is missing, a comment such as `# dialect: re-arc` decides for the programs below it. Without a
/// comment, programs that take `(S, I, C)` are tokpidjin's if one of them uses a name that only
/// tokpidjin has; for others the name decides (`verify_…` is re-arc). The text form names each
/// program's dialect, and `dialect` overrides it.
pub fn parse(
    source: &str,
    name: &str,
    dialect: Option<Dialect>,
) -> Result<Vec<Program>, Vec<Diagnostic>> {
    parse_in(source, name, &dialect.into())
}

/// Reads programs like [`parse`]; Python files may also use the user's names.
pub fn parse_in(
    source: &str,
    name: &str,
    language: &Language,
) -> Result<Vec<Program>, Vec<Diagnostic>> {
    if battery_text::is_battery(source) {
        battery_text::parse_battery_programs(source)
    } else if text::is_text_form(source) {
        text::parse_text(source, name, language.dialect)
    } else {
        read_module(source, name, language).map(|module| module.programs)
    }
}

/// Reads programs like [`parse`] and keeps the file's name beside them.
pub fn parse_file(
    source: &str,
    name: &str,
    dialect: Option<Dialect>,
) -> Result<ProgramFile, Vec<Diagnostic>> {
    let programs = parse(source, name, dialect)?;
    let name = name.to_owned();
    Ok(ProgramFile { name, programs })
}

/// Reads programs from a Python file in arc-dsl's manner.
///
/// The supported part of Python is: imports (ignored), comments, docstrings, `def name(I):` with
/// parameters among `I`, `S` and `C` and any annotations, lines `x = …` and a last `return`. The
/// right side of a line consists of calls with positional or keyword arguments, tuples, whole
/// numbers, `True`, `False`, `None` and names; calls and tuples may be nested. A line may be in a
/// `try`, as in the batt files that tokpidjin's `card.py` generates. The programs of such a file
/// are its candidates; [`parse_generated_batt`] also returns its differs. The errors name all
/// problems of the file and their places.
pub fn parse_python(
    source: &str,
    name: &str,
    dialect: Option<Dialect>,
) -> Result<Vec<Program>, Vec<Diagnostic>> {
    read_module(source, name, &dialect.into()).map(|module| module.programs)
}

/// The content of a Python file.
struct Module {
    programs: Vec<Program>,
    /// The results of differs, in a generated batt file.
    differs: Vec<DifferResult>,
}

fn read_module(source: &str, name: &str, language: &Language) -> Result<Module, Vec<Diagnostic>> {
    check_size(source).map_err(|found| vec![found])?;
    guard::check_depth(source).map_err(|found| vec![found])?;
    let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module));
    let Some(parsed) = parsed.try_into_module() else {
        return Err(vec![Diagnostic::error("not a Python module", 0..0)]);
    };
    let index = LineIndex::new(source);
    let mut file = FileReader::new(source, &index, language);
    file.note_syntax_errors(parsed.errors());
    // This frees the list of tokens, which no code here reads, before the programs take memory.
    let body = parsed.into_syntax().body;
    file.read(&body, name);
    file.finish()
}

pub(crate) fn check_size(source: &str) -> Result<(), Diagnostic> {
    if source.len() <= MAX_SOURCE_BYTES {
        Ok(())
    } else {
        Err(Diagnostic::error("the file is larger than 64 MB", 0..0))
    }
}

pub(crate) fn no_programs(name: &str) -> Diagnostic {
    Diagnostic::error(format!("no programs in {name}"), 0..0)
        .help("a program looks like `def solve_0a1b2c3d(I):`, lines `x = f(a, b)`, `return x`")
}

pub(crate) fn second_of_name(name: &str, first_line: u32, span: Range<usize>) -> Diagnostic {
    Diagnostic::error(format!("a second program called `{name}`"), span)
        .label(format!("the first is on line {first_line}"))
}

pub(crate) fn span_of(node: &impl Ranged) -> Range<usize> {
    node.start().to_usize()..node.end().to_usize()
}

/// Reads the statements of a file.
struct FileReader<'a> {
    source: &'a str,
    index: &'a LineIndex,
    language: &'a Language,
    /// Are programs that take `(S, I, C)` tokpidjin's?
    speaks_tokpidjin: bool,
    /// The places of comments that name a dialect, and the dialects.
    named_dialects: Vec<(usize, Dialect)>,
    /// The places where syntax errors start, in order.
    broken_at: Vec<usize>,
    programs: Vec<Program>,
    differs: Vec<DifferResult>,
    first_lines: FxHashMap<&'a str, u32>,
    rebound: Rebound<'a>,
    found: Diagnostics,
}

impl<'a> FileReader<'a> {
    fn new(source: &'a str, index: &'a LineIndex, language: &'a Language) -> FileReader<'a> {
        FileReader {
            source,
            index,
            language,
            speaks_tokpidjin: false,
            named_dialects: Vec::new(),
            broken_at: Vec::new(),
            programs: Vec::new(),
            differs: Vec::new(),
            first_lines: FxHashMap::default(),
            rebound: Rebound::default(),
            found: Diagnostics::default(),
        }
    }

    fn note_syntax_errors(&mut self, errors: &[ParseError]) {
        let found = errors.iter().map(syntax_error);
        found.for_each(|found| self.found.push(found));
        self.broken_at = errors.iter().map(|error| span_of(error).start).collect();
        self.broken_at.sort_unstable();
    }

    fn note_dialects(&mut self) {
        let text = self.source.as_bytes();
        let is_one = |at: &usize| text[*at..].starts_with(DIALECT_COMMENT.as_bytes());
        for start in self.index.starts().filter(is_one) {
            let line = self.source[start..].lines().next().unwrap_or("");
            if let Some(name) = line.strip_prefix(DIALECT_COMMENT) {
                let is_named = |dialect: &Dialect| dialect.name() == name.trim();
                match Dialect::NAMED.into_iter().find(is_named) {
                    Some(dialect) => self.named_dialects.push((start, dialect)),
                    None => self.no_such_dialect(start..start + line.trim_end().len()),
                }
            }
        }
    }

    fn no_such_dialect(&mut self, span: Range<usize>) {
        let all = Dialect::NAMED.map(Dialect::name).join("`, `");
        let found = Diagnostic::error("no such dialect", span);
        self.found.push(found.help(format!("there are `{all}`")));
    }

    fn read(&mut self, body: &'a [Stmt], name: &str) {
        if let Some(span) = python_battery(body) {
            let message = "this is a battery as a Python module, which cannot be read back";
            let found = Diagnostic::error(message, span);
            return self
                .found
                .push(found.help("read the `.batt` file that it was made with"));
        }
        self.note_dialects();
        self.rebound = Rebound::of(body, self.index, self.language);
        let functions = || body.iter().filter_map(Stmt::as_function_def_stmt);
        self.speaks_tokpidjin = functions().any(|function| self.uses_tokpidjins_names(function));
        for (k, statement) in body.iter().enumerate() {
            match statement {
                Stmt::FunctionDef(function) if is_batt(function) => self.batt(function),
                Stmt::FunctionDef(function) => self.function(function),
                Stmt::Import(_) | Stmt::ImportFrom(_) => {}
                other if k == 0 && is_docstring(other) => {}
                other => self.stray(other),
            }
        }
        if self.programs.is_empty() && self.found.is_empty() {
            self.found.push(no_programs(name));
        }
    }

    /// Does the program take `(S, I, C)` and use a name that only tokpidjin has?
    fn uses_tokpidjins_names(&self, function: &StmtFunctionDef) -> bool {
        let is_theirs = |name: &str| {
            global(Dialect::Tokpidjin, name).is_some()
                && global(Dialect::ArcDsl, name).is_none()
                && self.language.meaning(Dialect::ArcDsl, name).is_none()
                && assigned_names(&function.body).all(|assigned| assigned != name)
        };
        let text = self.source.get(span_of(function)).unwrap_or("");
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        takes_sic(function) && words.any(is_theirs)
    }

    fn dialect_of(&self, function: &StmtFunctionDef) -> Dialect {
        let by_signature = || {
            if self.speaks_tokpidjin && takes_sic(function) {
                Dialect::Tokpidjin
            } else {
                dialect_of(&function.name)
            }
        };
        let start = span_of(function).start;
        let above = self.named_dialects.iter().rev().find(|(at, _)| *at < start);
        let above = above.map(|(_, dialect)| *dialect);
        let by_names = self.language.given_dialect();
        let named = self.language.dialect.or(above).or(by_names);
        let is_foreign = named.is_none_or(|dialect| !dialect.is_classic());
        if is_foreign && catches(function) {
            return Dialect::TokpidjinBatt;
        }
        if is_batt(function) {
            return Dialect::Tokpidjin;
        }
        named.unwrap_or_else(by_signature)
    }

    fn finish(self) -> Result<Module, Vec<Diagnostic>> {
        if !self.found.is_empty() {
            return Err(self.found.into_vec());
        }
        Ok(Module {
            programs: self.programs,
            differs: self.differs,
        })
    }

    /// Reports code outside of programs. The parser's reading of a broken text is not worth an
    /// error.
    fn stray(&mut self, statement: &Stmt) {
        if self.broken_at.is_empty() {
            let message = "code outside of a program is not supported";
            let span = statement_span(statement, self.source);
            let found =
                Diagnostic::error(message, span).help("only imports and `def` may stand here");
            self.found.push(found);
        }
    }

    fn function(&mut self, function: &'a StmtFunctionDef) {
        if self.is_broken(span_of(function)) {
            return;
        }
        let name = function.name.as_str();
        let line = self.index.line_of(function.name.start().to_usize());
        match self.first_lines.get(name) {
            Some(first) => {
                let found = second_of_name(name, *first, span_of(&function.name));
                self.found.push(found);
            }
            None => drop(self.first_lines.insert(name, line)),
        }
        let program = FunctionReader::new(self, function).read();
        self.programs.extend(program);
    }

    /// Whether the span contains a syntax error.
    fn is_broken(&self, span: Range<usize>) -> bool {
        let first = self.broken_at.partition_point(|at| *at < span.start);
        self.broken_at.get(first).is_some_and(|at| *at <= span.end)
    }
}

pub(crate) fn syntax_error(error: &ParseError) -> Diagnostic {
    Diagnostic::error(format!("syntax error: {}", error.error), span_of(error))
}

fn is_docstring(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(inner) if inner.value.is_string_literal_expr())
}

/// Does the program take `(S, I, C)`, in this order?
fn takes_sic(function: &StmtFunctionDef) -> bool {
    let names = function.parameters.args.iter();
    names
        .map(|parameter| parameter.parameter.name.as_str())
        .eq(["S", "I", "C"])
}

/// The span of a statement, or of its first word if it has a body.
fn statement_span(statement: &Stmt, source: &str) -> Range<usize> {
    let span = span_of(statement);
    let text = source.get(span.clone()).unwrap_or("");
    if has_body(statement) {
        let word = text
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(text.len());
        span.start..span.start + word.max(1)
    } else {
        span
    }
}

fn not_supported(what: &str, span: Range<usize>, help: &str) -> Diagnostic {
    Diagnostic::error(format!("{what} is not supported"), span).help(help)
}

/// Reads a whole number, with or without a sign. Any other expression is an error.
pub(crate) fn integer(value: &Expr) -> Result<i64, Diagnostic> {
    let (negative, literal) = match value {
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => (true, unary.operand.as_ref()),
        other => (false, other),
    };
    let Expr::NumberLiteral(number) = literal else {
        return Err(unsupported_expression(value));
    };
    let Number::Int(number) = &number.value else {
        return Err(unsupported_expression(literal));
    };
    let magnitude = number.as_u64().map(i128::from);
    let signed = magnitude.map(|magnitude| if negative { -magnitude } else { magnitude });
    signed
        .and_then(|signed| i64::try_from(signed).ok())
        .ok_or_else(|| Diagnostic::error("this number does not fit in 64 bits", span_of(value)))
}

pub(crate) fn unsupported_expression(value: &Expr) -> Diagnostic {
    not_supported(
        expression_name(value),
        span_of(value),
        instead_of_expression(value),
    )
}
