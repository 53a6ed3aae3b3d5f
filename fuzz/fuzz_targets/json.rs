//! Any bytes give tasks, solutions, grids or answers, or an error that can be shown.
#![no_main]

use std::path::Path;

use leyden_store::submission::Draft;
use leyden_store::{StoreError, Subset, parse_grids, parse_solutions, parse_tasks};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = Path::new("fuzz.json");
    for subset in [None, Some(Subset::Training), Some(Subset::All)] {
        shown(parse_tasks(file, bytes, subset));
    }
    shown(parse_solutions(file, bytes));
    shown(parse_grids(file, bytes));
    shown(Draft::parse(file, bytes));
});

fn shown<T>(outcome: Result<T, StoreError>) {
    if let Err(error) = outcome {
        assert!(!error.to_string().is_empty());
    }
}
