//! Giving a branch to each leaf that has none. The one thing a check may write.

use rusqlite::{Connection, OptionalExtension};

use super::text;
use crate::db::{Outcome, first_key, last_key, public_id, session_of};

/// Whether a node is still there, has no child and no branch.
const IS_UNNAMED: &str = "
  SELECT id FROM nodes AS leaf
  WHERE key = ?1
    AND NOT EXISTS (SELECT 1 FROM nodes WHERE key = ?1 + 1 AND parent_key = ?1)
    AND NOT EXISTS (SELECT 1 FROM nodes WHERE parent_key = ?1 AND parent_key <> key - 1)
    AND NOT EXISTS (SELECT 1 FROM branches WHERE session_key = ?2 AND leaf_key = ?1)";
const IS_TAKEN: &str =
    "SELECT EXISTS (SELECT 1 FROM branches WHERE session_key = ?1 AND name = ?2)";
const INSERT: &str =
    "INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (?1, ?2, ?3, ?4)";
const RECORD: &str = "
  INSERT INTO operations (session_key, verb, actor, at_ms, branch_key, to_key, high_key, detail)
  VALUES (?1, 'branch', ?2, ?3, ?4, ?5,
    (SELECT max(key) FROM nodes WHERE key BETWEEN ?6 AND ?7), json_object('branch', ?8, 'switched', json('false'), 'by', 'check'))";

/// Makes a branch `leaf-<id>` at each of these nodes that still has none, and returns the names.
pub(super) fn name_leaves(
    conn: &Connection,
    leaves: &[i64],
    actor: &str,
    at_ms: i64,
) -> Outcome<Vec<String>> {
    let mut names = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let session = session_of(*leaf);
        let id: Option<Option<String>> = conn
            .prepare_cached(IS_UNNAMED)?
            .query_row((leaf, session), |row| text::optional(row, "id"))
            .optional()?;
        let Some(id) = id else { continue };
        let name = free_name(conn, session, &public_id(id, *leaf))?;
        let branch = conn
            .prepare_cached(INSERT)?
            .insert((session, &name, leaf, at_ms))?;
        conn.prepare_cached(RECORD)?.execute((
            session,
            actor,
            at_ms,
            branch,
            leaf,
            first_key(session),
            last_key(session),
            &name,
        ))?;
        names.push(name);
    }
    Ok(names)
}

fn free_name(conn: &Connection, session: i64, id: &str) -> Outcome<String> {
    // A branch's name stands on one line.
    let base = format!("leaf-{id}").replace(char::is_control, "\u{fffd}");
    let mut name = base.clone();
    let mut number = 2;
    while conn
        .prepare_cached(IS_TAKEN)?
        .query_row((session, &name), |row| row.get::<_, bool>(0))?
    {
        name = format!("{base}-{number}");
        number += 1;
    }
    Ok(name)
}
