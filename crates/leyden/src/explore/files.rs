//! The files on the command line: submissions, profiles, reports and batteries, told apart by their
//! content.

use std::path::{Path, PathBuf};

use leyden_explore::Refusal;
use leyden_lang::{BatteryFile, is_battery, parse_battery};
use leyden_profile::Profile;
use leyden_store::submission::Draft;
use leyden_store::{read_text_within, without_mark};
use serde_json::{Value, json};

use super::graph::Graph;
use super::shelf::short;
use crate::failure::Failure;
use crate::programs::SourceFile;

/// Larger files are refused.
const MOST_BYTES: u64 = 128 << 20;

/// A file that the user opened.
pub(super) struct Opened {
    /// Its id on the page, which is no path.
    pub(super) id: String,
    /// Its name without directories.
    pub(super) name: String,
    pub(super) content: Content,
}

pub(super) enum Content {
    Submission(Draft),
    Profile(Box<Profile>),
    /// The JSON of `leyden solve` or `leyden evolve`.
    Report(Value),
    Battery(Box<Graph>),
}

impl Content {
    fn kind(&self) -> &'static str {
        match self {
            Content::Submission(_) => "submission",
            Content::Profile(_) => "profile",
            Content::Report(_) => "report",
            Content::Battery(_) => "battery",
        }
    }
}

/// All files.
#[derive(Default)]
pub(super) struct Files(Vec<Opened>);

impl Files {
    /// Reads all files. A file of another kind is an error.
    pub(super) fn open(paths: &[PathBuf]) -> Result<Files, Failure> {
        let open = |(k, path): (usize, &PathBuf)| {
            let name = path.display().to_string();
            Ok(Opened {
                id: format!("x{}", k + 1),
                name: short(&name).to_owned(),
                content: content(path)?,
            })
        };
        let opened = paths.iter().enumerate().map(open);
        opened.collect::<Result<_, Failure>>().map(Files)
    }

    pub(super) fn to_json(&self) -> Vec<Value> {
        let file = |it: &Opened| json!({ "id": it.id, "name": it.name, "kind": it.content.kind() });
        self.0.iter().map(file).collect()
    }

    fn with<'f, T>(
        &'f self,
        id: &str,
        kind: &str,
        pick: impl Fn(&'f Content) -> Option<T>,
    ) -> Result<(&'f Opened, T), Refusal> {
        let file = self.0.iter().find(|file| file.id == id);
        let found = file.and_then(|file| Some((file, pick(&file.content)?)));
        found.ok_or_else(|| Refusal::missing(format!("no {kind} {id} is open")))
    }

    pub(super) fn submission(&self, id: &str) -> Result<(&Opened, &Draft), Refusal> {
        self.with(id, "submission", |content| match content {
            Content::Submission(draft) => Some(draft),
            _ => None,
        })
    }

    pub(super) fn profile(&self, id: &str) -> Result<(&Opened, &Profile), Refusal> {
        self.with(id, "profile", |content| match content {
            Content::Profile(profile) => Some(&**profile),
            _ => None,
        })
    }

    pub(super) fn report(&self, id: &str) -> Result<(&Opened, &Value), Refusal> {
        self.with(id, "report", |content| match content {
            Content::Report(report) => Some(report),
            _ => None,
        })
    }

    pub(super) fn battery(&self, id: &str) -> Option<&Graph> {
        let mut all = self.batteries();
        all.find(|(file, _)| file.id == id).map(|(_, graph)| graph)
    }

    pub(super) fn batteries(&self) -> impl Iterator<Item = (&Opened, &Graph)> {
        self.0.iter().filter_map(|file| match &file.content {
            Content::Battery(graph) => Some((file, &**graph)),
            _ => None,
        })
    }
}

fn content(path: &Path) -> Result<Content, Failure> {
    let text = read_text_within(path, MOST_BYTES)?;
    let text = without_mark(&text);
    if is_battery(text) {
        return battery(path, text);
    }
    let json: Value = serde_json::from_str(text).map_err(|error| unknown(path, Some(&error)))?;
    if json["format"].is_string() {
        let profile = Profile::from_json(text);
        let profile = profile.map_err(|error| refused(path, &error.to_string()))?;
        return Ok(Content::Profile(Box::new(profile)));
    }
    if is_report(&json) {
        return Ok(Content::Report(json));
    }
    if !is_submission(&json) {
        return Err(unknown(path, None));
    }
    Ok(Content::Submission(Draft::parse(path, text.as_bytes())?))
}

fn battery(path: &Path, text: &str) -> Result<Content, Failure> {
    let BatteryFile { battery, .. } = parse_battery(text).map_err(|findings| {
        let file = SourceFile {
            name: path.display().to_string(),
            text: text.to_owned(),
        };
        Failure::Diagnosed(file.render(&findings))
    })?;
    Ok(Content::Battery(Box::new(Graph::new(battery))))
}

/// The reports of `solve` have rows, those of `evolve` a reason to stop.
fn is_report(json: &Value) -> bool {
    json["data_hash"].is_string() && (json["rows"].is_array() || json["stop_reason"].is_string())
}

/// Every value of a submission is a list. Errors inside are shown on its page.
fn is_submission(json: &Value) -> bool {
    let tasks = json.as_object().filter(|tasks| !tasks.is_empty());
    tasks.is_some_and(|tasks| tasks.values().all(Value::is_array))
}

fn refused(path: &Path, message: &str) -> Failure {
    Failure::bad_input(format!("{}: {message}", path.display()))
}

fn unknown(path: &Path, error: Option<&serde_json::Error>) -> Failure {
    let expected = "expected a submission, a battery of `leyden card`, or the JSON of `leyden \
                    profile`, `leyden solve` or `leyden evolve`";
    let why = match error {
        Some(error) => format!("; as JSON, {}", leyden_profile::json::json_words(error)),
        None => String::new(),
    };
    refused(path, &format!("{expected}{why}"))
}
