//! Changes a JSON document in one place, so that most mutants are still documents.

use serde_json::{Map, Value, json};

/// Mutates the document in `data[..size]`, or its bytes if it is not JSON. Returns the new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mutant = (seed % 4 != 0)
        .then(|| mutant_of(&data[..size], seed))
        .flatten();
    match mutant {
        Some(bytes) if bytes.len() <= max_size => {
            data[..bytes.len()].copy_from_slice(&bytes);
            bytes.len()
        }
        _ => libfuzzer_sys::fuzzer_mutate(data, size, max_size),
    }
}

fn mutant_of(bytes: &[u8], seed: u32) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(bytes).ok()?;
    let mut left = (seed / 4) as usize % n_nodes(&value);
    change(&mut value, &mut left, seed.wrapping_mul(0x9E37_79B9) >> 8);
    serde_json::to_vec(&value).ok()
}

fn n_nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(n_nodes).sum(),
        Value::Object(items) => items.values().map(n_nodes).sum(),
        _ => 0,
    }
}

/// Changes the node that is `left` nodes further on. Returns whether it did.
fn change(value: &mut Value, left: &mut usize, dice: u32) -> bool {
    if *left == 0 {
        *value = another(value, dice);
        return true;
    }
    *left -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| change(item, left, dice)),
        Value::Object(items) => items.values_mut().any(|item| change(item, left, dice)),
        _ => false,
    }
}

fn another(value: &Value, dice: u32) -> Value {
    let pick = (dice / 16) as usize;
    match (value, dice % 16) {
        (Value::Array(items), 0..8) if !items.is_empty() => {
            let mut items = items.clone();
            let at = pick % items.len();
            if dice % 2 == 0 {
                items.remove(at);
            } else {
                items.push(items[at].clone());
            }
            Value::Array(items)
        }
        (Value::Object(items), 0..8) if !items.is_empty() => without(items, pick % items.len()),
        (Value::Number(number), 0..6) => {
            let number = number.as_i64().unwrap_or(0);
            let step = [1, -1, 1000, -1000][pick % 4];
            json!(number.wrapping_add(step))
        }
        (Value::String(text), 0..6) => json!(format!("{text}{text}")),
        (_, 8) => json!(null),
        (_, 9) => json!(u64::MAX),
        (_, 10) => json!(i64::MIN),
        (_, 11) => json!(1e300),
        (_, 12) => json!(""),
        (_, 13) => json!("<\u{1b}[31m|&\n>"),
        (_, 14) => json!([]),
        (_, 15) => json!(true),
        _ => json!(pick % 7),
    }
}

fn without(items: &Map<String, Value>, at: usize) -> Value {
    let kept = items.iter().enumerate().filter(|(k, _)| *k != at);
    Value::Object(
        kept.map(|(_, (name, item))| (name.clone(), item.clone()))
            .collect(),
    )
}
