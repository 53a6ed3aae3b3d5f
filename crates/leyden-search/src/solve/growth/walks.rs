//! Walkers: they start at cells, go straight while cells are free, and turn where told.
//!
//! A walker is a pair of a direction and a cell. In arc-dsl all walkers are a set of such pairs, and
//! `power` adds the next ones, again and again.

use super::ground::{ALL, BLANK, Ground, Sample, Set, Step, distinct, drawn, of_colour, starts};
use super::harvest::{Harvest, Ink};
use crate::solve::effort::Span;

/// The number of steps of walkers that go straight, and of others.
const STRAIGHT: usize = 30;
const TURNING: usize = 100;
/// The number of cells that take as long as a unit of fuel.
const CELLS_PER_FUEL: u64 = 16;
/// The cost of a walk in addition to its words.
const COST: u32 = 3;

/// The next pair of a walker, and the one before.
const NEXT: &str = "fork(astuple, first, fork(add, first, last))";
const BEFORE: &str = "fork(astuple, first, fork(subtract, last, first))";
/// The next cell of a walker, and the one before.
const NEXT_CELL: &str = "fork(add, first, last)";
const CELL_BEFORE: &str = "fork(subtract, last, first)";

/// Directions: straight ones, diagonal ones, then the same twice as far.
const STEPS: [Step; 16] = [
    (0, 1),
    (0, -1),
    (1, 0),
    (-1, 0),
    (1, 1),
    (-1, -1),
    (1, -1),
    (-1, 1),
    (0, 2),
    (0, -2),
    (2, 0),
    (-2, 0),
    (2, 2),
    (-2, -2),
    (2, -2),
    (-2, 2),
];

/// Groups of directions with their costs.
const GROUPS: [(&[usize], u32); 31] = [
    (&[0, 1, 2, 3], 0),
    (&[4, 5, 6, 7], 0),
    (&[0, 1, 2, 3, 4, 5, 6, 7], 1),
    (&[0, 1], 1),
    (&[2, 3], 1),
    (&[4, 5], 1),
    (&[6, 7], 1),
    (&[0], 2),
    (&[1], 2),
    (&[2], 2),
    (&[3], 2),
    (&[4], 2),
    (&[5], 2),
    (&[6], 2),
    (&[7], 2),
    (&[8, 9, 10, 11], 2),
    (&[12, 13, 14, 15], 2),
    (&[8, 9], 3),
    (&[10, 11], 3),
    (&[12, 13], 3),
    (&[14, 15], 3),
    (&[4, 7], 2),
    (&[5, 6], 2),
    (&[8], 4),
    (&[9], 4),
    (&[10], 4),
    (&[11], 4),
    (&[12], 4),
    (&[13], 4),
    (&[14], 4),
    (&[15], 4),
];

/// Which walkers start. The numbers are places in [`Vocabulary::marks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum If {
    Always,
    /// The cell before is of this kind.
    Behind(usize),
    /// The next cell is of this kind.
    Ahead(usize),
    /// The first cell ahead that is not blank is of this kind.
    Sees(usize),
    /// The first cell behind that is not blank is of this kind.
    Flees(usize),
    /// There is no cell before.
    FromBorder,
    /// The cells before in the row and in the column are of this kind, for diagonal directions.
    Corner(usize),
}

/// The behaviour at obstacles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Stop,
    /// Turns before cells of kinds.
    Turn(usize, Turn),
    Turns(usize, usize),
    /// Is reflected where cells are not free.
    Bounce,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Right,
    Left,
    Both,
}

/// The sets that walks name.
pub(super) struct Vocabulary {
    pub(super) starts: Vec<Set>,
    /// Kinds of cells in conditions.
    pub(super) marks: Vec<Set>,
    /// Cells that walkers may enter.
    pub(super) free: Vec<Set>,
}

impl Vocabulary {
    pub(super) fn of(ground: &Ground) -> Vocabulary {
        let mut marks = vec![drawn(ground, 1)];
        marks.extend(ground.colours.iter().map(|c| of_colour(ground, *c, 2)));
        let mut free = vec![
            Set::of(ground, BLANK.to_owned(), 0, |it, k| it.cells[k] == 0),
            Set::of(ground, ALL.to_owned(), 0, |_, _| true),
        ];
        for colour in &ground.colours {
            let text = format!("difference(asindices(I), ofcolor(I, {colour}))");
            free.push(Set::of(ground, text, 1, |it, k| it.cells[k] != *colour));
            let text = format!("combine(ofcolor(I, 0), ofcolor(I, {colour}))");
            let is_free = |it: &Sample, k: usize| [0, *colour].contains(&it.cells[k]);
            free.push(Set::of(ground, text, 2, is_free));
        }
        Vocabulary {
            starts: starts(ground),
            marks: distinct(marks),
            free: distinct(free),
        }
    }

    /// The places of the starts up to a cost.
    pub(super) fn cheap_starts(&self, cost: u32) -> impl Iterator<Item = usize> {
        (0..self.starts.len()).filter(move |k| self.starts[*k].cost <= cost)
    }

    fn conditions(&self) -> Vec<If> {
        let mut all = vec![If::Always, If::FromBorder];
        let marks = || 0..self.marks.len();
        all.extend(marks().map(If::Behind));
        all.extend(marks().map(If::Sees));
        all.extend(marks().map(If::Flees));
        all.extend(marks().map(If::Corner));
        all.extend(marks().map(If::Ahead));
        all
    }

    fn events(&self) -> Vec<Event> {
        let mut all = vec![Event::Bounce];
        for mark in 0..self.marks.len() {
            all.extend([Turn::Right, Turn::Left, Turn::Both].map(|turn| Event::Turn(mark, turn)));
        }
        for right in 1..self.marks.len() {
            let others = (1..self.marks.len()).filter(|left| *left != right);
            all.extend(others.map(|left| Event::Turns(right, left)));
        }
        all
    }
}

/// A walk without its directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) starts: usize,
    pub(super) when: If,
    pub(super) free: usize,
    pub(super) event: Event,
}

/// The trail of the walkers of one direction over the demonstrations.
struct Trail {
    gain: usize,
    /// The fixed colours that suit all cells.
    colours: u16,
    is_own_right: bool,
}

/// Walkers in their world.
pub(super) struct Walkers<'w> {
    pub(super) ground: &'w Ground,
    pub(super) words: &'w Vocabulary,
}

impl Walkers<'_> {
    /// Offers walks, the cheap ones first, until this share of the effort is spent.
    pub(super) fn harvest(&self, harvest: &mut Harvest<'_>, span: &Span<'_>, until: f64) {
        let mut walks = self.walks(
            &self.words.conditions(),
            0..self.words.free.len(),
            &[Event::Stop],
        );
        let some = [If::Always, If::FromBorder, If::Behind(0), If::Flees(0)];
        let some = some.into_iter();
        let some: Vec<If> = some
            .chain((1..self.words.marks.len()).map(If::Behind))
            .collect();
        walks.extend(self.walks(&some, 0..1, &self.words.events()));
        walks.sort_by_key(|walk| self.cost(walk));
        for walk in walks {
            if span.is_past(until) || span.is_late() {
                return;
            }
            span.spend(self.offer(walk, harvest));
        }
    }

    fn walks(&self, when: &[If], free: std::ops::Range<usize>, events: &[Event]) -> Vec<Walk> {
        let mut walks = Vec::new();
        for when in when {
            for free in free.clone() {
                for event in events {
                    walks.extend((0..self.words.starts.len()).map(|starts| Walk {
                        starts,
                        when: *when,
                        free,
                        event: *event,
                    }));
                }
            }
        }
        walks
    }

    fn cost(&self, walk: &Walk) -> u32 {
        let marks = &self.words.marks;
        let when = match walk.when {
            If::Always => 0,
            If::FromBorder => 1,
            If::Behind(mark) => marks[mark].cost,
            If::Sees(mark) | If::Flees(mark) | If::Ahead(mark) => marks[mark].cost + 1,
            If::Corner(mark) => marks[mark].cost,
        };
        let event = match walk.event {
            Event::Stop => 0,
            Event::Bounce => 2,
            Event::Turn(mark, _) => marks[mark].cost + 2,
            Event::Turns(..) => 4,
        };
        COST + self.words.starts[walk.starts].cost + self.words.free[walk.free].cost + when + event
    }

    /// Offers a walk in all groups of directions for which it is right. Returns the fuel.
    fn offer(&self, walk: Walk, harvest: &mut Harvest<'_>) -> u64 {
        let mut n_cells = 0;
        let n_steps = if walk.event == Event::Stop { 16 } else { 8 };
        let trails: Vec<Option<Trail>> = STEPS[..n_steps]
            .iter()
            .map(|step| self.trail(&walk, *step, &mut n_cells))
            .collect();
        for (group, cost) in GROUPS {
            let members = group
                .iter()
                .map(|k| trails.get(*k).and_then(Option::as_ref));
            let Some(members) = members.collect::<Option<Vec<&Trail>>>() else {
                continue;
            };
            if members.iter().all(|it| it.gain == 0) {
                continue;
            }
            let colours = members.iter().fold(!1, |all, it| all & it.colours);
            let steps: Vec<Step> = group.iter().map(|k| STEPS[*k]).collect();
            let is_own = members.iter().all(|it| it.is_own_right);
            let fixed = (1..10).find(|c| colours >> c & 1 == 1).map(Ink::Fixed);
            for ink in fixed.into_iter().chain(is_own.then_some(Ink::Own)) {
                let cost = self.cost(&walk) + cost + u32::from(matches!(ink, Ink::Fixed(_)));
                let text = || self.text(&walk, &steps, ink);
                let picture = |sample| {
                    let picture = self.picture(&walk, &steps, ink, sample)?;
                    n_cells += picture.len() as u64;
                    Some(picture)
                };
                harvest.offer(cost, picture, text);
            }
        }
        n_cells / CELLS_PER_FUEL + 1
    }

    /// Walks over the demonstrations; `None` if the trail is wrong in every colour.
    fn trail(&self, walk: &Walk, step: Step, n_cells: &mut u64) -> Option<Trail> {
        let mut trail = Trail {
            gain: 0,
            colours: !0,
            is_own_right: true,
        };
        for (sample, it) in self.ground.samples[..self.ground.n_demos]
            .iter()
            .enumerate()
        {
            let cells = self.cells(walk, step, sample);
            *n_cells += 8 + cells.len() as u64;
            for (cell, colour) in cells {
                if let Some(wanted) = it.wanted(cell) {
                    trail.colours &= 1 << wanted;
                    trail.is_own_right &= wanted == colour;
                    trail.gain += usize::from(it.is_changed(cell));
                }
                if trail.colours & !1 == 0 && !trail.is_own_right {
                    return None;
                }
            }
        }
        Some(trail)
    }

    /// The trail in a colour; `None` if two walkers leave different colours in a cell.
    pub(super) fn picture(
        &self,
        walk: &Walk,
        steps: &[Step],
        ink: Ink,
        sample: usize,
    ) -> Option<Vec<u8>> {
        let cells = steps
            .iter()
            .flat_map(|step| self.cells(walk, *step, sample));
        let n_cells = self.ground.samples[sample].cells.len();
        ink.picture(n_cells, cells.collect())
    }

    /// The cells that walkers see, with the colour of the cell where each started.
    fn cells(&self, walk: &Walk, step: Step, sample: usize) -> Vec<(usize, u8)> {
        let it = &self.ground.samples[sample];
        let starts = &self.words.starts[walk.starts].masks[sample];
        let starts = starts.iter().enumerate().filter(|(_, is_start)| **is_start);
        let starts = starts.map(|(cell, _)| cell);
        let starts = starts.filter(|cell| self.is_sent(walk.when, *cell, step, sample));
        let mut cells = Vec::new();
        if walk.event == Event::Stop {
            for start in starts {
                self.go_straight(
                    (start, it.cells[start]),
                    step,
                    walk.free,
                    sample,
                    &mut cells,
                );
            }
            return cells;
        }
        for start in starts {
            let colour = it.cells[start];
            let mut pairs: Vec<(Step, usize)> = vec![(step, start)];
            let mut next = 0;
            for _ in 0..TURNING {
                let end = pairs.len();
                for k in next..end {
                    self.go_on(walk, pairs[k], sample, &mut pairs);
                }
                next = end;
                if next == pairs.len() {
                    break;
                }
            }
            cells.extend(pairs.into_iter().map(|(_, cell)| (cell, colour)));
        }
        cells
    }

    fn go_straight(
        &self,
        (start, colour): (usize, u8),
        step: Step,
        free: usize,
        sample: usize,
        cells: &mut Vec<(usize, u8)>,
    ) {
        let it = &self.ground.samples[sample];
        let free = &self.words.free[free];
        let mut at = Some(start);
        while let Some(cell) = at {
            cells.push((cell, colour));
            at = it.step(cell, step).filter(|next| free.has(sample, *next));
        }
    }

    /// Adds the pairs that follow one.
    fn go_on(
        &self,
        walk: &Walk,
        (step, cell): (Step, usize),
        sample: usize,
        pairs: &mut Vec<(Step, usize)>,
    ) {
        let it = &self.ground.samples[sample];
        let next = it.step(cell, step);
        let is_free = |next: Option<usize>| {
            next.is_some_and(|next| self.words.free[walk.free].has(sample, next))
        };
        let is_mark =
            |mark: usize| next.is_some_and(|next| self.words.marks[mark].has(sample, next));
        let (right, left) = ((step.1, -step.0), (-step.1, step.0));
        let mut add = |pair: (Step, usize)| {
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        };
        match next {
            Some(next) if is_free(Some(next)) => add((step, next)),
            _ => {}
        }
        match walk.event {
            Event::Stop => {}
            Event::Turn(mark, turn) if is_mark(mark) => {
                if turn != Turn::Left {
                    add((right, cell));
                }
                if turn != Turn::Right {
                    add((left, cell));
                }
            }
            Event::Turn(..) => {}
            Event::Turns(to_right, to_left) => {
                if is_mark(to_right) {
                    add((right, cell));
                }
                if is_mark(to_left) {
                    add((left, cell));
                }
            }
            Event::Bounce => {
                if !is_free(next) && !is_free(it.step(cell, (step.0, 0))) {
                    add(((-step.0, step.1), cell));
                }
                if !is_free(next) && !is_free(it.step(cell, (0, step.1))) {
                    add(((step.0, -step.1), cell));
                }
            }
        }
    }

    /// Whether a walker starts at a cell.
    pub(super) fn is_sent(&self, when: If, cell: usize, step: Step, sample: usize) -> bool {
        let it = &self.ground.samples[sample];
        let back = (-step.0, -step.1);
        let is_mark = |mark: usize, cell: Option<usize>| {
            cell.is_some_and(|cell| self.words.marks[mark].has(sample, cell))
        };
        // Strides may pass over a border or an obstacle.
        let seen = |step: Step| {
            let mut at = it.step(cell, step);
            while let Some(next) = at.filter(|next| it.cells[*next] == 0) {
                at = it.step(next, step);
            }
            at
        };
        match when {
            If::Always => true,
            If::Behind(mark) => is_mark(mark, it.step(cell, back)),
            If::Ahead(mark) => is_mark(mark, it.step(cell, step)),
            If::Sees(mark) => is_mark(mark, seen(step)),
            If::Flees(mark) => is_mark(mark, seen(back)),
            If::FromBorder => it.step(cell, back).is_none(),
            If::Corner(mark) => {
                is_mark(mark, it.step(cell, (back.0, 0)))
                    && is_mark(mark, it.step(cell, (0, back.1)))
            }
        }
    }

    /// A trail on a blank picture, in arc-dsl.
    pub(super) fn text(&self, walk: &Walk, steps: &[Step], ink: Ink) -> String {
        let starts = &self.words.starts[walk.starts].text;
        let steps: String = steps.iter().map(|(i, j)| format!("({i}, {j}), ")).collect();
        let steps = format!("({steps})");
        let more = self.more(walk);
        let n = match walk.event {
            Event::Stop => format!("power({more}, {STRAIGHT})"),
            _ => format!("power(power({more}, 10), {})", TURNING / 10),
        };
        let sent = match self.condition(walk.when, &steps) {
            Some(condition) => format!("compose({n}, rbind(sfilter, {condition}))"),
            None => n,
        };
        let blank = "canvas(0, shape(I))";
        match ink {
            Ink::Fixed(colour) => {
                let cells = format!("apply(last, {sent}(product({steps}, {starts})))");
                format!("fill({blank}, {colour}, {cells})")
            }
            Ink::Own => {
                let some = format!("compose(lbind(intersection, {starts}), lbind(ofcolor, I))");
                let cells = format!(
                    "compose(lbind(apply, last), chain({sent}, lbind(product, {steps}), {some}))"
                );
                format!("paint({blank}, mapply(fork(recolor, identity, {cells}), palette(I)))")
            }
        }
    }

    /// The function that adds the next pairs.
    fn more(&self, walk: &Walk) -> String {
        let free = &self.words.free[walk.free].text;
        let mark = |mark: usize| &self.words.marks[mark].text;
        let is_free = format!("compose(rbind(contained, {free}), {NEXT_CELL})");
        let on = |test: &str, then: &str| {
            format!("compose(lbind(apply, {then}), rbind(sfilter, {test}))")
        };
        let right =
            "fork(astuple, compose(fork(astuple, last, compose(invert, first)), first), last)";
        let left =
            "fork(astuple, compose(fork(astuple, compose(invert, last), first), first), last)";
        let meets = |of: usize| format!("compose(rbind(contained, {}), {NEXT_CELL})", mark(of));
        let mut parts = vec![on(&is_free, NEXT)];
        match walk.event {
            Event::Stop => {}
            Event::Turn(of, turn) => {
                if turn != Turn::Left {
                    parts.push(on(&meets(of), right));
                }
                if turn != Turn::Right {
                    parts.push(on(&meets(of), left));
                }
            }
            Event::Turns(to_right, to_left) => {
                parts.push(on(&meets(to_right), right));
                parts.push(on(&meets(to_left), left));
            }
            Event::Bounce => {
                for (along, flip) in [("(1, 0)", "(-1, 1)"), ("(0, 1)", "(1, -1)")] {
                    let part = format!("fork(add, compose(rbind(multiply, {along}), first), last)");
                    let is_part_free = format!("compose(rbind(contained, {free}), {part})");
                    let test = format!("compose(flip, fork(either, {is_free}, {is_part_free}))");
                    let turned =
                        format!("fork(astuple, compose(rbind(multiply, {flip}), first), last)");
                    parts.push(on(&test, &turned));
                }
            }
        }
        let all = parts.into_iter();
        all.fold("identity".to_owned(), |all, part| {
            format!("fork(combine, {all}, {part})")
        })
    }

    /// The pairs that start, as a test.
    pub(super) fn condition(&self, when: If, steps: &str) -> Option<String> {
        let within = |set: &str, cell: &str| format!("compose(rbind(contained, {set}), {cell})");
        let seen = |mark: &str, next: &str, next_cell: &str| {
            let is_blank = within(BLANK, next_cell);
            let more = format!(
                "fork(combine, identity, compose(lbind(apply, {next}), rbind(sfilter, {is_blank})))"
            );
            format!("power({more}, {STRAIGHT})(product({steps}, {mark}))")
        };
        let mark = |mark: usize| &self.words.marks[mark].text;
        Some(match when {
            If::Always => return None,
            If::Behind(of) => within(mark(of), CELL_BEFORE),
            If::Ahead(of) => within(mark(of), NEXT_CELL),
            If::Sees(of) => within(&seen(mark(of), BEFORE, CELL_BEFORE), NEXT),
            If::Flees(of) => within(&seen(mark(of), NEXT, NEXT_CELL), BEFORE),
            If::FromBorder => format!("compose(flip, {})", within(ALL, CELL_BEFORE)),
            If::Corner(of) => {
                let part = |along: &str| {
                    format!("fork(subtract, last, compose(rbind(multiply, {along}), first))")
                };
                let in_column = within(mark(of), &part("(1, 0)"));
                let in_row = within(mark(of), &part("(0, 1)"));
                format!("fork(both, {in_column}, {in_row})")
            }
        })
    }
}
