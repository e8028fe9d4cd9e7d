//! Files that users of agents reported trouble with, in pi's format.

use session_tree::interchange::{ImportOptions, export_pi};
use session_tree::{Message, NewNode, Selection};

use super::draw::Files;
use super::{import, import_into, store, texts};
use crate::support::{full, shared};

fn case(name: &str) -> Option<std::path::PathBuf> {
    shared(&format!("cases/{name}"))
}

#[test]
fn torn_tails() {
    let Some(case) = case("01-torn-tail-then-append") else {
        return;
    };
    let files = Files::new();
    let chain = ["u1000001", "a1000001", "u2000002", "a2000002", "u3000003"];
    let (report, tree) = import(&case.join("torn.jsonl")).unwrap();
    assert_eq!((report.nodes_added, report.damaged.len()), (2, 1));
    // What comes after is appended as nodes with the ids the agent gave them.
    let more = std::fs::read_to_string(case.join("append-these.jsonl")).unwrap();
    for line in more.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        let message = Message::new(entry["message"].to_string()).unwrap();
        tree.append(NewNode::message(message).id(entry["id"].as_str().unwrap()))
            .unwrap();
    }
    assert_eq!(texts(tree.active_path().unwrap()), chain);
    let mut bytes = Vec::new();
    export_pi(&tree, &mut bytes).unwrap();
    let (_, again) = import(&files.write("again.jsonl", bytes)).unwrap();
    assert_eq!(texts(again.active_path().unwrap()), chain);

    let (report, _) = import(&case.join("no-final-newline.jsonl")).unwrap();
    assert_eq!((report.nodes_added, report.damaged.len()), (2, 0));
    let (report, tree) = import(&case.join("fused.jsonl")).unwrap();
    assert_eq!((report.nodes_added, report.damaged.len()), (5, 1));
    assert_eq!(texts(tree.active_path().unwrap()), chain);
}

#[test]
fn half_emoji() {
    let Some(case) = case("04-lone-surrogate-and-nul-escape") else {
        return;
    };
    let path = case.join("input.jsonl");
    let (report, tree) = import(&path).unwrap();
    assert_eq!((report.nodes_added, report.damaged.len()), (5, 0));
    let mut bytes = Vec::new();
    assert!(export_pi(&tree, &mut bytes).unwrap().is_unchanged);
    assert_eq!(bytes, std::fs::read(path).unwrap());
}

#[test]
fn compactions_and_branches() {
    let Some(case) = case("13-compaction-vs-branches") else {
        return;
    };
    let path = case.join("input.jsonl");
    let (report, tree) = import(&path).unwrap();
    assert_eq!(report.damaged.len() + report.notes.len(), 0);
    for leaf in [
        "r0000007", "r0000006", "r0000004", "x0000001", "x0000002", "x0000003",
    ] {
        let selection = Selection {
            leaf: Some(leaf.to_owned()),
            ..Selection::default()
        };
        assert!(!tree.path_ids(&selection).unwrap().is_empty(), "{leaf}");
    }
}

#[test]
fn a_long_chat_is_a_deep_tree() {
    let depth: usize = if full() { 200_000 } else { 10_000 };
    let files = Files::new();
    let mut text = format!("{}\n", super::draw::HEADER);
    for number in 0..depth {
        let parent = number.checked_sub(1).map(|parent| format!("{parent:08x}"));
        text.push_str(&super::draw::says(
            &format!("{number:08x}"),
            parent.as_deref(),
            "q",
        ));
        text.push('\n');
    }
    let path = files.write("deep.jsonl", &text);
    let store = store();
    let (report, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!((report.nodes_added, report.notes.len()), (depth as u64, 0));
    assert_eq!(tree.active_path().unwrap().len(), depth);
    assert_eq!(
        tree.projection(&Selection::default()).unwrap().count(),
        depth
    );
    assert_eq!(tree.branches().unwrap().len(), 1);
    let mut bytes = Vec::new();
    assert!(export_pi(&tree, &mut bytes).unwrap().is_unchanged);
    assert!(bytes == text.as_bytes());
    let snapshot = tree.snapshot().unwrap();
    assert_eq!(
        (snapshot.node_count(), snapshot.not_held().len()),
        (depth, 0)
    );
    store.delete_session(&report.session).unwrap();
    assert!(store.sessions().unwrap().is_empty());

    // The same lines backwards: every parent comes after its child.
    let mut reversed: Vec<&str> = text.lines().collect();
    reversed[1..].reverse();
    let path = files.write("reversed.jsonl", reversed.join("\n"));
    let (report, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!((report.nodes_added, report.notes.len()), (depth as u64, 0));
    assert_eq!(tree.branches().unwrap().len(), 2);
}

#[test]
fn depth_inside_a_record_is_no_reason_to_refuse_it() {
    let files = Files::new();
    let depth = 100_000;
    let content = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let line = super::draw::says("a", None, "#").replace("\"#\"", &content);
    let text = format!("{}\n{line}\n", super::draw::HEADER);
    let (report, tree) = import(&files.write("nested.jsonl", &text)).unwrap();
    assert_eq!((report.nodes_added, report.damaged.len()), (1, 0));
    let mut bytes = Vec::new();
    export_pi(&tree, &mut bytes).unwrap();
    assert!(bytes == text.as_bytes());
}
