//! Any text is a battery, a generated batt file or an error. A battery survives printing and
//! reading.
#![no_main]

use leyden_lang::{
    BatteryFile, is_battery, is_generated_batt, parse_battery, parse_generated_batt, print_battery,
    print_battery_python, print_battery_tokpidjin, render, verify,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    is_battery(source);
    match parse_battery(source) {
        Ok(file) => check(&file),
        Err(found) => assert!(!render(&found[..1], source, "fuzz", false).is_empty()),
    }
    if is_generated_batt(source)
        && let Err(found) = parse_generated_batt(source, "fuzz")
    {
        assert!(!render(&found[..1], source, "fuzz", false).is_empty());
    }
});

fn check(file: &BatteryFile) {
    let printed = print_battery(file);
    let again = parse_battery(&printed).unwrap_or_else(|found| {
        panic!("{}", render(&found, &printed, "printed", false));
    });
    assert_eq!(print_battery(&again), printed);
    for k in 0..file.battery.outs.len().min(20) {
        verify(&file.battery.program(k));
    }
    // These functions refuse batteries that they cannot write.
    let _ = print_battery_python(&file.battery);
    let _ = print_battery_tokpidjin(&file.battery);
}
