//! Summaries: text that stands for a branch. Older ones are kept, the newest counts.

use rusqlite::Connection;

use super::Ctx;
use super::record::{Operation, record};
use crate::db::{Outcome, branch_by_name, key_by_id, session_by_key};
use crate::model::{Error, ErrorKind};

const INSERT: &str = "
  INSERT INTO summaries (session_key, branch_key, branch, node_id, summary, model_id, created_at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

const ID_OF: &str = "SELECT coalesce(id, 'n' || (key & 4294967295)) FROM nodes WHERE key = ?1";

/// Stores a summary of a branch. `as_of` is the leaf it speaks of; without it, the branch's leaf as it is now.
pub(crate) fn summarize(
    conn: &Connection,
    ctx: &Ctx<'_>,
    branch: &str,
    as_of: Option<&str>,
    summary: &str,
    model_id: Option<&str>,
) -> Outcome<()> {
    session_by_key(conn, ctx.session_key)?;
    let row = branch_by_name(conn, ctx.session_key, branch)?;
    let leaf_key = row.leaf_key.ok_or_else(|| empty_branch(branch))?;
    let (node_id, node_key) = match as_of {
        Some(id) => (
            id.to_owned(),
            key_by_id(conn, ctx.session_key, id)?.ok_or_else(|| Error::node_not_found(id))?,
        ),
        None => (
            conn.prepare_cached(ID_OF)?
                .query_row((leaf_key,), |row| row.get(0))?,
            leaf_key,
        ),
    };
    let key = conn.prepare_cached(INSERT)?.insert((
        ctx.session_key,
        row.key,
        branch,
        node_id,
        summary,
        model_id,
        ctx.at_ms,
    ))?;
    record(
        conn,
        ctx,
        Operation {
            verb: "summarize",
            branch_key: Some(row.key),
            to_key: Some(node_key),
            detail: Some(serde_json::json!({ "summary_key": key, "model_id": model_id })),
            ..Operation::default()
        },
    )
}

/// The error for a branch that has nothing to summarise.
pub(crate) fn empty_branch(name: &str) -> Error {
    Error::new(
        ErrorKind::EmptyBranch,
        format!("session tree branch `{name}` has no leaf yet — nothing to summarize"),
    )
    .with_branch(name)
}
