//! The file as a whole: pages, references, schema, counters, and rows that belong to no session.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row};

use super::report::{Findings, Problem, ProblemCode};
use super::text;
use crate::db::{Outcome, expected_schema, session_of};
use crate::model::Error;

/// SQLite's own check: page structure, indexes against tables, NOT NULL and STRICT types, and CHECKs where it may write.
pub(super) fn check_pages(conn: &Connection, findings: &mut Findings) -> Outcome<()> {
    let mut statement = conn.prepare(&format!("PRAGMA integrity_check({})", findings.limit()))?;
    let mut rows = statement.query(())?;
    while let Some(row) = rows.next()? {
        let text = text::lossy(row, "integrity_check")?;
        if text != "ok" {
            findings.add(Problem::new(
                ProblemCode::Pages,
                format!("SQLite says: {text}; restore the file from a backup"),
            ));
        }
    }
    Ok(())
}

pub(super) fn check_foreign_keys(conn: &Connection, findings: &mut Findings) -> Outcome<()> {
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query(())?;
    while let Some(row) = rows.next()? {
        let (table, key, target): (String, Option<i64>, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        if is_of_deleted_session(conn, &table, key)? {
            continue;
        }
        let which = key.map_or_else(
            || format!("a row of {table}"),
            |key| format!("row {key} of {table}"),
        );
        findings.add(Problem::new(
            ProblemCode::ForeignKeys,
            format!("{which} refers to a row of {target} that does not exist"),
        ));
    }
    Ok(())
}

const DELETING: &[(&str, &str)] = &[
    (
        "sessions",
        "SELECT state = 'deleting' FROM sessions WHERE key = ?1",
    ),
    (
        "nodes",
        "SELECT state = 'deleting' FROM sessions WHERE key = ?1 >> 32",
    ),
    (
        "branches",
        "SELECT state = 'deleting' FROM sessions WHERE key = (SELECT session_key FROM branches WHERE key = ?1)",
    ),
    (
        "summaries",
        "SELECT state = 'deleting' FROM sessions WHERE key = (SELECT session_key FROM summaries WHERE key = ?1)",
    ),
    (
        "loose_records",
        "SELECT state = 'deleting' FROM sessions WHERE key = (SELECT session_key FROM loose_records WHERE key = ?1)",
    ),
];

/// What a session is being deleted from may go in any order.
fn is_of_deleted_session(conn: &Connection, table: &str, key: Option<i64>) -> Outcome<bool> {
    let (Some(key), Some((_, sql))) = (key, DELETING.iter().find(|(name, _)| *name == table))
    else {
        return Ok(false);
    };
    Ok(conn
        .prepare_cached(sql)?
        .query_row((key,), |row| row.get(0))
        .optional()?
        .unwrap_or(false))
}

const SCHEMA: &str = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name";

/// Compares the schema, byte for byte, with the one the migrations make: so a guard that was taken away is seen before
/// anything is broken.
pub(super) fn check_schema(conn: &Connection, findings: &mut Findings) -> Outcome<()> {
    let mut missing: BTreeMap<(String, String), Option<String>> = expected_schema()?
        .into_iter()
        .filter(|(kind, name, _)| !is_foreign(kind, name))
        .map(|(kind, name, sql)| ((kind, name), sql))
        .collect();
    let mut statement = conn.prepare(SCHEMA)?;
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    for object in statement.query_map((), read)? {
        let (kind, name, sql): (String, String, Option<String>) = object?;
        if is_foreign(&kind, &name) {
            continue;
        }
        let text = match missing.remove(&(kind.clone(), name.clone())) {
            Some(expected) if expected == sql => continue,
            Some(_) => format!(
                "the {kind} `{name}` is not as this program makes it: put it back from schema/, or restore a backup"
            ),
            None => format!("the {kind} `{name}` does not belong here: drop it if nobody needs it"),
        };
        findings.add(Problem::new(ProblemCode::Schema, text));
    }
    for (kind, name) in missing.into_keys() {
        let text = format!(
            "the {kind} `{name}` is missing: put it back from schema/, or restore a backup"
        );
        findings.add(Problem::new(ProblemCode::Schema, text));
    }
    Ok(())
}

/// Tables and indexes of SQLite itself and of Litestream. Triggers and views have no excuse, whatever their names.
fn is_foreign(kind: &str, name: &str) -> bool {
    matches!(kind, "table" | "index")
        && (name.starts_with("sqlite_") || name.starts_with("_litestream_"))
}

const STORE: &str = "SELECT count(*), coalesce(sum(key = 1 AND id <> ''), 0) FROM store";
const STORE_ID: &str = "SELECT id FROM store";

pub(super) fn check_store(conn: &Connection, findings: &mut Findings) -> Outcome<()> {
    let (rows, good): (i64, i64) =
        conn.query_row(STORE, (), |row| Ok((row.get(0)?, row.get(1)?)))?;
    if (rows, good) != (1, 1) {
        findings.add(Problem::new(
            ProblemCode::Store,
            format!("the table `store` should hold one row with the store's id and holds {rows}"),
        ));
    }
    let mut statement = conn.prepare(STORE_ID)?;
    let mut rows = statement.query(())?;
    while let Some(row) = rows.next()? {
        text::check(row, "store", || String::from("the row"), findings)?;
    }
    Ok(())
}

/// A table whose keys are never used twice, the highest key that was used as far as the file knows, and the last key there is.
const COUNTERS: &[(&str, &str, i64)] = &[
    (
        "sessions",
        "SELECT max(coalesce((SELECT max(key) FROM sessions), 0), coalesce((SELECT max(session_key) FROM operations), 0))",
        2_147_483_647,
    ),
    (
        "branches",
        "SELECT coalesce(max(key), 0) FROM branches",
        i64::MAX,
    ),
    (
        "summaries",
        "SELECT coalesce(max(key), 0) FROM summaries",
        i64::MAX,
    ),
    (
        "operations",
        "SELECT coalesce(max(key), 0) FROM operations",
        i64::MAX,
    ),
    (
        "loose_records",
        "SELECT coalesce(max(key), 0) FROM loose_records",
        i64::MAX,
    ),
];
const COUNTER: &str = "SELECT count(*), coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?1";

/// Compares SQLite's counters with the keys of rows that are there. What other rows say of keys may be forged.
pub(super) fn check_counters(conn: &Connection, findings: &mut Findings) -> Outcome<()> {
    for (table, used, last) in COUNTERS {
        let used: i64 = conn.query_row(used, (), |row| row.get(0))?;
        let (rows, counter): (i64, i64) =
            conn.query_row(COUNTER, (table,), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let text = if rows > 1 {
            format!(
                "sqlite_sequence counts the keys of {table} {rows} times: keep the row with the highest seq"
            )
        } else if used >= *last {
            format!(
                "the last key that {table} can have, {used}, is in use, so that no row can be added; restore the file from a backup"
            )
        } else if counter < used {
            format!(
                "sqlite_sequence says that {counter} was the last key of {table}, and {used} was used: set its seq to {used}"
            )
        } else if counter >= *last {
            format!(
                "sqlite_sequence says that the keys of {table} are used up: set its seq to {used}"
            )
        } else {
            continue;
        };
        findings.add(Problem::new(ProblemCode::Sequence, text));
    }
    Ok(())
}

const NEXT_NODE: &str = "SELECT min(key) FROM nodes WHERE key >= ?1";
const SESSION_EXISTS: &str = "SELECT EXISTS (SELECT 1 FROM sessions WHERE key = ?1)";
const STRAYS: &[(&str, &str)] = &[
    (
        "branches",
        "SELECT DISTINCT session_key FROM branches WHERE session_key NOT IN (SELECT key FROM sessions)",
    ),
    (
        "labels",
        "SELECT DISTINCT session_key FROM labels WHERE session_key NOT IN (SELECT key FROM sessions)",
    ),
    (
        "summaries",
        "SELECT DISTINCT session_key FROM summaries WHERE session_key NOT IN (SELECT key FROM sessions)",
    ),
    (
        "loose_records",
        "SELECT DISTINCT session_key FROM loose_records WHERE session_key NOT IN (SELECT key FROM sessions)",
    ),
    (
        "guards",
        "SELECT DISTINCT session_key FROM guards WHERE session_key NOT IN (SELECT key FROM sessions)",
    ),
];

/// Rows of sessions that are not there. Nodes are looked at by hopping from session to session.
pub(super) fn check_strays(conn: &Connection, findings: &mut Findings) -> Outcome<()> {
    let mut from = Some(i64::MIN);
    while let Some(start) = from {
        let next: Option<i64> = conn
            .prepare_cached(NEXT_NODE)?
            .query_row((start,), |row| row.get(0))?;
        let Some(key) = next else { break };
        // The search for the next key trusts the order of the rows, and must not be led back by damage.
        if key < start {
            return Err(Error::damaged(
                "the rows of nodes are not in the order of their keys; restore the file from a backup",
            )
            .into());
        }
        let session = session_of(key);
        let exists: bool = conn
            .prepare_cached(SESSION_EXISTS)?
            .query_row((session,), |row| row.get(0))?;
        if !exists {
            findings.add(stray("nodes", session));
        }
        from = session
            .checked_add(1)
            .and_then(|next| next.checked_mul(1 << 32));
    }
    for (table, sql) in STRAYS {
        let mut statement = conn.prepare(sql)?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            findings.add(stray(table, row.get(0)?));
        }
    }
    Ok(())
}

fn stray(table: &str, session_key: i64) -> Problem {
    Problem::new(
        ProblemCode::Session,
        format!("there are {table} of a session with the key {session_key}, which does not exist"),
    )
}
