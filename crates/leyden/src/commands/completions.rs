//! `leyden completions`: scripts for shells.

use clap_complete::{Shell, generate};

use crate::args;
use crate::failure::Failure;
use crate::output::write_stdout;

pub(crate) fn run(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    generate(shell, &mut args::definition(), "leyden", &mut script);
    write_stdout(&String::from_utf8_lossy(&script))
}
