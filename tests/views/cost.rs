//! What views, names and hints cost does not depend on how much else the store holds.

use rusqlite::{Connection, StatementStatus};

use super::seed;
use crate::attacks::cases::expand;
use crate::attacks::engine::{self, Bench};

/// A store of as many sessions, each with a rewind, a label, a summary and an operation. Those of odd number have explicit ids.
fn sessions(count: u32) -> (Bench, Connection) {
    let bench = Bench::new();
    let db = engine::open(&bench.copy());
    let batch = format!(
        "BEGIN;
         CREATE TEMP TABLE new AS
           WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count}) SELECT n, n + 4 AS key, (n + 4) << 32 AS base FROM n;
         INSERT INTO sessions (id, created_at_ms, id_style) SELECT 's' || n, n, iif(n % 2, 'hex', 'seq') FROM new;
         INSERT INTO branches (session_key, name, created_at_ms) SELECT key, 'main', n FROM new;
         UPDATE sessions SET active_branch_key = (SELECT key FROM branches WHERE session_key = sessions.key AND name = 'main') WHERE key > 4;
         CREATE TEMP TABLE shape (seq, parent, run);
         INSERT INTO shape VALUES (0, NULL, 0), (1, 0, 0), (2, 1, 0), (3, 1, 3), (4, 3, 3), (5, 0, 5), (6, 5, 5), (7, 6, 5);
         INSERT INTO nodes (key, id, parent_key, run_start, messages, kind, role, created_at_ms, preview, payload)
           SELECT base + seq, iif(n % 2, 'h' || seq, NULL), base + parent, base + run, seq + 1, 'message', 'user', seq, 'text', '{{\"role\":\"user\",\"content\":\"text\"}}'
           FROM new, shape ORDER BY base + seq;
         UPDATE branches SET leaf_key = (session_key << 32) + 7 WHERE session_key > 4;
         INSERT INTO branches (session_key, name, leaf_key, created_at_ms) SELECT key, 'side', base + 4, 1 FROM new;
         INSERT INTO branches (session_key, name, leaf_key, created_at_ms) SELECT key, 'other', base + 2, 1 FROM new;
         INSERT INTO labels SELECT key, iif(n % 2, 'h5', 'n5'), 'here', 'api', 1 FROM new;
         INSERT INTO summaries (session_key, branch_key, branch, node_id, summary, created_at_ms)
           SELECT session_key, key, name, 'n4', 'Aside.', 1 FROM branches WHERE name = 'side';
         INSERT INTO operations (session_key, verb, actor, at_ms, branch_key, to_key, high_key)
           SELECT key, 'rewind', 'x', 1, (SELECT active_branch_key FROM sessions WHERE sessions.key = new.key), base + 1, base + 2 FROM new;
         COMMIT;"
    );
    db.execute_batch(&batch).expect("sessions");
    (bench, db)
}

/// What a question costs: virtual machine steps, and pages that were not in the cache of a connection just opened.
fn cost(db: &Connection, sql: &str) -> (i32, i32, usize) {
    let fresh = Connection::open(db.path().expect("a file")).expect("a connection");
    let mut statement = fresh.prepare(sql).expect("a valid question");
    let misses = cache_misses(&fresh);
    let mut answer = statement.query([]).expect("an answer");
    let mut rows = 0;
    while answer.next().expect("a row").is_some() {
        rows += 1;
    }
    drop(answer);
    (
        statement.get_status(StatementStatus::VmStep),
        cache_misses(&fresh) - misses,
        rows,
    )
}

fn cache_misses(db: &Connection) -> i32 {
    let (mut now, mut highest) = (0, 0);
    // SAFETY: the connection is open, and both pointers are to integers that outlive the call.
    let code = unsafe {
        rusqlite::ffi::sqlite3_db_status(
            db.handle(),
            rusqlite::ffi::SQLITE_DBSTATUS_CACHE_MISS,
            &raw mut now,
            &raw mut highest,
            0,
        )
    };
    assert_eq!(code, rusqlite::ffi::SQLITE_OK);
    now
}

/// Questions about one session, and how many rows answer them.
const OF_ONE_SESSION: &[(&str, usize)] = &[
    ("SELECT * FROM session_list WHERE session_id = '?'", 1),
    ("SELECT * FROM branch_list WHERE session_id = '?'", 3),
    ("SELECT * FROM active_path WHERE session_id = '?'", 4),
    (
        "SELECT * FROM active_path WHERE session_id = '?' ORDER BY position",
        4,
    ),
    ("SELECT count(*) FROM active_path WHERE session_id = '?'", 1),
    ("SELECT * FROM tree_outline WHERE session_id = '?'", 8),
    (
        "SELECT * FROM tree_outline WHERE session_id = '?' ORDER BY node_key",
        8,
    ),
    ("SELECT * FROM label_list WHERE session_id = '?'", 1),
    ("SELECT * FROM operation_list WHERE session_id = '?'", 1),
    (
        "SELECT * FROM operation_list WHERE session_id = '?' ORDER BY operation_key",
        1,
    ),
];

fn of_one_session() -> impl Iterator<Item = (String, usize)> {
    ["s7", "s8"].into_iter().flat_map(|id| {
        OF_ONE_SESSION
            .iter()
            .map(move |(sql, rows)| (sql.replace('?', id), *rows))
    })
}

#[test]
fn a_view_filtered_by_one_session_costs_that_session() {
    let (_few_bench, few) = sessions(10);
    let (_many_bench, many) = sessions(10_000);
    println!(
        "{:>8}{:>8}{:>8}{:>8}  steps and pages among 10 and 10,000 sessions",
        "steps", "steps", "pages", "pages"
    );
    for (sql, rows) in of_one_session() {
        let (few_steps, few_pages, few_rows) = cost(&few, &sql);
        let (many_steps, many_pages, many_rows) = cost(&many, &sql);
        println!("{few_steps:>8}{many_steps:>8}{few_pages:>8}{many_pages:>8}  {sql}");
        assert_eq!((few_rows, many_rows), (rows, rows), "{sql}");
        // B-trees are a level or two deeper among many sessions; the work in them is the same.
        assert!(
            many_steps <= few_steps + few_steps / 10,
            "{sql}: {few_steps} steps among 10 sessions, {many_steps} among 10,000"
        );
        assert!(
            many_pages <= few_pages + 16,
            "{sql}: {few_pages} pages among 10 sessions, {many_pages} among 10,000"
        );
    }
}

#[test]
fn no_plan_of_a_view_filtered_by_one_session_scans_a_table() {
    let (_bench, db) = sessions(10);
    for (sql, _) in of_one_session() {
        let plan = engine::rows(&db, &format!("EXPLAIN QUERY PLAN {sql}"));
        assert_no_scan(&sql, &plan);
        match engine::ask_shell(
            std::path::Path::new(db.path().expect("a file")),
            &format!("EXPLAIN QUERY PLAN {sql};"),
        ) {
            Some(plan) => assert_no_scan(&sql, &plan),
            None => println!("skipped: no sqlite3 shell"),
        }
    }
}

fn assert_no_scan(sql: &str, plan: &str) {
    // What may be scanned is what the question itself has made: steps of the walk, its list, a constant.
    let made = [
        "walk",
        "numbered",
        "placed",
        "run",
        "CONSTANT",
        "(subquery",
        "SUBQUERY",
    ];
    let scans: Vec<&str> = plan
        .lines()
        .filter_map(|line| {
            line.split_once("SCAN ")
                .map(|(_, name)| name.trim_start_matches("TABLE "))
        })
        .filter(|name| !made.iter().any(|made| name.starts_with(made)))
        .collect();
    assert_eq!(scans, Vec::<&str>::new(), "{sql}\n{plan}");
    assert!(plan.contains("SEARCH"), "{sql}\n{plan}");
}

#[test]
fn names_and_hints_cost_the_same_among_many_branches() {
    let mut costs = Vec::new();
    for count in [10, 10_000] {
        let (_bench, db) = seed();
        db.execute_batch(&format!(
            "INSERT INTO branches (session_key, name, leaf_key, created_at_ms, next_rewound)
             WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count})
             SELECT 1, 'many-' || n, {}, 1, 5 FROM n",
            expand("$a3")
        ))
        .expect("branches");
        let steps = |sql: &str| {
            let mut statement = db.prepare(&expand(sql)).expect("a valid statement");
            statement.execute([]).expect("a change");
            statement.get_status(StatementStatus::VmStep)
        };
        costs.push([
            steps("UPDATE branches SET name = 'main-rewound-2' WHERE session_key = 1 AND name = 'many-5'"),
            steps("DELETE FROM branches WHERE session_key = 1 AND name = 'main-rewound-2'"),
            steps("UPDATE branches SET leaf_key = $a1 WHERE session_key = 1 AND name = 'many-6'"),
            steps("UPDATE sessions SET active_branch_key = 4 WHERE key = 1"),
        ]);
    }
    println!("rename, delete, move, switch among 10 and 10,000 branches: {costs:?} steps");
    assert_eq!(costs[0], costs[1]);
}

/// Steps of an append by its two statements, in a session of derived ids (1) and in one of explicit ids (3).
fn append_steps(db: &Connection, session: i64, explicit: bool) -> [i32; 2] {
    let steps = |sql: &str| {
        let mut statement = db.prepare(sql).expect("a valid statement");
        assert_eq!(statement.execute([]).expect("a change"), 1);
        statement.get_status(StatementStatus::VmStep)
    };
    let id = if explicit {
        "'x' || (max(key) + 1)"
    } else {
        "NULL"
    };
    let insert = steps(&format!(
        "INSERT INTO nodes (key, id, parent_key, run_start, branch_key, messages, kind, role, created_at_ms, preview, payload)
         SELECT max(key) + 1, {id}, max(key), run_start, NULL, messages + 1, 'message', 'user', 1, 'x', '{{}}' FROM nodes
         WHERE key BETWEEN {session} << 32 AND ({session} << 32) + 4294967295"
    ));
    let leaf = steps(&format!(
        "UPDATE branches SET leaf_key = (SELECT max(key) FROM nodes WHERE key BETWEEN {session} << 32 AND ({session} << 32) + 4294967295)
         WHERE key = (SELECT active_branch_key FROM sessions WHERE key = {session})"
    ));
    [insert, leaf]
}

#[test]
fn the_guards_of_an_append_cost_the_same_in_a_long_session() {
    let (_bench, db) = seed();
    for (session, explicit) in [(1, false), (3, true)] {
        // The first makes the leaf follow, so that each later one extends the run of the one before.
        append_steps(&db, session, explicit);
        let short = append_steps(&db, session, explicit);
        db.execute_batch("BEGIN").expect("a transaction");
        for _ in 0..2_000 {
            append_steps(&db, session, explicit);
        }
        db.execute_batch("COMMIT").expect("a transaction");
        let long = append_steps(&db, session, explicit);
        println!(
            "insert and move of session {session}: {short:?} steps, {long:?} after 2,000 nodes"
        );
        // The question above reads one row of the range for max(key); the guards read what they need by key.
        assert_eq!(short, long);
    }
}

#[test]
fn an_append_writes_two_pages() {
    const PAGE_IN_WAL: u64 = 4096 + 24;
    let (_bench, db) = seed();
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;")
        .expect("pragmas");
    let wal = std::path::Path::new(db.path().expect("a file")).with_extension("db-wal");
    let pages = || std::fs::metadata(&wal).map_or(0, |wal| wal.len() / PAGE_IN_WAL);
    let mut written = Vec::new();
    for _ in 0..20 {
        let before = pages();
        db.execute_batch("BEGIN IMMEDIATE").expect("a transaction");
        append_steps(&db, 1, false);
        db.execute_batch("COMMIT").expect("a transaction");
        written.push(pages() - before);
    }
    // A page that is full is split now and then, which writes more.
    let usual = written.iter().filter(|pages| **pages == 2).count();
    println!("pages written by 20 appends: {written:?}");
    assert!(usual >= 15, "{written:?}");
}
