//! Session files: what comes after moves, and forks of their paths.

use serde_json::{Value, json};

use super::client::Client;
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
