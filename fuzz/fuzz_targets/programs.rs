//! Both engines give equal outcomes for any program on any grid, and neither panics.
#![no_main]

use leyden_exec::random::{Case, Dice};
use leyden_exec::{Engine, Mode, with_large_stack};
use libfuzzer_sys::fuzz_target;

const FUEL: u64 = 20_000;

fuzz_target!(|bytes: &[u8]| {
    let case = Case::random(&mut Dice::of_bytes(bytes));
    let fast = Engine {
        fuel: FUEL,
        ..Engine::default()
    };
    let exact = Engine {
        mode: Mode::Exact,
        ..fast.clone()
    };
    let run = |engine: &Engine| engine.run(&case.program, &case.sample());
    let (fast, exact) = with_large_stack(|| (run(&fast), run(&exact)));
    assert_eq!(fast, exact, "{}", case.program);
});
