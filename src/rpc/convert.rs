//! From the library's types to those of the protocol.

use super::failure::Failure;
use super::types::nodes::{
    BranchDto, ChangeDto, CutDto, HolderDto, Messages, NodeDto, NodeFull, OperationDto, SummaryDto,
};
use super::write::Raw;
use crate::model::change::{Change, OperationRecord};
use crate::model::json::Json;
use crate::model::{
    Branch, BranchSummary, Holder, Message, NewNode, NodeId, OutlineNode, Result, Selection,
    TreeNode,
};
use crate::read::Cut;
use crate::tree::SessionTree;

/// The kind of an imported entry that has no type.
pub(super) const UNTYPED: &str = "untyped";

pub(super) fn strings(ids: impl IntoIterator<Item = NodeId>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}

pub(super) fn string(id: Option<&NodeId>) -> Option<String> {
    id.map(NodeId::to_string)
}

/// A message from a request.
pub(super) fn message(payload: Raw) -> Result<Message, Failure> {
    Message::new(payload.into_string())
        .map_err(|error| Failure::of(crate::model::ErrorKind::InvalidMessage, error.to_string()))
}

/// A node from a request.
pub(super) fn new_node(
    kind: String,
    payload: Raw,
    branch: Option<String>,
    expected_leaf: Option<Option<String>>,
    node_id: Option<String>,
    created_at_ms: Option<i64>,
) -> Result<NewNode, Failure> {
    let mut node = NewNode::of_kind(kind, message(payload)?);
    if let Some(branch) = branch {
        node = node.on_branch(branch);
    }
    if let Some(leaf) = expected_leaf {
        node = node.expecting_leaf(leaf.as_deref());
    }
    if let Some(id) = node_id {
        node = node.id(id);
    }
    if let Some(at) = created_at_ms {
        node = node.at(at);
    }
    Ok(node)
}

pub(super) fn raw(message: &Message) -> Raw {
    Raw::new(message.as_str())
}

/// Messages as they are read, page by page.
pub(super) fn messages(tree: &SessionTree, selection: &Selection) -> Result<Messages, Failure> {
    let projection = tree.projection(selection)?;
    let cut = projection.cut().map(cut);
    let messages = projection
        .map(|message| Ok(raw(&message?)))
        .collect::<Result<Vec<Raw>>>()?;
    Ok(Messages {
        messages,
        cut,
        more: None,
    })
}

pub(super) fn cut(cut: &Cut) -> CutDto {
    CutDto {
        node_id: cut.node_id.to_string(),
        missing_parent: cut.missing_parent.clone(),
    }
}

/// A node's members. What an imported line left out is only known from the line.
pub(super) fn node(tree: &SessionTree, node: &OutlineNode) -> Result<NodeDto> {
    let mut dto = node_dto(node);
    if node.source_line.is_none() {
        return Ok(dto);
    }
    if node.parent.is_none() && node.missing_parent.is_none() && lacks_parent(tree, &node.id)? {
        dto.parent_id = None;
    }
    if node.kind == UNTYPED && lacks_type(tree, &node.id)? {
        dto.kind = None;
        dto.preview = "[undefined]".to_owned();
    }
    Ok(dto)
}

/// Whether the line of a root says nothing of a parent. Without an id of its own it is of version 1, and the chain that its
/// migrated form has begins with null.
fn lacks_parent(tree: &SessionTree, root: &NodeId) -> Result<bool> {
    let selection = Selection {
        leaf: Some(root.to_string()),
        allow_cut: true,
        ..Selection::default()
    };
    let Some(root) = tree.path_nodes(&selection)?.next() else {
        return Ok(false);
    };
    let line = root?.line();
    let line = Json::new(&line);
    Ok(line.get("parentId").is_none() && line.get("id").is_some())
}

/// Whether the line of a node, which is its payload where it is no message, has no type.
fn lacks_type(tree: &SessionTree, node: &NodeId) -> Result<bool> {
    let node = tree.node(node)?;
    Ok(node.is_some_and(|node| node.message.json().get("type").is_none()))
}

pub(super) fn change(tree: &SessionTree, change: Change) -> Result<ChangeDto> {
    Ok(match change {
        Change::Node(written) => ChangeDto::Node {
            node: node(tree, &written)?,
        },
        Change::Operation(done) => ChangeDto::Operation {
            operation: operation(done),
        },
    })
}

fn operation(done: OperationRecord) -> OperationDto {
    OperationDto {
        verb: done.verb,
        actor: done.actor,
        at_ms: done.at_ms,
        branch: done.branch,
        from: string(done.from.as_ref()),
        to: string(done.to.as_ref()),
        detail: Raw::new(&done.detail),
    }
}

fn node_dto(node: &OutlineNode) -> NodeDto {
    let parent_id = match (&node.parent, &node.missing_parent) {
        (Some(parent), _) => Some(Some(parent.to_string())),
        (None, Some(missing)) => Some(Some(missing.clone())),
        (None, None) => Some(None),
    };
    // A message without a role, or with one that is no text, is shown as its preview shows it.
    let role = match (&node.role, node.kind.as_str()) {
        (None, crate::model::MESSAGE) => Some("undefined".to_owned()),
        (role, _) => role.clone(),
    };
    NodeDto {
        id: node.id.to_string(),
        parent_id,
        kind: Some(node.kind.clone()),
        role,
        preview: node.preview.clone(),
        timestamp: Some(node.timestamp.clone()).filter(|text| !text.is_empty()),
        label: node.label.clone(),
    }
}

pub(super) fn node_full(node: TreeNode) -> NodeFull {
    NodeFull {
        id: node.id.to_string(),
        parent_id: string(node.parent.as_ref()),
        missing_parent: node.missing_parent,
        kind: node.kind,
        children: strings(node.children),
        label: node.label,
        created_at_ms: node.created_at_ms,
        message: raw(&node.message),
    }
}

pub(super) fn summary(summary: BranchSummary) -> SummaryDto {
    SummaryDto {
        branch: summary.branch,
        summary: summary.summary,
        node_id: summary.node_id,
        model_id: summary.model_id,
        created_at_ms: summary.created_at_ms,
    }
}

pub(super) fn branch(branch: Branch) -> BranchDto {
    BranchDto {
        name: branch.name,
        leaf_id: string(branch.leaf.as_ref()),
        is_active: branch.is_active,
        is_archived: branch.is_archived,
        created_at_ms: branch.created_at_ms,
        summary: branch.summary.map(summary),
    }
}

pub(super) fn holder(holder: Holder) -> HolderDto {
    HolderDto {
        session: holder.session.to_string(),
        kind: holder.kind.to_string(),
        actor: holder.actor,
        branch: holder.branch,
        leaf_id: string(holder.leaf.as_ref()),
        pid: holder.pid,
        began_at_ms: holder.began_at_ms,
        silent_ms: holder.silent_ms,
        is_alive: holder.is_alive,
    }
}
