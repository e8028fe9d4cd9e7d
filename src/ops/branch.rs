//! Branching and switching: another name for a place in the tree, and another branch to be on.

use rusqlite::Connection;

use super::Ctx;
use super::guard::admit;
use super::names::{lowest_free, valid_branch_name};
use super::record::{Operation, record};
use crate::db::{
    ExecuteOne, Fault, Outcome, branch_by_key, branch_by_name, key_by_id, session_by_key,
};
use crate::model::{Error, ErrorKind};

/// A branch to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BranchSpec<'a> {
    /// The node where it ends; `None` for an empty branch.
    pub from: Option<&'a str>,
    /// Its name; `None` for `branch`, `branch-2`, ...
    pub name: Option<&'a str>,
    /// Whether the session is on it afterwards.
    pub switch: bool,
}

const NEXT_BRANCH: &str = "SELECT next_branch FROM sessions WHERE key = ?1";
const SET_NEXT_BRANCH: &str = "UPDATE sessions SET next_branch = ?2 WHERE key = ?1";
const IS_TAKEN: &str =
    "SELECT EXISTS (SELECT 1 FROM branches WHERE session_key = ?1 AND name = ?2)";
const INSERT: &str =
    "INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (?1, ?2, ?3, ?4)";
pub(super) const SET_ACTIVE: &str = "UPDATE sessions SET active_branch_key = ?2 WHERE key = ?1";

/// Makes a branch and, if asked, switches to it. Returns its name.
pub(crate) fn branch(conn: &Connection, ctx: &Ctx<'_>, spec: BranchSpec<'_>) -> Outcome<String> {
    admit(conn, ctx)?;
    let session = session_by_key(conn, ctx.session_key)?;
    let leaf = match spec.from {
        Some(id) => {
            Some(key_by_id(conn, session.key, id)?.ok_or_else(|| Error::node_not_found(id))?)
        }
        None => None,
    };
    let name = match spec.name {
        Some(name) => {
            valid_branch_name(name)?;
            let taken: bool = conn
                .prepare_cached(IS_TAKEN)?
                .query_row((session.key, name), |row| row.get(0))?;
            if taken {
                let text = format!("session tree already has a branch named `{name}`");
                return Err(Fault::Ours(
                    Error::new(ErrorKind::BranchExists, text).with_branch(name),
                ));
            }
            name.to_owned()
        }
        None => {
            let hint: i64 = conn
                .prepare_cached(NEXT_BRANCH)?
                .query_row((session.key,), |row| row.get(0))?;
            let (name, next) = lowest_free(conn, session.key, "branch", hint)?;
            conn.prepare_cached(SET_NEXT_BRANCH)?
                .execute((session.key, next))?;
            name
        }
    };
    let key = conn
        .prepare_cached(INSERT)?
        .insert((session.key, &name, leaf, ctx.at_ms))?;
    let active = branch_by_key(conn, session.key, session.active_branch_key)?;
    if spec.switch {
        conn.prepare_cached(SET_ACTIVE)?
            .execute_one((session.key, key))?;
    }
    record(
        conn,
        ctx,
        Operation {
            verb: "branch",
            branch_key: Some(key),
            from_key: active.leaf_key,
            to_key: leaf,
            detail: Some(
                serde_json::json!({ "branch": name, "from_branch": active.name, "switched": spec.switch }),
            ),
        },
    )?;
    Ok(name)
}

/// Makes another branch active. Being on it already is a success without effect.
pub(crate) fn switch(conn: &Connection, ctx: &Ctx<'_>, name: &str) -> Outcome<()> {
    admit(conn, ctx)?;
    let session = session_by_key(conn, ctx.session_key)?;
    let target = branch_by_name(conn, session.key, name)?;
    if target.key == session.active_branch_key {
        return Ok(());
    }
    let active = branch_by_key(conn, session.key, session.active_branch_key)?;
    conn.prepare_cached(SET_ACTIVE)?
        .execute_one((session.key, target.key))?;
    record(
        conn,
        ctx,
        Operation {
            verb: "switch",
            branch_key: Some(target.key),
            from_key: active.leaf_key,
            to_key: target.leaf_key,
            detail: Some(serde_json::json!({ "branch": target.name, "from_branch": active.name })),
        },
    )
}
