//! `cargo run -p leyden-profile --example made_up -- DIR`
//!
//! Writes a made-up profile into a directory in every form. `tools/check_readers.py` opens each
//! file in the program it is meant for.

use std::path::Path;

use leyden_profile::compare::compare;
use leyden_profile::csv::CsvTable;
use leyden_profile::model::Kind;
use leyden_profile::plan::budget;
use leyden_profile::project::project;
use leyden_profile::report::ReportOptions;
use leyden_profile::sample::{planted_outlier, sample_profile, slow_profile};
use leyden_profile::what_if::imagine;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: made_up DIR")?;
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    let (mut profile, _) = planted_outlier();
    for (n_tasks, what_if) in [(400, ""), (1000, ""), (1000, "generate=2x,execute=35x")] {
        let projection = project(&profile, n_tasks, &what_if.parse()?)?;
        let runs = budget(&projection, "8h", 8.0 * 3600e9, 4);
        profile.budgets.push(runs);
        profile.projections.push(projection);
    }
    profile.what_ifs = vec![imagine(&profile, &"objects=3x".parse()?)];
    let slow = slow_profile(0.3);
    (profile.slow_path, profile.totals.reference_ns) = (slow.slow_path, slow.totals.reference_ns);
    let write = |name: &str, bytes: &[u8]| std::fs::write(directory.join(name), bytes);
    write("profile.json", profile.to_json().as_bytes())?;
    write(
        "profile.speedscope.json",
        profile.to_speedscope().as_bytes(),
    )?;
    write("profile.collapsed.txt", profile.to_collapsed().as_bytes())?;
    write("profile.svg", profile.to_flame_graph()?.as_bytes())?;
    write("profile.pb.gz", &profile.to_pprof()?)?;
    for table in CsvTable::ALL {
        let name = format!("{}.csv", table.name());
        write(&name, profile.to_csv(table).as_bytes())?;
    }
    let compared = compare(&sample_profile(), &profile).named("before.json", "after.json");
    let report = compared.report(&ReportOptions::default());
    write("compare.txt", report.to_text().as_bytes())?;
    write("compare.html", report.to_html().as_bytes())?;
    for kind in Kind::ALL {
        profile.kind = kind;
        let report = profile.report(&ReportOptions::default());
        write(&format!("{}.txt", kind.name()), report.to_text().as_bytes())?;
        write(
            &format!("{}.md", kind.name()),
            report.to_markdown().as_bytes(),
        )?;
        write(
            &format!("{}.html", kind.name()),
            profile.to_html().as_bytes(),
        )?;
    }
    Ok(())
}
