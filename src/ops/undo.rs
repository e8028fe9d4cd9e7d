//! Undo and redo of moves: the leaf and the active branch go back, and every name and node stays.

use rusqlite::{Connection, OptionalExtension, Row};

use super::Ctx;
use super::branch::SET_ACTIVE;
use super::guard::{admit, leaf_moved, place_of, switched};
use super::record::{Operation, record};
use super::rewind::{KeepOld, move_leaf};
use crate::db::{Fault, Outcome, branch_by_key, branch_by_name, session_by_key};
use crate::model::NodeId;
use crate::model::json::Json;

/// A move as its operation recorded it.
struct Move {
    key: i64,
    verb: String,
    branch_key: i64,
    from_key: Option<i64>,
    to_key: Option<i64>,
    detail: String,
}

/// Newest first, with what was undone and redone. A branch that was made without switching to it moved nothing.
const MOVES: &str = "
  SELECT key, verb, branch_key, from_key, to_key, detail, json_extract(detail, '$.of') AS of
  FROM operations
  WHERE session_key = ?1 AND (verb IN ('rewind', 'switch', 'navigate', 'undo', 'redo')
    OR (verb = 'branch' AND json_extract(detail, '$.switched')))
  ORDER BY key DESC";

fn read_move(row: &Row<'_>) -> rusqlite::Result<(Move, Option<i64>)> {
    let found = Move {
        key: row.get("key")?,
        verb: row.get("verb")?,
        branch_key: row.get::<_, Option<i64>>("branch_key")?.unwrap_or(0),
        from_key: row.get("from_key")?,
        to_key: row.get("to_key")?,
        detail: row.get("detail")?,
    };
    Ok((found, row.get("of")?))
}

/// The newest move that stands.
fn to_undo(conn: &Connection, session_key: i64) -> Outcome<Option<Move>> {
    let mut undone = std::collections::HashMap::new();
    let mut statement = conn.prepare_cached(MOVES)?;
    let mut rows = statement.query((session_key,))?;
    while let Some(row) = rows.next()? {
        let (found, of) = read_move(row)?;
        match of {
            // The newest word on a move counts.
            Some(of) => {
                undone.entry(of).or_insert(found.verb == "undo");
            }
            None if undone.get(&found.key) != Some(&true) => return Ok(Some(found)),
            None => {}
        }
    }
    Ok(None)
}

const MOVE: &str = "
  SELECT key, verb, branch_key, from_key, to_key, detail, NULL AS of FROM operations WHERE key = ?1";

/// The move that was undone last, if nothing was moved since.
fn to_redo(conn: &Connection, session_key: i64) -> Outcome<Option<Move>> {
    let mut redone = std::collections::HashSet::new();
    let mut statement = conn.prepare_cached(MOVES)?;
    let mut rows = statement.query((session_key,))?;
    while let Some(row) = rows.next()? {
        let (found, of) = read_move(row)?;
        match (of, found.verb.as_str()) {
            (Some(of), "redo") => {
                redone.insert(of);
            }
            (Some(of), _) if redone.contains(&of) => {}
            (Some(of), _) => {
                let found = conn
                    .prepare_cached(MOVE)?
                    .query_row((of,), read_move)
                    .optional()?;
                return Ok(found.map(|(found, _)| found));
            }
            (None, _) => return Ok(None),
        }
    }
    Ok(None)
}

/// What was undone or redone, and where the session is now.
#[derive(Debug)]
pub(crate) struct Undone {
    pub verb: String,
    pub branch: String,
    pub leaf: Option<NodeId>,
}

impl Undone {
    /// Whether it changed which branch is active.
    pub fn switches(&self) -> bool {
        is_switch(&self.verb)
    }
}

/// Takes the newest move back. `None` where there is none.
pub(crate) fn undo(conn: &Connection, ctx: &Ctx<'_>) -> Outcome<Option<Undone>> {
    admit(conn, ctx)?;
    let session = session_by_key(conn, ctx.session_key)?;
    let Some(made) = to_undo(conn, session.key)? else {
        return Ok(None);
    };
    still_at(conn, ctx, &made, "undone", made.to_key)?;
    let mut names = created(&made);
    if switches(&made) {
        on_branch(conn, ctx, made.branch_key)?;
        let back = branch_by_name(conn, session.key, &text(&made, "from_branch"))?;
        conn.prepare_cached(SET_ACTIVE)?
            .execute((session.key, back.key))?;
        note(
            conn,
            ctx,
            "undo",
            &made,
            back.key,
            made.to_key,
            back.leaf_key,
        )?;
    } else {
        let branch = branch_by_key(conn, session.key, made.branch_key)?;
        let kept = move_leaf(conn, ctx, &branch, made.from_key, KeepOld::IfUnnamed)?;
        names.extend(kept);
        note(
            conn,
            ctx,
            "undo",
            &made,
            branch.key,
            made.to_key,
            made.from_key,
        )?;
    }
    for name in &names {
        archive(conn, session.key, name, &made, ctx.at_ms)?;
    }
    done(conn, session.key, &made).map(Some)
}

/// Makes the move again that was undone last. `None` where there is none, or something was moved since.
pub(crate) fn redo(conn: &Connection, ctx: &Ctx<'_>) -> Outcome<Option<Undone>> {
    admit(conn, ctx)?;
    let session = session_by_key(conn, ctx.session_key)?;
    let Some(made) = to_redo(conn, session.key)? else {
        return Ok(None);
    };
    let branch = branch_by_key(conn, session.key, made.branch_key)?;
    if switches(&made) {
        let from = branch_by_name(conn, session.key, &text(&made, "from_branch"))?;
        on_branch(conn, ctx, from.key)?;
        still_at(conn, ctx, &made, "made again", made.to_key)?;
        conn.prepare_cached(SET_ACTIVE)?
            .execute((session.key, branch.key))?;
    } else {
        still_at(conn, ctx, &made, "made again", made.from_key)?;
        move_leaf(conn, ctx, &branch, made.to_key, KeepOld::IfUnnamed)?;
    }
    note(
        conn,
        ctx,
        "redo",
        &made,
        branch.key,
        made.from_key,
        made.to_key,
    )?;
    for name in created(&made) {
        bring_back(conn, session.key, &name)?;
    }
    done(conn, session.key, &made).map(Some)
}

fn switches(made: &Move) -> bool {
    is_switch(&made.verb)
}

fn is_switch(verb: &str) -> bool {
    matches!(verb, "switch" | "branch")
}

fn text(made: &Move, name: &str) -> String {
    let value = Json::new(&made.detail).get(name);
    value
        .and_then(|value| value.as_str())
        .unwrap_or_default()
        .into_owned()
}

/// The name the move gave to a branch that it made.
fn created(made: &Move) -> Vec<String> {
    let name = match made.verb.as_str() {
        "branch" => text(made, "branch"),
        _ => text(made, "preserved"),
    };
    if name.is_empty() {
        Vec::new()
    } else {
        vec![name]
    }
}

/// The branch of a move must still end where the move, or its undoing, left it.
fn still_at(
    conn: &Connection,
    ctx: &Ctx<'_>,
    made: &Move,
    what: &str,
    leaf_key: Option<i64>,
) -> Outcome<()> {
    let now = place_of(conn, ctx.session_key, Some(made.branch_key))?;
    if now.pin.leaf_key == leaf_key {
        return Ok(());
    }
    let moved = leaf_moved(conn, ctx, now.pin, &now.branch, now.leaf.as_ref())?;
    let (verb, branch) = (&made.verb, &now.branch);
    let place = now.leaf.as_ref().map_or_else(
        || "is empty now".to_owned(),
        |leaf| format!("ends at `{leaf}` now"),
    );
    Err(Fault::Ours(moved.saying(format!(
        "the newest {verb} cannot be {what}: branch `{branch}` has moved since and {place}; rewind to the node you want"
    ))))
}

/// The session must still be on the branch that it was on.
fn on_branch(conn: &Connection, ctx: &Ctx<'_>, branch_key: i64) -> Outcome<()> {
    let now = place_of(conn, ctx.session_key, None)?;
    if now.pin.branch_key == branch_key {
        return Ok(());
    }
    Err(Fault::Ours(switched(&now.branch)))
}

fn note(
    conn: &Connection,
    ctx: &Ctx<'_>,
    verb: &str,
    made: &Move,
    branch_key: i64,
    from_key: Option<i64>,
    to_key: Option<i64>,
) -> Outcome<()> {
    record(
        conn,
        ctx,
        Operation {
            verb,
            branch_key: Some(branch_key),
            from_key,
            to_key,
            detail: Some(serde_json::json!({ "of": made.key, "verb": made.verb })),
        },
    )
}

/// A name under which somebody has gone on since stays in sight.
const ARCHIVE: &str = "
  UPDATE branches SET archived_at_ms = ?3
  WHERE session_key = ?1 AND name = ?2 AND (leaf_key IS ?4 OR leaf_key IS ?5)";

fn archive(conn: &Connection, session_key: i64, name: &str, made: &Move, at: i64) -> Outcome<()> {
    conn.prepare_cached(ARCHIVE)?
        .execute((session_key, name, at, made.from_key, made.to_key))?;
    Ok(())
}

const BRING_BACK: &str = "
  UPDATE branches SET archived_at_ms = NULL WHERE session_key = ?1 AND name = ?2";

fn bring_back(conn: &Connection, session_key: i64, name: &str) -> Outcome<()> {
    conn.prepare_cached(BRING_BACK)?
        .execute((session_key, name))?;
    Ok(())
}

fn done(conn: &Connection, session_key: i64, made: &Move) -> Outcome<Undone> {
    let place = place_of(conn, session_key, None)?;
    Ok(Undone {
        verb: made.verb.clone(),
        branch: place.branch,
        leaf: place.leaf,
    })
}
