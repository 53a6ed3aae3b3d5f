//! Any JSON is a profile or an error; a profile can be shown in every form, compared and projected.
#![no_main]

mod mutate_json;

use leyden_profile::Profile;
use leyden_profile::compare::compare;
use leyden_profile::csv::CsvTable;
use leyden_profile::project::project;
use leyden_profile::report::ReportOptions;
use leyden_profile::what_if::imagine;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_json::mutate(data, size, max_size, seed)
});

fuzz_target!(|source: &str| {
    match Profile::from_json(source) {
        Ok(profile) => show(&profile),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

fn show(profile: &Profile) {
    let json = profile.to_json();
    let again = Profile::from_json(&json).expect("its own JSON");
    assert_eq!(again.to_json(), json);
    for table in CsvTable::ALL {
        profile.to_csv(table);
    }
    profile.to_speedscope();
    profile.to_collapsed();
    // Both may refuse; neither may panic.
    let _ = profile.to_flame_graph();
    let _ = profile.to_pprof();
    let report = profile.report(&ReportOptions::default());
    assert!(!report.to_text().contains('\u{1b}'));
    report.to_markdown();
    report.to_html();
    let compared = compare(profile, &again).named("a", "b");
    compared.report(&ReportOptions::default()).to_text();
    let what_if = "objects=3x,execute=2x".parse().expect("a what-if");
    let _ = imagine(profile, &what_if);
    let _ = project(profile, 1000, &what_if);
}
