//! What each verb does, seen from outside.

use super::bench::Bench;

#[test]
fn append_takes_text_json_and_standard_input() {
    let bench = Bench::new();
    bench.script("new");
    assert_eq!(bench.run(&["append", "a question"]).ok(), "n0\n");
    bench
        .run(&["append", "--role", "assistant", "an answer"])
        .ok();
    bench
        .run_with_input(&["append", "-"], b"from a pipe\nsecond line")
        .ok();
    bench
        .run(&[
            "append",
            "--json-message",
            r#"{"role":"tool","content":"42"}"#,
        ])
        .ok();
    bench
        .run_with_input(
            &["append", "--json-message", "-"],
            br#"{"role":"user","content":""}"#,
        )
        .ok();
    bench
        .run(&[
            "append",
            "--kind",
            "model_change",
            "--json-message",
            r#"{"modelId":"m"}"#,
            "--id",
            "given",
        ])
        .ok();
    let expected = [
        r#"{"role":"user","content":"a question"}"#,
        r#"{"role":"assistant","content":"an answer"}"#,
        r#"{"role":"user","content":"from a pipe\nsecond line"}"#,
        r#"{"role":"tool","content":"42"}"#,
        r#"{"role":"user","content":""}"#,
    ];
    let log = bench.run(&["log", "--json"]).ok();
    assert_eq!(log.lines().collect::<Vec<_>>(), expected);
    assert_eq!(bench.run(&["path"]).ok(), "n0\nn1\nn2\nn3\nn4\ngiven\n");
    let error = bench.run_with_input(&["append", "-"], b"caf\xe9").fails(2);
    assert!(error.contains("not UTF-8 at byte 3"), "{error}");
}

#[test]
fn appending_again_under_an_id_changes_nothing() {
    let bench = Bench::new();
    bench.script("new | append --id q1 hello | append --id q1 hello");
    assert_eq!(bench.run(&["path"]).ok(), "q1\n");
    bench.run(&["append", "--id", "q1", "other"]).fails(4);
}

#[test]
fn rewind_branch_switch_and_diff() {
    let bench = Bench::new();
    bench.script("new | append a | append b");
    assert_eq!(
        bench.run(&["rewind", "n0", "--json"]).json(),
        serde_json::json!({"leaf": "n0", "preservedBranch": "main-rewound"})
    );
    assert_eq!(
        bench.run(&["rewind", "n0", "--json"]).json(),
        serde_json::json!({"leaf": "n0", "preservedBranch": null})
    );
    assert_eq!(bench.run(&["branch", "n1"]).ok(), "branch\n");
    assert_eq!(
        bench.run(&["branch", "n1", "--no-switch"]).ok(),
        "branch-2\n"
    );
    bench.script("append c | switch main | append d");
    assert_eq!(
        bench.run(&["diff", "main", "branch"]).ok(),
        "= n0\n< n3\n> n1\n> n2\n"
    );
    assert_eq!(bench.run(&["leaves"]).ok(), "n2\nn3\n");
    insta::assert_snapshot!(bench.run(&["branches"]).ok(), @"
    branch  n2
    branch-2  n1
    *main  n3
    main-rewound  n1
    ");
}

#[test]
fn log_reads_a_branch_a_page_or_the_last_messages() {
    let bench = Bench::new();
    bench
        .script("new | append a | append b | append c | append d | branch n1 --name x --no-switch");
    let texts = |arguments: &[&str]| -> Vec<String> {
        let mut line = vec!["log", "--json"];
        line.extend(arguments);
        let out = bench.run(&line).ok();
        out.lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .map(|message| message["content"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(texts(&[]), ["a", "b", "c", "d"]);
    assert_eq!(texts(&["--last", "2"]), ["c", "d"]);
    assert_eq!(texts(&["--last", "2", "--before", "n3"]), ["b", "c"]);
    assert_eq!(texts(&["--branch", "x"]), ["a", "b"]);
    assert_eq!(texts(&["--leaf", "n2"]), ["a", "b", "c"]);
    assert_eq!(texts(&["--last", "0"]), Vec::<String>::new());
}

#[test]
fn log_for_people_has_ids_times_and_texts() {
    let bench = Bench::new();
    bench.script("new | append --at-ms 1700000000000 hello");
    let call = r#"{"role":"assistant","content":[{"type":"toolCall","name":"ls"}]}"#;
    bench
        .run(&["append", "--at-ms", "1700000001000", "--json-message", call])
        .ok();
    insta::assert_snapshot!(bench.run(&["log"]).ok(), @"
    n0 user  2023-11-14 22:13:20Z
        hello
    n1 assistant  2023-11-14 22:13:21Z
        (no content)
    ");
}

#[test]
fn a_cut_path_is_refused_or_answered_on_request() {
    let bench = Bench::new();
    bench.script("new");
    bench.sql(
        "INSERT INTO nodes (key, id, run_start, messages, kind, role, created_at_ms, missing_parent, preview, payload)
         VALUES (1 << 32, 'orphan', 1 << 32, 1, 'message', 'user', 0, 'lost', 'b', '{\"role\":\"user\",\"content\":\"b\"}');
         UPDATE branches SET leaf_key = 1 << 32",
    );
    let error = bench.run(&["log"]).fails(5);
    assert!(
        error.contains("orphan") && error.contains("lost"),
        "{error}"
    );
    let ran = bench.run(&["log", "--allow-cut", "--json"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 1), "{ran:?}");
    assert!(ran.err.contains("cut at node orphan"), "{ran:?}");
    let ran = bench.run(&["log", "--allow-cut", "--last", "9", "--json"]);
    assert_eq!((ran.code, ran.out.lines().count()), (0, 1), "{ran:?}");
    assert!(ran.err.contains("cut at node orphan"), "{ran:?}");
    let path = bench.run(&["path", "--allow-cut", "--json"]).json();
    assert_eq!(path["cut"]["missingParent"], "lost");
}

#[test]
fn marks_titles_summaries_and_archives() {
    let bench = Bench::new();
    bench.script("new --id s | append a | branch n0 --name x");
    bench.run(&["label", "n0", "start here"]).ok();
    assert_eq!(
        bench.run(&["node", "n0", "--json"]).json()["label"],
        "start here"
    );
    bench.script("label n0 --clear");
    assert!(bench.run(&["node", "n0", "--json"]).json()["label"].is_null());

    bench.run(&["rename", " Evening "]).ok();
    assert_eq!(
        bench.run(&["sessions", "--json"]).json()["sessions"][0]["name"],
        "Evening"
    );
    bench.script("rename --clear");
    assert!(bench.run(&["sessions", "--json"]).json()["sessions"][0]["name"].is_null());

    bench
        .run(&["summarize", "main", "went nowhere", "--model", "m1"])
        .ok();
    let splice = bench.run(&["splice", "--json"]).json();
    assert_eq!(splice["messages"][0]["content"], "a");
    assert_eq!(splice["summaries"][0]["summary"], "went nowhere");
    assert_eq!(splice["summaries"][0]["modelId"], "m1");

    bench.script("archive --branch main | archive");
    assert_eq!(
        bench.run(&["branches", "--json"]).json()["branches"][0]["archived"],
        true
    );
    assert_eq!(
        bench.run(&["sessions", "--json"]).json()["sessions"][0]["archived"],
        true
    );
    bench.script("archive --undo -s s");
    assert_eq!(
        bench.run(&["sessions", "--json"]).json()["sessions"][0]["archived"],
        false
    );
}

#[test]
fn a_backup_is_one_file_and_takes_no_place_that_is_taken() {
    let bench = Bench::new();
    bench.script("new --id s | append a | backup copy.db");
    let copy = bench
        .bare()
        .args(["--db", "copy.db", "render"])
        .output()
        .unwrap();
    assert_eq!(copy.stdout, b"user: a\n");
    assert!(!bench.path("copy.db-wal").exists());
    // Nor is anything left beside a store that nobody has open.
    let left: Vec<_> = std::fs::read_dir(bench.path("."))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with("-wal") || name.ends_with("-shm"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let error = bench.run(&["backup", "copy.db"]).fails(2);
    assert!(error.contains("copy.db"), "{error}");
}

#[test]
fn navigate_goes_before_a_users_message_and_leaves_a_summary() {
    let bench = Bench::new();
    bench.script("new | append first | append --role assistant answer | append second");
    let done = bench
        .run(&[
            "navigate",
            "n0",
            "--summary",
            "tried one thing",
            "--label",
            "again",
            "--json",
        ])
        .json();
    assert_eq!(done["editorText"], "first");
    assert_eq!(done["preservedBranch"], "main-rewound");
    assert_eq!(done["summaryNode"], "n3");
    assert_eq!(
        bench.run(&["node", "n3", "--json"]).json()["label"],
        "again"
    );
    let branches = bench.run(&["branches", "--json"]).json();
    assert_eq!(
        branches["branches"][1]["summary"]["summary"],
        "tried one thing"
    );
}

#[test]
fn who_and_release_meet_a_turn_of_another_process() {
    let bench = Bench::new();
    bench.script("new --id s | append a");
    assert_eq!(bench.run(&["who"]).ok(), "");
    let free = bench.run(&["release"]);
    assert_eq!((free.code, free.out.as_str()), (1, "nobody held it\n"));

    let store = session_tree::Store::builder()
        .actor("planner")
        .open(bench.store())
        .unwrap();
    let turn = store.open_session("s").unwrap().begin_turn(None).unwrap();
    let holder = &bench.run(&["who", "--json"]).json()["holders"][0];
    assert_eq!(
        (&holder["actor"], &holder["alive"]),
        (&"planner".into(), &true.into())
    );
    for verb in [
        &["append", "x"][..],
        &["rewind", "n0"],
        &["navigate", "n0"],
        &["switch", "main"],
    ] {
        let error = bench.run(verb).fails(4);
        assert!(error.contains("planner"), "{verb:?}: {error}");
    }
    bench
        .run(&["label", "n0", "reading and marking stay free"])
        .ok();
    assert_eq!(bench.run(&["release"]).ok(), "released\n");
    bench.run(&["append", "x"]).ok();
    let late = turn.append_message(session_tree::Message::user("late"), None);
    assert_eq!(late.unwrap_err().kind(), session_tree::ErrorKind::TurnLost);
}

#[test]
fn undo_and_redo_move_and_lose_nothing() {
    let bench = Bench::new();
    bench.script("new | append a | append b | rewind n0");
    assert_eq!(
        bench.run(&["undo"]).ok(),
        "undone: rewind; on branch main at n1\n"
    );
    assert_eq!(
        bench.run(&["redo"]).ok(),
        "redone: rewind; on branch main at n0\n"
    );
    let none = bench.run(&["redo"]);
    assert_eq!((none.code, none.err.as_str()), (1, ""), "{none:?}");
    bench.script("append c");
    bench.run(&["undo"]).fails(4);
}

#[test]
fn a_fork_is_a_session_with_the_same_path() {
    let bench = Bench::new();
    bench.script("new --id s | append a | append b");
    let fork = bench.run(&["fork", "n0"]).ok();
    assert_eq!(bench.run(&["-s", fork.trim(), "render"]).ok(), "user: a\n");
    let whole = bench.run(&["-s", "s", "fork", "--json"]).json();
    let whole = whole["session"].as_str().unwrap();
    assert_eq!(bench.run(&["-s", whole, "path"]).ok(), "n0\nn1\n");
}

#[test]
fn changes_go_on_from_their_cursor() {
    let bench = Bench::new();
    bench.script("new | append a | label n0 here");
    let page = bench.run(&["changes", "--json"]).json();
    let verbs: Vec<_> = page["changes"].as_array().unwrap().iter().collect();
    assert_eq!(verbs.len(), 3, "{page}");
    assert_eq!(verbs[1]["node"]["id"], "n0");
    assert_eq!(verbs[2]["operation"]["verb"], "label");
    let cursor = page["cursor"].as_str().unwrap();
    bench.script("append b");
    let next = bench.run(&["changes", "--json", "--since", cursor]).json();
    assert_eq!(next["changes"][0]["node"]["id"], "n1");
    assert_eq!(next["changes"].as_array().unwrap().len(), 1);
    bench.run(&["changes", "--since", "yesterday"]).fails(2);
}

#[test]
fn context_applies_a_compaction_and_stats_count() {
    let bench = Bench::new();
    bench.script("new | append one | append --role assistant two | append three");
    let compaction = r#"{"summary":"They counted.","firstKeptEntryId":"n2","tokensBefore":900}"#;
    bench
        .run(&[
            "append",
            "--kind",
            "compaction",
            "--json-message",
            compaction,
        ])
        .ok();
    let context = bench.run(&["context", "--json"]).json();
    let ids: Vec<&str> = context["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["nodeId"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["n3", "n2"]);
    assert_eq!(bench.run(&["context"]).ok().lines().count(), 2);
    let stats = bench.run(&["stats", "--json"]).json();
    assert_eq!(
        (&stats["totalMessages"], &stats["userMessages"]),
        (&3.into(), &2.into())
    );
    assert_eq!(
        bench.run(&["stats", "--context", "--json"]).json()["assistantMessages"],
        0
    );
}
