use std::path::PathBuf;

use super::*;

fn message(json: &str) -> String {
    preview("message", Json::new(json))
}

#[test]
fn messages_are_shown_by_role() {
    let cases = [
        (
            r#"{"role":"user","content":" one\n\t two\ufeff"}"#,
            "one two",
        ),
        (
            r#"{"role":"user","content":"a\u0000b\ud83d\u001bc"}"#,
            "a\u{2400}b\u{fffd}\u{1b}c",
        ),
        (
            r#"{"role":"user","content":[{"type":"text","text":"a "},{"type":"image"},7,{"type":"text","text":" b"}]}"#,
            "a b",
        ),
        (r#"{"role":"user","content":7}"#, ""),
        (r#"{"role":"user"}"#, ""),
        (
            r#"{"role":"assistant","content":" \n","stopReason":"aborted","errorMessage":"x"}"#,
            "(aborted)",
        ),
        (
            r#"{"role":"assistant","content":[],"errorMessage":" no\nanswer "}"#,
            "no answer",
        ),
        (
            r#"{"role":"assistant","content":[],"errorMessage":" "}"#,
            "",
        ),
        (
            r#"{"role":"assistant","content":[],"errorMessage":""}"#,
            "(no content)",
        ),
        (
            r#"{"role":"assistant","content":null,"errorMessage":null}"#,
            "(no content)",
        ),
        (
            r#"{"role":"assistant","content":"kept","stopReason":"aborted"}"#,
            "kept",
        ),
        (r#"{"role":"toolResult","toolName":"grep"}"#, "[grep]"),
        (r#"{"role":"toolResult","toolName":null}"#, "[tool]"),
        (r#"{"role":"toolResult","toolName":""}"#, "[]"),
        (
            r#"{"role":"bashExecution","command":"ls\n -l"}"#,
            "[bash]: ls -l",
        ),
        (r#"{"role":"bashExecution"}"#, "[bash]:"),
        (r#"{"role":"hookMessage","content":"x"}"#, "[custom]"),
        (r#"{"role":"system","content":"x"}"#, "[system]"),
        (r#"{"role":"user","role":"tool"}"#, "[tool]"),
        (r#"{"role":null}"#, "[null]"),
        (r#"{"content":"x"}"#, "[undefined]"),
        ("null", "[undefined]"),
        ("\"text\"", "[undefined]"),
    ];
    for (json, expected) in cases {
        assert_eq!(message(json), expected, "{json}");
    }
}

#[test]
fn other_kinds_are_shown_by_their_fields() {
    let cases = [
        (
            "custom_message",
            r#"{"customType":"memo","content":"a\n b"}"#,
            "[memo]: a b",
        ),
        (
            "custom_message",
            r#"{"customType":"memo","content":[]}"#,
            "[memo]:",
        ),
        ("custom_message", "{}", "[undefined]:"),
        (
            "compaction",
            r#"{"tokensBefore":1499}"#,
            "[compaction: 1k tokens]",
        ),
        (
            "compaction",
            r#"{"tokensBefore":2500}"#,
            "[compaction: 3k tokens]",
        ),
        (
            "compaction",
            r#"{"tokensBefore":-500}"#,
            "[compaction: 0k tokens]",
        ),
        (
            "compaction",
            r#"{"tokensBefore":-0.0}"#,
            "[compaction: 0k tokens]",
        ),
        (
            "compaction",
            r#"{"tokensBefore":1e300}"#,
            "[compaction: 1e+297k tokens]",
        ),
        (
            "compaction",
            r#"{"tokensBefore":1e999}"#,
            "[compaction: Infinityk tokens]",
        ),
        (
            "compaction",
            r#"{"tokensBefore":null}"#,
            "[compaction: 0k tokens]",
        ),
        ("compaction", "{}", "[compaction: NaNk tokens]"),
        (
            "branch_summary",
            r#"{"summary":"tried\n\nit"}"#,
            "[branch summary]: tried it",
        ),
        ("branch_summary", "{}", "[branch summary]: undefined"),
        (
            "model_change",
            r#"{"provider":"p","modelId":"m-1"}"#,
            "[model: m-1]",
        ),
        (
            "thinking_level_change",
            r#"{"thinkingLevel":"low"}"#,
            "[thinking: low]",
        ),
        ("custom", r#"{"customType":"state"}"#, "[custom: state]"),
        ("label", r#"{"label":"good"}"#, "[label: good]"),
        ("label", r#"{"label":null}"#, "[label: (cleared)]"),
        ("label", r#"{"label":""}"#, "[label: ]"),
        ("session_info", r#"{"name":"Plan"}"#, "[title: Plan]"),
        ("session_info", r#"{"name":""}"#, "[title: empty]"),
        ("session_info", r#"{"name":" \n "}"#, "[title: ]"),
        ("usage", r#"{"kind":"x"}"#, "[usage]"),
        ("anything", "not json", "[anything]"),
    ];
    for (kind, json, expected) in cases {
        assert_eq!(preview(kind, Json::new(json)), expected, "{kind} {json}");
    }
}

#[test]
fn the_cut_counts_utf16_units_and_splits_no_character() {
    let user = |text: &str| message(&format!(r#"{{"role":"user","content":"{text}"}}"#));
    let x = |n| "x".repeat(n);
    assert_eq!(user(&x(201)), x(200));
    assert_eq!(user(&(x(199) + " y")), x(199) + " ");
    assert_eq!(user(&(x(200) + " y")), x(200));
    assert_eq!(user(&(x(198) + "\u{1f600}y")), x(198) + "\u{1f600}");
    assert_eq!(user(&(x(199) + "\u{1f600}y")), x(199));
    assert_eq!(user(&(x(199) + r"\ud83d\ude00y")), x(199));
    assert_eq!(user(&"e\u{301}".repeat(150)), "e\u{301}".repeat(100));
    let summary = format!(r#"{{"summary":"{}"}}"#, x(300));
    assert_eq!(
        preview("branch_summary", Json::new(&summary)),
        format!("[branch summary]: {}", x(182))
    );
}

#[test]
fn roles_and_texts_are_read_from_messages_only() {
    let json = Json::new(
        r#"{"role":"hookMessage","content":[{"type":"text","text":"a\n"},{"type":"text","text":"b"}]}"#,
    );
    assert_eq!(role("message", json).as_deref(), Some("custom"));
    assert_eq!(role("custom", json), None);
    assert_eq!(role("message", Json::new(r#"{"role":7}"#)), None);
    assert_eq!(role("message", Json::new("null")), None);
    assert_eq!(content_text(json), "a\nb");
    assert_eq!(content_text(Json::new(r#"{"content":"a\tb"}"#)), "a\tb");
    assert_eq!(
        content_text(Json::new(r#"{"content":{"type":"text","text":"b"}}"#)),
        ""
    );
}

#[test]
fn previews_are_those_of_a_real_server() {
    let root = std::env::var_os("SESSION_TREE_SHARED").map(PathBuf::from);
    let root = root.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let Ok(golden) = std::fs::read_to_string(root.join("golden/previews.json")) else {
        println!("skipped: the shared inputs are not here (golden/previews.json)");
        return;
    };
    let mut compared = 0;
    for case in Json::new(&golden).elements() {
        let [name, entry, expected, role_shown] = case.fields(["name", "entry", "preview", "role"]);
        let (name, entry, expected) = (name.unwrap(), entry.unwrap(), expected.unwrap());
        let kind = entry.get("type").and_then(Json::as_str);
        let payload = entry.get("message").unwrap_or(entry);
        let shown = preview(kind.as_deref().unwrap_or("undefined"), payload);
        // Where that server splits a surrogate pair, the pair is left out here.
        let expected = expected.as_str().unwrap();
        let whole = expected.trim_end_matches(char::REPLACEMENT_CHARACTER);
        assert_eq!(shown, whole, "{}", name.text());
        let role = role(kind.as_deref().unwrap_or("undefined"), payload);
        let expected = role_shown
            .and_then(Json::as_str)
            .filter(|role| role != "undefined");
        assert_eq!(role.as_deref(), expected.as_deref(), "{}", name.text());
        compared += 1;
    }
    assert_eq!(
        compared,
        serde_json::from_str::<Vec<&serde_json::value::RawValue>>(&golden)
            .unwrap()
            .len()
    );
}
