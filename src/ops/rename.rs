//! Titles and archives: what a person does to a session or branch without moving anything.

use rusqlite::Connection;

use super::Ctx;
use super::record::{Operation, record};
use crate::db::{ExecuteOne, Outcome, branch_by_name, session_by_key};
use crate::model::preview::js_whitespace;

const RENAME: &str = "UPDATE sessions SET name = ?2, name_set_by = 'api' WHERE key = ?1";
const ARCHIVE_SESSION: &str = "UPDATE sessions SET archived_at_ms = ?2 WHERE key = ?1";
const ARCHIVE_BRANCH: &str = "UPDATE branches SET archived_at_ms = ?2 WHERE key = ?1";

/// Sets the session's title, or takes it away.
pub(crate) fn rename(conn: &Connection, ctx: &Ctx<'_>, name: Option<&str>) -> Outcome<()> {
    session_by_key(conn, ctx.session_key)?;
    let name = name
        .map(|name| name.trim_matches(js_whitespace))
        .filter(|name| !name.is_empty());
    set_row(conn, ctx.session_key, name)?;
    record(
        conn,
        ctx,
        Operation {
            verb: "rename",
            detail: Some(serde_json::json!({ "name": name })),
            ..Operation::default()
        },
    )
}

pub(super) fn set_row(conn: &Connection, session_key: i64, name: Option<&str>) -> Outcome<()> {
    conn.prepare_cached(RENAME)?
        .execute_one((session_key, name))?;
    Ok(())
}

/// Puts a session out of sight, or back.
pub(crate) fn archive_session(conn: &Connection, ctx: &Ctx<'_>, archived: bool) -> Outcome<()> {
    session_by_key(conn, ctx.session_key)?;
    conn.prepare_cached(ARCHIVE_SESSION)?
        .execute_one((ctx.session_key, archived.then_some(ctx.at_ms)))?;
    record(
        conn,
        ctx,
        Operation {
            verb: "archive",
            detail: Some(serde_json::json!({ "archived": archived })),
            ..Operation::default()
        },
    )
}

/// Puts a branch out of sight, or back. Its leaf and its name stay.
pub(crate) fn archive_branch(
    conn: &Connection,
    ctx: &Ctx<'_>,
    name: &str,
    archived: bool,
) -> Outcome<()> {
    session_by_key(conn, ctx.session_key)?;
    let branch = branch_by_name(conn, ctx.session_key, name)?;
    conn.prepare_cached(ARCHIVE_BRANCH)?
        .execute_one((branch.key, archived.then_some(ctx.at_ms)))?;
    record(
        conn,
        ctx,
        Operation {
            verb: "archive",
            branch_key: Some(branch.key),
            detail: Some(serde_json::json!({ "branch": name, "archived": archived })),
            ..Operation::default()
        },
    )
}
