//! Spellings that people bring from tokpidjin's scripts (docs/from-tokpidjin.md).

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::output::remark;

/// What `run_batt.py` takes and `leyden batt` spells otherwise.
#[derive(Args)]
pub(super) struct LowOldBatt {
    /// The battery, as `run_batt.py` names it
    #[arg(short = 'b', value_name = "FILE", hide = true, conflicts_with_all = ["file", "solvers", "dialect"])]
    module: Option<PathBuf>,
    /// Seconds for each sample
    #[arg(short = 't', value_name = "SECONDS", hide = true)]
    seconds: Option<String>,
}

impl LowOldBatt {
    /// The battery under either spelling.
    pub(super) fn battery(self, file: Option<PathBuf>) -> Option<PathBuf> {
        if let Some(seconds) = self.seconds {
            remark(&format!(
                "-t {seconds} has no effect: fuel ends long runs, so that results do not depend on the machine; \
                 --fuel sets it\n"
            ));
        }
        file.or(self.module)
    }
}

/// `card.py -fs` freezes solvers and `-fd` freezes differs. Clap would read both as `-f` with a
/// file name. Leyden never changes scoring programs, so `-fd` asks for nothing.
pub(super) fn spelt_anew(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let args: Vec<OsString> = args.into_iter().collect();
    if args.get(1).is_none_or(|command| command != "card") {
        return args;
    }
    let spell = |arg: OsString| match arg.to_str() {
        Some("-fs") => Some("--freeze".into()),
        Some("-fd") => None,
        _ => Some(arg),
    };
    args.into_iter().filter_map(spell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelt(line: &str) -> String {
        let args = spelt_anew(line.split(' ').map(OsString::from));
        let words = args.iter().map(|arg| arg.to_str().unwrap());
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn card_freezes_under_its_old_names() {
        assert_eq!(
            spelt("leyden card -fs -fd -c 3 -f s"),
            "leyden card --freeze -c 3 -f s"
        );
        assert_eq!(spelt("leyden profile dsl -fs"), "leyden profile dsl -fs");
    }
}
