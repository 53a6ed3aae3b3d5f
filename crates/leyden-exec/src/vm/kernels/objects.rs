//! Finding objects and patterns.

use leyden_dsl::fault::Fault;
use leyden_dsl::meter::MAX_SET_ELEMENTS;
use leyden_dsl::table::Dialect;

use super::super::Vm;
use super::super::made::{Made, Recipe, Search};
use super::super::patch::{MAX_HEIGHT, Patch};
use super::super::value::{Arena, Colours, Items, List, Object, compare};
use super::colour::most_frequent;
use super::{EXACT, Grid, Maybe, R, Val, fault, grid_of, indices};

/// A stretch of equal (or of any) foreground cells in a row.
#[derive(Clone, Copy)]
struct Run {
    row: u32,
    start: u32,
    end: u32,
    colour: i8,
    parent: u32,
}

/// How cells belong together.
#[derive(Clone, Copy)]
struct Rule {
    univalued: bool,
    diagonal: bool,
    background: Option<i8>,
}

/// Objects and rows with at most this many columns fit the bitboards of this module.
const MAX_COLUMNS: usize = 128;

/// How many cells are compared at once.
const BLOCK: usize = 16;

/// How many blocks of one colour come first.
#[inline]
fn n_blocks_of(cells: &[i8], colour: i8) -> usize {
    let is_uniform = |block: &&[i8]| block.iter().fold(true, |all, v| all & (*v == colour));
    cells.chunks_exact(BLOCK).take_while(is_uniform).count()
}

fn push_runs(runs: &mut List<'_, Run>, cells: &[i8], row: usize, rule: Rule) {
    let mut start = 0;
    while start < cells.len() {
        let colour = cells[start];
        if Some(colour) == rule.background {
            start += 1 + n_blocks_of(&cells[start + 1..], colour) * BLOCK;
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
        let parent = runs.len() as u32;
        runs.push(Run {
            row: row as u32,
            start: start as u32,
            end: end as u32,
            colour,
            parent,
        });
        start = end;
    }
}

fn root(runs: &mut [Run], mut k: u32) -> u32 {
    while runs[k as usize].parent != k {
        let parent = runs[k as usize].parent;
        runs[k as usize].parent = runs[parent as usize].parent;
        k = parent;
    }
    k
}

/// Joins the runs of one row with those they touch in the row above.
fn link(runs: &mut [Run], above: std::ops::Range<usize>, here: std::ops::Range<usize>, rule: Rule) {
    let reach = u32::from(rule.diagonal);
    let mut first = above.start;
    for k in here {
        let run = runs[k];
        while first < above.end && runs[first].end + reach <= run.start {
            first += 1;
        }
        let mut other = first;
        while other < above.end && runs[other].start < run.end + reach {
            if !rule.univalued || runs[other].colour == run.colour {
                let (a, b) = (root(runs, other as u32), root(runs, k as u32));
                runs[a.max(b) as usize].parent = a.min(b);
            }
            other += 1;
        }
    }
}

fn labelled_runs<'a>(arena: Arena<'a>, grid: &Grid<'a>, rule: Rule) -> Maybe<List<'a, Run>> {
    if grid.cells().len() > MAX_SET_ELEMENTS {
        return fault(Fault::Memory);
    }
    let mut runs = List::with_capacity_in(64, arena);
    let mut above = 0..0;
    for (i, cells) in grid.rows().enumerate() {
        let start = runs.len();
        push_runs(&mut runs, cells, i, rule);
        let here = start..runs.len();
        link(&mut runs, above, here.clone(), rule);
        above = here;
    }
    Ok(runs)
}

/// The number of the component each run belongs to, and how many there are. A parent never
/// comes after its child, so one pass will do.
fn labels<'a>(arena: Arena<'a>, runs: &[Run]) -> (List<'a, u32>, usize) {
    let mut labels: List<'a, u32> = List::with_capacity_in(runs.len(), arena);
    let mut n_components = 0;
    for (k, run) in runs.iter().enumerate() {
        if run.parent as usize == k {
            labels.push(n_components);
            n_components += 1;
        } else {
            labels.push(labels[run.parent as usize]);
        }
    }
    (labels, n_components as usize)
}

/// The bounding box of a component and where its rows of bits start.
#[derive(Clone, Copy)]
struct Extent {
    top: u32,
    bottom: u32,
    left: u32,
    right: u32,
    colour: i8,
    offset: usize,
}

impl Extent {
    /// Is it too large for rows of bits?
    fn is_oversized(&self) -> bool {
        (self.right - self.left) as usize > MAX_COLUMNS || i64::from(self.height()) > MAX_HEIGHT
    }

    fn height(&self) -> u32 {
        self.bottom - self.top
    }

    /// How many rows of bits it takes.
    fn n_rows(&self) -> usize {
        if self.is_oversized() {
            0
        } else {
            self.height() as usize
        }
    }
}

fn extents<'a>(
    arena: Arena<'a>,
    runs: &[Run],
    labels: &[u32],
    n_components: usize,
) -> &'a [Extent] {
    let unset = Extent {
        top: u32::MAX,
        bottom: 0,
        left: u32::MAX,
        right: 0,
        colour: 0,
        offset: 0,
    };
    let extents = arena.alloc_slice_fill_copy(n_components, unset);
    for (run, label) in runs.iter().zip(labels) {
        let extent = &mut extents[*label as usize];
        extent.top = extent.top.min(run.row);
        extent.bottom = extent.bottom.max(run.row + 1);
        extent.left = extent.left.min(run.start);
        extent.right = extent.right.max(run.end);
        extent.colour = run.colour;
    }
    let mut offset = 0;
    for extent in extents.iter_mut() {
        extent.offset = offset;
        offset += extent.n_rows();
    }
    extents
}

/// The connected components of a grid as objects.
fn components<'a>(
    arena: Arena<'a>,
    grid: &Grid<'a>,
    rule: Rule,
    made: Made<'a>,
) -> Maybe<&'a mut [Val<'a>]> {
    let runs = labelled_runs(arena, grid, rule)?;
    let (labels, n_components) = labels(arena, &runs);
    let extents = extents(arena, &runs, &labels, n_components);
    let n_rows = extents.last().map_or(0, |e| e.offset + e.n_rows());
    let rows = arena.alloc_slice_fill_copy(n_rows, 0u128);
    for (run, label) in runs.iter().zip(&labels) {
        let extent = extents[*label as usize];
        if extent.is_oversized() {
            continue;
        }
        let bits = u128::MAX >> (128 - (run.end - run.start)) << (run.start - extent.left);
        rows[extent.offset + (run.row - extent.top) as usize] |= bits;
    }
    let rows: &'a [u128] = rows;
    let mut found = List::with_capacity_in(n_components, arena);
    for (k, extent) in extents.iter().enumerate() {
        found.push(if extent.is_oversized() {
            let parts = runs.iter().zip(&labels);
            let parts = parts.filter(|(_, label)| **label as usize == k);
            oversized_component(arena, grid, parts.map(|(run, _)| run), made)?
        } else {
            component(arena, grid, rule, *extent, rows, made)?
        });
    }
    Ok(found.into_bump_slice_mut())
}

/// A component that is too large for rows of bits.
fn oversized_component<'a, 'r>(
    arena: Arena<'a>,
    grid: &Grid<'a>,
    runs: impl Iterator<Item = &'r Run>,
    made: Made<'a>,
) -> R<'a> {
    let mut cells = List::new_in(arena);
    for run in runs {
        let (i, row) = (run.row as usize, grid.row(run.row as usize));
        let cell = |j: usize| Val::coloured_place((row[j], i as i64, j as i64));
        cells.extend((run.start as usize..run.end as usize).map(cell));
    }
    Val::set(arena, &cells, made)
}

fn component<'a>(
    arena: Arena<'a>,
    grid: &Grid<'a>,
    rule: Rule,
    extent: Extent,
    rows: &'a [u128],
    made: Made<'a>,
) -> R<'a> {
    let rows = &rows[extent.offset..][..extent.n_rows()];
    let (top, left) = (i64::from(extent.top), i64::from(extent.left));
    let patch = Patch::tight(top, left, (extent.right - extent.left) as u8, rows).ok_or(EXACT)?;
    let patch = patch.made(made);
    if rule.univalued {
        return Ok(Object::uniform(arena, patch, extent.colour));
    }
    Ok(Object::coloured(arena, patch, |i, j| {
        grid.at(i as usize, j as usize)
    }))
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
        grid,
        is_univalued: univalued.truth(),
        is_diagonal: diagonal.truth(),
        is_without_background: without_bg.truth(),
    };
    let rule = Rule {
        univalued: search.is_univalued,
        diagonal: search.is_diagonal,
        background,
    };
    let made = Made::by(vm.arena, Recipe::Object(search));
    let found = components(vm.arena, &grid, rule, made)?;
    found.sort_unstable_by(compare);
    let made = Made::by(vm.arena, Recipe::Objects(search));
    Ok(Val::Set(Items::of(vm.arena, found, made)))
}

/// One object for each colour of a grid, but for one.
fn by_colour<'a>(arena: Arena<'a>, grid: &Grid<'a>, left_out: Option<i8>) -> R<'a> {
    if grid.width() > MAX_COLUMNS {
        return Err(EXACT);
    }
    let mut seen: List<'a, i8> = List::new_in(arena);
    for colour in grid.cells() {
        if !seen.contains(colour) {
            seen.push(*colour);
        }
    }
    let mut found = List::with_capacity_in(seen.len(), arena);
    for colour in seen.iter().filter(|colour| Some(**colour) != left_out) {
        let places = places_of(arena, grid, *colour).ok_or(EXACT)?;
        found.push(Object::uniform(arena, places.made(Made::ByRows), *colour));
    }
    found.sort_unstable_by(compare);
    let made = Made::by(arena, Recipe::Partition(*grid, left_out));
    Ok(Val::Set(Items::of(arena, found.into_bump_slice(), made)))
}

/// Where a grid has a colour, as rows of bits.
fn mask_rows<'a>(arena: Arena<'a>, grid: &Grid<'a>, colour: i8) -> &'a mut [u128] {
    arena.alloc_slice_fill_iter(grid.rows().map(|row| mask_of(row, colour)))
}

/// Where a row of at most 128 cells has a colour, eight cells at a time.
fn mask_of(row: &[i8], colour: i8) -> u128 {
    let blocks = row.chunks_exact(8);
    let mut last = [!colour; 8];
    last[..blocks.remainder().len()].copy_from_slice(blocks.remainder());
    let n_blocks = blocks.len();
    let mut mask = u128::from(equal_bytes(&last, colour))
        .checked_shl(8 * n_blocks as u32)
        .unwrap_or(0);
    for (k, block) in blocks.enumerate() {
        mask |= u128::from(equal_bytes(block, colour)) << (8 * k);
    }
    mask
}

/// One bit for each of eight bytes that equals `wanted`.
#[inline]
fn equal_bytes(bytes: &[i8], wanted: i8) -> u8 {
    let low_bits = 0x7f7f_7f7f_7f7f_7f7f;
    let word = u64::from_le_bytes(std::array::from_fn(|k| bytes[k] as u8));
    let differing = word ^ (u64::from(wanted as u8) * 0x0101_0101_0101_0101);
    let zero_bytes = !(((differing & low_bits) + low_bits) | differing | low_bits);
    // Gathers the highest bit of each byte into the highest byte.
    ((zero_bytes >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Where a grid of at most 128 columns has a colour.
pub(super) fn places_of<'a>(arena: Arena<'a>, grid: &Grid<'a>, colour: i8) -> Option<Patch<'a>> {
    Patch::from_rows(arena, 0, 0, mask_rows(arena, grid, colour))
}

/// Where a grid has which colour.
#[derive(Clone, Copy, Default)]
pub(crate) struct Masks<'a> {
    /// Where the grid's cells lie.
    address: usize,
    by_colour: [Option<&'a [u128]>; 10],
}

/// Where a grid has a colour, remembered from the last time: `occurrences` is often asked about
/// many objects of one grid.
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
    if obj.is_empty_set() {
        let margin = i64::from(vm.dialect == Dialect::ArcDsl);
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
            match width <= 64 {
                true => keep_matches(places, &cells, |row, by| u128::from(row as u64 >> by)),
                false => keep_matches(places, &cells, |row, by| row >> by),
            }
        }
    }
    let found = Patch::from_rows(vm.arena, 0, 0, places);
    Ok(indices(vm.arena, found, Made::ByRowsAndCopied))
}

/// Where a full rectangle of that size fits into a mask, by its upper left corner. Each step
/// doubles the length that is known to fit.
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

/// 1, 2, 4 … and what is missing to a length.
fn doubling_steps(length: i64) -> impl Iterator<Item = usize> {
    let mut known = 1;
    std::iter::from_fn(move || {
        let step = known.min(length - known);
        known += step;
        (step > 0).then_some(step as usize)
    })
}

/// Clears the places at which some cell of an object meets another colour. Of each cell it is known
/// where the grid has its colour, from its row on, and its column.
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

/// The least step after which an object repeats itself in one direction.
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
    Ok(Val::Int((1..size).find(|p| repeats(*p)).unwrap_or(size)))
}

pub(crate) fn hperiod<'a>(_: &mut Vm<'a>, obj: &Val<'a>) -> R<'a> {
    period(obj, Patch::width, |i, j, p| (i, j - p))
}
pub(crate) fn vperiod<'a>(_: &mut Vm<'a>, obj: &Val<'a>) -> R<'a> {
    period(obj, Patch::height, |i, j, p| (i - p, j))
}
