//! Regions of one colour, chosen by a property, in a fixed colour or in that of their frame.

use super::ground::{Ground, REACH, Sample, Step, parts, sides};
use super::harvest::Harvest;
use crate::solve::effort::Span;

/// The cost in addition to the words.
const COST: u32 = 3;
const CELLS_PER_FUEL: u64 = 8;

/// A property of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Any,
    Size(usize),
    Even,
    Odd,
    Largest,
    Smallest,
    Square,
    Full,
    Tall,
    Wide,
    /// Only this colour is beside it.
    Framed(u8),
    /// This colour is beside it.
    Beside(u8),
    /// One colour is beside it.
    OneColour,
}

impl Property {
    pub(super) fn all(ground: &Ground) -> Vec<Property> {
        let mut all = vec![
            Property::Any,
            Property::Largest,
            Property::Smallest,
            Property::Square,
            Property::Full,
            Property::Even,
            Property::Odd,
            Property::Tall,
            Property::Wide,
            Property::OneColour,
        ];
        all.extend((1..10).map(Property::Size));
        all.extend(ground.colours.iter().copied().map(Property::Framed));
        all.extend(ground.colours.iter().copied().map(Property::Beside));
        all
    }

    fn cost(self) -> u32 {
        match self {
            Property::Any => 0,
            Property::Size(_) | Property::Framed(_) | Property::Beside(_) => 3,
            _ => 2,
        }
    }

    fn is_in(self, region: &Region, regions: &[&Region]) -> bool {
        let sizes = || regions.iter().map(|it| it.cells.len());
        let size = region.cells.len();
        match self {
            Property::Any => true,
            Property::Size(n) => size == n,
            Property::Even => size.is_multiple_of(2),
            Property::Odd => !size.is_multiple_of(2),
            Property::Largest => sizes().max() == Some(size),
            Property::Smallest => sizes().min() == Some(size),
            Property::Square => region.is_full() && region.height == region.width,
            Property::Full => region.is_full(),
            Property::Tall => region.height > region.width,
            Property::Wide => region.height < region.width,
            Property::Framed(colour) => region.beside == 1 << colour,
            Property::Beside(colour) => region.beside >> colour & 1 == 1,
            Property::OneColour => region.beside.count_ones() == 1,
        }
    }

    /// A test of an object among `pool`.
    fn text(self, pool: &str) -> Option<String> {
        let palette = "chain(palette, rbind(toobject, I), fork(difference, compose(lbind(mapply, \
                       dneighbors), toindices), toindices))";
        Some(match self {
            Property::Any => return None,
            Property::Size(n) => format!("matcher(size, {n})"),
            Property::Even => "compose(even, size)".to_owned(),
            Property::Odd => "compose(flip, compose(even, size))".to_owned(),
            Property::Largest => format!("matcher(size, valmax({pool}, size))"),
            Property::Smallest => format!("matcher(size, valmin({pool}, size))"),
            Property::Square => "square".to_owned(),
            Property::Full => "fork(equality, size, compose(size, backdrop))".to_owned(),
            Property::Tall => "fork(greater, height, width)".to_owned(),
            Property::Wide => "fork(greater, width, height)".to_owned(),
            Property::Framed(colour) => format!("matcher({palette}, initset({colour}))"),
            Property::Beside(colour) => format!("compose(lbind(contained, {colour}), {palette})"),
            Property::OneColour => format!("matcher(compose(size, {palette}), 1)"),
        })
    }
}

/// Whether regions touch the border of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    Any,
    Off,
    On,
}

/// The colour of regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filling {
    Fixed(u8),
    /// The only colour beside the region.
    Frame,
}

/// A kind of regions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) colour: u8,
    pub(super) is_diagonal: bool,
    pub(super) border: Border,
    pub(super) property: Property,
}

/// A part of one colour.
struct Region {
    cells: Vec<usize>,
    colour: u8,
    height: usize,
    width: usize,
    is_at_border: bool,
    /// The colours directly beside it, as bits.
    beside: u16,
}

impl Region {
    fn of(it: &Sample, cells: Vec<usize>) -> Region {
        let [top, bottom, left, right] = sides(it, &cells);
        let is_at_border =
            top == 0 || left == 0 || bottom + 1 == it.height || right + 1 == it.width;
        let near = |cell: &usize| {
            let near = REACH[..4].iter().filter_map(|step| it.step(*cell, *step));
            let others = near.filter(|near| cells.binary_search(near).is_err());
            others.fold(0_u16, |all, near| all | 1 << (it.cells[near] & 15))
        };
        Region {
            colour: it.cells[cells[0]],
            height: bottom - top + 1,
            width: right - left + 1,
            is_at_border,
            beside: cells.iter().fold(0, |all, cell| all | near(cell)),
            cells,
        }
    }

    fn is_full(&self) -> bool {
        self.height * self.width == self.cells.len()
    }
}

/// The regions of each picture, with direct neighbours and with diagonal ones.
pub(super) struct Regions<'g> {
    ground: &'g Ground,
    all: [Vec<Vec<Region>>; 2],
}

impl Regions<'_> {
    pub(super) fn of(ground: &Ground) -> Regions<'_> {
        let with = |reach: &[Step]| {
            let regions = |it: &Sample| {
                let parts = parts(it, |k| it.cells[k], reach).into_iter();
                parts.map(|cells| Region::of(it, cells)).collect()
            };
            ground.samples.iter().map(regions).collect()
        };
        Regions {
            ground,
            all: [with(&REACH[..4]), with(&REACH)],
        }
    }

    /// Offers all kinds of regions.
    pub(super) fn harvest(&self, harvest: &mut Harvest<'_>, span: &Span<'_>) {
        let properties = Property::all(self.ground);
        let n_cells: usize = self.ground.samples.iter().map(|it| it.cells.len()).sum();
        for colour in std::iter::once(0).chain(self.ground.colours.iter().copied()) {
            for is_diagonal in [false, true] {
                for border in [Border::Any, Border::Off, Border::On] {
                    if span.is_over() || span.is_late() {
                        return;
                    }
                    span.spend(n_cells as u64 / CELLS_PER_FUEL + 1);
                    for property in &properties {
                        let choice = Choice {
                            colour,
                            is_diagonal,
                            border,
                            property: *property,
                        };
                        self.offer(&choice, harvest);
                    }
                }
            }
        }
    }

    fn offer(&self, choice: &Choice, harvest: &mut Harvest<'_>) {
        let mut wanted = (0..self.ground.n_demos).flat_map(|sample| {
            let it = &self.ground.samples[sample];
            let chosen = self.chosen(choice, sample).into_iter();
            chosen.filter_map(|region| it.wanted(region.cells[0]))
        });
        let fixed = wanted.find(|colour| *colour != 0).map(Filling::Fixed);
        let cost = COST
            + choice.property.cost()
            + u32::from(choice.border != Border::Any)
            + u32::from(choice.is_diagonal)
            + if choice.colour == 0 { 0 } else { 1 };
        for filling in fixed.into_iter().chain([Filling::Frame]) {
            let picture = |sample| self.picture(choice, filling, sample);
            harvest.offer(cost + 1, picture, || text(choice, filling));
        }
    }

    fn chosen(&self, choice: &Choice, sample: usize) -> Vec<&Region> {
        let regions = &self.all[usize::from(choice.is_diagonal)][sample];
        let pool = regions.iter().filter(|it| {
            it.colour == choice.colour
                && match choice.border {
                    Border::Any => true,
                    Border::Off => !it.is_at_border,
                    Border::On => it.is_at_border,
                }
        });
        let pool: Vec<&Region> = pool.collect();
        let is_in = |it: &&&Region| choice.property.is_in(it, &pool);
        pool.iter().filter(is_in).copied().collect()
    }

    /// The regions in their colour; `None` if a frame has several colours.
    pub(super) fn picture(
        &self,
        choice: &Choice,
        filling: Filling,
        sample: usize,
    ) -> Option<Vec<u8>> {
        let mut picture = vec![0; self.ground.samples[sample].cells.len()];
        for region in self.chosen(choice, sample) {
            let colour = match filling {
                Filling::Fixed(colour) => colour,
                Filling::Frame if region.beside.count_ones() == 1 => {
                    region.beside.trailing_zeros() as u8
                }
                Filling::Frame => return None,
            };
            region.cells.iter().for_each(|cell| picture[*cell] = colour);
        }
        Some(picture)
    }
}

/// The regions on a blank picture, in arc-dsl.
pub(super) fn text(choice: &Choice, filling: Filling) -> String {
    let is_diagonal = if choice.is_diagonal { "T" } else { "F" };
    let all = format!(
        "colorfilter(objects(I, T, {is_diagonal}, F), {})",
        choice.colour
    );
    let pool = match choice.border {
        Border::Any => all,
        Border::Off => format!("sfilter({all}, compose(flip, rbind(bordering, I)))"),
        Border::On => format!("sfilter({all}, rbind(bordering, I))"),
    };
    let chosen = match choice.property.text(&pool) {
        Some(test) => format!("sfilter({pool}, {test})"),
        None => pool,
    };
    let blank = "canvas(0, shape(I))";
    match filling {
        Filling::Fixed(colour) => format!("fill({blank}, {colour}, merge({chosen}))"),
        Filling::Frame => {
            let beside = "compose(rbind(toobject, I), fork(difference, compose(lbind(mapply, \
                          dneighbors), toindices), toindices))";
            format!(
                "paint({blank}, mapply(fork(recolor, compose(mostcolor, {beside}), identity), {chosen}))"
            )
        }
    }
}
