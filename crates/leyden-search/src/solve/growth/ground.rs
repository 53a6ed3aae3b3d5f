//! The pictures that rules draw on, and sets of their cells.

use leyden_grid::{Grid, Puzzle};

/// A step in rows and in columns.
pub(super) type Step = (i32, i32);

/// The set of blank cells, in arc-dsl.
pub(super) const BLANK: &str = "ofcolor(I, 0)";
/// The set of drawn cells.
pub(super) const DRAWN: &str = "difference(asindices(I), ofcolor(I, 0))";
/// All cells.
pub(super) const ALL: &str = "asindices(I)";

/// An input, and its output if that is known.
pub(super) struct Sample {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) cells: Vec<u8>,
    pub(super) output: Option<Vec<u8>>,
}

impl Sample {
    fn of(input: &Grid, output: Option<&Grid>) -> Sample {
        Sample {
            height: input.height(),
            width: input.width(),
            cells: input.cells().to_vec(),
            output: output.map(|grid| grid.cells().to_vec()),
        }
    }

    /// The cell one step away; `None` outside.
    pub(super) fn step(&self, cell: usize, (di, dj): Step) -> Option<usize> {
        let i = (cell / self.width) as i32 + di;
        let j = (cell % self.width) as i32 + dj;
        let is_inside = i >= 0 && j >= 0 && i < self.height as i32 && j < self.width as i32;
        is_inside.then(|| i as usize * self.width + j as usize)
    }

    /// The colour that the output shows at a cell, unless the input shows it there, too, and can
    /// hide whatever is drawn below.
    pub(super) fn wanted(&self, cell: usize) -> Option<u8> {
        let output = self.output.as_ref()?[cell];
        let is_hidden = output == self.cells[cell] && output != 0;
        (!is_hidden).then_some(output)
    }

    pub(super) fn is_changed(&self, cell: usize) -> bool {
        let output = self.output.as_ref();
        output.is_some_and(|output| output[cell] != self.cells[cell])
    }
}

/// All pictures of a puzzle, the demonstrations first.
pub(super) struct Ground {
    pub(super) samples: Vec<Sample>,
    pub(super) n_demos: usize,
    /// The drawn colours that most inputs show.
    pub(super) colours: Vec<u8>,
}

impl Ground {
    /// The largest number of colours that sets name.
    const MAX_COLOURS: usize = 5;

    pub(super) fn new(puzzle: &Puzzle) -> Ground {
        let demos = puzzle.demos.iter();
        let demos = demos.map(|pair| Sample::of(&pair.input, Some(&pair.output)));
        let tests = puzzle.test_inputs.iter().map(|grid| Sample::of(grid, None));
        let samples: Vec<Sample> = demos.chain(tests).collect();
        let n_with = |c: u8| samples.iter().filter(|it| it.cells.contains(&c)).count();
        let mut colours: Vec<u8> = (1..10).filter(|c| n_with(*c) > 0).collect();
        colours.sort_by_key(|c| (std::cmp::Reverse(n_with(*c)), *c));
        colours.truncate(Ground::MAX_COLOURS);
        Ground {
            samples,
            n_demos: puzzle.demos.len(),
            colours,
        }
    }
}

/// A set of cells in each picture.
#[derive(Clone, PartialEq)]
pub(super) struct Set {
    pub(super) text: String,
    pub(super) cost: u32,
    pub(super) masks: Vec<Vec<bool>>,
}

impl Set {
    pub(super) fn has(&self, sample: usize, cell: usize) -> bool {
        self.masks[sample][cell]
    }

    /// The cells for which a test holds.
    pub(super) fn of(
        ground: &Ground,
        text: String,
        cost: u32,
        test: impl Fn(&Sample, usize) -> bool,
    ) -> Set {
        let mask = |it: &Sample| (0..it.cells.len()).map(|k| test(it, k)).collect();
        Set {
            text,
            cost,
            masks: ground.samples.iter().map(mask).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.masks.iter().all(|mask| !mask.contains(&true))
    }
}

/// Sets that differ somewhere and are not empty everywhere, the first of equal ones.
pub(super) fn distinct(sets: Vec<Set>) -> Vec<Set> {
    let mut kept: Vec<Set> = Vec::new();
    for set in sets {
        if !set.is_empty() && kept.iter().all(|it| it.masks != set.masks) {
            kept.push(set);
        }
    }
    kept
}

/// The cells of a colour.
pub(super) fn of_colour(ground: &Ground, colour: u8, cost: u32) -> Set {
    let text = format!("ofcolor(I, {colour})");
    Set::of(ground, text, cost, |it, k| it.cells[k] == colour)
}

/// All drawn cells.
pub(super) fn drawn(ground: &Ground, cost: u32) -> Set {
    Set::of(ground, DRAWN.to_owned(), cost, |it, k| it.cells[k] != 0)
}

/// The parts of one colour in a picture, each as its cells in order.
pub(super) fn parts(
    it: &Sample,
    colour_of: impl Fn(usize) -> u8,
    reach: &[Step],
) -> Vec<Vec<usize>> {
    let mut parts = Vec::new();
    let mut is_seen = vec![false; it.cells.len()];
    for first in 0..it.cells.len() {
        if is_seen[first] {
            continue;
        }
        is_seen[first] = true;
        let mut part = vec![first];
        let mut next = 0;
        while let Some(cell) = part.get(next).copied() {
            next += 1;
            for near in reach.iter().filter_map(|step| it.step(cell, *step)) {
                if !is_seen[near] && colour_of(near) == colour_of(first) {
                    is_seen[near] = true;
                    part.push(near);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// Steps to the four direct neighbours, then to the others.
pub(super) const REACH: [Step; 8] = [
    (0, 1),
    (0, -1),
    (1, 0),
    (-1, 0),
    (1, 1),
    (-1, -1),
    (1, -1),
    (-1, 1),
];

/// Which cells of objects a set has.
#[derive(Clone, Copy)]
enum Choice {
    Singles,
    Others,
    Largest,
    Smallest,
    Corners,
    Center,
    Corner(usize),
}

/// The cells from which walkers may start.
pub(super) fn starts(ground: &Ground) -> Vec<Set> {
    let colours = ground.colours.iter();
    let mut sets: Vec<Set> = colours.map(|c| of_colour(ground, *c, 1)).collect();
    sets.push(drawn(ground, 0));
    let objects = "sfilter(objects(I, T, F, F), compose(flip, matcher(color, 0)))";
    let slanted = "sfilter(objects(I, T, T, F), compose(flip, matcher(color, 0)))";
    for (objects, reach) in [(objects, &REACH[..4]), (slanted, &REACH[..])] {
        sets.extend(of_objects(ground, objects, reach));
        for colour in &ground.colours {
            sets.extend(of_colour_objects(ground, objects, reach, *colour));
        }
    }
    distinct(sets)
}

fn of_objects(ground: &Ground, objects: &str, reach: &[Step]) -> Vec<Set> {
    let largest = format!("mfilter({objects}, matcher(size, valmax({objects}, size)))");
    let smallest = format!("mfilter({objects}, matcher(size, valmin({objects}, size)))");
    let all = [
        (
            format!("merge(sizefilter({objects}, 1))"),
            Choice::Singles,
            1,
        ),
        (
            format!("mfilter({objects}, compose(flip, matcher(size, 1)))"),
            Choice::Others,
            1,
        ),
        (largest, Choice::Largest, 2),
        (smallest, Choice::Smallest, 2),
    ];
    let cells = all.map(|(text, choice, cost)| {
        let text = format!("toindices({text})");
        chosen(ground, text, cost, reach, |_| true, choice)
    });
    let mut sets: Vec<Set> = cells.into_iter().collect();
    sets.extend(points(ground, objects, reach, &|_| true, 1));
    sets
}

fn of_colour_objects(ground: &Ground, objects: &str, reach: &[Step], colour: u8) -> Vec<Set> {
    let objects = format!("colorfilter({objects}, {colour})");
    points(ground, &objects, reach, &|c| c == colour, 2)
}

/// Single cells of objects.
fn points(
    ground: &Ground,
    objects: &str,
    reach: &[Step],
    is_kind: &dyn Fn(u8) -> bool,
    cost: u32,
) -> Vec<Set> {
    let corners = ["ulcorner", "urcorner", "llcorner", "lrcorner"];
    let corner =
        |(k, name): (usize, &str)| (format!("apply({name}, {objects})"), Choice::Corner(k));
    let mut all = vec![
        (format!("mapply(corners, {objects})"), Choice::Corners),
        (format!("apply(center, {objects})"), Choice::Center),
    ];
    all.extend(corners.into_iter().enumerate().map(corner));
    let set = |(text, choice)| chosen(ground, text, cost + 1, reach, is_kind, choice);
    all.into_iter().map(set).collect()
}

fn chosen(
    ground: &Ground,
    text: String,
    cost: u32,
    reach: &[Step],
    is_kind: impl Fn(u8) -> bool,
    choice: Choice,
) -> Set {
    let mask = |it: &Sample| {
        let mut mask = vec![false; it.cells.len()];
        let objects = parts(it, |k| it.cells[k], reach).into_iter();
        let objects =
            objects.filter(|cells| it.cells[cells[0]] != 0 && is_kind(it.cells[cells[0]]));
        let objects: Vec<Vec<usize>> = objects.collect();
        let sizes = || objects.iter().map(Vec::len);
        let (largest, smallest) = (sizes().max(), sizes().min());
        for object in &objects {
            let size = Some(object.len());
            let cells = match choice {
                Choice::Singles if object.len() == 1 => object.clone(),
                Choice::Others if object.len() > 1 => object.clone(),
                Choice::Largest if size == largest => object.clone(),
                Choice::Smallest if size == smallest => object.clone(),
                Choice::Singles | Choice::Others | Choice::Largest | Choice::Smallest => vec![],
                Choice::Corners => corners(it, object).to_vec(),
                Choice::Center => vec![center(it, object)],
                Choice::Corner(k) => vec![corners(it, object)[k]],
            };
            cells.into_iter().for_each(|k| mask[k] = true);
        }
        mask
    };
    Set {
        text,
        cost,
        masks: ground.samples.iter().map(mask).collect(),
    }
}

/// The first and last row, and the first and last column, of some cells.
pub(super) fn sides(it: &Sample, cells: &[usize]) -> [usize; 4] {
    let (mut top, mut bottom, mut left, mut right) = (usize::MAX, 0, usize::MAX, 0);
    for cell in cells {
        let (i, j) = (cell / it.width, cell % it.width);
        (top, bottom) = (top.min(i), bottom.max(i));
        (left, right) = (left.min(j), right.max(j));
    }
    [top, bottom, left, right]
}

fn corners(it: &Sample, cells: &[usize]) -> [usize; 4] {
    let [top, bottom, left, right] = sides(it, cells);
    let at = |i: usize, j: usize| i * it.width + j;
    [
        at(top, left),
        at(top, right),
        at(bottom, left),
        at(bottom, right),
    ]
}

/// The cell that arc-dsl calls the centre.
fn center(it: &Sample, cells: &[usize]) -> usize {
    let [top, bottom, left, right] = sides(it, cells);
    let i = top + (bottom - top).div_ceil(2);
    let j = left + (right - left).div_ceil(2);
    i * it.width + j
}
