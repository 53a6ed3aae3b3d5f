//! Tests on objects.

use rustc_hash::FxHashSet;

use super::super::bits::Bits;
use super::scene::{Scene, Thing, Vector, World};

/// The largest number of constants that a number is compared with.
const MAX_CONSTANTS: usize = 10;

/// A test: the objects that pass it, and its arc-dsl.
#[derive(Clone, Debug)]
pub(super) struct Test {
    /// A function of an object. Empty if all objects pass.
    pub(super) text: String,
    pub(super) cost: u32,
    /// The objects of all pictures that pass.
    pub(super) passes: Bits,
}

/// A number for each object.
struct Number {
    text: String,
    cost: u32,
    values: Vec<i32>,
    /// Whether the largest and the smallest are worth a test.
    has_extremes: bool,
}

/// All tests, the cheapest first, without those that no object or all objects pass.
pub(super) fn tests(world: &World) -> Vec<Test> {
    let n = world.things.len();
    let mut tests: Vec<Test> = vec![Test {
        text: String::new(),
        cost: 0,
        passes: Bits::of(n, |_| true),
    }];
    let mut others: Vec<Test> = Vec::new();
    for number in numbers(world) {
        others.extend(constants(world, &number));
        if number.has_extremes {
            others.extend(extremes(world, &number));
        }
    }
    others.extend(facts(world));
    let inverse = others
        .iter()
        .filter(|test| test.cost <= 4)
        .map(|test| Test {
            text: format!("compose(flip, {})", test.text),
            cost: test.cost + 1,
            passes: Bits::of(n, |k| !test.passes.has(k)),
        });
    let inverse: Vec<Test> = inverse.collect();
    others.extend(inverse);
    others.sort_by_key(|test| test.cost);
    let mut seen: FxHashSet<Bits> = tests.iter().map(|test| test.passes.clone()).collect();
    others.retain(|test| !test.passes.is_empty() && seen.insert(test.passes.clone()));
    tests.extend(others);
    tests
}

fn numbers(world: &World) -> Vec<Number> {
    let set = world.cut.text;
    let things = &world.things;
    let of = |text: &str, cost: u32, has_extremes: bool, value: &dyn Fn(&Thing) -> i32| Number {
        text: text.to_owned(),
        cost,
        values: things.iter().map(value).collect(),
        has_extremes,
    };
    let mut all = vec![
        of("size", 2, true, &|it| it.cells.len() as i32),
        of("height", 2, true, &|it| i32::from(it.height())),
        of("width", 2, true, &|it| i32::from(it.width())),
        of("uppermost", 3, true, &|it| i32::from(it.top)),
        of("leftmost", 3, true, &|it| i32::from(it.left)),
        of("lowermost", 3, true, &|it| i32::from(it.bottom)),
        of("rightmost", 3, true, &|it| i32::from(it.right)),
    ];
    if world.cut.is_one_coloured() {
        all.push(of("color", 1, false, &|it| {
            it.colour().map_or(-1, i32::from)
        }));
        let count = "chain(size, lbind(sfilter, @), compose(lbind(matcher, color), color))";
        all.push(counted(world, count, &|a, b| {
            things[a].palette == things[b].palette
        }));
    } else {
        all.push(of("numcolors", 2, true, &|it| {
            it.palette.count_ones() as i32
        }));
    }
    let shape = "compose(toindices, normalize)";
    let alike =
        format!("chain(size, lbind(sfilter, @), compose(lbind(matcher, {shape}), {shape}))");
    let shapes: Vec<Vec<Vector>> = things.iter().map(Thing::shape).collect();
    all.push(counted(world, &alike, &|a, b| shapes[a] == shapes[b]));
    let sized = "chain(size, lbind(sfilter, @), compose(lbind(matcher, size), size))";
    all.push(counted(world, sized, &|a, b| {
        things[a].cells.len() == things[b].cells.len()
    }));
    all.push(holes(world));
    for number in &mut all {
        number.text = number.text.replace('@', set);
    }
    all
}

/// The number of objects of the picture that are like an object in some way.
fn counted(world: &World, text: &str, is_alike: &dyn Fn(usize, usize) -> bool) -> Number {
    let things = &world.things;
    let value = |k: usize| {
        let beside = world.beside(k);
        beside.filter(|other| is_alike(k, *other)).count() as i32
    };
    Number {
        text: text.to_owned(),
        cost: 3,
        values: (0..things.len()).map(value).collect(),
        has_extremes: false,
    }
}

/// The number of black parts inside the picture that an object touches.
fn holes(world: &World) -> Number {
    let text = "chain(size, lbind(sfilter, sfilter(colorfilter(objects(I, T, F, F), 0), compose(flip, rbind(bordering, I)))), lbind(lbind, adjacent))";
    let parts: Vec<Vec<Vec<usize>>> = world.scenes.iter().map(black_parts).collect();
    let value = |k: usize| {
        let scene = world.scene(k);
        let thing = &world.things[k];
        let near: Vec<usize> = neighbours(scene, thing);
        let parts = &parts[world.scene_of[k]];
        parts
            .iter()
            .filter(|part| part.iter().any(|cell| near.contains(cell)))
            .count() as i32
    };
    Number {
        text: text.to_owned(),
        cost: 4,
        values: (0..world.things.len()).map(value).collect(),
        has_extremes: true,
    }
}

/// The places beside an object's cells.
pub(super) fn neighbours(scene: &Scene, thing: &Thing) -> Vec<usize> {
    let steps = [(0, 1), (1, 0), (0, -1), (-1, 0)];
    let beside = thing.cells.iter().flat_map(|cell| {
        let places = steps.iter().map(|(di, dj)| (cell.0 + di, cell.1 + dj));
        places
            .filter(|(i, j)| !thing.has(*i, *j))
            .filter_map(|(i, j)| scene.place(i, j))
    });
    let mut places: Vec<usize> = beside.collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Connected black cells that do not touch the border.
fn black_parts(scene: &Scene) -> Vec<Vec<usize>> {
    let (height, width) = (scene.height as usize, scene.width as usize);
    let mut is_seen: Vec<bool> = scene.colours.iter().map(|colour| *colour != 0).collect();
    let mut parts = Vec::new();
    for first in 0..is_seen.len() {
        if std::mem::replace(&mut is_seen[first], true) {
            continue;
        }
        let (mut part, mut next) = (vec![first], 0);
        while let Some(k) = part.get(next).copied() {
            next += 1;
            let (i, j) = (k / width, k % width);
            let around = [
                (i > 0).then(|| k - width),
                (i + 1 < height).then(|| k + width),
                (j > 0).then(|| k - 1),
                (j + 1 < width).then(|| k + 1),
            ];
            for other in around.into_iter().flatten() {
                if !std::mem::replace(&mut is_seen[other], true) {
                    part.push(other);
                }
            }
        }
        let is_outside = |k: &usize| {
            let (i, j) = (k / width, k % width);
            i == 0 || j == 0 || i + 1 == height || j + 1 == width
        };
        if !part.iter().any(is_outside) {
            parts.push(part);
        }
    }
    parts
}

/// Tests that compare a number with constants of the demonstrations.
fn constants(world: &World, number: &Number) -> Vec<Test> {
    let shown = &number.values[..world.n_shown()];
    let mut values = shown.to_vec();
    values.sort_unstable();
    values.dedup();
    let n = world.things.len();
    let text = &number.text;
    let equal = |value: &i32| Test {
        text: format!("matcher({text}, {value})"),
        cost: number.cost,
        passes: Bits::of(n, |k| number.values[k] == *value),
    };
    let above = |value: &i32| Test {
        text: format!("compose(rbind(greater, {value}), {text})"),
        cost: number.cost + 1,
        passes: Bits::of(n, |k| number.values[k] > *value),
    };
    let few = || values.iter().take(MAX_CONSTANTS);
    let mut tests: Vec<Test> = few().map(equal).collect();
    if number.text == "size" || number.text.starts_with("chain(size") {
        tests.extend(few().map(above));
    }
    tests
}

/// Tests for the largest and smallest number of a picture.
fn extremes(world: &World, number: &Number) -> [Test; 2] {
    let set = world.cut.text;
    let text = &number.text;
    let test = |word: &str, sign: i32| {
        let best = |k: usize| world.beside(k).map(|it| number.values[it] * sign).max();
        Test {
            text: format!("matcher({text}, {word}({set}, {text}))"),
            cost: number.cost,
            passes: Bits::of(world.things.len(), |k| {
                best(k) == Some(number.values[k] * sign)
            }),
        }
    };
    [test("valmax", 1), test("valmin", -1)]
}

/// Tests that compare with nothing.
fn facts(world: &World) -> Vec<Test> {
    let n = world.things.len();
    let things = &world.things;
    let test = |text: String, cost: u32, is_so: &dyn Fn(usize) -> bool| Test {
        text,
        cost,
        passes: Bits::of(n, is_so),
    };
    let of = |text: &str, cost: u32, is_so: &dyn Fn(&Thing) -> bool| {
        test(text.to_owned(), cost, &|k| is_so(&things[k]))
    };
    let area = |it: &Thing| it.height() as usize * it.width() as usize;
    let same = |mirror: &str| format!("fork(equality, normalize, compose(normalize, {mirror}))");
    let is_same = |it: &Thing, image: &dyn Fn(i16, i16) -> (i16, i16)| {
        it.cells.iter().all(|cell| {
            let (i, j) = image(cell.0 - it.top, cell.1 - it.left);
            let key = (it.top + i, it.left + j);
            let at = it.cells.binary_search_by_key(&key, |it| (it.0, it.1));
            at.is_ok_and(|at| it.cells[at].2 == cell.2)
        })
    };
    let mut tests = vec![
        test("rbind(bordering, I)".to_owned(), 2, &|k| {
            let (it, scene) = (&things[k], world.scene(k));
            it.top == 0
                || it.left == 0
                || it.bottom + 1 == scene.height
                || it.right + 1 == scene.width
        }),
        of("square", 3, &|it| {
            it.height() == it.width() && it.cells.len() == area(it)
        }),
        of("hline", 3, &|it| {
            it.height() == 1 && it.cells.len() == area(it)
        }),
        of("vline", 3, &|it| {
            it.width() == 1 && it.cells.len() == area(it)
        }),
        of("portrait", 3, &|it| it.height() > it.width()),
        of("fork(equality, size, compose(size, backdrop))", 3, &|it| {
            it.cells.len() == area(it)
        }),
        of(&same("vmirror"), 3, &|it| {
            is_same(it, &|i, j| (i, it.width() - 1 - j))
        }),
        of(&same("hmirror"), 3, &|it| {
            is_same(it, &|i, j| (it.height() - 1 - i, j))
        }),
        of(&same("dmirror"), 4, &|it| {
            it.height() == it.width() && is_same(it, &|i, j| (j, i))
        }),
    ];
    let near = (0..n).map(|k| {
        let scene = world.scene(k);
        let places = neighbours(scene, &things[k]).into_iter();
        places.fold(0u16, |all, place| all | 1 << scene.colours[place])
    });
    let near: Vec<u16> = near.collect();
    for colour in 0..10u8 {
        let is_shown = world.scenes.iter().any(|it| it.colours.contains(&colour));
        if !is_shown {
            continue;
        }
        if !world.cut.is_one_coloured() {
            let text = format!("compose(lbind(contained, {colour}), palette)");
            tests.push(of(&text, 2, &|it| it.palette >> colour & 1 == 1));
        }
        let text = format!("compose(rbind(adjacent, ofcolor(I, {colour})), toindices)");
        tests.push(test(text, 4, &|k| {
            (near[k] & !things[k].palette) >> colour & 1 == 1
        }));
    }
    tests
}
