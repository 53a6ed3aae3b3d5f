//! The `leyden` command: loads tasks and programs, runs them, and reports the results.

mod args;
mod clock;
mod commands;
mod devices;
#[cfg(feature = "explore")]
mod explore;
mod failure;
pub mod host;
mod in_order;
mod judging;
mod output;
mod parts;
mod pipeline;
mod profiling;
mod programs;
mod progress;
mod report;
mod search;
mod stop;

use std::ffi::OsString;

use args::Command;
use failure::Failure;
use leyden_dsl::meter::CancelToken;

/// Runs the command line `args`, whose first is the name of the program, as the owner of the
/// process, so that signals stop it. Gives the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    let started = clock::Wall::start();
    failure::keep_shortages_quiet();
    let ended = failure::or_shortage(|| {
        stop::on_signal().and_then(|cancel| dispatch(args::parse(args)?, cancel, started))
    });
    ended.map_or_else(Failure::report, |()| 0)
}

/// The end of a command that a host ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The exit code that the process would have.
    pub code: u8,
    /// The text that it would print on standard error.
    pub message: String,
}

/// Runs a command for a host that wants only its files. The command prints nothing, leaves signals
/// alone, and stops when `cancel` is cancelled.
pub fn command(args: impl IntoIterator<Item = OsString>, cancel: CancelToken) -> Ended {
    output::be_silent();
    let ended = failure::or_shortage(|| {
        args::parse(args).and_then(|command| dispatch(command, cancel, clock::Wall::start()))
    });
    let (message, code) = ended.map_or_else(Failure::in_words, |()| (String::new(), 0));
    Ended {
        code,
        message: anstream::adapter::strip_str(&message).to_string(),
    }
}

fn dispatch(command: Command, cancel: CancelToken, started: clock::Wall) -> Result<(), Failure> {
    match command {
        Command::Run(args) => commands::run::run(args, cancel, started),
        Command::Batt(args) => commands::batt::run(args, cancel, started),
        Command::Card(args) => commands::card::run(args, &cancel),
        Command::Merge(args) => commands::merge::run(&args),
        Command::Eval(args) => commands::eval::run(args, cancel),
        Command::Judge(args) => commands::judge::run(args, cancel),
        Command::Library(args) => commands::library::run(args),
        Command::Evolve(args) => commands::evolve::run(args, &cancel, started),
        Command::Solve(args) => commands::solve::run(args, &cancel, started),
        Command::Ranks(args) => commands::ranks::run(args),
        Command::Score(args) => commands::score::run(args),
        Command::SubmitCheck(args) => commands::submit_check::run(args),
        #[cfg(feature = "explore")]
        Command::Explore(args) => commands::explore::run(args, &cancel),
        Command::Profile(command) => commands::profile::run(command, cancel, started),
        Command::Trace(args) => commands::trace::run(args, cancel),
        Command::Augment(args) => commands::augment::run(args),
        Command::Generate(args) => commands::generate::run(args, &cancel),
        Command::Get { json } => commands::get::run(json.as_ref(), &cancel),
        Command::Gpu(command) => commands::gpu::run(&command, &cancel),
        Command::Show(args) => commands::show::run(args),
        Command::Primitives(args) => commands::primitives::run(args),
        Command::Import(args) => commands::import::run(args),
        Command::Options(args) => commands::options::run(&args),
        Command::Completions(shell) => commands::completions::run(shell),
    }
}
