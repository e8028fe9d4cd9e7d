//! New nodes, parents before their children.

use std::collections::VecDeque;

use rusqlite::{Connection, OptionalExtension};

use super::super::guard::admit;
use super::super::{Ctx, adopt};
use super::known::fingerprint_at;
use super::loose::{self, LooseRecord};
use super::{Budget, Previous, Run, branches};
use crate::db::{Fault, Outcome, SEQ_MASK, first_key, key_by_id, last_key, public_id};
use crate::model::json::Json;
use crate::model::{Error, ErrorKind, MESSAGE, fingerprint, preview, role};

/// A node as an importer hands it over.
#[derive(Debug)]
pub(crate) struct ImportNode {
    pub id: String,
    /// The parent that was declared. The node is an orphan while the session has no such node; with the empty text it is a
    /// root.
    pub parent: Option<String>,
    /// `false`: it is a root even if that parent is there, because it lies in a cycle.
    pub adoptable: bool,
    pub kind: String,
    /// Unix time in milliseconds.
    pub created_at_ms: i64,
    /// The source's own timestamp, where it is not the ISO form of `created_at_ms`; empty where the source has none.
    pub time_text: Option<String>,
    pub source_line: Option<u64>,
    /// The line without the payload, and the byte at which that was cut out.
    pub envelope: Option<(usize, String)>,
    pub payload: String,
    /// The branch that goes along with it, by its place in the run.
    pub carrier: Option<usize>,
    /// It sets a label, and no later line of the source sets that one.
    pub label: Option<LabelLine>,
    /// It sets or takes away the title, and no later line does.
    pub title: Option<Option<String>>,
    /// Its line, where that is not UTF-8.
    pub raw: Option<LooseRecord>,
}

/// What a source says about a label.
#[derive(Debug)]
pub(crate) struct LabelLine {
    pub target: String,
    /// `None` clears it.
    pub text: Option<String>,
}

const STATE: &str = "SELECT state FROM sessions WHERE key = ?1";

/// Lets an import on with its session. `false`: another process has finished the same import.
pub(super) fn enter(conn: &Connection, ctx: &Ctx<'_>, run: &Run) -> Outcome<bool> {
    let state: Option<String> = conn
        .prepare_cached(STATE)?
        .query_row((run.session_key,), |row| row.get(0))
        .optional()?;
    match (state.as_deref(), run.hidden) {
        (Some("importing"), true) => Ok(true),
        (Some("live"), true) => Ok(false),
        (Some("live"), false) => admit(conn, ctx).map(|()| true),
        _ => Err(Fault::Ours(Error::new(
            ErrorKind::Busy,
            "the session was deleted while a source was being imported into it; import it again",
        ))),
    }
}

const LATEST: &str = "
  SELECT max(node.key, (session.key << 32) + session.high_seq) AS latest_key, node.messages
  FROM sessions AS session
  LEFT JOIN nodes AS node ON node.key = (SELECT max(key) FROM nodes WHERE key BETWEEN ?2 AND ?3)
  WHERE session.key = ?1";

const HIGH_SEQ: &str = "SELECT (key << 32) + high_seq FROM sessions WHERE key = ?1";

/// The key of the session's newest node, there or deleted, and its count of messages.
fn latest(conn: &Connection, session_key: i64) -> Outcome<(i64, i64)> {
    let range = (session_key, first_key(session_key), last_key(session_key));
    let (key, messages) = conn.prepare_cached(LATEST)?.query_row(range, |row| {
        Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?))
    })?;
    let key = match key {
        Some(key) => key,
        None => conn
            .prepare_cached(HIGH_SEQ)?
            .query_row((session_key,), |row| row.get(0))?,
    };
    Ok((key, messages.unwrap_or(0)))
}

/// Writes nodes until the transaction has run long enough; the rest stays in the queue. The branches that go along end
/// where the last of their nodes is. `false`: another process has finished the same import.
pub(crate) fn write_nodes(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    queue: &mut VecDeque<ImportNode>,
) -> Outcome<bool> {
    if !enter(conn, ctx, run)? {
        return Ok(false);
    }
    let (mut key, mut messages) = latest(conn, run.session_key)?;
    let mut budget = Budget::start();
    while let Some(node) = queue.pop_front() {
        budget.spend(node.payload.len());
        if let Some(known) = key_by_id(conn, run.session_key, &node.id)? {
            refuse_another(conn, known, &node)?;
            run.pass_by(node.carrier, known);
        } else {
            key += 1;
            if key > last_key(run.session_key) {
                return Err(Fault::Ours(too_many()));
            }
            messages += i64::from(node.kind == MESSAGE);
            write_node(conn, ctx, run, node, key, messages)?;
            run.done.nodes_added += 1;
        }
        if budget.is_spent() {
            break;
        }
    }
    branches::settle(conn, ctx, run)?;
    Ok(true)
}

fn too_many() -> Error {
    let most = SEQ_MASK + 1;
    Error::new(
        ErrorKind::TooLarge,
        format!("the source has more nodes than a session can hold ({most})"),
    )
}

/// A node of this id came in since the import looked: fine if it is the same one.
fn refuse_another(conn: &Connection, key: i64, node: &ImportNode) -> Outcome<()> {
    let mine = fingerprint(&node.kind, node.parent.as_deref(), &node.payload);
    if fingerprint_at(conn, key)? == mine {
        return Ok(());
    }
    let text = format!(
        "another node `{}` was written while the source was being imported; import it again",
        node.id
    );
    Err(Fault::Ours(
        Error::new(ErrorKind::Busy, text).with_node(node.id.as_str()),
    ))
}

const INSERT: &str = "
  INSERT INTO nodes (key, id, parent_key, run_start, messages, kind, role, created_at_ms, time_text, source_line,
    missing_parent, adoptable, preview, envelope_at, envelope, payload)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";

const RUN_START: &str = "SELECT run_start FROM nodes WHERE key = ?1";

fn write_node(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    mut node: ImportNode,
    key: i64,
    messages: i64,
) -> Outcome<()> {
    let parent = match &node.parent {
        Some(id) if node.adoptable => find_parent(conn, run, id)?,
        _ => None,
    };
    let run_start = match parent {
        Some((parent, Some(run_start))) if parent == key - 1 => run_start,
        Some((parent, None)) if parent == key - 1 => conn
            .prepare_cached(RUN_START)?
            .query_row((parent,), |row| row.get(0))?,
        _ => key,
    };
    let parent_key = parent.map(|(key, _)| key);
    let place = Placed {
        key,
        parent_key,
        run_start,
        messages,
    };
    insert(conn, &mut node, place)?;
    let mut has_adopted = false;
    if !run.hidden {
        let (adopted, refused) = adopt::adopt_waiting(conn, ctx, key, &node.id)?;
        has_adopted = !adopted.is_empty();
        for (orphans, noted) in [
            (adopted, &mut run.done.adopted),
            (refused, &mut run.done.never_adopted),
        ] {
            for orphan in orphans {
                noted.push(id_of(conn, orphan)?);
            }
        }
    }
    if let Some(raw) = &node.raw {
        loose::insert(conn, run.session_key, Some(key), raw)?;
    }
    say(conn, run.session_key, &node)?;
    run.go_along(node.carrier, key, parent_key, has_adopted);
    run.previous = Some(Previous {
        id: node.id,
        key,
        run_start,
    });
    Ok(())
}

/// Where a node goes.
struct Placed {
    key: i64,
    parent_key: Option<i64>,
    run_start: i64,
    messages: i64,
}

/// Inserts the row. A payload can be most of the memory there is: SQLite copies it when it is bound and again into the row,
/// so the node's own is let go in between.
fn insert(conn: &Connection, node: &mut ImportNode, place: Placed) -> Outcome<()> {
    let missing = node.parent.as_ref().filter(|_| place.parent_key.is_none());
    let (at, envelope) = node
        .envelope
        .take()
        .map_or((None, None), |(at, text)| (Some(at as i64), Some(text)));
    let mut insert = conn.prepare_cached(INSERT)?;
    insert.raw_bind_parameter(1, place.key)?;
    insert.raw_bind_parameter(2, &node.id)?;
    insert.raw_bind_parameter(3, place.parent_key)?;
    insert.raw_bind_parameter(4, place.run_start)?;
    insert.raw_bind_parameter(5, place.messages)?;
    insert.raw_bind_parameter(6, &node.kind)?;
    insert.raw_bind_parameter(7, role(&node.kind, Json::new(&node.payload)))?;
    insert.raw_bind_parameter(8, node.created_at_ms)?;
    insert.raw_bind_parameter(9, &node.time_text)?;
    insert.raw_bind_parameter(10, node.source_line.map(|line| line as i64))?;
    insert.raw_bind_parameter(11, missing)?;
    insert.raw_bind_parameter(12, node.adoptable)?;
    insert.raw_bind_parameter(13, preview(&node.kind, Json::new(&node.payload)))?;
    insert.raw_bind_parameter(14, at)?;
    insert.raw_bind_parameter(15, envelope)?;
    insert.raw_bind_parameter(16, std::mem::take(&mut node.payload))?;
    let inserted = insert.raw_execute();
    insert.clear_bindings();
    inserted?;
    Ok(())
}

/// The parent's key, and its `run_start` where that is known without looking.
fn find_parent(conn: &Connection, run: &Run, id: &str) -> Outcome<Option<(i64, Option<i64>)>> {
    if id.is_empty() {
        return Ok(None);
    }
    if let Some(previous) = run.previous.as_ref().filter(|previous| previous.id == id) {
        return Ok(Some((previous.key, Some(previous.run_start))));
    }
    Ok(key_by_id(conn, run.session_key, id)?.map(|key| (key, None)))
}

const ID_OF: &str = "SELECT id FROM nodes WHERE key = ?1";

fn id_of(conn: &Connection, key: i64) -> Outcome<String> {
    let id: Option<String> = conn
        .prepare_cached(ID_OF)?
        .query_row((key,), |row| row.get(0))?;
    Ok(public_id(id, key).to_string())
}

const SET_LABEL: &str = "
  INSERT INTO labels (session_key, node_id, label, set_by, set_at_ms) VALUES (?1, ?2, ?3, 'file', ?4)
  ON CONFLICT (session_key, node_id)
  DO UPDATE SET label = excluded.label, set_at_ms = excluded.set_at_ms WHERE set_by = 'file'";

const CLEAR_LABEL: &str =
    "DELETE FROM labels WHERE session_key = ?1 AND node_id = ?2 AND set_by = 'file'";

const SET_TITLE: &str = "
  UPDATE sessions SET name = ?2, name_set_by = 'file' WHERE key = ?1 AND name_set_by IS NOT 'api'";

/// Sets what the node says about labels and the title, unless somebody here said something about them.
fn say(conn: &Connection, session_key: i64, node: &ImportNode) -> Outcome<()> {
    match &node.label {
        Some(LabelLine {
            target,
            text: Some(text),
        }) => {
            conn.prepare_cached(SET_LABEL)?.execute((
                session_key,
                target,
                text,
                node.created_at_ms,
            ))?;
        }
        Some(LabelLine { target, text: None }) => {
            conn.prepare_cached(CLEAR_LABEL)?
                .execute((session_key, target))?;
        }
        None => {}
    }
    if let Some(title) = &node.title {
        conn.prepare_cached(SET_TITLE)?
            .execute((session_key, title))?;
    }
    Ok(())
}
