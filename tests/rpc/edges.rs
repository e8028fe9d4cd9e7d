//! Requests at the edge of what is taken, and servers that are started wrongly.

use serde_json::{Value, json};
use session_tree::rpc::Options;
use session_tree::{ErrorKind, Message, Store};

use super::client::{Client, memory_store, talk};
use super::program::Place;

/// As JavaScript reads them: of members with one name the last counts, and half of a surrogate pair is U+FFFD.
#[test]
fn requests_are_read_as_javascript_reads_them() {
    let store = memory_store();
    let tree = talk(&store, &["u1"]);
    let mut client = Client::new(&store);
    client.send_bytes(
        b"{\"type\":\"append_message\",\"message\":{\"role\":\"user\",\"content\":\"a\"},\"message\":{\"role\":\"user\",\"content\":\"b\"}}\n",
    );
    assert_eq!(client.answer()["data"], json!({"nodeId": "n1"}));
    assert_eq!(tree.linear_projection().unwrap()[1].text(), "b");
    client.send_bytes(b"{\"type\":\"set_session_name\",\"name\":\"x\\ud800y\"}\n");
    while client.message().unwrap()["type"] != "response" {}
    assert_eq!(tree.info().unwrap().name.as_deref(), Some("x\u{fffd}y"));
    // In the nodes of a list too; a payload stays as it is.
    let payload = r#"{"a":1,"a":2,"b":"\ud800"}"#;
    client.send_bytes(
        format!(
            concat!(
                r#"{{"type":"append_many","nodes":[{{"kind":"x","kind":"y","payload":{{}}}},"#,
                r#"{{"kind":"k\ud800","payload":{},"nodeId":"\udc00","nodes":[{{"kind":1}}]}}]}}"#,
                "\n"
            ),
            payload
        )
        .as_bytes(),
    );
    assert_eq!(
        client.answer()["data"],
        json!({"nodeIds": ["n2", "\u{fffd}"]})
    );
    let kinds: Vec<String> = tree
        .outline(2, 9)
        .unwrap()
        .into_iter()
        .map(|it| it.kind)
        .collect();
    assert_eq!(kinds, ["y", "k\u{fffd}"]);
    let stored = tree.node("\u{fffd}").unwrap().unwrap();
    assert_eq!(stored.message.as_str(), payload);
    client.end();
}

#[test]
fn a_member_of_the_wrong_type_is_named() {
    let store = memory_store();
    talk(&store, &["u1"]);
    let mut client = Client::new(&store);
    for (request, name) in [
        (json!({"type": "node", "nodeId": 5}), "nodeId"),
        (
            json!({"type": "rewind", "nodeId": "n0", "timestampMs": "x"}),
            "timestampMs",
        ),
        (json!({"type": "append_many", "nodes": 5}), "nodes"),
        (json!({"type": "append_many", "nodes": [5]}), "nodes[0]"),
        (
            json!({"type": "append_many", "nodes": [["message", {"role": "user"}, null, null, null, null]]}),
            "nodes[0]",
        ),
        (
            json!({"type": "append_many", "nodes": [{"kind": "x", "payload": {}}, {"kind": "x"}]}),
            "nodes[1]",
        ),
        (
            json!({"type": "append_many", "nodes": [
                {"kind": "x", "payload": {}, "nodeId": null}, {"kind": "x", "payload": {}},
                {"kind": "x", "payload": {}}, {"payload": {}, "more": 1, "nodeId": 7, "kind": 8}]}),
            "nodes[3].nodeId",
        ),
        (json!({"type": "get_tree", "session": {}}), "session"),
    ] {
        let (code, text) = client.failure(request);
        assert_eq!(code, "invalid_argument");
        assert!(
            text.contains(&format!("the request cannot be used: `{name}`: ")),
            "{text}"
        );
    }
    // What is JSON of the right type, and no payload.
    for (request, place) in [
        (
            json!({"type": "append_many", "nodes": [{"kind": "x", "payload": {}}, {"kind": "x", "payload": 1}]}),
            "nodes[1].payload",
        ),
        (
            json!({"type": "from_linear", "messages": [{"role": "user"}, {"role": "user"}, []]}),
            "messages[2]",
        ),
    ] {
        let (code, text) = client.failure(request);
        assert_eq!(code, "invalid_message");
        assert!(text.starts_with(&format!("`{place}`: ")), "{text}");
    }
    // What the operation itself refuses.
    for (request, place) in [
        (
            json!({"type": "append_many", "nodes": [{"kind": "x", "payload": {}}, {"kind": "", "payload": {}}]}),
            "nodes[1]",
        ),
        (
            json!({"type": "append_many", "nodes": [{"kind": "x", "payload": {}, "nodeId": ""}]}),
            "nodes[0]",
        ),
    ] {
        let (code, text) = client.failure(request);
        assert_eq!(code, "invalid_argument");
        assert!(text.starts_with(&format!("`{place}`: a node")), "{text}");
    }
    for (request, missing) in [
        (json!({"type": "node"}), "nodeId"),
        (json!({"type": "diff", "left": "main"}), "right"),
    ] {
        let text = client.failure(request).1;
        let expected = format!("the request cannot be used: missing field `{missing}`");
        assert_eq!(text, expected);
    }
    client.end();
}

/// Times that ISO 8601 cannot name are refused where they come in, and nothing is written.
#[test]
fn times_lie_in_the_years_0_to_9999() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1"]);
    let mut client = Client::new(&store);
    for time in [i64::MIN, -62_167_219_200_001, 253_402_300_800_000, i64::MAX] {
        for request in [
            json!({"type": "append_message", "message": {"role": "user"}, "createdAtMs": time}),
            json!({"type": "append_many", "nodes": [{"kind": "x", "payload": {}, "createdAtMs": time}]}),
            json!({"type": "rewind", "nodeId": "n0", "timestampMs": time}),
            json!({"type": "branch", "fromNode": "n0", "timestampMs": time}),
            json!({"type": "summarize_branch", "branch": "main", "summary": "s", "timestampMs": time}),
            json!({"type": "from_linear", "messages": [], "createdAtMs": time}),
        ] {
            assert_eq!(
                client.failure(request.clone()).0,
                "invalid_argument",
                "{request}"
            );
        }
    }
    assert_eq!(tree.outline(0, 9).unwrap().len(), 2);
    assert_eq!(
        (
            tree.branches().unwrap().len(),
            store.sessions().unwrap().len()
        ),
        (1, 1)
    );
    for time in [-62_167_219_200_000, 253_402_300_799_999_i64] {
        tree.append_message(Message::user("x"), time).unwrap();
    }
    let error = tree
        .append_message(Message::user("x"), i64::MAX)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    client.end();
}

/// An answer from which a budget left messages out never looks like the beginning.
#[test]
fn a_budget_that_leaves_messages_out_says_so() {
    let store = memory_store();
    talk(&store, &["u1", &"a".repeat(500)]);
    let mut client = Client::new(&store);
    let mut asked =
        |bytes: u64| client.data(json!({"type": "linear_projection", "maxBytes": bytes}));
    assert_eq!(asked(100), json!({"messages": [], "more": true}));
    let last = asked(550);
    assert_eq!(
        (last["messages"].as_array().unwrap().len(), &last["more"]),
        (1, &json!(true))
    );
    let all = asked(5_000);
    assert_eq!(
        (all["messages"].as_array().unwrap().len(), &all["more"]),
        (2, &Value::Null)
    );
    client.end();
}

/// What would change a store that is only read says so, all of it with one code; what writes other files is not allowed, and
/// neither is anything where the store could be written.
#[test]
fn a_store_that_is_only_read_says_so() {
    let place = Place::new();
    talk(&Store::open(place.path("s.db")).unwrap(), &["u1"]);
    let allowed: Vec<Value> = {
        let output = place.run(&["--read-only"], "{\"type\":\"hello\"}\n");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["data"]["commands"].as_array().unwrap().clone()
    };
    let refused: Vec<&str> = session_tree::rpc::command_names()
        .filter(|name| !allowed.contains(&json!(name)))
        .collect();
    for name in [
        "begin_turn",
        "navigate_tree",
        "append_message",
        "label",
        "release",
        "export",
    ] {
        assert!(refused.contains(&name), "{name}");
    }
    let input: String = refused
        .iter()
        .map(|name| format!("{{\"type\":\"{name}\",\"targetId\":\"n0\"}}\n"))
        .collect();
    let output = place.run(&["--read-only"], &input);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), refused.len());
    for (line, name) in text.lines().zip(&refused) {
        let answer: Value = serde_json::from_str(line).unwrap();
        let expected = match *name {
            "export" | "backup" => "not_allowed",
            _ => "read_only",
        };
        assert_eq!(answer["code"], expected, "{answer}");
    }
    // A server that may write, but not for this client, says that.
    let store = memory_store();
    let mut client = Client::with(
        &store,
        Options::default().allow([session_tree::rpc::Access::Read]),
    );
    for name in refused {
        assert_eq!(client.failure(json!({"type": name})).0, "not_allowed");
    }
    client.end();
}

#[test]
fn a_server_that_is_set_up_wrongly_does_not_start() {
    for (words, said) in [
        (["--summarizer", " "], "--summarizer"),
        (["--summarizer-timeout", "0"], "--summarizer-timeout"),
        (["--files", "no/such"], "--files"),
    ] {
        let output = Place::new().run(&words, "");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(said));
        assert!(output.stdout.is_empty());
    }
}

/// Each path that a socket can have is served; a longer one is refused.
#[test]
fn sockets_have_paths_of_any_length_that_can_be_connected_to() {
    let place = Place::new();
    let root = place
        .path("")
        .display()
        .to_string()
        .trim_end_matches('/')
        .len();
    let longest = (root..200)
        .rev()
        .find(|length| std::os::unix::net::SocketAddr::from_pathname("x".repeat(*length)).is_ok());
    let longest = longest.unwrap();
    let directory = "d".repeat(longest - root - 3);
    std::fs::create_dir(place.path(&directory)).unwrap();
    let (server, stream) = super::program::listen_at(&place, &format!("{directory}/s"), &[]);
    let mut client = Client::over(stream, None);
    client.data(json!({"type": "get_state"}));
    client.end();
    drop(server);
    let name = format!("unix:{}", place.path(&format!("{directory}/ss")).display());
    let output = place.run(&["--listen", &name], "");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("too long for a socket"), "{text}");
    assert_eq!(text.lines().count(), 1);
}
