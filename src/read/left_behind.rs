//! What a navigation leaves behind, and its text for a summariser.

use std::sync::Arc;

use rusqlite::Connection;

use super::family::common_key;
use super::path::{PathPlan, Run, Window, plan_from};
use super::projection::{PathNode, PathNodes};
use crate::db::{Db, Outcome};
use crate::model::{MESSAGE, Result, content_text};

/// The path from below the deepest common ancestor of both nodes down to `leaf`. The ancestor itself stays in sight, so it
/// is not part of it.
pub(crate) fn left_behind(
    conn: &Connection,
    branch: &str,
    leaf: i64,
    target: i64,
) -> Outcome<PathPlan> {
    let old = plan_from(conn, leaf, Window::FromCut, branch)?;
    let new = plan_from(conn, target, Window::FromCut, branch)?;
    let Some(ancestor) = common_key(&old, &new) else {
        return Ok(old);
    };
    let shared = |run: &Run| (run.first..=run.last).contains(&ancestor);
    let above = old.runs.iter().position(shared).unwrap_or(0);
    let runs: Vec<Run> = old
        .runs
        .iter()
        .skip(above)
        .map(|run| Run {
            first: if shared(run) { ancestor + 1 } else { run.first },
            last: run.last,
        })
        .filter(|run| run.first <= run.last)
        .collect();
    Ok(PathPlan {
        nodes: runs
            .iter()
            .map(|run| (run.last - run.first).unsigned_abs() + 1)
            .sum(),
        runs,
        ..PathPlan::default()
    })
}

/// The text of what yields a message for a model, one line each as `role: content`; `None` where nothing does. The results
/// of tools are left out: they are long, and what mattered in them is in the answers.
pub(crate) fn text_left_behind(db: &Arc<Db>, plan: PathPlan) -> Result<Option<String>> {
    let mut text = None;
    for node in PathNodes::new(Arc::clone(db), plan) {
        if let Some((role, content)) = said(&node?) {
            let text = text.get_or_insert_with(String::new);
            text.push_str(&role);
            text.push_str(": ");
            text.push_str(&content);
            text.push('\n');
        }
    }
    Ok(text)
}

fn said(node: &PathNode) -> Option<(String, String)> {
    let json = node.message.json();
    let string = |name: &str| {
        json.get(name)
            .and_then(|value| value.as_str())
            .unwrap_or_default()
            .into_owned()
    };
    match node.kind.as_str() {
        MESSAGE => {
            let role = node.role.clone().unwrap_or_default();
            let content = match role.as_str() {
                "toolResult" | "tool" => return None,
                "bashExecution" => format!("{}\n{}", string("command"), string("output")),
                _ => content_text(json),
            };
            Some((role, content))
        }
        "custom_message" => Some((String::from("custom"), content_text(json))),
        "branch_summary" => Some((String::from("branch summary"), string("summary"))),
        "compaction" => Some((String::from("summary"), string("summary"))),
        _ => None,
    }
}
