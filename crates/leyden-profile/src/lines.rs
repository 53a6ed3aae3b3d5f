//! Lines in line_profiler's layout.

use std::cmp::Reverse;
use std::fmt::Write;

use crate::model::{LineRow, Profile, Source};
use crate::numbers::{counted, duration, share, sum};
use crate::report::LineSort;

const HEAD: &str = "Line #      Hits         Time  Per Hit   % Time  Line Contents";
/// Times are printed in microseconds.
const UNIT_NS: f64 = 1e3;

/// The choice and order of lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineOptions {
    /// The number of lines of each source to show, by time.
    pub(crate) top: usize,
    pub(crate) sort: LineSort,
}

impl Profile {
    /// Writes a table for each source as line_profiler prints it: times in microseconds, beside the
    /// source. The names of the programs that share a line follow the line.
    pub fn to_line_text(&self) -> String {
        self.lines_text(LineOptions {
            top: usize::MAX,
            sort: LineSort::Line,
        })
    }

    pub(crate) fn lines_text(&self, options: LineOptions) -> String {
        let mut text = String::from("Timer unit: 1e-06 s\n");
        let mut sources: Vec<(&Source, Vec<&LineRow>)> = self
            .sources
            .iter()
            .map(|source| (source, Vec::new()))
            .collect();
        for line in &self.lines {
            if let Some((_, lines)) = sources.get_mut(line.source as usize) {
                lines.push(line);
            }
        }
        sources.retain(|(_, lines)| !lines.is_empty());
        if options.sort != LineSort::Line {
            sources.sort_by_key(|(_, lines)| Reverse(sum(lines.iter().map(|it| it.time_ns))));
        }
        for (source, lines) in sources {
            text += &source_text(source, lines, options);
        }
        text
    }
}

/// Picks the lines to show. A sentence sums up the rest.
fn chosen<'a>(lines: &[&'a LineRow], options: LineOptions) -> Vec<&'a LineRow> {
    let mut chosen = lines.to_vec();
    if chosen.len() > options.top {
        chosen.retain(|line| line.hits > 0);
        chosen.sort_by_key(|line| (Reverse(line.time_ns), line.line));
        chosen.truncate(options.top);
    }
    let per_hit = |line: &LineRow| share(line.time_ns as f64, line.hits as f64);
    match options.sort {
        LineSort::Line => chosen.sort_by_key(|line| line.line),
        LineSort::Time => chosen.sort_by_key(|line| (Reverse(line.time_ns), line.line)),
        LineSort::Hits => chosen.sort_by_key(|line| (Reverse(line.hits), line.line)),
        LineSort::PerHit => chosen.sort_by(|a, b| {
            let order = per_hit(b).total_cmp(&per_hit(a));
            order.then(a.line.cmp(&b.line))
        }),
    }
    chosen
}

fn source_text(source: &Source, lines: Vec<&LineRow>, options: LineOptions) -> String {
    let total = sum(lines.iter().map(|line| line.time_ns)) as f64;
    let mut text = format!("\nTotal time: {} s\n", total / 1e9);
    if !source.file.is_empty() {
        let _ = writeln!(text, "File: {}", source.file);
    }
    let first = lines.iter().map(|line| line.line).min().unwrap_or(1);
    let _ = writeln!(text, "Function: {} at line {first}\n", source.name);
    let _ = writeln!(text, "{HEAD}\n{}", "=".repeat(HEAD.len()));
    let chosen = chosen(&lines, options);
    for line in &chosen {
        text += line_text(line, total).trim_end();
        text.push('\n');
    }
    if chosen.len() < lines.len() {
        let shown = sum(chosen.iter().map(|line| line.time_ns)) as f64;
        let _ = writeln!(
            text,
            "{} not shown, together {}",
            counted((lines.len() - chosen.len()) as u64, "line"),
            duration(total - shown)
        );
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
    fn the_lines_that_take_most_can_be_had_first() {
        let numbers = |sort, top| -> Vec<String> {
            let text = sample_profile().lines_text(LineOptions { top, sort });
            let lines = text.lines().skip_while(|line| !line.starts_with("=="));
            let lines = lines.skip(1).map(|line| line.split_whitespace().next());
            lines.map(|word| word.unwrap().to_owned()).collect()
        };
        assert_eq!(numbers(LineSort::Time, 2), ["2", "6", "6"]);
        assert_eq!(numbers(LineSort::Line, 3), ["2", "6", "7", "5"]);
        assert_eq!(numbers(LineSort::PerHit, 8)[..3], ["2", "6", "7"]);
        assert_eq!(numbers(LineSort::Hits, 8)[..2], ["2", "3"]);
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
