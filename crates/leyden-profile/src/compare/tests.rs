use super::*;
use crate::chance::Chance;
use crate::sample::sample_profile;

/// The sample profile measured again: every time is off by some percent, and one primitive is
/// `factor` times as slow.
fn again(seed: u64, factor: f64, row: u32) -> Profile {
    let mut profile = sample_profile();
    let mut chance = Chance::seeded(seed);
    for task in &mut profile.tasks {
        for part in &mut task.primitives {
            let planted = if part.row == row { factor } else { 1.0 };
            let jitter = (0.05 * chance.normal()).exp();
            part.self_ns = (part.self_ns as f64 * planted * jitter) as u64;
        }
        task.self_ns = sum(task.primitives.iter().map(|part| part.self_ns));
    }
    profile
}

#[test]
fn noise_is_not_taken_for_a_change() {
    let a = sample_profile();
    for seed in 0..20 {
        let found = compare(&a, &again(seed, 1.0, 0));
        let alarms: Vec<_> = found.alarms().map(|it| &it.name).collect();
        assert!(alarms.is_empty(), "{alarms:?}");
    }
    assert_eq!(compare(&a, &a).alarms().count(), 0);
}

#[test]
fn an_interruption_is_not_taken_for_a_change() {
    let a = sample_profile();
    for place in 0..a.tasks.len() {
        let mut b = again(place as u64, 1.0, 0);
        let task = &mut b.tasks[place];
        let part = &mut task.primitives[0];
        let stall = a.totals.execute_ns / 25;
        part.self_ns += stall;
        task.self_ns += stall;
        task.samples[1].self_ns += stall;
        let found = compare(&a, &b);
        let alarms: Vec<_> = found.alarms().collect();
        assert!(alarms.is_empty(), "{alarms:?}");
    }
}

#[test]
fn time_that_moves_between_caller_and_called_is_no_change() {
    let mut a = sample_profile();
    a.tasks.truncate(1);
    let mut b = a.clone();
    let part = |p: &mut Profile, k: usize, ns: u64| p.tasks[0].primitives[k].self_ns = ns;
    let both = a.tasks[0].primitives[0].self_ns + a.tasks[0].primitives[1].self_ns;
    let total = |p: &mut Profile| {
        p.tasks[0].self_ns = 1_000 * both;
        p.primitives
            .iter_mut()
            .for_each(|row| row.histogram = Default::default());
    };
    total(&mut a);
    total(&mut b);
    part(&mut a, 0, 900 * both);
    part(&mut a, 1, both);
    part(&mut b, 0, both);
    part(&mut b, 1, 900 * both);
    let found = compare(&a, &b);
    assert_eq!(found.moved().count(), 0, "{}", found.sentence());
}

#[test]
fn a_busy_machine_is_said_to_be_and_widens_the_limits() {
    let a = sample_profile();
    let mut b = again(1, 1.3, 0);
    let quiet = compare(&a, &b).total.allowed;
    b.notes = vec![format!("{BUSY_NOTE}: workers waited.")];
    let found = compare(&a, &b);
    assert!(found.total.allowed > quiet);
    assert!(found.warnings.iter().any(|it| it.contains("busy when B")));
}

#[test]
fn rows_that_only_one_has_are_new_or_gone() {
    let a = sample_profile();
    let mut b = sample_profile();
    b.primitives[0].name = "newcomer".to_owned();
    let found = compare(&a, &b);
    let verdict = |name: &str| {
        let row = found.primitives.iter().find(|it| it.name == name);
        row.unwrap().verdict
    };
    assert_eq!(verdict("newcomer"), Verdict::New);
    assert_eq!(verdict("objects"), Verdict::Gone);
    let found = found.named("old.json", "new.json");
    let text = found.report(&Default::default()).to_text();
    assert!(
        text.contains("old.json") && text.contains("new.json"),
        "{text}"
    );
    assert!(!text.contains("0.00"), "{text}");
}

#[test]
fn a_task_that_became_slower_is_named() {
    let a = sample_profile();
    let mut b = again(3, 1.0, 0);
    let task = &mut b.tasks[8];
    task.self_ns *= 3;
    task.samples.iter_mut().for_each(|it| it.self_ns *= 3);
    let found = compare(&a, &b);
    assert_eq!(found.tasks.len(), 1, "{:?}", found.tasks);
    assert_eq!(found.tasks[0].name, a.tasks[8].id);
}

#[test]
fn a_planted_change_is_found_and_named() {
    let a = sample_profile();
    for seed in 0..20 {
        let slower = compare(&a, &again(seed, 2.0, 0));
        assert_eq!(slower.verdict(), Verdict::Slower, "{}", slower.sentence());
        assert_eq!(slower.primitives[0].name, "objects");
        assert!((1.9..2.1).contains(&slower.primitives[0].ratio()));
        let names: Vec<&str> = slower.moved().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["objects"]);
    }
    let json: serde_json::Value =
        serde_json::from_str(&compare(&a, &again(1, 2.0, 0)).to_json()).unwrap();
    assert_eq!(json["comparison"]["total"]["verdict"], "slower");
    let faster = compare(&again(1, 2.0, 0), &a);
    assert_eq!(faster.verdict(), Verdict::Faster);
    assert!(
        faster.sentence().starts_with("B is 1."),
        "{}",
        faster.sentence()
    );
}

#[test]
fn unfair_comparisons_are_said_to_be() {
    let a = sample_profile();
    let mut b = sample_profile();
    b.setting.data.hash = "other".to_owned();
    b.setting.jobs = 2;
    b.tasks.truncate(30);
    let warnings = compare(&a, &b).warnings;
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    b.tasks.clear();
    b.totals.whole_ns *= 3;
    assert_eq!(compare(&a, &b).verdict(), Verdict::Slower);
}
