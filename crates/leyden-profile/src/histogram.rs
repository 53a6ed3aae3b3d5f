//! [`Histogram`]: the times of calls, in buckets that grow with the time.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The number of buckets for a doubling of the time. Eight keep a bucket within 12.5 % of its lower
/// end.
const PER_OCTAVE: u64 = 8;
const OCTAVE_BITS: u32 = PER_OCTAVE.trailing_zeros();

/// The number of possible buckets. Every `u64` of nanoseconds has one.
pub const N_BUCKETS: usize = ((64 - OCTAVE_BITS as usize) + 1) * PER_OCTAVE as usize;

/// The number of calls for each range of times.
///
/// Up to 7 ns every nanosecond has its own bucket. From there on each doubling has eight of equal
/// width. A recorder counts into a dense array by [`bucket_of`] and passes the buckets that were
/// hit to [`Histogram::from_ascending`]. The histogram keeps only these.
///
/// ```
/// use leyden_profile::Histogram;
///
/// let histogram: Histogram = [100, 100, 100, 9_000].into_iter().collect();
/// assert_eq!(histogram.count(), 4);
/// let median = histogram.quantile(0.5).unwrap();
/// assert!((96.0..112.0).contains(&median));
/// ```
///
/// As JSON it is a list: the first bucket that was hit, then the counts from there on.
///
/// ```
/// # use leyden_profile::Histogram;
/// let histogram: Histogram = [3, 3, 5].into_iter().collect();
/// assert_eq!(serde_json::to_string(&histogram)?, "[3,2,0,1]");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Buckets in order, each with its count, which is not 0.
    buckets: Vec<(u16, u64)>,
}

/// The bucket of a time.
#[inline]
pub const fn bucket_of(ns: u64) -> u16 {
    if ns < PER_OCTAVE {
        return ns as u16;
    }
    let octave = ns.ilog2() - OCTAVE_BITS;
    let place = (ns >> octave) & (PER_OCTAVE - 1);
    ((octave as u64 + 1) * PER_OCTAVE + place) as u16
}

/// The shortest time of a bucket, and the bucket's width.
pub const fn bounds_of(bucket: u16) -> (u64, u64) {
    let bucket = bucket as u64;
    if bucket < PER_OCTAVE {
        return (bucket, 1);
    }
    let octave = (bucket / PER_OCTAVE - 1) as u32;
    let start = PER_OCTAVE + bucket % PER_OCTAVE;
    // A file may name a bucket that no time has; it must not overflow.
    let octave = if octave > 60 { 60 } else { octave };
    (start << octave, 1 << octave)
}

impl Histogram {
    /// Makes a histogram of buckets and counts. Each bucket comes once, in ascending order.
    pub fn from_ascending(buckets: impl IntoIterator<Item = (u16, u64)>) -> Self {
        let hit = buckets.into_iter().filter(|&(_, n)| n > 0);
        let buckets: Vec<(u16, u64)> = hit.collect();
        debug_assert!(buckets.is_sorted_by(|a, b| a.0 < b.0));
        Self { buckets }
    }

    /// Adds one time.
    pub fn record(&mut self, ns: u64) {
        self.add(bucket_of(ns), 1);
    }

    /// Adds all times of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for &(bucket, n) in &other.buckets {
            self.add(bucket, n);
        }
    }

    fn add(&mut self, bucket: u16, n: u64) {
        match self.buckets.binary_search_by_key(&bucket, |&(b, _)| b) {
            Ok(k) => self.buckets[k].1 = self.buckets[k].1.saturating_add(n),
            Err(k) => self.buckets.insert(k, (bucket, n)),
        }
    }

    /// Whether the histogram has no times.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// The number of times.
    pub fn count(&self) -> u64 {
        self.buckets
            .iter()
            .fold(0, |sum, &(_, n)| sum.saturating_add(n))
    }

    /// The buckets that were hit, with their counts.
    pub fn buckets(&self) -> &[(u16, u64)] {
        &self.buckets
    }

    /// The time below which a share `q` of the calls stayed, in nanoseconds. Calls are taken to be
    /// spread evenly within a bucket. `None` if no time was recorded.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let rank = q.clamp(0.0, 1.0) * self.count() as f64;
        let mut below = 0.0;
        for &(bucket, n) in &self.buckets {
            let n = n as f64;
            if below + n >= rank {
                let (start, width) = bounds_of(bucket);
                return Some(start as f64 + width as f64 * (rank - below) / n);
            }
            below += n;
        }
        None
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list: Vec<u64> = Vec::new();
        for &(bucket, n) in &self.buckets {
            let first = *list.first().unwrap_or(&u64::from(bucket));
            let place = 1 + usize::from(bucket) - first as usize;
            list.resize(place, 0);
            list[0] = first;
            list.push(n);
        }
        list.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = Vec::<u64>::deserialize(deserializer)?;
        let Some((&first, counts)) = list.split_first() else {
            return Ok(Self::default());
        };
        let n_possible = (N_BUCKETS as u64).saturating_sub(first);
        if counts.len() as u64 > n_possible {
            let message = format!("a histogram has at most {N_BUCKETS} buckets");
            return Err(D::Error::custom(message));
        }
        let hit = |(bucket, &n): (u64, &u64)| (n > 0).then_some((bucket as u16, n));
        let buckets = (first..).zip(counts).filter_map(hit).collect();
        Ok(Self { buckets })
    }
}

impl FromIterator<u64> for Histogram {
    fn from_iter<I: IntoIterator<Item = u64>>(times: I) -> Self {
        let mut histogram = Self::default();
        times.into_iter().for_each(|ns| histogram.record(ns));
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_each_other_without_gaps() {
        for bucket in 0..(N_BUCKETS - 1) as u16 {
            let (start, width) = bounds_of(bucket);
            assert_eq!(bucket_of(start), bucket);
            assert_eq!(bucket_of(start + (width - 1)), bucket);
            assert_eq!(bounds_of(bucket + 1).0, start + width);
        }
        assert_eq!(bucket_of(u64::MAX) as usize, N_BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_within_a_bucket_of_the_truth() {
        let histogram: Histogram = (1..=10_000).collect();
        for (q, truth) in [(0.5, 5_000.0), (0.99, 9_900.0), (0.01, 100.0)] {
            let found = histogram.quantile(q).unwrap();
            assert!((found / truth - 1.0_f64).abs() < 0.125, "{q}: {found}");
        }
        assert_eq!(Histogram::default().quantile(0.5), None);
    }

    #[test]
    fn dense_counts_and_single_times_give_the_same() {
        let times = [0, 3, 7, 8, 9, 1_000, 1_000, u64::MAX];
        let mut dense = vec![0_u64; N_BUCKETS];
        times
            .iter()
            .for_each(|&ns| dense[bucket_of(ns) as usize] += 1);
        let single: Histogram = times.into_iter().collect();
        assert_eq!(Histogram::from_ascending((0..).zip(dense)), single);
        let mut twice = single.clone();
        twice.merge(&single);
        assert_eq!(twice.count(), 16);
    }

    #[test]
    fn what_is_written_is_read_and_nonsense_is_not() {
        let cases: [&[u64]; 4] = [&[], &[0], &[7, 9, 9, 400], &[u64::MAX, 1]];
        for times in cases {
            let histogram: Histogram = times.iter().copied().collect();
            let json = serde_json::to_string(&histogram).unwrap();
            assert_eq!(serde_json::from_str::<Histogram>(&json).unwrap(), histogram);
        }
        for nonsense in [
            "[495, 1, 1]",
            "[18446744073709551615, 1]",
            "[1, -1]",
            "[\"a\"]",
        ] {
            assert!(
                serde_json::from_str::<Histogram>(nonsense).is_err(),
                "{nonsense}"
            );
        }
        let full = format!("[1, {}]", u64::MAX);
        let mut large: Histogram = serde_json::from_str(&full).unwrap();
        large.record(1);
        assert_eq!(large.count(), u64::MAX);
    }
}
