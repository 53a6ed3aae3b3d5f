//! Allots registers and slots: a value keeps its own from its creation to its last use.

use super::{Compiled, Refusal, Step, Steps, Virtual};
use crate::wire::INSTRUCTION_WORDS;

/// The largest number of slots. With more, a group would not fit the shared memory of any device we
/// aim at.
const MAX_SLOTS: usize = 16;
const MAX_REGISTERS: usize = 192;

/// The steps between which a value is alive.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: usize,
    last: usize,
    has_slot: bool,
}

fn spans(steps: &Steps) -> Vec<Option<Span>> {
    let mut spans: Vec<Option<Span>> = vec![None; steps.n_virtuals];
    for (k, step) in steps.steps.iter().enumerate() {
        for value in step.args.iter().chain([&step.target]) {
            let span = spans[*value].get_or_insert(Span {
                first: k,
                last: k,
                has_slot: false,
            });
            span.last = k;
            span.has_slot |= *value == step.target && step.op.room().has_slot();
        }
    }
    for (value, _) in &steps.constants {
        if let Some(span) = &mut spans[*value] {
            span.first = 0;
        }
    }
    through_loops(&mut spans, &steps.loops);
    spans
}

/// Extends the spans of values that are made before an iteration and read within it: the next round
/// reads them again. Inner iterations come first in the list, so that outer ones see their effect.
fn through_loops(spans: &mut [Option<Span>], loops: &[(usize, usize)]) {
    for (start, end) in loops {
        for span in spans.iter_mut().flatten() {
            if span.first < *start && span.last >= *start {
                span.last = span.last.max(*end);
            }
        }
    }
}

/// Places of one kind. The lowest free one comes first.
#[derive(Default)]
struct Places {
    /// The last step at which each place is taken.
    taken_until: Vec<usize>,
}

impl Places {
    fn take(&mut self, span: Span) -> usize {
        let free = self.taken_until.iter().position(|last| *last < span.first);
        let place = free.unwrap_or(self.taken_until.len());
        if free.is_none() {
            self.taken_until.push(0);
        }
        self.taken_until[place] = span.last;
        place
    }
}

/// The register and the slot of each value.
struct Allotment {
    registers: Vec<usize>,
    slots: Vec<Option<usize>>,
    n_registers: usize,
    n_slots: usize,
}

fn allotment(steps: &Steps) -> Allotment {
    let spans = spans(steps);
    let mut order: Vec<Virtual> = (0..spans.len()).collect();
    order.sort_by_key(|value| spans[*value].map_or(usize::MAX, |span| span.first));
    // Register 0 holds nothing. It stands for arguments that an instruction does not have.
    let mut registers = Places {
        taken_until: vec![usize::MAX],
    };
    let mut slots = Places::default();
    let mut result = Allotment {
        registers: vec![0; spans.len()],
        slots: vec![None; spans.len()],
        n_registers: 0,
        n_slots: 0,
    };
    for value in order {
        if let Some(span) = spans[value] {
            result.registers[value] = registers.take(span);
            result.slots[value] = span.has_slot.then(|| slots.take(span));
        }
    }
    result.n_registers = registers.taken_until.len();
    result.n_slots = slots.taken_until.len();
    result
}

impl Allotment {
    fn encode(&self, step: &Step) -> [i32; INSTRUCTION_WORDS] {
        let register = |value: Option<&Virtual>| value.map_or(0, |v| self.registers[*v] as i32);
        let arg = |k: usize| register(step.args.get(k));
        [
            step.op as i32,
            step.op.phases() | step.surcharge << 8,
            self.registers[step.target] as i32,
            self.slots[step.target].map_or(-1, |slot| slot as i32),
            arg(0),
            arg(1),
            arg(2),
            arg(3),
            arg(4),
            step.line,
            step.flags,
            step.jump as i32,
        ]
    }
}

pub(super) fn allotted(steps: &Steps) -> Result<Compiled, Refusal> {
    let allotment = allotment(steps);
    if allotment.n_slots > MAX_SLOTS || allotment.n_registers > MAX_REGISTERS {
        return Err(Refusal::Memory);
    }
    let constant = |(value, constant): &(Virtual, super::Constant)| {
        let register = allotment.registers[*value] as i32;
        [register, constant.tag, constant.i, constant.j]
    };
    Ok(Compiled {
        code: steps
            .steps
            .iter()
            .flat_map(|s| allotment.encode(s))
            .collect(),
        constants: steps.constants.iter().flat_map(constant).collect(),
        n_registers: allotment.n_registers,
        n_slots: allotment.n_slots,
        has_table: steps.steps.iter().any(|step| step.op.room().has_table()),
    })
}
