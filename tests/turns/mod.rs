//! A session is in one turn at a time, whoever asks, from whatever process; and a turn that is over says so.

mod holding;
mod losing;

use crate::process::Other;
use session_tree::{
    Clock, ErrorKind, GuardKind, Message, NewNode, SessionTree, Store, SystemClock, Turn,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A machine's clocks, as a test sets them.
#[derive(Clone, Default)]
pub struct Machine {
    wall_ms: Arc<AtomicI64>,
    suspended_ms: Arc<AtomicI64>,
}

impl Machine {
    pub fn set_wall(&self, ms: i64) {
        self.wall_ms.store(ms, Ordering::SeqCst);
    }

    /// The machine sleeps: its clock since boot goes on, and nobody on it could show a sign of life.
    pub fn sleep_for(&self, ms: i64) {
        self.suspended_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for Machine {
    fn now_ms(&self) -> i64 {
        self.wall_ms.load(Ordering::SeqCst)
    }

    fn boot_ms(&self) -> i64 {
        SystemClock.boot_ms() + self.suspended_ms.load(Ordering::SeqCst)
    }
}

pub struct Bench {
    pub directory: tempfile::TempDir,
    pub path: PathBuf,
    pub machine: Machine,
    pub tree: SessionTree,
}

/// A store on disk with one session `n0 <- n1 <- n2`, opened by `me`.
pub fn bench() -> Bench {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let machine = Machine::default();
    let store = Store::builder()
        .actor("me")
        .clock(machine.clone())
        .open(&path)
        .unwrap();
    let messages = [
        Message::user("one"),
        Message::assistant("two"),
        Message::user("three"),
    ];
    let tree = store.from_linear(messages, None).unwrap();
    Bench {
        directory,
        path,
        machine,
        tree,
    }
}

fn say(text: &str) -> Message {
    Message::assistant(text)
}

pub fn kind<T: std::fmt::Debug>(result: session_tree::Result<T>) -> ErrorKind {
    result.unwrap_err().kind()
}

/// The texts of the active branch's messages.
pub fn texts(tree: &SessionTree) -> Vec<String> {
    let messages = tree.linear_projection().unwrap();
    let text = |message: &Message| message.parsed().unwrap().content.unwrap_or_default();
    messages.iter().map(text).collect()
}

/// Every move there is, as an outsider tries it.
fn moves(tree: &SessionTree) -> Vec<(&'static str, session_tree::Result<()>)> {
    let options = session_tree::NavigateOptions::default();
    vec![
        (
            "append_message",
            tree.append_message(say("x"), None).map(drop),
        ),
        (
            "append_many",
            tree.append_many([NewNode::message(say("x"))]).map(drop),
        ),
        (
            "append elsewhere",
            tree.append(NewNode::message(say("x")).on_branch("side"))
                .map(drop),
        ),
        ("rewind", tree.rewind("n0", None).map(drop)),
        ("branch", tree.branch("n0", None, None).map(drop)),
        (
            "create_branch",
            tree.create_branch(Some("n0"), None, None).map(drop),
        ),
        ("switch_branch", tree.switch_branch("side")),
        ("begin_turn", tree.begin_turn(None).map(drop)),
        (
            "plan_navigation",
            tree.plan_navigation("n0", &options).map(drop),
        ),
        ("navigate", tree.navigate("n0", &options, None).map(drop)),
        ("fork", tree.fork(Some("n0")).map(drop)),
        ("undo", tree.undo(None).map(drop)),
        ("redo", tree.redo(None).map(drop)),
        ("delete", tree.store().delete_session(tree.id())),
    ]
}
