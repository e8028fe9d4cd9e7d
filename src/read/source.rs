//! What is kept of a session's source, line by line, and what else an export needs to know.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, Row};

use super::projection::{NODES, PAGE_BYTES, PAGE_NODES, PathNode, path_node};
use crate::db::{Outcome, first_key, last_key, public_id};
use crate::model::NodeId;

/// What a loose record is to an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LooseKind {
    Header,
    /// A whole line that holds more than one record; those of them that are nodes are nodes too.
    Shared,
    Damaged,
    /// A record that is there already.
    Repeat,
    /// A line that was too long to be kept.
    Oversized,
    Other,
}

impl LooseKind {
    fn of(reason: &str) -> LooseKind {
        match reason.split(':').next() {
            Some("header") => LooseKind::Header,
            Some("shared") => LooseKind::Shared,
            Some("damaged") => LooseKind::Damaged,
            Some("repeat") => LooseKind::Repeat,
            Some("oversized") => LooseKind::Oversized,
            _ => LooseKind::Other,
        }
    }
}

/// A node or a loose record, by its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SourceItem {
    Node(i64),
    Loose(i64, LooseKind),
}

/// Where something stood in the source; what was made here stands behind all lines, in the order of writing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceLine {
    pub line: Option<u64>,
    pub item: SourceItem,
    /// A node that sets a label or the title.
    pub is_mark: bool,
}

impl SourceLine {
    pub(crate) fn is_node(&self) -> bool {
        matches!(self.item, SourceItem::Node(_))
    }

    pub(crate) fn is_header(&self) -> bool {
        matches!(self.item, SourceItem::Loose(_, LooseKind::Header))
    }
}

/// Everything a session's source held, in its order, and the nodes that came later.
#[derive(Debug, Default)]
pub(crate) struct SourceIndex {
    pub lines: Vec<SourceLine>,
    /// The records of nodes whose own bytes are not UTF-8.
    raw_of: HashMap<i64, i64>,
    /// What stood around the lines when the source was read last.
    pub framing: Option<Vec<u8>>,
}

const NODE_LINES: &str = "
  SELECT key, source_line, kind IN ('label', 'session_info') FROM nodes WHERE key BETWEEN ?1 AND ?2 ORDER BY key";

const LOOSE_LINES: &str = "
  SELECT key, node_key, source_line, byte_offset, reason FROM loose_records WHERE session_key = ?1 ORDER BY key";

const LOOSE_RAW: &str = "SELECT raw FROM loose_records WHERE key = ?1";

pub(crate) fn source_index(conn: &Connection, session_key: i64) -> Outcome<SourceIndex> {
    let mut index = SourceIndex::default();
    let mut placed = Vec::new();
    let mut framing = None;
    let mut statement = conn.prepare_cached(LOOSE_LINES)?;
    let mut rows = statement.query((session_key,))?;
    while let Some(row) = rows.next()? {
        let key: i64 = row.get(0)?;
        let reason = row.get_ref(4)?.as_str().unwrap_or_default();
        if let Some(node_key) = row.get::<_, Option<i64>>(1)? {
            index.raw_of.insert(node_key, key);
        } else if reason == "framing" {
            framing = Some(key);
        } else {
            let (line, offset): (i64, i64) = (row.get(2)?, row.get(3)?);
            let item = SourceItem::Loose(key, LooseKind::of(reason));
            let line = SourceLine {
                line: Some(line.unsigned_abs()),
                item,
                is_mark: false,
            };
            placed.push((offset, line));
        }
    }
    let mut statement = conn.prepare_cached(NODE_LINES)?;
    let mut rows = statement.query((first_key(session_key), last_key(session_key)))?;
    while let Some(row) = rows.next()? {
        let (key, line): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
        let line = SourceLine {
            line: line.map(i64::unsigned_abs),
            item: SourceItem::Node(key),
            is_mark: row.get(2)?,
        };
        placed.push((key, line));
    }
    // Loose records of a line stand before its nodes.
    placed.sort_by_key(|(at, line)| (line.line.unwrap_or(u64::MAX), line.is_node(), *at));
    index.lines = placed.into_iter().map(|(_, line)| line).collect();
    index.framing = match framing {
        Some(key) => Some(raw(conn, key)?),
        None => None,
    };
    Ok(index)
}

fn raw(conn: &Connection, key: i64) -> Outcome<Vec<u8>> {
    Ok(conn
        .prepare_cached(LOOSE_RAW)?
        .query_row((key,), |row| row.get(0))?)
}

/// What stands on a line.
#[derive(Debug)]
pub(crate) enum SourceText {
    /// A node, and its line's own bytes where they are not UTF-8.
    Node(Box<PathNode>, Option<Vec<u8>>),
    Loose(LooseKind, Vec<u8>),
}

/// The first of these lines with what stands on them, as many as fit a page.
pub(crate) fn source_page(
    conn: &Connection,
    index: &SourceIndex,
    lines: &[SourceLine],
) -> Outcome<Vec<SourceText>> {
    let mut page = Vec::new();
    let mut bytes = 0;
    for line in lines.iter().take(PAGE_NODES) {
        let text = match line.item {
            SourceItem::Node(key) => {
                let node = conn
                    .prepare_cached(NODES)?
                    .query_row((key, key), path_node)?;
                bytes += node.bytes();
                let raw_key = index.raw_of.get(&key);
                let raw = raw_key.map(|key| raw(conn, *key)).transpose()?;
                SourceText::Node(Box::new(node), raw)
            }
            SourceItem::Loose(key, kind) => {
                let raw = raw(conn, key)?;
                bytes += raw.len();
                SourceText::Loose(kind, raw)
            }
        };
        page.push(text);
        if bytes >= PAGE_BYTES {
            break;
        }
    }
    Ok(page)
}

const LABELS: &str = "SELECT node_id, label FROM labels WHERE session_key = ?1";

/// All labels of a session, those that were cleared by hand too.
pub(crate) fn labels(
    conn: &Connection,
    session_key: i64,
) -> Outcome<BTreeMap<String, Option<String>>> {
    Ok(conn
        .prepare_cached(LABELS)?
        .query_map((session_key,), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?)
}

const HAS_MARKS_OF_ITS_OWN: &str = "
  SELECT EXISTS (SELECT 1 FROM labels WHERE session_key = ?1 AND set_by = 'api')
      OR EXISTS (SELECT 1 FROM sessions WHERE key = ?1 AND name_set_by = 'api')";

/// Whether somebody here has said something about a label or the title.
pub(crate) fn has_marks_of_its_own(conn: &Connection, session_key: i64) -> Outcome<bool> {
    Ok(conn
        .prepare_cached(HAS_MARKS_OF_ITS_OWN)?
        .query_row((session_key,), |row| row.get(0))?)
}

const NEXT_ID: &str = "SELECT next_id FROM sessions WHERE key = ?1";

/// The number of the next `n<number>` of a session that counts its ids itself.
pub(crate) fn next_id(conn: &Connection, session_key: i64) -> Outcome<Option<u64>> {
    let text: Option<String> = conn
        .prepare_cached(NEXT_ID)?
        .query_row((session_key,), |row| row.get(0))?;
    Ok(text.and_then(|text| text.parse().ok()))
}

const HASH: &str = "SELECT source_hash FROM sessions WHERE key = ?1";

/// SHA-256 of the source when it was read last.
pub(crate) fn source_hash(conn: &Connection, session_key: i64) -> Outcome<Option<String>> {
    Ok(conn
        .prepare_cached(HASH)?
        .query_row((session_key,), |row| row.get(0))?)
}

const NEWEST_ROOT: &str = "
  SELECT key, id FROM nodes
  WHERE parent_key IS NULL AND branch_key IS NOT NULL AND key BETWEEN ?1 AND ?2
  ORDER BY key DESC LIMIT 1";

/// The root that was appended last, not counting those that were imported.
pub(crate) fn newest_root(conn: &Connection, session_key: i64) -> Outcome<Option<NodeId>> {
    let read = |row: &Row<'_>| Ok(public_id(row.get(1)?, row.get(0)?));
    Ok(conn
        .prepare_cached(NEWEST_ROOT)?
        .query_row((first_key(session_key), last_key(session_key)), read)
        .optional()?)
}

const RECORD_AT: &str = "
  SELECT node.key, node.id, node.source_line
  FROM (
    SELECT source_line AS line, key AS node_key, key AS place FROM nodes
    WHERE key BETWEEN ?1 AND ?2 AND source_line IS NOT NULL
    UNION ALL
    SELECT source_line, NULL, -1 FROM loose_records
    WHERE session_key = ?3 AND reason IN ('header', 'scalar', 'object', 'repeat') AND raw <> CAST('null' AS BLOB)
    ORDER BY line, place LIMIT 1 OFFSET ?4
  ) AS record
  LEFT JOIN nodes AS node ON node.key = record.node_key";

/// The node of the source's record number `index`, and its line; counted from 0 over all records, header included, as the
/// first version of pi's format counts in `firstKeptEntryIndex`. `None` where that record is no node, or not there.
pub(crate) fn node_of_record(
    conn: &Connection,
    session_key: i64,
    index: u64,
) -> Outcome<Option<(NodeId, u64)>> {
    let Ok(index) = i64::try_from(index) else {
        return Ok(None);
    };
    let range = (first_key(session_key), last_key(session_key));
    let read = |row: &Row<'_>| {
        let key: Option<i64> = row.get(0)?;
        let line = |row: &Row<'_>| row.get::<_, i64>(2).map(i64::unsigned_abs);
        key.map(|key| Ok((public_id(row.get(1)?, key), line(row)?)))
            .transpose()
    };
    Ok(conn
        .prepare_cached(RECORD_AT)?
        .query_row((range.0, range.1, session_key, index), read)
        .optional()?
        .flatten())
}
