//! The walk from a leaf to its root, as runs of keys.
//!
//! A run is an unbroken range of keys in which each node is the child of the one before, so the walk takes one step a run,
//! not one a node. Damage is found here, before the first message is handed out, and a window ends the walk early.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row};

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
    /// As many, or all that there are below a cut.
    LastFromCut(u64),
}

impl Window {
    fn most_messages(self) -> Option<u64> {
        match self {
            Window::LastMessages(most) | Window::LastFromCut(most) => Some(most),
            Window::Whole | Window::FromCut => None,
        }
    }

    fn refuses_a_cut(self) -> bool {
        matches!(self, Window::Whole | Window::LastMessages(_))
    }
}

/// The run that ends at a node, and what is above it.
const RUN: &str = "
  SELECT last.run_start, head.key, head.parent_key, head.missing_parent,
    last.messages - head.messages + (head.kind = 'message')
  FROM nodes AS last LEFT JOIN nodes AS head ON head.key = last.run_start
  WHERE last.key = ?1";

struct Step {
    run: Run,
    head_is_there: bool,
    parent_key: Option<i64>,
    missing_parent: Option<String>,
    messages: u64,
}

fn step(row: &Row<'_>, last: i64) -> rusqlite::Result<Step> {
    Ok(Step {
        run: Run {
            first: row.get(0)?,
            last,
        },
        head_is_there: row.get::<_, Option<i64>>(1)?.is_some(),
        parent_key: row.get(2)?,
        missing_parent: row.get(3)?,
        messages: row
            .get::<_, Option<i64>>(4)?
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
    if session_of(leaf) != session_key {
        let text = format!(
            "the leaf of branch `{}` is a node of another session; run `session-tree check`",
            row.name
        );
        return Err(Fault::Ours(Error::damaged(text).with_branch(row.name)));
    }
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
    // Where each run was entered: whoever comes to a run twice walks in a circle.
    let mut entered = HashMap::new();
    let mut statement = conn.prepare_cached(RUN)?;
    let mut above = Some(leaf);
    while let Some(last) = above {
        let found = statement
            .query_row((last,), |row| step(row, last))
            .optional()?;
        let Some(step) = found else {
            return Err(Fault::Ours(if last == leaf {
                no_leaf(branch)
            } else {
                broken(branch, last)
            }));
        };
        let run = step.run;
        let in_place = run.first <= run.last && session_of(run.first) == session_of(leaf);
        if !step.head_is_there || !in_place {
            return Err(Fault::Ours(broken(branch, run.first)));
        }
        if let Some(earlier) = entered.insert(run.first, run.last) {
            let again = id_of(conn, run.last.min(earlier))?;
            return Err(Fault::Ours(cycle(branch, &again)));
        }
        above = step.parent_key;
        if let (None, Some(missing_parent)) = (above, step.missing_parent)
            && !missing_parent.is_empty()
        {
            plan.cut = Some(Cut {
                node_id: id_of(conn, run.first)?,
                missing_parent,
            });
        }
        plan.runs.push(run);
        plan.nodes += (run.last - run.first).unsigned_abs() + 1;
        plan.messages += step.messages;
        if let Some(wanted) = window.most_messages()
            && plan.messages >= wanted
        {
            plan.cut = None;
            narrow(conn, &mut plan, wanted)?;
            plan.runs.reverse();
            return Ok(plan);
        }
    }
    if let Some(cut) = &plan.cut
        && window.refuses_a_cut()
    {
        return Err(Fault::Ours(cut_path(branch, cut)));
    }
    plan.runs.reverse();
    Ok(plan)
}

fn id_of(conn: &Connection, key: i64) -> Outcome<NodeId> {
    Ok(id_by_key(conn, key)?.unwrap_or_else(|| public_id(None, key)))
}

const MESSAGES_AT: &str = "SELECT messages, kind = 'message' FROM nodes WHERE key = ?1";

/// Cuts the uppermost run so that exactly `wanted` messages are left. `messages` grows by one at most from key to key of a
/// run, so the place is `surplus` keys after its start, or later where other kinds lie between: found by doubling steps, then
/// by bisection.
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
    // Looked for: the highest key with at most `surplus` messages of the run before it. All before it go.
    let (mut low, mut high) = (top.last.min(top.first.saturating_add(surplus)), top.last);
    let mut stride = 1;
    while low < high {
        let ahead = low.saturating_add(stride).min(high);
        if messages_before(ahead)? - base > surplus {
            high = ahead - 1;
            break;
        }
        low = ahead;
        stride *= 2;
    }
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

fn no_leaf(branch: &str) -> Error {
    let text = format!("the leaf of branch `{branch}` does not exist; run `session-tree check`");
    Error::damaged(text).with_branch(branch)
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
        "the path of branch `{branch}` is cut at node `{}`: its parent `{}` is not above it; ask for the part from there on (`--allow-cut`), or import what holds the parent",
        cut.node_id, cut.missing_parent
    );
    Error::new(ErrorKind::CutPath, text)
        .with_branch(branch)
        .with_node(cut.node_id.as_str())
}
