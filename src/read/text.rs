//! Texts that stand for something: a message's content, a branch nobody summarised.

use crate::model::{Message, content_text};

/// A message's `content` as text: a string as it is, the text blocks of an array joined with nothing, else nothing.
/// `content_parts` are not rendered, as in supercode.
pub(crate) fn one_line_content(message: &Message) -> String {
    content_text(message.json())
}

/// What is stored for a branch that no summariser could read.
pub(crate) fn turns_text(messages: u64) -> String {
    format!("[{messages} turn(s), unsummarized]")
}
