//! What the recorder's units and nodes are called.

use leyden_lang::{Battery, BatteryFile, Operand, Out, Program, print_battery, print_text};
use leyden_profile::model::{LineRow, Source};

use super::repeats::{Expression, expressions};
use crate::programs::{Known, Library};

/// A battery, or a program that runs alone.
pub(crate) struct Unit {
    pub(crate) name: String,
    pub(crate) file: String,
    /// What each node says.
    pub(crate) nodes: Vec<String>,
    /// What each node computes.
    pub(crate) expressions: Vec<Expression>,
    /// The task it runs on, if only on one.
    pub(crate) task: Option<usize>,
    /// The programs in it.
    pub(crate) members: Vec<MemberLines>,
}

/// A program's lines in terms of nodes.
pub(crate) struct MemberLines {
    pub(crate) name: String,
    /// For each line of the program its node and its line in the file.
    pub(crate) lines: Vec<(Option<u32>, u32)>,
    /// The text of its lines, with their numbers.
    pub(crate) text: Vec<(u32, String)>,
}

impl Unit {
    /// A battery of programs whose files are known.
    pub(crate) fn of_known(
        battery: Option<&Battery>,
        programs: &[&Known],
        library: &Library,
        task: usize,
    ) -> Unit {
        let file = programs
            .first()
            .map(|known| library.file_of(known).name.clone());
        let nodes = match (battery, programs) {
            (Some(battery), _) => node_texts(battery),
            (None, [known, ..]) => line_texts(&known.program),
            (None, []) => Vec::new(),
        };
        let expressions = match (battery, programs) {
            (Some(battery), _) => of_nodes(battery),
            (None, [known, ..]) => of_lines(&known.program),
            (None, []) => Vec::new(),
        };
        let members = programs.iter().enumerate().map(|(k, known)| MemberLines {
            name: known.program.name.clone(),
            lines: lines_of(
                battery.and_then(|battery| battery.outs.get(k)),
                &known.program,
            ),
            text: text_of(known, library),
        });
        Unit {
            name: programs
                .iter()
                .map(|known| known.program.name.as_str())
                .collect::<Vec<_>>()
                .join(" + "),
            file: file.unwrap_or_default(),
            nodes,
            expressions,
            task: Some(task),
            members: members.collect(),
        }
    }

    /// A battery as it stands: a line is a node.
    pub(crate) fn of_battery(battery: &Battery, name: &str) -> Unit {
        Unit {
            name: name.to_owned(),
            file: name.to_owned(),
            nodes: node_texts(battery),
            expressions: of_nodes(battery),
            task: None,
            members: Vec::new(),
        }
    }

    /// A program of a battery that runs alone.
    pub(crate) fn of_program(program: &Program, file: &str) -> Unit {
        Unit {
            name: program.name.clone(),
            file: file.to_owned(),
            nodes: line_texts(program),
            expressions: of_lines(program),
            task: None,
            members: Vec::new(),
        }
    }

    pub(crate) fn node(&self, node: u32) -> &str {
        self.nodes.get(node as usize).map_or("?", String::as_str)
    }
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

fn lines_of(out: Option<&Out>, program: &Program) -> Vec<(Option<u32>, u32)> {
    let node = |k: usize| match out {
        Some(out) => match out.lines.get(k) {
            Some(Operand::Var(node)) => Some(*node),
            _ => None,
        },
        None => Some(k as u32),
    };
    let lines = program.lines.iter().enumerate();
    lines.map(|(k, line)| (node(k), line.source_line)).collect()
}

/// The program's text: from the line before its first, which is its head, to the one after its
/// last.
fn text_of(known: &Known, library: &Library) -> Vec<(u32, String)> {
    let file = library.file_of(known);
    let numbers = known.program.lines.iter().map(|line| line.source_line);
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

/// What was measured of a node.
#[derive(Clone, Copy, Default)]
pub(crate) struct NodeFigures {
    pub(crate) hits: u64,
    pub(crate) ns: f64,
    pub(crate) faults: u64,
    pub(crate) cells: f64,
}

/// The rows of a unit's lines: those of its programs, or its nodes. Of lines that have become the
/// same node the first has its time.
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
            for node in nodes.filter_map(|(node, _)| *node) {
                add_node(&mut row, node, figures, sharers, &mut is_taken);
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
        row.faults += it.faults;
        row.cells += it.cells.round() as u64;
    }
}

/// More names than these help nobody.
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
            line: k as u32 + 1,
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
