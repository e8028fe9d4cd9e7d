//! Appending, moving and marking.

use crate::rpc::types::any_object;
use crate::rpc::types::any_objects;
use crate::rpc::types::given;
use crate::rpc::types::objects;
use crate::rpc::write::Raw;
use schemars::JsonSchema;
use serde::Deserialize;

/// Appends a message to the active branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct AppendMessage {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// One JSON object, kept byte for byte.
    #[schemars(schema_with = "any_object")]
    pub message: Raw,
    /// Unix time in milliseconds; the server's clock if absent.
    pub created_at_ms: Option<i64>,
    /// Fail with `leaf_moved` unless the branch ends here; null: unless it is empty.
    #[serde(default, deserialize_with = "given")]
    pub expected_leaf: Option<Option<String>>,
    /// The id of the new node; given again with the same message, nothing is appended.
    pub node_id: Option<String>,
}

/// Appends a node of any type to any branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Append {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// `message`, `compaction`, `label`, ... or any other text.
    pub kind: String,
    /// One JSON object: the message, or the fields of that type.
    #[schemars(schema_with = "any_object")]
    pub payload: Raw,
    /// The active one if absent.
    pub branch: Option<String>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub created_at_ms: Option<i64>,
    /// Fail with `leaf_moved` unless the branch ends here; null: unless it is empty.
    #[serde(default, deserialize_with = "given")]
    pub expected_leaf: Option<Option<String>>,
    /// The id of the new node; given again with the same content, nothing is appended.
    pub node_id: Option<String>,
}

/// Appends several nodes, all or none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct AppendMany {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Each is appended after the one before.
    #[serde(deserialize_with = "objects")]
    pub nodes: Vec<NewNodeDto>,
}

/// One node to be appended.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NewNodeDto {
    pub kind: String,
    #[schemars(schema_with = "any_object")]
    pub payload: Raw,
    pub branch: Option<String>,
    pub created_at_ms: Option<i64>,
    #[serde(default, deserialize_with = "given")]
    pub expected_leaf: Option<Option<String>>,
    pub node_id: Option<String>,
}

/// Makes a session of these messages. The connection stays where it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct FromLinear {
    #[schemars(schema_with = "any_objects")]
    pub messages: Vec<Raw>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub created_at_ms: Option<i64>,
}

/// Moves the active branch's leaf to a node.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Rewind {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub node_id: String,
    /// Unix time in milliseconds; the server's clock if absent.
    pub timestamp_ms: Option<i64>,
}

/// Makes a branch that ends at a node.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct MakeBranch {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub from_node: String,
    /// `branch`, `branch-2`, ... if absent.
    pub name: Option<String>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub timestamp_ms: Option<i64>,
}

/// Makes a branch without switching to it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct CreateBranch {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// An empty branch if absent.
    pub from_node: Option<String>,
    /// `branch`, `branch-2`, ... if absent.
    pub name: Option<String>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub timestamp_ms: Option<i64>,
}

/// Makes another branch active.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SwitchBranch {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub name: String,
}

/// Puts a session out of sight, or back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Archive {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Absent: true.
    pub archived: Option<bool>,
}

/// Puts a branch out of sight, or back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ArchiveBranch {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub name: String,
    /// Absent: true.
    pub archived: Option<bool>,
}

/// Sets a node's label.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Label {
    /// The session; the current one if absent.
    pub session: Option<String>,
    pub node_id: String,
    /// "" clears it.
    pub label: String,
}

/// Begins a turn. It belongs to this connection, whose commands on that session are inside it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct BeginTurn {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// The active one if absent.
    pub branch: Option<String>,
}

/// Makes a move that was planned.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct CommitNavigation {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// A text that stands for what is left behind.
    pub summary: Option<String>,
    /// The model that wrote it.
    pub model_id: Option<String>,
}

/// Takes a move back, or makes it again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Undo {
    /// The session; the current one if absent.
    pub session: Option<String>,
    /// Unix time in milliseconds; the server's clock if absent.
    pub timestamp_ms: Option<i64>,
}
