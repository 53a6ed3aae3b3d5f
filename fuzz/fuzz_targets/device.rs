//! The device compiler compiles or refuses any program, without a panic and within its limits.
#![no_main]

use leyden_exec::random::{Case, Dice};
use leyden_gpu::{Compiled, count_supported_lines, device_primitives};
use libfuzzer_sys::fuzz_target;

/// The limit of `leyden-gpu`.
const MOST_INSTRUCTIONS: usize = 20_100;

fuzz_target!(|bytes: &[u8]| {
    let mut dice = Dice::of_bytes(bytes);
    let primitives = device_primitives();
    let prim = primitives[usize::from(bytes.first().copied().unwrap_or(0)) % primitives.len()];
    let around = Case::random_around(&mut dice, prim, &primitives).0;
    for case in [around, Case::random(&mut dice)] {
        assert!(count_supported_lines(&case.program) <= case.program.lines.len());
        if let Ok(compiled) = Compiled::of(&case.program) {
            assert!(
                compiled.n_instructions() <= MOST_INSTRUCTIONS,
                "{}",
                case.program
            );
        }
    }
});
