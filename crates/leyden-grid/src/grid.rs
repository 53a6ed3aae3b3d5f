//! [`Grid`]: a rectangle of colours.

use std::fmt;

use serde::ser::{Serialize, SerializeSeq, Serializer};
use thiserror::Error;

use crate::words::counted;

/// The largest number of rows, and of columns, of a task's grid.
pub const MAX_SIDE: usize = 30;

/// The largest colour; the smallest is 0.
pub const MAX_COLOUR: u8 = 9;

/// A rectangle of 1 to 30 rows and columns, whose cells are colours from 0 to 9.
///
/// The cells lie row after row in one buffer, so a clone is one copy and equality is one comparison
/// of memory. Every `Grid` is well formed: the constructors refuse other cells, and a grid never
/// changes.
///
/// ```
/// use leyden_grid::Grid;
///
/// let grid = Grid::from_rows(&[vec![0, 7, 7], vec![7, 7, 0]])?;
/// assert_eq!((grid.height(), grid.width()), (2, 3));
/// assert_eq!(grid.get(1, 2), Some(0));
/// assert_eq!(grid.get(2, 0), None);
/// assert_eq!(grid.rows().map(|row| row[0]).collect::<Vec<_>>(), [0, 7]);
/// assert_eq!(grid.to_string(), "077\n770");
///
/// let ragged = Grid::from_rows(&[vec![1, 2], vec![3]]).unwrap_err();
/// assert_eq!(ragged.to_string(), "ragged grid: row 1 has 1 cell, row 0 has 2");
/// # Ok::<(), leyden_grid::GridError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grid {
    height: u8,
    width: u8,
    cells: Box<[u8]>,
}

/// A grid that borrows its cells.
///
/// ```
/// use leyden_grid::GridRef;
///
/// let grid = GridRef::new(2, 3, &[0, 7, 7, 7, 7, 0])?;
/// assert_eq!(grid.rows().last(), Some(&[7, 7, 0][..]));
/// assert_eq!(grid.to_grid().to_string(), "077\n770");
/// # Ok::<(), leyden_grid::GridError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridRef<'a> {
    height: u8,
    width: u8,
    cells: &'a [u8],
}

/// The reason why rows of numbers are not a [`Grid`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GridError {
    /// There is no row at all.
    #[error("the grid has no rows")]
    NoRows,
    /// The rows have no cells.
    #[error("the grid's rows have no cells")]
    NoColumns,
    /// There are too many rows.
    #[error("{0} rows; a grid has at most {MAX_SIDE}")]
    TooManyRows(usize),
    /// The rows are too long.
    #[error("{0} columns; a grid has at most {MAX_SIDE}")]
    TooManyColumns(usize),
    /// A row is longer or shorter than the first one.
    #[error("ragged grid: row {row} has {}, row 0 has {expected}", counted(*found, "cell"))]
    Ragged {
        /// The row that differs, counted from 0.
        row: usize,
        /// The number of cells of row 0.
        expected: usize,
        /// The number of cells of this row.
        found: usize,
    },
    /// The number of cells is not height times width.
    #[error("{} cannot fill {} of {width}", counted(*found, "cell"), counted(*height, "row"))]
    CellCount {
        /// The requested height.
        height: usize,
        /// The requested width.
        width: usize,
        /// The number of cells.
        found: usize,
    },
    /// A cell is not a colour.
    #[error("colour {colour} at row {row}, column {column}; colours are 0 to {MAX_COLOUR}")]
    Colour {
        /// The row, counted from 0.
        row: usize,
        /// The column, counted from 0.
        column: usize,
        /// The value found.
        colour: u8,
    },
}

impl<'a> GridRef<'a> {
    /// Borrows these cells, row after row, as a grid.
    pub fn new(height: usize, width: usize, cells: &'a [u8]) -> Result<GridRef<'a>, GridError> {
        check_sides(height, width)?;
        if cells.len() != height * width {
            let found = cells.len();
            return Err(GridError::CellCount {
                height,
                width,
                found,
            });
        }
        check_colours(width, cells)?;
        Ok(GridRef {
            height: height as u8,
            width: width as u8,
            cells,
        })
    }

    /// Copies the cells into a grid that owns them.
    pub fn to_grid(self) -> Grid {
        Grid {
            height: self.height,
            width: self.width,
            cells: self.cells.into(),
        }
    }

    /// The number of rows.
    pub fn height(self) -> usize {
        self.height.into()
    }

    /// The number of columns.
    pub fn width(self) -> usize {
        self.width.into()
    }

    /// All cells, row after row.
    pub fn cells(self) -> &'a [u8] {
        self.cells
    }

    /// The rows, from top to bottom.
    pub fn rows(self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        self.cells.chunks_exact(self.width())
    }
}

impl Grid {
    /// Makes a grid of these rows.
    pub fn from_rows(rows: &[Vec<u8>]) -> Result<Grid, GridError> {
        let width = rows.first().map_or(0, Vec::len);
        check_sides(rows.len(), width)?;
        check_lengths(rows, width)?;
        Grid::from_cells(rows.len(), width, &rows.concat())
    }

    /// Makes a grid of these cells, row after row.
    pub fn from_cells(height: usize, width: usize, cells: &[u8]) -> Result<Grid, GridError> {
        Ok(GridRef::new(height, width, cells)?.to_grid())
    }

    /// Lends the cells as a [`GridRef`].
    pub fn by_ref(&self) -> GridRef<'_> {
        GridRef {
            height: self.height,
            width: self.width,
            cells: &self.cells,
        }
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.height.into()
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width.into()
    }

    /// The number of rows and the number of columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.height(), self.width())
    }

    /// The colours that occur: bit `c` is set if colour `c` does.
    pub fn palette(&self) -> u16 {
        self.cells.iter().fold(0, |all, colour| all | 1 << colour)
    }

    /// The colour at row `i`, column `j`, or `None` outside the grid.
    pub fn get(&self, i: usize, j: usize) -> Option<u8> {
        let inside = i < self.height() && j < self.width();
        inside.then(|| self.cells[i * self.width() + j])
    }

    /// The rows from the top, each a slice of colours.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u8]> + DoubleEndedIterator {
        self.cells.chunks_exact(self.width())
    }

    /// All cells, row after row.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }
}

fn check_sides(height: usize, width: usize) -> Result<(), GridError> {
    match (height, width) {
        (0, _) => Err(GridError::NoRows),
        (_, 0) => Err(GridError::NoColumns),
        _ if height > MAX_SIDE => Err(GridError::TooManyRows(height)),
        _ if width > MAX_SIDE => Err(GridError::TooManyColumns(width)),
        _ => Ok(()),
    }
}

fn check_lengths(rows: &[Vec<u8>], expected: usize) -> Result<(), GridError> {
    match rows.iter().position(|row| row.len() != expected) {
        Some(row) => Err(GridError::Ragged {
            row,
            expected,
            found: rows[row].len(),
        }),
        None => Ok(()),
    }
}

fn check_colours(width: usize, cells: &[u8]) -> Result<(), GridError> {
    // The maximum comes first because it vectorises; a search that stops early does not.
    if cells.iter().copied().max() <= Some(MAX_COLOUR) {
        return Ok(());
    }
    let at = cells
        .iter()
        .position(|&cell| cell > MAX_COLOUR)
        .unwrap_or_default();
    Err(GridError::Colour {
        row: at / width,
        column: at % width,
        colour: cells[at],
    })
}

/// Writes one line of digits for each row.
impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_rows(self, f, "\n")
    }
}

/// Writes the grid on one line: `Grid 2x3 [077 770]`.
impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid {}x{} [", self.height, self.width)?;
        write_rows(self, f, " ")?;
        write!(f, "]")
    }
}

fn write_rows(grid: &Grid, f: &mut fmt::Formatter<'_>, separator: &str) -> fmt::Result {
    for (i, row) in grid.rows().enumerate() {
        f.write_str(if i == 0 { "" } else { separator })?;
        row.iter().try_for_each(|cell| write!(f, "{cell}"))?;
    }
    Ok(())
}

/// Writes a list of lists of numbers, as every ARC file has.
impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.height()))?;
        for row in self.rows() {
            list.serialize_element(row)?;
        }
        list.end()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check_error(rows: &[Vec<u8>], expected: &str) {
        assert_eq!(Grid::from_rows(rows).unwrap_err().to_string(), expected);
    }

    #[test]
    fn what_is_no_grid_says_why() {
        check_error(&[], "the grid has no rows");
        check_error(&[vec![]], "the grid's rows have no cells");
        check_error(&vec![vec![0]; 31], "31 rows; a grid has at most 30");
        check_error(&[vec![0; 31]], "31 columns; a grid has at most 30");
        check_error(
            &[vec![0; 3], vec![0; 2]],
            "ragged grid: row 1 has 2 cells, row 0 has 3",
        );
        check_error(
            &[vec![0, 1], vec![11, 0]],
            "colour 11 at row 1, column 0; colours are 0 to 9",
        );
    }

    #[test]
    fn cells_must_fill_the_rectangle() {
        let error = Grid::from_cells(2, 2, &[0, 1, 2]).unwrap_err();
        assert_eq!(error.to_string(), "3 cells cannot fill 2 rows of 2");
    }

    #[test]
    fn the_largest_grid_is_a_grid() {
        let grid = Grid::from_rows(&vec![vec![9; 30]; 30]).unwrap();
        assert_eq!(grid.cells().len(), 900);
    }

    #[test]
    fn debug_and_json_are_readable() {
        let grid = Grid::from_rows(&[vec![0, 7, 7], vec![7, 7, 0]]).unwrap();
        assert_eq!(format!("{grid:?}"), "Grid 2x3 [077 770]");
        assert_eq!(serde_json::to_string(&grid).unwrap(), "[[0,7,7],[7,7,0]]");
    }

    fn any_rows() -> impl Strategy<Value = Vec<Vec<u8>>> {
        (1..=30usize, 1..=30usize).prop_flat_map(|(height, width)| {
            prop::collection::vec(prop::collection::vec(0..=9u8, width), height)
        })
    }

    proptest! {
        #[test]
        fn rows_come_back_as_they_went_in(rows in any_rows()) {
            let grid = Grid::from_rows(&rows).unwrap();
            let back: Vec<Vec<u8>> = grid.rows().map(<[u8]>::to_vec).collect();
            prop_assert_eq!(&back, &rows);
            for (i, row) in rows.iter().enumerate() {
                for (j, &cell) in row.iter().enumerate() {
                    prop_assert_eq!(grid.get(i, j), Some(cell));
                }
                prop_assert_eq!(grid.get(i, row.len()), None);
            }
        }

        #[test]
        fn equal_grids_are_those_with_equal_rows(a in any_rows(), b in any_rows()) {
            let (left, right) = (Grid::from_rows(&a).unwrap(), Grid::from_rows(&b).unwrap());
            prop_assert_eq!(left == right, a == b);
        }
    }
}
