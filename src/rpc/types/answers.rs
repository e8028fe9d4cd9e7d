//! The `data` of answers.

use schemars::JsonSchema;
use serde::Serialize;

use super::any_objects;
use super::nodes::{
    BranchDto, ChangeDto, CutDto, HolderDto, NestedEntry, NestedNode, NodeDto, NodeFull,
    SessionDto, SummaryDto,
};
use crate::read::ModelRef;
use crate::rpc::write::Raw;

/// Commands without a result answer no `data`.
#[derive(Debug)]
pub(in crate::rpc) struct Nothing;

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

/// A node's id.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NodeId {
    pub node_id: String,
}

/// Ids of nodes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NodeIds {
    pub node_ids: Vec<String>,
}

/// Ids of a path's nodes, root first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Path {
    pub node_ids: Vec<String>,
    /// Where the path was cut; null where it reaches a root.
    pub cut: Option<CutDto>,
}

/// A node's id, if there is one.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct MaybeNodeId {
    pub node_id: Option<String>,
}

/// A node; null if it is unknown.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NodeAnswer {
    pub node: Option<NodeFull>,
}

/// Where the old leaf was kept.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Rewound {
    /// Null where it was there already.
    pub preserved_branch: Option<String>,
}

/// A branch's name.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct BranchName {
    pub branch: String,
}

/// All branches in name order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Branches {
    pub branches: Vec<BranchDto>,
    pub active_branch: String,
}

/// Whether there is more than one branch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct HasBranches {
    pub has_branches: bool,
}

/// A text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Text {
    pub text: String,
}

/// The text that was stored.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SummaryText {
    pub summary: String,
}

/// Every summary a branch ever got, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Summaries {
    pub summaries: Vec<SummaryDto>,
}

/// The active branch's messages, and a text for each other branch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SpliceDto {
    #[schemars(schema_with = "any_objects")]
    pub messages: Vec<Raw>,
    pub summaries: Vec<SummaryDto>,
}

/// A session's id.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SessionId {
    pub session: String,
}

/// How two branches differ.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct DiffDto {
    /// Null where they share nothing.
    pub common_ancestor: Option<String>,
    pub only_left: Vec<String>,
    pub only_right: Vec<String>,
}

/// A turn that has begun.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct TurnBegun {
    /// The branch it is on.
    pub branch: String,
    /// Null while the branch is empty.
    pub leaf_id: Option<String>,
}

/// Who is in a turn or navigation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Holders {
    pub holders: Vec<HolderDto>,
}

/// Whether anyone held the session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Released {
    pub released: bool,
}

/// How a navigation ended, in full.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct NavigatedFull {
    /// Nothing was moved.
    pub cancelled: bool,
    /// It was cancelled by an abort.
    pub aborted: bool,
    /// To a user's message or a custom message: its text, to be edited and sent anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editor_text: Option<String>,
    /// Where the active branch ends now; null before the first node.
    pub leaf_id: Option<String>,
    /// The name under which the old leaf is kept, if it would have had none.
    pub preserved_branch: Option<String>,
    /// The node that holds the summary.
    pub summary_node: Option<String>,
}

/// A navigation that is planned. It keeps the session from moving until it is committed or aborted, or the connection ends.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Planned {
    /// The target is the leaf already, so that there is nothing to do.
    pub is_here: bool,
    /// The active branch's leaf before the move.
    pub old_leaf_id: Option<String>,
    /// The leaf after it, a summary aside; null before the first node.
    pub new_leaf_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editor_text: Option<String>,
    /// The nodes that are left behind, root first.
    pub left_behind: Vec<String>,
    /// What is left behind as text; null where nothing of it says anything to a model.
    pub branch_text: Option<String>,
}

/// Whether there was a navigation.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Aborted {
    pub aborted: bool,
}

/// The move that was undone or made again; null where there is none.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct UndoneAnswer {
    pub undone: Option<UndoneDto>,
}

/// A move that was undone or made again.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct UndoneDto {
    /// `rewind`, `branch`, `switch` or `navigate`.
    pub verb: String,
    /// The branch the session is on now.
    pub branch: String,
    pub leaf_id: Option<String>,
}

/// A page of what happened.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ChangesDto {
    /// In order.
    pub changes: Vec<ChangeDto>,
    /// The place after the last of them.
    pub cursor: String,
    /// Whether there is more already.
    pub more: bool,
}

/// From where on events come.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Subscribed {
    /// The first event tells what happened after this place; null for `all`.
    pub cursor: Option<String>,
}

/// What an import did.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Imported {
    pub session: String,
    /// `pi`, `tree.json`.
    pub format: String,
    /// Whether the session was made by this import.
    pub created: bool,
    pub nodes_added: u64,
    pub nodes_known: u64,
    /// Places of the file that are damaged.
    pub damaged: u64,
}

/// What a check found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Checked {
    pub is_healthy: bool,
    pub problems: Vec<ProblemDto>,
    /// Problems that were found and are not listed.
    pub omitted: u64,
    pub sessions: u64,
    pub nodes: u64,
    pub branches: u64,
}

/// One thing that a check found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct ProblemDto {
    pub code: String,
    pub session: Option<String>,
    pub node_id: Option<String>,
    pub branch: Option<String>,
    pub text: String,
}
