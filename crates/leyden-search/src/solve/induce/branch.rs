//! Outputs that are one of a few pictures. A property of the whole input decides which.

use leyden_grid::{Grid, Puzzle};

use super::field::Field;
use super::words::Kind;
use super::{Idea, UNFORESEEN_COST};

/// The cost of each picture, in addition to the question.
const PICTURE_COST: u32 = 3;
/// The largest number of distinct outputs, and of ideas to try.
const MAX_PICTURES: usize = 4;
const MAX_IDEAS: usize = 6;

/// Rules that derive the picture from one number.
pub(super) fn ideas(puzzle: &Puzzle, field: &Field<'_>) -> Vec<Idea> {
    let outputs: Vec<&Grid> = puzzle.demos.iter().map(|pair| &pair.output).collect();
    let mut pictures: Vec<&Grid> = Vec::new();
    for output in &outputs {
        if !pictures.contains(output) {
            pictures.push(output);
        }
    }
    if !(2..=MAX_PICTURES).contains(&pictures.len()) || pictures.len() == outputs.len() {
        return Vec::new();
    }
    let n_seen = |picture: &&&Grid| outputs.iter().filter(|output| *output == *picture).count();
    let n_unforeseen = pictures.iter().filter(|p| n_seen(p) == 1).count() as u32;
    let cost = PICTURE_COST * pictures.len() as u32 + UNFORESEEN_COST * n_unforeseen;
    let words = field.words.all.iter().zip(&field.said);
    let words = words.filter(|(word, _)| matches!(word.kind, Kind::Global | Kind::Colour));
    let mut ideas: Vec<Idea> = words
        .filter_map(|(word, said)| {
            let said = said.as_deref()?;
            let numbers: Vec<i8> = field.ranges().map(|range| said[range.start]).collect();
            Some(Idea {
                text: choice(&word.text, &numbers, &outputs)?,
                cost: cost + word.cost,
                picture: None,
                before: None,
                is_whole: true,
            })
        })
        .collect();
    ideas.sort_by_key(|idea| idea.cost);
    ideas.truncate(MAX_IDEAS);
    ideas
}

/// The picture for each number, if the numbers decide it.
fn choice(text: &str, numbers: &[i8], outputs: &[&Grid]) -> Option<String> {
    let mut known: Vec<(i8, &Grid)> = Vec::new();
    for (number, output) in numbers.iter().zip(outputs) {
        match known.iter().find(|(seen, _)| seen == number) {
            None => known.push((*number, output)),
            Some((_, seen)) if seen == output => {}
            Some(_) => return None,
        }
    }
    known.sort();
    // A threshold between two pictures is simpler.
    let changes = known.windows(2).filter(|pair| pair[0].1 != pair[1].1);
    if let [(below, smaller), (_, larger)] = changes.clone().flatten().collect::<Vec<_>>()[..] {
        let (larger, smaller) = (literal(larger), literal(smaller));
        return Some(format!(
            "branch(greater({text}, {below}), {larger}, {smaller})"
        ));
    }
    let (last, others) = known.split_last()?;
    let start = literal(last.1);
    Some(others.iter().rev().fold(start, |rest, (number, picture)| {
        format!(
            "branch(equality({text}, {number}), {}, {rest})",
            literal(picture)
        )
    }))
}

/// A grid as a literal.
fn literal(grid: &Grid) -> String {
    let tuple = |items: Vec<String>| match &items[..] {
        [one] => format!("({one},)"),
        _ => format!("({})", items.join(", ")),
    };
    let row = |row: &[u8]| tuple(row.iter().map(u8::to_string).collect());
    tuple(grid.rows().map(row).collect())
}
