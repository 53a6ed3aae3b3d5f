//! The moves of the search, read from text.

use leyden_exec::BatteryPlan;
use leyden_grid::Puzzle;
use leyden_lang::{Battery, Program, Rules};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

use super::chain::program_of;
use super::facts::Facts;
use super::price::{BIT, Tenths};

/// Our moves.
const SOURCE: &str = include_str!("../../moves/moves.txt");

/// The largest number of texts of a line. Words that stand for several texts multiply.
const MOST_TEXTS: usize = 100_000;

/// The largest price of a move, in bits.
const MAX_BITS: u32 = 1_000;

/// A problem with a text of moves.
#[derive(Debug, Error)]
pub enum MovesError {
    /// A line is neither a definition nor a move.
    #[error("line {0}: expected `let word = …`, `bits name: expression`, `bits! …` or `bits!! …`")]
    Line(usize),
    /// A word in braces is not defined.
    #[error("line {line}: {{{word}}} is not defined")]
    Word {
        /// The line, counted from 1.
        line: usize,
        /// The word.
        word: String,
    },
    /// A text has more moves than a search could make.
    #[error("line {0}: its words make more than {MOST_TEXTS} moves")]
    TooMany(usize),
    /// An expression is not arc-dsl.
    #[error("the move `{0}` is not arc-dsl; `leyden primitives` lists the names")]
    Expression(String),
}

/// A move: a program from picture to picture.
#[derive(Clone, Debug)]
pub(crate) struct Move {
    /// Its name, with the words it was made for.
    pub(crate) name: String,
    /// Its price: how unlikely it is.
    pub(crate) cost: Tenths,
    /// Its program.
    pub(crate) program: Program,
    /// The colours that it needs and draws.
    needs: Needs,
    reach: Reach,
}

/// The pictures from which a move is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// All pictures.
    Any,
    /// The inputs alone, as there are many such moves.
    First,
    /// The inputs alone, and the move may take long.
    Long,
}

/// Colours as bits.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    looks_for: u16,
    draws: u16,
}

impl Needs {
    fn are_met(self, facts: &Facts) -> bool {
        self.looks_for & !facts.colours_in == 0 && self.draws & !facts.colours_out == 0
    }
}

/// A move that depends on the facts of a task.
#[derive(Debug)]
struct Template {
    head: Head,
    text: Text,
}

/// The part before the colon.
#[derive(Clone, Debug)]
struct Head {
    name: String,
    cost: Tenths,
    reach: Reach,
}

impl Head {
    fn parse(text: &str) -> Option<Head> {
        let (cost, name) = text.split_once(' ')?;
        let digits = cost.trim_end_matches('!');
        let reach = match cost.len() - digits.len() {
            0 => Reach::Any,
            1 => Reach::First,
            2 => Reach::Long,
            _ => return None,
        };
        Some(Head {
            name: name.to_owned(),
            cost: tenths(digits)?,
            reach,
        })
    }
}

/// Reads a number of bits, such as `4` or `4.5`.
fn tenths(bits: &str) -> Option<Tenths> {
    let bits: f64 = bits.parse().ok()?;
    let is_price = (0.0..=f64::from(MAX_BITS)).contains(&bits);
    is_price.then(|| (bits * f64::from(BIT)).round() as Tenths)
}

/// A text with words in braces, and the words chosen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) text: String,
    needs: Needs,
}

/// All moves.
#[derive(Debug)]
pub struct Moves {
    moves: Vec<Move>,
    templates: Vec<Template>,
    hash: u128,
}

/// The moves that make sense for a task, ready to run at once.
#[derive(Debug)]
pub(crate) struct Kit {
    /// The moves. Those from the inputs alone come last, and the long ones at the very end.
    pub(crate) moves: Vec<Move>,
    /// The moves from the inputs, except for the long ones.
    pub(crate) first: BatteryPlan,
    /// The moves from all other pictures.
    pub(crate) later: BatteryPlan,
    /// The long moves.
    pub(crate) long: BatteryPlan,
}

impl Kit {
    fn new(mut moves: Vec<Move>) -> Kit {
        moves.sort_by_key(|it| it.reach);
        let n_up_to = |reach| moves.partition_point(|it| it.reach <= reach);
        let (n_later, n_first) = (n_up_to(Reach::Any), n_up_to(Reach::First));
        let programs: Vec<Program> = moves.iter().map(|m| m.program.clone()).collect();
        let plan = |programs| BatteryPlan::new(Battery::from_programs(programs, Rules::ALL));
        Kit {
            moves,
            first: plan(&programs[..n_first]),
            later: plan(&programs[..n_later]),
            long: plan(&programs[n_first..]),
        }
    }
}

impl Moves {
    /// Our moves.
    pub fn own() -> Result<Moves, MovesError> {
        Moves::parse(SOURCE)
    }

    /// Parses the moves of a text.
    pub fn parse(source: &str) -> Result<Moves, MovesError> {
        let mut all = Moves {
            moves: Vec::new(),
            templates: Vec::new(),
            hash: xxh3_128(source.as_bytes()),
        };
        each_template(source, |line, head, text| {
            let head = Head::parse(head).ok_or(MovesError::Line(line))?;
            all.add(head, text)
        })?;
        Ok(all)
    }

    /// The number of moves. Those that depend on the task count once.
    pub fn n_moves(&self) -> usize {
        self.moves.len() + self.templates.len()
    }

    /// A hash of their text.
    pub fn content_hash(&self) -> u128 {
        self.hash
    }

    fn add(&mut self, head: Head, text: Text) -> Result<(), MovesError> {
        match first_word(&text.text, |_| true) {
            None => self.moves.push(parsed(&head, &text)?),
            Some(_) => self.templates.push(Template { head, text }),
        }
        Ok(())
    }

    /// The moves that make sense for a task.
    pub(crate) fn kit(&self, puzzle: &Puzzle) -> Kit {
        let facts = Facts::of(puzzle);
        let fitting = self.moves.iter().filter(|m| m.needs.are_met(&facts));
        let mut moves: Vec<Move> = fitting.cloned().collect();
        for template in &self.templates {
            let texts = facts.expanded(&template.text.text);
            let needs = template.text.needs;
            let made = texts
                .into_iter()
                .filter_map(|text| parsed(&template.head, &Text { text, needs }).ok());
            moves.extend(made.filter(|_| needs.are_met(&facts)));
        }
        Kit::new(moves)
    }
}

/// Reads lines `let word = first | second` and `head: template`; returns all texts of each template
/// with its line number and head.
pub(super) fn each_template(
    source: &str,
    mut each: impl FnMut(usize, &str, Text) -> Result<(), MovesError>,
) -> Result<(), MovesError> {
    let mut words: Vec<(String, Vec<Text>)> = Vec::new();
    for (number, line) in (1..).zip(source.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = MovesError::Line(number);
        if let Some(definition) = line.strip_prefix("let ") {
            let (word, choices) = definition.split_once(" = ").ok_or(wrong)?;
            let choices = expanded(choices, &words, number)?;
            words.push((word.to_owned(), choices));
            continue;
        }
        let (head, template) = line.split_once(": ").ok_or(wrong)?;
        for text in expanded(template, &words, number)? {
            each(number, head, text)?;
        }
    }
    Ok(())
}

/// All texts of a template. Words that depend on the task stay.
fn expanded(
    template: &str,
    words: &[(String, Vec<Text>)],
    line: usize,
) -> Result<Vec<Text>, MovesError> {
    let mut done = Vec::new();
    let text = |text: &str| Text {
        text: text.to_owned(),
        ..Text::default()
    };
    let mut open: Vec<Text> = template.split(" | ").map(text).collect();
    open.reverse();
    while let Some(text) = open.pop() {
        if done.len() + open.len() > MOST_TEXTS {
            return Err(MovesError::TooMany(line));
        }
        let Some(word) = first_word(&text.text, |word| !Facts::WORDS.contains(&word)) else {
            done.push(text);
            continue;
        };
        let choices = match words.iter().find(|(known, _)| *known == word) {
            Some((_, choices)) => choices.clone(),
            None => colours(&word).ok_or_else(|| MovesError::Word {
                line,
                word: word.clone(),
            })?,
        };
        open.extend(choices.iter().rev().map(|choice| put(&text, &word, choice)));
    }
    Ok(done)
}

/// Replaces a word of the text by one of its choices.
fn put(text: &Text, word: &str, choice: &Text) -> Text {
    Text {
        text: text.text.replace(&format!("{{{word}}}"), &choice.text),
        needs: Needs {
            looks_for: text.needs.looks_for | choice.needs.looks_for,
            draws: text.needs.draws | choice.needs.draws,
        },
    }
}

/// The colours for a word: those that a move looks for (`in`, `other`) or draws (`out`).
fn colours(word: &str) -> Option<Vec<Text>> {
    let needs = |colour: u16| match word {
        "in" | "other" => Some(Needs {
            looks_for: 1 << colour,
            draws: 0,
        }),
        "out" => Some(Needs {
            looks_for: 0,
            draws: 1 << colour,
        }),
        _ => None,
    };
    let choice = |colour: u16| {
        Some(Text {
            text: colour.to_string(),
            needs: needs(colour)?,
        })
    };
    (1..=9).map(choice).collect()
}

/// The first word in braces that is wanted.
fn first_word(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    let after_braces = text.split('{').skip(1);
    let mut words = after_braces.filter_map(|rest| Some(rest.split_once('}')?.0));
    words.find(|word| is_wanted(word)).map(str::to_owned)
}

fn parsed(head: &Head, text: &Text) -> Result<Move, MovesError> {
    let (name, expression) = (&head.name, &text.text);
    let program = program_of(name, expression)
        .ok_or_else(|| MovesError::Expression(format!("{name}: {expression}")))?;
    Ok(Move {
        name: format!("{name}: {expression}"),
        cost: head.cost,
        program,
        needs: text.needs,
        reach: head.reach,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_grid::{Grid, Pair};

    fn puzzle(input: (usize, usize), output: (usize, usize)) -> Puzzle {
        let grid = |(height, width): (usize, usize)| {
            let cells: Vec<u8> = (0..height * width).map(|k| (k % 10) as u8).collect();
            Grid::from_cells(height, width, &cells).unwrap()
        };
        Puzzle {
            id: "some".parse().unwrap(),
            demos: vec![
                Pair {
                    input: grid(input),
                    output: grid(output),
                };
                2
            ],
            test_inputs: vec![grid(input)],
        }
    }

    #[test]
    fn whatever_a_task_tells_own_moves_are_arc_dsl() {
        let moves = Moves::own().unwrap();
        let mut is_made = vec![false; moves.templates.len()];
        let sizes = [((4, 5), (8, 10)), ((6, 6), (3, 3)), ((3, 3), (4, 5))];
        let mut puzzles: Vec<Puzzle> = sizes.map(|(i, o)| puzzle(i, o)).to_vec();
        let mut recoloured = puzzle((2, 2), (2, 2));
        for pair in &mut recoloured.demos {
            pair.output = Grid::from_cells(2, 2, &[4, 5, 6, 7]).unwrap();
        }
        puzzles.push(recoloured);
        for puzzle in &puzzles {
            let facts = Facts::of(puzzle);
            for (template, is_made) in moves.templates.iter().zip(&mut is_made) {
                for text in facts.expanded(&template.text.text) {
                    let needs = Needs::default();
                    parsed(&template.head, &Text { text, needs }).unwrap();
                    *is_made = true;
                }
            }
        }
        let made = moves.templates.iter().zip(is_made);
        let unmade = made.filter(|(_, is_made)| !is_made);
        let unmade: Vec<&str> = unmade.map(|(it, _)| it.head.name.as_str()).collect();
        assert_eq!(unmade, [""; 0]);
    }

    #[test]
    fn long_moves_are_for_the_inputs_alone() {
        let text = "4!! late: vconcat(I, I)\n2 turn: rot90(I)\n3! twice: hconcat(I, I)\n";
        let moves = Moves::parse(text).unwrap();
        let kit = moves.kit(&puzzle((2, 2), (2, 4)));
        let costs: Vec<u32> = kit.moves.iter().map(|it| it.cost).collect();
        assert_eq!(costs, [20, 30, 40]);
        assert_eq!(kit.later.battery().outs.len(), 1);
        assert_eq!(kit.first.battery().outs.len(), 2);
        assert_eq!(kit.long.battery().outs.len(), 1);
    }

    #[test]
    fn moves_with_colours_that_do_not_occur_are_left_out() {
        let moves = Moves::parse("2 keep: replace(I, {in}, {out})\n").unwrap();
        let kit = moves.kit(&puzzle((1, 3), (1, 2)));
        let names: Vec<&str> = kit.moves.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["keep: replace(I, 1, 1)", "keep: replace(I, 2, 1)"]);
    }
}
