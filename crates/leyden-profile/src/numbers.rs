//! Sums, medians, and times as text.

/// A sum that saturates instead of wrapping, since a file may have any numbers.
pub(crate) fn sum(parts: impl IntoIterator<Item = u64>) -> u64 {
    parts.into_iter().fold(0, u64::saturating_add)
}

/// A part as a share of a whole; 0 if the whole is 0.
pub(crate) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The mean; 0 for no values.
pub(crate) fn mean(values: &[f64]) -> f64 {
    share(values.iter().sum(), values.len() as f64)
}

/// A quantile of sorted values, interpolated between neighbours; 0 for no values.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = q.clamp(0.0, 1.0) * last as f64;
    let below = place as usize;
    let above = (below + 1).min(last);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

/// The median; 0 for no values.
pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(&sorted(values), 0.5)
}

/// The median distance from a centre.
pub(crate) fn median_deviation(values: &[f64], centre: f64) -> f64 {
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    median(&distances)
}

/// Sorts any values, nan included.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}

/// A time with three figures and the unit that suits it: `1.23 ms`.
pub fn duration(ns: f64) -> String {
    let (value, unit) = match ns.abs() {
        ns_abs if ns_abs < 1e3 => (ns, "ns"),
        ns_abs if ns_abs < 1e6 => (ns / 1e3, "µs"),
        ns_abs if ns_abs < 1e9 => (ns / 1e6, "ms"),
        ns_abs if ns_abs < 120e9 => (ns / 1e9, "s"),
        ns_abs if ns_abs < 7200e9 => (ns / 60e9, "min"),
        _ => (ns / 3600e9, "h"),
    };
    format!("{} {unit}", three_figures(value))
}

/// Writes a number with three figures, or with all figures before the point if these are more.
pub fn three_figures(value: f64) -> String {
    let places = match value.abs() {
        0.0 => 0,
        small if small < 9.995 => 2,
        medium if medium < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.places$}")
}

/// A share as a percentage with one place: `12.3 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A share as a percentage for a sentence: `61 %`, below ten `6.1 %`.
pub fn rough_percent(share: f64) -> String {
    let places = usize::from(share.abs() < 0.095);
    format!("{:.places$} %", 100.0 * share)
}

/// A count with commas: `12,345`.
pub fn count(n: u64) -> String {
    leyden_grid::count(size(n))
}

/// A number and its noun: `1 task`, `12 tasks`.
pub fn counted(n: u64, what: &str) -> String {
    leyden_grid::counted(size(n), what)
}

fn size(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_quantiles() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median_deviation(&[1.0, 2.0, 9.0], 2.0), 1.0);
        assert_eq!(quantile(&[0.0, 10.0], 0.25), 2.5);
    }

    #[test]
    fn times_have_three_figures() {
        let cases = [
            (0.0, "0 ns"),
            (7.0, "7.00 ns"),
            (1_234.0, "1.23 µs"),
            (45_600_000.0, "45.6 ms"),
            (9.996e9, "10.0 s"),
            (200e9, "3.33 min"),
            (36_000e9, "10.0 h"),
        ];
        for (ns, text) in cases {
            assert_eq!(duration(ns), text);
        }
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
    }
}
