//! Every SQL statement in the source is one that a new store can prepare, and looks its rows up: what it costs does not depend
//! on the rest of the store. The statements are found in the source itself, so a new one is looked at too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use session_tree::Store;

/// Statements that go through a table from end to end, and why that is what they are for.
const SCANS: &[(&str, &str, &str)] = &[
    (
        "ops/import/begin.rs",
        "sessions",
        "the session a source was forked from, by its path; and what interrupted imports left",
    ),
    ("read/changes.rs", "sessions", "one answer for each session"),
    (
        "read/sessions.rs",
        "sessions",
        "a person's name for a session, looked for in all of them",
    ),
    ("store.rs", "store", "its only row"),
];

/// A string literal of the source that is a statement.
struct Statement {
    file: String,
    line: usize,
    sql: String,
}

#[test]
fn no_statement_scans_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    drop(Store::open(&path).unwrap());
    let conn = Connection::open(&path).unwrap();
    // What foreign keys add to a plan runs only when one was found to be broken.
    conn.pragma_update(None, "foreign_keys", false).unwrap();

    let statements = statements();
    let mut unused: BTreeSet<_> = SCANS.iter().map(|(file, scan, _)| (*file, *scan)).collect();
    let mut wrong = Vec::new();
    for Statement { file, line, sql } in &statements {
        let plan = match plan(&conn, sql) {
            Ok(plan) => plan,
            Err(error) => {
                wrong.push(format!("{file}:{line}: {error}"));
                continue;
            }
        };
        // An audit looks at everything.
        let is_audit = file.starts_with("check/");
        let scanned = plan.iter().filter_map(|step| scanned_table(step, sql));
        for table in scanned.filter(|_| !is_audit) {
            let allowed = SCANS
                .iter()
                .find(|(name, scan, _)| name == file && *scan == table);
            match allowed {
                Some((name, scan, _)) => drop(unused.remove(&(*name, *scan))),
                None => wrong.push(format!("{file}:{line}: scans {table}")),
            }
        }
    }
    println!("{} statements looked at", statements.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        unused.is_empty(),
        "no statement does this any more: {unused:?}"
    );
    assert!(statements.len() > 80, "most statements were not found");
}

fn plan(conn: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let mut rows = statement.raw_query();
    let mut steps = Vec::new();
    while let Some(row) = rows.next()? {
        steps.push(row.get("detail")?);
    }
    Ok(steps)
}

const TABLES: &[&str] = &[
    "store",
    "sessions",
    "branches",
    "nodes",
    "labels",
    "summaries",
    "operations",
    "guards",
    "loose_records",
];

/// The table that a step of a plan goes through. Going through what a subquery or a CTE yields is no scan.
fn scanned_table(step: &str, sql: &str) -> Option<&'static str> {
    let name = step.strip_prefix("SCAN ")?.split(' ').next()?;
    let words: Vec<&str> = sql.split_whitespace().collect();
    let is_called = |table: &str| {
        words
            .windows(3)
            .any(|it| it[0] == table && it[1] == "AS" && it[2].trim_end_matches([',', ')']) == name)
    };
    TABLES
        .iter()
        .copied()
        .find(|table| *table == name || is_called(table))
}

fn statements() -> Vec<Statement> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for path in files(&source) {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = path.strip_prefix(&source).unwrap().display().to_string();
        for (line, sql) in literals(&text) {
            let verb = sql.split_whitespace().next().unwrap_or_default();
            if ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(&verb) {
                found.push(Statement {
                    file: file.clone(),
                    line,
                    sql,
                });
            }
        }
    }
    found
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
    found
}

/// The string literals of Rust source with their lines. Comments and characters are passed by, and the parts of which a
/// `concat!` makes a statement.
fn literals(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let line = source[..source.len() - rest.len() + at]
            .matches('\n')
            .count()
            + 1;
        rest = &rest[at..];
        let length = if let Some(body) = rest.strip_prefix('"') {
            let end = closing_quote(body);
            let before = source[..source.len() - rest.len()].trim_end();
            if !before.ends_with("concat!(") {
                let text = body[..end].replace("\\\n", "").replace("\\\"", "\"");
                found.push((line, text));
            }
            end + 2
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(escape) = rest.strip_prefix("'\\") {
            2 + escape.find('\'').unwrap() + 1
        } else if rest.starts_with("'\"'") || rest.starts_with("'/'") {
            3
        } else {
            1
        };
        rest = &rest[length..];
    }
    found
}

fn closing_quote(body: &str) -> usize {
    let mut escaped = false;
    let end = body.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    end.unwrap_or(body.len() - 1)
}

#[test]
fn literals_are_found_between_comments_and_characters() {
    let source =
        "let a = '\"'; // \"no\"\nlet b: &'static str = \"SELECT \\\"x\\\"\"; '\\'' \"two\nlines\"";
    assert_eq!(
        literals(source),
        [
            (2, String::from("SELECT \"x\"")),
            (2, String::from("two\nlines"))
        ]
    );
}
