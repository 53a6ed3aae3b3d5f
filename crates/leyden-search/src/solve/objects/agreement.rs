//! Compares the native drawings with the programs that say the same.

use leyden_exec::{Outcome, Sample};
use leyden_grid::{Grid, Pair, Puzzle};

use super::super::chain::program_of;
use super::super::states::engine;
use super::actions::{Action, Goal, Paint};
use super::decide::{List, Rule, Words};
use super::scene::{CUTS, World};
use super::{figures, fixed, partners, stamps, tests, values};
use crate::solve::bits::Bits;

/// Draws small numbers, always the same ones.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % n
    }

    /// A picture with a few rectangles and single cells on a background of 0.
    fn grid(&mut self) -> Grid {
        let (height, width) = (6 + self.below(6) as usize, 6 + self.below(6) as usize);
        let mut cells = vec![0; height * width];
        for _ in 0..5 {
            let (h, w) = (1 + self.below(2) as usize, 1 + self.below(3) as usize);
            let i = self.below((height - h) as u64) as usize;
            let j = self.below((width - w) as u64) as usize;
            let colour = 1 + self.below(4) as u8;
            for (a, b) in (i..i + h).flat_map(|a| (j..j + w).map(move |b| (a, b))) {
                cells[a * width + b] = colour;
            }
        }
        Grid::from_cells(height, width, &cells).unwrap()
    }
}

/// A task whose output shows other colours, so that every figure has something to explain.
fn puzzle(input: Grid) -> Puzzle {
    let cells: Vec<u8> = input.cells().iter().map(|c| (c * 2 + 3) % 10).collect();
    let output = Grid::from_cells(input.height(), input.width(), &cells).unwrap();
    Puzzle {
        id: "some".parse().unwrap(),
        demos: vec![Pair { input, output }],
        test_inputs: Vec::new(),
    }
}

/// Every figure, in its own colours and in each colour of a table, for all objects for which it
/// has a value: the engine must draw what we drew.
fn check(puzzle: &Puzzle, counts: &mut (usize, usize), wrong: &mut Vec<String>) {
    for cut in CUTS {
        let Some(world) = World::new(puzzle, cut) else {
            continue;
        };
        let goal = Goal::new(&world, vec![puzzle.demos[0].output.cells().to_vec()]);
        let pool = partners::partners(&world);
        let free = values::free_steps(&world);
        let mut vectors = fixed::vectors(&world, &goal);
        vectors.extend(values::vectors(&world, &pool, &free));
        let stamps = stamps::stamps(&world, &goal);
        let figures = figures::figures(&world, &pool, &vectors, &free, &stamps);
        let colours = values::colours(&world, &pool, goal.made);
        let tests = tests::tests(&world);
        let mut actions = Vec::new();
        for (f, figure) in figures.iter().enumerate() {
            let paint = match figure.is_coloured {
                true => Paint::Own,
                false => Paint::Table(f % colours.len()),
            };
            actions.push((Some(f), paint, figure.may_erase && f % 2 == 0));
        }
        actions.extend((0..colours.len()).map(|c| (Some(0), Paint::Table(c), false)));
        let action = |(figure, paint, erases): (Option<usize>, Paint, bool)| Action {
            figure,
            paint,
            erases,
            bits: 0.0,
            fits: Bits::none(world.things.len()),
            explains: std::rc::Rc::new(Vec::new()),
        };
        let words = Words {
            world: &world,
            goal: &goal,
            actions: actions.into_iter().map(action).collect(),
            figures,
            colours,
            tests,
        };
        for action in 0..words.actions.len() {
            let test = action % words.tests.len();
            let list = List {
                rules: vec![Rule::for_all(
                    action,
                    test,
                    words.tests[test].passes.clone(),
                )],
                bits: 0.0,
            };
            let Some(drawn) = words.drawn(&list, 0) else {
                continue;
            };
            counts.0 += 1;
            let text = words.text(&list);
            let program = program_of("some", &text).unwrap();
            let input = &puzzle.demos[0].input;
            match engine(10_000_000).run(&program, &Sample::of(input)) {
                Outcome::Grid(output) if output.to_grid().is_some_and(|it| it.cells() == drawn) => {
                }
                _ => wrong.push(format!("{text}\n{input}")),
            }
        }
        counts.1 += 1;
    }
}

#[test]
fn programs_draw_what_rules_say() {
    let (counts, wrong) = leyden_exec::with_large_stack(|| {
        let mut dice = Dice(7);
        let (mut counts, mut wrong) = ((0, 0), Vec::new());
        for _ in 0..12 {
            check(&puzzle(dice.grid()), &mut counts, &mut wrong);
        }
        (counts, wrong)
    });
    assert!(counts.0 > 5000 && counts.1 > 50, "{counts:?}");
    assert!(
        wrong.is_empty(),
        "{} of {counts:?}\n{}",
        wrong.len(),
        wrong[..wrong.len().min(12)].join("\n")
    );
}
