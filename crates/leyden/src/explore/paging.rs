//! Lists in pages.

use leyden_explore::{Call, Refusal};

/// The most rows of a page.
const MOST_ROWS: usize = 200;
/// The rows of a page without a `limit`.
const USUAL_ROWS: usize = 50;

/// A part of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub(super) offset: usize,
    pub(super) limit: usize,
}

impl Page {
    /// The part that a call asks for.
    pub(super) fn of(call: &Call) -> Result<Page, Refusal> {
        Page::within(call, USUAL_ROWS, MOST_ROWS)
    }

    /// The part that a call asks for, with other limits.
    pub(super) fn within(call: &Call, usual: usize, most: usize) -> Result<Page, Refusal> {
        let limit = call.number("limit", usual)?;
        if !(1..=most).contains(&limit) {
            return Err(Refusal::bad(format!("limit: expected 1 to {most}")));
        }
        Ok(Page {
            offset: call.number("offset", 0)?,
            limit,
        })
    }

    /// The rows of this part.
    pub(super) fn cut<T>(self, rows: &[T]) -> &[T] {
        let start = self.offset.min(rows.len());
        let end = start.saturating_add(self.limit).min(rows.len());
        &rows[start..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(offset: &str, limit: &str) -> Result<Page, Refusal> {
        let query = [("offset", offset), ("limit", limit)];
        let query = query.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Page::of(&Call {
            query: query.into(),
            ..Call::default()
        })
    }

    #[test]
    fn a_page_ends_with_the_list() {
        let rows = [1, 2, 3, 4, 5];
        assert_eq!(page("1", "2").unwrap().cut(&rows), [2, 3]);
        assert_eq!(page("4", "2").unwrap().cut(&rows), [5]);
        let far = usize::MAX.to_string();
        assert!(page(&far, "200").unwrap().cut(&rows).is_empty());
    }

    #[test]
    fn a_page_has_bounds() {
        for limit in ["0", "201", "-1", "many"] {
            let refusal = page("0", limit).unwrap_err();
            assert_eq!(refusal.status, 400, "{limit}");
            assert!(refusal.message.starts_with("limit: "));
        }
    }
}
