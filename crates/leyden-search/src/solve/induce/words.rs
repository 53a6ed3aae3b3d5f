//! The words of rules, read from text.

use std::sync::OnceLock;

use leyden_exec::BatteryPlan;
use leyden_lang::{Battery, Program, Rules};

use super::super::chain::program_of;
use super::super::moves::{MovesError, Text, each_template};

/// Our words.
const SOURCE: &str = include_str!("../../../moves/rules.txt");

/// The type of a word's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number for each object of a set, which is given by its index.
    Number(usize),
    /// A truth value for each object of a set.
    Test(usize),
    /// A set of cells.
    Cells,
    /// A colour.
    Colour,
    /// A number for the picture as a whole.
    Global,
    /// A picture that may lend its colours.
    Picture,
    /// Objects with their own colours.
    Painted,
    /// A starting picture.
    Start,
}

/// A property of a picture.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) kind: Kind,
    pub(super) cost: u32,
    /// The expression in arc-dsl.
    pub(super) text: String,
}

/// A set of objects.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) cost: u32,
    /// The expression in arc-dsl.
    pub(super) text: String,
}

/// All words, ready to be evaluated.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) objects: Vec<Objects>,
    pub(super) all: Vec<Word>,
    pub(super) plan: BatteryPlan,
}

/// The number of a cell without an object.
pub(super) const NO_OBJECT: i8 = -2;
/// The number of a cell that is not painted.
pub(super) const UNPAINTED: i8 = -1;

impl Words {
    /// Our words. A wrong line of the text is a bug that the tests find.
    pub(super) fn own() -> Option<&'static Words> {
        static OWN: OnceLock<Option<Words>> = OnceLock::new();
        OWN.get_or_init(|| Words::parse(SOURCE).ok()).as_ref()
    }

    /// The words of a text.
    pub(super) fn parse(source: &str) -> Result<Words, MovesError> {
        let (mut objects, mut all) = (Vec::new(), Vec::new());
        each_template(source, |line, head, Text { text, .. }| {
            let wrong = || MovesError::Line(line);
            let (cost, kind) = head.split_once(' ').ok_or_else(wrong)?;
            let cost: u32 = cost.parse().map_err(|_| wrong())?;
            match kind {
                "objects" => objects.push(Objects { cost, text }),
                _ => all.extend(words(kind, cost, &text, &objects).ok_or_else(wrong)?),
            }
            Ok(())
        })?;
        let programs = all.iter().map(|word| probe(word, &objects));
        let programs: Vec<Program> = programs.collect::<Result<_, _>>()?;
        let plan = BatteryPlan::new(Battery::from_programs(&programs, Rules::ALL));
        Ok(Words { objects, all, plan })
    }
}

/// The words of a line. A property of objects makes one word for each set of objects.
fn words(kind: &str, cost: u32, text: &str, objects: &[Objects]) -> Option<Vec<Word>> {
    let word = |kind: Kind, text: String| Word { kind, cost, text };
    let of_objects = |kind: fn(usize) -> Kind| {
        let sets = objects.iter().enumerate();
        let words = sets.map(|(k, set)| word(kind(k), text.replace('@', &set.text)));
        words.collect()
    };
    let alone = |kind: Kind| vec![word(kind, text.to_owned())];
    Some(match kind {
        "number" => of_objects(Kind::Number),
        "test" => of_objects(Kind::Test),
        "cells" => alone(Kind::Cells),
        "colour" => alone(Kind::Colour),
        "global" => alone(Kind::Global),
        "picture" => alone(Kind::Picture),
        "painted" => alone(Kind::Painted),
        "start" => alone(Kind::Start),
        _ => return None,
    })
}

/// The program that shows a word's value as a picture.
fn probe(word: &Word, objects: &[Objects]) -> Result<Program, MovesError> {
    let text = &word.text;
    let said = |set: &usize, number: &str| {
        let set = &objects[*set].text;
        format!(
            "paint(canvas(NEG_TWO, shape(I)), mapply(fork(recolor, {number}, identity), {set}))"
        )
    };
    let expression = match &word.kind {
        Kind::Number(set) => said(set, text),
        Kind::Test(set) => said(set, &format!("compose(lbind(add, 0), {text})")),
        Kind::Cells => format!("fill(canvas(0, shape(I)), 1, {text})"),
        Kind::Colour | Kind::Global => format!("canvas({text}, UNITY)"),
        Kind::Painted => format!("paint(canvas(NEG_ONE, shape(I)), {text})"),
        Kind::Picture | Kind::Start => text.clone(),
    };
    program_of("probe", &expression).ok_or(MovesError::Expression(expression))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_words_are_well_formed() {
        let words = Words::parse(SOURCE).unwrap();
        assert!(
            words.objects.len() > 5 && words.all.len() > 1000,
            "{}",
            words.all.len()
        );
    }
}
