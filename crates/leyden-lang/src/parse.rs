//! Reads Python files of programs.

mod caught;
mod generated;
mod rebound;

use std::ops::Range;

use leyden_dsl::table::{Dialect, Prim};
use ruff_python_ast::{
    Arguments, Expr, ExprCall, Keyword, Number, Parameters, Stmt, StmtFunctionDef, StmtTry, UnaryOp,
};
use ruff_python_parser::{Mode, ParseError, ParseOptions, parse_unchecked};
use ruff_text_size::Ranged;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::battery_text;
use crate::build::{Builder, LineIndex, PARAMETERS, dialect_of};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::names::global;
use crate::program::{ConstId, Op, Operand, Program, ProgramFile};
use crate::unsupported::{
    SUPPORTED, expression_name, has_body, instead_of_expression, instead_of_statement,
    statement_name,
};
use crate::user_names::{Language, Meaning};
use crate::{guard, text};

pub(crate) use caught::{CAUGHT, DEFAULT};
use caught::{catches, caught_step};
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

/// Turns one function into a program.
struct FunctionReader<'a, 'f> {
    function: &'a StmtFunctionDef,
    source: &'a str,
    /// Assigned names that are also a primitive or a constant. In Python they hide it in the whole
    /// function.
    hiding: FxHashSet<&'a str>,
    rebound: &'f Rebound<'a>,
    language: &'a Language,
    build: Builder<'a>,
    found: &'f mut Diagnostics,
    ok: bool,
    /// Whether a statement was not understood. It may have assigned any name, so unknown names are
    /// not reported after it.
    in_the_dark: bool,
    /// Is the current line in a `try`?
    in_try: bool,
}

impl<'a, 'f> FunctionReader<'a, 'f> {
    fn new(file: &'f mut FileReader<'a>, function: &'a StmtFunctionDef) -> Self {
        let assigned = assigned_names(&function.body);
        let dialect = file.dialect_of(function);
        let language = file.language;
        FunctionReader {
            function,
            source: file.source,
            hiding: assigned
                .filter(|name| {
                    global(dialect, name).is_some() || language.meaning(dialect, name).is_some()
                })
                .collect(),
            rebound: &file.rebound,
            language,
            build: Builder::new(file.index, dialect),
            found: &mut file.found,
            ok: true,
            in_the_dark: false,
            in_try: false,
        }
    }

    fn complain(&mut self, diagnostic: Diagnostic) {
        self.ok = false;
        self.found.push(diagnostic);
    }

    fn header(&mut self) {
        let function = self.function;
        for decorator in &function.decorator_list {
            self.complain(not_supported("a decorator", span_of(decorator), SUPPORTED));
        }
        if let Some(types) = &function.type_params {
            self.complain(not_supported(
                "a type parameter",
                span_of(types.as_ref()),
                SUPPORTED,
            ));
        }
        if function.is_async {
            let start = function.start().to_usize();
            self.complain(not_supported("`async`", start..start + 5, SUPPORTED));
        }
    }

    fn parameters(&mut self, parameters: &'a Parameters) {
        for parameter in &parameters.args {
            let name = &parameter.parameter.name;
            if let Err(found) = self.build.declare(name, span_of(name)) {
                self.complain(found);
            }
            if let Some(default) = &parameter.default {
                let span = span_of(default.as_ref());
                self.complain(not_supported("a default value", span, PARAMETERS));
            }
        }
        self.odd_parameters(parameters);
    }

    fn odd_parameters(&mut self, parameters: &'a Parameters) {
        let keyword_only = parameters.kwonlyargs.iter().map(span_of);
        let positional_only = parameters.posonlyargs.iter().map(span_of);
        let starred = parameters.vararg.iter().chain(&parameters.kwarg);
        let odd = keyword_only
            .chain(positional_only)
            .chain(starred.map(|odd| span_of(odd.as_ref())));
        for span in odd {
            self.complain(not_supported("a parameter of this kind", span, PARAMETERS));
        }
        if parameters.is_empty() {
            let message = "a program needs a parameter";
            self.complain(Diagnostic::error(message, span_of(parameters)).help(PARAMETERS));
        }
    }

    fn read(mut self) -> Option<Program> {
        self.header();
        self.parameters(&self.function.parameters);
        let mut output = None;
        let mut returned = false;
        let body = self.function.body.as_slice();
        for (k, statement) in body.iter().enumerate() {
            if returned {
                let span = statement_span(statement, self.source);
                self.complain(Diagnostic::error("code after `return` never runs", span));
                break;
            }
            match statement {
                Stmt::Return(inner) => {
                    returned = true;
                    output = self.returned(inner.value.as_deref(), span_of(statement));
                }
                other if k == 0 && is_docstring(other) => {}
                other => self.statement(other),
            }
        }
        if !returned {
            self.missing_return();
        }
        let name = self.function.name.to_string();
        let program = output.map(|output| self.build.finish(name, output));
        let mut program = program.filter(|_| self.ok)?;
        program.settle_catching();
        Some(program)
    }

    fn missing_return(&mut self) {
        let span = span_of(&self.function.name);
        let message = format!("`{}` has no `return`", self.function.name);
        self.complain(Diagnostic::error(message, span).help("end it with `return O`"));
    }

    fn returned(&mut self, value: Option<&'a Expr>, span: Range<usize>) -> Option<Operand> {
        match value {
            Some(value) => self.operand(value),
            None => {
                self.complain(Diagnostic::error("`return` needs a value", span));
                None
            }
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Assign(assign) if let [target] = assign.targets.as_slice() => {
                self.assign(target, &assign.value);
            }
            Stmt::AnnAssign(assign) if let Some(value) = &assign.value => {
                self.assign(&assign.target, value);
            }
            Stmt::Assign(assign) => {
                let ends =
                    [assign.targets.first(), assign.targets.last()].map(|end| end.map(span_of));
                let span = match ends {
                    [Some(first), Some(last)] => first.start..last.end,
                    _ => span_of(statement),
                };
                self.not_understood("assignment to several names at once", span, SUPPORTED);
            }
            Stmt::Try(attempt) if self.build.dialect.lines_catch() => {
                self.check_caught(attempt);
                match caught_step(attempt, self.source) {
                    Ok((target, value)) => {
                        self.in_try = true;
                        self.assign(target, value);
                        self.in_try = false;
                    }
                    Err(found) => {
                        self.in_the_dark = true;
                        self.complain(found);
                    }
                }
            }
            other => {
                let span = statement_span(other, self.source);
                let help = instead_of_statement(other);
                self.not_understood(statement_name(other), span, help);
            }
        }
    }

    /// Checks that the file does not redefine the exceptions and the function that lines with `try`
    /// name.
    fn check_caught(&mut self, attempt: &'a StmtTry) {
        let start = attempt.start().to_usize();
        let names = CAUGHT.into_iter().chain([DEFAULT]);
        let mut found =
            names.filter_map(|name| self.rebound.complaint(name, &(start..start + "try".len())));
        if let Some(found) = found.next() {
            self.complain(found);
        }
    }

    fn not_understood(&mut self, what: &str, span: Range<usize>, help: &str) {
        self.in_the_dark = true;
        self.complain(not_supported(what, span, help));
    }

    fn assign(&mut self, target: &'a Expr, value: &'a Expr) {
        let result = self.line(value);
        let what = match target {
            Expr::Name(name) => return self.build.scope.set(name.id.as_str(), result),
            Expr::Tuple(_) | Expr::List(_) => "assignment to several names at once",
            _ => "assignment to anything but a name",
        };
        self.not_understood(what, span_of(target), SUPPORTED);
    }

    /// Reads a right-hand side, which always becomes a line.
    fn line(&mut self, value: &'a Expr) -> Option<Operand> {
        let op = match value {
            Expr::Call(_) | Expr::Tuple(_) => return self.operand(value),
            simple => Op::Copy(self.operand(simple)?),
        };
        Some(self.build.push(op, span_of(value)))
    }

    /// Reads a value that a line can use; calls and tuples become lines first.
    fn operand(&mut self, value: &'a Expr) -> Option<Operand> {
        match value {
            Expr::Name(name) => self.name(name.id.as_str(), span_of(value)),
            Expr::Call(call) => self.call(call),
            Expr::Tuple(tuple) => {
                let items = self.operands(&tuple.elts)?;
                Some(self.build.push(Op::Tuple(items), span_of(value)))
            }
            Expr::BooleanLiteral(literal) => Some(Operand::Const(ConstId::of_bool(literal.value))),
            Expr::NoneLiteral(_) => Some(Operand::None),
            other => match integer(other) {
                Ok(number) => Some(Operand::Int(number)),
                Err(found) => {
                    self.complain(found);
                    None
                }
            },
        }
    }

    /// Reads all values even if one is wrong, to report the errors of the others too.
    fn operands(&mut self, values: &'a [Expr]) -> Option<Vec<Operand>> {
        let operands: Vec<Option<Operand>> =
            values.iter().map(|value| self.operand(value)).collect();
        operands.into_iter().collect()
    }

    fn name(&mut self, name: &'a str, span: Range<usize>) -> Option<Operand> {
        let hidden = self.hiding.contains(name) && self.build.scope.variable(name).is_none();
        if let Some(found) = self.rebound.complaint(name, &span)
            && !self.hiding.contains(name)
            && self.build.scope.variable(name).is_none()
        {
            self.complain(found);
            return None;
        }
        let is_hidden = self.hiding.contains(name);
        let own = self.language.meaning(self.build.dialect, name);
        if let Some(meaning) = own.filter(|_| !is_hidden) {
            return Some(self.spelled_out(meaning, &span));
        }
        match self.build.resolve(name) {
            Some(value) if !hidden => return value,
            _ if self.in_the_dark => {}
            _ if self.found.is_full() => self.complain(Diagnostic::error("unknown name", span)),
            _ => {
                let found = self.unknown_name(name, span);
                self.complain(found);
            }
        }
        None
    }

    /// The value of a user's name; tuples become lines first.
    fn spelled_out(&mut self, meaning: &Meaning, span: &Range<usize>) -> Operand {
        match meaning {
            Meaning::Operand(operand) => *operand,
            Meaning::Tuple(items) => {
                let items = items.iter().map(|item| self.spelled_out(item, span));
                let items = items.collect();
                self.build.push(Op::Tuple(items), span.clone())
            }
        }
    }

    fn unknown_name(&self, name: &str, span: Range<usize>) -> Diagnostic {
        if assigned_names(&self.function.body).any(|assigned| assigned == name) {
            Diagnostic::error(format!("`{name}` is read before it is assigned"), span)
                .label("a variable of this program, assigned further down")
        } else {
            let own = self.language.names.as_deref();
            self.build.unknown_name(name, span, own)
        }
    }

    fn call(&mut self, call: &'a ExprCall) -> Option<Operand> {
        let callee = self.operand(&call.func);
        let args = if call.arguments.keywords.is_empty() {
            self.operands(&call.arguments.args)
        } else {
            self.keyword_call(callee, &call.func, &call.arguments)
        };
        let op = Op::Call {
            callee: callee?,
            args: args?,
        };
        if self.build.dialect.lines_catch() && !self.in_try && op.calls_a_value() {
            let message = "a call of a variable without `try` among lines that have one";
            self.complain(Diagnostic::error(message, span_of(call)));
        }
        Some(self.build.push(op, span_of(call)))
    }

    /// Puts keyword arguments in their places. Python evaluates them in the order written, after
    /// all positional ones, and the lines made here have this order too.
    fn keyword_call(
        &mut self,
        callee: Option<Operand>,
        function: &'a Expr,
        arguments: &'a Arguments,
    ) -> Option<Vec<Operand>> {
        let args = self.operands(&arguments.args);
        let values: Vec<Option<Operand>> = arguments
            .keywords
            .iter()
            .map(|keyword| self.operand(&keyword.value))
            .collect();
        let Operand::Prim(prim) = callee? else {
            let span = span_of(&arguments.keywords[0]);
            let found = Diagnostic::error("keyword arguments need a primitive", span)
                .label("the parameters of a variable have no names")
                .help("pass the arguments by position");
            self.complain(found);
            return None;
        };
        let mut places: Vec<Option<Option<Operand>>> = vec![None; prim.arity()];
        for (k, argument) in arguments.args.iter().enumerate() {
            match places.get_mut(k) {
                Some(place) => *place = Some(args.as_ref().map(|args| args[k])),
                None => {
                    self.too_many(prim, span_of(argument));
                    return None;
                }
            }
        }
        let mut placed = true;
        for (keyword, value) in arguments.keywords.iter().zip(values) {
            if let Err(found) = self.place(prim, keyword, value, &mut places) {
                self.complain(found);
                placed = false;
            }
        }
        if placed {
            self.check_places(prim, span_of(function), &places);
        }
        places.into_iter().map(Option::flatten).collect()
    }

    fn too_many(&mut self, prim: Prim, span: Range<usize>) {
        let message = format!("too many arguments for `{prim}`");
        self.complain(Diagnostic::error(message, span).help(self.signature(prim)));
    }

    fn place(
        &self,
        prim: Prim,
        keyword: &'a Keyword,
        value: Option<Operand>,
        places: &mut [Option<Option<Operand>>],
    ) -> Result<(), Diagnostic> {
        let Some(name) = &keyword.arg else {
            let what = "unpacking with `**`";
            return Err(not_supported(what, span_of(keyword), SUPPORTED));
        };
        let mut params = prim.entry().params.iter();
        let position = params.position(|param| param.name_in(self.build.dialect) == name.as_str());
        let Some(k) = position else {
            let message = format!("`{prim}` has no parameter `{name}`");
            return Err(Diagnostic::error(message, span_of(name)).help(self.signature(prim)));
        };
        match places[k].replace(value) {
            None => Ok(()),
            Some(_) => {
                let message = format!("parameter `{name}` of `{prim}` is given twice");
                Err(Diagnostic::error(message, span_of(name)))
            }
        }
    }

    fn check_places(&mut self, prim: Prim, span: Range<usize>, places: &[Option<Option<Operand>>]) {
        let params = prim.entry().params.iter().zip(places);
        let missing: Vec<String> = params
            .filter(|(_, place)| place.is_none())
            .map(|(param, _)| format!("`{}`", param.name_in(self.build.dialect)))
            .collect();
        if !missing.is_empty() {
            let message = format!("`{prim}` lacks {}", missing.join(", "));
            self.complain(Diagnostic::error(message, span).help(self.signature(prim)));
        }
    }

    fn signature(&self, prim: Prim) -> String {
        let names = prim.entry().params.iter();
        let names: Vec<&str> = names
            .map(|param| param.name_in(self.build.dialect))
            .collect();
        format!("its parameters are `{prim}({})`", names.join(", "))
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

/// The names that the lines of a program assign.
fn assigned_names(body: &[Stmt]) -> impl Iterator<Item = &str> {
    body.iter().filter_map(|statement| {
        let statement = match statement {
            Stmt::Try(attempt) => attempt.body.first()?,
            other => other,
        };
        let target = match statement {
            Stmt::Assign(assign) => assign.targets.first()?,
            Stmt::AnnAssign(assign) => assign.target.as_ref(),
            _ => return None,
        };
        Some(target.as_name_expr()?.id.as_str())
    })
}
