//! What the peer says about a tree, as JSON.

use std::collections::HashMap;

use serde_json::{Value, json};
use supercode_interchange::ChatMessage;
use supercode_interchange::session_tree::{BranchSummary, SessionTree, TreeNode};

use crate::message;

/// Each message's value once: answers name it by its place here, since many branches share the same messages.
#[derive(Default)]
pub struct Messages {
    values: Vec<Value>,
    places: HashMap<Value, usize>,
}

impl Messages {
    fn place(&mut self, message: &ChatMessage) -> Value {
        let value = message::value(message);
        let next = self.values.len();
        let place = *self.places.entry(value.clone()).or_insert(next);
        if place == next {
            self.values.push(value);
        }
        json!(place)
    }

    fn places(&mut self, messages: &[ChatMessage]) -> Value {
        messages.iter().map(|message| self.place(message)).collect()
    }

    /// An answer, with the messages that it names.
    pub fn with(self, answer: Value) -> Value {
        json!({ "answer": answer, "messages": self.values })
    }
}

/// `{"ok": value}` or `{"error": text}`.
pub fn answer<T>(result: supercode_interchange::Result<T>, ok: impl FnOnce(T) -> Value) -> Value {
    match result {
        Ok(value) => json!({ "ok": ok(value) }),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

/// Where the tree is: small enough to be compared after each step.
pub fn place(tree: &SessionTree) -> Value {
    let leaves: Vec<Value> = tree
        .branches
        .iter()
        .map(|(name, branch)| json!([name, branch.leaf]))
        .collect();
    json!({
        "active": tree.active_branch,
        "path": answer(tree.active_path(), |path| json!(path)),
        "leaves": leaves,
        "has_branches": tree.has_branches(),
    })
}

/// Everything that can be asked.
pub fn state(tree: &SessionTree) -> Value {
    let mut messages = Messages::default();
    let mut nodes: Vec<&TreeNode> = tree.nodes.values().collect();
    nodes.sort_by_key(|node| number(&node.id));
    let roots: Vec<&str> = nodes
        .iter()
        .filter(|node| node.parent.is_none())
        .map(|node| node.id.as_str())
        .collect();
    let nodes: Vec<Value> = nodes.iter().map(|it| node(&mut messages, it)).collect();
    let branches: Vec<Value> = tree
        .branches
        .iter()
        .map(|(name, branch)| {
            json!({
                "name": name,
                "leaf": branch.leaf,
                "created_at_ms": branch.created_at_ms,
                "summary": branch.summary.as_ref().map(summary),
                "read": read(&mut messages, tree, name),
            })
        })
        .collect();
    let projection = answer(tree.linear_projection(), |it| messages.places(&it));
    let splice = answer(tree.splice_for_linear_export(), |(active, summaries)| {
        json!({
            "messages": messages.places(&active),
            "summaries": summaries.iter().map(summary).collect::<Vec<_>>(),
        })
    });
    messages.with(json!({
        "active": tree.active_branch,
        "has_branches": tree.has_branches(),
        "projection": projection,
        "path": answer(tree.active_path(), |path| json!(path)),
        "branches": branches,
        "nodes": nodes,
        "roots": roots,
        "splice": splice,
    }))
}

/// What shows only in a saved tree: the root, and the id of the node that would come next.
pub fn after(tree: &SessionTree) -> Value {
    let next = tree.clone().append_message(ChatMessage::user("next"), 0);
    json!({ "root": tree.root, "next": next })
}

/// The three ways to read a branch.
pub fn read(messages: &mut Messages, tree: &SessionTree, branch: &str) -> Value {
    json!({
        "projection": answer(tree.linear_projection_of(branch), |it| messages.places(&it)),
        "path": answer(tree.path_of(branch), |path| json!(path)),
        "text": answer(tree.render_branch_text(branch), |text| json!(text)),
    })
}

pub fn node(messages: &mut Messages, node: &TreeNode) -> Value {
    json!({
        "id": node.id,
        "parent": node.parent,
        "children": node.children,
        "message": messages.place(&node.message),
        "label": node.label,
        "created_at_ms": node.created_at_ms,
    })
}

fn summary(summary: &BranchSummary) -> Value {
    json!({
        "summary": summary.summary,
        "node_id": summary.node_id,
        "branch": summary.branch,
        "model_id": summary.model_id,
        "created_at_ms": summary.created_at_ms,
    })
}

/// The peer numbers nodes as it makes them.
pub fn number(id: &str) -> u64 {
    id.get(1..)
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(u64::MAX)
}
