//! Vectors and colours that objects take from themselves, from partners or from the picture.

use super::partners::Pool;
use super::said::{Said, Table, distinct};
use super::scene::{Scene, Thing, Vector, World, extreme};

/// The eight directions, with their names.
pub(super) const WAYS: [(&str, Vector); 8] = [
    ("UP", (-1, 0)),
    ("DOWN", (1, 0)),
    ("LEFT", (0, -1)),
    ("RIGHT", (0, 1)),
    ("UNITY", (1, 1)),
    ("NEG_UNITY", (-1, -1)),
    ("UP_RIGHT", (-1, 1)),
    ("DOWN_LEFT", (1, -1)),
];

/// More steps than a picture has rows or columns.
const FAR: i16 = 31;

/// A number of steps for each object in one direction.
pub(super) struct Steps {
    pub(super) way: (&'static str, Vector),
    pub(super) table: Table<i16>,
}

/// Numbers of free steps in all directions, until an obstacle or the border.
pub(super) fn free_steps(world: &World) -> Vec<Steps> {
    let mut all = Vec::new();
    for way in WAYS {
        let cost = if way.1.0 == 0 || way.1.1 == 0 { 3 } else { 4 };
        let is_other = |scene: &Scene, thing: &Thing, i: i16, j: i16| {
            scene.at(i, j).is_none_or(|c| c != scene.back) && !thing.has(i, j)
        };
        all.push(Steps {
            way,
            table: Table::new(
                until_others(world, way.0),
                cost,
                steps(world, way.1, &is_other),
            ),
        });
        for colour in 0..10u8 {
            let is_shown = world.scenes.iter().any(|it| it.colours.contains(&colour));
            let is_back = world.scenes.iter().any(|it| it.back == colour);
            if is_shown && !is_back {
                let is_it = |scene: &Scene, _: &Thing, i: i16, j: i16| {
                    scene.at(i, j).is_none_or(|c| c == colour)
                };
                let said = until(way.0, &format!("ofcolor(I, {colour})"));
                all.push(Steps {
                    way,
                    table: Table::new(said, cost + 1, steps(world, way.1, &is_it)),
                });
            }
        }
    }
    all
}

fn steps(
    world: &World,
    way: Vector,
    is_obstacle: &dyn Fn(&Scene, &Thing, i16, i16) -> bool,
) -> Vec<Option<i16>> {
    let value = |k: usize| {
        let (thing, scene) = (&world.things[k], world.scene(k));
        let is_free = |n: &i16| {
            let mut cells = thing.cells.iter();
            !cells.any(|cell| is_obstacle(scene, thing, cell.0 + n * way.0, cell.1 + n * way.1))
        };
        Some((1..=FAR).find(|n| !is_free(n))? - 1)
    };
    (0..world.things.len()).map(value).collect()
}

/// The number of steps until an object meets these cells or leaves the picture.
fn until(way: &str, cells: &str) -> Said {
    let blocked = format!(
        "chain(lbind(compose, chain(positive, size, lbind(intersection, combine({cells}, outbox(asindices(I)))))), rbind(compose, lbind(multiply, {way})), compose(lbind(lbind, shift), toindices))"
    );
    counted(&blocked)
}

/// The number of steps until an object meets another one or leaves the picture.
fn until_others(world: &World, way: &str) -> Said {
    let back = if world.cut.is_zero_back {
        "0"
    } else {
        "mostcolor(I)"
    };
    let cells =
        format!("combine(difference(asindices(I), ofcolor(I, {back})), outbox(asindices(I)))");
    let met = format!(
        "chain(lbind(compose, lbind(intersection, {cells})), rbind(compose, lbind(multiply, {way})), compose(lbind(lbind, shift), toindices))"
    );
    let others = format!("fork(compose, compose(lbind(rbind, difference), toindices), {met})");
    counted(&format!(
        "compose(lbind(compose, compose(positive, size)), {others})"
    ))
}

fn counted(blocked: &str) -> Said {
    Said::Of(format!(
        "chain(decrement, minimum, compose(lbind(sfilter, interval(1, {}, 1)), {blocked}))",
        FAR + 1
    ))
}

/// All vectors but fixed ones.
pub(super) fn vectors(world: &World, pool: &Pool, free: &[Steps]) -> Vec<Table<Vector>> {
    let mut tables = own_vectors(world);
    for steps in free {
        let (name, way) = steps.way;
        let said = steps.table.said.then(&format!("lbind(multiply, {name})"));
        let values = &steps.table.values;
        let values = values.iter().map(|n| n.map(|n| (n * way.0, n * way.1)));
        tables.push(Table::new(said, steps.table.cost + 1, values.collect()));
    }
    for partner in &pool.tables {
        tables.extend(towards(world, pool, partner));
    }
    distinct(tables)
}

fn table(
    world: &World,
    text: &str,
    cost: u32,
    value: impl Fn(&Thing, &Scene) -> Vector,
) -> Table<Vector> {
    let values = (0..world.things.len()).map(|k| Some(value(&world.things[k], world.scene(k))));
    Table::new(Said::of(text), cost, values.collect())
}

/// Vectors that depend on the object and the size of the picture.
fn own_vectors(world: &World) -> Vec<Table<Vector>> {
    let table = |text: &str, cost: u32, value: &dyn Fn(&Thing, &Scene) -> Vector| {
        table(world, text, cost, value)
    };
    let down = "chain(toivec, lbind(subtract, decrement(height(I))), lowermost)";
    let right = "chain(tojvec, lbind(subtract, decrement(width(I))), rightmost)";
    let mut tables = vec![
        table("compose(toivec, height)", 2, &|it, _| (it.height(), 0)),
        table("chain(invert, toivec, height)", 2, &|it, _| {
            (-it.height(), 0)
        }),
        table("compose(tojvec, width)", 2, &|it, _| (0, it.width())),
        table("chain(invert, tojvec, width)", 2, &|it, _| (0, -it.width())),
        table("shape", 3, &|it, _| (it.height(), it.width())),
        table("compose(invert, shape)", 3, &|it, _| {
            (-it.height(), -it.width())
        }),
        table(
            "fork(astuple, height, compose(invert, width))",
            3,
            &|it, _| (it.height(), -it.width()),
        ),
        table(
            "fork(astuple, compose(invert, height), width)",
            3,
            &|it, _| (-it.height(), it.width()),
        ),
        table("chain(toivec, invert, uppermost)", 2, &|it, _| (-it.top, 0)),
        table("chain(tojvec, invert, leftmost)", 2, &|it, _| (0, -it.left)),
        table(down, 2, &|it, scene| (scene.height - 1 - it.bottom, 0)),
        table(right, 2, &|it, scene| (0, scene.width - 1 - it.right)),
        table("compose(invert, ulcorner)", 3, &|it, _| (-it.top, -it.left)),
        table(
            "compose(lbind(subtract, decrement(shape(I))), lrcorner)",
            3,
            &|it, scene| (scene.height - 1 - it.bottom, scene.width - 1 - it.right),
        ),
    ];
    let across = [
        ("compose(toivec, compose(increment, height))", (1, 0)),
        (
            "compose(invert, compose(toivec, compose(increment, height)))",
            (-1, 0),
        ),
        ("compose(tojvec, compose(increment, width))", (0, 1)),
        (
            "compose(invert, compose(tojvec, compose(increment, width)))",
            (0, -1),
        ),
    ];
    for (text, (i, j)) in across {
        tables.push(table(text, 4, &|it, _| {
            (i * (it.height() + 1), j * (it.width() + 1))
        }));
    }
    let mirrored = [
        (
            "compose(toivec, fork(subtract, compose(lbind(subtract, decrement(height(I))), lowermost), uppermost))",
            true,
        ),
        (
            "compose(tojvec, fork(subtract, compose(lbind(subtract, decrement(width(I))), rightmost), leftmost))",
            false,
        ),
    ];
    for (text, is_down) in mirrored {
        tables.push(table(text, 4, &|it, scene| match is_down {
            true => (scene.height - 1 - it.bottom - it.top, 0),
            false => (0, scene.width - 1 - it.right - it.left),
        }));
    }
    tables
}

/// Vectors that lead to a partner.
fn towards(world: &World, pool: &Pool, partner: &Table<usize>) -> Vec<Table<Vector>> {
    let other = &partner.said;
    let values = |value: &dyn Fn(&Thing, &Thing) -> Option<Vector>| -> Vec<Option<Vector>> {
        let values = partner.values.iter().enumerate();
        values
            .map(|(k, it)| it.and_then(|it| value(&world.things[k], &pool.things[it])))
            .collect()
    };
    let meet = Said::both("gravitate", &Said::itself(), other);
    let mut tables = vec![Table::new(meet, partner.cost + 1, values(&gravitate))];
    tables.push(Table::new(walk(other), partner.cost + 2, values(&walked)));
    let difference = |of: &str| Said::both("subtract", &other.then(of), &Said::of(of));
    let corner = |it: &Thing| (it.top, it.left);
    let place = |text: &str, at: &dyn Fn(&Thing) -> Vector, cost: u32| {
        let said = difference(text);
        let all = values(&|a, b| Some((at(b).0 - at(a).0, at(b).1 - at(a).1)));
        let row = all.iter().map(|it| it.map(|it| (it.0, 0))).collect();
        let column = all.iter().map(|it| it.map(|it| (0, it.1))).collect();
        [
            Table::new(said.then("compose(toivec, first)"), cost, row),
            Table::new(said.then("compose(tojvec, last)"), cost, column),
            Table::new(said, cost, all),
        ]
    };
    tables.extend(place("ulcorner", &corner, partner.cost + 1));
    tables.extend(place("center", &|it| it.center(), partner.cost + 1));
    tables.extend(place(
        "lrcorner",
        &|it| (it.bottom, it.right),
        partner.cost + 2,
    ));
    tables
}

/// The steps towards another object until both touch; as arc-dsl walks.
fn gravitate(source: &Thing, destination: &Thing) -> Option<Vector> {
    let (from, to) = (source.center(), destination.center());
    let way = if source.shares_column(destination) {
        (if from.0 < to.0 { 1 } else { -1 }, 0)
    } else {
        (0, if from.1 < to.1 { 1 } else { -1 })
    };
    // The cells of the destination and those beside it.
    let touching = |i: i16, j: i16| {
        let beside = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        beside
            .iter()
            .any(|(di, dj)| destination.has(i + di, j + dj))
    };
    let (top, left) = (destination.top - 1, destination.left - 1);
    let (height, width) = (destination.height() + 2, destination.width() + 2);
    let cells = (top..top + height).flat_map(|i| (left..left + width).map(move |j| (i, j)));
    let near: Vec<u8> = cells
        .map(|(i, j)| {
            if destination.has(i, j) {
                2
            } else {
                u8::from(touching(i, j))
            }
        })
        .collect();
    let at = |i: i16, j: i16| {
        let is_inside = (top..top + height).contains(&i) && (left..left + width).contains(&j);
        if is_inside {
            near[((i - top) * width + j - left) as usize]
        } else {
            0
        }
    };
    for n in 0..42 {
        let cells = source.cells.iter();
        match cells
            .map(|cell| at(cell.0 + n * way.0, cell.1 + n * way.1))
            .max()
        {
            Some(1) => return Some((n * way.0, n * way.1)),
            Some(0) => {}
            _ => return None,
        }
    }
    None
}

/// The steps along rows, columns and diagonals towards another object, until the next one would
/// meet it.
fn walked(source: &Thing, destination: &Thing) -> Option<Vector> {
    let (from, to) = (source.center(), destination.center());
    let way = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
    if way == (0, 0) {
        return None;
    }
    let meets = |n: &i16| {
        let mut cells = source.cells.iter();
        cells.any(|cell| destination.has(cell.0 + n * way.0, cell.1 + n * way.1))
    };
    let n = (1..=FAR).find(meets)? - 1;
    Some((n * way.0, n * way.1))
}

/// [`walked`] in arc-dsl.
fn walk(other: &Said) -> Said {
    let itself = Said::itself();
    let way = Said::both("position", &itself, other);
    let at = Said::both(
        "compose",
        &Said::of("compose(lbind(lbind, shift), toindices)"),
        &way.then("lbind(lbind, multiply)"),
    );
    let common = other.then("compose(lbind(lbind, intersection), toindices)");
    let met = Said::both("compose", &common, &at);
    let is_met = met.then("lbind(compose, compose(positive, size))");
    let first = is_met.then(&format!("lbind(sfilter, interval(1, {}, 1))", FAR + 1));
    Said::both("multiply", &way, &first.then("compose(decrement, minimum)"))
}

/// All colours.
pub(super) fn colours(world: &World, pool: &Pool, made: u16) -> Vec<Table<u8>> {
    let n = world.things.len();
    let mut tables = Vec::new();
    for colour in (0..10u8).filter(|c| made >> c & 1 == 1) {
        tables.push(Table::new(
            Said::fixed(colour.to_string()),
            2,
            vec![Some(colour); n],
        ));
    }
    let is_single = world.cut.is_one_coloured();
    if is_single {
        let values = world.things.iter().map(Thing::colour).collect();
        tables.push(Table::new(Said::of("color"), 1, values));
    } else {
        for (word, is_most) in [("mostcolor", true), ("leastcolor", false)] {
            let values = world.things.iter().map(|it| it.extreme_colour(is_most));
            tables.push(Table::new(Said::of(word), 2, values.collect()));
        }
    }
    for partner in &pool.tables {
        // Cells of one colour have no colour in arc-dsl.
        if partner.values.iter().flatten().any(|it| *it >= n) {
            continue;
        }
        let values = |of: &dyn Fn(&Thing) -> Option<u8>| -> Vec<Option<u8>> {
            let values = partner.values.iter();
            values
                .map(|it| it.and_then(|it| of(&pool.things[it])))
                .collect()
        };
        if is_single {
            let said = partner.said.then("color");
            tables.push(Table::new(
                said,
                partner.cost + 1,
                values(&|it| it.colour()),
            ));
            continue;
        }
        for (word, is_most) in [("mostcolor", true), ("leastcolor", false)] {
            let all = values(&|it| it.extreme_colour(is_most));
            tables.push(Table::new(partner.said.then(word), partner.cost + 1, all));
        }
    }
    tables.extend(from_edges(world));
    tables.extend(from_around(world));
    distinct(tables)
}

/// The colours of the cells at the ends of an object's row and column.
fn from_edges(world: &World) -> Vec<Table<u8>> {
    type Place = fn(&Thing, &Scene) -> Vector;
    let ends: [(&str, Place); 4] = [
        ("compose(lbind(astuple, 0), leftmost)", |it, _| (0, it.left)),
        ("compose(rbind(astuple, 0), uppermost)", |it, _| (it.top, 0)),
        (
            "compose(lbind(astuple, decrement(height(I))), leftmost)",
            |it, scene| (scene.height - 1, it.left),
        ),
        (
            "compose(rbind(astuple, decrement(width(I))), uppermost)",
            |it, scene| (it.top, scene.width - 1),
        ),
    ];
    let table = |(text, place): (&str, Place)| {
        let value = |k: usize| {
            let scene = world.scene(k);
            let (i, j) = place(&world.things[k], scene);
            scene.at(i, j)
        };
        let said = Said::Of(format!("compose(lbind(index, I), {text})"));
        Table::new(said, 4, (0..world.things.len()).map(value).collect())
    };
    ends.into_iter().map(table).collect()
}

/// The colours of the cells around an object, and of those in its box.
fn from_around(world: &World) -> Vec<Table<u8>> {
    let is_outside =
        |it: &Thing, i: i16, j: i16| i < it.top || i > it.bottom || j < it.left || j > it.right;
    type Counts<'c> = &'c dyn Fn(&Thing, i16, i16) -> bool;
    let ways: [(&str, i16, Counts<'_>); 3] = [
        ("outbox", 1, &is_outside),
        ("delta", 0, &|it, i, j| !it.has(i, j)),
        ("backdrop", 0, &|_, _, _| true),
    ];
    let mut tables = Vec::new();
    for (figure, margin, counts) in ways {
        for (word, is_most) in [("mostcolor", true), ("leastcolor", false)] {
            let value = |k: usize| {
                let (it, scene) = (&world.things[k], world.scene(k));
                let rows = it.top - margin..=it.bottom + margin;
                let columns = it.left - margin..=it.right + margin;
                let cells = rows.flat_map(|i| columns.clone().map(move |j| (i, j)));
                let cells = cells.filter(|(i, j)| counts(it, *i, *j));
                extreme(cells.filter_map(|(i, j)| scene.at(i, j)), is_most)
            };
            let said = Said::Of(format!("chain({word}, rbind(toobject, I), {figure})"));
            let values = (0..world.things.len()).map(value).collect();
            tables.push(Table::new(said, 3, values));
        }
    }
    tables
}
