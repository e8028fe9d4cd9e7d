//! The typed view of a message.

use std::collections::BTreeMap;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::json::{Json, compact, same_value};

/// What chat formats share, read from a [`Message`](crate::Message) by name.
///
/// Reading is lenient: an absent member, `null` and a value of another type than expected all read as "not there", and
/// members not named here are left to the message's text. In strings a surrogate half without its other half reads as
/// U+FFFD. Two are equal if they hold the same values; for parts, JSON values.
///
/// ```
/// use session_tree::Message;
///
/// let message = Message::new(r#"{"role":"user","content":[{"type":"text","text":"Look:"}],"ts":"..."}"#)?;
/// let chat = message.parsed()?;
/// let parts = chat.content_parts.as_deref().unwrap_or_default();
/// assert_eq!(parts[0].get(), r#"{"type":"text","text":"Look:"}"#);
/// assert_eq!(chat.content, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct ChatMessage {
    /// As written; empty if the message has none.
    pub role: String,
    /// `content`, if it is a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The JSON text of each element of `content_parts` or, without that member, of a `content` that is an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_parts: Option<Vec<Box<RawValue>>>,
    /// The calls an assistant asks for; empty if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that a tool's message answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The name of the speaker or the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Values that are no strings stand as their JSON text.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
}

/// One call of a tool. In JSON: `{"id":...,"type":...,"function":{"name":...,"arguments":...}}`.
///
/// ```
/// use session_tree::Message;
///
/// let message = Message::new(
///     r#"{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#,
/// )?;
/// let chat = message.parsed()?;
/// assert_eq!(chat.tool_calls[0].name, "ls");
/// assert_eq!(chat.tool_calls[0].arguments, "{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The id that the tool's answer names.
    pub id: String,
    /// `type` in JSON; `function` in every format known so far.
    pub kind: String,
    /// The function's name.
    pub name: String,
    /// The arguments as the model wrote them: JSON text, usually, but a model can get that wrong.
    pub arguments: String,
}

impl ChatMessage {
    pub(super) fn read(message: Json<'_>) -> Self {
        let [role, content, parts, calls, call_id, name, metadata] = message.fields([
            "role",
            "content",
            "content_parts",
            "tool_calls",
            "tool_call_id",
            "name",
            "metadata",
        ]);
        let arrays = [parts, content].into_iter().flatten();
        let parts = arrays.into_iter().find(|value| value.is_array());
        Self {
            role: string(role).unwrap_or_default(),
            content: string(content),
            content_parts: parts.map(|parts| parts.elements().filter_map(raw).collect()),
            tool_calls: calls
                .into_iter()
                .flat_map(Json::elements)
                .filter(|call| call.is_object())
                .map(ToolCall::read)
                .collect(),
            tool_call_id: string(call_id),
            name: string(name),
            metadata: metadata
                .into_iter()
                .flat_map(Json::members)
                .map(|(name, value)| (name.into_owned(), string_or_json(value)))
                .collect(),
        }
    }
}

impl ToolCall {
    fn read(call: Json<'_>) -> Self {
        let [id, kind, function] = call.fields(["id", "type", "function"]);
        let [name, arguments] = function.map_or([None; 2], |it| it.fields(["name", "arguments"]));
        Self {
            id: string(id).unwrap_or_default(),
            kind: string(kind).unwrap_or_default(),
            name: string(name).unwrap_or_default(),
            arguments: arguments.map(string_or_json).unwrap_or_default(),
        }
    }
}

fn string(value: Option<Json<'_>>) -> Option<String> {
    Some(value?.as_str()?.into_owned())
}

fn string_or_json(value: Json<'_>) -> String {
    value
        .as_str()
        .unwrap_or_else(|| compact(value.text()))
        .into_owned()
}

fn raw(value: Json<'_>) -> Option<Box<RawValue>> {
    RawValue::from_string(value.text().to_owned()).ok()
}

impl PartialEq for ChatMessage {
    fn eq(&self, other: &Self) -> bool {
        let same_parts = |a: &Vec<Box<RawValue>>, b: &Vec<Box<RawValue>>| {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|(a, b)| same_value(a.get(), b.get()))
        };
        let parts_are_equal = match (&self.content_parts, &other.content_parts) {
            (Some(a), Some(b)) => same_parts(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        parts_are_equal
            && self.role == other.role
            && self.content == other.content
            && self.tool_calls == other.tool_calls
            && self.tool_call_id == other.tool_call_id
            && self.name == other.name
            && self.metadata == other.metadata
    }
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Function<'a> {
            name: &'a str,
            arguments: &'a str,
        }
        let function = Function {
            name: &self.name,
            arguments: &self.arguments,
        };
        let mut call = serializer.serialize_struct("ToolCall", 3)?;
        call.serialize_field("id", &self.id)?;
        call.serialize_field("type", &self.kind)?;
        call.serialize_field("function", &function)?;
        call.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::message::Message;

    fn parsed(json: &str) -> ChatMessage {
        Message::new(json).unwrap().parsed().unwrap()
    }

    #[test]
    fn the_typed_view_reads_by_name() {
        let chat = parsed(
            r#"{"supercode_turn":1,"ts":"x","role":"assistant","content":"a\ud83d","content_parts":[{"t": 1}, "b"],
            "tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},7,
            {"id":"c2","function":{"arguments":{"x": 1}}}],"name":"n","metadata":{"k":"v","n": 1},"tool_call_id":null}"#,
        );
        assert_eq!(chat.content.as_deref(), Some("a\u{fffd}"));
        assert_eq!(chat.tool_calls[0].arguments, r#"{"x":1}"#);
        assert_eq!(chat.tool_calls[1].arguments, r#"{"x":1}"#);
        assert_eq!(chat.tool_call_id, None);
        assert_eq!(
            serde_json::to_string(&chat).unwrap(),
            concat!(
                r#"{"role":"assistant","content":"a"#,
                "\u{fffd}",
                r#"","content_parts":[{"t": 1},"b"],"tool_calls":["#,
                r#"{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},"#,
                r#"{"id":"c2","type":"","function":{"name":"","arguments":"{\"x\":1}"}}],"#,
                r#""name":"n","metadata":{"k":"v","n":"1"}}"#
            )
        );
    }

    #[test]
    fn a_content_of_parts_is_parts() {
        let chat = parsed(r#"{"role":"user","content":[{"type":"text","text":"a"}]}"#);
        assert_eq!(chat.content, None);
        let parts = chat.content_parts.as_deref().unwrap();
        assert_eq!(parts[0].get(), r#"{"type":"text","text":"a"}"#);
        assert_eq!(
            chat,
            parsed(r#"{"content":[{"text":"a", "type":"\u0074ext"}],"role":"user"}"#)
        );
        assert_ne!(chat, parsed(r#"{"content":[],"role":"user"}"#));
        assert_ne!(chat, parsed(r#"{"role":"user"}"#));
        assert_eq!(parsed("{}"), ChatMessage::default());
        assert_eq!(
            parsed(r#"{"role":7,"content":7,"tool_calls":{},"metadata":[]}"#),
            ChatMessage::default()
        );
    }
}
