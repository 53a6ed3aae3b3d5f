//! The search never sees a test output: its sources do not name the types that have one.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// The types that hold test outputs, and the crate that could load them.
const FORBIDDEN: [&str; 4] = ["Task", "TestCase", "DataSet", "leyden_store"];

fn sources(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// The words of a line of code; none for a comment.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_comment = line.trim_start().starts_with("//");
    let code = if is_comment { "" } else { line };
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn nothing_that_knows_answers_is_named_in_the_sources() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = sources(&directory);
    assert!(files.len() > 5, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        // Tests, at the end of a file, may compare with answers.
        let code = text.split("#[cfg(test)]").next().unwrap();
        for (k, line) in code.lines().enumerate() {
            let found = words(line).find(|word| FORBIDDEN.contains(word));
            assert_eq!(found, None, "{}:{}", file.display(), k + 1);
        }
    }
}
