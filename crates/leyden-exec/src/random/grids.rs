//! Random grids.

use leyden_grid::Grid;

use super::Dice;

/// A background with marks on it, or noise.
pub(super) fn grid(dice: &mut Dice<'_>) -> Grid {
    let most = if dice.one_in(8) { 30 } else { 9 };
    let (height, width) = (1 + dice.below(most), 1 + dice.below(most));
    let colours: Vec<u8> = (0..=dice.below(4)).map(|_| dice.below(10) as u8).collect();
    let mut cells = vec![colours[0]; height * width];
    if dice.one_in(5) {
        cells.fill_with(|| colours[dice.below(colours.len())]);
    }
    for _ in 0..dice.below(8) {
        mark(dice, &mut cells, width, &colours);
    }
    let cells = Grid::from_cells(height, width, &cells);
    cells.unwrap_or_else(|error| unreachable!("sides and colours are in range: {error}"))
}

/// Paints a small rectangle.
fn mark(dice: &mut Dice<'_>, cells: &mut [u8], width: usize, colours: &[u8]) {
    let colour = colours[dice.below(colours.len())];
    let (top, left) = (dice.below(cells.len() / width), dice.below(width));
    let (bottom, right) = (top + dice.below(4), (left + dice.below(4)).min(width - 1));
    for row in cells.chunks_exact_mut(width).take(bottom + 1).skip(top) {
        row[left..=right].fill(colour);
    }
}
