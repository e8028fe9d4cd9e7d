//! Appending where the last append ended: what was known then is not looked up again, but proved by the write itself.

use rusqlite::{Connection, ErrorCode};

use super::{Appended, NodeRow, insert};
use crate::db::{Fault, Outcome, last_key, public_id};
use crate::model::{Error, ErrorKind, Expecting, MESSAGE, NewNode};
use crate::ops::guard::Pin;
use crate::ops::record::valid_time;
use crate::ops::{Ctx, Permit};

/// The end of a session's active branch: its newest node, in a session whose ids follow from their keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tip {
    pub branch_key: i64,
    pub leaf_key: i64,
    pub run_start: i64,
    pub messages: i64,
}

/// The leaf moves only from where it is thought to be, on the active branch, and while nobody is in a turn or navigation.
const MOVE_TIP: &str = "
  UPDATE branches SET leaf_key = ?2
  WHERE key = ?1 AND leaf_key = ?3 AND resting = 0
    AND NOT EXISTS (SELECT 1 FROM guards WHERE session_key = ?4 AND kind IS NOT NULL)";

/// Whether a node may go below a tip without a look at the tree: a message with nothing said about where it goes.
pub(crate) fn goes_on(ctx: &Ctx<'_>, node: &NewNode) -> bool {
    ctx.permit == Permit::Free
        && node.kind == MESSAGE
        && node.id.is_none()
        && node.branch.is_none()
        && node.expecting == Expecting::Any
}

/// Appends a message below a tip. Where that is not the tip any more this fails with `LeafMoved`, and the transaction must be
/// rolled back: the trigger of inserts proves the place among the nodes, and the update proves the branch.
pub(crate) fn append_at(
    conn: &Connection,
    ctx: &Ctx<'_>,
    node: &NewNode,
    tip: Tip,
) -> Outcome<Appended> {
    if let Some(given) = node.created_at_ms {
        valid_time(given)?;
    }
    if tip.leaf_key >= last_key(ctx.session_key) {
        return Err(stale());
    }
    let key = tip.leaf_key + 1;
    let messages = tip.messages.saturating_add(1);
    let row = NodeRow {
        key,
        id: None,
        parent_key: Some(tip.leaf_key),
        run_start: tip.run_start,
        branch_key: tip.branch_key,
        messages,
        at_ms: node.created_at_ms.unwrap_or(ctx.at_ms),
    };
    insert(conn, &row, node).map_err(stale_if_refused)?;
    let moved = conn.prepare_cached(MOVE_TIP)?.execute((
        tip.branch_key,
        key,
        tip.leaf_key,
        ctx.session_key,
    ))?;
    if moved != 1 {
        return Err(stale());
    }
    Ok(Appended {
        id: public_id(None, key),
        moved: Some(Pin {
            branch_key: tip.branch_key,
            leaf_key: Some(key),
        }),
        tip: Some(Tip {
            leaf_key: key,
            messages,
            ..tip
        }),
    })
}

fn stale() -> Fault {
    Fault::Ours(Error::new(
        ErrorKind::LeafMoved,
        "the branch goes on elsewhere",
    ))
}

fn stale_if_refused(fault: Fault) -> Fault {
    match fault {
        Fault::Sql(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            stale()
        }
        other => other,
    }
}
