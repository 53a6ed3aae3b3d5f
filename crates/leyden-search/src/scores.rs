//! Scoring programs: partial credit for candidates that are not right.

use leyden_dsl::meter::CancelToken;
use leyden_dsl::table::Dialect;
use leyden_exec::{BatteryPlan, Engine, Outcome, Seen, Worker};
use leyden_grid::{Grid, Puzzle};
use leyden_lang::{Battery, Diagnostic, Input, Op, Operand, Program, Rules, parse_python};
use rustc_hash::FxHashMap;

use crate::pairs::demos_if;

/// The name of our scoring programs in messages.
pub const NAME: &str = "scores.py";

/// Our scoring programs as text.
pub const SOURCE: &str = include_str!("../scores/scores.py");

/// The best score.
pub const FULL_MARKS: i64 = 100;

/// The fuel for scoring a grid: many times the need of the largest grid.
const SCORING_FUEL: u64 = 1_000_000;

/// Our scoring programs.
///
/// A scoring program reads `I`, a candidate's output, and `C`, the expected one, and gives a tuple
/// of a number and a witness. The number is partial credit from 0 to [`FULL_MARKS`]; the witness is
/// a value that explains it.
///
/// ```
/// let scores = leyden_search::scores::own().unwrap();
/// assert!(scores.len() >= 12);
/// assert!(scores.iter().all(|score| score.name.starts_with("score_")));
/// ```
pub fn own() -> Result<Vec<Program>, Vec<Diagnostic>> {
    parse_python(SOURCE, NAME, Some(Dialect::ArcDsl))
}

/// Removes the witness of a program, and all lines that only the witness needs. A program whose
/// output is not written as a tuple stays unchanged.
pub fn without_witness(program: &Program) -> Program {
    let output_line = match program.output {
        Operand::Var(k) => program.lines.get(k as usize),
        _ => None,
    };
    match output_line.map(|line| &line.op) {
        Some(Op::Tuple(items)) if !items.is_empty() => needed_for(program, items[0]),
        _ => program.clone(),
    }
}

/// The lines of a program that an operand needs, with the operand as output.
fn needed_for(program: &Program, output: Operand) -> Program {
    let mut needed = vec![false; program.lines.len()];
    let mark = |needed: &mut Vec<bool>, operand: Operand| {
        if let Operand::Var(k) = operand {
            needed[k as usize] = true;
        }
    };
    mark(&mut needed, output);
    for (k, line) in program.lines.iter().enumerate().rev() {
        if needed[k] {
            line.op.operands().for_each(|o| mark(&mut needed, o));
        }
    }
    keep(program, &needed, output)
}

fn keep(program: &Program, needed: &[bool], output: Operand) -> Program {
    let mut places: FxHashMap<u32, u32> = FxHashMap::default();
    let moved = |places: &FxHashMap<u32, u32>, operand: Operand| match operand {
        Operand::Var(k) => places.get(&k).map_or(Operand::None, |k| Operand::Var(*k)),
        other => other,
    };
    let mut lines = Vec::new();
    let numbered = program.lines.iter().zip(needed).enumerate();
    for (k, (line, _)) in numbered.filter(|(_, (_, needed))| **needed) {
        let mut line = line.clone();
        for operand in line.op.operands_mut() {
            *operand = moved(&places, *operand);
        }
        places.insert(k as u32, lines.len() as u32);
        lines.push(line);
    }
    Program {
        name: program.name.clone(),
        dialect: program.dialect,
        inputs: program.inputs.clone(),
        output: moved(&places, output),
        lines,
    }
}

/// The scoring programs, merged.
#[derive(Debug)]
pub(crate) struct Scorer {
    plan: BatteryPlan,
    reads_demos: bool,
}

impl Scorer {
    pub(crate) fn own() -> Result<Scorer, Vec<Diagnostic>> {
        let programs: Vec<_> = own()?.iter().map(without_witness).collect();
        Ok(Scorer {
            plan: BatteryPlan::new(Battery::from_programs(&programs, Rules::ALL)),
            reads_demos: programs.iter().any(|program| program.reads(Input::S)),
        })
    }

    /// The credit of a right output.
    pub(crate) fn full(&self) -> u32 {
        self.plan.battery().outs.len() as u32 * FULL_MARKS as u32
    }

    pub(crate) fn with_worker<T>(
        &self,
        cancel: &CancelToken,
        body: impl FnOnce(&mut Worker<'_>) -> T,
    ) -> T {
        let engine = Engine {
            fuel: SCORING_FUEL,
            cancel: cancel.clone(),
            ..Engine::default()
        };
        self.plan.with_worker(&engine, body)
    }

    /// Scores grids as candidates for a demonstration. `add` takes the number of a grid and the
    /// credit that one scoring program gives it.
    pub(crate) fn mark<'g>(
        &self,
        worker: &mut Worker<'_>,
        (puzzle, demo): (&Puzzle, usize),
        grids: impl IntoIterator<Item = &'g Grid>,
        mut add: impl FnMut(usize, u32),
    ) {
        let seen = Seen {
            demos: demos_if(self.reads_demos, puzzle),
            expected: Some(&puzzle.demos[demo].output),
        };
        worker.run(&seen, grids, |k, _, outcome| add(k, number_of(&outcome)));
    }
}

/// The number that a scoring program gave, within its bounds; 0 if it gave none.
fn number_of(outcome: &Outcome) -> u32 {
    let Outcome::Value(value) = outcome else {
        return 0;
    };
    let number = value.as_i64().unwrap_or(0);
    number.clamp(0, FULL_MARKS) as u32
}
