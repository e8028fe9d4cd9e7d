//! Which part of a path is wanted.

use rusqlite::Connection;

use super::family::known;
use super::path::{PathPlan, Run, Window, plan_branch, plan_from};
use crate::db::{Fault, Outcome, branch_by_name, session_by_key};
use crate::model::{Error, Selection};

/// Plans the selected path.
pub(crate) fn select(
    conn: &Connection,
    session_key: i64,
    selection: &Selection,
    window: Window,
) -> Outcome<PathPlan> {
    if selection.last == Some(0) {
        // Nothing is asked for, but a branch or node that is not there is still an error.
        return Ok(match (&selection.leaf, &selection.branch) {
            (Some(leaf), _) => known(conn, session_key, leaf).map(|_| PathPlan::default())?,
            (None, Some(name)) => {
                branch_by_name(conn, session_key, name).map(|_| PathPlan::default())?
            }
            (None, None) => PathPlan::default(),
        });
    }
    let Some(before) = &selection.before else {
        return Ok(end(conn, session_key, selection, window)?.0);
    };
    // The page before a node: the path that ends at its parent. That the node is on the path is checked on the whole walk.
    let (whole, branch) = end(conn, session_key, selection, Window::FromCut)?;
    let key = known(conn, session_key, before)?;
    let Some(at) = whole
        .runs
        .iter()
        .position(|run| (run.first..=run.last).contains(&key))
    else {
        let text =
            format!("the node `{before}` is not on the path; ask for the page before one that is");
        return Err(Fault::Ours(Error::invalid(text).with_node(before.as_str())));
    };
    let above: Option<&Run> = at.checked_sub(1).and_then(|above| whole.runs.get(above));
    let start = whole.runs.get(at).map_or(key, |run| run.first);
    let leaf = if key > start {
        Some(key - 1)
    } else {
        above.map(|run| run.last)
    };
    match leaf {
        Some(leaf) => plan_from(conn, leaf, window, &branch),
        None => Ok(PathPlan::default()),
    }
}

/// The path to the end, and what errors call it.
fn end(
    conn: &Connection,
    session_key: i64,
    selection: &Selection,
    window: Window,
) -> Outcome<(PathPlan, String)> {
    match &selection.leaf {
        Some(leaf) => {
            session_by_key(conn, session_key)?;
            let plan = plan_from(conn, known(conn, session_key, leaf)?, window, leaf)?;
            Ok((plan, leaf.clone()))
        }
        None => plan_branch(conn, session_key, selection.branch.as_deref(), window),
    }
}
