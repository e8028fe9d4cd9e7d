//! One node, whole.

use rusqlite::{Connection, OptionalExtension};

use super::family::child_ids;
use crate::db::{Outcome, key_by_id, public_id};
use crate::model::{Message, TreeNode};

const NODE: &str = "
  SELECT node.id, node.parent_key, parent.id, node.missing_parent, node.kind, node.created_at_ms, node.payload,
    (SELECT label FROM labels WHERE session_key = ?2 AND node_id = ?3)
  FROM nodes AS node LEFT JOIN nodes AS parent ON parent.key = node.parent_key
  WHERE node.key = ?1";

pub(crate) fn node(conn: &Connection, session_key: i64, id: &str) -> Outcome<Option<TreeNode>> {
    let Some(key) = key_by_id(conn, session_key, id)? else {
        return Ok(None);
    };
    let children = child_ids(conn, key)?;
    let found = conn
        .prepare_cached(NODE)?
        .query_row((key, session_key, id), |row| {
            let parent_key: Option<i64> = row.get(1)?;
            Ok(TreeNode {
                id: public_id(row.get(0)?, key),
                parent: parent_key
                    .map(|key| Ok::<_, rusqlite::Error>(public_id(row.get(2)?, key)))
                    .transpose()?,
                missing_parent: row.get(3)?,
                children,
                kind: row.get(4)?,
                message: Message::from_stored(row.get(6)?),
                label: row.get(7)?,
                created_at_ms: row.get(5)?,
            })
        })
        .optional()?;
    Ok(found)
}
