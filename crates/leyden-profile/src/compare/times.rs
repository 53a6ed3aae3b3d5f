//! Times of two profiles, part by part, and the middle of their ratios.

use super::limits::{MIN_PARTS, MOST_WEIGHT};
use crate::numbers::{median, median_deviation, share};

/// Times in A and B, part by part.
pub(super) struct Times(pub(super) Vec<(f64, f64)>);

impl Times {
    pub(super) fn a_ns(&self) -> f64 {
        self.0.iter().map(|(a, _)| a).sum()
    }

    pub(super) fn b_ns(&self) -> f64 {
        self.0.iter().map(|(_, b)| b).sum()
    }

    /// Logarithms of the ratios of parts that both have, with their weights.
    pub(super) fn ratios(&self) -> Vec<(f64, f64)> {
        let both = self.0.iter().filter(|(a, b)| *a > 0.0 && *b > 0.0);
        both.map(|(a, b)| ((b / a).ln(), a + b)).collect()
    }

    /// The weighted median of the ratios.
    pub(super) fn middle(&self) -> Option<f64> {
        let mut ratios = self.ratios();
        if ratios.len() < MIN_PARTS {
            return None;
        }
        let cap = weight_cap(&ratios);
        ratios.sort_by(|x, y| x.0.total_cmp(&y.0));
        let half = ratios.iter().map(|it| it.1.min(cap)).sum::<f64>() / 2.0;
        let mut reached = 0.0;
        let found = ratios.iter().find(|it| {
            reached += it.1.min(cap);
            reached >= half
        });
        found.map(|it| it.0)
    }

    /// The scatter of the ratios about their median.
    pub(super) fn scatter(&self) -> f64 {
        let ratios: Vec<f64> = self.ratios().iter().map(|it| it.0).collect();
        1.4826 * median_deviation(&ratios, median(&ratios))
    }

    /// The effective number of parts, as if all were equally long; the smaller one of A and B.
    pub(super) fn n_effective(&self) -> f64 {
        let of = |times: &dyn Fn(&(f64, f64)) -> f64| {
            let total: f64 = self.0.iter().map(times).sum();
            let squares: f64 = self.0.iter().map(|it| times(it).powi(2)).sum();
            share(total * total, squares)
        };
        of(&|it| it.0).min(of(&|it| it.1))
    }
}

/// The largest weight of a part. Cut to it, no part has more than [`MOST_WEIGHT`] of all.
fn weight_cap(ratios: &[(f64, f64)]) -> f64 {
    let mut cap = ratios.iter().map(|it| it.1).fold(0.0, f64::max);
    for _ in 0..60 {
        let total: f64 = ratios.iter().map(|it| it.1.min(cap)).sum();
        cap = cap.min(MOST_WEIGHT * total);
    }
    cap
}
