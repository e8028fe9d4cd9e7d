//! Rows as the operations and questions use them, and the lookups that all of them share.

use rusqlite::{Connection, OptionalExtension, Row};

use super::fault::{Fault, Outcome};
use crate::model::{Error, NodeId, counted};

/// The part of a node's key that counts inside its session.
pub(crate) const SEQ_MASK: i64 = 0xffff_ffff;

/// The key of a session's first node, whether it is there or not.
pub(crate) fn first_key(session_key: i64) -> i64 {
    session_key << 32
}

/// The highest key a node of the session can have.
pub(crate) fn last_key(session_key: i64) -> i64 {
    first_key(session_key) | SEQ_MASK
}

pub(crate) fn session_of(node_key: i64) -> i64 {
    node_key >> 32
}

pub(crate) fn key_of(session_key: i64, seq: u32) -> i64 {
    first_key(session_key) | i64::from(seq)
}

/// Text for lists, where one row that somebody filled with bytes that are no UTF-8 must not hide all the others. Such bytes
/// are shown as U+FFFD; `check` names the row.
pub(crate) struct Shown(pub String);

impl rusqlite::types::FromSql for Shown {
    fn column_result(
        value: rusqlite::types::ValueRef<'_>,
    ) -> rusqlite::types::FromSqlResult<Shown> {
        Ok(Shown(
            String::from_utf8_lossy(value.as_bytes()?).into_owned(),
        ))
    }
}

/// Reads a column for showing.
pub(crate) fn shown(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<String>> {
    Ok(row.get::<_, Option<Shown>>(column)?.map(|text| text.0))
}

/// A node's public id: the one it was given, else `n` and its seq.
pub(crate) fn public_id(id: Option<String>, key: i64) -> NodeId {
    NodeId::from(id.unwrap_or_else(|| format!("n{}", key & SEQ_MASK)))
}

/// A session as the operations need it.
#[derive(Clone, Debug)]
pub(crate) struct SessionRow {
    pub key: i64,
    pub id: String,
    pub active_branch_key: i64,
}

const SESSION_BY_ID: &str = "
  SELECT key, id, active_branch_key FROM sessions
  WHERE id = ?1 AND state = 'live'";

const SESSION_BY_KEY: &str = "
  SELECT key, id, active_branch_key FROM sessions
  WHERE key = ?1 AND state = 'live'";

fn session_row(row: &Row<'_>) -> rusqlite::Result<(SessionRow, Option<i64>)> {
    let active: Option<i64> = row.get("active_branch_key")?;
    let session = SessionRow {
        key: row.get("key")?,
        id: row.get("id")?,
        active_branch_key: active.unwrap_or_default(),
    };
    Ok((session, active))
}

fn whole(found: Option<(SessionRow, Option<i64>)>) -> Outcome<Option<SessionRow>> {
    match found {
        None => Ok(None),
        Some((session, Some(_))) => Ok(Some(session)),
        Some((session, None)) => Err(Fault::Ours(
            Error::damaged(format!(
                "session `{}` has no active branch; run `session-tree check`",
                session.id
            ))
            .with_session(session.id),
        )),
    }
}

pub(crate) fn session_by_id(conn: &Connection, id: &str) -> Outcome<Option<SessionRow>> {
    whole(
        conn.prepare_cached(SESSION_BY_ID)?
            .query_row((id,), session_row)
            .optional()?,
    )
}

/// The session behind a handle, which may have been deleted since.
pub(crate) fn session_by_key(conn: &Connection, key: i64) -> Outcome<SessionRow> {
    whole(
        conn.prepare_cached(SESSION_BY_KEY)?
            .query_row((key,), session_row)
            .optional()?,
    )?
    .ok_or_else(|| {
        Fault::Ours(Error::new(
            crate::model::ErrorKind::SessionNotFound,
            "the session was deleted",
        ))
    })
}

#[derive(Clone, Debug)]
pub(crate) struct BranchRow {
    pub key: i64,
    pub name: String,
    pub leaf_key: Option<i64>,
    pub next_rewound: i64,
}

const BRANCH_BY_NAME: &str = "
  SELECT key, name, leaf_key, next_rewound FROM branches
  WHERE session_key = ?1 AND name = ?2";

const BRANCH_BY_KEY: &str = "
  SELECT key, name, leaf_key, next_rewound FROM branches
  WHERE session_key = ?1 AND key = ?2";

fn branch_row(row: &Row<'_>) -> rusqlite::Result<BranchRow> {
    Ok(BranchRow {
        key: row.get("key")?,
        name: row.get("name")?,
        leaf_key: row.get("leaf_key")?,
        next_rewound: row.get("next_rewound")?,
    })
}

pub(crate) fn branch_by_name(
    conn: &Connection,
    session_key: i64,
    name: &str,
) -> Outcome<BranchRow> {
    conn.prepare_cached(BRANCH_BY_NAME)?
        .query_row((session_key, name), branch_row)
        .optional()?
        .ok_or_else(|| Fault::Ours(Error::branch_not_found(name)))
}

/// A branch that another row points to, so that its absence is damage.
pub(crate) fn branch_by_key(conn: &Connection, session_key: i64, key: i64) -> Outcome<BranchRow> {
    conn.prepare_cached(BRANCH_BY_KEY)?.query_row((session_key, key), branch_row).optional()?.ok_or_else(|| {
        Fault::Ours(Error::damaged(
            "the session's active branch does not exist; run `session-tree check`, then switch to another branch",
        ))
    })
}

const ID_BY_KEY: &str = "SELECT id FROM nodes WHERE key = ?1";

/// A node's public id by its key, if the node is there.
pub(crate) fn id_by_key(conn: &Connection, key: i64) -> Outcome<Option<NodeId>> {
    Ok(conn
        .prepare_cached(ID_BY_KEY)?
        .query_row((key,), |row| Ok(public_id(row.get(0)?, key)))
        .optional()?)
}

const KEY_BY_GIVEN_ID: &str = "SELECT key FROM nodes WHERE key >> 32 = ?1 AND id = ?2";
const KEY_BY_SEQ: &str = "SELECT key FROM nodes WHERE key = ?1 AND id IS NULL";

/// A node's key by its public id.
pub(crate) fn key_by_id(conn: &Connection, session_key: i64, id: &str) -> Outcome<Option<i64>> {
    let given = conn
        .prepare_cached(KEY_BY_GIVEN_ID)?
        .query_row((session_key, id), |row| row.get(0))
        .optional()?;
    if given.is_some() {
        return Ok(given);
    }
    let Some(seq) = counted(id).and_then(|number| u32::try_from(number).ok()) else {
        return Ok(None);
    };
    let key = key_of(session_key, seq);
    Ok(conn
        .prepare_cached(KEY_BY_SEQ)?
        .query_row((key,), |row| row.get(0))
        .optional()?)
}
