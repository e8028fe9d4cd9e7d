//! One message of a conversation, kept as the text it was given as.

use std::borrow::Cow;
use std::fmt;

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::chat::ChatMessage;
use super::json::{
    Json, JsonError, compact, depth, escape_line_separators, push_string, replace_lone_surrogates,
    validate,
};
use super::preview::content_text;

/// How deep a message may be nested for [`Message::parsed`].
const READ_DEPTH: usize = 128;

/// One message: the verbatim JSON text of an object, of any size and depth.
///
/// The text is checked once, when the message is made, and never rewritten: white space, the order and the repetition
/// of members, number spellings and escapes of single surrogate halves all come back as they were given. Two messages
/// are equal if their bytes are.
///
/// ```
/// use session_tree::Message;
///
/// let text = r#"{"role": "user", "content": "half a smile: \ud83d", "mood": 1.0}"#;
/// let message = Message::new(text)?;
/// assert_eq!(message.as_str(), text);
/// assert_eq!(Message::user("Hello").as_str(), r#"{"role":"user","content":"Hello"}"#);
/// # Ok::<(), session_tree::InvalidMessage>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    text: String,
}

impl Message {
    /// Takes the JSON text of an object as a message.
    ///
    /// # Errors
    ///
    /// [`InvalidMessage`] if the text is not exactly one JSON object (RFC 8259), white space around it allowed.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidMessage> {
        let text = text.into();
        validate(&text)?;
        let value = Json::new(&text);
        if !value.is_object() {
            return Err(InvalidMessage {
                offset: value.span_in(&text).start,
                problem: "expected a JSON object",
            });
        }
        Ok(Self { text })
    }

    /// A message as the store holds it. It was checked when it was stored; what another program or an import put there
    /// instead is handed on as it is, and its typed view is empty.
    pub(crate) fn from_stored(text: String) -> Self {
        Self { text }
    }

    /// A user's message with this text: `{"role":"user","content":"..."}`.
    pub fn user(text: &str) -> Self {
        Self::with_role("user", text)
    }

    /// An assistant's message with this text.
    pub fn assistant(text: &str) -> Self {
        Self::with_role("assistant", text)
    }

    /// A system message with this text.
    pub fn system(text: &str) -> Self {
        Self::with_role("system", text)
    }

    fn with_role(role: &str, content: &str) -> Self {
        let mut text = String::with_capacity(content.len() + 40);
        text.push_str("{\"role\":");
        push_string(&mut text, role);
        text.push_str(",\"content\":");
        push_string(&mut text, content);
        text.push('}');
        Self { text }
    }

    /// The text as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text as it was given.
    pub fn into_string(self) -> String {
        self.text
    }

    /// The message on one line: equal in value, white space outside strings dropped, and what readers of lines may take for a
    /// line end (U+2028, U+2029, U+0085) escaped.
    ///
    /// ```
    /// let message = session_tree::Message::new("{\n  \"content\": \"a\u{2028}b\"\n}")?;
    /// assert_eq!(message.to_line(), r#"{"content":"a\u2028b"}"#);
    /// # Ok::<(), session_tree::InvalidMessage>(())
    /// ```
    pub fn to_line(&self) -> Cow<'_, str> {
        match compact(&self.text) {
            Cow::Borrowed(text) => escape_line_separators(text),
            Cow::Owned(text) => Cow::Owned(escape_line_separators(&text).into_owned()),
        }
    }

    /// The text of it for people: `content` if that is a string, the joined texts of its text parts if it is an array, else
    /// nothing. It works at any depth and reads a lone surrogate half as U+FFFD.
    ///
    /// ```
    /// let message = session_tree::Message::new(r#"{"content":[{"type":"text","text":"hi"},{"type":"image"}]}"#)?;
    /// assert_eq!(message.text(), "hi");
    /// # Ok::<(), session_tree::InvalidMessage>(())
    /// ```
    pub fn text(&self) -> String {
        content_text(self.json())
    }

    /// The text as a model's provider can take it: each half of a surrogate pair that has no other half is written as
    /// `\ufffd`, everything else is as it was. What is stored does not change.
    ///
    /// ```
    /// # use session_tree::Message;
    /// let half = Message::new(r#"{"role":"user","content":"half an emoji: \ud83d"}"#)?;
    /// assert_eq!(half.provider_safe(), r#"{"role":"user","content":"half an emoji: \ufffd"}"#);
    /// # Ok::<(), session_tree::InvalidMessage>(())
    /// ```
    pub fn provider_safe(&self) -> Cow<'_, str> {
        replace_lone_surrogates(&self.text)
    }

    pub(crate) fn json(&self) -> Json<'_> {
        Json::new(&self.text)
    }

    /// The members that chat formats share, by name. The message itself stays as it is.
    ///
    /// ```
    /// use session_tree::Message;
    ///
    /// let message = Message::new(r#"{"role":"tool","tool_call_id":"c1","content":"42","cost":7}"#)?;
    /// let chat = message.parsed()?;
    /// assert_eq!(chat.role, "tool");
    /// assert_eq!(chat.content.as_deref(), Some("42"));
    /// assert_eq!(chat.tool_call_id.as_deref(), Some("c1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TooDeep`] if the message is nested deeper than 128 levels.
    pub fn parsed(&self) -> Result<ChatMessage, TooDeep> {
        let depth = depth(&self.text);
        if depth > READ_DEPTH {
            return Err(TooDeep { depth });
        }
        Ok(ChatMessage::read(self.json()))
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl AsRef<str> for Message {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

/// As the JSON it is, not as a string; white space around the object is left out.
impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.text).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

/// Why a text is not a message.
///
/// ```
/// use session_tree::Message;
///
/// let error = Message::new(r#"{"role":"user" "content":""}"#).unwrap_err();
/// assert_eq!(error.offset, 15);
/// assert_eq!(error.to_string(), "not a message: expected a comma or `}` at byte 15");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a message: {problem} at byte {offset}")]
#[non_exhaustive]
pub struct InvalidMessage {
    /// Byte at which the text stops being a message; its length if it ends too early.
    pub offset: usize,
    /// What is wrong there.
    pub problem: &'static str,
}

impl From<JsonError> for InvalidMessage {
    fn from(error: JsonError) -> Self {
        Self {
            offset: error.offset,
            problem: error.problem,
        }
    }
}

/// A message that is stored whole but nested too deep for a typed view of it.
///
/// ```
/// use session_tree::Message;
///
/// let message = Message::new(format!("{{\"deep\":{}{}}}", "[".repeat(200), "]".repeat(200)))?;
/// assert_eq!(message.parsed().unwrap_err().depth, 201);
/// # Ok::<(), session_tree::InvalidMessage>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the message is nested {depth} levels deep, and a typed view reads at most 128: use its text"
)]
#[non_exhaustive]
pub struct TooDeep {
    /// How many objects and arrays its deepest place lies in.
    pub depth: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_kept_and_only_objects_are_taken() {
        let text = " {\"a\" : 1.0,\"a\":\"\\ud83d\"}\n";
        let message = Message::new(text).unwrap();
        assert_eq!(message.as_str(), text);
        assert_eq!(message.to_string(), text);
        assert_eq!(
            serde_json::to_string(&[&message]).unwrap(),
            format!("[{}]", text.trim())
        );
        assert_eq!(message.into_string(), text);
        let refused = [
            ("", "not a message: expected a value at byte 0"),
            (" [1]", "not a message: expected a JSON object at byte 1"),
            ("{}x", "not a message: expected nothing more at byte 2"),
        ];
        for (text, expected) in refused {
            assert_eq!(Message::new(text).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn made_messages_are_json_with_the_text_given() {
        let text = "\"quoted\"\n\u{2028}\0\u{1f600}";
        for (message, role) in [
            (Message::user(text), "user"),
            (Message::assistant(text), "assistant"),
            (Message::system(text), "system"),
        ] {
            assert_eq!(Message::new(message.as_str()), Ok(message.clone()));
            let chat = message.parsed().unwrap();
            assert_eq!(
                (chat.role.as_str(), chat.content.as_deref()),
                (role, Some(text))
            );
        }
    }

    #[test]
    fn depth_limits_the_typed_view_alone() {
        let nested = |levels: usize| {
            format!(
                r#"{{"content":{}{}}}"#,
                "[".repeat(levels),
                "]".repeat(levels)
            )
        };
        assert!(Message::new(nested(127)).unwrap().parsed().is_ok());
        let deep = Message::new(nested(100_000)).unwrap();
        assert_eq!(deep.parsed(), Err(TooDeep { depth: 100_001 }));
        assert_eq!(serde_json::to_string(&deep).unwrap(), nested(100_000));
    }

    #[test]
    fn what_another_program_stored_is_handed_on() {
        for text in ["null", "[1]", "{\"role\":", ""] {
            let message = Message::from_stored(text.to_owned());
            assert_eq!(message.as_str(), text);
            assert_eq!(message.parsed(), Ok(ChatMessage::default()));
        }
    }
}
