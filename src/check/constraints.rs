//! The CHECKs of the schema, on a connection that may only read: SQLite drops them as it reads the schema there, so that its
//! own check passes over rows that break them.

use rusqlite::Connection;

use super::report::{Findings, Problem, ProblemCode};
use crate::db::Outcome;

/// Of each table: how many rows break one of its CHECKs.
const BROKEN: &[(&str, &str)] = &[
    ("store", "SELECT count(*) FROM store WHERE NOT (key = 1)"),
    (
        "sessions",
        "SELECT count(*) FROM sessions
         WHERE NOT (key BETWEEN 1 AND 2147483647) OR NOT (id <> '')
           OR NOT (state IN ('live', 'importing', 'deleting')) OR NOT (name_set_by IN ('api', 'file'))
           OR NOT (id_style IN ('seq', 'counter', 'hex')) OR NOT ((next_id IS NOT NULL) = (id_style = 'counter'))
           OR NOT (next_id NOT GLOB '*[^0-9]*' AND next_id NOT GLOB '0?*' AND length(next_id) BETWEEN 1 AND 20)",
    ),
    (
        "branches",
        "SELECT count(*) FROM branches WHERE NOT (key > 0) OR NOT (name <> '') OR NOT (resting IN (0, 1))",
    ),
    (
        "nodes",
        "SELECT count(*) FROM nodes
         WHERE NOT (key > 0) OR NOT (id <> '') OR NOT (kind <> '') OR NOT (adoptable IN (0, 1))
           OR NOT (parent_key >> 32 = key >> 32) OR NOT (parent_key < key OR missing_parent IS NOT NULL)
           OR NOT (run_start = key OR parent_key = key - 1) OR NOT ((envelope IS NULL) = (envelope_at IS NULL))",
    ),
    (
        "labels",
        "SELECT count(*) FROM labels WHERE NOT (set_by IN ('api', 'file'))",
    ),
    (
        "summaries",
        "SELECT count(*) FROM summaries WHERE NOT (key > 0)",
    ),
    (
        "operations",
        "SELECT count(*) FROM operations WHERE NOT (key > 0)",
    ),
    (
        "guards",
        "SELECT count(*) FROM guards WHERE NOT (kind IN ('turn', 'navigation'))",
    ),
    (
        "loose_records",
        "SELECT count(*) FROM loose_records WHERE NOT (key > 0)",
    ),
];

pub(super) fn check_constraints(conn: &Connection, findings: &mut Findings) -> Outcome<()> {
    if !conn.is_readonly(rusqlite::MAIN_DB)? {
        return Ok(());
    }
    for (table, sql) in BROKEN {
        let rows: i64 = conn.query_row(sql, (), |row| row.get(0))?;
        if rows > 0 {
            findings.add(Problem::new(
                ProblemCode::Pages,
                format!("{rows} row(s) of {table} break a CHECK of the schema; restore the file from a backup"),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::BROKEN;
    use crate::db::expected_schema;

    /// What stands in the parentheses after each `word`. No text in them holds a parenthesis.
    fn after(word: &str, sql: &str) -> Vec<String> {
        let inside = |rest: &str| {
            let mut depth = 1;
            let end = rest.find(|c| {
                depth += i32::from(c == '(') - i32::from(c == ')');
                depth == 0
            });
            rest[..end.unwrap()].to_owned()
        };
        sql.split(word).skip(1).map(inside).collect()
    }

    #[test]
    fn every_check_of_the_schema_is_made() {
        let mut checks = 0;
        for (kind, name, sql) in expected_schema().unwrap_or_else(|_| panic!("the schema")) {
            let found = after("CHECK (", &sql.unwrap_or_default());
            if kind != "table" || found.is_empty() {
                continue;
            }
            let (_, made) = BROKEN.iter().find(|(table, _)| *table == name).unwrap();
            assert_eq!(after("NOT (", made), found, "{name}");
            checks += found.len();
        }
        assert!(checks > 20, "{checks}");
    }
}
