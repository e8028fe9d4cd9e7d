//! The walk from a leaf to its root, as runs of keys.
//!
//! A run is an unbroken range of keys in which each node is the child of the one before, so the walk takes one step a run,
//! not one a node. Damage is found here, before the first message is handed out.

use std::collections::HashSet;

use rusqlite::{Connection, Row};

use crate::db::{
    Fault, Outcome, SEQ_MASK, branch_by_key, branch_by_name, id_by_key, public_id, session_by_key,
    session_of,
};
use crate::model::{Error, ErrorKind, NodeId};

/// An unbroken range of keys, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub first: i64,
    pub last: i64,
}

/// Where a path ends before its root: an ancestor whose declared parent was never written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The node at which the path begins instead of at a root.
    pub node_id: NodeId,
    /// The parent it declared.
    pub missing_parent: String,
}

/// The runs of a path, root first.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathPlan {
    pub runs: Vec<Run>,
    /// Messages in the runs.
    pub messages: u64,
    /// Nodes in the runs, of all kinds.
    pub nodes: u64,
    pub cut: Option<Cut>,
}

/// How much of a path is wanted, counted from its leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    /// All of it. A cut path is an error.
    Whole,
    /// All that there is. A cut path is answered from the cut on.
    FromCut,
    /// The last nodes that hold this many messages; how the path goes on above them is not looked at.
    LastMessages(u64),
}

/// One step a run, leaf first. The rows come as the walk goes, so a window stops it early. UNION ends it on a cycle.
const WALK: &str = "
  WITH RECURSIVE run (first_key, last_key) AS (
    SELECT run_start, key FROM nodes WHERE key = ?1
    UNION
    SELECT above.run_start, above.key
    FROM run
    JOIN nodes AS head ON head.key = run.first_key
    JOIN nodes AS above ON above.key = head.parent_key)
  SELECT
    run.first_key, run.last_key,
    head.key AS head_key, head.id AS head_id, head.parent_key, head.missing_parent,
    last.messages - head.messages + (head.kind = 'message') AS messages
  FROM run
  LEFT JOIN nodes AS last ON last.key = run.last_key
  LEFT JOIN nodes AS head ON head.key = run.first_key";

struct Step {
    run: Run,
    head_id: Option<NodeId>,
    parent_key: Option<i64>,
    missing_parent: Option<String>,
    messages: u64,
}

fn step(row: &Row<'_>) -> rusqlite::Result<Step> {
    let head: Option<i64> = row.get("head_key")?;
    Ok(Step {
        run: Run {
            first: row.get("first_key")?,
            last: row.get("last_key")?,
        },
        head_id: head
            .map(|key| Ok::<_, rusqlite::Error>(public_id(row.get("head_id")?, key)))
            .transpose()?,
        parent_key: row.get("parent_key")?,
        missing_parent: row.get("missing_parent")?,
        messages: row
            .get::<_, Option<i64>>("messages")?
            .and_then(|count| u64::try_from(count).ok())
            .unwrap_or(0),
    })
}

/// The path of a branch (`None`: the active one) and the branch's name. An empty branch has an empty path.
pub(crate) fn plan_branch(
    conn: &Connection,
    session_key: i64,
    branch: Option<&str>,
    window: Window,
) -> Outcome<(PathPlan, String)> {
    let session = session_by_key(conn, session_key)?;
    let row = match branch {
        Some(name) => branch_by_name(conn, session_key, name)?,
        None => branch_by_key(conn, session_key, session.active_branch_key)?,
    };
    let Some(leaf) = row.leaf_key else {
        return Ok((PathPlan::default(), row.name));
    };
    let plan = plan_from(conn, leaf, window, &row.name)?;
    Ok((plan, row.name))
}

/// The path that ends at a node. `branch` is for errors.
pub(crate) fn plan_from(
    conn: &Connection,
    leaf: i64,
    window: Window,
    branch: &str,
) -> Outcome<PathPlan> {
    let mut plan = PathPlan::default();
    let mut seen = HashSet::new();
    let mut missing_above = None;
    let mut statement = conn.prepare_cached(WALK)?;
    let mut rows = statement.query((leaf,))?;
    while let Some(row) = rows.next()? {
        let step = step(row)?;
        let Some(head_id) = step.head_id else {
            return Err(Fault::Ours(broken(branch, step.run.first)));
        };
        if step.run.first > step.run.last || session_of(step.run.first) != session_of(leaf) {
            return Err(Fault::Ours(broken(branch, step.run.last)));
        }
        if !seen.insert(step.run.first) {
            return Err(Fault::Ours(cycle(branch, &head_id)));
        }
        missing_above = step.parent_key;
        plan.cut = step
            .missing_parent
            .filter(|missing| step.parent_key.is_none() && !missing.is_empty())
            .map(|missing_parent| Cut {
                node_id: head_id,
                missing_parent,
            });
        plan.runs.push(step.run);
        plan.nodes += (step.run.last - step.run.first).unsigned_abs() + 1;
        plan.messages += step.messages;
        if let Window::LastMessages(wanted) = window
            && plan.messages >= wanted
        {
            drop(rows);
            plan.cut = None;
            narrow(conn, &mut plan, wanted)?;
            plan.runs.reverse();
            return Ok(plan);
        }
    }
    if plan.runs.is_empty() {
        let text =
            format!("the leaf of branch `{branch}` does not exist; run `session-tree check`");
        return Err(Fault::Ours(Error::damaged(text).with_branch(branch)));
    }
    if let Some(parent) = missing_above {
        // The walk ended below a parent: either its row is gone, or its run was walked before.
        return Err(Fault::Ours(match id_by_key(conn, parent)? {
            Some(id) => cycle(branch, &id),
            None => broken(branch, parent),
        }));
    }
    if let (Window::Whole | Window::LastMessages(_), Some(cut)) = (window, &plan.cut) {
        return Err(Fault::Ours(cut_path(branch, cut)));
    }
    plan.runs.reverse();
    Ok(plan)
}

const MESSAGES_AT: &str = "SELECT messages, kind = 'message' FROM nodes WHERE key = ?1";

/// Cuts the uppermost run so that exactly `wanted` messages are left. `messages` never falls along the keys of a run, so the
/// place is found by bisection.
fn narrow(conn: &Connection, plan: &mut PathPlan, wanted: u64) -> Outcome<()> {
    let Some(top) = plan.runs.last_mut() else {
        return Ok(());
    };
    let surplus = i64::try_from(plan.messages - wanted).unwrap_or(i64::MAX);
    let mut statement = conn.prepare_cached(MESSAGES_AT)?;
    let mut messages_before = |key: i64| -> Outcome<i64> {
        Ok(statement.query_row((key,), |row| {
            Ok(row.get::<_, i64>(0)? - row.get::<_, i64>(1)?)
        })?)
    };
    let base = messages_before(top.first)?;
    let (mut low, mut high) = (top.first, top.last);
    // The highest key with at most `surplus` messages of the run before it: all before it go.
    while low < high {
        let middle = low + (high - low + 1) / 2;
        if messages_before(middle)? - base <= surplus {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    plan.nodes -= (low - top.first).unsigned_abs();
    plan.messages = wanted;
    top.first = low;
    Ok(())
}

fn cycle(branch: &str, node: &NodeId) -> Error {
    Error::damaged(format!(
        "session tree branch `{branch}` contains a cycle at node `{node}`"
    ))
    .with_branch(branch)
    .with_node(node.as_str())
}

fn broken(branch: &str, key: i64) -> Error {
    let text = format!(
        "the path of branch `{branch}` is broken: node number {} of the session is missing or out of place; run `session-tree check`",
        key & SEQ_MASK
    );
    Error::damaged(text).with_branch(branch)
}

fn cut_path(branch: &str, cut: &Cut) -> Error {
    let text = format!(
        "the path of branch `{branch}` is cut at node `{}`: its parent `{}` was never written; ask for the part from there on, or import what holds the parent",
        cut.node_id, cut.missing_parent
    );
    Error::new(ErrorKind::CutPath, text)
        .with_branch(branch)
        .with_node(cut.node_id.as_str())
}
