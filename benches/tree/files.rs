//! The files that are measured: stores of a given shape, and bare tables that hold the same payloads.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use session_tree::{Durability, Message, NewNode, NewSession, SessionTree, Store};

/// Sizes of payloads in bytes, as messages have them: many short ones, few long ones, 2,060 in the mean.
const SIZES: [usize; 16] = [
    150, 200, 260, 340, 440, 570, 740, 960, 1_240, 1_610, 2_090, 2_710, 3_510, 4_560, 5_910, 7_670,
];

/// The size at a place: each 16 places have each size once, in another order than those before, so that it is not the order
/// of sizes that decides how well they fill the pages.
fn size(place: usize) -> usize {
    let (block, nth) = (place / SIZES.len(), place % SIZES.len());
    SIZES[(nth * 5 + block * 7) % SIZES.len()]
}

/// The payload that stands at this place of a path.
pub fn payload(place: usize) -> String {
    let role = if place.is_multiple_of(2) {
        "user"
    } else {
        "assistant"
    };
    let mut text = format!(r#"{{"role":"{role}","content":"message {place}: "#);
    let size = size(place);
    while text.len() + 2 < size {
        text.push_str("the quick brown fox jumps over the lazy dog and goes on. ");
    }
    text.truncate(size - 2);
    text.push_str("\"}");
    text
}

/// The payloads of the first places, made beforehand so that making them is not measured.
pub fn payloads() -> Vec<String> {
    (0..1_024).map(payload).collect()
}

pub fn message(place: usize) -> Message {
    Message::new(payload(place)).expect("a payload is a message")
}

/// How a tree's main path lies in the order of writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each node follows its parent.
    Unbroken,
    /// After so many nodes of the path, as many of another one.
    Runs(usize),
}

/// A directory for the measured files, on the disk that the build is on; removed at the end.
pub struct Bench {
    directory: tempfile::TempDir,
}

/// A store with an unbroken path of so many nodes, and a bare table with the same payloads.
pub struct Sized {
    pub nodes: usize,
    pub store: PathBuf,
    pub floor: PathBuf,
}

pub fn session_name(number: usize) -> String {
    format!("session-{number}")
}

impl Bench {
    pub fn new() -> Bench {
        let root = std::env::var_os("ST_BENCH_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
        Bench {
            directory: tempfile::tempdir_in(root).expect("a directory for the files"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn sized(&self, nodes: usize) -> Sized {
        Sized {
            nodes,
            store: self.store(&format!("{nodes}.db"), nodes, Shape::Unbroken),
            floor: self.floor(&format!("{nodes}.floor"), nodes),
        }
    }

    /// A closed store with one session whose branch `main` has a path of `nodes` messages.
    pub fn store(&self, name: &str, nodes: usize, shape: Shape) -> PathBuf {
        let path = self.path(name);
        let store = open(&path, Durability::Off);
        let tree = store
            .create_session_with(&NewSession::new().id(session_name(0)))
            .expect("a session");
        let run = match shape {
            Shape::Unbroken => nodes.max(1),
            Shape::Runs(run) => {
                tree.create_branch(None, Some("aside"), 0)
                    .expect("a branch");
                run
            }
        };
        let on = |branch: &'static str| {
            move |place: usize| NewNode::message(message(place)).on_branch(branch).at(0)
        };
        let mut batch: Vec<NewNode> = Vec::new();
        for first in (0..nodes).step_by(run) {
            for part in (first..(first + run).min(nodes)).step_by(5_000) {
                batch.extend((part..(part + 5_000).min(first + run).min(nodes)).map(on("main")));
                flush(&tree, &mut batch, 5_000);
            }
            if shape != Shape::Unbroken {
                batch.extend((first..(first + run).min(nodes)).map(on("aside")));
            }
        }
        flush(&tree, &mut batch, 1);
        path
    }

    /// A closed bare table with the payloads of that path.
    pub fn floor(&self, name: &str, rows: usize) -> PathBuf {
        let path = self.path(name);
        let conn = floor_connection(&path, "OFF");
        conn.execute_batch("BEGIN").expect("a transaction");
        {
            let mut insert = conn.prepare(FLOOR_INSERT).expect("a statement");
            for place in 0..rows {
                insert.execute((payload(place),)).expect("a row");
            }
        }
        conn.execute_batch("COMMIT").expect("a commit");
        path
    }
}

fn flush(tree: &SessionTree, batch: &mut Vec<NewNode>, at_least: usize) {
    if batch.len() >= at_least {
        tree.append_many(batch.drain(..)).expect("nodes");
    }
}

pub fn open(path: &Path, durability: Durability) -> Store {
    Store::builder()
        .durability(durability)
        .open(path)
        .expect("a store")
}

pub const FLOOR_INSERT: &str = "INSERT INTO floor (payload) VALUES (?1)";

/// A bare table in a file of its own, under the pragmas a store has.
pub fn floor_connection(path: &Path, synchronous: &str) -> Connection {
    let conn = Connection::open(path).expect("a file");
    settings(&conn, synchronous);
    conn.execute_batch("CREATE TABLE IF NOT EXISTS floor (id INTEGER PRIMARY KEY, payload TEXT)")
        .expect("a table");
    conn
}

/// Makes a connection as careful as the store's own ones.
pub fn settings(conn: &Connection, synchronous: &str) {
    conn.execute_batch(&format!(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = {synchronous};
         PRAGMA journal_size_limit = 67108864;
         PRAGMA foreign_keys = ON;
         PRAGMA recursive_triggers = ON;
         PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON;
         PRAGMA cache_size = -4096;
         PRAGMA mmap_size = 0;"
    ))
    .expect("pragmas");
}
