//! The samples of a task: its demonstrations and its tests.

use std::fmt;

use leyden_grid::{Grid, Pair, Task};

/// Which pair of a task: `train[0]`, `test[1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PairName {
    pub(crate) half: &'static str,
    pub(crate) index: usize,
}

impl PairName {
    /// The name of the sample with this index among a task's samples.
    pub(crate) fn of(sample: usize, n_demos: usize) -> PairName {
        let (half, index) = match sample.checked_sub(n_demos) {
            None => ("train", sample),
            Some(test) => ("test", test),
        };
        PairName { half, index }
    }
}

impl fmt::Display for PairName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.half, self.index)
    }
}

/// One pair of a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample<'a> {
    pub(crate) name: PairName,
    pub(crate) input: &'a Grid,
    /// The right output, if it is known.
    pub(crate) output: Option<&'a Grid>,
    pub(crate) is_demo: bool,
}

impl<'a> Sample<'a> {
    /// The output that a program may see. A demonstration has one, a test has none.
    pub(crate) fn visible_output(&self) -> Option<&'a Grid> {
        self.output.filter(|_| self.is_demo)
    }

    /// The sample as a program sees it.
    pub(crate) fn for_program(&self, demos: &'a [Pair]) -> leyden_exec::Sample<'a> {
        leyden_exec::Sample {
            input: self.input,
            demos,
            expected: self.visible_output(),
        }
    }
}

/// All samples of a task: the demonstrations, then the tests.
pub(crate) fn samples(task: &Task) -> impl Iterator<Item = Sample<'_>> {
    let n_demos = task.demos.len();
    let pairs = task.pairs().enumerate();
    pairs.map(move |(k, (input, output))| Sample {
        name: PairName::of(k, n_demos),
        input,
        output,
        is_demo: k < n_demos,
    })
}

/// How many samples a task has.
pub(crate) fn n_samples(task: &Task) -> usize {
    task.demos.len() + task.tests.len()
}
