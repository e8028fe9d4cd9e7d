//! The schema's versions. Each step is one file under `schema/`, applied in order, never edited once released.
//!
//! All pending steps run in one IMMEDIATE transaction, and the version is read inside it: of many processes that open a new
//! file at once, one creates the tables and the others find them. A process killed in between leaves the old version.

use rusqlite::Connection;

use super::fault::{Fault, Outcome};
use crate::model::{Error, ErrorKind};

/// `PRAGMA application_id` of a store: the letters `STre`.
pub(crate) const APPLICATION_ID: i32 = 0x5354_7265;

const STEPS: &[&str] = &[include_str!("../../schema/0001_trees.sql")];

/// The version this program writes.
pub(crate) const LATEST_VERSION: i32 = STEPS.len() as i32;

/// What a file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileState {
    /// No tables yet.
    Empty,
    /// A store of this version, which this program knows.
    Store(i32),
}

/// Reads what the file is, without changing it.
pub(crate) fn file_state(conn: &Connection) -> Outcome<FileState> {
    let application: i32 = conn.query_row("PRAGMA application_id", (), |row| row.get(0))?;
    let version: i32 = conn.query_row("PRAGMA user_version", (), |row| row.get(0))?;
    if application == APPLICATION_ID {
        return match version {
            1..=LATEST_VERSION => Ok(FileState::Store(version)),
            _ if version > LATEST_VERSION => Err(Fault::Ours(too_new(version))),
            _ => Err(Fault::Ours(Error::damaged(format!(
                "the file is marked as a session-tree store but has the schema version {version}; restore it from a backup"
            )))),
        };
    }
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    if application == 0 && version == 0 && tables == 0 {
        return Ok(FileState::Empty);
    }
    Err(Fault::Ours(Error::new(
        ErrorKind::NotAStore,
        format!(
            "the file is a database of another program (application id {application}, {tables} tables), not a session-tree store"
        ),
    )))
}

pub(crate) fn too_new(version: i32) -> Error {
    Error::new(
        ErrorKind::TooNew,
        format!(
            "the store has the schema version {version} and this program knows versions up to {LATEST_VERSION}; use a newer session-tree (the file was left as it is)"
        ),
    )
}

/// Brings the file to the latest version, inside the caller's IMMEDIATE transaction.
pub(crate) fn migrate(conn: &Connection, store_id: &str, now_ms: i64) -> Outcome<()> {
    let from = match file_state(conn)? {
        FileState::Empty => 0,
        FileState::Store(version) => version,
    };
    for (version, step) in (1..).zip(STEPS) {
        if version > from {
            conn.execute_batch(step)?;
            conn.pragma_update(None, "user_version", version)?;
        }
    }
    if from == 0 {
        conn.pragma_update(None, "application_id", APPLICATION_ID)?;
        conn.execute(
            "INSERT INTO store (key, id, created_at_ms) VALUES (1, ?1, ?2)",
            (store_id, now_ms),
        )?;
    }
    Ok(())
}

/// Every object the schema should have, as `(type, name, sql)`, from the steps themselves.
pub(crate) fn expected_schema() -> Outcome<Vec<(String, String, Option<String>)>> {
    let conn = Connection::open_in_memory()?;
    for step in STEPS {
        conn.execute_batch(step)?;
    }
    let mut statement =
        conn.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")?;
    let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
