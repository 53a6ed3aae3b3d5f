//! [`DataSpec`]: the user's name for a data set.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use leyden_grid::TaskId;
use sha2::{Digest, Sha256};

use crate::error::StoreError;

/// A part of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subset {
    /// The training tasks.
    Training,
    /// The evaluation tasks.
    Evaluation,
    /// The tasks of a competition, without answers.
    Test,
    /// All tasks.
    All,
}

impl Subset {
    /// Every subset, in the order of messages and lists.
    pub const EVERY: [Subset; 4] = [
        Subset::Training,
        Subset::Evaluation,
        Subset::Test,
        Subset::All,
    ];

    /// The name: `training`, `evaluation`, `test` or `all`.
    pub fn name(self) -> &'static str {
        match self {
            Subset::Training => "training",
            Subset::Evaluation => "evaluation",
            Subset::Test => "test",
            Subset::All => "all",
        }
    }

    /// Whether `other` is a part of this subset.
    pub fn covers(self, other: Subset) -> bool {
        self == Subset::All || self == other
    }

    fn from_name(name: &str) -> Option<Subset> {
        Subset::EVERY
            .into_iter()
            .find(|subset| subset.name() == name)
    }
}

impl fmt::Display for Subset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A data set that `leyden get` fetches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Collection {
    /// ARC-AGI-1 as it is today.
    Arc1,
    /// ARC-AGI-1 as it was in 2019.
    Arc1From2019,
    /// ARC-AGI-2.
    Arc2,
    /// Kaggle's ARC Prize 2024.
    Kaggle2024,
    /// Kaggle's ARC Prize 2025.
    Kaggle2025,
}

impl Collection {
    /// Every collection.
    pub const EVERY: [Collection; 5] = [
        Collection::Arc1,
        Collection::Arc1From2019,
        Collection::Arc2,
        Collection::Kaggle2024,
        Collection::Kaggle2025,
    ];

    /// The name that users type.
    pub fn name(self) -> &'static str {
        match self {
            Collection::Arc1 => "arc1",
            Collection::Arc1From2019 => "arc1-2019",
            Collection::Arc2 => "arc2",
            Collection::Kaggle2024 => "kaggle2024",
            Collection::Kaggle2025 => "kaggle2025",
        }
    }

    /// The name of its file in the cache.
    pub fn file_name(self) -> &'static str {
        match self {
            Collection::Arc1 => "arcagi_aa922be.json",
            Collection::Arc1From2019 => "arc1.json",
            Collection::Arc2 => "arcagi2_f3283f7.json",
            Collection::Kaggle2024 => "kaggle2024.json",
            Collection::Kaggle2025 => "kaggle2025_250808.json",
        }
    }

    fn from_name(name: &str) -> Option<Collection> {
        Collection::EVERY
            .into_iter()
            .find(|collection| collection.name() == name)
    }
}

/// A part of the new tasks: those of ARC-AGI-2 training whose id occurs neither in ARC-AGI-1 nor in
/// ARC-AGI-2 evaluation. Most of ARC-AGI-2 training is ARC-AGI-1, its evaluation tasks included, so
/// only the new ones can serve as tasks that nothing was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NewPart {
    /// Every new task.
    Whole,
    /// Tasks to look at: the SHA-256 of the id, read as a number, is even.
    Look,
    /// Tasks to hold back, only to count on: the number is odd.
    Hold,
}

impl NewPart {
    /// Every part.
    pub const EVERY: [NewPart; 3] = [NewPart::Whole, NewPart::Look, NewPart::Hold];

    /// The name: `new`, `look` or `hold`.
    pub fn name(self) -> &'static str {
        match self {
            NewPart::Whole => "new",
            NewPart::Look => "look",
            NewPart::Hold => "hold",
        }
    }

    /// Whether a new task with this id belongs to the part.
    ///
    /// ```
    /// use leyden_grid::TaskId;
    /// use leyden_store::NewPart;
    ///
    /// let id = TaskId::new("anything").unwrap();
    /// assert!(NewPart::Whole.has(&id));
    /// assert_ne!(NewPart::Look.has(&id), NewPart::Hold.has(&id));
    /// ```
    pub fn has(self, id: &TaskId) -> bool {
        let digest = Sha256::digest(id.as_str().as_bytes());
        let is_even = digest.last().is_some_and(|byte| byte % 2 == 0);
        match self {
            NewPart::Whole => true,
            NewPart::Look => is_even,
            NewPart::Hold => !is_even,
        }
    }

    fn from_name(name: &str) -> Option<NewPart> {
        NewPart::EVERY.into_iter().find(|part| part.name() == name)
    }
}

/// A user's choice of a data set: a known name or a path.
///
/// ```
/// use leyden_store::{Collection, DataSpec, Subset};
///
/// let named: DataSpec = "arc1:training".parse()?;
/// assert_eq!(named, DataSpec::Named(Collection::Arc1, Subset::Training));
///
/// let path: DataSpec = "my/tasks:evaluation".parse()?;
/// assert_eq!(path, DataSpec::Path("my/tasks".into(), Some(Subset::Evaluation)));
///
/// // What looks like a name is one; a path that looks like a name is written with "./".
/// assert!("arc1".parse::<DataSpec>().is_err());
/// assert_eq!("./arc1".parse::<DataSpec>()?, DataSpec::Path("./arc1".into(), None));
/// # Ok::<(), leyden_store::StoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataSpec {
    /// The built-in tasks.
    Demo,
    /// A part of a collection in the cache.
    Named(Collection, Subset),
    /// A part of the new tasks of ARC-AGI-2.
    New(NewPart),
    /// A file or directory, and a part of it.
    Path(PathBuf, Option<Subset>),
}

impl DataSpec {
    /// The collections of the cache that it is read from.
    pub fn collections(&self) -> Vec<Collection> {
        match self {
            DataSpec::Named(collection, _) => vec![*collection],
            DataSpec::New(_) => vec![Collection::Arc2, Collection::Arc1],
            DataSpec::Demo | DataSpec::Path(..) => Vec::new(),
        }
    }
}

impl FromStr for DataSpec {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<DataSpec, StoreError> {
        let (name, suffix) = match text.rsplit_once(':') {
            Some((name, suffix)) => (name, Some(suffix)),
            None => (text, None),
        };
        if name == "demo" && suffix.is_none() {
            return Ok(DataSpec::Demo);
        }
        match Collection::from_name(name) {
            Some(collection) => named(text, collection, suffix),
            None => Ok(old_word(text).unwrap_or_else(|| path(text, name, suffix))),
        }
    }
}

/// Accepts the words of tokpidjin's scripts for the halves of ARC Prize 2025. A file or directory
/// of this name takes precedence.
fn old_word(text: &str) -> Option<DataSpec> {
    let subset = match text {
        "train" => Subset::Training,
        "eval" => Subset::Evaluation,
        "both" => Subset::All,
        _ => return None,
    };
    let is_path = std::path::Path::new(text).exists();
    (!is_path).then_some(DataSpec::Named(Collection::Kaggle2025, subset))
}

fn named(text: &str, collection: Collection, suffix: Option<&str>) -> Result<DataSpec, StoreError> {
    let new = suffix.filter(|_| collection == Collection::Arc2);
    if let Some(part) = new.and_then(NewPart::from_name) {
        return Ok(DataSpec::New(part));
    }
    let subset = suffix
        .and_then(Subset::from_name)
        .filter(|&subset| subset != Subset::Test);
    let subset = subset.ok_or_else(|| StoreError::WhichSubset {
        spec: text.to_owned(),
        choices: spell_parts(collection),
    })?;
    Ok(DataSpec::Named(collection, subset))
}

fn path(text: &str, name: &str, suffix: Option<&str>) -> DataSpec {
    match suffix.and_then(Subset::from_name) {
        Some(subset) => DataSpec::Path(name.into(), Some(subset)),
        None => DataSpec::Path(text.into(), None),
    }
}

/// Joins the specs of a collection, for a message.
fn spell_parts(collection: Collection) -> String {
    let subsets = [Subset::Training, Subset::Evaluation, Subset::All];
    let mut parts: Vec<&str> = subsets.map(Subset::name).into();
    if collection == Collection::Arc2 {
        parts.extend(NewPart::EVERY.map(NewPart::name));
    }
    spell(collection.name(), &parts)
}

/// Joins the specs that a user can choose from, for a message.
pub(crate) fn spell_choices(name: &str, subsets: &[Subset]) -> String {
    let all = (subsets.len() > 1).then_some(Subset::All);
    let mut subsets: Vec<Subset> = subsets.iter().copied().chain(all).collect();
    subsets.sort();
    let parts: Vec<&str> = subsets.into_iter().map(Subset::name).collect();
    spell(name, &parts)
}

fn spell(name: &str, parts: &[&str]) -> String {
    let specs = parts.iter().map(|part| format!("{name}:{part}"));
    let specs: Vec<String> = specs.collect();
    match specs.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => specs.concat(),
    }
}

/// Joins the names of all data sets that need no path, for a message.
pub(crate) fn known_names() -> String {
    let names = Collection::EVERY.into_iter().map(Collection::name);
    let names = names.collect::<Vec<_>>().join(", ");
    format!("demo, {names} (all but demo with a part, such as arc1:training)")
}

/// Writes the spec as users type it.
impl fmt::Display for DataSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataSpec::Demo => f.write_str("demo"),
            DataSpec::Named(collection, subset) => write!(f, "{}:{subset}", collection.name()),
            DataSpec::New(part) => write!(f, "{}:{}", Collection::Arc2.name(), part.name()),
            DataSpec::Path(path, None) => path.display().fmt(f),
            DataSpec::Path(path, Some(subset)) => write!(f, "{}:{subset}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: DataSpec) {
        let spec: DataSpec = text.parse().unwrap();
        assert_eq!(spec, expected);
        assert_eq!(spec.to_string(), text);
    }

    #[test]
    fn names_and_paths_are_told_apart() {
        check("demo", DataSpec::Demo);
        check("arc2:all", DataSpec::Named(Collection::Arc2, Subset::All));
        check(
            "arc1-2019:training",
            DataSpec::Named(Collection::Arc1From2019, Subset::Training),
        );
        check(
            "data:training",
            DataSpec::Path("data".into(), Some(Subset::Training)),
        );
        check(
            "odd:name.json",
            DataSpec::Path("odd:name.json".into(), None),
        );
        check("./demo", DataSpec::Path("./demo".into(), None));
    }

    #[test]
    fn only_arc_agi_2_has_new_tasks() {
        for part in NewPart::EVERY {
            check(&format!("arc2:{}", part.name()), DataSpec::New(part));
            assert!(format!("arc1:{}", part.name()).parse::<DataSpec>().is_err());
        }
        check("mine:look", DataSpec::Path("mine:look".into(), None));
        let error = "arc2".parse::<DataSpec>().unwrap_err().to_string();
        let choices = "arc2:training, arc2:evaluation, arc2:all, arc2:new, arc2:look or arc2:hold";
        assert_eq!(error, format!("choose one of the parts {choices}"));
    }

    #[test]
    fn the_digest_of_an_id_decides_its_half() {
        // The digests of these two texts are well known; they end in 15ad and e592.
        assert!(NewPart::Hold.has(&TaskId::new("abc").unwrap()));
        let fox = TaskId::new("The quick brown fox jumps over the lazy dog");
        assert!(NewPart::Look.has(&fox.unwrap()));
        let ids = (0..1000).map(|k| TaskId::new(format!("{k:08x}")).unwrap());
        let n_look = ids.filter(|id| NewPart::Look.has(id)).count();
        assert!((400..600).contains(&n_look), "{n_look}");
    }

    #[test]
    fn every_collection_can_be_named() {
        for collection in Collection::EVERY {
            for subset in [Subset::Training, Subset::Evaluation] {
                let text = format!("{}:{subset}", collection.name());
                check(&text, DataSpec::Named(collection, subset));
            }
        }
    }

    #[test]
    fn words_of_the_old_scripts_name_arc_prize_2025() {
        let named = |subset| DataSpec::Named(Collection::Kaggle2025, subset);
        assert_eq!(
            "train".parse::<DataSpec>().unwrap(),
            named(Subset::Training)
        );
        assert_eq!(
            "eval".parse::<DataSpec>().unwrap(),
            named(Subset::Evaluation)
        );
        assert_eq!("both".parse::<DataSpec>().unwrap(), named(Subset::All));
        check("./train", DataSpec::Path("./train".into(), None));
    }

    #[test]
    fn a_name_needs_its_subset() {
        let expected = "choose one of the parts arc1:training, arc1:evaluation or arc1:all";
        assert_eq!(
            "arc1".parse::<DataSpec>().unwrap_err().to_string(),
            expected
        );
        assert!("arc1:test".parse::<DataSpec>().is_err());
        assert!("arc1:foo".parse::<DataSpec>().is_err());
    }
}
