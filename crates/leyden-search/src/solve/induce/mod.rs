//! Learns rules from the demonstrations: which cells, which objects, which colour.
//!
//! Words describe the cells and objects of a picture. Each word is an arc-dsl expression, so a rule
//! over words is a program. The search checks a rule by running its program.

mod branch;
mod crop;
mod field;
mod frames;
mod learn;
mod select;
mod text;
mod words;

use leyden_exec::{Engine, Outcome, Sample};
use leyden_grid::{Grid, Puzzle};
use leyden_lang::Program;

use super::FUEL;
use super::chain::{chained, program_of, simplified};
use super::effort::Span;
use super::moves::Kit;
use super::price::{PricePart, UNIT};
use super::states::{StateId, States, engine};
use field::{Field, values};
use frames::Frame;
use learn::{Learner, Plan};
use select::add_selections;
use words::{Kind, Words};

/// The cost of each demonstration that a rule cannot predict.
const UNFORESEEN_COST: u32 = 3;
/// The number of starting pictures to try. Such a picture must leave few cells wrong.
const MAX_STARTS: usize = 3;

/// A program made of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) program: Program,
    /// The number of demonstrations that it reproduces.
    pub(crate) n_demos: usize,
    /// The parts of its price.
    pub(crate) parts: Vec<PricePart>,
    /// One answer for each test input.
    pub(crate) answers: Vec<Grid>,
}

/// A program to try, in arc-dsl.
struct Idea {
    text: String,
    /// The cost of the rule in whole units.
    cost: u32,
    /// The price of the picture that it starts from.
    picture: Option<PricePart>,
    /// The program that makes the picture, if the text does not.
    before: Option<Program>,
    /// Whether it was learned from all demonstrations.
    is_whole: bool,
}

/// Programs made of rules that the demonstrations suggest. The states lend their pictures.
pub(crate) fn induce(puzzle: &Puzzle, kit: &Kit, states: &States, span: &Span<'_>) -> Vec<Found> {
    let frames = frames::first(puzzle, kit, states);
    let ideas = with_fields(span, |ask| {
        let mut ideas = Vec::new();
        if !is_same_size(puzzle) {
            let field = ask(puzzle, "I".to_owned());
            ideas.extend(crop::ideas(puzzle, &field));
            ideas.extend(crop::around_cells(puzzle, &field));
            ideas.extend(crop::fixed(puzzle));
            ideas.extend(branch::ideas(puzzle, &field));
        }
        for frame in frames.take_while(|_| !span.is_over()) {
            let mut field = ask(&frame.puzzle, frame.text.clone());
            if field.picture == "I" && frame.before.is_none() {
                ideas.extend(branch::ideas(puzzle, &field));
            }
            ideas.extend(on_frame(frame, &mut field));
        }
        ideas
    });
    in_time(&ideas, puzzle, span)
}

/// Programs that follow a rule on pictures that moves made, as long as no rule suits all
/// demonstrations.
pub(crate) fn induce_on(
    chosen: &[StateId],
    puzzle: &Puzzle,
    kit: &Kit,
    states: &States,
    span: &Span<'_>,
) -> Vec<Found> {
    let frames = frames::of(chosen, puzzle, kit, states);
    let ideas = with_fields(span, |ask| {
        let mut ideas: Vec<Idea> = Vec::new();
        for frame in frames {
            if span.is_over() || ideas.iter().any(|idea| idea.is_whole) {
                break;
            }
            let mut field = ask(&frame.puzzle, frame.text.clone());
            ideas.extend(on_frame(frame, &mut field));
        }
        ideas
    });
    in_time(&ideas, puzzle, span)
}

/// Lets a body evaluate all words on pictures of its choice.
fn with_fields<'f, T: Default>(
    span: &'f Span<'f>,
    body: impl FnOnce(&mut dyn FnMut(&Puzzle, String) -> Field<'f>) -> T,
) -> T {
    let Some(words) = Words::own() else {
        return T::default();
    };
    words.plan.with_worker(&engine(FUEL), |worker| {
        body(&mut |puzzle, text| Field::new(words, worker, puzzle, text, span))
    })
}

/// The rules on a picture with the sizes of the outputs.
fn on_frame(frame: Frame, field: &mut Field<'_>) -> Vec<Idea> {
    field.pieces = frame.pieces;
    let found = recoloured(&frame.puzzle, field).into_iter();
    let priced = |idea: Idea| Idea {
        picture: (frame.cost > 0)
            .then(|| PricePart::new("the picture that it starts from", frame.cost)),
        before: frame.before.clone(),
        ..idea
    };
    found.map(priced).collect()
}

/// Tries ideas while there is time.
fn in_time(ideas: &[Idea], puzzle: &Puzzle, span: &Span<'_>) -> Vec<Found> {
    let in_time = ideas.iter().take_while(|_| !span.is_late_now());
    let found = in_time.filter_map(|idea| tried(idea, puzzle, span));
    found.collect()
}

fn is_same_size(puzzle: &Puzzle) -> bool {
    let mut pairs = puzzle.demos.iter();
    pairs.all(|pair| {
        pair.input.height() == pair.output.height() && pair.input.width() == pair.output.width()
    })
}

/// Rules for outputs that are recoloured inputs.
fn recoloured(puzzle: &Puzzle, field: &mut Field<'_>) -> Vec<Idea> {
    let target: Vec<i8> = puzzle
        .demos
        .iter()
        .flat_map(|pair| values(&pair.output))
        .collect();
    let mut constants = target.clone();
    constants.sort_unstable();
    constants.dedup();
    let mut masks = field.masks_and_pieces();
    let mut sources = field.sources(&constants);
    let mut ideas = Vec::new();
    for (text, cost, base) in starts(field, &target) {
        if field.is_over() {
            return ideas;
        }
        let text = field.here(text);
        let learner = Learner::new(field, &masks, &sources, &target, (&text, base));
        ideas.extend(learned(field, &learner, cost));
    }
    let is_fitted = ideas.iter().any(|idea| idea.is_whole);
    if !is_fitted
        && !field.is_over()
        && add_selections(puzzle, field, &target, &mut masks, &mut sources)
    {
        let text = field.picture.clone();
        let learner = Learner::new(field, &masks, &sources, &target, (&text, &field.input));
        ideas.extend(learned(field, &learner, 0));
    }
    ideas
}

/// Starting pictures with their costs.
fn starts<'f>(field: &'f Field<'_>, target: &[i8]) -> Vec<(&'f str, u32, &'f [i8])> {
    let n_wrong = |values: &[i8]| values.iter().zip(target).filter(|(a, b)| a != b).count();
    let n_wrong_before = n_wrong(&field.input);
    let others = field.said.iter().zip(&field.words.all);
    let others = others.filter(|(_, word)| word.kind == Kind::Start);
    let mut others: Vec<(usize, &str, u32, &[i8])> = others
        .filter_map(|(said, word)| {
            let said = said.as_deref()?;
            Some((n_wrong(said), word.text.as_str(), word.cost, said))
        })
        .filter(|(n, ..)| *n < n_wrong_before)
        .collect();
    others.sort_by_key(|(n, _, cost, _)| (*n, *cost));
    let others = others
        .into_iter()
        .map(|(_, text, cost, said)| (text, cost, said));
    let input = ("I", 0, field.input.as_slice());
    std::iter::once(input)
        .chain(others.take(MAX_STARTS))
        .collect()
}

/// The rules for all demonstrations; if there are none, those for all but one.
fn learned(field: &Field<'_>, learner: &Learner<'_>, start_cost: u32) -> Vec<Idea> {
    let plans = learner.learn(None);
    let n_demos = field.n_demos;
    let idea = |plan: &Plan<'_>, more: u32| Idea {
        text: field.plan_text(plan),
        cost: start_cost + plan.cost + more,
        picture: None,
        before: None,
        is_whole: !plans.is_empty(),
    };
    if n_demos < 2 {
        return plans
            .iter()
            .map(|plan| idea(plan, UNFORESEEN_COST))
            .collect();
    }
    let without_one = (0..n_demos).map(|demo| (demo, learner.learn(Some(demo))));
    let without_one: Vec<(usize, Vec<Plan<'_>>)> = without_one.collect();
    let is_foreseen = |(demo, plans): &&(usize, Vec<Plan<'_>>)| {
        plans.first().is_some_and(|plan| learner.gives(plan, *demo))
    };
    let n_foreseen = without_one.iter().filter(is_foreseen).count();
    let more = UNFORESEEN_COST * (n_demos - n_foreseen) as u32;
    if plans.is_empty() {
        let firsts = without_one.iter().filter_map(|(_, plans)| plans.first());
        firsts.map(|plan| idea(plan, more)).collect()
    } else {
        plans.iter().map(|plan| idea(plan, more)).collect()
    }
}

fn parts(idea: &Idea) -> Vec<PricePart> {
    let rule = PricePart::new("a rule over cells", idea.cost * UNIT);
    [rule].into_iter().chain(idea.picture.clone()).collect()
}

/// Runs the program of an idea; `None` if it does nothing right.
fn tried(idea: &Idea, puzzle: &Puzzle, span: &Span<'_>) -> Option<Found> {
    let program = program_of(&format!("solve_{}", puzzle.id), &idea.text)?;
    let program = match &idea.before {
        Some(before) => simplified(&chained(before, &program)),
        None => simplified(&program),
    };
    let engine = Engine::default();
    let run = |input: &Grid| {
        let ran = engine.run_metered(&program, &Sample::of(input));
        span.spend(ran.fuel);
        ran.outcome
    };
    let is_right =
        |pair: &&leyden_grid::Pair| !span.is_late() && run(&pair.input).equals(&pair.output);
    let n_demos = puzzle.demos.iter().filter(is_right).count();
    let answer = |input: &Grid| match run(input) {
        Outcome::Grid(output) => output.to_grid(),
        _ => None,
    };
    let answers: Option<Vec<Grid>> = puzzle.test_inputs.iter().map(answer).collect();
    Some(Found {
        answers: answers.filter(|_| n_demos > 0)?,
        n_demos,
        parts: parts(idea),
        program,
    })
}
