//! Guard rows, and whether their holders are still there. Judged by reading only.

use rusqlite::{Connection, OptionalExtension, Row};

use super::fault::Outcome;
use super::process::Process;
use super::row::{public_id, shown};
use crate::model::{GuardKind, NodeId};

/// One session's guard, taken or free.
#[derive(Clone, Debug)]
pub(crate) struct GuardRow {
    pub session_key: i64,
    pub session: String,
    pub fence: i64,
    /// `None`: it is free.
    pub kind: Option<GuardKind>,
    pub branch_key: Option<i64>,
    pub branch: Option<String>,
    pub leaf_key: Option<i64>,
    pub leaf: Option<NodeId>,
    /// Who holds it; when it is free, who held it last.
    pub actor: String,
    pub process: Process,
    pub began_at_ms: i64,
    pub beat_boot_ms: i64,
    expires_boot_ms: i64,
}

/// Whether the holder of a guard is still there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    /// Its process has ended, or the machine was started anew since.
    Gone,
    /// It may run, but has shown no sign of life for too long.
    Expired,
}

macro_rules! guard_columns {
    ($rest:literal) => {
        concat!(
            "
  SELECT guard.session_key, guard.fence, guard.kind, guard.branch_key, guard.leaf_key, guard.actor, guard.boot_id,
    guard.pid, guard.pid_space, guard.process_start, guard.began_at_ms, guard.beat_boot_ms, guard.expires_boot_ms,
    session.id AS session_id, branch.name AS branch, leaf.id AS leaf_id
  FROM guards AS guard
  JOIN sessions AS session ON session.key = guard.session_key
  LEFT JOIN branches AS branch ON branch.key = guard.branch_key
  LEFT JOIN nodes AS leaf ON leaf.key = guard.leaf_key",
            $rest
        )
    };
}

const ONE: &str = guard_columns!(" WHERE guard.session_key = ?1");
const TAKEN: &str = guard_columns!(" WHERE guard.kind IS NOT NULL ORDER BY guard.session_key");

fn guard_row(row: &Row<'_>) -> rusqlite::Result<GuardRow> {
    let number =
        |name: &str| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(name)?.unwrap_or(0));
    let leaf_key: Option<i64> = row.get("leaf_key")?;
    Ok(GuardRow {
        session_key: row.get("session_key")?,
        session: row.get("session_id")?,
        fence: row.get("fence")?,
        kind: shown(row, "kind")?.map(|word| GuardKind::from_word(&word)),
        branch_key: row.get("branch_key")?,
        branch: row.get("branch")?,
        leaf: leaf_key
            .map(|key| Ok::<_, rusqlite::Error>(public_id(row.get("leaf_id")?, key)))
            .transpose()?,
        leaf_key,
        actor: shown(row, "actor")?.unwrap_or_else(|| String::from("somebody")),
        process: Process {
            boot_id: shown(row, "boot_id")?,
            pid: u32::try_from(number("pid")?).unwrap_or(0),
            start: row.get("process_start")?,
            pid_space: row.get("pid_space")?,
        },
        began_at_ms: number("began_at_ms")?,
        beat_boot_ms: number("beat_boot_ms")?,
        expires_boot_ms: number("expires_boot_ms")?,
    })
}

impl GuardRow {
    pub(crate) fn life(&self, boot_ms: i64) -> Life {
        match self.process.is_running() {
            Some(false) => Life::Gone,
            _ if self.expires_boot_ms <= boot_ms => Life::Expired,
            _ => Life::Alive,
        }
    }
}

/// A session's guard; `None` while nobody ever took it.
pub(crate) fn guard_of(conn: &Connection, session_key: i64) -> Outcome<Option<GuardRow>> {
    Ok(conn
        .prepare_cached(ONE)?
        .query_row((session_key,), guard_row)
        .optional()?)
}

/// The guards of all sessions that are taken.
pub(crate) fn taken_guards(conn: &Connection) -> Outcome<Vec<GuardRow>> {
    Ok(conn
        .prepare_cached(TAKEN)?
        .query_map((), guard_row)?
        .collect::<rusqlite::Result<_>>()?)
}
