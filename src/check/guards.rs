//! The guard row of one session.

use rusqlite::Connection;

use super::report::{Findings, Problem, ProblemCode};
use super::session::Session;
use super::text;
use crate::db::Outcome;

const GUARD: &str =
    "SELECT session_key, fence, kind, actor, boot_id FROM guards WHERE session_key = ?1";

/// A guard that is held says by whom and with which number; else nobody can give it back.
pub(super) fn check_guard(
    conn: &Connection,
    session: &Session,
    findings: &mut Findings,
) -> Outcome<()> {
    let mut statement = conn.prepare_cached(GUARD)?;
    let mut rows = statement.query((session.key,))?;
    let Some(row) = rows.next()? else {
        return Ok(());
    };
    let key = session.key;
    text::check(row, "guards", || format!("row {key}"), findings)?;
    let Some(kind) = text::optional(row, "kind")? else {
        return Ok(());
    };
    let fence: i64 = row.get("fence")?;
    let what = if fence < 1 {
        format!("its fence is {fence}")
    } else if let Some(column) = not_text(row, &["actor", "boot_id"])? {
        format!("its {column} is not valid UTF-8")
    } else if text::optional(row, "actor")?.is_none() {
        String::from("it does not say by whom")
    } else {
        return Ok(());
    };
    findings.add(Problem::new(
        ProblemCode::Guard,
        format!("the session is held by a {kind}, and {what}: when nobody uses the store, run `UPDATE guards SET kind = NULL, actor = NULL, boot_id = NULL WHERE session_key = {key}`"),
    ));
    Ok(())
}

fn not_text<'a>(row: &rusqlite::Row<'_>, columns: &[&'a str]) -> Outcome<Option<&'a str>> {
    for column in columns {
        if let rusqlite::types::ValueRef::Text(bytes) = row.get_ref(*column)?
            && std::str::from_utf8(bytes).is_err()
        {
            return Ok(Some(column));
        }
    }
    Ok(None)
}
