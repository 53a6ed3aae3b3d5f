//! Reads and parses program files.

mod find;
mod name;
pub(crate) mod shelf;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use leyden_dsl::table::Dialect;
use leyden_exec::{parallel_map, with_large_stack};
use leyden_grid::counted;
use leyden_lang::{
    Diagnostic, DifferResult, Language, MAX_SOURCE_BYTES, Program, UserNames, is_battery,
    is_generated_batt, is_text_form, parse_generated_batt, parse_in, print_dialect,
    print_text_file, render,
};
use leyden_store::demo;
use leyden_store::library::{Filter, ProgramHash, Store, is_store};
use leyden_store::read_text_within;

use crate::failure::Failure;
use crate::output::remark;

pub(crate) use find::neighbour;
use find::{Dangling, Depth, Listed, Place};
use name::{could_be_tokpidjins, is_lone_program, is_md5, name_by_path, names_a_task};

/// At most this many findings are printed.
const MOST_FINDINGS: usize = 20;

/// A place that programs come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// The solvers in the binary.
    BuiltIn,
    /// A file, a directory of files, or a store.
    Path(PathBuf),
}

impl Source {
    /// Whether both are one place.
    #[cfg(feature = "explore")]
    pub(crate) fn is(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::BuiltIn, Source::BuiltIn) => true,
            (Source::Path(one), Source::Path(other)) => one == other,
            _ => false,
        }
    }
}

/// A text with its name in messages.
pub(crate) struct SourceFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl SourceFile {
    /// Reads a file; a name without a suffix finds `NAME.batt` or `NAME.py`.
    pub(crate) fn read(path: &Path) -> Result<SourceFile, Failure> {
        let file = SourceFile::at(&find::resolve(path)?)?;
        file.refuse_others(path)?;
        Ok(file)
    }

    /// Refuses files that the user named by mistake, with a shorter message than a Python parser's.
    fn refuse_others(&self, path: &Path) -> Result<(), Failure> {
        let (name, start) = (&self.name, self.text.trim_start());
        if start.starts_with(['{', '[']) {
            let what = "this is JSON; expected programs, such as `def solve_<task>(I):`";
            return Err(Failure::bad_input(format!("{name}: {what}")));
        }
        let is_called_battery = path.extension().is_some_and(|suffix| suffix == "batt");
        if is_called_battery && self.is_python() && !start.contains("def ") {
            let what = "this is not a battery; expected a file that `leyden card` wrote";
            return Err(Failure::bad_input(format!("{name}: {what}")));
        }
        Ok(())
    }

    fn at(place: &Place) -> Result<SourceFile, Failure> {
        let name = place.shown.display().to_string();
        if is_store(&place.real) {
            let text = text_of_store(&place.real)?;
            return Ok(SourceFile { name, text });
        }
        let limit = MAX_SOURCE_BYTES as u64;
        let text = read_text_within(&place.real, limit);
        let text = text.map_err(|error| find::unreadable(place, error))?;
        Ok(SourceFile { name, text })
    }

    fn holds_many_programs(&self) -> bool {
        self.text.lines().filter(|line| names_a_task(line)).count() > 1
    }

    /// The file's name without its suffix.
    fn stem(&self) -> String {
        let stem = Path::new(&self.name).file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// Does it have comments that name the dialects of its programs?
    fn names_dialects(&self) -> bool {
        let comment = print_dialect("");
        self.text
            .lines()
            .any(|line| line.starts_with(comment.trim_end()))
    }

    /// Is it a Python module, which does not name its dialect?
    fn is_python(&self) -> bool {
        !is_text_form(&self.text) && !is_battery(&self.text)
    }

    /// The text of a line, counted from 1.
    pub(crate) fn line(&self, number: u32) -> Option<&str> {
        let k = (number as usize).checked_sub(1)?;
        self.text.lines().nth(k).map(str::trim)
    }

    /// Findings as text for a terminal, up to a limit.
    pub(crate) fn render(&self, findings: &[Diagnostic]) -> String {
        let shown = &findings[..findings.len().min(MOST_FINDINGS)];
        let mut text = render(shown, &self.text, &self.name, true);
        if findings.len() > shown.len() {
            text += &format!(
                "… and {} more in {}\n",
                findings.len() - shown.len(),
                self.name
            );
        }
        text
    }
}

/// The programs of a store, as it exports them.
fn text_of_store(path: &Path) -> Result<String, Failure> {
    let store = Store::open_read_only(path)?;
    let programs = programs_of(&store, &Filter::default())?;
    if programs.is_empty() {
        let path = path.display();
        return Err(Failure::bad_input(format!(
            "{path}: the store has no programs; `leyden library import FILE` adds some"
        )));
    }
    Ok(print_text_file(&programs))
}

/// The programs of a store, best first, each with a name of its own.
fn programs_of(store: &Store, filter: &Filter) -> Result<Vec<Program>, Failure> {
    let standings = store.standings(filter)?;
    let hashes: Vec<ProgramHash> = standings.iter().map(|standing| standing.hash).collect();
    Ok(with_own_names(store.programs(&hashes)?))
}

/// Gives each program a name of its own, because a file needs that.
pub(crate) fn with_own_names(mut programs: Vec<Program>) -> Vec<Program> {
    let mut taken = BTreeSet::new();
    for program in &mut programs {
        if !taken.insert(program.name.clone()) {
            program.name = format!("{}_{}", program.name, ProgramHash::of(program));
            taken.insert(program.name.clone());
        }
    }
    programs
}

/// Reads a file of the user's own names.
pub(crate) fn read_names(path: &Path) -> Result<UserNames, Failure> {
    let file = SourceFile {
        name: path.display().to_string(),
        text: read_text_within(path, MAX_SOURCE_BYTES as u64)?,
    };
    UserNames::parse(&file.text).map_err(|findings| Failure::Diagnosed(file.render(&findings)))
}

/// A program, and the index of its file.
pub(crate) struct Known {
    pub(crate) file: usize,
    pub(crate) program: Program,
}

/// All programs of a command, in the order of the files.
pub(crate) struct Library {
    pub(crate) files: Vec<SourceFile>,
    pub(crate) programs: Vec<Known>,
    /// The files of directories that hold no programs.
    pub(crate) n_skipped: usize,
}

impl Library {
    pub(crate) fn read(
        sources: &[Source],
        language: &Language,
        n_threads: usize,
    ) -> Result<Library, Failure> {
        let collected = collect_files(sources)?;
        let files = collected.files;
        let parse_file = |file: &SourceFile| parse_in(&file.text, &file.name, language);
        let parsed = parallel_map(n_threads, &files, parse_file);
        refuse_errors(&files, &parsed)?;
        let mut parsed: Vec<Vec<Program>> = parsed.into_iter().flatten().collect();
        name_lone_programs(&files, &mut parsed);
        if language.given_dialect().is_none() {
            let groups = collected.n_files_of_source;
            settle_dialects(&files, &mut parsed, &groups);
        }
        let programs = parsed.into_iter().enumerate();
        let programs = programs
            .flat_map(|(file, programs)| {
                programs
                    .into_iter()
                    .map(move |program| Known { file, program })
            })
            .collect();
        Ok(Library {
            files,
            programs,
            n_skipped: collected.n_skipped,
        })
    }

    /// The programs without their files.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter().map(|known| &known.program)
    }

    pub(crate) fn file_of(&self, known: &Known) -> &SourceFile {
        &self.files[known.file]
    }
}

/// The results of the differs of a generated batt file.
pub(crate) struct Differs {
    name: String,
    results: Vec<DifferResult>,
}

impl Differs {
    /// Reads the file; `None` if it is not a generated batt.
    pub(crate) fn read(path: &Path) -> Result<Option<Differs>, Failure> {
        if path.is_dir() {
            return Ok(None);
        }
        let file = SourceFile::read(path)?;
        if !is_generated_batt(&file.text) {
            return Ok(None);
        }
        let parsed = with_large_stack(|| parse_generated_batt(&file.text, &file.name));
        let batt = parsed.map_err(|errors| Failure::Diagnosed(file.render(&errors)))?;
        let (name, results) = (file.name, batt.differs);
        Ok(Some(Differs { name, results }))
    }

    /// The differs themselves, applied to the input. They score any other grid alike.
    pub(crate) fn on_inputs(self) -> Result<Vec<Program>, Failure> {
        let name = self.name;
        let own = self.results.into_iter();
        let own = own.filter(|result| result.solver.is_none());
        let programs: Vec<Program> = own.map(|result| result.program).collect();
        if programs.is_empty() {
            let message = "no differ here looks at the input, so there are no scoring programs";
            return Err(Failure::bad_input(format!("{name}: {message}")));
        }
        Ok(programs)
    }

    /// The results for the input and for every candidate.
    pub(crate) fn all(self) -> Vec<Program> {
        let results = self.results.into_iter();
        results.map(|result| result.program).collect()
    }
}

/// Does the path mean files of programs? Stores and missing paths do not.
pub(crate) fn is_of_files(path: &Path) -> bool {
    !is_store(path) && find::resolve(path).is_ok_and(|place| place.real.exists())
}

fn refuse_errors(
    files: &[SourceFile],
    parsed: &[Result<Vec<Program>, Vec<Diagnostic>>],
) -> Result<(), Failure> {
    let reports = files.iter().zip(parsed);
    let text: String = reports
        .filter_map(|(file, result)| Some(file.render(result.as_ref().err()?)))
        .collect();
    if text.is_empty() {
        Ok(())
    } else {
        Err(Failure::Diagnosed(text))
    }
}

/// Names programs that are alone in their files after their paths.
fn name_lone_programs(files: &[SourceFile], parsed: &mut [Vec<Program>]) {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for program in parsed.iter().flatten() {
        *taken.entry(program.name.clone()).or_default() += 1;
    }
    let lone =
        parsed
            .iter_mut()
            .zip(files)
            .filter_map(|(programs, file)| match programs.as_mut_slice() {
                [program] if program.task_id().is_none() => Some((program, Path::new(&file.name))),
                _ => None,
            });
    name_by_path(lone, taken);
}

/// Decides the dialect of programs that take `(S, I, C)` and use only names that several dialects
/// have. They are tokpidjin's if their neighbours are, or if their file has a name of that system's
/// kind.
fn settle_dialects(files: &[SourceFile], parsed: &mut [Vec<Program>], n_files_of_source: &[usize]) {
    let mut start = 0;
    for n_files in n_files_of_source {
        let group = start..start + n_files;
        let group_files = &files[group.clone()];
        let group_programs = &mut parsed[group];
        start += n_files;
        let mut all = group_programs.iter().flatten();
        let is_foreign = all.any(|program| !program.dialect.is_classic());
        for (programs, file) in group_programs.iter_mut().zip(group_files) {
            if !file.is_python() || file.names_dialects() || !(is_foreign || is_md5(&file.stem())) {
                continue;
            }
            for program in programs.iter_mut().filter(|it| could_be_tokpidjins(it)) {
                program.dialect = Dialect::Tokpidjin;
            }
        }
    }
}

/// The files of a command.
#[derive(Default)]
struct Collected {
    files: Vec<SourceFile>,
    /// The number of files of each source.
    n_files_of_source: Vec<usize>,
    /// The files of directories that hold no programs.
    n_skipped: usize,
}

fn collect_files(sources: &[Source]) -> Result<Collected, Failure> {
    let mut collected = Collected::default();
    for source in sources {
        let n_before = collected.files.len();
        match source {
            Source::BuiltIn => collected.files.push(built_in()),
            Source::Path(path) if path.is_dir() => {
                collected.n_skipped += read_directory(path, &mut collected.files)?;
            }
            Source::Path(path) => collected.files.push(SourceFile::read(path)?),
        }
        let n_files = collected.files.len() - n_before;
        collected.n_files_of_source.push(n_files);
    }
    Ok(collected)
}

fn built_in() -> SourceFile {
    SourceFile {
        name: "demo/solvers.py".to_owned(),
        text: demo::SOLVERS.to_owned(),
    }
}

/// Reads a directory's program files, and counts the others: users keep the DSL itself, tests and
/// scripts next to solvers. If the directory has modules of many programs, its subdirectories hold
/// other things: old versions, examples, results.
fn read_directory(path: &Path, files: &mut Vec<SourceFile>) -> Result<usize, Failure> {
    let mut found = read_listed(find::list(path, Depth::Here)?)?;
    if !found.files.iter().any(SourceFile::holds_many_programs) {
        found = read_listed(find::list(path, Depth::All)?)?;
    }
    if found.files.is_empty() {
        return Err(no_programs(path, &found.dangling));
    }
    say_dangling(&found.dangling);
    files.extend(found.files);
    Ok(found.n_skipped)
}

/// The findings in a directory.
#[derive(Default)]
struct Found {
    files: Vec<SourceFile>,
    n_skipped: usize,
    dangling: Vec<Dangling>,
}

fn read_listed(listed: Listed) -> Result<Found, Failure> {
    let mut found = Found {
        dangling: listed.dangling,
        ..Found::default()
    };
    let mut seen = BTreeSet::new();
    for place in &listed.places {
        let file = SourceFile::at(place)?;
        if !holds_programs(&file, &place.shown) {
            found.n_skipped += 1;
        } else if seen.insert(identity_of(&file, place)) {
            found.files.push(file);
        }
    }
    Ok(found)
}

fn holds_programs(file: &SourceFile, path: &Path) -> bool {
    file.text.lines().any(names_a_task) || is_lone_program(&file.text, path)
}

/// A store links to one text several times: to a solver under each score that it ever had, and to a
/// differ, which belongs to no task, also under each task.
fn identity_of(file: &SourceFile, place: &Place) -> (Option<String>, PathBuf) {
    let real = fs::canonicalize(&place.real).unwrap_or_else(|_| place.real.clone());
    let is_differ = file
        .text
        .lines()
        .any(|line| line.starts_with("def differ("));
    let task = name::task_in_path(&place.shown);
    (task.filter(|_| !is_differ), real)
}

fn no_programs(path: &Path, dangling: &[Dangling]) -> Failure {
    let path = path.display();
    match dangling {
        [] => Failure::bad_input(format!(
            "{path}: there are no programs here; expected .py files with `def solve_<task>(I):`, or \
             with one `def solve(I):` and the task in their path"
        )),
        [first, ..] => Failure::bad_input(format!(
            "{path}: there are no programs here, but {} to files that do not exist, such as {} (to {})",
            counted(dangling.len(), "link"),
            first.link.display(),
            first.target.display()
        )),
    }
}

/// Prints the names of links that lead nowhere.
fn say_dangling(dangling: &[Dangling]) {
    let shown = &dangling[..dangling.len().min(MOST_FINDINGS)];
    let mut text = String::new();
    for Dangling { link, target } in shown {
        let (link, target) = (link.display(), target.display());
        text += &format!("note: {link}: skipped, a link to {target}, which does not exist\n");
    }
    if dangling.len() > shown.len() {
        let n_more = dangling.len() - shown.len();
        text += &format!("… and {} like these\n", counted(n_more, "link"));
    }
    remark(&text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_give_their_programs_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let program = |id: &str| format!("def solve_{id}(I):\n    return I\n");
        fs::write(dir.path().join("b.py"), program("00000001")).unwrap();
        fs::write(dir.path().join("a.py"), program("00000002")).unwrap();
        fs::write(
            dir.path().join("dsl.py"),
            "def vmirror(piece):\n    for x in y: pass\n",
        )
        .unwrap();
        fs::write(dir.path().join("notes.txt"), "nothing").unwrap();
        let library = Library::read(
            &[Source::Path(dir.path().to_owned())],
            &Language::default(),
            2,
        )
        .unwrap();
        let names: Vec<&str> = library
            .programs
            .iter()
            .map(|known| known.program.name.as_str())
            .collect();
        assert_eq!(names, ["solve_00000002", "solve_00000001"]);
        assert_eq!(library.n_skipped, 1);
    }
}
