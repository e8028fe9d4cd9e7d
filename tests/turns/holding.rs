//! What a turn keeps out, what it lets through, and how it follows its own moves.

use super::*;

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
    let again = theirs.who().unwrap().unwrap();
    assert_eq!((again.actor.as_str(), again.began_at_ms), ("me", 77));
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
