//! Saving a program of the editor into the store.

use leyden_explore::{Call, Refusal, Reply};
use leyden_grid::Puzzle;
use leyden_lang::Program;
use leyden_search::judge::{JudgedDemo, Judgement};
use leyden_store::library::{Added, Origin, ProgramHash, SampleScore, Store, TaskKey};
use serde_json::json;

use super::App;
use super::catalogue::{Found, refused};
use super::library::hash_in;

/// The origin of programs that the user wrote here.
const SOURCE: &str = "leyden explore";
/// The name of a program in the editor that has none of its own.
const NAMELESS: &str = "solve";

/// A program that is to be saved, with its results.
struct Saving<'s> {
    program: Program,
    puzzle: &'s Puzzle,
    judgement: Judgement,
    /// The program that the user began with, and its file if the store may lack it.
    parent: Option<Found<'s>>,
}

impl App {
    pub(super) fn save_program(&self, call: &Call) -> Result<Reply, Refusal> {
        let task = self.set(call.text("set")?)?.task(call.text("task")?)?;
        let puzzle = task.puzzle();
        let program = named_after(self.program_of(call)?, puzzle.id.as_str());
        let parent = call.text_if_any("parent")?.map(hash_in).transpose()?;
        let parent = parent.map(|hash| self.found(hash)).transpose()?;
        let judgement = self.judge(&program, &puzzle, &call.cancel).judgement;
        if call.cancel.is_cancelled() {
            return Err(Refusal::conflict(
                "the call was cancelled; nothing is saved",
            ));
        }
        let saving = Saving {
            program,
            puzzle: &puzzle,
            judgement,
            parent,
        };
        let mut store = Store::open(&self.store).map_err(refused)?;
        let added = saving.write(&mut store)?;
        Ok(Reply::Json(json!({
            "hash": added.hash,
            "name": saving.program.name,
            "is_new": added.is_new,
            "fits": saving.judgement.fits(),
            "credit": saving.judgement.credit(),
            "store": store.path().display().to_string(),
        })))
    }
}

/// Gives a program without a name of its own the name of its task.
fn named_after(mut program: Program, task: &str) -> Program {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if program.name == NAMELESS && task.chars().all(is_word) {
        program.name = format!("{NAMELESS}_{task}");
    }
    program
}

impl Saving<'_> {
    fn write(&self, store: &mut Store) -> Result<Added, Refusal> {
        let parent = self.parent.as_ref().map(Found::program);
        let written = store.write(|batch| {
            if let Some(Found::OnShelf(shown)) = &self.parent {
                let origin = Origin::of_source(shown.origin.as_str());
                batch.add_program(&shown.program, &origin)?;
            }
            let added = batch.add_program(&self.program, &self.origin(parent))?;
            let samples = self.samples();
            batch.record_scores(added.hash, &TaskKey::of(self.puzzle), &samples)?;
            Ok(added)
        });
        written.map_err(refused)
    }

    fn origin(&self, parent: Option<&Program>) -> Origin {
        let own = ProgramHash::of(&self.program);
        let parent = parent.map(ProgramHash::of).filter(|hash| *hash != own);
        Origin {
            parent,
            mutation: parent.map_or("", |_| "edited by hand").to_owned(),
            ..Origin::of_source(SOURCE)
        }
    }

    fn samples(&self) -> Vec<SampleScore> {
        let full = f64::from(self.judgement.full_credit.max(1));
        let sample = |demo: &JudgedDemo| {
            let credit = 100.0 * f64::from(demo.credit) / full;
            SampleScore {
                is_exact: demo.is_right,
                // Few enough digits that JSON gives back an equal number.
                partial: (credit * 100.0).round() / 100.0,
                fuel: demo.ran.fuel,
            }
        };
        self.judgement.demos.iter().map(sample).collect()
    }
}
