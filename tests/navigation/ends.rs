//! Where a navigation ends, and what it leaves alone.

use super::*;

#[test]
fn where_a_navigation_ends() {
    let rewound = Some("main-rewound");
    let cases = [
        Case {
            target: "n0",
            leaf: None,
            editor_text: Some("ab"),
            preserved: rewound,
        },
        Case {
            target: "n2",
            leaf: Some("n1"),
            editor_text: Some("more"),
            preserved: rewound,
        },
        Case {
            target: "n1",
            leaf: Some("n1"),
            editor_text: None,
            preserved: rewound,
        },
        Case {
            target: "n4",
            leaf: Some("n3"),
            editor_text: Some("noted"),
            preserved: rewound,
        },
        Case {
            target: "n5",
            leaf: Some("n5"),
            editor_text: None,
            preserved: None,
        },
    ];
    for case in cases {
        let tree = talk();
        let done = tree
            .navigate(case.target, &NavigateOptions::new(), None)
            .unwrap();
        let name = case.target;
        assert!(
            !done.cancelled && !done.aborted && done.after_error.is_none(),
            "{name}"
        );
        assert_eq!(done.leaf.as_deref(), case.leaf, "{name}");
        assert_eq!(done.editor_text.as_deref(), case.editor_text, "{name}");
        assert_eq!(done.preserved_branch.as_deref(), case.preserved, "{name}");
        assert_eq!(tree.info().unwrap().leaf.as_deref(), case.leaf, "{name}");
        assert_eq!(
            tree.outline(0, 100).unwrap().len(),
            6,
            "{name}: no node is written"
        );
        assert_eq!(tree.who().unwrap(), None, "{name}");
        assert!(
            tree.leaves().unwrap().iter().any(|leaf| *leaf == "n5"),
            "{name}"
        );
    }
}

#[test]
fn a_move_to_the_leaf_does_nothing_not_even_a_label() {
    let tree = talk();
    let before = (seen(&tree), tree.cursor().unwrap());
    let options = summarizing().label("here");
    let done = tree.navigate("n5", &options, None).unwrap();
    assert_eq!((done.cancelled, done.leaf.as_deref()), (false, Some("n5")));
    assert_eq!((seen(&tree), tree.cursor().unwrap()), before);
}

#[test]
fn an_old_leaf_that_has_a_name_gets_no_second_one() {
    let tree = talk();
    tree.navigate("n2", &NavigateOptions::new(), None).unwrap();
    // n1 has a child, so nothing is lost when the branch leaves it.
    let forward = tree.navigate("n3", &NavigateOptions::new(), None).unwrap();
    assert_eq!(forward.preserved_branch, None);
    tree.append_message(Message::user("new"), None).unwrap();
    let away = tree.navigate("n5", &NavigateOptions::new(), None).unwrap();
    assert_eq!(away.preserved_branch.as_deref(), Some("main-rewound-2"));
    // Two names at one leaf: n5 belongs to main-rewound too.
    let back = tree.navigate("n6", &NavigateOptions::new(), None).unwrap();
    assert_eq!(
        (back.preserved_branch.as_deref(), back.leaf.as_deref()),
        (None, Some("n3"))
    );
}

#[test]
fn an_orphan_user_message_can_be_reached() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let store = Store::open(&path).unwrap();
    let tree = store.from_linear([Message::user("one")], None).unwrap();
    let orphan = "INSERT INTO nodes (key, id, run_start, messages, kind, role, created_at_ms, missing_parent, preview, payload)
        VALUES ((1 << 32) + 1, 'lost', (1 << 32) + 1, 2, 'message', 'user', 0, 'gone', '', '{\"role\":\"user\",\"content\":\"hm\"}');
        INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'lost', (1 << 32) + 1, 0);";
    if !crate::support::sqlite3(&path, orphan) {
        return;
    }
    let done = tree
        .navigate("lost", &NavigateOptions::new(), None)
        .unwrap();
    assert_eq!((done.leaf, done.editor_text.as_deref()), (None, Some("hm")));
    tree.append_message(Message::user("anew"), None).unwrap();
    assert_eq!(texts(&tree), ["anew"]);
}

#[test]
fn checks_come_in_this_order() {
    let tree = talk();
    let other = tree.store().open_session(tree.id()).unwrap();
    {
        let turn = tree.begin_turn(None).unwrap();
        let error = other.navigate("n5", &summarizing(), None).unwrap_err();
        assert_eq!(
            error.busy_with(),
            Some(GuardKind::Turn),
            "before the target is looked at"
        );
        drop(turn);
        let navigation = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
        let error = other.navigate("n5", &summarizing(), None).unwrap_err();
        assert_eq!(error.busy_with(), Some(GuardKind::Navigation));
        assert_eq!(
            kind(other.append_message(Message::user("x"), None)),
            ErrorKind::Busy
        );
        navigation.abort().unwrap();
    }
    let before = seen(&tree);
    let error = tree.navigate("nowhere", &summarizing(), None).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            ErrorKind::SummarizerFailed,
            "No model available for summarization"
        )
    );
    let error = tree
        .navigate("nowhere", &NavigateOptions::new(), None)
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.node()),
        (ErrorKind::NodeNotFound, Some("nowhere"))
    );
    assert_eq!(seen(&tree), before);
}

#[test]
fn a_dropped_plan_is_no_navigation() {
    let tree = talk();
    let before = (seen(&tree), tree.cursor().unwrap());
    drop(tree.plan_navigation("n0", &summarizing()).unwrap());
    tree.plan_navigation("n0", &summarizing())
        .unwrap()
        .abort()
        .unwrap();
    assert_eq!((seen(&tree), tree.cursor().unwrap()), before);
}

#[test]
fn a_plan_knows_its_way_and_can_be_carried_to_another_thread() {
    fn carried<T: Send + 'static>() {}
    carried::<Navigation>();
    let tree = talk();
    let navigation = tree.plan_navigation("n2", &summarizing()).unwrap();
    assert_eq!(navigation.target().map(|id| &**id), Some("n2"));
    assert_eq!(navigation.old_leaf().map(|id| &**id), Some("n5"));
    assert_eq!(navigation.new_leaf().map(|id| &**id), Some("n1"));
    assert_eq!(navigation.editor_text(), Some("more"));
    assert_eq!(navigation.left_behind().unwrap(), ["n3", "n4", "n5"]);
    let summary = session_tree::NavigationSummary::new("later").by_model("async");
    let done = std::thread::spawn(move || navigation.commit(Some(summary)))
        .join()
        .unwrap()
        .unwrap();
    assert_eq!(done.leaf.as_deref(), Some("n6"));
}

#[test]
fn a_session_whose_path_is_damaged_can_be_left() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    tree.append_message(Message::assistant("four"), None)
        .unwrap();
    let damage = "DROP TRIGGER nodes_guard_delete; DELETE FROM nodes WHERE key = (1 << 32) + 2;";
    if !crate::support::sqlite3(&path, damage) {
        return;
    }
    let summarizer = Summarizer(|_: &SummaryRequest<'_>| Ok(String::new()));
    assert_eq!(
        kind(tree.navigate("n1", &summarizing(), Some(&summarizer))),
        ErrorKind::Damaged
    );
    assert_eq!(tree.who().unwrap(), None);
    let done = tree.navigate("n1", &NavigateOptions::new(), None).unwrap();
    assert_eq!(done.leaf.as_deref(), Some("n1"));
    assert_eq!(texts(&tree), ["one", "two"]);
}
