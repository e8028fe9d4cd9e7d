//! The check: finds what the file's own guards cannot refuse. Shares no code with what writes and reads trees, so that a
//! mistake there does not hide itself here.
//!
//! The file is looked at on one snapshot, then each session on one of its own: so a writer's log is not held for longer than
//! the largest session takes. Memory is a few bytes for each node of one session.

mod adopt;
mod branches;
mod constraints;
mod file;
mod forest;
mod guards;
mod parents;
mod payload;
mod report;
mod rows;
mod session;
mod text;
mod tree;

pub use report::{CheckReport, Problem, ProblemCode};

use report::Findings;
use session::Checked;

use crate::db::{Db, Outcome};
use crate::model::{Error, ErrorKind, Result};

/// What a check looks at. The default is everything, and to change nothing.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    session: Option<String>,
    pages: bool,
    payloads: bool,
    adopt: bool,
    limit: usize,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions {
            session: None,
            pages: true,
            payloads: true,
            adopt: false,
            limit: 100,
        }
    }
}

impl CheckOptions {
    /// Everything, changing nothing.
    pub fn new() -> CheckOptions {
        CheckOptions::default()
    }

    /// Looks at one session only, and not at the file.
    pub fn session(mut self, id: impl Into<String>) -> CheckOptions {
        self.session = Some(id.into());
        self
    }

    /// Leaves out what reads every byte: SQLite's check of its pages and indexes, and the JSON of payloads.
    pub fn quick(mut self) -> CheckOptions {
        self.pages = false;
        self.payloads = false;
        self
    }

    /// Gives a branch `leaf-<id>` to each node without children at which no branch ends. Nothing else is changed.
    pub fn adopt(mut self, adopt: bool) -> CheckOptions {
        self.adopt = adopt;
        self
    }

    /// How many problems of one code are listed. Default: 100. The others are counted.
    pub fn limit(mut self, limit: usize) -> CheckOptions {
        self.limit = limit;
        self
    }
}

const SESSION_KEYS: &str = "SELECT key FROM sessions ORDER BY key";
const KEY_OF_SESSION: &str = "SELECT key FROM sessions WHERE id = ?1";

/// Checks the store, and names leaves if that was asked for.
pub(crate) fn check(
    db: &Db,
    options: &CheckOptions,
    actor: &str,
    now_ms: i64,
) -> Result<CheckReport> {
    check_all(db, options, actor, now_ms).map_err(|error| match error.kind() {
        ErrorKind::Damaged => Error::damaged(without_advice(&error.to_string())),
        _ => error,
    })
}

fn check_all(db: &Db, options: &CheckOptions, actor: &str, now_ms: i64) -> Result<CheckReport> {
    if options.adopt && db.is_read_only() {
        return Err(Error::new(
            ErrorKind::ReadOnly,
            "the store was opened for reading only; open it for writing to name leaves",
        ));
    }
    let mut findings = Findings::new(options.limit);
    if options.session.is_none() {
        check_file(db, options, &mut findings)?;
    }
    for key in session_keys(db, options, &mut findings)? {
        let checked = check_one_session(db, key, options, &mut findings)?;
        if !checked.unnamed.is_empty() {
            let names = db.write(|tx| adopt::name_leaves(tx, &checked.unnamed, actor, now_ms))?;
            let session = checked.id;
            findings
                .report
                .adopted
                .extend(names.into_iter().map(|name| (session.clone(), name)));
        }
    }
    findings.enter(None);
    if options.session.is_none() {
        part(
            db,
            "the counters of keys",
            &mut findings,
            file::check_counters,
        )?;
    }
    Ok(findings.report)
}

fn check_file(db: &Db, options: &CheckOptions, findings: &mut Findings) -> Result<()> {
    if options.pages {
        part(db, "the pages", findings, |tx, findings| {
            file::check_pages(tx, findings)?;
            constraints::check_constraints(tx, findings)
        })?;
    }
    part(db, "the schema", findings, |tx, findings| {
        file::check_schema(tx, findings)
    })?;
    part(
        db,
        "the references between rows",
        findings,
        file::check_foreign_keys,
    )?;
    part(db, "the store's own row", findings, |tx, findings| {
        file::check_store(tx, findings)
    })?;
    part(db, "rows without a session", findings, |tx, findings| {
        file::check_strays(tx, findings)
    })?;
    Ok(())
}

fn session_keys(db: &Db, options: &CheckOptions, findings: &mut Findings) -> Result<Vec<i64>> {
    let Some(id) = &options.session else {
        let keys = part(db, "the sessions", findings, |tx, _| {
            let mut statement = tx.prepare(SESSION_KEYS)?;
            let keys = statement.query_map((), |row| row.get(0))?;
            Ok(keys.collect::<rusqlite::Result<Vec<i64>>>()?)
        })?;
        return Ok(keys.unwrap_or_default());
    };
    let key = db.read(|tx| {
        let mut statement = tx.prepare(KEY_OF_SESSION)?;
        let mut rows = statement.query((id,))?;
        Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
    })?;
    Ok(vec![key.ok_or_else(|| Error::session_not_found(id))?])
}

fn check_one_session(
    db: &Db,
    key: i64,
    options: &CheckOptions,
    findings: &mut Findings,
) -> Result<Checked> {
    findings.enter(None);
    let checked = part(db, "a session", findings, |tx, findings| {
        // Deleted since the list was made.
        let Some(session) = session::read_session(tx, key)? else {
            return Ok(Checked::default());
        };
        findings.enter(Some(&session.id));
        session::check_session(tx, &session, options.payloads, options.adopt, findings)
    })?;
    Ok(checked.unwrap_or_default())
}

/// Runs one part on a snapshot of its own. A part that damage keeps from its end is a finding, and the others still run.
fn part<T>(
    db: &Db,
    what: &str,
    findings: &mut Findings,
    work: impl FnOnce(&rusqlite::Connection, &mut Findings) -> Outcome<T>,
) -> Result<Option<T>> {
    match db.read(|tx| work(tx, findings)) {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.kind() == ErrorKind::Damaged => {
            findings.add(Problem::new(
                ProblemCode::Unreadable,
                format!("{what} could not be checked to the end: {}", cause(&error)),
            ));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// What SQLite said, or else what was said of it.
fn cause(error: &Error) -> String {
    let text =
        std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    without_advice(&text)
}

/// Who reads this runs a check.
fn without_advice(text: &str) -> String {
    let end = text.find("; run `session-tree check`");
    end.map_or(text, |end| &text[..end]).to_owned()
}
