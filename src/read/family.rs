//! Who hangs where: roots, leaves, children, subtrees, common ancestors.

use std::collections::HashMap;

use rusqlite::{Connection, Row};

use super::path::{PathPlan, Window, plan_from};
use crate::db::{Fault, Outcome, first_key, key_by_id, last_key, public_id};
use crate::model::{Error, NodeId};

/// Children in the order of creation: the one that follows its parent directly is found by key, the others by index.
const CHILDREN: &str = "
  SELECT key, id FROM nodes WHERE key = ?1 + 1 AND parent_key = ?1
  UNION ALL
  SELECT key, id FROM nodes WHERE parent_key = ?1 AND parent_key <> key - 1
  ORDER BY key";

fn id_of(row: &Row<'_>) -> rusqlite::Result<NodeId> {
    Ok(public_id(row.get("id")?, row.get("key")?))
}

pub(crate) fn child_ids(conn: &Connection, key: i64) -> Outcome<Vec<NodeId>> {
    Ok(conn
        .prepare_cached(CHILDREN)?
        .query_map((key,), id_of)?
        .collect::<rusqlite::Result<_>>()?)
}

pub(crate) fn children(conn: &Connection, session_key: i64, id: &str) -> Outcome<Vec<NodeId>> {
    child_ids(conn, known(conn, session_key, id)?)
}

const ROOTS: &str =
    "SELECT key, id FROM nodes WHERE parent_key IS NULL AND key BETWEEN ?1 AND ?2 ORDER BY key";

pub(crate) fn roots(conn: &Connection, session_key: i64) -> Outcome<Vec<NodeId>> {
    Ok(conn
        .prepare_cached(ROOTS)?
        .query_map((first_key(session_key), last_key(session_key)), id_of)?
        .collect::<rusqlite::Result<_>>()?)
}

/// Nodes without children. Each is the leaf of a branch, so the branches are all that must be looked at.
const LEAVES: &str = "
  SELECT DISTINCT node.key, node.id
  FROM branches AS branch JOIN nodes AS node ON node.key = branch.leaf_key
  WHERE branch.session_key = ?1
    AND NOT EXISTS (SELECT 1 FROM nodes WHERE key = node.key + 1 AND parent_key = node.key)
    AND NOT EXISTS (SELECT 1 FROM nodes WHERE parent_key = node.key AND parent_key <> key - 1)
  ORDER BY node.key";

pub(crate) fn leaves(conn: &Connection, session_key: i64) -> Outcome<Vec<NodeId>> {
    Ok(conn
        .prepare_cached(LEAVES)?
        .query_map((session_key,), id_of)?
        .collect::<rusqlite::Result<_>>()?)
}

/// A node and all its descendants in the order of writing. UNION ends it on a cycle.
const SUBTREE: &str = "
  WITH RECURSIVE below (key) AS (
    SELECT ?1
    UNION
    SELECT child.key
    FROM below JOIN nodes AS child
      ON (child.key = below.key + 1 AND child.parent_key = below.key)
    UNION
    SELECT child.key
    FROM below JOIN nodes AS child
      ON child.parent_key = below.key AND child.parent_key <> child.key - 1)
  SELECT node.key, node.id FROM below JOIN nodes AS node ON node.key = below.key
  ORDER BY node.key";

pub(crate) fn subtree(conn: &Connection, session_key: i64, id: &str) -> Outcome<Vec<NodeId>> {
    let key = known(conn, session_key, id)?;
    Ok(conn
        .prepare_cached(SUBTREE)?
        .query_map((key,), id_of)?
        .collect::<rusqlite::Result<_>>()?)
}

const ID_OF: &str = "SELECT key, id FROM nodes WHERE key = ?1";

/// The deepest node that is on both paths; a node counts as its own ancestor.
pub(crate) fn common_ancestor(
    conn: &Connection,
    session_key: i64,
    one: &str,
    other: &str,
) -> Outcome<Option<NodeId>> {
    let one = plan_from(conn, known(conn, session_key, one)?, Window::FromCut, one)?;
    let other = plan_from(
        conn,
        known(conn, session_key, other)?,
        Window::FromCut,
        other,
    )?;
    match common_key(&one, &other) {
        Some(key) => Ok(Some(conn.prepare_cached(ID_OF)?.query_row((key,), id_of)?)),
        None => Ok(None),
    }
}

/// The key of the deepest node that is on both paths. A run is named by its first key, and two paths through one run share
/// it from the first key on, so the deepest common run and the shorter of its two ends decide.
pub(crate) fn common_key(one: &PathPlan, other: &PathPlan) -> Option<i64> {
    let ends: HashMap<i64, i64> = one.runs.iter().map(|run| (run.first, run.last)).collect();
    other
        .runs
        .iter()
        .rev()
        .find_map(|run| ends.get(&run.first).map(|last| run.last.min(*last)))
}

pub(crate) fn known(conn: &Connection, session_key: i64, id: &str) -> Outcome<i64> {
    key_by_id(conn, session_key, id)?.ok_or_else(|| Fault::Ours(Error::node_not_found(id)))
}
