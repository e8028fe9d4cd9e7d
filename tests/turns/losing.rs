//! Turns that end otherwise than by their holder: killed, silent, released, overtaken.

use super::*;

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
        turn.undo(None).map(drop),
        turn.redo(None).map(drop),
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
