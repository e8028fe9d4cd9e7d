//! Runs scripts on copies of the seed store, in the `sqlite3` shell and in-process, and says what changed.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;

use super::cases;

const SCHEMA: &str = include_str!("../../schema/0001_trees.sql");
const SEED: &str = include_str!("../fixtures/seed.sql");

/// A folder with the seed store in it, removed when dropped.
pub struct Bench {
    dir: tempfile::TempDir,
}

impl Bench {
    /// Writes the seed store through the guards.
    pub fn new() -> Bench {
        let bench = Bench {
            dir: tempfile::tempdir().expect("a temporary folder"),
        };
        let db = open(&bench.seed());
        db.execute_batch(SCHEMA).expect("the schema is valid");
        db.execute_batch("PRAGMA user_version = 1; PRAGMA application_id = 0x53547265;")
            .expect("a pragma");
        db.execute_batch(&cases::expand(SEED))
            .expect("the guards let a healthy store through");
        bench
    }

    pub fn seed(&self) -> PathBuf {
        self.dir.path().join("seed.db")
    }

    /// A copy of the seed for one script. Nothing has it open.
    pub fn copy(&self) -> PathBuf {
        let copy = self.dir.path().join("attacked.db");
        std::fs::copy(self.seed(), &copy).expect("a copy");
        copy
    }
}

/// Opens with foreign keys off, as any program may.
pub fn open(path: &Path) -> Connection {
    let db = Connection::open(path).expect("a database");
    db.execute_batch(
        "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;",
    )
    .expect("pragmas");
    db
}

/// Runs every statement of the script, going on after errors as the shell does, and returns their texts.
pub fn run_inside(path: &Path, prelude: &str, sql: &str) -> Vec<String> {
    let db = open(path);
    let mut errors = Vec::new();
    let mut statement = String::new();
    for line in prelude.lines().chain(sql.lines()) {
        if line == ".dbconfig enable_trigger off" {
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
                .expect("a switch");
            continue;
        }
        for piece in line.split_inclusive(';') {
            statement.push_str(piece);
            if is_complete(&statement) {
                // Rows of PRAGMAs and SELECTs are of no interest; stepping through them is.
                if let Err(error) = run_one(&db, &statement) {
                    errors.push(error.to_string());
                }
                statement.clear();
            }
        }
        statement.push('\n');
    }
    assert!(
        statement.trim().is_empty(),
        "a script ends with a semicolon: {statement}"
    );
    errors
}

fn run_one(db: &Connection, sql: &str) -> rusqlite::Result<()> {
    let mut statement = db.prepare(sql)?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

fn is_complete(sql: &str) -> bool {
    let Ok(sql) = std::ffi::CString::new(sql) else {
        return false;
    };
    !sql.as_bytes().iter().all(u8::is_ascii_whitespace)
        // SAFETY: the pointer is to a C string that outlives the call.
        && unsafe { rusqlite::ffi::sqlite3_complete(sql.as_ptr()) } != 0
}

/// The texts of the errors that the script gets in the stock shell, or `None` where there is no shell.
pub fn run_in_shell(path: &Path, sql: &str) -> Option<String> {
    let script = format!("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;\n{sql}\n");
    Some(String::from_utf8_lossy(&shell(path, &script)?.stderr).into_owned())
}

/// The file as SQL text, written by the stock shell, or `None` where there is no shell.
pub fn dump_in_shell(path: &Path) -> Option<String> {
    ask_shell(path, ".dump\n")
}

/// What the stock shell prints for a script, or `None` where there is no shell.
pub fn ask_shell(path: &Path, script: &str) -> Option<String> {
    Some(String::from_utf8_lossy(&shell(path, script)?.stdout).into_owned())
}

fn shell(path: &Path, script: &str) -> Option<Output> {
    let mut shell = Command::new("sqlite3")
        .arg("-batch")
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = shell.stdin.take().expect("a pipe");
    input.write_all(script.as_bytes()).expect("the shell reads");
    drop(input);
    Some(shell.wait_with_output().expect("the shell ends"))
}

/// Everything the file says: its schema, its numbers and all rows of all tables, sqlite_sequence included.
pub fn dump(path: &Path) -> String {
    let db = open(path);
    let mut out = String::new();
    for query in [
        "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version",
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
    ] {
        dump_rows(&db, query, &mut out);
    }
    let tables: Vec<String> = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .and_then(|mut names| names.query_map([], |row| row.get(0))?.collect())
        .unwrap_or_default();
    for table in tables {
        let _ = writeln!(out, "-- {table}");
        dump_rows(
            &db,
            &format!("SELECT * FROM \"{table}\" NOT INDEXED ORDER BY 1, 2"),
            &mut out,
        );
    }
    out
}

/// The rows of a question as text: columns parted by `|`, NULL as nothing.
pub fn rows(db: &Connection, sql: &str) -> String {
    let mut statement = db.prepare(sql).expect("a valid question");
    let columns = statement.column_count();
    let mut rows = statement.query([]).expect("an answer");
    let mut out = String::new();
    while let Some(row) = rows.next().expect("a row") {
        let values: Vec<String> = (0..columns)
            .map(|column| match row.get_ref(column).expect("a column") {
                ValueRef::Null => String::new(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                other => format!("{other:?}"),
            })
            .collect();
        out.push_str(&values.join("|"));
        out.push('\n');
    }
    out
}

fn dump_rows(db: &Connection, query: &str, out: &mut String) {
    let result = db.prepare(query).and_then(|mut statement| {
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                let _ = write!(out, "{:?}|", row.get_ref(column)?);
            }
            out.push('\n');
        }
        Ok(())
    });
    if let Err(error) = result {
        let _ = writeln!(out, "error: {error}");
    }
}
