//! Names for the recorder's units and nodes.

use leyden_exec::with_large_stack;
use leyden_lang::{
    Battery, BatteryFile, Operand, Out, Program, Scripts, is_battery, parse, print_battery,
    print_text,
};
use leyden_profile::model::{LineRow, Source};

use super::repeats::{Expression, expressions};
use crate::pipeline::generate::Plan;
use crate::pipeline::group::Group;
use crate::programs::{Known, Library};

/// A battery, or a program that runs alone.
pub(crate) struct Unit {
    pub(crate) name: String,
    pub(crate) file: String,
    /// The text of each node.
    pub(crate) nodes: Vec<String>,
    /// The line of the file that each node stands on, or is for.
    pub(crate) line_numbers: Vec<u32>,
    /// The computation of each node.
    pub(crate) expressions: Vec<Expression>,
    /// The task it runs on, if only on one.
    pub(crate) task: Option<usize>,
    /// The names of its programs.
    pub(crate) programs: Vec<String>,
    /// The lines of its programs, if these stand in a file.
    pub(crate) members: Vec<MemberLines>,
}

/// A program's lines in terms of nodes.
pub(crate) struct MemberLines {
    pub(crate) name: String,
    /// Nodes with the lines in the file that they are for.
    pub(crate) lines: Vec<(u32, u32)>,
    /// The text of its lines, with their numbers.
    pub(crate) text: Vec<(u32, String)>,
}

/// The lines of a battery's nodes in its file, with their text.
pub(crate) type NodeLines = Vec<(u32, String)>;

impl Unit {
    /// Programs whose files are known, as a group has them.
    fn of_known(group: &Group, programs: &[&Known], library: &Library, task: usize) -> Unit {
        let file = programs.first();
        let file = file.map(|known| library.file_of(known).name.clone());
        let lone = group.lone_programs().next();
        let (nodes, expressions) = match (group.battery(), lone) {
            (Some(battery), _) => (node_texts(battery), of_nodes(battery)),
            (None, Some(program)) => (line_texts(program), of_lines(program)),
            (None, None) => (Vec::new(), Vec::new()),
        };
        let members: Vec<MemberLines> = programs
            .iter()
            .zip(lines_of(group, programs))
            .map(|(known, lines)| MemberLines {
                name: known.program.name.clone(),
                text: text_of(known, library, &lines),
                lines,
            })
            .collect();
        let mut line_numbers = vec![0; nodes.len()];
        let lines = members.iter().rev().flat_map(|member| member.lines.iter());
        for (node, number) in lines {
            if let Some(at) = line_numbers.get_mut(*node as usize) {
                *at = *number;
            }
        }
        let names: Vec<String> = programs.iter().map(|it| it.program.name.clone()).collect();
        Unit {
            name: names.join(" + "),
            file: file.unwrap_or_default(),
            nodes,
            line_numbers,
            expressions,
            task: Some(task),
            programs: names,
            members,
        }
    }

    /// A battery: a line is a node. The lines of the nodes are known if the file is in Leyden's
    /// form.
    fn of_battery(battery: &Battery, name: &str, lines: Option<&NodeLines>) -> Unit {
        let texts = || node_texts(battery).into_iter();
        let numbered = || (1..).zip(texts()).collect();
        let lines = lines.cloned().unwrap_or_else(numbered);
        let (line_numbers, nodes) = lines.into_iter().unzip();
        Unit {
            name: name.to_owned(),
            file: name.to_owned(),
            nodes,
            line_numbers,
            expressions: of_nodes(battery),
            task: None,
            programs: battery.outs.iter().map(|out| out.name.clone()).collect(),
            members: Vec::new(),
        }
    }

    /// A program of a battery that runs alone. Its lines are those of its nodes.
    fn of_program(program: &Program, nodes: &[u32], file: &str, lines: Option<&NodeLines>) -> Unit {
        let own = (1..).zip(line_texts(program));
        let line = |(k, own): (usize, (u32, String))| {
            let node = nodes.get(k).map(|node| *node as usize);
            let known = lines.zip(node).and_then(|(lines, node)| lines.get(node));
            known.cloned().unwrap_or(own)
        };
        let (line_numbers, nodes) = own.enumerate().map(line).unzip();
        Unit {
            name: program.name.clone(),
            file: file.to_owned(),
            nodes,
            line_numbers,
            expressions: of_lines(program),
            task: None,
            programs: vec![program.name.clone()],
            members: Vec::new(),
        }
    }

    pub(crate) fn node(&self, node: u32) -> &str {
        self.nodes.get(node as usize).map_or("?", String::as_str)
    }

    /// The line of the file that a node stands on.
    pub(crate) fn line(&self, node: u32) -> u32 {
        self.line_numbers.get(node as usize).copied().unwrap_or(0)
    }
}

/// The units of a plan in which each task has groups of its own.
pub(super) fn of_plan(plan: &Plan<'_>, library: &Library) -> Vec<Unit> {
    let mut units = Vec::with_capacity(plan.groups().len());
    for (k, task) in plan.tasks.iter().enumerate() {
        let mut programs = task.programs.as_slice();
        for group in &plan.groups()[task.groups.clone()] {
            let (own, rest) = programs.split_at(group.n_programs());
            units.push(Unit::of_known(group, own, library, k));
            programs = rest;
        }
    }
    units
}

/// The units of a battery: itself, or each of its programs. The text is its file's, and `is_kept`
/// marks the nodes of the text that are still there.
pub(super) fn of_group(
    group: &Group,
    name: &str,
    text: Option<&str>,
    is_kept: &[bool],
) -> Vec<Unit> {
    let swept = group.battery().or(group.taken_from());
    let lines = text.zip(swept);
    let lines = lines.and_then(|(text, battery)| node_lines(text, is_kept, battery));
    if let Some(battery) = group.battery() {
        return vec![Unit::of_battery(battery, name, lines.as_ref())];
    }
    let mut scripts = group.taken_from().map(Scripts::new);
    let unit = |(k, program)| {
        let script = scripts.as_mut().map(|scripts| scripts.script(k));
        let nodes: Vec<u32> = script.iter().flatten().map(|step| step.node.0).collect();
        Unit::of_program(program, &nodes, name, lines.as_ref())
    };
    group.lone_programs().enumerate().map(unit).collect()
}

/// The lines of a battery's nodes in the text it was read from. If the text is in Leyden's form,
/// `is_kept` marks the nodes that are still in the battery; otherwise the text has programs that
/// became the battery. `None` if the text has neither.
fn node_lines(text: &str, is_kept: &[bool], battery: &Battery) -> Option<NodeLines> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let numbers = if is_battery(text) {
        numbers_of_nodes(&lines, is_kept)
    } else {
        numbers_in_programs(text, battery)
    }?;
    let line = |number: u32| {
        let place = (number as usize).checked_sub(1)?;
        Some((number, (*lines.get(place)?).to_owned()))
    };
    let is_whole = numbers.len() == battery.nodes.len();
    numbers.into_iter().filter(|_| is_whole).map(line).collect()
}

/// The lines of a battery file that are nodes.
fn numbers_of_nodes(lines: &[&str], is_kept: &[bool]) -> Option<Vec<u32>> {
    let is_node = |line: &str| {
        let name_ends = line.find(|c: char| !c.is_alphanumeric() && c != '_');
        name_ends.is_some_and(|end| end > 0 && line[end..].trim_start().starts_with('='))
    };
    let lines = (1..).zip(lines);
    let nodes = lines.filter(|(_, line)| is_node(line));
    let numbers: Vec<u32> = nodes.map(|(number, _)| number).collect();
    let is_whole = numbers.len() == is_kept.len();
    let kept = numbers.into_iter().zip(is_kept).filter(|(_, kept)| **kept);
    is_whole.then(|| kept.map(|(number, _)| number).collect())
}

/// For each node the first line of the programs that it is for.
fn numbers_in_programs(text: &str, battery: &Battery) -> Option<Vec<u32>> {
    let programs = with_large_stack(|| parse(text, "", None)).ok()?;
    let has_lines_of = |(program, out): (&Program, &Out)| program.lines.len() == out.lines.len();
    let mut both = programs.iter().zip(&battery.outs);
    if programs.len() != battery.outs.len() || !both.all(has_lines_of) {
        return None;
    }
    let mut scripts = Scripts::new(battery);
    let mut numbers = vec![1; battery.nodes.len()];
    for (k, program) in programs.iter().enumerate().rev() {
        for step in scripts.script(k) {
            numbers[step.node.index()] = line_number(program, step.line);
        }
    }
    Some(numbers)
}

fn of_nodes(battery: &Battery) -> Vec<Expression> {
    expressions(battery.nodes.iter().map(|node| (node.dialect, &node.op)))
}

fn of_lines(program: &Program) -> Vec<Expression> {
    let lines = program.lines.iter();
    expressions(lines.map(|line| (program.dialect, &line.op)))
}

fn node_texts(battery: &Battery) -> Vec<String> {
    let file = BatteryFile {
        battery: Battery {
            nodes: battery.nodes.clone(),
            outs: Vec::new(),
        },
        ..BatteryFile::default()
    };
    let text = print_battery(&file);
    text.lines().skip(1).map(str::to_owned).collect()
}

/// The lines of a program in the text form, without its head and its end.
fn line_texts(program: &Program) -> Vec<String> {
    let text = print_text(program);
    let lines = text.lines().skip(1).take(program.lines.len());
    lines.map(|line| line.trim().to_owned()).collect()
}

/// For each program its nodes, with the lines in the file that they are for. If two lines became
/// one node, both have it.
fn lines_of(group: &Group, programs: &[&Known]) -> Vec<Vec<(u32, u32)>> {
    let mut scripts = group.battery().map(Scripts::new);
    let lone = group.lone_programs().next();
    let lines = |(k, known): (usize, &&Known)| {
        let places: Vec<(u32, u32)> = match (&mut scripts, group.battery(), lone) {
            (Some(scripts), Some(battery), _) => {
                let script = scripts.script(k);
                let own = script.iter().map(|step| (step.node.0, step.line));
                let named = (0..).zip(&battery.outs[k].lines);
                let named = named.filter_map(|(line, node)| Some((var(node)?, line)));
                let mut places: Vec<(u32, u32)> = own.chain(named).collect();
                places.sort_unstable();
                places.dedup();
                places
            }
            (_, _, Some(lone)) if group.taken_from().is_some() => {
                let lines = (0..).zip(&lone.lines);
                lines
                    .map(|(k, line)| (k, line.source_line.saturating_sub(1)))
                    .collect()
            }
            (_, _, lone) => (0..)
                .take(lone.map_or(0, |it| it.lines.len()))
                .map(|k| (k, k))
                .collect(),
        };
        let number = |(node, line): (u32, u32)| (node, line_number(&known.program, line));
        places.into_iter().map(number).collect()
    };
    programs.iter().enumerate().map(lines).collect()
}

fn var(operand: &Operand) -> Option<u32> {
    match operand {
        Operand::Var(node) => Some(*node),
        _ => None,
    }
}

/// The line in the file for a line of a program. A line made for the output counts as the last
/// line.
fn line_number(program: &Program, line: u32) -> u32 {
    let own = program.lines.get(line as usize).or(program.lines.last());
    own.map_or(1, |own| own.source_line)
}

/// The program's text: from the line before its first, which is its head, to the one after its
/// last.
fn text_of(known: &Known, library: &Library, lines: &[(u32, u32)]) -> Vec<(u32, String)> {
    let file = library.file_of(known);
    let own = known.program.lines.iter().map(|line| line.source_line);
    let numbers = own.chain(lines.iter().map(|(_, number)| *number));
    let (first, last) = (
        numbers.clone().min().unwrap_or(1),
        numbers.max().unwrap_or(1),
    );
    let text: Vec<&str> = file.text.lines().collect();
    let end = |number: u32| match text.get(number as usize) {
        Some(next) if next.trim_start().starts_with("return") => number + 1,
        _ => number,
    };
    let numbers = first.saturating_sub(1).max(1)..=end(last);
    numbers
        .filter_map(|number| Some((number, (*text.get(number as usize - 1)?).to_owned())))
        .collect()
}

/// The measurements of a node.
#[derive(Clone, Copy, Default)]
pub(crate) struct NodeFigures {
    pub(crate) hits: u64,
    pub(crate) ns: f64,
    /// On the reference engine.
    pub(crate) reference_ns: f64,
    pub(crate) faults: u64,
    pub(crate) cells: f64,
}

/// The rows of a unit's lines: those of its programs, or its nodes. Of lines that became one node,
/// the first has its time.
pub(crate) fn rows_of(
    unit: &Unit,
    figures: &[NodeFigures],
    sharers: &[Vec<String>],
    sources: &mut Vec<Source>,
) -> Vec<LineRow> {
    if unit.members.is_empty() {
        return rows_of_nodes(unit, figures, sharers, sources);
    }
    let mut is_taken = vec![false; figures.len()];
    let mut rows = Vec::new();
    for member in &unit.members {
        let source = sources.len() as u32;
        sources.push(Source {
            name: member.name.clone(),
            file: unit.file.clone(),
        });
        for (number, text) in &member.text {
            let mut row = LineRow {
                source,
                line: *number,
                text: text.clone(),
                ..LineRow::default()
            };
            let nodes = member.lines.iter().filter(|(_, line)| line == number);
            for (node, _) in nodes {
                add_node(&mut row, *node, figures, sharers, &mut is_taken);
            }
            rows.push(row);
        }
    }
    rows
}

fn add_node(
    row: &mut LineRow,
    node: u32,
    figures: &[NodeFigures],
    sharers: &[Vec<String>],
    is_taken: &mut [bool],
) {
    let Some(it) = figures.get(node as usize) else {
        return;
    };
    row.hits = row.hits.max(it.hits);
    if let Some(sharers) = sharers.get(node as usize)
        && sharers.len() > 1
    {
        row.shared_by = sharers.iter().take(MOST_SHARERS).cloned().collect();
        row.n_shared = sharers.len() as u64;
    }
    if !std::mem::replace(&mut is_taken[node as usize], true) {
        row.time_ns += it.ns.round() as u64;
        row.reference_ns += it.reference_ns.round() as u64;
        row.faults += it.faults;
        row.cells += it.cells.round() as u64;
    }
}

/// A row names at most this many programs.
const MOST_SHARERS: usize = 8;

fn rows_of_nodes(
    unit: &Unit,
    figures: &[NodeFigures],
    sharers: &[Vec<String>],
    sources: &mut Vec<Source>,
) -> Vec<LineRow> {
    let source = sources.len() as u32;
    sources.push(Source {
        name: unit.name.clone(),
        file: unit.file.clone(),
    });
    let mut is_taken = vec![false; figures.len()];
    let rows = unit.nodes.iter().enumerate().map(|(k, text)| {
        let mut row = LineRow {
            source,
            line: unit.line(k as u32),
            text: text.clone(),
            ..LineRow::default()
        };
        add_node(&mut row, k as u32, figures, sharers, &mut is_taken);
        row
    });
    rows.collect()
}

/// For each node the programs that need it as one of their lines.
pub(crate) fn sharers(battery: &Battery) -> Vec<Vec<String>> {
    let mut sharers = vec![Vec::new(); battery.nodes.len()];
    for out in &battery.outs {
        let mut nodes: Vec<u32> = out
            .lines
            .iter()
            .filter_map(|line| match line {
                Operand::Var(node) => Some(*node),
                _ => None,
            })
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        for node in nodes {
            sharers[node as usize].push(out.name.clone());
        }
    }
    sharers
}

#[cfg(test)]
mod tests {
    use leyden_lang::{Rules, parse_battery};

    use super::*;

    #[test]
    fn nodes_have_the_lines_of_their_file() {
        let text = "battery 1\n# a remark\nt1 = vmirror(I)\n\nt2 = hmirror(I)\n  t3 = rot90(t2)\nout a(I) arc-dsl = t3 from a lines t2 t3\n";
        let mut battery = parse_battery(text).expect("a battery").battery;
        let is_kept = battery.needed();
        battery.sweep();
        let lines = node_lines(text, &is_kept, &battery);
        let expected = [(5, "t2 = hmirror(I)"), (6, "t3 = rot90(t2)")];
        let expected = expected.map(|(number, line)| (number, line.to_owned()));
        assert_eq!(lines.as_deref(), Some(&expected[..]));
        assert_eq!(node_lines(text, &is_kept[1..], &battery), None);
    }

    #[test]
    fn nodes_of_programs_have_the_lines_of_these() {
        let text = "\n\ndef a(I):\n    x1 = vmirror(I)\n    return rot90(x1)\n\ndef b(I):\n    x1 = vmirror(I)\n    O = rot270(x1)\n    return O\n";
        let programs = parse(text, "a.py", None).expect("programs");
        let battery = Battery::from_programs(&programs, Rules::ALL);
        let lines = node_lines(text, &[], &battery).expect("lines");
        let numbers: Vec<u32> = lines.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [4, 5, 9]);
        assert_eq!(node_lines("def a(I):\n    return I\n", &[], &battery), None);
    }
}
