//! A handle appends where the tree is now, whatever was done since it appended last.

use session_tree::{ErrorKind, Message, NewNode, SessionTree, Store};

use crate::support::sqlite3;

/// Two handles on one session of `n0 <- n1 <- n2`, of which the first appended `n2`: it knows the end.
fn two(path: &std::path::Path) -> (SessionTree, SessionTree) {
    let tree = Store::open(path).unwrap().create_session().unwrap();
    for text in ["zero", "one", "two"] {
        tree.append_message(Message::user(text), 1).unwrap();
    }
    let other = Store::open(path).unwrap().open_session(tree.id()).unwrap();
    (tree, other)
}

/// What another handle does, and the path of the active branch after the first handle appended again.
type Move = (&'static str, fn(&SessionTree), &'static [&'static str]);

const MOVES: &[Move] = &[
    ("nothing", |_| {}, &["n0", "n1", "n2", "n3"]),
    (
        "appends",
        |tree| drop(tree.append_message(Message::user("x"), 1).unwrap()),
        &["n0", "n1", "n2", "n3", "n4"],
    ),
    (
        "rewinds",
        |tree| drop(tree.rewind("n0", 1).unwrap()),
        &["n0", "n3"],
    ),
    (
        "rewinds and comes back",
        |tree| {
            tree.rewind("n0", 1).unwrap();
            tree.rewind("n2", 1).unwrap();
        },
        &["n0", "n1", "n2", "n3"],
    ),
    (
        "makes a branch at the same leaf and switches to it",
        |tree| drop(tree.branch("n2", Some("other"), 1).unwrap()),
        &["n0", "n1", "n2", "n3"],
    ),
    (
        "appends to another branch",
        |tree| {
            tree.branch("n0", Some("other"), 1).unwrap();
            tree.append_message(Message::user("x"), 1).unwrap();
            tree.switch_branch("main").unwrap();
        },
        &["n0", "n1", "n2", "n4"],
    ),
    (
        "appends a node with an id of its own",
        |tree| {
            drop(
                tree.append(NewNode::message(Message::user("x")).id("mine"))
                    .unwrap(),
            )
        },
        &["n0", "n1", "n2", "mine", "n4"],
    ),
    (
        "has held a turn and ended it",
        |tree| tree.begin_turn(None).unwrap().end().unwrap(),
        &["n0", "n1", "n2", "n3"],
    ),
    (
        "moves the leaf from the shell",
        |tree| {
            let file = tree.store().path().unwrap().to_owned();
            let moved = "
              INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'kept', (1 << 32) + 2, 0);
              UPDATE branches SET leaf_key = (1 << 32) WHERE name = 'main'";
            if !sqlite3(&file, moved) {
                tree.rewind("n0", 1).unwrap();
            }
        },
        &["n0", "n3"],
    ),
];

#[test]
fn an_append_goes_where_the_tree_is_now() {
    for (what, act, expected) in MOVES {
        let directory = tempfile::tempdir().unwrap();
        let (tree, other) = two(&directory.path().join("agent.db"));
        act(&other);
        tree.append_message(Message::user("last"), 1).unwrap();
        let path: Vec<String> = tree
            .active_path()
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(path, *expected, "{what}");
        let found = tree.store().check(Default::default()).unwrap();
        assert!(found.is_healthy(), "{what}: {:?}", found.problems);
    }
}

#[test]
fn an_append_is_refused_as_ever() {
    let directory = tempfile::tempdir().unwrap();
    let (tree, other) = two(&directory.path().join("agent.db"));
    let say = || tree.append_message(Message::user("last"), 1);

    let turn = other.begin_turn(None).unwrap();
    assert_eq!(say().unwrap_err().kind(), ErrorKind::Busy);
    turn.end().unwrap();
    assert_eq!(say().unwrap(), "n3");

    let before_the_calendar = tree.append_message(Message::user("?"), i64::MIN);
    assert_eq!(
        before_the_calendar.unwrap_err().kind(),
        ErrorKind::InvalidArgument
    );
    assert_eq!(say().unwrap(), "n4");

    other.store().delete_session(other.id()).unwrap();
    assert_eq!(say().unwrap_err().kind(), ErrorKind::SessionNotFound);
}

#[test]
fn threads_that_share_a_handle_go_on_from_each_other() {
    let store = Store::builder().open_in_memory().unwrap();
    let tree = store.create_session().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for turn in 0..50 {
                    tree.append_message(Message::user(&turn.to_string()), 1)
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(tree.active_path().unwrap().len(), 200);
    assert!(!tree.has_branches().unwrap());
}
