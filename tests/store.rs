//! The file as a whole: deleting leaves nothing behind, a backup is one file, reading writes nothing.

use std::collections::BTreeMap;
use std::path::Path;

use session_tree::{ErrorKind, Message, NewSession, SessionTree, Store};

const SECRET: &str = "SECRET-sk-test-5566778899";

fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            (
                entry.file_name().to_string_lossy().into_owned(),
                std::fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

fn count(directory: &Path, needle: &str) -> usize {
    contents(directory)
        .values()
        .map(|bytes| {
            bytes
                .windows(needle.len())
                .filter(|window| window == &needle.as_bytes())
                .count()
        })
        .sum()
}

fn with_secret(store: &Store) -> SessionTree {
    let tree = store
        .create_session_with(&NewSession::new().id("doomed").name(SECRET))
        .unwrap();
    let first = tree.append_message(Message::user(SECRET), None).unwrap();
    for turn in 0..400 {
        tree.append_message(
            Message::assistant(&format!("{turn} {SECRET} {}", "x".repeat(turn * 7))),
            None,
        )
        .unwrap();
    }
    tree.label(&first, SECRET).unwrap();
    tree.rewind(&first, None).unwrap();
    tree.summarize_branch("main-rewound", SECRET, None, None)
        .unwrap();
    tree
}

#[test]
fn a_deleted_session_leaves_no_byte_of_its_text() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path().join("agent.db")).unwrap();
    let doomed = with_secret(&store);
    let kept = store.from_linear([Message::user("kept")], None).unwrap();
    store.delete_session("doomed").unwrap();

    assert_eq!(
        doomed.linear_projection().unwrap_err().kind(),
        ErrorKind::SessionNotFound
    );
    assert_eq!(
        doomed
            .append_message(Message::user("late"), None)
            .unwrap_err()
            .kind(),
        ErrorKind::SessionNotFound
    );
    assert_eq!(
        store.delete_session("doomed").unwrap_err().kind(),
        ErrorKind::SessionNotFound
    );
    assert_eq!(kept.linear_projection().unwrap(), [Message::user("kept")]);
    assert_eq!(store.sessions().unwrap().len(), 1);
    drop((doomed, kept, store));
    assert_eq!(count(directory.path(), SECRET), 0);
}

#[test]
fn a_new_session_never_gets_the_keys_of_a_deleted_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let store = Store::open(&path).unwrap();
    let doomed = store.create_session().unwrap();
    doomed.append_message(Message::user("old"), None).unwrap();
    store.delete_session(doomed.id()).unwrap();
    drop(store);
    let store = Store::open(&path).unwrap();
    store.from_linear([Message::user("new")], None).unwrap();
    assert_eq!(
        doomed.linear_projection().unwrap_err().kind(),
        ErrorKind::SessionNotFound
    );
}

#[test]
fn a_backup_is_one_private_file_with_everything_acknowledged() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path().join("agent.db")).unwrap();
    let tree = store.create_session().unwrap();
    for turn in 0..100 {
        tree.append_message(Message::user(&turn.to_string()), None)
            .unwrap();
    }
    let target = tempfile::tempdir().unwrap();
    let copy = target.path().join("copy.db");
    store.backup(&copy).unwrap();
    assert_eq!(
        contents(target.path()).keys().collect::<Vec<_>>(),
        ["copy.db"]
    );
    assert_eq!(
        std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let restored = Store::builder().read_only().open(&copy).unwrap();
    assert_eq!(
        restored
            .open_session(tree.id())
            .unwrap()
            .linear_projection()
            .unwrap()
            .len(),
        100
    );
    assert_eq!(restored.id().unwrap(), store.id().unwrap());

    let again = store.backup(&copy).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::InvalidArgument);
    let other = target.path().join("other.db");
    std::fs::write(target.path().join("other.db-wal"), b"stale").unwrap();
    assert!(
        store
            .backup(&other)
            .unwrap_err()
            .to_string()
            .contains("other.db-wal")
    );
    assert!(!other.exists());
}

#[test]
fn a_store_in_memory_works_and_can_be_backed_up() {
    let store = Store::builder().open_in_memory().unwrap();
    let tree = store
        .from_linear([Message::user("hi"), Message::assistant("hello")], None)
        .unwrap();
    tree.rewind("n0", None).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("copy.db");
    store.backup(&copy).unwrap();
    let copied = Store::open(&copy).unwrap();
    assert_eq!(
        copied.open_session(tree.id()).unwrap().branches().unwrap(),
        tree.branches().unwrap()
    );
}

#[test]
fn reading_leaves_the_file_and_its_directory_as_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let store = Store::open(&path).unwrap();
    let id = store
        .from_linear([Message::user("hi")], None)
        .unwrap()
        .id()
        .clone();
    drop(store);
    let before = contents(directory.path());
    let store = Store::builder().read_only().open(&path).unwrap();
    let tree = store.open_session(&id).unwrap();
    assert_eq!(tree.linear_projection().unwrap().len(), 1);
    for refused in [
        tree.append_message(Message::user("no"), None).map(drop),
        tree.label("n0", "no"),
        store.create_session().map(drop),
        store.delete_session(&id),
    ] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::ReadOnly);
    }
    drop((tree, store));
    assert_eq!(contents(directory.path()), before);
}

#[test]
fn the_file_is_private_from_the_start() {
    use std::os::unix::fs::PermissionsExt;

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let _store = Store::open(&path).unwrap();
    for name in ["agent.db", "agent.db-wal", "agent.db-shm"] {
        let mode = std::fs::metadata(directory.path().join(name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

/// Changes the file as somebody does who has it open in another program, with foreign keys off.
fn from_outside(path: &Path, sql: &str) {
    let conn = rusqlite::Connection::open(path).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.execute_batch(sql).unwrap();
}

#[test]
fn a_session_that_somebody_began_to_delete_can_be_deleted_to_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let store = Store::open(&path).unwrap();
    with_secret(&store);
    from_outside(
        &path,
        "UPDATE sessions SET state = 'deleting' WHERE id = 'doomed'",
    );
    assert!(store.sessions().unwrap().is_empty());
    store.delete_session("doomed").unwrap();
    drop(store);
    assert_eq!(count(directory.path(), SECRET), 0);
}

#[test]
fn a_change_that_something_in_the_file_swallows_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let store = Store::open(&path).unwrap();
    let tree = store
        .from_linear([Message::user("one"), Message::user("two")], None)
        .unwrap();
    for (table, event) in [
        ("nodes", "INSERT"),
        ("branches", "UPDATE"),
        ("branches", "INSERT"),
        ("operations", "INSERT"),
    ] {
        from_outside(
            &path,
            &format!(
                "CREATE TRIGGER swallow BEFORE {event} ON {table} BEGIN SELECT RAISE(IGNORE); END"
            ),
        );
        let before = (tree.branches().unwrap(), tree.outline(0, 100).unwrap());
        let change = if table == "nodes" {
            tree.append_message(Message::user("three"), None).map(drop)
        } else {
            tree.rewind("n0", None).map(drop)
        };
        assert_eq!(
            change.unwrap_err().kind(),
            ErrorKind::Damaged,
            "{event} on {table}"
        );
        assert_eq!(
            (tree.branches().unwrap(), tree.outline(0, 100).unwrap()),
            before,
            "{event} on {table}"
        );
        from_outside(&path, "DROP TRIGGER swallow");
    }
    tree.rewind("n0", None).unwrap();
}

#[test]
fn a_leaf_in_another_session_is_damage_and_never_an_answer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let store = Store::open(&path).unwrap();
    let tree = store.from_linear([Message::user("mine")], None).unwrap();
    store
        .from_linear([Message::user("another's")], None)
        .unwrap();
    from_outside(
        &path,
        "DROP TRIGGER branches_guard_update; UPDATE branches SET leaf_key = (2 << 32) WHERE key = 1",
    );
    for answer in [
        tree.linear_projection().map(drop),
        tree.active_path().map(drop),
        tree.render_branch_text("main").map(drop),
        tree.context(&session_tree::Selection::default()).map(drop),
        tree.splice_for_linear_export().map(drop),
        tree.append_message(Message::user("more"), None).map(drop),
    ] {
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::Damaged);
    }
    let seen: i64 = rusqlite::Connection::open(&path)
        .unwrap()
        .query_row(
            "SELECT count(*) FROM active_path WHERE session_id = ?1",
            (tree.id().as_str(),),
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(seen, 0);
}

#[test]
fn bytes_that_are_no_text_hide_no_other_session_and_block_no_append() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let store = Store::open(&path).unwrap();
    let tree = store.from_linear([Message::user("one")], None).unwrap();
    from_outside(
        &path,
        "UPDATE sessions SET name = CAST(x'ff41' AS TEXT), cwd = CAST(x'ff' AS TEXT), meta = CAST(x'fe' AS TEXT);
         INSERT INTO guards (session_key, fence, kind, actor) VALUES (1, 1, 'turn', CAST(x'ff' AS TEXT))",
    );
    assert_eq!(
        store.sessions().unwrap()[0].name.as_deref(),
        Some("\u{fffd}A")
    );
    // A turn whose holder left no sign of life is over.
    assert_eq!(store.who().unwrap().len(), 1);
    tree.append_message(Message::user("two"), None).unwrap();
}

#[test]
fn a_file_name_is_a_file_name() {
    let directory = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:agent.db", "file:agent.db?mode=memory"] {
        let path = directory.path().join(name);
        Store::open(&path)
            .unwrap()
            .from_linear([Message::user("hi")], None)
            .unwrap();
        assert_eq!(
            Store::open(&path).unwrap().sessions().unwrap().len(),
            1,
            "{name}"
        );
    }
    assert_eq!(contents(directory.path()).len(), 3);
}

#[test]
fn a_short_file_is_not_taken_for_an_empty_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("note.txt");
    for text in ["X", "a short note"] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(
            Store::open(&path).err().unwrap().kind(),
            ErrorKind::NotAStore
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

/// Runs alone, in a process of its own, since other tests have threads too.
#[test]
fn a_store_that_is_dropped_leaves_no_thread() {
    const ALONE: &str = "ST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let name = "store::a_store_that_is_dropped_leaves_no_thread";
        let alone = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(ALONE, "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&alone.stdout);
        assert!(
            alone.status.success() && said.contains("1 passed"),
            "{said}"
        );
        return;
    }
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let directory = tempfile::tempdir().unwrap();
    let before = threads();
    for _ in 0..20 {
        let store = Store::open(directory.path().join("agent.db")).unwrap();
        assert!(store.sessions().unwrap().is_empty());
        assert!(threads() > before, "a pool has a thread");
    }
    // They end by themselves, in moments.
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while threads() > before && std::time::Instant::now() < patience {
        std::thread::yield_now();
    }
    assert_eq!(threads(), before);
}
