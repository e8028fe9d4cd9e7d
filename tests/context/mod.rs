//! What the model should see of a path, node by node, and as the programs that wrote the corpus build it.

mod oracles;

use serde_json::{Value, json};
use session_tree::{Context, Message, NewNode, Selection, SessionTree, Store};

use crate::imports::import;
use crate::support;

fn tree(nodes: &[(&str, Value)]) -> SessionTree {
    let tree = Store::builder()
        .open_in_memory()
        .unwrap()
        .create_session()
        .unwrap();
    for (at, (kind, payload)) in nodes.iter().enumerate() {
        let payload = Message::new(payload.to_string()).unwrap();
        tree.append(NewNode::of_kind(*kind, payload).at(at as i64))
            .unwrap();
    }
    tree
}

fn context(tree: &SessionTree) -> Context {
    tree.context(&Selection::default()).unwrap()
}

fn shown(context: &Context) -> Vec<Value> {
    let parse = |(_, message): &(_, Message)| serde_json::from_str(message.as_str()).unwrap();
    context.messages.iter().map(parse).collect()
}

fn user(text: &str) -> (&'static str, Value) {
    ("message", json!({"role": "user", "content": text}))
}

fn answer(text: &str) -> (&'static str, Value) {
    (
        "message",
        json!({"role": "assistant", "content": [{"type": "text", "text": text}], "provider": "p", "model": "m"}),
    )
}

fn compaction(first_kept: &str) -> (&'static str, Value) {
    (
        "compaction",
        json!({"summary": "S", "firstKeptEntryId": first_kept, "tokensBefore": 7}),
    )
}

/// The nodes that the messages come from.
fn sources(tree: &SessionTree) -> Vec<String> {
    context(tree)
        .messages
        .iter()
        .map(|(node, _)| node.to_string())
        .collect()
}

#[test]
fn an_empty_session_has_an_empty_context() {
    let found = context(&tree(&[]));
    assert_eq!(
        (
            found.messages.len(),
            found.thinking_level.as_str(),
            found.model,
            found.cut
        ),
        (0, "off", None, None)
    );
}

#[test]
fn each_kind_says_its_part() {
    let tree = tree(&[
        user("one"),
        (
            "custom_message",
            json!({"customType": "c", "content": [1], "display": false}),
        ),
        (
            "custom_message",
            json!({"customType": "c", "content": "x", "display": true, "details": {"k": 1}}),
        ),
        ("branch_summary", json!({"fromId": "n9", "summary": "B"})),
        ("branch_summary", json!({"fromId": "n9", "summary": ""})),
        ("custom", json!({"customType": "c", "data": 1})),
        ("label", json!({"targetId": "n0", "label": "l"})),
        ("session_info", json!({"name": "n"})),
        ("anything", json!({"role": "user", "content": "no"})),
        ("message", json!({"role": "hookMessage", "content": "h"})),
    ]);
    assert_eq!(
        shown(&context(&tree)),
        [
            json!({"role": "user", "content": "one"}),
            json!({"role": "custom", "customType": "c", "content": [1], "display": false, "timestamp": 1}),
            json!({"role": "custom", "customType": "c", "content": "x", "display": true, "details": {"k": 1}, "timestamp": 2}),
            json!({"role": "branchSummary", "summary": "B", "fromId": "n9", "timestamp": 3}),
            json!({"role": "custom", "content": "h"}),
        ]
    );
}

#[test]
fn a_message_is_handed_on_byte_for_byte() {
    let tree = Store::builder()
        .open_in_memory()
        .unwrap()
        .create_session()
        .unwrap();
    let odd = Message::new("{ \"role\" :\"user\",\"content\":\"\\ud83d\", \"n\": 1.0 }").unwrap();
    tree.append_message(odd.clone(), None).unwrap();
    assert_eq!(context(&tree).messages[0].1, odd);
}

#[test]
fn model_and_thinking_are_those_set_last() {
    let model_change = |model: &str| ("model_change", json!({"provider": "q", "modelId": model}));
    let thinking = |level: &str| ("thinking_level_change", json!({"thinkingLevel": level}));
    let found = |nodes: &[(&str, Value)]| {
        let found = context(&tree(nodes));
        let model = found.model.map_or_else(
            || String::from("-"),
            |model| format!("{}/{}", model.provider, model.model_id),
        );
        format!("{model} {}", found.thinking_level)
    };
    assert_eq!(
        found(&[model_change("z"), thinking("high"), thinking("low")]),
        "q/z low"
    );
    assert_eq!(found(&[model_change("z"), answer("a")]), "p/m off");
    assert_eq!(
        found(&[answer("a"), model_change("z"), user("u")]),
        "q/z off"
    );
    assert_eq!(
        found(&[
            answer("a"),
            ("message", json!({"role": "assistant", "content": "native"}))
        ]),
        "p/m off"
    );
    assert_eq!(
        found(&[
            model_change("z"),
            thinking("high"),
            user("u"),
            compaction("n2")
        ]),
        "q/z high",
        "before a compaction too"
    );
    assert_eq!(found(&[user("u")]), "- off");
}

#[test]
fn a_compaction_stands_for_what_it_took_away() {
    let path = |first_kept: &str| {
        tree(&[
            user("a"),
            answer("b"),
            user("c"),
            answer("d"),
            compaction(first_kept),
            user("e"),
        ])
    };
    assert_eq!(sources(&path("n2")), ["n4", "n2", "n3", "n5"]);
    assert_eq!(sources(&path("n0")), ["n4", "n0", "n1", "n2", "n3", "n5"]);
    assert_eq!(
        sources(&path("nowhere")),
        ["n4", "n5"],
        "what it names is not there"
    );
    assert_eq!(sources(&path("n4")), ["n4", "n5"], "itself");
    assert_eq!(sources(&path("n5")), ["n4", "n5"], "a later one");
    let found = context(&path("n2"));
    assert_eq!(
        shown(&found)[0],
        json!({"role": "compactionSummary", "summary": "S", "tokensBefore": 7, "timestamp": 4})
    );
    let twice = tree(&[
        user("a"),
        compaction("n0"),
        user("b"),
        compaction("n0"),
        user("c"),
    ]);
    assert_eq!(
        sources(&twice),
        ["n3", "n0", "n2", "n4"],
        "the older one inside says nothing"
    );
}

#[test]
fn another_branch_has_its_own_context() {
    let tree = tree(&[
        user("a"),
        answer("b"),
        user("c"),
        compaction("n2"),
        user("d"),
    ]);
    tree.rewind("n1", None).unwrap();
    tree.append_message(Message::user("x"), None).unwrap();
    assert_eq!(sources(&tree), ["n0", "n1", "n5"]);
    let of = |selection: Selection| {
        let found = tree.context(&selection).unwrap();
        found
            .messages
            .iter()
            .map(|(node, _)| node.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        of(Selection {
            branch: Some("main-rewound".into()),
            ..Selection::default()
        }),
        ["n3", "n2", "n4"]
    );
    assert_eq!(
        of(Selection {
            leaf: Some("n2".into()),
            ..Selection::default()
        }),
        ["n0", "n1", "n2"]
    );
}

#[test]
fn edits_are_made_on_their_branch_alone() {
    let edit = |target: &str, replacement: Value| {
        (
            "context_edit",
            json!({"targetId": target, "replacement": replacement}),
        )
    };
    let tree = tree(&[
        user("long"),
        answer("long"),
        (
            "custom_message",
            json!({"customType": "c", "content": "long", "display": true}),
        ),
        edit("n0", json!({"content": "first"})),
        edit("n0", json!({"content": "short"})),
        edit("n1", json!({"content": "short"})),
        edit("n2", json!({"content": [{"type": "image"}]})),
        user("gone"),
        edit("n7", Value::Null),
    ]);
    let found = shown(&context(&tree));
    assert_eq!(found.len(), 3);
    assert_eq!(found[0], json!({"role": "user", "content": "short"}));
    assert_eq!(
        found[1]["content"],
        json!([{"type": "text", "text": "short"}])
    );
    assert_eq!(found[2]["content"], json!([{"type": "image"}]));
    assert_eq!(found[1]["model"], "m");
    let before = tree
        .context(&Selection {
            leaf: Some("n2".into()),
            ..Selection::default()
        })
        .unwrap();
    assert_eq!(shown(&before)[0]["content"], "long");
}

#[test]
fn the_system_message_of_a_compaction_takes_the_place_of_those_before_it() {
    let system = |text: &str| ("message", json!({"role": "system", "content": text}));
    let mut compaction = compaction("n0");
    compaction.1["systemMessage"] = json!({"role": "system", "content": "all"});
    let tree = tree(&[system("a"), user("b"), compaction, system("c"), user("d")]);
    assert_eq!(sources(&tree), ["n2", "n2", "n1", "n3", "n4"]);
    assert_eq!(
        shown(&context(&tree))[0],
        json!({"role": "system", "content": "all"})
    );
}

#[test]
fn a_session_counts_what_it_used() {
    let used = |input: u64| {
        let usage = json!({"input": input, "output": 2, "cacheRead": 3, "cacheWrite": 4, "cost": {"total": 0.5}});
        (
            "message",
            json!({"role": "assistant", "content": [{"type": "toolCall", "id": "c"}], "usage": usage}),
        )
    };
    let tree = tree(&[
        user("a"),
        used(10),
        ("message", json!({"role": "toolResult", "content": []})),
        (
            "compaction",
            json!({"summary": "S", "firstKeptEntryId": "n2", "tokensBefore": 1, "usage": {"input": 100}}),
        ),
        used(20),
        ("usage", json!({"usage": {"output": 1000}})),
    ]);
    let all = tree.stats().unwrap();
    assert_eq!(
        (
            all.user_messages,
            all.assistant_messages,
            all.tool_calls,
            all.tool_results,
            all.total_messages
        ),
        (1, 2, 2, 1, 4)
    );
    assert_eq!(
        (
            all.input_tokens,
            all.output_tokens,
            all.cache_read_tokens,
            all.cache_write_tokens
        ),
        (130, 1004, 6, 8)
    );
    assert_eq!((all.total_tokens(), all.cost), (1148, 1.0));
    let seen = tree.context_stats().unwrap();
    assert_eq!(
        (
            seen.user_messages,
            seen.assistant_messages,
            seen.total_messages,
            seen.input_tokens
        ),
        (0, 1, 3, 20)
    );
}
