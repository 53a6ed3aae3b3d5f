//! The words of the language, for completion and help.

use leyden_dsl::table::Dialect;
use leyden_explore::{Call, Refusal, Reply};
use serde_json::{Value, json};

use super::App;
use crate::report::reference::{all_entries, json as entries_in_json, spell};

impl App {
    pub(super) fn primitives(&self, _: &Call) -> Result<Reply, Refusal> {
        let dialects_with = |name: &str| {
            let named = Dialect::NAMED.iter();
            let having = named.filter(|it| it.constants().any(|(known, _)| *known == name));
            having.map(|it| it.name()).collect::<Vec<_>>()
        };
        let constant = |(name, value): &(&str, _)| json!({ "name": name, "value": spell(*value), "dialects": dialects_with(name) });
        let constants: Vec<Value> = Dialect::Tokpidjin.constants().map(constant).collect();
        let primitives = entries_in_json(all_entries());
        Ok(Reply::JsonText(format!(
            "{{\"primitives\":{primitives},\"constants\":{}}}",
            Value::from(constants)
        )))
    }
}
