//! The `leyden` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(leyden::main(std::env::args_os()))
}
