//! Read: from files to programs, and to the scoring programs beside them.

use std::path::Path;

use leyden_grid::{TaskId, counted};
use leyden_lang::{
    Battery, BatteryFile, Diagnostic, Language, Out, Program, Rules, Scripts, is_battery,
    parse_battery, print_battery,
};
use leyden_search::scores;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::group::{Group, Sharing};
use super::scoring::ScoringProgram;
use crate::failure::Failure;
use crate::programs::{Differs, Library, Source, SourceFile};

/// Programs from files.
pub(crate) enum Programs {
    /// A battery, and the name of its file.
    Battery(Battery, String),
    Library(Library),
}

impl Programs {
    /// Reads a battery if there is one, otherwise the programs of files.
    pub(crate) fn read(
        battery: Option<&Path>,
        sources: &[Source],
        language: &Language,
        n_threads: usize,
    ) -> Result<Programs, Failure> {
        match battery {
            Some(path) => Ok(Programs::Battery(
                read_battery(path, language)?,
                file_name(path),
            )),
            None => Library::read(sources, language, n_threads).map(Programs::Library),
        }
    }

    /// The name of their file or files in reports.
    pub(crate) fn name(&self) -> String {
        match self {
            Programs::Battery(_, name) => name.clone(),
            Programs::Library(library) => match library.files.as_slice() {
                [file] => file_name(Path::new(&file.name)),
                files => counted(files.len(), "file"),
            },
        }
    }

    pub(crate) fn members(&self) -> Vec<Member> {
        match self {
            Programs::Battery(battery, _) => battery.outs.iter().map(Member::of_out).collect(),
            Programs::Library(library) => library.programs().map(Member::of_program).collect(),
        }
    }

    /// A hash of all of them.
    pub(crate) fn hash(&self) -> String {
        match self {
            Programs::Battery(battery, _) => battery_hash(battery),
            Programs::Library(library) => programs_hash(library.programs()),
        }
    }

    /// Each of them alone.
    pub(crate) fn alone(&self) -> Vec<Program> {
        match self {
            Programs::Battery(battery, _) => {
                let mut scripts = Scripts::new(battery);
                let places = 0..battery.outs.len();
                places.map(|k| scripts.program(k)).collect()
            }
            Programs::Library(library) => library.programs().cloned().collect(),
        }
    }

    /// All of them as one group.
    pub(crate) fn into_group(self, sharing: Sharing) -> Group {
        match self {
            Programs::Battery(battery, _) => Group::of_battery(battery, sharing),
            Programs::Library(library) => Group::new(library.programs(), sharing),
        }
    }
}

/// A program of a battery, with the facts that reports need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) origin: String,
    /// The task in its name.
    pub(crate) own: Option<String>,
    pub(crate) n_lines: usize,
}

impl Member {
    fn of_out(out: &Out) -> Member {
        Member {
            name: out.name.clone(),
            origin: out.origin.clone(),
            own: out.task_id().map(str::to_owned),
            n_lines: out.lines.len(),
        }
    }

    fn of_program(program: &Program) -> Member {
        Member {
            name: program.name.clone(),
            origin: program.name.clone(),
            own: program.task_id().map(str::to_owned),
            n_lines: program.lines.len(),
        }
    }

    /// Is it meant for another task?
    pub(crate) fn is_foreign_to(&self, task: &TaskId) -> bool {
        self.own.as_deref().is_some_and(|own| own != task.as_str())
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Reads a `.batt` file unchanged; merges programs in any other form.
fn read_battery(path: &Path, language: &Language) -> Result<Battery, Failure> {
    if !path.is_dir() {
        let file = SourceFile::read(path)?;
        if is_battery(&file.text) {
            let parsed = parse_battery(&file.text).map(|parsed| parsed.battery);
            return parsed.map_err(|findings| Failure::Diagnosed(file.render(&findings)));
        }
    }
    let source = Source::Path(path.to_owned());
    let library = Library::read(&[source], &language.names_only(), 1)?;
    Ok(Battery::from_programs(library.programs(), Rules::ALL))
}

/// Leyden's own scoring programs.
pub(crate) fn own_scores() -> Result<Vec<ScoringProgram>, Failure> {
    let damaged = |findings: Vec<Diagnostic>| {
        let file = SourceFile {
            name: scores::NAME.to_owned(),
            text: scores::SOURCE.to_owned(),
        };
        Failure::Diagnosed(file.render(&findings))
    };
    let own = scores::own().map_err(damaged)?;
    Ok(own.into_iter().map(ScoringProgram::own).collect())
}

/// The scoring programs of a file.
pub(crate) fn scores_in(path: &Path, language: &Language) -> Result<Vec<ScoringProgram>, Failure> {
    if let Some(differs) = Differs::read(path)? {
        let programs = differs.on_inputs()?.into_iter();
        return Ok(programs.map(ScoringProgram::by_dialect).collect());
    }
    let source = Source::Path(path.to_owned());
    ScoringProgram::all_in(Library::read(&[source], &language.names_only(), 1)?)
}

/// A hash of programs, their names and their order.
pub(crate) fn programs_hash<'p>(programs: impl IntoIterator<Item = &'p Program>) -> String {
    let mut hasher = Xxh3::new();
    hasher.update(b"leyden programs 1");
    for program in programs {
        hasher.update(&(program.name.len() as u64).to_le_bytes());
        hasher.update(program.name.as_bytes());
        hasher.update(&program.content_hash().to_le_bytes());
    }
    format!("{:032x}", hasher.digest128())
}

/// A hash of a battery, names included.
pub(crate) fn battery_hash(battery: &Battery) -> String {
    let file = BatteryFile {
        battery: battery.clone(),
        ..BatteryFile::default()
    };
    format!("{:032x}", xxh3_128(print_battery(&file).as_bytes()))
}
