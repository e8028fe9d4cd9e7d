//! Parts of a conversation: the last messages, those before one, those that fit into a budget.

use serde_json::{Value, json};
use session_tree::{Message, NewNode, SessionTree};

use super::client::{Client, memory_store, talk};
use super::files::{header, imported, said};
use crate::support::full;

fn messages(data: &Value) -> Vec<Value> {
    data["messages"].as_array().unwrap().clone()
}

fn add(tree: &SessionTree, kind: &str, payload: Value) {
    let payload = Message::new(payload.to_string()).unwrap();
    tree.append(NewNode::of_kind(kind, payload).at(0)).unwrap();
}

/// The end of `whole` that `last` and `budget` leave, and whether the budget left something out.
fn expected(whole: &[Value], last: Option<usize>, budget: Option<usize>) -> (Vec<Value>, bool) {
    let wanted = &whole[whole.len() - last.unwrap_or(usize::MAX).min(whole.len())..];
    let mut bytes = 0;
    let fitting = wanted
        .iter()
        .rev()
        .take_while(|message| {
            bytes += message.to_string().len();
            bytes <= budget.unwrap_or(usize::MAX)
        })
        .count();
    (
        wanted[wanted.len() - fitting..].to_vec(),
        fitting < wanted.len(),
    )
}

/// Whatever is asked for, it is that part of the context: with messages that are made up and nodes that say nothing among
/// them, with edits and compactions above, within and below the window.
#[test]
fn parts_of_a_context_are_parts_of_it() {
    let store = memory_store();
    let tree = talk(&store, &["u0", "a1", "u2", "a3", "u4", "a5"]);
    let mut client = Client::new(&store);
    let steps: &[(&str, Value)] = &[
        ("model_change", json!({"provider": "p", "modelId": "m"})),
        (
            "custom_message",
            json!({"customType": "c", "content": "note", "display": false}),
        ),
        ("custom", json!({"customType": "c"})),
        ("branch_summary", json!({"fromId": "n3", "summary": "s"})),
        ("branch_summary", json!({"fromId": "n3", "summary": ""})),
        (
            "message",
            json!({"role": "user", "content": "a long one ".repeat(9)}),
        ),
        (
            "context_edit",
            json!({"targetId": "n4", "replacement": null}),
        ),
        (
            "context_edit",
            json!({"targetId": "n5", "replacement": {"content": "edited"}}),
        ),
        (
            "message",
            json!({"role": "assistant", "content": "after the edits"}),
        ),
        (
            "compaction",
            json!({"summary": "in short", "firstKeptEntryId": "n5", "tokensBefore": 9}),
        ),
        ("message", json!({"role": "user", "content": "on"})),
        ("label", json!({"targetId": "n0", "label": "x"})),
        ("message", json!({"role": "assistant", "content": "and on"})),
    ];
    let mut asked = 0;
    for step in 0..=steps.len() {
        if let Some((kind, payload)) = step.checked_sub(1).map(|at| &steps[at]) {
            add(&tree, kind, payload.clone());
        }
        let context = client.data(json!({"type": "context"}));
        let (whole, ids) = (messages(&context), context["nodeIds"].as_array().unwrap());
        assert_eq!(
            messages(&client.data(json!({"type": "get_messages"}))),
            whole
        );
        let nodes = tree.outline(0, 100).unwrap();
        let befores = nodes
            .iter()
            .map(|node| Some(node.id.as_str()))
            .chain([None]);
        for before in befores {
            let end = match before {
                Some(before) => ids.iter().position(|id| id == before),
                None => Some(whole.len()),
            };
            for last in [None, Some(0), Some(1), Some(3), Some(50)] {
                for budget in [None, Some(0), Some(90), Some(10_000)] {
                    let mut request = json!({"type": "get_messages"});
                    for (name, value) in [("last", last), ("maxBytes", budget)] {
                        if let Some(value) = value {
                            request[name] = json!(value);
                        }
                    }
                    if let Some(before) = before {
                        request["before"] = json!(before);
                    }
                    asked += 1;
                    let Some(end) = end else {
                        let (code, text) = client.failure(request);
                        assert_eq!(code, "invalid_argument", "{text}");
                        continue;
                    };
                    let found = client.data(request.clone());
                    let (expected, is_short) = expected(&whole[..end], last, budget);
                    assert_eq!(messages(&found), expected, "step {step}: {request}");
                    assert_eq!(found["more"] == true, is_short, "step {step}: {request}");
                }
            }
        }
    }
    assert!(asked > 3_000);
    assert_eq!(
        client
            .failure(json!({"type": "get_messages", "before": "nowhere"}))
            .0,
        "node_not_found"
    );
    client.end();
}

/// Where the parent of an ancestor was never written, parts go as far as the path does, and say so if they begin there.
#[test]
fn parts_of_a_cut_context_end_at_the_cut() {
    const MESSAGES: usize = 20;
    let entries = (0..MESSAGES).map(|at| match at {
        0 => said("m0", Some("lost")),
        _ => said(&format!("m{at}"), Some(&format!("m{}", at - 1))),
    });
    let lines: Vec<Value> = std::iter::once(header(3)).chain(entries).collect();
    let store = imported(&lines);
    let mut client = Client::new(&store);
    let whole = messages(&client.data(json!({"type": "get_messages"})));
    assert_eq!(whole.len(), MESSAGES);
    let cut = json!({"nodeId": "m0", "missingParent": "lost"});
    for before in [None, Some(1), Some(7), Some(19)] {
        let end = before.unwrap_or(MESSAGES);
        for last in [
            None,
            Some(1),
            Some(6),
            Some(7),
            Some(19),
            Some(20),
            Some(21),
        ] {
            for budget in [None, Some(60), Some(10_000)] {
                let mut request = json!({"type": "get_messages"});
                for (name, value) in [("last", last), ("maxBytes", budget)] {
                    if let Some(value) = value {
                        request[name] = json!(value);
                    }
                }
                if let Some(before) = before {
                    request["before"] = json!(format!("m{before}"));
                }
                let found = client.data(request.clone());
                let (expected, is_short) = expected(&whole[..end], last, budget);
                assert_eq!(messages(&found), expected, "{request}");
                assert_eq!(found["more"] == true, is_short, "{request}");
                let begins = expected.len() == end;
                let expected = if begins { cut.clone() } else { Value::Null };
                assert_eq!(found["cut"], expected, "{request}");
            }
        }
    }
    // The projection itself refuses what reaches to the cut, and names the branch, not the node before which it ends.
    let request = json!({"type": "linear_projection", "before": "m7", "last": 6});
    assert_eq!(client.data(request)["messages"][0], whole[1]);
    let request = json!({"type": "linear_projection", "before": "m7", "last": 8});
    let (code, text) = client.failure(request);
    assert_eq!(code, "cut_path");
    assert!(text.contains("branch `main`"), "{text}");
    client.end();
}

/// A long conversation (200,000 messages, if asked for) is read back from its end, window by window, by either command: each
/// message once, and windows near the end as good as those near the beginning.
#[test]
fn a_long_conversation_is_read_in_windows() {
    let count = if full() { 200_000 } else { 20_000 };
    let store = memory_store();
    let said = (0..count).map(|at| Message::user(&format!("{at:06}")));
    let tree = store.from_linear(said, 1_700_000_000_000).unwrap();
    let size = Message::user("000000").as_str().len();
    let mut client = Client::new(&store);
    for command in ["get_messages", "linear_projection"] {
        let mut end = count;
        let mut window = 1;
        while end > 0 {
            let mut request = json!({"type": command, "last": window});
            if end < count {
                request["before"] = json!(format!("n{end}"));
            }
            // A budget for half of it, and all of it.
            let half = window.min(end) / 2;
            request["maxBytes"] = json!(half * size);
            let found = client.data(request.clone());
            assert_eq!(messages(&found).len(), half, "{request}");
            assert_eq!(found["more"], true, "{request}");
            request["maxBytes"] = json!(window * size);
            let found = client.data(request.clone());
            assert_eq!(found["more"], Value::Null, "{request}");
            let found = messages(&found);
            assert_eq!(found.len(), window.min(end), "{request}");
            for (message, at) in found.iter().rev().zip((0..end).rev()) {
                assert_eq!(message["content"], format!("{at:06}"));
            }
            end -= found.len();
            window = (window * 3).min(count / 20);
        }
    }
    assert_eq!(tree.info().unwrap().messages, count as u64);
    client.end();
}
