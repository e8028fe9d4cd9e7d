//! Attacks on nodes that the guards stop.

use super::{Attack, stopped};

const IMMUTABLE: &str = "nodes are immutable";
const NEXT: &str = "a node's key must be the next one of its session";
const PARENT: &str = "the parent must be a node of the same session";
const KEPT: &str = "nodes are not deleted one by one";
const CYCLE: &str = "that would close a cycle";

#[rustfmt::skip]
pub const STOPPED: &[Attack] = &[
    // Cycles by moving nodes.
    stopped("cycle by UPDATE", IMMUTABLE, "UPDATE nodes SET parent_key = $a3 WHERE key = $a1;"),
    stopped("root under its own descendant", IMMUTABLE, "UPDATE nodes SET parent_key = $a3 WHERE key = $a0;"),
    stopped("cycle by UPDATE OR IGNORE", IMMUTABLE, "UPDATE OR IGNORE nodes SET parent_key = $a3 WHERE key = $a1;"),
    stopped("cycle by UPDATE OR REPLACE", IMMUTABLE, "UPDATE OR REPLACE nodes SET parent_key = $a3 WHERE key = $a1;"),
    stopped("cycle by UPDATE OR ROLLBACK", IMMUTABLE, "UPDATE OR ROLLBACK nodes SET parent_key = $a3 WHERE key = $a1;"),
    stopped("cycle by UPDATE OR FAIL", IMMUTABLE, "UPDATE OR FAIL nodes SET parent_key = $a3 WHERE key >= $a1;"),
    stopped("cycle by UPDATE FROM", IMMUTABLE,
        "UPDATE nodes SET parent_key = low.key FROM nodes AS low WHERE nodes.key = $a1 AND low.key = $a3;"),
    stopped("cycle by UPSERT", NEXT,
        "INSERT INTO $node VALUES ($a1, NULL, $a0, $a0, 2, $rest) ON CONFLICT (key) DO UPDATE SET parent_key = $a3;"),
    stopped("UPSERT that does nothing", NEXT,
        "INSERT INTO $node VALUES ($a1, NULL, $a0, $a0, 2, $rest) ON CONFLICT DO NOTHING;"),
    stopped("swap of two nodes in one statement", IMMUTABLE,
        "UPDATE nodes SET parent_key = CASE key WHEN $a1 THEN $a2 ELSE $a0 END WHERE key IN ($a1, $a2);"),
    stopped("self-parent by UPDATE", IMMUTABLE, "UPDATE nodes SET parent_key = key WHERE key = $a3;"),
    stopped("self-parent by INSERT", PARENT, "INSERT INTO $node VALUES ($a6, NULL, $a6, $a6, 6, $rest);"),
    stopped("node made a root", IMMUTABLE, "UPDATE nodes SET parent_key = NULL, run_start = key WHERE key = $a4;"),
    stopped("move to another parent", IMMUTABLE, "UPDATE nodes SET parent_key = $a2 WHERE key = $a4;"),

    // Adoption, the one change of a parent.
    stopped("adopt a root under its own descendant", CYCLE, "UPDATE nodes SET parent_key = $b5 WHERE key = $b4;"),
    stopped("the same with OR REPLACE", CYCLE, "UPDATE OR REPLACE nodes SET parent_key = $b5 WHERE key = $b4;"),
    stopped("two adoptions that close a cycle together, in one statement", CYCLE,
        "UPDATE nodes SET parent_key = CASE key WHEN $b9 THEN $b12 ELSE $b10 END WHERE key IN ($b9, $b11);"),
    stopped("adopt by a node that was not declared", IMMUTABLE, "UPDATE nodes SET parent_key = $b0 WHERE key = $b1;"),
    stopped("adopt by a node of another session that has the declared id", IMMUTABLE,
        "UPDATE nodes SET parent_key = $a1 WHERE key = $b7;"),
    stopped("the same without CHECKs", IMMUTABLE,
        "PRAGMA ignore_check_constraints = ON; UPDATE nodes SET parent_key = $a1 WHERE key = $b7;"),
    stopped("adopt what is never to be adopted", IMMUTABLE, "UPDATE nodes SET parent_key = $b0 WHERE key = $b6;"),
    stopped("make adoptable again", IMMUTABLE, "UPDATE nodes SET adoptable = 1 WHERE key = $b6;"),
    stopped("never-adopt on a node that waits for nobody", IMMUTABLE, "UPDATE nodes SET adoptable = 0 WHERE key = $b0;"),
    stopped("change the declared parent", IMMUTABLE, "UPDATE nodes SET missing_parent = 'aa' WHERE key = $b1;"),
    stopped("adopt with another run_start", IMMUTABLE, "UPDATE nodes SET parent_key = $b8, run_start = $b0 WHERE key = $b1;"),

    // Rewriting.
    stopped("rewrite a payload", IMMUTABLE, "UPDATE nodes SET payload = '{\"role\":\"user\",\"content\":\"No\"}' WHERE key = $a0;"),
    stopped("rewrite all payloads", IMMUTABLE, "UPDATE nodes SET payload = '{}';"),
    stopped("rewrite a preview", IMMUTABLE, "UPDATE nodes SET preview = 'No' WHERE key = $a0;"),
    stopped("rewrite a role", IMMUTABLE, "UPDATE nodes SET role = 'assistant' WHERE key = $a0;"),
    stopped("rewrite a kind", IMMUTABLE, "UPDATE nodes SET kind = 'custom' WHERE key = $a0;"),
    stopped("rewrite a time", IMMUTABLE, "UPDATE nodes SET created_at_ms = 0 WHERE key = $a0;"),
    stopped("rewrite an envelope", IMMUTABLE, "UPDATE nodes SET envelope = '{\"message\": }' WHERE key = $b0;"),
    stopped("rewrite an id", IMMUTABLE, "UPDATE nodes SET id = 'new' WHERE key = $b0;"),
    stopped("give an id to a node that has a derived one", IMMUTABLE, "UPDATE nodes SET id = 'new' WHERE key = $a0;"),
    stopped("rewrite the bookkeeping", IMMUTABLE, "UPDATE nodes SET messages = 9 WHERE key = $a0;"),
    stopped("a tombstone of another text", IMMUTABLE,
        "UPDATE nodes SET preview = '[scrubbed]', envelope = NULL, envelope_at = NULL, payload = '{\"scrubbed\":false}' WHERE key = $b0;"),
    stopped("a tombstone that keeps the preview", IMMUTABLE, "UPDATE nodes SET payload = '{\"scrubbed\":true}' WHERE key = $a0;"),
    stopped("a tombstone that keeps the envelope", IMMUTABLE,
        "UPDATE nodes SET preview = '[scrubbed]', payload = '{\"scrubbed\":true}' WHERE key = $b0;"),
    stopped("a tombstone that changes the role too", IMMUTABLE,
        "UPDATE nodes SET preview = '[scrubbed]', payload = '{\"scrubbed\":true}', role = 'tool' WHERE key = $a0;"),

    // Identity.
    stopped("UPDATE of the key", IMMUTABLE, "UPDATE nodes SET key = $a6 WHERE key = $a5;"),
    stopped("UPDATE of rowid", IMMUTABLE, "UPDATE nodes SET rowid = $a6 WHERE key = $a5;"),
    stopped("UPDATE of _rowid_", IMMUTABLE, "UPDATE nodes SET _rowid_ = $a6 WHERE key = $a5;"),
    stopped("UPDATE of oid", IMMUTABLE, "UPDATE nodes SET oid = $a6 WHERE key = $a5;"),
    stopped("UPDATE OR REPLACE of rowid over another node", IMMUTABLE, "UPDATE OR REPLACE nodes SET rowid = $a2 WHERE key = $a5;"),
    stopped("UPDATE OR REPLACE of an id over another node", IMMUTABLE, "UPDATE OR REPLACE nodes SET id = 'bb' WHERE key = $b3;"),

    // REPLACE.
    stopped("REPLACE of an inner node", NEXT, "REPLACE INTO $node VALUES ($a1, NULL, $a3, $a1, 2, $rest);"),
    stopped("REPLACE of a leaf", NEXT, "INSERT OR REPLACE INTO $node VALUES ($a5, NULL, $a4, $a4, 5, $rest);"),
    stopped("REPLACE of a root by a child of its descendant", NEXT, "REPLACE INTO $node VALUES ($a0, NULL, $a3, $a0, 1, $rest);"),
    stopped("REPLACE through rowid", NEXT,
        "REPLACE INTO nodes (rowid, parent_key, run_start, messages, kind, created_at_ms, preview, payload) VALUES ($a1, $a3, $a1, 2, $rest);"),
    stopped("REPLACE through oid", NEXT,
        "REPLACE INTO nodes (oid, parent_key, run_start, messages, kind, created_at_ms, preview, payload) VALUES ($a1, $a3, $a1, 2, $rest);"),
    stopped("REPLACE that collides on the id", "the id is taken", "REPLACE INTO $node VALUES ($b13, 'bb', NULL, $b13, 5, $rest);"),
    stopped("a taken id", "the id is taken", "INSERT INTO $node VALUES ($b13, 'bb', NULL, $b13, 5, $rest);"),
    stopped("a taken id, OR IGNORE", "the id is taken", "INSERT OR IGNORE INTO $node VALUES ($b13, 'bb', NULL, $b13, 5, $rest);"),

    // Inserting.
    stopped("dangling parent", PARENT, "INSERT INTO $node VALUES ($a6, NULL, $a9, $a6, 6, $rest);"),
    stopped("dangling parent, OR IGNORE", PARENT, "INSERT OR IGNORE INTO $node VALUES ($a6, NULL, $a9, $a6, 6, $rest);"),
    stopped("dangling parent with a missing one declared", PARENT,
        "INSERT INTO nodes (key, parent_key, run_start, messages, kind, created_at_ms, missing_parent, preview, payload) VALUES ($a6, $a9, $a6, 6, 'message', 1, 'n9', 'x', '{}');"),
    stopped("parent of another session", PARENT, "INSERT INTO $node VALUES ($a6, NULL, $b0, $a6, 6, $rest);"),
    stopped("parent of another session without CHECKs", PARENT,
        "PRAGMA ignore_check_constraints = ON; INSERT INTO $node VALUES ($a6, NULL, $b0, $a6, 6, $rest);"),
    stopped("parent of an earlier session without CHECKs", PARENT,
        "PRAGMA ignore_check_constraints = ON; INSERT INTO $node VALUES ($b13, 'new', $a5, $b13, 5, $rest);"),
    stopped("planted huge key", NEXT, "INSERT INTO $node VALUES ((1 << 32) + 4294967295, NULL, NULL, (1 << 32) + 4294967295, 6, $rest);"),
    stopped("a gap in the keys", NEXT, "INSERT INTO $node VALUES ($a7, NULL, NULL, $a7, 6, $rest);"),
    stopped("the key of a session that is not there", "a node needs a session", "INSERT INTO $node VALUES ((9 << 32), NULL, NULL, (9 << 32), 1, $rest);"),
    stopped("the key of a session that is gone", "a node needs a session", "INSERT INTO $node VALUES ($d0, NULL, NULL, $d0, 1, $rest);"),
    stopped("an append to a session that is being deleted", "a node needs a session",
        "BEGIN; UPDATE sessions SET state = 'deleting' WHERE key = 1; INSERT INTO $node VALUES ($a6, NULL, $a5, $a4, 6, $rest); ROLLBACK;"),
    stopped("the greatest key there is", "a node needs a session",
        "INSERT INTO $node VALUES (9223372036854775807, NULL, NULL, 9223372036854775807, 1, $rest);"),
    stopped("a negative key", "a node needs a session", "INSERT INTO $node VALUES (-1, NULL, NULL, -1, 1, $rest);"),
    stopped("no key", "a node needs a session", "INSERT INTO $node VALUES (NULL, NULL, NULL, 1, 1, $rest);"),
    stopped("a key given as text", NEXT, "INSERT INTO $node VALUES ('$a5', NULL, NULL, $a5, 6, $rest);"),
    stopped("a parent given as text", PARENT, "INSERT INTO $node VALUES ($a6, NULL, '$a9', $a6, 6, $rest);"),
    stopped("planted run_start: too early", "run_start must be", "INSERT INTO $node VALUES ($a6, NULL, $a5, $a0, 6, $rest);"),
    stopped("planted run_start: own run under the node before", "run_start must be", "INSERT INTO $node VALUES ($a6, NULL, $a5, $a6, 6, $rest);"),
    stopped("planted run_start: parent's run under a far parent", "run_start must be", "INSERT INTO $node VALUES ($a6, NULL, $a3, $a0, 6, $rest);"),
    stopped("planted run_start: none", "NOT NULL constraint", "INSERT INTO $node VALUES ($a6, NULL, NULL, NULL, 6, $rest);"),
    stopped("planted messages: too many", "messages must count", "INSERT INTO $node VALUES ($a6, NULL, $a5, $a4, 7, $rest);"),
    stopped("planted messages: too few", "messages must count", "INSERT INTO $node VALUES ($a6, NULL, $a5, $a4, 5, $rest);"),
    stopped("explicit n<number> in a session that makes them", "ids of the form n<number>", "INSERT INTO $node VALUES ($a6, 'n6', $a5, $a4, 6, $rest);"),
    stopped("explicit id that another node has as its derived one", "ids of the form n<number>", "INSERT INTO $node VALUES ($a6, 'n1', $a5, $a4, 6, $rest);"),
    stopped("the same with zeros in front", "ids of the form n<number>", "INSERT INTO $node VALUES ($a6, 'n01', $a5, $a4, 6, $rest);"),
    stopped("a derived id in a session of explicit ones", "need an explicit id", "INSERT INTO $node VALUES ($b13, NULL, $b12, $b11, 5, $rest);"),
    stopped("the empty id", "CHECK constraint", "INSERT INTO $node VALUES ($a6, '', $a5, $a4, 6, $rest);"),
    stopped("a payload that is no text", "cannot store BLOB value in TEXT column nodes.payload",
        "INSERT INTO $node VALUES ($a6, NULL, $a5, $a4, 6, 'message', 1, 'x', x'7B7D');"),
    stopped("the same without CHECKs", "cannot store BLOB value in TEXT column nodes.payload",
        "PRAGMA ignore_check_constraints = ON; INSERT INTO $node VALUES ($a6, NULL, $a5, $a4, 6, 'message', 1, 'x', x'7B7D');"),
    stopped("an envelope without the place of its payload", "CHECK constraint",
        "INSERT INTO nodes (key, parent_key, run_start, messages, kind, created_at_ms, preview, envelope, payload) VALUES ($a6, $a5, $a4, 6, 'message', 1, 'x', '{}', '{}');"),

    // Deleting.
    stopped("DELETE of an inner node", KEPT, "DELETE FROM nodes WHERE key = $a1;"),
    stopped("DELETE of a leaf", KEPT, "DELETE FROM nodes WHERE key = $a5;"),
    stopped("DELETE of all nodes", KEPT, "DELETE FROM nodes;"),
    stopped("DELETE by rowid", KEPT, "DELETE FROM nodes WHERE rowid = $a5;"),
    stopped("a leaf after its branch is moved away", KEPT, "DELETE FROM nodes WHERE key = $b3 AND EXISTS (SELECT 1 FROM branches);"),

    // Other names for the tables that the guards read.
    stopped("a temporary table that hides sessions", KEPT,
        "CREATE TEMP TABLE sessions AS SELECT * FROM main.sessions; UPDATE temp.sessions SET state = 'deleting', high_seq = 99; DELETE FROM main.nodes;"),
    stopped("a temporary table that hides nodes", PARENT,
        "CREATE TEMP TABLE nodes AS SELECT * FROM main.nodes; UPDATE temp.nodes SET key = $a9 WHERE key = $a5; INSERT INTO main.$node VALUES ($a6, NULL, $a9, $a6, 6, $rest);"),
    stopped("a cycle with recursive triggers", IMMUTABLE, "PRAGMA recursive_triggers = ON; UPDATE nodes SET parent_key = $a3 WHERE key = $a1;"),
    stopped("a cycle with deferred foreign keys", IMMUTABLE,
        "PRAGMA defer_foreign_keys = ON; BEGIN; UPDATE nodes SET parent_key = $a3 WHERE key = $a1; COMMIT;"),
    stopped("a cycle in a savepoint", IMMUTABLE, "SAVEPOINT s; UPDATE nodes SET parent_key = $a3 WHERE key = $a1; RELEASE s;"),
];
