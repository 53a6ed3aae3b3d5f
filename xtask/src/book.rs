//! `cargo xtask book`: the documents as a site with search, made by mdBook.
//!
//! The pages lie where a reader of plain files expects them, README.md at the root and the rest in
//! docs. mdBook wants all of them below one directory. So this command copies them there in their
//! places, with the files that they link to. Links work in both.
#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ci::finished;
use crate::links::{Documents, SUMMARY, targets};
use crate::{Outcome, root, tidy};

/// The directory in which book.toml looks for pages.
const PAGES: &str = "target/book/pages";
/// The directory in which book.toml puts the site.
const SITE: &str = "target/book/site";
/// The directory for mdBook, if the machine has none.
const TOOLS: &str = "target/tools";
const VERSION: &str = "^0.5";

/// Builds the site and prints its place.
pub(crate) fn run() -> Outcome {
    let names = tidy::tracked_files()?;
    let documents = Documents::read(&names);
    let problems = documents.problems();
    if !problems.is_empty() {
        return Err(problems.join("\n").into());
    }
    let mdbook = mdbook()?;
    let n_pages = gather(&documents)?;
    let mut command = Command::new(mdbook);
    command.arg("build").current_dir(root());
    finished(command)?;
    let dead = dead_links(&root().join(SITE))?;
    if !dead.is_empty() {
        return Err(dead.join("\n").into());
    }
    println!(
        "{n_pages} pages: {}",
        root().join(SITE).join("index.html").display()
    );
    Ok(())
}

/// Copies the pages of the summary, and the files that they link to, into an emptied directory.
fn gather(documents: &Documents) -> Result<usize, Box<dyn std::error::Error>> {
    _ = fs::remove_dir_all(root().join(PAGES));
    let summary = documents
        .text(SUMMARY)
        .ok_or("docs/SUMMARY.md is missing")?;
    let pages: BTreeSet<String> = targets(SUMMARY, summary).into_iter().collect();
    let linked = |name: &String| targets(name, documents.text(name).unwrap_or_default());
    let files: BTreeSet<String> = pages.iter().flat_map(linked).chain(pages.clone()).collect();
    for name in &files {
        copy(name)?;
    }
    fs::write(
        root().join(PAGES).join("SUMMARY.md"),
        from_the_root(summary),
    )?;
    Ok(pages.len())
}

/// Copies a file. A directory is skipped: a site has no page for it.
fn copy(name: &str) -> Outcome {
    let (from, to) = (root().join(name), root().join(PAGES).join(name));
    if from.is_file() {
        fs::create_dir_all(to.parent().unwrap_or(Path::new(PAGES)))?;
        fs::copy(from, to)?;
    }
    Ok(())
}

/// Rewrites the summary's links for one directory higher.
fn from_the_root(summary: &str) -> String {
    summary.replace("](", "](docs/").replace("](docs/../", "](")
}

/// Links of the site that lead to no file. mdBook makes pages of Markdown files; `tidy` has already
/// checked the links between those.
fn dead_links(directory: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut dead = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            dead.extend(dead_links(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "html") {
            dead.extend(dead_links_of(&path)?);
        }
    }
    Ok(dead)
}

/// Dead links of a page. The page for missing pages may lie anywhere, so its links are absolute.
fn dead_links_of(page: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let text = fs::read_to_string(page)?;
    let directory = page.parent().unwrap_or(page);
    let is_dead = |target: &&str| {
        let path = target.split('#').next().unwrap_or_default();
        !target.contains(':') && !target.starts_with('/') && !directory.join(path).exists()
    };
    let targets = ["href=\"", "src=\""].into_iter().flat_map(|name| {
        let rests = text.split(name).skip(1);
        rests.filter_map(|rest| rest.split('"').next())
    });
    let dead = targets.filter(is_dead);
    Ok(dead
        .map(|it| format!("{}: `{it}` leads to no file", page.display()))
        .collect())
}

/// The machine's mdBook, or the one installed below target.
fn mdbook() -> Result<PathBuf, Box<dyn std::error::Error>> {
    let own = root().join(TOOLS).join("bin/mdbook");
    let candidates = [PathBuf::from("mdbook"), own.clone()];
    if let Some(found) = candidates.into_iter().find(|it| is_runnable(it)) {
        return Ok(found);
    }
    println!("mdbook is missing: installing it into {TOOLS}; this takes some minutes, once");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args([
        "install",
        "mdbook",
        "--locked",
        "--version",
        VERSION,
        "--root",
    ]);
    command.arg(root().join(TOOLS));
    finished(command)?;
    Ok(own)
}

fn is_runnable(program: &Path) -> bool {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::from_the_root;

    #[test]
    fn the_summary_is_read_from_the_root() {
        let summary = "[A](../README.md)\n- [B](tutorial.md)\n";
        let expected = "[A](README.md)\n- [B](docs/tutorial.md)\n";
        assert_eq!(from_the_root(summary), expected);
    }
}
