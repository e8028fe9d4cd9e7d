//! Attacks by DDL and by switches: guards taken away, and damage done behind them. `check` has to find what they leave.

use super::{Attack, harmless, left, stopped, unseen};

#[rustfmt::skip]
pub const SWITCHES: &[Attack] = &[
    harmless("a temporary trigger that swallows the writer's own rows",
        "CREATE TEMP TRIGGER t BEFORE INSERT ON main.nodes BEGIN SELECT RAISE(IGNORE); END; INSERT INTO $node VALUES ($a6, NULL, $a5, $a4, 6, $rest);"),
    stopped("a temporary trigger that writes instead of the writer", "nodes are immutable",
        "CREATE TEMP TRIGGER t AFTER UPDATE ON main.sessions BEGIN UPDATE nodes SET parent_key = $a3 WHERE key = $a1; END; UPDATE sessions SET name = 'No' WHERE key = 1;"),
    stopped("writes to a view", "cannot modify active_path because it is a view", "UPDATE active_path SET payload = '{}';"),
    stopped("the table of the schema without writable_schema", "may not be modified", "DELETE FROM sqlite_schema WHERE type = 'trigger';"),
    stopped("a trigger on sqlite_sequence", "cannot create trigger on system table",
        "CREATE TRIGGER t BEFORE UPDATE ON sqlite_sequence BEGIN SELECT 1; END;"),
    left("a temporary trigger that keeps resting from being set", &["resting"],
        "CREATE TEMP TRIGGER t BEFORE UPDATE OF resting ON main.branches BEGIN SELECT RAISE(IGNORE); END; UPDATE sessions SET active_branch_key = 4 WHERE key = 1;"),
    left("an unknown state, without CHECKs", &["pages"], "PRAGMA ignore_check_constraints = ON; UPDATE sessions SET state = 'dead' WHERE key = 1;"),
    left("an empty id, without CHECKs", &["pages"],
        "PRAGMA ignore_check_constraints = ON; INSERT INTO $node VALUES ($b13, '', $b12, $b11, 5, $rest); UPDATE branches SET leaf_key = $b13 WHERE name = 'leaf-q2';"),
    left("branch key -1, without CHECKs", &["pages"],
        "PRAGMA ignore_check_constraints = ON; INSERT INTO branches (key, session_key, name, created_at_ms) VALUES (-1, 1, 'new', 1);"),
    left("user_version", &["version"], "PRAGMA user_version = 0;"),
    left("application_id", &["version"], "PRAGMA application_id = 7;"),
];

#[rustfmt::skip]
pub const LEFT: &[Attack] = &[
    // Guards taken away or changed, no damage yet.
    left("DROP TRIGGER", &["schema"], "DROP TRIGGER nodes_guard_update;"),
    left("a trigger put back weaker", &["schema"],
        "DROP TRIGGER nodes_guard_delete; CREATE TRIGGER nodes_guard_delete BEFORE DELETE ON nodes BEGIN SELECT 1; END;"),
    left("triggers deleted with writable_schema", &["schema"],
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE type = 'trigger'; PRAGMA writable_schema = RESET;"),
    left("a CHECK taken out with writable_schema", &["schema"],
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'parent_key >> 32 = key >> 32', 'parent_key > 0') WHERE name = 'nodes'; PRAGMA writable_schema = RESET;"),
    left("a trigger that swallows appends", &["schema"], "CREATE TRIGGER t BEFORE INSERT ON nodes BEGIN SELECT RAISE(IGNORE); END;"),
    left("a trigger that writes something else", &["schema"],
        "CREATE TRIGGER t AFTER UPDATE ON branches BEGIN UPDATE sessions SET name = NEW.name WHERE key = NEW.session_key; END;"),
    left("a table more", &["schema"], "CREATE TABLE more (x);"),
    left("an index more", &["schema"], "CREATE INDEX nodes_by_role ON nodes (role);"),
    left("a column more", &["schema"], "ALTER TABLE nodes ADD COLUMN more TEXT;"),
    left("a column renamed", &["schema"], "ALTER TABLE nodes RENAME COLUMN preview TO line;"),
    left("a table renamed", &["schema"], "ALTER TABLE loose_records RENAME TO loose;"),
    left("an index dropped", &["schema"], "DROP INDEX nodes_by_far_parent;"),
    left("a view dropped", &["schema"], "DROP VIEW active_path;"),
    left("a view changed", &["schema"], "DROP VIEW label_list; CREATE VIEW label_list AS SELECT 1 AS session_id;"),
    left("a table dropped", &["schema"], "DROP TABLE loose_records;"),
    left("the nodes dropped", &["schema"], "DROP TABLE nodes;"),
    left("the nodes copied, dropped and renamed", &["schema"],
        "PRAGMA legacy_alter_table = ON; CREATE TABLE copy AS SELECT * FROM nodes; DROP TABLE nodes; ALTER TABLE copy RENAME TO nodes;"),
    left("an index that misses rows", &["pages"],
        "PRAGMA writable_schema = ON;
CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'branches_by_leaf';
DELETE FROM sqlite_schema WHERE name = 'branches_by_leaf'; PRAGMA writable_schema = RESET;
INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'new', $a2, 1);
PRAGMA writable_schema = ON; INSERT INTO main.sqlite_schema SELECT * FROM temp.kept; PRAGMA writable_schema = RESET;"),

    // Damage with the triggers switched off: the schema tells nothing, the tree must.
    left("cycle of two runs", &["cycle"],
        ".dbconfig enable_trigger off
UPDATE nodes SET parent_key = $a3, missing_parent = 'n3' WHERE key = $a0;"),
    left("cycle of one node", &["cycle"],
        ".dbconfig enable_trigger off
UPDATE nodes SET parent_key = key, missing_parent = '0a1b2c3d' WHERE key = $c0;"),
    left("cycle behind CHECKs", &["cycle", "pages"],
        ".dbconfig enable_trigger off
PRAGMA ignore_check_constraints = ON; UPDATE nodes SET parent_key = $a5, run_start = key WHERE key = $a1;"),
    left("cycle by REPLACE", &["cycle"],
        ".dbconfig enable_trigger off
REPLACE INTO nodes (key, parent_key, run_start, messages, kind, created_at_ms, missing_parent, preview, payload) VALUES ($a0, $a5, $a0, 1, 'message', 1, 'n5', 'x', '{}');"),
    left("cycle, and the trigger put back", &["cycle"],
        "CREATE TEMP TABLE kept AS SELECT sql FROM sqlite_schema WHERE name = 'nodes_guard_update'; DROP TRIGGER nodes_guard_update;
UPDATE nodes SET parent_key = $b5 WHERE key = $b4;
PRAGMA writable_schema = ON; INSERT INTO main.sqlite_schema SELECT 'trigger', 'nodes_guard_update', 'nodes', 0, sql FROM temp.kept; PRAGMA writable_schema = RESET;"),
    left("dangling parent", &["parent", "foreign_keys"],
        ".dbconfig enable_trigger off
UPDATE nodes SET parent_key = $a9, missing_parent = 'n9' WHERE key = $a0;"),
    left("an inner node deleted", &["parent", "gap", "foreign_keys"],
        ".dbconfig enable_trigger off
DELETE FROM nodes WHERE key = $a1;"),
    left("a node deleted at which a branch ends", &["leaf", "gap", "foreign_keys"],
        ".dbconfig enable_trigger off
DELETE FROM nodes WHERE key = $a3;"),
    left("the newest node deleted", &["leaf", "foreign_keys"],
        ".dbconfig enable_trigger off
DELETE FROM nodes WHERE key = $a5;"),
    left("all nodes of a session deleted", &["leaf", "foreign_keys"],
        ".dbconfig enable_trigger off
DELETE FROM nodes WHERE key >> 32 = 1;"),
    left("a session deleted, its nodes not", &["session", "foreign_keys"],
        ".dbconfig enable_trigger off
DELETE FROM sessions WHERE key = 1;"),
    left("nodes of a session that never was", &["session"],
        ".dbconfig enable_trigger off
INSERT INTO $node VALUES ((9 << 32), NULL, NULL, (9 << 32), 1, $rest);"),
    left("parent of another session", &["parent", "pages"],
        ".dbconfig enable_trigger off
PRAGMA ignore_check_constraints = ON; INSERT INTO $node VALUES ($a6, NULL, $b0, $a6, 6, $rest); UPDATE branches SET leaf_key = $a6 WHERE key = 2;"),
    left("a younger parent without a declared one", &["pages", "cycle"],
        ".dbconfig enable_trigger off
PRAGMA ignore_check_constraints = ON; UPDATE nodes SET parent_key = $c1, run_start = key WHERE key = $c0;
INSERT INTO $node VALUES ($c1, 'new', $c0, $c0, 2, $rest);"),
    left("run_start too early", &["run_start"],
        ".dbconfig enable_trigger off
UPDATE nodes SET run_start = $b7 WHERE key = $b10;"),
    left("run_start of its own under the node before", &["run_start"],
        ".dbconfig enable_trigger off
UPDATE nodes SET run_start = key WHERE key = $a2;"),
    left("run_start of a far child in its parent's run", &["run_start", "pages"],
        ".dbconfig enable_trigger off
PRAGMA ignore_check_constraints = ON; UPDATE nodes SET run_start = $a0 WHERE key = $a4;"),
    left("messages wrong", &["messages"],
        ".dbconfig enable_trigger off
UPDATE nodes SET messages = 7 WHERE key = $a5;"),
    left("a message turned into something else", &["messages"],
        ".dbconfig enable_trigger off
UPDATE nodes SET kind = 'custom' WHERE key = $a0;"),
    left("a gap", &["gap"],
        ".dbconfig enable_trigger off
INSERT INTO $node VALUES ($c9, 'new', $c0, $c9, 2, $rest); UPDATE branches SET leaf_key = $c9 WHERE key = 13;"),
    left("the last key of the session used up", &["gap"],
        ".dbconfig enable_trigger off
INSERT INTO $node VALUES ((3 << 32) + 4294967295, 'new', $c0, (3 << 32) + 4294967295, 2, $rest); UPDATE branches SET leaf_key = (3 << 32) + 4294967295 WHERE key = 13;"),
    left("an explicit id that is another node's derived one", &["id"],
        ".dbconfig enable_trigger off
UPDATE nodes SET id = 'n1' WHERE key = $a3;"),
    left("an id of the derived form in a session that makes them", &["id"],
        ".dbconfig enable_trigger off
UPDATE nodes SET id = 'n77' WHERE key = $a3;"),
    left("a derived id in a session of explicit ones", &["id"],
        ".dbconfig enable_trigger off
UPDATE nodes SET id = NULL WHERE key = $b3;"),
    left("id style flipped under the nodes", &["id"],
        ".dbconfig enable_trigger off
UPDATE sessions SET id_style = 'hex' WHERE key = 1;"),
    left("a leaf's only name moved away", &["unnamed_leaf"],
        ".dbconfig enable_trigger off
UPDATE branches SET leaf_key = $a1 WHERE key = 2;"),
    left("a leaf's only name deleted", &["unnamed_leaf"],
        ".dbconfig enable_trigger off
DELETE FROM branches WHERE key = 6;"),
    left("dangling leaf", &["leaf", "foreign_keys"],
        ".dbconfig enable_trigger off
UPDATE branches SET leaf_key = $a9 WHERE key = 4;"),
    left("leaf in another session", &["leaf"],
        ".dbconfig enable_trigger off
UPDATE branches SET leaf_key = $b0 WHERE key = 4;"),
    left("a branch of no session", &["session", "foreign_keys"],
        ".dbconfig enable_trigger off
INSERT INTO branches (session_key, name, created_at_ms) VALUES (9, 'new', 1);"),
    left("active branch NULL", &["active_branch"],
        ".dbconfig enable_trigger off
UPDATE sessions SET active_branch_key = NULL WHERE key = 1;"),
    left("active branch missing", &["active_branch", "foreign_keys"],
        ".dbconfig enable_trigger off
UPDATE sessions SET active_branch_key = 99 WHERE key = 1;"),
    left("active branch of another session", &["active_branch"],
        ".dbconfig enable_trigger off
UPDATE sessions SET active_branch_key = 5 WHERE key = 1;"),
    left("resting wrong on the active branch", &["resting"],
        ".dbconfig enable_trigger off
UPDATE branches SET resting = 1 WHERE key = 1;"),
    left("resting wrong on another branch", &["resting"],
        ".dbconfig enable_trigger off
UPDATE branches SET resting = 0 WHERE key = 4;"),
    left("high_seq past the keys", &["gap"],
        ".dbconfig enable_trigger off
UPDATE sessions SET high_seq = 4294967295 WHERE key = 1;"),
    left("a payload that is no JSON any more", &["payload"],
        ".dbconfig enable_trigger off
UPDATE nodes SET payload = 'not JSON' WHERE key = $a0;"),
    left("a second store row", &["pages", "store"],
        ".dbconfig enable_trigger off
PRAGMA ignore_check_constraints = ON; INSERT INTO store VALUES (2, 'x', 1);"),
    left("no store row", &["store"],
        ".dbconfig enable_trigger off
DELETE FROM store;"),
    left("a summary of another session's branch", &["branch"],
        ".dbconfig enable_trigger off
UPDATE summaries SET branch_key = 5 WHERE key = 1;"),
    left("a guard of no session", &["foreign_keys"],
        ".dbconfig enable_trigger off
INSERT INTO guards (session_key, fence) VALUES (9, 1);"),

    // No hash is kept of what was written, so a forged text that is JSON looks like any other.
    unseen("a forged payload",
        ".dbconfig enable_trigger off
UPDATE nodes SET payload = '{\"role\":\"user\",\"content\":\"Forged\"}' WHERE key = $a0;"),
    unseen("the newest node and its branch's leaf taken back",
        ".dbconfig enable_trigger off
UPDATE branches SET leaf_key = $a4 WHERE key = 1; DELETE FROM nodes WHERE key = $a5;"),
];
