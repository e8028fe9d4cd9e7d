//! Navigations in two steps, and what stays of a move.

use std::path::Path;

use serde_json::json;
use session_tree::Store;

use super::client::{Client, memory_store, talk};
use super::navigation::to;

/// A navigation in two steps belongs to its connection, and ends with it.
#[test]
fn a_plan_is_committed_or_dropped() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1", "u2", "a2"]);
    let mut client = Client::new(&store);
    let plan = json!({"type": "plan_navigation", "targetId": "n2"});
    assert_eq!(
        client.data(plan.clone()),
        json!({"isHere": false, "oldLeafId": "n3", "newLeafId": "n1", "editorText": "u2",
        "leftBehind": ["n3"], "branchText": "assistant: a2\n"})
    );
    let done = client.data(json!({"type": "commit_navigation", "summary": "S", "modelId": "m"}));
    assert_eq!(
        done,
        json!({"cancelled": false, "aborted": false, "editorText": "u2", "leafId": "n4",
        "preservedBranch": "main-rewound", "summaryNode": "n4"})
    );
    assert_eq!(
        client.failure(json!({"type": "commit_navigation"})).0,
        "turn_lost"
    );
    assert_eq!(
        client.data(json!({"type": "undo"}))["undone"],
        json!({"verb": "navigate", "branch": "main", "leafId": "n3"})
    );
    assert_eq!(
        client.data(json!({"type": "redo"}))["undone"]["leafId"],
        "n4"
    );
    assert_eq!(
        client.data(json!({"type": "redo"})),
        json!({"undone": null})
    );
    client.data(json!({"type": "plan_navigation", "targetId": "n0"}));
    assert_eq!(
        client.data(json!({"type": "abort_navigation"})),
        json!({"aborted": true})
    );
    client.data(json!({"type": "plan_navigation", "targetId": "n0"}));
    client.end();
    assert_eq!(tree.who().unwrap(), None);
    assert_eq!(tree.active_path().unwrap().last().unwrap(), &"n4");
}

/// V24, T13: the leaf survives a restart, and moving wrote no node.
#[test]
fn the_leaf_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.db");
    let move_there = |path: &Path| {
        let store = Store::open(path).unwrap();
        talk(&store, &["u1", "a1", "u2", "a2"]);
        let mut client = Client::new(&store);
        client.data(to("n1"));
        client.end();
    };
    move_there(&path);
    let store = Store::open(&path).unwrap();
    let mut client = Client::new(&store);
    let page = client.data(json!({"type": "get_tree", "flat": true}));
    assert_eq!(
        (&page["leafId"], page["nodes"].as_array().unwrap().len()),
        (&json!("n1"), 4)
    );
    client.end();
}
