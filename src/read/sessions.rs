//! Sessions: lists, one by its key, one by what a person typed.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::db::{Fault, Outcome, public_id, shown};
use crate::model::{Error, ErrorKind, NodeId, SessionId, SessionInfo};

/// One row a live session; each costs a few look-ups, whatever the size of its tree.
macro_rules! session_columns {
    ($rest:literal) => {
        concat!(
            "
  SELECT session.id, session.name, session.cwd, session.meta, session.created_at_ms, session.archived_at_ms,
    session.source_format, session.source_path, session.origin_session_id, session.origin_node_id,
    active.name AS active_branch, active.leaf_key, leaf.id AS leaf_id,
    coalesce(latest.messages, 0) AS messages,
    coalesce(latest.created_at_ms, session.created_at_ms) AS last_node_at_ms
  FROM sessions AS session
  LEFT JOIN branches AS active ON active.key = session.active_branch_key
  LEFT JOIN nodes AS leaf ON leaf.key = active.leaf_key
  LEFT JOIN nodes AS latest ON latest.key = (
    SELECT max(key) FROM nodes WHERE key BETWEEN session.key << 32 AND (session.key << 32) + 4294967295)
  WHERE session.state = 'live'",
            $rest
        )
    };
}

const LIST: &str = session_columns!(" ORDER BY last_node_at_ms DESC, session.key DESC");
const ONE: &str = session_columns!(" AND session.key = ?1");

fn info(row: &Row<'_>) -> rusqlite::Result<SessionInfo> {
    let leaf_key: Option<i64> = row.get("leaf_key")?;
    Ok(SessionInfo {
        id: SessionId::from(shown(row, "id")?.unwrap_or_default()),
        name: shown(row, "name")?,
        cwd: shown(row, "cwd")?,
        active_branch: shown(row, "active_branch")?.unwrap_or_default(),
        leaf: leaf_key
            .map(|key| Ok::<_, rusqlite::Error>(public_id(row.get("leaf_id")?, key)))
            .transpose()?,
        messages: u64::try_from(row.get::<_, i64>("messages")?).unwrap_or(0),
        created_at_ms: row.get("created_at_ms")?,
        last_node_at_ms: row.get("last_node_at_ms")?,
        is_archived: row.get::<_, Option<i64>>("archived_at_ms")?.is_some(),
        meta: shown(row, "meta")?.unwrap_or_default(),
        source_format: shown(row, "source_format")?,
        source_path: shown(row, "source_path")?,
        origin_session: shown(row, "origin_session_id")?.map(SessionId::from),
        origin_node: shown(row, "origin_node_id")?.map(NodeId::from),
    })
}

/// All sessions, the one with the newest node first.
pub(crate) fn list_sessions(conn: &Connection) -> Outcome<Vec<SessionInfo>> {
    Ok(conn
        .prepare_cached(LIST)?
        .query_map((), info)?
        .collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn session_info(conn: &Connection, session_key: i64) -> Outcome<SessionInfo> {
    conn.prepare_cached(ONE)?
        .query_row((session_key,), info)
        .optional()?
        .ok_or_else(|| {
            Fault::Ours(Error::new(
                ErrorKind::SessionNotFound,
                "the session was deleted",
            ))
        })
}

const BY_ID: &str = "SELECT id FROM sessions WHERE id = ?1 AND state = 'live'";
/// By range, never LIKE: a prefix may hold any character.
const BY_PREFIX: &str =
    "SELECT id FROM sessions WHERE id >= ?1 AND id < ?2 AND state = 'live' LIMIT 2";
const BY_NAME: &str = "SELECT id FROM sessions WHERE name = ?1 AND state = 'live' LIMIT 2";

/// A session by its id, else by a unique prefix of it, else by its name.
pub(crate) fn resolve_session(conn: &Connection, text: &str) -> Outcome<SessionId> {
    let exact: Option<String> = conn
        .prepare_cached(BY_ID)?
        .query_row((text,), |row| row.get(0))
        .optional()?;
    if let Some(id) = exact {
        return Ok(SessionId::from(id));
    }
    let by_prefix: Vec<String> = conn
        .prepare_cached(BY_PREFIX)?
        .query_map((text, prefix_end(text)), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let by_name: Vec<String> = conn
        .prepare_cached(BY_NAME)?
        .query_map((text,), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    match (by_prefix.as_slice(), by_name.as_slice()) {
        ([id], _) if !text.is_empty() => Ok(SessionId::from(id.as_str())),
        (_, [id]) => Ok(SessionId::from(id.as_str())),
        ([], []) => Err(Fault::Ours(Error::session_not_found(text))),
        _ => Err(Fault::Ours(
            Error::new(
                ErrorKind::AmbiguousId,
                format!("several sessions fit `{text}`; give more of the id"),
            )
            .with_session(text),
        )),
    }
}

/// The first text after all those that begin with `prefix`. UTF-8 sorts by code point, so the highest one ends the range.
pub(crate) fn prefix_end(prefix: &str) -> String {
    format!("{prefix}\u{10FFFF}")
}
