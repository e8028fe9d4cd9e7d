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
    for (dialect, event, shown) in [
        // As a JavaScript `trim` does: U+FEFF goes, U+0085 stays.
        (Dialect::Dreb, "session_name_changed", "a\r\n\nname\u{85}"),
        (Dialect::Pi, "session_info_changed", "a name\u{85}"),
    ] {
        let store = memory_store();
        let tree = talk(&store, &["hi"]);
        let mut client = Client::with(&store, Options::default().dialect(dialect));
        client.data(json!({"type": "set_session_name", "name": "\u{feff} a\r\n\nname\u{85}  "}));
        assert_eq!(client.events, [json!({"type": event, "name": shown})]);
        assert_eq!(tree.info().unwrap().name.as_deref(), Some(shown));
        for blank in [
            json!({"type": "set_session_name", "name": " \t\u{feff}"}),
            json!({"type": "set_session_name"}),
        ] {
            assert_eq!(client.failure(blank).1, "Session name cannot be empty");
        }
        assert_eq!(
            client.data(json!({"type": "get_state"}))["sessionName"],
            shown
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

/// The time in a list is that of what was said, whatever was written in which order, and lists are sorted by it.
#[test]
fn a_list_is_sorted_by_what_was_said() {
    let store = memory_store();
    let said = |role: &str, timestamp: Option<u64>| {
        let mut message = json!({"role": role, "content": "x"});
        if let Some(timestamp) = timestamp {
            message["timestamp"] = timestamp.into();
        }
        NewNode::message(Message::new(message.to_string()).unwrap())
    };
    let long = "x".repeat(100_000);
    let sessions = [
        // A message's own time counts, the latest of all, and only those of user and assistant.
        (
            "own",
            vec![
                said("user", Some(5_000)).at(1_000),
                said("assistant", Some(4_000)).at(9_000),
                said("toolResult", Some(90_000)).at(99_000),
            ],
            "1970-01-01T00:00:05.000Z",
        ),
        (
            "nodes",
            vec![
                said("user", None).at(7_000),
                said("assistant", None).at(6_000),
            ],
            "1970-01-01T00:00:07.000Z",
        ),
        (
            "none",
            vec![NewNode::of_kind("custom", Message::new("{}").unwrap()).at(99_000)],
            "1970-01-01T00:00:03.000Z",
        ),
        (
            "long",
            vec![
                NewNode::message(
                    Message::new(
                        json!({"role": "user", "content": long, "timestamp": 99_000}).to_string(),
                    )
                    .unwrap(),
                )
                .at(8_000),
            ],
            "1970-01-01T00:00:08.000Z",
        ),
    ];
    for (name, nodes, _) in &sessions {
        let new = NewSession::new().id(*name).at(3_000);
        let tree = store.create_session_with(&new).unwrap();
        tree.append_many(nodes.clone()).unwrap();
    }
    let mut client = Client::new(&store);
    let list = client.data(json!({"type": "list_all_sessions"}))["sessions"].clone();
    let order: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    assert_eq!(order, ["long", "nodes", "own", "none"]);
    for item in list.as_array().unwrap() {
        let (_, _, modified) = sessions
            .iter()
            .find(|(name, _, _)| item["id"] == *name)
            .unwrap();
        assert_eq!(item["modified"], *modified, "{item}");
    }
    // What is long is shown by its preview.
    assert_eq!(list[0]["firstMessage"], "x".repeat(200));
    client.end();
}

/// A connection whose session was deleted by another process still gets lists.
#[test]
fn a_list_is_answered_on_a_deleted_session() {
    let store = memory_store();
    talk(&store, &["kept"]);
    let gone = talk(&store, &["gone"]);
    let mut client = Client::with(&store, Options::default().session(gone.id().as_str()));
    client.data(json!({"type": "get_state"}));
    store.delete_session(gone.id()).unwrap();
    assert_eq!(
        client.failure(json!({"type": "get_tree"})).0,
        "session_not_found"
    );
    client.data(json!({"type": "list_sessions"}));
    let all = client.data(json!({"type": "list_all_sessions"}));
    assert_eq!(all["sessions"].as_array().unwrap().len(), 1);
    client.end();
}
