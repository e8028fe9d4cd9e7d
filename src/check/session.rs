//! One session: its own row, and the order in which what belongs to it is looked at.

use rusqlite::{Connection, OptionalExtension, Row};

use super::report::{Findings, Problem, ProblemCode};
use super::{branches, rows, tree};
use crate::db::Outcome;
use crate::model::json::{Json, validate};

/// A session's row, whatever state it is in.
pub(super) struct Session {
    pub key: i64,
    pub id: String,
    state: String,
    pub active_branch_key: Option<i64>,
    pub id_style: String,
    next_id: Option<String>,
    pub high_seq: i64,
    pub next_branch: i64,
    meta: String,
    source_path: Option<String>,
}

impl Session {
    /// Whether it is whole: an import that is going on has leaves that no branch names yet.
    pub(super) fn is_live(&self) -> bool {
        self.state == "live"
    }
}

const SESSION: &str = "
  SELECT key, id, state, active_branch_key, id_style, next_id, high_seq, next_branch, meta, source_path
  FROM sessions WHERE key = ?1";

fn session_row(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        key: row.get("key")?,
        id: row.get("id")?,
        state: row.get("state")?,
        active_branch_key: row.get("active_branch_key")?,
        id_style: row.get("id_style")?,
        next_id: row.get("next_id")?,
        high_seq: row.get("high_seq")?,
        next_branch: row.get("next_branch")?,
        meta: row.get("meta")?,
        source_path: row.get("source_path")?,
    })
}

pub(super) fn read_session(conn: &Connection, key: i64) -> Outcome<Option<Session>> {
    Ok(conn
        .prepare_cached(SESSION)?
        .query_row((key,), session_row)
        .optional()?)
}

/// What the check of one session hands on.
#[derive(Default)]
pub(super) struct Checked {
    /// The session's id.
    pub id: String,
    /// Keys of nodes without children at which no branch ends, if they were asked for.
    pub unnamed: Vec<i64>,
    pub highest_branch_key: i64,
}

/// Looks at everything that belongs to a session, on one snapshot.
pub(super) fn check_session(
    conn: &Connection,
    session: &Session,
    payloads: bool,
    collect_unnamed: bool,
    findings: &mut Findings,
) -> Outcome<Checked> {
    findings.report.sessions += 1;
    check_row(session, findings);
    // Its rows may be half gone, and soon will all be.
    if session.state == "deleting" {
        return Ok(Checked::default());
    }
    let mut nodes = tree::check_nodes(conn, session, payloads, findings)?;
    branches::check_branches(conn, session, &mut nodes.forest, findings)?;
    let unnamed = if session.is_live() {
        branches::check_leaves(conn, session, &nodes.forest, collect_unnamed, findings)?
    } else {
        Vec::new()
    };
    rows::check_rows(conn, session, findings)?;
    Ok(Checked {
        id: session.id.clone(),
        unnamed,
        highest_branch_key: nodes.highest_branch_key,
    })
}

fn check_row(session: &Session, findings: &mut Findings) {
    let id = &session.id;
    match session.state.as_str() {
        "importing" => {
            let again = session.source_path.as_deref().map_or_else(
                || String::from("import its source again to finish it"),
                |path| format!("import `{path}` again to finish it"),
            );
            findings.add(Problem::new(
                ProblemCode::Leftover,
                format!("session `{id}` is being imported, or its import was cut off; {again}"),
            ));
        }
        "deleting" => {
            findings.add(Problem::new(ProblemCode::Leftover, format!("session `{id}` is being deleted, or its deletion was cut off; delete it again to finish")));
        }
        _ => {}
    }
    if !is_object(&session.meta) {
        findings.add(Problem::new(
            ProblemCode::Json,
            format!("the meta of session `{id}` is not a JSON object"),
        ));
    }
    if session.id_style == "counter"
        && session
            .next_id
            .as_deref()
            .is_none_or(|next| next.parse::<u64>().is_err())
    {
        findings.add(Problem::new(
            ProblemCode::Id,
            format!(
                "session `{id}` has no number for its next node id; give ids yourself, or fork it"
            ),
        ));
    }
}

pub(super) fn is_object(text: &str) -> bool {
    validate(text).is_ok() && Json::new(text).is_object()
}
