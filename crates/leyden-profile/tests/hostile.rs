//! No file causes a panic: Leyden refuses it, or passes it through every exporter.
#![allow(clippy::unwrap_used)]

use leyden_profile::Profile;
use leyden_profile::compare::compare;
use leyden_profile::csv::CsvTable;
use leyden_profile::model::Kind;
use leyden_profile::plan::budget;
use leyden_profile::project::{WhatIf, project};
use leyden_profile::report::ReportOptions;
use leyden_profile::sample::{profile_of, sample_profile};
use leyden_profile::what_if::imagine;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Visits every value in a JSON value, in order; `act` may change it.
fn visit(value: &mut Value, act: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, act)),
        Value::Object(items) => items.values_mut().for_each(|item| visit(item, act)),
        _ => act(value),
    }
}

fn extreme(kind: u8) -> Value {
    match kind % 8 {
        0 => json!(0),
        1 => json!(1),
        2 => json!(u64::MAX),
        3 => json!(u32::MAX),
        4 => json!(1e300),
        5 => json!(-1),
        6 => json!("</script>\u{2028};\n"),
        _ => Value::Null,
    }
}

/// The sample's JSON with some leaves replaced.
fn spoiled(places: &[(usize, u8)]) -> String {
    let mut value: Value = serde_json::from_str(&profile_of(6).to_json()).unwrap();
    let mut n_leaves = 0;
    visit(&mut value, &mut |_| n_leaves += 1);
    let mut at = 0;
    visit(&mut value, &mut |leaf| {
        if let Some((_, kind)) = places.iter().find(|(k, _)| k % n_leaves == at) {
            *leaf = extreme(*kind);
        }
        at += 1;
    });
    value.to_string()
}

/// Runs every exporter and analysis. Only a panic matters, not the output.
fn through_everything(mut profile: Profile) {
    _ = profile.check();
    _ = profile.outliers();
    for n_tasks in [0, u64::MAX] {
        if let Ok(projection) = project(&profile, n_tasks, &WhatIf::default()) {
            let found = budget(&projection, "8h", 8.0 * 3600e9, 4);
            profile.budgets.push(found);
            profile.projections.push(projection);
        }
    }
    for table in CsvTable::ALL {
        _ = profile.to_csv(table);
    }
    for kind in Kind::ALL {
        profile.kind = kind;
        _ = profile.report(&ReportOptions::default()).to_text();
    }
    _ = profile.to_speedscope();
    _ = profile.to_collapsed();
    _ = profile.to_flame_graph();
    _ = profile.to_pprof().unwrap();
    let what_if: WhatIf = "objects=3x,execute=2x".parse().unwrap();
    profile.what_ifs.push(imagine(&profile, &what_if));
    _ = profile.to_html();
    let compared = compare(&sample_profile(), &profile);
    _ = compared.report(&ReportOptions::default()).to_html();
    _ = profile.without_tasks(&[0, 3, 99]).primitive_stats();
    assert!(Profile::from_json(&profile.to_json()).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nothing_in_a_file_makes_it_panic(places in prop::collection::vec((0..5000_usize, 0..8_u8), 1..12)) {
        if let Ok(profile) = Profile::from_json(&spoiled(&places)) {
            through_everything(profile);
        }
    }

    #[test]
    fn numbers_of_any_size_make_it_through(places in prop::collection::vec((0..5000_usize, 0..4_u8), 1..6)) {
        if let Ok(profile) = Profile::from_json(&spoiled(&places)) {
            through_everything(profile);
        }
    }
}

#[test]
fn the_sample_goes_through_everything() {
    through_everything(sample_profile());
}
