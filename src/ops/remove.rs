//! Deleting a session, for good, because it was asked for by name.

use rusqlite::{Connection, OptionalExtension};

use super::Ctx;
use super::guard::admit;
use super::record::{Operation, record};
use crate::db::{Fault, Outcome, first_key, last_key};
use crate::model::Error;

const STEPS: &[&str] = &[
    "DELETE FROM labels WHERE session_key = ?1",
    "DELETE FROM loose_records WHERE session_key = ?1",
    "DELETE FROM summaries WHERE session_key = ?1",
    "DELETE FROM guards WHERE session_key = ?1",
    "DELETE FROM branches WHERE session_key = ?1",
    "DELETE FROM operations WHERE session_key = ?1",
];

const DELETABLE: &str =
    "SELECT key FROM sessions WHERE id = ?1 AND state IN ('live', 'importing', 'deleting')";

/// The session that can be deleted under this id: one that is there, or what is left of an import or a deletion that was
/// cut short.
pub(crate) fn deletable(conn: &Connection, id: &str) -> Outcome<i64> {
    conn.prepare_cached(DELETABLE)?
        .query_row((id,), |row| row.get(0))
        .optional()?
        .ok_or_else(|| Fault::Ours(Error::session_not_found(id)))
}

/// Deletes a session with everything in it. What stays is one operations row that says so. Needs foreign keys off.
pub(crate) fn delete_session(conn: &Connection, ctx: &Ctx<'_>, id: &str) -> Outcome<()> {
    admit(conn, ctx)?;
    remove_rows(conn, ctx.session_key)?;
    record(
        conn,
        ctx,
        Operation {
            verb: "delete",
            detail: Some(serde_json::json!({ "session": id })),
            ..Operation::default()
        },
    )
}

/// Deletes the rows of a session, whatever its state. Needs foreign keys off.
pub(super) fn remove_rows(conn: &Connection, session_key: i64) -> Outcome<()> {
    conn.execute(
        "UPDATE sessions SET state = 'deleting' WHERE key = ?1",
        (session_key,),
    )?;
    conn.execute(
        "DELETE FROM nodes WHERE key BETWEEN ?1 AND ?2",
        (first_key(session_key), last_key(session_key)),
    )?;
    for step in STEPS {
        conn.execute(step, (session_key,))?;
    }
    conn.execute("DELETE FROM sessions WHERE key = ?1", (session_key,))?;
    Ok(())
}
