//! Appending: one new node under a branch's leaf, and the leaf on it.

mod all;
mod tip;

use rusqlite::{Connection, OptionalExtension, Row};

use super::guard::{Permit, Pin, admit, leaf_moved};
use super::record::{Operation, record, valid_time};
use super::{Ctx, adopt, label};
use crate::db::{ExecuteOne, Fault, Outcome, SEQ_MASK, first_key, key_by_id, last_key, public_id};
use crate::model::json::Json;
use crate::model::preview::js_whitespace;
use crate::model::{
    Error, ErrorKind, Expecting, MESSAGE, NewNode, NodeId, counted, is_counted, random_hex,
    role_and_preview,
};

pub(crate) use all::append_all;
pub(crate) use tip::{Tip, append_at, goes_on};

/// Where the node goes: everything that must be known, in one statement. `messages` beside max(key) is that row's.
const PLAN: &str = "
  SELECT
    session.id_style, session.next_id, session.high_seq,
    branch.key, branch.name, branch.leaf_key,
    leaf.id, leaf.key, leaf.run_start,
    latest.key, latest.messages,
    EXISTS (SELECT 1 FROM guards WHERE session_key = session.key AND kind IS NOT NULL)
  FROM (SELECT max(key) AS key, messages FROM nodes WHERE key BETWEEN ?3 AND ?4) AS latest
  JOIN sessions AS session ON session.key = ?1 AND session.state = 'live'
  LEFT JOIN branches AS branch ON branch.key = CASE
    WHEN ?2 IS NULL THEN session.active_branch_key
    ELSE (SELECT key FROM branches WHERE session_key = ?1 AND name = ?2) END
  LEFT JOIN nodes AS leaf ON leaf.key = branch.leaf_key";

struct Plan {
    id_style: String,
    next_id: Option<String>,
    high_seq: i64,
    branch_key: i64,
    branch: String,
    leaf_key: Option<i64>,
    leaf_id: Option<NodeId>,
    run_start: Option<i64>,
    latest_key: Option<i64>,
    messages: i64,
    is_guarded: bool,
}

fn plan(conn: &Connection, session_key: i64, branch: Option<&str>) -> Outcome<Plan> {
    // By place, not by name: this runs for every append, and a name is looked for among all the columns.
    let read = |row: &Row<'_>| -> rusqlite::Result<Option<Plan>> {
        let (Some(branch_key), Some(branch)) = (row.get(3)?, row.get(4)?) else {
            return Ok(None);
        };
        let leaf_key: Option<i64> = row.get(5)?;
        let found: Option<i64> = row.get(7)?;
        Ok(Some(Plan {
            id_style: row.get(0)?,
            next_id: row.get(1)?,
            high_seq: row.get(2)?,
            branch_key,
            branch,
            leaf_key,
            leaf_id: found
                .map(|key| Ok::<_, rusqlite::Error>(public_id(row.get(6)?, key)))
                .transpose()?,
            run_start: row.get(8)?,
            latest_key: row.get(9)?,
            messages: row.get::<_, Option<i64>>(10)?.unwrap_or(0),
            is_guarded: row.get(11)?,
        }))
    };
    let found = conn
        .prepare_cached(PLAN)?
        .query_row(
            (
                session_key,
                branch,
                first_key(session_key),
                last_key(session_key),
            ),
            read,
        )
        .optional()?;
    let plan = match (found, branch) {
        (None, _) => {
            return Err(Fault::Ours(Error::new(
                ErrorKind::SessionNotFound,
                "the session was deleted",
            )));
        }
        (Some(None), Some(name)) => return Err(Fault::Ours(Error::branch_not_found(name))),
        (Some(None), None) => {
            return Err(Fault::Ours(Error::damaged(
                "the session has no active branch; run `session-tree check`",
            )));
        }
        (Some(Some(plan)), _) => plan,
    };
    if plan.leaf_key.is_some() && plan.leaf_id.is_none() {
        let text = format!(
            "the leaf of branch `{}` does not exist; run `session-tree check`",
            plan.branch
        );
        return Err(Fault::Ours(Error::damaged(text).with_branch(plan.branch)));
    }
    Ok(plan)
}

const INSERT: &str = "
  INSERT INTO nodes (key, id, parent_key, run_start, branch_key, messages, kind, role, created_at_ms, preview, payload)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// Where a node goes, and its bookkeeping.
struct NodeRow<'a> {
    key: i64,
    id: Option<&'a str>,
    parent_key: Option<i64>,
    run_start: i64,
    branch_key: i64,
    messages: i64,
    at_ms: i64,
}

fn insert(conn: &Connection, row: &NodeRow<'_>, node: &NewNode) -> Outcome<()> {
    let (role, preview) = role_and_preview(&node.kind, node.payload.json());
    conn.prepare_cached(INSERT)?.execute_one((
        row.key,
        row.id,
        row.parent_key,
        row.run_start,
        row.branch_key,
        row.messages,
        node.kind.as_str(),
        role,
        row.at_ms,
        preview,
        node.payload.as_str(),
    ))
}

const MOVE_LEAF: &str = "UPDATE branches SET leaf_key = ?2 WHERE key = ?1";

/// A node that is in the tree now.
#[derive(Clone, Debug)]
pub(crate) struct Appended {
    pub id: NodeId,
    /// The branch it is on, and the node as its leaf; `None` where the node was there already.
    pub moved: Option<Pin>,
    /// Where the next append goes on, if nothing comes in between.
    pub tip: Option<Tip>,
}

/// Appends one node and moves the branch's leaf to it.
pub(crate) fn append(conn: &Connection, ctx: &Ctx<'_>, node: &NewNode) -> Outcome<Appended> {
    let plan = plan(conn, ctx.session_key, node.branch.as_deref())?;
    if let Some(id) = &node.id
        && let Some(known) = same_node(conn, ctx, &plan, node, id)?
    {
        return Ok(Appended {
            id: known,
            moved: None,
            tip: None,
        });
    }
    if plan.is_guarded || ctx.permit != Permit::Free {
        admit(conn, ctx)?;
    }
    expected(conn, ctx, &plan, &node.expecting)?;
    if node.kind.is_empty() {
        return Err(Fault::Ours(Error::invalid(
            "a node needs a kind of at least one character",
        )));
    }
    if let Some(given) = node.created_at_ms {
        valid_time(given)?;
    }
    let at_ms = node.created_at_ms.unwrap_or(ctx.at_ms);
    let key = next_key(ctx.session_key, &plan)?;
    let id = new_id(conn, ctx, &plan, node.id.as_deref())?;
    let payload = node.payload.json();
    let run_start = match (plan.leaf_key, plan.run_start) {
        (Some(leaf), Some(run_start)) if leaf == key - 1 => run_start,
        _ => key,
    };
    let messages = plan
        .messages
        .saturating_add(i64::from(node.kind == MESSAGE));
    let row = NodeRow {
        key,
        id: id.as_deref(),
        parent_key: plan.leaf_key,
        run_start,
        branch_key: plan.branch_key,
        messages,
        at_ms,
    };
    insert(conn, &row, node)?;
    conn.prepare_cached(MOVE_LEAF)?
        .execute_one((plan.branch_key, key))?;
    if let Some(id) = &id {
        adopt::adopt_waiting(conn, ctx, key, id)?;
    }
    follow(conn, ctx, &node.kind, payload, at_ms)?;
    let is_tip = plan.id_style == "seq" && node.branch.is_none();
    Ok(Appended {
        tip: is_tip.then_some(Tip {
            branch_key: plan.branch_key,
            leaf_key: key,
            run_start,
            messages,
        }),
        id: public_id(id, key),
        moved: Some(Pin {
            branch_key: plan.branch_key,
            leaf_key: Some(key),
        }),
    })
}

/// Nodes of kind label and session_info also set what they say.
fn follow(
    conn: &Connection,
    ctx: &Ctx<'_>,
    kind: &str,
    payload: Json<'_>,
    at_ms: i64,
) -> Outcome<()> {
    match kind {
        "label" => {
            let Some(target) = payload.get("targetId").and_then(|target| target.as_str()) else {
                return Ok(());
            };
            let text = payload
                .get("label")
                .and_then(|label| label.as_str())
                .filter(|label| !label.is_empty());
            label::set_row(conn, ctx.session_key, &target, text.as_deref(), at_ms)
        }
        "session_info" => {
            let name = payload
                .get("name")
                .and_then(|name| name.as_str())
                .unwrap_or_default();
            super::rename::set_row(
                conn,
                ctx.session_key,
                Some(name.trim_matches(js_whitespace)).filter(|name| !name.is_empty()),
            )
        }
        _ => Ok(()),
    }
}

const SAME: &str = "SELECT id, parent_key, branch_key, kind, payload FROM nodes WHERE key = ?1";

/// The node that has this id already, if it is the very node that is being appended.
fn same_node(
    conn: &Connection,
    ctx: &Ctx<'_>,
    plan: &Plan,
    node: &NewNode,
    id: &str,
) -> Outcome<Option<NodeId>> {
    let Some(key) = key_by_id(conn, ctx.session_key, id)? else {
        return Ok(None);
    };
    let (same, parent_key) = conn.prepare_cached(SAME)?.query_row((key,), |row| {
        let same = row.get_ref("kind")?.as_str() == Ok(node.kind.as_str())
            && row.get_ref("payload")?.as_str() == Ok(node.payload.as_str())
            && row.get::<_, Option<i64>>("branch_key")? == Some(plan.branch_key);
        Ok((same, row.get::<_, Option<i64>>("parent_key")?))
    })?;
    let parent_fits = match &node.expecting {
        Expecting::Any => true,
        Expecting::Empty => parent_key.is_none(),
        Expecting::Leaf(leaf) => {
            parent_key.is_some() && parent_key == key_by_id(conn, ctx.session_key, leaf)?
        }
    };
    if same && parent_fits {
        return Ok(Some(NodeId::from(id)));
    }
    let text = format!("the node id `{id}` is taken by another node; give a new id, or none");
    Err(Fault::Ours(
        Error::new(ErrorKind::IdTaken, text).with_node(id),
    ))
}

fn expected(conn: &Connection, ctx: &Ctx<'_>, plan: &Plan, expecting: &Expecting) -> Outcome<()> {
    let fits = match expecting {
        Expecting::Any => true,
        Expecting::Empty => plan.leaf_id.is_none(),
        Expecting::Leaf(leaf) => plan.leaf_id.as_deref() == Some(leaf.as_str()),
    };
    if fits {
        Ok(())
    } else {
        let now = Pin {
            branch_key: plan.branch_key,
            leaf_key: plan.leaf_key,
        };
        let error = leaf_moved(conn, ctx, now, &plan.branch, plan.leaf_id.as_ref())?;
        Err(Fault::Ours(error))
    }
}

fn next_key(session_key: i64, plan: &Plan) -> Outcome<i64> {
    let highest = plan
        .latest_key
        .unwrap_or(0)
        .max(first_key(session_key) + plan.high_seq);
    if highest >= last_key(session_key) {
        return Err(Fault::Ours(Error::new(
            ErrorKind::TooLarge,
            format!(
                "the session holds {} nodes and can hold no more; fork it",
                SEQ_MASK + 1
            ),
        )));
    }
    Ok(highest + 1)
}

const SET_NEXT_ID: &str = "UPDATE sessions SET next_id = ?2 WHERE key = ?1";
const BECOME_COUNTER: &str =
    "UPDATE sessions SET id_style = 'counter', next_id = ?2 WHERE key = ?1";

/// The explicit id of the new node, or `None` where its id follows from its key.
fn new_id(
    conn: &Connection,
    ctx: &Ctx<'_>,
    plan: &Plan,
    given: Option<&str>,
) -> Outcome<Option<String>> {
    let session_key = ctx.session_key;
    match (given, plan.id_style.as_str()) {
        (Some(""), _) => Err(Fault::Ours(Error::invalid(
            "a node id needs at least one character",
        ))),
        (Some(id), "seq") if is_counted(id) => {
            if plan.latest_key.is_some() || plan.high_seq >= 0 {
                return Err(Fault::Ours(
                    Error::invalid(format!("the id `{id}` has the form that this session makes itself; give another id, or none"))
                        .with_node(id),
                ));
            }
            let next = counted(id)
                .map_or(Some(0), |number| number.checked_add(1))
                .unwrap_or(0);
            conn.prepare_cached(BECOME_COUNTER)?
                .execute((session_key, next.to_string()))?;
            Ok(Some(id.to_owned()))
        }
        (Some(id), _) => Ok(Some(id.to_owned())),
        (None, "seq") => Ok(None),
        (None, "counter") => {
            let (id, next) = next_counted(conn, session_key, plan.next_id.as_deref())?;
            conn.prepare_cached(SET_NEXT_ID)?
                .execute((session_key, next))?;
            Ok(Some(id))
        }
        (None, _) => fresh_hex(conn, session_key).map(Some),
    }
}

/// The next free `n<decimal>` of a session that counts its ids itself, and the number after it.
fn next_counted(
    conn: &Connection,
    session_key: i64,
    next_id: Option<&str>,
) -> Outcome<(String, String)> {
    let mut number: u64 = next_id.and_then(|next| next.parse().ok()).ok_or_else(|| {
        Error::damaged("the session's next id is not a number; run `session-tree check`")
    })?;
    loop {
        let id = format!("n{number}");
        let free = key_by_id(conn, session_key, &id)?.is_none();
        number = number.checked_add(1).ok_or_else(|| {
            Error::new(
                ErrorKind::TooLarge,
                "the session's ids are used up; give ids yourself, or fork it",
            )
        })?;
        if free {
            return Ok((id, number.to_string()));
        }
    }
}

/// 8 random hex digits that no node of the session has, as pi makes them; a whole UUID when luck is against it.
fn fresh_hex(conn: &Connection, session_key: i64) -> Outcome<String> {
    for _ in 0..100 {
        let id = random_hex();
        if key_by_id(conn, session_key, &id)?.is_none() {
            return Ok(id);
        }
    }
    Ok(uuid::Uuid::new_v4().to_string())
}

pub(super) fn note_adoption(
    conn: &Connection,
    ctx: &Ctx<'_>,
    orphan_key: i64,
    parent_key: i64,
) -> Outcome<()> {
    record(
        conn,
        ctx,
        Operation {
            verb: "adopt",
            from_key: Some(parent_key),
            to_key: Some(orphan_key),
            ..Operation::default()
        },
    )
}
