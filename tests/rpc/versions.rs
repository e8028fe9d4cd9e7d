//! Session files: damaged lines, older versions, and what the state shows of a path.

use serde_json::{Value, json};

use super::client::Client;
use super::files::{context, entry, header, imported, imported_text, said};
use super::trees::shape;

/// F03, F04, F05, F09, F14, F16: what stands between and around the entries.
#[test]
fn lines_that_are_no_entries_take_nothing_away() {
    let (one, two) = (said("u1", None), said("a2", Some("u1")));
    for (ids, text) in [
        (
            "F03",
            format!("{}\n\n{one}\nnot json\n   \n{two}\n", header(3)),
        ),
        ("F04", format!("half a li\n{}\n{one}\n{two}\n", header(3))),
        ("F05 F09", format!("{}\n{one}\n{two}\n", header(7))),
        ("F05 F09", format!("{}\n{one}\n{two}\n", header(2))),
        ("F14", format!("{}\r\n{one}\r\n{two}\r\n", header(3))),
        (
            "F16",
            format!(
                "{}\n{one}\n{two}\n{{\"type\":\"message\",\"id\":\"u3\",\"par",
                header(3)
            ),
        ),
    ] {
        let store = imported_text(&text).unwrap();
        let mut client = Client::new(&store);
        assert_eq!(
            shape(&client.data(json!({"type": "get_tree"}))["roots"]),
            "u1(a2)",
            "{ids}"
        );
        // F16: what is appended now hangs where it should, and stays.
        let next = client
            .data(json!({"type": "append_message", "message": {"role": "user", "content": "x"}}));
        client.end();
        let mut again = Client::new(&store);
        let path = again.data(json!({"type": "active_path"}))["nodeIds"].clone();
        assert_eq!(path, json!(["u1", "a2", next["nodeId"]]), "{ids}");
        again.end();
    }
}

/// F06, F07, F08, F11, K14: files of older versions are shown in today's form, and their forks too.
#[test]
fn older_versions_are_shown_in_todays_form() {
    let old = |kind: &str, rest: Value| {
        let mut line = entry(kind, "0", None, rest);
        line.as_object_mut()
            .unwrap()
            .retain(|name, _| name != "id" && name != "parentId");
        line
    };
    let message = |text: &str| {
        old(
            "message",
            json!({"message": {"role": "user", "content": text}}),
        )
    };
    let mut first = header(1);
    first.as_object_mut().unwrap().remove("version");
    let compaction = old(
        "compaction",
        json!({"summary": "S", "firstKeptEntryIndex": 2, "tokensBefore": 1}),
    );
    let store = imported(&[
        first,
        message("one"),
        message("two"),
        compaction,
        message("three"),
    ]);
    let mut client = Client::new(&store);
    let entries = client.data(json!({"type": "get_entries"}))["entries"].clone();
    let entries = entries.as_array().unwrap();
    let mut parent = Value::Null;
    for entry in entries {
        let id = entry["id"].as_str().unwrap();
        assert!(
            id.len() == 8
                && id
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase()),
            "{id}"
        );
        assert_eq!(entry["parentId"], parent);
        parent = entry["id"].clone();
    }
    assert_eq!(entries[2]["firstKeptEntryId"], entries[1]["id"]);
    assert_eq!(entries[2].get("firstKeptEntryIndex"), None);
    assert_eq!(context(&mut client), "S two three");
    let new =
        client.data(
            json!({"type": "append_message", "message": {"role": "user", "content": "four"}}),
        )["nodeId"]
            .clone();
    assert_eq!(new.as_str().unwrap().len(), 8);
    client.data(json!({"type": "clone"}));
    assert_eq!(context(&mut client), "S two three four");
    client.end();

    // An index that points forward names nothing.
    let mut first = header(1);
    first.as_object_mut().unwrap().remove("version");
    let forward = json!({"summary": "S", "firstKeptEntryIndex": 2, "tokensBefore": 1});
    let store = imported(&[first, old("compaction", forward), message("one")]);
    let mut client = Client::new(&store);
    let entries = client.data(json!({"type": "get_entries"}))["entries"].clone();
    assert_eq!(entries[0].get("firstKeptEntryId"), None);
    assert_eq!(context(&mut client), "S one");
    client.end();

    let hook = entry(
        "message",
        "h1",
        None,
        json!({"message": {"role": "hookMessage", "customType": "c", "content": "x", "display": true}}),
    );
    let mut client = Client::new(&imported(&[header(2), hook]));
    assert_eq!(
        client.data(json!({"type": "get_tree"}))["roots"][0]["role"],
        "custom"
    );
    assert_eq!(
        client.data(json!({"type": "get_messages"}))["messages"][0]["role"],
        "custom"
    );
    assert_eq!(
        client.data(json!({"type": "get_entries"}))["entries"][0]["message"]["role"],
        "custom"
    );
    client.end();
}

/// C01, C02, C04, N01: state, model, thinking and title.
#[test]
fn the_state_is_that_of_the_path() {
    let model = |id: &str, parent: Option<&str>| {
        entry(
            "model_change",
            id,
            parent,
            json!({"provider": "p", "modelId": "m"}),
        )
    };
    let title = |id: &str, parent: &str, name: &str| {
        entry("session_info", id, Some(parent), json!({"name": name}))
    };
    let answer = entry(
        "message",
        "a3",
        Some("t2"),
        json!({"message": {"role": "assistant", "content": [], "provider": "q", "model": "n"}}),
    );
    let lines = [
        header(3),
        model("m1", None),
        entry(
            "thinking_level_change",
            "t2",
            Some("m1"),
            json!({"thinkingLevel": "high"}),
        ),
        answer,
        title("i4", "a3", "  a title  "),
        title("i5", "i4", "  "),
    ];
    for (lines, model, name) in [
        (
            &lines[..3],
            json!({"id": "m", "name": "m", "provider": "p"}),
            Value::Null,
        ),
        (
            &lines[..4],
            json!({"id": "n", "name": "n", "provider": "q"}),
            Value::Null,
        ),
        (
            &lines[..5],
            json!({"id": "n", "name": "n", "provider": "q"}),
            json!("a title"),
        ),
        (
            &lines[..],
            json!({"id": "n", "name": "n", "provider": "q"}),
            Value::Null,
        ),
    ] {
        let mut client = Client::new(&imported(lines));
        let state = client.data(json!({"type": "get_state"}));
        assert_eq!(
            (
                &state["model"],
                &state["thinkingLevel"],
                &state["sessionName"]
            ),
            (&model, &json!("high"), &name)
        );
        client.end();
    }
    let mut client = Client::new(&imported(&[
        header(3),
        said("u1", None),
        said("a2", Some("u1")),
    ]));
    client.data(json!({"type": "navigate_tree", "targetId": "u1"}));
    let state = client.data(json!({"type": "get_state"}));
    assert_eq!(
        (
            &state["leafId"],
            &state["messageCount"],
            &state["thinkingLevel"]
        ),
        (&Value::Null, &json!(0), &json!("off"))
    );
    assert_eq!(state.get("model"), None);
    assert_eq!(context(&mut client), "");
    client.end();
}
