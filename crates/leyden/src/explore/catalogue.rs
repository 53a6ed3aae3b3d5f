//! All programs that the page knows, as one list: those of the user's files and those of the store.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use leyden_explore::Refusal;
use leyden_lang::Program;
use leyden_store::library::{BestScore, ProgramHash, ProgramRecord, ProgramSummary, Store};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::shelf::{Shelf, Shown, short};
use super::{App, refusal};

/// The list has at most this many programs of the store, the oldest ones.
const MOST_STORED: usize = 200_000;

/// A line of the list.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) hash: ProgramHash,
    pub(super) name: String,
    pub(super) dialect: String,
    /// The file or the command that it comes from.
    pub(super) origin: String,
    pub(super) n_lines: usize,
    /// The task in its name, otherwise that of its best score.
    pub(super) task: Option<String>,
    pub(super) best: Option<BestScore>,
    pub(super) parent: Option<ProgramHash>,
    pub(super) mutation: String,
    pub(super) is_stored: bool,
}

/// The list, and the ways through it.
#[derive(Default)]
pub(super) struct Catalogue {
    pub(super) rows: Vec<Row>,
    by_hash: FxHashMap<u128, usize>,
    children: FxHashMap<u128, Vec<usize>>,
}

/// The last list, as long as the file of the store does not change.
#[derive(Default)]
pub(super) struct CatalogueCache(Mutex<Option<(Stamp, Arc<Catalogue>)>>);

/// The state of the store's files: time and length of the store and of its log.
type Stamp = [Option<(SystemTime, u64)>; 2];

/// A program with its text, wherever it is kept.
pub(super) enum Found<'a> {
    OnShelf(&'a Shown),
    Stored(Box<ProgramRecord>),
}

impl Found<'_> {
    pub(super) fn program(&self) -> &Program {
        match self {
            Found::OnShelf(shown) => &shown.program,
            Found::Stored(record) => &record.program,
        }
    }
}

impl Row {
    fn of_shelf(shown: &Shown) -> Row {
        let program = &shown.program;
        Row {
            hash: shown.hash,
            name: program.name.clone(),
            dialect: program.dialect.name().to_owned(),
            origin: shown.origin.clone(),
            n_lines: program.lines.len(),
            task: program.task_id().map(str::to_owned),
            best: None,
            parent: None,
            mutation: String::new(),
            is_stored: false,
        }
    }

    fn of_store(summary: ProgramSummary) -> Row {
        let named = leyden_lang::task_id_in(&summary.name).map(str::to_owned);
        let scored = summary.best.as_ref().map(|best| best.task.clone());
        Row {
            task: named.or(scored),
            hash: summary.hash,
            name: summary.name,
            dialect: summary.dialect,
            origin: short(&summary.source).to_owned(),
            n_lines: summary.n_lines,
            best: summary.best,
            parent: summary.parent,
            mutation: summary.mutation,
            is_stored: true,
        }
    }

    /// Takes over the store's facts about a program that is on the shelf, too.
    fn learn(&mut self, stored: Row) {
        self.task = self.task.take().or(stored.task);
        self.best = stored.best;
        self.parent = stored.parent;
        self.mutation = stored.mutation;
        self.is_stored = true;
    }

    pub(super) fn fits(&self) -> bool {
        self.best.as_ref().is_some_and(BestScore::fits)
    }

    pub(super) fn credit(&self) -> Option<f64> {
        self.best.as_ref().map(|best| best.partial)
    }

    pub(super) fn fuel(&self) -> Option<u64> {
        self.best.as_ref().map(|best| best.fuel)
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "hash": self.hash,
            "name": self.name,
            "dialect": self.dialect,
            "origin": self.origin,
            "lines": self.n_lines,
            "task": self.task,
            "fits": self.best.as_ref().map(BestScore::fits),
            "credit": self.credit(),
            "fuel": self.fuel(),
            "parent": self.parent,
            "mutation": self.mutation,
            "is_stored": self.is_stored,
        })
    }
}

impl Catalogue {
    fn new(shelf: &Shelf, stored: Vec<ProgramSummary>) -> Catalogue {
        let mut catalogue = Catalogue::default();
        let on_shelf = shelf.programs.iter().map(Row::of_shelf);
        on_shelf.for_each(|row| catalogue.add(row));
        for row in stored.into_iter().map(Row::of_store) {
            match catalogue.by_hash.get(&row.hash.0) {
                Some(known) => catalogue.rows[*known].learn(row),
                None => catalogue.add(row),
            }
        }
        for (k, row) in catalogue.rows.iter().enumerate() {
            if let Some(parent) = row.parent {
                catalogue.children.entry(parent.0).or_default().push(k);
            }
        }
        catalogue
    }

    fn add(&mut self, row: Row) {
        self.by_hash.entry(row.hash.0).or_insert(self.rows.len());
        self.rows.push(row);
    }

    pub(super) fn row(&self, hash: ProgramHash) -> Option<&Row> {
        self.by_hash.get(&hash.0).map(|k| &self.rows[*k])
    }

    /// The programs that were made from this one, the oldest first.
    pub(super) fn children(&self, hash: ProgramHash) -> impl ExactSizeIterator<Item = &Row> {
        let places = self.children.get(&hash.0).map_or(&[][..], Vec::as_slice);
        places.iter().map(|k| &self.rows[*k])
    }
}

impl App {
    /// The list of all programs. It is made again when the store changes.
    pub(super) fn catalogue(&self) -> Result<Arc<Catalogue>, Refusal> {
        let stamp = stamp(&self.store);
        let last = self.catalogue.0.lock();
        let mut last = last.unwrap_or_else(PoisonError::into_inner);
        if let Some((_, catalogue)) = last.as_ref().filter(|(known, _)| *known == stamp) {
            return Ok(catalogue.clone());
        }
        let stored = match self.open_store()? {
            Some(store) => store.summaries(MOST_STORED).map_err(refused)?,
            None => Vec::new(),
        };
        let catalogue = Arc::new(Catalogue::new(&self.shelf, stored));
        *last = Some((stamp, catalogue.clone()));
        Ok(catalogue)
    }

    /// The store, for reading; `None` if there is none yet.
    pub(super) fn open_store(&self) -> Result<Option<Store>, Refusal> {
        if !self.store.is_file() {
            return Ok(None);
        }
        Store::open_read_only(&self.store)
            .map(Some)
            .map_err(refused)
    }

    /// The program with a hash. Programs of files need no store.
    pub(super) fn found(&self, hash: ProgramHash) -> Result<Found<'_>, Refusal> {
        match self.shelf.with_hash(hash) {
            Some(shown) => Ok(Found::OnShelf(shown)),
            None => stored(self.open_store()?.as_ref(), hash),
        }
    }

    /// As `found`, with a store that is open already.
    pub(super) fn found_beside(
        &self,
        store: Option<&Store>,
        hash: ProgramHash,
    ) -> Result<Found<'_>, Refusal> {
        let shown = self.shelf.with_hash(hash).map(Found::OnShelf);
        shown.map_or_else(|| stored(store, hash), Ok)
    }
}

fn stored<'a>(store: Option<&Store>, hash: ProgramHash) -> Result<Found<'a>, Refusal> {
    let record = store.map(|store| store.program(hash)).transpose();
    let record = record.map_err(refused)?.flatten();
    let missing = || Refusal::missing(format!("no open file and no store has {hash}"));
    record.map(Box::new).map(Found::Stored).ok_or_else(missing)
}

/// The answer to a call that the store refuses.
pub(super) fn refused(error: leyden_store::library::LibraryError) -> Refusal {
    refusal(error.into())
}

fn stamp(store: &Path) -> Stamp {
    let mut log = store.as_os_str().to_owned();
    log.push("-wal");
    let of = |path: &Path| {
        let found = fs::metadata(path).ok()?;
        Some((found.modified().ok()?, found.len()))
    };
    [of(store), of(&PathBuf::from(log))]
}
