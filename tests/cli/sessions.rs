//! Which file and which session a verb works on.

use super::bench::{Bench, PROGRAM};

#[test]
fn the_file_is_named_by_option_then_variable_then_data_directory() {
    let bench = Bench::new();
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = bench.bare();
        command.args(arguments).envs(variables.iter().copied());
        let ran = command.output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    run(&["new"], &[]);
    assert!(bench.path(".local/share/session-tree/store.db").is_file());
    run(
        &["new"],
        &[("XDG_DATA_HOME", bench.path("xdg").to_str().unwrap())],
    );
    assert!(bench.path("xdg/session-tree/store.db").is_file());
    run(&["new"], &[("SESSION_TREE_DB", "by-variable.db")]);
    assert!(bench.path("by-variable.db").is_file());
    run(
        &["new", "--db", "by-option.db"],
        &[("SESSION_TREE_DB", "not-this.db")],
    );
    assert!(bench.path("by-option.db").is_file());
    assert!(!bench.path("not-this.db").exists());
    run(
        &["new"],
        &[
            ("SESSION_TREE_DB", ""),
            ("XDG_DATA_HOME", bench.path("other").to_str().unwrap()),
        ],
    );
    assert!(bench.path("other/session-tree/store.db").is_file());
}

#[test]
fn reading_verbs_never_make_a_file() {
    let bench = Bench::new();
    for verb in [
        "sessions",
        "tree",
        "log",
        "branches",
        "has-branches",
        "path",
        "splice",
        "render",
        "leaves",
    ] {
        bench.run(&[verb]).fails(6);
    }
    for arguments in [
        &["node", "n0"][..],
        &["rewind", "n0"],
        &["switch", "x"],
        &["rename", "x"],
        &["delete", "x"],
    ] {
        bench.run(arguments).fails(6);
    }
    assert!(!bench.store().exists());
}

#[test]
fn options_stand_before_or_after_the_verb() {
    let bench = Bench::new();
    bench.script("new --id one | append a -s one");
    let db = bench.store();
    let db = db.to_str().unwrap();
    let orders = [
        &["--db", db, "-s", "one", "--json", "log"][..],
        &["log", "--json", "--session", "one", "--db", db],
        &["--json", "log", "-s", "one", "--db", db],
    ];
    for order in orders {
        let ran = bench.bare().args(order).output().unwrap();
        assert_eq!(
            String::from_utf8(ran.stdout).unwrap(),
            "{\"role\":\"user\",\"content\":\"a\"}\n",
            "{order:?}"
        );
    }
}

#[test]
fn appending_to_an_empty_store_makes_a_session_and_says_so() {
    let bench = Bench::new();
    let ran = bench.run(&["append", "hello"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "n0\n"));
    assert!(ran.err.contains("(made for this)"), "{ran:?}");
    assert_eq!(bench.run(&["append", "again"]).ok(), "n1\n");
    // A session that was asked for by name is never made up.
    bench.run(&["-s", "other", "append", "x"]).fails(3);
}

#[test]
fn without_a_name_readers_take_the_latest_and_writers_refuse() {
    let bench = Bench::new();
    bench.script("new --id old | new --id latest --name Evening | -s latest append --at-ms 2 b");
    bench.script("-s old append --at-ms 1 a");
    let ran = bench.run(&["render"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "user: b\n"), "{ran:?}");
    assert!(
        ran.err.contains("latest \"Evening\"") && ran.err.contains("-s"),
        "{ran:?}"
    );
    let ran = bench.run(&["--json", "render"]);
    let note: serde_json::Value = serde_json::from_str(&ran.err).unwrap();
    assert!(note["note"].as_str().unwrap().contains("latest"));

    let error = bench.run(&["append", "x"]).fails(2);
    assert!(
        error.contains("2 sessions") && error.contains("-s"),
        "{error}"
    );
    bench.run(&["rewind", "n0"]).fails(2);

    for (named, expected) in [("old", "a"), ("lat", "b"), ("Evening", "b")] {
        let out = bench.run(&["-s", named, "render"]).ok();
        assert_eq!(out, format!("user: {expected}\n"), "{named}");
    }
    let ran = bench
        .command(&["render"])
        .env("SESSION_TREE_SESSION", "old")
        .output()
        .unwrap();
    assert_eq!(
        (ran.stdout, ran.stderr),
        (b"user: a\n".to_vec(), Vec::new())
    );

    bench.script("-s latest archive");
    assert_eq!(
        bench.run(&["append", "c"]).ok(),
        "n1\n",
        "an archived session is no choice"
    );
}

#[test]
fn nodes_are_named_exactly_or_by_a_unique_prefix() {
    let bench = Bench::new();
    bench.script("append a | append --id abc b | append --id abcd c | append --id xyz_% d | append --id xyz d");
    for (text, id) in [
        ("n0", "n0"),
        ("abc", "abc"),
        ("abcd", "abcd"),
        ("xyz_", "xyz_%"),
        ("n", "n0"),
        ("xyz", "xyz"),
    ] {
        assert_eq!(
            bench.run(&["node", text, "--json"]).json()["id"],
            id,
            "{text}"
        );
    }
    for (text, code) in [("ab", 2), ("%", 3), ("", 3), ("n9", 3), ("xy", 2)] {
        bench.run(&["node", text]).fails(code);
    }
}

#[test]
fn deleting_takes_the_exact_id_only() {
    let bench = Bench::new();
    bench.script("new --id nightly --name Night | append x");
    bench.run(&["delete", "night"]).fails(3);
    bench.run(&["delete", "Night"]).fails(3);
    let ran = bench.run(&["-s", "nightly", "delete"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    bench.run(&["delete", "nightly"]).ok();
    assert_eq!(bench.run(&["sessions"]).ok(), "");
    bench.run(&["log"]).fails(3);
}

#[test]
fn the_audit_trail_names_who_it_was() {
    let bench = Bench::new();
    bench.script("append a");
    let ran = std::process::Command::new(PROGRAM)
        .env_clear()
        .env("SESSION_TREE_ACTOR", "planner")
        .arg("--db")
        .arg(bench.store())
        .args(["rename", "Named"])
        .output()
        .unwrap();
    assert!(ran.status.success());
    let conn = rusqlite::Connection::open(bench.store()).unwrap();
    let actors: Vec<String> = conn
        .prepare("SELECT actor FROM operation_list ORDER BY operation_key")
        .unwrap()
        .query_map((), |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(actors.first().map(String::as_str), Some("cli"));
    assert_eq!(actors.last().map(String::as_str), Some("planner"));
}

#[test]
fn an_append_that_names_something_makes_nothing_up() {
    let bench = Bench::new();
    for arguments in [
        &["-s", "x", "append", "t"][..],
        &["append", "t", "--branch", "x"],
        &["append", "t", "--expecting", "n0"],
    ] {
        bench.run(arguments).fails(6);
        assert!(!bench.store().exists(), "{arguments:?}");
    }
    bench.script("new --id s | delete s");
    for arguments in [
        &["-s", "x", "append", "t"][..],
        &["append", "t", "--branch", "x"],
        &["append", "t", "--expecting", "n0"],
    ] {
        bench.run(arguments).fails(3);
    }
    assert_eq!(
        bench.run(&["sessions"]).ok(),
        "",
        "no session was made for what failed"
    );
    bench.run(&["append", "t", "--expecting-empty", "--branch", "main"]);
    assert_eq!(bench.run(&["path"]).ok(), "n0\n");
}
