//! A call of the page or of a script, as plain values.

use std::collections::BTreeMap;

use leyden_dsl::meter::CancelToken;
use serde_json::{Value, json};

use crate::events::EventLog;

/// The verb of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Computes or changes; the body is JSON.
    Post,
    /// Removes.
    Delete,
}

impl Method {
    /// The verb in HTTP.
    pub fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Delete => "DELETE",
        }
    }
}

/// One entry of the table of calls. Routes and documents come from this table.
pub struct Endpoint<A> {
    /// The verb.
    pub method: Method,
    /// The path behind `/api/v1/`; `{name}` stands for a word that [`Call::path`] finds.
    pub path: &'static str,
    /// One sentence for the documents.
    pub does: &'static str,
    /// The fields of the body or of the query, for the documents.
    pub takes: &'static str,
    /// The form of the reply, for the documents.
    pub gives: &'static str,
    /// The function behind the call.
    pub call: fn(&A, &Call) -> Result<Reply, Refusal>,
}

/// The arguments of a call.
#[derive(Debug, Default)]
pub struct Call {
    /// The words of the path.
    pub words: BTreeMap<String, String>,
    /// The fields of the query.
    pub query: BTreeMap<String, String>,
    /// The body; `null` without one.
    pub body: Value,
    /// Cancelled when the caller goes away.
    pub cancel: CancelToken,
    /// The last event that the caller of a stream has seen.
    pub last_event: Option<u64>,
}

impl Call {
    /// A word of the path.
    pub fn path(&self, name: &str) -> Result<&str, Refusal> {
        let word = self.words.get(name).map(String::as_str);
        word.ok_or_else(|| Refusal::bad(format!("the path has no {name}")))
    }

    /// A whole number of the query.
    pub fn number(&self, name: &str, default: usize) -> Result<usize, Refusal> {
        let Some(text) = self.query.get(name) else {
            return Ok(default);
        };
        let number = text.parse();
        number.map_err(|_| Refusal::bad(format!("{name}: expected a whole number")))
    }

    /// A text of the query; empty without one.
    pub fn words_of(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    /// A choice of the query; false if it is missing.
    pub fn has(&self, name: &str) -> Result<bool, Refusal> {
        match self.words_of(name) {
            "" | "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(Refusal::bad(format!("{name}: expected 0 or 1"))),
        }
    }

    /// A text of the body.
    pub fn text(&self, name: &str) -> Result<&str, Refusal> {
        let missing = || Refusal::bad(format!("{name}: expected a text"));
        self.body
            .get(name)
            .and_then(Value::as_str)
            .ok_or_else(missing)
    }

    /// A text of the body that may be missing.
    pub fn text_if_any(&self, name: &str) -> Result<Option<&str>, Refusal> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(_) => self.text(name).map(Some),
        }
    }

    /// A whole number of the body that may be missing.
    pub fn count_if_any(&self, name: &str) -> Result<Option<u64>, Refusal> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64() {
                None => Err(Refusal::bad(format!("{name}: expected a whole number"))),
                number => Ok(number),
            },
        }
    }

    /// A choice of the body; false if it is missing.
    pub fn is_set(&self, name: &str) -> Result<bool, Refusal> {
        match self.body.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(is_set)) => Ok(*is_set),
            Some(_) => Err(Refusal::bad(format!("{name}: expected true or false"))),
        }
    }
}

/// The answer to a call.
#[derive(Debug)]
pub enum Reply {
    /// A JSON value.
    Json(Value),
    /// JSON that is text already.
    JsonText(String),
    /// Bytes without a form of their own.
    Bytes(Vec<u8>),
    /// An HTML file to keep; browsers do not open it in place.
    File {
        /// The name to propose.
        name: String,
        /// The text.
        html: String,
    },
    /// A stream of events.
    Events(EventLog),
}

/// A call that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The status of HTTP.
    pub status: u16,
    /// The reason, in one sentence.
    pub message: String,
}

impl Refusal {
    /// A refusal with a status.
    pub fn new(status: u16, message: impl Into<String>) -> Refusal {
        let message = message.into();
        Refusal { status, message }
    }

    /// The caller made a mistake.
    pub fn bad(message: impl Into<String>) -> Refusal {
        Refusal::new(400, message)
    }

    /// There is no such thing.
    pub fn missing(message: impl Into<String>) -> Refusal {
        Refusal::new(404, message)
    }

    /// It cannot be done in this state.
    pub fn conflict(message: impl Into<String>) -> Refusal {
        Refusal::new(409, message)
    }

    /// The body of the reply. A message may quote the caller, so it is cut, and control characters
    /// and those that turn the direction of a text are shown as one sign.
    pub fn to_json(&self) -> Value {
        let plain = |c: char| {
            if c.is_control() || turns(c) {
                '\u{fffd}'
            } else {
                c
            }
        };
        let message: String = self.message.chars().take(MOST_CHARS).map(plain).collect();
        json!({ "error": message })
    }
}

/// Longer messages are cut.
const MOST_CHARS: usize = 1_000;

/// Is it a character that changes the direction of the text behind it?
fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_one_plain_line() {
        let shown = |message: &str| Refusal::bad(message).to_json()["error"].clone();
        assert_eq!(
            shown("no <b>\r\n\u{202e}x\0"),
            "no <b>\u{fffd}\u{fffd}\u{fffd}x\u{fffd}"
        );
        assert_eq!(
            shown(&"é".repeat(5_000)).as_str().unwrap().chars().count(),
            MOST_CHARS
        );
    }
}
