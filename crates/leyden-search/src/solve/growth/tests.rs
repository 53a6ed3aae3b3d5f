//! Every kernel against its text.

use leyden_exec::{Engine, Outcome, Sample};
use leyden_grid::{Grid, Puzzle};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::chain::program_of;
use super::ground::Ground;
use super::harvest::Ink;
use super::regions::{self, Border, Choice, Filling, Property, Regions};
use super::spread::{Near, Spread};
use super::stamps::{Mark, Places};
use super::walks::{Event, If, Turn, Vocabulary, Walk, Walkers};

/// Sparse cells and small rectangles in two colours.
fn picture(below: &mut impl FnMut(usize) -> usize) -> Grid {
    let (h, w) = (3 + below(8), 3 + below(8));
    let mut cells = vec![0; h * w];
    for _ in 0..1 + below(4) {
        let (top, left, colour) = (below(h), below(w), 1 + below(2) as u8);
        let (bottom, right) = ((top + below(3)).min(h - 1), (left + below(3)).min(w - 1));
        for i in top..=bottom {
            cells[i * w + left..=i * w + right].fill(colour);
        }
    }
    Grid::from_cells(h, w, &cells).unwrap()
}

/// Runs a text; `None` if it does not give a grid.
fn ran(text: &str, input: &Grid) -> Option<Grid> {
    let program = program_of("some", text).expect("arc-dsl");
    match Engine::default().run(&program, &Sample::of(input)) {
        Outcome::Grid(output) => output.to_grid(),
        _ => None,
    }
}

fn puzzle(input: &Grid) -> Puzzle {
    Puzzle {
        id: "some".parse().unwrap(),
        demos: Vec::new(),
        test_inputs: vec![input.clone()],
    }
}

#[test]
fn walks_draw_what_their_programs_draw() {
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let mut below = move |n: usize| random.next_u32() as usize % n;
    for round in 0..400 {
        let input = picture(&mut below);
        let ground = Ground::new(&puzzle(&input));
        let words = Vocabulary::of(&ground);
        let walkers = Walkers {
            ground: &ground,
            words: &words,
        };
        let mark = below(words.marks.len());
        let when = [
            If::Always,
            If::Behind(mark),
            If::Ahead(mark),
            If::Sees(mark),
            If::Flees(mark),
            If::FromBorder,
            If::Corner(mark),
        ];
        let turn = [Turn::Right, Turn::Left, Turn::Both][below(3)];
        let events = [
            Event::Stop,
            Event::Stop,
            Event::Turn(mark, turn),
            Event::Turns(mark, below(words.marks.len())),
            Event::Bounce,
        ];
        let walk = Walk {
            starts: below(words.starts.len()),
            when: when[below(when.len())],
            free: below(words.free.len()),
            event: events[below(events.len())],
        };
        let steps = [
            vec![(0, 1)],
            vec![(1, 1), (-1, 1)],
            vec![(1, 1), (-1, -1), (1, -1), (-1, 1)],
            vec![(1, 0), (-1, 0), (0, 1), (0, -1)],
            vec![(2, 0), (0, -2)],
        ];
        let is_straight = walk.event == Event::Stop;
        let steps = &steps[below(if is_straight { 5 } else { 4 })];
        for ink in [Ink::Own, Ink::Fixed(5)] {
            let Some(cells) = walkers.picture(&walk, steps, ink, 0) else {
                continue;
            };
            let ours = Grid::from_cells(input.height(), input.width(), &cells).ok();
            let text = walkers.text(&walk, steps, ink);
            let starts = &words.starts[walk.starts].text;
            assert_eq!(
                ran(&text, &input),
                ours,
                "round {round}: {walk:?} {steps:?} {ink:?} {starts}\n{text}\n{input:?}"
            );
        }
    }
}

fn grid_of(cells: &[u8], like: &Grid) -> Option<Grid> {
    Grid::from_cells(like.height(), like.width(), cells).ok()
}

#[test]
fn spreading_cells_draw_what_their_programs_draw() {
    let mut random = Pcg64Mcg::seed_from_u64(8);
    let mut below = move |n: usize| random.next_u32() as usize % n;
    for round in 0..200 {
        let input = picture(&mut below);
        let ground = Ground::new(&puzzle(&input));
        let words = Vocabulary::of(&ground);
        let walkers = Walkers {
            ground: &ground,
            words: &words,
        };
        let spread = Spread {
            starts: below(words.starts.len()),
            free: below(words.free.len()),
            near: Near::EVERY[below(3)],
            n_steps: [1, 2, 3, 60][below(4)],
        };
        for ink in [Ink::Own, Ink::Fixed(5)] {
            let Some(cells) = walkers.spread_picture(&spread, ink, 0) else {
                continue;
            };
            let text = walkers.spread_text(&spread, ink);
            let ours = grid_of(&cells, &input);
            assert_eq!(ran(&text, &input), ours, "round {round}: {text}\n{input:?}");
        }
    }
}

#[test]
fn regions_are_what_their_programs_fill() {
    let mut random = Pcg64Mcg::seed_from_u64(9);
    let mut below = move |n: usize| random.next_u32() as usize % n;
    for round in 0..300 {
        let input = picture(&mut below);
        let ground = Ground::new(&puzzle(&input));
        let regions = Regions::of(&ground);
        let properties = Property::all(&ground);
        let choice = Choice {
            colour: below(2) as u8,
            is_diagonal: below(2) == 0,
            border: [Border::Any, Border::Off, Border::On][below(3)],
            property: properties[below(properties.len())],
        };
        for filling in [Filling::Fixed(5), Filling::Frame] {
            let Some(cells) = regions.picture(&choice, filling, 0) else {
                continue;
            };
            let text = regions::text(&choice, filling);
            let ours = grid_of(&cells, &input);
            // An empty pool has no extreme.
            if let Some(theirs) = ran(&text, &input) {
                assert_eq!(
                    Some(theirs),
                    ours,
                    "round {round}: {choice:?} {text}\n{input:?}"
                );
            } else {
                let is_blank = cells.iter().all(|cell| *cell == 0);
                assert!(is_blank, "round {round}: {text}\n{input:?}");
            }
        }
    }
}

#[test]
fn stamps_are_what_their_programs_print() {
    let mut random = Pcg64Mcg::seed_from_u64(10);
    let mut below = move |n: usize| random.next_u32() as usize % n;
    for round in 0..200 {
        let input = picture(&mut below);
        let ground = Ground::new(&puzzle(&input));
        let words = Vocabulary::of(&ground);
        let walkers = Walkers {
            ground: &ground,
            words: &words,
        };
        let mark = below(words.marks.len());
        let is_diagonal = below(2) == 0;
        let when = [
            If::Always,
            If::Behind(mark),
            If::Ahead(mark),
            If::Sees(mark),
        ];
        let places = Places {
            starts: below(words.starts.len()),
            when: when[below(4)],
            is_diagonal,
        };
        let one = if below(2) == 0 { None } else { Some(3) };
        let stamp: [Mark; 3] = [((0, 1), one), ((1, -1), one), ((-2, 0), Some(3))];
        let stamp = &stamp[..1 + below(3)];
        let Some(cells) = walkers.stamped(&places, stamp, 0) else {
            continue;
        };
        let text = walkers.stamp_text(&places, stamp);
        let ours = grid_of(&cells, &input);
        assert_eq!(
            ran(&text, &input),
            ours,
            "round {round}: {places:?} {text}\n{input:?}"
        );
    }
}
