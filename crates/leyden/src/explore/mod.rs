//! The calls behind the page of `leyden explore`: functions from plain values to JSON.
//!
//! `table.rs` lists them. `leyden_explore` serves them and knows nothing of tasks and programs.

mod batteries;
mod catalogue;
mod differences;
mod eval;
mod export;
mod files;
mod graph;
mod judge;
mod library;
mod lineage;
mod link_token;
mod paging;
mod profiles;
mod reading;
pub(crate) mod reference;
mod repair;
mod run_files;
mod run_lines;
mod run_state;
mod run_wish;
mod runs;
mod saving;
mod sets;
mod shelf;
mod submissions;
mod table;
mod tokens;
mod variants;
mod words;

use std::path::PathBuf;
use std::sync::OnceLock;

use leyden_dsl::meter::{CancelToken, DEFAULT_FUEL};
use leyden_dsl::table::Dialect;
use leyden_explore::{Call, Refusal, Reply};
use leyden_lang::Language;
use leyden_search::judge::Judge;
use serde_json::json;

use crate::args::ExploreArgs;
use crate::failure::Failure;
use crate::judging::own_judge;

use catalogue::CatalogueCache;
use files::Files;
use graph::Graph;
use runs::Runs;
use sets::Set;
use shelf::Shelf;

pub(crate) use link_token::kept_token;
pub(crate) use table::ENDPOINTS;

/// The fuel of an editor's first look: some 8 ms.
const FIRST_PASS_FUEL: u64 = 250_000;

/// Everything that the page looks at.
pub(crate) struct App {
    sets: Vec<Set>,
    shelf: Shelf,
    store: PathBuf,
    catalogue: CatalogueCache,
    files: Files,
    /// All programs of the shelf as one battery, once a call has asked for it.
    shelf_graph: OnceLock<Graph>,
    language: Language,
    judge: Judge,
    runs: Runs,
}

impl App {
    /// Reads all tasks and programs.
    pub(crate) fn load(args: &ExploreArgs, cancel: &CancelToken) -> Result<App, Failure> {
        let files = Files::open(&args.files)?;
        let (sets, sources) = sets::load(args, cancel)?;
        Ok(App {
            sets,
            shelf: Shelf::read(&sources, &args.language)?,
            store: args.store.clone(),
            catalogue: CatalogueCache::default(),
            files,
            shelf_graph: OnceLock::new(),
            language: args.language.clone(),
            judge: own_judge()?,
            runs: Runs::beside(&args.store),
        })
    }

    /// The data set with an id.
    fn set(&self, id: &str) -> Result<&Set, Refusal> {
        let found = self.sets.iter().find(|set| set.id() == id);
        found.ok_or_else(|| Refusal::missing(format!("no data set {id} is open")))
    }

    fn about(&self, _: &Call) -> Result<Reply, Refusal> {
        let dialects: Vec<&str> = Dialect::NAMED.iter().map(|it| it.name()).collect();
        Ok(Reply::Json(json!({
            "version": env!("CARGO_PKG_VERSION"),
            "sets": self.sets.iter().map(Set::to_json).collect::<Vec<_>>(),
            "solvers": self.shelf.files_in_json(),
            "store": self.store.is_file().then(|| self.store.display().to_string()),
            "dialects": dialects,
            "fuel": { "default": DEFAULT_FUEL, "first_pass": FIRST_PASS_FUEL },
            "can_run": true,
            "files": self.files.to_json(),
        })))
    }
}

/// A failure of a command, as the reply to a call.
fn refusal(failure: Failure) -> Refusal {
    let (message, code) = failure.in_words();
    let message = anstream::adapter::strip_str(&message).to_string();
    let message = message.trim().trim_start_matches("error: ").to_owned();
    Refusal::new(if code == 2 { 400 } else { 500 }, message)
}
