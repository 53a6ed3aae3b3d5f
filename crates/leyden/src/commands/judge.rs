//! `leyden judge`: verdicts on the programs of any proposer.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use leyden_dsl::meter::CancelToken;
use leyden_exec::with_large_stack;
use leyden_store::StoreError;
use serde_json::json;

use crate::args::{JudgeArgs, Talk};
use crate::clock::{Wall, timed};
use crate::failure::Failure;
use crate::judging::stream::{Tally, judge_lines};
use crate::judging::{Courtroom, mcp};
use crate::output::{Target, remark};
use crate::pipeline::load::load;
use crate::report::numbers::{count, counted, duration, rate};
use crate::report::pretty_json;

pub(crate) fn run(args: JudgeArgs, cancel: CancelToken) -> Result<(), Failure> {
    let input = opened(&args.talk)?;
    let loaded = load(&args.tasks, None, &cancel, Wall::start())?;
    // Nothing behind this line sees a test output.
    let puzzles = loaded.tasks.iter().map(|task| task.puzzle());
    let courtroom = Courtroom::new(
        loaded.name.clone(),
        puzzles,
        args.language,
        args.fuel,
        cancel.clone(),
    )?;
    let (tally, time) = match args.talk {
        Talk::Mcp => {
            let serve = || mcp::serve(&courtroom, input, Target::Stdout.open()?);
            let (n_calls, time) = timed(|| with_large_stack(serve));
            remark(&format!(
                "{} in {}\n",
                counted(n_calls?, "tool call"),
                duration(time)
            ));
            return Ok(());
        }
        Talk::Lines {
            out,
            with_outputs,
            n_threads,
            ..
        } => {
            let output = out.open()?;
            timed(|| judge_lines(&courtroom, input, output, (n_threads, with_outputs)))
        }
    };
    let tally = tally?;
    if cancel.is_cancelled() {
        let n = counted(tally.proposals, "proposal");
        return Err(Failure::Stopped(format!("{n} judged")));
    }
    if let Some(target) = &args.json {
        let report = json!({
            "data": loaded.name,
            "data_hash": loaded.hash,
            "proposals": tally.proposals,
            "fits": tally.fits,
            "errors": tally.errors,
            "fuel": args.fuel,
            "seconds": time.as_secs_f64(),
        });
        target.write(&pretty_json(&report)?)?;
    }
    summarise(tally, time);
    Ok(())
}

fn summarise(tally: Tally, time: std::time::Duration) {
    remark(&format!(
        "{}, {} fit, {} with an error, in {} ({})\n",
        counted(tally.proposals, "proposal"),
        count(tally.fits),
        count(tally.errors),
        duration(time),
        rate(tally.proposals, time),
    ));
}

fn opened(talk: &Talk) -> Result<Box<dyn BufRead + Send>, Failure> {
    match talk {
        Talk::Lines {
            file: Some(path), ..
        } => {
            let opened = if path.is_dir() {
                Err(io::ErrorKind::IsADirectory.into())
            } else {
                File::open(path)
            };
            let file = opened.map_err(|error| unreadable(path, error))?;
            Ok(Box::new(BufReader::new(file)))
        }
        Talk::Lines { file: None, .. } | Talk::Mcp => Ok(Box::new(BufReader::new(io::stdin()))),
    }
}

fn unreadable(path: &Path, cause: io::Error) -> Failure {
    StoreError::Io {
        path: path.to_owned(),
        cause,
    }
    .into()
}
