//! Profiles as JSON: the one form that can be read again.
//!
//! The file is a [`Profile`] with a part more, `aggregate`, in the shape that notebooks written
//! for the system before Leyden read; reading ignores it.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::model::{FORMAT, Profile, RowKind};
use crate::numbers::share;
use crate::stats::{PrimitiveStats, Priority};

/// Why a text is not a profile.
#[derive(Debug, Error)]
pub enum ReadError {
    /// No JSON, or JSON of another kind.
    #[error("this is no profile: {0}")]
    NotAProfile(serde_json::Error),
    /// JSON without a word on its format.
    #[error("this is no profile: it does not name its format (`{FORMAT}`)")]
    NoFormat,
    /// A profile of another version.
    #[error("this profile has the format `{0}`; this program reads `{FORMAT}`")]
    OtherFormat(String),
    /// A place in a table that has no such place.
    #[error("this profile is broken: {0}")]
    Broken(String),
}

#[derive(Serialize)]
struct File<'a> {
    #[serde(flatten)]
    profile: &'a Profile,
    aggregate: Aggregate<'a>,
}

#[derive(Serialize)]
struct Aggregate<'a> {
    total_execution_time: f64,
    successful_tasks: usize,
    failed_tasks: usize,
    recommendations: Vec<Recommendation<'a>>,
}

/// A primitive in the old shape. Percentages are of self times, which the old ones were not.
#[derive(Serialize)]
struct Recommendation<'a> {
    function: &'a str,
    gpu_priority: Priority,
    percent_of_total: f64,
    total_calls: u64,
    total_selftime_ms: f64,
    total_cumtime_ms: f64,
    avg_time_per_call_ms: f64,
    avg_time_per_task_ms: f64,
    task_count: usize,
}

/// Only the format: to tell another version from garbage.
#[derive(Deserialize)]
struct Head {
    format: Option<serde_json::Value>,
}

impl Profile {
    /// The profile as JSON, on one line, the old notebooks' `aggregate` included.
    pub fn to_json(&self) -> String {
        let file = File {
            profile: self,
            aggregate: self.aggregate(),
        };
        // Nothing in a profile can fail to be written: keys are strings, numbers are numbers.
        serde_json::to_string(&file).unwrap_or_default() + "\n"
    }

    /// Reads what [`Profile::to_json`] wrote.
    pub fn from_json(text: &str) -> Result<Profile, ReadError> {
        let head: Head = serde_json::from_str(text).map_err(ReadError::NotAProfile)?;
        match head.format.as_ref().map(|format| format.as_str()) {
            Some(Some(FORMAT)) => {}
            Some(Some(other)) => return Err(ReadError::OtherFormat(other.to_owned())),
            _ => return Err(ReadError::NoFormat),
        }
        let profile: Profile = serde_json::from_str(text).map_err(ReadError::NotAProfile)?;
        profile.check_places()?;
        Ok(profile)
    }

    fn check_places(&self) -> Result<(), ReadError> {
        let check = |what: &str, place: u32, len: usize| match (place as usize) < len {
            true => Ok(()),
            false => Err(ReadError::Broken(format!("{what} {place} of {len}"))),
        };
        for part in self.tasks.iter().flat_map(|task| &task.primitives) {
            check("primitive", part.row, self.primitives.len())?;
        }
        for &frame in self.stacks.paths.iter().flat_map(|path| &path.frames) {
            check("frame", frame, self.stacks.frames.len())?;
        }
        for line in &self.lines {
            check("source", line.source, self.sources.len())?;
        }
        Ok(())
    }

    fn aggregate(&self) -> Aggregate<'_> {
        let failed_tasks = self
            .tasks
            .iter()
            .filter(|task| task.faults >= task.runs.max(1));
        let failed_tasks = failed_tasks.count();
        let stats = self.primitive_stats();
        let named = stats.iter().filter(|stats| {
            stats.row.kind == RowKind::Primitive && stats.priority != Priority::None
        });
        Aggregate {
            total_execution_time: self.totals.execute_ns as f64 / 1e9,
            successful_tasks: self.tasks.len() - failed_tasks,
            failed_tasks,
            recommendations: named.map(recommendation).collect(),
        }
    }
}

fn recommendation<'a>(stats: &PrimitiveStats<'a>) -> Recommendation<'a> {
    let row = stats.row;
    Recommendation {
        function: &row.name,
        gpu_priority: stats.priority,
        percent_of_total: 100.0 * stats.share,
        total_calls: row.calls,
        total_selftime_ms: row.self_ns as f64 / 1e6,
        total_cumtime_ms: row.cumulative_ns as f64 / 1e6,
        avg_time_per_call_ms: stats.mean_ns / 1e6,
        avg_time_per_task_ms: share(row.self_ns as f64 / 1e6, stats.n_tasks as f64),
        task_count: stats.n_tasks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample_profile;

    #[test]
    fn what_is_written_is_read() {
        let profile = sample_profile();
        assert_eq!(Profile::from_json(&profile.to_json()).unwrap(), profile);
    }

    #[test]
    fn four_hundred_tasks_stay_under_five_megabytes() {
        let json = crate::sample::profile_of(400).to_json();
        assert!(json.len() < 5 << 20, "{} bytes", json.len());
    }

    #[test]
    fn numbers_that_are_none_can_be_read_again() {
        let mut profile = sample_profile();
        profile.recorder.share_of_wall = f64::NAN;
        profile.tasks[0].size_hint = f64::INFINITY;
        profile.sampling.hints_of_rest[0] = f64::NAN;
        let read = Profile::from_json(&profile.to_json()).unwrap();
        assert_eq!(read.recorder.share_of_wall, 0.0);
    }

    #[test]
    fn old_notebooks_find_their_recommendations() {
        let json: serde_json::Value = serde_json::from_str(&sample_profile().to_json()).unwrap();
        let first = &json["aggregate"]["recommendations"][0];
        assert_eq!(first["function"], "objects");
        assert_eq!(first["gpu_priority"], "HIGH");
        assert!(first["percent_of_total"].as_f64().unwrap() > 10.0);
    }

    #[test]
    fn other_versions_and_garbage_are_told_apart() {
        let of = |text: &str| Profile::from_json(text).unwrap_err().to_string();
        let json = sample_profile().to_json();
        let other = json.replace("leyden-profile/1", "leyden-profile/7");
        assert_eq!(
            of(&other),
            "this profile has the format `leyden-profile/7`; this program reads `leyden-profile/1`"
        );
        assert!(of("{}").contains("does not name its format"));
        assert!(of(r#"{"format": 1}"#).contains("does not name its format"));
        assert!(of("[1, 2]").starts_with("this is no profile"));
        assert!(of("").starts_with("this is no profile"));
        assert!(of(&json[..json.len() / 2]).starts_with("this is no profile"));
        assert!(of(r#"{"format": "leyden-profile/1"}"#).contains("missing field"));
    }

    #[test]
    fn places_that_do_not_exist_are_refused() {
        let of = |spoil: fn(&mut Profile)| {
            let mut profile = sample_profile();
            spoil(&mut profile);
            Profile::from_json(&profile.to_json())
                .unwrap_err()
                .to_string()
        };
        let broken = "this profile is broken: ";
        assert_eq!(
            of(|p| p.lines[0].source = 9),
            format!("{broken}source 9 of 1")
        );
        assert!(of(|p| p.tasks[0].primitives[0].row = 99).starts_with(broken));
        assert!(of(|p| p.stacks.paths[0].frames.push(999)).starts_with(broken));
    }
}
