//! What happened in a session since a place: node rows and operations, merged into one order.
//!
//! An operation notes the highest node key of its session at that moment, so it stands after that node and before the next.
//! Both kinds of keys only grow, so what is behind a pair of them is never added to.

use std::collections::VecDeque;

use rusqlite::{Connection, Row};

use super::outline::outline;
use crate::db::{Fault, Outcome, first_key, key_of, last_key, public_id, session_by_key};
use crate::model::{
    Change, Changes, Cursor, Error, NodeId, OperationRecord, OutlineNode, SessionId,
};

const OPERATIONS: &str = "
  SELECT operation.key, operation.verb, operation.actor, operation.at_ms, branch.name AS branch, operation.from_key,
    origin.id AS from_id, operation.to_key, target.id AS to_id, operation.high_key, operation.detail
  FROM operations AS operation
  LEFT JOIN branches AS branch ON branch.key = operation.branch_key
  LEFT JOIN nodes AS origin ON origin.key = operation.from_key
  LEFT JOIN nodes AS target ON target.key = operation.to_key
  WHERE operation.session_key = ?1 AND operation.key > ?2
  ORDER BY operation.key LIMIT ?3";

fn operation(row: &Row<'_>) -> rusqlite::Result<(i64, OperationRecord)> {
    let id = |key: &str, id: &str| -> rusqlite::Result<Option<NodeId>> {
        let key: Option<i64> = row.get(key)?;
        key.map(|key| Ok(public_id(row.get(id)?, key))).transpose()
    };
    let record = OperationRecord {
        key: row.get("key")?,
        verb: row.get("verb")?,
        actor: row.get("actor")?,
        at_ms: row.get("at_ms")?,
        branch: row.get("branch")?,
        from: id("from_key", "from_id")?,
        to: id("to_key", "to_id")?,
        detail: row.get("detail")?,
    };
    Ok((row.get("high_key")?, record))
}

/// At most `limit` changes after a place.
pub(crate) fn changes(
    conn: &Connection,
    session_key: i64,
    since: Cursor,
    limit: u32,
) -> Outcome<Changes> {
    let head = head(conn, session_key)?;
    if since.nodes > head.nodes || !is_of(conn, session_key, since.operation)? {
        let text = format!(
            "`{since}` is no cursor of this session, which has got as far as `{head}`; begin without one"
        );
        return Err(Fault::Ours(Error::invalid(text)));
    }
    let wanted = limit.saturating_add(1);
    let mut nodes: VecDeque<OutlineNode> = outline(conn, session_key, since.nodes, wanted)?.into();
    let mut operations: VecDeque<(i64, OperationRecord)> = conn
        .prepare_cached(OPERATIONS)?
        .query_map((session_key, since.operation, wanted), operation)?
        .collect::<rusqlite::Result<_>>()?;
    let mut changes = Vec::new();
    let mut cursor = since;
    while changes.len() < limit as usize {
        let operation_is_next = match (nodes.front(), operations.front()) {
            (None, None) => break,
            (Some(node), Some((high_key, _))) => *high_key < key_of(session_key, node.seq),
            (None, Some(_)) => true,
            (Some(_), None) => false,
        };
        if operation_is_next {
            if let Some((_, operation)) = operations.pop_front() {
                cursor.operation = operation.key;
                changes.push(Change::Operation(operation));
            }
        } else if let Some(node) = nodes.pop_front() {
            cursor.nodes = node.seq.saturating_add(1);
            changes.push(Change::Node(node));
        }
    }
    Ok(Changes {
        changes,
        cursor,
        more: !(nodes.is_empty() && operations.is_empty()),
    })
}

const IS_OF: &str = "SELECT EXISTS (SELECT 1 FROM operations WHERE key = ?2 AND session_key = ?1)";

/// Whether a cursor of the session can name this operation; 0 stands for none yet.
fn is_of(conn: &Connection, session_key: i64, operation: i64) -> Outcome<bool> {
    if operation == 0 {
        return Ok(true);
    }
    Ok(conn
        .prepare_cached(IS_OF)?
        .query_row((session_key, operation), |row| row.get(0))?)
}

const HEAD: &str = "
  SELECT
    coalesce((SELECT max(key) & 4294967295 FROM nodes WHERE key BETWEEN ?2 AND ?3), -1) + 1,
    coalesce((SELECT max(key) FROM operations WHERE session_key = ?1), 0)";

/// The place after everything that has happened so far.
pub(crate) fn head(conn: &Connection, session_key: i64) -> Outcome<Cursor> {
    session_by_key(conn, session_key)?;
    let keys = (session_key, first_key(session_key), last_key(session_key));
    Ok(conn
        .prepare_cached(HEAD)?
        .query_row(keys, |row| cursor(row, 0))?)
}

fn cursor(row: &Row<'_>, at: usize) -> rusqlite::Result<Cursor> {
    Ok(Cursor {
        nodes: u32::try_from(row.get::<_, i64>(at)?).unwrap_or(u32::MAX),
        operation: row.get(at + 1)?,
    })
}

const HEADS: &str = "
  SELECT session.id,
    coalesce((SELECT max(key) & 4294967295 FROM nodes
      WHERE key BETWEEN session.key << 32 AND (session.key << 32) + 4294967295), -1) + 1,
    coalesce((SELECT max(key) FROM operations WHERE session_key = session.key), 0)
  FROM sessions AS session WHERE session.state = 'live' ORDER BY session.key";

/// The place after everything, of each session: which ones have changed is seen by comparing two answers.
pub(crate) fn heads(conn: &Connection) -> Outcome<Vec<(SessionId, Cursor)>> {
    Ok(conn
        .prepare_cached(HEADS)?
        .query_map((), |row| {
            Ok((SessionId::from(row.get::<_, String>(0)?), cursor(row, 1)?))
        })?
        .collect::<rusqlite::Result<_>>()?)
}
