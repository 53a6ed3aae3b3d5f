//! The values of a program's lines, as pictures.

mod html;
mod text;

use leyden_dsl::fault::Fault;
use leyden_dsl::value::{Lambda, Value};
use leyden_grid::{Grid, counted};

pub(crate) use html::render as to_html;
#[cfg(feature = "explore")]
pub(crate) use html::write_picture;
pub(crate) use text::render as to_text;

/// Larger pictures are cut.
const MOST_SIDE: usize = 30;
/// At most this many pictures of a value are shown.
const MOST_PICTURES: usize = 12;
/// Longer texts are cut.
const MOST_CHARS: usize = 160;
/// Functions within functions deeper than this are not written out.
const MOST_NESTING: u32 = 6;

/// A cell of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// Part of the value.
    Colour(u8),
    /// A place in a set of places.
    Marked,
    /// Not part of the value, but of the grid it was found in.
    Outside,
}

/// Rows of cells, all of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The look of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawing {
    /// The kind of value, as text.
    pub(crate) words: String,
    pub(crate) pictures: Vec<Picture>,
}

/// A line of a program, and its value.
pub(crate) struct Step {
    pub(crate) source: String,
    pub(crate) drawing: Drawing,
    /// The value for other programs.
    pub(crate) result: serde_json::Value,
    pub(crate) is_fault: bool,
}

/// A program on a sample.
pub(crate) struct Trace {
    pub(crate) program: String,
    pub(crate) sample: String,
    pub(crate) input: Drawing,
    pub(crate) steps: Vec<Step>,
    /// Whether the result is right, if that is known.
    pub(crate) verdict: String,
    /// The right output, unless the program gave it.
    pub(crate) expected: Option<Drawing>,
}

/// Draws the value of a line; sets of places are shown in the input grid.
pub(crate) fn draw(result: &Result<Value, Fault>, input: &Grid) -> Drawing {
    match result {
        Ok(value) => draw_value(value, input),
        Err(fault) => Drawing {
            words: format!("fault: {}", fault.name()),
            ..Drawing::default()
        },
    }
}

pub(crate) fn draw_grid(grid: &Grid) -> Drawing {
    let row = |row: &[u8]| row.iter().map(|v| Cell::Colour(*v)).collect();
    Drawing {
        words: format!("grid, {} × {}", grid.height(), grid.width()),
        pictures: vec![Picture {
            rows: grid.rows().map(row).collect(),
        }],
    }
}

fn draw_value(value: &Value, input: &Grid) -> Drawing {
    if let Some(picture) = as_grid(value) {
        let (height, width) = (picture.rows.len(), picture.rows[0].len());
        return Drawing {
            words: format!("grid, {height} × {width}"),
            pictures: vec![picture],
        };
    }
    if let Some(cells) = as_cells(value) {
        return Drawing {
            words: words_of_cells(&cells),
            pictures: over(&cells, input).into_iter().collect(),
        };
    }
    match parts(value) {
        Some(items) if items.len() > 1 || matches!(value, Value::Set(_)) => {
            draw_parts(value, &items, input)
        }
        _ => Drawing {
            words: text_of(value, 0),
            ..Drawing::default()
        },
    }
}

/// Several grids or objects; anything else is written out.
fn draw_parts(value: &Value, items: &[&Value], input: &Grid) -> Drawing {
    let picture = |item: &&Value| as_grid(item).or_else(|| over(&as_cells(item)?, input));
    let pictures: Option<Vec<Picture>> = items.iter().take(MOST_PICTURES).map(picture).collect();
    let kind = match value {
        Value::Set(_) => "set",
        _ => "tuple",
    };
    match pictures {
        Some(pictures) if !items.is_empty() => {
            let what = match as_grid(items[0]) {
                Some(_) => "grids",
                None => "patches",
            };
            let more = items.len().saturating_sub(MOST_PICTURES);
            let more = if more > 0 {
                format!(", {more} more not shown")
            } else {
                String::new()
            };
            Drawing {
                words: format!("{kind} of {} {what}{more}", items.len()),
                pictures,
            }
        }
        _ => Drawing {
            words: text_of(value, 0),
            ..Drawing::default()
        },
    }
}

fn parts(value: &Value) -> Option<Vec<&Value>> {
    match value {
        Value::Tuple(items) => Some(items.iter().collect()),
        Value::Set(set) => Some(set.iter().collect()),
        _ => None,
    }
}

fn colour(value: &Value) -> Option<u8> {
    match value {
        Value::Int(n) => u8::try_from(*n).ok().filter(|n| *n <= 9),
        _ => None,
    }
}

fn as_grid(value: &Value) -> Option<Picture> {
    let Value::Tuple(rows) = value else {
        return None;
    };
    let row = |row: &Value| match row {
        Value::Tuple(cells) => cells
            .iter()
            .map(|v| Some(Cell::Colour(colour(v)?)))
            .collect(),
        _ => None,
    };
    let rows: Vec<Vec<Cell>> = rows.iter().map(row).collect::<Option<_>>()?;
    let width = rows.first()?.len();
    let is_small = (1..=MOST_SIDE).contains(&width) && rows.len() <= MOST_SIDE;
    // A pair of numbers in a tuple is more likely a place than a grid of one row.
    let is_grid = rows.len() > 1 || width > 2;
    (is_small && is_grid && rows.iter().all(|row| row.len() == width)).then_some(Picture { rows })
}

/// A place, and its colour if it has one.
type Placed = (i64, i64, Option<u8>);

fn place(value: &Value) -> Option<(i64, i64)> {
    match value {
        Value::Tuple(pair) => match (pair.first(), pair.get(1), pair.len()) {
            (Some(Value::Int(i)), Some(Value::Int(j)), 2) => Some((*i, *j)),
            _ => None,
        },
        _ => None,
    }
}

/// A cell of an object in any dialect: `(v, (i, j))` or `(i, j, v)`.
fn placed(value: &Value) -> Option<Placed> {
    if let Some((i, j)) = place(value) {
        return Some((i, j, None));
    }
    let Value::Tuple(parts) = value else {
        return None;
    };
    match (parts.first()?, parts.get(1)?, parts.get(2)) {
        (v, at, None) => place(at).and_then(|(i, j)| Some((i, j, Some(colour(v)?)))),
        (Value::Int(i), Value::Int(j), Some(v)) if parts.len() == 3 => {
            Some((*i, *j, Some(colour(v)?)))
        }
        _ => None,
    }
}

/// The cells of an object or of a set of places.
fn as_cells(value: &Value) -> Option<Vec<Placed>> {
    let Value::Set(set) = value else { return None };
    let cells: Vec<Placed> = set.iter().map(placed).collect::<Option<_>>()?;
    let n_coloured = cells.iter().filter(|cell| cell.2.is_some()).count();
    let is_uniform = n_coloured == 0 || n_coloured == cells.len();
    (!cells.is_empty() && is_uniform).then_some(cells)
}

fn words_of_cells(cells: &[Placed]) -> String {
    let what = match cells[0].2 {
        Some(_) => "object",
        None => "places",
    };
    let (top, left) = (
        cells.iter().map(|cell| cell.0).min().unwrap_or(0),
        cells.iter().map(|cell| cell.1).min().unwrap_or(0),
    );
    format!(
        "{what}, {} from ({top}, {left})",
        counted(cells.len(), "cell")
    )
}

/// Cells in the input grid, which grows to hold them; `None` if they are too far away.
fn over(cells: &[Placed], input: &Grid) -> Option<Picture> {
    let low = |k: fn(&Placed) -> i64| cells.iter().map(k).min().unwrap_or(0).min(0);
    let high = |k: fn(&Placed) -> i64| cells.iter().map(k).max().map_or(1, |n| n.saturating_add(1));
    let (top, left) = (low(|c| c.0), low(|c| c.1));
    let bottom = high(|c| c.0).max(input.height() as i64);
    let right = high(|c| c.1).max(input.width() as i64);
    let most = 2 * MOST_SIDE as i64;
    let (height, width) = (bottom.checked_sub(top)?, right.checked_sub(left)?);
    if height > most || width > most {
        return None;
    }
    let mut rows = vec![vec![Cell::Outside; width as usize]; height as usize];
    for (i, j, colour) in cells {
        let cell = &mut rows[(i - top) as usize][(j - left) as usize];
        *cell = colour.map_or(Cell::Marked, Cell::Colour);
    }
    Some(Picture { rows })
}

/// A value as text; a function is the call that made it.
fn text_of(value: &Value, depth: u32) -> String {
    if depth > MOST_NESTING {
        return "…".to_owned();
    }
    let list = |values: &[&Value]| -> String {
        let parts: Vec<String> = values.iter().map(|v| text_of(v, depth + 1)).collect();
        parts.join(", ")
    };
    let text = match value {
        Value::None => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Int(n) => n.to_string(),
        Value::Float(_) => value.to_string(),
        Value::Prim(prim) => prim.name().to_owned(),
        Value::Func(closure) => match &closure.lambda {
            Lambda::Compose(a, b) => format!("compose({})", list(&[a, b])),
            Lambda::Chain(a, b, c) => format!("chain({})", list(&[a, b, c])),
            Lambda::Matcher(a, b) => format!("matcher({})", list(&[a, b])),
            Lambda::Rbind(a, b) => format!("rbind({})", list(&[a, b])),
            Lambda::Lbind(a, b) => format!("lbind({})", list(&[a, b])),
            Lambda::Fork(a, b, c) => format!("fork({})", list(&[a, b, c])),
            Lambda::Nothing => "nothing".to_owned(),
        },
        Value::Tuple(items) => format!("({})", list(&items.iter().take(40).collect::<Vec<_>>())),
        Value::Set(set) => format!("{{{}}}", list(&set.iter().take(40).collect::<Vec<_>>())),
    };
    cut(text)
}

fn cut(text: String) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_dsl::codec::decode;
    use serde_json::json;

    fn drawn(value: serde_json::Value) -> Drawing {
        let input = Grid::from_rows(&[vec![0, 0, 0], vec![0, 0, 0]]).unwrap();
        draw(&Ok(decode(&value).unwrap()), &input)
    }

    #[test]
    fn values_are_recognised() {
        assert_eq!(drawn(json!([[1, 2], [3, 4]])).words, "grid, 2 × 2");
        assert_eq!(drawn(json!(7)).words, "7");
        assert_eq!(drawn(json!([1, 2])).words, "(1, 2)");
        assert_eq!(drawn(json!({ "fn": "objects" })).words, "objects");
        let object = drawn(json!({ "set": [[5, [0, 1]], [5, [1, 1]]] }));
        assert_eq!(object.words, "object, 2 cells from (0, 1)");
        let (five, none) = (Cell::Colour(5), Cell::Outside);
        assert_eq!(
            object.pictures[0].rows,
            [[none, five, none], [none, five, none]]
        );
    }

    #[test]
    fn places_outside_the_grid_make_it_grow_within_reason() {
        let near = drawn(json!({ "set": [[-1, 3]] }));
        assert_eq!(near.pictures[0].rows.len(), 3);
        assert_eq!(near.pictures[0].rows[0][3], Cell::Marked);
        let far = drawn(json!({ "set": [[0, 1_000_000]] }));
        assert_eq!(far.pictures, []);
        assert_eq!(far.words, "places, 1 cell from (0, 1000000)");
        let wide = drawn(json!({ "set": [[i64::MIN, i64::MAX]] }));
        assert_eq!(wide.pictures, []);
    }
}
