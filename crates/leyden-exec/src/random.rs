//! Random programs and grids, for tests of the engines against each other.
//!
//! Programs are made line by line from the table. Most operands have the type a parameter asks for,
//! so that programs get somewhere; some are wrong on purpose, so that faults are met too. All
//! choices come from [`Dice`], so equal seeds or bytes give equal cases.
//!
//! ```
//! use leyden_exec::random::{Case, Dice};
//! use leyden_exec::{Engine, Mode};
//!
//! let case = Case::random(&mut Dice::seeded(7));
//! let fast = Engine { fuel: 100_000, ..Engine::default() };
//! let exact = Engine { mode: Mode::Exact, ..fast.clone() };
//! let sample = case.sample();
//! assert_eq!(fast.run(&case.program, &sample), exact.run(&case.program, &sample));
//! ```

mod around;
mod dice;
mod grids;
mod maker;
mod operands;
mod shapes;

pub use dice::Dice;

use leyden_dsl::table::Prim;
use leyden_grid::{Grid, Pair};
use leyden_lang::Program;

use crate::engine::Sample;
use grids::grid;
use maker::Maker;

/// A program and its inputs.
#[derive(Clone, Debug)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// The grid to transform.
    pub input: Grid,
    /// Demonstration pairs.
    pub demos: Vec<Pair>,
    /// The expected output, in some cases.
    pub expected: Option<Grid>,
}

impl Case {
    /// Rolls a case.
    pub fn random(dice: &mut Dice<'_>) -> Case {
        Case::random_among(dice, &[])
    }

    /// Rolls a case whose program calls only these primitives; those that are listed twice, twice
    /// as often. An empty list stands for all primitives.
    pub fn random_among(dice: &mut Dice<'_>, primitives: &[Prim]) -> Case {
        let program = Maker::new(dice, primitives).program();
        let input = grid(dice);
        let n_demos = if dice.one_in(4) { dice.below(3) } else { 0 };
        let demos = (0..n_demos)
            .map(|_| Pair {
                input: grid(dice),
                output: grid(dice),
            })
            .collect();
        let expected = dice.one_in(4).then(|| grid(dice));
        Case {
            program,
            input,
            demos,
            expected,
        }
    }

    /// The program's sample.
    pub fn sample(&self) -> Sample<'_> {
        Sample {
            input: &self.input,
            demos: &self.demos,
            expected: self.expected.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests;
