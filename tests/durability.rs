//! What is acknowledged is in the file, whoever else writes to it and whenever the writer is killed.
//!
//! The other processes are this test binary again. A kill counts only if it landed inside a transaction: the process is
//! stopped first, and whoever then cannot begin a write has found it inside one.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use rustix::process::{Pid, Signal, kill_process};
use session_tree::{Durability, ErrorKind, Message, NewNode, Selection, Store};

use crate::support::full;

const JOB: &str = "ST_DURABILITY_JOB";
const PATH: &str = "ST_DURABILITY_PATH";

/// Another process with one job on one file. It begins when it is told to.
struct Worker {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Worker {
    fn start(job: &str, path: &Path) -> Worker {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "durability::worker",
                "--exact",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(JOB, job)
            .env(PATH, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut worker = Worker { child, output };
        assert_eq!(worker.line().as_deref(), Some("ready"));
        worker
    }

    fn go(&mut self) {
        writeln!(self.child.stdin.as_mut().unwrap(), "go").unwrap();
    }

    /// The next line it says, or `None` when it has ended.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(said) = line.trim_end().strip_prefix("=> ") {
                return Some(said.to_owned());
            }
        }
    }

    fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.line()).collect()
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Stops the process, and says whether it stands inside a write transaction on the file.
    fn stop_and_look(&self, path: &Path) -> bool {
        self.signal(Signal::STOP);
        let stat = format!("/proc/{}/stat", self.child.id());
        while !std::fs::read_to_string(&stat).unwrap().contains(") T ") {
            std::thread::yield_now();
        }
        holds_the_write_lock(path)
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn holds_the_write_lock(path: &Path) -> bool {
    let Ok(mut conn) = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE) else {
        return false;
    };
    conn.busy_timeout(Duration::ZERO).unwrap();
    conn.transaction_with_behavior(TransactionBehavior::Immediate)
        .is_err()
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n=> {text}").unwrap();
    out.flush().unwrap();
}

/// Not a promise of its own: the body of the other processes. Without the variable it has nothing to do.
#[test]
fn worker() {
    let (Ok(job), Ok(path)) = (std::env::var(JOB), std::env::var(PATH)) else {
        return;
    };
    say("ready");
    let mut go = String::new();
    std::io::stdin().read_line(&mut go).unwrap();
    match job.as_str() {
        "open" => drop(Store::open(&path).unwrap()),
        "append 100" => append_100(&path),
        "append for ever" => append_for_ever(&path),
        "append expecting" => append_expecting(&path),
        other => panic!("no such job: {other}"),
    }
    say("done");
}

/// Opens the file, whoever makes it, and appends 100 messages. Says each id, and the longest it waited.
fn append_100(path: &str) {
    let store = Store::open(path).unwrap();
    let tree = store.open_or_create_session("shared").unwrap();
    let mut longest = Duration::ZERO;
    for turn in 0..100 {
        let before = Instant::now();
        let id = tree
            .append_message(Message::user(&turn.to_string()), None)
            .unwrap();
        longest = longest.max(before.elapsed());
        say(&id);
    }
    say(&format!("longest {}", longest.as_millis()));
}

/// Appends until it is killed, in transactions of three nodes. Says the last id of each.
fn append_for_ever(path: &str) {
    let tree = Store::open(path)
        .unwrap()
        .open_or_create_session("shared")
        .unwrap();
    let text = "x".repeat(3000);
    loop {
        let three = (0..3).map(|_| NewNode::message(Message::user(&text)));
        say(&tree.append_many(three).unwrap()[2]);
    }
}

/// Appends 50 messages, each only under the leaf it has just seen. Says how often somebody was quicker.
fn append_expecting(path: &str) {
    let tree = Store::builder()
        .durability(Durability::Normal)
        .open(path)
        .unwrap()
        .open_session("shared")
        .unwrap();
    let mut moved = 0;
    for turn in 0..50 {
        loop {
            let leaf = tree.info().unwrap().leaf;
            let node =
                NewNode::message(Message::user(&turn.to_string())).expecting_leaf(leaf.as_deref());
            match tree.append(node) {
                Ok(id) => break say(&id),
                Err(error) => assert_eq!(error.kind(), ErrorKind::LeafMoved, "{error}"),
            }
            moved += 1;
        }
    }
    say(&format!("moved {moved}"));
}

#[test]
fn sixteen_processes_open_a_new_file_at_once_and_append() {
    let rounds = if full() { 5 } else { 1 };
    for _ in 0..rounds {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("agent.db");
        let mut workers: Vec<Worker> = (0..16)
            .map(|_| Worker::start("append 100", &path))
            .collect();
        workers.iter_mut().for_each(Worker::go);
        let (mut acknowledged, mut longest) = (Vec::new(), 0);
        for worker in &mut workers {
            let mut said = worker.rest();
            assert_eq!(said.pop().as_deref(), Some("done"), "a process failed");
            let wait: u64 = said
                .pop()
                .unwrap()
                .strip_prefix("longest ")
                .unwrap()
                .parse()
                .unwrap();
            longest = longest.max(wait);
            acknowledged.extend(said);
        }
        println!("16 processes x 100 appends: the longest wait was {longest} ms");
        let tree = Store::open(&path).unwrap().open_session("shared").unwrap();
        let distinct: BTreeSet<&String> = acknowledged.iter().collect();
        assert_eq!((acknowledged.len(), distinct.len()), (1600, 1600));
        let path: BTreeSet<String> = tree
            .active_path()
            .unwrap()
            .iter()
            .map(|id| id.to_string())
            .collect();
        assert!(acknowledged.iter().all(|id| path.contains(id)) && path.len() == 1600);
        assert!(longest < 30_000, "a process waited past the deadline");
    }
}

#[test]
fn a_stale_writer_is_told_and_nothing_forks() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let tree = Store::open(&path)
        .unwrap()
        .open_or_create_session("shared")
        .unwrap();
    let mut workers: Vec<Worker> = (0..4)
        .map(|_| Worker::start("append expecting", &path))
        .collect();
    workers.iter_mut().for_each(Worker::go);
    let (mut acknowledged, mut moved) = (0, 0);
    for worker in &mut workers {
        let said = worker.rest();
        assert_eq!(
            said.last().map(String::as_str),
            Some("done"),
            "a process failed"
        );
        acknowledged += said.len() - 2;
        moved += said[said.len() - 2]
            .strip_prefix("moved ")
            .unwrap()
            .parse::<u64>()
            .unwrap();
    }
    println!(
        "4 processes x 50 appends under the leaf they had seen: {moved} came too late and were told"
    );
    assert_eq!(acknowledged, 200);
    assert_eq!(tree.active_path().unwrap().len(), 200);
    assert_eq!(tree.leaves().unwrap().len(), 1);
}

#[test]
fn a_killed_migration_leaves_the_old_version_or_the_new_one() {
    let wanted = if full() { 40 } else { 4 };
    let (mut inside, mut old, mut new) = (0, 0, 0);
    let mut spins = 0;
    for _ in 0..20_000 {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("agent.db");
        let mut worker = Worker::start("open", &path);
        worker.go();
        while !path.exists() {
            std::thread::yield_now();
        }
        // A little later each time, so that the kills walk through the whole of it.
        for _ in 0..spins {
            std::hint::spin_loop();
        }
        spins = (spins + 1009) % 400_000;
        let landed_inside = worker.stop_and_look(&path);
        worker.kill();
        let conn = Connection::open(&path).unwrap();
        let version: i32 = conn
            .query_row("PRAGMA user_version", (), |row| row.get(0))
            .unwrap();
        let objects: i64 = conn
            .query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))
            .unwrap();
        drop(conn);
        assert!(
            (version == 0 && objects == 0) || (version == 1 && objects > 20),
            "version {version}, {objects} objects"
        );
        Store::open(&path)
            .unwrap()
            .from_linear([Message::user("hi")], None)
            .unwrap();
        if landed_inside {
            inside += 1;
            if version == 0 { old += 1 } else { new += 1 }
        }
        if inside == wanted {
            break;
        }
    }
    println!("{inside} kills inside the migration: {old} left the old version, {new} the new one");
    assert_eq!(inside, wanted);
}

#[test]
fn a_killed_writer_loses_nothing_it_was_told_is_safe() {
    let wanted = if full() { 60 } else { 6 };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let tree = Store::open(&path)
        .unwrap()
        .open_or_create_session("shared")
        .unwrap();
    let (mut kills, mut inside) = (0, 0);
    while inside < wanted {
        assert!(
            kills < 100 * wanted,
            "{inside} of {kills} kills landed inside a transaction"
        );
        let mut worker = Worker::start("append for ever", &path);
        worker.go();
        let mut acknowledged = Vec::new();
        for _ in 0..=kills % 7 {
            acknowledged.extend(worker.line());
        }
        inside += usize::from(worker.stop_and_look(&path));
        worker.kill();
        kills += 1;
        // What the pipe still held was acknowledged too.
        acknowledged.extend(worker.rest());
        for id in &acknowledged {
            assert!(
                tree.contains(id).unwrap(),
                "{id} was acknowledged and is gone"
            );
        }
        let nodes = tree.path_ids(&Selection::default()).unwrap().len();
        assert_eq!(nodes % 3, 0, "a transaction of three was torn");
    }
    println!(
        "{kills} kills, {inside} of them inside a transaction: every acknowledged node is there"
    );
}
