//! `leyden card`: sample, mutate, merge.

use std::collections::HashMap;

use leyden_dsl::meter::CancelToken;
use leyden_grid::Task;
use leyden_lang::{BatteryFile, BatteryHeader, Program, print_battery, print_battery_python};
use leyden_search::colours::Colours;
use leyden_search::{Card, Deck};
use leyden_store::load;

use crate::args::CardArgs;
use crate::clock::Wall;
use crate::commands::run::{Material, material, unknown_task};
use crate::failure::Failure;
use crate::output::{Target, print, remark};
use crate::programs::Library;
use crate::report::card::{self, Summary};

pub(crate) fn run(args: CardArgs, cancel: &CancelToken) -> Result<(), Failure> {
    let material = material(args.data.clone(), &args.solvers, cancel)?;
    let library = Library::read(&material.sources, args.dialect, 1)?;
    let colours = match args.freeze {
        true => HashMap::new(),
        false => colours(&material)?,
    };
    let deck = deck(library, &args, &colours)?;
    let card = Card {
        count: args.count.unwrap_or(deck.len()),
        seed: args.seed,
        freeze: args.freeze,
        rates: args.rates.clone(),
        rules: args.rules,
    };
    let (battery, report) = card.deal(&deck, &Wall::start());
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

/// The colours of each task's demonstration pairs.
fn colours(material: &Material) -> Result<HashMap<String, Colours>, Failure> {
    let tasks = load(&material.data, None, &material.cache)?.tasks;
    let of_task = |task: &Task| (task.id.to_string(), Colours::of(&task.puzzle()));
    Ok(tasks.iter().map(of_task).collect())
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

/// Everything is put into words before anything is written.
fn write(summary: &Summary<'_>, args: &CardArgs) -> Result<(), Failure> {
    let python = args
        .python
        .as_ref()
        .map(|_| print_battery_python(&summary.file.battery));
    let python = python
        .transpose()
        .map_err(|error| Failure::BadInput(error.into()))?;
    let json = args
        .json
        .as_ref()
        .map(|_| card::json(summary))
        .transpose()?;
    let battery = args.file.as_ref().map(|_| print_battery(summary.file));
    let texts = [
        (&args.file, battery),
        (&args.python, python),
        (&args.json, json),
    ];
    let mut is_stdout_taken = false;
    for (target, text) in texts {
        if let (Some(target), Some(text)) = (target, text) {
            target.write(&text)?;
            is_stdout_taken |= *target == Target::Stdout;
        }
    }
    let text = card::text(summary);
    match is_stdout_taken {
        true => {
            remark(&text);
            Ok(())
        }
        false => print(&text),
    }
}
