//! Appending, beside a bare INSERT of the same payload in its own transaction.

use rusqlite::Connection;
use session_tree::{Durability, Message, NewSession, SessionTree, Store};

use crate::contest::{Contestant, Length, Outcome, contest};
use crate::files::{
    Bench, FLOOR_INSERT, Sized, floor_connection, message, open, payloads, session_name, settings,
};

fn floor_append<'a>(
    name: &str,
    place: usize,
    path: &std::path::Path,
    synchronous: &str,
) -> Contestant<'a> {
    let conn = floor_connection(path, synchronous);
    let before: i64 = conn
        .query_row("SELECT count(*) FROM floor", (), |row| row.get(0))
        .expect("a count");
    let payloads = payloads();
    Contestant::new(format!("bare INSERT, {name}"), place, move |nth| {
        let id = in_a_transaction(&conn, || {
            let mut insert = conn.prepare_cached(FLOOR_INSERT).expect("a statement");
            insert
                .insert((&payloads[nth % payloads.len()],))
                .expect("a row")
        });
        assert_eq!(id, before + nth as i64 + 1);
    })
}

/// The kind of transaction that the store's own writes take.
fn in_a_transaction<T>(conn: &Connection, work: impl FnOnce() -> T) -> T {
    let run = |sql| {
        conn.prepare_cached(sql)
            .and_then(|mut it| it.execute(()))
            .expect("a transaction");
    };
    run("BEGIN IMMEDIATE");
    let done = work();
    run("COMMIT");
    done
}

fn tree_append<'a>(name: &str, floor: usize, tree: SessionTree) -> Contestant<'a> {
    let before = tree.info().expect("info").messages as usize;
    let payloads = payloads();
    Contestant::new(format!("append_message, {name}"), floor, move |nth| {
        let message = Message::new(payloads[nth % payloads.len()].as_str()).expect("a message");
        let id = tree.append_message(message, 0).expect("a node");
        assert_eq!(id.as_str(), format!("n{}", before + nth));
    })
}

fn session(store: &Store, number: usize) -> SessionTree {
    store
        .open_session(&session_name(number))
        .expect("the session")
}

/// The rows of an append, and no more: no look, no guard, no foreign key. What is between this and a bare INSERT is the
/// layout, what is between this and an append are the promises.
fn unguarded_append<'a>(bench: &Bench, place: usize, synchronous: &str) -> Contestant<'a> {
    let path = bench.path(&format!("unguarded-{synchronous}.db"));
    let newest = {
        let store = open(&path, Durability::Off);
        let tree = store
            .create_session_with(&NewSession::new().id(session_name(0)))
            .expect("a session");
        tree.append_message(message(0), 0).expect("a node");
        1_i64 << 32
    };
    let conn = Connection::open(&path).expect("a file");
    settings(&conn, synchronous);
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF;
         DROP TRIGGER nodes_guard_insert;
         DROP TRIGGER branches_guard_update;",
    )
    .expect("a file without guards");
    let payloads = payloads();
    Contestant::new(
        format!("the two rows unguarded, {synchronous}"),
        place,
        move |nth| {
            let key = newest + nth as i64 + 1;
            let done = in_a_transaction(&conn, || {
                let mut insert = conn
                .prepare_cached(
                    "INSERT INTO nodes (key, parent_key, run_start, branch_key, messages, kind, role, created_at_ms, preview, payload)
                     VALUES (?1, ?1 - 1, ?2, 1, ?3, 'message', 'user', 0, ?4, ?5)",
                )
                .expect("a statement");
                let payload = &payloads[nth % payloads.len()];
                let preview = payload.get(..200).unwrap_or(payload);
                insert
                    .execute((key, newest, nth as i64 + 2, preview, payload))
                    .expect("a row");
                let mut update = conn
                    .prepare_cached("UPDATE branches SET leaf_key = ?1 WHERE key = 1")
                    .expect("a statement");
                update.execute((key,)).expect("a row")
            });
            assert_eq!(done, 1);
        },
    )
}

/// One session of a given size, at both durabilities.
pub fn sizes(bench: &Bench, sizes: &[Sized], length: Length, durability: Durability) -> Outcome {
    let synchronous = match durability {
        Durability::Full => "FULL",
        _ => "NORMAL",
    };
    let mut contestants = Vec::new();
    for Sized {
        nodes,
        store,
        floor,
    } in sizes
    {
        let name = format!("{nodes} nodes, {synchronous}");
        let place = contestants.len();
        contestants.push(floor_append(&name, place, floor, synchronous));
        let tree = session(&open(store, durability), 0);
        contestants.push(tree_append(&name, place, tree));
    }
    let last = contestants.len() - 1;
    contestants.push(unguarded_append(bench, 0, synchronous));
    let outcome = contest(length, contestants);
    outcome.print(&format!("Append, synchronous={synchronous}"));
    println!(
        "\nappend / the two rows unguarded: {:.2}",
        outcome.ratio(1, last + 1)
    );
    outcome.print_growth(sizes, "append", 1);
    outcome
}

/// Many sessions in one store, each append in another one.
pub fn interleaved(bench: &Bench, sessions: usize, length: Length) -> Outcome {
    let path = bench.path("interleaved.db");
    {
        let store = open(&path, Durability::Off);
        for number in 0..sessions {
            let tree = store
                .create_session_with(&NewSession::new().id(session_name(number)))
                .expect("a session");
            tree.append_many((0..20).map(|place| session_tree::NewNode::message(message(place))))
                .expect("nodes");
        }
    }
    let floor = bench.floor("interleaved.floor", sessions * 20);
    let store = open(&path, Durability::Normal);
    let trees: Vec<SessionTree> = (0..sessions)
        .map(|number| session(&store, number))
        .collect();
    let payloads = payloads();
    let outcome = contest(
        length,
        vec![
            floor_append("NORMAL", 0, &floor, "NORMAL"),
            Contestant::new(
                format!("append_message, {sessions} sessions in turn, NORMAL"),
                0,
                |nth| {
                    let message =
                        Message::new(payloads[nth % payloads.len()].as_str()).expect("a message");
                    let id = trees[nth % sessions]
                        .append_message(message, 0)
                        .expect("a node");
                    assert_eq!(id.as_str(), format!("n{}", 20 + nth / sessions));
                },
            ),
        ],
    );
    outcome.print("Append, many sessions");
    outcome
}

/// A rewind to the root and back, beside a bare INSERT: each moves the leaf, keeps the old one under a name, and leaves a
/// row in the audit trail.
pub fn rewind(sizes: &[Sized], length: Length) -> Outcome {
    let mut contestants = Vec::new();
    for Sized {
        nodes,
        store,
        floor,
    } in sizes
    {
        let name = format!("{nodes} nodes, FULL");
        let place = contestants.len();
        contestants.push(floor_append(&name, place, floor, "FULL"));
        let tree = session(&open(store, Durability::Full), 0);
        let newest = tree.info().expect("info").leaf.expect("a leaf");
        contestants.push(Contestant::new(
            format!("rewind, {name}"),
            place,
            move |nth| {
                let target = if nth.is_multiple_of(2) {
                    "n0"
                } else {
                    newest.as_str()
                };
                assert!(tree.rewind(target, 0).expect("a rewind").is_some());
            },
        ));
    }
    let outcome = contest(length, contestants);
    outcome.print("Rewind");
    outcome.print_growth(sizes, "rewind", 1);
    outcome
}
