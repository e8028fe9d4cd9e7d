//! One session: its own row, and the order in which what belongs to it is looked at.

use rusqlite::{Connection, OptionalExtension, Row};

use super::report::{Findings, Problem, ProblemCode};
use super::{branches, guards, rows, text, tree};
use crate::db::{Outcome, SEQ_MASK};
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
    last_branch_key: i64,
}

impl Session {
    /// Whether it is whole: an import that is going on has leaves that no branch names yet.
    pub(super) fn is_live(&self) -> bool {
        self.state == "live"
    }

    /// Whether a node of this session with this key may have been deleted as the guards allow.
    pub(super) fn may_be_gone(&self, node_key: i64) -> bool {
        node_key & SEQ_MASK <= self.high_seq
    }

    /// Whether this key of a branch was ever given out.
    pub(super) fn may_have_been(&self, branch_key: i64) -> bool {
        (1..=self.last_branch_key).contains(&branch_key)
    }
}

const SESSION: &str = "
  SELECT key, id, state, active_branch_key, id_style, next_id, high_seq, next_branch, meta, source_path,
    name, name_set_by, cwd, origin_session_id, origin_node_id, source_format, source_id, source_hash,
    max(coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'branches'), 0), coalesce((SELECT max(key) FROM branches), 0))
      AS last_branch_key
  FROM sessions WHERE key = ?1";

fn session_row(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        key: row.get("key")?,
        id: text::lossy(row, "id")?,
        state: text::lossy(row, "state")?,
        active_branch_key: row.get("active_branch_key")?,
        id_style: text::lossy(row, "id_style")?,
        next_id: text::optional(row, "next_id")?,
        high_seq: row.get("high_seq")?,
        next_branch: row.get("next_branch")?,
        meta: text::lossy(row, "meta")?,
        source_path: text::optional(row, "source_path")?,
        last_branch_key: row.get("last_branch_key")?,
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
    check_texts(conn, session.key, findings)?;
    check_row(session, findings);
    // Its rows may be half gone, and soon will all be.
    if session.state == "deleting" {
        return Ok(Checked::default());
    }
    let mut forest = tree::check_nodes(conn, session, payloads, findings)?;
    branches::check_branches(conn, session, &mut forest, findings)?;
    let unnamed = if session.is_live() {
        branches::check_leaves(conn, session, &forest, collect_unnamed, findings)?
    } else {
        Vec::new()
    };
    rows::check_rows(conn, session, &forest, findings)?;
    guards::check_guard(conn, session, findings)?;
    text::check_loose_records(conn, session.key, findings)?;
    Ok(Checked {
        id: session.id.clone(),
        unnamed,
    })
}

fn check_texts(conn: &Connection, key: i64, findings: &mut Findings) -> Outcome<()> {
    let mut statement = conn.prepare_cached(SESSION)?;
    let mut rows = statement.query((key,))?;
    if let Some(row) = rows.next()? {
        text::check(row, "sessions", || format!("row {key}"), findings)?;
    }
    Ok(())
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
