//! Values as JSON, for test vectors and tools.
//!
//! Numbers, booleans and `null` stand for themselves, an array for a tuple, `{"set": [...]}` for a
//! set in its iteration order, `{"fn": "name"}` for a primitive, `{"float": "inf"}` for a float.

use serde_json::{Value as Json, json};

use crate::pyset::Table;
use crate::table::Prim;
use crate::value::Value;

/// The name that stands for functions other than primitives.
const LAMBDA: &str = "<lambda>";

/// Encodes a value as JSON.
pub fn encode(value: &Value) -> Json {
    match value {
        Value::None => Json::Null,
        Value::Bool(b) => json!(b),
        Value::Int(n) => json!(n),
        Value::Float(_) => json!({ "float": value.to_string() }),
        Value::Prim(prim) => json!({ "fn": prim.name() }),
        Value::Tuple(items) => Json::Array(items.iter().map(encode).collect()),
        Value::Set(set) => encode_set(set.iter().map(encode).collect()),
        Value::Func(_) => encode_lambda(),
    }
}

/// Encodes a function that is not a primitive.
pub fn encode_lambda() -> Json {
    json!({ "fn": LAMBDA })
}

/// Encodes a set from its encoded elements, in its order. `json!` would copy the elements at every
/// level.
pub fn encode_set(elements: Vec<Json>) -> Json {
    Json::Object(
        [("set".to_owned(), Json::Array(elements))]
            .into_iter()
            .collect(),
    )
}

/// Decodes a value; sets are filled in the listed order.
pub fn decode(json: &Json) -> Option<Value> {
    match json {
        Json::Null => Some(Value::None),
        Json::Bool(b) => Some((*b).into()),
        Json::Number(n) => n.as_i64().map(Value::Int),
        Json::Array(items) => Value::tuple(decode_all(items)?).ok(),
        Json::Object(fields) => {
            let (kind, content) = fields.iter().next().filter(|_| fields.len() == 1)?;
            decode_object(kind, content)
        }
        Json::String(_) => None,
    }
}

fn decode_object(kind: &str, content: &Json) -> Option<Value> {
    match kind {
        "set" => decode_set(content.as_array()?),
        "fn" => Prim::by_name(content.as_str()?).map(Value::Prim),
        "float" => content.as_str()?.parse().ok().map(Value::Float),
        _ => None,
    }
}

fn decode_all(items: &[Json]) -> Option<Vec<Value>> {
    items.iter().map(decode).collect()
}

fn decode_set(items: &[Json]) -> Option<Value> {
    let table: Table<Value> = decode_all(items)?.into_iter().collect();
    Value::set(table).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoding_undoes_encoding() {
        let text = r#"[1,true,null,{"set":[[8,[0,1]],[]]},{"fn":"add"},[-5],{"float":"-inf"}]"#;
        let json: Json = serde_json::from_str(text).unwrap();
        let value = decode(&json).unwrap();
        assert_eq!(decode(&encode(&value)), Some(value));
        assert_eq!(decode(&json!({ "fn": LAMBDA })), None);
        assert_eq!(decode(&json!("text")), None);
    }
}
