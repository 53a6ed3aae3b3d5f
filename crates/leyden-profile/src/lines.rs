//! Lines in line_profiler's layout.

use std::fmt::Write;

use crate::model::{LineRow, Profile, Source};
use crate::numbers::{share, sum};

const HEAD: &str = "Line #      Hits         Time  Per Hit   % Time  Line Contents";
/// Times are printed in microseconds.
const UNIT_NS: f64 = 1e3;

impl Profile {
    /// Per source a table as line_profiler prints it, times in microseconds, the source beside
    /// them. Behind a line that several programs share stand their names.
    pub fn to_line_text(&self) -> String {
        let mut text = String::from("Timer unit: 1e-06 s\n");
        for (k, source) in self.sources.iter().enumerate() {
            let mut lines: Vec<&LineRow> = self
                .lines
                .iter()
                .filter(|l| l.source as usize == k)
                .collect();
            lines.sort_by_key(|line| line.line);
            if !lines.is_empty() {
                text += &source_text(source, &lines);
            }
        }
        text
    }
}

fn source_text(source: &Source, lines: &[&LineRow]) -> String {
    let total = sum(lines.iter().map(|line| line.time_ns)) as f64;
    let mut text = format!("\nTotal time: {} s\n", total / 1e9);
    if !source.file.is_empty() {
        let _ = writeln!(text, "File: {}", source.file);
    }
    let first = lines.first().map_or(1, |line| line.line);
    let _ = writeln!(text, "Function: {} at line {first}\n", source.name);
    let _ = writeln!(text, "{HEAD}\n{}", "=".repeat(HEAD.len()));
    for line in lines {
        text += line_text(line, total).trim_end();
        text.push('\n');
    }
    text
}

fn line_text(line: &LineRow, total: f64) -> String {
    let contents = format!("{}{}", line.text, sharers(line));
    if line.hits == 0 {
        return format!(
            "{:>6} {:>9} {:>12} {:>8} {:>8}  {contents}",
            line.line, "", "", "", ""
        );
    }
    let time = line.time_ns as f64;
    format!(
        "{:>6} {:>9} {:>12.1} {:>8.1} {:>8.1}  {contents}",
        line.line,
        line.hits,
        time / UNIT_NS,
        time / UNIT_NS / line.hits as f64,
        100.0 * share(time, total),
    )
}

fn sharers(line: &LineRow) -> String {
    let n_shared = line.n_shared.max(line.shared_by.len() as u64);
    if n_shared < 2 {
        return String::new();
    }
    let more = match n_shared - line.shared_by.len() as u64 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "    # shared by {n_shared}: {}{more}",
        line.shared_by.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::sample_profile;

    #[test]
    fn the_layout_is_line_profilers() {
        let mut profile = sample_profile();
        for line in &mut profile.lines {
            line.time_ns = if line.hits > 0 { 160_000 } else { 0 };
        }
        let text = profile.to_line_text();
        let expected = "\
Timer unit: 1e-06 s

Total time: 0.00096 s
File: solvers.py
Function: solve_00d62c1b at line 1

Line #      Hits         Time  Per Hit   % Time  Line Contents
==============================================================
     1                                           def solve_00d62c1b(I):
     2       160        160.0      1.0     16.7      x1 = objects(I, T, F, F)    # shared by 2: solve_00d62c1b, solve_a5313dff
     3       160        160.0      1.0     16.7      x2 = colorfilter(x1, ZERO)
";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn many_sharers_are_counted() {
        let line = LineRow {
            shared_by: vec!["a".to_owned(), "b".to_owned()],
            n_shared: 40,
            ..LineRow::default()
        };
        assert_eq!(sharers(&line), "    # shared by 40: a, b and 38 more");
    }
}
