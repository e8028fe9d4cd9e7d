//! Answers about nodes, paths and branches.

use crate::rpc::types::any_objects;
use crate::rpc::types::nodes::BranchDto;
use crate::rpc::types::nodes::CutDto;
use crate::rpc::types::nodes::NodeFull;
use crate::rpc::types::nodes::SummaryDto;
use crate::rpc::write::Raw;
use schemars::JsonSchema;
use serde::Serialize;

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
