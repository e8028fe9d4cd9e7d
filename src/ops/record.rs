//! The audit trail: each operation but an append leaves one row, in its own transaction.

use rusqlite::Connection;

use super::Ctx;
use crate::db::{ExecuteOne, Fault, Outcome, first_key, last_key};
use crate::model::Error;

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

/// The years 0 to 9999, which ISO 8601 can name.
const TIMES: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

/// Refuses a time that no reader could show.
pub(super) fn valid_time(at_ms: i64) -> Outcome<()> {
    if TIMES.contains(&at_ms) {
        return Ok(());
    }
    let text =
        format!("the time {at_ms} is not in the years 0 to 9999; give Unix time in milliseconds");
    Err(Fault::Ours(Error::invalid(text)))
}

/// What a clock tells, as far as readers can show it: a clock that is far off is no reason to refuse anything.
pub(crate) fn nearest_time(now_ms: i64) -> i64 {
    now_ms.clamp(*TIMES.start(), *TIMES.end())
}

pub(crate) fn record(conn: &Connection, ctx: &Ctx<'_>, operation: Operation<'_>) -> Outcome<()> {
    // A session that is imported has the time of its file, whatever that is.
    if !matches!(operation.verb, "create" | "import") {
        valid_time(ctx.at_ms)?;
    }
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
