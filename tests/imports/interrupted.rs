//! Imports that are killed, and imports that run beside each other: one session, whole.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use session_tree::interchange::ImportOptions;
use session_tree::{CheckOptions, Durability, SessionTree, Store};

use super::draw::{Files, HEADER, says};
use crate::support::full;

const JOB: &str = "ST_INTERRUPTED_IMPORT";

fn open(path: &Path) -> Store {
    Store::builder()
        .durability(Durability::Off)
        .open(path)
        .unwrap()
}

/// A session with so many entries, and a side branch every hundred.
fn long_file(files: &Files, entries: usize) -> PathBuf {
    let mut text = format!("{HEADER}\n");
    for number in 0..entries {
        let parent = match number {
            0 => None,
            number if number % 100 == 99 => Some(format!("e{}", number / 2)),
            number if number % 100 == 0 => Some(format!("e{}", number - 2)),
            number => Some(format!("e{}", number - 1)),
        };
        text.push_str(&says(
            &format!("e{number}"),
            parent.as_deref(),
            "some words to say",
        ));
        text.push('\n');
    }
    files.write("long.jsonl", text)
}

/// Nodes with their parents, and branches with their leaves.
type Drawn = (Vec<(String, Option<String>)>, Vec<(String, Option<String>)>);

fn drawn(tree: &SessionTree) -> Drawn {
    let nodes = tree.outline(0, u32::MAX).unwrap();
    let text = |id: session_tree::NodeId| id.to_string();
    let nodes = nodes
        .into_iter()
        .map(|node| (text(node.id), node.parent.map(text)))
        .collect();
    let branches = tree.branches().unwrap().into_iter();
    (
        nodes,
        branches
            .map(|branch| (branch.name, branch.leaf.map(text)))
            .collect(),
    )
}

/// Not a promise of its own: a process that imports `long.jsonl` beside the store that the variable names.
#[test]
fn import_once() {
    let Some(path) = std::env::var_os(JOB).map(PathBuf::from) else {
        return;
    };
    let source = path.with_file_name("long.jsonl");
    let report = open(&path).import(source, &ImportOptions::new()).unwrap();
    println!("\n=> {} {}", report.created, report.nodes_added);
}

fn start(store: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "imports::interrupted::import_once",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(JOB, store)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Nodes of hidden sessions, and how many hidden and live sessions there are.
fn counts(path: &Path) -> (i64, i64, i64) {
    let conn = rusqlite::Connection::open(path).unwrap();
    let count = |sql: &str| conn.query_row(sql, (), |row| row.get(0)).unwrap_or(0);
    (
        count(
            "SELECT count(*) FROM nodes AS node JOIN sessions AS session ON session.key = node.key >> 32 WHERE state = 'importing'",
        ),
        count("SELECT count(*) FROM sessions WHERE state = 'importing'"),
        count("SELECT count(*) FROM sessions WHERE state = 'live'"),
    )
}

#[test]
fn a_killed_import_shows_nothing_and_the_next_one_goes_on() {
    let files = Files::new();
    let entries = if full() { 30_000 } else { 4_000 };
    let source = long_file(&files, entries);
    let expected = {
        let store = open(&files.path("whole.db"));
        let report = store.import(&source, &ImportOptions::new()).unwrap();
        drawn(&store.open_session(&report.session).unwrap())
    };
    let mut killed = 0;
    for (number, least) in [1, entries / 3, entries * 2 / 3].into_iter().enumerate() {
        let path = files.path(&format!("killed-{number}.db"));
        drop(open(&path));
        let mut child = start(&path);
        // Killed once it has written so much, whatever it is doing then.
        loop {
            let (nodes, _, live) = counts(&path);
            if nodes >= least as i64 || live > 0 || child.try_wait().unwrap().is_some() {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let (nodes, hidden, live) = counts(&path);
        if live > 0 {
            println!("the import was done before it could be killed at {least}");
            continue;
        }
        println!("killed after {nodes} of {entries} nodes");
        killed += 1;
        assert_eq!(hidden, 1);
        let store = open(&path);
        assert!(store.sessions().unwrap().is_empty());
        let report = store.import(&source, &ImportOptions::new()).unwrap();
        assert!(report.created);
        assert_eq!(report.nodes_known, nodes as u64);
        assert_eq!(report.nodes_added, (entries - nodes as usize) as u64);
        assert_eq!(
            drawn(&store.open_session(&report.session).unwrap()),
            expected
        );
        assert_eq!(counts(&path), (0, 0, 1));
    }
    assert!(killed > 0, "no import was killed");
}

#[test]
fn a_session_whose_growth_is_killed_is_whole_and_grows_on() {
    let files = Files::new();
    let entries = if full() { 30_000 } else { 5_000 };
    let source = long_file(&files, entries);
    let whole = std::fs::read_to_string(&source).unwrap();
    let start_of_it: Vec<&str> = whole.lines().take(151).collect();
    let expected = {
        let store = open(&files.path("whole.db"));
        let report = store.import(&source, &ImportOptions::new()).unwrap();
        store.open_session(&report.session).unwrap()
    };
    for (number, least) in [200, entries / 2].into_iter().enumerate() {
        let path = files.path(&format!("killed-{number}.db"));
        std::fs::write(&source, start_of_it.join("\n")).unwrap();
        let session = open(&path)
            .import(&source, &ImportOptions::new())
            .unwrap()
            .session;
        std::fs::write(&source, &whole).unwrap();
        let mut child = start(&path);
        let nodes = || {
            let conn = rusqlite::Connection::open(&path).unwrap();
            conn.query_row("SELECT count(*) FROM nodes", (), |row| row.get::<_, i64>(0))
                .unwrap_or(0)
        };
        while nodes() < least as i64 && child.try_wait().unwrap().is_none() {}
        child.kill().unwrap();
        child.wait().unwrap();
        println!("killed after {} of {entries} nodes", nodes());
        let store = open(&path);
        let tree = store.open_session(&session).unwrap();
        let found = store.check(CheckOptions::new()).unwrap();
        assert!(found.is_healthy(), "{:?}", found.problems);
        assert!(tree.active_path().unwrap().len() >= 150);
        let report = store.import(&source, &ImportOptions::new()).unwrap();
        assert!(!report.created);
        assert!(store.check(CheckOptions::new()).unwrap().is_healthy());
        assert_eq!(drawn(&tree).0, drawn(&expected).0);
        assert_eq!(tree.leaves().unwrap(), expected.leaves().unwrap());
        let info = tree.info().unwrap();
        assert_eq!(
            (info.active_branch.as_str(), &info.leaf),
            ("main", &expected.info().unwrap().leaf)
        );
        // Each leaf has one name, but for branches that went along to where another one goes.
        assert!(tree.branches().unwrap().len() <= expected.branches().unwrap().len() + 1);
    }
}

#[test]
fn a_leftover_of_a_file_that_has_changed_since_is_not_built_upon() {
    let files = Files::new();
    let source = long_file(&files, 300);
    let path = files.path("store.db");
    let store = open(&path);
    let report = store.import(&source, &ImportOptions::new()).unwrap();
    // As if the import had been killed before its last transaction. No state goes back by itself.
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(
        "PRAGMA writable_schema = ON; DROP TRIGGER sessions_guard_update;
         UPDATE sessions SET state = 'importing';",
    )
    .unwrap();
    assert!(store.sessions().unwrap().is_empty());
    std::fs::write(&source, format!("{HEADER}\n{}\n", says("other", None, "q"))).unwrap();
    let again = store.import(&source, &ImportOptions::new()).unwrap();
    assert_eq!(
        (again.created, again.nodes_added, again.nodes_known),
        (true, 1, 0)
    );
    assert_eq!(again.session, report.session);
    assert_eq!(counts(&path), (0, 0, 1));
    conn.execute_batch("UPDATE sessions SET state = 'deleting'")
        .unwrap();
    let going = store.import(&source, &ImportOptions::new()).unwrap_err();
    assert!(
        going.is_retryable() && going.to_string().contains("being deleted"),
        "{going}"
    );
    // What nobody will import again can be thrown away by name.
    conn.execute_batch("UPDATE sessions SET state = 'importing'")
        .unwrap();
    assert_eq!(store.discard_unfinished_imports().unwrap(), 1);
    assert_eq!(store.discard_unfinished_imports().unwrap(), 0);
    assert_eq!(counts(&path), (0, 0, 0));
}

#[test]
fn imports_of_one_source_beside_each_other_make_one_session() {
    let files = Files::new();
    let source = long_file(&files, if full() { 20_000 } else { 4_000 });
    let expected = {
        let store = open(&files.path("whole.db"));
        let report = store.import(&source, &ImportOptions::new()).unwrap();
        drawn(&store.open_session(&report.session).unwrap())
    };
    let path = files.path("store.db");
    drop(open(&path));
    let children: Vec<_> = (0..3).map(|_| start(&path)).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    let store = open(&path);
    let sessions = store.sessions().unwrap();
    assert_eq!(sessions.len(), 1);
    assert_eq!(
        drawn(&store.open_session(&sessions[0].id).unwrap()),
        expected
    );
}
