//! Forks, entries, and counts.

use serde_json::{Value, json};
use session_tree::rpc::{Dialect, Options};
use session_tree::{Message, NewNode};

use super::client::{Client, memory_store, talk};

/// K07 to K11, fork and clone: where the new session ends, and that the connection goes there.
#[test]
fn a_fork_is_a_session_of_its_own() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1", "u2", "a2"]);
    let broken =
        Message::new(r#"{"role":"assistant","content":[{"type":"toolCall","id":"t"}]}"#).unwrap();
    tree.append_message(broken, None).unwrap();
    tree.rename(Some("title")).unwrap();
    tree.label("n1", "kept").unwrap();
    let mut client = Client::new(&store);
    // K12: all branches, in order; an interrupted answer is not among them.
    assert_eq!(
        client.data(json!({"type": "get_fork_messages"})),
        json!({"messages": [
            {"entryId": "n0", "text": "u1", "role": "user"}, {"entryId": "n1", "text": "a1", "role": "assistant"},
            {"entryId": "n2", "text": "u2", "role": "user"}, {"entryId": "n3", "text": "a2", "role": "assistant"},
        ]})
    );
    for (entry, text, ids) in [
        ("n1", "", vec!["n0", "n1"]),
        ("n2", "u2", vec!["n0", "n1"]),
        ("n0", "u1", vec![]),
    ] {
        let request = json!({"type": "fork", "entryId": entry, "session": tree.id().as_str()});
        assert_eq!(
            client.data(request),
            json!({"text": text, "cancelled": false})
        );
        let state = client.data(json!({"type": "get_state"}));
        assert_ne!(state["sessionId"], tree.id().as_str());
        assert_eq!(state["sessionName"], "title");
        assert_eq!(
            client.data(json!({"type": "active_path"}))["nodeIds"],
            json!(ids)
        );
    }
    client.data(json!({"type": "switch_session", "session": tree.id().as_str()}));
    let invalid = "Command failed: Invalid entry ID for forking";
    let interrupted = "Command failed: Cannot fork at this assistant turn: it was interrupted or is still waiting on tool results";
    for (request, text) in [
        (json!({"type": "fork", "entryId": "zz"}), invalid),
        (json!({"type": "fork"}), invalid),
        (json!({"type": "fork", "entryId": "n4"}), interrupted),
    ] {
        assert_eq!(client.failure(request).1, text);
    }
    // In the middle of a turn nothing is forked.
    let turn = tree.begin_turn(None).unwrap();
    assert_eq!(
        client.failure(json!({"type": "fork", "entryId": "n1"})).0,
        "busy"
    );
    assert_eq!(client.failure(json!({"type": "clone"})).0, "busy");
    turn.end().unwrap();
    assert_eq!(
        client.data(json!({"type": "clone"})),
        json!({"cancelled": false})
    );
    assert_eq!(
        client.data(json!({"type": "active_path"}))["nodeIds"]
            .as_array()
            .unwrap()
            .len(),
        5
    );
    client.data(json!({"type": "new_session", "parentSession": "/elsewhere.jsonl"}));
    assert_eq!(
        client.failure(json!({"type": "clone"})).1,
        "Cannot clone session: no current entry selected"
    );
    client.end();
    let mut pi = Client::with(
        &store,
        Options::default()
            .dialect(Dialect::Pi)
            .session(tree.id().as_str()),
    );
    assert_eq!(
        pi.data(json!({"type": "get_fork_messages"})),
        json!({"messages": [
        {"entryId": "n0", "text": "u1"}, {"entryId": "n2", "text": "u2"}]})
    );
    assert_eq!(
        pi.failure(json!({"type": "fork", "entryId": "n1"})).1,
        "Invalid entry ID for forking"
    );
    pi.end();
}

/// R11: entries after one, in the order of the file.
#[test]
fn entries_are_read_from_a_place_on() {
    let store = memory_store();
    talk(&store, &["u1", "a1", "u2"]);
    let mut client = Client::new(&store);
    let ids = |data: &Value| -> Vec<String> {
        data["entries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = client.data(json!({"type": "get_entries"}));
    assert_eq!(
        (ids(&all), &all["leafId"]),
        (vec!["n0".into(), "n1".into(), "n2".into()], &json!("n2"))
    );
    assert_eq!(
        all["entries"][0]["message"],
        json!({"role": "user", "content": "u1"})
    );
    assert_eq!(
        ids(&client.data(json!({"type": "get_entries", "since": "n0"}))),
        ["n1", "n2"]
    );
    assert!(ids(&client.data(json!({"type": "get_entries", "since": "n2"}))).is_empty());
    assert_eq!(
        client
            .failure(json!({"type": "get_entries", "since": "zz"}))
            .1,
        "Entry not found: zz"
    );
    client.end();
}

/// R17, R18.
#[test]
fn texts_and_counts_are_those_of_the_context_or_of_all() {
    let answer = |text: &str, rest: &str| {
        let usage =
            r#""usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":{"total":0.5}}"#;
        Message::new(format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}{rest}],{usage}}}"#
        ))
        .unwrap()
    };
    let store = memory_store();
    let tree = talk(&store, &["u1"]);
    tree.append_message(answer("first", r#",{"type":"toolCall","id":"t"}"#), None)
        .unwrap();
    tree.append_message(
        Message::new(r#"{"role":"toolResult","content":[]}"#).unwrap(),
        None,
    )
    .unwrap();
    tree.append_message(answer("  second \u{feff}", ""), None)
        .unwrap();
    tree.append_message(
        Message::new(r#"{"role":"assistant","content":[],"stopReason":"aborted"}"#).unwrap(),
        None,
    )
    .unwrap();
    tree.create_branch(Some("n0"), Some("aside"), None).unwrap();
    tree.append(NewNode::message(answer("aside", "")).on_branch("aside"))
        .unwrap();
    let counts = |data: &Value| {
        let count = |name: &str| data[name].as_u64().unwrap();
        [
            "userMessages",
            "assistantMessages",
            "toolCalls",
            "toolResults",
            "totalMessages",
        ]
        .map(count)
    };
    let mut client = Client::new(&store);
    assert_eq!(
        client.data(json!({"type": "get_last_assistant_text"})),
        json!({"text": "second"})
    );
    let stats = client.data(json!({"type": "get_session_stats"}));
    assert_eq!(counts(&stats), [1, 3, 1, 1, 5]);
    assert_eq!(
        stats["tokens"],
        json!({"input": 2, "output": 4, "cacheRead": 6, "cacheWrite": 8, "total": 20})
    );
    assert_eq!(stats["cost"], 1.0);
    client.end();
    let mut pi = Client::with(&store, Options::default().dialect(Dialect::Pi));
    let stats = pi.data(json!({"type": "get_session_stats"}));
    assert_eq!(
        (counts(&stats), &stats["cost"]),
        ([1, 4, 1, 1, 6], &json!(1.5))
    );
    pi.end();
}
