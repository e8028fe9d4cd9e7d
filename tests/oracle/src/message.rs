//! Messages: random ones as texts, and the peer's as values.

use serde_json::{Map, Value, json};
use supercode_interchange::sidecar::NativeTurn;
use supercode_interchange::{ChatMessage, FunctionCall, Role, ToolCall};

use crate::random::Random;

/// A random message: for the peer, and as a text of the same value for the store.
pub fn random(random: &mut Random) -> (ChatMessage, String) {
    let role = *random.pick(&[&Role::User, &Role::Assistant, &Role::Tool, &Role::System]);
    let mut message = ChatMessage {
        role,
        content: random.chance(85).then(|| random.text()),
        content_parts: None,
        tool_calls: None,
        tool_call_id: None,
        name: random.chance(10).then(|| random.text()),
        metadata: Default::default(),
    };
    if random.chance(12) {
        message.content_parts = Some((0..random.below(4)).map(|_| part(random)).collect());
    }
    if role == Role::Assistant && random.chance(40) {
        message.tool_calls = Some((0..random.below(4)).map(|_| call(random)).collect());
    }
    if role == Role::Tool || random.chance(3) {
        message.tool_call_id = Some(format!("call_{}", random.below(100)));
    }
    if random.chance(15) {
        for _ in 0..random.below(4) {
            message.metadata.insert(random.text(), random.text());
        }
    }
    let text = spelled(random, &message);
    (message, text)
}

fn call(random: &mut Random) -> ToolCall {
    let arguments = match random.below(3) {
        0 => random.text(),
        1 => json!({ "path": random.text(), "limit": random.below(1000) }).to_string(),
        _ => String::new(),
    };
    ToolCall {
        id: format!("call_{}", random.below(100)),
        kind: "function".to_owned(),
        function: FunctionCall {
            name: random.pick(&["read", "bash", "naïve"]).to_owned(),
            arguments,
        },
    }
}

fn part(random: &mut Random) -> Value {
    match random.below(6) {
        0 => json!({ "type": "text", "text": random.text() }),
        1 => {
            json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,AA==", "detail": null } })
        }
        2 => json!([0, -1, 0.1, 1e300, u64::MAX, i64::MIN, true, [[[]]]]),
        3 => json!(random.text()),
        4 => Value::Null,
        _ => json!({ "": {}, "nested": [{ "text": random.text() }] }),
    }
}

/// One of the many ways to write a message down.
fn spelled(random: &mut Random, message: &ChatMessage) -> String {
    let mut value = value(message);
    match random.below(8) {
        0 => format!("{value:#}"),
        1 => {
            // As the format keeps it: the two members that are no part of the message come first.
            let members = value.to_string();
            let comma = if members == "{}" { "" } else { "," };
            format!(
                r#"{{"supercode_turn":1,"ts":"2026-01-31T08:00:00.000Z"{comma}{}"#,
                &members[1..]
            )
        }
        2 => escaped(&value.to_string()),
        3 => {
            if let Value::Object(members) = &mut value {
                for name in [
                    "content",
                    "content_parts",
                    "tool_calls",
                    "tool_call_id",
                    "name",
                ] {
                    members.entry(name).or_insert(Value::Null);
                }
            }
            value.to_string()
        }
        _ => value.to_string(),
    }
}

/// `json` with everything that is not ASCII as escapes.
fn escaped(json: &str) -> String {
    let mut text = String::new();
    let mut units = [0; 2];
    for character in json.chars() {
        if character.is_ascii() {
            text.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut units) {
            text.push_str(&format!("\\u{unit:04x}"));
        }
    }
    text
}

/// The peer's message with everything it holds, in the names of its own files.
pub fn value(message: &ChatMessage) -> Value {
    let turn = NativeTurn {
        supercode_turn: 1,
        ts: String::new(),
        role: message.role,
        content: message.content.clone(),
        content_parts: message.content_parts.clone(),
        tool_calls: message.tool_calls.clone(),
        tool_call_id: message.tool_call_id.clone(),
        name: message.name.clone(),
        metadata: message.metadata.clone(),
    };
    let mut members: Map<String, Value> = match serde_json::to_value(turn) {
        Ok(Value::Object(members)) => members,
        other => unreachable!("a turn is an object: {other:?}"),
    };
    members.remove("supercode_turn");
    members.remove("ts");
    Value::Object(members)
}
