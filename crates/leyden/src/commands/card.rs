//! `leyden card`: sample, mutate, merge.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use leyden_dsl::meter::CancelToken;
use leyden_grid::{Task, TaskId};
use leyden_lang::{
    Battery, BatteryFile, BatteryHeader, Out, Program, print_battery, print_battery_python,
    print_battery_tokpidjin,
};
use leyden_search::colours::Colours;
use leyden_search::{Card, Deck};
use leyden_store::library::{ProgramHash, Store};

use crate::args::{CardArgs, CardFormat, Wanted};
use crate::clock::Wall;
use crate::commands::library::standings;
use crate::failure::Failure;
use crate::output::{Target, say};
use crate::pipeline::load::{load_local, material, unknown_task};
use crate::programs::shelf::place;
use crate::programs::{Library, is_of_files};
use crate::progress::Progress;
use crate::report::card::{self, Summary};

pub(crate) fn run(args: CardArgs, cancel: &CancelToken) -> Result<(), Failure> {
    let deck = match &args.library {
        Some(shelf) => {
            let path = place(shelf)?.ok_or_else(|| {
                Failure::bad_input("--library none leaves no programs to draw from")
            })?;
            if is_of_files(&path) {
                deck_of_files(&args, std::slice::from_ref(&path), cancel)?
            } else {
                deck_of_store(&path, &args)?
            }
        }
        None => deck_of_files(&args, &args.solvers, cancel)?,
    };
    let card = Card {
        count: args.count.unwrap_or(deck.len()),
        seed: args.seed,
        freeze: args.freeze,
        rates: args.rates.clone(),
        rules: args.rules,
    };
    let progress = Progress::new("making programs", card.count);
    let watch = |n_made: usize| {
        let n_before = usize::try_from(progress.n_done()).unwrap_or(n_made);
        progress.advance(n_made.saturating_sub(n_before));
    };
    let (battery, report) = card.deal_watched(&deck, &Wall::start(), watch);
    drop(progress);
    let header = BatteryHeader {
        seed: Some(args.seed),
        library: Some(deck.content_hash()),
        engine: Some(env!("CARGO_PKG_VERSION").to_owned()),
    };
    let file = BatteryFile { header, battery };
    let summary = Summary {
        card: &card,
        deck: &deck,
        file: &file,
        report: &report,
    };
    write(&summary, &args)
}

fn deck_of_files(
    args: &CardArgs,
    solvers: &[PathBuf],
    cancel: &CancelToken,
) -> Result<Deck, Failure> {
    let material = material(args.data.clone(), solvers, cancel)?;
    let library = Library::read(&material.sources, &args.language, 1)?;
    let colours = if args.freeze {
        HashMap::new()
    } else {
        colours(material.load(None)?.tasks)
    };
    deck(library, args, &colours)
}

/// The programs of a store as a deck that draws by score.
fn deck_of_store(path: &Path, args: &CardArgs) -> Result<Deck, Failure> {
    let store = Store::open_read_only(path)?;
    let of_tasks = |tasks: Vec<TaskId>| {
        let wanted = Wanted {
            tasks,
            ..Wanted::default()
        };
        standings(&store, &wanted)
    };
    for task in &args.only {
        if of_tasks(vec![task.clone()])?.is_empty() {
            let path = path.display();
            return Err(Failure::bad_input(format!(
                "{path}: no program has a score on {task}"
            )));
        }
    }
    let standings = of_tasks(args.only.clone())?;
    if standings.is_empty() {
        return Err(Failure::bad_input(format!(
            "{}: the store has no programs; `leyden library import FILE` adds some",
            path.display()
        )));
    }
    let colours = match &args.data {
        Some(spec) if !args.freeze => colours(load_local(spec, None)?.tasks),
        _ => HashMap::new(),
    };
    let hashes: Vec<ProgramHash> = standings.iter().map(|standing| standing.hash).collect();
    let programs = store.programs(&hashes)?.into_iter().zip(&standings);
    Ok(Deck::by_weight(programs.map(|(program, standing)| {
        let colours = program.task_id().and_then(|id| colours.get(id)).cloned();
        (program, colours, standing.weight())
    })))
}

/// The colours of each task's demonstration pairs.
fn colours(tasks: Vec<Task>) -> HashMap<String, Colours> {
    let of_task = |task: &Task| (task.id.to_string(), Colours::of(&task.puzzle()));
    tasks.iter().map(of_task).collect()
}

fn deck(
    library: Library,
    args: &CardArgs,
    colours: &HashMap<String, Colours>,
) -> Result<Deck, Failure> {
    let mut programs: Vec<Program> = library
        .programs
        .into_iter()
        .map(|known| known.program)
        .collect();
    for id in &args.only {
        if !programs
            .iter()
            .any(|program| program.task_id() == Some(id.as_str()))
        {
            return Err(unknown_task(
                id.as_str(),
                std::iter::empty(),
                "the names of the programs",
            ));
        }
    }
    if !args.only.is_empty() {
        programs.retain(|program| {
            args.only
                .iter()
                .any(|id| program.task_id() == Some(id.as_str()))
        });
    }
    Ok(Deck::new(programs.into_iter().map(|program| {
        let colours = program.task_id().and_then(|id| colours.get(id)).cloned();
        (program, colours)
    })))
}

/// Renders everything before it writes anything.
fn write(summary: &Summary<'_>, args: &CardArgs) -> Result<(), Failure> {
    let mut outputs: Vec<Output> = Vec::new();
    for (target, format) in &args.outs {
        let battery = &summary.file.battery;
        let is_tokpidjins = is_all_tokpidjins(battery);
        outputs.extend(match format {
            CardFormat::Batt => vec![Output {
                what: "the battery",
                target: target.clone(),
                text: print_battery(summary.file),
            }],
            CardFormat::Tokpidjin => tokpidjin(battery, target)?,
            CardFormat::Python if is_tokpidjins => tokpidjin(battery, target)?,
            CardFormat::Python | CardFormat::ArcDsl => vec![arc_dsl(battery, target)?],
        });
    }
    if let Some(target) = &args.json {
        outputs.push(Output {
            what: "the report",
            target: target.clone(),
            text: card::json(summary)?,
        });
    }
    let mut text = card::text(summary);
    let mut is_stdout_taken = false;
    for Output {
        what,
        target,
        text: content,
    } in &outputs
    {
        target.write(content)?;
        is_stdout_taken |= *target == Target::Stdout;
        text += &format!("\nwrote {what} to {target}");
    }
    if !outputs.is_empty() {
        text.push('\n');
    }
    say(&text, is_stdout_taken)
}

/// A text and the place where it goes.
struct Output {
    what: &'static str,
    target: Target,
    text: String,
}

/// Are all programs of tokpidjin's dialect?
fn is_all_tokpidjins(battery: &Battery) -> bool {
    let is_foreign = |out: &Out| !out.dialect.is_classic();
    !battery.outs.is_empty() && battery.outs.iter().all(is_foreign)
}

fn arc_dsl(battery: &Battery, target: &Target) -> Result<Output, Failure> {
    let text = print_battery_python(battery).map_err(|error| Failure::BadInput(error.into()))?;
    Ok(Output {
        what: "the Python module",
        target: target.clone(),
        text,
    })
}

fn tokpidjin(battery: &Battery, target: &Target) -> Result<Vec<Output>, Failure> {
    let modules = print_battery_tokpidjin(battery);
    let modules = modules.map_err(|error| Failure::BadInput(error.into()))?;
    let batt = Output {
        what: "tokpidjin's batt",
        target: target.clone(),
        text: modules.batt,
    };
    // A module needs this file beside it, so it is written first.
    let calls = calls_beside(target).map(|target| Output {
        what: "its calls",
        target,
        text: modules.calls,
    });
    Ok(calls.into_iter().chain([batt]).collect())
}

/// `OUT_call.py` for `OUT.py`; standard output has no file beside it.
fn calls_beside(target: &Target) -> Option<Target> {
    let Target::File(path) = target else {
        return None;
    };
    let mut name = path.file_stem()?.to_owned();
    name.push("_call.py");
    Some(Target::File(path.with_file_name(name)))
}
