//! Attacks on sessions that the guards stop. Keys: 1 alpha, 2 beta, 3 gamma; 4 was used once.

use super::{Attack, stopped};

const ACTIVE: &str = "the active branch must be a branch of the session";
const KEY: &str = "a session keeps its key, id and time of creation";
const NEXT: &str = "a session's key must be the next one";
const HIGH: &str = "high_seq only grows";
const MARK: &str = "mark the session as deleting";

#[rustfmt::skip]
pub const STOPPED: &[Attack] = &[
    stopped("active branch NULL", ACTIVE, "UPDATE sessions SET active_branch_key = NULL WHERE key = 1;"),
    stopped("active branch missing", ACTIVE, "UPDATE sessions SET active_branch_key = 99 WHERE key = 1;"),
    stopped("active branch of another session", ACTIVE, "UPDATE sessions SET active_branch_key = 5 WHERE key = 1;"),
    stopped("active branch of another session, OR REPLACE", ACTIVE, "UPDATE OR REPLACE sessions SET active_branch_key = 5 WHERE key = 1;"),
    stopped("active branch given at birth", "a new session has no branch yet",
        "INSERT INTO sessions (id, created_at_ms, active_branch_key) VALUES ('new', 1, 1);"),
    stopped("shown without an active branch", "without an active branch cannot be shown",
        "BEGIN; INSERT INTO sessions (id, created_at_ms, state) VALUES ('new', 1, 'importing'); UPDATE sessions SET state = 'live' WHERE id = 'new'; ROLLBACK;"),
    stopped("UPDATE of the key", KEY, "UPDATE sessions SET key = 9 WHERE key = 1;"),
    stopped("UPDATE of rowid", KEY, "UPDATE sessions SET rowid = 9 WHERE key = 1;"),
    stopped("UPDATE OR REPLACE of rowid", KEY, "UPDATE OR REPLACE sessions SET rowid = 2 WHERE key = 1;"),
    stopped("UPDATE of the id", KEY, "UPDATE sessions SET id = 'new' WHERE key = 1;"),
    stopped("UPDATE OR REPLACE of the id", KEY, "UPDATE OR REPLACE sessions SET id = 'beta' WHERE key = 1;"),
    stopped("UPDATE of the time of creation", KEY, "UPDATE sessions SET created_at_ms = 1 WHERE key = 1;"),
    stopped("REPLACE on the id", "id or source is taken", "REPLACE INTO sessions (id, created_at_ms) VALUES ('alpha', 1);"),
    stopped("REPLACE on the key", NEXT, "REPLACE INTO sessions (key, id, created_at_ms) VALUES (1, 'new', 1);"),
    stopped("REPLACE on the source", "id or source is taken",
        "REPLACE INTO sessions (id, created_at_ms, source_format, source_id) VALUES ('new', 1, 'pi', 'file-1');"),
    stopped("UPDATE OR REPLACE of the source", "another session was imported from that source",
        "UPDATE OR REPLACE sessions SET source_format = 'pi', source_id = 'file-1' WHERE key = 1;"),
    stopped("UPSERT on the id", "id or source is taken",
        "INSERT INTO sessions (id, created_at_ms) VALUES ('alpha', 1) ON CONFLICT (id) DO UPDATE SET name = 'No';"),
    stopped("a used key given again", NEXT, "INSERT INTO sessions (key, id, created_at_ms) VALUES (4, 'new', 1);"),
    stopped("a used key given again, as rowid", NEXT, "INSERT INTO sessions (rowid, id, created_at_ms) VALUES (4, 'new', 1);"),
    stopped("planted huge key", NEXT, "INSERT INTO sessions (key, id, created_at_ms) VALUES (2147483647, 'new', 1);"),
    stopped("planted key past the range, without CHECKs", NEXT,
        "PRAGMA ignore_check_constraints = ON; INSERT INTO sessions (key, id, created_at_ms) VALUES (4294967296, 'new', 1);"),
    stopped("planted key -1", "CHECK constraint", "INSERT INTO sessions (key, id, created_at_ms) VALUES (-1, 'new', 1);"),
    stopped("high_seq at the end of the keys", HIGH, "UPDATE sessions SET high_seq = 4294967295 WHERE key = 1;"),
    stopped("high_seq in the next session", HIGH, "UPDATE sessions SET high_seq = 4294967296 WHERE key = 1;"),
    stopped("high_seq lowered", HIGH, "UPDATE sessions SET high_seq = -2 WHERE key = 1;"),
    stopped("high_seq given at birth", "high_seq is -1", "INSERT INTO sessions (id, created_at_ms, high_seq) VALUES ('new', 1, 4294967295);"),
    stopped("high_seq given with the mark", HIGH, "UPDATE sessions SET state = 'deleting', high_seq = 4294967295 WHERE key = 1;"),
    stopped("id style flipped from seq", "the style of ids changes only", "UPDATE sessions SET id_style = 'hex' WHERE key = 1;"),
    stopped("id style flipped to seq", "the style of ids changes only", "UPDATE sessions SET id_style = 'seq', next_id = NULL WHERE key = 2;"),
    stopped("id style flipped to counter", "the style of ids changes only", "UPDATE sessions SET id_style = 'counter', next_id = '0' WHERE key = 3;"),
    stopped("a counter without a number", "CHECK constraint", "UPDATE sessions SET next_id = NULL WHERE key = 2;"),
    stopped("a counter that is no number", "CHECK constraint", "UPDATE sessions SET next_id = '12x' WHERE key = 2;"),
    stopped("a counter with a zero in front", "CHECK constraint", "UPDATE sessions SET next_id = '012' WHERE key = 2;"),
    stopped("a counter set back", "next_id only grows", "UPDATE sessions SET next_id = '6' WHERE key = 2;"),
    stopped("an unknown state", "CHECK constraint", "UPDATE sessions SET state = 'dead' WHERE key = 1;"),
    stopped("a live session set to importing", "none goes back to importing", "UPDATE sessions SET state = 'importing' WHERE key = 1;"),
    stopped("a session taken back from deletion", "a session that is being deleted stays so",
        "BEGIN; UPDATE sessions SET state = 'deleting' WHERE key = 1; UPDATE sessions SET state = 'live' WHERE key = 1; ROLLBACK;"),
    stopped("DELETE of a live session", MARK, "DELETE FROM sessions WHERE key = 1;"),
    stopped("DELETE of all sessions", MARK, "DELETE FROM sessions;"),
    stopped("DELETE of a marked session that still has nodes", MARK,
        "BEGIN; UPDATE sessions SET state = 'deleting' WHERE key = 1; DELETE FROM sessions WHERE key = 1; ROLLBACK;"),
    stopped("DELETE of a marked session that still has a guard", MARK,
        "BEGIN; UPDATE sessions SET state = 'deleting' WHERE key = 1; DELETE FROM summaries WHERE session_key = 1; DELETE FROM labels WHERE session_key = 1;
DELETE FROM branches WHERE session_key = 1; DELETE FROM nodes WHERE key >> 32 = 1; DELETE FROM sessions WHERE key = 1; ROLLBACK;"),
    stopped("a node for a marked session", "a node needs a session",
        "BEGIN; UPDATE sessions SET state = 'deleting' WHERE key = 1; INSERT INTO $node VALUES ($a6, NULL, $a5, $a4, 6, $rest); ROLLBACK;"),
    stopped("a branch for a marked session", "a branch needs a session",
        "BEGIN; UPDATE sessions SET state = 'deleting' WHERE key = 1; INSERT INTO branches (session_key, name, created_at_ms) VALUES (1, 'new', 1); ROLLBACK;"),
    stopped("nodes of one session under the mark of another", "nodes are not deleted one by one",
        "BEGIN; UPDATE sessions SET state = 'deleting' WHERE key = 1; DELETE FROM nodes WHERE key >> 32 = 2; ROLLBACK;"),
];
