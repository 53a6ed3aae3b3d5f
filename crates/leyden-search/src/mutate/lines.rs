//! Edits of a program's lines that keep their numbers right.

use leyden_lang::{Input, Line, Op, Operand, Program};

use super::Slot;

/// Drops the lines that the output does not depend on. In a mutated program they can only fault.
pub(super) fn prune(program: &mut Program) {
    let mut needed = vec![false; program.lines.len()];
    mark(&mut needed, program.output);
    for k in (0..needed.len()).rev() {
        if needed[k] {
            let operands = program.lines[k].op.operands();
            operands.for_each(|operand| mark(&mut needed, operand));
        }
    }
    keep_lines(program, &needed);
}

fn mark(needed: &mut [bool], operand: Operand) {
    if let Operand::Var(k) = operand {
        needed[k as usize] = true;
    }
}

/// Removes all lines that are not kept, in one pass. No other line reads them.
fn keep_lines(program: &mut Program, kept: &[bool]) {
    let Some(first) = kept.iter().position(|is_kept| !is_kept) else {
        return;
    };
    let mut n_kept = 0;
    let number = |is_kept: &bool| {
        let number = n_kept;
        n_kept += u32::from(*is_kept);
        number
    };
    let numbers: Vec<u32> = kept.iter().map(number).collect();
    let mut is_kept = kept.iter().copied();
    program.lines.retain(|_| is_kept.next().unwrap_or(true));
    renumber(program, first, |k| numbers[k as usize]);
}

/// Inserts lines before another.
pub(super) fn insert_lines(program: &mut Program, at: usize, ops: Vec<Op>) {
    let n_new = ops.len() as u32;
    renumber(
        program,
        at,
        |k| if k as usize >= at { k + n_new } else { k },
    );
    let line = |op| Line {
        op,
        source_line: 0,
        span: 0..0,
    };
    program.lines.splice(at..at, ops.into_iter().map(line));
}

/// Renumbers variables in the lines from one on and in the output.
fn renumber(program: &mut Program, from: usize, number: impl Fn(u32) -> u32) {
    let lines = program.lines.iter_mut().skip(from);
    let operands = lines.flat_map(|line| line.op.operands_mut());
    for operand in operands.chain([&mut program.output]) {
        if let Operand::Var(k) = operand {
            *k = number(*k);
        }
    }
}

/// The lines that a line of another program needs, numbered from `base` on. `None` if they read an
/// input that the program does not have.
pub(super) fn graft(donor: &Program, root: usize, base: u32, inputs: &[Input]) -> Option<Vec<Op>> {
    let mut needed = vec![false; root + 1];
    needed[root] = true;
    for k in (0..=root).rev() {
        if needed[k] {
            donor.lines[k]
                .op
                .operands()
                .for_each(|operand| mark(&mut needed, operand));
        }
    }
    let mut places = vec![0; root + 1];
    let mut ops: Vec<Op> = Vec::new();
    for k in (0..=root).filter(|k| needed[*k]) {
        let mut op = donor.lines[k].op.clone();
        for operand in op.operands_mut() {
            match operand {
                Operand::Var(v) => *v = places[*v as usize],
                Operand::Input(input) if !inputs.contains(input) => return None,
                _ => {}
            }
        }
        places[k] = base + ops.len() as u32;
        ops.push(op);
    }
    Some(ops)
}

pub(super) fn set(program: &mut Program, slot: Slot, operand: Operand) {
    if let Some(place) = program.lines[slot.line].op.operands_mut().nth(slot.place) {
        *place = operand;
    }
}

pub(super) fn replace_uses(program: &mut Program, variable: u32, operand: Operand) {
    let lines = program.lines.iter_mut().skip(variable as usize + 1);
    let places = lines.flat_map(|line| line.op.operands_mut());
    for place in places.chain([&mut program.output]) {
        if *place == Operand::Var(variable) {
            *place = operand;
        }
    }
}
