//! Texts that are refused, as supercode refuses them or because the store could not keep them as they are.

use session_tree::interchange::{ImportOptions, NoteKind};
use session_tree::{ErrorKind, Message};

use crate::imports::draw::{Files, assert_drawn};
use crate::imports::store;

const GOOD: &str = r#"{"nodes":{"n0":{"id":"n0","parent":null,"children":[],"message":{"supercode_turn":1,"ts":"x","role":"user","content":"q"},"label":null,"created_at_ms":0}},"root":"n0","branches":{"main":{"name":"main","leaf":"n0","summary":null,"created_at_ms":0}},"active_branch":"main","next_id":1}"#;

#[test]
fn texts_of_another_shape_are_refused_and_the_place_is_named() {
    let files = Files::new();
    assert!(store().from_snapshot(GOOD).is_ok());
    let cases = [
        ("\"nodes\"", "\"knots\"", "missing field `nodes`"),
        ("\"branches\"", "\"twigs\"", "missing field `branches`"),
        (
            "\"active_branch\":\"main\",",
            "",
            "missing field `active_branch`",
        ),
        (
            "\"active_branch\":\"main\"",
            "\"active_branch\":\"ghost\"",
            "no branch `ghost`",
        ),
        ("\"leaf\":\"n0\"", "\"leaf\":\"n9\"", "no node `n9`"),
        ("\"next_id\":1", "\"next_id\":-1", "`next_id` must be"),
        ("\"next_id\":1", "\"next_id\":1.0", "`next_id` must be"),
        (
            "\"next_id\":1",
            "\"next_id\":1,\"next_id\":2",
            "duplicate field `next_id`",
        ),
        (
            "\"created_at_ms\":0}},\"root\"",
            "\"created_at_ms\":1.5}},\"root\"",
            "node `n0`: `created_at_ms`",
        ),
        ("\"id\":\"n0\",", "", "node `n0`: missing field `id`"),
        (
            "\"children\":[]",
            "\"children\":[1]",
            "node `n0`: `children`",
        ),
        (
            "\"children\":[]",
            "\"children\":null",
            "node `n0`: `children`",
        ),
        ("\"label\":null", "\"label\":7", "node `n0`: `label`"),
        (
            "\"supercode_turn\":1,",
            "",
            "message: missing field `supercode_turn`",
        ),
        ("\"ts\":\"x\",", "", "message: missing field `ts`"),
        (
            "\"role\":\"user\"",
            "\"role\":\"developer\"",
            "unknown role `developer`",
        ),
        ("\"content\":\"q\"", "\"content\":[]", "message: `content`"),
        (
            "\"content\":\"q\"",
            "\"metadata\":{\"k\":1}",
            "message: `metadata`",
        ),
        (
            "\"content\":\"q\"",
            "\"tool_calls\":[{\"id\":\"c\"}]",
            "tool_calls: missing field `function`",
        ),
        ("\"content\":\"q\"", "\"content\":\"q", "it is no JSON text"),
        (
            "\"name\":\"main\",",
            "",
            "branch `main`: missing field `name`",
        ),
        (
            "\"summary\":null",
            "\"summary\":{\"summary\":\"S\"}",
            "branch `main`: summary: missing field",
        ),
        ("{\"nodes\"", "\u{feff}{\"nodes\"", "byte order mark"),
    ];
    for (from, to, words) in cases {
        assert!(GOOD.contains(from), "{from}");
        let text = GOOD.replacen(from, to, 1);
        let store = store();
        let error = store.from_snapshot(&text).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        // A file is named too, and refused with or without strict mode.
        let path = files.write("file.tree.json", &text);
        let error = store.import(&path, &ImportOptions::new()).unwrap_err();
        assert!(
            error.to_string().contains(words) && error.to_string().contains("file.tree.json"),
            "{error}"
        );
        assert!(store.sessions().unwrap().is_empty());
    }
}

#[test]
fn what_a_store_cannot_hold_of_a_text_is_named() {
    let files = Files::new();
    let text = GOOD
        .replace("\"root\"", "\"new\":1,\"root\"")
        .replace("\"children\":[]", "\"children\":[\"n7\"],\"mood\":1")
        .replace("\"id\":\"n0\"", "\"id\":\"n5\"")
        .replace("\"name\":\"main\"", "\"name\":\"master\"");
    let path = files.write("file.tree.json", text);
    let store = store();
    let report = store.import(&path, &ImportOptions::new()).unwrap();
    assert!(
        report
            .notes
            .iter()
            .all(|note| note.kind == NoteKind::NotHeld)
    );
    let said: Vec<&str> = report.notes.iter().map(|note| note.text.as_str()).collect();
    for words in ["`new`", "`mood`", "`n5`", "`master`", "other children"] {
        assert!(
            said.iter().any(|text| text.contains(words)),
            "{words}: {said:?}"
        );
    }
    assert_eq!(said.len(), 5, "{said:?}");
}

#[test]
fn cycles_and_missing_parents_are_kept_as_roots_that_remember() {
    let node = |id: &str, parent: &str| {
        format!(
            r#""{id}":{{"id":"{id}","parent":"{parent}","message":{{"supercode_turn":1,"ts":"x","role":"user","content":"{id}"}}}}"#
        )
    };
    let nodes = [
        node("n0", "n2"),
        node("n1", "n0"),
        node("n2", "n1"),
        node("n3", "n9"),
        node("n4", "n4"),
    ]
    .join(",");
    let text = format!(
        r#"{{"nodes":{{{nodes}}},"branches":{{"main":{{"name":"main","leaf":"n2"}}}},"active_branch":"main"}}"#
    );
    let files = Files::new();
    let path = files.write("file.tree.json", &text);
    let store = store();
    let strict = store
        .import(&path, &ImportOptions::new().strict(true))
        .unwrap_err();
    assert_eq!(strict.kind(), ErrorKind::Damaged);
    let report = store.import(&path, &ImportOptions::new()).unwrap();
    assert_eq!(report.branches_added, ["leaf-n3", "leaf-n4"]);
    let tree = store.open_session(&report.session).unwrap();
    assert_drawn(
        &tree,
        "n0 < ?n2 \"n0\"\nn1 < n0 \"n1\"\nn2 < n1 \"n2\"\nn3 < ?n9 \"n3\"\nn4 < ?n4 \"n4\"\nleaf-n3 = n3\nleaf-n4 = n4\n*main = n2",
    );
    let error = tree.linear_projection().unwrap_err();
    assert_eq!(
        (error.kind(), error.node()),
        (ErrorKind::CutPath, Some("n0"))
    );
    assert_eq!(
        tree.append_message(Message::user("on"), None).unwrap(),
        "n5"
    );
}
