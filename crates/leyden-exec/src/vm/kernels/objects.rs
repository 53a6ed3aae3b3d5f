//! Finding objects and patterns.

use std::cmp::Ordering;

use leyden_dsl::fault::Fault;
use leyden_dsl::kernels::{FREE_CELLS, FREE_STEPS};
use leyden_dsl::meter::MAX_SET_ELEMENTS;
use leyden_dsl::table::Dialect;

use super::colour::most_frequent;
use super::{EXACT, Grid, Maybe, R, Val, fault, grid_of, indices};
use crate::vm::Vm;
use crate::vm::order::provenance::{Made, Recipe, Search};
use crate::vm::values::bytes::{in_each_byte, last_word, lowest_bits, word_of, zero_bytes};
use crate::vm::values::object::{Colours, Object};
use crate::vm::values::patch::{MAX_HEIGHT, Patch};
use crate::vm::values::value::{Arena, Items, List, compare};

/// A stretch of foreground cells in a row, equal ones if objects have one colour.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    row: u32,
    start: u32,
    end: u32,
    /// The number of the cluster it belongs to.
    cluster: u32,
}

/// The rule by which cells belong together.
#[derive(Clone, Copy)]
struct Rule {
    univalued: bool,
    diagonal: bool,
    background: Option<i8>,
}

/// The widest objects and rows for the bitboards of this module, the width of a row of a patch.
const MAX_COLUMNS: usize = 128;

/// Rows with at most this many columns fit a word.
const COLUMNS_OF_WORD: usize = 64;

/// A bit for each cell of a grid, row after row without a gap, and some spare bytes.
struct Bits<'a>(&'a mut [u8]);

/// The bytes to read for the 64 bits from any bit of a byte on; the last of them may be spare.
const BYTES_AT_ONCE: usize = 16;

impl<'a> Bits<'a> {
    /// Eight cells at a time.
    #[inline(always)]
    fn of(arena: Arena<'a>, cells: &[i8], bits_of: impl Fn(u64) -> u8) -> Bits<'a> {
        Bits::of_both(arena, cells, cells, |cells, _| bits_of(cells))
    }

    /// Like [`Bits::of`], with other cells beside these.
    #[inline(always)]
    fn of_both(
        arena: Arena<'a>,
        cells: &[i8],
        others: &[i8],
        bits_of: impl Fn(u64, u64) -> u8,
    ) -> Bits<'a> {
        let bits = Bits::none(arena, cells.len());
        let ((blocks, rest), (other_blocks, other_rest)) = (cells.as_chunks(), others.as_chunks());
        let both = blocks.iter().zip(other_blocks);
        for (bits, (block, other)) in bits.0.iter_mut().zip(both) {
            *bits = bits_of(word_of(block), word_of(other));
        }
        // The last eight cells may overlap the block before.
        bits.0[blocks.len()] = match (cells.last_chunk(), others.last_chunk()) {
            _ if rest.is_empty() => 0,
            (Some(block), Some(other)) => {
                bits_of(word_of(block), word_of(other)) >> (8 - rest.len())
            }
            _ => bits_of(last_word(rest), last_word(other_rest)),
        };
        bits
    }

    /// The cells of a colour.
    #[inline(never)]
    fn of_colour(arena: Arena<'a>, cells: &[i8], colour: i8) -> Bits<'a> {
        let all = in_each_byte(colour);
        Bits::of(arena, cells, |cells| zero_bytes(cells ^ all))
    }

    /// The cells that equal the next one.
    #[inline(never)]
    fn of_repeated(arena: Arena<'a>, cells: &[i8]) -> Bits<'a> {
        let (all_but_last, all_but_first) = (&cells[..cells.len() - 1], &cells[1..]);
        let equal = |cells: u64, others: u64| zero_bytes(cells ^ others);
        Bits::of_both(arena, all_but_last, all_but_first, equal)
    }

    /// Room for `n_bits` bits, none of them set.
    fn none(arena: Arena<'a>, n_bits: usize) -> Bits<'a> {
        Bits(arena.alloc_slice_fill_copy(n_bits / 8 + 1 + BYTES_AT_ONCE, 0))
    }

    /// The 64 bits from a cell on.
    #[inline]
    fn from(&self, start: usize) -> u64 {
        let bytes = self.0[start / 8..].first_chunk::<BYTES_AT_ONCE>();
        bytes.map_or(0, |bytes| {
            (u128::from_le_bytes(*bytes) >> (start % 8)) as u64
        })
    }

    /// `n_bits` bits, all of them set.
    fn all(arena: Arena<'a>, n_bits: usize) -> Bits<'a> {
        let bits = Bits::none(arena, n_bits);
        bits.0[..n_bits / 8].fill(u8::MAX);
        bits.0[n_bits / 8] = (1 << (n_bits % 8)) - 1;
        bits
    }

    /// The number of the first cell that has its bit.
    fn first(&self) -> Option<usize> {
        let byte = self.0.iter().position(|bits| *bits != 0)?;
        Some(8 * byte + self.0[byte].trailing_zeros() as usize)
    }

    /// Takes away the cells of a colour, given the planes of all colours.
    fn take(&mut self, arena: Arena<'a>, planes: &[(u32, Bits<'a>)], colour: i8) -> Bits<'a> {
        let taken = Bits(arena.alloc_slice_copy(self.0));
        for (bit, plane) in planes {
            let flip = if colour >> bit & 1 == 1 { 0 } else { u8::MAX };
            let both = taken.0.iter_mut().zip(plane.0.iter());
            both.for_each(|(taken, plane)| *taken &= plane ^ flip);
        }
        let both = self.0.iter_mut().zip(taken.0.iter());
        both.for_each(|(rest, taken)| *rest ^= taken);
        taken
    }

    /// The bits of each row of a grid of at most 128 columns.
    fn rows(&self, arena: Arena<'a>, height: usize, width: usize) -> &'a mut [u128] {
        let inside = u128::MAX >> (128 - width);
        if width <= COLUMNS_OF_WORD {
            arena
                .alloc_slice_fill_with(height, |i| u128::from(self.from(i * width) & inside as u64))
        } else {
            arena.alloc_slice_fill_with(height, |i| {
                let (low, high) = (self.from(i * width), self.from(i * width + 64));
                (u128::from(low) | u128::from(high) << 64) & inside
            })
        }
    }
}

/// The runs of a grid of at most 64 columns, found with a few operations for each row and run.
struct Scan<'a> {
    width: usize,
    /// The cells of the background, if it is left out.
    background: Option<Bits<'a>>,
    /// The cells that equal the next one, if that matters.
    repeated: Option<Bits<'a>>,
}

impl<'a> Scan<'a> {
    fn of(arena: Arena<'a>, grid: &Grid<'a>, rule: Rule) -> Scan<'a> {
        let cells = grid.cells();
        let background = rule.background;
        Scan {
            width: grid.width(),
            background: background.map(|colour| Bits::of_colour(arena, cells, colour)),
            repeated: rule.univalued.then(|| Bits::of_repeated(arena, cells)),
        }
    }

    /// Calls a function with the start and end of each run of a row.
    #[inline(always)]
    fn for_each_run(&self, row: usize, mut f: impl FnMut(u32, u32)) {
        let at = row * self.width;
        let inside = u64::MAX >> (64 - self.width);
        let background = self.background.as_ref();
        let foreground = background.map_or(inside, |bits| !bits.from(at) & inside);
        // The bits of cells whose right neighbour belongs to the run.
        let goes_on = match &self.repeated {
            Some(bits) => bits.from(at) & inside >> 1,
            None => foreground & foreground >> 1,
        };
        let mut starts = foreground & !(goes_on << 1);
        let mut lasts = foreground & !goes_on;
        while starts != 0 {
            f(starts.trailing_zeros(), lasts.trailing_zeros() + 1);
            starts &= starts - 1;
            lasts &= lasts - 1;
        }
    }
}

/// Calls a function with the start and end of each run of a row of any width, cell by cell.
fn for_each_run(cells: &[i8], rule: Rule, mut f: impl FnMut(u32, u32)) {
    let mut start = 0;
    while start < cells.len() {
        let colour = cells[start];
        if Some(colour) == rule.background {
            start += 1;
            continue;
        }
        let belongs = |v: &i8| {
            if rule.univalued {
                *v == colour
            } else {
                Some(*v) != rule.background
            }
        };
        let end = start + cells[start..].iter().take_while(|v| belongs(v)).count();
        f(start as u32, end as u32);
        start = end;
    }
}

/// Runs that are known to touch each other. In the end it is a component, unless another cluster
/// turned out to belong to it.
#[derive(Clone, Copy)]
struct Cluster {
    /// An earlier cluster of its component, or itself.
    parent: u32,
    top: u32,
    bottom: u32,
    left: u32,
    right: u32,
    n_cells: u32,
    colour: i8,
    /// The start of its component's rows of bits.
    offset: u32,
}

/// The offset of a cluster without rows of bits.
const NOWHERE: u32 = u32::MAX / 2;

impl Cluster {
    /// Whether it is too large for rows of bits.
    fn is_oversized(&self) -> bool {
        (self.right - self.left) as usize > MAX_COLUMNS || i64::from(self.height()) > MAX_HEIGHT
    }

    fn height(&self) -> u32 {
        self.bottom - self.top
    }

    /// Extends the box to a later run.
    #[inline]
    fn add(&mut self, run: &Run) {
        self.bottom = run.row + 1;
        self.left = self.left.min(run.start);
        self.right = self.right.max(run.end);
        self.n_cells += run.end - run.start;
    }

    /// Extends the box to a later cluster.
    fn merge(&mut self, later: &Cluster) {
        self.bottom = self.bottom.max(later.bottom);
        self.left = self.left.min(later.left);
        self.right = self.right.max(later.right);
        self.n_cells += later.n_cells;
    }
}

/// The runs of a grid, linked as they come, row by row and from left to right.
struct Linked<'a> {
    rule: Rule,
    runs: List<'a, Run>,
    clusters: List<'a, Cluster>,
    /// The end of the runs of the row above, and the first of them that may touch the next run.
    first_above: usize,
    end_above: usize,
    /// The number of rows of bits of all components.
    n_rows: u32,
}

impl<'a> Linked<'a> {
    fn of(arena: Arena<'a>, grid: &Grid<'a>, rule: Rule) -> Linked<'a> {
        let mut linked = Linked {
            rule,
            runs: List::with_capacity_in(128, arena),
            clusters: List::with_capacity_in(64, arena),
            first_above: 0,
            end_above: 0,
            n_rows: 0,
        };
        let is_narrow = grid.width() <= COLUMNS_OF_WORD;
        let scan = is_narrow.then(|| Scan::of(arena, grid, rule));
        for (i, cells) in grid.rows().enumerate() {
            let start_of_row = linked.runs.len();
            match &scan {
                Some(scan) => scan.for_each_run(i, |start, end| {
                    linked.add(i as u32, start, end, cells[start as usize]);
                }),
                None => for_each_run(cells, rule, |start, end| {
                    linked.add_seldom(i as u32, start, end, cells[start as usize]);
                }),
            }
            (linked.first_above, linked.end_above) = (start_of_row, linked.runs.len());
        }
        linked.settle();
        linked
    }

    /// Adds the next run, to a cluster that it touches in the row above or to a new one.
    #[inline(always)]
    fn add(&mut self, row: u32, start: u32, end: u32, colour: i8) {
        let reach = u32::from(self.rule.diagonal);
        let above = &self.runs[..self.end_above];
        let mut k = self.first_above;
        while k < above.len() && above[k].end + reach <= start {
            k += 1;
        }
        self.first_above = k;
        let new = self.clusters.len() as u32;
        let mut cluster = new;
        while k < above.len() && above[k].start < end + reach {
            let other = above[k].cluster;
            if !self.rule.univalued || self.clusters[other as usize].colour == colour {
                let other = root(&mut self.clusters, other);
                cluster = if cluster == new {
                    other
                } else {
                    joined(&mut self.clusters, cluster, other)
                };
            }
            k += 1;
        }
        let run = Run {
            row,
            start,
            end,
            cluster,
        };
        match self.clusters.get_mut(cluster as usize) {
            Some(cluster) => cluster.add(&run),
            None => self.clusters.push(Cluster {
                parent: cluster,
                top: row,
                bottom: row + 1,
                left: start,
                right: end,
                n_cells: end - start,
                colour,
                offset: 0,
            }),
        }
        self.runs.push(run);
    }

    /// Like `add`, but never inlined.
    #[inline(never)]
    fn add_seldom(&mut self, row: u32, start: u32, end: u32, colour: i8) {
        self.add(row, start, end, colour);
    }

    /// Merges the clusters of each component into the first one, and gives that one its rows of bits.
    /// A parent never comes after its child.
    fn settle(&mut self) {
        let clusters = &mut self.clusters;
        for k in (0..clusters.len()).rev() {
            let cluster = clusters[k];
            if cluster.parent as usize != k {
                clusters[cluster.parent as usize].merge(&cluster);
            }
        }
        for k in 0..clusters.len() {
            if clusters[k].parent as usize != k {
                clusters[k] = clusters[clusters[k].parent as usize];
            } else if clusters[k].is_oversized() {
                clusters[k].offset = NOWHERE;
            } else {
                clusters[k].offset = self.n_rows;
                self.n_rows += clusters[k].height();
            }
        }
    }

    /// The components, each with its number.
    fn components(&self) -> impl Iterator<Item = (u32, &Cluster)> {
        let clusters = (0..).zip(self.clusters.iter());
        clusters.filter(|(k, cluster)| cluster.parent == *k)
    }

    /// The rows of bits of all components.
    #[inline(never)]
    fn wide_rows(&self, arena: Arena<'a>) -> &'a [u128] {
        self.rows(arena, |n, by| u128::MAX >> (128 - n) << by)
    }

    /// The rows of bits of all components; `bits` gives those of a run by its length and start.
    #[inline(always)]
    fn rows(&self, arena: Arena<'a>, bits_of: impl Fn(u32, u32) -> u128) -> &'a [u128] {
        let rows = arena.alloc_slice_fill_copy(self.n_rows as usize, 0u128);
        for run in &self.runs {
            let cluster = &self.clusters[run.cluster as usize];
            if let Some(row) = rows.get_mut((cluster.offset + run.row - cluster.top) as usize) {
                *row |= bits_of(run.end - run.start, run.start - cluster.left);
            }
        }
        rows
    }
}

/// Joins two clusters into one component and returns the earlier cluster. Both must be the first of their
/// components.
#[inline]
fn joined(clusters: &mut [Cluster], a: u32, b: u32) -> u32 {
    let (first, later) = (a.min(b), a.max(b));
    clusters[later as usize].parent = first;
    first
}

/// The first cluster of a cluster's component.
#[inline]
fn root(clusters: &mut [Cluster], mut k: u32) -> u32 {
    while clusters[k as usize].parent != k {
        let parent = clusters[k as usize].parent;
        clusters[k as usize].parent = clusters[parent as usize].parent;
        k = parent;
    }
    k
}

/// The connected components of a grid as objects, sorted by [`compare`].
fn components<'a>(
    arena: Arena<'a>,
    grid: &Grid<'a>,
    rule: Rule,
    made: Made<'a>,
) -> Maybe<&'a [Val<'a>]> {
    if grid.cells().len() > MAX_SET_ELEMENTS {
        return fault(Fault::Memory);
    }
    let linked = Linked::of(arena, grid, rule);
    // Half of the row is enough for most grids.
    let rows = if grid.width() <= COLUMNS_OF_WORD {
        linked.rows(arena, |n, by| u128::from(u64::MAX >> (64 - n) << by))
    } else {
        linked.wide_rows(arena)
    };
    let mut found = List::with_capacity_in(linked.clusters.len(), arena);
    let mut last_corner = None;
    for (k, cluster) in linked.components() {
        if cluster.offset == NOWHERE {
            let is_in_it = |run: &&Run| linked.clusters[run.cluster as usize].parent == k;
            let runs = linked.runs.iter().filter(is_in_it);
            insert(&mut found, oversized_component(arena, grid, runs, made)?);
            // It stays the last one.
            last_corner = Some((u32::MAX, u32::MAX));
            continue;
        }
        let object = component(arena, grid, rule, cluster, rows, made)?;
        // The search goes from top to bottom, so most components come after the others.
        let corner = Some((cluster.top, cluster.left));
        if corner > last_corner {
            last_corner = corner;
            found.push(object);
        } else {
            insert(&mut found, object);
        }
    }
    Ok(found.into_bump_slice())
}

/// Puts an object into its place among sorted ones.
#[cold]
#[inline(never)]
fn insert<'a>(found: &mut List<'a>, object: Val<'a>) {
    let earlier = found.iter().rposition(|other| comes_before(other, &object));
    found.insert(earlier.map_or(0, |k| k + 1), object);
}

/// Whether `a` comes before `b`. Corners decide for most objects.
fn comes_before(a: &Val<'_>, b: &Val<'_>) -> bool {
    let by_corner = match (a, b) {
        (Val::Object(a), Val::Object(b)) => a.patch.corner_key().cmp(&b.patch.corner_key()),
        _ => Ordering::Equal,
    };
    by_corner.then_with(|| compare(a, b)).is_lt()
}

/// A component that is too large for rows of bits.
#[cold]
fn oversized_component<'a, 'r>(
    arena: Arena<'a>,
    grid: &Grid<'a>,
    runs: impl Iterator<Item = &'r Run>,
    made: Made<'a>,
) -> R<'a> {
    let mut cells = List::new_in(arena);
    for run in runs {
        let (i, row) = (run.row as usize, grid.row(run.row as usize));
        let cell = |j: usize| Val::coloured_place(arena.cells(), (row[j], i as i64, j as i64));
        cells.extend((run.start as usize..run.end as usize).map(cell));
    }
    Val::set(arena, &cells, made)
}

fn component<'a>(
    arena: Arena<'a>,
    grid: &Grid<'a>,
    rule: Rule,
    cluster: &Cluster,
    rows: &'a [u128],
    made: Made<'a>,
) -> R<'a> {
    let rows = &rows[cluster.offset as usize..][..cluster.height() as usize];
    let (top, left) = (i64::from(cluster.top), i64::from(cluster.left));
    let width = (cluster.right - cluster.left) as u8;
    let patch = Patch::counted(top, left, width, cluster.n_cells, rows).ok_or(EXACT)?;
    if rule.univalued {
        return Ok(Object::uniform(arena, patch.made(made), cluster.colour));
    }
    let patch = patch.made(made);
    Ok(Object::coloured(arena, patch, grid, (0, 0)))
}

pub(crate) fn objects<'a>(
    vm: &mut Vm<'a>,
    grid: &Val<'a>,
    univalued: &Val<'a>,
    diagonal: &Val<'a>,
    without_bg: &Val<'a>,
) -> R<'a> {
    let background = if without_bg.truth() {
        Some(most_frequent(vm, grid)?)
    } else {
        None
    };
    let grid = grid_of(vm, grid)?;
    let search = Search {
        form: vm.arena.cells(),
        grid,
        is_univalued: univalued.truth(),
        is_diagonal: diagonal.truth(),
        background,
    };
    let rule = Rule {
        univalued: search.is_univalued,
        diagonal: search.is_diagonal,
        background,
    };
    let made = Made::by(vm.arena, Recipe::Object(search));
    let found = components(vm.arena, &grid, rule, made)?;
    let made = Made::by(vm.arena, Recipe::Objects(search));
    Ok(Val::Set(Items::of(vm.arena, found, made)))
}

/// One object for each colour of a grid, except for `left_out`.
fn by_colour<'a>(arena: Arena<'a>, grid: &Grid<'a>, left_out: Option<i8>) -> R<'a> {
    if grid.width() > MAX_COLUMNS {
        return Err(EXACT);
    }
    let (mut found, mut fits) = (List::with_capacity_in(10, arena), true);
    for_each_colour(arena, grid, |colour, rows| {
        if Some(colour) == left_out {
            return;
        }
        match Patch::trimmed(0, 0, rows) {
            Some(patch) => found.push(Object::uniform(arena, patch.made(Made::ByRows), colour)),
            None => fits = false,
        }
    });
    if !fits {
        return Err(EXACT);
    }
    found.sort_unstable_by(compare);
    let made = Made::by(arena, Recipe::Partition(*grid, left_out));
    Ok(Val::Set(Items::of(arena, found.into_bump_slice(), made)))
}

/// Calls a function with the rows of bits of each colour of a grid of at most 128 columns.
pub(super) fn for_each_colour<'a>(
    arena: Arena<'a>,
    grid: &Grid<'a>,
    mut f: impl FnMut(i8, &'a mut [u128]),
) {
    let planes = planes(arena, grid.cells());
    let mut rest = Bits::all(arena, grid.cells().len());
    while let Some(first) = rest.first() {
        let colour = grid.cells()[first];
        let places = rest.take(arena, &planes, colour);
        f(colour, places.rows(arena, grid.height(), grid.width()));
    }
}

/// For each bit of the colours, the cells whose colours have that bit. With these planes, finding
/// all colours takes hardly longer than finding one.
fn planes<'a>(arena: Arena<'a>, cells: &[i8]) -> List<'a, (u32, Bits<'a>)> {
    let union = cells.iter().fold(0, |union, colour| union | colour);
    let used = (0..8).filter(|bit| union >> bit & 1 == 1);
    let plane = |bit: u32| Bits::of(arena, cells, |cells| lowest_bits(cells >> bit));
    let mut planes = List::with_capacity_in(8, arena);
    planes.extend(used.map(|bit| (bit, plane(bit))));
    planes
}

/// The cells of a colour in a grid of at most 128 columns, as rows of bits.
fn mask_rows<'a>(arena: Arena<'a>, grid: &Grid<'a>, colour: i8) -> &'a mut [u128] {
    let bits = Bits::of_colour(arena, grid.cells(), colour);
    bits.rows(arena, grid.height(), grid.width())
}

/// The places of a colour in a grid of at most 128 columns.
pub(super) fn places_of<'a>(arena: Arena<'a>, grid: &Grid<'a>, colour: i8) -> Option<Patch<'a>> {
    Patch::trimmed(0, 0, mask_rows(arena, grid, colour))
}

/// The cells of a colour in a grid, for the next call.
#[derive(Clone, Copy, Default)]
pub(crate) struct Masks<'a> {
    /// The address of the grid's cells.
    address: usize,
    by_colour: [Option<&'a [u128]>; 10],
}

/// The cells of a colour in a grid, kept for the next call: programs often call `occurrences` for
/// many objects on one grid.
fn remembered_mask<'a>(vm: &mut Vm<'a>, grid: &Grid<'a>, colour: i8) -> &'a [u128] {
    let address = grid.cells().as_ptr().addr();
    if vm.masks.address != address {
        vm.masks = Masks {
            address,
            ..Masks::default()
        };
    }
    let arena = vm.arena;
    match vm.masks.by_colour.get_mut(colour as usize) {
        Some(known) => known.get_or_insert_with(|| mask_rows(arena, grid, colour)),
        None => mask_rows(arena, grid, colour),
    }
}

pub(crate) fn partition<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    let grid = grid_of(vm, grid)?;
    by_colour(vm.arena, &grid, None)
}
pub(crate) fn fgpartition<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    let background = most_frequent(vm, grid)?;
    let grid = grid_of(vm, grid)?;
    by_colour(vm.arena, &grid, Some(background))
}

pub(crate) fn occurrences<'a>(vm: &mut Vm<'a>, grid: &Val<'a>, obj: &Val<'a>) -> R<'a> {
    let grid = grid_of(vm, grid)?;
    let (height, width) = (grid.height() as i64, grid.width() as i64);
    // Only the reference engine charges for occurrences beyond these.
    if (height + 1) * (width + 1) > FREE_CELLS as i64 {
        return Err(EXACT);
    }
    if obj.is_empty_set() {
        let margin = i64::from(vm.dialect != Dialect::ReArc);
        let all = Patch::rectangle(vm.arena, 0, 0, height + margin, width + margin);
        return super::window(vm.arena, all, Made::ByRowsAndCopied);
    }
    let Val::Object(object) = obj else {
        return Err(EXACT);
    };
    let (n_down, n_right) = (
        height - object.patch.height() + 1,
        width - object.patch.width() + 1,
    );
    if width > MAX_COLUMNS as i64 {
        return Err(EXACT);
    }
    if n_down <= 0 || n_right <= 0 {
        return Ok(Val::empty_set());
    }
    let places = vm
        .arena
        .alloc_slice_fill_copy(n_down as usize, u128::MAX >> (128 - n_right));
    match object.colours {
        Colours::One(colour) if object.patch.is_rectangle() => {
            let mask = remembered_mask(vm, &grid, colour);
            let mask = vm.arena.alloc_slice_copy(mask);
            rectangles_in(mask, object.patch.height(), object.patch.width());
            places
                .iter_mut()
                .zip(mask)
                .for_each(|(places, fits)| *places &= *fits);
        }
        _ => {
            let (top, left) = (object.patch.top(), object.patch.left());
            let mut cells = List::with_capacity_in(object.patch.len(), vm.arena);
            for (colour, i, j) in object.cells() {
                let mask = remembered_mask(vm, &grid, colour);
                cells.push((&mask[(i - top) as usize..], (j - left) as u32));
            }
            if width <= 64 {
                keep_matches(places, &cells, |row, by| u128::from(row as u64 >> by))
            } else {
                keep_matches(places, &cells, |row, by| row >> by)
            }
        }
    }
    let found = Patch::trimmed(0, 0, places);
    Ok(indices(vm.arena, found, Made::ByRowsAndCopied))
}

/// Clears all bits except for the upper left corners at which a full rectangle of this size fits.
/// Each step doubles the length that is known to fit.
fn rectangles_in(rows: &mut [u128], height: i64, width: i64) {
    for step in doubling_steps(width) {
        rows.iter_mut().for_each(|row| *row &= *row >> step);
    }
    for step in doubling_steps(height) {
        for i in 0..rows.len() {
            rows[i] &= rows.get(i + step).copied().unwrap_or(0);
        }
    }
}

/// The steps 1, 2, 4 … and the rest up to a length.
fn doubling_steps(length: i64) -> impl Iterator<Item = usize> {
    let mut known = 1;
    std::iter::from_fn(move || {
        let step = known.min(length - known);
        known += step;
        (step > 0).then_some(step as usize)
    })
}

/// Clears the places at which a cell of an object meets another colour. `cells` has for each cell
/// the rows of its colour in the grid, from the cell's row on, and the cell's column.
#[inline(always)]
fn keep_matches(places: &mut [u128], cells: &[(&[u128], u32)], moved: impl Fn(u128, u32) -> u128) {
    for (i, places) in places.iter_mut().enumerate() {
        for (mask, column) in cells {
            *places &= moved(mask[i], *column);
            if *places == 0 {
                break;
            }
        }
    }
}

pub(crate) fn frontiers<'a>(vm: &mut Vm<'a>, grid: &Val<'a>) -> R<'a> {
    let grid = grid_of(vm, grid)?;
    let arena = vm.arena;
    let (height, width) = (grid.height() as i64, grid.width() as i64);
    let line = |patch: Option<Patch<'a>>, colour: i8| {
        patch
            .map(|patch| Object::uniform(arena, patch.made(Made::ByRowsAndCopied), colour))
            .ok_or(EXACT)
    };
    let mut lines = List::new_in(arena);
    for i in (0..grid.height()).filter(|i| super::grids::row_is_uniform(&grid, *i)) {
        let row = Patch::rectangle(arena, i as i64, 0, 1, width);
        lines.push(line(row, grid.at(i, 0))?);
    }
    for j in (0..grid.width()).filter(|j| super::grids::column_is_uniform(&grid, *j)) {
        let column = Patch::rectangle(arena, 0, j as i64, height, 1);
        lines.push(line(column, grid.at(0, j))?);
    }
    Val::set(arena, &lines, Made::Somehow)
}

/// The least step after which an object repeats in one direction.
fn period<'a>(
    obj: &Val<'a>,
    size: impl Fn(&Patch<'a>) -> i64,
    back: impl Fn(i64, i64, i64) -> (i64, i64),
) -> R<'a> {
    if obj.is_empty_set() {
        return Ok(Val::Int(0));
    }
    let Val::Object(object) = obj else {
        return Err(EXACT);
    };
    let repeats = |p: i64| {
        object.cells().all(|(v, i, j)| {
            let (i, j) = back(i, j, p);
            let is_pruned = i < object.patch.top() || j < object.patch.left();
            is_pruned || (object.patch.contains(i, j) && object.colour_at(i, j) == v)
        })
    };
    let size = size(&object.patch);
    // Only the reference engine charges for further steps.
    if size > FREE_STEPS {
        return Err(EXACT);
    }
    Ok(Val::Int((1..size).find(|p| repeats(*p)).unwrap_or(size)))
}

pub(crate) fn hperiod<'a>(_: &mut Vm<'a>, obj: &Val<'a>) -> R<'a> {
    period(obj, Patch::width, |i, j, p| (i, j - p))
}
pub(crate) fn vperiod<'a>(_: &mut Vm<'a>, obj: &Val<'a>) -> R<'a> {
    period(obj, Patch::height, |i, j, p| (i - p, j))
}

#[cfg(test)]
mod tests {
    use crate::vm::values::arena::Room;

    use super::*;

    #[test]
    fn runs_are_the_same_whether_found_by_bits_or_by_cells() {
        let arena = Room::default();
        let mut n_runs = 0;
        for n in 0..4_000usize {
            let (height, width) = (n % 7 + 1, n * 31 % 64 + 1);
            let colours = [-128i8, -1, 0, 1, 2, 127];
            let n_colours = n % 5 + 2;
            let cell = |k: usize| {
                let random = (k + 1).wrapping_mul(n + 7).wrapping_mul(0x9e37_79b9) >> 9;
                colours[random % 11 % n_colours]
            };
            let cells = arena.alloc_slice_fill_with(height * width, cell);
            let grid = Grid::new(height, width, cells);
            for (univalued, background) in [
                (true, None),
                (false, None),
                (true, Some(colours[n % 6])),
                (false, Some(colours[n % 6])),
            ] {
                let rule = Rule {
                    univalued,
                    diagonal: false,
                    background,
                };
                let scan = Scan::of(&arena, &grid, rule);
                let (mut by_bits, mut by_cells) = (Vec::new(), Vec::new());
                for (i, row) in grid.rows().enumerate() {
                    scan.for_each_run(i, |start, end| by_bits.push((i, start, end)));
                    for_each_run(row, rule, |start, end| by_cells.push((i, start, end)));
                }
                assert_eq!(by_bits, by_cells);
                n_runs += by_bits.len();
            }
            for colour in colours {
                let mask = |row: &[i8]| {
                    let bits = row.iter().enumerate();
                    bits.fold(0, |mask, (k, v)| mask | u128::from(*v == colour) << k)
                };
                let by_row = grid.rows().map(mask);
                assert!(by_row.eq(mask_rows(&arena, &grid, colour).iter().copied()));
            }
        }
        assert!(n_runs > 100_000, "{n_runs}");
    }
}
