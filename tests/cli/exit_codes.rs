//! Each exit code, met by its plainest cause, with one sentence that says what to do.

use super::bench::Bench;

#[test]
fn zero_is_done_and_one_is_no() {
    let bench = Bench::new();
    bench.script("append a");
    let no = bench.run(&["has-branches"]);
    assert_eq!((no.code, no.out.as_str(), no.err.as_str()), (1, "no\n", ""));
    bench.script("branch n0 --name x");
    assert_eq!(bench.run(&["has-branches"]).ok(), "yes\n");
}

#[test]
fn two_is_a_command_that_cannot_be_used() {
    let bench = Bench::new();
    bench.script("append a");
    for arguments in [
        &["unknown"][..],
        &["append"],
        &["append", "text", "--json-message", "{}"],
        &["log", "--last", "many"],
        &["rewind"],
        &["delete"],
    ] {
        let ran = bench.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
        assert!(ran.err.starts_with("error: "), "{ran:?}");
    }
    for (arguments, part) in [
        (
            &["append", "--json-message", "{\"role\":"][..],
            "expected a value at byte 8",
        ),
        (
            &["append", "--json-message", "[1]"],
            "expected a JSON object",
        ),
        (&["branch", "n0", "--name", ""], "at least one character"),
        (&["new", "--meta", "7"], "meta"),
    ] {
        let error = bench.run(arguments).fails(2);
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(
        bench.run(&["log"]).ok().lines().count(),
        2,
        "nothing was appended"
    );
}

#[test]
fn three_is_not_there() {
    let bench = Bench::new();
    bench.script("new");
    for (arguments, part) in [
        (&["node", "n9"][..], "no node `n9`"),
        (&["rewind", "n9"], "no node `n9`"),
        (&["switch", "gone"], "no branch `gone`"),
        (&["log", "--branch", "gone"], "no branch `gone`"),
        (&["-s", "gone", "log"], "no session `gone`"),
        (&["delete", "gone"], "no session `gone`"),
        (&["summarize", "main", "text"], "no leaf yet"),
    ] {
        let error = bench.run(arguments).fails(3);
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn four_is_a_conflict() {
    let bench = Bench::new();
    bench.script("new --id one | append a | append b");
    for (arguments, part) in [
        (&["new", "--id", "one"][..], "one"),
        (
            &["branch", "n0", "--name", "main"],
            "already has a branch named `main`",
        ),
        (&["append", "late", "--expecting", "n0"], "n1"),
        (&["append", "late", "--expecting-empty"], "n1"),
    ] {
        let error = bench.run(arguments).fails(4);
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(bench.run(&["path"]).ok(), "n0\nn1\n");
}

#[test]
fn five_is_refused_because_of_damage() {
    let bench = Bench::new();
    bench.script("append a | append b");
    bench.sql(
        "DROP TRIGGER branches_guard_update; PRAGMA foreign_keys = OFF;
         UPDATE branches SET leaf_key = (1 << 32) + 77",
    );
    for verb in ["log", "path", "render", "splice"] {
        let error = bench.run(&[verb]).fails(5);
        assert!(error.contains("main") && error.contains("check"), "{error}");
    }
}

#[test]
fn six_is_a_file_that_cannot_be_used() {
    let bench = Bench::new();
    let error = bench.run(&["log"]).fails(6);
    assert!(error.contains("store.db"), "{error}");
    std::fs::write(
        bench.store(),
        "no database, just a note of more than a hundred bytes. ".repeat(9),
    )
    .unwrap();
    let error = bench.run(&["log"]).fails(6);
    assert!(error.contains("not a database"), "{error}");
}

#[test]
fn json_errors_are_one_object() {
    let bench = Bench::new();
    bench.script("append a");
    let ran = bench.run(&["--json", "node", "n9"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
    let error: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(error["error"]["kind"], "node_not_found");
    assert_eq!(error["error"]["node"], "n9");
    assert_eq!(error["error"]["exitCode"], 3);
    assert_eq!(error["error"]["retryable"], false);

    let ran = bench.run(&["append", "--json"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    let error: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(error["error"]["kind"], "usage");
}
