//! The JSON that verbs answer with. Ids, times and names are spelled as in the RPC protocol.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use session_tree::{Branch, BranchSummary, Cut, Message, OutlineNode, SessionInfo, TreeNode};

/// A message's JSON as it is, on one line. What another program stored in its place, and is no JSON, stands as a string.
pub(crate) fn raw(message: &Message) -> Option<Box<RawValue>> {
    RawValue::from_string(message.to_line().into_owned())
        .or_else(|_| to_raw_value(message.as_str()))
        .ok()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session<'a> {
    id: &'a str,
    name: Option<&'a str>,
    cwd: Option<&'a str>,
    active_branch: &'a str,
    leaf: Option<&'a str>,
    messages: u64,
    created_at_ms: i64,
    last_node_at_ms: i64,
    archived: bool,
    source_format: Option<&'a str>,
    source_path: Option<&'a str>,
    origin_session: Option<&'a str>,
    origin_node: Option<&'a str>,
}

impl<'a> From<&'a SessionInfo> for Session<'a> {
    fn from(info: &'a SessionInfo) -> Session<'a> {
        Session {
            id: &info.id,
            name: info.name.as_deref(),
            cwd: info.cwd.as_deref(),
            active_branch: &info.active_branch,
            leaf: info.leaf.as_deref(),
            messages: info.messages,
            created_at_ms: info.created_at_ms,
            last_node_at_ms: info.last_node_at_ms,
            archived: info.is_archived,
            source_format: info.source_format.as_deref(),
            source_path: info.source_path.as_deref(),
            origin_session: info.origin_session.as_deref(),
            origin_node: info.origin_node.as_deref(),
        }
    }
}

/// A node without its payload.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outline<'a> {
    id: &'a str,
    parent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing_parent: Option<&'a str>,
    kind: &'a str,
    role: Option<&'a str>,
    preview: &'a str,
    label: Option<&'a str>,
    /// The branches that end here.
    branches: Vec<&'a str>,
    /// Whether the active branch ends here.
    active: bool,
    created_at_ms: i64,
    timestamp: &'a str,
}

impl<'a> Outline<'a> {
    pub(crate) fn new(node: &'a OutlineNode, ends: &[&'a Branch]) -> Outline<'a> {
        Outline {
            id: &node.id,
            parent_id: node.parent.as_deref(),
            missing_parent: node.missing_parent.as_deref(),
            kind: &node.kind,
            role: node.role.as_deref(),
            preview: &node.preview,
            label: node.label.as_deref(),
            branches: ends.iter().map(|branch| branch.name.as_str()).collect(),
            active: ends.iter().any(|branch| branch.is_active),
            created_at_ms: node.created_at_ms,
            timestamp: &node.timestamp,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Node<'a> {
    id: &'a str,
    parent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing_parent: Option<&'a str>,
    children: Vec<&'a str>,
    kind: &'a str,
    label: Option<&'a str>,
    created_at_ms: i64,
    message: Option<Box<RawValue>>,
}

impl<'a> From<&'a TreeNode> for Node<'a> {
    fn from(node: &'a TreeNode) -> Node<'a> {
        Node {
            id: &node.id,
            parent_id: node.parent.as_deref(),
            missing_parent: node.missing_parent.as_deref(),
            children: node.children.iter().map(|id| id.as_str()).collect(),
            kind: &node.kind,
            label: node.label.as_deref(),
            created_at_ms: node.created_at_ms,
            message: raw(&node.message),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary<'a> {
    branch: &'a str,
    summary: &'a str,
    node_id: &'a str,
    model_id: Option<&'a str>,
    created_at_ms: i64,
}

impl<'a> From<&'a BranchSummary> for Summary<'a> {
    fn from(summary: &'a BranchSummary) -> Summary<'a> {
        Summary {
            branch: &summary.branch,
            summary: &summary.summary,
            node_id: &summary.node_id,
            model_id: summary.model_id.as_deref(),
            created_at_ms: summary.created_at_ms,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BranchRow<'a> {
    name: &'a str,
    leaf: Option<&'a str>,
    active: bool,
    archived: bool,
    summary: Option<Summary<'a>>,
    created_at_ms: i64,
}

impl<'a> From<&'a Branch> for BranchRow<'a> {
    fn from(branch: &'a Branch) -> BranchRow<'a> {
        BranchRow {
            name: &branch.name,
            leaf: branch.leaf.as_deref(),
            active: branch.is_active,
            archived: branch.is_archived,
            summary: branch.summary.as_ref().map(Summary::from),
            created_at_ms: branch.created_at_ms,
        }
    }
}

/// Where a path is cut.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Missing<'a> {
    node_id: &'a str,
    missing_parent: &'a str,
}

impl<'a> From<&'a Cut> for Missing<'a> {
    fn from(cut: &'a Cut) -> Missing<'a> {
        Missing {
            node_id: &cut.node_id,
            missing_parent: &cut.missing_parent,
        }
    }
}
