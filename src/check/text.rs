//! Text as it is in the file: SQLite takes any bytes for it, and one row that is not UTF-8 must not hide those behind it.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};

use super::report::{Findings, Problem, ProblemCode};
use crate::db::Outcome;

/// A text, with a mark where its bytes are not UTF-8. NULL and other types are none.
pub(super) fn optional(row: &Row<'_>, column: &str) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    })
}

/// A text that is never NULL, with a mark where its bytes are not UTF-8.
pub(super) fn lossy(row: &Row<'_>, column: &str) -> rusqlite::Result<String> {
    optional(row, column).map(Option::unwrap_or_default)
}

/// Looks at every text of a row of `table`, payloads apart: those are looked at as JSON.
pub(super) fn check(
    row: &Row<'_>,
    table: &str,
    which: impl Fn() -> String,
    findings: &mut Findings,
) -> Outcome<()> {
    let columns = row.as_ref();
    for index in 0..columns.column_count() {
        let ValueRef::Text(bytes) = row.get_ref(index)? else {
            continue;
        };
        let Err(error) = std::str::from_utf8(bytes) else {
            continue;
        };
        let column = columns.column_name(index)?;
        if column == "payload" {
            continue;
        }
        if findings.is_full(ProblemCode::Text) {
            findings.omit();
            continue;
        }
        let text = format!(
            "the {column} of {} of {table} is not valid UTF-8 at byte {}; put it right by hand, or restore the file from a backup",
            which(),
            error.valid_up_to()
        );
        findings.add(Problem::new(ProblemCode::Text, text));
    }
    Ok(())
}

const LOOSE_RECORDS: &str =
    "SELECT key, reason FROM loose_records WHERE session_key = ?1 ORDER BY key";

/// Looks at the texts of a session's loose records. What they keep is bytes, and may be anything.
pub(super) fn check_loose_records(
    conn: &Connection,
    session_key: i64,
    findings: &mut Findings,
) -> Outcome<()> {
    let mut statement = conn.prepare_cached(LOOSE_RECORDS)?;
    let mut rows = statement.query((session_key,))?;
    while let Some(row) = rows.next()? {
        let key: i64 = row.get("key")?;
        check(row, "loose_records", || format!("row {key}"), findings)?;
    }
    Ok(())
}
