//! Turns `LEYDEN_TEST_NETWORK=1` into a cfg. Without the variable, cargo reports tests that need
//! the network as ignored, not as passed.
#![allow(clippy::print_stdout)]

fn main() {
    println!("cargo::rerun-if-env-changed=LEYDEN_TEST_NETWORK");
    println!("cargo::rustc-check-cfg=cfg(test_network)");
    if std::env::var_os("LEYDEN_TEST_NETWORK").is_some_and(|value| value == "1") {
        println!("cargo::rustc-cfg=test_network");
    }
}
