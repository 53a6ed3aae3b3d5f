//! What random programs once found: the two engines differed, or one panicked.

#![allow(clippy::unwrap_used)]

use leyden_exec::{Engine, Mode, Sample, with_large_stack};
use leyden_grid::Grid;

#[track_caller]
fn engines_agree(lines: &str) {
    let source = format!("def solve_0a1b2c3d(I):\n{lines}");
    let program = leyden_lang::parse(&source, "found.py", None)
        .unwrap()
        .remove(0);
    let input = Grid::from_rows(&[vec![0, 1, 1], vec![2, 2, 0], vec![0, 3, 1]]).unwrap();
    let run = |mode| {
        let engine = Engine {
            mode,
            ..Engine::default()
        };
        with_large_stack(|| engine.run(&program, &Sample::of(&input)))
    };
    assert_eq!(run(Mode::Fast), run(Mode::Exact));
}

#[test]
fn rows_that_only_add_up_to_a_rectangle_are_no_grid() {
    engines_agree("    x1 = ((4,), (2, 7), ())\n    return x1\n");
    engines_agree("    x1 = ((4,), (2, 7), ())\n    return height(hmirror(x1))\n");
}

#[test]
fn keys_of_several_kinds_are_not_sorted_halfway() {
    engines_agree("    return order(asindices(I), dedupe)\n");
    engines_agree("    return order(product(asindices(I), (0, 1)), dedupe)\n");
}

#[test]
fn coordinates_at_the_end_of_the_numbers_are_not_small() {
    engines_agree("    return rightmost(vfrontier(tojvec(-9223372036854775808)))\n");
    engines_agree("    return uppermost(hfrontier(toivec(-9223372036854775808)))\n");
}

#[test]
fn a_grid_with_more_places_than_a_set_may_have() {
    engines_agree("    return size(objects(canvas(1, (3, 300000)), T, F, F))\n");
    engines_agree("    return size(objects(hconcat(canvas(0, (3, 170000)), I), T, F, T))\n");
}

#[test]
fn searches_that_differ_are_not_taken_for_each_other() {
    // A hash seeded with what is asked for gave both searches the same key.
    engines_agree(
        "    x1 = first(objects(((1, 0, 7, 0, 0),), T, T, F))
    x2 = first(objects(((0, 0, 7, 0, 1),), T, T, T))
    return (x1, x2)\n",
    );
}
