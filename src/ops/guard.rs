//! The door every move goes through: a session in a turn or a navigation belongs to its holder.

mod free;
mod take;

use rusqlite::{Connection, OptionalExtension};

use super::Ctx;
use crate::db::{Fault, GuardRow, Life, Outcome, guard_of, public_id};
use crate::model::{Error, ErrorKind, GuardKind, NodeId};

pub(crate) use free::{abort_navigation, end, release, was_aborted};
pub(crate) use take::{Place, beat, place_of, take};

/// By which right a caller moves in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permit {
    /// It holds nothing: fine while nobody else does.
    Free,
    /// It holds the turn or navigation with this fencing number.
    Held {
        fence: i64,
        /// Where its branch must still be; `None` where that was found out in this transaction already.
        pin: Option<Pin>,
    },
}

/// A branch and its leaf as a holder knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pin {
    pub branch_key: i64,
    pub leaf_key: Option<i64>,
}

impl Permit {
    /// For what follows in the same transaction: the pin was found true.
    pub(super) fn unpinned(self) -> Permit {
        match self {
            Permit::Free => Permit::Free,
            Permit::Held { fence, .. } => Permit::Held { fence, pin: None },
        }
    }
}

/// Lets the caller in, or says who is in the way. A holder that is dead is in nobody's way: the caller that finds it frees
/// the guard, with the next fencing number, so that the holder has lost it should it come back.
pub(crate) fn admit(conn: &Connection, ctx: &Ctx<'_>) -> Outcome<()> {
    let guard = guard_of(conn, ctx.session_key)?;
    match (ctx.permit, guard) {
        (Permit::Free, None) => Ok(()),
        (Permit::Free, Some(guard)) => match (guard.kind, guard.life(ctx.boot_ms)) {
            (None, _) => Ok(()),
            (Some(kind), Life::Alive) => Err(Fault::Ours(busy(kind, &guard))),
            (Some(_), life) => free::free_dead(conn, ctx, &guard, life),
        },
        (Permit::Held { fence, pin }, Some(guard))
            if guard.fence == fence && guard.kind.is_some() =>
        {
            pin.map_or(Ok(()), |pin| still_there(conn, ctx, pin))
        }
        (Permit::Held { fence, .. }, guard) => {
            Err(Fault::Ours(free::lost(conn, ctx, fence, guard)?))
        }
    }
}

fn busy(kind: GuardKind, guard: &GuardRow) -> Error {
    Error::new(
        ErrorKind::Busy,
        format!(
            "session `{}` is in a {kind} of `{}`; wait until it ends, or release it",
            guard.session, guard.actor
        ),
    )
    .with_session(guard.session.as_str())
    .with_actor(guard.actor.as_str())
    .with_guard(kind)
}

const BRANCH_NOW: &str = "
  SELECT branch.name, branch.leaf_key, leaf.id
  FROM branches AS branch LEFT JOIN nodes AS leaf ON leaf.key = branch.leaf_key
  WHERE branch.key = ?1 AND branch.session_key = ?2";

/// Compares a pin with the branch as it is.
pub(super) fn still_there(conn: &Connection, ctx: &Ctx<'_>, pin: Pin) -> Outcome<()> {
    let now = conn
        .prepare_cached(BRANCH_NOW)?
        .query_row((pin.branch_key, ctx.session_key), |row| {
            let leaf_key: Option<i64> = row.get(1)?;
            let id: Option<String> = row.get(2)?;
            let leaf = leaf_key.map(|key| public_id(id, key));
            Ok((row.get::<_, String>(0)?, leaf_key, leaf))
        })
        .optional()?;
    let Some((branch, leaf_key, leaf)) = now else {
        let text = "the branch of the turn was deleted; nothing was changed";
        return Err(Fault::Ours(Error::new(ErrorKind::LeafMoved, text)));
    };
    if leaf_key == pin.leaf_key {
        return Ok(());
    }
    let place = Pin {
        branch_key: pin.branch_key,
        leaf_key,
    };
    Err(Fault::Ours(leaf_moved(
        conn,
        ctx,
        place,
        &branch,
        leaf.as_ref(),
    )?))
}

/// The newest move in the session: the one that put the branch where it is, if it ended there.
const MOVED_BY: &str = "
  SELECT actor, branch_key, to_key FROM operations
  WHERE session_key = ?1 AND verb IN ('rewind', 'branch', 'navigate', 'undo', 'redo', 'import')
  ORDER BY key DESC LIMIT 1";

/// The error for a caller whose idea of the leaf is out of date. It names the leaf as it is, and who put it there where that
/// is on record: the operation that moved it, or the turn that ended there.
pub(super) fn leaf_moved(
    conn: &Connection,
    ctx: &Ctx<'_>,
    now: Pin,
    branch: &str,
    leaf: Option<&NodeId>,
) -> Outcome<Error> {
    let by_operation = conn
        .prepare_cached(MOVED_BY)?
        .query_row((ctx.session_key,), |row| {
            let pin = row.get::<_, Option<i64>>(1)?.map(|branch_key| Pin {
                branch_key,
                leaf_key: row.get(2).unwrap_or(None),
            });
            Ok((row.get::<_, String>(0)?, pin))
        })
        .optional()?
        .filter(|(_, pin)| *pin == Some(now))
        .map(|(actor, _)| actor);
    let by_turn = guard_of(conn, ctx.session_key)?
        .filter(|guard| guard.kind.is_none())
        .filter(|guard| guard.branch_key == Some(now.branch_key) && guard.leaf_key == now.leaf_key)
        .map(|guard| guard.actor);
    // A holder that is told of its own moves as of another's would look for somebody who is not there.
    let is_another = |actor: &String| ctx.permit == Permit::Free || actor.as_str() != ctx.actor;
    let actor = by_operation.or(by_turn).filter(is_another);
    let by = actor
        .as_ref()
        .map_or_else(String::new, |actor| format!(", moved by `{actor}`"));
    let place = leaf.map_or_else(
        || format!("it is empty now{by}"),
        |leaf| format!("its leaf is `{leaf}` now{by}"),
    );
    let text =
        format!("branch `{branch}` moved in between: {place}; look again and repeat the call");
    let mut error = Error::new(ErrorKind::LeafMoved, text).with_branch(branch);
    if let Some(leaf) = leaf {
        error = error.with_node(leaf.as_str());
    }
    Ok(match actor {
        Some(actor) => error.with_actor(actor),
        None => error,
    })
}

/// The error for a caller whose idea of the active branch is out of date.
pub(super) fn switched(branch: &str) -> Error {
    let text = format!(
        "the session was switched to branch `{branch}` in between; look again and repeat the call"
    );
    Error::new(ErrorKind::LeafMoved, text).with_branch(branch)
}
