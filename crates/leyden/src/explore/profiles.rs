//! Profiles and reports of the command line, and comparisons of profiles.

use leyden_explore::{Call, Refusal, Reply};
use leyden_profile::compare::compare;
use serde_json::{Value, json};

use super::App;

/// The keys of a report that tell about test outputs.
const ABOUT_TESTS: [&str; 2] = ["solved", "right_on_tests"];

impl App {
    pub(super) fn profile(&self, call: &Call) -> Result<Reply, Refusal> {
        let (_, profile) = self.files.profile(call.path("profile")?)?;
        Ok(Reply::JsonText(profile.to_json()))
    }

    pub(super) fn compare_profiles(&self, call: &Call) -> Result<Reply, Refusal> {
        let (a, profile_a) = self.files.profile(call.path("profile")?)?;
        let (b, profile_b) = self.files.profile(call.path("other")?)?;
        let comparison = compare(profile_a, profile_b).named(&a.name, &b.name);
        let mut shown = json!(comparison);
        shown["sentence"] = comparison.sentence().into();
        Ok(Reply::Json(shown))
    }

    pub(super) fn report(&self, call: &Call) -> Result<Reply, Refusal> {
        let (_, report) = self.files.report(call.path("report")?)?;
        let mut report = report.clone();
        if !call.has("tests")? {
            hide_tests(&mut report);
        }
        Ok(Reply::Json(report))
    }
}

/// Takes out what a report tells about test outputs.
fn hide_tests(report: &mut Value) {
    if let Some(fields) = report.as_object_mut() {
        ABOUT_TESTS
            .iter()
            .for_each(|name| drop(fields.remove(*name)));
    }
    let rows = report.get_mut("rows").and_then(Value::as_array_mut);
    let rows = rows.into_iter().flatten();
    let answers = rows.filter_map(|row| row.get_mut("answers")?.as_array_mut());
    let answers = answers.flatten().filter_map(Value::as_array_mut).flatten();
    for fields in answers.filter_map(Value::as_object_mut) {
        fields.remove("is_right");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_tells_nothing_about_tests_until_asked() {
        let mut report = json!({
            "solved": 1, "tried": 2,
            "rows": [{ "task": "a", "answers": [[{ "bits": 1.0, "is_right": true }], 7] }, 3],
        });
        hide_tests(&mut report);
        let rest = json!({
            "tried": 2,
            "rows": [{ "task": "a", "answers": [[{ "bits": 1.0 }], 7] }, 3],
        });
        assert_eq!(report, rest);
        let mut evolved = json!({ "stop_reason": "budget" });
        hide_tests(&mut evolved);
        assert_eq!(evolved, json!({ "stop_reason": "budget" }));
    }
}
