//! The nodes of one session, in the order of their keys: one pass, a few bytes of memory a node.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};

use super::forest::Forest;
use super::parents::{check_parent, check_waiting};
use super::payload;
use super::report::{Findings, Problem, ProblemCode, are};
use super::session::Session;
use super::text;
use crate::db::{Outcome, SEQ_MASK, first_key, last_key, public_id};
use crate::model::{Error, is_counted};

macro_rules! nodes {
    ($payload:literal) => {
        concat!(
            "
  SELECT key, id, parent_key, run_start, branch_key, messages, kind, role, time_text, missing_parent, adoptable, preview, ",
            $payload,
            "
  FROM nodes WHERE key BETWEEN ?1 AND ?2 ORDER BY key"
        )
    };
}
const NODES: &str = nodes!("NULL AS envelope_at, NULL AS envelope, NULL AS payload");
const NODES_WITH_PAYLOAD: &str = nodes!("envelope_at, envelope, payload");

/// What the next node is compared with.
#[derive(Clone, Copy)]
struct Before {
    key: i64,
    run_start: i64,
    messages: i64,
}

/// A node as it is in the file.
pub(super) struct Node {
    pub key: i64,
    pub id: Option<String>,
    pub parent_key: Option<i64>,
    pub run_start: i64,
    pub branch_key: Option<i64>,
    pub messages: i64,
    pub is_message: bool,
    pub missing_parent: Option<String>,
    pub is_adoptable: bool,
}

impl Node {
    pub(super) fn public_id(&self) -> String {
        public_id(self.id.clone(), self.key).to_string()
    }
}

/// Looks at every node of the session.
pub(super) fn check_nodes(
    conn: &Connection,
    session: &Session,
    payloads: bool,
    findings: &mut Findings,
) -> Outcome<Forest> {
    let mut forest = Forest::default();
    let mut branches = BranchKeys::default();
    let mut before: Option<Before> = None;
    let mut explicit_ids = false;
    let mut statement = conn.prepare_cached(if payloads { NODES_WITH_PAYLOAD } else { NODES })?;
    let mut rows = statement.query((first_key(session.key), last_key(session.key)))?;
    while let Some(row) = rows.next()? {
        let node = read(row)?;
        // Pages that are linked wrongly can lead back to where the pass has been, for ever.
        if before.is_some_and(|before| node.key <= before.key) {
            return Err(Error::damaged(
                "the rows of nodes are not in the order of their keys; restore the file from a backup",
            )
            .into());
        }
        text::check(
            row,
            "nodes",
            || format!("row {} (node `{}`)", node.key, node.public_id()),
            findings,
        )?;
        explicit_ids |= node.id.is_some();
        check_key(session, before, &node, findings);
        check_bookkeeping(before, &node, findings);
        check_id(session, &node, findings);
        check_parent(conn, session, &node, &mut forest, findings)?;
        branches.check(conn, session, &node, findings)?;
        if payloads {
            payload::check(row, || node.public_id(), findings)?;
        }
        before = Some(Before {
            key: node.key,
            run_start: node.run_start,
            messages: node.messages,
        });
        findings.report.nodes += 1;
    }
    check_end(session, before, findings);
    if explicit_ids {
        check_repeats(conn, session, findings)?;
    }
    check_waiting(conn, session, &forest, findings)?;
    Ok(forest)
}

fn read(row: &Row<'_>) -> Outcome<Node> {
    Ok(Node {
        key: row.get("key")?,
        id: text::optional(row, "id")?,
        parent_key: row.get("parent_key")?,
        run_start: row.get("run_start")?,
        branch_key: row.get("branch_key")?,
        messages: row.get("messages")?,
        is_message: matches!(row.get_ref("kind")?, ValueRef::Text(b"message")),
        missing_parent: text::optional(row, "missing_parent")?,
        is_adoptable: row.get("adoptable")?,
    })
}

/// Keys follow each other. Those up to the session's high_seq may have been deleted.
fn check_key(session: &Session, before: Option<Before>, node: &Node, findings: &mut Findings) {
    let expected = before.map_or(first_key(session.key), |before| before.key + 1);
    let missing = node.key - expected;
    if missing > 0 && (node.key - 1) & SEQ_MASK > session.high_seq {
        let id = node.public_id();
        findings.add(
            Problem::new(
                ProblemCode::Gap,
                format!(
                    "{} missing before node `{id}`, deleted past the guards; restore from a backup",
                    are(missing, "node is", "nodes are")
                ),
            )
            .at_node(id),
        );
    }
}

/// A session of which every key is used, or said to be, takes no further node.
fn check_end(session: &Session, last: Option<Before>, findings: &mut Findings) {
    let highest = last
        .map_or(-1, |last| last.key & SEQ_MASK)
        .max(session.high_seq);
    if highest >= SEQ_MASK {
        findings.add(Problem::new(
            ProblemCode::Gap,
            "the session's keys are used up, so that nothing can be appended; fork it to go on",
        ));
    }
}

fn check_bookkeeping(before: Option<Before>, node: &Node, findings: &mut Findings) {
    let follows = before.filter(|before| before.key == node.key - 1);
    let expected = match follows {
        Some(before) if node.parent_key == Some(before.key) => before.run_start,
        _ => node.key,
    };
    // An orphan that was adopted by the node just before it goes on starting its run.
    let may_start = node.missing_parent.is_some();
    if node.run_start != expected && !(may_start && node.run_start == node.key) {
        let id = node.public_id();
        let text = format!(
            "the run of node `{id}` starts at n{} and is said to start at n{}: paths through it are read wrongly",
            expected & SEQ_MASK,
            node.run_start & SEQ_MASK
        );
        findings.add(Problem::new(ProblemCode::RunStart, text).at_node(id));
    }
    let expected = match (follows, before) {
        (Some(before), _) => Some(before.messages + i64::from(node.is_message)),
        // How many of the missing nodes were messages nobody knows.
        (None, Some(_)) => None,
        (None, None) if node.key & SEQ_MASK == 0 => Some(i64::from(node.is_message)),
        (None, None) => None,
    };
    if expected.is_some_and(|expected| expected != node.messages) {
        let id = node.public_id();
        let text = format!(
            "node `{id}` counts {} up to itself and not {}: counts of messages are wrong from there on",
            are(node.messages, "message", "messages"),
            expected.unwrap_or_default()
        );
        findings.add(Problem::new(ProblemCode::Messages, text).at_node(id));
    }
}

fn check_id(session: &Session, node: &Node, findings: &mut Findings) {
    let text = match &node.id {
        None if session.id_style != "seq" => format!(
            "node {} has no id of its own in a session of explicit ids",
            node.public_id()
        ),
        Some(id) if session.id_style == "seq" && is_counted(id) => {
            format!(
                "node {} has the explicit id `{id}`, which is or will be the derived id of another node",
                node.key & SEQ_MASK
            )
        }
        _ => return,
    };
    findings.add(Problem::new(ProblemCode::Id, text).at_node(node.public_id()));
}

const REPEATED_IDS: &str = "
  SELECT id, count(*) FROM nodes WHERE key BETWEEN ?1 AND ?2 AND id IS NOT NULL
  GROUP BY id HAVING count(*) > 1";

fn check_repeats(conn: &Connection, session: &Session, findings: &mut Findings) -> Outcome<()> {
    let mut statement = conn.prepare_cached(REPEATED_IDS)?;
    let mut rows = statement.query((first_key(session.key), last_key(session.key)))?;
    while let Some(row) = rows.next()? {
        let (id, count): (String, i64) = (text::lossy(row, "id")?, row.get(1)?);
        findings.add(
            Problem::new(ProblemCode::Id, format!("{count} nodes have the id `{id}`")).at_node(id),
        );
    }
    Ok(())
}

const SESSION_OF_BRANCH: &str = "SELECT session_key FROM branches WHERE key = ?1";

/// Most nodes were appended to the branch of the node before.
#[derive(Default)]
struct BranchKeys {
    good: Option<i64>,
}

impl BranchKeys {
    fn check(
        &mut self,
        conn: &Connection,
        session: &Session,
        node: &Node,
        findings: &mut Findings,
    ) -> Outcome<()> {
        let Some(key) = node.branch_key.filter(|key| Some(*key) != self.good) else {
            return Ok(());
        };
        let owner: Option<i64> = conn
            .prepare_cached(SESSION_OF_BRANCH)?
            .query_row((key,), |row| row.get(0))
            .optional()?;
        let text = match owner {
            Some(owner) if owner != session.key => "to a branch of another session",
            // A branch that is gone may have been this session's.
            None if !session.may_have_been(key) => "to a branch that never was",
            _ => {
                self.good = Some(key);
                return Ok(());
            }
        };
        let id = node.public_id();
        let text = format!(
            "node `{id}` says it was appended {text} (branch_key {key}); restore the file from a backup, or fork the session"
        );
        findings.add(Problem::new(ProblemCode::Branch, text).at_node(id));
        Ok(())
    }
}
