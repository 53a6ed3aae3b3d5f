//! Programs on the tasks they are meant for, as `leyden run` runs them.

use std::path::Path;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_exec::record::{self, Recorder, Work as Layered};
use leyden_exec::{Answered, Engine, Queue, parallel_map};
use leyden_lang::Battery;
use leyden_profile::model::{Accuracy, DataSet, Kind, ProgramSet};
use xxhash_rust::xxh3::xxh3_128;

use super::device::{self, Question, Stage, of_programs};
use super::measure::{
    Measured, SampleOutcome, TaskOutcome, Walls, Work, choose, in_any_order, on_threads, picture,
    repeated, without_order,
};
use super::units::{Unit, sharers};
use crate::args::Backend;
use crate::clock::timed;
use crate::commands::run::assign;
use crate::failure::Failure;
use crate::pipeline::load::LoadedTasks;
use crate::pipeline::sample::samples;
use crate::programs::Library;
use crate::progress::Progress;
use crate::report::numbers::counted;
use crate::results::{self, Attempt, Group, Job, TaskResult};

pub(super) fn measure(
    work: &Work,
    loaded: LoadedTasks,
    mut walls: Walls,
    kind: Kind,
    cancel: CancelToken,
) -> Result<Measured, Failure> {
    let n_threads = work.engine.n_threads;
    let (library, load_programs) =
        timed(|| Library::read(&loaded.sources, work.dialect, n_threads));
    let library = library?;
    let jobs = assign(&loaded.tasks, &library);
    let hints: Vec<f64> = jobs.iter().map(size_hint).collect();
    let (places, sampling) = choose(work.draw, &hints);
    let jobs: Vec<&Job<'_>> = places.iter().map(|k| &jobs[*k]).collect();
    walls.load_programs = load_programs;

    let sharing = work.engine.sharing;
    let (groups, generate) = timed(|| {
        parallel_map(n_threads, &jobs, |job| {
            timed(|| results::generate(job, sharing))
        })
    });
    walls.generate = generate;
    walls.merge = merging(&groups, generate);
    let engine = work.engine.engine(cancel);
    let stage = on_devices(&jobs, work, engine.fuel)?;
    stage.leave_out(&mut walls);
    let items = with_units(&groups, &stage.answered);
    let pass_of = |engine: &Engine, is_recorded: bool, progress: Option<&Progress>| {
        on_threads(n_threads, &items, is_recorded, |queue, recorder| {
            execute(engine, queue, recorder, progress)
        })
    };
    let pass = |is_recorded| pass_of(&engine, is_recorded, None);
    let mut first = {
        let progress = Progress::of_long_items("profiling", items.len());
        pass_of(&engine, true, Some(&progress))
    };
    let attempts = std::mem::take(&mut first.results);
    walls.set_execute(&first);
    if engine.cancel.is_cancelled() {
        return Err(Failure::Stopped("nothing was written".to_owned()));
    }
    let both: Vec<(&&Job<'_>, &Vec<Attempt<'_>>)> = jobs.iter().zip(&attempts).collect();
    let (results, validate) = timed(|| {
        parallel_map(n_threads, &both, |(job, attempts)| {
            timed(|| results::validate(job.task, attempts))
        })
    });
    walls.validate = validate;
    walls.whole = loaded.started.elapsed().saturating_sub(walls.prepare);

    let (cost, shown) = repeated(kind, first, pass);
    let without_order = without_order(engine.mode, (cost, &shown), || {
        pass_of(&in_any_order(&engine), false, None)
    });
    walls.set_shown(&shown);
    let tasks = jobs.iter().zip(&groups).zip(&results);
    let tasks = tasks.map(|((job, (_, generate)), (result, validate))| {
        outcome(job, result, *generate, *validate)
    });
    let all_groups = || groups.iter().flat_map(|(groups, _)| groups);
    let numbered = groups.iter().enumerate();
    let numbered = numbered.flat_map(|(k, (groups, _))| groups.iter().map(move |group| (k, group)));
    let unit = |(task, group): (usize, &Group<'_>)| {
        Unit::of_known(&group.runner, &group.programs, &library, task)
    };
    Ok(Measured {
        walls,
        frames: shown.recording.frames(),
        recording: shown.recording,
        cost,
        without_order,
        tasks: tasks.collect(),
        units: numbered.map(unit).collect(),
        sharers: all_groups()
            .map(|group| group.runner.battery().map(sharers).unwrap_or_default())
            .collect(),
        accuracy: accuracy(results.iter().map(|(result, _)| result)),
        programs: program_set(&library),
        data: DataSet {
            name: loaded.name,
            hash: loaded.hash,
            n_tasks: loaded.n_all as u64,
        },
        sampling,
        seed: work.seed(),
        n_threads,
        notes: Vec::new(),
        device: stage.used,
    })
}

/// How much of the time all tasks' groups took to make was merging.
fn merging(groups: &[(Vec<Group<'_>>, Duration)], generate: Duration) -> Duration {
    let whole: Duration = groups.iter().map(|(_, time)| *time).sum();
    let merging = groups.iter().flat_map(|(groups, _)| groups);
    let merging: Duration = merging.map(|group| group.runner.merging()).sum();
    generate.mul_f64(merging.as_secs_f64() / whole.as_secs_f64().max(1e-9))
}

fn on_devices(jobs: &[&Job<'_>], work: &Work, fuel: u64) -> Result<Stage, Failure> {
    if work.backend.backend == Backend::Cpu {
        return Ok(Stage::default());
    }
    let programs = jobs.iter().flat_map(|job| job.programs());
    let battery = Battery::from_programs(programs, work.engine.sharing.rules);
    device::ask(&question(jobs, &battery), &work.backend, fuel)
}

/// All programs, each on the tasks that it is meant for.
fn question<'q>(jobs: &[&Job<'q>], battery: &'q Battery) -> Question<'q> {
    let mut next = 0;
    let place = |job: &&Job<'q>| {
        let first = next;
        next += job.programs.len();
        first..next
    };
    Question {
        battery,
        places: jobs.iter().map(place).collect(),
        tasks: jobs.iter().map(|job| job.task).collect(),
    }
}

/// A task's groups, the number of the first one's unit, and what devices said for each sample.
struct Item<'g, 'a> {
    first_unit: usize,
    groups: &'g [Group<'a>],
    answered: &'g [Answered],
}

fn with_units<'g, 'a>(
    groups: &'g [(Vec<Group<'a>>, Duration)],
    answered: &'g [Vec<Answered>],
) -> Vec<Item<'g, 'a>> {
    let mut n_before = 0;
    let item = |(k, (groups, _)): (usize, &'g (Vec<Group<'a>>, Duration))| {
        let first_unit = n_before;
        n_before += groups.len();
        Item {
            first_unit,
            groups,
            answered: answered.get(k).map_or(&[], Vec::as_slice),
        }
    };
    groups.iter().enumerate().map(item).collect()
}

/// Takes tasks until there are no more.
fn execute<'g, 'a>(
    engine: &Engine,
    queue: &Queue<'g, Item<'g, 'a>>,
    recorder: Option<&Recorder>,
    progress: Option<&Progress>,
) -> Vec<(usize, (Vec<Attempt<'a>>, Duration))> {
    let mut done = Vec::new();
    while let Some((k, item)) = queue.take() {
        if engine.cancel.is_cancelled() {
            break;
        }
        let mut next = 0;
        let run = |(g, group): (usize, &Group<'a>)| {
            record::unit((item.first_unit + g) as u32);
            let programs = next..next + group.programs.len();
            next = programs.end;
            let answered = of_programs(item.answered, programs);
            let attempt = results::execute(engine, group, answered);
            record::work(Layered::Schedule);
            attempt
        };
        let attempts = timed(|| {
            recorder.iter().for_each(|it| it.task(Some(k as u32)));
            item.groups.iter().enumerate().map(run).collect()
        });
        done.push((k, attempts));
        progress.iter().for_each(|it| it.advance(1));
    }
    recorder.iter().for_each(|it| it.task(None));
    done
}

/// Cells of all inputs times lines of all programs.
fn size_hint(job: &Job<'_>) -> f64 {
    let cells: usize = samples(job.task)
        .map(|sample| sample.input.cells().len())
        .sum();
    let lines: usize = job
        .programs
        .iter()
        .map(|known| known.program.lines.len())
        .sum();
    cells as f64 * lines as f64
}

fn outcome(
    job: &Job<'_>,
    result: &TaskResult<'_>,
    generate: Duration,
    validate: Duration,
) -> TaskOutcome {
    let n_programs = job.programs.len() as u64;
    let faults_on = |name| {
        let judged = result.programs.iter();
        let faults = judged.flat_map(|judged| judged.faults.iter().filter(|at| at.pair == name));
        faults.count() as u64
    };
    let samples: Vec<SampleOutcome> = samples(job.task)
        .map(|sample| SampleOutcome {
            is_test: !sample.is_demo,
            cells: sample.input.cells().len() as u64,
            runs: n_programs,
            faults: faults_on(sample.name),
        })
        .collect();
    TaskOutcome {
        id: job.task.id.as_str().to_owned(),
        runs: n_programs * samples.len() as u64,
        right: (n_programs > 0).then(|| result.is_solved()),
        samples,
        picture: picture(job.task),
        size_hint: size_hint(job),
        generate,
        validate,
    }
}

fn accuracy<'r, 'a: 'r>(
    results: impl Iterator<Item = &'r TaskResult<'a>> + Clone,
) -> Vec<Accuracy> {
    let sum =
        |figure: fn(&TaskResult<'_>) -> usize| results.clone().map(figure).sum::<usize>() as u64;
    vec![
        Accuracy {
            what: "tasks".to_owned(),
            right: sum(|result| usize::from(result.is_solved())),
            of: sum(|_| 1),
        },
        Accuracy {
            what: "pairs".to_owned(),
            right: sum(|result| result.n_correct()),
            of: sum(|result| result.n_samples),
        },
    ]
}

fn program_set(library: &Library) -> ProgramSet {
    let hashes = library.programs.iter();
    let hashes: Vec<u8> = hashes
        .flat_map(|known| known.program.content_hash().to_le_bytes())
        .collect();
    let name = match library.files.as_slice() {
        [file] => Path::new(&file.name)
            .file_name()
            .map_or(file.name.clone(), |name| {
                name.to_string_lossy().into_owned()
            }),
        files => counted(files.len(), "file"),
    };
    ProgramSet {
        name,
        hash: format!("{:032x}", xxh3_128(&hashes)),
        n_programs: library.programs.len() as u64,
    }
}
