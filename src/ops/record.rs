//! The audit trail: each operation but an append leaves one row, in its own transaction.

use rusqlite::Connection;

use super::Ctx;
use crate::db::{ExecuteOne, Outcome, first_key, last_key};

/// What an operation did. `detail` is a JSON object.
#[derive(Debug, Default)]
pub(crate) struct Operation<'a> {
    pub verb: &'a str,
    pub branch_key: Option<i64>,
    pub from_key: Option<i64>,
    pub to_key: Option<i64>,
    pub detail: Option<serde_json::Value>,
}

const RECORD: &str = "
  INSERT INTO operations (session_key, verb, actor, at_ms, branch_key, from_key, to_key, high_key, detail)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,
    coalesce((SELECT max(key) FROM nodes WHERE key BETWEEN ?8 AND ?9), ?8 - 1), ?10)";

pub(crate) fn record(conn: &Connection, ctx: &Ctx<'_>, operation: Operation<'_>) -> Outcome<()> {
    let detail = operation
        .detail
        .map_or_else(|| String::from("{}"), |detail| detail.to_string());
    conn.prepare_cached(RECORD)?.execute_one((
        ctx.session_key,
        operation.verb,
        ctx.actor,
        ctx.at_ms,
        operation.branch_key,
        operation.from_key,
        operation.to_key,
        first_key(ctx.session_key),
        last_key(ctx.session_key),
        detail,
    ))?;
    Ok(())
}
