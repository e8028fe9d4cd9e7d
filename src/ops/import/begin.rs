//! The session an import writes to: found by its source, or made, hidden.

use rusqlite::{Connection, OptionalExtension, Row};

use super::super::branch::SET_ACTIVE;
use super::super::record::{Operation, record};
use super::super::remove::remove_rows;
use super::super::{Ctx, create};
use crate::db::{Fault, Outcome};
use crate::model::{Error, ErrorKind, MAIN_BRANCH, SessionId, new_session_id};

/// By what an imported session is found again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Identity<'a> {
    pub format: &'a str,
    /// The session's id inside the source, or a hash of its content; `None` for a session of its own each time.
    pub id: Option<&'a str>,
}

/// A session that came from the source.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub key: i64,
    pub id: SessionId,
    /// Left over from an import that was interrupted, or being written right now.
    pub hidden: bool,
    /// SHA-256 of the source when it was read last.
    pub hash: Option<String>,
}

const FIND: &str = "
  SELECT key, id, state, source_hash FROM sessions
  WHERE source_format = ?1 AND source_id = ?2 AND state <> 'deleting'";

fn found(row: &Row<'_>) -> rusqlite::Result<Found> {
    Ok(Found {
        key: row.get("key")?,
        id: SessionId::from(row.get::<_, String>("id")?),
        hidden: row.get_ref("state")?.as_str() == Ok("importing"),
        hash: row.get("source_hash")?,
    })
}

pub(crate) fn find(conn: &Connection, identity: Identity<'_>) -> Outcome<Option<Found>> {
    Ok(conn
        .prepare_cached(FIND)?
        .query_row((identity.format, identity.id), found)
        .optional()?)
}

const BEING_DELETED: &str = "
  SELECT id FROM sessions WHERE source_format = ?1 AND source_id = ?2 AND state = 'deleting'";

/// A session of the source that is going, or whose deletion was cut off, keeps the source's place until it is gone.
fn refuse_half_deleted(conn: &Connection, identity: Identity<'_>) -> Outcome<()> {
    let going: Option<String> = conn
        .prepare_cached(BEING_DELETED)?
        .query_row((identity.format, identity.id), |row| row.get(0))
        .optional()?;
    let Some(id) = going else {
        return Ok(());
    };
    let text = format!(
        "session `{id}`, which came from the same source, is being deleted, or its deletion was cut off; delete it again, then import"
    );
    Err(Fault::Ours(
        Error::new(ErrorKind::Busy, text).with_session(id),
    ))
}

/// How the session will make the ids of nodes that are appended to it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IdStyle {
    Hex,
    Counter { next_id: u64 },
}

/// A session to be made for a source.
#[derive(Debug)]
pub(crate) struct NewImport<'a> {
    pub identity: Identity<'a>,
    pub hash: Option<&'a str>,
    pub path: Option<&'a str>,
    /// The id it gets if no other session has it.
    pub wanted_id: Option<&'a str>,
    pub name: Option<&'a str>,
    pub cwd: Option<&'a str>,
    pub meta: &'a str,
    pub created_at_ms: i64,
    pub ids: IdStyle,
    /// The source this one was forked from: its session's id in its format, and its path.
    pub forked_from: Option<(&'a str, &'a str)>,
    /// Starts on an empty branch `main`; else the source's own branches are still to come.
    pub with_main: bool,
}

const ID_IS_TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?1)";

const ORIGIN: &str = "
  SELECT id FROM sessions
  WHERE state = 'live' AND source_format = ?1 AND (source_id = ?2 OR source_path = ?3)
  ORDER BY source_id = ?2 DESC LIMIT 1";

const INSERT: &str = "
  INSERT INTO sessions (id, state, name, name_set_by, cwd, meta, origin_session_id, source_format, source_id, source_path,
    source_hash, created_at_ms, id_style, next_id)
  VALUES (?1, 'importing', ?2, CASE WHEN ?2 IS NULL THEN NULL ELSE 'file' END, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";

const INSERT_MAIN: &str =
    "INSERT INTO branches (session_key, name, created_at_ms) VALUES (?1, ?2, ?3)";

/// The source's session: as it is, or made. Of several processes that import one source at once, one makes it.
pub(crate) fn begin(conn: &Connection, new: &NewImport<'_>) -> Outcome<Found> {
    if let Some(found) = find(conn, new.identity)? {
        return Ok(found);
    }
    refuse_half_deleted(conn, new.identity)?;
    let id = session_id(conn, new.wanted_id)?;
    let origin: Option<String> = match new.forked_from {
        Some((id, path)) => conn
            .prepare_cached(ORIGIN)?
            .query_row((new.identity.format, id, path), |row| row.get(0))
            .optional()?,
        None => None,
    };
    let (id_style, next_id) = match new.ids {
        IdStyle::Hex => ("hex", None),
        IdStyle::Counter { next_id } => ("counter", Some(next_id.to_string())),
    };
    let key = conn.prepare_cached(INSERT)?.insert((
        id.as_str(),
        new.name,
        new.cwd,
        new.meta,
        origin,
        new.identity.format,
        new.identity.id,
        new.path,
        new.hash,
        new.created_at_ms,
        id_style,
        next_id,
    ))?;
    if new.with_main {
        let main =
            conn.prepare_cached(INSERT_MAIN)?
                .insert((key, MAIN_BRANCH, new.created_at_ms))?;
        conn.prepare_cached(SET_ACTIVE)?.execute((key, main))?;
    }
    Ok(Found {
        key,
        id,
        hidden: true,
        hash: new.hash.map(str::to_owned),
    })
}

/// The wanted id where it can be one and is free; else a made one.
fn session_id(conn: &Connection, wanted: Option<&str>) -> Outcome<SessionId> {
    if let Some(id) = wanted.filter(|id| create::valid_session_id(id).is_ok()) {
        let taken: bool = conn
            .prepare_cached(ID_IS_TAKEN)?
            .query_row((id,), |row| row.get(0))?;
        if !taken {
            return Ok(SessionId::from(id));
        }
    }
    Ok(new_session_id())
}

const IS_LEFTOVER: &str =
    "SELECT EXISTS (SELECT 1 FROM sessions WHERE key = ?1 AND state = 'importing')";

/// Removes what an interrupted import left. Nothing happens if it was finished or removed meanwhile. Needs foreign keys off.
pub(crate) fn discard(conn: &Connection, ctx: &Ctx<'_>) -> Outcome<bool> {
    let is_leftover: bool = conn
        .prepare_cached(IS_LEFTOVER)?
        .query_row((ctx.session_key,), |row| row.get(0))?;
    if is_leftover {
        remove_rows(conn, ctx.session_key)?;
        record(
            conn,
            ctx,
            Operation {
                verb: "delete",
                detail: Some(serde_json::json!({ "unfinished_import": true })),
                ..Operation::default()
            },
        )?;
    }
    Ok(is_leftover)
}

const LEFTOVERS: &str = "SELECT key FROM sessions WHERE state = 'importing' ORDER BY key";

/// Removes what all interrupted imports left, and says how many there were. Needs foreign keys off.
pub(crate) fn discard_all(conn: &Connection, actor: &str, at_ms: i64) -> Outcome<u64> {
    let leftovers: Vec<i64> = conn
        .prepare_cached(LEFTOVERS)?
        .query_map((), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for key in &leftovers {
        discard(conn, &Ctx::unguarded(*key, actor, at_ms))?;
    }
    Ok(leftovers.len() as u64)
}
