//! Answers to commands that the agents have too.

use crate::read::ModelRef;
use crate::rpc::types::any_objects;
use crate::rpc::types::nodes::CutDto;
use crate::rpc::types::nodes::NestedEntry;
use crate::rpc::types::nodes::NestedNode;
use crate::rpc::types::nodes::NodeDto;
use crate::rpc::types::nodes::SessionDto;
use crate::rpc::write::Raw;
use schemars::JsonSchema;
use serde::Serialize;

/// Who answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct HelloDto {
    /// Grows when a message changes in a way that clients can notice.
    pub protocol: u32,
    pub server: String,
    pub version: String,
    /// `dreb` or `pi`.
    pub dialect: String,
    /// Made with the file: tells two stores apart.
    pub store_id: String,
    /// Those that this connection may use.
    pub commands: Vec<String>,
}

/// Where the session stands.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct State {
    /// The model of the last answer on the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelDto>,
    pub thinking_level: String,
    /// Anyone is in a turn.
    pub is_streaming: bool,
    /// Anyone is in a navigation.
    pub is_compacting: bool,
    pub steering_mode: String,
    pub follow_up_mode: String,
    /// The session's path in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_file: Option<String>,
    pub session_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_name: Option<String>,
    pub auto_compaction_enabled: bool,
    /// Messages of the context.
    pub message_count: u64,
    pub pending_message_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scoped_models: Option<Vec<Raw>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<Raw>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub using_subscription: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_thinking_levels: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_retrying: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_attempt: Option<u64>,
    pub active_branch: String,
    /// Null while the branch is empty.
    pub leaf_id: Option<String>,
    /// Where the path was cut, if it does not reach a root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutDto>,
}

/// A model by its names.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ModelDto {
    pub id: String,
    pub name: String,
    pub provider: String,
}

impl ModelDto {
    pub fn unknown() -> ModelDto {
        let unknown = || "unknown".to_owned();
        ModelDto {
            id: unknown(),
            name: unknown(),
            provider: unknown(),
        }
    }
}

impl From<ModelRef> for ModelDto {
    fn from(model: ModelRef) -> ModelDto {
        ModelDto {
            name: model.model_id.clone(),
            id: model.model_id,
            provider: model.provider,
        }
    }
}

/// What the model should see of a branch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ContextDto {
    #[schemars(schema_with = "any_objects")]
    pub messages: Vec<Raw>,
    /// Of each message: the node it comes from.
    pub node_ids: Vec<String>,
    pub thinking_level: String,
    /// Null where none is known.
    pub model: Option<ModelDto>,
    /// Where the path was cut; null where it reaches a root.
    pub cut: Option<CutDto>,
}

/// A tree (dialect dreb).
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Tree {
    #[schemars(with = "Vec<NestedNode>")]
    pub roots: Raw,
    /// Null while the branch is empty.
    pub leaf_id: Option<String>,
}

/// A tree of whole entries (dialect pi).
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct PiTree {
    #[schemars(with = "Vec<NestedEntry>")]
    pub tree: Raw,
    pub leaf_id: Option<String>,
}

/// One page of a tree.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct FlatTree {
    /// In the order of writing.
    pub nodes: Vec<NodeDto>,
    pub leaf_id: Option<String>,
    /// Hand it back as `cursor` for the next page; absent after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What `changes` and `subscribe` take as `since` to go on from this answer.
    pub as_of: String,
}

/// A tree in the shape that was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::rpc) enum AnyTree {
    Nested(Tree),
    Entries(PiTree),
    Flat(FlatTree),
}

/// Whole entries in the order of the file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Entries {
    #[schemars(schema_with = "any_objects")]
    pub entries: Vec<Raw>,
    pub leaf_id: Option<String>,
}

/// How a navigation ended.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Navigated {
    /// Nothing was changed.
    pub cancelled: bool,
    /// The text of the message that was moved before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editor_text: Option<String>,
}

/// How a fork ended.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Forked {
    /// The text of the user's message the new session ends before, else "".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub cancelled: bool,
}

/// Whether it was cancelled.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Cancelled {
    pub cancelled: bool,
}

/// Messages a session can be forked at.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ForkMessages {
    pub messages: Vec<ForkMessage>,
}

/// A message a session can be forked at.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ForkMessage {
    pub entry_id: String,
    pub text: String,
    /// Dialect dreb.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// Sessions, the one with the newest node first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Sessions {
    pub sessions: Vec<SessionDto>,
}

/// How it was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Deleted {
    /// Always `unlink`.
    pub method: String,
}

/// The last answer's text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct LastText {
    /// Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Counts and costs: of the context (dialect dreb), or of all nodes (dialect pi).
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Stats {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_file: Option<String>,
    pub session_id: String,
    pub user_messages: u64,
    pub assistant_messages: u64,
    pub tool_calls: u64,
    pub tool_results: u64,
    pub total_messages: u64,
    pub tokens: Tokens,
    /// US dollars.
    pub cost: f64,
}

/// Tokens as the answers reported them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Tokens {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub total: u64,
}
