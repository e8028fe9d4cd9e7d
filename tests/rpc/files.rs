//! Session files through the server: trees, leaves and contexts, case by case.

use serde_json::{Value, json};
use session_tree::Store;
use session_tree::interchange::ImportOptions;

use super::client::{Client, memory_store};
use super::trees::shape;

pub fn header(version: u32) -> Value {
    json!({"type": "session", "version": version, "id": "s-1", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"})
}

/// An entry; the second of its time is the number in its id, or 0.
pub fn entry(kind: &str, id: &str, parent: Option<&str>, rest: Value) -> Value {
    let second = id
        .trim_start_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .unwrap_or(0_u32);
    let mut entry = json!({"type": kind, "id": id, "parentId": parent, "timestamp": format!("2026-01-01T00:00:{second:02}.000Z")});
    for (name, value) in rest.as_object().unwrap() {
        entry[name] = value.clone();
    }
    entry
}

/// `u...` is said by a user, anything else by an assistant.
pub fn said(id: &str, parent: Option<&str>) -> Value {
    let role = if id.starts_with('u') {
        "user"
    } else {
        "assistant"
    };
    entry(
        "message",
        id,
        parent,
        json!({"message": {"role": role, "content": id}}),
    )
}

pub fn imported(lines: &[Value]) -> Store {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    imported_text(&text.join("\n")).unwrap()
}

pub fn imported_text(text: &str) -> session_tree::Result<Store> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.jsonl");
    std::fs::write(&path, text).unwrap();
    let store = memory_store();
    store.import(&path, &ImportOptions::new())?;
    Ok(store)
}

/// The context, a word a message: what it says.
pub fn context(client: &mut Client) -> String {
    let found = client.data(json!({"type": "get_messages"}));
    let said = found["messages"].as_array().unwrap().iter().map(|message| {
        let text = message["content"]
            .as_str()
            .or(message["summary"].as_str())
            .unwrap_or("?");
        text.to_owned()
    });
    said.collect::<Vec<_>>().join(" ")
}

struct Case {
    ids: &'static str,
    lines: Vec<Value>,
    tree: &'static str,
    leaf: Value,
    context: &'static str,
}

fn case(
    ids: &'static str,
    entries: Vec<Value>,
    tree: &'static str,
    leaf: &str,
    context: &'static str,
) -> Case {
    let lines = [vec![header(3)], entries].concat();
    Case {
        ids,
        lines,
        tree,
        leaf: json!(leaf),
        context,
    }
}

#[test]
fn files_become_trees_and_contexts() {
    let compaction = |id: &str, parent: &str, kept: &str| {
        entry(
            "compaction",
            id,
            Some(parent),
            json!({"summary": format!("S{id}"), "firstKeptEntryId": kept, "tokensBefore": 10}),
        )
    };
    let label = |id: &str, parent: &str, target: &str, label: Value| {
        entry(
            "label",
            id,
            Some(parent),
            json!({"targetId": target, "label": label}),
        )
    };
    let chain = || {
        vec![
            said("u1", None),
            said("a2", Some("u1")),
            said("u3", Some("a2")),
        ]
    };
    let with = |more: Vec<Value>| [chain(), more].concat();
    let cases = vec![
        case("F01 F13 T01", chain(), "u1(a2(u3))", "u3", "u1 a2 u3"),
        case(
            "F12",
            vec![said("1", None), said("ü \u{1f600}", Some("1"))],
            "1(ü \u{1f600})",
            "ü \u{1f600}",
            "1 ü \u{1f600}",
        ),
        case(
            "T04",
            with(vec![said("a4", Some("u1"))]),
            "u1(a2(u3) a4)",
            "a4",
            "u1 a4",
        ),
        case(
            "T02",
            with(vec![entry(
                "custom",
                "c4",
                Some("u3"),
                json!({"customType": "x"}),
            )]),
            "u1(a2(u3(c4)))",
            "c4",
            "u1 a2 u3",
        ),
        case(
            "T06",
            with(vec![
                said("a4", Some("u1")),
                said("u5", Some("a4")),
                said("u6", Some("a2")),
            ]),
            "u1(a2(u3 u6) a4(u5))",
            "u6",
            "u1 a2 u6",
        ),
        case(
            "T08",
            vec![said("u9", None), said("u1", None)],
            "u9 u1",
            "u1",
            "u1",
        ),
        case(
            "T09 C13",
            vec![
                said("u1", None),
                said("a2", Some("gone")),
                said("u3", Some("a2")),
            ],
            "u1 a2(u3)",
            "u3",
            "a2 u3",
        ),
        case(
            "T10",
            vec![said("u1", Some("u1")), said("a2", Some("u1"))],
            "u1(a2)",
            "a2",
            "u1 a2",
        ),
        case(
            "T11",
            vec![
                said("u1", Some("a2")),
                said("a2", Some("u1")),
                said("u3", None),
            ],
            "u1(a2) u3",
            "u3",
            "u3",
        ),
        case(
            "T12",
            vec![
                said("u1", None),
                said("a2", Some("u1")),
                said("a2", Some("u1")),
            ],
            "u1(a2)",
            "a2",
            "u1 a2",
        ),
        case(
            "L01 L05",
            with(vec![label("l4", "u3", "u1", json!("L"))]),
            "u1=L(a2(u3(l4)))",
            "l4",
            "u1 a2 u3",
        ),
        case(
            "L02",
            with(vec![
                label("l4", "u3", "u1", json!("L")),
                label("l5", "l4", "u1", json!("")),
            ]),
            "u1(a2(u3(l4(l5))))",
            "l5",
            "u1 a2 u3",
        ),
        case(
            "L02",
            with(vec![
                label("l4", "u3", "u1", json!("L")),
                label("l5", "l4", "u1", Value::Null),
            ]),
            "u1(a2(u3(l4(l5))))",
            "l5",
            "u1 a2 u3",
        ),
        case(
            "L03",
            with(vec![
                label("l9", "u3", "u1", json!("first")),
                label("l4", "u1", "u1", json!("last")),
            ]),
            "u1=last(a2(u3(l9)) l4)",
            "l4",
            "u1",
        ),
        case(
            "C05",
            with(vec![compaction("c4", "u3", "a2"), said("u5", Some("c4"))]),
            "u1(a2(u3(c4(u5))))",
            "u5",
            "Sc4 a2 u3 u5",
        ),
        case(
            "C06",
            with(vec![compaction("c4", "u3", "u1")]),
            "u1(a2(u3(c4)))",
            "c4",
            "Sc4 u1 a2 u3",
        ),
        case(
            "C07 C09",
            with(vec![
                compaction("c4", "u3", "u3"),
                said("u5", Some("c4")),
                compaction("c6", "u5", "u3"),
            ]),
            "u1(a2(u3(c4(u5(c6)))))",
            "c6",
            "Sc6 u3 u5",
        ),
        case(
            "C08",
            with(vec![
                compaction("c4", "u3", "nowhere"),
                said("u5", Some("c4")),
            ]),
            "u1(a2(u3(c4(u5))))",
            "u5",
            "Sc4 u5",
        ),
        case(
            "C10",
            with(vec![compaction("c4", "u3", "u3"), said("a5", Some("u1"))]),
            "u1(a2(u3(c4)) a5)",
            "a5",
            "u1 a5",
        ),
        case(
            "C11",
            with(vec![
                entry(
                    "branch_summary",
                    "b4",
                    Some("u3"),
                    json!({"fromId": "x", "summary": "left"}),
                ),
                entry(
                    "branch_summary",
                    "b5",
                    Some("b4"),
                    json!({"fromId": "x", "summary": ""}),
                ),
            ]),
            "u1(a2(u3(b4(b5))))",
            "b5",
            "u1 a2 u3 left",
        ),
        case(
            "C12 C14",
            with(vec![
                entry(
                    "custom_message",
                    "m4",
                    Some("u3"),
                    json!({"customType": "x", "content": "hidden", "display": false}),
                ),
                entry(
                    "custom",
                    "m5",
                    Some("m4"),
                    json!({"customType": "x", "data": {}}),
                ),
                entry("never_heard_of", "m6", Some("m5"), json!({})),
            ]),
            "u1(a2(u3(m4(m5(m6)))))",
            "m6",
            "u1 a2 u3 hidden",
        ),
        case(
            "C15",
            with(vec![
                entry(
                    "context_edit",
                    "e4",
                    Some("u3"),
                    json!({"targetId": "u1", "replacement": {"content": "other"}}),
                ),
                entry(
                    "context_edit",
                    "e5",
                    Some("e4"),
                    json!({"targetId": "u3", "replacement": null}),
                ),
            ]),
            "u1(a2(u3(e4(e5))))",
            "e5",
            "other a2",
        ),
        case(
            "C16",
            vec![
                entry(
                    "message",
                    "y1",
                    None,
                    json!({"message": {"role": "system", "content": "old rules"}}),
                ),
                said("u2", Some("y1")),
                entry(
                    "compaction",
                    "c3",
                    Some("u2"),
                    json!({"summary": "S", "firstKeptEntryId": "y1", "tokensBefore": 1,
                "systemMessage": {"role": "system", "content": "rules"}}),
                ),
            ],
            "y1(u2(c3))",
            "c3",
            "rules S u2",
        ),
    ];
    for Case {
        ids,
        lines,
        tree,
        leaf,
        context: expected,
    } in cases
    {
        let mut client = Client::new(&imported(&lines));
        let found = client.data(json!({"type": "get_tree"}));
        assert_eq!(shape(&found["roots"]), tree, "{ids}");
        assert_eq!(found["leafId"], leaf, "{ids}");
        assert_eq!(context(&mut client), expected, "{ids}");
        client.end();
    }
}
