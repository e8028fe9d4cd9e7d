//! All nodes of a session without their payloads, in the order of writing, in pages.

use rusqlite::{Connection, Row};

use crate::db::{Outcome, SEQ_MASK, first_key, key_of, last_key, public_id};
use crate::model::{OutlineNode, iso_from_ms};

const OUTLINE: &str = "
  SELECT node.key, node.id, node.parent_key, parent.id AS parent_id, node.missing_parent, node.kind, node.role,
    node.preview, node.created_at_ms, node.time_text, node.source_line,
    (SELECT label FROM labels
     WHERE session_key = ?1 AND node_id = coalesce(node.id, 'n' || (node.key & 4294967295))) AS label
  FROM nodes AS node LEFT JOIN nodes AS parent ON parent.key = node.parent_key
  WHERE node.key BETWEEN ?2 AND ?3
  ORDER BY node.key LIMIT ?4";

fn seq(key: i64) -> u32 {
    u32::try_from(key & SEQ_MASK).unwrap_or(u32::MAX)
}

fn outline_node(row: &Row<'_>) -> rusqlite::Result<OutlineNode> {
    let key: i64 = row.get("key")?;
    let parent_key: Option<i64> = row.get("parent_key")?;
    let created_at_ms = row.get("created_at_ms")?;
    Ok(OutlineNode {
        id: public_id(row.get("id")?, key),
        parent: parent_key
            .map(|key| Ok::<_, rusqlite::Error>(public_id(row.get("parent_id")?, key)))
            .transpose()?,
        missing_parent: row.get("missing_parent")?,
        kind: row.get("kind")?,
        role: row.get("role")?,
        preview: row.get("preview")?,
        label: row.get("label")?,
        created_at_ms,
        timestamp: row
            .get::<_, Option<String>>("time_text")?
            .unwrap_or_else(|| iso_from_ms(created_at_ms)),
        source_line: row
            .get::<_, Option<i64>>("source_line")?
            .and_then(|line| u64::try_from(line).ok()),
        seq: seq(key),
        parent_seq: parent_key.map(seq),
    })
}

/// At most `limit` nodes from place `from_seq` in the order of writing on.
pub(crate) fn outline(
    conn: &Connection,
    session_key: i64,
    from_seq: u32,
    limit: u32,
) -> Outcome<Vec<OutlineNode>> {
    let from = key_of(session_key, from_seq).max(first_key(session_key));
    Ok(conn
        .prepare_cached(OUTLINE)?
        .query_map(
            (session_key, from, last_key(session_key), limit),
            outline_node,
        )?
        .collect::<rusqlite::Result<_>>()?)
}
