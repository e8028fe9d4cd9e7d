//! Taking a guard, and keeping it by signs of life.

use rusqlite::Connection;

use super::{Pin, admit};
use crate::db::{
    BranchRow, Outcome, Process, branch_by_key, branch_by_name, id_by_key, session_by_key,
};
use crate::model::{Error, GuardKind, NodeId};
use crate::ops::Ctx;

/// A holder that shows no sign of life for this long is taken for dead.
const PATIENCE_MS: i64 = 30_000;

/// A branch and where it ends.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub pin: Pin,
    pub branch: String,
    pub leaf: Option<NodeId>,
}

/// Where a branch (`None`: the active one) is.
pub(crate) fn place_of(
    conn: &Connection,
    session_key: i64,
    branch_key: Option<i64>,
) -> Outcome<Place> {
    let active = session_by_key(conn, session_key)?.active_branch_key;
    place(
        conn,
        branch_by_key(conn, session_key, branch_key.unwrap_or(active))?,
    )
}

fn place(conn: &Connection, branch: BranchRow) -> Outcome<Place> {
    let leaf = match branch.leaf_key {
        Some(key) => Some(id_by_key(conn, key)?.ok_or_else(|| {
            Error::damaged(format!(
                "the leaf of branch `{}` does not exist; run `session-tree check`",
                branch.name
            ))
        })?),
        None => None,
    };
    Ok(Place {
        pin: Pin {
            branch_key: branch.key,
            leaf_key: branch.leaf_key,
        },
        branch: branch.name,
        leaf,
    })
}

const RETAKE: &str = "
  UPDATE guards SET fence = fence + 1, kind = ?2, branch_key = ?3, leaf_key = ?4, actor = ?5, boot_id = ?6, pid = ?7,
    pid_space = ?8, process_start = ?9, began_at_ms = ?10, beat_boot_ms = ?11, expires_boot_ms = ?12
  WHERE session_key = ?1
  RETURNING fence";

const TAKE: &str = "
  INSERT INTO guards (session_key, fence, kind, branch_key, leaf_key, actor, boot_id, pid, pid_space, process_start,
    began_at_ms, beat_boot_ms, expires_boot_ms)
  VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
  RETURNING fence";

/// Takes the session's guard for a branch (`None`: the active one). Returns the fencing number, and the place it pins.
pub(crate) fn take(
    conn: &Connection,
    ctx: &Ctx<'_>,
    kind: GuardKind,
    branch: Option<&str>,
) -> Outcome<(i64, Place)> {
    let session = session_by_key(conn, ctx.session_key)?;
    admit(conn, ctx)?;
    let branch = match branch {
        Some(name) => branch_by_name(conn, session.key, name)?,
        None => branch_by_key(conn, session.key, session.active_branch_key)?,
    };
    let place = place(conn, branch)?;
    let ours = Process::current();
    let row = (
        session.key,
        kind.as_str(),
        place.pin.branch_key,
        place.pin.leaf_key,
        ctx.actor,
        ours.boot_id.as_deref(),
        ours.pid,
        ours.pid_space,
        ours.start,
        ctx.at_ms,
        ctx.boot_ms,
        ctx.boot_ms.saturating_add(PATIENCE_MS),
    );
    let fence = conn
        .prepare_cached(RETAKE)?
        .query_map(row, |row| row.get(0))?
        .next()
        .transpose()?;
    let fence = match fence {
        Some(fence) => fence,
        None => conn
            .prepare_cached(TAKE)?
            .query_row(row, |row| row.get(0))?,
    };
    Ok((fence, place))
}

const BEAT: &str = "
  UPDATE guards SET beat_boot_ms = ?3, expires_boot_ms = ?4
  WHERE session_key = ?1 AND fence = ?2 AND kind IS NOT NULL";

/// A sign of life for each of these guards, given as session key and fencing number. Those that were lost stay lost.
pub(crate) fn beat(
    conn: &Connection,
    held: impl Iterator<Item = (i64, i64)>,
    boot_ms: i64,
) -> Outcome<()> {
    let mut statement = conn.prepare_cached(BEAT)?;
    for (session_key, fence) in held {
        let expires = boot_ms.saturating_add(PATIENCE_MS);
        statement.execute((session_key, fence, boot_ms, expires))?;
    }
    Ok(())
}
