//! Two at once: turns, navigations, aborts, kills and writers from outside the guards.

use super::*;

#[test]
fn nobody_moves_while_a_summary_is_written() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let other = RefCell::new(Other::start(&path, &tree));
    let summarizer = Summarizer(|_: &SummaryRequest<'_>| {
        // No transaction is open: labels go through. Everything that moves meets the guard.
        tree.label("n0", "meanwhile")?;
        for command in ["begin", "plan n1", "append x", "rewind n0", "fork n0"] {
            let answer = other.borrow_mut().ask(command);
            assert!(
                answer.starts_with("busy: ") && answer.contains("navigation of `me`"),
                "{answer}"
            );
        }
        let holder = tree.who()?.expect("the navigation");
        assert_eq!(
            (holder.kind, holder.is_alive),
            (GuardKind::Navigation, true)
        );
        Ok(String::from("short"))
    });
    let done = tree
        .navigate("n0", &summarizing(), Some(&summarizer))
        .unwrap();
    assert!(done.summary_node.is_some());
    assert_eq!(other.borrow_mut().ask("begin"), "ok");
}

/// The summariser hangs. Somebody aborts: the session is free at once, and the navigation says what happened.
#[test]
fn a_navigation_is_aborted_from_another_thread() {
    let tree = talk();
    let before = seen(&tree);
    let (began, has_begun) = mpsc::channel();
    let navigating = tree.clone();
    let thread = std::thread::spawn(move || {
        let summarizer = Summarizer(|request: &SummaryRequest<'_>| {
            began.send(request.abort.clone()).unwrap();
            while !request.abort.is_aborted() {
                std::thread::yield_now();
            }
            Err(failed("I was stopped"))
        });
        navigating.navigate("n1", &summarizing(), Some(&summarizer))
    });
    let handle = has_begun.recv().unwrap();
    assert!(!handle.is_aborted());
    assert!(handle.abort().unwrap());
    assert!(!handle.abort().unwrap(), "once is enough");
    let done = thread.join().unwrap().unwrap();
    assert_eq!(
        (done.cancelled, done.aborted, done.leaf.as_deref()),
        (true, true, Some("n5"))
    );
    assert_eq!(seen(&tree), before);
}

/// It is aborted from another process, and the summariser does not even look: its text comes too late.
#[test]
fn a_navigation_is_aborted_from_another_process() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let other = RefCell::new(Other::start(&path, &tree));
    let summarizer = Summarizer(|_: &SummaryRequest<'_>| {
        assert_eq!(other.borrow_mut().ask("abort_navigation"), "true");
        assert_eq!(other.borrow_mut().ask("append free again"), "n3");
        Ok(String::from("too late"))
    });
    let done = tree
        .navigate("n0", &summarizing(), Some(&summarizer))
        .unwrap();
    assert_eq!(
        (done.cancelled, done.aborted, done.leaf.as_deref()),
        (true, true, Some("n3"))
    );
    assert_eq!(texts(&tree), ["one", "two", "three", "free again"]);
    assert_eq!(other.borrow_mut().ask("abort_navigation"), "false");
    // A turn is no navigation.
    let _turn = tree.begin_turn(None).unwrap();
    assert_eq!(other.borrow_mut().ask("abort_navigation"), "false");
}

#[test]
fn of_two_navigations_at_once_one_goes_on() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    let mine = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    let answer = other.ask("plan n1");
    assert!(
        answer.starts_with("busy: ") && answer.contains("navigation of `me`"),
        "{answer}"
    );
    mine.commit(None).unwrap();
    assert_eq!(other.ask("plan n1"), "ok");
    assert_eq!(
        kind(tree.navigate("n2", &NavigateOptions::new(), None)),
        ErrorKind::Busy
    );
    assert_eq!(other.ask("commit"), r#"cancelled=false leaf=Some("n1")"#);
}

#[test]
fn a_killed_process_frees_its_navigation() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let before = (tree.outline(0, 100).unwrap(), tree.branches().unwrap());
    let mut other = Other::start(&path, &tree);
    assert_eq!(other.ask("plan n0"), "ok");
    assert_eq!(
        kind(tree.append_message(Message::user("x"), None)),
        ErrorKind::Busy
    );
    other.kill();
    assert_eq!(
        (tree.outline(0, 100).unwrap(), tree.branches().unwrap()),
        before
    );
    let done = tree.navigate("n1", &NavigateOptions::new(), None).unwrap();
    assert_eq!(done.leaf.as_deref(), Some("n1"));
    assert_eq!(tree.who().unwrap(), None);
}

/// The machine slept through a navigation, and somebody went on. Its owner comes back with a paid summary.
#[test]
fn a_navigation_that_was_overtaken_says_so() {
    let Bench {
        tree,
        path,
        machine,
        directory: _kept,
    } = bench();
    let mut other = Other::start(&path, &tree);
    assert_eq!(other.ask("plan n0"), "ok");
    machine.sleep_for(31_000);
    tree.label("n0", "a label takes nothing from anybody")
        .unwrap();
    assert!(!tree.who().unwrap().unwrap().is_alive);
    tree.append_message(Message::user("four"), None).unwrap();
    let answer = other.ask("commit");
    assert!(answer.starts_with("leaf_moved: "), "{answer}");
    assert_eq!(texts(&tree).len(), 4);
    assert_eq!(tree.who().unwrap(), None);
}

/// Between plan and commit the leaf can move only from outside the guards.
#[test]
fn a_leaf_that_moved_between_plan_and_commit() {
    let sql = "INSERT INTO branches (session_key, name, leaf_key, created_at_ms) SELECT session_key, 'kept', leaf_key, 0
        FROM branches WHERE name = 'main'; UPDATE branches SET leaf_key = leaf_key - 1 WHERE name = 'main';";
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let navigation = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    if !crate::support::sqlite3(&path, sql) {
        return;
    }
    let error = navigation.commit(Some("a summary".into())).unwrap_err();
    assert_eq!(
        (error.kind(), error.node()),
        (ErrorKind::LeafMoved, Some("n1"))
    );
    assert_eq!((texts(&tree).len(), tree.who().unwrap()), (2, None));
    // Another branch was made active.
    let navigation = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    assert!(crate::support::sqlite3(
        &path,
        "UPDATE sessions SET active_branch_key = (SELECT key FROM branches WHERE name = 'kept');"
    ));
    assert_eq!(kind(navigation.commit(None)), ErrorKind::LeafMoved);
    assert_eq!(
        (ends(&tree), tree.who().unwrap()),
        (vec!["*kept n2".to_owned(), "main n1".to_owned()], None)
    );
}

#[test]
fn a_released_navigation_is_lost_and_names_who_went_on() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    let navigation = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    assert_eq!(other.ask("release"), "true");
    let error = navigation.commit(None).unwrap_err();
    assert_eq!(
        (error.kind(), error.actor()),
        (ErrorKind::TurnLost, Some("other"))
    );
    let navigation = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    assert_eq!(other.ask("release"), "true");
    assert!(other.ask("rewind n1").contains("main-rewound"));
    let error = navigation.commit(None).unwrap_err();
    assert_eq!(
        (error.kind(), error.actor(), error.node()),
        (ErrorKind::LeafMoved, Some("other"), Some("n1"))
    );
    assert_eq!(texts(&tree).len(), 2);
}
