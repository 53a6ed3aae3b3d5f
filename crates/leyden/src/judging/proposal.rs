//! Proposals: a line of JSON, or the arguments of a tool.

use leyden_dsl::table::Dialect;
use serde_json::{Map, Value as Json, json};

use super::lines::{Line, MOST_LINE_BYTES};

/// A program that claims to solve a task.
pub(super) struct Proposal {
    /// Any JSON; the verdict repeats it.
    pub(super) id: Json,
    pub(super) task: String,
    pub(super) program: String,
    pub(super) dialect: Option<String>,
    pub(super) name: Option<String>,
}

/// The reason why a proposal cannot run.
pub(super) struct Refusal {
    class: &'static str,
    pub(super) message: String,
    /// The line and the column, counted from 1.
    place: Option<(usize, usize)>,
}

impl Refusal {
    pub(super) fn new(class: &'static str, message: String) -> Refusal {
        Refusal {
            class,
            message,
            place: None,
        }
    }

    pub(super) fn at(self, line: usize, column: usize) -> Refusal {
        Refusal {
            place: Some((line, column)),
            ..self
        }
    }

    /// The form of an error in verdicts.
    pub(super) fn to_json(&self) -> Json {
        let (line, column) = self.place.unzip();
        json!({ "class": self.class, "message": self.message, "line": line, "column": column })
    }

    /// The message with its place.
    pub(super) fn in_words(&self) -> String {
        let (class, message) = (self.class, &self.message);
        match self.place {
            Some((line, column)) => format!("{class} in line {line}, column {column}: {message}"),
            None => format!("{class}: {message}"),
        }
    }
}

/// A line that is not a proposal, as far as it was read.
pub(super) struct Unread {
    pub(super) id: Json,
    pub(super) task: Json,
    pub(super) refusal: Refusal,
}

impl From<Refusal> for Box<Unread> {
    fn from(refusal: Refusal) -> Box<Unread> {
        Box::new(Unread {
            id: Json::Null,
            task: Json::Null,
            refusal,
        })
    }
}

impl Proposal {
    /// Reads line `number` of the input, counted from 1.
    pub(super) fn read(line: &Line, number: usize) -> Result<Proposal, Box<Unread>> {
        Proposal::of_object(&object_in(line, number)?, number)
    }

    /// Reads number `number` of a list, counted from 1.
    pub(super) fn of_json(json: &Json, number: usize) -> Result<Proposal, Box<Unread>> {
        match json {
            Json::Object(fields) => Proposal::of_object(fields, number),
            other => Err(not_an_object(other, number).into()),
        }
    }

    fn of_object(fields: &Map<String, Json>, number: usize) -> Result<Proposal, Box<Unread>> {
        let id = fields.get("id").cloned().unwrap_or_default();
        Proposal::of_fields(fields, id.clone()).map_err(|refusal| {
            let refusal = match refusal.place {
                None => refusal.at(number, 1),
                Some(_) => refusal,
            };
            let task = fields.get("task").cloned().unwrap_or_default();
            Box::new(Unread { id, task, refusal })
        })
    }

    /// Reads the fields of an object. Fields with other names belong to the proposer.
    pub(super) fn of_fields(fields: &Map<String, Json>, id: Json) -> Result<Proposal, Refusal> {
        Ok(Proposal {
            id,
            task: required(fields, "task")?,
            program: required(fields, "program")?,
            dialect: text_in(fields, "dialect")?,
            name: text_in(fields, "name")?,
        })
    }
}

/// The JSON object on a line.
pub(super) fn object_in(line: &Line, number: usize) -> Result<Map<String, Json>, Refusal> {
    let Line::Whole(bytes) = line else {
        let message = format!("the line has more than {MOST_LINE_BYTES} bytes");
        return Err(Refusal::new("TooLong", message).at(number, MOST_LINE_BYTES + 1));
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let message = "the line is not UTF-8".to_owned();
        Refusal::new("NotUtf8", message).at(number, error.valid_up_to() + 1)
    })?;
    let json: Json = serde_json::from_str(text).map_err(|error| {
        let said = error.to_string();
        let said = said.split(" at line ").next().unwrap_or(&said);
        let message = format!("the line is not JSON: {said}");
        Refusal::new("NotJson", message).at(number, error.column().max(1))
    })?;
    match json {
        Json::Object(fields) => Ok(fields),
        other => Err(not_an_object(&other, number)),
    }
}

fn not_an_object(found: &Json, number: usize) -> Refusal {
    let message = format!("expected an object, found {}", kind_of(found));
    Refusal::new("NotJson", message).at(number, 1)
}

/// A field that has to be a text.
pub(super) fn required(fields: &Map<String, Json>, name: &str) -> Result<String, Refusal> {
    match fields.get(name) {
        Some(Json::String(text)) => Ok(text.clone()),
        Some(other) => Err(not_a_text(name, other)),
        None => {
            let message = format!("the field `{name}` is missing; expected a text");
            Err(Refusal::new("BadField", message))
        }
    }
}

/// A field that may be missing or null.
pub(super) fn text_in(fields: &Map<String, Json>, name: &str) -> Result<Option<String>, Refusal> {
    match fields.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(not_a_text(name, other)),
    }
}

fn not_a_text(name: &str, found: &Json) -> Refusal {
    let message = format!("`{name}`: expected a text, found {}", kind_of(found));
    Refusal::new("BadField", message)
}

pub(super) fn kind_of(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// The dialect with this name.
pub(super) fn dialect(name: &str) -> Result<Dialect, Refusal> {
    let found = Dialect::ALL.into_iter().find(|it| it.name() == name);
    found.ok_or_else(|| {
        let known = Dialect::ALL.map(Dialect::name).join(", ");
        let message = format!(
            "`dialect`: expected one of {known}, found `{}`",
            super::cut(name)
        );
        Refusal::new("BadField", message)
    })
}
