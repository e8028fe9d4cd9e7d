//! What is in the session already, when a source is read again.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::db::{Outcome, key_by_id, public_id};
use crate::model::{Fingerprint, NodeId, fingerprint};

/// A node's declared parent is the one it waits for or waited for, else the one it has.
macro_rules! declared {
    ($rest:literal) => {
        concat!(
            "
  SELECT node.key, node.id, node.kind,
    coalesce(node.missing_parent, parent.id, 'n' || (parent.key & 4294967295)) AS declared, node.payload
  FROM nodes AS node LEFT JOIN nodes AS parent ON parent.key = node.parent_key",
            $rest
        )
    };
}

const BY_KEY: &str = declared!(" WHERE node.key = ?1");

/// Nodes whose ids begin with `?2`, by range.
const BY_PREFIX: &str = declared!(" WHERE node.key >> 32 = ?1 AND node.id >= ?2 AND node.id < ?3");

fn of_row(row: &Row<'_>) -> rusqlite::Result<Fingerprint> {
    let declared = row.get_ref("declared")?.as_str_or_null()?;
    Ok(fingerprint(
        row.get_ref("kind")?.as_str()?,
        declared,
        row.get_ref("payload")?.as_str()?,
    ))
}

pub(super) fn fingerprint_at(conn: &Connection, key: i64) -> Outcome<Fingerprint> {
    Ok(conn.prepare_cached(BY_KEY)?.query_row((key,), of_row)?)
}

/// For each id what stands for the node that has it, if there is one.
pub(crate) fn fingerprints(
    conn: &Connection,
    session_key: i64,
    ids: &[&str],
) -> Outcome<Vec<Option<Fingerprint>>> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.push(match key_by_id(conn, session_key, id)? {
            Some(key) => Some(fingerprint_at(conn, key)?),
            None => None,
        });
    }
    Ok(found)
}

/// The nodes `<id>~2`, `<id>~3`, ..., which are there because their records differed from the one under the plain id.
pub(crate) fn numbered(
    conn: &Connection,
    session_key: i64,
    id: &str,
) -> Outcome<Vec<(String, Fingerprint)>> {
    let prefix = format!("{id}~");
    let end = format!("{prefix}\u{10FFFF}");
    let read = |row: &Row<'_>| Ok((row.get::<_, String>("id")?, of_row(row)?));
    Ok(conn
        .prepare_cached(BY_PREFIX)?
        .query_map((session_key, &prefix, end), read)?
        .collect::<rusqlite::Result<_>>()?)
}

const LAST_IMPORT: &str = "
  SELECT operation.branch_key, operation.to_key, branch.leaf_key
  FROM operations AS operation LEFT JOIN branches AS branch
    ON branch.key = operation.branch_key AND branch.session_key = operation.session_key
  WHERE operation.session_key = ?1 AND operation.verb = 'import' AND operation.branch_key IS NOT NULL
  ORDER BY operation.key DESC LIMIT 1";

/// The branch that follows the source and its leaf, if it still ends where the last import put it.
pub(crate) fn last_import(
    conn: &Connection,
    session_key: i64,
) -> Outcome<Option<(i64, Option<i64>)>> {
    let read = |row: &Row<'_>| {
        let branch_key: i64 = row.get(0)?;
        let (put, now): (Option<i64>, Option<i64>) = (row.get(1)?, row.get(2)?);
        Ok((put == now).then_some((branch_key, now)))
    };
    Ok(conn
        .prepare_cached(LAST_IMPORT)?
        .query_row((session_key,), read)
        .optional()?
        .flatten())
}

/// Runs of keys from a node up to where its path begins. UNION ends it on a cycle.
const TOP: &str = "
  WITH RECURSIVE run (first_key) AS (
    SELECT run_start FROM nodes WHERE key = ?1
    UNION
    SELECT above.run_start
    FROM run
    JOIN nodes AS head ON head.key = run.first_key
    JOIN nodes AS above ON above.key = head.parent_key)
  SELECT head.key, head.id, head.missing_parent
  FROM run JOIN nodes AS head ON head.key = run.first_key
  WHERE head.parent_key IS NULL";

/// Where the path of a node begins: that root, and the parent it still waits for.
pub(crate) fn top_of(conn: &Connection, key: i64) -> Outcome<Option<(NodeId, Option<String>)>> {
    let read = |row: &Row<'_>| Ok((public_id(row.get(1)?, row.get(0)?), row.get(2)?));
    Ok(conn
        .prepare_cached(TOP)?
        .query_row((key,), read)
        .optional()?)
}

const IS_ABOVE: &str = "
  WITH RECURSIVE run (first_key, last_key) AS (
    SELECT run_start, key FROM nodes WHERE key = ?2
    UNION
    SELECT above.run_start, above.key
    FROM run
    JOIN nodes AS head ON head.key = run.first_key
    JOIN nodes AS above ON above.key = head.parent_key)
  SELECT EXISTS (SELECT 1 FROM run WHERE ?1 BETWEEN first_key AND last_key)";

/// Whether the node with this id is the node `key` or an ancestor of it.
pub(crate) fn is_above(conn: &Connection, session_key: i64, id: &str, key: i64) -> Outcome<bool> {
    let Some(upper) = key_by_id(conn, session_key, id)? else {
        return Ok(false);
    };
    Ok(conn
        .prepare_cached(IS_ABOVE)?
        .query_row((upper, key), |row| row.get(0))?)
}
