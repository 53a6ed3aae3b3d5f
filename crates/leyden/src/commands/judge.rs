//! `leyden judge`: verdicts on the programs of any proposer.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

use leyden_dsl::meter::CancelToken;
use leyden_exec::with_large_stack;
use leyden_store::StoreError;
use serde_json::{Map, Value as Json, json};

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
    let room = Room {
        courtroom: &courtroom,
        data: json!({ "data": loaded.name, "data_hash": loaded.hash, "fuel": args.fuel }),
        json: args.json,
    };
    match args.talk {
        Talk::Mcp => room.serve(input),
        Talk::Lines {
            out,
            with_outputs,
            n_threads,
            ..
        } => room.judge(input, &out, (n_threads, with_outputs)),
    }
}

/// The parts that both ways of talking need.
struct Room<'c> {
    courtroom: &'c Courtroom,
    /// The fields of a report that describe tasks and limits.
    data: Json,
    json: Option<Target>,
}

impl Room<'_> {
    fn judge(
        self,
        input: Box<dyn BufRead + Send>,
        out: &Target,
        how: (usize, bool),
    ) -> Result<(), Failure> {
        let output = out.open()?;
        let (tally, time) = timed(|| judge_lines(self.courtroom, input, output, how));
        let tally = tally?;
        self.check_end(&counted(tally.proposals, "proposal"), "judged")?;
        self.report(
            &json!({
                "proposals": tally.proposals,
                "fits": tally.fits,
                "errors": tally.errors,
            }),
            time,
        )?;
        summarise(tally, time);
        Ok(())
    }

    fn serve(self, input: Box<dyn BufRead + Send>) -> Result<(), Failure> {
        let serve = || mcp::serve(self.courtroom, input, Target::Stdout.open()?);
        let (n_calls, time) = timed(|| with_large_stack(serve));
        let n_calls = n_calls?;
        let calls = counted(n_calls, "tool call");
        self.check_end(&calls, "answered")?;
        self.report(&json!({ "calls": n_calls }), time)?;
        remark(&format!("{calls} in {}\n", duration(time)));
        Ok(())
    }

    /// Refuses to go on after a stop.
    fn check_end(&self, done: &str, how: &str) -> Result<(), Failure> {
        if self.courtroom.is_stopped() {
            return Err(Failure::Stopped(format!("{done} {how}")));
        }
        Ok(())
    }

    /// Writes the report, if the user wants one.
    fn report(&self, counts: &Json, time: Duration) -> Result<(), Failure> {
        let Some(target) = &self.json else {
            return Ok(());
        };
        let seconds = json!({ "seconds": time.as_secs_f64() });
        let parts = [&self.data, counts, &seconds].into_iter();
        let fields = parts.filter_map(Json::as_object).flatten();
        let report: Map<String, Json> = fields
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        target.write(&pretty_json(&report)?)
    }
}

fn summarise(tally: Tally, time: Duration) {
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
