//! Labels, summaries and operations of one session.

use rusqlite::Connection;

use super::forest::Forest;
use super::parents::is_there;
use super::report::{Findings, Problem, ProblemCode};
use super::session::{Session, is_object};
use super::text;
use crate::db::{Outcome, SEQ_MASK, first_key, session_of};

pub(super) fn check_rows(
    conn: &Connection,
    session: &Session,
    forest: &Forest,
    findings: &mut Findings,
) -> Outcome<()> {
    check_labels(conn, session, findings)?;
    check_summaries(conn, session, findings)?;
    check_operations(conn, session, forest, findings)
}

const LABELS: &str = "
  SELECT node_id, label, set_by FROM labels WHERE session_key = ?1 ORDER BY node_id";

fn check_labels(conn: &Connection, session: &Session, findings: &mut Findings) -> Outcome<()> {
    let mut statement = conn.prepare_cached(LABELS)?;
    let mut rows = statement.query((session.key,))?;
    while let Some(row) = rows.next()? {
        let (id, label) = (text::lossy(row, "node_id")?, text::optional(row, "label")?);
        text::check(
            row,
            "labels",
            || format!("the row for node `{id}`"),
            findings,
        )?;
        let Some(label) = label else { continue };
        if !is_there(conn, session.key, &id)? {
            let text = format!("the label `{label}` is on node `{id}`, which is not there");
            findings.add(Problem::new(ProblemCode::Label, text).at_node(id));
        }
    }
    Ok(())
}

const SUMMARIES: &str = "
  SELECT summary.key, summary.branch, summary.node_id, summary.summary, summary.model_id, owner.session_key AS owner_key
  FROM summaries AS summary LEFT JOIN branches AS owner ON owner.key = summary.branch_key
  WHERE summary.session_key = ?1 ORDER BY summary.key";

fn check_summaries(conn: &Connection, session: &Session, findings: &mut Findings) -> Outcome<()> {
    let mut statement = conn.prepare_cached(SUMMARIES)?;
    let mut rows = statement.query((session.key,))?;
    while let Some(row) = rows.next()? {
        let (branch, node_id) = (text::lossy(row, "branch")?, text::lossy(row, "node_id")?);
        let key: i64 = row.get("key")?;
        text::check(row, "summaries", || format!("row {key}"), findings)?;
        let owner: Option<i64> = row.get("owner_key")?;
        if owner != Some(session.key) {
            let text =
                format!("a summary of branch `{branch}` belongs to no branch of the session");
            findings.add(Problem::new(ProblemCode::Branch, text).at_branch(&branch));
        }
        // Empty for a branch that had no leaf.
        if !node_id.is_empty() && !is_there(conn, session.key, &node_id)? {
            let text = format!(
                "a summary of branch `{branch}` speaks as of node `{node_id}`, which is not there"
            );
            findings.add(
                Problem::new(ProblemCode::Summary, text)
                    .at_branch(branch)
                    .at_node(node_id),
            );
        }
    }
    Ok(())
}

const OPERATIONS: &str = "
  SELECT operation.key, operation.verb, operation.actor, operation.branch_key, operation.from_key, operation.to_key, operation.high_key, operation.detail,
    owner.session_key AS owner_key
  FROM operations AS operation LEFT JOIN branches AS owner ON owner.key = operation.branch_key
  WHERE operation.session_key = ?1 ORDER BY operation.key";

fn check_operations(
    conn: &Connection,
    session: &Session,
    forest: &Forest,
    findings: &mut Findings,
) -> Outcome<()> {
    let mut statement = conn.prepare_cached(OPERATIONS)?;
    let mut rows = statement.query((session.key,))?;
    while let Some(row) = rows.next()? {
        let (key, verb): (i64, String) = (row.get("key")?, text::lossy(row, "verb")?);
        text::check(row, "operations", || format!("row {key}"), findings)?;
        let detail = text::lossy(row, "detail")?;
        let branch: Option<i64> = row.get("branch_key")?;
        let owner: Option<i64> = row.get("owner_key")?;
        let nodes: [Option<i64>; 2] = [row.get("from_key")?, row.get("to_key")?];
        let high: i64 = row.get("high_key")?;
        // Before its first node a session's highest key is the one before its range.
        let is_own = owner.is_none_or(|owner| owner == session.key)
            && nodes
                .iter()
                .flatten()
                .all(|node| session_of(*node) == session.key)
            && (session_of(high) == session.key || high == first_key(session.key) - 1);
        if !is_own {
            let text =
                format!("operation {key} (`{verb}`) speaks of a node or branch of another session");
            findings.add(Problem::new(ProblemCode::Operation, text));
        } else if nodes
            .iter()
            .flatten()
            .any(|node| !session.may_be_gone(*node) && !forest.contains((node & SEQ_MASK) as u32))
        {
            let text = format!(
                "operation {key} (`{verb}`) speaks of a node that is not there: it cannot be undone; restore the file from a backup"
            );
            findings.add(Problem::new(ProblemCode::Operation, text));
        } else if owner.is_none() && branch.is_some_and(|branch| !session.may_have_been(branch)) {
            let text = format!(
                "operation {key} (`{verb}`) speaks of a branch that never was: it cannot be undone; restore the file from a backup"
            );
            findings.add(Problem::new(ProblemCode::Operation, text));
        }
        if !is_object(&detail) {
            findings.add(Problem::new(
                ProblemCode::Json,
                format!("the detail of operation {key} (`{verb}`) is not a JSON object"),
            ));
        }
    }
    Ok(())
}
