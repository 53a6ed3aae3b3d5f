//! The moves of the search, read from text.

use std::fmt::Write;

use leyden_dsl::table::Dialect;
use leyden_exec::BatteryPlan;
use leyden_lang::{Battery, Program, Rules, parse_python};
use thiserror::Error;

/// Our own moves.
const SOURCE: &str = include_str!("../../moves/moves.txt");

/// What is wrong with a text of moves.
#[derive(Debug, Error)]
pub enum MovesError {
    /// A line is neither a definition nor a move.
    #[error("line {0}: expected `let word = …` or `cost name: expression`")]
    Line(usize),
    /// A word in braces is not defined.
    #[error("line {line}: {{{word}}} is not defined")]
    Word {
        /// The line, counted from 1.
        line: usize,
        /// The word.
        word: String,
    },
    /// An expression is not arc-dsl.
    #[error("move {0} is not arc-dsl")]
    Expression(String),
}

/// A move: a program from picture to picture.
#[derive(Debug)]
pub struct Move {
    /// What it does, with what it was made for.
    pub name: String,
    /// How unlikely it is thought to be.
    pub cost: u32,
    /// What it does.
    pub program: Program,
}

/// All moves, ready to be run at once.
#[derive(Debug)]
pub struct Moves {
    moves: Vec<Move>,
    plan: BatteryPlan,
}

impl Moves {
    /// Our own.
    pub fn own() -> Result<Moves, MovesError> {
        Moves::parse(SOURCE)
    }

    /// The moves of a text.
    pub fn parse(source: &str) -> Result<Moves, MovesError> {
        let mut words: Vec<(String, Vec<String>)> = Vec::new();
        let mut moves = Vec::new();
        for (k, line) in source.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(definition) = line.strip_prefix("let ") {
                let (word, choices) = definition
                    .split_once(" = ")
                    .ok_or(MovesError::Line(k + 1))?;
                let choices = expanded(choices, &words, k + 1)?;
                words.push((word.to_owned(), choices));
                continue;
            }
            let (head, expression) = line.split_once(": ").ok_or(MovesError::Line(k + 1))?;
            let (cost, name) = head.split_once(' ').ok_or(MovesError::Line(k + 1))?;
            let cost: u32 = cost.parse().map_err(|_| MovesError::Line(k + 1))?;
            for expression in expanded(expression, &words, k + 1)? {
                moves.push(parsed(name, cost, &expression)?);
            }
        }
        let programs: Vec<Program> = moves.iter().map(|m| m.program.clone()).collect();
        let plan = BatteryPlan::new(Battery::from_programs(&programs, Rules::ALL));
        Ok(Moves { moves, plan })
    }

    /// All of them.
    pub fn all(&self) -> &[Move] {
        &self.moves
    }

    /// All of them as a battery.
    pub fn plan(&self) -> &BatteryPlan {
        &self.plan
    }
}

/// All texts that a template stands for.
pub(super) fn expanded(
    template: &str,
    words: &[(String, Vec<String>)],
    line: usize,
) -> Result<Vec<String>, MovesError> {
    let mut done = Vec::new();
    let mut open: Vec<String> = template.split(" | ").map(str::to_owned).collect();
    open.reverse();
    while let Some(text) = open.pop() {
        let Some(word) = first_word(&text) else {
            done.push(text);
            continue;
        };
        let Some((_, choices)) = words.iter().find(|(known, _)| *known == word) else {
            return Err(MovesError::Word { line, word });
        };
        let braced = format!("{{{word}}}");
        open.extend(
            choices
                .iter()
                .rev()
                .map(|choice| text.replace(&braced, choice)),
        );
    }
    Ok(done)
}

/// The first word in braces.
fn first_word(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('{')?;
    Some(rest.split_once('}')?.0.to_owned())
}

fn parsed(name: &str, cost: u32, expression: &str) -> Result<Move, MovesError> {
    let mut source = String::new();
    let _ = write!(source, "def {name}(I):\n    return {expression}\n");
    let programs = parse_python(&source, "moves.txt", Some(Dialect::ArcDsl));
    let program = programs.ok().and_then(|mut programs| programs.pop());
    let program = program.ok_or_else(|| MovesError::Expression(format!("{name}: {expression}")))?;
    Ok(Move {
        name: format!("{name}: {expression}"),
        cost,
        program,
    })
}
