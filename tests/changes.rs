//! Nodes and operations stand in the one order in which they happened, and a cursor never misses or repeats any.

use session_tree::{Change, Cursor, ErrorKind, Message, NavigateOptions, NewNode, SessionTree};

use crate::process::Other;
use crate::turns::{Bench, bench};

fn shown(change: &Change) -> String {
    match change {
        Change::Node(node) => node.id.to_string(),
        Change::Operation(operation) => format!("{} by {}", operation.verb, operation.actor),
        _ => unreachable!("there are two kinds"),
    }
}

fn all(tree: &SessionTree, since: Option<Cursor>, page: u32) -> Vec<String> {
    let (mut cursor, mut seen) = (since, Vec::new());
    loop {
        let found = tree.changes(cursor, page).unwrap();
        assert_eq!(
            found.more,
            found.changes.len() == page as usize && found.more
        );
        seen.extend(found.changes.iter().map(shown));
        if !found.more {
            assert_eq!(found.cursor, tree.cursor().unwrap());
            return seen;
        }
        // A cursor goes through text, as over a wire.
        cursor = Some(found.cursor.to_string().parse().unwrap());
    }
}

#[test]
fn what_happened_is_told_in_order_whoever_did_it() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    let start = tree.cursor().unwrap();
    tree.label("n0", "start").unwrap();
    other.ask("append four");
    other.ask("rewind n1");
    tree.append_many([
        NewNode::message(Message::user("a")),
        NewNode::message(Message::user("b")),
    ])
    .unwrap();
    let plan = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    plan.commit(Some("all".into())).unwrap();
    other.ask("append last");
    let since = [
        "label by me",
        "n3",
        "rewind by other",
        "n4",
        "n5",
        "n6",
        "navigate by me",
        "summarize by me",
        "n7",
    ];
    assert_eq!(all(&tree, Some(start), 100), since);
    let everything = all(&tree, None, 100);
    assert_eq!(everything[..4], ["create by me", "n0", "n1", "n2"]);
    assert_eq!(everything[4..], since);
    for page in 1..7 {
        assert_eq!(all(&tree, None, page), everything, "pages of {page}");
    }
}

#[test]
fn an_operation_says_what_it_did() {
    let Bench {
        tree,
        directory: _kept,
        ..
    } = bench();
    let start = tree.cursor().unwrap();
    tree.rewind("n0", 5).unwrap();
    let found = tree.changes(Some(start), 10).unwrap();
    let operation = found.operations().next().unwrap();
    assert_eq!(
        (
            operation.verb.as_str(),
            operation.at_ms,
            operation.branch.as_deref()
        ),
        ("rewind", 5, Some("main"))
    );
    assert_eq!(
        (operation.from.as_deref(), operation.to.as_deref()),
        (Some("n2"), Some("n0"))
    );
    assert_eq!(operation.detail, r#"{"preserved":"main-rewound"}"#);
    assert_eq!(found.nodes().count(), 0);
}

#[test]
fn the_store_tells_which_sessions_changed() {
    let Bench {
        tree,
        directory: _kept,
        ..
    } = bench();
    let store = tree.store().clone();
    let quiet = store.create_session().unwrap();
    let before = store.cursors().unwrap();
    tree.append_message(Message::user("x"), None).unwrap();
    let changed: Vec<_> = store
        .cursors()
        .unwrap()
        .into_iter()
        .filter(|it| !before.contains(it))
        .collect();
    assert_eq!(changed, [(tree.id().clone(), tree.cursor().unwrap())]);
    tree.label("n0", "x").unwrap();
    assert_ne!(store.cursors().unwrap()[0], changed[0]);
    assert_eq!(store.cursors().unwrap()[1].0, *quiet.id());
}

#[test]
fn a_text_that_is_no_cursor_is_refused() {
    for text in [
        "",
        "1",
        "1.",
        ".1",
        "-1.0",
        "1.-1",
        "1.2.3",
        "x.y",
        "4294967296.0",
    ] {
        assert_eq!(
            text.parse::<Cursor>().unwrap_err().kind(),
            ErrorKind::InvalidArgument,
            "{text}"
        );
    }
    assert_eq!("4.7".parse::<Cursor>().unwrap().to_string(), "4.7");
    assert_eq!(Cursor::default().to_string(), "0.0");
}
