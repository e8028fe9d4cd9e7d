//! Answers about turns, navigations, changes and files.

use crate::rpc::types::any_object;
use crate::rpc::types::nodes::ChangeDto;
use crate::rpc::types::nodes::HolderDto;
use crate::rpc::write::Raw;
use schemars::JsonSchema;
use serde::Serialize;

/// Commands without a result answer no `data`.
#[derive(Debug)]
pub(in crate::rpc) struct Nothing;

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
    /// Why the move was made without the summary that was asked for or given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsummarized: Option<UnsummarizedDto>,
}

/// Why there is no summary.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::rpc) enum UnsummarizedDto {
    /// The move went forward, so that there was nothing to summarise.
    NothingLeftBehind,
    /// What was written, or given, as the summary was empty.
    EmptySummary,
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

/// What an export wrote.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct Exported {
    /// Lines, or messages where the format has no lines.
    pub lines: u64,
    /// Whether it is, byte for byte, what the session was imported from.
    pub is_unchanged: bool,
    /// What of the session the format cannot hold, for people.
    pub not_held: Vec<String>,
}

/// A session as a `.tree.json` holds it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::rpc) struct SnapshotDto {
    #[schemars(schema_with = "any_object")]
    pub snapshot: Raw,
    /// What of the session the format cannot hold, for people.
    pub not_held: Vec<String>,
}
