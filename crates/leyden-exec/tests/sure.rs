//! Calls on which the fast engine does not give up, and is right.

#![allow(clippy::unwrap_used)]

use leyden_exec::{Engine, Mode, Outcome, Sample, with_large_stack};
use leyden_grid::Grid;

#[track_caller]
fn is_sure(lines: &str) {
    is_sure_with(lines, Engine::default().fuel);
}

#[track_caller]
fn is_sure_with(lines: &str, fuel: u64) {
    let (sure, exact) = outcomes(lines, fuel);
    assert_eq!(sure, Some(exact), "fuel {fuel}: {lines}");
}

/// Checks that the fast engine does not differ; it may give up.
#[track_caller]
fn agrees_with(lines: &str, fuel: u64) {
    let (sure, exact) = outcomes(lines, fuel);
    assert!(
        sure.is_none_or(|sure| sure == exact),
        "fuel {fuel}: {lines}"
    );
}

/// The outcomes on the fast engine, if it is sure, and on the reference engine.
fn outcomes(lines: &str, fuel: u64) -> (Option<Outcome>, Outcome) {
    let source = format!("def solve_0a1b2c3d(I):\n{lines}");
    let program = leyden_lang::parse(&source, "sure.py", None)
        .unwrap()
        .remove(0);
    let input = Grid::from_rows(&[vec![0, 1, 1], vec![2, 2, 0], vec![0, 3, 1]]).unwrap();
    let fast = Engine {
        fuel,
        ..Engine::default()
    };
    let exact = Engine {
        mode: Mode::Exact,
        ..fast.clone()
    };
    with_large_stack(|| {
        let sample = Sample::of(&input);
        let sure = fast.run_fast(&program, &sample).ok();
        (sure, exact.run(&program, &sample))
    })
}

#[test]
fn objects_may_be_wider_than_a_patch() {
    let objects = "    x1 = objects(upscale(I, 60), F, F, T)\n    x2 = argmax(x1, size)\n";
    for result in [
        "size(x1)",
        "size(x2)",
        "lrcorner(x2)",
        "first(x2)",
        "last(x2)",
        "size(first(x1))",
        "totuple(palette(x2))",
    ] {
        is_sure(&format!("{objects}    return {result}\n"));
    }
}

#[test]
fn sets_with_several_colours_in_one_place_have_mirror_images() {
    let cells = "    x1 = combine(asobject(I), recolor(FIVE, shift(asindices(I), UNITY)))\n";
    for mirror in ["hmirror", "vmirror", "dmirror", "cmirror"] {
        is_sure(&format!("{cells}    return totuple({mirror}(x1))\n"));
        is_sure(&format!("{cells}    return center({mirror}(x1))\n"));
    }
}

#[test]
fn outlines_may_be_larger_than_a_patch() {
    is_sure("    x1 = box((ORIGIN, (5, 200)))\n    return totuple(x1)\n");
    is_sure("    x1 = inbox((ORIGIN, (1500, 7)))\n    return lrcorner(x1)\n");
}

#[test]
fn sets_of_functions_have_the_exact_engines_order() {
    let functions = "    x1 = product((vmirror, hmirror), (dmirror, cmirror))\n\
                     \x20   x2 = apply(fork(compose, first, last), x1)\n";
    is_sure(&format!("{functions}    return rapply(totuple(x2), I)\n"));
    is_sure(&format!("{functions}    return totuple(rapply(x2, I))\n"));
}

#[test]
fn a_function_that_faults_somewhere_faults_as_it_does_alone() {
    // Elements are worked on in groups; some have the fault in the middle.
    let function = "    x1 = compose(first, lbind(repeat, SEVEN))\n";
    for result in [
        "apply(x1, interval(40, -1, -1))",
        "argmax(interval(40, -1, -1), x1)",
        "apply(x1, interval(1, 40, 1))",
        "size(sfilter(asindices(canvas(0, (9, 9))), compose(x1, first)))",
    ] {
        is_sure(&format!("{function}    return {result}\n"));
    }
}

#[test]
fn lines_may_be_longer_than_a_patch() {
    for (start, direction) in [
        ("ORIGIN", "(0, 5)"),
        ("ORIGIN", "(30, 0)"),
        ("ORIGIN", "(4, 4)"),
        ("(0, 300)", "(5, -5)"),
        ("(7, 7)", "(-4, 4)"),
    ] {
        let line = format!("    x1 = shoot({start}, {direction})\n");
        for result in [
            "totuple(x1)",
            "vline(x1)",
            "hline(x1)",
            "size(x1)",
            "lrcorner(x1)",
            "totuple(shift(x1, UNITY))",
            "totuple(recolor(THREE, x1))",
            "totuple(combine(recolor(THREE, x1), asobject(I)))",
            "paint(I, combine(recolor(THREE, x1), asobject(I)))",
            "underfill(I, FIVE, x1)",
            "equality(x1, shoot(ORIGIN, (0, 5)))",
        ] {
            is_sure(&format!("{line}    return {result}\n"));
        }
    }
}

#[test]
fn unions_may_have_many_copies() {
    let lines = "    x1 = product(interval(0, 40, 1), interval(0, 12, 1))\n    \
                 x2 = prapply(shoot, x1, product((0, 3, 5), (0, 3, 7)))\n    x3 = merge(x2)\n";
    is_sure(&format!("{lines}    return size(x3)\n"));
    is_sure(&format!("{lines}    return fill(I, FIVE, x3)\n"));
}

#[test]
fn products_are_patches() {
    let product = "    x1 = asindices(I)\n    x2 = ofcolor(I, ONE)\n    x3 = product(x1, x2)\n";
    for result in [
        "fill(I, FIVE, x3)",
        "underfill(I, FIVE, x3)",
        "cover(I, x3)",
        "ulcorner(x3)",
        "rightmost(x3)",
        "fill(I, FIVE, difference(x3, product(x2, x2)))",
        "fill(I, FIVE, product(totuple(x1), x2))",
        "fill(I, FIVE, product(x1, totuple(x2)))",
    ] {
        is_sure(&format!("{product}    return {result}\n"));
    }
}

#[test]
fn rows_of_a_ragged_grid_end_early() {
    is_sure(
        "    x1 = combine(I, canvas(ONE, (2, 2)))
    x2 = asindices(canvas(ZERO, (5, 3)))
    return fill(x1, FIVE, x2)
",
    );
}

#[test]
fn products_of_tuples_have_no_copies() {
    for product in [
        "product(asindices(I), I)",
        "product(combine(I, I), palette(I))",
        "product(combine((3, 1, 2), (1, 3, 9)), combine((5, 4), (4, 0)))",
        "product(totuple(asobject(I)), I)",
        "product(combine(I, hmirror(I)), combine(I, I))",
    ] {
        is_sure(&format!("    x1 = {product}\n    return size(x1)\n"));
        is_sure(&format!("    x1 = {product}\n    return totuple(x1)\n"));
    }
}

#[test]
fn products_of_numbers_near_and_far() {
    for product in [
        "product(interval(3, 30, 4), interval(-9, 9, 2))",
        "product(totuple(palette(I)), palette(I))",
        "product(interval(-2, 2, 1), interval(0, 381, 127))",
        "product(interval(0, 256, 64), interval(0, 384, 128))",
        "product(interval(0, 3072, 1023), interval(0, 2, 1))",
        "product(interval(0, 3072, 1024), interval(0, 2, 1))",
        "product((5, 1048577), (1, 2))",
        "product((1, UNITY, 2), (1, 7))",
        "product((1, 2), (1, UNITY, 7))",
        "product((1, 9223372036854775807, -5), (1, 7))",
        "product(combine(x0, asobject(I)), palette(I))",
    ] {
        let line = format!("    x0 = asindices(I)\n    x1 = {product}\n");
        is_sure(&format!("{line}    return size(x1)\n"));
        is_sure(&format!("{line}    return totuple(x1)\n"));
    }
}

#[test]
fn parts_of_wide_patches_are_kept() {
    for condition in [
        "compose(even, last)",
        "compose(even, fork(add, first, last))",
        "fork(greater, last, compose(double, double))",
        "compose(positive, last)",
        "compose(flip, first)",
        "last",
    ] {
        for patch in [
            "product(interval(-3, 4, 1), interval(-60, 60, 1))",
            "product(interval(0, 9, 2), interval(0, 128, 3))",
            "asobject(hupscale(I, 30))",
        ] {
            is_sure(&format!("    return sfilter({patch}, {condition})\n"));
        }
    }
}

#[test]
fn products_of_numbers_and_of_their_equals() {
    for product in ["product((1, 2), (1, T, 7))", "product((F, 2), (1, 7))"] {
        let lines = format!("    x1 = {product}\n    return totuple(x1)\n");
        agrees_with(&lines, Engine::default().fuel);
    }
}

#[test]
fn patches_that_are_moved_only_to_be_compared() {
    let sets = "    x1 = asindices(I)\n    x2 = ofcolor(I, ONE)\n    x3 = product(interval(-4, 5, 1), interval(-4, 5, 1))\n    \
                x4 = recolor(3, x2)\n    x5 = recolor(3, x1)\n    x6 = difference(x1, x1)\n    \
                x7 = product(interval(-70, 70, 6), interval(-140, 140, 5))\n    x8 = astuple(x6, x2)\n";
    for function in [
        "chain(size, rbind(difference, x2), lbind(shift, x1))",
        "chain(size, rbind(difference, x1), lbind(shift, x2))",
        "chain(size, rbind(intersection, x1), lbind(shift, x2))",
        "chain(size, lbind(intersection, x2), lbind(shift, x1))",
        "chain(size, lbind(difference, x1), lbind(shift, x2))",
        "chain(size, lbind(difference, x7), lbind(shift, x7))",
        "chain(size, rbind(intersection, x5), lbind(shift, x4))",
        "chain(size, rbind(difference, x5), lbind(shift, asobject(I)))",
        "chain(size, rbind(difference, x6), lbind(shift, x4))",
        "chain(size, lbind(difference, x6), lbind(shift, x4))",
        "chain(size, lbind(difference, x2), lbind(shift, x6))",
        "chain(size, lbind(difference, x6), lbind(shift, x6))",
        "chain(size, rbind(intersection, totuple(x2)), lbind(shift, x1))",
        "chain(size, rbind(difference, x2), lbind(shift, totuple(x1)))",
        "fork(add, chain(size, rbind(difference, x2), lbind(shift, x1)), chain(size, rbind(difference, x4), lbind(shift, x1)))",
        "fork(add, chain(size, rbind(difference, x2), lbind(shift, x1)), chain(size, rbind(difference, x2), lbind(shift, x1)))",
        "compose(size, fork(difference, lbind(shift, x1), lbind(shift, x2)))",
        "compose(size, fork(difference, lbind(shift, x1), lbind(shift, x1)))",
        "chain(size, rbind(difference, x2), compose(lbind(shift, x1), first))",
    ] {
        let line = format!("{sets}    x9 = apply({function}, totuple(x3))\n");
        agrees_with(&format!("{line}    return x9\n"), Engine::default().fuel);
        let line = format!("{sets}    x9 = sfilter(x7, matcher({function}, ZERO))\n");
        agrees_with(&format!("{line}    return x9\n"), Engine::default().fuel);
    }
    for patch in ["x1", "x2", "x4", "x6", "first(x8)"] {
        is_sure(&format!(
            "{sets}    return apply(chain(size, rbind(difference, x6), lbind(shift, {patch})), totuple(x3))\n"
        ));
    }
}

#[test]
fn products_may_be_too_large() {
    is_sure(
        "    x1 = product(interval(0, 40, 1), interval(0, 40, 1))
    return product(x1, x1)
",
    );
}

#[test]
fn pairs_of_places_are_told_apart() {
    let sets = "    x1 = asindices(I)\n    x2 = ofcolor(I, ONE)\n    x3 = product(x1, x2)\n    \
                x4 = product(asobject(I), x2)\n    x5 = astuple(T, ONE)\n";
    for result in [
        "size(difference(x3, x1))",
        "size(difference(x3, asobject(I)))",
        "size(difference(x3, product(x2, x2)))",
        "size(difference(x3, product(x2, x1)))",
        "size(difference(x4, x3))",
        "size(difference(x4, product(asobject(I), x1)))",
        "contained(x5, x1)",
        "contained(x5, shift(x1, (5, 5)))",
        "contained(astuple(ONE, T), x2)",
        "contained(astuple(ONE, x5), asobject(I))",
        "contained(astuple(T, UNITY), recolor(ONE, x1))",
        "contained(astuple(UNITY, UNITY), x3)",
        "contained(astuple(UNITY, UNITY), apply(vmirror, initset(I)))",
    ] {
        is_sure(&format!("{sets}    return {result}\n"));
    }
}

#[test]
fn functions_that_are_made_on_the_way() {
    let places = "    x1 = asindices(I)\n";
    for function in [
        // One function for each place, called on all places, and values in it that come twice or once.
        "chain(size, lbind(sfilter, x1), lbind(lbind, equality))",
        "chain(lbind(valmin, x1), lbind(compose, first), lbind(lbind, subtract))",
        "compose(lbind(argmax, x1), lbind(rbind, subtract))",
        "compose(maximum, chain(rbind(apply, x1), lbind(compose, invert), lbind(lbind, add)))",
    ] {
        is_sure(&format!(
            "{places}    x2 = {function}\n    return apply(x2, order(x1, identity))\n"
        ));
    }
    let twice =
        "    x1 = rbind(add, ONE)\n    x2 = rbind(add, TWO)\n    x3 = totuple(asindices(I))\n";
    for (a, b) in [("x1", "x1"), ("x1", "x2"), ("x2", "x2")] {
        is_sure(&format!(
            "{twice}    return apply(fork(multiply, {a}, {b}), x3)\n"
        ));
    }
}

#[test]
fn functions_made_for_each_place_and_called_for_each_thing() {
    // `x4((place, thing))` is the distance of the thing's middle from the place.
    let things = "    x1 = objects(upscale(I, TWO), T, F, F)
    x2 = fork(subtract, first, compose(center, last))
    x3 = fork(multiply, sign, identity)
    x4 = compose(fork(add, first, last), chain(lbind(apply, x3), x2, identity))
    x5 = chain(lbind(compose, x4), lbind(lbind, astuple), identity)
    x6 = order(asindices(I), identity)
";
    for function in [
        // One container for all places.
        "chain(ulcorner, lbind(argmin, x1), x5)",
        "chain(ulcorner, lbind(argmax, x1), x5)",
        "compose(lbind(valmin, x1), x5)",
        "chain(size, lbind(sfilter, x1), compose(lbind(compose, rbind(greater, TWO)), x5))",
        "chain(size, lbind(mfilter, x1), compose(lbind(compose, even), x5))",
        "chain(ulcorner, lbind(extract, x1), compose(rbind(matcher, THREE), x5))",
        "chain(maximum, rbind(apply, x1), x5)",
        "chain(size, rbind(mapply, x1), compose(rbind(compose, center), lbind(lbind, connect)))",
        // A different container for each, with a captured function.
        "fork(valmin, chain(lbind(apply, center), lbind(sfilter, x1), lbind(lbind, contained)), x5)",
        "compose(maximum, fork(apply, compose(lbind(rbind, subtract), first), neighbors))",
        "compose(size, fork(sfilter, neighbors, lbind(rbind, greater)))",
        // Inside another such function.
        "fork(greater, compose(lbind(valmax, x1), x5), compose(lbind(valmin, x1), x5))",
    ] {
        is_sure(&format!("{things}    return apply({function}, x6)\n"));
    }
}

#[test]
fn functions_that_go_over_pairs_of_numbers() {
    let pairs = "    x1 = product(interval(-3, 9, ONE), interval(4, 9, ONE))\n    x2 = order(x1, identity)\n";
    for function in ["sign", "fork(multiply, sign, identity)", "tojvec"] {
        is_sure(&format!(
            "{pairs}    return apply(lbind(apply, {function}), x2)\n"
        ));
    }
    is_sure(&format!(
        "{pairs}    return apply(lbind(apply, first), x2)\n"
    ));
}

#[test]
fn sets_of_numbers_near_and_far() {
    for factor in ["1", "-7", "600", "9000000000000"] {
        is_sure(&format!(
            "    x1 = interval(-20, 20, ONE)\n    x2 = initset(ZERO)\n    x3 = rbind(multiply, {factor})\n    x4 = fork(multiply, x3, sign)\n    x5 = combine(x2, apply(x4, combine(x1, x1)))\n    return (size(x5), maximum(x5), minimum(x5), totuple(x5))\n"
        ));
    }
}

#[test]
fn a_line_runs_dry_on_its_way_through_a_container() {
    let cells = "    x1 = asindices(upscale(I, 4))\n    x2 = totuple(x1)\n";
    for result in [
        "apply(double, x1)",
        "apply(double, x2)",
        "mapply(dneighbors, x1)",
        "sfilter(x1, first)",
        "papply(astuple, x2, x2)",
        "prapply(subtract, x1, x2)",
        "canvas(ONE, (90, 90))",
    ] {
        for fuel in (500..6_000).step_by(97) {
            is_sure_with(&format!("{cells}    return {result}\n"), fuel);
        }
    }
}

#[test]
fn a_line_runs_dry_in_the_middle_of_an_element() {
    let cells = "    x1 = asindices(upscale(I, 3))\n    x2 = objects(I, T, F, T)\n";
    for result in [
        "mapply(compose(lbind(mapply, dneighbors), rbind(product, x1)), x2)",
        "apply(compose(lbind(argmin, x1), lbind(lbind, manhattan)), x2)",
        "mapply(fork(prapply, chain(lbind(lbind, lbind), first, identity), identity), x2)",
        "mapply(compose(merge, fork(lbind(prapply, shoot), toindices, toindices)), x2)",
        "sfilter(x1, compose(lbind(extract, x1), lbind(rbind, equality)))",
    ] {
        for fuel in (800..4_000).step_by(211) {
            agrees_with(&format!("{cells}    return {result}\n"), fuel);
        }
    }
    let dry = "mapply(compose(merge, fork(lbind(prapply, shoot), toindices, toindices)), x2)";
    is_sure_with(&format!("{cells}    return {dry}\n"), 500);
}

#[test]
fn of_different_faults_the_first_one_in_cpythons_order_counts() {
    is_sure("    return apply(fork(divide, identity, last), asindices(upscale(I, 4)))\n");
    let values = "    x1 = combine(product((0, 1, 2, 3), (0, 1)), initset(((), ())))\n";
    for function in ["fork(divide, first, last)", "compose(invert, last)"] {
        is_sure(&format!("{values}    return apply({function}, x1)\n"));
        is_sure(&format!("{values}    return argmax(x1, {function})\n"));
    }
}

#[test]
fn lines_between_equal_sets_in_different_orders() {
    let sets = "    x1 = hfrontier(ZERO_BY_TWO)\n    x2 = box(x1)\n";
    for (a, b) in [("x1", "x1"), ("x1", "x2"), ("x2", "x1"), ("x2", "x2")] {
        is_sure(&format!("{sets}    return prapply(connect, {a}, {b})\n"));
    }
}

#[test]
fn mistakes_with_sets_are_cpythons() {
    let sets = "    x1 = asindices(I)\n    x2 = objects(I, T, F, T)\n";
    for result in [
        "toobject(apply(outbox, x2), I)",
        "paint(I, apply(asobject, (I, I)))",
        "fill(I, T, merge(x2))",
        "fill(I, ONE, product(x1, x1))",
        "underfill(I, ONE, combine(x1, asobject(I)))",
        "cover(I, prapply(shift, x2, x1))",
        "shift(initset(x1), UNITY)",
        "subgrid(product(x1, UP), I)",
        "canvas(ONE, x1)",
        "replace(x1, ONE, ZERO)",
        "ofcolor(hsplit(I, THREE), ONE)",
        "asobject(((1, 2), (3, 4, 5)))",
        "rapply((vmirror, x1), I)",
        "mapply(lbind(contained, THREE), x1)",
        "merge(combine(x1, initset(ONE)))",
        "apply(compose(FIVE, first), x1)",
        "apply(rbind(add, UNITY), ONE)",
        "papply(first, totuple(x1), totuple(x1))",
        "argmax(x1, None)",
    ] {
        is_sure(&format!("{sets}    return {result}\n"));
    }
}

#[test]
fn unions_of_many_copies_may_reach_far() {
    let lines = "    x1 = lbind(shift, asobject(upscale(I, 10)))
    x2 = interval(0, 500, 20)
    x3 = mapply(x1, product(x2, x2))
    return size(x3)
";
    is_sure(lines);
    is_sure_with(lines, 500_000);
}

#[test]
fn elements_that_all_stop_alike_need_no_order_however_deep() {
    let lines = |nothing: &str| {
        let deep = (0..10).fold("x3".to_owned(), |f, _| format!("compose(identity, {f})"));
        format!(
            "    x1 = {nothing}
    x2 = compose(rbind(adjacent, x1), initset)
    x3 = rbind(extract, x2)
    return apply({deep}, objects(I, F, T, T))
"
        )
    };
    is_sure(&lines("ofcolor(I, 9)"));
    for other in ["ofcolor(I, 1)", "ofcolor(I, 0)", "I"] {
        agrees_with(&lines(other), 1_000_000);
    }
}

#[test]
fn objects_may_become_larger_than_a_patch() {
    for object in ["asobject(I)", "first(objects(I, T, T, T))"] {
        for factor in [42, 43, 130] {
            let upscaled = format!("    x1 = upscale({object}, {factor})\n");
            for result in [
                "size(x1)",
                "ulcorner(x1)",
                "first(x1)",
                "last(x1)",
                "color(x1)",
            ] {
                is_sure(&format!("{upscaled}    return {result}\n"));
            }
            agrees_with(
                &format!("{upscaled}    return paint(canvas(0, (50, 50)), x1)\n"),
                100_000,
            );
        }
    }
}

#[test]
fn pairs_of_places_or_cells_look_like_cells() {
    let pairs = "    x1 = product(ofcolor(I, 1), ofcolor(I, 0))
    x2 = product(asobject(I), asobject(I))
";
    for result in [
        "recolor(3, x1)",
        "last(recolor(3, x1))",
        "toindices(x1)",
        "first(toindices(x1))",
        "shift(x1, (1, 2))",
        "first(shift(x1, (-3, 2)))",
        "toobject(x1, I)",
        "paint(I, x2)",
        "underpaint(I, x2)",
        "paint(crop(I, (0, 0), (1, 3)), sfilter(x2, compose(positive, compose(first, last))))",
        "paint(crop(I, (0, 0), (1, 3)), x2)",
    ] {
        is_sure(&format!("{pairs}    return {result}\n"));
    }
    for result in [
        "fill(I, 3, x1)",
        "fill(I, 3, x2)",
        "recolor(3, x2)",
        "toindices(x2)",
        "toobject(x2, I)",
        "shift(x2, (1, 1))",
        "mostcolor(x1)",
        "delta(x1)",
        "normalize(x1)",
        "subgrid(x1, I)",
        "occurrences(I, x1)",
        "occurrences(I, x2)",
        "cover(I, x1)",
        "hmirror(x1)",
        "dmirror(x1)",
        "upscale(x1, 2)",
        "outbox(x1)",
        "backdrop(x2)",
        "centerofmass(x1)",
        "manhattan(x1, x2)",
        "move(I, x1, (1, 0))",
        "underfill(I, 4, x1)",
        "palette(x1)",
        "crement(x1)",
    ] {
        agrees_with(&format!("{pairs}    return {result}\n"), 1_000_000);
    }
}

#[test]
fn lines_between_very_many_places_are_not_drawn_to_find_that_out() {
    let places = "    x1 = asindices(canvas(0, (20, 20)))\n";
    for fuel in [1_000, 20_000, 199_000, 800_000, 801_500, 900_000] {
        is_sure_with(
            &format!("{places}    return size(prapply(connect, x1, x1))\n"),
            fuel,
        );
        let of_each = "    x2 = compose(size, compose(fork(lbind(prapply, connect), identity, identity), asindices))
    return apply(x2, initset(canvas(0, (20, 20))))
";
        is_sure_with(of_each, fuel);
    }
}

#[test]
fn sets_that_are_not_patches_need_no_order() {
    let calls = [
        "toindices(x1)",
        "ulcorner(x1)",
        "urcorner(x1)",
        "llcorner(x1)",
        "lrcorner(x1)",
        "uppermost(x1)",
        "lowermost(x1)",
        "leftmost(x1)",
        "rightmost(x1)",
        "height(x1)",
        "width(x1)",
        "shape(x1)",
        "portrait(x1)",
        "square(x1)",
        "vline(x1)",
        "hline(x1)",
        "center(x1)",
        "centerofmass(x1)",
        "corners(x1)",
        "backdrop(x1)",
        "delta(x1)",
        "inbox(x1)",
        "outbox(x1)",
        "box(x1)",
        "normalize(x1)",
        "hmirror(x1)",
        "vmirror(x1)",
        "dmirror(x1)",
        "cmirror(x1)",
        "recolor(3, x1)",
        "recolor(I, x1)",
        "subgrid(x1, I)",
        "subgrid(x1, 3)",
        "manhattan(x1, x1)",
        "adjacent(x1, 3)",
        "hmatching(x1, I)",
        "vmatching(x1, x1)",
        "position(x1, 3)",
        "bordering(x1, 3)",
        "shift(x1, (1, 2))",
        "toobject(x1, I)",
        "fill(I, 3, x1)",
        "underfill(I, None, x1)",
        "cover(I, x1)",
    ];
    for set in [
        "objects(I, T, F, F)",
        "insert(asindices(I), partition(I))",
        "palette(I)",
        "initset(first)",
    ] {
        for call in calls {
            is_sure(&format!("    x1 = {set}\n    return {call}\n"));
        }
        for call in [
            "shift(x1, 3)",
            "fill(3, 3, x1)",
            "toobject(x1, ())",
            "cover(x1, x1)",
        ] {
            agrees_with(&format!("    x1 = {set}\n    return {call}\n"), 100_000);
        }
    }
}

#[test]
fn objects_of_many_colours_are_compared_cell_by_cell() {
    let objects = "    x1 = asobject(I)\n    x2 = asobject(dmirror(I))\n";
    for (call, shift) in ["intersection", "difference"]
        .iter()
        .flat_map(|call| ["ORIGIN", "RIGHT", "UNITY", "(40, 200)"].map(|by| (call, by)))
    {
        for result in ["totuple(x3)", "size(x3)", "palette(x3)", "apply(last, x3)"] {
            let both = format!("    x3 = {call}(x1, shift(x2, {shift}))\n");
            is_sure(&format!("{objects}{both}    return {result}\n"));
        }
        let count = format!("compose(size, lbind({call}, x1))");
        let moved = "    x3 = apply(lbind(shift, x2), asindices(I))\n";
        let counted = format!("    return apply({count}, x3)\n");
        is_sure(&format!("{objects}{moved}{counted}"));
    }
}

#[test]
fn distances_of_near_and_far_patches() {
    for (row, column) in [
        (0, 0),
        (1, 1),
        (0, 7),
        (-9, 3),
        (4, -60),
        (2, 63),
        (-2, 64),
        (0, 125),
        (3, -126),
        (500, 127),
        (1, 128),
        (-7, 3000),
    ] {
        let patches = "    x1 = ofcolor(I, ONE)\n    x2 = upscale(asobject(I), TWO)\n";
        let moved = format!("    x3 = shift(x2, ({row}, {column}))\n");
        is_sure(&format!("{patches}{moved}    return manhattan(x1, x3)\n"));
        is_sure(&format!("{patches}{moved}    return manhattan(x3, x1)\n"));
    }
}

#[test]
fn the_commonest_of_colours_that_are_equally_common() {
    for (a, b, c) in (0..11).flat_map(|a| [(a, 8, 9), (8, a, 0), (9, 1, a), (7, a, 3)]) {
        let numbers = format!("(({a}, {b}, {c}), ({b}, {a}, {c}, {a}, {b}), ({c}, {c}, {b}, {b}))");
        for call in ["mostcommon", "leastcommon"] {
            is_sure(&format!("    return apply({call}, {numbers})\n"));
        }
    }
    is_sure("    return mostcommon((9, 8, 0, 1, 2, 3))\n");
}

#[test]
fn the_best_of_elements_with_equal_keys() {
    let objects = "    x1 = objects(I, T, F, F)\n";
    for call in ["valmax", "valmin"] {
        for function in [
            "numcolors",
            "color",
            "width",
            "shape",
            "chain(even, size, toindices)",
        ] {
            let line = format!("{objects}    return {call}(x1, {function})\n");
            is_sure(&line);
            for fuel in 20..160 {
                agrees_with(&line, fuel);
            }
        }
    }
}

#[test]
fn rows_of_two_grids_side_by_side() {
    let pairs = "    x1 = papply(pair, I, crop(dmirror(I), ORIGIN, (2, 2)))\n";
    is_sure(&format!("{pairs}    return x1\n"));
    is_sure("    x1 = papply(pair, I, dmirror(I))\n    return apply(lbind(apply, maximum), x1)\n");
    is_sure("    x1 = papply(pair, I, dmirror(I))\n    return merge(x1)\n");
    for fuel in 1..80 {
        is_sure_with(
            "    x1 = papply(pair, I, dmirror(I))\n    return size(x1)\n",
            fuel,
        );
    }
}

#[test]
fn unions_of_tuples_in_an_open_order() {
    let parts =
        "    x1 = objects(I, T, F, F)\n    x2 = lbind(rapply, astuple(identity, vmirror))\n";
    let cells = "    x3 = compose(merge, x2)\n    x4 = mapply(x3, x1)\n";
    for result in ["x4", "totuple(x4)", "first(x4)", "argmax(x4, first)"] {
        is_sure(&format!("{parts}{cells}    return {result}\n"));
    }
}
