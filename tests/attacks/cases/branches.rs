//! Attacks on branches that the guards stop. Keys: 1 main, 2 main-rewound, 3 empty, 4 inner (alpha), 5 main, 6 leaf-cc (beta),
//! 13 main (gamma), 14 was used once.

use super::{Attack, stopped};

const LAST_NAME: &str = "would lose its last name";
const LEAF: &str = "the leaf must be a node of the branch's session";
const KEY: &str = "a branch keeps its key and its session";
const NEXT: &str = "a branch's key must be the next one";
const RESTING: &str = "resting is 0 for the active branch and for no other";

#[rustfmt::skip]
pub const STOPPED: &[Attack] = &[
    stopped("dangling leaf by UPDATE", LEAF, "UPDATE branches SET leaf_key = $a9 WHERE key = 4;"),
    stopped("dangling leaf by INSERT", LEAF, "INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'new', $a9, 1);"),
    stopped("dangling leaf, OR IGNORE", LEAF, "UPDATE OR IGNORE branches SET leaf_key = $a9 WHERE key = 4;"),
    stopped("leaf in another session by UPDATE", LEAF, "UPDATE branches SET leaf_key = $b0 WHERE key = 4;"),
    stopped("leaf in another session by INSERT", LEAF, "INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'new', $b0, 1);"),
    stopped("last name lost by UPDATE", LAST_NAME, "UPDATE branches SET leaf_key = $a1 WHERE key = 2;"),
    stopped("last name lost by UPDATE to empty", LAST_NAME, "UPDATE branches SET leaf_key = NULL WHERE key = 1;"),
    stopped("last name lost by UPDATE of the active branch", LAST_NAME, "UPDATE branches SET leaf_key = $a3 WHERE key = 1;"),
    stopped("last name lost by UPDATE FROM", LAST_NAME,
        "UPDATE branches SET leaf_key = other.leaf_key FROM branches AS other WHERE branches.key = 2 AND other.key = 1;"),
    stopped("last name lost by UPSERT", "the branch name is taken",
        "INSERT INTO branches (session_key, name, created_at_ms) VALUES (1, 'main', 1) ON CONFLICT (session_key, name) DO UPDATE SET leaf_key = NULL;"),
    stopped("last two names lost in one statement", LAST_NAME,
        "BEGIN; INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'twin', $a3, 1);
UPDATE branches SET leaf_key = $a1 WHERE leaf_key = $a3; ROLLBACK;"),
    stopped("two leaves swapped", LAST_NAME, "UPDATE branches SET leaf_key = CASE key WHEN 1 THEN $a3 ELSE $a5 END WHERE key IN (1, 2);"),
    stopped("last name lost by DELETE", LAST_NAME, "DELETE FROM branches WHERE key = 6;"),
    stopped("the active branch deleted", "the active branch cannot be deleted", "DELETE FROM branches WHERE key = 1;"),
    stopped("all branches deleted", "cannot be deleted", "DELETE FROM branches;"),
    stopped("a branch with summaries deleted", "a branch with summaries cannot be deleted",
        "DELETE FROM branches WHERE key = 2;"),
    stopped("last name lost by REPLACE on the name", "the branch name is taken",
        "REPLACE INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'main', $a1, 1);"),
    stopped("last name lost by REPLACE on the key", NEXT,
        "REPLACE INTO branches (key, session_key, name, leaf_key, created_at_ms) VALUES (2, 1, 'new', $a1, 1);"),
    stopped("last name lost by UPDATE OR REPLACE of a name", "the branch name is taken", "UPDATE OR REPLACE branches SET name = 'main-rewound' WHERE key = 4;"),
    stopped("last name lost by UPDATE OR REPLACE of rowid", KEY, "UPDATE OR REPLACE branches SET rowid = 2 WHERE key = 4;"),
    stopped("UPDATE of the key", KEY, "UPDATE branches SET key = 40 WHERE key = 4;"),
    stopped("UPDATE of oid", KEY, "UPDATE branches SET oid = 40 WHERE key = 4;"),
    stopped("moved to another session", KEY, "UPDATE branches SET session_key = 2 WHERE key = 4;"),
    stopped("a used key given again", NEXT, "INSERT INTO branches (key, session_key, name, created_at_ms) VALUES (14, 1, 'new', 1);"),
    stopped("a used key given again, as rowid", NEXT, "INSERT INTO branches (rowid, session_key, name, created_at_ms) VALUES (14, 1, 'new', 1);"),
    stopped("planted huge key", NEXT, "INSERT INTO branches (key, session_key, name, created_at_ms) VALUES (9223372036854775807, 1, 'new', 1);"),
    stopped("planted key -1", "CHECK constraint", "INSERT INTO branches (key, session_key, name, created_at_ms) VALUES (-1, 1, 'new', 1);"),
    stopped("planted key 0", NEXT, "INSERT INTO branches (key, session_key, name, created_at_ms) VALUES (0, 1, 'new', 1);"),
    stopped("a branch of no session", "a branch needs a session", "INSERT INTO branches (session_key, name, created_at_ms) VALUES (9, 'new', 1);"),
    stopped("a taken name", "the branch name is taken", "INSERT INTO branches (session_key, name, created_at_ms) VALUES (1, 'main', 1);"),
    stopped("a taken name by UPDATE", "the branch name is taken", "UPDATE branches SET name = 'main' WHERE key = 4;"),
    stopped("the empty name", "CHECK constraint", "INSERT INTO branches (session_key, name, created_at_ms) VALUES (1, '', 1);"),
    stopped("a new branch that does not rest", "a new branch rests", "INSERT INTO branches (session_key, name, resting, created_at_ms) VALUES (1, 'new', 0, 1);"),
    stopped("resting that is neither 0 nor 1, without CHECKs", "a new branch rests",
        "PRAGMA ignore_check_constraints = ON; INSERT INTO branches (session_key, name, resting, created_at_ms) VALUES (1, 'new', 2, 1);"),
    stopped("the active branch made to rest", RESTING, "UPDATE branches SET resting = 1 WHERE key = 1;"),
    stopped("another branch made not to rest", RESTING, "UPDATE branches SET resting = 0 WHERE key = 4;"),
    stopped("resting made neither 0 nor 1, without CHECKs", RESTING,
        "PRAGMA ignore_check_constraints = ON; UPDATE branches SET resting = 2 WHERE key = 4;"),
];
