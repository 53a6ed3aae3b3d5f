//! Results as text, JSON and pictures.

pub(crate) mod batt_json;
pub(crate) mod batt_text;
pub(crate) mod batt_totals;
pub(crate) mod card;
pub(crate) mod numbers;
pub(crate) mod palette;
pub(crate) mod reference;
pub(crate) mod run_json;
pub(crate) mod run_text;
pub(crate) mod style;
pub(crate) mod task_svg;
pub(crate) mod task_text;
pub(crate) mod trace;

/// The width of the terminal, where there is one.
pub(crate) fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

/// The known name most like a mistyped one.
pub(crate) fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let tolerated = (name.chars().count() / 3).clamp(1, 3);
    let distance = |known: &'a str| (strsim::damerau_levenshtein(name, known), known);
    known
        .map(distance)
        .filter(|(mistakes, _)| *mistakes <= tolerated)
        .min()
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_understood() {
        let known = || ["objects", "object", "paint"].into_iter();
        assert_eq!(closest("objcts", known()), Some("objects"));
        assert_eq!(closest("piant", known()), Some("paint"));
        assert_eq!(closest("zzz", known()), None);
    }
}
