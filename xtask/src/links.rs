//! Checks links between documents: every relative link of a Markdown file leads to a file, every
//! anchor to a heading, and every page below docs is in the book's summary.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path};

use crate::root;

/// The table of contents of the book.
pub(crate) const SUMMARY: &str = "docs/SUMMARY.md";

/// A link of a document, as written.
pub(crate) struct Link {
    line: usize,
    target: String,
}

/// The documents of the project by their names, with `/` between the parts.
pub(crate) struct Documents(BTreeMap<String, String>);

impl Documents {
    /// Reads the Markdown files among these.
    pub(crate) fn read(names: &[String]) -> Documents {
        let is_document = |name: &&String| name.ends_with(".md");
        let read =
            |name: &String| Some((name.clone(), fs::read_to_string(root().join(name)).ok()?));
        Documents(names.iter().filter(is_document).filter_map(read).collect())
    }

    /// The problems with links, one line each.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut found: Vec<String> = self.0.iter().flat_map(|it| self.problems_of(it)).collect();
        found.extend(self.pages_without_entry());
        found
    }

    fn problems_of(&self, (name, text): (&String, &String)) -> Vec<String> {
        let problem = |link: Link| {
            let why = self.problem_with(name, &link.target)?;
            Some(format!("{name}:{}: {why}", link.line))
        };
        links_of(text).into_iter().filter_map(problem).collect()
    }

    fn problem_with(&self, from: &str, target: &str) -> Option<String> {
        if is_elsewhere(target) {
            return None;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let Some(name) = resolved(from, path) else {
            return Some(format!("`{target}` leads out of the project"));
        };
        if !self.0.contains_key(&name) && !root().join(&name).exists() {
            return Some(format!("`{target}` leads to no file: there is no {name}"));
        }
        let is_heading = |text: &String| anchors_of(text).contains(anchor);
        let has_anchor = anchor.is_empty() || self.0.get(&name).is_none_or(is_heading);
        (!has_anchor).then(|| format!("`{target}` leads to no heading of {name}"))
    }

    /// Pages that a reader of the book would never find.
    fn pages_without_entry(&self) -> Vec<String> {
        let summary = self.0.get(SUMMARY).map_or("", String::as_str);
        let listed = targets(SUMMARY, summary);
        let is_page = |name: &&String| name.starts_with("docs/") && *name != SUMMARY;
        let missing = self
            .0
            .keys()
            .filter(is_page)
            .filter(|it| !listed.contains(*it));
        missing
            .map(|name| format!("{SUMMARY}: {name} has no entry"))
            .collect()
    }

    /// The text of a document.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// The files of this project to which a document links.
pub(crate) fn targets(from: &str, text: &str) -> Vec<String> {
    let resolve = |link: Link| {
        let path = link.target.split('#').next().unwrap_or_default();
        resolved(from, path).filter(|_| !is_elsewhere(&link.target))
    };
    links_of(text).into_iter().filter_map(resolve).collect()
}

fn is_elsewhere(target: &str) -> bool {
    ["http://", "https://", "mailto:"]
        .iter()
        .any(|scheme| target.starts_with(scheme))
}

/// The file of a path in a document, from the root of the project. An empty path is the document
/// itself.
fn resolved(from: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(from.to_owned());
    }
    let start = Path::new(from).parent().unwrap_or(Path::new(""));
    let mut parts = Vec::new();
    for component in start.join(path).components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?.to_owned()),
            Component::ParentDir => _ = parts.pop()?,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// All links of a text: inline ones, definitions, and those of HTML.
fn links_of(text: &str) -> Vec<Link> {
    let text = without_code(text);
    let mut links = Vec::new();
    for (k, line) in text.lines().enumerate() {
        let found = inline(line).chain(definition(line)).chain(quoted(line));
        links.extend(found.map(|target| Link {
            line: k + 1,
            target: target.to_owned(),
        }));
    }
    links
}

fn inline(line: &str) -> impl Iterator<Item = &str> {
    let target = |rest: &'_ str| rest.split([')', ' ']).next().map(str::len);
    line.match_indices("](").filter_map(move |(at, _)| {
        let rest = &line[at + 2..];
        Some(rest[..target(rest)?].trim_matches(['<', '>']))
    })
}

fn definition(line: &str) -> Option<&str> {
    let (_, target) = line.strip_prefix('[')?.split_once("]: ")?;
    target.split_whitespace().next()
}

fn quoted(line: &str) -> impl Iterator<Item = &str> {
    let after = |name: &'static str| {
        line.match_indices(name)
            .filter_map(move |(at, _)| line[at + name.len()..].split('"').next())
    };
    after("src=\"").chain(after("href=\""))
}

/// Replaces code by blanks, so that lines keep their numbers.
fn without_code(text: &str) -> String {
    without_spans(&without_fences(text))
}

fn without_fences(text: &str) -> String {
    let mut is_inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if !is_inside && !is_fence {
            kept.push_str(line);
        }
        is_inside ^= is_fence;
        kept.push('\n');
    }
    kept
}

/// Replaces code spans. A span ends at as many backticks as it begins with, in its paragraph.
fn without_spans(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('`') {
        let (before, ticks) = rest.split_at(at);
        kept.push_str(before);
        let n_ticks = ticks.len() - ticks.trim_start_matches('`').len();
        let (mark, after) = ticks.split_at(n_ticks);
        let paragraph = after.split("\n\n").next().unwrap_or(after);
        if let Some(end) = paragraph.find(mark) {
            kept.extend(after[..end].chars().filter(|c| *c == '\n'));
            rest = &after[end + n_ticks..];
        } else {
            kept.push_str(mark);
            rest = after;
        }
    }
    kept.push_str(rest);
    kept
}

/// The possible anchors of a document: its headings, as code hosts and mdBook write them, and ids.
fn anchors_of(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let text = without_fences(text);
    for line in text.lines() {
        let title = line.trim_start_matches('#');
        if title.len() < line.len() && title.starts_with(' ') {
            let slug = slug(title.trim());
            let taken = (1..).map(|n| format!("{slug}-{n}"));
            let free = std::iter::once(slug.clone())
                .chain(taken)
                .find(|it| !anchors.contains(it));
            anchors.extend(free);
        }
        let ids = line
            .split(" id=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next());
        anchors.extend(ids.map(str::to_owned));
    }
    anchors
}

fn slug(title: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    };
    title.to_lowercase().chars().filter_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets_in(text: &str) -> Vec<String> {
        links_of(text).into_iter().map(|link| link.target).collect()
    }

    #[test]
    fn links_are_found_where_a_reader_sees_them() {
        let text = "[a](b.md#c) and ![d](<e.svg> \"f\")\n<img src=\"g.svg\">\n\n[h]: i.md\n";
        assert_eq!(targets_in(text), ["b.md#c", "e.svg", "g.svg", "i.md"]);
    }

    #[test]
    fn code_has_no_links() {
        let text = "```sh\n[a](b)\n```\n`[c](d)` and ``e ` [f](g)\nh`` [`i`](j)\n";
        assert_eq!(targets_in(text), ["j"]);
        assert_eq!(links_of(text)[0].line, 5);
    }

    #[test]
    fn anchors_are_those_of_the_headings() {
        let anchors = anchors_of("# A `b`, c\n## D\n## D\n```\n# e\n```\n<a id=\"f\"></a>\n");
        let expected = ["a-b-c", "d", "d-1"].map(str::to_owned);
        assert!(
            expected.iter().all(|it| anchors.contains(it)),
            "{anchors:?}"
        );
        assert!(!anchors.contains("e"));
    }

    #[test]
    fn paths_are_resolved_from_the_document() {
        assert_eq!(resolved("docs/a.md", "../b.md"), Some("b.md".into()));
        assert_eq!(resolved("docs/a.md", "c/../d.md"), Some("docs/d.md".into()));
        assert_eq!(resolved("a.md", ""), Some("a.md".into()));
        assert_eq!(resolved("a.md", "../b.md"), None);
    }

    #[test]
    fn a_dead_link_and_a_forgotten_page_are_told() {
        let documents = |text: &str| {
            let summary = (SUMMARY.to_owned(), "[a](a.md)".to_owned());
            Documents(BTreeMap::from([
                ("docs/b.md".to_owned(), text.to_owned()),
                summary,
            ]))
        };
        let told = documents("[x](nowhere.md) [y](#gone) [z](https://example.org)").problems();
        let expected = [
            "docs/SUMMARY.md:1: `a.md` leads to no file: there is no docs/a.md",
            "docs/b.md:1: `nowhere.md` leads to no file: there is no docs/nowhere.md",
        ];
        assert_eq!(told[..2], expected);
        let rest = [
            "docs/b.md:1: `#gone` leads to no heading of docs/b.md",
            "docs/SUMMARY.md: docs/b.md has no entry",
        ];
        assert_eq!(told[2..], rest);
    }
}
