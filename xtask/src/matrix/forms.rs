//! The forms in which people keep programs, made from the files in tests/forms.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::Outcome;

use super::cell::Leyden;

/// The tasks of the matrix, which every file of tests/forms solves.
pub(super) const TASKS: [&str; 5] = ["1e7d0002", "1e7d0006", "1e7d0009", "1e7d0010", "1e7d0047"];

/// The columns: each dialect, and programs of all three together.
pub(super) const DIALECTS: [&str; 3] = ["arc-dsl", "re-arc", "tokpidjin"];
pub(super) const MIXED: &str = "mixed";

/// A form, and its path below the directory of its dialect.
pub(super) struct Form {
    pub(super) name: &'static str,
    pub(super) path: &'static str,
    make: Maker,
}

impl Form {
    /// Whether the column has this form. Only tokpidjin generates batt files, and a Python module
    /// imports one dialect.
    pub(super) fn exists_in(&self, column: &str) -> bool {
        match self.name {
            "generated batt" => column == "tokpidjin",
            "Python battery" => column != MIXED,
            _ => true,
        }
    }

    /// Whether the form is one text whose last program solves its task, whatever the dialect.
    pub(super) fn is_text(&self) -> bool {
        ["file", "text form", ".batt"].contains(&self.name)
    }
}

/// The file of proposals for a file of programs.
pub(super) fn proposals_beside(programs: &str) -> String {
    format!("{programs}.jsonl")
}

/// Makes a form from a directory that has the plain files: `solvers.py`, or several.
type Maker = fn(&Leyden, &Path) -> Outcome;

pub(super) const FORMS: [Form; 10] = [
    Form {
        name: "file",
        path: "solvers.py",
        make: |_, _| Ok(()),
    },
    Form {
        name: "name without suffix",
        path: "solvers",
        make: |_, _| Ok(()),
    },
    Form {
        name: "directory, a file a program",
        path: "single",
        make: single_files,
    },
    Form {
        name: "solver_dir",
        path: "solver_dir",
        make: solver_dir,
    },
    Form {
        name: "solver_md5",
        path: "solver_md5",
        make: |_, _| Ok(()),
    },
    Form {
        name: "text form",
        path: "solvers.leyden",
        make: text_form,
    },
    Form {
        name: ".batt",
        path: "card.batt",
        make: |leyden, dir| card(leyden, dir, "card.batt"),
    },
    Form {
        name: "Python battery",
        path: "card.py",
        make: |leyden, dir| card(leyden, dir, "card.py"),
    },
    Form {
        name: "generated batt",
        path: "generated/batt.py",
        make: |_, _| Ok(()),
    },
    Form {
        name: "store",
        path: "library.db",
        make: store,
    },
];

/// Makes all forms of all columns below `root`.
pub(super) fn make_all(leyden: &Leyden, sources: &Path, root: &Path) -> Outcome {
    for column in columns() {
        let dir = root.join(column);
        fs::create_dir_all(dir.join("generated"))?;
        let parts: Vec<&str> = DIALECTS
            .into_iter()
            .filter(|dialect| column == MIXED || *dialect == column)
            .collect();
        let texts = parts
            .iter()
            .map(|dialect| fs::read_to_string(sources.join(format!("{dialect}.py"))));
        let texts = texts.collect::<io::Result<Vec<String>>>()?;
        fs::write(dir.join("solvers.py"), plain_file(&texts))?;
        fs::copy(sources.join("batt.py"), dir.join("generated/batt.py"))?;
        for form in FORMS.iter().filter(|form| form.exists_in(column)) {
            (form.make)(leyden, &dir)?;
            if form.is_text() {
                write_proposals(&dir, form.path)?;
            }
        }
    }
    scoring_programs(sources, root)
}

/// Proposes a text of programs for every task.
fn write_proposals(dir: &Path, path: &str) -> Outcome {
    let text = fs::read_to_string(dir.join(path))?;
    let line = |task: &&str| format!("{}\n", json!({ "task": task, "program": text }));
    let lines: String = TASKS.iter().map(line).collect();
    Ok(fs::write(dir.join(proposals_beside(path)), lines)?)
}

/// Tokpidjin's differs, as a file and as its store keeps them.
fn scoring_programs(sources: &Path, root: &Path) -> Outcome {
    let text = fs::read_to_string(sources.join("differs.py"))?;
    fs::write(root.join("differs.py"), &text)?;
    for (name, body) in functions(&text) {
        let md5 = name.trim_start_matches("differ_");
        let place = root.join("differ_dir/solve_1e7d0006/1000/1");
        fs::create_dir_all(&place)?;
        fs::write(place.join(format!("{md5}.py")), anonymous(&name, &body))?;
    }
    Ok(())
}

/// The columns of the table, from left to right.
pub(super) fn columns() -> impl Iterator<Item = &'static str> {
    DIALECTS.into_iter().chain([MIXED])
}

/// Joins all programs in one file. A name that two dialects share gets a suffix in the later one.
fn plain_file(texts: &[String]) -> String {
    let suffixed = |(k, text): (usize, &String)| match k {
        0 => text.clone(),
        _ => TASKS.iter().fold(text.clone(), |text, id| {
            text.replace(&format!("solve_{id}"), &format!("solve_{id}_{k}"))
        }),
    };
    texts.iter().enumerate().map(suffixed).collect()
}

/// The programs of a plain file, each with its name.
fn programs(dir: &Path) -> io::Result<Vec<(String, String)>> {
    let text = fs::read_to_string(dir.join("solvers.py"))?;
    Ok(functions(&text).collect())
}

/// The functions of a module, each with its name and its text without `def`. A function ends at a
/// comment or an import.
fn functions(text: &str) -> impl Iterator<Item = (String, String)> {
    let heads = text.split("\ndef ").skip(1);
    heads.map(|head| {
        let name = head.split('(').next().unwrap_or_default().to_owned();
        let body = head
            .split(['\n'])
            .take_while(|line| !line.starts_with(['#', 'f']));
        (
            name,
            body.collect::<Vec<_>>().join("\n").trim_end().to_owned(),
        )
    })
}

/// A separate file for a program. Its function does not name the task.
fn anonymous(name: &str, body: &str) -> String {
    let kind = name.split('_').next().unwrap_or_default();
    let rest = body.strip_prefix(name).unwrap_or(body);
    format!("from dsl import *\nfrom constants import *\n\ndef {kind}{rest}\n")
}

fn single_files(_: &Leyden, dir: &Path) -> Outcome {
    let single = dir.join("single");
    fs::create_dir_all(&single)?;
    for (name, body) in programs(dir)? {
        let stem = name.split_once('_').map_or("", |(_, rest)| rest);
        fs::write(single.join(format!("{stem}.py")), anonymous(&name, &body))?;
    }
    Ok(())
}

/// Tokpidjin's store: `solver_dir/solve_<id>/<score>/<time>/<md5>.py`, links into `solver_md5/`.
/// One link leads nowhere, as happens when people copy a store.
fn solver_dir(_: &Leyden, dir: &Path) -> Outcome {
    let md5 = dir.join("solver_md5");
    fs::create_dir_all(&md5)?;
    for (k, (name, body)) in programs(dir)?.into_iter().enumerate() {
        let file = format!("{k:032x}.py");
        fs::write(md5.join(&file), anonymous(&name, &body))?;
        let id = name.split('_').nth(1).unwrap_or_default();
        let place = dir.join(format!("solver_dir/solve_{id}/4000/{k}"));
        fs::create_dir_all(&place)?;
        link(
            &PathBuf::from("../../../../solver_md5").join(&file),
            &place.join(&file),
        )?;
    }
    let place = dir.join("solver_dir/solve_1e7d0002/1000/9");
    fs::create_dir_all(&place)?;
    link(Path::new("../gone.py"), &place.join("gone.py"))
}

fn link(to: &Path, at: &Path) -> Outcome {
    Ok(symlink(to, at)?)
}

fn text_form(leyden: &Leyden, dir: &Path) -> Outcome {
    leyden.must(dir, &["import", "solvers.py", "--out", "solvers.leyden"])
}

fn card(leyden: &Leyden, dir: &Path, file: &str) -> Outcome {
    let args = ["card", "--all", "--freeze", "--solvers", "solvers.py"];
    leyden.must(dir, &[&args[..], &["--data", "demo", "-f", file]].concat())
}

fn store(leyden: &Leyden, dir: &Path) -> Outcome {
    let args = ["library", "import", "solvers.py", "--store", "library.db"];
    leyden.must(dir, &args)
}
