//! Saves the whole state of a run as bytes, and reads it back.
//!
//! The form is a line of JSON, then the bytes of the programs tried and of the behaviours. Programs
//! have their text form; a program that occurs in several places is written once.

use std::sync::Arc;

use leyden_grid::Puzzle;
use leyden_lang::{Program, parse_text};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::field::{Field, Island};
use super::judge::Tally;
use super::member::{Birth, Elite, Mark, Member, Strain};
use super::memory::{Sketch, Tried};
use super::{Evolution, EvolveError, Settings, Totals};

/// The version of the form.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Saved {
    version: u32,
    settings: String,
    puzzles: usize,
    library: Vec<String>,
    n_surveyed: usize,
    totals: [u64; 7],
    strains: Vec<(String, Vec<u32>)>,
    members: Vec<SavedMember>,
    queue: Vec<(usize, SavedBirth)>,
    fields: Vec<SavedField>,
    tried_bytes: usize,
}

#[derive(Serialize, Deserialize)]
struct SavedBirth(Option<String>, String, u64);

#[derive(Serialize, Deserialize)]
struct SavedMember {
    strain: usize,
    birth: SavedBirth,
    marks: Vec<(bool, u32, u64)>,
    behaviour: u64,
}

#[derive(Serialize, Deserialize)]
struct SavedField {
    islands: Vec<(Vec<usize>, u32, u32)>,
    best: Vec<usize>,
    own: Vec<usize>,
    own_lines: Option<usize>,
    is_transferred: bool,
}

impl Evolution<'_> {
    /// Saves everything that is needed to continue, except for the puzzles and the library.
    pub fn checkpoint(&self) -> Vec<u8> {
        let mut book = Book::default();
        let tried = self.tried.bytes();
        let fields = self.fields.iter().map(|field| book.field(field)).collect();
        let queue = self.queue.iter();
        let queue = queue.map(|(strain, birth)| (book.strain(strain), saved_birth(birth)));
        let saved = Saved {
            version: VERSION,
            settings: self.settings.summary(),
            puzzles: self.puzzles.len(),
            library: self.library.iter().map(|strain| hex(strain.hash)).collect(),
            n_surveyed: self.n_surveyed,
            totals: numbers(self.totals),
            queue: queue.collect(),
            fields,
            tried_bytes: tried.len(),
            strains: book.strains,
            members: book.members,
        };
        // Plain strings and numbers always have a JSON form.
        let mut bytes = serde_json::to_vec(&saved).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend(tried);
        bytes.extend(self.behaviours.bytes());
        bytes
    }
}

/// The hashes of the library with which a checkpoint was made, in its order.
pub fn library_of(checkpoint: &[u8]) -> Result<Vec<u128>, EvolveError> {
    let (saved, _) = read(checkpoint)?;
    saved.library.iter().map(|text| unhex(text)).collect()
}

impl<'p> Evolution<'p> {
    /// Continues from a checkpoint, with the puzzles, library and settings of the first run.
    pub fn resume(
        puzzles: &'p [Puzzle],
        library: Vec<Program>,
        settings: Settings,
        checkpoint: &[u8],
    ) -> Result<Evolution<'p>, EvolveError> {
        let (saved, rest) = read(checkpoint)?;
        let mut evolution = Evolution::new(puzzles, library, settings)?;
        let library = evolution.library.iter().map(|strain| hex(strain.hash));
        if !library.eq(saved.library.iter().cloned()) {
            return Err(wrong("the library is another one"));
        }
        if saved.settings != evolution.settings.summary() || saved.puzzles != puzzles.len() {
            return Err(wrong("the settings or the tasks are others"));
        }
        let strains = saved
            .strains
            .iter()
            .map(strain)
            .collect::<Result<Vec<_>, _>>()?;
        let members = saved.members.iter().map(|saved| member(saved, &strains));
        let members = members.collect::<Result<Vec<_>, _>>()?;
        let fields = saved.fields.iter().map(|saved| field(saved, &members));
        evolution.fields = fields.collect::<Result<Vec<_>, _>>()?;
        let islands_are_right = |field: &Field| field.islands.len() == evolution.settings.n_islands;
        if evolution.fields.len() != puzzles.len()
            || !evolution.fields.iter().all(islands_are_right)
        {
            return Err(wrong("a task is missing"));
        }
        for (k, saved) in &saved.queue {
            let strain = strains
                .get(*k)
                .ok_or_else(|| wrong("a program is missing"))?;
            evolution.queue.push((strain.clone(), birth(saved)?));
        }
        let (tried, behaviours) = rest
            .split_at_checked(saved.tried_bytes)
            .ok_or_else(|| wrong("it is too short"))?;
        evolution.tried = Tried::of_bytes(tried).ok_or_else(|| wrong("it is too short"))?;
        evolution.behaviours =
            Sketch::of_bytes(behaviours).ok_or_else(|| wrong("it is too short"))?;
        evolution.n_surveyed = saved.n_surveyed;
        evolution.totals = totals(saved.totals);
        Ok(evolution)
    }
}

fn read(checkpoint: &[u8]) -> Result<(Saved, &[u8]), EvolveError> {
    let end = checkpoint.iter().position(|byte| *byte == b'\n');
    let end = end.ok_or_else(|| wrong("it is empty"))?;
    let saved: Saved =
        serde_json::from_slice(&checkpoint[..end]).map_err(|_| wrong("it is damaged"))?;
    match saved.version {
        VERSION => Ok((saved, &checkpoint[end + 1..])),
        _ => Err(wrong("it was saved by another version")),
    }
}

fn wrong(why: &str) -> EvolveError {
    EvolveError::Checkpoint(why.to_owned())
}

/// Gives every program and member a number.
#[derive(Default)]
struct Book {
    strains: Vec<(String, Vec<u32>)>,
    members: Vec<SavedMember>,
    strain_numbers: FxHashMap<*const Strain, usize>,
    member_numbers: FxHashMap<*const Member, usize>,
}

impl Book {
    fn strain(&mut self, strain: &Arc<Strain>) -> usize {
        let known = self.strain_numbers.entry(Arc::as_ptr(strain));
        *known.or_insert_with(|| {
            let text = strain.program.to_string();
            self.strains.push((text, strain.lineage.clone()));
            self.strains.len() - 1
        })
    }

    fn member(&mut self, member: &Arc<Member>) -> usize {
        if let Some(known) = self.member_numbers.get(&Arc::as_ptr(member)) {
            return *known;
        }
        let mark = |mark: &Mark| (mark.is_exact, mark.credit, mark.fuel);
        let saved = SavedMember {
            strain: self.strain(&member.strain),
            birth: saved_birth(&member.birth),
            marks: member.marks.iter().map(mark).collect(),
            behaviour: member.behaviour,
        };
        self.members.push(saved);
        let number = self.members.len() - 1;
        self.member_numbers.insert(Arc::as_ptr(member), number);
        number
    }

    fn elite(&mut self, elite: &Elite) -> Vec<usize> {
        elite.0.iter().map(|member| self.member(member)).collect()
    }

    fn field(&mut self, field: &Field) -> SavedField {
        let islands = field.islands.iter();
        let islands = islands
            .map(|island| (self.elite(&island.elite), island.n_rounds, island.n_stale))
            .collect();
        SavedField {
            islands,
            best: self.elite(&field.best),
            own: self.elite(&field.own),
            own_lines: field.own_lines,
            is_transferred: field.is_transferred,
        }
    }
}

fn saved_birth(birth: &Birth) -> SavedBirth {
    SavedBirth(birth.parent.map(hex), birth.mutation.clone(), birth.seed)
}

fn birth(SavedBirth(parent, mutation, seed): &SavedBirth) -> Result<Birth, EvolveError> {
    Ok(Birth {
        parent: parent.as_deref().map(unhex).transpose()?,
        mutation: mutation.clone(),
        seed: *seed,
    })
}

fn strain((text, lineage): &(String, Vec<u32>)) -> Result<Arc<Strain>, EvolveError> {
    let programs = parse_text(text, "state", None).unwrap_or_default();
    let [program] =
        <[Program; 1]>::try_from(programs).map_err(|_| wrong("a program is damaged"))?;
    Ok(Arc::new(Strain::new(program, lineage.clone())))
}

fn member(saved: &SavedMember, strains: &[Arc<Strain>]) -> Result<Arc<Member>, EvolveError> {
    let strain = strains
        .get(saved.strain)
        .ok_or_else(|| wrong("a program is missing"))?;
    let mark = |(is_exact, credit, fuel): &(bool, u32, u64)| Mark {
        is_exact: *is_exact,
        credit: *credit,
        fuel: *fuel,
    };
    Ok(Arc::new(Member {
        strain: strain.clone(),
        birth: birth(&saved.birth)?,
        marks: saved.marks.iter().map(mark).collect(),
        behaviour: saved.behaviour,
    }))
}

fn elite(numbers: &[usize], members: &[Arc<Member>]) -> Result<Elite, EvolveError> {
    let member = |k: &usize| members.get(*k).cloned();
    let found: Option<Vec<_>> = numbers.iter().map(member).collect();
    found
        .map(Elite)
        .ok_or_else(|| wrong("a program is missing"))
}

fn field(saved: &SavedField, members: &[Arc<Member>]) -> Result<Field, EvolveError> {
    let island = |(numbers, n_rounds, n_stale): &(Vec<usize>, u32, u32)| {
        Ok(Island {
            elite: elite(numbers, members)?,
            n_rounds: *n_rounds,
            n_stale: *n_stale,
        })
    };
    Ok(Field {
        islands: saved
            .islands
            .iter()
            .map(island)
            .collect::<Result<_, EvolveError>>()?,
        best: elite(&saved.best, members)?,
        own: elite(&saved.own, members)?,
        own_lines: saved.own_lines,
        is_transferred: saved.is_transferred,
    })
}

fn hex(hash: u128) -> String {
    format!("{hash:032x}")
}

fn unhex(text: &str) -> Result<u128, EvolveError> {
    u128::from_str_radix(text, 16).map_err(|_| wrong("a hash is damaged"))
}

fn numbers(totals: Totals) -> [u64; 7] {
    let tally = totals.tally;
    [
        totals.rounds,
        tally.evaluations,
        tally.unsure,
        tally.fuel,
        totals.children,
        totals.repeated,
        totals.restarts,
    ]
}

fn totals(numbers: [u64; 7]) -> Totals {
    let [
        rounds,
        evaluations,
        unsure,
        fuel,
        children,
        repeated,
        restarts,
    ] = numbers;
    Totals {
        rounds,
        tally: Tally {
            evaluations,
            unsure,
            fuel,
        },
        children,
        repeated,
        restarts,
    }
}
