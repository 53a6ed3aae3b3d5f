//! Differences and panics that random programs once found.

#![allow(clippy::unwrap_used)]

use leyden_exec::{Engine, Mode, Outcome, Sample, with_large_stack};
use leyden_grid::Grid;

#[track_caller]
fn engines_agree(lines: &str) -> Outcome {
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
    let outcome = run(Mode::Fast);
    assert_eq!(outcome, run(Mode::Exact));
    outcome
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
    // A hash seeded with the search's parameters once gave both searches one key.
    engines_agree(
        "    x1 = first(objects(((1, 0, 7, 0, 0),), T, T, F))
    x2 = first(objects(((0, 0, 7, 0, 1),), T, T, T))
    return (x1, x2)\n",
    );
}

#[test]
fn the_end_of_a_tuple_follows_the_set_that_it_came_from() {
    engines_agree("    return last(totuple(ineighbors((2, 2))))\n");
    engines_agree("    return first(totuple(ineighbors((2, 2))))\n");
}

#[test]
fn a_grid_without_rows_is_split_after_its_parts_are_counted() {
    for call in [
        "vsplit((), 0)",
        "vsplit((), 2)",
        "vsplit(7, 0)",
        "hsplit((), 0)",
    ] {
        engines_agree(&format!("    return {call}\n"));
    }
}

#[test]
fn the_first_colour_stays_under_the_others() {
    let cells = "mapply(lbind(rbind(recolor, asindices(I)), identity), (4, 5))";
    for colours in ["(4, 5)", "(0, 5)", "(9, 0)"] {
        let cells = cells.replace("(4, 5)", colours);
        engines_agree(&format!("    return underpaint(I, {cells})\n"));
    }
    let painted = "apply(rbind(recolor, asindices(I)), insert(6, insert(7, initset(8))))";
    engines_agree(&format!("    return underpaint(I, merge({painted}))\n"));
    engines_agree(&format!("    return paint(I, merge({painted}))\n"));
}

#[test]
fn steps_that_come_by_again_give_the_same() {
    let places = "    x1 = asindices(canvas(0, (7, 9)))\n    x2 = objects(I, T, F, T)\n";
    // The nearest object to each place does not depend on the calling object.
    let nearest = "    x3 = compose(lbind(argmin, x2), compose(lbind(compose, fork(manhattan, first, last)), compose(lbind(lbind, astuple), initset)))\n";
    let asked = "    x4 = chain(lbind(sfilter, x1), rbind(compose, x3), lbind(rbind, equality))\n";
    let found = engines_agree(&format!(
        "{places}{nearest}{asked}    return mapply(fork(recolor, color, x4), x2)\n"
    ));
    assert_eq!(found.fault(), None);
    // For some place a step stops, and not at once.
    let stops = "    x3 = compose(lbind(sfilter, x1), lbind(lbind, chain(flip, last, rbind(astuple, 0))))\n";
    engines_agree(&format!("{places}{stops}    return apply(x3, x2)\n"));
    let divides = "    x3 = lbind(sfilter, x1)\n    x4 = compose(x3, lbind(lbind, compose(lbind(index, I), identity)))\n";
    engines_agree(&format!("{places}{divides}    return apply(x4, x2)\n"));
}

#[test]
fn arithmetic_on_the_numbers_of_pairs_gives_the_same() {
    let places = "    x1 = totuple(asindices(canvas(0, (7, 9))))\n";
    for function in [
        "lbind(apply, fork(multiply, sign, decrement))",
        "lbind(apply, lbind(subtract, 3))",
        "lbind(apply, power(double, 3))",
        "lbind(apply, compose(halve, invert))",
        // Too large for a pair of small numbers.
        "lbind(apply, rbind(multiply, 2000000000))",
        // A different number for each, and a pair for each, to which a number is added.
        "fork(apply, compose(lbind(rbind, subtract), last), identity)",
        "fork(apply, lbind(rbind, subtract), identity)",
        "lbind(apply, rbind(add, (1, 2)))",
        "lbind(apply, fork(add, identity, rbind(astuple, 1)))",
        "compose(maximum, lbind(apply, invert))",
        "compose(minimum, lbind(apply, rbind(multiply, -2)))",
    ] {
        engines_agree(&format!("{places}    return apply({function}, x1)\n"));
    }
}

#[test]
fn elements_that_only_look_like_cells_are_mirrored_too() {
    // Each element is a place and a place, which CPython takes for a colour and a place.
    let squares = "    x1 = connect((2, 0), (0, 0))\n    x2 = product(x1, x1)\n";
    for turn in ["hmirror", "vmirror", "dmirror", "cmirror"] {
        let found = engines_agree(&format!("{squares}    return size({turn}(x2))\n"));
        assert_eq!(found.fault(), None);
    }
}

#[test]
fn keys_are_compared_before_a_later_one_faults() {
    for of in ["valmax", "valmin", "argmax", "argmin"] {
        engines_agree(&format!("    return {of}(((1, 0), T, ()), sign)\n"));
        engines_agree(&format!("    return {of}((T, ()), sign)\n"));
    }
}

#[test]
fn mistakes_end_as_in_cpython() {
    for mistake in [
        "fill(asindices(I), 1, asindices(I))",
        "underfill(asindices(I), 1, asindices(I))",
        "paint(asindices(I), asobject(I))",
        "underpaint(asobject(I), asobject(I))",
        "paint(I, asindices(I))",
        "underpaint(I, asindices(I))",
        "paint((), ())",
        "fill(I, 1, palette(I))",
        "recolor(1, palette(I))",
        "neighbors(7)",
        "manhattan((1, (2, 3)), (1, (2, 3)))",
        "colorfilter(asindices(I), 1)",
        // The number of elements decides whether these fault at all.
        "occurrences(I, vfrontier((0, 0)))",
        "shift(asindices(I), palette(I))",
        "shift(asindices(I), insert((1, 1), initset((0, 0))))",
        "index(3, asindices(I))",
    ] {
        engines_agree(&format!("    return {mistake}\n"));
    }
    // And these do not fault.
    for odd in [
        "crop(((1, 2), (3, 4, 5)), (0, 0), (2, 2))",
        "upscale(I, 200)",
        "canvas(None, (2, 2))",
        "replace(((1, T), (2,)), 1, 7)",
        "rot90(((1, 2, 3), (4, 5)))",
    ] {
        let found = engines_agree(&format!("    return {odd}\n"));
        assert_eq!(found.fault(), None, "{odd}");
    }
}

#[test]
fn large_grids_have_the_same_limits() {
    let canvas = "canvas(3, (1100, 1000))";
    for call in [
        "shape({})",
        "mostcolor({})",
        "shape(fill({}, 5, initset((3, 3))))",
        "shape(vconcat({}, {}))",
        "shape(dmirror({}))",
        "index(paint({}, initset((8, (1, 1)))), (1, 1))",
        // More elements than a tuple or a set may have.
        "size(merge({}))",
        "size(asindices({}))",
        "shape(canvas(1, (3, 1100000)))",
        "shape(canvas(1, (1100000, 3)))",
        "shape(hupscale(canvas(1, (2, 600000)), 2))",
        "shape(canvas(1, (8000, 8000)))",
    ] {
        let call = call.replace("{}", canvas);
        engines_agree(&format!("    return {call}\n"));
    }
}

#[test]
fn elements_of_the_smaller_set_stay() {
    let sets = "    x1 = vconcat(canvas(7, (6, 1)), canvas(4, (3, 1)))
    x2 = partition(x1)
    x3 = objects(x1, T, T, T)
";
    for result in ["intersection(x2, x3)", "intersection(x3, x2)"] {
        engines_agree(&format!("{sets}    return {result}\n"));
        engines_agree(&format!("{sets}    return first(first({result}))\n"));
    }
}
