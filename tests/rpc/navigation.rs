//! navigate_tree and its kin: checks in order, exact texts, and what happens while a summary is made.

use serde_json::{Value, json};
use session_tree::rpc::{Dialect, Options};
use session_tree::{Message, NewNode};

use super::client::{Client, memory_store, talk};

const STREAMING: &str =
    "Cannot navigate the session tree while the agent is streaming. Abort or wait for idle first.";

const BUSY: &str = "Cannot navigate the session tree while summarization or compaction is in progress. Wait for idle first.";

pub fn to(target: &str) -> Value {
    json!({"type": "navigate_tree", "targetId": target})
}

fn options(script: &str) -> Options {
    Options::default().summarizer(["sh", "-c", script])
}

/// A summariser that says that it runs, and ends when it may.
struct Gate {
    directory: tempfile::TempDir,
}

impl Gate {
    fn new() -> Gate {
        Gate {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    fn options(&self) -> Options {
        let at = self.directory.path().display();
        options(&format!(
            "cat > '{at}/request'; touch '{at}/runs'; while [ ! -e '{at}/go' ]; do sleep 0.01; done; echo the summary"
        ))
    }

    fn wait_until_it_runs(&self) {
        let runs = self.directory.path().join("runs");
        while !runs.exists() {
            std::thread::yield_now();
        }
    }

    fn let_go(&self) {
        std::fs::write(self.directory.path().join("go"), "").unwrap();
    }

    fn request(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.directory.path().join("request")).unwrap())
            .unwrap()
    }
}

/// V01 to V06, V10, V12, V15, V20, V21, V23: where the leaf goes, what is answered, and that nothing else is written.
#[test]
fn a_move_goes_where_it_should() {
    let cases: &[(&str, Value, Value)] = &[
        // V01: before the first node.
        (
            "n0",
            json!({"cancelled": false, "editorText": "u1"}),
            Value::Null,
        ),
        // V02: before a user's message.
        (
            "n2",
            json!({"cancelled": false, "editorText": "u2"}),
            json!("n1"),
        ),
        // V03: anything else is gone to itself.
        ("n1", json!({"cancelled": false}), json!("n1")),
        // V04
        (
            "note",
            json!({"cancelled": false, "editorText": "take note"}),
            json!("n3"),
        ),
        // V05: nothing happens, the label included.
        ("n5", json!({"cancelled": false}), json!("n5")),
    ];
    for (target, expected, leaf) in cases {
        let store = memory_store();
        let tree = talk(&store, &["u1", "a1", "u2", "a2"]);
        let note = Message::new(
            r#"{"customType":"c","content":[{"type":"text","text":"take "},{"type":"text","text":"note"}],"display":true}"#,
        );
        tree.append(NewNode::of_kind("custom_message", note.unwrap()).id("note"))
            .unwrap();
        tree.append_message(Message::assistant("a3"), None).unwrap();
        let mut client = Client::new(&store);
        let mut request = to(target);
        request["label"] = json!("mark");
        assert_eq!(client.data(request), *expected, "{target}");
        let after = client.data(json!({"type": "get_tree", "flat": true}));
        assert_eq!(after["leafId"], *leaf, "{target}");
        // V12: no node was written; V15: the label is on the target, but for a move to where one is.
        assert_eq!(after["nodes"].as_array().unwrap().len(), 6);
        let labels = after["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|node| node["label"] == "mark");
        let labelled: Vec<&Value> = labels.map(|node| &node["id"]).collect();
        let is_here = *target == "n5";
        assert_eq!(labelled, if is_here { vec![] } else { vec![target] });
        // V20
        let state = client.data(json!({"type": "get_state"}));
        assert_eq!(state["leafId"], *leaf);
        assert_eq!(state["isCompacting"], false);
        client.end();
    }
}

/// V23: a user's message whose parent was never written is reached, and its parent is none.
#[test]
fn the_checks_stand_in_order() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1"]);
    let mut client = Client::new(&store);
    // V06, and no id at all.
    assert_eq!(
        client.failure(to("zz")),
        ("node_not_found".into(), "Entry zz not found".into())
    );
    assert_eq!(
        client.failure(json!({"type": "navigate_tree"})).1,
        "Entry undefined not found"
    );
    // V11: the missing summariser comes before the unknown id, and after being there already.
    let summarize =
        |target: &str| json!({"type": "navigate_tree", "targetId": target, "summarize": true});
    assert_eq!(
        client.failure(summarize("zz")).1,
        "No model available for summarization"
    );
    assert_eq!(client.data(summarize("n1")), json!({"cancelled": false}));
    // V07: streaming comes before all.
    let turn = tree.begin_turn(None).unwrap();
    assert_eq!(
        client.failure(summarize("zz")),
        ("busy".into(), STREAMING.into())
    );
    assert_eq!(client.failure(to("n1")).1, STREAMING);
    assert_eq!(
        client.data(json!({"type": "get_state"}))["isStreaming"],
        true
    );
    turn.end().unwrap();
    // The connection's own turn counts too.
    client.data(json!({"type": "begin_turn"}));
    assert_eq!(client.failure(to("n1")).1, STREAMING);
    client.data(json!({"type": "end_turn"}));
    let planned = tree
        .plan_navigation("n0", &session_tree::NavigateOptions::new())
        .unwrap();
    assert_eq!(client.failure(to("n0")), ("busy".into(), BUSY.into()));
    drop(planned);
    assert_eq!(tree.active_path().unwrap().len(), 2, "nothing was moved");
    client.end();
    let turn = tree.begin_turn(None).unwrap();
    let mut pi = Client::with(&store, Options::default().dialect(Dialect::Pi));
    assert_eq!(
        pi.failure(to("n0")).1,
        "Wait for the current response to finish before navigating the session tree."
    );
    turn.end().unwrap();
    let planned = tree
        .plan_navigation("n0", &session_tree::NavigateOptions::new())
        .unwrap();
    assert_eq!(
        pi.failure(to("n0")).1,
        "Wait for the current compaction or tree navigation to finish before navigating the session tree."
    );
    drop(planned);
    pi.end();
}

/// V09, V14, V16, V22: while a summary is made, the session is held, other commands of the same connection are answered with
/// what was before, and in the end the summary stands under the new leaf.
#[test]
fn commands_are_answered_while_a_summary_is_made() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1", "u2", "a2"]);
    let gate = Gate::new();
    let mut client = Client::with(&store, gate.options());
    client.send(&json!({"id": "slow", "type": "navigate_tree", "targetId": "n2", "summarize": true, "label": "L",
        "customInstructions": "be brief"}));
    // Sent at once, so they are behind it in the order of arrival, and each meets the held session.
    assert_eq!(client.failure(to("n0")).1, BUSY);
    let state = client.data(json!({"type": "get_state"}));
    assert_eq!(
        (&state["isCompacting"], &state["leafId"]),
        (&json!(true), &json!("n3"))
    );
    assert_eq!(
        client
            .failure(json!({"type": "append_message", "message": {"role": "user"}}))
            .0,
        "busy"
    );
    assert_eq!(client.failure(json!({"type": "begin_turn"})).0, "busy");
    assert_eq!(
        client.data(json!({"type": "linear_projection"}))["messages"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    // On another connection it is the same.
    let mut other = Client::with(&store, gate.options());
    assert_eq!(other.failure(to("n0")).1, BUSY);
    assert_eq!(other.failure(json!({"type": "begin_turn"})).0, "busy");
    other.end();
    gate.wait_until_it_runs();
    gate.let_go();
    let done = client.answer();
    assert_eq!(
        (&done["id"], &done["data"]),
        (
            &json!("slow"),
            &json!({"cancelled": false, "editorText": "u2"})
        )
    );
    // V16: what is left behind ends before the common ancestor of the old leaf and the target, which is the target.
    assert_eq!(
        gate.request(),
        json!({"text": "assistant: a2\n", "customInstructions": "be brief", "replaceInstructions": false})
    );
    let state = client.data(json!({"type": "get_state"}));
    assert_eq!(state["isCompacting"], false);
    let leaf = state["leafId"].as_str().unwrap();
    let summary = tree.node(leaf).unwrap().unwrap();
    assert_eq!(
        (
            summary.kind.as_str(),
            summary.parent.as_deref(),
            summary.label.as_deref()
        ),
        ("branch_summary", Some("n1"), Some("L"))
    );
    assert!(
        summary.message.as_str().contains("the summary"),
        "{}",
        summary.message
    );
    assert_eq!(
        client.data(json!({"type": "summaries", "branch": "main-rewound"}))["summaries"][0]["summary"],
        "the summary"
    );
    client.end();
}

/// R19 for the one command that may be answered late.
#[test]
fn the_end_of_the_input_waits_for_a_summary() {
    let store = memory_store();
    talk(&store, &["u1", "a1"]);
    let gate = Gate::new();
    let mut client = Client::with(&store, gate.options());
    client.send(&json!({"id": 1, "type": "navigate_tree", "targetId": "n0", "summarize": true}));
    client.send(&json!({"id": 2, "type": "has_branches"}));
    client.close_input();
    assert_eq!(client.answer()["id"], 2);
    gate.let_go();
    assert_eq!(client.answer()["data"]["cancelled"], false);
    client.end();
}

/// V08, V18: an abort from the same connection, from another one, and from outside the server.
#[test]
fn a_summary_is_aborted_from_anywhere() {
    for who in ["same", "other", "library"] {
        let store = memory_store();
        let tree = talk(&store, &["u1", "a1"]);
        let gate = Gate::new();
        let mut client = Client::with(&store, gate.options());
        let mut other = Client::new(&store);
        client.send(&json!({"id": "nav", "type": "navigate", "targetId": "n0", "summarize": true}));
        gate.wait_until_it_runs();
        let abort = json!({"id": "abort", "type": "abort_navigation"});
        let mut answers = Vec::new();
        match who {
            "same" => {
                client.send(&abort);
                answers.push(client.answer());
            }
            "other" => drop(other.data(abort)),
            _ => assert!(tree.abort_navigation().unwrap()),
        }
        answers.push(client.answer());
        // On one connection the two answers may come in either order.
        let done = answers
            .iter()
            .find(|answer| answer["id"] == "nav")
            .expect("the navigation was answered");
        assert_eq!(
            (&done["data"]["cancelled"], &done["data"]["aborted"]),
            (&json!(true), &json!(true)),
            "{who}"
        );
        assert_eq!(tree.active_path().unwrap(), ["n0", "n1"]);
        assert_eq!(tree.who().unwrap(), None);
        assert_eq!(
            other.data(json!({"type": "abort_navigation"})),
            json!({"aborted": false})
        );
        client.end();
        other.end();
    }
}

/// V19: a summariser that fails changes nothing, and its text is answered without a prefix.
#[test]
fn a_summariser_that_fails_changes_nothing() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1"]);
    for (script, text) in [
        (
            "echo no key >&2; exit 1",
            "the summariser ended with exit status: 1: no key",
        ),
        ("printf '\\377'", "the summariser's output is not UTF-8"),
    ] {
        let mut client = Client::with(&store, options(script));
        let failure =
            client.failure(json!({"type": "navigate_tree", "targetId": "n0", "summarize": true}));
        assert_eq!(failure, ("summarizer_failed".into(), text.into()));
        client.end();
    }
    let mut client = Client::with(
        &store,
        options("sleep 1000").summarizer_timeout(std::time::Duration::from_millis(50)),
    );
    let failure =
        client.failure(json!({"type": "navigate_tree", "targetId": "n0", "summarize": true}));
    assert_eq!(failure.0, "summarizer_failed");
    // V17: with nothing left behind there is nothing to summarise.
    tree.rewind("n0", None).unwrap();
    assert_eq!(
        client.data(
            json!({"type": "navigate_tree", "targetId": "n1", "summarize": true, "label": "L"})
        ),
        json!({"cancelled": false})
    );
    assert_eq!(
        tree.node("n1").unwrap().unwrap().label.as_deref(),
        Some("L")
    );
    assert_eq!(tree.who().unwrap(), None);
    client.end();
}

/// V17, and a summariser that writes nothing: the move is made, and the answer says that there is no summary and why. In dreb's
/// own command it says no more than dreb's.
#[test]
fn a_move_without_its_summary_says_so() {
    let cases: &[(&str, &str, &str, Value)] = &[
        ("true", "n3", "n1", json!("empty_summary")),
        ("echo", "n3", "n1", json!("empty_summary")),
        ("echo unused", "n1", "n3", json!("nothing_left_behind")),
        ("echo used", "n3", "n1", Value::Null),
    ];
    for (script, from, target, expected) in cases {
        let store = memory_store();
        talk(&store, &["u1", "a1", "u2", "a2"]);
        let mut client = Client::with(&store, options(script));
        client.data(to(from));
        let done = client.data(json!({"type": "navigate", "targetId": target, "summarize": true}));
        assert_eq!(done["unsummarized"], *expected, "{script}");
        assert_eq!(done["cancelled"], false);
        assert_eq!(done["summaryNode"].is_null(), !expected.is_null());
        let leaf = client.data(json!({"type": "get_state"}))["leafId"].clone();
        assert_eq!(leaf, done["leafId"]);
        assert_eq!(leaf == *target, !expected.is_null(), "{script}");
        client.end();
    }
    // The same of a summary that the client gives.
    let store = memory_store();
    talk(&store, &["u1", "a1", "u2", "a2"]);
    let mut client = Client::with(&store, options("true"));
    client.data(json!({"type": "plan_navigation", "targetId": "n1"}));
    let done = client.data(json!({"type": "commit_navigation", "summary": ""}));
    assert_eq!(done["unsummarized"], "empty_summary");
    client.data(to("n3"));
    let mut request = to("n1");
    request["summarize"] = json!(true);
    assert_eq!(client.data(request), json!({"cancelled": false}));
    client.end();
}
