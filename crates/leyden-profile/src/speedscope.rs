//! Stacks for speedscope, and collapsed stacks for flame graph tools.

use serde_json::{Value, json};

use crate::model::{Frame, FrameKind, Path, Profile};
use crate::numbers::sum;

/// The schema that every file names. Leyden fetches nothing from there.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

impl Frame {
    /// The label that viewers show. Lines have their number.
    pub fn label(&self) -> String {
        match self.kind {
            FrameKind::Line if self.line > 0 => format!("{}: {}", self.line, self.name),
            _ => self.name.clone(),
        }
    }
}

impl Profile {
    /// Writes the stacks as speedscope's JSON: one sampled profile, weighed in nanoseconds.
    pub fn to_speedscope(&self) -> String {
        let paths = self.sorted_paths();
        let samples: Vec<&Vec<u32>> = paths.iter().map(|path| &path.frames).collect();
        let weights: Vec<u64> = paths.iter().map(|path| path.self_ns).collect();
        let frames: Vec<Value> = self.stacks.frames.iter().map(speedscope_frame).collect();
        let file = json!({
            "$schema": SCHEMA,
            "exporter": "leyden",
            "name": self.title,
            "activeProfileIndex": 0,
            "shared": { "frames": frames },
            "profiles": [{
                "type": "sampled",
                "name": self.title,
                "unit": "nanoseconds",
                "startValue": 0,
                "endValue": sum(weights.iter().copied()),
                "samples": samples,
                "weights": weights,
            }],
        });
        file.to_string() + "\n"
    }

    /// Writes one line for each path: frames joined by semicolons, a space, nanoseconds.
    pub fn to_collapsed(&self) -> String {
        self.collapsed(|_| true, |_| true)
    }

    /// Writes some of the paths, with only some kinds of frames.
    pub(crate) fn collapsed(
        &self,
        is_shown: impl Fn(FrameKind) -> bool,
        is_wanted: impl Fn(&Path) -> bool,
    ) -> String {
        let line = |path: &&Path| {
            let frames = self
                .stacks
                .frames_of(path)
                .filter(|frame| is_shown(frame.kind))
                .map(|frame| collapsed_name(&frame.label()));
            format!(
                "{} {}\n",
                frames.collect::<Vec<_>>().join(";"),
                path.self_ns
            )
        };
        let paths = self.sorted_paths();
        let wanted = paths.iter().filter(|path| is_wanted(path));
        let mut lines: Vec<String> = wanted.map(line).collect();
        lines.sort_unstable();
        lines.concat()
    }

    /// Paths with time in them, sorted so that those with a common beginning are neighbours.
    /// Viewers draw them in this order.
    fn sorted_paths(&self) -> Vec<&Path> {
        let has_time = |path: &&Path| path.self_ns > 0 && !path.frames.is_empty();
        let mut paths: Vec<&Path> = self.stacks.paths.iter().filter(has_time).collect();
        paths.sort_by(|a, b| a.frames.cmp(&b.frames));
        paths
    }
}

fn speedscope_frame(frame: &Frame) -> Value {
    let mut value = json!({ "name": frame.label() });
    if !frame.file.is_empty() {
        value["file"] = json!(frame.file);
    }
    if frame.line > 0 {
        value["line"] = json!(frame.line);
    }
    value
}

/// Removes the characters that separate frames and lines.
fn collapsed_name(label: &str) -> String {
    label
        .replace(';', ",")
        .replace(['\n', '\r'], " ")
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample_profile;

    #[test]
    fn speedscope_weighs_the_whole_run() {
        let profile = sample_profile();
        let file: Value = serde_json::from_str(&profile.to_speedscope()).unwrap();
        let sampled = &file["profiles"][0];
        let weights = sampled["weights"].as_array().unwrap();
        assert_eq!(weights.len(), sampled["samples"].as_array().unwrap().len());
        let total: u64 = weights.iter().map(|w| w.as_u64().unwrap()).sum();
        assert_eq!(total, profile.totals.whole_ns);
        assert_eq!(sampled["endValue"], total);
        assert_eq!(
            file["shared"]["frames"][2]["name"],
            "2: x1 = objects(I, T, F, F)"
        );
        assert_eq!(file["shared"]["frames"][2]["line"], 2);
    }

    #[test]
    fn collapsed_lines_are_stacks_and_a_number() {
        let mut profile = sample_profile();
        profile.stacks.frames[1].name = "odd; name\n".to_owned();
        let text = profile.to_collapsed();
        let parsed = text.lines().map(|line| line.rsplit_once(' ').unwrap());
        let total: u64 = parsed
            .clone()
            .map(|(_, ns)| ns.parse::<u64>().unwrap())
            .sum();
        assert_eq!(total, profile.totals.whole_ns);
        let hot = parsed
            .map(|(stack, _)| stack)
            .find(|s| s.ends_with(";mfilter;bordering"));
        assert_eq!(
            hot,
            Some("execute;odd, name;6: x5 = mfilter(x2, x4);mfilter;bordering")
        );
    }
}
