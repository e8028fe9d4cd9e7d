//! Branches and their summaries.

use rusqlite::{Connection, Row};

use crate::db::{Outcome, branch_by_name, public_id, session_by_key};
use crate::model::{Branch, BranchSummary};

const BRANCHES: &str = "
  SELECT branch.name, branch.leaf_key, leaf.id AS leaf_id, branch.key = session.active_branch_key AS is_active,
    branch.archived_at_ms IS NOT NULL AS is_archived, branch.created_at_ms,
    summary.key AS summary_key, summary.summary, summary.node_id, summary.branch AS summary_branch, summary.model_id,
    summary.created_at_ms AS summary_created_at_ms
  FROM sessions AS session
  JOIN branches AS branch ON branch.session_key = session.key
  LEFT JOIN nodes AS leaf ON leaf.key = branch.leaf_key
  LEFT JOIN summaries AS summary ON summary.key = (SELECT max(key) FROM summaries WHERE branch_key = branch.key)
  WHERE session.key = ?1
  ORDER BY branch.name";

fn summary(row: &Row<'_>) -> rusqlite::Result<BranchSummary> {
    Ok(BranchSummary {
        summary: row.get("summary")?,
        node_id: row.get("node_id")?,
        branch: row.get("summary_branch")?,
        model_id: row.get("model_id")?,
        created_at_ms: row.get("summary_created_at_ms")?,
    })
}

/// All branches in name order (by bytes), archived ones included.
pub(crate) fn branches(conn: &Connection, session_key: i64) -> Outcome<Vec<Branch>> {
    session_by_key(conn, session_key)?;
    let read = |row: &Row<'_>| {
        let leaf_key: Option<i64> = row.get("leaf_key")?;
        let has_summary = row.get::<_, Option<i64>>("summary_key")?.is_some();
        Ok(Branch {
            name: row.get("name")?,
            leaf: leaf_key
                .map(|key| Ok::<_, rusqlite::Error>(public_id(row.get("leaf_id")?, key)))
                .transpose()?,
            is_active: row.get("is_active")?,
            is_archived: row.get("is_archived")?,
            summary: if has_summary {
                Some(summary(row)?)
            } else {
                None
            },
            created_at_ms: row.get("created_at_ms")?,
        })
    };
    Ok(conn
        .prepare_cached(BRANCHES)?
        .query_map((session_key,), read)?
        .collect::<rusqlite::Result<_>>()?)
}

const HAS_BRANCHES: &str =
    "SELECT count(*) > 1 FROM (SELECT 1 FROM branches WHERE session_key = ?1 LIMIT 2)";

pub(crate) fn has_branches(conn: &Connection, session_key: i64) -> Outcome<bool> {
    session_by_key(conn, session_key)?;
    Ok(conn
        .prepare_cached(HAS_BRANCHES)?
        .query_row((session_key,), |row| row.get(0))?)
}

const SUMMARIES: &str = "
  SELECT summary, node_id, branch AS summary_branch, model_id, created_at_ms AS summary_created_at_ms
  FROM summaries WHERE branch_key = ?1 ORDER BY key";

/// Every summary a branch ever got, oldest first.
pub(crate) fn summaries(
    conn: &Connection,
    session_key: i64,
    branch: &str,
) -> Outcome<Vec<BranchSummary>> {
    let row = branch_by_name(conn, session_key, branch)?;
    Ok(conn
        .prepare_cached(SUMMARIES)?
        .query_map((row.key,), summary)?
        .collect::<rusqlite::Result<_>>()?)
}
