//! Sessions over RPC: lists, switching, forks, deletion, and that none of it leads outside.

use serde_json::{Value, json};
use session_tree::rpc::{Dialect, Options};
use session_tree::{Message, NewNode, NewSession, Store};

use super::client::{Client, memory_store, talk};

/// T03, R07 and ruling 22: in an empty store a connection is on a session that comes to be with the first thing written.
#[test]
fn a_first_session_comes_with_the_first_write() {
    let store = memory_store();
    let mut client = Client::new(&store);
    let state = client.data(json!({"type": "get_state"}));
    assert_eq!(
        (&state["leafId"], &state["messageCount"]),
        (&Value::Null, &json!(0))
    );
    assert_eq!(
        client.data(json!({"type": "get_messages"})),
        json!({"messages": []})
    );
    assert_eq!(
        client.data(json!({"type": "get_fork_messages"})),
        json!({"messages": []})
    );
    assert_eq!(
        client.data(json!({"type": "list_all_sessions"})),
        json!({"sessions": []})
    );
    assert_eq!(
        client.data(json!({"type": "get_last_assistant_text"})),
        json!({})
    );
    assert!(store.sessions().unwrap().is_empty(), "asking makes nothing");
    client.data(json!({"type": "append_message", "message": {"role": "user", "content": "hi"}}));
    let sessions = store.sessions().unwrap();
    assert_eq!(sessions.len(), 1);
    assert_eq!(
        client.data(json!({"type": "get_state"}))["sessionId"],
        sessions[0].id.as_str()
    );
    assert_eq!(
        state["sessionId"],
        sessions[0].id.as_str(),
        "it keeps the id it was shown with"
    );
    client.end();
}

/// R13: trimmed; a blank one is refused without a prefix; the event comes before the answer.
#[test]
fn a_name_is_set() {
    for (dialect, event) in [
        (Dialect::Dreb, "session_name_changed"),
        (Dialect::Pi, "session_info_changed"),
    ] {
        let store = memory_store();
        let tree = talk(&store, &["hi"]);
        let mut client = Client::with(&store, Options::default().dialect(dialect));
        client.data(json!({"type": "set_session_name", "name": "  a\nname  "}));
        assert_eq!(client.events, [json!({"type": event, "name": "a\nname"})]);
        assert_eq!(tree.info().unwrap().name.as_deref(), Some("a\nname"));
        for blank in [
            json!({"type": "set_session_name", "name": " \t"}),
            json!({"type": "set_session_name"}),
        ] {
            assert_eq!(client.failure(blank).1, "Session name cannot be empty");
        }
        assert_eq!(
            client.data(json!({"type": "get_state"}))["sessionName"],
            "a\nname"
        );
        client.end();
    }
}

/// R15, R16: the members of an item, its fallbacks, and the order.
#[test]
fn sessions_are_listed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s#1.db");
    let store = Store::open(&path).unwrap();
    let old = store
        .create_session_with(&NewSession::new().id("old").cwd("/a").at(1_000))
        .unwrap();
    let parts = r#"{"role":"user","content":[{"type":"text","text":"one"},{"type":"image"},{"type":"text","text":"two\nlines"}]}"#;
    old.append(NewNode::message(Message::user("")).at(1_500))
        .unwrap();
    old.append(NewNode::message(Message::new(parts).unwrap()).at(2_000))
        .unwrap();
    store
        .create_session_with(&NewSession::new().id("new").name("N").cwd("/a").at(5_000))
        .unwrap();
    store
        .create_session_with(&NewSession::new().id("elsewhere").at(3_000))
        .unwrap();
    let mut client = Client::with(&store, Options::default().session("old"));
    let file = |id: &str| format!("{}#{id}", path.display());
    let all = client.data(json!({"type": "list_all_sessions"}));
    assert_eq!(
        all["sessions"],
        json!([
            {"path": file("new"), "id": "new", "cwd": "/a", "name": "N", "created": "1970-01-01T00:00:05.000Z",
                "modified": "1970-01-01T00:00:05.000Z", "messageCount": 0, "firstMessage": "(no messages)"},
            {"path": file("elsewhere"), "id": "elsewhere", "cwd": "", "created": "1970-01-01T00:00:03.000Z",
                "modified": "1970-01-01T00:00:03.000Z", "messageCount": 0, "firstMessage": "(no messages)"},
            {"path": file("old"), "id": "old", "cwd": "/a", "created": "1970-01-01T00:00:01.000Z",
                "modified": "1970-01-01T00:00:02.000Z", "messageCount": 2, "firstMessage": "one two\nlines"},
        ])
    );
    let here = client.data(json!({"type": "list_sessions"}));
    let ids: Vec<&Value> = here["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| &session["id"])
        .collect();
    assert_eq!(ids, ["new", "old"]);
    // What a list shows leads back, by path and by id.
    for request in [
        json!({"type": "switch_session", "sessionPath": file("new")}),
        json!({"type": "switch_session", "session": "old"}),
        json!({"type": "switch_session", "session": file("elsewhere")}),
    ] {
        assert_eq!(client.data(request), json!({"cancelled": false}));
    }
    let state = client.data(json!({"type": "get_state"}));
    assert_eq!(
        (&state["sessionId"], &state["sessionFile"]),
        (&json!("elsewhere"), &json!(file("elsewhere")))
    );
    client.end();
}

/// Nothing outside the store is reached: other files, other stores, and paths that lead out of it.
#[test]
fn sessions_of_other_files_are_not_reached() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.db");
    let other = directory.path().join("other.db");
    let store = Store::open(&path).unwrap();
    talk(&store, &["hi"]);
    let foreign = talk(&Store::open(&other).unwrap(), &["hi"])
        .id()
        .to_string();
    let link = directory.path().join("link.db");
    std::os::unix::fs::symlink(&other, &link).unwrap();
    let before = std::fs::read(&other).unwrap();
    let mut client = Client::new(&store);
    for outside in [
        format!("{}#{foreign}", other.display()),
        format!("{}#{foreign}", link.display()),
        format!(
            "{}/../{}/other.db#{foreign}",
            directory.path().display(),
            directory.path().file_name().unwrap().display()
        ),
        other.display().to_string(),
        "/etc/passwd".to_owned(),
        "relative.jsonl".to_owned(),
        String::new(),
    ] {
        let failure = client.failure(json!({"type": "switch_session", "sessionPath": outside}));
        assert_eq!(failure.0, "session_not_found", "{outside}");
        let failure = client.failure(json!({"type": "delete_session", "sessionPath": outside}));
        assert_eq!(
            failure.1,
            format!("Not a session file (expected .jsonl): {outside}")
        );
        assert_eq!(
            client
                .failure(json!({"type": "get_tree", "session": outside}))
                .0,
            "session_not_found"
        );
    }
    let failure = client.failure(json!({"type": "switch_session", "session": "new-one"}));
    assert_eq!(failure.0, "session_not_found");
    assert_eq!(
        store.sessions().unwrap().len(),
        1,
        "switching makes no session"
    );
    assert_eq!(std::fs::read(&other).unwrap(), before);
    client.end();
}

/// R14: the order of the checks and their texts; one in use by anyone stays.
#[test]
fn a_session_in_use_is_not_deleted() {
    const ACTIVE: &str = "Cannot delete the currently active session";
    let store = memory_store();
    let (one, two, three) = (
        talk(&store, &["1"]),
        talk(&store, &["2"]),
        talk(&store, &["3"]),
    );
    let delete = |id: &str| json!({"type": "delete_session", "session": id});
    let mut client = Client::with(&store, Options::default().session(one.id().as_str()));
    assert_eq!(
        client.failure(delete(one.id())),
        ("busy".into(), ACTIVE.into())
    );
    // Somebody's turn.
    let turn = two.begin_turn(None).unwrap();
    assert_eq!(client.failure(delete(two.id())).1, ACTIVE);
    turn.end().unwrap();
    assert_eq!(client.data(delete(two.id())), json!({"method": "unlink"}));
    assert_eq!(
        client.failure(delete(two.id())).1,
        format!("Session file does not exist: {}", two.id())
    );
    let gone = format!(":memory:#{}", two.id());
    let failure = client.failure(json!({"type": "delete_session", "sessionPath": gone}));
    assert_eq!(
        failure,
        (
            "session_not_found".into(),
            format!("Session file does not exist: {gone}")
        )
    );
    assert_eq!(
        client.failure(json!({"type": "delete_session"})).0,
        "invalid_argument"
    );
    assert_eq!(store.sessions().unwrap().len(), 2);
    // Once left, it can go.
    client.data(json!({"type": "switch_session", "session": three.id().as_str()}));
    client.data(delete(one.id()));
    client.end();
}

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

/// What is not there yet says so.
#[test]
fn what_is_not_built_says_so() {
    let mut client = Client::new(&memory_store());
    assert_eq!(
        client.failure(json!({"type": "export_html"})).0,
        "not_built"
    );
    client.end();
}
