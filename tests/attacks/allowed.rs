//! What the guards let through: the work of a store, and the few changes of nodes that are no forgery.

use super::cases::expand;
use super::engine::{self, Bench};

/// Runs statements that must all succeed, and answers a question about what came of them.
fn after(script: &str, question: &str) -> String {
    let bench = Bench::new();
    let copy = bench.copy();
    let errors = engine::run_inside(&copy, "", &expand(script));
    assert_eq!(errors, Vec::<String>::new(), "{script}");
    engine::rows(&engine::open(&copy), &expand(question))
}

#[test]
fn a_root_is_not_adopted_by_its_own_descendant_but_by_its_declared_parent() {
    // The walk goes over two runs: q1 hangs under p2, so p1 is above q2.
    let bench = Bench::new();
    let copy = bench.copy();
    assert!(
        engine::run_inside(
            &copy,
            "",
            &expand("UPDATE nodes SET parent_key = $b10 WHERE key = $b11;")
        )
        .is_empty()
    );
    let before = engine::dump(&copy);
    let errors = engine::run_inside(
        &copy,
        "",
        &expand("UPDATE nodes SET parent_key = $b12 WHERE key = $b9;"),
    );
    assert_eq!(
        errors,
        ["session-tree: the new parent is a descendant of the node: that would close a cycle"]
    );
    assert_eq!(engine::dump(&copy), before);

    // zz came after bb, which waits for it: a younger parent.
    let question = "SELECT id, parent_key - $b0, run_start - $b0, missing_parent FROM nodes WHERE key IN ($b1, $b2)";
    assert_eq!(
        after(
            "UPDATE nodes SET parent_key = $b8 WHERE key = $b1;",
            question
        ),
        "bb|8|1|zz\ncc|1|1|\n"
    );
}

#[test]
fn an_adopted_orphan_is_not_adopted_again() {
    let bench = Bench::new();
    let copy = bench.copy();
    let script = "UPDATE nodes SET parent_key = $b8 WHERE key = $b1; UPDATE nodes SET parent_key = NULL WHERE key = $b1;
UPDATE nodes SET parent_key = $b0 WHERE key = $b1;";
    assert_eq!(
        engine::run_inside(&copy, "", &expand(script)),
        ["session-tree: nodes are immutable"; 2]
    );
}

#[test]
fn an_orphan_marked_as_never_to_be_adopted_stays_a_root() {
    let bench = Bench::new();
    let copy = bench.copy();
    let script = "UPDATE nodes SET adoptable = 0 WHERE key = $b1; UPDATE nodes SET parent_key = $b8 WHERE key = $b1;
UPDATE nodes SET adoptable = 1 WHERE key = $b1;";
    assert_eq!(
        engine::run_inside(&copy, "", &expand(script)),
        ["session-tree: nodes are immutable"; 2]
    );
    let question = "SELECT parent_key, adoptable FROM nodes WHERE key = $b1";
    assert_eq!(
        engine::rows(&engine::open(&copy), &expand(question)),
        "|0\n"
    );
}

#[test]
fn a_payload_becomes_the_tombstone_once() {
    let tombstone = "UPDATE nodes SET preview = '[scrubbed]', envelope_at = NULL, envelope = NULL, payload = '{\"scrubbed\":true}'
WHERE key IN ($a0, $b0);";
    let bench = Bench::new();
    let copy = bench.copy();
    assert!(engine::run_inside(&copy, "", &expand(tombstone)).is_empty());
    let scrubbed = engine::dump(&copy);
    // A no-op for those who count rows, but no second write.
    let again = "UPDATE nodes SET preview = '[scrubbed]', payload = '{\"role\":\"user\",\"content\":\"A\"}' WHERE key = $a0;
UPDATE nodes SET payload = '{\"role\":\"user\",\"content\":\"Hello\"}', preview = 'Hello' WHERE key = $a0;";
    assert_eq!(
        engine::run_inside(&copy, "", &expand(again)),
        ["session-tree: nodes are immutable"; 2]
    );
    assert_eq!(engine::dump(&copy), scrubbed);

    let question =
        "SELECT preview, role, messages, envelope, payload FROM nodes WHERE key IN ($a0, $b0)";
    let row = "[scrubbed]|user|1||{\"scrubbed\":true}\n";
    assert_eq!(after(tombstone, question), row.repeat(2));
    let loose = "UPDATE loose_records SET raw = CAST('{\"scrubbed\":true}' AS BLOB);";
    assert_eq!(
        after(loose, "SELECT key, CAST(raw AS TEXT) FROM loose_records"),
        "1|{\"scrubbed\":true}\n2|{\"scrubbed\":true}\n"
    );
}

#[test]
fn resting_follows_the_active_branch() {
    let question = "SELECT name, resting FROM branches WHERE session_key = 1";
    let script = "UPDATE sessions SET active_branch_key = 4 WHERE key = 1;";
    assert_eq!(
        after(script, question),
        "empty|1\ninner|0\nmain|1\nmain-rewound|1\n"
    );
    // The active branch counts as a name of its leaf although no index lists it.
    let script = "INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'twin', $a5, 1);
DELETE FROM branches WHERE name = 'twin';
INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'twin', $a5, 1);
UPDATE branches SET leaf_key = $a1 WHERE key = 1; DELETE FROM branches WHERE key = 4;";
    assert_eq!(
        after(script, question),
        "empty|1\nmain|0\nmain-rewound|1\ntwin|1\n"
    );
}

#[test]
fn a_freed_name_resets_the_hints_that_passed_it_by_and_no_others() {
    let branches = "INSERT INTO branches (session_key, name, created_at_ms, next_rewound) VALUES
(1, 'main-rewound-2', 1, 1), (1, 'x', 1, 7), (1, 'x-rewound-2x', 1, 1), (1, 'branch-2', 1, 1);
UPDATE sessions SET next_branch = 3 WHERE key = 1; UPDATE branches SET next_rewound = 3 WHERE key = 1;";
    let question =
        "SELECT next_rewound, (SELECT next_rewound FROM branches WHERE name = 'x'), next_branch
FROM branches JOIN sessions ON sessions.key = 1 WHERE branches.key = 1";
    let cases = [
        (
            "DELETE FROM branches WHERE name = 'x-rewound-2x';",
            "3|7|3\n",
        ),
        (
            "DELETE FROM branches WHERE name = 'main-rewound-2';",
            "1|7|3\n",
        ),
        (
            "UPDATE branches SET name = 'y' WHERE name = 'main-rewound';",
            "1|7|3\n",
        ),
        (
            "UPDATE branches SET name = 'main-rewound-4' WHERE name = 'x-rewound-2x';",
            "3|7|3\n",
        ),
        ("DELETE FROM branches WHERE name = 'branch-2';", "3|7|1\n"),
        (
            "UPDATE branches SET name = 'y' WHERE key = 1; UPDATE branches SET name = 'x2' WHERE name = 'x';",
            "1||3\n",
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(
            after(&format!("{branches}\n{change}"), question),
            expected,
            "{change}"
        );
    }
}

#[test]
fn a_session_goes_whole_and_its_keys_do_not_come_back() {
    let script = "UPDATE sessions SET state = 'deleting' WHERE key = 1;
DELETE FROM guards WHERE session_key = 1; DELETE FROM labels WHERE session_key = 1; DELETE FROM summaries WHERE session_key = 1;
DELETE FROM loose_records WHERE session_key = 1; DELETE FROM branches WHERE session_key = 1;
DELETE FROM nodes WHERE key BETWEEN $a1 AND $a3; DELETE FROM nodes WHERE key >> 32 = 1; DELETE FROM sessions WHERE key = 1;
INSERT INTO sessions (id, created_at_ms) VALUES ('alpha', 1); INSERT INTO branches (session_key, name, created_at_ms) VALUES (5, 'main', 1);
INSERT INTO operations (session_key, verb, actor, at_ms, high_key) VALUES (1, 'delete', 'x', 1, $a5);";
    let question =
        "SELECT sessions.key, branches.key, (SELECT count(*) FROM nodes WHERE key >> 32 = 1)
FROM sessions JOIN branches ON session_key = sessions.key WHERE sessions.id = 'alpha'";
    assert_eq!(after(script, question), "5|15|0\n");
    // The mark notes the highest seq before the first node goes, so a pause in the middle leaves no key to be used again.
    let script =
        "UPDATE sessions SET state = 'deleting' WHERE key = 1; DELETE FROM nodes WHERE key = $a5;";
    assert_eq!(
        after(script, "SELECT high_seq FROM sessions WHERE key = 1"),
        "5\n"
    );
}

#[test]
fn what_a_person_may_change_by_hand_is_let_through() {
    let script = "UPDATE sessions SET name = 'New', name_set_by = 'api', archived_at_ms = 5 WHERE id = 'alpha';
UPDATE branches SET name = 'try' WHERE session_key = 1 AND name = 'main-rewound';
UPDATE branches SET archived_at_ms = 5 WHERE session_key = 1 AND name = 'try';
INSERT OR REPLACE INTO labels VALUES (1, 'n1', 'again', 'api', 6);
DELETE FROM labels WHERE node_id = 'n3';
UPDATE guards SET kind = NULL WHERE session_key = 1;";
    let question = "SELECT sessions.name, branches.name, label FROM sessions JOIN branches ON branches.key = 2 JOIN labels ON labels.session_key = 1
WHERE sessions.key = 1";
    assert_eq!(after(script, question), "New|try|again\n");
}

#[test]
fn a_dump_restores_rows_and_guards() {
    let bench = Bench::new();
    let copy = bench.copy();
    let Some(sql) = engine::dump_in_shell(&copy) else {
        println!("skipped: no sqlite3 shell");
        return;
    };
    let before = engine::dump(&copy);
    std::fs::remove_file(&copy).expect("the copy goes");
    engine::open(&copy)
        .execute_batch(&format!(
            "{sql} PRAGMA user_version = 1; PRAGMA application_id = 0x53547265;"
        ))
        .expect("a dump is valid");
    assert_eq!(engine::dump(&copy), before);
}
