//! The kernel of each fold against its text.

use leyden_exec::{Engine, Outcome, Sample};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::TOLD_FUEL;
use super::super::chain::program_of;
use super::veil::Size;
use super::*;

/// Regular pictures of several kinds with holes, some with noise.
fn pictures(seed: u64, n: usize, most: usize) -> Vec<Grid> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut below = move |n: usize| random.next_u32() as usize % n;
    let mut all = Vec::new();
    for k in 0..n {
        let (h, w) = (2 + below(most - 1), 2 + below(most - 1));
        let (p, q) = (1 + below(5), 1 + below(5));
        let tile: Vec<u8> = (0..900).map(|_| below(4) as u8).collect();
        let (row, column) = (below(h), below(w));
        let mut cells: Vec<u8> = (0..h * w)
            .map(|at| {
                let (i, j) = (at / w, at % w);
                match k % 4 {
                    0 => tile[i % p * 30 + j % q],
                    1 => tile[i.abs_diff(row) * 30 + j.abs_diff(column)],
                    2 => tile[(i + 2 * j) % (p + q)],
                    _ => {
                        let (i, j) = (i.abs_diff(row), j.abs_diff(row));
                        tile[i.min(j) * 30 + i.max(j)]
                    }
                }
            })
            .collect();
        if k % 2 == 1 {
            // Few objects on a blank picture.
            cells.iter_mut().for_each(|cell| {
                if below(3) > 0 {
                    *cell = 0;
                }
            });
        }
        for _ in 0..below(3) * usize::from(k % 8 != 2) {
            let at = below(h * w);
            cells[at] = below(4) as u8;
        }
        let (top, left, side) = (below(h), below(w), 1 + below(4));
        for i in top..(top + side).min(h) {
            for j in left..(left + side).min(w) {
                cells[i * w + j] = if k % 3 == 0 { 0 } else { 5 };
            }
        }
        all.push(Grid::from_cells(h, w, &cells).unwrap());
    }
    all
}

fn veils() -> Vec<Veil> {
    let beyond = |size, are_blank_unknown| Veil::Beyond {
        size,
        are_blank_unknown,
    };
    vec![
        Veil::Colour(5),
        Veil::Colour(0),
        Veil::Outside,
        Veil::Largest(5),
        Veil::Largest(1),
        Veil::Block,
        beyond(Size::Fixed(14, 13), false),
        beyond(Size::Times(1, 2), true),
    ]
}

/// The result of a recipe's program, and its fuel.
fn told(veil: &Veil, folds: &[Fold], shown: Shown, input: &Grid) -> (Option<Grid>, u64) {
    let recipe = Recipe {
        veil: veil.clone(),
        folds: folds.to_vec(),
        shown,
    };
    let program = program_of("some", &recipe.text()).expect("arc-dsl");
    let engine = Engine {
        fuel: TOLD_FUEL,
        ..Engine::default()
    };
    let ran = engine.run_metered(&program, &Sample::of(input));
    let grid = match ran.outcome {
        Outcome::Grid(grid) => grid.to_grid(),
        _ => None,
    };
    (grid, ran.fuel)
}

#[test]
fn kernels_give_what_their_programs_give() {
    let mut n_compared = vec![0; Fold::each_alone().len()];
    for (k, input) in pictures(7, 80, 9).iter().enumerate() {
        for veil in veils() {
            let Some(first) = veil.over(input).filter(|it| it.n_known() > 0) else {
                continue;
            };
            for (n, fold) in n_compared.iter_mut().zip(Fold::each_alone()) {
                let ours = fold.of(&first).and_then(|it| it.to_grid());
                let (theirs, _) = told(&veil, &[fold], Shown::Whole, input);
                if ours.is_some() {
                    *n += 1;
                    assert_eq!(ours, theirs, "{k} {veil:?} {fold:?}\n{input}");
                }
            }
        }
    }
    assert!(n_compared.iter().all(|n| *n > 20), "{n_compared:?}");
}

#[test]
fn marks_and_hidden_parts_are_shown() {
    let fold = Fold::Least(fold::Way::Right);
    for input in pictures(11, 60, 9) {
        let ours = |veil: &Veil| Some((veil.over(&input)?, fold.of(&veil.over(&input)?)?));
        if let Some((first, made)) = ours(&Veil::Colour(0)) {
            let (theirs, _) = told(&Veil::Colour(0), &[fold], Shown::Marked(7), &input);
            assert_eq!(marked(&made, &first, 7), theirs, "{input}");
        }
        let corners = bounds(&input, |cell| cell == 5);
        if let (Some((_, made)), Some(corners)) = (ours(&Veil::Colour(5)), corners) {
            let (theirs, _) = told(&Veil::Colour(5), &[fold], Shown::Part, &input);
            let whole = made.to_grid().unwrap();
            assert_eq!(cropped(&whole, corners), theirs, "{input}");
        }
    }
}

#[test]
fn folds_follow_each_other() {
    let folds = Fold::each_alone();
    for (k, input) in pictures(8, 40, 12).iter().enumerate() {
        let veil = Veil::Colour(if k % 3 == 0 { 0 } else { 5 });
        let pair = [folds[k % folds.len()], folds[(k * 7 + 3) % folds.len()]];
        let Some(first) = veil.over(input).filter(|it| it.n_known() > 0) else {
            continue;
        };
        let ours = pair[0].of(&first).and_then(|it| pair[1].of(&it));
        if let Some(ours) = ours {
            let (theirs, _) = told(&veil, &pair, Shown::Whole, input);
            assert_eq!(ours.to_grid(), theirs, "{k} {pair:?}\n{input}");
        }
    }
}

#[test]
fn programs_run_on_large_pictures() {
    let mut most = 0;
    let large = pictures(9, 40, 30);
    let large = large.iter().filter(|it| it.cells().len() > 500);
    for input in large {
        for (folds, _) in Fold::all() {
            let (_, fuel) = told(&Veil::Colour(5), &folds, Shown::Whole, input);
            most = most.max(fuel);
        }
    }
    assert!(MAX_FOLDS as u64 * most < TOLD_FUEL, "{most}");
}
