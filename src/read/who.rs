//! Who is in a turn or navigation. Nothing is written: whether a holder still counts is judged by reading.

use rusqlite::Connection;

use crate::db::{GuardRow, Life, Outcome, guard_of, session_by_key, taken_guards};
use crate::model::{Holder, SessionId};

fn holder(guard: GuardRow, boot_ms: i64) -> Option<Holder> {
    Some(Holder {
        kind: guard.kind?,
        is_alive: guard.life(boot_ms) == Life::Alive,
        session: SessionId::from(guard.session),
        actor: guard.actor,
        branch: guard.branch,
        leaf: guard.leaf,
        pid: Some(guard.process.pid).filter(|pid| *pid > 0),
        began_at_ms: guard.began_at_ms,
        silent_ms: boot_ms.saturating_sub(guard.beat_boot_ms).max(0),
    })
}

/// The holder of one session's guard.
pub(crate) fn who(conn: &Connection, session_key: i64, boot_ms: i64) -> Outcome<Option<Holder>> {
    session_by_key(conn, session_key)?;
    Ok(guard_of(conn, session_key)?.and_then(|guard| holder(guard, boot_ms)))
}

/// The holders of all sessions' guards.
pub(crate) fn who_all(conn: &Connection, boot_ms: i64) -> Outcome<Vec<Holder>> {
    Ok(taken_guards(conn)?
        .into_iter()
        .filter_map(|guard| holder(guard, boot_ms))
        .collect())
}

/// Whether the guard with this fencing number is still its holder's.
pub(crate) fn is_held(conn: &Connection, session_key: i64, fence: i64) -> Outcome<bool> {
    let guard = guard_of(conn, session_key)?;
    Ok(guard.is_some_and(|guard| guard.fence == fence && guard.kind.is_some()))
}
