//! Parents: there, in the session, the one that was declared, and on the way to a root.

use rusqlite::{Connection, OptionalExtension};

use super::forest::{Forest, Waiting};
use super::report::{Findings, Problem, ProblemCode, are};
use super::session::Session;
use super::text;
use super::tree::Node;
use crate::db::{Outcome, SEQ_MASK, first_key, public_id, session_of};

const ID_OF: &str = "SELECT id FROM nodes WHERE key = ?1";

/// Looks at a node's parent and adds the node to the forest.
pub(super) fn check_parent(
    conn: &Connection,
    session: &Session,
    node: &Node,
    forest: &mut Forest,
    findings: &mut Findings,
) -> Outcome<()> {
    let seq = (node.key & SEQ_MASK) as u32;
    let Some(parent) = node.parent_key else {
        forest.add(seq, None);
        return note_orphan(conn, session, node, findings);
    };
    if session_of(parent) != session.key {
        forest.add(seq, None);
        let id = node.public_id();
        let text = format!("the parent of node `{id}` is a node of another session");
        findings.add(Problem::new(ProblemCode::Parent, text).at_node(id));
        return Ok(());
    }
    if !forest.add(seq, Some((parent & SEQ_MASK) as u32)) {
        findings.add(missing_parent(node.public_id()));
        return Ok(());
    }
    if let Some(declared) = &node.missing_parent {
        let id: Option<Option<String>> = conn
            .prepare_cached(ID_OF)?
            .query_row((parent,), |row| text::optional(row, "id"))
            .optional()?;
        // One that is not there is found when all nodes are known.
        if let Some(parent_id) = id.map(|id| public_id(id, parent))
            && parent_id.as_str() != declared
        {
            let id = node.public_id();
            let text = format!(
                "node `{id}` declared the parent `{declared}` and hangs under `{parent_id}`"
            );
            findings.add(Problem::new(ProblemCode::Parent, text).at_node(id));
        }
    }
    Ok(())
}

fn missing_parent(id: String) -> Problem {
    Problem::new(
        ProblemCode::Parent,
        format!("the parent of node `{id}` does not exist: it was deleted past the guards; restore it from a backup"),
    )
    .at_node(id)
}

const BY_ID: &str = "
  SELECT EXISTS (SELECT 1 FROM nodes WHERE key >> 32 = ?1 AND id = ?2)
      OR EXISTS (SELECT 1 FROM nodes WHERE key = (?1 << 32) + CAST(substr(?2, 2) AS INTEGER) AND id IS NULL
                 AND 'n' || (key & 4294967295) = ?2 AND key >> 32 = ?1)";

/// Whether a node of the session has this public id.
pub(super) fn is_there(conn: &Connection, session_key: i64, id: &str) -> Outcome<bool> {
    Ok(conn
        .prepare_cached(BY_ID)?
        .query_row((session_key, id), |row| row.get(0))?)
}

fn note_orphan(
    conn: &Connection,
    session: &Session,
    node: &Node,
    findings: &mut Findings,
) -> Outcome<()> {
    // The empty text is how some programs write "no parent".
    let Some(declared) = node
        .missing_parent
        .as_deref()
        .filter(|declared| !declared.is_empty())
    else {
        return Ok(());
    };
    if findings.is_full(ProblemCode::Orphan) {
        findings.omit();
        return Ok(());
    }
    let id = node.public_id();
    let state = match (is_there(conn, session.key, declared)?, node.is_adoptable) {
        (false, _) => "which is not there: the path to it is cut",
        (true, true) => "which is there but has not adopted it: import the source again",
        (true, false) => {
            "and stays a root for good, because that parent is its own descendant or came too late"
        }
    };
    findings.add(
        Problem::new(
            ProblemCode::Orphan,
            format!("node `{id}` declares the parent `{declared}`, {state}"),
        )
        .at_node(id),
    );
    Ok(())
}

/// What only shows when all nodes are known: younger parents that are not there, and cycles.
pub(super) fn check_waiting(
    conn: &Connection,
    session: &Session,
    forest: &Forest,
    findings: &mut Findings,
) -> Outcome<()> {
    for waiting in forest.waiting() {
        if !forest.contains(waiting.parent) {
            findings.add(missing_parent(name(conn, session, waiting.seq)?));
        }
    }
    let cycles = forest.cycles();
    if cycles.is_empty() {
        return Ok(());
    }
    let lost = forest.lost();
    for cycle in cycles {
        let id = name(
            conn,
            session,
            cycle.first().map_or(0, |waiting| waiting.seq),
        )?;
        let text = format!(
            "{} closes a cycle; {} no way to a root and cannot be read along a path, but nothing of them is lost",
            describe(conn, session, &cycle)?,
            are(lost, "node has", "nodes have")
        );
        findings.add(Problem::new(ProblemCode::Cycle, text).at_node(id));
    }
    Ok(())
}

fn describe(conn: &Connection, session: &Session, cycle: &[Waiting]) -> Outcome<String> {
    const SHOWN: usize = 4;
    let mut links = Vec::new();
    for waiting in cycle.iter().take(SHOWN) {
        links.push(format!(
            "`{}` under `{}`",
            name(conn, session, waiting.seq)?,
            name(conn, session, waiting.parent)?
        ));
    }
    if cycle.len() > SHOWN {
        links.push(format!("{} more", cycle.len() - SHOWN));
    }
    Ok(links.join(", "))
}

/// The public id of the session's node number `seq`.
pub(super) fn name(conn: &Connection, session: &Session, seq: u32) -> Outcome<String> {
    let key = first_key(session.key) | i64::from(seq);
    let id: Option<Option<String>> = conn
        .prepare_cached(ID_OF)?
        .query_row((key,), |row| text::optional(row, "id"))
        .optional()?;
    Ok(public_id(id.flatten(), key).to_string())
}
