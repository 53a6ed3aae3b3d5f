//! Chains programs, and lays one picture over another.

use leyden_dsl::table::{Dialect, Prim};
use leyden_grid::Puzzle;
use leyden_lang::{Battery, ConstId, Input, Line, Op, Operand, Program, Rules, parse_python};
use rustc_hash::FxHashMap;

use super::compose::{Layer, Shows};
use super::moves::Kit;
use super::states::{StateId, States};

/// Builds a program out of programs.
#[derive(Debug)]
pub(crate) struct Weaver {
    lines: Vec<Line>,
}

impl Weaver {
    pub(crate) fn new() -> Weaver {
        Weaver { lines: Vec::new() }
    }

    /// Adds the lines of a program that reads `input` as its `I`; returns its result.
    pub(crate) fn append(&mut self, program: &Program, input: Operand) -> Operand {
        let first = self.lines.len() as u32;
        let moved = |operand: Operand| match operand {
            Operand::Var(k) => Operand::Var(first + k),
            Operand::Input(Input::I) => input,
            other => other,
        };
        for line in &program.lines {
            let mut line = line.clone();
            for operand in line.op.operands_mut() {
                *operand = moved(*operand);
            }
            self.lines.push(line);
        }
        moved(program.output)
    }

    /// Makes the lowest layer: a picture, or a blank one of its size.
    pub(crate) fn bottom(&mut self, (picture, shows): (Operand, Shows)) -> Operand {
        match shows {
            Shows::Drawn => picture,
            Shows::Blank => {
                let size = self.call(Prim::shape, vec![picture]);
                self.call(Prim::canvas, vec![zero(), size])
            }
        }
    }

    /// Lays one picture over another. The cells it shows hide those below.
    pub(crate) fn over(&mut self, (above, shows): (Operand, Shows), below: Operand) -> Operand {
        if shows == Shows::Blank {
            let blank = self.call(Prim::ofcolor, vec![above, zero()]);
            return self.call(Prim::fill, vec![below, zero(), blank]);
        }
        let cells = self.call(Prim::asobject, vec![above]);
        let is_zero = self.call(Prim::matcher, vec![Operand::Prim(Prim::first), zero()]);
        let is_drawn = self.call(Prim::compose, vec![Operand::Prim(Prim::flip), is_zero]);
        let drawn = self.call(Prim::sfilter, vec![cells, is_drawn]);
        self.call(Prim::paint, vec![below, drawn])
    }

    pub(crate) fn call(&mut self, prim: Prim, args: Vec<Operand>) -> Operand {
        self.push(Op::Call {
            callee: Operand::Prim(prim),
            args,
        })
    }

    pub(crate) fn push(&mut self, op: Op) -> Operand {
        self.lines.push(Line {
            op,
            source_line: self.lines.len() as u32 + 1,
            span: 0..0,
        });
        Operand::Var(self.lines.len() as u32 - 1)
    }

    pub(crate) fn finish(mut self, name: String, output: Operand) -> Program {
        for (k, line) in self.lines.iter_mut().enumerate() {
            line.source_line = k as u32 + 1;
            line.span = 0..0;
        }
        Program {
            name,
            dialect: Dialect::ArcDsl,
            inputs: vec![Input::I],
            lines: self.lines,
            output,
        }
    }
}

fn zero() -> Operand {
    ConstId::by_name("ZERO").map_or(Operand::Int(0), Operand::Const)
}

/// Parses an arc-dsl expression over `I` as a program. Lines before the last one are assignments.
pub(crate) fn program_of(name: &str, expression: &str) -> Option<Program> {
    let (lines, result) = expression.rsplit_once('\n').unwrap_or(("", expression));
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    // A move may have the name of a primitive, so the function gets another name: otherwise the
    // expression would call it.
    let source = format!("def program(I):\n{lines}    return {result}\n");
    let programs = parse_python(&source, name, Some(Dialect::ArcDsl));
    let program = Program {
        name: name.to_owned(),
        ..programs.ok()?.pop()?
    };
    Some(shared(program))
}

/// One program after another.
pub(crate) fn chained(first: &Program, second: &Program) -> Program {
    let mut weaver = Weaver::new();
    let picture = weaver.append(first, Operand::Input(Input::I));
    let output = weaver.append(second, picture);
    weaver.finish(second.name.clone(), output)
}

/// Merges equal lines. A battery is more careful, as `intersection` can tell a set from an equal
/// one. Here, equal expressions mean one set.
fn shared(mut program: Program) -> Program {
    let mut known: FxHashMap<Op, Operand> = FxHashMap::default();
    let mut images: Vec<Operand> = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    let image = |images: &[Operand], operand: Operand| match operand {
        Operand::Var(k) => images[k as usize],
        other => other,
    };
    for mut line in program.lines {
        for operand in line.op.operands_mut() {
            *operand = image(&images, *operand);
        }
        let new = Operand::Var(lines.len() as u32);
        let it = *known.entry(line.op.clone()).or_insert(new);
        images.push(it);
        if it == new {
            lines.push(line);
        }
    }
    program.output = image(&images, program.output);
    program.lines = lines;
    program
}

/// Computes each value once.
pub(crate) fn simplified(program: &Program) -> Program {
    let program = shared(program.clone());
    let mut program = Battery::from_programs([&program], Rules::ALL).program(0);
    for (k, line) in program.lines.iter_mut().enumerate() {
        line.source_line = k as u32 + 1;
    }
    program
}

/// Writes the program that lays pictures over each other.
pub(crate) fn woven(kit: &Kit, states: &States, layers: &[Layer], puzzle: &Puzzle) -> Program {
    let mut weaver = Weaver::new();
    let mut pictures =
        |layer: &Layer| (picture(&mut weaver, kit, states, layer.state), layer.shows);
    let layers: Vec<(Operand, Shows)> = layers.iter().map(&mut pictures).collect();
    let output = match layers.split_last() {
        None => Operand::Input(Input::I),
        Some((bottom, above)) => {
            let bottom = weaver.bottom(*bottom);
            let layers = above.iter().rev();
            layers.fold(bottom, |below, above| weaver.over(*above, below))
        }
    };
    weaver.finish(format!("solve_{}", puzzle.id), output)
}

/// Adds the moves that lead to a state.
fn picture(weaver: &mut Weaver, kit: &Kit, states: &States, state: StateId) -> Operand {
    let (told, path) = states.path(state);
    let told = told.and_then(|told| program_of("told", &told.text()));
    let input = Operand::Input(Input::I);
    let input = told.map_or(input, |told| weaver.append(&told, input));
    path.iter().fold(input, |picture, step| {
        weaver.append(&kit.moves[*step as usize].program, picture)
    })
}
