//! The invariants of ARCHITECTURE.md that are absences: a word that only some files may use.
//!
//! Each rule names a pattern, the files it holds for and the files that may break it. A file that is
//! excused and has no need of it is a finding, too: exceptions do not outlive their reason.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::{list, text};

/// A pattern that no file of some folders holds, except for the excused ones.
struct Absence {
    /// Any of these breaks the rule.
    patterns: &'static [&'static str],
    folders: &'static [&'static str],
    excused: &'static [&'static str],
    rule: &'static str,
}

const ABSENCES: [Absence; 7] = [
    Absence {
        patterns: &["std::fs", "fs::", "File::"],
        folders: &[
            "crates/leyden-grid/src/",
            "crates/leyden-dsl/src/",
            "crates/leyden-lang/src/",
            "crates/leyden-exec/src/",
            "crates/leyden-search/src/",
            "crates/leyden-profile/src/",
            "crates/leyden-gpu/src/",
        ],
        excused: &[],
        rule: "only leyden-store, the command and the Python package open files",
    },
    Absence {
        patterns: &["Instant::now", "SystemTime::now", "quanta::"],
        folders: &["crates/"],
        excused: &[
            "crates/leyden-exec/src/record/clock.rs",
            "crates/leyden-gpu/src/times.rs",
            "crates/leyden-py/src/own.rs",
            "crates/leyden/src/clock.rs",
            "crates/leyden/src/profiling/machine.rs",
        ],
        rule: "results depend on counts, so few files read a clock",
    },
    Absence {
        patterns: &["std::net", "TcpListener", "TcpStream", "UdpSocket"],
        folders: &["crates/"],
        excused: &[
            "crates/leyden-explore/src/guard.rs",
            "crates/leyden-explore/src/server.rs",
            "crates/leyden/src/args/explore.rs",
        ],
        rule: "only leyden-explore opens a socket, and it listens on loopback by default",
    },
    Absence {
        patterns: &["allow(unsafe_code)"],
        folders: &["crates/"],
        excused: &[
            "crates/leyden-gpu/src/cuda/calls.rs",
            "crates/leyden-gpu/src/opencl/calls.rs",
            "crates/leyden-py/src/buffer.rs",
            "crates/leyden-py/src/dsl/ffi.rs",
            "crates/leyden-py/src/grid.rs",
            "crates/leyden-py/src/tuples.rs",
        ],
        rule: "unsafe code stands in the modules that speak C",
    },
    Absence {
        patterns: &["clippy::print_stdout", "clippy::print_stderr"],
        folders: &["crates/"],
        excused: &[],
        rule: "only the command writes to the terminal, through output.rs",
    },
    Absence {
        patterns: &["crate::commands"],
        folders: &[
            "crates/leyden/src/args/",
            "crates/leyden/src/parts/",
            "crates/leyden/src/pipeline/",
            "crates/leyden/src/profiling/",
            "crates/leyden/src/programs",
            "crates/leyden/src/report/",
            "crates/leyden/src/search/",
        ],
        excused: &[],
        rule: "commands call the rest, and nothing calls commands",
    },
    Absence {
        patterns: &[
            "crate::args",
            "crate::parts",
            "crate::profiling",
            "crate::report",
        ],
        folders: &["crates/leyden/src/pipeline/"],
        excused: &[],
        rule: "the pipeline gives plain values; commands hand them to reports, parts and profiles",
    },
];

/// The Leyden crates that each crate may build on. Its tests may use others.
const BUILDS_ON: [(&str, &[&str]); 11] = [
    ("leyden-grid", &[]),
    ("leyden-dsl", &[]),
    ("leyden-lang", &["leyden-dsl"]),
    ("leyden-profile", &["leyden-grid"]),
    (
        "leyden-exec",
        &["leyden-dsl", "leyden-grid", "leyden-lang", "leyden-profile"],
    ),
    (
        "leyden-search",
        &[
            "leyden-dsl",
            "leyden-exec",
            "leyden-grid",
            "leyden-lang",
            "leyden-profile",
        ],
    ),
    (
        "leyden-gpu",
        &["leyden-dsl", "leyden-exec", "leyden-grid", "leyden-lang"],
    ),
    ("leyden-store", &["leyden-grid", "leyden-lang"]),
    ("leyden-explore", &["leyden-dsl"]),
    (
        "leyden",
        &[
            "leyden-dsl",
            "leyden-exec",
            "leyden-explore",
            "leyden-gpu",
            "leyden-grid",
            "leyden-lang",
            "leyden-profile",
            "leyden-search",
            "leyden-store",
        ],
    ),
    (
        "leyden-py",
        &[
            "leyden",
            "leyden-dsl",
            "leyden-exec",
            "leyden-grid",
            "leyden-lang",
            "leyden-store",
        ],
    ),
];

/// Checks the sources against [`ABSENCES`].
pub(super) fn broken(sources: &BTreeMap<String, String>) -> Vec<String> {
    ABSENCES
        .iter()
        .flat_map(|absence| absence.broken(sources))
        .collect()
}

impl Absence {
    fn broken(&self, sources: &BTreeMap<String, String>) -> Vec<String> {
        let mut found = Vec::new();
        for (name, source) in sources.iter().filter(|(name, _)| self.holds_for(name)) {
            let uses = self.uses(source);
            let is_excused = self.excused.contains(&name.as_str());
            if is_excused && uses.is_empty() {
                found.push(format!("{name}: needs no exception from: {}", self.rule));
            }
            if !is_excused {
                found.extend(uses.iter().map(|(line, pattern)| {
                    format!("{name}:{line}: has `{pattern}`; {}", self.rule)
                }));
            }
        }
        let is_missing = |name: &&&str| !sources.contains_key(**name);
        let missing = self.excused.iter().filter(is_missing);
        found.extend(missing.map(|name| format!("{name}: is excused from a rule and not there")));
        found
    }

    fn holds_for(&self, name: &str) -> bool {
        let is_source = name.ends_with(".rs") && !is_test(name);
        is_source && self.folders.iter().any(|folder| name.starts_with(folder))
    }

    fn uses(&self, source: &str) -> Vec<(usize, &'static str)> {
        let code = source.lines().take_while(|line| !begins_tests(line));
        let at = |(k, line): (usize, &str)| {
            let code = line.split("//").next().unwrap_or_default();
            let pattern = self.patterns.iter().find(|it| has_word(code, it))?;
            Some((k + 1, *pattern))
        };
        code.enumerate().filter_map(at).collect()
    }
}

/// Tests, examples and build scripts may do as they like.
fn is_test(name: &str) -> bool {
    let folders = ["/tests/", "/examples/", "/benches/"];
    folders.iter().any(|folder| name.contains(folder))
        || ["/tests.rs", "/build.rs"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// Unit tests stand at the end of a file.
fn begins_tests(line: &str) -> bool {
    line.trim() == "#[cfg(test)]"
}

/// Does a line hold a pattern that does not continue a longer name?
fn has_word(code: &str, pattern: &str) -> bool {
    let continues = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let mut places = code.match_indices(pattern);
    places.any(|(at, _)| !continues(&code[..at]))
}

/// Checks the crates against [`BUILDS_ON`].
pub(super) fn wrong_edges(metadata: &Json) -> Vec<String> {
    let ours = list(metadata, "packages").iter().filter(|package| {
        let name = text(package, "name");
        text(package, "source").is_empty() && name.starts_with("leyden")
    });
    ours.flat_map(wrong_edges_of).collect()
}

fn wrong_edges_of(package: &Json) -> Vec<String> {
    let name = text(package, "name");
    let Some((_, allowed)) = BUILDS_ON.iter().find(|(crate_name, _)| *crate_name == name) else {
        let complaint = format!("{name}: absences.rs does not say what it builds on");
        return if is_tool(name) {
            Vec::new()
        } else {
            vec![complaint]
        };
    };
    let is_for_users = |dependency: &&Json| dependency["kind"].is_null();
    let dependencies = list(package, "dependencies").iter().filter(is_for_users);
    let ours = dependencies.map(|dependency| text(dependency, "name"));
    let wrong = ours.filter(|on| on.starts_with("leyden") && !allowed.contains(on));
    wrong
        .map(|on| format!("{name}: builds on {on}, which stands beside or above it"))
        .collect()
}

/// Crates that only this repository uses.
fn is_tool(name: &str) -> bool {
    ["leyden-benches", "leyden-fuzz"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn broken_by(files: &[(&str, &str)]) -> Vec<String> {
        let excused = ABSENCES.iter().flat_map(|absence| {
            let source = absence.patterns[0].to_owned();
            absence
                .excused
                .iter()
                .map(move |name| (*name, source.clone()))
        });
        let mut sources: BTreeMap<String, String> = excused
            .map(|(name, source)| (name.to_owned(), source))
            .collect();
        for (name, source) in files {
            sources.insert((*name).to_owned(), (*source).to_owned());
        }
        broken(&sources)
    }

    #[test]
    fn a_file_that_an_engine_opens_is_found() {
        assert!(broken_by(&[]).is_empty());
        let found = broken_by(&[("crates/leyden-exec/src/a.rs", "fine\nuse std::fs;\n")]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with("crates/leyden-exec/src/a.rs:2: "),
            "{found:?}"
        );
        let comment = "// std::fs\nlet offs::x = 1;\n#[cfg(test)]\nuse std::fs;\n";
        assert!(broken_by(&[("crates/leyden-exec/src/a.rs", comment)]).is_empty());
        assert!(broken_by(&[("crates/leyden-exec/tests/a.rs", "use std::fs;")]).is_empty());
    }

    #[test]
    fn a_socket_outside_the_server_is_found() {
        let listens = "use std::net::TcpListener;\n";
        let by = |name: &str| broken_by(&[(name, listens)]).len();
        assert_eq!(by("crates/leyden-explore/src/server.rs"), 0);
        assert_eq!(by("crates/leyden-explore/tests/a.rs"), 0);
        assert_eq!(by("crates/leyden-explore/src/page.rs"), 1);
        assert_eq!(by("crates/leyden/src/explore/runs.rs"), 1);
    }

    #[test]
    fn an_exception_without_need_is_found() {
        let found = broken_by(&[("crates/leyden/src/clock.rs", "")]);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_crate_builds_on_those_below_it() {
        let on = |name: &str, kind: Json| {
            let dependency = json!({ "name": name, "kind": kind });
            let package = json!({ "name": "leyden-lang", "dependencies": [dependency] });
            wrong_edges(&json!({ "packages": [package] })).len()
        };
        assert_eq!(on("leyden-dsl", Json::Null), 0);
        assert_eq!(on("leyden-exec", Json::Null), 1);
        assert_eq!(on("leyden-exec", json!("dev")), 0);
        let unknown = json!({ "name": "leyden-new", "dependencies": [] });
        assert_eq!(wrong_edges(&json!({ "packages": [unknown] })).len(), 1);
    }
}
