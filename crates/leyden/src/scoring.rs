//! Partial credit: scoring programs run on candidates for demonstrations.

use leyden_exec::{Engine, Outcome, Sample, Task};
use leyden_grid::{Grid, Pair};
use leyden_lang::Program;
use leyden_search::scores::{FULL_MARKS, without_witness};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::runner::{Hand, Runner, Sharing};

/// Longer witnesses are not kept.
const MOST_WITNESS_BYTES: usize = 2_000;

/// Scoring programs made ready.
pub(crate) struct Scorer {
    programs: Vec<Program>,
    numbers: Runner,
}

impl Scorer {
    pub(crate) fn new(programs: Vec<Program>, sharing: Sharing) -> Scorer {
        let numbers: Vec<Program> = programs.iter().map(without_witness).collect();
        Scorer {
            numbers: Runner::new(&numbers, sharing),
            programs,
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.programs.iter().map(|program| program.name.as_str())
    }

    pub(crate) fn len(&self) -> usize {
        self.programs.len()
    }

    pub(crate) fn runner(&self) -> &Runner {
        &self.numbers
    }

    /// What every scoring program says about one candidate, witnesses included.
    pub(crate) fn explain(
        &self,
        engine: &Engine,
        demos: &[Pair],
        demo: usize,
        grid: &Grid,
    ) -> Vec<Mark> {
        let sample = Sample {
            input: grid,
            demos,
            expected: Some(&demos[demo].output),
        };
        let marks = self.programs.iter().map(|program| {
            let outcome = engine.run(program, &sample);
            Mark {
                number: number_of(&outcome).unwrap_or(0),
                witness: witness_of(outcome),
            }
        });
        marks.collect()
    }
}

/// What a scoring program said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mark {
    pub(crate) number: u32,
    pub(crate) witness: Json,
}

/// The credit of candidates for one demonstration, in their order: the sum of all numbers. Calls
/// `fault` with the scoring program wherever one gave no number, which then counts as 0.
pub(crate) fn credits(
    hand: &mut Hand<'_, '_>,
    demos: &[Pair],
    demo: usize,
    candidates: &[&Grid],
    mut fault: impl FnMut(usize),
) -> Vec<u32> {
    let mut credits = vec![0; candidates.len()];
    let task = Task {
        demos,
        expected: Some(&demos[demo].output),
    };
    hand.run(
        &task,
        candidates.iter().copied(),
        |k, score, ran| match number_of(&ran.outcome) {
            Some(number) => credits[k] += number,
            None => fault(score),
        },
    );
    credits
}

/// The number, cut to what a scoring program may give.
fn number_of(outcome: &Outcome) -> Option<u32> {
    let Outcome::Value(value) = outcome else {
        return None;
    };
    let number = match value.as_ref() {
        Json::Array(items) => items.first()?.as_i64()?,
        number => number.as_i64()?,
    };
    u32::try_from(number.clamp(0, FULL_MARKS)).ok()
}

fn witness_of(outcome: Outcome) -> Json {
    let Outcome::Value(value) = outcome else {
        return Json::Null;
    };
    let witness = value.get(1).cloned().unwrap_or(Json::Null);
    match witness.to_string().len() > MOST_WITNESS_BYTES {
        true => Json::Null,
        false => witness,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    #[test]
    fn numbers_are_read_and_cut() {
        let number = |value| number_of(&Outcome::Value(Arc::new(value)));
        assert_eq!(number(json!([40, {"set": [1]}])), Some(40));
        assert_eq!(number(json!(7)), Some(7));
        assert_eq!(number(json!([-3, 0])), Some(0));
        assert_eq!(number(json!([400, 0])), Some(100));
        assert_eq!(number(json!([])), None);
        assert_eq!(number(json!([{"set": []}, 1])), None);
    }

    #[test]
    fn witnesses_are_kept_unless_they_are_long() {
        let witness = |value| witness_of(Outcome::Value(Arc::new(value)));
        assert_eq!(witness(json!([40, {"set": [1]}])), json!({"set": [1]}));
        assert_eq!(witness(json!([40])), Json::Null);
        assert_eq!(witness(json!([40, vec![1; 2_000]])), Json::Null);
    }
}
