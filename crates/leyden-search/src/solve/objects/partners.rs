//! Partners: for each object another one that lends it a place, a colour or a shape.

use super::said::{Said, Table, distinct};
use super::scene::{Thing, Vector, World};

/// The objects that can be partners: those of the pictures, then all cells of each colour.
pub(super) struct Pool {
    pub(super) things: Vec<Thing>,
    pub(super) tables: Vec<Table<usize>>,
}

/// The steps between any two objects of a picture.
struct Distances(Vec<Vec<i16>>);

impl Distances {
    fn new(world: &World) -> Distances {
        let things = &world.things;
        let row = |k: usize| {
            let beside = world.beside(k);
            beside.map(|it| things[k].distance(&things[it])).collect()
        };
        Distances((0..things.len()).map(row).collect())
    }

    fn of(&self, world: &World, a: usize, b: usize) -> i16 {
        self.0[a][b - world.beside(a).start]
    }
}

/// All partners.
pub(super) fn partners(world: &World) -> Pool {
    let mut pool = Pool {
        things: world.things.clone(),
        tables: Vec::new(),
    };
    let set = world.cut.text;
    let others = format!("rbind(remove, {set})");
    let steps = Distances::new(world);
    let mut tables = related(world, &others, &steps);
    tables.extend(nearest(world, &others, &steps));
    tables.extend(chosen(world));
    tables.extend(cells_of_colours(world, &mut pool));
    pool.tables = distinct(tables);
    pool
}

/// The only other object for which a relation holds.
fn only(
    world: &World,
    (text, cost): (String, u32),
    holds: &dyn Fn(usize, usize) -> bool,
) -> Table<usize> {
    let things = &world.things;
    let value = |k: usize| {
        let mut all = world.beside(k).filter(|it| *it != k && holds(k, *it));
        let one = all.next()?;
        all.next().is_none().then_some(one)
    };
    Table::new(Said::Of(text), cost, (0..things.len()).map(value).collect())
}

fn related(world: &World, others: &str, steps: &Distances) -> Vec<Table<usize>> {
    let things = &world.things;
    let shapes: Vec<Vec<Vector>> = things.iter().map(Thing::shape).collect();
    let shape = "compose(toindices, normalize)";
    let extract = |test: &str| format!("fork(extract, {others}, {test})");
    let equal = |of: &str| extract(&format!("compose(lbind(matcher, {of}), {of})"));
    let meets = |inner: &str, outer: &str| {
        let function = format!(
            "chain(lbind(compose, compose(positive, size)), rbind(compose, {inner}), compose(lbind(lbind, intersection), {outer}))"
        );
        extract(&function)
    };
    let mut tables = vec![
        only(world, (extract("lbind(lbind, adjacent)"), 3), &|a, b| {
            steps.of(world, a, b) == 1
        }),
        only(world, (equal(shape), 3), &|a, b| shapes[a] == shapes[b]),
        only(world, (equal("size"), 4), &|a, b| {
            things[a].cells.len() == things[b].cells.len()
        }),
        only(world, (extract("lbind(lbind, hmatching)"), 3), &|a, b| {
            things[a].shares_row(&things[b])
        }),
        only(world, (extract("lbind(lbind, vmatching)"), 3), &|a, b| {
            things[a].shares_column(&things[b])
        }),
        only(world, (meets("delta", "toindices"), 3), &|a, b| {
            things[b].surrounds(&things[a])
        }),
        only(world, (meets("toindices", "delta"), 3), &|a, b| {
            things[a].surrounds(&things[b])
        }),
    ];
    if world.cut.is_one_coloured() {
        tables.push(only(world, (equal("color"), 3), &|a, b| {
            things[a].palette == things[b].palette
        }));
    }
    if world.cut.is_one_coloured() {
        let alike = "compose(lbind(matcher, color), color)";
        let text = format!("compose(rbind(argmax, size), fork(sfilter, {others}, {alike}))");
        let value = |k: usize| {
            let alike = |it: &usize| *it != k && things[*it].palette == things[k].palette;
            let all: Vec<(usize, usize)> = world
                .beside(k)
                .filter(alike)
                .map(|it| (things[it].cells.len(), it))
                .collect();
            let best = *all.iter().max()?;
            (all.iter().filter(|it| it.0 == best.0).count() == 1).then_some(best.1)
        };
        let values = (0..things.len()).map(value).collect();
        tables.push(Table::new(Said::Of(text), 4, values));
    }
    if world.scenes.iter().all(|scene| scene.things.len() == 2) {
        let text = format!("compose(first, {others})");
        tables.push(only(world, (text, 2), &|_, _| true));
    }
    tables
}

/// The nearest object of those that count.
fn closest(
    (world, distances): (&World, &Distances),
    (said, cost): (Said, u32),
    counts: &dyn Fn(usize, usize) -> bool,
) -> Table<usize> {
    let things = &world.things;
    let value = |k: usize| {
        let all = world.beside(k).filter(|it| counts(k, *it));
        let steps: Vec<(i16, usize)> = all.map(|it| (distances.of(world, k, it), it)).collect();
        let best = steps.iter().min()?;
        let n = steps.iter().filter(|it| it.0 == best.0).count();
        (n == 1).then_some(best.1)
    };
    Table::new(said, cost, (0..things.len()).map(value).collect())
}

fn nearest(world: &World, others: &str, distances: &Distances) -> Vec<Table<usize>> {
    let there = (world, distances);
    let set = world.cut.text;
    let things = &world.things;
    let steps = "lbind(lbind, manhattan)";
    let mut tables = vec![closest(
        there,
        (Said::Of(format!("fork(argmin, {others}, {steps})")), 2),
        &|k, it| it != k,
    )];
    for (word, shares) in [
        ("hmatching", Thing::shares_row as fn(&Thing, &Thing) -> bool),
        ("vmatching", Thing::shares_column),
    ] {
        let aligned = format!("fork(sfilter, {others}, lbind(lbind, {word}))");
        let text = format!("fork(argmin, {aligned}, {steps})");
        tables.push(closest(there, (Said::Of(text), 4), &|k, it| {
            it != k && shares(&things[k], &things[it])
        }));
    }
    for (bind, is_larger) in [("rbind", true), ("lbind", false)] {
        let test = format!("compose(rbind(compose, size), compose(lbind({bind}, greater), size))");
        let text = format!("fork(argmin, compose(lbind(sfilter, {set}), {test}), {steps})");
        tables.push(closest(there, (Said::Of(text), 4), &|k, it| {
            let (own, other) = (things[k].cells.len(), things[it].cells.len());
            if is_larger { other > own } else { other < own }
        }));
    }
    if !world.cut.is_one_coloured() {
        return tables;
    }
    for (test, is_same, cost) in [
        (
            "chain(lbind(compose, flip), lbind(matcher, color), color)",
            false,
            3,
        ),
        ("compose(lbind(matcher, color), color)", true, 4),
    ] {
        let from = match is_same {
            true => format!("fork(sfilter, {others}, {test})"),
            false => format!("compose(lbind(sfilter, {set}), {test})"),
        };
        let text = format!("fork(argmin, {from}, {steps})");
        tables.push(closest(there, (Said::Of(text), cost), &|k, it| {
            it != k && (things[k].palette == things[it].palette) == is_same
        }));
    }
    for colour in 0..10u8 {
        let is_it = |it: usize| things[it].palette == 1 << colour;
        if !(0..things.len()).any(is_it) {
            continue;
        }
        let text = format!("compose(lbind(argmin, colorfilter({set}, {colour})), {steps})");
        tables.push(closest(there, (Said::Of(text), 4), &|_, it| is_it(it)));
    }
    tables
}

/// One object of each picture that is larger than all others, or smaller, or in another way apart.
fn chosen(world: &World) -> Vec<Table<usize>> {
    let set = world.cut.text;
    let things = &world.things;
    type Value<'v> = &'v dyn Fn(&Thing) -> i32;
    let ways: [(&str, &str, Value<'_>); 6] = [
        ("argmax", "size", &|it| it.cells.len() as i32),
        ("argmin", "size", &|it| -(it.cells.len() as i32)),
        ("argmin", "uppermost", &|it| -i32::from(it.top)),
        ("argmin", "leftmost", &|it| -i32::from(it.left)),
        ("argmax", "lowermost", &|it| i32::from(it.bottom)),
        ("argmax", "rightmost", &|it| i32::from(it.right)),
    ];
    let mut tables = Vec::new();
    for (word, by, value) in ways {
        let best = |k: usize| {
            let all: Vec<(i32, usize)> =
                world.beside(k).map(|it| (value(&things[it]), it)).collect();
            let best = *all.iter().max()?;
            let n = all.iter().filter(|it| it.0 == best.0).count();
            (n == 1).then_some(best.1)
        };
        let values = (0..things.len()).map(best).collect();
        tables.push(Table::new(
            Said::Fixed(format!("{word}({set}, {by})")),
            3,
            values,
        ));
    }
    if !world.cut.is_one_coloured() {
        let best = |k: usize| {
            let mut all = world
                .beside(k)
                .filter(|it| things[*it].palette.count_ones() > 1);
            let one = all.next()?;
            all.next().is_none().then_some(one)
        };
        let values = (0..things.len()).map(best).collect();
        tables.push(Table::new(
            Said::Fixed(format!("argmax({set}, numcolors)")),
            3,
            values,
        ));
    }
    tables
}

/// All cells of a colour, as one partner.
fn cells_of_colours(world: &World, pool: &mut Pool) -> Vec<Table<usize>> {
    let mut tables = Vec::new();
    for colour in 0..10u8 {
        let in_scene: Vec<Option<usize>> = world
            .scenes
            .iter()
            .map(|scene| {
                let is_back = colour == scene.back;
                let cells = scene
                    .colours
                    .iter()
                    .enumerate()
                    .filter(|(_, c)| **c == colour && !is_back);
                let width = scene.width as usize;
                let cells = cells.map(|(k, c)| ((k / width) as i16, (k % width) as i16, *c));
                let thing = Thing::new(cells.collect())?;
                pool.things.push(thing);
                Some(pool.things.len() - 1)
            })
            .collect();
        if in_scene.iter().all(Option::is_none) {
            continue;
        }
        let values = world
            .scene_of
            .iter()
            .map(|scene| in_scene[*scene])
            .collect();
        let text = format!("ofcolor(I, {colour})");
        tables.push(Table::new(Said::Fixed(text), 3, values));
    }
    tables
}
