//! Attacks on the rows around the trees, and what plain statements can still do: things that lose nothing and that `check` names.

use super::{Attack, left, stopped};

#[rustfmt::skip]
pub const STOPPED: &[Attack] = &[
    stopped("rewrite a summary", "summaries are immutable", "UPDATE summaries SET summary = 'No' WHERE key = 1;"),
    stopped("REPLACE a summary", "a summary's key must be the next one",
        "REPLACE INTO summaries (key, session_key, branch_key, branch, node_id, summary, created_at_ms) VALUES (1, 1, 2, 'x', 'n3', 'No', 1);"),
    stopped("delete a summary", "summaries go only with their session", "DELETE FROM summaries;"),
    stopped("a summary of a branch of another session", "a summary needs a branch of its session",
        "INSERT INTO summaries (session_key, branch_key, branch, node_id, summary, created_at_ms) VALUES (1, 5, 'x', 'n3', 'No', 1);"),
    stopped("a summary with a huge key", "a summary's key must be the next one",
        "INSERT INTO summaries (key, session_key, branch_key, branch, node_id, summary, created_at_ms) VALUES (9223372036854775807, 1, 2, 'x', 'n3', 'No', 1);"),
    stopped("a summary with key -1", "CHECK constraint",
        "INSERT INTO summaries (key, session_key, branch_key, branch, node_id, summary, created_at_ms) VALUES (-1, 1, 2, 'x', 'n3', 'No', 1);"),

    stopped("rewrite an operation", "operations are immutable", "UPDATE operations SET actor = 'No';"),
    stopped("REPLACE an operation", "an operation's key must be the next one",
        "REPLACE INTO operations (key, session_key, verb, actor, at_ms, high_key) VALUES (1, 1, 'x', 'x', 1, 0);"),
    stopped("delete an operation", "operations go only with their session", "DELETE FROM operations WHERE key = 2;"),
    stopped("delete an operation of a session that is gone", "operations go only with their session", "DELETE FROM operations WHERE session_key = 4;"),
    stopped("an operation with a huge key", "an operation's key must be the next one",
        "INSERT INTO operations (key, session_key, verb, actor, at_ms, high_key) VALUES (9223372036854775807, 1, 'x', 'x', 1, 0);"),
    stopped("an operation with key -1", "CHECK constraint",
        "INSERT INTO operations (key, session_key, verb, actor, at_ms, high_key) VALUES (-1, 1, 'x', 'x', 1, 0);"),
    stopped("an operation of a session that never was", "an operation needs a session",
        "INSERT INTO operations (session_key, verb, actor, at_ms, high_key) VALUES (9, 'x', 'x', 1, 0);"),

    stopped("rewrite a loose record", "loose records are immutable", "UPDATE loose_records SET raw = x'00' WHERE key = 2;"),
    stopped("REPLACE a loose record", "a loose record's key must be the next one",
        "REPLACE INTO loose_records (key, session_key, source_line, byte_offset, reason, raw) VALUES (1, 2, 1, 0, 'header', x'00');"),
    stopped("delete a loose record", "loose records go only with their session", "DELETE FROM loose_records;"),
    stopped("a loose record with a huge key", "a loose record's key must be the next one",
        "INSERT INTO loose_records (key, session_key, source_line, byte_offset, reason, raw) VALUES (9223372036854775807, 2, 1, 0, 'x', x'00');"),
    stopped("a loose record with key -1", "CHECK constraint",
        "INSERT INTO loose_records (key, session_key, source_line, byte_offset, reason, raw) VALUES (-1, 2, 1, 0, 'x', x'00');"),
    stopped("a loose record of a node of another session", "its node must be one of it",
        "INSERT INTO loose_records (session_key, node_key, source_line, byte_offset, reason, raw) VALUES (2, $a0, 1, 0, 'x', x'00');"),
    stopped("a loose record of no session", "a loose record needs a session",
        "INSERT INTO loose_records (session_key, source_line, byte_offset, reason, raw) VALUES (9, 1, 0, 'x', x'00');"),

    stopped("a guard's fence lowered", "its fence grows by one", "UPDATE guards SET fence = 1 WHERE session_key = 1;"),
    stopped("a guard's fence at the end of the numbers", "its fence grows by one", "UPDATE guards SET fence = 9223372036854775807 WHERE session_key = 1;"),
    stopped("a guard taken with the fence of the last holder", "its fence grows by one", "UPDATE guards SET kind = 'turn' WHERE session_key = 1;"),
    stopped("a guard moved to another session", "a guard keeps its session", "UPDATE guards SET session_key = 3 WHERE session_key = 1;"),
    stopped("REPLACE of a guard", "the session has a guard row", "REPLACE INTO guards (session_key, fence) VALUES (1, 0);"),
    stopped("a guard deleted", "set kind to NULL", "DELETE FROM guards;"),
    stopped("a guard of no session", "a guard needs a session", "INSERT INTO guards (session_key, fence) VALUES (9, 1);"),
    stopped("a guard that starts at a huge fence", "its fence starts at 0 or 1", "INSERT INTO guards (session_key, fence) VALUES (3, 9223372036854775807);"),

    stopped("a second store row", "the store has an id", "INSERT INTO store VALUES (2, 'x', 1);"),
    stopped("REPLACE of the store row", "the store has an id", "REPLACE INTO store VALUES (1, 'x', 1);"),
    stopped("another store id", "the store keeps its id", "UPDATE store SET id = 'x';"),
    stopped("no store id", "the store keeps its id", "DELETE FROM store;"),
];

#[rustfmt::skip]
pub const LEFT: &[Attack] = &[
    left("a node that no branch ends at", &["unnamed_leaf"], "INSERT INTO $node VALUES ($a6, NULL, $a5, $a4, 6, $rest);"),
    left("a root that no branch ends at", &["unnamed_leaf"], "INSERT INTO $node VALUES ($a6, NULL, NULL, $a6, 6, $rest);"),
    left("a payload that is no JSON", &["payload"],
        "INSERT INTO $node VALUES ($a6, NULL, $a5, $a4, 6, 'message', 1, 'x', 'not JSON'); UPDATE branches SET leaf_key = $a6 WHERE key = 1;"),
    left("a node appended to a branch of another session", &["branch"],
        "INSERT INTO nodes (key, parent_key, run_start, branch_key, messages, kind, created_at_ms, preview, payload) VALUES ($a6, $a5, $a4, 5, 6, $rest);
UPDATE branches SET leaf_key = $a6 WHERE key = 1;"),
    left("a parent declared missing that is not the parent", &["parent"],
        "INSERT INTO nodes (key, parent_key, run_start, messages, kind, created_at_ms, missing_parent, preview, payload) VALUES ($a6, $a5, $a4, 6, 'message', 1, 'n1', 'x', '{}');
UPDATE branches SET leaf_key = $a6 WHERE key = 1;"),
    left("a live session without an active branch", &["active_branch"], "INSERT INTO sessions (id, created_at_ms) VALUES ('new', 1);"),
    left("a session that was left while it was imported", &["leftover"], "INSERT INTO sessions (id, created_at_ms, state) VALUES ('new', 1, 'importing');"),
    left("a session that was left while it was deleted", &["leftover"], "UPDATE sessions SET state = 'deleting' WHERE key = 3;"),
    left("a session's meta that is no JSON", &["json"], "UPDATE sessions SET meta = '{' WHERE key = 1;"),
    left("an operation's detail that is no JSON", &["json"],
        "INSERT INTO operations (session_key, verb, actor, at_ms, high_key, detail) VALUES (1, 'x', 'x', 1, 0, '{');"),
    left("an operation that moves to a node of another session", &["operation"],
        "INSERT INTO operations (session_key, verb, actor, at_ms, branch_key, from_key, to_key, high_key) VALUES (1, 'rewind', 'x', 1, 1, $a5, $b0, $a5);"),
    left("a label of no session", &["foreign_keys"], "INSERT INTO labels VALUES (9, 'n0', 'x', 'api', 1);"),
    left("a hint that passes free names by", &["hint"], "UPDATE branches SET next_rewound = 9223372036854775807 WHERE key = 1;"),
    left("a hint of the session that passes free names by", &["hint"], "UPDATE sessions SET next_branch = 1000 WHERE key = 1;"),
    left("AUTOINCREMENT of branches at its end", &["sequence"], "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'branches';"),
    left("AUTOINCREMENT of sessions at its end", &["sequence"], "UPDATE sqlite_sequence SET seq = 2147483647 WHERE name = 'sessions';"),
    left("AUTOINCREMENT set back", &["sequence"], "UPDATE sqlite_sequence SET seq = 3 WHERE name = 'sessions';"),
    left("AUTOINCREMENT forgotten", &["sequence"], "DELETE FROM sqlite_sequence;"),
    left("AUTOINCREMENT twice", &["sequence"], "INSERT INTO sqlite_sequence VALUES ('sessions', 1);"),
];
