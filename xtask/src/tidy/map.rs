//! The file map of ARCHITECTURE.md against the tree: each path in it exists, each folder of sources is in it,
//! and each file that a row names lies in the row's folder or beside it.

use std::collections::BTreeSet;

const HEADING: &str = "## File map";
const MOST_LINES: usize = 250;

/// Checks the text of ARCHITECTURE.md against the names of all files.
pub(super) fn problems(architecture: &str, files: &[&str]) -> Vec<String> {
    let rows: Vec<Row> = architecture
        .lines()
        .skip_while(|line| *line != HEADING)
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter_map(Row::of_line)
        .collect();
    let mut found: Vec<String> = rows.iter().flat_map(|row| row.missing(files)).collect();
    found.extend(unmapped(&rows, files));
    let n_lines = architecture.lines().count();
    if n_lines > MOST_LINES {
        found.push(format!(
            "it has {n_lines} lines, and {MOST_LINES} are enough"
        ));
    }
    found
        .iter()
        .map(|problem| format!("ARCHITECTURE.md: {problem}"))
        .collect()
}

/// A row: folders on the left, names of files on the right.
struct Row<'t> {
    folders: Vec<&'t str>,
    names: Vec<&'t str>,
}

impl<'t> Row<'t> {
    fn of_line(line: &'t str) -> Option<Row<'t>> {
        let (left, right) = line.strip_prefix("| `")?.split_once('|')?;
        let folders = left.split(['`', ',', ' ']).filter(|it| !it.is_empty());
        let is_source = |name: &&str| name.ends_with(".rs") && !name.contains('*');
        Some(Row {
            folders: folders.collect(),
            names: quoted(right).filter(is_source).collect(),
        })
    }

    fn missing(&self, files: &[&str]) -> Vec<String> {
        let folders = self.folders.iter().filter(|it| !is_folder(it, files));
        let folders = folders.map(|folder| format!("there is no folder {folder}"));
        let names = self.names.iter().filter(|it| !self.has(it, files));
        let names = names.map(|name| format!("there is no {name} in {}", self.folders.join(", ")));
        folders.chain(names).collect()
    }

    /// A module's file may lie beside its folder.
    fn has(&self, name: &str, files: &[&str]) -> bool {
        self.folders.iter().any(|folder| {
            let parent = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
            [folder, parent]
                .iter()
                .any(|place| files.contains(&format!("{place}/{name}").as_str()))
        })
    }
}

fn is_folder(folder: &str, files: &[&str]) -> bool {
    let prefix = format!("{folder}/");
    files.iter().any(|file| file.starts_with(&prefix))
}

/// The texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn unmapped(rows: &[Row<'_>], files: &[&str]) -> Vec<String> {
    let mapped: BTreeSet<&str> = rows.iter().flat_map(|row| row.folders.clone()).collect();
    let sources = files.iter().filter(|file| {
        file.starts_with("crates/") && file.contains("/src/") && file.ends_with(".rs")
    });
    let folders: BTreeSet<&str> = sources
        .filter_map(|file| Some(file.rsplit_once('/')?.0))
        .collect();
    folders
        .difference(&mapped)
        .map(|folder| format!("the file map lacks {folder}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "# A\n## File map\n\n| where | contents |\n|---|---|\n\
        | `crates/a/src` | `lib.rs` and `b.rs` (`Task`) |\n| `crates/a/src/b` | `b.rs`, `c.rs` |\n## End\n";
    const FILES: [&str; 3] = [
        "crates/a/src/lib.rs",
        "crates/a/src/b.rs",
        "crates/a/src/b/c.rs",
    ];

    #[test]
    fn a_map_that_fits_is_fine() {
        assert_eq!(problems(MAP, &FILES), Vec::<String>::new());
    }

    #[test]
    fn a_folder_or_file_that_is_gone_is_found() {
        let found = problems(MAP, &FILES[..1]);
        assert_eq!(found.len(), 4, "{found:?}");
    }

    #[test]
    fn a_folder_outside_the_map_is_found() {
        let files = [&FILES[..], &["crates/a/src/d/mod.rs"]].concat();
        assert_eq!(
            problems(MAP, &files),
            ["ARCHITECTURE.md: the file map lacks crates/a/src/d"]
        );
    }

    #[test]
    fn a_long_text_is_found() {
        let long = MAP.to_owned() + &"\n".repeat(MOST_LINES);
        assert_eq!(problems(&long, &FILES).len(), 1);
    }
}
