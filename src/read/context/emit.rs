//! Nodes as messages for a model.

use std::collections::HashMap;

use crate::model::json::{Json, quote, with_member};
use crate::model::{MESSAGE, Message, NodeId};
use crate::read::projection::PathNode;

/// A message that is made up: its role, the fields it takes over as they are written, and the node's time.
fn made(role: &str, fields: &[&str], node: &PathNode) -> Message {
    let json = node.message.json();
    let mut text = format!("{{\"role\":\"{role}\"");
    for name in fields {
        if let Some(value) = json.get(name) {
            text.push_str(&format!(",\"{name}\":{}", value.text()));
        }
    }
    text.push_str(&format!(",\"timestamp\":{}}}", node.created_at_ms));
    Message::from_stored(text)
}

/// What stands for everything a compaction took away.
pub(super) fn summary_of(compaction: &PathNode) -> (NodeId, Message) {
    let message = made(
        "compactionSummary",
        &["summary", "tokensBefore"],
        compaction,
    );
    (compaction.id.clone(), message)
}

/// What a node says to a model, if it says anything.
pub(super) fn said(node: &PathNode) -> Option<(NodeId, Message)> {
    let json = node.message.json();
    let message = match node.kind.as_str() {
        MESSAGE => match json.get("role").and_then(Json::as_str).as_deref() {
            // As newer versions of the format have it.
            Some("hookMessage") => {
                Message::from_stored(with_member(node.message.as_str(), "role", "\"custom\""))
            }
            _ => node.message.clone(),
        },
        "custom_message" => {
            let fields = ["customType", "content", "display", "details"];
            made("custom", &fields, node)
        }
        "branch_summary" => {
            let summary = json.get("summary").and_then(Json::as_str);
            if summary.is_none_or(|summary| summary.is_empty()) {
                return None;
            }
            made("branchSummary", &["summary", "fromId"], node)
        }
        _ => return None,
    };
    Some((node.id.clone(), message))
}

/// What an edit makes of what its target says.
pub(super) enum Edit {
    Remove,
    /// The JSON text of the new content.
    Replace(String),
}

/// The edit a node makes, and its target. Of several for one target the last counts.
pub(super) fn edit_of(node: &PathNode) -> Option<(String, Edit)> {
    if node.kind != "context_edit" {
        return None;
    }
    let [target, replacement] = node.message.json().fields(["targetId", "replacement"]);
    let target = target?.as_str()?.into_owned();
    match replacement {
        Some(replacement) if replacement.is_object() => {
            let content = replacement.get("content")?;
            Some((target, Edit::Replace(content.text().to_owned())))
        }
        Some(replacement) if replacement.is_null() => Some((target, Edit::Remove)),
        _ => None,
    }
}

pub(super) fn edited(
    messages: Vec<(NodeId, Message)>,
    edits: &HashMap<String, Edit>,
) -> Vec<(NodeId, Message)> {
    let apply = |(id, message): (NodeId, Message)| match edits.get(id.as_str()) {
        None => Some((id, message)),
        Some(Edit::Remove) => None,
        Some(Edit::Replace(content)) => {
            let message = with_content(&message, content);
            Some((id, message))
        }
    };
    messages.into_iter().filter_map(apply).collect()
}

fn with_content(message: &Message, content: &str) -> Message {
    let role = message.json().get("role").and_then(Json::as_str);
    let is_list = matches!(role.as_deref(), Some("assistant" | "toolResult"));
    let content = match Json::new(content).as_str() {
        Some(text) if is_list => format!("[{{\"type\":\"text\",\"text\":{}}}]", quote(&text)),
        _ => content.to_owned(),
    };
    Message::from_stored(with_member(message.as_str(), "content", &content))
}
