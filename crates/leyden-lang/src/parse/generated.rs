//! Reads the batt files that tokpidjin's `card.py` generates.
//!
//! Such a file is one function, `batt(task_id, S, I, C, log_path)`. Its steps are lines, with or
//! without a `try`; it collects candidates in `o` and the results of differs in `s`. Each of these
//! becomes a program: the steps that it depends on, in their order.

use std::collections::BTreeSet;
use std::ops::Range;

use leyden_dsl::table::Dialect;
use ruff_python_ast::{Expr, Stmt, StmtAssign, StmtExpr, StmtFunctionDef, StmtReturn};

use super::{FileReader, FunctionReader, is_docstring, read_module, span_of, statement_span};
use crate::diagnostic::Diagnostic;
use crate::program::{Input, Line, Op, Operand, Program};
use crate::unsupported::statement_name;
use crate::user_names::Language;

/// The most lines of all programs of a file together. Each candidate repeats the steps that it
/// shares with others.
const MOST_LINES: usize = 1_000_000;

const FORM: &str = "a generated batt has steps `t = f(a)`, with or without `try`, \
     `o.append((number, flag, 'task', t))`, `s.append((number, 'task', 'differ', t))` and a last \
     `return o, s`";

/// The result of a differ for a candidate, as a program that reads `C`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferResult {
    /// The differ, as the file names it.
    pub differ: String,
    /// The task of the candidate's solver; none if the differ takes the input itself.
    pub solver: Option<String>,
    /// The program.
    pub program: Program,
}

/// The content of a generated batt file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeneratedBatt {
    /// The candidates, in the file's order, named after their solvers. `C` is `None` in them,
    /// because `run_batt.py` computes them without an expected output.
    pub candidates: Vec<Program>,
    /// The results of differs, in the file's order.
    pub differs: Vec<DifferResult>,
}

/// Whether a text is a generated batt file.
pub fn is_generated_batt(source: &str) -> bool {
    let mut lines = source.lines();
    lines.any(|line| line.starts_with("def batt(") && line.contains("task_id"))
}

/// Reads a generated batt file into candidates and differs.
pub fn parse_generated_batt(source: &str, name: &str) -> Result<GeneratedBatt, Vec<Diagnostic>> {
    read_module(source, name, &Language::default()).map(|module| GeneratedBatt {
        candidates: module.programs,
        differs: module.differs,
    })
}

pub(super) fn is_batt(function: &StmtFunctionDef) -> bool {
    let mut names = function.parameters.args.iter();
    &function.name == "batt" && names.any(|it| &it.parameter.name == "task_id")
}

/// A candidate or a result of a differ that the file appends to `o` or `s`.
struct Appended<'a> {
    /// The number of the step, the first element.
    number: i64,
    /// The differ; only in `s`.
    differ: Option<&'a str>,
    /// The task of the solver.
    solver: &'a str,
    value: Operand,
}

impl<'a> FileReader<'a> {
    pub(super) fn batt(&mut self, function: &'a StmtFunctionDef) {
        let span = span_of(&function.name);
        if self
            .language
            .given_dialect()
            .is_some_and(Dialect::is_classic)
        {
            let message = "a generated batt is in tokpidjin's dialect";
            self.found.push(Diagnostic::error(message, span));
            return;
        }
        let Some((whole, appended)) = FunctionReader::new(self, function).read_batt() else {
            return;
        };
        let mut slicer = Slicer::new(&whole);
        for appended in appended {
            let Some(program) = slicer.program(&appended) else {
                let message = "the programs of this batt have more than 1,000,000 lines together";
                self.found.push(Diagnostic::error(message, span));
                return;
            };
            match appended.differ {
                None => self.programs.push(program),
                Some(differ) => self.differs.push(DifferResult {
                    differ: differ.to_owned(),
                    solver: (appended.solver != "None").then(|| appended.solver.to_owned()),
                    program,
                }),
            }
        }
    }
}

impl<'a> FunctionReader<'a, '_> {
    /// Reads all steps as one program, and the appended results.
    fn read_batt(mut self) -> Option<(Program, Vec<Appended<'a>>)> {
        self.header();
        self.batt_parameters();
        let mut appended = Vec::new();
        let mut is_returned = false;
        let mut lists: Vec<&str> = Vec::new();
        for (k, statement) in self.function.body.iter().enumerate() {
            match statement {
                _ if is_returned => {
                    let span = statement_span(statement, self.source);
                    self.complain(Diagnostic::error("code after `return` never runs", span));
                    break;
                }
                Stmt::Return(inner) => {
                    is_returned = true;
                    self.check_return(inner);
                }
                Stmt::Assign(assign) if let Some(list) = assigned_list(assign) => {
                    if !is_empty_list(assign) || lists.contains(&list) {
                        let what = "giving a list of results another value";
                        self.not_understood(what, span_of(statement), FORM);
                    }
                    lists.push(list);
                }
                other if k == 0 && is_docstring(other) => {}
                Stmt::Expr(inner) => appended.extend(self.append(inner)),
                Stmt::Assign(_) | Stmt::AnnAssign(_) | Stmt::Try(_) => self.statement(statement),
                other => {
                    let span = statement_span(other, self.source);
                    self.not_understood(statement_name(other), span, FORM);
                }
            }
        }
        if !is_returned {
            self.missing_return();
        }
        let is_ok = self.ok;
        let whole = self.build.finish("batt".to_owned(), Operand::None);
        is_ok.then_some((whole, appended))
    }

    /// Declares `S`, `I` and `C`. No step may read the other parameters.
    fn batt_parameters(&mut self) {
        let parameters = &self.function.parameters;
        for parameter in &parameters.args {
            let name = &parameter.parameter.name;
            if matches!(name.as_str(), "task_id" | "log_path") {
                continue;
            }
            if let Err(found) = self.build.declare(name, span_of(name)) {
                self.complain(
                    found.help(
                        "the parameters of a generated batt are `(task_id, S, I, C, log_path)`",
                    ),
                );
            }
        }
        self.odd_parameters(parameters);
    }

    fn check_return(&mut self, statement: &StmtReturn) {
        let names: Option<Vec<&str>> = match statement.value.as_deref() {
            Some(Expr::Tuple(tuple)) => tuple.elts.iter().map(name_of).collect(),
            _ => None,
        };
        if names.as_deref() != Some(&["o", "s"]) {
            let found = Diagnostic::error("a batt gives back `o, s`", span_of(statement));
            self.complain(found.help(FORM));
        }
    }

    fn append(&mut self, statement: &'a StmtExpr) -> Option<Appended<'a>> {
        let Some((list, items)) = appended_items(&statement.value) else {
            self.not_understood("this expression", span_of(statement), FORM);
            return None;
        };
        let read = match (list, items) {
            ("o", [number, flag, solver, value]) if flag.is_boolean_literal_expr() => {
                text_of(solver).map(|solver| (number, None, solver, value))
            }
            ("s", [number, solver, differ, value]) => text_of(solver)
                .zip(text_of(differ))
                .map(|(solver, differ)| (number, Some(differ), solver, value)),
            _ => None,
        };
        let number = read.and_then(|(number, ..)| super::integer(number).ok());
        let (Some((_, differ, solver, value)), Some(number)) = (read, number) else {
            let span = span_of(statement);
            self.complain(super::not_supported("appending this", span, FORM));
            return None;
        };
        let value = self.operand(value)?;
        Some(Appended {
            number,
            differ,
            solver,
            value,
        })
    }
}

/// The list `o` or `s`, if the statement assigns to it.
fn assigned_list(assign: &StmtAssign) -> Option<&str> {
    let lists = assign.targets.iter().filter(|target| is_list_name(target));
    lists.filter_map(name_of).next()
}

/// Whether the statement is `o = []` or `s = []`.
fn is_empty_list(assign: &StmtAssign) -> bool {
    let is_list = matches!(&*assign.value, Expr::List(list) if list.elts.is_empty());
    is_list && assign.targets.len() == 1
}

fn is_list_name(expr: &Expr) -> bool {
    matches!(name_of(expr), Some("o" | "s"))
}

fn name_of(expr: &Expr) -> Option<&str> {
    Some(expr.as_name_expr()?.id.as_str())
}

fn text_of(expr: &Expr) -> Option<&str> {
    Some(expr.as_string_literal_expr()?.value.to_str())
}

/// The list and the tuple of `list.append((…))`.
fn appended_items(expr: &Expr) -> Option<(&str, &[Expr])> {
    let call = expr.as_call_expr()?;
    let method = call.func.as_attribute_expr()?;
    let [Expr::Tuple(tuple)] = &*call.arguments.args else {
        return None;
    };
    let is_append = &method.attr == "append" && call.arguments.keywords.is_empty();
    let list = name_of(&method.value).filter(|_| is_append && is_list_name(&method.value))?;
    Some((list, &tuple.elts))
}

/// Cuts programs out of all steps.
struct Slicer<'p> {
    whole: &'p Program,
    names: BTreeSet<String>,
    /// For each step, the number of the last program that needed it, and its place there.
    places: Vec<(u32, u32)>,
    n_programs: u32,
    n_lines_left: usize,
}

impl<'p> Slicer<'p> {
    fn new(whole: &'p Program) -> Slicer<'p> {
        Slicer {
            whole,
            names: BTreeSet::new(),
            places: vec![(0, 0); whole.lines.len()],
            n_programs: 0,
            n_lines_left: MOST_LINES,
        }
    }

    /// The program of an appended result; none if the programs have too many lines by now.
    fn program(&mut self, appended: &Appended<'_>) -> Option<Program> {
        let steps = self.needed(appended.value)?;
        let mut program = Program {
            name: self.name(appended),
            dialect: self.whole.dialect,
            inputs: self.whole.inputs.clone(),
            lines: steps.iter().map(|step| self.line(*step)).collect(),
            output: self.local(appended.value),
        };
        program.settle_catching();
        if appended.differ.is_none() {
            forget_expected(&mut program);
        }
        Some(program)
    }

    /// The steps that a value depends on, in their order.
    fn needed(&mut self, value: Operand) -> Option<Vec<u32>> {
        self.n_programs += 1;
        let (mut steps, mut waiting) = (Vec::new(), vec![value]);
        while let Some(operand) = waiting.pop() {
            let Operand::Var(k) = operand else { continue };
            let place = &mut self.places[k as usize];
            if place.0 == self.n_programs {
                continue;
            }
            place.0 = self.n_programs;
            steps.push(k);
            self.n_lines_left = self.n_lines_left.checked_sub(1)?;
            waiting.extend(self.whole.lines[k as usize].op.operands());
        }
        steps.sort_unstable();
        for (place, step) in (0..).zip(&steps) {
            self.places[*step as usize].1 = place;
        }
        Some(steps)
    }

    fn line(&self, step: u32) -> Line {
        let mut line = self.whole.lines[step as usize].clone();
        for operand in line.op.operands_mut() {
            *operand = self.local(*operand);
        }
        line
    }

    fn local(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Var(k) => Operand::Var(self.places[k as usize].1),
            other => other,
        }
    }

    /// A name that no other program of the file has: the name of the task or of the differ. The
    /// number of the step follows if that name is taken, or if the differ rates a solver's
    /// candidate.
    fn name(&mut self, appended: &Appended<'_>) -> String {
        let base = match appended.differ {
            None => format!("solve_{}", word(appended.solver)),
            Some(differ) if differ.starts_with("differ_") => word(differ),
            Some(differ) => format!("differ_{}", word(differ)),
        };
        let is_of_a_solver = appended.differ.is_some() && appended.solver != "None";
        let numbered = format!("{base}_t{}", appended.number.unsigned_abs());
        let first = if is_of_a_solver { &numbered } else { &base };
        let counted = (2..).map(|k| format!("{numbered}_{k}"));
        let names = [first.clone(), numbered.clone()].into_iter().chain(counted);
        let mut names = names.filter(|name| !self.names.contains(name));
        let name = names.next().unwrap_or(base);
        self.names.insert(name.clone());
        name
    }
}

fn word(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    text.chars().map(plain).collect()
}

fn forget_expected(program: &mut Program) {
    let lines = program.lines.iter_mut();
    let operands = lines.flat_map(|line| line.op.operands_mut());
    for operand in operands.chain([&mut program.output]) {
        if *operand == Operand::Input(Input::C) {
            *operand = Operand::None;
        }
    }
}

impl Program {
    /// Changes the dialect to the one without catching if the lines have nothing to catch:
    /// primitives of tokpidjin never raise.
    pub(super) fn settle_catching(&mut self) {
        if self.dialect.lines_catch() && !self.ops().any(Op::calls_a_value) {
            self.dialect = Dialect::Tokpidjin;
        }
    }
}

/// Finds the Python form of an arc-dsl battery, which has no reader.
pub(super) fn python_battery(body: &[Stmt]) -> Option<Range<usize>> {
    let mut functions = body.iter().filter_map(Stmt::as_function_def_stmt);
    let batt = functions.find(|function| &function.name == "batt" && !is_batt(function))?;
    let has_class = body.iter().any(Stmt::is_class_def_stmt);
    has_class.then(|| span_of(&batt.name))
}
