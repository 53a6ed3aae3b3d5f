//! Tests of the reports' text.

use super::*;
use crate::compare::compare;
use crate::project::{WhatIf, project};
use crate::sample::{planted_outlier, sample_profile, slow_profile};

fn profile_of(kind: Kind) -> Profile {
    let mut profile = sample_profile();
    profile.kind = kind;
    profile.projections = vec![project(&profile, 400, &WhatIf::default()).unwrap()];
    profile
}

fn text_of(kind: Kind) -> String {
    profile_of(kind).report(&ReportOptions::default()).to_text()
}

#[test]
fn a_slow_path_has_a_table_of_its_own() {
    let text = slow_profile(0.4)
        .report(&ReportOptions::default())
        .to_text();
    let table = text.split("Programs on the slow path").nth(1).unwrap();
    assert!(table.contains("the order of a set decides"), "{text}");
    assert!(table.contains("25.0× as fast"), "{text}");
    assert!(!text_of(Kind::Batch).contains("Programs on the slow path"));
}

#[test]
fn shares_within_execute_come_to_a_hundred() {
    let text = text_of(Kind::Framework);
    let table = text.split("Execute time by category").nth(1).unwrap();
    let table = table.split("\n\n").nth(1).unwrap();
    let shares = table.lines().filter_map(|line| {
        let percent = line.split(" %").next()?;
        percent.split_whitespace().last()?.parse::<f64>().ok()
    });
    let total: f64 = shares.sum();
    assert!((99.0..101.0).contains(&total), "{total}: {table}");
}

#[test]
fn a_column_without_answers_is_absent_and_a_median_below_the_clock_says_so() {
    let mut profile = sample_profile();
    assert!(text_of(Kind::Dsl).contains("device"));
    for row in &mut profile.primitives {
        row.device = None;
        row.histogram = [3_u64; 100].into_iter().collect();
    }
    profile.kind = Kind::Dsl;
    let text = profile.report(&ReportOptions::default()).to_text();
    assert!(!text.contains("device"), "{text}");
    assert!(text.contains("< 10 ns"), "{text}");
}

#[test]
fn rows_can_be_searched_for() {
    let options = ReportOptions {
        search: vec!["OBJ".to_owned(), "occur".to_owned()],
        ..ReportOptions::default()
    };
    let text = sample_profile().report(&options).to_text();
    let table = text.split("Primitives, by self time").nth(1).unwrap();
    let table = table.split("\n\n").nth(1).unwrap();
    let names = table.lines().skip(2).map(|line| line.split(' ').next());
    let names: Vec<&str> = names.flatten().collect();
    assert_eq!(&names[..2], ["objects", "occurrences"], "{text}");
}

#[test]
fn every_report_names_its_circumstances() {
    for kind in Kind::ALL {
        let text = text_of(kind);
        for part in [
            "A made-up processor",
            "leyden 0.1.0",
            "hash 0f3c5d7e",
            "seed",
            "7.1 % of wall time",
        ] {
            assert!(text.contains(part), "{kind:?} lacks {part}: {text}");
        }
        assert!(text.contains("All sums add up"));
        let lines: Vec<&str> = text.lines().collect();
        let verdict = profile_of(kind).verdict();
        assert_eq!(lines[3], verdict, "{kind:?} does not open with its verdict");
        let end = text.find("How this was measured").unwrap();
        assert!(text.find("A made-up processor").unwrap() > end);
    }
}

#[test]
fn each_kind_has_its_tables() {
    for (kind, parts) in [
        (
            Kind::Dsl,
            &["Primitives, by self time", "HIGH", "35× as fast"][..],
        ),
        (Kind::Batch, &["Slowest tasks", "consistent"]),
        (
            Kind::Framework,
            &[
                "Layers: 100 % is the whole run",
                "Repeated work",
                "once a sample would do",
            ],
        ),
        (
            Kind::Pipeline,
            &[
                "Projections",
                "One-time costs",
                "First steps",
                "34 of 40 tasks",
            ],
        ),
        (Kind::Lines, &["Line #      Hits"]),
    ] {
        let text = text_of(kind);
        for part in parts {
            assert!(text.contains(part), "{kind:?} lacks {part}: {text}");
        }
    }
}

#[test]
fn outliers_are_listed_and_the_tables_redone_without_them() {
    let (profile, place) = planted_outlier();
    let both = profile.report(&ReportOptions::default()).to_text();
    assert!(both.contains("Primitives, without outliers"));
    assert!(both.contains(&profile.tasks[place].id));
    let options = ReportOptions {
        keep_outliers: true,
        ..ReportOptions::default()
    };
    let kept = profile.report(&options).to_text();
    assert!(!kept.contains("without outliers"));
}

#[test]
fn what_does_not_add_up_is_said() {
    let mut profile = sample_profile();
    profile.primitives[0].self_ns *= 2;
    let text = profile.report(&ReportOptions::default()).to_text();
    assert!(
        text.contains("Does not add up: the primitives come to"),
        "{text}"
    );
}

#[test]
fn markdown_has_the_same_tables() {
    let markdown = sample_profile()
        .report(&ReportOptions::default())
        .to_markdown();
    assert!(markdown.starts_with("# Profile: 40 made-up tasks\n"));
    assert!(markdown.contains("| objects | 520 |"), "{markdown}");
}

#[test]
fn a_comparison_reads_like_one() {
    let (slow, _) = planted_outlier();
    let report = compare(&sample_profile(), &slow).report(&ReportOptions::default());
    let text = report.to_text();
    assert!(
        text.contains("Verdict: no difference beyond noise"),
        "{text}"
    );
    assert!(
        text.contains("Careful: the profiles share only 40 of 41 tasks."),
        "{text}"
    );
}

#[test]
fn an_empty_profile_makes_a_report_too() {
    let mut profile = sample_profile();
    profile.primitives.clear();
    profile.tasks.clear();
    profile.stacks = Default::default();
    profile.layers.clear();
    profile.phases.clear();
    profile.lines.clear();
    profile.totals = Default::default();
    for kind in Kind::ALL {
        profile.kind = kind;
        assert!(
            profile
                .report(&ReportOptions::default())
                .to_text()
                .contains("wall time")
        );
    }
}
