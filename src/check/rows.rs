//! Labels, summaries and operations of one session.

use rusqlite::Connection;

use super::parents::is_there;
use super::report::{Findings, Problem, ProblemCode};
use super::session::{Session, is_object};
use crate::db::{Outcome, first_key, session_of};

pub(super) fn check_rows(
    conn: &Connection,
    session: &Session,
    findings: &mut Findings,
) -> Outcome<()> {
    check_labels(conn, session, findings)?;
    check_summaries(conn, session, findings)?;
    check_operations(conn, session, findings)
}

const LABELS: &str = "
  SELECT node_id, label FROM labels WHERE session_key = ?1 AND label IS NOT NULL ORDER BY node_id";

fn check_labels(conn: &Connection, session: &Session, findings: &mut Findings) -> Outcome<()> {
    let mut statement = conn.prepare_cached(LABELS)?;
    let mut rows = statement.query((session.key,))?;
    while let Some(row) = rows.next()? {
        let (id, label): (String, String) = (row.get("node_id")?, row.get("label")?);
        if !is_there(conn, session.key, &id)? {
            let text = format!("the label `{label}` is on node `{id}`, which is not there");
            findings.add(Problem::new(ProblemCode::Label, text).at_node(id));
        }
    }
    Ok(())
}

const SUMMARIES: &str = "
  SELECT summary.branch, summary.node_id, owner.session_key AS owner_key
  FROM summaries AS summary LEFT JOIN branches AS owner ON owner.key = summary.branch_key
  WHERE summary.session_key = ?1 ORDER BY summary.key";

fn check_summaries(conn: &Connection, session: &Session, findings: &mut Findings) -> Outcome<()> {
    let mut statement = conn.prepare_cached(SUMMARIES)?;
    let mut rows = statement.query((session.key,))?;
    while let Some(row) = rows.next()? {
        let (branch, node_id): (String, String) = (row.get("branch")?, row.get("node_id")?);
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
  SELECT operation.key, operation.verb, operation.from_key, operation.to_key, operation.high_key, operation.detail,
    owner.session_key AS owner_key
  FROM operations AS operation LEFT JOIN branches AS owner ON owner.key = operation.branch_key
  WHERE operation.session_key = ?1 ORDER BY operation.key";

fn check_operations(conn: &Connection, session: &Session, findings: &mut Findings) -> Outcome<()> {
    let mut statement = conn.prepare_cached(OPERATIONS)?;
    let mut rows = statement.query((session.key,))?;
    while let Some(row) = rows.next()? {
        let (key, verb): (i64, String) = (row.get("key")?, row.get("verb")?);
        let detail: String = row.get("detail")?;
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
