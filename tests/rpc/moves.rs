//! Session files: what comes after moves, and forks of their paths.

use serde_json::{Value, json};
use session_tree::{ErrorKind, Message, NewNode};

use super::client::{Client, memory_store, talk};
use super::files::{context, entry, header, imported, said};
use super::trees::shape;

/// T14, T15, T16, T17, V13: what is appended after a move, and where the summary of a move stands.
#[test]
fn what_comes_after_a_move() {
    let lines = [
        header(3),
        said("u1", None),
        said("a2", Some("u1")),
        said("u3", Some("a2")),
        said("a4", Some("u3")),
    ];
    for (target, parent) in [
        ("u1", Value::Null),
        ("u3", json!("a2")),
        ("a2", json!("a2")),
    ] {
        let mut client = Client::new(&imported(&lines));
        client.data(json!({"type": "navigate_tree", "targetId": target}));
        let new =
            client.data(
                json!({"type": "append_message", "message": {"role": "user", "content": "x"}}),
            )["nodeId"]
                .clone();
        let node = client.data(json!({"type": "node", "nodeId": new}))["node"].clone();
        assert_eq!(node["parentId"], parent, "{target}");
        client.end();

        let mut client = Client::new(&imported(&lines));
        client.data(json!({"type": "plan_navigation", "targetId": target}));
        let done = client.data(json!({"type": "commit_navigation", "summary": "S"}));
        let node =
            client.data(json!({"type": "node", "nodeId": done["summaryNode"]}))["node"].clone();
        assert_eq!(
            (&node["parentId"], &done["leafId"]),
            (&parent, &node["id"]),
            "{target}"
        );
        // T17: the leaf that was left, as pi has it; not the place that was gone to, as dreb has it.
        assert_eq!(node["message"]["fromId"], "a4");
        client.end();
    }
}

/// T05, K01 to K06, L04, L06, N02: paths, and what a fork has of one.
#[test]
fn a_fork_has_what_its_path_has() {
    let lines = [
        header(3),
        said("u1", None),
        entry(
            "label",
            "l2",
            Some("u1"),
            json!({"targetId": "u1", "label": "kept"}),
        ),
        said("a3", Some("l2")),
        said("u4", Some("a3")),
        entry(
            "label",
            "l5",
            Some("u4"),
            json!({"targetId": "u4", "label": "left"}),
        ),
        entry(
            "session_info",
            "i6",
            Some("l5"),
            json!({"name": "later title"}),
        ),
    ];
    let mut client = Client::new(&imported(&lines));
    assert_eq!(
        client.data(json!({"type": "active_path"}))["nodeIds"],
        json!(["u1", "l2", "a3", "u4", "l5", "i6"])
    );
    assert_eq!(
        client
            .failure(json!({"type": "label", "nodeId": "zz", "label": "x"}))
            .0,
        "node_not_found"
    );
    let before = client.data(json!({"type": "get_entries"}))["entries"].clone();
    let source = client.data(json!({"type": "get_state"}))["sessionId"].clone();
    client.data(json!({"type": "fork", "entryId": "a3"}));
    let found = client.data(json!({"type": "get_tree"}));
    // K04: the chain goes through the label; L06: a label of the path is kept, others are not.
    assert_eq!(shape(&found["roots"]), "u1=kept(l2(a3))");
    // K02: ids, parents, times and bytes are those of the source.
    let after = client.data(json!({"type": "get_entries"}))["entries"].clone();
    assert_eq!(
        after.as_array().unwrap()[..],
        before.as_array().unwrap()[..3]
    );
    let state = client.data(json!({"type": "get_state"}));
    assert_ne!(state["sessionId"], source, "K03");
    assert_eq!(state["sessionName"], "later title", "N02");
    assert_eq!(context(&mut client), "u1 a3");
    client.end();
}

/// In its own turn a connection takes its moves back, and the turn follows; others meet the turn.
#[test]
fn moves_are_undone_in_an_own_turn() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1", "u2"]);
    let mut client = Client::new(&store);
    let mut other = Client::new(&store);
    client.data(json!({"type": "begin_turn"}));
    client.data(json!({"type": "branch", "fromNode": "n0", "name": "try"}));
    assert_eq!(other.failure(json!({"type": "undo"})).0, "busy");
    assert_eq!(
        client.data(json!({"type": "undo"}))["undone"],
        json!({"verb": "branch", "branch": "main", "leafId": "n2"})
    );
    client.data(json!({"type": "redo"}));
    client.data(json!({"type": "undo"}));
    client.data(json!({"type": "append_message", "message": {"role": "user", "content": "on"}}));
    client.data(json!({"type": "end_turn"}));
    assert_eq!(tree.active_path().unwrap(), ["n0", "n1", "n2", "n3"]);
    client.end();
    other.end();
}

/// In its own turn a connection makes branches; what only somebody outside can do is refused with the way out.
#[test]
fn what_works_in_an_own_turn() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1"]);
    let mut client = Client::new(&store);
    client.data(json!({"type": "rewind", "nodeId": "n0"}));
    client.data(json!({"type": "begin_turn"}));
    let made = client.data(json!({"type": "create_branch", "fromNode": "n1", "name": "kept"}));
    assert_eq!(made, json!({"branch": "kept"}));
    let node = client
        .data(json!({"type": "append_message", "message": {"role": "user", "content": "on"}}));
    assert_eq!(
        node,
        json!({"nodeId": "n2"}),
        "the turn goes on where it was"
    );
    for request in [
        json!({"type": "clone"}),
        json!({"type": "fork", "entryId": "n1"}),
        json!({"type": "begin_turn"}),
    ] {
        let answer = client.ask(request.clone());
        assert_eq!(answer["code"], "busy", "{answer}");
        // Waiting would not help.
        assert_eq!(answer["retryable"], false, "{answer}");
        let text = answer["error"].as_str().unwrap();
        assert!(text.ends_with("; end the turn first"), "{request}: {text}");
    }
    // A wrong idea of the leaf is told with the leaf that stays, and with nobody to blame.
    let node = |leaf: Value| json!({"kind": "message", "payload": {"role": "user", "content": "x"}, "expectedLeaf": leaf});
    let many = json!({"type": "append_many", "nodes": [node(json!("n2")), node(json!("zz"))]});
    let text =
        "branch `main` moved in between: its leaf is `n2` now; look again and repeat the call";
    assert_eq!(
        client.failure(many.clone()),
        ("leaf_moved".to_owned(), text.to_owned())
    );
    client.data(json!({"type": "end_turn"}));
    assert_eq!(client.failure(many).0, "leaf_moved");
    assert_eq!(tree.active_path().unwrap(), ["n0", "n2"]);
    client.end();
}

#[test]
fn a_batch_names_the_leaf_that_stays() {
    let store = memory_store();
    let tree = store.create_session().unwrap();
    let node = || NewNode::message(Message::user("x"));
    let many = || [node(), node().expecting_leaf(Some("zz"))];
    let error = tree.append_many(many()).unwrap_err();
    assert_eq!((error.kind(), error.node()), (ErrorKind::LeafMoved, None));
    let id = tree.append(node()).unwrap();
    let error = tree.append_many(many()).unwrap_err();
    assert_eq!(error.node(), Some(&*id));
    assert_eq!(tree.active_path().unwrap(), [id]);
}
