//! `import` and `check`, seen from outside.

use super::bench::Bench;

pub const TALK: &str = concat!(
    r#"{"type":"session","version":3,"id":"talk","timestamp":"2026-01-31T08:00:00.000Z","cwd":"/src"}"#,
    "\n",
    r#"{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-01-31T08:00:01.000Z","message":{"role":"user","content":"first"}}"#,
    "\n",
    r#"{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-01-31T08:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"one way"}]}}"#,
    "\n",
    r#"{"type":"message","id":"aaaa0003","parentId":"aaaa0001","timestamp":"2026-01-31T08:00:03.000Z","message":{"role":"assistant","content":[{"type":"text","text":"another"}]}}"#,
    "\n",
);

#[test]
fn a_first_import_makes_the_store_and_a_second_changes_nothing() {
    let bench = Bench::new();
    std::fs::write(bench.path("talk.jsonl"), TALK).unwrap();
    let report = bench.run(&["import", "talk.jsonl", "--json"]).json();
    assert_eq!(
        (&report["session"], &report["nodesAdded"]),
        (&"talk".into(), &3.into()),
        "{report}"
    );
    insta::assert_snapshot!(bench.run(&["tree"]).ok(), @"
    aaaa0001 user: first
    ├─ aaaa0002 assistant: one way  <- leaf-aaaa0002
    aaaa0003 assistant: another  <- *main
    ");
    let before = super::bench::contents(&bench.path(""));
    let again = bench.run(&["import", "talk.jsonl", "--json"]).json();
    assert_eq!(again["nodesAdded"], 0, "{again}");
    assert_eq!(super::bench::contents(&bench.path("")).len(), before.len());
}

#[test]
fn damage_in_a_source_is_said_or_refused() {
    let bench = Bench::new();
    std::fs::write(bench.path("talk.jsonl"), format!("{TALK}{{\"type\":\"mess")).unwrap();
    let error = bench.run(&["import", "--strict", "talk.jsonl"]).fails(5);
    assert!(error.contains("line 5"), "{error}");
    assert!(!bench.store().exists(), "a refused import makes no store");
    let ran = bench.run(&["import", "talk.jsonl", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("warning: 1 damaged"), "{ran:?}");
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["damaged"][0]["line"], 5);
    assert_eq!(report["nodesAdded"], 3);
}

#[test]
fn of_several_files_the_good_ones_are_taken() {
    let bench = Bench::new();
    std::fs::write(bench.path("talk.jsonl"), TALK).unwrap();
    std::fs::write(bench.path("bad.jsonl"), "").unwrap();
    let ran = bench.run(&["import", "bad.jsonl", "talk.jsonl"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    assert!(ran.out.contains("talk"), "{ran:?}");
    assert_eq!(bench.run(&["leaves"]).ok(), "aaaa0002\naaaa0003\n");
}

#[test]
fn check_answers_yes_or_no() {
    let bench = Bench::new();
    bench.script("new --id s | append a | append b");
    let well = bench.run(&["check", "--json"]).json();
    assert_eq!(
        (&well["healthy"], &well["nodes"]),
        (&true.into(), &2.into()),
        "{well}"
    );
    bench.sql(
        "DROP TRIGGER branches_guard_update; PRAGMA foreign_keys = OFF;
         UPDATE branches SET leaf_key = (1 << 32) + 77",
    );
    let before = super::bench::contents(&bench.path(""));
    let ill = bench.run(&["check", "--json"]);
    assert_eq!((ill.code, ill.err.as_str()), (1, ""), "{ill:?}");
    let report: serde_json::Value = serde_json::from_str(&ill.out).unwrap();
    let codes: Vec<&str> = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["code"].as_str().unwrap())
        .collect();
    assert!(
        codes.contains(&"leaf") && codes.contains(&"schema"),
        "{codes:?}"
    );
    assert!(
        super::bench::contents(&bench.path("")) == before,
        "a check changes nothing"
    );
    let named = bench.run(&["check", "-s", "s"]);
    assert_eq!(named.code, 1, "{named:?}");
}

#[test]
fn check_says_no_to_a_file_with_broken_pages() {
    let bench = Bench::new();
    bench.script("new --id s");
    for _ in 0..40 {
        bench.run(&["append", &"text ".repeat(200)]).ok();
    }
    let mut bytes = std::fs::read(bench.store()).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 8192].fill(0xAA);
    std::fs::write(bench.store(), &bytes).unwrap();
    let ran = bench.run(&["check"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!ran.out.is_empty(), "{ran:?}");
}

#[test]
fn what_was_imported_is_exported_byte_for_byte() {
    let bench = Bench::new();
    std::fs::write(bench.path("talk.jsonl"), TALK).unwrap();
    bench.run(&["import", "talk.jsonl"]).ok();
    assert_eq!(bench.run(&["export"]).ok(), TALK);
    let report = bench.run(&["export", "-o", "copy.jsonl", "--json"]).json();
    assert_eq!(report["isUnchanged"], true, "{report}");
    assert_eq!(
        std::fs::read_to_string(bench.path("copy.jsonl")).unwrap(),
        TALK
    );
    let error = bench.run(&["export", "-o", "copy.jsonl"]).fails(2);
    assert!(error.contains("copy.jsonl"), "{error}");
    let chat = bench
        .run(&["export", "--format", "chat", "--branch", "leaf-aaaa0002"])
        .ok();
    assert_eq!(chat.lines().count(), 2, "{chat}");
    for format in ["tree.json", "splice"] {
        let ran = bench.run(&["export", "--format", format, "--compact"]);
        let parsed: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(
            (ran.code, parsed.is_object()),
            (0, true),
            "{format}: {ran:?}"
        );
    }
    bench
        .run(&["export", "--format", "chat", "--branch", "gone"])
        .fails(3);
}
