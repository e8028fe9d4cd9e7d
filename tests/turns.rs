//! A session is in one turn at a time, whoever asks, from whatever process; and a turn that is over says so.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use session_tree::{
    Clock, ErrorKind, GuardKind, Message, NewNode, SessionTree, Store, SystemClock, Turn,
};

use crate::process::Other;

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

#[test]
fn a_turn_keeps_every_other_move_out_and_nothing_else() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    tree.create_branch(Some("n1"), Some("side"), None).unwrap();
    let turn = tree.begin_turn(None).unwrap();
    let elsewhere = Store::builder().actor("you").open(&path).unwrap();
    let elsewhere = elsewhere.open_session(tree.id()).unwrap();
    let before = tree.outline(0, 100).unwrap();
    for handle in [&tree, turn.tree(), &elsewhere] {
        for (name, result) in moves(handle) {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Busy, "{name}: {error}");
            assert!(error.is_retryable(), "{name}");
            assert_eq!(error.busy_with(), Some(GuardKind::Turn), "{name}");
            assert_eq!(error.actor(), Some("me"), "{name}");
        }
    }
    assert_eq!(tree.outline(0, 100).unwrap(), before);

    elsewhere.label("n0", "start").unwrap();
    elsewhere.rename(Some("renamed")).unwrap();
    elsewhere
        .summarize_branch("side", "short", None, None)
        .unwrap();
    elsewhere.archive_branch("side", true).unwrap();
    assert_eq!(texts(&elsewhere).len(), 3);
    let other_session = elsewhere.store().create_session().unwrap();
    let other_turn = other_session.begin_turn(None).unwrap();
    other_turn
        .append_message(say("sessions do not block each other"), None)
        .unwrap();
    turn.append_message(say("four"), None).unwrap();
    drop(turn);
    assert_eq!(elsewhere.append_message(say("five"), None).unwrap(), "n4");
}

#[test]
fn a_turn_follows_its_own_moves() {
    let Bench {
        tree,
        directory: _kept,
        ..
    } = bench();
    let turn = tree.begin_turn(None).unwrap();
    assert_eq!(turn.leaf().unwrap(), "n2");
    turn.append_many([NewNode::message(say("a")), NewNode::message(say("b"))])
        .unwrap();
    assert_eq!(
        turn.rewind("n3", None).unwrap().as_deref(),
        Some("main-rewound")
    );
    turn.append_message(say("c"), None).unwrap();
    assert_eq!(turn.branch("n0", Some("try"), None).unwrap(), "try");
    turn.append_message(say("d"), None).unwrap();
    assert_eq!(
        (turn.branch_name().as_str(), turn.leaf().unwrap().as_str()),
        ("try", "n6")
    );
    assert_eq!(tree.active_branch().unwrap(), "try");
    turn.switch_branch("main").unwrap();
    turn.append_message(say("e"), None).unwrap();
    turn.end().unwrap();
    assert_eq!(texts(&tree), ["one", "two", "three", "a", "c", "e"]);
    assert_eq!(tree.who().unwrap(), None);
}

#[test]
fn a_turn_on_another_branch_stays_there() {
    let Bench {
        tree,
        directory: _kept,
        ..
    } = bench();
    tree.create_branch(Some("n1"), Some("side"), None).unwrap();
    let turn = tree.begin_turn(Some("side")).unwrap();
    turn.append_message(say("aside"), None).unwrap();
    turn.rewind("n0", None).unwrap();
    turn.append(NewNode::message(say("to main")).on_branch("main"))
        .unwrap();
    turn.append_message(say("aside again"), None).unwrap();
    turn.end().unwrap();
    assert_eq!(tree.active_branch().unwrap(), "main");
    assert_eq!(texts(&tree), ["one", "two", "three", "to main"]);
    assert_eq!(tree.path_of("side").unwrap(), ["n0", "n5"]);
    assert_eq!(tree.path_of("side-rewound").unwrap(), ["n0", "n1", "n3"]);
    assert_eq!(
        kind(tree.begin_turn(Some("nowhere")).map(drop)),
        ErrorKind::BranchNotFound
    );
    assert_eq!(tree.who().unwrap(), None);
}

#[test]
fn a_node_appended_again_in_a_turn_is_there_once() {
    let Bench {
        tree,
        directory: _kept,
        ..
    } = bench();
    let turn = tree.begin_turn(None).unwrap();
    let node = || NewNode::message(say("four")).id("four");
    for _ in 0..2 {
        assert_eq!(turn.append(node()).unwrap(), "four");
    }
    assert_eq!(
        turn.append_many([node(), NewNode::message(say("five"))])
            .unwrap()
            .len(),
        2
    );
    turn.append_message(say("six"), None).unwrap();
    assert_eq!(texts(&tree).len(), 6);
}

#[test]
fn who_names_the_holder_without_writing() {
    let Bench {
        tree,
        path,
        machine,
        directory: _kept,
        ..
    } = bench();
    let reader = Store::builder().read_only().open(&path).unwrap();
    assert_eq!(reader.who().unwrap(), []);
    machine.set_wall(77);
    let turn = tree.begin_turn(None).unwrap();
    let seen = reader.who().unwrap();
    assert_eq!(seen.len(), 1);
    let holder = &seen[0];
    assert_eq!(
        (&holder.session, holder.kind, holder.actor.as_str()),
        (tree.id(), GuardKind::Turn, "me")
    );
    assert_eq!(
        (holder.branch.as_deref(), holder.leaf.as_deref()),
        (Some("main"), Some("n2"))
    );
    assert_eq!(
        (holder.pid, holder.began_at_ms, holder.is_alive),
        (Some(std::process::id()), 77, true)
    );
    let theirs = reader.open_session(tree.id()).unwrap();
    assert_eq!(theirs.who().unwrap().as_ref(), Some(holder));
    assert_eq!(kind(theirs.begin_turn(None).map(drop)), ErrorKind::ReadOnly);
    assert_eq!(kind(theirs.release()), ErrorKind::ReadOnly);
    drop(turn);
    assert_eq!(theirs.who().unwrap(), None);
}

#[test]
fn a_panic_ends_the_turn() {
    let Bench {
        tree,
        directory: _kept,
        ..
    } = bench();
    let in_turn = tree.clone();
    let panicked = std::thread::spawn(move || {
        let turn = in_turn.begin_turn(None).unwrap();
        turn.append_message(say("four"), None).unwrap();
        panic!("a tool failed (this panic is part of a test)");
    });
    assert!(panicked.join().is_err());
    assert_eq!(tree.who().unwrap(), None);
    assert_eq!(tree.append_message(say("five"), None).unwrap(), "n4");
}

/// The turn of a process that was killed is over at once: before its parent has asked for its end, and after.
#[test]
fn a_killed_process_frees_its_turn() {
    for kill in [Other::kill as fn(&mut Other), Other::kill_and_bury] {
        let Bench {
            tree,
            path,
            directory: _kept,
            ..
        } = bench();
        let mut other = Other::start(&path, &tree);
        assert_eq!(other.ask("begin"), "ok");
        assert_eq!(other.ask("append four"), "n3");
        assert_eq!(kind(tree.append_message(say("x"), None)), ErrorKind::Busy);
        kill(&mut other);
        let dead = tree.who().unwrap().unwrap();
        assert_eq!(
            (dead.actor.as_str(), dead.pid, dead.is_alive),
            ("other", Some(other.pid()), false)
        );
        let turn = tree.begin_turn(None).unwrap();
        assert_eq!(turn.leaf().unwrap(), "n3", "what was acknowledged is there");
        turn.append_message(say("five"), None).unwrap();
    }
}

#[test]
fn a_dead_holder_is_freed_by_whoever_comes_next_and_that_is_recorded() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    assert_eq!(other.ask("begin"), "ok");
    other.kill_and_bury();
    tree.append_message(say("four"), None).unwrap();
    assert_eq!(tree.who().unwrap(), None);
    let changes = tree.changes(None, 1000).unwrap();
    let release = changes
        .operations()
        .find(|it| it.verb == "release")
        .unwrap();
    assert_eq!(release.actor, "me");
    assert!(
        release.detail.contains(r#""of":"other""#) && release.detail.contains(r#""why":"gone""#),
        "{}",
        release.detail
    );
}

/// The machine slept, or the holder was stopped, for longer than the patience. It comes back and finds that it lost the turn.
#[test]
fn a_silent_holder_expires_and_learns_of_it() {
    let Bench {
        tree,
        path,
        machine,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    assert_eq!(other.ask("begin"), "ok");
    machine.sleep_for(29_000);
    assert_eq!(kind(tree.rewind("n0", None)), ErrorKind::Busy);
    machine.sleep_for(2_000);
    assert!(!tree.who().unwrap().unwrap().is_alive);
    tree.rewind("n0", None).unwrap();
    let answer = other.ask("append late");
    assert!(
        answer.starts_with("turn_lost: ") && answer.contains("`me`"),
        "{answer}"
    );
    assert_eq!(texts(&tree), ["one"]);
    let mine = tree.begin_turn(None).unwrap();
    let answer = other.ask("append late");
    assert!(
        answer.starts_with("turn_lost: ") && answer.contains("`me` holds the session now"),
        "{answer}"
    );
    assert_eq!(other.ask("end"), "ok", "ending what is lost does no harm");
    mine.append_message(say("still mine"), None).unwrap();
}

/// A holder that was silent for too long but that nobody replaced has lost nothing.
#[test]
fn an_expired_turn_that_nobody_took_goes_on() {
    let Bench {
        tree,
        machine,
        directory: _kept,
        ..
    } = bench();
    let turn = tree.begin_turn(None).unwrap();
    machine.sleep_for(60_000);
    assert!(!tree.who().unwrap().unwrap().is_alive);
    turn.append_message(say("four"), None).unwrap();
    assert_eq!(texts(&tree).len(), 4);
}

#[test]
fn the_wall_clock_has_no_effect_on_turns() {
    let Bench {
        tree,
        machine,
        directory: _kept,
        ..
    } = bench();
    machine.set_wall(1_700_000_000_000);
    let turn = tree.begin_turn(None).unwrap();
    for wall in [0, -5, i64::MAX, 1_700_000_000_000 + 86_400_000] {
        machine.set_wall(wall);
        assert_eq!(
            kind(tree.append_message(say("x"), None)),
            ErrorKind::Busy,
            "{wall}"
        );
        turn.append_message(say("on"), None).unwrap();
    }
}

#[test]
fn a_released_turn_is_lost_and_says_to_whom() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let turn = tree.begin_turn(None).unwrap();
    let mut other = Other::start(&path, &tree);
    assert_eq!(other.ask("release"), "true");
    assert_eq!(other.ask("release"), "false");
    let error = turn.append_message(say("late"), None).unwrap_err();
    assert_eq!(
        (error.kind(), error.actor()),
        (ErrorKind::TurnLost, Some("other"))
    );
    assert_eq!(other.ask("append mine"), "n3");
    for result in [
        turn.append_message(say("late"), None).map(drop),
        turn.append_many([NewNode::message(say("late"))]).map(drop),
        turn.rewind("n0", None).map(drop),
        turn.branch("n0", None, None).map(drop),
        turn.switch_branch("main"),
    ] {
        assert_eq!(kind(result), ErrorKind::TurnLost);
    }
    drop(turn);
    assert_eq!(texts(&tree), ["one", "two", "three", "mine"]);
}

/// The fencing number tells a turn from the next one of the same process.
#[test]
fn a_lost_turn_does_not_come_back_through_a_new_one() {
    let Bench {
        tree,
        directory: _kept,
        ..
    } = bench();
    let old = tree.begin_turn(None).unwrap();
    tree.release().unwrap();
    let new = tree.begin_turn(None).unwrap();
    assert_eq!(
        kind(old.append_message(say("late"), None)),
        ErrorKind::TurnLost
    );
    drop(old);
    new.append_message(say("four"), None).unwrap();
    assert_eq!(tree.who().unwrap().unwrap().kind, GuardKind::Turn);
}

/// A leaf can move during a turn only from outside the guards: any program can write to the file.
#[test]
fn a_leaf_moved_from_outside_is_found_by_the_turn() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let turn = tree.begin_turn(None).unwrap();
    let sql = "INSERT INTO branches (session_key, name, leaf_key, created_at_ms) SELECT key, 'kept', leaf_key, 0 FROM
        (SELECT session_key AS key, leaf_key FROM branches WHERE name = 'main');
        UPDATE branches SET leaf_key = leaf_key - 1 WHERE name = 'main';";
    if !crate::support::sqlite3(&path, sql) {
        return;
    }
    let error = turn.append_message(say("late"), None).unwrap_err();
    assert_eq!(
        (error.kind(), error.node(), error.actor()),
        (ErrorKind::LeafMoved, Some("n1"), None)
    );
    assert_eq!(kind(turn.rewind("n0", None)), ErrorKind::LeafMoved);
    drop(turn);
    assert_eq!(texts(&tree), ["one", "two"]);
}

#[test]
fn a_moved_leaf_names_who_moved_it() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    let stale = || {
        tree.append(NewNode::message(say("stale")).expecting_leaf(Some("n2")))
            .unwrap_err()
    };
    assert!(other.ask("rewind n0").contains("main-rewound"));
    let error = stale();
    assert_eq!(
        (error.kind(), error.actor()),
        (ErrorKind::LeafMoved, Some("other"))
    );
    assert_eq!(other.ask("begin"), "ok");
    assert_eq!(other.ask("append new"), "n3");
    assert_eq!(other.ask("end"), "ok");
    let error = stale();
    assert_eq!(
        (error.kind(), error.node(), error.actor()),
        (ErrorKind::LeafMoved, Some("n3"), Some("other"))
    );
    tree.append_message(say("mine"), None).unwrap();
    assert_eq!(stale().actor(), None, "an append leaves no name");
}

/// Two processes ask at the same moment, again and again: one gets the turn, the other is told so.
#[test]
fn one_of_two_that_begin_at_once_gets_the_turn() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut others: Vec<Other> = (0..2).map(|_| Other::start(&path, &tree)).collect();
    for round in 0..20 {
        for other in &mut others {
            other.send("begin");
        }
        let answers: Vec<String> = others.iter_mut().map(Other::answer).collect();
        let winners: Vec<usize> = (0..2).filter(|at| answers[*at] == "ok").collect();
        assert_eq!(winners.len(), 1, "round {round}: {answers:?}");
        assert!(answers[1 - winners[0]].starts_with("busy: "), "{answers:?}");
        assert_eq!(others[winners[0]].ask("end"), "ok");
    }
}

#[test]
fn a_turn_can_be_carried_to_another_thread() {
    fn carried<T: Send + Sync + 'static>() {}
    carried::<Turn>();
    let Bench {
        tree,
        directory: _kept,
        ..
    } = bench();
    let turn = Arc::new(tree.begin_turn(None).unwrap());
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let turn = Arc::clone(&turn);
            std::thread::spawn(move || {
                for _ in 0..10 {
                    turn.append_message(say("in parallel"), None).unwrap();
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(tree.active_path().unwrap().len(), 43);
}

/// The thread of the store shows life for a turn that does nothing. It does so within a few seconds; how soon is not promised.
#[test]
fn an_idle_turn_stays_alive() {
    let Bench {
        tree,
        machine,
        directory: _kept,
        ..
    } = bench();
    let _turn = tree.begin_turn(None).unwrap();
    machine.sleep_for(29_000);
    while tree.who().unwrap().unwrap().silent_ms >= 29_000 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    machine.sleep_for(2_000);
    assert!(tree.who().unwrap().unwrap().is_alive);
}
