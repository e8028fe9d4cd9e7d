//! Damage in the middle of a file: a check comes to its end, and names the row.

use session_tree::{CheckOptions, CheckReport, Message, ProblemCode, Store};

use super::{codes, describe};
use crate::attacks::cases;
use crate::attacks::engine::{self, Bench};

/// The report on the seed after a script that nothing refuses.
fn report_after(script: &str, options: CheckOptions) -> CheckReport {
    let bench = Bench::new();
    let copy = bench.copy();
    let errors = engine::run_inside(&copy, "", &cases::expand(script));
    assert!(errors.is_empty(), "{script}: {errors:?}");
    Store::builder()
        .read_only()
        .open(&copy)
        .and_then(|store| store.check(options))
        .expect("a report")
}

fn texts(report: &CheckReport, code: ProblemCode) -> Vec<&str> {
    report
        .problems
        .iter()
        .filter(|problem| problem.code == code)
        .map(|problem| problem.text.as_str())
        .collect()
}

#[test]
fn rows_out_of_order_do_not_lead_a_check_round_in_circles() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tree.db");
    {
        let store = Store::open(&path).expect("a store");
        for _ in 0..3 {
            let messages = (0..200).map(|number| Message::user(&format!("message {number}")));
            store.from_linear(messages, None).expect("a tree");
        }
    }
    let db = engine::open(&path);
    db.execute_batch("PRAGMA journal_mode = DELETE; VACUUM")
        .expect("one file");
    let root: u32 = db
        .query_row(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'nodes'",
            (),
            |row| row.get(0),
        )
        .expect("a page");
    drop(db);
    const PAGE: usize = 4096;
    let mut bytes = std::fs::read(&path).expect("the file");
    let start = (root as usize - 1) * PAGE;
    let number = |at: usize| usize::from(bytes[at]) << 8 | usize::from(bytes[at + 1]);
    assert_eq!(bytes[start], 5, "an interior page");
    let cells = number(start + 3);
    assert!(cells > 4);
    // The page where the search for the second session ends becomes the first one, whose keys are lower.
    let first = start + number(start + 12);
    let page: [u8; 4] = bytes[first..first + 4].try_into().expect("four bytes");
    let places: Vec<usize> = (1..cells)
        .map(|cell| start + number(start + 12 + 2 * cell))
        .collect();
    for place in places {
        bytes[place..place + 4].copy_from_slice(&page);
    }
    std::fs::write(&path, bytes).expect("the file");
    for options in [CheckOptions::new(), CheckOptions::new().quick()] {
        let report = Store::builder()
            .read_only()
            .open(&path)
            .and_then(|store| store.check(options))
            .expect("a report");
        assert!(!report.is_healthy());
        let stopped = texts(&report, ProblemCode::Unreadable).join("\n");
        assert!(
            stopped.contains("not in the order of their keys"),
            "{}",
            describe(&report)
        );
        assert!(!stopped.contains("session-tree check"), "{stopped}");
    }
}

/// SQLite does not look at CHECKs on a connection that may only read, as a check's is while somebody has the store open.
#[test]
fn rows_that_break_a_check_are_found_while_the_store_is_in_use() {
    for change in [
        "UPDATE sessions SET name_set_by = 'nobody' WHERE key = 1",
        "INSERT INTO labels VALUES (1, 'n0', 'x', 'nobody', 0) ON CONFLICT DO UPDATE SET set_by = 'nobody'",
    ] {
        let bench = Bench::new();
        let copy = bench.copy();
        engine::open(&copy)
            .execute_batch(&format!("PRAGMA ignore_check_constraints = ON; {change}"))
            .expect("no guard minds");
        let store = Store::open(&copy).expect("a store");
        let reader = Store::builder().read_only().open(&copy).expect("a store");
        for (who, store) in [("who may write", &store), ("who only reads", &reader)] {
            let report = store.check(CheckOptions::new()).expect("a report");
            let found = texts(&report, ProblemCode::Pages).join("\n");
            assert!(
                found.contains("CHECK"),
                "{who}: {change}: {}",
                describe(&report)
            );
        }
    }
}

#[test]
fn a_text_that_is_no_utf8_is_named_and_hides_nothing_behind_it() {
    const BAD: &str = "CAST(x'ff41' AS TEXT)";
    let columns = [
        (
            "sessions",
            "id name cwd meta origin_session_id origin_node_id source_path source_hash",
        ),
        ("branches", "name"),
        (
            "nodes",
            "id kind role time_text missing_parent preview envelope",
        ),
        ("labels", "node_id label"),
        ("summaries", "branch node_id summary model_id"),
        ("operations", "verb actor detail"),
        ("guards", "actor boot_id"),
        ("loose_records", "reason"),
        ("store", "id"),
    ];
    let mut looked_at = 0;
    for (table, columns) in columns {
        for column in columns.split(' ') {
            let more = if column == "envelope" {
                ", envelope_at = 0"
            } else {
                ""
            };
            let which = match table {
                "nodes" | "loose_records" => "rowid = (SELECT max(rowid) FROM $t)",
                "labels" => "node_id = 'n1'",
                _ => "rowid = (SELECT min(rowid) FROM $t)",
            }
            .replace("$t", table);
            let script = format!(
                ".dbconfig enable_trigger off
INSERT INTO operations (session_key, verb, actor, at_ms, high_key) VALUES (1, 'x', 'x', 1, 4294967296);
UPDATE {table} SET {column} = {BAD}{more} WHERE {which};
UPDATE sessions SET meta = '[' WHERE id = 'gamma';"
            );
            let report = report_after(&script, CheckOptions::new());
            let found = texts(&report, ProblemCode::Text);
            let named = format!("the {column} of ");
            assert!(
                found.len() == 1
                    && found[0].starts_with(&named)
                    && found[0].contains(&format!(" of {table} is")),
                "{table}.{column}\n{}",
                describe(&report)
            );
            let codes = codes(&report);
            assert!(
                codes.contains(&"json") && !codes.contains(&"unreadable"),
                "{table}.{column}: {codes:?}"
            );
            looked_at += 1;
        }
    }
    println!("{looked_at} columns");
}

#[test]
fn a_branch_key_that_never_was_is_the_nodes_problem_and_not_the_counters() {
    let report = report_after(
        "INSERT INTO nodes (key, parent_key, run_start, branch_key, messages, kind, created_at_ms, preview, payload) VALUES ($a6, $a5, $a4, 9223372036854775807, 6, $rest);
UPDATE branches SET leaf_key = $a6 WHERE key = 1;",
        CheckOptions::new(),
    );
    assert_eq!(
        codes(&report),
        ["branch", "orphan"],
        "{}",
        describe(&report)
    );
    assert!(texts(&report, ProblemCode::Branch)[0].contains("never was"));
}

#[test]
fn a_key_at_the_end_of_the_numbers_gets_no_advice_that_does_nothing() {
    let report = report_after(
        ".dbconfig enable_trigger off
INSERT INTO branches (key, session_key, name, created_at_ms) VALUES (9223372036854775807, 1, 'last', 1);",
        CheckOptions::new(),
    );
    let found = texts(&report, ProblemCode::Sequence);
    assert!(
        found.len() == 1 && !found[0].contains("set its seq"),
        "{}",
        describe(&report)
    );
}

#[test]
fn forged_operations_and_guards_are_named() {
    let operation = "INSERT INTO operations (key, session_key, verb, actor, at_ms, branch_key, from_key, to_key, high_key) VALUES (NULL, 1, 'rewind', 'x', 1, $v, $a5);";
    let cases = [
        (operation.replace("$v", "1, $a9, $a5"), ProblemCode::Operation, "a node that is not there"),
        (operation.replace("$v", "1, $a5, $a9"), ProblemCode::Operation, "a node that is not there"),
        (operation.replace("$v", "999, $a5, $a5"), ProblemCode::Operation, "a branch that never was"),
        ("INSERT INTO guards (session_key, fence, kind, actor) VALUES (3, 0, 'turn', 'x');".into(), ProblemCode::Guard, "fence is 0"),
        ("INSERT INTO guards (session_key, fence, kind) VALUES (3, 1, 'turn');".into(), ProblemCode::Guard, "by whom"),
        ("INSERT INTO guards (session_key, fence, kind, actor) VALUES (3, 1, 'turn', CAST(x'ff' AS TEXT));".into(), ProblemCode::Guard, "its actor is not valid UTF-8"),
    ];
    for (script, code, text) in cases {
        let report = report_after(&script, CheckOptions::new());
        let found = texts(&report, code);
        assert!(
            found.len() == 1 && found[0].contains(text),
            "{script}\n{}",
            describe(&report)
        );
    }
}
