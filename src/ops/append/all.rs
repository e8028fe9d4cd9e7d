//! Several nodes in one transaction.

use rusqlite::{Connection, OptionalExtension};

use super::{Appended, append, plan};
use crate::db::{Fault, Outcome, public_id};
use crate::model::{Error, ErrorKind, NewNode};
use crate::ops::Ctx;
use crate::ops::guard::{Pin, leaf_moved};

/// Appends several nodes, each after the one before, or none.
pub(crate) fn append_all(
    conn: &Connection,
    ctx: &Ctx<'_>,
    nodes: &[NewNode],
) -> Outcome<Vec<Appended>> {
    let mut ctx = *ctx;
    let mut appended: Vec<Appended> = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        let one = match append(conn, &ctx, node) {
            Err(Fault::Ours(error)) if error.kind() == ErrorKind::LeafMoved => {
                return Err(before_all(conn, &ctx, node, &appended, error)?);
            }
            Err(Fault::Ours(error)) if error.kind() == ErrorKind::InvalidArgument => {
                let text = format!("`nodes[{at}]`: {error}");
                return Err(Fault::Ours(error.saying(text)));
            }
            done => done?,
        };
        if one.moved.is_some() {
            ctx.permit = ctx.permit.unpinned();
        }
        appended.push(one);
    }
    Ok(appended)
}

const PARENT: &str = "
  SELECT parent.key, parent.id FROM nodes AS node JOIN nodes AS parent ON parent.key = node.parent_key
  WHERE node.key = ?1";

/// The error for a node that expected another leaf. It names the leaf that stays once nothing of the call is kept.
fn before_all(
    conn: &Connection,
    ctx: &Ctx<'_>,
    node: &NewNode,
    appended: &[Appended],
    error: Error,
) -> Outcome<Fault> {
    let plan = plan(conn, ctx.session_key, node.branch.as_deref())?;
    let first = appended
        .iter()
        .filter_map(|one| one.moved)
        .find(|moved| moved.branch_key == plan.branch_key);
    let Some(first) = first else {
        return Ok(Fault::Ours(error));
    };
    let parent = conn
        .prepare_cached(PARENT)?
        .query_row((first.leaf_key,), |row| {
            let key: i64 = row.get(0)?;
            Ok((key, public_id(row.get(1)?, key)))
        })
        .optional()?;
    let before = Pin {
        branch_key: plan.branch_key,
        leaf_key: parent.as_ref().map(|(key, _)| *key),
    };
    let leaf = parent.map(|(_, id)| id);
    Ok(Fault::Ours(leaf_moved(
        conn,
        ctx,
        before,
        &plan.branch,
        leaf.as_ref(),
    )?))
}
