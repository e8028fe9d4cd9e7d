//! Rewinding: the active branch's leaf moves, and the old leaf is kept under a sibling branch.

use rusqlite::Connection;

use super::Ctx;
use super::guard::{Permit, admit};
use super::names::lowest_free;
use super::record::{Operation, record};
use crate::db::{BranchRow, ExecuteOne, Outcome, branch_by_key, key_by_id, session_by_key};
use crate::model::Error;

/// When a moved leaf is kept under a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepOld {
    /// Whenever there was a leaf.
    Always,
    /// Only where it would have no name otherwise: it has no child, and no other branch ends there.
    IfUnnamed,
}

/// Moves the active branch's leaf to a node. Returns the name under which the old leaf is kept, if it moved.
pub(crate) fn rewind(conn: &Connection, ctx: &Ctx<'_>, node_id: &str) -> Outcome<Option<String>> {
    admit(conn, ctx)?;
    let session = session_by_key(conn, ctx.session_key)?;
    let target =
        key_by_id(conn, ctx.session_key, node_id)?.ok_or_else(|| Error::node_not_found(node_id))?;
    // A turn rewinds its own branch, whether or not the session is on it.
    let branch_key = match ctx.permit {
        Permit::Held { pin: Some(pin), .. } => pin.branch_key,
        _ => session.active_branch_key,
    };
    let active = branch_by_key(conn, session.key, branch_key)?;
    if active.leaf_key == Some(target) {
        return Ok(None);
    }
    let preserved = move_leaf(conn, ctx, &active, Some(target), KeepOld::Always)?;
    record(
        conn,
        ctx,
        Operation {
            verb: "rewind",
            branch_key: Some(active.key),
            from_key: active.leaf_key,
            to_key: Some(target),
            detail: preserved
                .as_ref()
                .map(|name| serde_json::json!({ "preserved": name })),
        },
    )?;
    Ok(preserved)
}

const KEEP: &str =
    "INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (?1, ?2, ?3, ?4)";
const MOVE: &str = "UPDATE branches SET leaf_key = ?2, next_rewound = ?3 WHERE key = ?1";

/// Moves a branch's leaf (`None`: to before the first node), after the old leaf has got a name of its own.
pub(crate) fn move_leaf(
    conn: &Connection,
    ctx: &Ctx<'_>,
    branch: &BranchRow,
    target: Option<i64>,
    keep: KeepOld,
) -> Outcome<Option<String>> {
    let mut next_rewound = branch.next_rewound;
    let mut preserved = None;
    if let Some(old) = branch.leaf_key
        && (keep == KeepOld::Always || is_unnamed(conn, branch, old)?)
    {
        let base = format!("{}-rewound", branch.name);
        let (name, next) = lowest_free(conn, ctx.session_key, &base, next_rewound)?;
        conn.prepare_cached(KEEP)?
            .execute_one((ctx.session_key, &name, old, ctx.at_ms))?;
        next_rewound = next;
        preserved = Some(name);
    }
    conn.prepare_cached(MOVE)?
        .execute_one((branch.key, target, next_rewound))?;
    Ok(preserved)
}

const HAS_OTHER_NAME: &str = "
  SELECT EXISTS (SELECT 1 FROM nodes WHERE key = ?1 + 1 AND parent_key = ?1)
      OR EXISTS (SELECT 1 FROM nodes WHERE parent_key = ?1 AND parent_key <> key - 1)
      OR EXISTS (SELECT 1 FROM branches WHERE leaf_key = ?1 AND resting = 1 AND key <> ?2)
      OR EXISTS (
        SELECT 1 FROM sessions AS session JOIN branches AS active ON active.key = session.active_branch_key
        WHERE session.key = ?3 AND active.leaf_key = ?1 AND active.key <> ?2)";

/// Whether a leaf has no child, and no branch but this one ends there.
pub(super) fn is_unnamed(conn: &Connection, branch: &BranchRow, leaf: i64) -> Outcome<bool> {
    let named: bool = conn
        .prepare_cached(HAS_OTHER_NAME)?
        .query_row((leaf, branch.key, crate::db::session_of(leaf)), |row| {
            row.get(0)
        })?;
    Ok(!named)
}
