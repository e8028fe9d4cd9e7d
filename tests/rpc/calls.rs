//! Every call of the library as a command.

use serde_json::{Value, json};
use session_tree::rpc::{Access, Options};

use super::client::{Client, memory_store, talk};

/// Cases: a request, and its `data` (null where there is none) or the code of its failure.
fn run(client: &mut Client, cases: &[(Value, Value)]) {
    for (request, expected) in cases {
        let answer = client.ask(request.clone());
        let found = match answer["success"] == true {
            true => &answer["data"],
            false => &answer["code"],
        };
        assert_eq!(found, expected, "{request}\n{answer}");
    }
}

#[test]
fn a_session_is_written_moved_in_and_read() {
    let store = memory_store();
    let mut client = Client::new(&store);
    let user = |text: &str| json!({"role": "user", "content": text});
    run(
        &mut client,
        &[
            (
                json!({"type": "active_path"}),
                json!({"nodeIds": [], "cut": null}),
            ),
            (
                json!({"type": "append_message", "message": user("a"), "createdAtMs": 1}),
                json!({"nodeId": "n0"}),
            ),
            (
                json!({"type": "append_message", "message": user("b"), "expectedLeaf": null}),
                json!("leaf_moved"),
            ),
            (
                json!({"type": "append_message", "message": user("b"), "expectedLeaf": "n0", "createdAtMs": 2}),
                json!({"nodeId": "n1"}),
            ),
            (
                json!({"type": "append_message", "message": [1]}),
                json!("invalid_message"),
            ),
            (json!({"type": "append_message"}), json!("invalid_argument")),
            (
                json!({"type": "append_many", "nodes": [
                    {"kind": "message", "payload": user("c"), "createdAtMs": 3},
                    {"kind": "note", "payload": {"x": 1}, "createdAtMs": 4, "nodeId": "mine"},
                ]}),
                json!({"nodeIds": ["n2", "mine"]}),
            ),
            (
                json!({"type": "append", "kind": "note", "payload": {"x": 1}, "createdAtMs": 4, "nodeId": "mine"}),
                json!({"nodeId": "mine"}),
            ),
            (
                json!({"type": "append", "kind": "note", "payload": {"x": 2}, "nodeId": "mine"}),
                json!("id_taken"),
            ),
            (
                json!({"type": "has_branches"}),
                json!({"hasBranches": false}),
            ),
            (
                json!({"type": "rewind", "nodeId": "n0"}),
                json!({"preservedBranch": "main-rewound"}),
            ),
            (
                json!({"type": "rewind", "nodeId": "n0"}),
                json!({"preservedBranch": null}),
            ),
            (
                json!({"type": "rewind", "nodeId": "n77"}),
                json!("node_not_found"),
            ),
            (
                json!({"type": "branch", "fromNode": "n0"}),
                json!({"branch": "branch"}),
            ),
            (
                json!({"type": "branch", "fromNode": "n0", "name": "branch"}),
                json!("branch_exists"),
            ),
            (
                json!({"type": "create_branch", "name": "empty"}),
                json!({"branch": "empty"}),
            ),
            (
                json!({"type": "append", "branch": "empty", "kind": "message", "payload": user("r"), "createdAtMs": 5}),
                json!({"nodeId": "n4"}),
            ),
            (
                json!({"type": "append_message", "message": user("d"), "createdAtMs": 6}),
                json!({"nodeId": "n5"}),
            ),
            (
                json!({"type": "switch_branch", "name": "main-rewound"}),
                Value::Null,
            ),
            (
                json!({"type": "switch_branch", "name": "nowhere"}),
                json!("branch_not_found"),
            ),
            (
                json!({"type": "active_path"}),
                json!({"nodeIds": ["n0", "n1", "n2", "mine"], "cut": null}),
            ),
            (
                json!({"type": "active_path", "branch": "branch", "allowCut": true}),
                json!({"nodeIds": ["n0", "n5"], "cut": null}),
            ),
            (
                json!({"type": "path_of", "branch": "branch"}),
                json!({"nodeIds": ["n0", "n5"]}),
            ),
            (
                json!({"type": "linear_projection"}),
                json!({"messages": [user("a"), user("b"), user("c")]}),
            ),
            (
                json!({"type": "linear_projection", "last": 2}),
                json!({"messages": [user("b"), user("c")]}),
            ),
            (
                json!({"type": "linear_projection", "last": 1, "before": "n2"}),
                json!({"messages": [user("b")]}),
            ),
            (
                json!({"type": "linear_projection", "before": "n5"}),
                json!("invalid_argument"),
            ),
            (
                json!({"type": "linear_projection_of", "branch": "branch"}),
                json!({"messages": [user("a"), user("d")]}),
            ),
            (
                json!({"type": "projection_with_report", "branch": "empty"}),
                json!({"messages": [user("r")]}),
            ),
            (json!({"type": "roots"}), json!({"nodeIds": ["n0", "n4"]})),
            (
                json!({"type": "leaves"}),
                json!({"nodeIds": ["mine", "n4", "n5"]}),
            ),
            (
                json!({"type": "children", "nodeId": "n0"}),
                json!({"nodeIds": ["n1", "n5"]}),
            ),
            (
                json!({"type": "subtree", "nodeId": "n1"}),
                json!({"nodeIds": ["n1", "n2", "mine"]}),
            ),
            (
                json!({"type": "common_ancestor", "from": "n2", "to": "n5"}),
                json!({"nodeId": "n0"}),
            ),
            (
                json!({"type": "common_ancestor", "from": "n2", "to": "n4"}),
                json!({"nodeId": null}),
            ),
            (
                json!({"type": "path_between", "from": "n1", "to": "n5"}),
                json!({"nodeIds": ["n1", "n0", "n5"]}),
            ),
            (
                json!({"type": "diff", "left": "main-rewound", "right": "branch"}),
                json!({"commonAncestor": "n0", "onlyLeft": ["n1", "n2", "mine"], "onlyRight": ["n5"]}),
            ),
            (
                json!({"type": "label", "nodeId": "n1", "label": "here"}),
                Value::Null,
            ),
            (
                json!({"type": "node", "nodeId": "n1"}),
                json!({"node": {"id": "n1", "parentId": "n0", "type": "message",
            "children": ["n2"], "label": "here", "createdAtMs": 2, "message": user("b")}}),
            ),
            (json!({"type": "clear_label", "nodeId": "n1"}), Value::Null),
            (
                json!({"type": "label", "nodeId": "n99", "label": "x"}),
                json!("node_not_found"),
            ),
            (
                json!({"type": "node", "nodeId": "n99"}),
                json!({"node": null}),
            ),
            (
                json!({"type": "summarize_branch", "branch": "branch", "summary": "S", "modelId": "m", "timestampMs": 7}),
                Value::Null,
            ),
            (
                json!({"type": "summarize_branch", "branch": "nowhere", "summary": "S"}),
                json!("branch_not_found"),
            ),
            (
                json!({"type": "summaries", "branch": "branch"}),
                json!({"summaries": [
            {"branch": "branch", "summary": "S", "nodeId": "n5", "modelId": "m", "createdAtMs": 7}]}),
            ),
            (
                json!({"type": "render_branch_text", "branch": "branch"}),
                json!({"text": "user: a\nuser: d\n"}),
            ),
            (
                json!({"type": "archive_branch", "name": "branch"}),
                Value::Null,
            ),
            (json!({"type": "archive"}), Value::Null),
        ],
    );
    let branches = client.data(json!({"type": "list_branches"}));
    assert_eq!(branches["activeBranch"], "main-rewound");
    let shown: Vec<String> = branches["branches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|branch| {
            format!(
                "{} {} {} {}",
                branch["name"], branch["leafId"], branch["isActive"], branch["isArchived"]
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            r#""branch" "n5" false true"#,
            r#""empty" "n4" false false"#,
            r#""main" "n0" false false"#,
            r#""main-rewound" "mine" true false"#,
        ]
    );
    let splice = client.data(json!({"type": "splice_for_linear_export"}));
    assert_eq!(splice["messages"].as_array().unwrap().len(), 3);
    assert_eq!(splice["summaries"][0]["summary"], "S");
    assert_eq!(
        splice["summaries"][1]["summary"],
        "[1 turn(s), unsummarized]"
    );
    client.end();
}

/// A budget of bytes takes from the end, and never more than fits.
#[test]
fn a_projection_fits_its_budget() {
    let store = memory_store();
    let texts: Vec<String> = (0..100).map(|at| format!("{at:010}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    talk(&store, &texts);
    let mut client = Client::new(&store);
    let whole = client.data(json!({"type": "linear_projection"}))["messages"]
        .as_array()
        .unwrap()
        .clone();
    let sizes: Vec<usize> = whole
        .iter()
        .map(|message| message.to_string().len())
        .collect();
    for wanted in [0, 1, 15, 16, 17, 63, 100] {
        let budget: usize = sizes[100 - wanted..].iter().sum();
        for (spare, last) in [(0, None), (10, None), (0, Some(40))] {
            let mut request = json!({"type": "linear_projection", "maxBytes": budget + spare});
            if let Some(last) = last {
                request["last"] = json!(last);
            }
            let found = client.data(request);
            let expected = &whole[100 - wanted.min(last.unwrap_or(100))..];
            assert_eq!(
                found["messages"].as_array().unwrap(),
                expected,
                "{wanted} of 100, {spare} to spare"
            );
        }
    }
    client.end();
}

/// A turn belongs to its connection: what it does there is in it, others are kept out, and its end lets them in.
#[test]
fn a_turn_belongs_to_its_connection() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1"]);
    let (mut one, mut other) = (Client::new(&store), Client::new(&store));
    one.data(json!({"type": "hello", "client": "phone"}));
    assert_eq!(
        one.data(json!({"type": "begin_turn"})),
        json!({"branch": "main", "leafId": "n1"})
    );
    assert_eq!(one.failure(json!({"type": "begin_turn"})).0, "busy");
    let message = json!({"role": "user", "content": "x"});
    let answer = other.ask(json!({"type": "append_message", "message": message}));
    assert_eq!(
        (&answer["code"], &answer["retryable"]),
        (&json!("busy"), &json!(true))
    );
    assert!(
        answer["error"].as_str().unwrap().contains("`phone`"),
        "{answer}"
    );
    assert_eq!(
        one.data(json!({"type": "append_message", "message": message}))["nodeId"],
        "n2"
    );
    assert_eq!(
        one.data(json!({"type": "rewind", "nodeId": "n1"}))["preservedBranch"],
        "main-rewound"
    );
    assert_eq!(
        one.data(json!({"type": "branch", "fromNode": "n0", "name": "b"}))["branch"],
        "b"
    );
    one.data(json!({"type": "switch_branch", "name": "main"}));
    // Labels and reads are free.
    other.data(json!({"type": "label", "nodeId": "n0", "label": "free"}));
    assert_eq!(
        other.data(json!({"type": "get_state"}))["isStreaming"],
        true
    );
    let holders = other.data(json!({"type": "who"}))["holders"].clone();
    assert_eq!(
        (&holders[0]["actor"], &holders[0]["kind"]),
        (&json!("phone"), &json!("turn"))
    );
    let all = other.data(json!({"type": "who", "all": true}))["holders"].clone();
    assert_eq!(all[0]["session"], holders[0]["session"]);
    assert_eq!(
        other.data(json!({"type": "release"})),
        json!({"released": true})
    );
    assert_eq!(
        one.failure(json!({"type": "append_message", "message": message}))
            .0,
        "turn_lost"
    );
    one.data(json!({"type": "end_turn"}));
    assert_eq!(
        one.data(json!({"type": "append_message", "message": message}))["nodeId"],
        "n3"
    );
    // The end of a connection ends its turn, after what was asked.
    one.data(json!({"type": "begin_turn"}));
    one.end();
    assert_eq!(tree.who().unwrap(), None);
    other.end();
}

/// What a server was started without is refused, and `hello` says what there is.
#[test]
fn rights_are_kept() {
    let store = memory_store();
    let tree = talk(&store, &["u1", "a1"]);
    let mut client = Client::with(
        &store,
        Options::default().allow([Access::Read, Access::Label]),
    );
    let hello = client.data(json!({"type": "hello", "client": "viewer"}));
    let commands: Vec<&str> = hello["commands"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        commands.contains(&"get_tree")
            && commands.contains(&"label")
            && !commands.contains(&"rewind")
    );
    assert_eq!(hello["storeId"], store.id().unwrap());
    client.data(json!({"type": "label", "nodeId": "n0", "label": "x"}));
    for command in session_tree::rpc::command_names() {
        if !commands.contains(&command) {
            // Rights are looked at before the request is.
            client.send_bytes(format!("{{\"type\":\"{command}\"}}\n").as_bytes());
            assert_eq!(client.answer()["code"], "not_allowed", "{command}");
        }
    }
    assert_eq!(tree.active_path().unwrap().len(), 2);
    client.end();
}
