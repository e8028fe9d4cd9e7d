//! Undo takes back moves and nothing else: no node, no name, no label goes, and what has moved since is not overrun.

use session_tree::{ErrorKind, Message, NavigateOptions, SessionTree, Store};

use crate::process::Other;
use crate::turns::{Bench, bench, kind};

/// `*main n2 (main-rewound n1)`: the active branch has a star, archived ones stand in parentheses.
fn ends(tree: &SessionTree) -> String {
    let show = |branch: session_tree::Branch| {
        let leaf = branch
            .leaf
            .map_or_else(|| String::from("-"), |leaf| leaf.to_string());
        let name = format!(
            "{}{} {leaf}",
            if branch.is_active { "*" } else { "" },
            branch.name
        );
        if branch.is_archived {
            format!("({name})")
        } else {
            name
        }
    };
    let shown: Vec<String> = tree.branches().unwrap().into_iter().map(show).collect();
    shown.join(" ")
}

fn linear() -> SessionTree {
    let store = Store::builder().open_in_memory().unwrap();
    let messages = [
        Message::user("one"),
        Message::assistant("two"),
        Message::user("three"),
    ];
    store.from_linear(messages, None).unwrap()
}

type Step = fn(&SessionTree);

/// Each move, the state after it, and the state after it was undone.
const MOVES: &[(&str, Step, &str, &str)] = &[
    (
        "rewind",
        |tree| drop(tree.rewind("n0", None).unwrap()),
        "*main n0 main-rewound n2",
        "*main n2 (main-rewound n2)",
    ),
    (
        "branch",
        |tree| drop(tree.branch("n1", Some("try"), None).unwrap()),
        "main n2 *try n1",
        "*main n2 (try n1)",
    ),
    (
        "navigate",
        |tree| drop(tree.navigate("n0", &NavigateOptions::new(), None).unwrap()),
        "*main - main-rewound n2",
        "*main n2 (main-rewound n2)",
    ),
    (
        "navigate",
        |tree| {
            let plan = tree
                .plan_navigation("n1", &NavigateOptions::new().label("marked"))
                .unwrap();
            plan.commit(Some("in short".into())).unwrap();
        },
        "*main n3 main-rewound n2",
        "*main n2 (main-rewound n2) (main-rewound-2 n3)",
    ),
];

#[test]
fn a_move_is_undone_and_redone() {
    for (verb, make, moved, undone) in MOVES {
        let tree = linear();
        let before = ends(&tree);
        make(&tree);
        assert_eq!(ends(&tree), *moved, "{verb}");
        let nodes = tree.outline(0, 100).unwrap();
        let back = tree.undo(None).unwrap().unwrap();
        assert_eq!((back.verb.as_str(), ends(&tree).as_str()), (*verb, *undone));
        assert_eq!(
            (back.branch.as_str(), back.leaf.as_deref()),
            ("main", Some("n2")),
            "{verb}"
        );
        assert_eq!(tree.undo(None).unwrap(), None, "{verb}");
        let again = tree.redo(None).unwrap().unwrap();
        assert_eq!(again.verb, *verb);
        let now = ends(&tree).replace(" (main-rewound-2 n3)", "");
        assert_eq!(now, *moved, "{verb}");
        assert_eq!(tree.redo(None).unwrap(), None, "{verb}");
        tree.undo(None).unwrap().unwrap();
        assert_eq!(
            tree.outline(0, 100).unwrap(),
            nodes,
            "{verb}: nodes and labels stay"
        );
        assert!(before.starts_with("*main n2"));
    }
}

#[test]
fn switching_is_undone() {
    let tree = linear();
    tree.create_branch(Some("n1"), Some("side"), None).unwrap();
    tree.switch_branch("side").unwrap();
    assert_eq!(tree.undo(None).unwrap().unwrap().branch, "main");
    assert_eq!(
        ends(&tree),
        "*main n2 side n1",
        "the switch made no name, so none is archived"
    );
    assert_eq!(
        tree.undo(None).unwrap(),
        None,
        "making a branch without switching moved nothing"
    );
    assert_eq!(tree.redo(None).unwrap().unwrap().branch, "side");
}

#[test]
fn several_moves_are_undone_from_the_newest_on() {
    let tree = linear();
    tree.rewind("n1", None).unwrap();
    tree.branch("n0", Some("try"), None).unwrap();
    tree.switch_branch("main").unwrap();
    tree.rewind("n0", None).unwrap();
    let verbs = |step: fn(&SessionTree) -> Option<session_tree::Undone>| {
        let mut verbs = Vec::new();
        while let Some(done) = step(&tree) {
            verbs.push(done.verb);
        }
        verbs
    };
    assert_eq!(
        verbs(|tree| tree.undo(None).unwrap()),
        ["rewind", "switch", "branch", "rewind"]
    );
    assert_eq!(tree.info().unwrap().leaf.as_deref(), Some("n2"));
    assert_eq!(
        verbs(|tree| tree.redo(None).unwrap()),
        ["rewind", "branch", "switch", "rewind"]
    );
    assert_eq!(
        (
            tree.active_branch().unwrap().as_str(),
            tree.info().unwrap().leaf.as_deref()
        ),
        ("main", Some("n0"))
    );
    tree.undo(None).unwrap().unwrap();
    tree.rewind("n2", None).unwrap();
    assert_eq!(
        tree.redo(None).unwrap(),
        None,
        "a new move takes the place of what was undone"
    );
    assert_eq!(tree.undo(None).unwrap().unwrap().verb, "rewind");
    assert_eq!(tree.undo(None).unwrap().unwrap().verb, "switch");
}

#[test]
fn what_has_moved_since_is_not_undone() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    tree.rewind("n0", None).unwrap();
    assert_eq!(other.ask("append since"), "n3");
    let before = ends(&tree);
    let error = tree.undo(None).unwrap_err();
    assert_eq!(
        (error.kind(), error.node()),
        (ErrorKind::LeafMoved, Some("n3"))
    );
    assert_eq!(ends(&tree), before);
    tree.switch_branch("main-rewound").unwrap();
    tree.append_message(Message::user("since"), None).unwrap();
    let refused = tree.undo(None).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::LeafMoved);
    assert!(
        refused.to_string().ends_with("rewind to the node you want"),
        "{refused}"
    );
    // The same for redo.
    let tree = linear();
    tree.branch("n0", None, None).unwrap();
    tree.undo(None).unwrap();
    tree.append(session_tree::NewNode::message(Message::user("since")).on_branch("branch"))
        .unwrap();
    assert_eq!(kind(tree.redo(None)), ErrorKind::LeafMoved);
}

#[test]
fn undo_is_an_operation_of_its_own() {
    let tree = linear();
    tree.rewind("n0", None).unwrap();
    tree.undo(77).unwrap();
    tree.redo(78).unwrap();
    let changes = tree.changes(None, 100).unwrap();
    let done: Vec<_> = changes
        .operations()
        .map(|it| (it.verb.as_str(), it.from.as_deref(), it.to.as_deref()))
        .collect();
    assert_eq!(
        done,
        [
            ("create", None, None),
            ("rewind", Some("n2"), Some("n0")),
            ("undo", Some("n0"), Some("n2")),
            ("redo", Some("n2"), Some("n0")),
        ]
    );
    assert_eq!(linear().undo(None).unwrap(), None, "nothing was moved");
}

#[test]
fn a_name_under_which_somebody_went_on_stays_in_sight() {
    let tree = linear();
    tree.rewind("n0", None).unwrap();
    let went_on = session_tree::NewNode::message(Message::user("more")).on_branch("main-rewound");
    tree.append(went_on).unwrap();
    tree.undo(None).unwrap().unwrap();
    assert_eq!(ends(&tree), "*main n2 main-rewound n3");
}

/// Who is in a turn takes moves back, and goes on where that leads; who is not meets the turn.
#[test]
fn a_turn_undoes_its_moves_and_goes_on() {
    let tree = linear();
    let turn = tree.begin_turn(None).unwrap();
    turn.rewind("n0", None).unwrap();
    assert_eq!(kind(tree.undo(None)), ErrorKind::Busy);
    assert_eq!(turn.undo(None).unwrap().unwrap().verb, "rewind");
    assert_eq!(
        (turn.leaf().as_deref(), ends(&tree).as_str()),
        (Some("n2"), "*main n2 (main-rewound n2)")
    );
    turn.branch("n1", Some("try"), None).unwrap();
    assert_eq!(turn.undo(None).unwrap().unwrap().branch, "main");
    assert_eq!(turn.branch_name(), "main");
    assert_eq!(kind(tree.redo(None)), ErrorKind::Busy);
    assert_eq!(turn.redo(None).unwrap().unwrap().branch, "try");
    assert_eq!(
        turn.append_message(Message::user("on"), None).unwrap(),
        "n3"
    );
    assert_eq!(tree.path_of("try").unwrap(), ["n0", "n1", "n3"]);
    // What it has gone on from is not taken from under it, and the turn holds.
    assert_eq!(kind(turn.undo(None)), ErrorKind::LeafMoved);
    turn.append_message(Message::user("and on"), None).unwrap();
    turn.end().unwrap();
    assert_eq!(tree.active_path().unwrap(), ["n0", "n1", "n3", "n4"]);
}

/// A turn on a branch that is not active stays there when a move of another one is taken back.
#[test]
fn a_turn_aside_stays_aside() {
    let tree = linear();
    tree.create_branch(Some("n1"), Some("side"), None).unwrap();
    tree.rewind("n0", None).unwrap();
    let turn = tree.begin_turn(Some("side")).unwrap();
    assert_eq!(
        turn.undo(None).unwrap().unwrap().leaf.as_deref(),
        Some("n2")
    );
    assert_eq!(
        (turn.branch_name().as_str(), turn.leaf().as_deref()),
        ("side", Some("n1"))
    );
    turn.append_message(Message::user("aside"), None).unwrap();
    assert_eq!(tree.path_of("side").unwrap(), ["n0", "n1", "n3"]);
}
