//! The answer in one sentence, before any table.

use crate::advice::{Advice, Combined, LEAST_PER_CALL_NS, WORTH_NAMING};
use crate::model::{Kind, Layer, LineRow, PhaseRow, Profile, Projection, RowKind, SlowReason};
use crate::numbers::{counted, duration, rough_percent, share, sum};
use crate::stats::{PrimitiveStats, Priority, amdahl};

/// The largest number of causes in a sentence.
const MOST_CAUSES: usize = 3;
/// The largest number of letters of a line in a sentence.
const MOST_LETTERS: usize = 60;

impl Profile {
    /// Answers the question that this kind of profile is for. Programs on the reference engine come
    /// first.
    pub fn verdict(&self) -> String {
        self.verdict_with(&self.advice())
    }

    pub(crate) fn verdict_with(&self, advice: &Advice) -> String {
        let mut clauses: Vec<String> = self.slow_clause().into_iter().collect();
        clauses.extend(match self.kind {
            Kind::Dsl | Kind::Batch => self.primitives_clauses(advice),
            Kind::Framework => self.framework_clauses(),
            Kind::Pipeline => self.pipeline_clauses(advice),
            Kind::Lines => self.lines_clauses(),
        });
        if clauses.is_empty() {
            return "Nothing was measured.".to_owned();
        }
        if !self.check().is_empty() {
            clauses.push("careful, some sums do not add up".to_owned());
        }
        clauses.join("; ") + "."
    }

    fn slow_clause(&self) -> Option<String> {
        let execute = self.totals.execute_ns as f64;
        let slow_ns = sum(self.slow_path.iter().map(|it| it.time_ns));
        let part = share(slow_ns as f64, execute).min(1.0);
        if part < WORTH_NAMING {
            return None;
        }
        let spared: f64 = self.slow_path.iter().map(|it| it.spared_ns()).sum();
        let gain = amdahl(share(spared, execute).min(1.0), f64::INFINITY);
        Some(format!(
            "the reference engine takes {} of the execute time, {}; on the fast engine execution \
             would be about {} as fast",
            rough_percent(part),
            self.slow_programs(),
            times(gain)
        ))
    }

    /// Says what the reference engine runs, and why.
    fn slow_programs(&self) -> String {
        let n_programs = sum(self.slow_path.iter().map(|it| it.n_programs));
        let programs = match n_programs {
            0 => "programs".to_owned(),
            n => counted(n, "program"),
        };
        let first = self.slow_path.first().map(|it| it.reason);
        match first {
            Some(SlowReason::Asked) => format!("running {programs}, as --exact-order asks"),
            Some(SlowReason::Dialect) => {
                format!("running {programs} whose dialect the fast engine does not speak")
            }
            _ => format!("re-running {programs}{}", self.slow_causes()),
        }
    }

    fn slow_causes(&self) -> String {
        let execute = self.totals.execute_ns as f64;
        let named = self.slow_path.iter().filter_map(|it| {
            let name = it.primitive.as_ref()?;
            let part = share(it.time_ns as f64, execute);
            Some(format!("{name} ({})", rough_percent(part)))
        });
        let causes: Vec<String> = named.take(MOST_CAUSES).collect();
        if causes.is_empty() {
            String::new()
        } else {
            format!(" after {}", listed(&causes))
        }
    }

    fn primitives_clauses(&self, advice: &Advice) -> Vec<String> {
        let rest = self.without_outliers();
        let usual = rest.as_ref().unwrap_or(self);
        let mut clauses = vec![match usual.top_primitive() {
            Some(top) => top_clause(&top),
            None => return usual.nothing_clause().into_iter().collect(),
        }];
        clauses.push(combined_clause(&advice.combined));
        clauses.extend(outliers_clause(advice));
        clauses
    }

    /// Names the largest primitive even if none is worth a change.
    fn nothing_clause(&self) -> Option<String> {
        let stats = self.primitive_stats();
        let stats: Vec<_> = stats.iter().filter(|it| it.row.self_ns > 0).collect();
        let largest = |kind| stats.iter().find(|it| it.row.kind == kind);
        let around = largest(RowKind::Engine).map(|it| {
            let name = it.row.name.trim_matches(['(', ')']);
            format!(
                "the engine around them spends {} on {name}",
                rough_percent(it.share)
            )
        });
        let of_primitives = largest(RowKind::Primitive).map(|it| {
            let why = match it.priority {
                Priority::None => "less than 1 %".to_owned(),
                _ => format!(
                    "{} in calls below {LEAST_PER_CALL_NS} ns",
                    rough_percent(it.share)
                ),
            };
            format!(
                "no primitive is worth a change (the largest, {}, is {why})",
                it.row.name
            )
        });
        let parts: Vec<String> = of_primitives.into_iter().chain(around).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    fn framework_clauses(&self) -> Vec<String> {
        let whole = self.totals.whole_ns as f64;
        let layers = self.top_layers();
        if layers.is_empty() {
            return Vec::new();
        }
        let is_programs = |layer| matches!(layer, Layer::Execute | Layer::Kernel);
        let programs = layers.iter().filter(|row| is_programs(row.layer));
        let programs = sum(programs.map(|row| row.self_ns)) as f64;
        let around = layers.iter().filter(|row| !is_programs(row.layer)).take(3);
        let around: Vec<String> = around
            .map(|row| {
                let part = rough_percent(share(row.self_ns as f64, whole));
                let once = match row.layer {
                    Layer::StartUp | Layer::Load => ", once",
                    _ => "",
                };
                format!("{} ({part}{once})", row.layer)
            })
            .collect();
        let mut clause = format!(
            "running programs takes {} of the run",
            rough_percent(share(programs, whole))
        );
        if !around.is_empty() {
            clause += &format!("; of the rest, most goes to {}", listed(&around));
        }
        vec![clause]
    }

    fn pipeline_clauses(&self, advice: &Advice) -> Vec<String> {
        let rest = self.without_outliers();
        let usual = rest.as_ref().unwrap_or(self);
        let ns = |row: &PhaseRow| row.self_ns.saturating_sub(usual.once_in(row.phase));
        let largest = usual.phases.iter().max_by_key(|row| ns(row));
        let Some(row) = largest.filter(|row| ns(row) > 0) else {
            return Vec::new();
        };
        let part = share(ns(row) as f64, usual.recurring_ns() as f64).min(1.0);
        let of = if self.is_search() {
            "search"
        } else {
            "recurring work"
        };
        let mut clauses = vec![format!(
            "{} takes {} of the {of}; twice as fast, it makes the whole {} as fast",
            row.phase,
            rough_percent(part),
            times(amdahl(part, 2.0))
        )];
        let best = advice.steps.iter().find(|step| !step.is_slow_path);
        if let Some(step) = best.filter(|step| !step.what.starts_with("phase ")) {
            clauses.push(format!(
                "the best step: {} ({})",
                step.what,
                times(step.gain)
            ));
        }
        let plain = self.projections.iter().filter(|it| it.what_if.is_empty());
        clauses.extend(plain.take(1).map(projection_clause));
        clauses.extend(outliers_clause(advice));
        clauses
    }

    fn lines_clauses(&self) -> Vec<String> {
        let total = sum(self.lines.iter().map(|line| line.time_ns)) as f64;
        let mut lines: Vec<&LineRow> = self.lines.iter().filter(|it| it.time_ns > 0).collect();
        lines.sort_by_key(|line| (std::cmp::Reverse(line.time_ns), line.source, line.line));
        let Some(top) = lines.first() else {
            return Vec::new();
        };
        let source = self.sources.get(top.source as usize);
        let part = share(top.time_ns as f64, total);
        let mut clauses = vec![format!(
            "line {} of {} (`{}`) takes {} of the time of all lines; twice as fast, it makes the whole \
             {} as fast",
            top.line,
            source.map_or("?", |source| source.name.as_str()),
            shortened(top.text.trim()),
            rough_percent(part),
            times(amdahl(part, 2.0))
        )];
        if lines.len() > 3 {
            let three = sum(lines.iter().take(3).map(|line| line.time_ns)) as f64;
            clauses.push(format!(
                "the three slowest of {} take {}",
                counted(lines.len() as u64, "line"),
                rough_percent(share(three, total))
            ));
        }
        clauses
    }
}

fn top_clause(top: &PrimitiveStats<'_>) -> String {
    format!(
        "{} takes {} of the execute time; twice as fast, it makes execution {} as fast",
        top.row.name,
        rough_percent(top.share),
        times(top.gains[0])
    )
}

/// Sums up all HIGH and MEDIUM together: in the execute phase and in whole runs.
fn combined_clause(rows: &[Combined]) -> String {
    let both: Vec<&Combined> = rows.iter().filter(|it| it.which != "HIGH").collect();
    let Some(here) = both.first() else {
        return "no primitive has the priority HIGH or MEDIUM".to_owned();
    };
    let who = match here.n_primitives {
        1 => "without it execution would be",
        _ => "without all that are HIGH or MEDIUM execution would be",
    };
    let mut clause = format!("{who} at most {} as fast", times(here.gain));
    let saved = both.iter().filter_map(|row| {
        let (saved, total) = (duration(row.saved_ns), duration(row.total_ns));
        let tasks = counted(row.n_tasks?, "task");
        Some(format!("{saved} of {total} in a run of {tasks}"))
    });
    let saved: Vec<String> = saved.take(2).collect();
    if !saved.is_empty() {
        clause += &format!(", which saves {}", listed(&saved));
    }
    clause
}

fn outliers_clause(advice: &Advice) -> Option<String> {
    let name = match advice.outliers.as_slice() {
        [] => return None,
        [one] => format!("the outlier {one}"),
        [first, ..] => format!(
            "{} outliers (the slowest is {first})",
            advice.outliers.len()
        ),
    };
    let part = rough_percent(advice.outlier_share);
    Some(format!("left out: {name} with {part} of the execute time"))
}

fn projection_clause(row: &Projection) -> String {
    let estimate = &row.estimate;
    format!(
        "{} would take {} ({} to {})",
        counted(row.n_tasks, "task"),
        duration(estimate.ns),
        duration(estimate.low_ns),
        duration(estimate.high_ns)
    )
}

/// Writes a factor: `1.06×`, `14×`.
pub(crate) fn times(gain: f64) -> String {
    match gain {
        _ if gain < 9.995 => format!("{gain:.2}×"),
        _ => format!("{gain:.0}×"),
    }
}

/// Joins words: `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() > MOST_LETTERS {
        text.chars().take(MOST_LETTERS - 1).chain(['…']).collect()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::{WhatIf, project};
    use crate::sample::{planted_outlier, sample_profile, slow_profile};

    fn of(kind: Kind) -> String {
        let mut profile = sample_profile();
        profile.kind = kind;
        profile.projections = vec![project(&profile, 400, &WhatIf::default()).unwrap()];
        profile.verdict()
    }

    #[test]
    fn every_kind_answers_its_question_in_a_sentence() {
        for (kind, start) in [
            (Kind::Dsl, "objects takes "),
            (Kind::Batch, "objects takes "),
            (Kind::Framework, "running programs takes "),
            (Kind::Pipeline, "execute takes "),
            (
                Kind::Lines,
                "line 2 of solve_00d62c1b (`x1 = objects(I, T, F, F)`) takes ",
            ),
        ] {
            let verdict = of(kind);
            assert!(verdict.starts_with(start), "{verdict}");
            assert!(
                verdict.ends_with('.') && !verdict.contains('\n'),
                "{verdict}"
            );
        }
        let batch = of(Kind::Batch);
        assert!(
            batch.contains("without all that are HIGH or MEDIUM execution would be at most "),
            "{batch}"
        );
        assert!(batch.contains(" in a run of 400 tasks"), "{batch}");
    }

    #[test]
    fn a_slow_path_is_the_first_lever() {
        let verdict = slow_profile(0.61).verdict();
        let start = "the reference engine takes 61 % of the execute time, re-running 14 programs \
                     after order (61 %); on the fast engine execution would be about ";
        assert!(verdict.starts_with(start), "{verdict}");
        let mut asked = slow_profile(0.9);
        asked.slow_path[0].reason = SlowReason::Asked;
        assert!(asked.verdict().contains("as --exact-order asks"));
    }

    #[test]
    fn outliers_are_named_and_left_out() {
        let (profile, place) = planted_outlier();
        let verdict = profile.verdict();
        let name = format!("the outlier {} with ", profile.tasks[place].id);
        assert!(verdict.contains(&name), "{verdict}");
    }

    #[test]
    fn what_takes_nanoseconds_a_call_is_no_lever() {
        let mut profile = sample_profile();
        for row in &mut profile.primitives {
            row.calls = row.self_ns / 9;
        }
        let verdict = profile.verdict();
        assert!(
            verdict.starts_with("no primitive is worth a change"),
            "{verdict}"
        );
        profile.primitives.clear();
        assert_eq!(profile.verdict(), "Nothing was measured.");
    }
}
