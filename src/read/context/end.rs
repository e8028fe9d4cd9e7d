//! The end of a context, or what stands before one of its messages, at the cost of that and not of the path above.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::Connection;

use super::emit::{edit_of, edited, said};
use super::from;
use crate::db::{Db, Outcome};
use crate::model::{Message, NodeId, Result, Selection};
use crate::read::family::known;
use crate::read::path::{Cut, Window};
use crate::read::projection::{NODES, PathNodes, path_node};
use crate::read::select::select;

/// The last messages of a context, or of the part of it before a message.
#[derive(Debug, Default)]
pub(crate) struct ContextEnd {
    pub messages: Vec<(NodeId, Message)>,
    /// Where the path was cut, if the messages begin there.
    pub cut: Option<Cut>,
}

/// The least that is read at once.
const LEAST: u64 = 16;

/// The last `wanted` messages of the context of the active branch, or of those before the message of a node. `None` where the
/// nodes they come from do not settle them: a compaction above or below decides, or an edit below.
pub(crate) fn context_end(
    db: &Arc<Db>,
    session_key: i64,
    before: Option<&str>,
    wanted: u64,
) -> Result<Option<ContextEnd>> {
    if let Some(before) = before
        && db.read(|tx| is_decided_below(tx, session_key, before))?
    {
        return Ok(None);
    }
    let most = usize::try_from(wanted).unwrap_or(usize::MAX);
    // One more than is wanted: if that is not there, the messages begin where the path does.
    let mut window = wanted.saturating_add(1).max(LEAST);
    loop {
        let selection = Selection {
            before: before.map(str::to_owned),
            allow_cut: true,
            ..Selection::default()
        };
        let plan =
            db.read(|tx| select(tx, session_key, &selection, Window::LastFromCut(window)))?;
        let (is_all, cut) = (plan.messages < window, plan.cut.clone());
        let mut messages = Vec::new();
        let mut edits = HashMap::new();
        for node in PathNodes::new(Arc::clone(db), plan) {
            let node = node?;
            if node.kind == "compaction" {
                return Ok(None);
            }
            match edit_of(&node) {
                Some((target, edit)) => drop(edits.insert(target, edit)),
                None => messages.extend(said(&node)),
            }
        }
        if !edits.is_empty() {
            messages = edited(messages, &edits);
        }
        if messages.len() >= most || is_all {
            let surplus = messages.len().saturating_sub(most);
            messages.drain(..surplus);
            let cut = cut.filter(|_| is_all && surplus == 0);
            return Ok(Some(ContextEnd { messages, cut }));
        }
        window = window.saturating_mul(4);
    }
}

const DECIDES: &str = "
  SELECT EXISTS (SELECT 1 FROM nodes WHERE key BETWEEN ?1 AND ?2 AND kind IN ('compaction', 'context_edit'))";

/// Whether what comes after a node of the active path, itself included, may change what stands before it. So it is said of one
/// that says nothing to a model, too.
fn is_decided_below(conn: &Connection, session_key: i64, before: &str) -> Outcome<bool> {
    let key = known(conn, session_key, before)?;
    let node = conn
        .prepare_cached(NODES)?
        .query_row((key, key), path_node)?;
    if said(&node).is_none() {
        return Ok(true);
    }
    let path = select(conn, session_key, &Selection::default(), Window::FromCut)?;
    let mut decides = conn.prepare_cached(DECIDES)?;
    for run in from(&path, Some(key)).runs {
        if decides.query_row((run.first, run.last), |row| row.get(0))? {
            return Ok(true);
        }
    }
    Ok(false)
}
