//! Nodes, branches and sessions as answers show them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{any_object, any_objects};
use crate::rpc::write::Raw;

/// One node without its payload. The members stand in this order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NodeDto {
    pub id: String,
    /// As the source had it: absent, null, "", the parent's id, or the id of one that was never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<Option<String>>,
    /// `message`, `compaction`, `label`, ... or any other text.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Of a message only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// One line of text, at most 200 UTF-16 units.
    pub preview: String,
    /// ISO 8601, or what the source had instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A node in a nested tree. Only described here: trees are written without recursion.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
pub(in crate::rpc) struct NestedNode {
    #[serde(flatten)]
    pub node: NodeDto,
    /// Oldest first.
    pub children: Vec<NestedNode>,
}

/// A node in a nested tree of whole entries (dialect pi).
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
pub(in crate::rpc) struct NestedEntry {
    #[schemars(schema_with = "any_object")]
    pub entry: Raw,
    pub children: Vec<NestedEntry>,
    pub label: Option<String>,
    pub label_timestamp: Option<String>,
}

/// One node with its payload.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NodeFull {
    pub id: String,
    /// Null for a root.
    pub parent_id: Option<String>,
    /// Of a root: the parent that was declared but never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_parent: Option<String>,
    #[serde(rename = "type")]
    pub kind: String,
    /// In the order of creation.
    pub children: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    pub created_at_ms: i64,
    /// What it holds; for type `message` this is the message.
    pub message: Raw,
}

/// A named pointer to a leaf.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct BranchDto {
    pub name: String,
    /// Null while it is empty.
    pub leaf_id: Option<String>,
    pub is_active: bool,
    pub is_archived: bool,
    pub created_at_ms: i64,
    /// The newest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<SummaryDto>,
}

/// Text that stands for a branch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SummaryDto {
    pub branch: String,
    pub summary: String,
    /// The leaf as of which it speaks; "" for a branch without one.
    pub node_id: String,
    /// Null for a count of turns, or a person's words.
    pub model_id: Option<String>,
    pub created_at_ms: i64,
}

/// Where a path begins instead of at a root.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct CutDto {
    pub node_id: String,
    pub missing_parent: String,
}

/// One session in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SessionDto {
    /// `<store file>#<session id>`: what `switch_session` and `delete_session` take as `sessionPath`.
    pub path: String,
    pub id: String,
    /// "" if unknown.
    pub cwd: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// ISO 8601.
    pub created: String,
    /// ISO 8601: the latest time among the last messages of user and assistant, by which lists are sorted.
    pub modified: String,
    /// Nodes of type `message`, on all branches.
    pub message_count: u64,
    /// The first text of a user, or `(no messages)`; of a message longer than 64 KiB, its preview.
    pub first_message: String,
}

/// Whole messages, in the order of the conversation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Messages {
    #[schemars(schema_with = "any_objects")]
    pub messages: Vec<Raw>,
    /// Where the path was cut, if it does not reach a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutDto>,
    /// True where earlier messages, or all of them, were left out because of `maxBytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<bool>,
}

/// Who is in a turn or navigation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct HolderDto {
    pub session: String,
    /// `turn` or `navigation`.
    pub kind: String,
    pub actor: String,
    pub branch: Option<String>,
    /// The branch's leaf when it began.
    pub leaf_id: Option<String>,
    pub pid: Option<u32>,
    pub began_at_ms: i64,
    /// Milliseconds since the last sign of life.
    pub silent_ms: i64,
    /// A dead holder is in nobody's way.
    pub is_alive: bool,
}

/// One thing that happened in a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub(in crate::rpc) enum ChangeDto {
    /// A node was written.
    Node { node: NodeDto },
    /// Something else was done.
    Operation { operation: OperationDto },
}

/// What was done to a session, an append aside.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct OperationDto {
    /// `create`, `rewind`, `branch`, `switch`, `label`, `rename`, `navigate`, ...
    pub verb: String,
    pub actor: String,
    pub at_ms: i64,
    /// The branch that was moved, made, switched to or summarised.
    pub branch: Option<String>,
    /// The leaf before.
    pub from: Option<String>,
    /// The leaf after, or the node that was labelled.
    pub to: Option<String>,
    /// What the verb needs besides.
    #[schemars(schema_with = "any_object")]
    pub detail: Raw,
}
