//! What the store says, in the shape in which the oracle writes down what the peer says.

use std::collections::HashMap;

use serde_json::{Value, json};
use session_tree::{BranchSummary, ChatMessage, Message, NodeId, Result, SessionTree, TreeNode};

pub fn said<T>(result: Result<T>, ok: impl FnOnce(T) -> Value) -> Value {
    match result {
        Ok(value) => json!({ "ok": ok(value) }),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

/// The peer's errors with control characters written as `\n` or `\u{1b}`.
pub fn on_one_line(said: &mut Value) {
    match said {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if name == "error" => {
                        let escaped = |c: char| match c.is_control() {
                            true => c.escape_debug().to_string(),
                            false => c.to_string(),
                        };
                        *text = text.chars().map(escaped).collect();
                    }
                    value => on_one_line(value),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(on_one_line),
        _ => {}
    }
}

pub fn place(tree: &SessionTree) -> Value {
    let branches = tree.branches().unwrap();
    let leaves: Vec<Value> = branches
        .iter()
        .map(|branch| json!([branch.name, branch.leaf.as_deref()]))
        .collect();
    json!({
        "active": tree.active_branch().unwrap(),
        "path": said(tree.active_path(), ids),
        "leaves": leaves,
        "has_branches": tree.has_branches().unwrap(),
    })
}

pub fn state(tree: &SessionTree) -> Value {
    let mut messages = Messages::default();
    let nodes: Vec<Value> = tree
        .nodes()
        .map(|listed| tree.node(&listed.unwrap().id).unwrap().unwrap())
        .map(|found| node(&mut messages, &found))
        .collect();
    let branches: Vec<Value> = tree
        .branches()
        .unwrap()
        .iter()
        .map(|branch| {
            json!({
                "name": branch.name,
                "leaf": branch.leaf.as_deref(),
                "created_at_ms": branch.created_at_ms,
                "summary": branch.summary.as_ref().map(summary),
                "read": read(&mut messages, tree, &branch.name),
            })
        })
        .collect();
    let projection = said(tree.linear_projection(), |it| messages.places(&it));
    let splice = said(tree.splice_for_linear_export(), |splice| {
        json!({
            "messages": messages.places(&splice.messages),
            "summaries": splice.summaries.iter().map(summary).collect::<Vec<_>>(),
        })
    });
    messages.with(json!({
        "active": tree.active_branch().unwrap(),
        "has_branches": tree.has_branches().unwrap(),
        "projection": projection,
        "path": said(tree.active_path(), ids),
        "branches": branches,
        "nodes": nodes,
        "roots": ids(tree.roots().unwrap()),
        "splice": splice,
    }))
}

pub fn read(messages: &mut Messages, tree: &SessionTree, branch: &str) -> Value {
    json!({
        "projection": said(tree.linear_projection_of(branch), |it| messages.places(&it)),
        "path": said(tree.path_of(branch), ids),
        "text": said(tree.render_branch_text(branch), |text| json!(text)),
    })
}

pub fn node(messages: &mut Messages, node: &TreeNode) -> Value {
    json!({
        "id": node.id.as_str(),
        "parent": node.parent.as_deref(),
        "children": ids(node.children.clone()),
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

fn ids(ids: Vec<NodeId>) -> Value {
    ids.iter().map(|id| id.as_str()).collect()
}

/// Each message's value once, in the order in which they come; the answers name them by their places.
#[derive(Default)]
pub struct Messages {
    values: Vec<Value>,
    places: HashMap<Value, usize>,
    texts: HashMap<Message, usize>,
}

impl Messages {
    fn place(&mut self, message: &Message) -> usize {
        if let Some(place) = self.texts.get(message) {
            return *place;
        }
        let value = value(message);
        let next = self.values.len();
        let place = *self.places.entry(value.clone()).or_insert(next);
        if place == next {
            self.values.push(value);
        }
        self.texts.insert(message.clone(), place);
        place
    }

    fn places(&mut self, messages: &[Message]) -> Value {
        messages.iter().map(|message| self.place(message)).collect()
    }

    pub fn with(self, answer: Value) -> Value {
        json!({ "answer": answer, "messages": self.values })
    }
}

/// A message's value without the members that belong to the peer's files; to the peer `null` is the same as not there. The
/// typed view must say the same.
fn value(message: &Message) -> Value {
    let mut members: serde_json::Map<String, Value> =
        serde_json::from_str(message.as_str()).unwrap();
    members.retain(|name, value| {
        !matches!(name.as_str(), "supercode_turn" | "ts") && !value.is_null()
    });
    let mut of_view = members.clone();
    of_view.retain(|name, value| name != "tool_calls" || value != &json!([]));
    let view: ChatMessage = message.parsed().unwrap();
    assert_eq!(serde_json::to_value(&view).unwrap(), Value::Object(of_view));
    Value::Object(members)
}

/// Names the first place where the two differ: whole trees are too much to read.
pub fn assert_same(ours: &Value, peers: &Value, about: impl Fn() -> String) {
    if ours == peers {
        return;
    }
    let (mut ours, mut peers, mut path) = (ours, peers, String::new());
    loop {
        let differing = match (ours, peers) {
            (Value::Object(a), Value::Object(b)) if a.len() == b.len() => a
                .iter()
                .find(|(name, value)| b.get(*name) != Some(value))
                .and_then(|(name, value)| Some((format!(".{name}"), value, b.get(name)?))),
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                let differing = a.iter().zip(b).position(|(a, b)| a != b);
                differing.map(|at| (format!("[{at}]"), &a[at], &b[at]))
            }
            _ => None,
        };
        let Some((step, a, b)) = differing else {
            break;
        };
        path.push_str(&step);
        (ours, peers) = (a, b);
    }
    panic!(
        "{}\ndiffers at {path:?}\n the store: {ours}\n  the peer: {peers}",
        about()
    );
}
