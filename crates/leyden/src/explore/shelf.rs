//! The programs of the files that the user named, by hash and by task.

use std::collections::BTreeMap;

use leyden_lang::{Language, Program, print_python_alone};
use leyden_store::library::ProgramHash;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::programs::{Library, Source};

/// A program, and where it comes from.
pub(super) struct Shown {
    pub(super) program: Program,
    pub(super) hash: ProgramHash,
    /// The file or command.
    pub(super) origin: String,
}

impl Shown {
    pub(super) fn new(program: Program, origin: &str) -> Shown {
        Shown {
            hash: ProgramHash::of(&program),
            origin: origin.to_owned(),
            program,
        }
    }

    /// The program as the page lists it.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "hash": self.hash,
            "name": self.program.name,
            "dialect": self.program.dialect.name(),
            "origin": self.origin,
            "lines": self.program.lines.len(),
            "task": self.program.task_id(),
            "text": print_python_alone(&self.program),
        })
    }
}

/// The programs of all files.
pub(super) struct Shelf {
    files: Vec<(String, usize)>,
    pub(super) programs: Vec<Shown>,
    by_task: BTreeMap<String, Vec<usize>>,
}

impl Shelf {
    pub(super) fn read(sources: &[Source], language: &Language) -> Result<Shelf, Failure> {
        let library = Library::read(sources, language, 1)?;
        let names: Vec<&str> = library.files.iter().map(|file| short(&file.name)).collect();
        let mut files: Vec<(String, usize)> =
            names.iter().map(|name| ((*name).to_owned(), 0)).collect();
        let mut shelf = Shelf {
            files: Vec::new(),
            programs: Vec::new(),
            by_task: BTreeMap::new(),
        };
        for known in &library.programs {
            files[known.file].1 += 1;
            shelf.add(Shown::new(known.program.clone(), names[known.file]));
        }
        shelf.files = files;
        Ok(shelf)
    }

    fn add(&mut self, shown: Shown) {
        if let Some(task) = shown.program.task_id() {
            let of_task = self.by_task.entry(task.to_owned()).or_default();
            of_task.push(self.programs.len());
        }
        self.programs.push(shown);
    }

    /// The programs that are meant for a task.
    pub(super) fn of_task(&self, task: &str) -> impl Iterator<Item = &Shown> {
        let places = self.by_task.get(task).map_or(&[][..], Vec::as_slice);
        places.iter().map(|k| &self.programs[*k])
    }

    /// The program with a hash.
    pub(super) fn with_hash(&self, hash: ProgramHash) -> Option<&Shown> {
        self.programs.iter().find(|shown| shown.hash == hash)
    }

    pub(super) fn files_in_json(&self) -> Vec<Value> {
        let file = |(k, (name, n)): (usize, &(String, usize))| json!({ "id": format!("f{k}"), "name": name, "programs": n });
        self.files.iter().enumerate().map(file).collect()
    }
}

/// A file's name without its directories, which the page need not know.
pub(super) fn short(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}
