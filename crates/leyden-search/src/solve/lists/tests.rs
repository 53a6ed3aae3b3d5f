//! Every step's kernel against its text.

use std::collections::BTreeMap;

use leyden_exec::{Engine, Sample};
use leyden_grid::Grid;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::chain::program_of;
use super::hand::embedded;
use super::join::Join;
use super::steps::{Act, Table};
use super::*;

/// Pictures of several kinds: noise, rectangles, panels.
fn pictures(seed: u64, n: usize) -> Vec<Grid> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut below = move |n: usize| random.next_u32() as usize % n;
    let mut all = Vec::new();
    for k in 0..n {
        let (h, w) = (3 + below(7), 3 + below(7));
        let mut cells = vec![0; h * w];
        match k % 3 {
            0 => cells.iter_mut().for_each(|cell| {
                *cell = if below(3) == 0 { 1 + below(3) as u8 } else { 0 };
            }),
            1 => {
                for _ in 0..3 {
                    let (top, left) = (below(h), below(w));
                    let (bottom, right) = (top + below(4), left + below(4));
                    let (colour, is_hollow) = (1 + below(3) as u8, below(2) == 0);
                    for i in top..=bottom.min(h - 1) {
                        for j in left..=right.min(w - 1) {
                            let is_edge = i == top || j == left || i == bottom || j == right;
                            if is_edge || !is_hollow {
                                cells[i * w + j] = colour;
                            }
                        }
                    }
                }
            }
            _ => {
                let (row, column) = (1 + below(h - 2), 1 + below(w - 2));
                for (k, cell) in cells.iter_mut().enumerate() {
                    *cell = if k / w == row || k % w == column {
                        3
                    } else if below(2) == 0 {
                        1
                    } else {
                        0
                    };
                }
            }
        }
        all.push(Grid::from_cells(h, w, &cells).unwrap());
    }
    all
}

/// Two hollow squares in a square.
fn rings() -> Grid {
    let is_ring = |k: usize, first: usize, last: usize| {
        let (i, j) = (k / 8, k % 8);
        let is_inside = (first..=last).contains(&i) && (first..=last).contains(&j);
        is_inside && (i == first || j == first || i == last || j == last)
    };
    let cell = |k| match k {
        k if is_ring(k, 0, 2) => 1,
        k if is_ring(k, 4, 7) => 3,
        _ => 0,
    };
    let cells: Vec<u8> = (0..64).map(cell).collect();
    Grid::from_cells(8, 8, &cells).unwrap()
}

fn puzzle(input: &Grid) -> Puzzle {
    Puzzle {
        id: "some".parse().unwrap(),
        demos: Vec::new(),
        test_inputs: vec![input.clone()],
    }
}

/// The size of an output, as a formula over the input or as a constant.
fn sizes(input: &Grid, n: usize) -> Sizes {
    let constants = [(2, 3), (7, 7), (13, 4)];
    let (text, size) = match constants.get(n % 5) {
        Some((height, width)) => (format!("({height}, {width})"), (*height, *width)),
        None if n % 5 == 3 => ("shape(I)".to_owned(), input.shape()),
        None => {
            let (height, width) = input.shape();
            let text = "(add(multiply(height(I), 2), 1), add(multiply(width(I), 3), 0))";
            (text.to_owned(), (2 * height + 1, 3 * width))
        }
    };
    Sizes {
        text,
        all: vec![size],
        are_of_inputs: false,
    }
}

/// Compares a node that leads to a picture with its program. Returns a line about a difference.
fn difference(lists: &Lists, node: NodeId, input: &Grid) -> Option<String> {
    let picture = lists.album.get(lists.nodes[node as usize].samples[0]);
    let text = lists.book.text(node);
    let text = format!("paint(canvas(0, (30, 30)), shift({text}, (5, 5)))");
    let program = program_of("some", &text).expect("arc-dsl");
    let outcome = Engine::default().run(&program, &Sample::of(input));
    let seen = format!("{outcome:?}");
    let leyden_exec::Outcome::Grid(output) = outcome else {
        return Some(format!("{text}\n{seen}"));
    };
    let ours = Placed {
        top: picture.top + 5,
        left: picture.left + 5,
        ..picture.clone()
    };
    let ours = embedded(&ours, ours.place(), (30, 30));
    (output.to_grid() != ours).then(|| format!("{text}\n{picture:?}\n{seen}"))
}

/// Makes a step from a node; the new node, if it is possible.
fn made(lists: &mut Lists, node: NodeId, k: usize) -> Option<NodeId> {
    let act = lists.table.all[k].act;
    let samples = lists.nodes[node as usize].samples.clone();
    let next = lists.made(k as u16, act, &samples)?;
    let to_list = act.gives_list();
    let id = lists.nodes.len() as NodeId;
    lists.known.clear();
    lists.add(to_list, next, 0, From::Step(node, k as u16));
    Some(id)
}

/// All differences between kernels and programs, at most one for each step.
fn all_differences() -> Vec<String> {
    let mut seen: BTreeMap<String, (u32, u32, String)> = BTreeMap::new();
    let mut check = |lists: &Lists, k: usize, node, input: &Grid| {
        let found = difference(lists, node, input);
        let act = format!("{:?}", lists.table.all[k].act);
        let (n, n_wrong, first) = seen.entry(act).or_default();
        *n += 1;
        if let Some(text) = found {
            *n_wrong += 1;
            *first = text;
        }
    };
    let inputs = pictures(1, 6).into_iter().chain([rings()]);
    for (n, input) in inputs.enumerate() {
        let mut lists = Lists::new(&puzzle(&input));
        lists.sizes = Some(sizes(&input, n));
        lists.table = Table::of(vec![1, 2, 3], vec![1, 4], lists.sizes.as_ref());
        lists.book.texts = lists.table.all.iter().map(|it| it.text.clone()).collect();
        let find = |act: Act| lists.table.all.iter().position(|it| it.act == act);
        let fit = find(Act::One(One::Fit)).unwrap();
        let joins = [Join::First, Join::Last, Join::Line { is_row: true }];
        let joins = joins.map(|join| find(Act::Join(join)).unwrap());
        let Some(fitted) = made(&mut lists, 0, fit) else {
            continue;
        };
        for k in lists.table.from_one.clone() {
            let Some(node) = made(&mut lists, fitted, k) else {
                continue;
            };
            if !lists.table.all[k].act.gives_list() {
                check(&lists, k, node, &input);
                continue;
            }
            for join in joins {
                if let Some(joined) = made(&mut lists, node, join) {
                    check(&lists, k, joined, &input);
                }
            }
            if lists.lists[lists.nodes[node as usize].samples[0] as usize].len() > 12 {
                continue;
            }
            for step in lists.table.from_list.clone() {
                let Some(next) = made(&mut lists, node, step) else {
                    continue;
                };
                if lists.nodes[next as usize].is_list {
                    for join in &joins[..2] {
                        if let Some(joined) = made(&mut lists, next, *join) {
                            check(&lists, step, joined, &input);
                        }
                    }
                } else {
                    check(&lists, step, next, &input);
                }
            }
        }
    }
    let wrong = seen.into_iter().filter(|(_, seen)| seen.1 > 0);
    let told = |(act, (n, n_wrong, text))| format!("{act}: {n_wrong} of {n}\n{text}\n");
    wrong.map(told).collect()
}

#[test]
fn kernels_give_what_their_programs_give() {
    let differences = all_differences();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
