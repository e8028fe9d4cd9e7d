//! The files that supercode's own library wrote, whole and damaged, against the answers of that library.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use session_tree::{Error, ErrorKind, Message, SessionTree};

use crate::imports::{import, texts};
use crate::support;

/// A file whose damage this store refuses, or mends while naming it, where the library answers with errors of its own.
enum Ruled {
    /// Refused by name: these words are in the error.
    Refused(&'static str),
    /// Loads, and paths through the damage fail naming this node.
    CutAt(&'static str),
}

fn ruled(name: &str) -> Option<Ruled> {
    Some(match name {
        "damaged-dangling-leaf-offpath.tree.json" => Ruled::Refused("no node `n999`"),
        "damaged-missing-active-branch.tree.json" => Ruled::Refused("no branch `ghost`"),
        "damaged-cycle.tree.json" => Ruled::CutAt("n1"),
        "damaged-self-parent.tree.json" => Ruled::CutAt("n2"),
        "damaged-dangling-parent.tree.json" => Ruled::CutAt("n3"),
        _ => return None,
    })
}

fn chat(message: &Message) -> Value {
    serde_json::to_value(message.parsed().unwrap()).unwrap()
}

/// The typed view does not tell an empty list of calls from none.
fn without_empty_calls(expected: &Value) -> Value {
    let mut expected = expected.clone();
    let mut open = vec![&mut expected];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                members.retain(|name, value| name != "tool_calls" || *value != json!([]));
                open.extend(members.values_mut());
            }
            Value::Array(values) => open.extend(values),
            _ => {}
        }
    }
    expected
}

fn chats(messages: &[Message]) -> Value {
    messages.iter().map(chat).collect()
}

/// Compares with `{"ok": ..}` or `{"err": ..}`. An error must be one here too; its words are the store's own.
fn same(place: &str, expected: &Value, is: Result<Value, Error>, cut_at: Option<&str>) {
    match (expected.get("ok"), is) {
        (Some(expected), Ok(is)) => {
            assert_eq!(without_empty_calls(expected), is, "{place}");
        }
        (None, Err(error)) => {
            if let Some(node) = cut_at {
                assert_eq!(error.kind(), ErrorKind::CutPath, "{place}: {error}");
                assert_eq!(error.node(), Some(node), "{place}: {error}");
            } else {
                assert_eq!(expected["err"], error.to_string(), "{place}");
            }
        }
        (expected, is) => panic!("{place}: {expected:?} expected, {is:?} found"),
    }
}

/// The leaves of all branches but those that the import had to add, which supercode knows nothing of.
fn branch_leaves(tree: &SessionTree, added: &[String]) -> Value {
    let branches = tree.branches().unwrap();
    branches
        .into_iter()
        .filter(|branch| !added.contains(&branch.name))
        .map(|branch| (branch.name, json!(branch.leaf.map(|id| id.to_string()))))
        .collect::<Map<String, Value>>()
        .into()
}

fn check_reading(
    name: &str,
    (tree, added): (&SessionTree, &[String]),
    expected: &Value,
    cut_at: Option<&str>,
) {
    assert_eq!(
        expected["active_branch"],
        tree.active_branch().unwrap(),
        "{name}"
    );
    if added.is_empty() {
        assert_eq!(
            expected["has_branches"],
            tree.has_branches().unwrap(),
            "{name}"
        );
    }
    let count = tree.outline(0, u32::MAX).unwrap().len();
    assert_eq!(expected["node_count"], count, "{name}");
    let path = tree.active_path().map(|path| json!(texts(path)));
    same(name, &expected["active_path"], path, cut_at);
    let active = tree.linear_projection().map(|messages| chats(&messages));
    same(name, &expected["linear_projection_active"], active, cut_at);
    let missing = tree
        .linear_projection_of("no-such-branch")
        .map(|messages| chats(&messages));
    same(name, &expected["missing_branch_projection"], missing, None);
    for (branch, expected) in expected["branches"].as_object().unwrap() {
        let place = format!("{name}: {branch}");
        let messages = tree
            .linear_projection_of(branch)
            .map(|messages| chats(&messages));
        same(&place, &expected["linear_projection"], messages, cut_at);
        let path = tree.path_of(branch).map(|path| json!(texts(path)));
        same(&place, &expected["path"], path, cut_at);
        let text = tree.render_branch_text(branch).map(Value::from);
        same(&place, &expected["render_branch_text"], text, cut_at);
    }
    let splice = tree.splice_for_linear_export().map(|splice| {
        let summaries: Vec<Value> = splice
            .summaries
            .iter()
            .filter(|summary| !added.contains(&summary.branch))
            .map(|summary| {
                json!({
                    "branch": summary.branch, "created_at_ms": summary.created_at_ms,
                    "model_id": summary.model_id, "node_id": summary.node_id, "summary": summary.summary,
                })
            })
            .collect();
        json!({ "active": chats(&splice.messages), "summaries": summaries })
    });
    same(name, &expected["splice_for_linear_export"], splice, cut_at);
}

/// What one append and one rewind do, each in a session of its own.
fn check_writing(name: &str, path: &Path, expected: &Value) {
    let (_, tree) = import(path).unwrap();
    let before = tree.outline(0, u32::MAX).unwrap().len();
    let id = tree.append_message(Message::user("one more"), 1).unwrap();
    let node = tree.node(&id).unwrap().unwrap();
    let append = &expected["append_one"];
    assert_eq!(append["id"], id.as_str(), "{name}");
    assert_eq!(
        append["parent"],
        json!(node.parent.map(|id| id.to_string())),
        "{name}"
    );
    assert_eq!(
        append["leaf_after"],
        json!(tree.info().unwrap().leaf.map(|id| id.to_string())),
        "{name}"
    );
    assert_eq!(append["node_count_after"], before + 1, "{name}");

    let (report, tree) = import(path).unwrap();
    let rewind = &expected["rewind_n1"];
    match tree.rewind("n1", 1) {
        Ok(kept) => {
            assert_eq!(rewind["ok"], json!(kept), "{name}");
            assert_eq!(
                rewind["branches_after"],
                branch_leaves(&tree, &report.branches_added),
                "{name}"
            );
        }
        Err(error) => assert_eq!(rewind["err"], error.to_string(), "{name}"),
    }
}

fn check(name: &str, path: &Path, expected: &Value) -> String {
    let ruled = ruled(name);
    let (report, tree) = match import(path) {
        Ok(done) => done,
        Err(error) => {
            let text = error.to_string();
            match (&ruled, expected["parse_err"].as_str()) {
                (Some(Ruled::Refused(words)), _) => assert!(text.contains(words), "{name}: {text}"),
                (_, Some(_)) => {}
                _ => panic!("{name}: {text}"),
            }
            return format!(
                "refused: {}",
                text.rsplit(".tree.json`").next().unwrap_or_default()
            );
        }
    };
    assert!(
        expected.get("parse_err").is_none(),
        "{name} must be refused"
    );
    let cut_at = match ruled {
        Some(Ruled::CutAt(node)) => Some(node),
        Some(Ruled::Refused(_)) => panic!("{name} must be refused"),
        None => None,
    };
    let added = &report.branches_added;
    assert!(
        name.starts_with("damaged") || added.is_empty(),
        "{name}: {added:?}"
    );
    check_reading(name, (&tree, added), expected, cut_at);
    check_writing(name, path, expected);
    let kinds: BTreeMap<String, usize> =
        report
            .notes
            .iter()
            .fold(BTreeMap::new(), |mut kinds, note| {
                *kinds.entry(format!("{:?}", note.kind)).or_default() += 1;
                kinds
            });
    match cut_at {
        Some(node) => format!("paths are cut at {node}; {kinds:?}"),
        None => format!("as expected; {kinds:?}"),
    }
}

#[test]
fn tree_json_files_answer_as_in_supercode() {
    let Some(directory) = support::shared("corpus/supercode") else {
        return;
    };
    let text = std::fs::read_to_string(directory.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&text).unwrap();
    let mut files = 0;
    for (name, expected) in expected["files"].as_object().unwrap() {
        let path = directory.join(name);
        if path.exists() {
            println!("{name}: {}", check(name, &path, expected));
            files += 1;
        }
    }
    assert!(files >= 30, "{files} files");
}
