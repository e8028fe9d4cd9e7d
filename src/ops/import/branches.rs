//! The branches of an import: those that go along with the nodes, and those a source names.

use std::collections::VecDeque;

use rusqlite::{Connection, OptionalExtension};

use super::super::Ctx;
use super::super::record::{Operation, record};
use super::super::rewind::is_unnamed;
use super::{Budget, Carrier, Held, Run};
use crate::db::{Fault, Outcome, branch_by_name, key_by_id, public_id};
use crate::model::{Error, ErrorKind};

impl Run {
    /// Notes that a node on the way of a branch is there already: another process writes the same import.
    pub(super) fn pass_by(&mut self, carrier: Option<usize>, key: i64) {
        if let Some(carrier) = carrier.and_then(|place| self.carriers.get_mut(place)) {
            carrier.came_in_at = Some(key);
        }
    }

    /// Notes that a node was written on the way of a branch.
    pub(super) fn go_along(
        &mut self,
        carrier: Option<usize>,
        key: i64,
        parent_key: Option<i64>,
        has_adopted: bool,
    ) {
        let Some((place, carrier)) =
            carrier.and_then(|place| Some((place, self.carriers.get_mut(place)?)))
        else {
            return;
        };
        if carrier.pending.is_none() {
            self.moving.push(place);
        }
        if carrier.came_in_at.is_none() {
            carrier.came_in_at = parent_key;
        }
        carrier.pending = Some(key);
        carrier.has_adopted = has_adopted;
    }
}

/// Puts every branch to the deepest node that was written on its way. Those that are there already go first, so that a new
/// one cannot take their place for one that nobody moves on.
pub(super) fn settle(conn: &Connection, ctx: &Ctx<'_>, run: &mut Run) -> Outcome<()> {
    let mut carriers = std::mem::take(&mut run.carriers);
    let moving = std::mem::take(&mut run.moving);
    for made in [true, false] {
        for place in &moving {
            if let Some(carrier) = carriers.get_mut(*place)
                && carrier.pending.is_some()
                && carrier.branch.is_some() == made
            {
                settle_one(conn, ctx, run, carrier)?;
            }
        }
    }
    run.carriers = carriers;
    Ok(())
}

fn settle_one(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    carrier: &mut Carrier,
) -> Outcome<()> {
    let Some(to) = carrier.pending else {
        return Ok(());
    };
    if !moves_on(conn, ctx, run, carrier, to)? {
        start(conn, ctx, run, carrier, to)?;
    }
    carrier.pending = None;
    for follower in &carrier.followers {
        conn.prepare_cached(MOVE)?.execute((follower, to))?;
    }
    Ok(())
}

const NOW: &str = "SELECT name, leaf_key FROM branches WHERE key = ?1 AND session_key = ?2";
const MOVE: &str = "UPDATE branches SET leaf_key = ?2 WHERE key = ?1";
const DELETE: &str = "DELETE FROM branches WHERE key = ?1";

/// Moves the carrier's branch, if it has one that is still where it was put.
fn moves_on(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    carrier: &mut Carrier,
    to: i64,
) -> Outcome<bool> {
    let Some(held) = carrier.branch else {
        return Ok(false);
    };
    let now = conn
        .prepare_cached(NOW)?
        .query_row((held.key, run.session_key), |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, Option<i64>>(1)?))
        })
        .optional()?;
    let Some((name, from)) = now else {
        carrier.branch = None;
        return Ok(false);
    };
    if from != held.leaf_key && !is_on_the_way(conn, run, carrier, held.key, from)? {
        carrier.branch = None;
        return Ok(false);
    }
    let held = Held {
        leaf_key: from,
        ..held
    };
    if carrier.has_adopted && held.is_ours && !carrier.is_file {
        conn.prepare_cached(DELETE)?.execute((held.key,))?;
        carrier.branch = None;
        run.done.branches.retain(|made| *made != name);
        return Ok(true);
    }
    move_branch(conn, ctx, run, held, to)?;
    if carrier.is_file {
        note_file_move(conn, ctx, run, (held.key, &name), from, to)?;
    }
    carrier.branch = Some(Held {
        leaf_key: Some(to),
        ..held
    });
    Ok(true)
}

/// Whether a branch that is not where this import put it was moved by another import of the same source.
fn is_on_the_way(
    conn: &Connection,
    run: &Run,
    carrier: &Carrier,
    branch_key: i64,
    leaf_key: Option<i64>,
) -> Outcome<bool> {
    if run.hidden {
        return Ok(true);
    }
    Ok(carrier.is_file
        && super::last_import(conn, run.session_key)? == Some((branch_key, leaf_key)))
}

/// Moves a branch; a leaf that would lose its last name gets one first.
pub(super) fn move_branch(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    held: Held,
    to: i64,
) -> Outcome<()> {
    if let Some(old) = held.leaf_key.filter(|old| *old != to) {
        let row = crate::db::branch_by_key(conn, run.session_key, held.key)?;
        if is_unnamed(conn, &row, old)? {
            let id = node_id(conn, old)?;
            insert_leaf_branch(conn, ctx, run, &id, old)?;
        }
    }
    conn.prepare_cached(MOVE)?.execute((held.key, to))?;
    Ok(())
}

/// The moves of the source's branch are the trail by which the next import finds it.
pub(super) fn note_file_move(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    (branch_key, name): (i64, &str),
    from: Option<i64>,
    to: i64,
) -> Outcome<()> {
    run.done.file_branch = Some(name.to_owned());
    if run.hidden {
        return Ok(());
    }
    record(
        conn,
        ctx,
        Operation {
            verb: "import",
            branch_key: Some(branch_key),
            from_key: from,
            to_key: Some(to),
            detail: Some(serde_json::json!({ "branch": name })),
        },
    )
}

/// Gives a carrier its branch: a `leaf-*` one that ends where it came in, or a new one.
fn start(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    carrier: &mut Carrier,
    to: i64,
) -> Outcome<()> {
    let waiting = match carrier.came_in_at {
        Some(parent) => leaf_branch_at(conn, parent)?,
        None => None,
    };
    let held = |key, is_ours| Held {
        key,
        leaf_key: Some(to),
        is_ours,
    };
    if carrier.is_file {
        carrier.followers.extend(waiting);
        let name = import_name(conn, run.session_key)?;
        let key = insert(conn, ctx, run, &name, Some(to))?;
        note_file_move(conn, ctx, run, (key, &name), None, to)?;
        carrier.branch = Some(held(key, true));
    } else if let Some(key) = waiting {
        conn.prepare_cached(MOVE)?.execute((key, to))?;
        carrier.branch = Some(held(key, false));
    } else if !carrier.has_adopted {
        let key = insert_leaf_branch(conn, ctx, run, &carrier.leaf_id, to)?;
        carrier.branch = Some(held(key, true));
    }
    Ok(())
}

const LEAF_BRANCH_AT: &str = "
  SELECT key FROM branches WHERE leaf_key = ?1 AND resting = 1 AND name GLOB 'leaf-*' ORDER BY key LIMIT 1";

fn leaf_branch_at(conn: &Connection, leaf_key: i64) -> Outcome<Option<i64>> {
    Ok(conn
        .prepare_cached(LEAF_BRANCH_AT)?
        .query_row((leaf_key,), |row| row.get(0))
        .optional()?)
}

const INSERT: &str = "
  INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (?1, ?2, ?3, ?4)";
const IS_TAKEN: &str =
    "SELECT EXISTS (SELECT 1 FROM branches WHERE session_key = ?1 AND name = ?2)";

fn insert(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    name: &str,
    leaf_key: Option<i64>,
) -> Outcome<i64> {
    let key = conn
        .prepare_cached(INSERT)?
        .insert((run.session_key, name, leaf_key, ctx.at_ms))?;
    run.done.branches.push(name.to_owned());
    Ok(key)
}

/// Makes `leaf-<id>`. An id may hold what no branch name should; two that then look alike are numbered.
fn insert_leaf_branch(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    id: &str,
    leaf_key: i64,
) -> Outcome<i64> {
    let shown = id.replace(char::is_control, "\u{fffd}");
    let base = format!("leaf-{shown}");
    let (name, _) = super::super::names::lowest_free(conn, run.session_key, &base, 1)?;
    insert(conn, ctx, run, &name, Some(leaf_key))
}

/// The lowest free one of `import-1`, `import-2`, ...
fn import_name(conn: &Connection, session_key: i64) -> Outcome<String> {
    let mut number = 1_u64;
    loop {
        let name = format!("import-{number}");
        let taken: bool = conn
            .prepare_cached(IS_TAKEN)?
            .query_row((session_key, &name), |row| row.get(0))?;
        if !taken {
            return Ok(name);
        }
        number += 1;
    }
}

const ID_OF: &str = "SELECT id FROM nodes WHERE key = ?1";

fn node_id(conn: &Connection, key: i64) -> Outcome<String> {
    let id: Option<String> = conn
        .prepare_cached(ID_OF)?
        .query_row((key,), |row| row.get(0))?;
    Ok(public_id(id, key).to_string())
}

/// A branch as the source names it.
#[derive(Debug)]
pub(crate) struct BranchToMake {
    pub name: String,
    /// The id of the node where it ends.
    pub leaf: Option<String>,
    pub created_at_ms: i64,
    pub summary: Option<SummaryToMake>,
    /// The source has it; else it was added for a node that no branch of the source ends at.
    pub is_of_source: bool,
}

#[derive(Debug)]
pub(crate) struct SummaryToMake {
    pub summary: String,
    pub node_id: String,
    pub branch: String,
    pub model_id: Option<String>,
    pub created_at_ms: i64,
}

const INSERT_SUMMARY: &str = "
  INSERT INTO summaries (session_key, branch_key, branch, node_id, summary, model_id, created_at_ms)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

/// Makes the branches that a source names, until the transaction has run long enough; the rest stays in the queue. `false`:
/// another process has finished the same import.
pub(crate) fn write_branches(
    conn: &Connection,
    ctx: &Ctx<'_>,
    run: &mut Run,
    queue: &mut VecDeque<BranchToMake>,
) -> Outcome<bool> {
    if !super::nodes::enter(conn, ctx, run)? {
        return Ok(false);
    }
    let mut budget = Budget::start();
    while let Some(branch) = queue.pop_front() {
        let made = branch_by_name(conn, run.session_key, &branch.name);
        if let Err(Fault::Ours(error)) = &made
            && error.kind() == ErrorKind::BranchNotFound
        {
            make_branch(conn, run, &branch)?;
        } else {
            made?;
        }
        if !branch.is_of_source {
            run.done.branches.push(branch.name);
        }
        budget.spend(branch.summary.map_or(0, |summary| summary.summary.len()));
        if budget.is_spent() {
            break;
        }
    }
    Ok(true)
}

fn make_branch(conn: &Connection, run: &Run, branch: &BranchToMake) -> Outcome<()> {
    let leaf_key = match &branch.leaf {
        Some(id) => Some(
            key_by_id(conn, run.session_key, id)?
                .ok_or_else(|| Error::node_not_found(id).with_branch(branch.name.as_str()))?,
        ),
        None => None,
    };
    let key = conn.prepare_cached(INSERT)?.insert((
        run.session_key,
        &branch.name,
        leaf_key,
        branch.created_at_ms,
    ))?;
    if let Some(summary) = &branch.summary {
        conn.prepare_cached(INSERT_SUMMARY)?.execute((
            run.session_key,
            key,
            &summary.branch,
            &summary.node_id,
            &summary.summary,
            &summary.model_id,
            summary.created_at_ms,
        ))?;
    }
    Ok(())
}
