//! The last transaction of an import: the session is shown, or what was read of its source is brought up to date.

use rusqlite::Connection;

use super::super::Ctx;
use super::super::branch::SET_ACTIVE;
use super::super::record::{Operation, record};
use super::branches::{move_branch, note_file_move};
use super::{Held, Run};
use crate::db::{Outcome, branch_by_key, branch_by_name, key_by_id, session_by_key};
use crate::model::Error;

/// How an import ends.
#[derive(Debug)]
pub(crate) struct Finish<'a> {
    pub path: Option<&'a str>,
    pub hash: Option<&'a str>,
    /// A node that was there before the import, to which the branch that follows the source is to go.
    pub file_leaf: Option<&'a str>,
    /// The branch a new session is to be on; `None`: the one it was made with.
    pub active: Option<&'a str>,
    /// For the audit trail: a JSON object.
    pub detail: serde_json::Value,
}

const ACTIVE: &str = "SELECT active_branch_key FROM sessions WHERE key = ?1";
const SHOW: &str = "
  UPDATE sessions SET state = 'live', source_path = ?2, source_hash = ?3 WHERE key = ?1";
const READ_LAST: &str = "
  UPDATE sessions SET source_path = ?2, source_hash = ?3 WHERE key = ?1";

/// Finishes an import. `false`: another process has finished the same one.
pub(crate) fn finish(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    end: &Finish<'_>,
) -> Outcome<bool> {
    if !super::nodes::enter(conn, ctx, run)? {
        return Ok(false);
    }
    if let Some(name) = end.active {
        let branch = branch_by_name(conn, run.session_key, name)?;
        conn.prepare_cached(SET_ACTIVE)?
            .execute((run.session_key, branch.key))?;
    }
    if let Some(leaf) = end.file_leaf {
        let follows = match run.hidden {
            true => Some(active_branch(conn, run.session_key)?),
            false => super::last_import(conn, run.session_key)?,
        };
        if let Some((key, leaf_key)) = follows {
            follow_to(conn, ctx, run, (key, leaf_key), leaf)?;
        }
    }
    let shown = if run.hidden { SHOW } else { READ_LAST };
    conn.prepare_cached(shown)?
        .execute((run.session_key, end.path, end.hash))?;
    if run.hidden {
        let active = session_by_key(conn, run.session_key)?.active_branch_key;
        let branch = branch_by_key(conn, run.session_key, active)?;
        run.done.file_branch = Some(branch.name);
        record(
            conn,
            ctx,
            Operation {
                verb: "import",
                branch_key: Some(branch.key),
                to_key: branch.leaf_key,
                detail: Some(end.detail.clone()),
                ..Operation::default()
            },
        )?;
    }
    Ok(true)
}

/// The branch a session is on, and its leaf.
pub(crate) fn active_branch(conn: &Connection, session_key: i64) -> Outcome<(i64, Option<i64>)> {
    let key: Option<i64> = conn
        .prepare_cached(ACTIVE)?
        .query_row((session_key,), |row| row.get(0))?;
    let branch = branch_by_key(conn, session_key, key.unwrap_or_default())?;
    Ok((branch.key, branch.leaf_key))
}

fn follow_to(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    (branch_key, leaf_key): (i64, Option<i64>),
    leaf: &str,
) -> Outcome<()> {
    let to = key_by_id(conn, run.session_key, leaf)?.ok_or_else(|| Error::node_not_found(leaf))?;
    if leaf_key == Some(to) {
        return Ok(());
    }
    let held = Held {
        key: branch_key,
        leaf_key,
        is_ours: false,
    };
    move_branch(conn, ctx, run, held, to)?;
    let name = branch_by_key(conn, run.session_key, branch_key)?.name;
    note_file_move(conn, ctx, run, (branch_key, &name), leaf_key, to)
}
