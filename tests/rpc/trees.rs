//! get_tree.

use serde_json::{Value, json};
use session_tree::rpc::{Dialect, Options};
use session_tree::{Message, NewNode};

use super::client::{Client, memory_store, talk};
use crate::support::full;

/// A tree as text: ids in the nesting of their nodes, each with `=` and its label if it has one.
pub fn shape(nodes: &Value) -> String {
    let nodes = nodes.as_array().unwrap().iter();
    let shapes: Vec<String> = nodes
        .map(|node| {
            let mut shown = node["id"].as_str().unwrap().to_owned();
            if let Some(label) = node["label"].as_str() {
                shown += &format!("={label}");
            }
            let below = shape(&node["children"]);
            match below.is_empty() {
                true => shown,
                false => format!("{shown}({below})"),
            }
        })
        .collect();
    shapes.join(" ")
}

/// R07, T03, T06.
#[test]
fn trees_have_the_shape_of_the_session() {
    let store = memory_store();
    let mut client = Client::new(&store);
    assert_eq!(
        client.data(json!({"type": "get_tree"})),
        json!({"roots": [], "leafId": null})
    );
    let tree = talk(&store, &["u1", "a1", "u2", "a2"]);
    let session = tree.id().as_str();
    tree.rewind("n1", None).unwrap();
    tree.append_message(Message::user("other"), None).unwrap();
    let found = client.data(json!({"type": "get_tree", "session": session}));
    assert_eq!(shape(&found["roots"]), "n0(n1(n2(n3) n4))");
    assert_eq!(found["leafId"], "n4");
    client.end();
}

/// R08, R09, L01: exactly these members in this order, no payload, a role on messages only.
#[test]
fn nodes_have_their_members_in_order() {
    let store = memory_store();
    let tree = talk(&store, &["hello\nworld"]);
    let model = Message::new(r#"{"provider":"p","modelId":"m","secret":"payload"}"#).unwrap();
    tree.append(NewNode::of_kind("model_change", model).at(1_700_000_001_000))
        .unwrap();
    tree.label("n0", "start").unwrap();
    let mut client = Client::new(&store);
    client.send_bytes(b"{\"type\":\"get_tree\"}\n");
    assert_eq!(
        client.line().unwrap(),
        concat!(
            r#"{"type":"response","command":"get_tree","success":true,"data":{"roots":[{"id":"n0","parentId":null,"type":"message","#,
            r#""role":"user","preview":"hello world","timestamp":"2023-11-14T22:13:20.000Z","label":"start","children":["#,
            r#"{"id":"n1","parentId":"n0","type":"model_change","preview":"[model: m]","timestamp":"2023-11-14T22:13:21.000Z","#,
            r#""children":[]}]}],"leafId":"n1"}}"#,
            "\n"
        )
    );
    client.end();
}

/// T07: oldest first by instant, ties in the order of the file.
#[test]
fn siblings_stand_oldest_first() {
    let store = memory_store();
    let tree = talk(&store, &["root"]);
    for (id, at) in [("b", 9_000), ("c", 3_000), ("d", 9_000), ("a", 3_000)] {
        tree.rewind("n0", None).unwrap();
        tree.append(NewNode::message(Message::user(id)).id(id).at(at))
            .unwrap();
    }
    let mut client = Client::new(&store);
    assert_eq!(
        shape(&client.data(json!({"type": "get_tree"}))["roots"]),
        "n0(c a b d)"
    );
    client.end();
}

/// R10: whole entries in the dialect of pi.
#[test]
fn pi_gets_whole_entries() {
    let store = memory_store();
    let tree = talk(&store, &["hi"]);
    let label = Message::new(r#"{"targetId":"n0","label":"L"}"#).unwrap();
    tree.append(NewNode::of_kind("label", label).at(1_700_000_001_000))
        .unwrap();
    let mut client = Client::with(&store, Options::default().dialect(Dialect::Pi));
    assert_eq!(
        client.data(json!({"type": "get_tree"})),
        json!({
            "tree": [{
                "entry": {"type": "message", "id": "n0", "parentId": null, "timestamp": "2023-11-14T22:13:20.000Z",
                    "message": {"role": "user", "content": "hi"}},
                "children": [{
                    "entry": {"type": "label", "id": "n1", "parentId": "n0", "timestamp": "2023-11-14T22:13:21.000Z",
                        "targetId": "n0", "label": "L"},
                    "children": []
                }],
                "label": "L",
                "labelTimestamp": "2023-11-14T22:13:21.000Z"
            }],
            "leafId": "n1"
        })
    );
    client.end();
}

/// Parts of a tree, nested and flat.
#[test]
fn a_part_is_what_hangs_below_a_node() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1", "u2", "a2"]);
    tree.rewind("n1", None).unwrap();
    tree.append_message(Message::user("other"), None).unwrap();
    let mut client = Client::new(&store);
    for (request, expected) in [
        (json!({"root": "n1"}), "n1(n2(n3) n4)"),
        (json!({"root": "n1", "depth": 1}), "n1(n2 n4)"),
        (json!({"depth": 0}), "n0"),
        (json!({"root": "n3", "depth": 7}), "n3"),
    ] {
        let mut request = request;
        request["type"] = json!("get_tree");
        assert_eq!(
            shape(&client.data(request.clone())["roots"]),
            expected,
            "{request}"
        );
    }
    assert_eq!(
        client.failure(json!({"type": "get_tree", "root": "n9"})),
        (
            "node_not_found".to_owned(),
            "Command failed: Entry n9 not found".to_owned()
        )
    );
    let page = client.data(json!({"type": "get_tree", "flat": true, "root": "n1", "limit": 3}));
    assert_eq!(ids(&page), ["n1", "n2", "n3"]);
    let page = client.data(json!({"type": "get_tree", "flat": true, "root": "n1", "limit": 3, "cursor": page["nextCursor"]}));
    assert_eq!(
        (ids(&page), &page["nextCursor"]),
        (vec!["n4".to_owned()], &Value::Null)
    );
    for (root, cursor) in [("n1", "0"), ("n3", "4"), ("n1", "77"), ("n1", "x")] {
        let (code, _) = client
            .failure(json!({"type": "get_tree", "flat": true, "root": root, "cursor": cursor}));
        assert_eq!(code, "invalid_argument", "{root} {cursor}");
    }
    client.end();
}

fn ids(page: &Value) -> Vec<String> {
    let nodes = page["nodes"].as_array().unwrap().iter();
    nodes
        .map(|node| node["id"].as_str().unwrap().to_owned())
        .collect()
}

/// The nodes of a nested tree with their levels below the top, each parent before its children.
fn nested_ids(nodes: &Value, level: u64, found: &mut Vec<(String, u64)>) {
    for node in nodes.as_array().unwrap() {
        found.push((node["id"].as_str().unwrap().to_owned(), level));
        nested_ids(&node["children"], level + 1, found);
    }
}

/// A bushy tree with two roots, in both forms: every part, in pages of every size, holds what hangs there, each node once and
/// after its parent. What is written meanwhile disturbs nothing.
#[test]
fn parts_are_whole_in_pages_of_any_size() {
    let store = memory_store();
    let tree = store.create_session().unwrap();
    tree.create_branch(None, Some("empty"), None).unwrap();
    for step in 0..40_usize {
        // Now on from where it is, now from an elder node, now as a second root.
        match step {
            7 => tree.switch_branch("empty").unwrap(),
            _ if step % 3 == 2 => {
                let target = format!("n{}", step * 7 % 11 % step);
                tree.rewind(&target, None).unwrap();
            }
            _ => {}
        }
        tree.append_message(Message::user(&step.to_string()), 0)
            .unwrap();
    }
    let mut client = Client::new(&store);
    let mut whole = Vec::new();
    nested_ids(
        &client.data(json!({"type": "get_tree"}))["roots"],
        0,
        &mut whole,
    );
    assert_eq!(whole.len(), 40);
    assert_eq!(whole.iter().filter(|(_, level)| *level == 0).count(), 2);
    assert!(whole.iter().any(|(_, level)| *level > 4));
    let tops = (0..40).map(|top| Some(format!("n{top}"))).chain([None]);
    let mut pages = 0;
    for top in tops {
        // Of a nested tree a part is one stretch.
        let (from, above) = match &top {
            Some(top) => {
                let at = whole.iter().position(|(id, _)| id == top).unwrap();
                (at, whole[at].1)
            }
            None => (0, 0),
        };
        let below: Vec<&(String, u64)> = whole[from..]
            .iter()
            .enumerate()
            .take_while(|(at, (_, level))| *at == 0 || *level > above || top.is_none())
            .map(|(_, node)| node)
            .collect();
        for depth in [Some(0), Some(1), Some(3), Some(u64::MAX), None] {
            if top.is_none() && depth.is_none() {
                continue;
            }
            let expected: Vec<&str> = below
                .iter()
                .filter(|(_, level)| level - above <= depth.unwrap_or(u64::MAX))
                .map(|(id, _)| id.as_str())
                .collect();
            let mut request = json!({"type": "get_tree"});
            if let Some(top) = &top {
                request["root"] = json!(top);
            }
            if let Some(depth) = depth {
                request["depth"] = json!(depth);
            }
            let mut nested = Vec::new();
            nested_ids(&client.data(request.clone())["roots"], 0, &mut nested);
            let nested: Vec<&str> = nested.iter().map(|(id, _)| id.as_str()).collect();
            assert_eq!(nested, expected, "{request}");
            request["flat"] = json!(true);
            for limit in [1, 2, 7, 1_000] {
                let mut request = request.clone();
                request["limit"] = json!(limit);
                let mut found = Vec::new();
                loop {
                    let page = client.data(request.clone());
                    pages += 1;
                    let nodes = ids(&page);
                    assert!(nodes.len() <= limit);
                    found.extend(nodes);
                    request["cursor"] = page["nextCursor"].clone();
                    if request["cursor"].is_null() {
                        break;
                    }
                }
                // Siblings of one instant stand in the order of writing in both.
                assert_eq!(found, expected, "{request}");
            }
        }
    }
    assert!(pages > 1_000, "{pages}");
    client.end();
}

/// In the dialect of pi a part has its labels, wherever in the session their lines are.
#[test]
fn a_part_of_whole_entries_has_its_labels() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1", "u2"]);
    let label = Message::new(r#"{"targetId":"n1","label":"L"}"#).unwrap();
    tree.append(NewNode::of_kind("label", label).at(1_700_000_001_000))
        .unwrap();
    let mut client = Client::with(&store, Options::default().dialect(Dialect::Pi));
    let part = client.data(json!({"type": "get_tree", "root": "n1", "depth": 1}));
    let top = &part["tree"][0];
    assert_eq!(
        (
            &top["entry"]["id"],
            &top["label"],
            &top["labelTimestamp"],
            &top["children"][0]["entry"]["message"]["content"],
            &top["children"][0]["children"],
        ),
        (
            &json!("n1"),
            &json!("L"),
            &json!("2023-11-14T22:13:21.000Z"),
            &json!("u2"),
            &json!([]),
        )
    );
    client.end();
}

/// Case 22, T18, T19: a long chain (200,000 nodes, if asked for) is delivered nested, and flat in pages that hold every node once.
#[test]
fn a_long_chain_is_delivered() {
    let count = if full() { 200_000 } else { 20_000 };
    let store = memory_store();
    store
        .from_linear(
            (0..count).map(|at| Message::user(&at.to_string())),
            1_700_000_000_000,
        )
        .unwrap();
    let mut client = Client::new(&store);
    client.send_bytes(b"{\"id\":1,\"type\":\"get_tree\"}\n");
    let line = client.line().unwrap();
    assert_eq!(line.matches("\"children\":[").count(), count);
    assert!(line.ends_with(&format!(
        "{},\"leafId\":\"n{}\"}}}}\n",
        "]}".repeat(count - 1) + "]}]",
        count - 1
    )));
    let mut seen = 0;
    let mut cursor = Value::Null;
    loop {
        let mut request = json!({"type": "get_tree", "flat": true, "limit": 10_000});
        if !cursor.is_null() {
            request["cursor"] = cursor;
        }
        let page = client.data(request);
        for node in page["nodes"].as_array().unwrap() {
            assert_eq!(node["id"], format!("n{seen}"));
            seen += 1;
        }
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen, count);
    client.end();
}
