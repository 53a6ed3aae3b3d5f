//! Program files, read and parsed.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use leyden_dsl::table::Dialect;
use leyden_exec::parallel_map;
use leyden_lang::{Diagnostic, MAX_SOURCE_BYTES, Program, parse, render};
use leyden_store::demo;

use crate::failure::Failure;

/// More findings than this help nobody.
const MOST_FINDINGS: usize = 20;

/// What files of programs are called.
const EXTENSIONS: [&str; 2] = ["py", "leyden"];

/// Where programs come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// The solvers in the binary.
    BuiltIn,
    /// A file, or a directory of files.
    Path(PathBuf),
}

/// A text with the name under which messages speak of it.
pub(crate) struct SourceFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl SourceFile {
    pub(crate) fn read(path: &Path) -> Result<SourceFile, Failure> {
        let text = read_text(path).with_context(|| path.display().to_string());
        let text = text.map_err(Failure::BadInput)?;
        Ok(SourceFile {
            name: path.display().to_string(),
            text,
        })
    }

    /// The text of a line, counted from 1.
    pub(crate) fn line(&self, number: u32) -> Option<&str> {
        let k = (number as usize).checked_sub(1)?;
        self.text.lines().nth(k).map(str::trim)
    }

    /// Findings as text for a terminal, not too many.
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

fn read_text(path: &Path) -> anyhow::Result<String> {
    let limit = MAX_SOURCE_BYTES as u64;
    let mut bytes = Vec::new();
    let n_bytes = File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if n_bytes as u64 > limit {
        bail!("larger than {} MB", limit >> 20);
    }
    String::from_utf8(bytes).context("not a text file (no UTF-8)")
}

/// A program, and which of the files it stands in.
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
        dialect: Option<Dialect>,
        n_threads: usize,
    ) -> Result<Library, Failure> {
        let (files, n_skipped) = collect_files(sources)?;
        let parse_file = |file: &SourceFile| parse(&file.text, &file.name, dialect);
        let parsed = parallel_map(n_threads, &files, parse_file);
        refuse_errors(&files, &parsed)?;
        let programs = parsed.into_iter().flatten().enumerate();
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
            n_skipped,
        })
    }

    pub(crate) fn file_of(&self, known: &Known) -> &SourceFile {
        &self.files[known.file]
    }
}

fn refuse_errors(
    files: &[SourceFile],
    parsed: &[Result<Vec<Program>, Vec<Diagnostic>>],
) -> Result<(), Failure> {
    let reports = files.iter().zip(parsed);
    let text: String = reports
        .filter_map(|(file, result)| Some(file.render(result.as_ref().err()?)))
        .collect();
    match text.is_empty() {
        true => Ok(()),
        false => Err(Failure::Diagnosed(text)),
    }
}

fn collect_files(sources: &[Source]) -> Result<(Vec<SourceFile>, usize), Failure> {
    let (mut files, mut n_skipped) = (Vec::new(), 0);
    for source in sources {
        match source {
            Source::BuiltIn => files.push(built_in()),
            Source::Path(path) if path.is_dir() => n_skipped += read_directory(path, &mut files)?,
            Source::Path(path) => files.push(SourceFile::read(path)?),
        }
    }
    Ok((files, n_skipped))
}

fn built_in() -> SourceFile {
    SourceFile {
        name: "demo/solvers.py".to_owned(),
        text: demo::SOLVERS.to_owned(),
    }
}

/// Reads a directory's program files, and says how many others there were: next to solvers
/// people keep the DSL itself, tests and scripts.
fn read_directory(path: &Path, files: &mut Vec<SourceFile>) -> Result<usize, Failure> {
    let listed = list(path).with_context(|| path.display().to_string());
    let paths = listed.map_err(Failure::BadInput)?;
    let n_before = files.len();
    for path in &paths {
        let file = SourceFile::read(path)?;
        if file.text.lines().any(names_a_task) {
            files.push(file);
        }
    }
    let n_read = files.len() - n_before;
    match n_read {
        0 => Err(no_programs(path)),
        _ => Ok(paths.len() - n_read),
    }
}

fn no_programs(path: &Path) -> Failure {
    let message = "no program files here (.py files with `def solve_<task>(I):`)";
    Failure::bad_input(format!("{}: {message}", path.display()))
}

fn list(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let is_program = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        path.is_file() && extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
    };
    let entries = fs::read_dir(directory)?.collect::<Result<Vec<_>, _>>()?;
    let mut paths: Vec<PathBuf> = entries
        .iter()
        .map(fs::DirEntry::path)
        .filter(is_program)
        .collect();
    paths.sort();
    Ok(paths)
}

/// Does a line start a program that belongs to a task?
fn names_a_task(line: &str) -> bool {
    let head = line
        .strip_prefix("def ")
        .or_else(|| line.strip_prefix("program "));
    let name = head
        .and_then(|head| head.split('(').next())
        .unwrap_or_default();
    name.trim()
        .split('_')
        .any(|part| part.len() == 8 && part.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_start_programs_are_recognised() {
        assert!(names_a_task("def solve_007bbfb7(I):"));
        assert!(names_a_task("def verify_007bbfb7(I: Grid) -> Grid:"));
        assert!(names_a_task("program solve_007bbfb7(I) arc-dsl"));
        assert!(!names_a_task("def vmirror(piece):"));
        assert!(!names_a_task("    def solve_007bbfb7(I):"));
        assert!(!names_a_task("x = 007bbfb7"));
    }

    #[test]
    fn directories_are_read_in_order_without_what_is_no_program() {
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
        let library = Library::read(&[Source::Path(dir.path().to_owned())], None, 2).unwrap();
        let names: Vec<&str> = library
            .programs
            .iter()
            .map(|known| known.program.name.as_str())
            .collect();
        assert_eq!(names, ["solve_00000002", "solve_00000001"]);
        assert_eq!(library.n_skipped, 1);
    }
}
