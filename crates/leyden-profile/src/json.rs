//! Profiles as JSON, the one form that Leyden reads again.
//!
//! The file is a [`Profile`] with values that follow from it: the verdict, the advice, and keys in
//! the shapes that notebooks for the system before Leyden read. Reading ignores these.

use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use thiserror::Error;

use crate::advice::Advice;
use crate::legacy::OldKeys;
use crate::model::{FORMAT, Profile};

/// The reason why a text is not a profile.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The text is not JSON, or JSON of another kind.
    #[error("this is not a profile that `leyden profile` wrote: {0}")]
    NotAProfile(String),
    /// The JSON has no format.
    #[error(
        "this is not a profile that `leyden profile` wrote: it does not name its format (`{FORMAT}`)"
    )]
    NoFormat,
    /// A profile of another version.
    #[error("this profile has the format `{0}`, this Leyden reads `{FORMAT}`; measure again")]
    OtherFormat(String),
    /// A number refers to a row that does not exist.
    #[error("this profile is damaged: {0}")]
    Broken(String),
}

fn not_a_profile(error: serde_json::Error) -> ReadError {
    ReadError::NotAProfile(json_words(&error))
}

/// Explains a problem with a JSON file to users, not to programmers.
pub fn json_words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let field = |start: &str| text.strip_prefix(start)?.split('`').next();
    let what = match error.classify() {
        Category::Eof if error.column() == 0 && error.line() <= 1 => {
            return "the file is empty".to_owned();
        }
        Category::Eof => "the file ends too early".to_owned(),
        // This category also covers a value of another kind in place of one of several names.
        Category::Syntax => "it is not the JSON that is expected".to_owned(),
        Category::Io => text
            .split(" (os error ")
            .next()
            .unwrap_or_default()
            .to_owned(),
        Category::Data => match (field("missing field `"), field("unknown field `")) {
            (Some(name), _) => format!("the field `{name}` is missing"),
            (_, Some(name)) => format!("the field `{name}` does not belong here"),
            _ => "a value is of another kind than expected".to_owned(),
        },
    };
    match error.line() {
        0 => what,
        line => format!("{what} (line {line}, column {})", error.column()),
    }
}

#[derive(Serialize)]
struct File<'a> {
    #[serde(flatten)]
    profile: &'a Profile,
    verdict: String,
    advice: Advice,
    #[serde(flatten)]
    old: OldKeys<'a>,
}

/// Only the format, to tell another version from garbage.
#[derive(Deserialize)]
struct Head {
    format: Option<serde_json::Value>,
}

impl Profile {
    /// Writes the profile as JSON on one line, with the keys of old notebooks.
    pub fn to_json(&self) -> String {
        let advice = self.advice();
        let file = File {
            profile: self,
            verdict: self.verdict_with(&advice),
            advice,
            old: self.old_keys(),
        };
        // Every part of a profile has a JSON form: keys are strings, numbers are numbers.
        serde_json::to_string(&file).unwrap_or_default() + "\n"
    }

    /// Reads the JSON of [`Profile::to_json`].
    pub fn from_json(text: &str) -> Result<Profile, ReadError> {
        let head: Head = serde_json::from_str(text).map_err(not_a_profile)?;
        match head.format.as_ref().map(|format| format.as_str()) {
            Some(Some(FORMAT)) => {}
            Some(Some(other)) => return Err(ReadError::OtherFormat(other.to_owned())),
            _ => return Err(ReadError::NoFormat),
        }
        let profile: Profile = serde_json::from_str(text).map_err(not_a_profile)?;
        profile.check_places()?;
        Ok(profile)
    }

    /// Checks that every number that names a row of another table names an existing one.
    fn check_places(&self) -> Result<(), ReadError> {
        let check = |what: &str, place: u32, len: usize| {
            if (place as usize) < len {
                Ok(())
            } else {
                Err(ReadError::Broken(format!("{what} {place} of {len}")))
            }
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
    fn the_verdict_and_the_advice_are_in_the_file() {
        let json: serde_json::Value = serde_json::from_str(&sample_profile().to_json()).unwrap();
        assert_eq!(json["verdict"], sample_profile().verdict());
        assert!(json["advice"]["steps"][0]["what"].is_string());
        assert!(json["advice"]["judged"].is_string());
    }

    #[test]
    fn other_versions_and_garbage_are_told_apart() {
        let of = |text: &str| Profile::from_json(text).unwrap_err().to_string();
        let json = sample_profile().to_json();
        let other = json.replace("leyden-profile/1", "leyden-profile/7");
        assert_eq!(
            of(&other),
            "this profile has the format `leyden-profile/7`, this Leyden reads `leyden-profile/1`; measure again"
        );
        assert!(of("{}").contains("does not name its format"));
        assert!(of(r#"{"format": 1}"#).contains("does not name its format"));
        assert!(of("[1, 2]").starts_with("this is not a profile"));
        assert!(of("").ends_with("wrote: the file is empty"));
        assert!(
            of(r#"{"format": "leyden-profile/1", "kind": 7}"#)
                .contains("not the JSON that is expected")
        );
        assert!(of(&json[..json.len() / 2]).starts_with("this is not a profile"));
        assert!(of(r#"{"format": "leyden-profile/1"}"#).contains("the field `kind` is missing"));
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
        let broken = "this profile is damaged: ";
        assert_eq!(
            of(|p| p.lines[0].source = 9),
            format!("{broken}source 9 of 1")
        );
        assert!(of(|p| p.tasks[0].primitives[0].row = 99).starts_with(broken));
        assert!(of(|p| p.stacks.paths[0].frames.push(999)).starts_with(broken));
    }
}
