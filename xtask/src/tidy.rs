//! `cargo xtask tidy`: checks that neither the compiler nor clippy makes.
#![allow(clippy::print_stdout)]

mod absences;
mod map;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value as Json;

use crate::links::Documents;
use crate::{Outcome, licence, root};

/// Texts that no tracked file may have: paths of one machine, hosts that a client's configuration
/// decides, work put off. Each is written in two halves, so that this file may hold them.
const FORBIDDEN: [(&str, &str); 10] = [
    ("/wo", "rk/"),
    ("/ro", "ot/"),
    ("/ho", "me/"),
    ("/tm", "p/peers"),
    ("\"/t", "mp/"),
    ("pypi", ".org"),
    ("crates", ".io"),
    ("npm", "js."),
    ("todo", "!("),
    ("unimplemented", "!("),
];
/// Files that cargo writes. They name its index.
const LOCK_FILES: [&str; 2] = ["Cargo.lock", "fuzz/Cargo.lock"];
const LONG: usize = 900;

/// Checks files and dependencies.
pub(crate) fn run() -> Outcome {
    let mut found = Vec::new();
    let mut sources = BTreeMap::new();
    let names = tracked_files()?;
    found.extend(Documents::read(&names).problems());
    for name in names {
        // Binary files are skipped, and so is a file that was just deleted.
        if let Ok(text) = fs::read_to_string(root().join(&name)) {
            found.extend(forbidden_in(&name, &text));
            found.extend(words::unwanted_in(&name, &text));
            note_length(&name, &text);
            sources.insert(name, text);
        }
    }
    found.extend(absences::broken(&sources));
    let names: Vec<&str> = sources.keys().map(String::as_str).collect();
    found.extend(map::problems(&sources["ARCHITECTURE.md"], &names));
    let metadata = metadata()?;
    found.extend(absences::wrong_edges(&metadata));
    found.extend(dependency_problems(&metadata));
    let explained = fs::read_to_string(root().join("deny.toml"))?;
    found.extend(unexplained_duplicates(&metadata, &explained));
    let n_packages = list(&metadata, "packages").len();
    println!(
        "{} files and {n_packages} packages looked at",
        sources.len()
    );
    if found.is_empty() {
        Ok(())
    } else {
        Err(found.join("\n").into())
    }
}

/// The files that git tracks, and new ones that it does not ignore.
pub(crate) fn tracked_files() -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut git = Command::new("git");
    git.args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ]);
    let output = git.current_dir(root()).output()?;
    if !output.status.success() {
        return Err("`git ls-files` failed; tidy needs a clone".into());
    }
    let names = String::from_utf8(output.stdout)?;
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}

fn forbidden_in(name: &str, text: &str) -> Vec<String> {
    if LOCK_FILES.contains(&name) {
        return Vec::new();
    }
    let needles = FORBIDDEN.map(|(head, tail)| format!("{head}{tail}"));
    let at = |(k, line): (usize, &str)| {
        let needle = needles.iter().find(|needle| line.contains(*needle))?;
        Some(format!("{name}:{}: has `{needle}`", k + 1))
    };
    text.lines().enumerate().filter_map(at).collect()
}

/// Prints a note about a long source.
fn note_length(name: &str, text: &str) {
    let n_lines = text.lines().count();
    if n_lines > LONG && [".rs", ".py"].iter().any(|ending| name.ends_with(ending)) {
        println!("note: {name} has {n_lines} lines");
    }
}

/// The directory of cargo's output.
pub(crate) fn target_directory() -> Result<PathBuf, Box<dyn std::error::Error>> {
    Ok(PathBuf::from(text(&metadata()?, "target_directory")))
}

fn metadata() -> Result<Json, Box<dyn std::error::Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root());
    let output = command.stderr(std::process::Stdio::inherit()).output()?;
    if output.status.success() {
        Ok(serde_json::from_slice(&output.stdout)?)
    } else {
        Err("`cargo metadata --locked` failed".into())
    }
}

/// Checks licences, sources and versions: a small version of `cargo deny check bans licenses
/// sources`.
fn dependency_problems(metadata: &Json) -> Vec<String> {
    list(metadata, "packages")
        .iter()
        .flat_map(package_problems)
        .collect()
}

/// Crates in two versions for which `deny.toml` gives no reason, and reasons that are no longer
/// needed.
fn unexplained_duplicates(metadata: &Json, explained: &str) -> Vec<String> {
    let entry = |line: &str| {
        let (_, rest) = line.split_once("{ crate = \"")?;
        rest.split_once("\", reason = \"")
            .map(|(name, _)| name.to_owned())
    };
    let explained: BTreeSet<String> = explained.lines().filter_map(entry).collect();
    let duplicates = duplicates(list(metadata, "packages"));
    let complain = |name: &String, what: &str| format!("deny.toml: {name} {what}");
    let missing = duplicates.difference(&explained);
    let stale = explained.difference(&duplicates);
    missing
        .map(|name| complain(name, "is a second version without a reason"))
        .chain(stale.map(|name| complain(name, "is skipped and not there")))
        .collect()
}

/// `name@version` of all versions of a crate except for its newest.
fn duplicates(packages: &[Json]) -> BTreeSet<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        let versions = versions.entry(text(package, "name")).or_default();
        versions.push(text(package, "version"));
    }
    let mut older = BTreeSet::new();
    for (name, mut versions) in versions {
        versions.sort_by_key(|version| numbers_of(version));
        versions.pop();
        older.extend(versions.iter().map(|version| format!("{name}@{version}")));
    }
    older
}

fn numbers_of(version: &str) -> Vec<u64> {
    let parts = version.split(['.', '-', '+']);
    parts.map(|part| part.parse().unwrap_or(0)).collect()
}

fn package_problems(package: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let name = format!("{} {}", text(package, "name"), text(package, "version"));
    let licence = text(package, "license");
    if !licence::is_allowed(licence) && !licence::is_excepted(text(package, "name"), licence) {
        found.push(format!(
            "{name}: the licence `{licence}` is not on the list"
        ));
    }
    match text(package, "source") {
        "" => found.extend(wildcards(package, &name)),
        source if source.starts_with("registry+") => {}
        source => found.push(format!(
            "{name}: comes from {source}, not from the registry"
        )),
    }
    found
}

/// Our dependencies on any version at all. A path within the workspace needs no version.
fn wildcards(package: &Json, name: &str) -> Vec<String> {
    let any = |dependency: &&Json| text(dependency, "req") == "*" && dependency["path"].is_null();
    let complaint =
        |dependency: &Json| format!("{name}: any version of {}", text(dependency, "name"));
    list(package, "dependencies")
        .iter()
        .filter(any)
        .map(complaint)
        .collect()
}

fn list<'a>(json: &'a Json, key: &str) -> &'a [Json] {
    json[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(json: &'a Json, key: &str) -> &'a str {
    json[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_of_one_machine_is_found_with_its_line() {
        let text = format!("fine\nopen('/wo{}main')\n", "rk/");
        assert_eq!(forbidden_in("a.py", &text).len(), 1);
        assert!(forbidden_in("a.py", &text)[0].starts_with("a.py:2: "));
        assert!(forbidden_in("Cargo.lock", &text).is_empty());
        assert!(forbidden_in("a.py", "network/rooted\n").is_empty());
    }

    #[test]
    fn odd_packages_are_found() {
        let package = |licence: &str, source: &str| {
            let json =
                json!({ "name": "a", "version": "1.0.0", "license": licence, "source": source });
            package_problems(&json).len()
        };
        assert_eq!(package("MIT", "registry+index"), 0);
        assert_eq!(package("GPL-3.0", "registry+index"), 1);
        assert_eq!(package("MIT", "git+somewhere"), 1);
        assert_eq!(package("", "git+somewhere"), 2);
    }

    #[test]
    fn a_second_version_needs_a_reason() {
        let package = |version: &str| json!({ "name": "a", "version": version });
        let metadata = json!({ "packages": [package("0.10.0"), package("0.9.1")] });
        let problems = |explained: &str| unexplained_duplicates(&metadata, explained);
        assert_eq!(
            problems(""),
            ["deny.toml: a@0.9.1 is a second version without a reason"]
        );
        let entry = "    { crate = \"a@0.9.1\", reason = \"b needs it\" },\n";
        assert!(problems(entry).is_empty());
        let stale = entry.replace("0.9.1", "0.8.0");
        assert_eq!(problems(&(entry.to_owned() + &stale)).len(), 1);
    }

    #[test]
    fn any_version_is_too_many() {
        let on = |req: &str, path: Json| {
            let dependency = json!({ "name": "b", "req": req, "path": path });
            let package = json!({ "license": "MIT", "source": null, "dependencies": [dependency] });
            package_problems(&package).len()
        };
        assert_eq!(on("*", Json::Null), 1);
        assert_eq!(on("^1", Json::Null), 0);
        assert_eq!(on("*", json!("crates/b")), 0);
    }
}
