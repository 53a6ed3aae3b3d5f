//! The `leyden` command: loads tasks and programs, runs them, and says what came of it.

mod args;
mod battery_run;
mod clock;
mod commands;
mod failure;
mod output;
mod profiling;
mod programs;
mod progress;
mod report;
mod results;
mod runner;
mod scoring;
mod stop;

use std::process::ExitCode;

use args::Command;
use failure::Failure;

fn main() -> ExitCode {
    let started = clock::Wall::start();
    match args::parse().and_then(|command| dispatch(command, started)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn dispatch(command: Command, started: clock::Wall) -> Result<(), Failure> {
    let cancel = stop::on_interrupt()?;
    match command {
        Command::Run(args) => commands::run::run(args, cancel, started),
        Command::Batt(args) => commands::batt::run(args, cancel, started),
        Command::Card(args) => commands::card::run(args, &cancel),
        Command::Eval(args) => commands::eval::run(args, cancel),
        Command::Library(args) => commands::library::run(args),
        Command::Evolve(args) => commands::evolve::run(args, &cancel, started),
        Command::Solve(args) => commands::solve::run(args, &cancel, started),
        Command::Score(args) => commands::score::run(args),
        Command::SubmitCheck(args) => commands::submit_check::run(args),
        Command::Profile(command) => commands::profile::run(command, cancel, started),
        Command::Trace(args) => commands::trace::run(args, cancel),
        Command::Get => commands::get::run(&cancel),
        Command::Show(args) => commands::show::run(args),
        Command::Primitives(args) => commands::primitives::run(args),
        Command::Import(args) => commands::import::run(args),
        Command::Completions(shell) => commands::completions::run(shell),
    }
}
