//! The Model Context Protocol over lines of standard input and output, for language models.
//!
//! The protocol is JSON-RPC 2.0, a message on a line. This server offers tools and keeps no state,
//! so a few methods are enough. The crate `rmcp` would add 2.0 MB to the binary (14 %) and 52 s of
//! processor time to a build, and it reads lines of any length into memory.

use std::io::{self, BufRead, Write};

use serde_json::{Map, Value as Json, json};

use super::lines::{Line, next_line};
use super::proposal::{kind_of, object_in};
use super::{Courtroom, cut, tools};
use crate::failure::Failure;
use crate::output::Stream;

/// The versions of the protocol that begin with `initialize`, the newest first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// The words that the server gives a model about itself.
const INSTRUCTIONS: &str = "Propose programs in arc-dsl for ARC tasks. `list_tasks` and `show_task` \
    show the tasks, `primitives` the language, `judge_program` tells how close a program is, and \
    `run_program` shows the value of each of its lines.";

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// An error of the protocol: a code and a message.
pub(super) struct RpcError {
    code: i64,
    message: String,
}

impl RpcError {
    fn new(code: i64, message: impl Into<String>) -> RpcError {
        RpcError {
            code,
            message: message.into(),
        }
    }

    pub(super) fn invalid_params(message: impl Into<String>) -> RpcError {
        RpcError::new(INVALID_PARAMS, message)
    }
}

/// Answers messages until the input ends or the client is gone; gives the number of tool calls.
pub(crate) fn serve(
    courtroom: &Courtroom,
    mut input: impl BufRead,
    mut output: Stream,
) -> Result<usize, Failure> {
    let mut n_calls = 0;
    while let Some(line) = next_line(&mut input).map_err(|error| Failure::reading(&error))? {
        if line.is_blank() {
            continue;
        }
        let (answer, is_call) = answer(courtroom, &line);
        n_calls += usize::from(is_call);
        if courtroom.cancel.is_cancelled() {
            break;
        }
        if let Some(answer) = answer {
            write_message(&mut output, &answer)?;
        }
    }
    Ok(n_calls)
}

fn write_message(output: &mut Stream, message: &Json) -> io::Result<()> {
    output.write_all(format!("{message}\n").as_bytes())?;
    output.flush()
}

/// The answer to a message, unless it needs none; and whether the message calls a tool.
fn answer(courtroom: &Courtroom, line: &Line) -> (Option<Json>, bool) {
    let fields = match fields_in(line) {
        Ok(fields) => fields,
        Err(error) => return (Some(failed(Json::Null, &error)), false),
    };
    // A client waits for the id of its request, even if the rest of the message makes no sense.
    let id = fields.get("id").filter(|id| is_id(id)).cloned();
    let message = match message_of(fields) {
        Ok(message) => message,
        Err(error) => return (Some(failed(id.unwrap_or_default(), &error)), false),
    };
    let Message { method, params } = message;
    // A notification, or the answer to a request that this server never makes.
    let (Some(id), Some(method)) = (id, method) else {
        return (None, false);
    };
    let is_call = method == "tools/call";
    let answered = match result(courtroom, &method, &params) {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => failed(id, &error),
    };
    (Some(answered), is_call)
}

fn failed(id: Json, error: &RpcError) -> Json {
    let error = json!({ "code": error.code, "message": error.message });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

struct Message {
    method: Option<String>,
    params: Map<String, Json>,
}

fn is_id(json: &Json) -> bool {
    json.is_string() || json.is_number()
}

fn fields_in(line: &Line) -> Result<Map<String, Json>, RpcError> {
    object_in(line, 1).map_err(|refusal| match line {
        Line::Whole(bytes) if bytes.trim_ascii_start().starts_with(b"[") => {
            invalid("a message is one object; this server takes no batches".to_owned())
        }
        _ => RpcError::new(PARSE_ERROR, refusal.message),
    })
}

fn invalid(message: String) -> RpcError {
    RpcError::new(INVALID_REQUEST, message)
}

fn message_of(mut fields: Map<String, Json>) -> Result<Message, RpcError> {
    if fields.get("jsonrpc").and_then(Json::as_str) != Some("2.0") {
        return Err(invalid("`jsonrpc`: expected \"2.0\"".to_owned()));
    }
    if let Some(id) = fields.get("id").filter(|id| !is_id(id)) {
        let found = kind_of(id);
        return Err(invalid(format!(
            "`id`: expected a text or a number, found {found}"
        )));
    }
    let method = match fields.remove("method") {
        Some(Json::String(method)) => Some(method),
        None if fields.contains_key("result") || fields.contains_key("error") => None,
        None => return Err(invalid("the field `method` is missing".to_owned())),
        Some(other) => {
            let found = kind_of(&other);
            return Err(invalid(format!("`method`: expected a text, found {found}")));
        }
    };
    let params = match fields.remove("params") {
        None => Map::new(),
        Some(Json::Object(params)) => params,
        Some(other) => {
            let found = kind_of(&other);
            return Err(invalid(format!(
                "`params`: expected an object, found {found}"
            )));
        }
    };
    Ok(Message { method, params })
}

fn result(
    courtroom: &Courtroom,
    method: &str,
    params: &Map<String, Json>,
) -> Result<Json, RpcError> {
    match method {
        "initialize" => Ok(initialized(params)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": tools::described() })),
        "tools/call" => tools::call(courtroom, params),
        other => {
            let message = format!("there is no method `{}`", cut(other));
            Err(RpcError::new(METHOD_NOT_FOUND, message))
        }
    }
}

/// Agrees on the client's version, or names our newest.
fn initialized(params: &Map<String, Json>) -> Json {
    let wanted = params.get("protocolVersion").and_then(Json::as_str);
    let known = VERSIONS.into_iter().find(|known| Some(*known) == wanted);
    json!({
        "protocolVersion": known.unwrap_or(VERSIONS[0]),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "leyden", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}
