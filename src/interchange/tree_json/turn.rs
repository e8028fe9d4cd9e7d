//! A message in the shape that `.tree.json` has for it.

use super::fields::Place;
use super::read::check_message;
use crate::interchange::chat::{Object, Turn};
use crate::model::clock::iso_from_ms;
use crate::model::json::{Json, compact, quote};

/// A message of the format, and what of the stored one is not in it.
#[derive(Debug)]
pub(super) struct Made {
    pub json: String,
    pub dropped: Vec<String>,
}

/// Members that a message of the format has in a place of its own, or that were put into one.
const TAKEN: [&str; 11] = [
    "supercode_turn",
    "ts",
    "role",
    "content",
    "content_parts",
    "tool_calls",
    "tool_call_id",
    "name",
    "metadata",
    "toolCallId",
    "toolName",
];

/// The message as it came from such a file, or with what such a file needs beside it. Members that the format does not know
/// are kept, as its readers pass them by.
///
/// # Errors
/// Why the format cannot hold it.
pub(super) fn make(message: Json<'_>, created_at_ms: i64) -> Result<Made, String> {
    if message.get("supercode_turn").is_some() && check_message(message, &Place::default()).is_ok()
    {
        return Ok(Made {
            json: compact(message.text()).into_owned(),
            dropped: Vec::new(),
        });
    }
    let turn = Turn::of(message).ok_or("a message that is not meant for a model")?;
    // To the format an empty list is another value than none.
    let calls = turn.calls.or_else(|| {
        let given = message.get("tool_calls")?;
        given.is_array().then(|| "[]".to_owned())
    });
    let mut json = Object::new();
    json.raw("supercode_turn", "1");
    json.raw("ts", &quote(&iso_from_ms(created_at_ms.max(0))));
    json.raw("role", &quote(&turn.role));
    for (name, value) in [
        ("content", &turn.content),
        ("content_parts", &turn.parts),
        ("tool_calls", &calls),
        ("tool_call_id", &turn.call_id),
        ("name", &turn.name),
    ] {
        if let Some(value) = value {
            json.raw(name, value);
        }
    }
    let mut dropped = turn.dropped;
    if let Some(metadata) = message.get("metadata") {
        match metadata.is_object() && metadata.members().all(|(_, value)| value.is_string()) {
            true => json.raw("metadata", metadata.text()),
            false => dropped.push("metadata".to_owned()),
        }
    }
    for (name, value) in message.members() {
        if !TAKEN.contains(&&*name) {
            json.raw(&name, value.text());
        }
    }
    let json = json.end();
    match check_message(Json::new(&json), &Place::default()) {
        Ok(()) => Ok(Made { json, dropped }),
        Err(error) => Err(format!("a message of another shape: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_of_calls_stays_one() {
        let made = |text: &str| make(Json::new(text), -1).unwrap().json;
        assert_eq!(
            made(r#"{"role":"assistant","content":"a","tool_calls":[]}"#),
            r#"{"supercode_turn":1,"ts":"1970-01-01T00:00:00.000Z","role":"assistant","content":"a","tool_calls":[]}"#
        );
        assert_eq!(
            made(r#"{"role":"assistant","content":"a","tool_calls":null}"#),
            r#"{"supercode_turn":1,"ts":"1970-01-01T00:00:00.000Z","role":"assistant","content":"a"}"#
        );
    }
}
