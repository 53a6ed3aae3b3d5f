//! Finds the files behind a path on the command line.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use leyden_store::temporary::directory_of;
use leyden_store::{StoreError, io_words};

use crate::failure::{Failure, closest};

/// The suffixes of program files.
const EXTENSIONS: [&str; 2] = ["py", "leyden"];

/// The suffixes to try for a name without one, in this order.
const SUFFIXES: [&str; 3] = ["batt", "py", "leyden"];

/// The target of a link is searched up to this many directories up: a store has
/// `solve_<task>/<score>/<time>/` around its links.
const MOST_PARENTS: usize = 6;

/// A file under the name that the user knows, and the place of its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) shown: PathBuf,
    pub(super) real: PathBuf,
}

impl Place {
    fn plain(path: PathBuf) -> Place {
        Place {
            real: path.clone(),
            shown: path,
        }
    }
}

/// A link whose target is missing.
pub(super) struct Dangling {
    pub(super) link: PathBuf,
    pub(super) target: PathBuf,
}

/// The contents of a directory.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) places: Vec<Place>,
    pub(super) dangling: Vec<Dangling>,
}

/// The file that a path means: itself, the path with a suffix, or the target of a link.
pub(super) fn resolve(path: &Path) -> Result<Place, Failure> {
    if path.exists() {
        return Ok(Place::plain(path.to_owned()));
    }
    if let Ok(target) = fs::read_link(path) {
        let real = moved(path, &target).ok_or_else(|| {
            let message = format!("{}: a link to {}", path.display(), target.display());
            Failure::bad_input(format!("{message}, which does not exist"))
        })?;
        let shown = path.to_owned();
        return Ok(Place { shown, real });
    }
    let suffixed = SUFFIXES.iter().map(|suffix| with_suffix(path, suffix));
    let found = suffixed
        .filter(|_| path.extension().is_none())
        .find(|path| path.is_file());
    Ok(Place::plain(found.unwrap_or_else(|| path.to_owned())))
}

/// The error about an unreadable file of programs, with the link that leads to it.
pub(super) fn unreadable(place: &Place, error: StoreError) -> Failure {
    if place.shown == place.real {
        return error.into();
    }
    Failure::bad_input(format!("{}: {error}", place.shown.display()))
}

/// The file in that directory with a name similar to the missing one.
pub(crate) fn neighbour(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let entries = fs::read_dir(directory_of(path)).ok()?.flatten();
    let names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let near = closest(wanted, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// The target of a link after the whole store was moved: a store links to
/// `<somewhere>/solver_md5/<md5>.py`, and that directory moved along.
fn moved(link: &Path, target: &Path) -> Option<PathBuf> {
    let file = target.file_name()?;
    let directory = target.parent()?.file_name()?;
    let parents = link.ancestors().skip(1).take(MOST_PARENTS);
    let candidates = parents.map(|parent| parent.join(directory).join(file));
    candidates.into_iter().find(|path| path.is_file())
}

/// How deep to search a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Only its own files.
    Here,
    /// Also those of all directories below it.
    All,
}

/// The program files of a directory, sorted. A directory is read once, however many links lead to
/// it, so links in a circle end.
pub(super) fn list(root: &Path, depth: Depth) -> Result<Listed, Failure> {
    let mut listed = Listed::default();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        if depth == Depth::Here && !seen.is_empty() {
            break;
        }
        let read = list_one(&directory, &mut seen, &mut waiting, &mut listed);
        read.map_err(|error| {
            let message = format!("{}: {}", directory.display(), io_words(&error));
            Failure::bad_input(message)
        })?;
    }
    listed.places.sort();
    listed.dangling.sort_by(|a, b| a.link.cmp(&b.link));
    Ok(listed)
}

fn list_one(
    directory: &Path,
    seen: &mut BTreeSet<PathBuf>,
    waiting: &mut Vec<PathBuf>,
    listed: &mut Listed,
) -> io::Result<()> {
    if !seen.insert(fs::canonicalize(directory)?) {
        return Ok(());
    }
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() && !is_hidden(&path) {
            waiting.push(path);
        } else if !is_program_file(&path) {
            continue;
        } else if path.is_file() {
            listed.places.push(Place::plain(path));
        } else if let Ok(target) = fs::read_link(&path) {
            match moved(&path, &target) {
                Some(real) => listed.places.push(Place { shown: path, real }),
                None => listed.dangling.push(Dangling { link: path, target }),
            }
        }
    }
    Ok(())
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with('.')
}

fn is_program_file(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_suffix_finds_the_battery_before_the_module() {
        let dir = tempfile::tempdir().unwrap();
        let stem = dir.path().join("mine");
        assert_eq!(resolve(&stem).unwrap().real, stem);
        fs::write(dir.path().join("mine.py"), "").unwrap();
        assert_eq!(resolve(&stem).unwrap().real, dir.path().join("mine.py"));
        fs::write(dir.path().join("mine.batt"), "").unwrap();
        assert_eq!(resolve(&stem).unwrap().real, dir.path().join("mine.batt"));
        let odd = dir.path().join("mine.txt");
        assert_eq!(resolve(&odd).unwrap().real, odd);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_found_again_or_named() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("solver_dir/solve_0a1b2c3d/4000/11");
        let texts = dir.path().join("solver_md5");
        fs::create_dir_all(&store).unwrap();
        fs::create_dir_all(&texts).unwrap();
        fs::write(texts.join("aa.py"), "").unwrap();
        symlink("../../../../solver_md5/aa.py", store.join("good.py")).unwrap();
        symlink("/elsewhere/solver_md5/aa.py", store.join("moved.py")).unwrap();
        symlink("/elsewhere/solver_md5/bb.py", store.join("lost.py")).unwrap();
        symlink("..", store.join("circle")).unwrap();
        let listed = list(&dir.path().join("solver_dir"), Depth::All).unwrap();
        let shown: Vec<_> = listed.places.iter().map(|place| &place.shown).collect();
        assert_eq!(shown, [&store.join("good.py"), &store.join("moved.py")]);
        assert_eq!(listed.places[1].real, texts.join("aa.py"));
        assert_eq!(listed.dangling.len(), 1);
        assert_eq!(listed.dangling[0].link, store.join("lost.py"));
        assert!(resolve(&store.join("lost.py")).is_err());
        assert!(resolve(&store.join("moved.py")).is_ok());
    }
}
