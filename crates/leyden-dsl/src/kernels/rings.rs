//! The way in which `objects` spreads: ring by ring from a location, in the order of CPython's
//! sets.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::lines::{DIAGONAL, DIRECT};
use crate::pyset::Table;
use crate::value::hash_pair;

type Location = (i64, i64);

/// A location of a grid or of the ring around it, as an index of [`Rings::sites`].
pub(super) type SiteId = u32;

/// A location of a search.
pub(super) struct Site {
    pub(super) location: Location,
    pub(super) hash: i64,
    is_inside: bool,
    is_occupied: bool,
}

/// All locations of a grid, and whether they belong to an object already. The sets hold numbers of
/// sites instead of locations. Their order stays, because the numbers come with the hashes of the
/// locations.
pub(super) struct Rings {
    size: (usize, usize),
    is_diagonal: bool,
    sites: Vec<Site>,
    stride: i64,
    n_occupied: usize,
}

/// One of the eight steps to a neighbour, as an index of [`STEPS`].
type Step = u8;

/// The steps of `dneighbors`, then those of `ineighbors`.
const STEPS: [Location; 8] = {
    let [a, b, c, d] = DIRECT;
    let [e, f, g, h] = DIAGONAL;
    [a, b, c, d, e, f, g, h]
};

/// The facts that decide how the neighbours of a location lie in a set: their hashes, hence the
/// location, and the neighbours that are inside.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Around {
    location: Location,
    is_diagonal: bool,
    /// A bit for each step that stays inside.
    inside: u8,
}

thread_local! {
    /// Sets of neighbours from earlier calls: most grids share most locations.
    static NEAR: RefCell<FxHashMap<Around, Rc<Table<Step>>>> = RefCell::default();
}

/// The order of the locations of a grid, by the grid's size.
type Starts = FxHashMap<(usize, usize), Rc<[SiteId]>>;

thread_local! {
    static STARTS: RefCell<Starts> = RefCell::default();
}

/// The longest side of a grid whose order is kept. Larger grids are rare, and smaller ones have few
/// sizes.
const MAX_SIDE_KEPT: usize = 30;

/// The number of sets that are kept: enough for all locations of all grids up to 30 by 30, at any
/// edge.
const MAX_KEPT_AROUND: usize = 16_384;

impl Around {
    /// `near = {(i, j) for i, j in diagfun(loc) if …}`
    fn near(self) -> Rc<Table<Step>> {
        if let Some(near) = NEAR.with_borrow(|known| known.get(&self).cloned()) {
            return near;
        }
        let near = Rc::new(self.looked_up());
        NEAR.with_borrow_mut(|known| {
            if known.len() < MAX_KEPT_AROUND {
                known.insert(self, Rc::clone(&near));
            }
        });
        near
    }

    fn looked_up(self) -> Table<Step> {
        let mut around = self.neighbours(0..4);
        if self.is_diagonal {
            around.update(&self.neighbours(4..8));
        }
        let mut near = Table::new();
        for (hash, step) in around.hashed() {
            if self.inside >> step & 1 == 1 {
                near.add(hash, *step);
            }
        }
        near
    }

    fn neighbours(self, steps: Range<Step>) -> Table<Step> {
        let mut table = Table::new();
        for step in steps {
            let (di, dj) = STEPS[usize::from(step)];
            table.add(hash_pair(self.location.0 + di, self.location.1 + dj), step);
        }
        table
    }
}

/// All locations of a grid and of the ring around it, row by row.
fn sites((h, w): (usize, usize)) -> Vec<Site> {
    let (h, w) = (h as i64, w as i64);
    let site = |i: i64, j: i64| Site {
        location: (i, j),
        hash: hash_pair(i, j),
        is_inside: (0..h).contains(&i) && (0..w).contains(&j),
        is_occupied: false,
    };
    (-1..=h)
        .flat_map(|i| (-1..=w).map(move |j| site(i, j)))
        .collect()
}

impl Rings {
    pub(super) fn new(size: (usize, usize), is_diagonal: bool) -> Self {
        Rings {
            size,
            is_diagonal,
            sites: sites(size),
            stride: size.1 as i64 + 2,
            n_occupied: 0,
        }
    }

    pub(super) fn site(&self, id: SiteId) -> &Site {
        &self.sites[id as usize]
    }

    pub(super) fn is_occupied(&self, id: SiteId) -> bool {
        self.site(id).is_occupied
    }

    /// All locations of the grid in the order of `asindices`.
    pub(super) fn unvisited(&self) -> Rc<[SiteId]> {
        if let Some(known) = STARTS.with_borrow(|known| known.get(&self.size).cloned()) {
            return known;
        }
        let unvisited: Rc<[SiteId]> = self.asindices().iter().copied().collect();
        if self.size.0.max(self.size.1) <= MAX_SIDE_KEPT {
            STARTS.with_borrow_mut(|known| known.insert(self.size, Rc::clone(&unvisited)));
        }
        unvisited
    }

    fn asindices(&self) -> Table<SiteId> {
        let mut unvisited = Table::new();
        for (id, site) in self.sites.iter().enumerate() {
            if site.is_inside {
                unvisited.add(site.hash, id as SiteId);
            }
        }
        unvisited
    }

    /// Asks for one location after another whether it belongs to the object that begins at `start`:
    /// ring by ring, in CPython's order.
    pub(super) fn spread<E>(
        &mut self,
        start: SiteId,
        mut belongs: impl FnMut(SiteId, &Site) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut candidates = Table::new();
        candidates.add(self.site(start).hash, start);
        while !candidates.is_empty() {
            candidates = self.grow(&candidates, &mut belongs)?;
        }
        Ok(())
    }

    /// Occupies the candidates that belong to the object and returns their free neighbours.
    fn grow<E>(
        &mut self,
        candidates: &Table<SiteId>,
        belongs: &mut impl FnMut(SiteId, &Site) -> Result<bool, E>,
    ) -> Result<Table<SiteId>, E> {
        let mut neighborhood = Table::new();
        for &candidate in candidates {
            if belongs(candidate, self.site(candidate))? {
                self.occupy(candidate);
                let near = self.around(candidate).near();
                let neighbour = |step: &Step| self.neighbour(candidate, usize::from(*step));
                neighborhood.update_by(&near, neighbour);
            }
        }
        Ok(neighborhood.difference_by(self.n_occupied, |_, id| self.site(*id).is_occupied))
    }

    fn occupy(&mut self, id: SiteId) {
        let site = &mut self.sites[id as usize];
        self.n_occupied += usize::from(!site.is_occupied);
        site.is_occupied = true;
    }

    /// The location with those of its neighbours that are inside.
    fn around(&self, id: SiteId) -> Around {
        let is_inside = |step: &usize| self.site(self.neighbour(id, *step)).is_inside;
        Around {
            location: self.site(id).location,
            is_diagonal: self.is_diagonal,
            inside: (0..8)
                .filter(is_inside)
                .fold(0, |bits, step| bits | 1 << step),
        }
    }

    fn neighbour(&self, id: SiteId, step: usize) -> SiteId {
        let (di, dj) = STEPS[step];
        (i64::from(id) + di * self.stride + dj) as SiteId
    }
}

/// A search for the objects of a grid of plain numbers. It finds the order of the locations,
/// without the sets that `objects` makes of them.
///
/// ```
/// use leyden_dsl::kernels::RingSearch;
///
/// let mut search = RingSearch::new((1, 3), &[5, 0, 5], Some(0), true, false);
/// // A set of these three locations begins with the last.
/// assert_eq!(search.next_object(), Some(&[(0, 2)][..]));
/// assert_eq!(search.next_object(), Some(&[(0, 0)][..]));
/// assert_eq!(search.next_object(), None);
/// ```
pub struct RingSearch<'a> {
    rings: Rings,
    starts: Rc<[SiteId]>,
    n_started: usize,
    width: usize,
    values: &'a [i64],
    background: Option<i64>,
    is_univalued: bool,
    found: Vec<Location>,
}

impl<'a> RingSearch<'a> {
    /// A search on a grid with these rows and columns, whose values are listed row by row.
    pub fn new(
        size: (usize, usize),
        values: &'a [i64],
        background: Option<i64>,
        is_univalued: bool,
        is_diagonal: bool,
    ) -> Self {
        let rings = Rings::new(size, is_diagonal);
        RingSearch {
            starts: rings.unvisited(),
            rings,
            n_started: 0,
            width: size.1,
            values,
            background,
            is_univalued,
            found: Vec::new(),
        }
    }

    /// The locations of the next object, in the order in which the search adds them.
    pub fn next_object(&mut self) -> Option<&[Location]> {
        let (values, width, background) = (self.values, self.width, self.background);
        let value_at =
            |site: &Site| values[site.location.0 as usize * width + site.location.1 as usize];
        let is_start = |id: &SiteId| {
            let is_background = Some(value_at(self.rings.site(*id))) == background;
            !self.rings.is_occupied(*id) && !is_background
        };
        let skipped = self.starts[self.n_started..].iter().position(is_start)?;
        let start = self.starts[self.n_started + skipped];
        self.n_started += skipped + 1;
        let colour = value_at(self.rings.site(start));
        let is_univalued = self.is_univalued;
        self.found.clear();
        let found = &mut self.found;
        let Ok(()) = self.rings.spread(start, |_, site| {
            let value = value_at(site);
            let belongs = if is_univalued {
                value == colour
            } else {
                Some(value) != background
            };
            if belongs {
                found.push(site.location);
            }
            Ok::<_, std::convert::Infallible>(belongs)
        });
        Some(&self.found)
    }
}
