//! Changes and subscriptions.

use serde_json::{Value, json};
use session_tree::{Message, Store};

use super::client::{Client, memory_store, talk};

fn shown(changes: &Value) -> Vec<String> {
    let changes = changes["changes"].as_array().unwrap().iter();
    changes
        .map(|change| match change["kind"].as_str().unwrap() {
            "node" => format!("node {}", change["node"]["id"].as_str().unwrap()),
            _ => change["operation"]["verb"].as_str().unwrap().to_owned(),
        })
        .collect()
}

/// What happened is read in pages, each from where the one before ended.
#[test]
fn changes_are_read_in_pages() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1"]);
    tree.rewind("n0", None).unwrap();
    tree.append_message(Message::user("other"), None).unwrap();
    tree.label("n0", "L").unwrap();
    let mut client = Client::new(&store);
    let mut seen = Vec::new();
    let mut since = Value::Null;
    loop {
        let mut request = json!({"type": "changes", "limit": 2});
        if !since.is_null() {
            request["since"] = since;
        }
        let page = client.data(request);
        seen.extend(shown(&page));
        since = page["cursor"].clone();
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(
        seen,
        ["create", "node n0", "node n1", "rewind", "node n2", "label"]
    );
    assert_eq!(
        client.failure(json!({"type": "changes", "since": "x"})).0,
        "invalid_argument"
    );
    client.end();
}

/// Whoever makes a change, a subscriber is told, and another one goes on later from the cursor it has.
#[test]
fn a_subscriber_is_told_and_goes_on_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("s.db");
    let store = Store::open(&path).unwrap();
    let tree = talk(&store, &["u1"]);
    // A store of its own, as another process has it.
    let elsewhere = Store::open(&path).unwrap().open_session(tree.id()).unwrap();
    let mut client = Client::new(&store);
    let subscribed = client.data(json!({"type": "subscribe"}));
    let mut cursor = subscribed["cursor"].clone();
    let mut seen = Vec::new();
    elsewhere
        .append_message(Message::assistant("a1"), None)
        .unwrap();
    elsewhere.label("n1", "L").unwrap();
    while seen.len() < 2 {
        let event = client.event();
        assert_eq!(
            (&event["type"], &event["session"]),
            (&json!("changes"), &json!(tree.id().as_str()))
        );
        seen.extend(shown(&event));
        cursor = event["cursor"].clone();
    }
    assert_eq!(seen, ["node n1", "label"]);
    client.end();
    elsewhere
        .append_message(Message::user("while away"), None)
        .unwrap();
    let mut again = Client::new(&store);
    again.data(json!({"type": "subscribe", "since": cursor}));
    assert_eq!(shown(&again.event()), ["node n2"]);
    // No more after that; what is asked is answered.
    again.data(json!({"type": "unsubscribe"}));
    elsewhere
        .append_message(Message::user("unheard"), None)
        .unwrap();
    again.data(json!({"type": "has_branches"}));
    again.end();
}

/// A subscription may come before the session's first write, and a deletion ends it.
#[test]
fn a_session_that_comes_and_goes_is_told() {
    let store = memory_store();
    let mut client = Client::new(&store);
    client.data(json!({"type": "subscribe"}));
    client.data(json!({"type": "append_message", "message": {"role": "user", "content": "hi"}}));
    let session = store.sessions().unwrap()[0].id.clone();
    let mut seen = shown(&client.event());
    if seen.len() == 1 {
        seen.extend(shown(&client.event()));
    }
    assert_eq!(seen, ["create", "node n0"]);
    store.delete_session(&session).unwrap();
    assert_eq!(
        client.event(),
        json!({"type": "session_deleted", "session": session.as_str()})
    );
    client.end();
}

#[test]
fn a_subscriber_to_all_is_told_which_sessions_change() {
    let store = memory_store();
    let (one, two) = (talk(&store, &["1"]), talk(&store, &["2"]));
    let mut client = Client::new(&store);
    assert_eq!(
        client.data(json!({"type": "subscribe", "all": true})),
        json!({"cursor": null})
    );
    let cursor = |tree: &session_tree::SessionTree| tree.cursor().unwrap().to_string();
    two.label("n0", "L").unwrap();
    assert_eq!(
        client.event(),
        json!({"type": "session_changed", "session": two.id().as_str(), "cursor": cursor(&two)})
    );
    one.append_message(Message::user("x"), None).unwrap();
    assert_eq!(
        client.event(),
        json!({"type": "session_changed", "session": one.id().as_str(), "cursor": cursor(&one)})
    );
    store.delete_session(two.id()).unwrap();
    assert_eq!(
        client.event(),
        json!({"type": "session_deleted", "session": two.id().as_str()})
    );
    client.end();
}

/// The answer to `subscribe` comes before every event, and a cursor that is not of the session is an error.
#[test]
fn a_subscription_is_answered_first_and_only_from_its_own_cursors() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1"]);
    let session = tree.id().as_str();
    let other = talk(&store, &["u1", "a1"]);
    let of_other = other.changes(None, 100).unwrap().cursor.to_string();
    for _ in 0..20 {
        let mut client = Client::new(&store);
        client.send(&json!({"id": 1, "type": "subscribe", "session": session, "since": "0.0"}));
        let first = client.message().unwrap();
        assert_eq!(first["type"], "response", "{first}");
    }
    let mut client = Client::new(&store);
    let own = client.data(json!({"type": "changes", "session": session}))["cursor"].clone();
    for name in ["changes", "subscribe"] {
        for since in [
            "999999999.1",
            "0.99999999",
            of_other.as_str(),
            "4294967295.9223372036854775807",
        ] {
            let request = json!({"type": name, "session": session, "since": since});
            assert_eq!(
                client.failure(request).0,
                "invalid_argument",
                "{name} {since}"
            );
        }
        client.data(json!({"type": name, "session": session, "since": own}));
    }
    for request in [
        json!({"type": "get_tree", "session": session, "flat": true, "cursor": "3"}),
        json!({"type": "get_tree", "session": session, "flat": true, "root": "n1", "cursor": "2"}),
    ] {
        assert_eq!(client.failure(request).0, "invalid_argument");
    }
    let last = json!({"type": "get_tree", "session": session, "flat": true, "cursor": "2"});
    assert_eq!(client.data(last)["nodes"], json!([]));
    client.end();
}

/// After the answer of `unsubscribe` comes no event, though the watching thread is in the middle of them: what is to be told is
/// more than the server holds for a client that does not read.
#[test]
fn no_event_comes_after_the_end_of_a_subscription() {
    let store = memory_store();
    let tree = talk(&store, &["u1"; 600]);
    let label = "x".repeat(40_000);
    for node in tree.active_path().unwrap() {
        tree.label(&node, &label).unwrap();
    }
    let mut client = Client::new(&store);
    for all in [false, true, false] {
        client.data(json!({"type": "subscribe", "all": true}));
        client.data(json!({"type": "subscribe", "since": "0.0"}));
        assert!(!shown(&client.event()).is_empty());
        client.data(json!({"type": "unsubscribe", "all": all}));
        client.data(json!({"type": "unsubscribe", "all": !all}));
        client.events.clear();
        tree.label("n0", "something more to tell").unwrap();
        client.data(json!({"type": "hello"}));
        assert_eq!(client.events, Vec::<Value>::new());
    }
    // What would still be told comes before the end.
    client.end();
}
