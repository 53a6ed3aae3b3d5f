//! The list of workloads.

use std::any::Any;
use std::hint::black_box;
use std::path::Path;

use leyden_exec::{BatteryPlan, Engine, Mode, Outcome, Ready, Sample, Seen};
use leyden_grid::Task;
use leyden_lang::{Battery, Merger, Program, Rules, parse};
use leyden_search::NoClock;
use leyden_store::{Subset, demo, parse_tasks};

use crate::material::{Material, Public, card, inputs};

/// One run of a workload, ready to be measured. The result is dropped afterwards.
pub(crate) type Round<'m> = Box<dyn FnOnce() -> Box<dyn Any> + 'm>;

/// Something to measure.
pub(crate) struct Workload<'m> {
    pub(crate) name: String,
    /// Prepares a run; this time does not count.
    pub(crate) prepare: Box<dyn Fn() -> Round<'m> + 'm>,
}

/// The numbers of programs of batteries.
pub(crate) const SIZES: [usize; 6] = [10, 32, 100, 400, 800, 8_000];
/// A battery of many programs runs on one in this many tasks.
const SAMPLED: usize = 10;
/// The larger step for 400 programs and 400 tasks: programs on other tasks can use all their fuel.
const RARELY_SAMPLED: usize = 100;

/// The workloads on the built-in set.
pub(crate) fn built_in(material: &Material) -> Vec<Workload<'_>> {
    let mut all = vec![
        workload("load", || (), |()| demo::tasks()),
        parsing("parse", material),
    ];
    all.extend(SIZES.map(|count| dealing(material, count)));
    all.extend(SIZES.map(|count| merging(material, count)));
    all.extend(SIZES.map(|count| compiling(material, count)));
    all.push(replacing(material));
    all.push(battery_run("run/battery", material, 1, || {
        Battery::from_programs(&material.programs, Rules::ALL)
    }));
    all.push(battery_run("run/mutants-400", material, SAMPLED, || {
        material.battery(400)
    }));
    all.push(mutants_alone(material));
    all.push(alone("run/alone", material, Mode::Fast));
    all.push(alone("run/alone-exact", material, Mode::Exact));
    all
}

/// The workloads on fetched material.
pub(crate) fn public(fetched: &Public) -> Vec<Workload<'_>> {
    let material = &fetched.material;
    let load = || {
        let tasks = parse_tasks(Path::new("arc1"), &fetched.json, Some(Subset::Training));
        tasks.map_err(|error| error.to_string())
    };
    let merge = || Battery::from_programs(&material.programs, Rules::ALL);
    vec![
        workload("public/load", || (), move |()| load()),
        parsing("public/parse", material),
        workload("public/merge", || (), move |()| merge()),
        workload("public/compile", merge, BatteryPlan::new),
        battery_run("public/run/battery", material, RARELY_SAMPLED, merge),
        alone("public/run/alone", material, Mode::Fast),
    ]
}

/// Makes a workload of a body and a function that makes its argument, once for every round.
fn workload<'m, T: 'm, R: 'static>(
    name: impl Into<String>,
    argument: impl Fn() -> T + 'm,
    body: impl Fn(T) -> R + Copy + 'm,
) -> Workload<'m> {
    let prepare = move || -> Round<'m> {
        let argument = argument();
        Box::new(move || Box::new(body(black_box(argument))))
    };
    Workload {
        name: name.into(),
        prepare: Box::new(prepare),
    }
}

fn parsing<'m>(name: &str, material: &'m Material) -> Workload<'m> {
    let parsed = |source: &str| parse(source, "benched.py", None).map_err(|errors| errors.len());
    workload(name, || material.source.as_str(), parsed)
}

/// Sampling, mutating and merging.
fn dealing(material: &Material, count: usize) -> Workload<'_> {
    // The first card of a process makes tables that all others use.
    let deck = move || {
        drop(material.battery(100));
        material.deck()
    };
    workload(format!("card/{count}"), deck, move |deck| {
        (card(count).deal(&deck, &NoClock), deck)
    })
}

fn merging(material: &Material, count: usize) -> Workload<'_> {
    let mutants = move || material.mutants(count);
    workload(format!("merge/{count}"), mutants, |programs| {
        (Battery::from_programs(&programs, Rules::ALL), programs)
    })
}

fn compiling(material: &Material, count: usize) -> Workload<'_> {
    let battery = move || material.battery(count);
    workload(format!("compile/{count}"), battery, BatteryPlan::new)
}

/// Replaces one of 400 programs.
fn replacing(material: &Material) -> Workload<'_> {
    let merger = || {
        let programs = material.mutants(401);
        let mut merger = Merger::new(Rules::ALL);
        programs.iter().take(400).for_each(|program| {
            merger.add(program);
        });
        (merger, programs)
    };
    workload(
        "merge/replace-1-of-400",
        merger,
        |(mut merger, programs)| {
            if let Some(program) = programs.last() {
                merger.replace(200, program);
            }
            (merger, programs)
        },
    )
}

/// Runs all programs of a battery on all inputs of all tasks, or of one in `every`.
fn battery_run<'m>(
    name: &str,
    material: &'m Material,
    every: usize,
    battery: impl Fn() -> Battery + 'm,
) -> Workload<'m> {
    let plan = move || BatteryPlan::new(battery());
    workload(name, plan, move |plan| {
        let tasks = material.tasks.iter().step_by(every);
        (n_values_of_plan(&plan, tasks), plan)
    })
}

fn n_values_of_plan<'m>(plan: &BatteryPlan, tasks: impl Iterator<Item = &'m Task>) -> usize {
    let mut n_values = 0;
    plan.with_worker(&Engine::default(), |worker| {
        for task in tasks {
            let seen = Seen {
                demos: &task.demos,
                expected: None,
            };
            worker.run(&seen, inputs(task), |_, _, outcome| {
                n_values += usize::from(is_value(&outcome));
            });
        }
    });
    n_values
}

/// Runs the programs of `run/mutants-400` on its inputs, but each alone.
fn mutants_alone(material: &Material) -> Workload<'_> {
    let mutants = || {
        let battery = material.battery(400);
        let programs = (0..battery.outs.len()).map(|k| battery.program(k));
        programs.collect::<Vec<_>>()
    };
    workload("run/mutants-400-alone", mutants, |programs| {
        let engine = Engine::default();
        let tasks = || material.tasks.iter().step_by(SAMPLED);
        let runs = programs
            .iter()
            .flat_map(|p| tasks().map(move |task| (p, task)));
        let counts = runs.map(|(program, task)| n_values_alone(&engine, program, task));
        (counts.sum::<usize>(), programs)
    })
}

/// Runs every program alone on its own task.
fn alone<'m>(name: &str, material: &'m Material, mode: Mode) -> Workload<'m> {
    let engine = move || Engine {
        mode,
        ..Engine::default()
    };
    workload(name, engine, |engine| {
        let programs = material.programs.iter();
        let own_tasks = programs.filter_map(|program| Some((program, material.task_of(program)?)));
        let counts = own_tasks.map(|(program, task)| n_values_alone(&engine, program, task));
        counts.sum::<usize>()
    })
}

fn n_values_alone(engine: &Engine, program: &Program, task: &Task) -> usize {
    let sample = |input| Sample {
        input,
        demos: &task.demos,
        expected: None,
    };
    let ready = Ready::of(program);
    let runs = inputs(task).map(|input| engine.run_again(program, &ready, &sample(input)));
    runs.filter(|ran| is_value(&ran.outcome)).count()
}

fn is_value(outcome: &Outcome) -> bool {
    outcome.fault().is_none()
}

#[cfg(test)]
mod tests {
    use leyden_exec::with_large_stack;

    use super::*;

    fn round<T: 'static>(material: &Material, name: &str) -> T {
        let all = built_in(material);
        let found = all.iter().find(|workload| workload.name == name).unwrap();
        *(found.prepare)()().downcast().unwrap()
    }

    #[test]
    fn names_are_unique_and_words() {
        let material = Material::built_in();
        let names: Vec<String> = built_in(&material).into_iter().map(|w| w.name).collect();
        let unique: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        assert!(names.iter().all(|name| !name.contains(' ')));
    }

    #[test]
    fn every_solver_gives_a_value_on_its_task_with_both_engines() {
        let material = Material::built_in();
        let n_inputs: usize = material.tasks.iter().map(|task| inputs(task).count()).sum();
        with_large_stack(|| {
            assert_eq!(round::<usize>(&material, "run/alone"), n_inputs);
            assert_eq!(round::<usize>(&material, "run/alone-exact"), n_inputs);
        });
    }

    #[test]
    fn as_many_programs_are_merged_as_the_name_says() {
        let material = Material::built_in();
        let (battery, programs): (Battery, Vec<Program>) = round(&material, "merge/32");
        assert_eq!((battery.outs.len(), programs.len()), (32, 32));
        assert!(
            programs
                .iter()
                .any(|program| !material.programs.contains(program))
        );
    }

    #[test]
    fn merged_or_alone_mutants_give_as_many_values() {
        let material = Material::built_in();
        with_large_stack(|| {
            let (merged, _): (usize, BatteryPlan) = round(&material, "run/mutants-400");
            let (alone, _): (usize, Vec<Program>) = round(&material, "run/mutants-400-alone");
            assert!(alone > 0);
            assert_eq!(merged, alone);
        });
    }
}
