//! Labels: a person's mark on a node.

use rusqlite::{Connection, OptionalExtension};

use super::Ctx;
use super::record::{Operation, record};
use crate::db::{ExecuteOne, Outcome, key_by_id, session_by_key};
use crate::model::Error;

const SET: &str = "
  INSERT INTO labels (session_key, node_id, label, set_by, set_at_ms) VALUES (?1, ?2, ?3, 'api', ?4)
  ON CONFLICT (session_key, node_id)
  DO UPDATE SET label = excluded.label, set_by = excluded.set_by, set_at_ms = excluded.set_at_ms";

const CURRENT: &str = "SELECT label FROM labels WHERE session_key = ?1 AND node_id = ?2";

/// Sets a label, or clears it with an empty text, as pi does.
pub(crate) fn label(conn: &Connection, ctx: &Ctx<'_>, node_id: &str, text: &str) -> Outcome<()> {
    change(
        conn,
        ctx,
        node_id,
        Some(text).filter(|text| !text.is_empty()),
    )
}

pub(crate) fn clear_label(conn: &Connection, ctx: &Ctx<'_>, node_id: &str) -> Outcome<()> {
    change(conn, ctx, node_id, None)
}

fn change(conn: &Connection, ctx: &Ctx<'_>, node_id: &str, text: Option<&str>) -> Outcome<()> {
    session_by_key(conn, ctx.session_key)?;
    let key =
        key_by_id(conn, ctx.session_key, node_id)?.ok_or_else(|| Error::node_not_found(node_id))?;
    let before: Option<String> = conn
        .prepare_cached(CURRENT)?
        .query_row((ctx.session_key, node_id), |row| row.get(0))
        .optional()?
        .flatten();
    set_row(conn, ctx.session_key, node_id, text, ctx.at_ms)?;
    record(
        conn,
        ctx,
        Operation {
            verb: "label",
            to_key: Some(key),
            detail: Some(serde_json::json!({ "label": text, "before": before })),
            ..Operation::default()
        },
    )
}

/// Writes the row by which the API's word counts, a cleared label included.
pub(super) fn set_row(
    conn: &Connection,
    session_key: i64,
    node_id: &str,
    text: Option<&str>,
    at_ms: i64,
) -> Outcome<()> {
    conn.prepare_cached(SET)?
        .execute_one((session_key, node_id, text, at_ms))?;
    Ok(())
}

const COPY: &str = "
  INSERT INTO labels (session_key, node_id, label, set_by, set_at_ms)
  SELECT ?2, node_id, label, set_by, set_at_ms FROM labels WHERE session_key = ?1 AND node_id = ?3";

/// Gives a node of another session, that has the same id, the label as it stands.
pub(super) fn copy_row(conn: &Connection, from: i64, to: i64, node_id: &str) -> Outcome<()> {
    conn.prepare_cached(COPY)?.execute((from, to, node_id))?;
    Ok(())
}
