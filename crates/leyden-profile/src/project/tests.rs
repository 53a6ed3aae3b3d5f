use super::*;
use crate::model::{Sampling, TaskRow};
use crate::numbers::median;
use crate::sample::sample_profile;

/// Hints and times of 400 tasks. A time is a hint times a random rate.
type Population = (Vec<f64>, Vec<f64>);

fn population(seed: u64, rate: fn(&mut Chance) -> f64) -> Population {
    let mut chance = Chance::seeded(1000 + seed);
    let hints: Vec<f64> = (0..400)
        .map(|_| (6.0 + 1.2 * chance.normal()).exp())
        .collect();
    let times = hints
        .iter()
        .map(|h| 100.0 * h * rate(&mut chance))
        .collect();
    (hints, times)
}

fn lognormal(chance: &mut Chance) -> f64 {
    chance.normal().exp()
}

/// A rate. One in 20 comes from a Pareto tail with exponent 1.5 that starts at 10 times the
/// median.
fn mixed(chance: &mut Chance) -> f64 {
    let tail = if chance.unit() < 0.05 {
        10.0 * (chance.exponential() / 1.5).exp()
    } else {
        1.0
    };
    tail * (0.7 * chance.normal()).exp()
}

fn pareto(chance: &mut Chance) -> f64 {
    (chance.exponential() / 1.5).exp()
}

fn profile_of(population: &Population, n: usize, seed: u64) -> Profile {
    let (hints, times) = population;
    let drawn = sample_by_size(hints, n, seed);
    let mut profile = sample_profile();
    let row = |&k: &usize| TaskRow {
        id: k.to_string(),
        self_ns: times[k] as u64,
        size_hint: hints[k],
        ..TaskRow::default()
    };
    profile.tasks = drawn.iter().map(row).collect();
    profile.phases.clear();
    let rest = (0..hints.len()).filter(|k| !drawn.contains(k));
    profile.sampling = Sampling {
        method: SamplingMethod::BySize,
        hints_of_rest: rest.map(|k| hints[k]).collect(),
        most_per_task_ns: None,
    };
    profile
}

/// The median error over seeds 1 to 10, and the number of intervals that hold the truth.
fn trial(n: usize, rate: fn(&mut Chance) -> f64) -> (f64, usize) {
    let mut errors = Vec::new();
    let mut n_held = 0;
    for seed in 1..=10 {
        let population = population(seed, rate);
        let truth: f64 = population.1.iter().sum();
        let found = project(&profile_of(&population, n, seed), 400, &WhatIf::default());
        let estimate = found.unwrap().estimate;
        errors.push((estimate.ns / truth - 1.0).abs());
        n_held += usize::from((estimate.low_ns..=estimate.high_ns).contains(&truth));
    }
    (median(&errors), n_held)
}

#[test]
fn a_hundred_tasks_predict_four_hundred() {
    for (name, rate) in [
        ("lognormal", lognormal as fn(&mut Chance) -> f64),
        ("mixed", mixed),
        ("pareto", pareto),
    ] {
        let (error, n_held) = trial(100, rate);
        assert!(error <= 0.25, "{name}: median error {error}");
        assert!(n_held >= 8, "{name}: the interval held in {n_held} of 10");
    }
}

#[test]
fn twenty_tasks_give_a_wide_interval_that_holds() {
    for (name, rate) in [
        ("lognormal", lognormal as fn(&mut Chance) -> f64),
        ("mixed", mixed),
        ("pareto", pareto),
    ] {
        let (_, n_held) = trial(20, rate);
        assert!(n_held >= 8, "{name}: the interval held in {n_held} of 10");
    }
}

#[test]
fn fewer_tasks_mean_a_wider_interval() {
    let population = population(3, lognormal);
    let width = |n| {
        let profile = profile_of(&population, n, 3);
        let estimate = project(&profile, 400, &WhatIf::default()).unwrap().estimate;
        (estimate.high_ns - estimate.low_ns) / estimate.ns
    };
    assert!(width(20) > 1.5 * width(100), "{} {}", width(20), width(100));
}

#[test]
fn a_sample_has_its_size_and_favours_large_tasks() {
    let (hints, _) = population(1, lognormal);
    let mut total = 0.0;
    for seed in 0..50 {
        let drawn = sample_by_size(&hints, 60, seed);
        assert_eq!(drawn.len(), 60);
        assert!(drawn.is_sorted_by(|a, b| a < b));
        total += drawn.iter().map(|&k| hints[k]).sum::<f64>() / 60.0;
    }
    assert!(total / 50.0 > 1.5 * mean(&hints));
    assert_eq!(sample_by_size(&hints, 1000, 1).len(), 400);
    assert_eq!(sample_by_size(&[0.0, f64::NAN, -1.0, 5.0], 2, 1).len(), 2);
    assert_eq!(sample_by_size(&[], 3, 1), [0; 0]);
    assert_eq!(sample_by_size(&[1.0, 1.0], 0, 1), [0; 0]);
}

#[test]
fn what_if_divides_and_one_time_costs_stay_apart() {
    let profile = sample_profile();
    let plain = project(&profile, 400, &WhatIf::default()).unwrap();
    let faster = project(&profile, 400, &"execute=35x".parse().unwrap()).unwrap();
    let of = |p: &Projection, phase| {
        p.phases
            .iter()
            .find(|row| row.phase == phase)
            .unwrap()
            .estimate
            .ns
    };
    let ratio = of(&plain, Phase::Execute) / of(&faster, Phase::Execute);
    assert!((ratio - 35.0).abs() < 0.01, "{ratio}");
    assert_eq!(of(&plain, Phase::Validate), of(&faster, Phase::Validate));
    assert!(faster.estimate.ns < plain.estimate.ns);
    let twice = project(&profile, 800, &WhatIf::default()).unwrap();
    assert_eq!(plain.once_ns, twice.once_ns);
    let grown = (twice.estimate.ns - twice.once_ns) / (plain.estimate.ns - plain.once_ns);
    assert!((1.8..2.2).contains(&grown), "{grown}");
}

#[test]
fn a_faster_primitive_makes_the_execute_phase_faster() {
    let profile = sample_profile();
    let what_if: WhatIf = "objects=1000000x".parse().unwrap();
    let plain = project(&profile, 400, &WhatIf::default()).unwrap();
    let faster = project(&profile, 400, &what_if).unwrap();
    let saved = 1.0 - faster.estimate.ns / plain.estimate.ns;
    let top = profile.primitive_stats()[0].share;
    assert!((0.7 * top..1.1 * top).contains(&saved), "{saved} of {top}");
}

#[test]
fn no_projection_exceeds_the_cap_it_states() {
    let mut profile = sample_profile();
    let slowest = profile.tasks.iter().map(|task| task.self_ns).max().unwrap();
    for limit in [None, Some(slowest)] {
        profile.sampling.most_per_task_ns = limit;
        for n_tasks in [10, 40, 400, 100_000] {
            let found = project(&profile, n_tasks, &WhatIf::default()).unwrap();
            assert!(
                found.estimate.high_ns <= found.cap_ns,
                "{limit:?} {n_tasks}"
            );
            assert!(found.estimate.ns <= found.estimate.high_ns);
        }
    }
    let of_tasks = 400.0 * slowest as f64;
    let found = project(&profile, 400, &WhatIf::default()).unwrap();
    assert!(found.cap_ns < 1.6 * of_tasks + 1e7, "{}", found.cap_ns);
}

#[test]
fn phases_and_one_time_costs_add_up_to_the_estimate() {
    let found = project(&sample_profile(), 1000, &WhatIf::default()).unwrap();
    let phases: f64 = found.phases.iter().map(|row| row.estimate.ns).sum();
    let total = phases + found.once_ns;
    assert!((total / found.estimate.ns - 1.0).abs() < 1e-9, "{total}");
    assert!(found.estimate.low_ns < found.estimate.ns);
    assert!(found.estimate.ns < found.estimate.high_ns);
}

#[test]
fn a_stall_is_not_multiplied_but_widens_the_interval() {
    let calm = sample_profile();
    let mut stalled = sample_profile();
    let validate = stalled.phases.last_mut().unwrap();
    assert_eq!(validate.phase, Phase::Validate);
    validate.self_ns += 10_000_000;
    let [calm, stalled] =
        [calm, stalled].map(|p| project(&p, 400, &WhatIf::default()).unwrap().estimate);
    assert!((stalled.ns - calm.ns - 1e7).abs() < 1.0);
    assert!(stalled.high_ns > calm.high_ns + 9e7);
}

#[test]
fn every_scale_is_possible() {
    let profile = sample_profile();
    let at = |n| {
        project(&profile, n, &WhatIf::default())
            .unwrap()
            .estimate
            .ns
    };
    let times = [0, 1, 39, 41, 399, 1_000, 100_000, 10_000_000].map(at);
    assert!(times.is_sorted(), "{times:?}");
    // At the size of the data set, the times of the tasks that ran are known, not estimated.
    assert!((at(400) / at(399) - 1.0).abs() < 0.05);
}

#[test]
fn too_little_is_said_to_be() {
    let mut profile = sample_profile();
    profile.tasks.iter_mut().for_each(|t| {
        t.self_ns = 0;
        t.phases.clear();
    });
    let none = WhatIf::default();
    assert_eq!(project(&profile, 9, &none), Err(ProjectError::NoTime));
    profile.tasks.truncate(4);
    assert_eq!(
        project(&profile, 9, &none),
        Err(ProjectError::TooFewTasks(4))
    );
}
