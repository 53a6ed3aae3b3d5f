//! Random programs on random grids, on the device and on the CPU.

use std::collections::BTreeMap;

use leyden_dsl::table::Prim;
use leyden_exec::random::{Case, Dice};
use leyden_exec::{Engine, Outcome, Sample};
use leyden_lang::{Op, Operand, Program};

use crate::batch::{Answer, Job, Samples};
use crate::compile::{Compiled, device_primitives};
use crate::error::GpuError;
use crate::hash::hash_of_grid;
use crate::session::{Backend, Session};

/// What came of comparing a device with the CPU.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Programs rolled.
    pub n_rolled: usize,
    /// Programs that the device accepted.
    pub n_accepted: usize,
    /// Those it answered.
    pub n_answered: usize,
    /// Those of them that ended with a fault.
    pub n_faults: usize,
    /// Programs with another answer than the CPU's, and both answers.
    pub differences: Vec<String>,
    /// For each primitive of the device, in how many answered programs it stands.
    pub by_primitive: BTreeMap<&'static str, usize>,
}

impl Verdict {
    /// Did all answers agree?
    pub fn agrees(&self) -> bool {
        self.differences.is_empty()
    }

    fn count(&mut self, program: &Program, answer: &Answer) {
        self.n_answered += 1;
        self.n_faults += usize::from(matches!(answer, Answer::Fault { .. }));
        for prim in device_primitives()
            .into_iter()
            .filter(|prim| calls(program, *prim))
        {
            *self.by_primitive.entry(prim.name()).or_default() += 1;
        }
    }
}

fn calls(program: &Program, prim: Prim) -> bool {
    let reads = |op: &Op| op.operands().any(|operand| operand == Operand::Prim(prim));
    program.lines.iter().any(|line| reads(&line.op))
}

/// Makes values that other primitives need.
const BASIS: [Prim; 6] = [
    Prim::objects,
    Prim::ofcolor,
    Prim::asobject,
    Prim::first,
    Prim::shape,
    Prim::argmax,
];

/// Runs `n_programs` random programs for each primitive of the device and compares every answer
/// with the CPU's. The same seed gives the same programs.
pub fn selftest<B: Backend>(
    session: &Session<B>,
    n_programs: usize,
    seed: u64,
) -> Result<Verdict, GpuError> {
    let mut verdict = Verdict::default();
    for (k, prim) in device_primitives().into_iter().enumerate() {
        let mut primitives = device_primitives();
        // A third of all lines call the one in question, a third make something for it to work on.
        let n_others = primitives.len();
        primitives.extend(std::iter::repeat_n(prim, n_others));
        primitives.extend(BASIS.iter().cycle().take(n_others));
        let mut dice = Dice::seeded(seed.wrapping_mul(1_000_003).wrapping_add(k as u64));
        let cases: Vec<Case> = (0..n_programs)
            .map(|_| Case::random_among(&mut dice, &primitives))
            .collect();
        compare(session, &cases, &mut verdict)?;
    }
    Ok(verdict)
}

fn compare<B: Backend>(
    session: &Session<B>,
    cases: &[Case],
    verdict: &mut Verdict,
) -> Result<(), GpuError> {
    let accepted: Vec<(&Case, Compiled)> = cases
        .iter()
        .filter_map(|case| Some((case, Compiled::of(&case.program).ok()?)))
        .collect();
    verdict.n_rolled += cases.len();
    verdict.n_accepted += accepted.len();
    let mut samples = Samples::default();
    let mut jobs = Vec::new();
    for (k, (case, _)) in accepted.iter().enumerate() {
        let sample = samples.push(&case.input, case.expected.as_ref());
        jobs.push(Job {
            program: k as u32,
            sample,
        });
    }
    let compiled: Vec<Compiled> = accepted
        .iter()
        .map(|(_, compiled)| compiled.clone())
        .collect();
    let resident = session.upload(&samples)?;
    let answers = session.run(&resident, &compiled, &jobs, true)?;
    for ((case, _), answer) in accepted.iter().zip(&answers) {
        compare_one(case, answer, verdict);
    }
    Ok(())
}

fn compare_one(case: &Case, answer: &Answer, verdict: &mut Verdict) {
    let Some(ours) = answer.outcome() else {
        return;
    };
    verdict.count(&case.program, answer);
    let theirs = Engine::default().run(&case.program, &Sample::of(&case.input));
    if ours != theirs || !is_consistent(answer, &theirs, case) {
        let (ours, theirs) = (ours.to_json(), theirs.to_json());
        let text = format!(
            "{}on {:?}\ndevice {ours}\nCPU    {theirs}",
            case.program, case.input
        );
        verdict.differences.push(text);
    }
}

/// Do the hash and the match say what the CPU's grid says?
fn is_consistent(answer: &Answer, outcome: &Outcome, case: &Case) -> bool {
    let Answer::Grid {
        hash, is_expected, ..
    } = answer
    else {
        return true;
    };
    let is_right = case
        .expected
        .as_ref()
        .is_some_and(|grid| outcome.equals(grid));
    let grid = match outcome {
        Outcome::Grid(grid) => grid.to_grid(),
        _ => None,
    };
    is_right == *is_expected && grid.is_none_or(|grid| hash_of_grid(&grid) == *hash)
}
