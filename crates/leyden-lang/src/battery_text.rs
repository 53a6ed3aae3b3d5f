//! The text form of a battery.
//!
//! ```text
//! battery 1
//! seed 42
//! library 0f3c…
//! engine 0.1.0
//! t1 = vmirror(I)
//! t2 = hconcat(I, t1)
//! t3 = argmax(t2, size) in re-arc
//! out solve_0a1b2c3d(I) arc-dsl = t2 from solve_0a1b2c3d lines t1 t2
//! out solve_0a1b2c3d_2(I) arc-dsl = t1 from solve_0a1b2c3d lines t1 mutated delete "line 2"
//! ```
//!
//! A node without a dialect is arc-dsl's. The reader keeps the graph as written: it neither merges
//! nor rewrites, so two equal nodes stay two.

use std::fmt::Write as _;
use std::ops::Range;

use leyden_dsl::table::Dialect;
use rustc_hash::FxHashMap;

use crate::battery::{Battery, Mutation, Node, Out};
use crate::build::{Builder, LineIndex};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::parse::{check_size, second_of_name};
use crate::program::{Input, Operand, Program};
use crate::text::{
    Cursor, Outcome, check_program_name, dialect, is_letter, is_word, op, operand, write_call,
    write_tuple,
};

/// The version of the format that Leyden writes.
pub const BATTERY_FORMAT: u32 = 1;

/// The origin of a battery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatteryHeader {
    /// The seed of all random choices behind the battery.
    pub seed: Option<u64>,
    /// A hash of the original programs.
    pub library: Option<u128>,
    /// The version of the engine that made the battery.
    pub engine: Option<String>,
}

/// The content of a `.batt` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatteryFile {
    /// The origin of the battery.
    pub header: BatteryHeader,
    /// The graph.
    pub battery: Battery,
}

/// Prints a `.batt` file.
///
/// ```
/// use leyden_lang::{Battery, BatteryFile, Rules, parse, parse_battery, print_battery};
///
/// let source = "def solve_0a1b2c3d(I):\n    return hconcat(I, vmirror(I))\n";
/// let battery = Battery::from_programs(&parse(source, "a.py", None).unwrap(), Rules::ALL);
/// let file = BatteryFile { battery, ..BatteryFile::default() };
/// let text = print_battery(&file);
/// assert_eq!(text, "\
/// battery 1
/// t1 = vmirror(I)
/// t2 = hconcat(I, t1)
/// out solve_0a1b2c3d(I) arc-dsl = t2 from solve_0a1b2c3d lines t1 t2
/// ");
/// assert_eq!(parse_battery(&text).unwrap(), file);
/// ```
pub fn print_battery(file: &BatteryFile) -> String {
    let mut out = format!("battery {BATTERY_FORMAT}\n");
    write_header(&mut out, &file.header);
    for (k, node) in file.battery.nodes.iter().enumerate() {
        write_node(&mut out, k, node);
    }
    for program in &file.battery.outs {
        write_out(&mut out, program);
    }
    out
}

fn write_header(out: &mut String, header: &BatteryHeader) {
    // Writing to a string cannot fail.
    if let Some(seed) = header.seed {
        let _ = writeln!(out, "seed {seed}");
    }
    if let Some(library) = header.library {
        let _ = writeln!(out, "library {library:032x}");
    }
    if let Some(engine) = &header.engine {
        out.push_str("engine ");
        write_text(out, engine);
        out.push('\n');
    }
}

fn write_node(out: &mut String, k: usize, node: &Node) {
    use crate::program::Op;
    let _ = write!(out, "t{} = ", k + 1);
    match &node.op {
        Op::Copy(value) => write_value(out, *value),
        Op::Tuple(items) => write_tuple(out, items, write_value),
        Op::Call { callee, args } => {
            write_value(out, *callee);
            write_call(out, args, write_value);
        }
    }
    if node.dialect != Dialect::ArcDsl {
        let _ = write!(out, " in {}", node.dialect);
    }
    out.push('\n');
}

/// Writes an operand; nodes are `t1`, `t2` …
pub(crate) fn write_value(out: &mut String, operand: Operand) {
    match operand {
        Operand::Var(k) => {
            let _ = write!(out, "t{}", u64::from(k) + 1);
        }
        other => crate::text::write_operand(out, other),
    }
}

fn write_out(out: &mut String, program: &Out) {
    out.push_str("out ");
    write_name(out, &program.name);
    let inputs: Vec<&str> = program.inputs.iter().map(|input| input.name()).collect();
    let _ = write!(out, "({}) {} = ", inputs.join(", "), program.dialect);
    write_value(out, program.output);
    out.push_str(" from ");
    write_name(out, &program.origin);
    out.push_str(" lines");
    for line in &program.lines {
        out.push(' ');
        write_value(out, *line);
    }
    for (k, mutation) in program.mutations.iter().enumerate() {
        out.push_str(if k == 0 { " mutated " } else { " " });
        write_name(out, &mutation.kind);
        out.push(' ');
        write_text(out, &mutation.what);
    }
    out.push('\n');
}

fn write_name(out: &mut String, name: &str) {
    if name.starts_with(is_letter) && name.chars().all(is_word) {
        out.push_str(name)
    } else {
        write_text(out, name)
    }
}

/// Writes text in quotes. Characters that would end the quotes or the line, and `#`, which begins a
/// comment, are written as numbers.
fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' | '#' => out.extend(c.escape_unicode()),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Whether a source is a battery: its first word is `battery`, and a number follows.
pub fn is_battery(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let version = first.and_then(|line| line.strip_prefix("battery "));
    version.is_some_and(|version| {
        version
            .trim_start()
            .starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Reads a `.batt` file. Errors name their place.
pub fn parse_battery(source: &str) -> Result<BatteryFile, Vec<Diagnostic>> {
    check_size(source).map_err(|found| vec![found])?;
    let index = LineIndex::new(source);
    let mut reader = Reader::new(&index);
    let mut base = 0;
    for line in source.split_inclusive('\n') {
        let terse = reader.found.is_full();
        reader.line(Cursor::new(line, base, terse));
        base += line.len();
    }
    reader.finish()
}

/// The programs of a `.batt` file, each on its own.
pub(crate) fn parse_battery_programs(source: &str) -> Result<Vec<Program>, Vec<Diagnostic>> {
    let battery = parse_battery(source)?.battery;
    let mut programs = Vec::with_capacity(battery.outs.len());
    let mut n_lines = 0;
    for k in 0..battery.outs.len() {
        let program = battery.program(k);
        n_lines += program.lines.len();
        if n_lines > MOST_LINES {
            let message = "the programs of this battery, each alone, are too long";
            return Err(vec![Diagnostic::error(message, 0..0)]);
        }
        programs.push(program);
    }
    Ok(programs)
}

/// The most lines of all programs together. A small graph can stand for many long programs that
/// share everything, and on their own these must fit in memory.
const MOST_LINES: usize = 5_000_000;

struct Reader<'a> {
    index: &'a LineIndex,
    has_version: bool,
    file: BatteryFile,
    build: Builder<'a>,
    dialects: Vec<Dialect>,
    first_lines: FxHashMap<String, u32>,
    found: Diagnostics,
}

impl<'a> Reader<'a> {
    fn new(index: &'a LineIndex) -> Reader<'a> {
        let mut build = Builder::new(index, Dialect::ArcDsl);
        for input in Input::ALL {
            build.scope.set(input.name(), Some(Operand::Input(input)));
        }
        Reader {
            index,
            has_version: false,
            file: BatteryFile::default(),
            build,
            dialects: Vec::new(),
            first_lines: FxHashMap::default(),
            found: Diagnostics::default(),
        }
    }

    fn line(&mut self, mut cursor: Cursor<'a>) {
        if cursor.at_end() {
            return;
        }
        if let Err(Some(found)) = self.statement(&mut cursor) {
            self.found.push(found);
        }
    }

    fn statement(&mut self, cursor: &mut Cursor<'a>) -> Outcome<()> {
        let (word, span) = cursor.word("`out`, a node or a line of the header")?;
        let is_node = cursor.eat('=');
        if !self.has_version {
            self.has_version = true;
            if is_node || word != "battery" {
                let message = "a battery starts with `battery 1`";
                return Err(Some(Diagnostic::error(message, span)));
            }
            return version(cursor);
        }
        match word {
            _ if is_node => return self.node(word, span, cursor),
            "seed" => self.file.header.seed = Some(number(cursor, "a number")?),
            "library" => self.file.header.library = Some(hexadecimal(cursor)?),
            "engine" => self.file.header.engine = Some(text(cursor)?),
            "out" => return self.program(cursor),
            _ => {
                let message = format!("`{word}` is neither a node nor `out`");
                return Err(Some(
                    Diagnostic::error(message, span).help("a node is `t1 = …`"),
                ));
            }
        }
        cursor.end()
    }

    fn node(&mut self, name: &'a str, span: Range<usize>, cursor: &mut Cursor<'a>) -> Outcome<()> {
        self.build.dialect = dialect_ahead(cursor);
        if self.build.resolve(name).is_some() {
            let message = format!("`{name}` already means something");
            return Err(Some(Diagnostic::error(message, span)));
        }
        let start = cursor.here().start;
        let read = op(cursor, &self.build).and_then(|op| Ok((op, node_dialect(cursor)?)));
        let value = match read {
            Ok((op, dialect)) => {
                self.dialects.push(dialect);
                Ok(self.build.push(op, start..cursor.last_end))
            }
            Err(found) => Err(found),
        };
        self.build.scope.set(name, value.as_ref().ok().copied());
        value.map(|_| ())
    }

    fn program(&mut self, cursor: &mut Cursor<'a>) -> Outcome<()> {
        let start = cursor.here().start;
        let name = name(cursor, "a name for the program")?;
        let span = start..cursor.last_end;
        check_program_name(&name, span.clone())?;
        let inputs = inputs(cursor)?;
        let dialect = dialect(cursor)?;
        self.build.dialect = dialect;
        cursor.expect('=', "`=`")?;
        let output = operand(cursor, &self.build)?;
        expect_word(cursor, "from")?;
        let origin = self::name(cursor, "the name of the original program")?;
        expect_word(cursor, "lines")?;
        let lines = self.lines(cursor)?;
        let mutations = mutations(cursor)?;
        self.enter(&name, span);
        self.file.battery.outs.push(Out {
            name,
            origin,
            mutations,
            dialect,
            inputs,
            lines,
            output,
        });
        Ok(())
    }

    fn enter(&mut self, name: &str, span: Range<usize>) {
        let line = self.index.line_of(span.start);
        match self.first_lines.get(name) {
            Some(first) => self.found.push(second_of_name(name, *first, span)),
            None => {
                self.first_lines.insert(name.to_owned(), line);
            }
        }
    }

    fn lines(&self, cursor: &mut Cursor<'a>) -> Outcome<Vec<Operand>> {
        let mut lines = Vec::new();
        while !cursor.at_end() && !cursor.at_word("mutated") {
            lines.push(operand(cursor, &self.build)?);
        }
        Ok(lines)
    }

    fn finish(mut self) -> Result<BatteryFile, Vec<Diagnostic>> {
        if !self.has_version {
            let message = "this is empty; a battery starts with `battery 1`";
            self.found.push(Diagnostic::error(message, 0..0));
        }
        if !self.found.is_empty() {
            return Err(self.found.into_vec());
        }
        let program = self.build.finish(String::new(), Operand::None);
        let ops = program.lines.into_iter().map(|line| line.op);
        let nodes = ops
            .zip(self.dialects)
            .map(|(op, dialect)| Node { op, dialect });
        self.file.battery.nodes = nodes.collect();
        Ok(self.file)
    }
}

fn version(cursor: &mut Cursor<'_>) -> Outcome<()> {
    let start = cursor.here().start;
    let version: u32 = number(cursor, "the version of the format")?;
    if version != BATTERY_FORMAT {
        let message = format!("format {version} is not known");
        let span = start..cursor.last_end;
        return Err(Some(Diagnostic::error(message, span).help(
            "this Leyden reads format 1; `leyden card` makes a new battery",
        )));
    }
    cursor.end()
}

fn number<T: std::str::FromStr>(cursor: &mut Cursor<'_>, expected: &str) -> Outcome<T> {
    let Some((digits, span)) = cursor.number() else {
        return Err(Some(cursor.unexpected(expected)));
    };
    let too_large = |_| Some(Diagnostic::error("this number is out of range", span));
    digits.parse().map_err(too_large)
}

fn hexadecimal(cursor: &mut Cursor<'_>) -> Outcome<u128> {
    let length = cursor.word_length(|c| c.is_ascii_hexdigit());
    if length == 0 {
        return Err(Some(cursor.unexpected("a hexadecimal number")));
    }
    let (digits, span) = cursor.take(length);
    let too_large = |_| Some(Diagnostic::error("this number is out of range", span));
    u128::from_str_radix(digits, 16).map_err(too_large)
}

/// Looks ahead for the dialect at the end of a node's line, because it decides the meaning of the
/// names before it.
fn dialect_ahead(cursor: &mut Cursor<'_>) -> Dialect {
    let rest = cursor.rest().trim_end();
    let is_last = |dialect: &Dialect| {
        let before = rest.strip_suffix(dialect.name());
        before.is_some_and(|before| before.ends_with(" in "))
    };
    Dialect::NAMED.into_iter().find(is_last).unwrap_or_default()
}

fn node_dialect(cursor: &mut Cursor<'_>) -> Outcome<Dialect> {
    if cursor.at_end() {
        return Ok(Dialect::ArcDsl);
    }
    expect_word(cursor, "in")?;
    let dialect = dialect(cursor)?;
    cursor.end()?;
    Ok(dialect)
}

fn expect_word(cursor: &mut Cursor<'_>, word: &str) -> Outcome<()> {
    if cursor.at_word(word) {
        cursor.take(word.len());
        Ok(())
    } else {
        Err(Some(cursor.unexpected(&format!("`{word}`"))))
    }
}

fn inputs(cursor: &mut Cursor<'_>) -> Outcome<Vec<Input>> {
    cursor.expect('(', "`(`")?;
    let mut inputs = Vec::new();
    while !cursor.eat(')') {
        let (name, span) = cursor.word("a parameter")?;
        let known = Input::by_name(name).filter(|input| !inputs.contains(input));
        let unknown = || Diagnostic::error(format!("`{name}` cannot be a parameter here"), span);
        inputs.push(known.ok_or_else(|| Some(unknown()))?);
        if !cursor.eat(',') {
            cursor.expect(')', "`,` or `)`")?;
            break;
        }
    }
    Ok(inputs)
}

fn mutations(cursor: &mut Cursor<'_>) -> Outcome<Vec<Mutation>> {
    let mut mutations = Vec::new();
    if cursor.at_end() {
        return Ok(mutations);
    }
    expect_word(cursor, "mutated")?;
    while mutations.is_empty() || !cursor.at_end() {
        let kind = name(cursor, "a kind of mutation")?;
        mutations.push(Mutation {
            kind,
            what: text(cursor)?,
        });
    }
    Ok(mutations)
}

/// Reads a word, or text in quotes.
fn name(cursor: &mut Cursor<'_>, expected: &str) -> Outcome<String> {
    if cursor.rest().starts_with('"') {
        text(cursor)
    } else {
        cursor.word(expected).map(|(word, _)| word.to_owned())
    }
}

fn text(cursor: &mut Cursor<'_>) -> Outcome<String> {
    cursor.expect('"', "`\"`")?;
    // Not `rest`: spaces after the quotes belong to the text.
    let Some(length) = cursor.line[cursor.at..].find('"') else {
        let message = "the quotes are never closed";
        return Err(Some(Diagnostic::error(
            message,
            cursor.last_end - 1..cursor.last_end,
        )));
    };
    let (raw, span) = cursor.take(length);
    cursor.take(1);
    let bad = || {
        Some(Diagnostic::error(
            "`\\` is followed by something unknown",
            span.clone(),
        ))
    };
    let text = unescaped(raw).ok_or_else(bad)?;
    // Names and descriptions reach terminals and web pages.
    if text.contains(char::is_control) {
        let message = "a control character is not allowed here";
        return Err(Some(Diagnostic::error(message, span)));
    }
    Ok(text)
}

fn unescaped(raw: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (digits, after) = rest[at..].strip_prefix("\\u{")?.split_once('}')?;
        text.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
        rest = after;
    }
    text.push_str(rest);
    Some(text)
}

#[cfg(test)]
mod tests;
