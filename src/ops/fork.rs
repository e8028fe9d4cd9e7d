//! Forking: a path copied into a new session, with the ids it has.

use std::collections::BTreeMap;

use rusqlite::Connection;

use super::branch::SET_ACTIVE;
use super::guard::admit;
use super::record::{Operation, record};
use super::{Ctx, label};
use crate::db::{Outcome, first_key, key_by_id, last_key, session_by_key};
use crate::model::{Error, MAIN_BRANCH, SessionId, new_session_id};
use crate::read::{PathPlan, Run, Window, named_by_place, plan_from};

/// A statement copies this many nodes: SQLite holds what it selects from the table it inserts into.
const CHUNK: i64 = 256;

/// Ids are kept. In a session that made them from its keys they become explicit, and it counts on where the source is.
const INSERT_SESSION: &str = "
  INSERT INTO sessions (id, name, name_set_by, cwd, meta, origin_session_id, origin_node_id, created_at_ms, id_style, next_id)
  SELECT ?2, name, name_set_by, cwd, CASE WHEN source_format IS NULL THEN meta ELSE '{}' END, id, ?3, ?4,
    CASE WHEN id_style = 'seq' AND ?5 THEN 'counter' ELSE id_style END,
    CASE WHEN id_style = 'seq' AND ?5 THEN CAST(1 + max(high_seq, coalesce((
      SELECT max(key) & 4294967295 FROM nodes WHERE key BETWEEN ?6 AND ?7), -1)) AS TEXT) ELSE next_id END
  FROM sessions WHERE key = ?1";

const INSERT_MAIN: &str = "
  INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (?1, ?2, NULL, ?3)";

const SET_LEAF: &str = "UPDATE branches SET leaf_key = ?2 WHERE key = ?1";

/// Nodes ?1 to ?2 of one run become ?3 and on, under the node before. The whole path becomes one run, from ?4 on. ?6 is what
/// the count of messages falls by. Node ?7 gets the payload ?8.
const COPY_NODES: &str = "
  INSERT INTO nodes (key, id, parent_key, run_start, branch_key, messages, kind, role, created_at_ms, time_text,
    missing_parent, adoptable, preview, envelope_at, envelope, payload)
  SELECT ?3 + key - ?1, coalesce(id, 'n' || (key & 4294967295)), nullif(?3 + key - ?1, ?4) - 1, ?4, ?5, messages - ?6, kind,
    role, created_at_ms, time_text, missing_parent, adoptable, preview, envelope_at, envelope, CASE WHEN key = ?7 THEN ?8 ELSE payload END
  FROM nodes WHERE key BETWEEN ?1 AND ?2 ORDER BY key";

/// The bytes of nodes that were not valid UTF-8.
const COPY_RAW: &str = "
  INSERT INTO loose_records (session_key, node_key, source_line, byte_offset, reason, raw)
  SELECT ?4, ?3 + node_key - ?1, source_line, byte_offset, reason, raw
  FROM loose_records WHERE node_key BETWEEN ?1 AND ?2 ORDER BY key";

const MESSAGES_BEFORE: &str = "SELECT messages - (kind = 'message') FROM nodes WHERE key = ?1";
const MESSAGES_AT: &str = "SELECT messages FROM nodes WHERE key = ?1";

const LABELS: &str = "SELECT node_id FROM labels WHERE session_key = ?1";

/// Copies the path to a node (`None`: an empty one) into a new session. Returns its key and id.
pub(crate) fn fork(
    conn: &Connection,
    ctx: &Ctx<'_>,
    at: Option<&str>,
) -> Outcome<(i64, SessionId)> {
    admit(conn, ctx)?;
    let source = session_by_key(conn, ctx.session_key)?;
    let plan = match at {
        Some(id) => {
            let key = key_by_id(conn, source.key, id)?.ok_or_else(|| Error::node_not_found(id))?;
            plan_from(conn, key, Window::FromCut, id)?
        }
        None => PathPlan::default(),
    };
    let id = new_session_id();
    let key = conn.prepare_cached(INSERT_SESSION)?.insert((
        source.key,
        id.as_str(),
        at,
        ctx.at_ms,
        at.is_some(),
        first_key(source.key),
        last_key(source.key),
    ))?;
    let main = conn
        .prepare_cached(INSERT_MAIN)?
        .insert((key, MAIN_BRANCH, ctx.at_ms))?;
    conn.prepare_cached(SET_ACTIVE)?.execute((key, main))?;
    let rewritten = named_by_place(conn, source.key, &plan)?;
    let leaf = copy(conn, key, main, &plan.runs, &rewritten)?;
    conn.prepare_cached(SET_LEAF)?.execute((main, leaf))?;
    copy_labels(conn, source.key, key, &plan.runs)?;
    let ctx = Ctx {
        session_key: key,
        ..*ctx
    };
    record(
        conn,
        &ctx,
        Operation {
            verb: "fork",
            branch_key: Some(main),
            to_key: leaf,
            detail: Some(serde_json::json!({ "from_session": source.id, "from_node": at })),
            ..Operation::default()
        },
    )?;
    Ok((key, id))
}

/// Copies the runs one after the other. Returns the last new key.
fn copy(
    conn: &Connection,
    session_key: i64,
    branch_key: i64,
    runs: &[Run],
    rewritten: &BTreeMap<i64, String>,
) -> Outcome<Option<i64>> {
    let start = first_key(session_key);
    let mut next = start;
    let mut messages = 0;
    for run in runs {
        let before: i64 = conn
            .prepare_cached(MESSAGES_BEFORE)?
            .query_row((run.first,), |row| row.get(0))?;
        let surplus = before - messages;
        let mut first = run.first;
        while first <= run.last {
            let mut last = run.last.min(first + CHUNK - 1);
            let mut here = rewritten.range(first..=last);
            let one = here.next();
            if let Some((second, _)) = here.next() {
                last = second - 1;
            }
            let (rewrite, payload) = one.unzip();
            conn.prepare_cached(COPY_NODES)?.execute((
                first, last, next, start, branch_key, surplus, rewrite, payload,
            ))?;
            conn.prepare_cached(COPY_RAW)?
                .execute((first, last, next, session_key))?;
            next += last - first + 1;
            first = last + 1;
        }
        let at: i64 = conn
            .prepare_cached(MESSAGES_AT)?
            .query_row((run.last,), |row| row.get(0))?;
        messages = at - surplus;
    }
    Ok((next > start).then_some(next - 1))
}

/// Labels of nodes that are not on the path stay behind.
fn copy_labels(conn: &Connection, from: i64, to: i64, runs: &[Run]) -> Outcome<()> {
    let labelled: Vec<String> = conn
        .prepare_cached(LABELS)?
        .query_map((from,), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for node_id in labelled {
        if let Some(key) = key_by_id(conn, from, &node_id)?
            && runs.iter().any(|run| (run.first..=run.last).contains(&key))
        {
            label::copy_row(conn, from, to, &node_id)?;
        }
    }
    Ok(())
}
