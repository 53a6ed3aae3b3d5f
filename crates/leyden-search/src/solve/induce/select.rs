//! Patches drawn for some objects only.
//!
//! Some words draw something for every object of a set. If a word draws too much but misses
//! nothing, its objects may have to pass a test first.

use leyden_exec::{BatteryPlan, Engine, Outcome};
use leyden_grid::Puzzle;
use leyden_lang::{Battery, Program, Rules};

use super::super::bits::Bits;
use super::super::chain::program_of;
use super::field::{Field, Mask, Name, Source};
use super::words::{Kind, UNPAINTED};

/// The number of words tried with tests, and of tests for each.
const MAX_WORDS: usize = 5;
const MAX_TESTS: usize = 150;

/// A word with a test for its objects.
struct Selection {
    word: usize,
    cost: u32,
    text: String,
}

/// Adds masks and sources for objects that pass tests, for promising words. Returns whether there
/// are any.
pub(super) fn add_selections(
    puzzle: &Puzzle,
    field: &mut Field<'_>,
    target: &[i8],
    masks: &mut Vec<Mask>,
    sources: &mut Vec<Source>,
) -> bool {
    let words = promising(field, target);
    let mut selections = Vec::new();
    for (word, set) in words {
        selections.extend(with_tests(field, word, set));
    }
    let said = ask(puzzle, field, &selections);
    let n_before = field.texts.len();
    for (selection, said) in selections.into_iter().zip(said) {
        let Some(said) = said else { continue };
        let (cost, name) = (selection.cost, Name::Text(field.texts.len()));
        match field.words.all[selection.word].kind {
            Kind::Painted => sources.push(Source {
                cost,
                name,
                values: said,
            }),
            _ => masks.push(Mask {
                bits: Bits::of(field.n_bits, |k| said[k] == 1),
                cost,
                name,
                how: super::field::How::Yes,
            }),
        }
        field.texts.push((selection.text, selection.word));
    }
    field.texts.len() > n_before
}

/// Words that draw too much but miss nothing, with their sets of objects.
fn promising(field: &Field<'_>, target: &[i8]) -> Vec<(usize, usize)> {
    let wrong: Vec<usize> = (0..target.len())
        .filter(|k| field.input[*k] != target[*k])
        .collect();
    let mut colours: Vec<i8> = wrong.iter().map(|k| target[*k]).collect();
    colours.sort_unstable();
    colours.dedup();
    let is_promising = |word: usize, said: &[i8]| match field.words.all[word].kind {
        Kind::Cells => colours.iter().any(|colour| {
            let mut needed = wrong.iter().filter(|k| target[**k] == *colour);
            let is_too_much = || (0..target.len()).any(|k| said[k] == 1 && target[k] != *colour);
            needed.all(|k| said[*k] == 1) && is_too_much()
        }),
        Kind::Painted => {
            let n_right = wrong.iter().filter(|k| said[**k] == target[**k]).count();
            let is_too_much = |k: usize| said[k] != UNPAINTED && said[k] != target[k];
            2 * n_right >= wrong.len() && n_right > 0 && (0..target.len()).any(is_too_much)
        }
        _ => false,
    };
    let said = field.said.iter().enumerate();
    let said = said.filter_map(|(word, said)| Some((word, said.as_deref()?)));
    let words = said.filter(|(word, said)| is_promising(*word, said));
    let mut words: Vec<(usize, usize)> = words
        .filter_map(|(word, _)| Some((word, set_of(field, word)?)))
        .collect();
    words.sort_by_key(|(word, _)| (field.words.all[*word].cost, *word));
    words.truncate(MAX_WORDS);
    words
}

/// The set of objects for which a word draws something.
fn set_of(field: &Field<'_>, word: usize) -> Option<usize> {
    let text = &field.words.all[word].text;
    let is_last = |set: &super::words::Objects| text.ends_with(&format!(", {})", set.text));
    let set = field.words.objects.iter().position(is_last);
    set.filter(|_| text.starts_with("mapply("))
}

fn with_tests(field: &Field<'_>, word: usize, set: usize) -> Vec<Selection> {
    let mut tests = field.masks(|kind| kind == Kind::Number(set) || kind == Kind::Test(set));
    tests.sort_by_key(|mask| mask.cost);
    tests.truncate(MAX_TESTS);
    let all = &field.words.objects[set].text;
    let text = &field.words.all[word].text;
    let drawn = text.strip_suffix(&format!("{all})")).unwrap_or(text);
    let selection = |test: &Mask| {
        Some(Selection {
            word,
            cost: field.words.all[word].cost + test.cost,
            text: format!("{drawn}sfilter({all}, {}))", field.test_text(test)?),
        })
    };
    tests.iter().filter_map(selection).collect()
}

/// The values of selections for all cells.
fn ask(puzzle: &Puzzle, field: &Field<'_>, selections: &[Selection]) -> Vec<Option<Vec<i8>>> {
    let probe = |selection: &Selection| {
        let text = &selection.text;
        let probe = match field.words.all[selection.word].kind {
            Kind::Painted => format!("paint(canvas(NEG_ONE, shape(I)), {text})"),
            _ => format!("fill(canvas(0, shape(I)), 1, {text})"),
        };
        program_of("probe", &probe)
    };
    let programs: Option<Vec<Program>> = selections.iter().map(probe).collect();
    let Some(programs) = programs.filter(|programs| !programs.is_empty()) else {
        return vec![None; selections.len()];
    };
    let plan = BatteryPlan::new(Battery::from_programs(&programs, Rules::ALL));
    let mut said = vec![Some(Vec::with_capacity(field.n_bits)); selections.len()];
    let engine: Engine = super::engine(super::FUEL);
    let demos = puzzle.demos.iter().map(|pair| &pair.input);
    plan.with_worker(&engine, |worker| {
        for grid in demos.chain(&puzzle.test_inputs) {
            if field.is_over() {
                break;
            }
            let before = worker.counts();
            worker.run_grid(grid, |k, outcome| {
                if let (Outcome::Grid(output), Some(said)) = (outcome, &mut said[k])
                    && let Some((_, cells)) = output.as_rectangle()
                {
                    said.extend_from_slice(cells);
                }
            });
            field.count(worker.counts().since(before));
        }
    });
    let is_whole = |said: &Vec<i8>| said.len() == field.n_bits;
    said.into_iter().map(|said| said.filter(is_whole)).collect()
}
