//! What a source holds that is no node, byte for byte.

use std::collections::VecDeque;

use rusqlite::Connection;

use super::{Budget, Run};
use crate::db::Outcome;

/// A line that is no node, or the bytes of one that had to be changed to become a node.
#[derive(Debug)]
pub(crate) struct LooseRecord {
    pub source_line: u64,
    pub byte_offset: u64,
    pub reason: String,
    pub raw: Vec<u8>,
}

const IS_KNOWN: &str = "
  SELECT EXISTS (
    SELECT 1 FROM loose_records
    WHERE session_key = ?1 AND source_line = ?2 AND reason = ?3 AND raw = ?4)";

const INSERT: &str = "
  INSERT INTO loose_records (session_key, node_key, source_line, byte_offset, reason, raw)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

pub(super) fn insert(
    conn: &Connection,
    session_key: i64,
    node_key: Option<i64>,
    record: &LooseRecord,
) -> Outcome<()> {
    let (line, offset) = (record.source_line as i64, record.byte_offset as i64);
    conn.prepare_cached(INSERT)?.execute((
        session_key,
        node_key,
        line,
        offset,
        &record.reason,
        &record.raw,
    ))?;
    Ok(())
}

/// Writes records until the transaction has run long enough; the rest stays in the queue. A record that was kept by an
/// earlier import of the same source is not kept twice.
pub(crate) fn write_loose(
    conn: &Connection,
    run: &Run,
    queue: &mut VecDeque<LooseRecord>,
) -> Outcome<()> {
    let mut budget = Budget::start();
    while let Some(record) = queue.pop_front() {
        let known: bool = conn.prepare_cached(IS_KNOWN)?.query_row(
            (
                run.session_key,
                record.source_line as i64,
                &record.reason,
                &record.raw,
            ),
            |row| row.get(0),
        )?;
        if !known {
            insert(conn, run.session_key, None, &record)?;
        }
        budget.spend(record.raw.len());
        if budget.is_spent() {
            break;
        }
    }
    Ok(())
}
