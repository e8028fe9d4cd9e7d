//! Freeing a guard: its holder ends it, somebody releases it, or the next caller finds its holder dead.

use rusqlite::{Connection, OptionalExtension, Row};

use crate::db::{GuardRow, Life, Outcome, guard_of, session_by_key};
use crate::model::{Error, ErrorKind, GuardKind};
use crate::ops::Ctx;
use crate::ops::record::{Operation, record};

/// The place where the branch is goes into the row: who moves next can be told who left it there.
const FREE: &str = "
  UPDATE guards SET kind = NULL, fence = fence + ?3,
    leaf_key = (SELECT leaf_key FROM branches WHERE key = guards.branch_key)
  WHERE session_key = ?1 AND fence = ?2 AND kind IS NOT NULL";

/// Ends a guard by its own holder. Without effect where it was lost before.
pub(crate) fn end(conn: &Connection, session_key: i64, fence: i64) -> Outcome<()> {
    conn.prepare_cached(FREE)?
        .execute((session_key, fence, 0))?;
    Ok(())
}

/// Why a guard was taken from its holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freed {
    /// Somebody asked for it.
    Released,
    /// A navigation, given up before it moved anything.
    Aborted,
    Gone,
    Expired,
}

impl Freed {
    fn word(self) -> &'static str {
        match self {
            Freed::Released => "released",
            Freed::Aborted => "aborted",
            Freed::Gone => "gone",
            Freed::Expired => "expired",
        }
    }
}

fn free(conn: &Connection, ctx: &Ctx<'_>, guard: &GuardRow, why: Freed) -> Outcome<()> {
    conn.prepare_cached(FREE)?
        .execute((guard.session_key, guard.fence, 1))?;
    let kind = guard.kind.map(GuardKind::as_str);
    record(
        conn,
        ctx,
        Operation {
            verb: "release",
            detail: Some(serde_json::json!({
                "kind": kind, "of": guard.actor, "pid": guard.process.pid, "fence": guard.fence, "why": why.word(),
            })),
            ..Operation::default()
        },
    )
}

pub(super) fn free_dead(
    conn: &Connection,
    ctx: &Ctx<'_>,
    guard: &GuardRow,
    life: Life,
) -> Outcome<()> {
    let why = match life {
        Life::Expired => Freed::Expired,
        _ => Freed::Gone,
    };
    free(conn, ctx, guard, why)
}

/// Frees the session's guard, whoever holds it. Returns whether there was one.
pub(crate) fn release(conn: &Connection, ctx: &Ctx<'_>) -> Outcome<bool> {
    session_by_key(conn, ctx.session_key)?;
    match guard_of(conn, ctx.session_key)? {
        Some(guard) if guard.kind.is_some() => {
            free(conn, ctx, &guard, Freed::Released)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Gives up the navigation of a session: any, or only the one with this fencing number. Returns whether there was one.
pub(crate) fn abort_navigation(
    conn: &Connection,
    ctx: &Ctx<'_>,
    fence: Option<i64>,
) -> Outcome<bool> {
    session_by_key(conn, ctx.session_key)?;
    match guard_of(conn, ctx.session_key)? {
        Some(guard)
            if guard.kind == Some(GuardKind::Navigation)
                && fence.is_none_or(|fence| fence == guard.fence) =>
        {
            free(conn, ctx, &guard, Freed::Aborted)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// The operation that took the guard with this fencing number from its holder.
const TAKEN_FROM: &str = "
  SELECT actor, json_extract(detail, '$.why'), json_extract(detail, '$.kind') FROM operations
  WHERE session_key = ?1 AND verb = 'release' AND json_extract(detail, '$.fence') = ?2
  ORDER BY key DESC LIMIT 1";

struct TakenFrom {
    by: String,
    why: String,
    kind: String,
}

fn taken_from(conn: &Connection, session_key: i64, fence: i64) -> Outcome<Option<TakenFrom>> {
    let read = |row: &Row<'_>| {
        Ok(TakenFrom {
            by: row.get(0)?,
            why: row.get(1)?,
            kind: row.get(2)?,
        })
    };
    Ok(conn
        .prepare_cached(TAKEN_FROM)?
        .query_row((session_key, fence), read)
        .optional()?)
}

/// Whether the navigation with this fencing number was aborted.
pub(crate) fn was_aborted(conn: &Connection, session_key: i64, fence: i64) -> Outcome<bool> {
    let taken = taken_from(conn, session_key, fence)?;
    Ok(taken.is_some_and(|taken| taken.why == Freed::Aborted.word()))
}

/// The error for a holder that is none any more. It names who holds the session now, else who took it away.
pub(super) fn lost(
    conn: &Connection,
    ctx: &Ctx<'_>,
    fence: i64,
    guard: Option<GuardRow>,
) -> Outcome<Error> {
    let holder = guard.filter(|guard| guard.kind.is_some() && guard.fence > fence);
    let taken = taken_from(conn, ctx.session_key, fence)?;
    let how = match &taken {
        None => String::from("it had ended"),
        Some(TakenFrom { by, why, .. }) => match why.as_str() {
            "released" | "aborted" => format!("`{by}` {why} it"),
            "expired" => format!("it showed no sign of life for too long, and `{by}` went on"),
            _ => format!("its process seemed gone, and `{by}` went on"),
        },
    };
    let kind = taken.as_ref().map_or("turn", |taken| &taken.kind);
    let now = holder.as_ref().map_or_else(String::new, |guard| {
        format!("; `{}` holds the session now", guard.actor)
    });
    let text = format!("the {kind} is over: {how}{now}; nothing was changed");
    let error = Error::new(ErrorKind::TurnLost, text);
    let actor = holder
        .map(|guard| guard.actor)
        .or(taken.map(|taken| taken.by));
    Ok(match actor {
        Some(actor) => error.with_actor(actor),
        None => error,
    })
}
