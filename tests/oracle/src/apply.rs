//! One operation on the peer's tree.

use std::cell::RefCell;

use serde_json::{Value, json};
use supercode_interchange::session_tree::{Branch, BranchSummarizer, SessionTree};
use supercode_interchange::{ChatMessage, InterchangeError};

use crate::state::{self, Messages, answer};

pub enum Op {
    Append {
        message: ChatMessage,
        text: String,
        at: i64,
    },
    Rewind {
        node: String,
        at: i64,
    },
    Branch {
        from: String,
        name: Option<String>,
        at: i64,
    },
    Switch {
        name: String,
    },
    Summarize {
        branch: String,
        summary: String,
        model: Option<String>,
        at: i64,
    },
    SummarizeWith {
        branch: String,
        reply: Option<String>,
        model: String,
        at: i64,
    },
    Label {
        node: String,
        text: String,
    },
    ClearLabel {
        node: String,
    },
    Read {
        branch: String,
    },
    Node {
        node: String,
    },
    /// A branch without a leaf. The peer has no call for it; its files can have one.
    EmptyBranch {
        name: String,
        at: i64,
    },
    /// Both sides go on with what the peer would have saved.
    Reload {
        pretty: bool,
    },
    /// A deliberate difference: the peer takes such a name, the store refuses it.
    RefusedName {
        from: String,
        name: String,
    },
    /// A deliberate difference: with the peer an empty label is a label, with the store it clears.
    EmptyLabel {
        node: String,
    },
}

/// Does it, and says what it was and what the peer answered.
pub fn apply(tree: &mut SessionTree, op: &Op) -> (Value, Value) {
    match op {
        Op::Append { message, text, at } => {
            let id = tree.append_message(message.clone(), *at);
            (
                json!({ "op": "append", "message": text, "at": at }),
                json!({ "ok": id }),
            )
        }
        Op::Rewind { node, at } => (
            json!({ "op": "rewind", "node": node, "at": at }),
            answer(tree.rewind(node, *at), |preserved| json!(preserved)),
        ),
        Op::Branch { from, name, at } => (
            json!({ "op": "branch", "from": from, "name": name, "at": at }),
            answer(tree.branch(from, name.clone(), *at), |name| json!(name)),
        ),
        Op::Switch { name } => (
            json!({ "op": "switch", "name": name }),
            answer(tree.switch_branch(name), |()| Value::Null),
        ),
        Op::Summarize {
            branch,
            summary,
            model,
            at,
        } => (
            json!({ "op": "summarize", "branch": branch, "summary": summary, "model": model, "at": at }),
            answer(
                tree.summarize_branch(branch, summary.as_str(), model.clone(), *at),
                |()| Value::Null,
            ),
        ),
        Op::SummarizeWith {
            branch,
            reply,
            model,
            at,
        } => {
            let summarizer = Summarizer {
                reply: reply.as_deref(),
                model,
                seen: RefCell::new(None),
            };
            let result = tree.summarize_branch_with(branch, &summarizer, *at);
            let seen = summarizer.seen.into_inner();
            (
                json!({ "op": "summarize_with", "branch": branch, "reply": reply, "model": model, "at": at }),
                answer(result, |()| json!(seen)),
            )
        }
        Op::Label { node, text } => (
            json!({ "op": "label", "node": node, "text": text }),
            answer(tree.label(node, text.as_str()), |()| Value::Null),
        ),
        Op::ClearLabel { node } => (
            json!({ "op": "clear_label", "node": node }),
            answer(tree.clear_label(node), |()| Value::Null),
        ),
        Op::Read { branch } => {
            let mut messages = Messages::default();
            let read = state::read(&mut messages, tree, branch);
            (
                json!({ "op": "read", "branch": branch }),
                messages.with(read),
            )
        }
        Op::Node { node } => {
            let mut messages = Messages::default();
            let found = tree
                .node(node)
                .map(|found| state::node(&mut messages, found));
            (
                json!({ "op": "node", "node": node }),
                messages.with(json!({ "ok": found })),
            )
        }
        Op::EmptyBranch { name, at } => {
            let branch = Branch {
                name: name.clone(),
                leaf: None,
                summary: None,
                created_at_ms: *at,
            };
            assert!(tree.branches.insert(name.clone(), branch).is_none());
            (
                json!({ "op": "empty_branch", "name": name, "at": at }),
                json!({ "ok": name }),
            )
        }
        Op::Reload { pretty } => {
            let text = match pretty {
                true => serde_json::to_string_pretty(tree),
                false => serde_json::to_string(tree),
            };
            let text = text.expect("the peer can save its tree");
            *tree = serde_json::from_str(&text).expect("the peer can load what it saved");
            (
                json!({ "op": "reload", "text": text }),
                json!({ "ok": null }),
            )
        }
        Op::RefusedName { from, name } => {
            let taken = tree.clone().branch(from, Some(name.clone()), 0);
            assert!(taken.is_ok(), "the peer refuses the name {name:?} too");
            (
                json!({ "op": "refused_name", "from": from, "name": name }),
                json!({ "error": "invalid_argument" }),
            )
        }
        Op::EmptyLabel { node } => {
            tree.label(node, "").expect("a known node");
            let label = tree.node(node).and_then(|node| node.label.as_deref());
            assert_eq!(label, Some(""), "with the peer an empty label clears too");
            tree.clear_label(node).expect("a known node");
            (
                json!({ "op": "empty_label", "node": node }),
                json!({ "ok": null }),
            )
        }
    }
}

struct Summarizer<'a> {
    reply: Option<&'a str>,
    model: &'a str,
    seen: RefCell<Option<String>>,
}

impl BranchSummarizer for Summarizer<'_> {
    fn summarize(&self, branch_text: &str) -> supercode_interchange::Result<String> {
        self.seen.replace(Some(branch_text.to_owned()));
        let failed = || InterchangeError::Other("no model is there".to_owned());
        self.reply.map(str::to_owned).ok_or_else(failed)
    }

    fn model_id(&self) -> &str {
        self.model
    }
}
