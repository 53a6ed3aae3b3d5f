//! Turns one function of a Python file into a program.

use std::ops::Range;

use leyden_dsl::table::Prim;
use ruff_python_ast::{
    Arguments, Expr, ExprCall, Keyword, Parameters, Stmt, StmtFunctionDef, StmtTry,
};
use ruff_text_size::Ranged;
use rustc_hash::FxHashSet;

use super::caught::{CAUGHT, DEFAULT, caught_step};
use super::rebound::Rebound;
use super::{FileReader, integer, is_docstring, not_supported, span_of, statement_span};
use crate::build::{Builder, PARAMETERS};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::names::global;
use crate::program::{ConstId, Op, Operand, Program};
use crate::unsupported::{SUPPORTED, instead_of_statement, statement_name};
use crate::user_names::{Language, Meaning};

/// Turns one function into a program.
pub(super) struct FunctionReader<'a, 'f> {
    pub(super) function: &'a StmtFunctionDef,
    pub(super) source: &'a str,
    /// Assigned names that are also a primitive or a constant. In Python they hide it in the whole
    /// function.
    pub(super) hiding: FxHashSet<&'a str>,
    pub(super) rebound: &'f Rebound<'a>,
    pub(super) language: &'a Language,
    pub(super) build: Builder<'a>,
    pub(super) found: &'f mut Diagnostics,
    pub(super) ok: bool,
    /// Whether a statement was not understood. It may have assigned any name, so unknown names are
    /// not reported after it.
    pub(super) in_the_dark: bool,
    /// Is the current line in a `try`?
    pub(super) in_try: bool,
}

impl<'a, 'f> FunctionReader<'a, 'f> {
    pub(super) fn new(file: &'f mut FileReader<'a>, function: &'a StmtFunctionDef) -> Self {
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

    pub(super) fn complain(&mut self, diagnostic: Diagnostic) {
        self.ok = false;
        self.found.push(diagnostic);
    }

    pub(super) fn header(&mut self) {
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

    pub(super) fn parameters(&mut self, parameters: &'a Parameters) {
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

    pub(super) fn odd_parameters(&mut self, parameters: &'a Parameters) {
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

    pub(super) fn read(mut self) -> Option<Program> {
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

    pub(super) fn missing_return(&mut self) {
        let span = span_of(&self.function.name);
        let message = format!("`{}` has no `return`", self.function.name);
        self.complain(Diagnostic::error(message, span).help("end it with `return O`"));
    }

    pub(super) fn returned(
        &mut self,
        value: Option<&'a Expr>,
        span: Range<usize>,
    ) -> Option<Operand> {
        match value {
            Some(value) => self.operand(value),
            None => {
                self.complain(Diagnostic::error("`return` needs a value", span));
                None
            }
        }
    }

    pub(super) fn statement(&mut self, statement: &'a Stmt) {
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
    pub(super) fn check_caught(&mut self, attempt: &'a StmtTry) {
        let start = attempt.start().to_usize();
        let names = CAUGHT.into_iter().chain([DEFAULT]);
        let mut found =
            names.filter_map(|name| self.rebound.complaint(name, &(start..start + "try".len())));
        if let Some(found) = found.next() {
            self.complain(found);
        }
    }

    pub(super) fn not_understood(&mut self, what: &str, span: Range<usize>, help: &str) {
        self.in_the_dark = true;
        self.complain(not_supported(what, span, help));
    }

    pub(super) fn assign(&mut self, target: &'a Expr, value: &'a Expr) {
        let result = self.line(value);
        let what = match target {
            Expr::Name(name) => return self.build.scope.set(name.id.as_str(), result),
            Expr::Tuple(_) | Expr::List(_) => "assignment to several names at once",
            _ => "assignment to anything but a name",
        };
        self.not_understood(what, span_of(target), SUPPORTED);
    }

    /// Reads a right-hand side, which always becomes a line.
    pub(super) fn line(&mut self, value: &'a Expr) -> Option<Operand> {
        let op = match value {
            Expr::Call(_) | Expr::Tuple(_) => return self.operand(value),
            simple => Op::Copy(self.operand(simple)?),
        };
        Some(self.build.push(op, span_of(value)))
    }

    /// Reads a value that a line can use; calls and tuples become lines first.
    pub(super) fn operand(&mut self, value: &'a Expr) -> Option<Operand> {
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
    pub(super) fn operands(&mut self, values: &'a [Expr]) -> Option<Vec<Operand>> {
        let operands: Vec<Option<Operand>> =
            values.iter().map(|value| self.operand(value)).collect();
        operands.into_iter().collect()
    }

    pub(super) fn name(&mut self, name: &'a str, span: Range<usize>) -> Option<Operand> {
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
    pub(super) fn spelled_out(&mut self, meaning: &Meaning, span: &Range<usize>) -> Operand {
        match meaning {
            Meaning::Operand(operand) => *operand,
            Meaning::Tuple(items) => {
                let items = items.iter().map(|item| self.spelled_out(item, span));
                let items = items.collect();
                self.build.push(Op::Tuple(items), span.clone())
            }
        }
    }

    pub(super) fn unknown_name(&self, name: &str, span: Range<usize>) -> Diagnostic {
        if assigned_names(&self.function.body).any(|assigned| assigned == name) {
            Diagnostic::error(format!("`{name}` is read before it is assigned"), span)
                .label("a variable of this program, assigned further down")
        } else {
            let own = self.language.names.as_deref();
            self.build.unknown_name(name, span, own)
        }
    }

    pub(super) fn call(&mut self, call: &'a ExprCall) -> Option<Operand> {
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
    pub(super) fn keyword_call(
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

    pub(super) fn too_many(&mut self, prim: Prim, span: Range<usize>) {
        let message = format!("too many arguments for `{prim}`");
        self.complain(Diagnostic::error(message, span).help(self.signature(prim)));
    }

    pub(super) fn place(
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

    pub(super) fn check_places(
        &mut self,
        prim: Prim,
        span: Range<usize>,
        places: &[Option<Option<Operand>>],
    ) {
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

    pub(super) fn signature(&self, prim: Prim) -> String {
        let names = prim.entry().params.iter();
        let names: Vec<&str> = names
            .map(|param| param.name_in(self.build.dialect))
            .collect();
        format!("its parameters are `{prim}({})`", names.join(", "))
    }
}

/// The names that the lines of a program assign.
pub(super) fn assigned_names(body: &[Stmt]) -> impl Iterator<Item = &str> {
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
