//! The report as one self-contained HTML file.

use serde::Serialize;

use crate::advice::Advice;
use crate::flame::MOST_PROGRAMS;
use crate::model::{Budget, Imagined, Picture, Profile, Projection, Repeat, SlowPath};
use crate::numbers::{duration, percent, share, sum};
use crate::report::{Block, Report, ReportOptions};
use crate::stats::RESOLUTION_NS;

const PAGE: &str = include_str!("page/report.html");
const PLAIN: &str = include_str!("page/plain.html");
const STYLE: &str = include_str!("page/report.css");
const SCRIPT: &str = include_str!("page/report.js");

/// The data for the page's script. Rust computes everything; the script only shows it.
#[derive(Serialize)]
struct View<'a> {
    kind: &'static str,
    title: &'a str,
    figures: Vec<(&'static str, String)>,
    facts: Vec<(&'static str, String)>,
    mismatches: Vec<String>,
    notes: &'a [String],
    whole_ns: u64,
    execute_ns: u64,
    median_task_ns: f64,
    n_tasks: usize,
    primitives: Vec<PrimitiveView<'a>>,
    themes: Vec<ThemeView>,
    categories: Vec<CategoryView<'a>>,
    tasks: Vec<TaskView<'a>>,
    layers: Vec<PartView>,
    phases: Vec<PartView>,
    stacks: StacksView<'a>,
    sources: Vec<&'a str>,
    lines: &'a [crate::model::LineRow],
    projections: &'a [Projection],
    cap: String,
    what_ifs: &'a [Imagined],
    budgets: &'a [Budget],
    slow: Vec<SlowView<'a>>,
    advice: Advice,
    repeats: Vec<&'a Repeat>,
    /// The largest number of programs that the chart of stacks shows at first.
    most_programs: usize,
    /// Whether the chart of stacks begins with the execute layer.
    starts_inside: bool,
    resolution_ns: f64,
}

#[derive(Serialize)]
struct SlowView<'a> {
    why: &'static str,
    #[serde(flatten)]
    slow: &'a SlowPath,
}

#[derive(Serialize)]
struct PrimitiveView<'a> {
    name: &'a str,
    theme: &'a str,
    layer: &'static str,
    calls: u64,
    self_ns: u64,
    cumulative_ns: u64,
    share: f64,
    mean_ns: f64,
    median_ns: Option<f64>,
    p99_ns: Option<f64>,
    cells: u64,
    faults: u64,
    priority: &'static str,
    gains: [f64; 4],
    device: Option<bool>,
    expected: Option<f64>,
    matters: usize,
    spread: &'static str,
}

#[derive(Serialize)]
struct ThemeView {
    theme: String,
    share: f64,
}

#[derive(Serialize)]
struct CategoryView<'a> {
    name: &'a str,
    self_ns: u64,
    share: f64,
    calls: u64,
    functions: String,
}

#[derive(Serialize)]
struct TaskView<'a> {
    id: &'a str,
    self_ns: u64,
    samples: usize,
    runs: u64,
    faults: u64,
    hint: f64,
    z: Option<f64>,
    right: Option<bool>,
    top: &'a str,
    picture: Option<&'a Picture>,
}

/// A layer or a phase. A layer scales with nothing.
#[derive(Serialize)]
struct PartView {
    name: &'static str,
    self_ns: u64,
    wall_ns: u64,
    scales_with: &'static str,
    units: u64,
    once_ns: u64,
}

#[derive(Serialize)]
struct StacksView<'a> {
    frames: Vec<(String, &'a crate::model::FrameKind)>,
    paths: Vec<(&'a [u32], u64, u64)>,
}

impl Profile {
    /// Writes the report as one HTML file: charts, tables that sort, task pictures; light and dark,
    /// for screens of any width and for paper. The page loads nothing from elsewhere.
    pub fn to_html(&self) -> String {
        let advice = self.advice();
        let verdict = self.verdict_with(&advice);
        let view = self.view(advice);
        // Every value of the view has a JSON form.
        let json = serde_json::to_string(&view).unwrap_or_else(|_| "{}".to_owned());
        let mut plain = self.report(&ReportOptions::default());
        plain
            .blocks
            .retain(|block| !matches!(block, Block::Verdict(_)));
        let plain = plain.to_html_blocks();
        fill(
            PAGE,
            &[
                ("@TITLE@", &escape_text(&self.title)),
                ("@STYLE@", STYLE.trim_end()),
                ("@KIND@", self.kind.name()),
                ("@TITLE@", &escape_text(&self.title)),
                ("@VERDICT@", &escape_text(&verdict)),
                ("@PLAIN@", &plain),
                ("@DATA@", &escape_json(&json)),
                ("@SCRIPT@", SCRIPT.trim_end()),
            ],
        )
    }

    fn view(&self, advice: Advice) -> View<'_> {
        View {
            kind: self.kind.name(),
            title: &self.title,
            figures: self.figures(),
            facts: self.head(),
            mismatches: self.check().iter().map(ToString::to_string).collect(),
            notes: &self.notes,
            whole_ns: self.totals.whole_ns,
            execute_ns: self.totals.execute_ns,
            median_task_ns: self.task_times().1,
            n_tasks: self.tasks.len(),
            primitives: self.primitive_views(),
            themes: self.theme_views(),
            categories: self.category_views(),
            tasks: self.task_views(),
            layers: self.layer_views(),
            phases: self.phase_views(),
            stacks: self.stacks_view(),
            sources: self.sources.iter().map(|s| s.name.as_str()).collect(),
            lines: &self.lines,
            projections: &self.projections,
            cap: self.cap_sentence(),
            what_ifs: &self.what_ifs,
            budgets: &self.budgets,
            slow: self.slow_path.iter().map(slow_view).collect(),
            advice,
            repeats: self.repeats_beside_slow_path().collect(),
            most_programs: MOST_PROGRAMS,
            starts_inside: self.is_mostly_outside_programs(),
            resolution_ns: RESOLUTION_NS,
        }
    }

    fn figures(&self) -> Vec<(&'static str, String)> {
        let totals = &self.totals;
        let mut figures = vec![
            ("wall time", duration(totals.wall_ns as f64)),
            ("execute time", duration(totals.execute_ns as f64)),
            ("whole run", duration(totals.whole_ns as f64)),
            ("tasks", self.tasks.len().to_string()),
            ("recording cost", percent(self.recorder.share_of_wall)),
        ];
        if let Some(row) = self.accuracy.first() {
            figures.push(("right", format!("{} of {}", row.right, row.of)));
        }
        figures
    }

    fn primitive_views(&self) -> Vec<PrimitiveView<'_>> {
        let stats = self.primitive_stats().into_iter();
        let called = stats.filter(|s| s.row.calls > 0 || s.row.self_ns > 0);
        called
            .map(|s| PrimitiveView {
                name: &s.row.name,
                theme: &s.row.theme,
                layer: s.row.layer.name(),
                calls: s.row.calls,
                self_ns: s.row.self_ns,
                cumulative_ns: s.row.cumulative_ns,
                share: s.share,
                mean_ns: s.mean_ns,
                median_ns: s.median_ns,
                p99_ns: s.p99_ns,
                cells: s.row.cells,
                faults: s.row.faults,
                priority: s.priority.name(),
                gains: s.gains,
                device: s.row.device,
                expected: s.row.expected_share,
                matters: s.n_matters,
                spread: s.spread.name(),
            })
            .collect()
    }

    fn theme_views(&self) -> Vec<ThemeView> {
        let total = self.totals.execute_ns as f64;
        let view = |row: crate::stats::ThemeRow| ThemeView {
            share: share(row.self_ns as f64, total),
            theme: row.theme,
        };
        self.themes().into_iter().map(view).collect()
    }

    fn category_views(&self) -> Vec<CategoryView<'_>> {
        let categories = self.categories();
        let total = sum(categories.iter().map(|it| it.self_ns)) as f64;
        let categories = categories.into_iter();
        categories
            .map(|it| CategoryView {
                share: share(it.self_ns as f64, total),
                functions: it.top_functions(),
                name: it.name,
                self_ns: it.self_ns,
                calls: it.calls,
            })
            .collect()
    }

    fn task_views(&self) -> Vec<TaskView<'_>> {
        let mut z = vec![None; self.tasks.len()];
        for outlier in self.outliers() {
            z[outlier.task] = Some(outlier.z);
        }
        let view = |(task, z)| self.task_view(task, z);
        self.tasks.iter().zip(z).map(view).collect()
    }

    fn task_view<'a>(&'a self, task: &'a crate::model::TaskRow, z: Option<f64>) -> TaskView<'a> {
        let slowest = task.primitives.iter().max_by_key(|part| part.self_ns);
        let row = slowest.and_then(|part| self.primitives.get(part.row as usize));
        TaskView {
            id: &task.id,
            self_ns: task.self_ns,
            samples: task.samples.len(),
            runs: task.runs,
            faults: task.faults,
            hint: task.size_hint,
            z,
            right: task.right,
            top: row.map_or("", |row| &row.name),
            picture: task.picture.as_ref(),
        }
    }

    fn layer_views(&self) -> Vec<PartView> {
        let view = |row: crate::model::LayerRow| PartView {
            name: row.layer.name(),
            self_ns: row.self_ns,
            wall_ns: row.self_ns,
            scales_with: "",
            units: row.calls,
            once_ns: 0,
        };
        self.top_layers().into_iter().map(view).collect()
    }

    fn phase_views(&self) -> Vec<PartView> {
        let view = |row: &crate::model::PhaseRow| {
            let costs = self.one_time.iter().filter(|cost| cost.phase == row.phase);
            PartView {
                name: row.phase.name(),
                self_ns: row.self_ns,
                wall_ns: row.wall_ns,
                scales_with: row.scales_with.name(),
                units: row.units,
                once_ns: sum(costs.map(|cost| cost.self_ns)),
            }
        };
        self.phases.iter().map(view).collect()
    }

    fn stacks_view(&self) -> StacksView<'_> {
        let frames = self.stacks.frames.iter();
        let paths = self.stacks.paths.iter().filter(|path| path.self_ns > 0);
        StacksView {
            frames: frames.map(|f| (f.label(), &f.kind)).collect(),
            paths: paths
                .map(|path| (path.frames.as_slice(), path.self_ns, path.calls))
                .collect(),
        }
    }
}

impl Report {
    /// Writes the report as one HTML file without a script.
    pub fn to_html(&self) -> String {
        let blocks = self.to_html_blocks();
        fill(
            PLAIN,
            &[
                ("@TITLE@", &escape_text(&self.title)),
                ("@STYLE@", STYLE.trim_end()),
                ("@TITLE@", &escape_text(&self.title)),
                ("@PLAIN@", &blocks),
            ],
        )
    }

    /// Writes the blocks as elements, without the title.
    fn to_html_blocks(&self) -> String {
        let blocks = self.blocks.iter().map(|block| match block {
            Block::Verdict(text) => format!("<p class=\"verdict\">{}</p>\n", escape_text(text)),
            Block::Heading(text) => format!("<h2>{}</h2>\n", escape_text(text)),
            Block::Paragraph(text) => format!("<p>{}</p>\n", escape_text(text.trim())),
            Block::Literal(text) => format!(
                "<div class=\"scroll\"><pre>{}</pre></div>\n",
                escape_text(text.trim_end())
            ),
            Block::Table(table) => format!("<div class=\"scroll\">{}</div>\n", table.to_html()),
        });
        blocks.collect()
    }
}

/// Fills the placeholders of a page in their order. Filled-in text is not searched again.
fn fill(page: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = page;
    for (place, value) in values {
        if let Some((before, after)) = rest.split_once(place) {
            filled += before;
            filled += value;
            rest = after;
        }
    }
    filled + rest
}

fn slow_view(slow: &SlowPath) -> SlowView<'_> {
    SlowView {
        why: slow.reason.name(),
        slow,
    }
}

/// Escapes JSON for a script element: nothing in the result can end the element or open a comment.
pub fn escape_json(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Escapes text for an element or an attribute.
pub fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use crate::sample::sample_profile;

    #[test]
    fn names_cannot_break_out_of_the_page() {
        let mut profile = sample_profile();
        let evil = "</script><script>alert(1)</script><!-- @DATA@ @SCRIPT@ & \u{2028}";
        profile.title = evil.to_owned();
        profile.primitives[0].name = evil.to_owned();
        profile.lines[1].text = evil.to_owned();
        let html = profile.to_html();
        assert_eq!(html.matches("</script>").count(), 2);
        assert!(!html.contains("<script>alert"));
        let start = html.find("id=\"data\">").unwrap() + 10;
        let json = &html[start..start + html[start..].find("</script>").unwrap()];
        let data: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(data["title"], evil);
        assert_eq!(data["lines"][1]["text"], evil);
    }

    #[test]
    fn without_a_script_there_is_a_report_all_the_same() {
        let profile = sample_profile();
        let html = profile.to_html();
        let verdict = super::escape_text(&profile.verdict());
        let at = html.find(&verdict).unwrap();
        assert!(
            at < html.find("<noscript>").unwrap(),
            "the verdict needs no script"
        );
        let plain = html.split("<noscript>").nth(1).unwrap();
        let plain = plain.split("</noscript>").next().unwrap();
        for part in ["<td>objects</td>", "First steps", "A made-up processor"] {
            assert!(plain.contains(part), "{part}");
        }
    }

    #[test]
    fn a_comparison_is_a_page_without_a_script() {
        let a = sample_profile();
        let found = crate::compare::compare(&a, &a).named("<a>.json", "b.json");
        let html = found.report(&Default::default()).to_html();
        assert!(html.contains("&lt;a&gt;.json") && !html.contains("<script"));
        assert!(html.contains("class=\"verdict\""));
        for place in ["@TITLE@", "@STYLE@", "@PLAIN@"] {
            assert!(!html.contains(place), "{place}");
        }
    }

    #[test]
    fn the_page_asks_for_nothing() {
        let html = sample_profile().to_html();
        let allowed = "http://www.w3.org/2000/svg";
        let rest = html.replace(allowed, "");
        for sign in [
            "http://",
            "https://",
            "src=",
            "@import",
            "url(",
            "fetch(",
            "XMLHttpRequest",
        ] {
            assert!(!rest.contains(sign), "{sign}");
        }
        for place in [
            "@STYLE@",
            "@SCRIPT@",
            "@DATA@",
            "@TITLE@",
            "@KIND@",
            "@VERDICT@",
            "@PLAIN@",
        ] {
            assert!(!html.contains(place), "{place}");
        }
    }
}
