//! The answers that the original programs gave, where the shared inputs are there.

use serde_json::{Value, json};
use session_tree::Store;
use session_tree::interchange::ImportOptions;
use session_tree::rpc::{Dialect, Options};

use super::client::{Client, memory_store};
use crate::support::shared;

fn golden(file: &str) -> Option<Value> {
    let path = shared("golden")?.join(file);
    // The original cut a preview inside a pair of surrogates; no strict parser reads what is left.
    let text = std::fs::read_to_string(path).unwrap();
    Some(serde_json::from_str(&text.replace("\\ud83d\"", "\\ufffd\"")).unwrap())
}

/// A store that holds one session file; the error's text where it is refused.
fn imported(lines: &str) -> Result<Store, String> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("session.jsonl");
    std::fs::write(&path, lines).unwrap();
    let store = memory_store();
    match store.import(&path, &ImportOptions::new()) {
        Ok(_) => Ok(store),
        Err(error) => Err(error.to_string()),
    }
}

/// R12, R08: every preview, but that none ends in half a character.
#[test]
fn previews_are_those_of_the_original() {
    let Some(cases) = golden("previews.json") else {
        return;
    };
    let cases = cases.as_array().unwrap();
    let mut lines = String::from(
        r#"{"type":"session","version":3,"id":"s","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}"#,
    );
    for case in cases {
        lines += &format!("\n{}", case["entry"]);
    }
    let mut client = Client::new(&imported(&lines).unwrap());
    client.send_bytes(b"{\"type\":\"get_tree\"}\n");
    let line = client.line().unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    let roots = answer["data"]["roots"].as_array().unwrap();
    let mut checked = 0;
    for case in cases {
        let name = &case["name"];
        let id = &case["entry"]["id"];
        let Some(node) = roots.iter().find(|node| node["id"] == *id) else {
            panic!("{name}: the node is not there");
        };
        assert_eq!(
            node["preview"].as_str().unwrap(),
            sane(case["preview"].as_str().unwrap()),
            "{name}"
        );
        assert_eq!(
            node.get("role"),
            case.get("role").filter(|role| !role.is_null()),
            "{name}"
        );
        let keys: Vec<&String> = node.as_object().unwrap().keys().collect();
        // A member that is undefined is not written.
        let has_type = case["entry"].get("type").is_some();
        let expected: Vec<&str> = case["keys"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .filter(|key| *key != "type" || has_type)
            .collect();
        assert_eq!(keys, expected, "{name}");
        checked += 1;
    }
    assert_eq!(checked, cases.len());
    client.end();
}

/// The original cuts inside a pair of surrogates, which leaves half a character (read here as U+FFFD).
fn sane(preview: &str) -> &str {
    match preview.encode_utf16().count() {
        200 => preview.trim_end_matches('\u{fffd}'),
        _ => preview,
    }
}

/// Cases that are answered otherwise here, with the reason.
const OTHERWISE: &[(&str, &str)] = &[
    ("number line", "a scalar line is kept beside the nodes"),
    ("array line", "an array line is kept beside the nodes"),
    ("missing id", "an entry without an id gets one"),
    (
        "duplicate ids",
        "a differing record under a known id becomes a sibling",
    ),
    (
        "header without id",
        "it is refused, and the file is left alone",
    ),
    (
        "v1 compaction forward index",
        "the ids that are made for version 1 are others, and the same each time",
    ),
];

/// T07 to T09, T11, L01 to L03, N01, C01 to C14: tree, leaf and context of dreb.
#[test]
fn session_files_give_the_trees_of_dreb() {
    let Some(cases) = golden("load-cases.json") else {
        return;
    };
    let mut checked = 0;
    for (name, case) in cases.as_object().unwrap() {
        if OTHERWISE.iter().any(|(other, _)| other == name) {
            continue;
        }
        let mut client = Client::new(&imported(case["input"].as_str().unwrap()).unwrap());
        assert_eq!(
            client.data(json!({"type": "get_tree"})),
            case["tree"],
            "{name}"
        );
        same_context(&mut client, name, &case["context"]);
        client.end();
        checked += 1;
    }
    assert_eq!(checked + OTHERWISE.len(), cases.as_object().unwrap().len());
}

/// R10: whole entries, leaf and context of pi.
#[test]
fn session_files_give_the_trees_of_pi() {
    let Some(cases) = golden("load-cases-pi16.json") else {
        return;
    };
    let mut checked = 0;
    for (name, case) in cases.as_object().unwrap() {
        if OTHERWISE.iter().any(|(other, _)| other == name) {
            continue;
        }
        let store = imported(case["input"].as_str().unwrap()).unwrap();
        let mut client = Client::with(&store, Options::default().dialect(Dialect::Pi));
        let found = client.data(json!({"type": "get_tree"}));
        assert_eq!(
            (&found["tree"], &found["leafId"]),
            (&case["tree"], &case["leafId"]),
            "{name}"
        );
        same_context(&mut client, name, &case["context"]);
        client.end();
        checked += 1;
    }
    assert_eq!(checked + OTHERWISE.len(), cases.as_object().unwrap().len());
}

fn same_context(client: &mut Client, name: &str, expected: &Value) {
    let found = client.data(json!({"type": "get_messages"}));
    assert_eq!(found["messages"], expected["messages"], "{name}");
    let context = client.data(json!({"type": "context"}));
    assert_eq!(
        context["thinkingLevel"], expected["thinkingLevel"],
        "{name}"
    );
    let model = match &context["model"] {
        Value::Null => Value::Null,
        model => json!({"provider": model["provider"], "modelId": model["id"]}),
    };
    assert_eq!(model, expected["model"], "{name}");
}

/// What is answered otherwise, as it is answered.
#[test]
fn where_the_original_is_not_followed() {
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/"}"#;
    let entry = |rest: &str| {
        format!(
            r#"{{"type":"message",{rest},"timestamp":"2025-01-01T00:00:01.000Z","message":{{"role":"user","content":"x"}}}}"#
        )
    };
    let (root, other) = (
        entry(r#""id":"a","parentId":null"#),
        entry(r#""id":"a","parentId":"a""#),
    );
    let tree = |lines: &str| {
        let mut client = Client::new(&imported(lines).unwrap());
        let found = client.data(json!({"type": "get_tree"}));
        client.end();
        found
    };
    // F17: what is no object is no node, and does not break loading.
    let found = tree(&format!("{header}\n5\nnull\n[1]\n{root}"));
    assert_eq!(found["roots"].as_array().unwrap().len(), 1);
    // T10, T12: a second record under an id is a sibling under another, and naming oneself as parent hangs nothing.
    let found = tree(&format!("{header}\n{root}\n{other}"));
    assert_eq!(found["leafId"], "a~2");
    // An entry without an id gets one.
    let found = tree(&format!("{header}\n{}", entry(r#""parentId":null"#)));
    assert!(found["roots"][0]["id"].is_string());
    // F15: a file without a session id is refused, not emptied.
    assert!(imported(r#"{"type":"session","version":3}"#).is_err());
}
