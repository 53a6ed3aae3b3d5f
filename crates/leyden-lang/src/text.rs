//! The engine's own text form: one line each for the head, every line and the result.
//!
//! ```text
//! program solve_0a1b2c3d(I) arc-dsl
//!   x1 = hupscale(I, THREE)
//!   x2 = (x1, UNITY)
//!   x3 = first(x2)
//!   return x3
//! ```
//!
//! The printer calls variables `x1`, `x2` …; the reader takes any names and skips blank lines and
//! `#` comments. A call's arguments and a tuple's items are names and numbers, never calls.

use std::ops::Range;

use leyden_dsl::table::Dialect;
use rustc_hash::FxHashMap;

use crate::build::{Builder, LineIndex};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::parse::{check_size, no_programs, second_of_name};
use crate::program::{Input, Op, Operand, Program};

/// The reserved words of Python.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Refuses a name that a Python function cannot have.
pub(crate) fn check_program_name(name: &str, span: Range<usize>) -> Outcome<()> {
    if !KEYWORDS.contains(&name) {
        return Ok(());
    }
    let message = format!("`{name}` is a word of Python and cannot be a program's name");
    Err(Some(Diagnostic::error(message, span)))
}

/// Prints a program in the normalised text form.
pub fn print_text(program: &Program) -> String {
    let mut out = String::new();
    write_program(&mut out, &program.name, program);
    out
}

/// Prints programs in the normalised text form, with a blank line between them.
pub fn print_text_file(programs: &[Program]) -> String {
    let texts: Vec<String> = programs.iter().map(print_text).collect();
    texts.join("\n")
}

pub(crate) fn write_program(out: &mut String, name: &str, program: &Program) {
    let inputs: Vec<&str> = program.inputs.iter().map(|input| input.name()).collect();
    let inputs = inputs.join(", ");
    out.push_str(&format!("program {name}({inputs}) {}\n", program.dialect));
    for (k, op) in program.ops().enumerate() {
        out.push_str("  ");
        write_operand(out, Operand::Var(k as u32));
        out.push_str(" = ");
        write_op(out, op);
        out.push('\n');
    }
    out.push_str("  return ");
    write_operand(out, program.output);
    out.push('\n');
}

fn write_op(out: &mut String, op: &Op) {
    match op {
        Op::Copy(value) => write_operand(out, *value),
        Op::Tuple(items) => write_tuple(out, items, write_operand),
        Op::Call { callee, args } => {
            write_operand(out, *callee);
            write_call(out, args, write_operand);
        }
    }
}

/// A function that writes an operand.
pub(crate) type Writer = fn(&mut String, Operand);

pub(crate) fn write_call(out: &mut String, args: &[Operand], write: Writer) {
    out.push('(');
    write_list(out, args, write);
    out.push(')');
}

pub(crate) fn write_tuple(out: &mut String, items: &[Operand], write: Writer) {
    out.push('(');
    write_list(out, items, write);
    out.push_str(if items.len() == 1 { ",)" } else { ")" });
}

fn write_list(out: &mut String, operands: &[Operand], write: Writer) {
    for (k, operand) in operands.iter().enumerate() {
        if k > 0 {
            out.push_str(", ");
        }
        write(out, *operand);
    }
}

pub(crate) fn write_operand(out: &mut String, operand: Operand) {
    match operand {
        Operand::Var(k) => {
            out.push('x');
            out.push_str(&(u64::from(k) + 1).to_string());
        }
        Operand::Input(input) => out.push_str(input.name()),
        Operand::Const(id) => out.push_str(id.name()),
        Operand::Int(number) => out.push_str(&number.to_string()),
        Operand::None => out.push_str("None"),
        Operand::Prim(prim) => out.push_str(prim.name()),
    }
}

/// Whether a source is in the text form: its first word is `program`, and a name follows.
pub fn is_text_form(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let head = first.and_then(|line| line.strip_prefix("program"));
    head.is_some_and(|rest| {
        rest.trim_start().starts_with(is_letter) && !rest.starts_with(is_letter)
    })
}

/// Reads programs from the text form. `dialect` overrides the dialects in the text.
pub fn parse_text(
    source: &str,
    name: &str,
    dialect: Option<Dialect>,
) -> Result<Vec<Program>, Vec<Diagnostic>> {
    check_size(source).map_err(|found| vec![found])?;
    let index = LineIndex::new(source);
    let mut reader = Reader {
        index: &index,
        dialect,
        open: None,
        programs: Vec::new(),
        first_lines: FxHashMap::default(),
        found: Diagnostics::default(),
    };
    let mut base = 0;
    for line in source.split_inclusive('\n') {
        let terse = reader.found.is_full();
        reader.line(Cursor::new(line, base, terse));
        base += line.len();
    }
    reader.close();
    reader.finish(name)
}

/// A program whose `return` the reader has not met yet.
struct Open<'a> {
    name: &'a str,
    name_span: Range<usize>,
    build: Builder<'a>,
    ok: bool,
}

struct Reader<'a> {
    index: &'a LineIndex,
    dialect: Option<Dialect>,
    open: Option<Open<'a>>,
    programs: Vec<Program>,
    first_lines: FxHashMap<&'a str, u32>,
    found: Diagnostics,
}

impl<'a> Reader<'a> {
    fn line(&mut self, mut cursor: Cursor<'a>) {
        if cursor.at_end() {
            return;
        }
        let outcome = match cursor.keyword() {
            Some("program") => self.head(&mut cursor),
            Some("return") => self.result(&mut cursor),
            _ => self.assignment(&mut cursor),
        };
        if let Err(found) = outcome {
            self.complain(found);
        }
    }

    fn complain(&mut self, found: Option<Diagnostic>) {
        if let Some(open) = &mut self.open {
            open.ok = false;
        }
        found.into_iter().for_each(|found| self.found.push(found));
    }

    fn head(&mut self, cursor: &mut Cursor<'a>) -> Outcome<()> {
        self.close();
        let (name, name_span) = cursor.word("a name for the program")?;
        check_program_name(name, name_span.clone())?;
        let line = self.index.line_of(name_span.start);
        if let Some(first) = self.first_lines.get(name) {
            let found = second_of_name(name, *first, name_span.clone());
            self.found.push(found);
        }
        self.first_lines.entry(name).or_insert(line);
        let mut build = Builder::new(self.index, Dialect::default());
        let inputs = inputs(cursor, &mut build);
        let dialect = inputs.and_then(|()| dialect(cursor));
        if dialect.is_err() {
            let names = Input::ALL.into_iter().map(Input::name);
            names.for_each(|name| build.scope.set(name, None));
        }
        let named = dialect.as_ref().ok().copied();
        build.dialect = self.dialect.or(named).unwrap_or_default();
        self.open = Some(Open {
            name,
            name_span,
            build,
            ok: true,
        });
        dialect?;
        cursor.end()
    }

    /// Reports a program without a `return`, before the next program or at the end of the file.
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            let message = format!("`{}` has no `return`", open.name);
            self.found.push(Diagnostic::error(message, open.name_span));
        }
    }

    fn open(&mut self, span: Range<usize>) -> Outcome<&mut Open<'a>> {
        let outside = || {
            Diagnostic::error("a line outside of a program", span)
                .help("a program starts with `program name(I) arc-dsl` and ends with `return`")
        };
        self.open.as_mut().ok_or_else(|| Some(outside()))
    }

    fn result(&mut self, cursor: &mut Cursor<'a>) -> Outcome<()> {
        let open = self.open(cursor.here())?;
        let output = operand(cursor, &open.build).and_then(|output| {
            cursor.end()?;
            Ok(output)
        });
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let output = output?;
        if open.ok {
            let program = open.build.finish(open.name.to_owned(), output);
            self.programs.push(program);
        }
        Ok(())
    }

    fn assignment(&mut self, cursor: &mut Cursor<'a>) -> Outcome<()> {
        let (name, span) = cursor.word("`program`, `return` or a variable")?;
        let open = self.open(span)?;
        cursor.expect('=', "`=`")?;
        let start = cursor.here().start;
        let op = op(cursor, &open.build);
        let span = start..cursor.last_end;
        let op = op.and_then(|op| {
            cursor.end()?;
            Ok(op)
        });
        let (value, outcome) = match op {
            Ok(op) => (Some(open.build.push(op, span)), Ok(())),
            Err(found) => (None, Err(found)),
        };
        open.build.scope.set(name, value);
        outcome
    }

    fn finish(mut self, name: &str) -> Result<Vec<Program>, Vec<Diagnostic>> {
        if self.programs.is_empty() && self.found.is_empty() {
            self.found.push(no_programs(name));
        }
        if self.found.is_empty() {
            Ok(self.programs)
        } else {
            Err(self.found.into_vec())
        }
    }
}

/// The result of reading. An error that was reported before is `None`.
pub(crate) type Outcome<T> = Result<T, Option<Diagnostic>>;

fn inputs<'a>(cursor: &mut Cursor<'a>, build: &mut Builder<'a>) -> Outcome<()> {
    cursor.expect('(', "`(`")?;
    loop {
        let (name, span) = cursor.word("a parameter")?;
        build.declare(name, span)?;
        if !cursor.eat(',') {
            return cursor.expect(')', "`)`");
        }
    }
}

pub(crate) fn dialect(cursor: &mut Cursor<'_>) -> Outcome<Dialect> {
    let names = "`arc-dsl`, `re-arc`, `tokpidjin` or `tokpidjin-batt`";
    let (name, span) = cursor.dialect_word(names)?;
    let known = Dialect::NAMED
        .into_iter()
        .find(|dialect| dialect.name() == name);
    let unknown = || Diagnostic::error(format!("unknown dialect `{name}`"), span).help(names);
    known.ok_or_else(|| Some(unknown()))
}

pub(crate) fn op(cursor: &mut Cursor<'_>, build: &Builder<'_>) -> Outcome<Op> {
    if cursor.eat('(') {
        return tuple(cursor, build);
    }
    let value = operand(cursor, build)?;
    if !cursor.eat('(') {
        return Ok(Op::Copy(value));
    }
    let (args, _) = list(cursor, build)?;
    Ok(Op::Call {
        callee: value,
        args,
    })
}

fn tuple(cursor: &mut Cursor<'_>, build: &Builder<'_>) -> Outcome<Op> {
    let start = cursor.last_end - 1;
    let (items, commas) = list(cursor, build)?;
    match (items.len(), commas) {
        (1, 0) => {
            let message = "a tuple of one item needs a comma: `(x,)`";
            Err(Some(Diagnostic::error(message, start..cursor.last_end)))
        }
        _ => Ok(Op::Tuple(items)),
    }
}

/// Reads operands up to a closing parenthesis, and counts the commas.
fn list(cursor: &mut Cursor<'_>, build: &Builder<'_>) -> Outcome<(Vec<Operand>, usize)> {
    let (mut operands, mut commas) = (Vec::new(), 0);
    while !cursor.eat(')') {
        operands.push(operand(cursor, build)?);
        if cursor.eat(',') {
            commas += 1
        } else {
            cursor.expect(')', "`,` or `)`")?;
            break;
        }
    }
    Ok((operands, commas))
}

pub(crate) fn operand(cursor: &mut Cursor<'_>, build: &Builder<'_>) -> Outcome<Operand> {
    if let Some((digits, span)) = cursor.number() {
        let too_large = || Diagnostic::error("this number does not fit in 64 bits", span);
        let number = digits.parse().map_err(|_| Some(too_large()));
        return number.map(Operand::Int);
    }
    let (name, span) = cursor.word("a name or a number")?;
    match build.resolve(name) {
        Some(value) => value.ok_or(None),
        None if cursor.terse => Err(Some(Diagnostic::error("unknown name", span))),
        None => Err(Some(build.unknown_name(name, span, None))),
    }
}

/// Reads words and signs from one line.
pub(crate) struct Cursor<'a> {
    pub(crate) line: &'a str,
    base: usize,
    pub(crate) at: usize,
    /// The end of the last word or sign, as a place in the whole text.
    pub(crate) last_end: usize,
    /// Whether errors about unknown names leave out details, because there are too many errors
    /// already.
    terse: bool,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: &'a str, base: usize, terse: bool) -> Cursor<'a> {
        let code = line.split('#').next().unwrap_or("").trim_end();
        Cursor {
            line: code,
            base,
            at: 0,
            last_end: base,
            terse,
        }
    }

    pub(crate) fn rest(&mut self) -> &'a str {
        let rest = self.line.get(self.at..).unwrap_or("");
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    pub(crate) fn at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// The span of the next character; empty at the end of the line.
    pub(crate) fn here(&mut self) -> Range<usize> {
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        self.base + self.at..self.base + self.at + width
    }

    pub(crate) fn take(&mut self, length: usize) -> (&'a str, Range<usize>) {
        let start = self.at;
        self.at += length;
        self.last_end = self.base + self.at;
        (&self.line[start..self.at], self.base + start..self.last_end)
    }

    pub(crate) fn word_length(&mut self, holds: impl Fn(char) -> bool) -> usize {
        let rest = self.rest();
        rest.find(|c| !holds(c)).unwrap_or(rest.len())
    }

    pub(crate) fn word(&mut self, expected: &str) -> Outcome<(&'a str, Range<usize>)> {
        if self.rest().starts_with(is_letter) {
            let length = self.word_length(is_word);
            Ok(self.take(length))
        } else {
            Err(Some(self.unexpected(expected)))
        }
    }

    fn dialect_word(&mut self, expected: &str) -> Outcome<(&'a str, Range<usize>)> {
        match self.word_length(|c| is_word(c) || c == '-') {
            0 => Err(Some(self.unexpected(expected))),
            length => Ok(self.take(length)),
        }
    }

    /// Takes `program` or `return`, unless the line assigns a variable of this name.
    fn keyword(&mut self) -> Option<&'a str> {
        let length = self.word_length(is_word);
        let word = &self.rest()[..length];
        let assigned = self.rest()[length..].trim_start().starts_with('=');
        let is_keyword = matches!(word, "program" | "return") && !assigned;
        is_keyword.then(|| self.take(length).0)
    }

    pub(crate) fn number(&mut self) -> Option<(&'a str, Range<usize>)> {
        let sign = usize::from(self.rest().starts_with('-'));
        let digits = &self.rest()[sign..];
        let length = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        (length > 0).then(|| self.take(sign + length))
    }

    /// Whether this word comes next.
    pub(crate) fn at_word(&mut self, word: &str) -> bool {
        let length = self.word_length(is_word);
        &self.rest()[..length] == word
    }

    pub(crate) fn eat(&mut self, sign: char) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.take(sign.len_utf8());
        }
        found
    }

    pub(crate) fn expect(&mut self, sign: char, expected: &str) -> Outcome<()> {
        if self.eat(sign) {
            Ok(())
        } else {
            Err(Some(self.unexpected(expected)))
        }
    }

    pub(crate) fn end(&mut self) -> Outcome<()> {
        if self.at_end() {
            Ok(())
        } else {
            Err(Some(self.unexpected("the end of the line")))
        }
    }

    pub(crate) fn unexpected(&mut self, expected: &str) -> Diagnostic {
        let span = self.here();
        let message = match self.rest().chars().next() {
            Some(found) => format!("expected {expected}, found `{}`", found.escape_debug()),
            None => format!("expected {expected}, found the end of the line"),
        };
        Diagnostic::error(message, span)
    }
}

pub(crate) fn is_letter(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

pub(crate) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
# two programs
program solve_0a1b2c3d(I) arc-dsl
  x1 = hupscale(I, THREE)
  x2 = x1
  x3 = (x2, -7)
  x4 = (x3,)
  x5 = ()
  x6 = rbind(add, 1)
  x7 = x6(None)
  return x7

program verify_x(S, I) re-arc   # a comment
  return T
";

    #[test]
    fn printing_is_a_fixed_point() {
        let programs = parse_text(SOURCE, "a.txt", None).unwrap();
        let printed = print_text_file(&programs);
        let again = parse_text(&printed, "a.txt", None).unwrap();
        assert_eq!(print_text_file(&again), printed);
        assert!(programs.iter().zip(&again).all(|(a, b)| a.same_code(b)));
        let bare = SOURCE
            .replace("# two programs\n", "")
            .replace("   # a comment", "");
        assert_eq!(printed, bare);
    }

    #[test]
    fn names_are_free_and_may_be_used_again() {
        let source =
            "program f(I) arc-dsl\n a = vmirror(I)\n a = hmirror(a)\n return = a\n return a";
        let program = parse_text(source, "a.txt", None).unwrap().remove(0);
        assert_eq!(program.output, Operand::Var(1));
        assert_eq!(program.lines[2].op, Op::Copy(Operand::Var(1)));
        assert_eq!(program.lines[1].source_line, 3);
        assert_eq!(
            &source[program.lines[1].span.start as usize..program.lines[1].span.end as usize],
            "hmirror(a)"
        );
    }

    #[test]
    fn a_given_dialect_wins() {
        let programs = parse_text(SOURCE, "a.txt", Some(Dialect::ReArc)).unwrap();
        assert!(
            programs
                .iter()
                .all(|program| program.dialect == Dialect::ReArc)
        );
    }

    #[test]
    fn the_form_is_recognised() {
        assert!(is_text_form(SOURCE));
        assert!(is_text_form("\n\n  program f("));
        assert!(!is_text_form("program = 3"));
        assert!(!is_text_form("programs f(I)"));
        assert!(!is_text_form("def program(I):"));
        assert!(!is_text_form(""));
    }
}
