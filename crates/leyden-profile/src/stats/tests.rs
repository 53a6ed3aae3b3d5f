use super::*;
use crate::sample::{planted_outlier, sample_profile};

#[test]
fn priorities_at_their_borders() {
    let cases = [
        (0.101, "HIGH"),
        (0.10, "MEDIUM"),
        (0.05, "MEDIUM"),
        (0.049, "LOW"),
        (0.01, "LOW"),
        (0.009, ""),
    ];
    for (share, name) in cases {
        assert_eq!(Priority::of(share).name(), name, "{share}");
    }
}

#[test]
fn shares_add_up_to_one_and_come_in_order() {
    let profile = sample_profile();
    let stats = profile.primitive_stats();
    let total: f64 = stats.iter().map(|s| s.share).sum();
    assert!((total - 1.0).abs() < 0.02, "{total}");
    assert!(stats.is_sorted_by(|a, b| a.share >= b.share));
    assert!(stats.iter().all(|s| s.gains.is_sorted()));
    let engine = stats
        .iter()
        .find(|s| s.row.kind == RowKind::Engine)
        .unwrap();
    assert_eq!(engine.priority, Priority::None);
}

#[test]
fn themes_add_up_to_the_execute_layer() {
    let profile = sample_profile();
    let themes = sum(profile.themes().iter().map(|theme| theme.self_ns));
    let rows = sum(profile.primitives.iter().map(|row| row.self_ns));
    assert_eq!(themes, rows);
}

#[test]
fn a_one_off_is_told_from_a_consistent_bottleneck() {
    let mut often = TaskCounts::default();
    let mut once = TaskCounts::default();
    let mut rarely = TaskCounts::default();
    for k in 0..40 {
        often.add(20, 100);
        once.add(if k == 7 { 90 } else { 1 }, 100);
        rarely.add(if k % 8 == 0 { 20 } else { 1 }, 100);
    }
    assert_eq!(often.spread(40), Spread::Consistent);
    assert_eq!(once.spread(40), Spread::OneOff);
    assert_eq!(rarely.spread(40), Spread::Occasional);
    assert_eq!(often.spread(3), Spread::Unknown);
}

#[test]
fn a_planted_outlier_is_found_and_leaves_the_rest_as_it_was() {
    let (with, place) = planted_outlier();
    let found = with.outliers();
    assert_eq!(found.iter().map(|o| o.task).collect::<Vec<_>>(), [place]);
    let rest = with.without_tasks(&[place]);
    let plain = sample_profile();
    assert_eq!(rest.primitives, plain.primitives);
    assert_eq!(rest.tasks, plain.tasks);
    assert_eq!(rest.layers, plain.layers);
    assert_eq!(rest.totals, plain.totals);
    assert_eq!(rest.check(), []);
    assert_eq!(rest.title, "40 of 41 made-up tasks");
    assert_eq!(rest.accuracy, plain.accuracy);
}

#[test]
fn categories_add_up_to_the_execute_time() {
    let profile = sample_profile();
    let categories = profile.categories();
    let total = sum(categories.iter().map(|it| it.self_ns));
    assert_eq!(total, profile.totals.execute_ns);
    assert_eq!(categories[0].functions[0].0, "objects");
    assert!(categories.is_sorted_by(|a, b| a.self_ns >= b.self_ns));
}

#[test]
fn tasks_without_runs_make_no_outliers_of_the_others() {
    let (mut profile, _) = planted_outlier();
    let expected = profile.outliers();
    let idle = crate::model::TaskRow {
        runs: 0,
        self_ns: 3,
        ..profile.tasks[0].clone()
    };
    let n_idle = 10 * profile.tasks.len();
    profile.tasks.extend(std::iter::repeat_n(idle, n_idle));
    assert_eq!(profile.outliers(), expected);
}

#[test]
fn alike_tasks_and_few_tasks_have_no_outliers() {
    assert_eq!(outliers_among(&[5.0; 20]), []);
    assert_eq!(outliers_among(&[1.0, 1.0, 1.0, 1e9]), []);
    let mut times = vec![1000.0; 20];
    times[3] = 1400.0;
    assert_eq!(outliers_among(&times), []);
    times[3] = 4000.0;
    assert_eq!(outliers_among(&times).len(), 1);
}
