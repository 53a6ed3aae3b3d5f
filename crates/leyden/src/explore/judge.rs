//! Verdicts on many programs at once, as `leyden judge` gives them.

use leyden_dsl::meter::DEFAULT_FUEL;
use leyden_explore::{Call, Refusal, Reply};
use leyden_grid::Task;
use serde_json::{Value, json};

use super::{App, refusal};
use crate::judging::Courtroom;

/// A call has at most this many programs.
const MOST_PROPOSALS: usize = 1_000;

impl App {
    pub(super) fn judge_all(&self, call: &Call) -> Result<Reply, Refusal> {
        let set = self.set(call.text("set")?)?;
        let proposals = call.body["proposals"].as_array();
        let expected = || Refusal::bad("proposals: expected a list");
        let proposals: &Vec<Value> = proposals.ok_or_else(expected)?;
        if proposals.len() > MOST_PROPOSALS {
            let n = proposals.len();
            let message = format!("proposals: at most {MOST_PROPOSALS} at a time, not {n}");
            return Err(Refusal::bad(message));
        }
        let courtroom = Courtroom::new(
            set.id().to_owned(),
            set.tasks().iter().map(Task::puzzle),
            self.language(call)?,
            DEFAULT_FUEL,
            call.cancel.clone(),
        );
        let courtroom = courtroom.map_err(refusal)?;
        let verdicts = courtroom.verdicts(proposals, call.is_set("outputs")?);
        if call.cancel.is_cancelled() {
            return Err(Refusal::conflict("the call was cancelled"));
        }
        Ok(Reply::Json(json!({ "verdicts": verdicts })))
    }
}
