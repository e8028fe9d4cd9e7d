//! The branches of one session, and the leaves that should have one.

use rusqlite::{Connection, OptionalExtension};

use super::forest::Forest;
use super::parents;
use super::report::{Findings, Problem, ProblemCode};
use super::session::Session;
use super::text;
use crate::db::{Outcome, SEQ_MASK, first_key, session_of};

const BRANCHES: &str = "
  SELECT key, name, leaf_key, resting, next_rewound FROM branches
  WHERE session_key = ?1 ORDER BY key";

/// Looks at every branch, and marks in the forest where they end.
pub(super) fn check_branches(
    conn: &Connection,
    session: &Session,
    forest: &mut Forest,
    findings: &mut Findings,
) -> Outcome<()> {
    let mut has_active = false;
    let mut statement = conn.prepare_cached(BRANCHES)?;
    let mut rows = statement.query((session.key,))?;
    while let Some(row) = rows.next()? {
        findings.report.branches += 1;
        let (key, name): (i64, String) = (row.get("key")?, text::lossy(row, "name")?);
        text::check(row, "branches", || format!("row {key}"), findings)?;
        let is_active = session.active_branch_key == Some(key);
        has_active |= is_active;
        if let Some(leaf) = row.get::<_, Option<i64>>("leaf_key")? {
            check_leaf(session, forest, &name, leaf, findings);
        }
        if row.get::<_, i64>("resting")? != i64::from(!is_active) {
            let text = if is_active {
                format!(
                    "branch `{name}` is the active one and not marked so; switch to another and back"
                )
            } else {
                format!("branch `{name}` is marked as active and is not; switch to it and back")
            };
            findings.add(Problem::new(ProblemCode::Resting, text).at_branch(&name));
        }
        let hint: i64 = row.get("next_rewound")?;
        if let Some(free) = first_free(conn, session.key, &format!("{name}-rewound"), hint)? {
            let text = format!(
                "branch `{name}` notes that `{free}` is taken as a name, and it is free: set next_rewound to 1"
            );
            findings.add(Problem::new(ProblemCode::Hint, text).at_branch(&name));
        }
    }
    if let Some(free) = first_free(conn, session.key, "branch", session.next_branch)? {
        let text = format!(
            "the session notes that `{free}` is taken as a name for a branch, and it is free: set next_branch to 1"
        );
        findings.add(Problem::new(ProblemCode::Hint, text));
    }
    if !has_active && session.is_live() {
        findings.add(active_branch(conn, session)?);
    }
    Ok(())
}

fn check_leaf(
    session: &Session,
    forest: &mut Forest,
    name: &str,
    leaf: i64,
    findings: &mut Findings,
) {
    let text = if session_of(leaf) != session.key {
        format!("branch `{name}` ends at a node of another session; move it to a node of its own")
    } else if !forest.name((leaf & SEQ_MASK) as u32) {
        format!(
            "branch `{name}` ends at node {}, which does not exist; restore it from a backup, or move the branch",
            leaf & SEQ_MASK
        )
    } else {
        return;
    };
    findings.add(Problem::new(ProblemCode::Leaf, text).at_branch(name));
}

const OTHER_SESSIONS_BRANCH: &str = "SELECT name FROM branches WHERE key = ?1";

fn active_branch(conn: &Connection, session: &Session) -> Outcome<Problem> {
    let other: Option<String> = match session.active_branch_key {
        Some(key) => conn
            .prepare_cached(OTHER_SESSIONS_BRANCH)?
            .query_row((key,), |row| text::lossy(row, "name"))
            .optional()?,
        None => None,
    };
    let what = match (session.active_branch_key, other) {
        (None, _) => String::from("has none"),
        (Some(_), Some(name)) => format!("is on branch `{name}` of another session"),
        (Some(_), None) => String::from("is on a branch that does not exist"),
    };
    let id = &session.id;
    let text = format!(
        "session `{id}` needs an active branch and {what}; set active_branch_key to one of its branches"
    );
    Ok(Problem::new(ProblemCode::ActiveBranch, text))
}

const IS_TAKEN: &str =
    "SELECT EXISTS (SELECT 1 FROM branches WHERE session_key = ?1 AND name = ?2)";

/// The first free one among the names `base`, `base-2`, ... that are noted as taken: those with a number below `hint`.
fn first_free(
    conn: &Connection,
    session_key: i64,
    base: &str,
    hint: i64,
) -> Outcome<Option<String>> {
    let mut statement = conn.prepare_cached(IS_TAKEN)?;
    for number in 1..hint {
        let name = if number == 1 {
            base.to_owned()
        } else {
            format!("{base}-{number}")
        };
        let taken: bool = statement.query_row((session_key, &name), |row| row.get(0))?;
        if !taken {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Looks for nodes without children at which no branch ends. Returns their keys, if they are asked for.
pub(super) fn check_leaves(
    conn: &Connection,
    session: &Session,
    forest: &Forest,
    collect: bool,
    findings: &mut Findings,
) -> Outcome<Vec<i64>> {
    let mut unnamed = Vec::new();
    for seq in forest.unnamed() {
        if collect {
            unnamed.push(first_key(session.key) | i64::from(seq));
            continue;
        }
        if findings.is_full(ProblemCode::UnnamedLeaf) {
            findings.omit();
            continue;
        }
        let id = parents::name(conn, session, seq)?;
        let text = format!(
            "no branch ends at node `{id}`, which has no children; `check --adopt` gives it one"
        );
        findings.add(Problem::new(ProblemCode::UnnamedLeaf, text).at_node(id));
    }
    Ok(unnamed)
}
