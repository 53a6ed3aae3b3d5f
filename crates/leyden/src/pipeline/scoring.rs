//! Partial credit: scoring programs run on candidates for demonstrations.

use leyden_dsl::table::Dialect;
use leyden_exec::{Engine, Outcome, Seen};
use leyden_grid::{Grid, Pair};
use leyden_lang::{Input, Operand, Program};
use leyden_search::scores::{FULL_MARKS, without_witness};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::group::{Group, Sharing};
use super::hand::Hand;
use crate::failure::Failure;
use crate::programs::{Known, Library};

/// Longer witnesses are dropped.
const MOST_WITNESS_BYTES: usize = 2_000;
/// A comment line with this beginning gives the best number of the scoring programs below it.
const SCALE_COMMENT: &str = "# scale:";
/// The largest scale.
const LARGEST_SCALE: u32 = 1_000_000;

/// The worth of a scoring program's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scale {
    /// The best number; numbers outside of 0 to this are cut.
    pub(crate) full: u32,
    /// Whether it scores the candidate's gain over the input, as tokpidjin's differs do: the
    /// distance of the input from the best number, plus the number of the candidate.
    pub(crate) over_input: bool,
}

impl Scale {
    /// The scale of Leyden's own scoring programs.
    pub(crate) const OWN: Scale = Scale {
        full: FULL_MARKS as u32,
        over_input: false,
    };

    /// The scale of tokpidjin's differs.
    const DIFFER: Scale = Scale {
        full: 1_000,
        over_input: true,
    };

    fn of_dialect(dialect: Dialect) -> Scale {
        if dialect.is_classic() {
            Scale::OWN
        } else {
            Scale::DIFFER
        }
    }

    /// The highest score of a candidate for a demonstration.
    pub(crate) fn most(self) -> u32 {
        self.full * (1 + u32::from(self.over_input))
    }

    /// A number as a share of the best number.
    pub(crate) fn share(self, number: u32) -> f64 {
        f64::from(number) / f64::from(self.full)
    }

    /// The part of the score that all candidates get, by the number of the input.
    fn base(self, of_input: Option<u32>) -> u32 {
        of_input.map_or(0, |number| self.full - number.min(self.full))
    }

    /// The number that a scoring program gave, cut to its range. A differ gives a tuple of at least
    /// a number and a witness. A boolean does not count as a number.
    fn number_in(self, outcome: &Outcome) -> Option<u32> {
        let Outcome::Value(value) = outcome else {
            return None;
        };
        let number = match value.as_ref() {
            Json::Array(items) if self.over_input && items.len() < 2 => return None,
            Json::Array(items) => items.first()?.as_i64()?,
            _ if self.over_input => return None,
            number => number.as_i64()?,
        };
        u32::try_from(number.clamp(0, i64::from(self.full))).ok()
    }
}

/// A scoring program.
#[derive(Clone, Debug)]
pub(crate) struct ScoringProgram {
    pub(crate) program: Program,
    pub(crate) scale: Scale,
}

impl ScoringProgram {
    /// One of Leyden's own.
    pub(crate) fn own(program: Program) -> ScoringProgram {
        let scale = Scale::OWN;
        ScoringProgram { program, scale }
    }

    /// One whose scale follows from its dialect.
    pub(crate) fn by_dialect(program: Program) -> ScoringProgram {
        let scale = Scale::of_dialect(program.dialect);
        ScoringProgram { program, scale }
    }

    /// The scoring programs of files, with scales from comments or dialects.
    pub(crate) fn all_in(library: Library) -> Result<Vec<ScoringProgram>, Failure> {
        let scales: Result<Vec<Scale>, Failure> = library
            .programs
            .iter()
            .map(|known| scale_of(&library, known))
            .collect();
        let programs = library.programs.into_iter().map(|known| known.program);
        let scored = |(program, scale)| ScoringProgram { program, scale };
        Ok(programs.zip(scales?).map(scored).collect())
    }
}

/// The scale in the last comment above a program, otherwise the scale of its dialect.
fn scale_of(library: &Library, known: &Known) -> Result<Scale, Failure> {
    let file = library.file_of(known);
    let by_dialect = Scale::of_dialect(known.program.dialect);
    let first_line = known.program.lines.first().map(|line| line.source_line);
    let above = file.text.lines().zip(1..);
    let above = above.take_while(|(_, k)| first_line.is_none_or(|first| *k <= first));
    let told = above.filter_map(|(line, k)| Some((line.strip_prefix(SCALE_COMMENT)?, k)));
    let Some((told, k)) = told.last() else {
        return Ok(by_dialect);
    };
    let full = told.trim().parse().ok();
    let full = full.filter(|full| (1..=LARGEST_SCALE).contains(full));
    let bad = || {
        let what = format!("a scale is a whole number from 1 to {LARGEST_SCALE}");
        Failure::bad_input(format!("{}:{k}: {what}", file.name))
    };
    Ok(Scale {
        full: full.ok_or_else(bad)?,
        ..by_dialect
    })
}

/// Scoring programs made ready.
pub(crate) struct Scorer {
    all: Vec<ScoringProgram>,
    numbers: Group,
    /// Whether to find out which of them rank a wrong output above the right one.
    pub(crate) is_checked: bool,
    /// The scored programs, if outputs that are not grids count too.
    solvers: Vec<Program>,
}

impl Scorer {
    pub(crate) fn new(all: Vec<ScoringProgram>, sharing: Sharing) -> Scorer {
        let numbers = all.iter().map(|it| {
            if it.scale.over_input {
                it.program.clone()
            } else {
                without_witness(&it.program)
            }
        });
        let numbers: Vec<Program> = numbers.collect();
        Scorer {
            numbers: Group::new(&numbers, sharing),
            all,
            is_checked: true,
            solvers: Vec::new(),
        }
    }

    /// Leyden's own scoring programs. Tests show that they rank no output above the right one.
    pub(crate) fn own(all: Vec<ScoringProgram>, sharing: Sharing) -> Scorer {
        Scorer {
            is_checked: false,
            ..Scorer::new(all, sharing)
        }
    }

    /// Lets differs see outputs of these programs that are not grids, as tokpidjin does.
    #[must_use]
    pub(crate) fn of_solvers(self, solvers: impl FnOnce() -> Vec<Program>) -> Scorer {
        if self.differs().next().is_none() {
            return self;
        }
        let solvers = solvers();
        Scorer { solvers, ..self }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|it| it.program.name.as_str())
    }

    pub(crate) fn scales(&self) -> impl Iterator<Item = Scale> {
        self.all.iter().map(|it| it.scale)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The indices of the scoring programs that score the gain over the input.
    pub(crate) fn differs(&self) -> impl Iterator<Item = usize> {
        let scales = self.scales().enumerate();
        scales.filter(|(_, scale)| scale.over_input).map(|(k, _)| k)
    }

    /// The highest score that all scoring programs together can give for a demonstration.
    pub(crate) fn most(&self) -> u32 {
        self.scales().map(Scale::most).sum()
    }

    pub(crate) fn group(&self) -> &Group {
        &self.numbers
    }

    /// The marks of every scoring program for one candidate, with witnesses.
    pub(crate) fn explain(
        &self,
        engine: &Engine,
        demos: &[Pair],
        demo: usize,
        grid: &Grid,
    ) -> Vec<Mark> {
        let sample = leyden_exec::Sample {
            input: grid,
            demos,
            expected: Some(&demos[demo].output),
        };
        let marks = self.all.iter().map(|it| {
            let outcome = engine.run(&it.program, &sample);
            Mark {
                number: it.scale.number_in(&outcome).unwrap_or(0),
                witness: witness_of(outcome),
            }
        });
        marks.collect()
    }

    /// The numbers of grids for one demonstration: for each grid, a number from every scoring
    /// program.
    pub(crate) fn numbers(
        &self,
        hand: &mut Hand<'_, '_>,
        demos: &[Pair],
        demo: usize,
        grids: &[&Grid],
    ) -> Vec<Vec<Option<u32>>> {
        let mut numbers = vec![vec![None; self.len()]; grids.len()];
        let seen = Seen {
            demos,
            expected: Some(&demos[demo].output),
        };
        hand.run(&seen, grids.iter().copied(), |k, score, ran| {
            numbers[k][score] = self.all[score].scale.number_in(&ran.outcome);
        });
        numbers
    }

    /// The numbers of a program's output for a demonstration if it is not a grid. The scoring
    /// programs that take any value run behind the program, if both are of one dialect.
    pub(crate) fn numbers_behind(
        &self,
        engine: &Engine,
        program: usize,
        demos: &[Pair],
        demo: usize,
    ) -> Vec<Option<u32>> {
        let sample = leyden_exec::Sample {
            input: &demos[demo].input,
            demos,
            expected: Some(&demos[demo].output),
        };
        let solver = self.solvers.get(program);
        let number = |it: &ScoringProgram| {
            let whole = behind(&it.program, solver?).filter(|_| it.scale.over_input)?;
            it.scale.number_in(&engine.run(&whole, &sample))
        };
        self.all.iter().map(number).collect()
    }
}

/// A scoring program with the output of another program as its candidate. `None` if it could read
/// the expected output, or if the two are of different dialects.
fn behind(score: &Program, solver: &Program) -> Option<Program> {
    if solver.dialect != score.dialect || solver.reads(Input::C) {
        return None;
    }
    let n_lines = solver.lines.len() as u32;
    let moved = |operand: Operand| match operand {
        Operand::Var(k) => Operand::Var(k + n_lines),
        Operand::Input(Input::I) => solver.output,
        other => other,
    };
    let mut whole = solver.clone();
    for line in &score.lines {
        let mut line = line.clone();
        let operands = line.op.operands_mut();
        operands.for_each(|operand| *operand = moved(*operand));
        whole.lines.push(line);
    }
    whole.output = moved(score.output);
    whole.inputs = Input::ALL.to_vec();
    Some(whole)
}

/// The verdict of a scoring program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Its number.
    pub number: u32,
    /// The reason, unless it is long.
    pub witness: Json,
}

/// The scores of candidates for one demonstration.
pub(crate) struct Worth {
    /// For each scoring program the part of the score that all candidates get.
    base: Vec<u32>,
}

impl Worth {
    /// Takes the numbers of the input, if the scoring programs compare with it.
    pub(crate) fn new(scorer: &Scorer, of_input: Option<&[Option<u32>]>) -> Worth {
        let base = scorer.scales().enumerate().map(|(score, scale)| {
            let number = of_input.and_then(|numbers| numbers[score]);
            if scale.over_input {
                scale.base(number)
            } else {
                0
            }
        });
        Worth {
            base: base.collect(),
        }
    }

    /// The score that each scoring program gives a candidate with these numbers.
    pub(crate) fn parts(&self, numbers: Option<&[Option<u32>]>) -> impl Iterator<Item = u32> {
        let number = move |score: usize| numbers.and_then(|it| it[score]).unwrap_or(0);
        let base = self.base.iter().enumerate();
        base.map(move |(score, base)| base + number(score))
    }
}

fn witness_of(outcome: Outcome) -> Json {
    let Outcome::Value(value) = outcome else {
        return Json::Null;
    };
    let witness = value.get(1).cloned().unwrap_or(Json::Null);
    if witness.to_string().len() > MOST_WITNESS_BYTES {
        Json::Null
    } else {
        witness
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leyden_lang::parse;
    use serde_json::json;
    use std::sync::Arc;

    #[test]
    fn numbers_are_read_and_cut() {
        let number = |value| Scale::OWN.number_in(&Outcome::Value(Arc::new(value)));
        assert_eq!(number(json!([40, {"set": [1]}])), Some(40));
        assert_eq!(number(json!(7)), Some(7));
        assert_eq!(number(json!([-3, 0])), Some(0));
        assert_eq!(number(json!([400, 0])), Some(100));
        assert_eq!(number(json!([])), None);
        assert_eq!(number(json!([{"set": []}, 1])), None);
    }

    #[test]
    fn differs_give_a_number_and_a_witness() {
        let number = |value| Scale::DIFFER.number_in(&Outcome::Value(Arc::new(value)));
        assert_eq!(number(json!([400, 0])), Some(400));
        assert_eq!(number(json!([4000, 0])), Some(1000));
        assert_eq!(number(json!([-3, []])), Some(0));
        assert_eq!(number(json!([400])), None);
        assert_eq!(number(json!(400)), None);
        assert_eq!(number(json!([true, 0])), None);
        assert_eq!(number(json!({"set": [1, 2]})), None);
        assert_eq!(Scale::DIFFER.base(Some(300)), 700);
        assert_eq!(Scale::DIFFER.base(None), 0);
        assert_eq!((Scale::DIFFER.most(), Scale::OWN.most()), (2000, 100));
    }

    #[test]
    fn a_differ_runs_behind_a_solver() {
        let source = "def solve_00000001(S, I, C):
    x = o_g(I, R5)
    return x

def differ_a(S, I, C):
    x = size(I)
    y = size_f(I)
    return astuple(x, y)
";
        let programs = parse(source, "a.py", None).unwrap();
        let whole = behind(&programs[1], &programs[0]).unwrap();
        let text = whole.to_string();
        assert!(text.contains("x2 = size(x1)"), "{text}");
        assert!(text.contains("return x4"), "{text}");
        let mut other = programs[0].clone();
        other.dialect = Dialect::ArcDsl;
        assert!(behind(&programs[1], &other).is_none());
        other = programs[0].clone();
        other.output = Operand::Input(Input::C);
        assert!(behind(&programs[1], &other).is_none());
    }

    #[test]
    fn witnesses_are_kept_unless_they_are_long() {
        let witness = |value| witness_of(Outcome::Value(Arc::new(value)));
        assert_eq!(witness(json!([40, {"set": [1]}])), json!({"set": [1]}));
        assert_eq!(witness(json!([40])), Json::Null);
        assert_eq!(witness(json!([40, vec![1; 2_000]])), Json::Null);
    }
}
