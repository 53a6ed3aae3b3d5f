//! `leyden generate`: the arguments, and what happens without a network.

use crate::{Sandbox, words};

#[test]
fn bad_arguments_are_refused() {
    let sandbox = Sandbox::new();
    let refused = |line: &str, part: &str| sandbox.leyden(&words(line)).refused(&[part]);
    refused("generate --n 3 --tests 3", "leaves no demonstration of 3");
    refused("generate --n 0", "1 or more");
    refused("generate --seed x", "--seed");
    refused("generate --out no/such/dir.json", "there is no directory");
}

#[test]
fn without_a_network_the_fetch_fails() {
    let sandbox = Sandbox::new();
    let ran = sandbox.leyden(&words("generate --n 2"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("cannot fetch"), "{}", ran.stderr);
}
