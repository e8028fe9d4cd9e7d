//! New sessions: an empty branch `main`, active.

use rusqlite::Connection;

use super::branch::SET_ACTIVE;
use super::record::{Operation, record, valid_time};
use super::{Ctx, append_all};
use crate::db::{Fault, Outcome};
use crate::model::json::{Json, validate};
use crate::model::preview::js_whitespace;
use crate::model::{
    Error, ErrorKind, MAIN_BRANCH, Message, NewNode, NewSession, SessionId, new_session_id,
};

const IS_TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?1)";
const INSERT: &str = "
  INSERT INTO sessions (id, name, name_set_by, cwd, meta, created_at_ms)
  VALUES (?1, ?2, CASE WHEN ?2 IS NULL THEN NULL ELSE 'api' END, ?3, ?4, ?5)";
const INSERT_MAIN: &str =
    "INSERT INTO branches (session_key, name, created_at_ms) VALUES (?1, ?2, ?3)";

/// Makes a session and returns its key and id.
pub(crate) fn create_session(
    conn: &Connection,
    actor: &str,
    now_ms: i64,
    new: &NewSession,
) -> Outcome<(i64, SessionId)> {
    let id = match &new.id {
        Some(id) => {
            valid_session_id(id)?;
            SessionId::from(id.as_str())
        }
        None => new_session_id(),
    };
    let taken: bool = conn
        .prepare_cached(IS_TAKEN)?
        .query_row((id.as_str(),), |row| row.get(0))?;
    if taken {
        let text =
            format!("there is a session `{id}` in this store already; open it, or give another id");
        return Err(Fault::Ours(
            Error::new(ErrorKind::SessionExists, text).with_session(id.as_str()),
        ));
    }
    let meta = new.meta.as_deref().unwrap_or("{}");
    if validate(meta).is_err() || !Json::new(meta).is_object() {
        return Err(Fault::Ours(Error::invalid(
            "a session's meta must be one JSON object",
        )));
    }
    let at_ms = new.created_at_ms.unwrap_or(now_ms);
    let name = new
        .name
        .as_deref()
        .map(|name| name.trim_matches(js_whitespace))
        .filter(|name| !name.is_empty());
    let key = conn.prepare_cached(INSERT)?.insert((
        id.as_str(),
        name,
        new.cwd.as_deref(),
        meta,
        at_ms,
    ))?;
    let main = conn
        .prepare_cached(INSERT_MAIN)?
        .insert((key, MAIN_BRANCH, at_ms))?;
    conn.prepare_cached(SET_ACTIVE)?.execute((key, main))?;
    let ctx = Ctx::unguarded(key, actor, at_ms);
    record(
        conn,
        &ctx,
        Operation {
            verb: "create",
            branch_key: Some(main),
            ..Operation::default()
        },
    )?;
    Ok((key, id))
}

pub(super) fn valid_session_id(id: &str) -> Outcome<()> {
    if id.is_empty() || id.chars().any(char::is_control) {
        return Err(Fault::Ours(Error::invalid(format!(
            "{id:?} cannot be a session id: it needs at least one character and no control characters"
        ))));
    }
    Ok(())
}

/// Makes a session whose projection is these messages.
pub(crate) fn from_linear(
    conn: &Connection,
    actor: &str,
    now_ms: i64,
    new: &NewSession,
    messages: Vec<Message>,
) -> Outcome<(i64, SessionId)> {
    valid_time(now_ms)?;
    let (key, id) = create_session(conn, actor, now_ms, new)?;
    let at_ms = new.created_at_ms.unwrap_or(now_ms);
    let ctx = Ctx::unguarded(key, actor, at_ms);
    let nodes: Vec<NewNode> = messages.into_iter().map(NewNode::message).collect();
    append_all(conn, &ctx, &nodes)?;
    Ok((key, id))
}
