//! Sessions as `.tree.json`: byte for byte what came in, equal in value where that was written by others, and a list of what
//! the format cannot hold.

use serde_json::{Value, json};
use session_tree::interchange::{ExportReport, ImportOptions, Layout, export_tree_json};
use session_tree::{Message, NewNode, SessionTree};

use crate::imports::draw::{Files, HEADER, entry, lines, says};
use crate::imports::{import, store};
use crate::support;

fn written(tree: &SessionTree, layout: Layout) -> (String, ExportReport) {
    let mut bytes = Vec::new();
    let report = export_tree_json(tree, layout, &mut bytes).unwrap();
    (String::from_utf8(bytes).unwrap(), report)
}

/// Children follow from the parents: lists that say otherwise are not kept. Optional members are written out.
fn normal(tree: &Value) -> Value {
    let mut tree = tree.clone();
    let defaults = json!({ "root": null, "next_id": 0 });
    let parents: Vec<(String, Value)> = tree["nodes"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(id, node)| (id.clone(), node["parent"].clone()))
        .collect();
    for (name, value) in defaults.as_object().unwrap() {
        tree.as_object_mut()
            .unwrap()
            .entry(name)
            .or_insert(value.clone());
    }
    for (id, node) in tree["nodes"].as_object_mut().unwrap() {
        let node = node.as_object_mut().unwrap();
        let mut children: Vec<&String> = parents
            .iter()
            .filter(|(_, parent)| parent == id)
            .map(|(child, _)| child)
            .collect();
        children.sort_by_key(|child| child.trim_start_matches('n').parse::<u64>().unwrap());
        node.insert("children".to_owned(), json!(children));
        for (name, value) in json!({ "parent": null, "label": null, "created_at_ms": 0 })
            .as_object()
            .unwrap()
        {
            node.entry(name).or_insert(value.clone());
        }
    }
    for branch in tree["branches"].as_object_mut().unwrap().values_mut() {
        for (name, value) in json!({ "leaf": null, "summary": null, "created_at_ms": 0 })
            .as_object()
            .unwrap()
        {
            branch
                .as_object_mut()
                .unwrap()
                .entry(name)
                .or_insert(value.clone());
        }
    }
    tree
}

#[test]
fn snapshots_of_supercodes_own_files_are_those_files() {
    let Some(directory) = support::shared("corpus/supercode") else {
        return;
    };
    let (mut whole, mut mended) = (0, 0);
    for file in std::fs::read_dir(&directory).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".tree.json") {
            continue;
        }
        let Ok((_, tree)) = import(&path) else {
            continue;
        };
        let text = std::fs::read_to_string(&path).unwrap();
        let (again, report) = written(&tree, Layout::AsRead);
        if name.starts_with("damaged") {
            let (text, again): (Value, Value) = (
                serde_json::from_str(&text).unwrap(),
                serde_json::from_str(&again).unwrap(),
            );
            assert_eq!(again, normal(&text), "{name}");
            mended += 1;
        } else {
            assert!(again == text, "{name}");
            assert!(report.is_unchanged && report.not_held.is_empty(), "{name}");
            let value: Value = serde_json::from_str(&text).unwrap();
            let compact = written(&tree, Layout::Compact).0;
            assert!(!compact.contains('\n'), "{name}");
            assert_eq!(
                serde_json::from_str::<Value>(&compact).unwrap(),
                value,
                "{name}"
            );
            let back = store().from_snapshot(&compact).unwrap();
            let pretty = written(&back, Layout::Pretty).0;
            if text.contains('\n') {
                assert!(pretty == text, "{name}");
            }
            whole += 1;
        }
    }
    println!("{whole} whole files, {mended} damaged ones");
    assert!(whole >= 7 && mended >= 14);
}

const SMALL: &str = r#"{"nodes":{"n0":{"id":"n0","parent":null,"children":["n1","n10"],"message":{"supercode_turn":1,"ts":"1970-01-01T00:00:00.005Z","role":"user","content":"q\u0000\u2028"},"label":"start","created_at_ms":5},"n1":{"id":"n1","parent":"n0","children":[],"message":{"supercode_turn":1,"ts":"x","role":"assistant","content_parts":[{"n":1.50}],"metadata":{"k":"v"}},"label":null,"created_at_ms":-7},"n10":{"id":"n10","parent":"n0","children":[],"message":{"supercode_turn":1,"ts":"x","role":"assistant","content":""},"label":null,"created_at_ms":6}},"root":"n0","branches":{"main":{"name":"main","leaf":"n1","summary":{"summary":"S","node_id":"gone","branch":"old","model_id":null,"created_at_ms":1},"created_at_ms":0},"side \"b\"":{"name":"side \"b\"","leaf":"n10","summary":null,"created_at_ms":3}},"active_branch":"side \"b\"","next_id":18446744073709551614}"#;

#[test]
fn a_snapshot_is_the_text_it_came_from() {
    let files = Files::new();
    let store = store();
    // As a program would write it that spells strings as this library does.
    let small = SMALL.replace("\\u2028", "\u{2028}");
    let path = files.write("small.tree.json", &small);
    let report = store.import(&path, &ImportOptions::new()).unwrap();
    let tree = store.open_session(&report.session).unwrap();
    assert_eq!(tree.info().unwrap().name.as_deref(), Some("small"));
    assert_eq!(
        (
            report.nodes_added,
            report.notes.len(),
            report.branches_added.len()
        ),
        (3, 0, 0)
    );
    assert_eq!(written(&tree, Layout::AsRead).0, small);
    let again = store.import(&path, &ImportOptions::new()).unwrap();
    assert_eq!(
        (
            again.session,
            again.created,
            again.nodes_added,
            again.nodes_known
        ),
        (report.session, false, 0, 3)
    );
    // The same text handed over is a session of its own each time.
    let other = store.from_snapshot(&small).unwrap();
    assert_ne!(other.id(), tree.id());
    let pretty = written(&other, Layout::Pretty).0 + "\n";
    let third = store.from_snapshot(&pretty).unwrap();
    assert_eq!(written(&third, Layout::AsRead).0, pretty);
    // The counter goes on as far as it can.
    assert_eq!(
        tree.append_message(Message::user("more"), 9).unwrap(),
        "n18446744073709551614"
    );
}

#[test]
fn what_is_appended_is_in_the_next_snapshot() {
    let text = SMALL.replace("18446744073709551614", "2");
    let tree = store().from_snapshot(&text).unwrap();
    let message = r#"{"cost": 7, "role": "user", "content": "more"}"#;
    let id = tree
        .append_message(Message::new(message).unwrap(), 1_700_000_000_000)
        .unwrap();
    let value: Value =
        serde_json::from_str(&tree.snapshot().unwrap().to_json(Layout::AsRead)).unwrap();
    assert_eq!((id.as_str(), &value["next_id"]), ("n2", &json!(3)));
    let node = &value["nodes"][&*id];
    assert_eq!(node["parent"], "n10");
    assert_eq!(
        node["message"],
        json!({"supercode_turn": 1, "ts": "2023-11-14T22:13:20.000Z", "role": "user", "content": "more", "cost": 7})
    );
    assert_eq!(value["root"], "n0");
    // A new root takes the old one's place, as in supercode.
    tree.create_branch(None, Some("fresh"), None).unwrap();
    let root = tree
        .append(NewNode::message(Message::user("again")).on_branch("fresh"))
        .unwrap();
    let value: Value =
        serde_json::from_str(&tree.snapshot().unwrap().to_json(Layout::AsRead)).unwrap();
    assert_eq!(value["root"], root.as_str());
}

#[test]
fn what_the_format_cannot_hold_is_left_out_and_listed() {
    let files = Files::new();
    let assistant = r#"{"type":"message","id":"c","parentId":"l","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"r"},{"type":"toolCall","id":"t1","name":"ls","arguments":{}}],"api":"x"}}"#;
    let result = r#"{"type":"message","id":"d","parentId":"c","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"toolResult","toolCallId":"t1","toolName":"ls","content":[{"type":"text","text":"out"}]}}"#;
    let path = files.write(
        "file.jsonl",
        lines([
            HEADER.to_owned(),
            entry("model_change", "m", "", r#","provider":"p","modelId":"x""#),
            says("a", Some("m"), "q"),
            entry("label", "l", "a", r#","targetId":"a","label":"start""#),
            assistant.to_owned(),
            result.to_owned(),
            entry(
                "compaction",
                "e",
                "d",
                r#","summary":"S","firstKeptEntryId":"a","tokensBefore":1"#,
            ),
        ]),
    );
    let (_, tree) = import(&path).unwrap();
    let snapshot = tree.snapshot().unwrap();
    assert_eq!(
        snapshot.not_held(),
        [
            "the node `m`: an entry of kind `model_change`",
            "the node `l`: an entry of kind `label`",
            "`thinking` in the message of the node `c`",
            "the node `e`: an entry of kind `compaction`",
        ]
    );
    let back = store()
        .from_snapshot(&snapshot.to_json(Layout::Pretty))
        .unwrap();
    assert_eq!(back.active_path().unwrap(), ["a", "c", "d"]);
    assert_eq!(
        back.node("a").unwrap().unwrap().label.as_deref(),
        Some("start")
    );
    let messages = back.linear_projection().unwrap();
    let chat = messages[1].parsed().unwrap();
    assert_eq!(
        (chat.content.as_deref(), chat.tool_calls[0].name.as_str()),
        (Some("r"), "ls")
    );
    let chat = messages[2].parsed().unwrap();
    assert_eq!(
        (chat.role.as_str(), chat.tool_call_id.as_deref()),
        ("tool", Some("t1"))
    );
}
