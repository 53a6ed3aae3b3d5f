//! The engine's switches change no result, in any dialect.

use std::error::Error;
use std::path::Path;

use crate::Outcome;

use super::cell::Leyden;
use super::forms::columns;

const SWITCHES: [&str; 7] = [
    "--jobs=1",
    "--exact-order",
    "--no-share",
    "--no-batch",
    "--no-cache",
    "--no-rules",
    "--fuel=50000000",
];

/// Checks that `eval` writes equal bytes under every switch.
pub(super) fn check(leyden: &Leyden, dir: &Path) -> Outcome {
    for column in columns() {
        let programs = format!("forms/{column}/solvers.py");
        let plain = eval(leyden, dir, &programs, &[])?;
        for switch in SWITCHES {
            if eval(leyden, dir, &programs, &[switch])? != plain {
                return Err(format!("{switch} changes what `eval` gives on {programs}").into());
            }
        }
    }
    Ok(())
}

fn eval(
    leyden: &Leyden,
    dir: &Path,
    programs: &str,
    switches: &[&str],
) -> Result<String, Box<dyn Error>> {
    let args = [
        "eval",
        "--inputs",
        "grids.json",
        "--out",
        "-",
        "--solvers",
        programs,
    ];
    let ended = leyden.run(dir, &[&args[..], switches].concat())?;
    if ended.code == Some(0) && !ended.stdout.is_empty() {
        return Ok(ended.stdout);
    }
    Err(format!("`leyden eval` on {programs}: {}", ended.stderr).into())
}
