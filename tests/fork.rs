//! A fork is the path as a session of its own: every node as it was, and everything that refers to one still true.

use session_tree::{
    CheckOptions, ErrorKind, Message, NewNode, NewSession, OutlineNode, Selection, SessionTree,
    Store,
};

use crate::process::Other;
use crate::turns::{Bench, bench, kind};

/// Where the fork ends and the text for the editor, or the words of the refusal.
type Expected = Result<(Option<&'static str>, &'static str), &'static str>;

fn json(text: &str) -> Message {
    Message::new(text).unwrap()
}

/// A node without its place in the order of writing, which is new in a fork.
fn placeless(node: OutlineNode) -> OutlineNode {
    let mut node = node;
    node.seq = 0;
    node.parent_seq = None;
    node
}

/// The nodes of a path as lists show them.
fn outline_of(tree: &SessionTree, path: &[session_tree::NodeId]) -> Vec<OutlineNode> {
    let all = tree.outline(0, u32::MAX).unwrap();
    path.iter()
        .map(|id| placeless(all.iter().find(|node| node.id == **id).unwrap().clone()))
        .collect()
}

/// A path with a compaction, a label node and side branches, so that it lies in several runs of keys.
fn winding() -> SessionTree {
    let store = Store::builder().actor("me").open_in_memory().unwrap();
    let new = NewSession::new()
        .name("Winding")
        .cwd("/src")
        .meta(r#"{"k":1}"#);
    let tree = store.create_session_with(&new).unwrap();
    tree.append_message(Message::user("one"), 11).unwrap();
    tree.append_message(Message::assistant("two"), 12).unwrap();
    tree.append_message(Message::user("aside"), 13).unwrap();
    tree.rewind("n1", None).unwrap();
    tree.append(NewNode::of_kind(
        "label",
        json(r#"{"targetId":"n0","label":"from a node"}"#),
    ))
    .unwrap();
    tree.append_message(Message::user("three"), 14).unwrap();
    tree.append(NewNode::message(Message::user("elsewhere")).on_branch("main-rewound"))
        .unwrap();
    let compaction = r#"{"summary":"S","firstKeptEntryId":"n4","tokensBefore":9}"#;
    tree.append(NewNode::of_kind("compaction", json(compaction)))
        .unwrap();
    tree.append(
        NewNode::message(json("{\"role\":\"assistant\", \"content\":\"\\ud83d\"}")).id("given"),
    )
    .unwrap();
    tree.append_message(Message::user("after"), 15).unwrap();
    tree.label("n4", "kept").unwrap();
    tree.label("n2", "not on the path").unwrap();
    tree.label("n1", "gone").unwrap();
    tree.clear_label("n1").unwrap();
    tree
}

#[test]
fn a_fork_has_the_path_and_nothing_else() {
    let tree = winding();
    let before = (
        tree.outline(0, 100).unwrap(),
        tree.branches().unwrap(),
        tree.cursor().unwrap(),
    );
    let fork = tree.fork(Some("given")).unwrap();
    let path: Vec<_> = tree
        .path_ids(&Selection {
            leaf: Some("given".into()),
            ..Selection::default()
        })
        .unwrap();
    assert_eq!(path, ["n0", "n1", "n3", "n4", "n6", "given"]);
    assert_eq!(fork.active_path().unwrap(), path);
    let copied: Vec<_> = fork
        .outline(0, 100)
        .unwrap()
        .into_iter()
        .map(placeless)
        .collect();
    assert_eq!(copied, outline_of(&tree, &path));
    for id in &path {
        let (one, other) = (
            tree.node(id).unwrap().unwrap(),
            fork.node(id).unwrap().unwrap(),
        );
        assert_eq!(
            (one.message, one.parent, one.label),
            (other.message, other.parent, other.label),
            "{id}"
        );
    }
    let info = fork.info().unwrap();
    assert_eq!(
        (
            info.name.as_deref(),
            info.cwd.as_deref(),
            info.meta.as_str()
        ),
        (Some("Winding"), Some("/src"), r#"{"k":1}"#)
    );
    assert_eq!(
        (info.origin_session.as_ref(), info.origin_node.as_deref()),
        (Some(tree.id()), Some("given"))
    );
    assert_eq!(info.messages, 4);
    let branches: Vec<_> = fork
        .branches()
        .unwrap()
        .into_iter()
        .map(|it| (it.name, it.is_active))
        .collect();
    assert_eq!(branches, [("main".to_owned(), true)]);
    assert!(fork.node("n2").unwrap().is_none());
    assert_eq!(
        (
            tree.outline(0, 100).unwrap(),
            tree.branches().unwrap(),
            tree.cursor().unwrap()
        ),
        before
    );
    // A reference of the compaction is as true as before.
    let context = |tree: &SessionTree| {
        tree.context(&Selection {
            leaf: Some("given".into()),
            ..Selection::default()
        })
        .unwrap()
    };
    assert_eq!(context(&fork), context(&tree));
    let made = fork.changes(None, 100).unwrap();
    let report = tree.store().check(CheckOptions::default()).unwrap();
    assert!(report.is_healthy(), "{report:?}");
    let first = made.operations().next().unwrap();
    assert_eq!((first.verb.as_str(), first.actor.as_str()), ("fork", "me"));
}

#[test]
fn a_fork_goes_on_with_ids_of_its_own() {
    let tree = winding();
    let fork = tree.fork(Some("n4")).unwrap();
    assert_eq!(
        fork.append_message(Message::user("x"), None).unwrap(),
        "n9",
        "above every id of the source"
    );
    let again = fork.fork(Some("n9")).unwrap();
    assert_eq!(
        again.append_message(Message::user("y"), None).unwrap(),
        "n10"
    );
    assert_eq!(
        tree.append_message(Message::user("z"), None).unwrap(),
        "n9",
        "the source goes on as before"
    );
    // And so on: forks of forks, branches in forks.
    fork.branch("n1", None, None).unwrap();
    fork.append_message(Message::user("b"), None).unwrap();
    assert_eq!(fork.active_path().unwrap(), ["n0", "n1", "n10"]);
    assert_eq!(fork.linear_projection_of("main").unwrap().len(), 4);
}

#[test]
fn a_fork_before_the_first_node_is_empty() {
    let tree = winding();
    let fork = tree.fork(None).unwrap();
    assert!(fork.outline(0, 10).unwrap().is_empty());
    let info = fork.info().unwrap();
    assert_eq!(
        (
            info.origin_session.as_ref(),
            info.leaf,
            info.name.as_deref()
        ),
        (Some(tree.id()), None, Some("Winding"))
    );
    fork.append_message(Message::user("new"), None).unwrap();
    assert_eq!(fork.active_path().unwrap(), ["n0"]);
}

#[test]
fn a_clone_ends_where_the_session_does() {
    let tree = winding();
    let clone = tree.clone_session().unwrap();
    assert_eq!(clone.active_path().unwrap(), tree.active_path().unwrap());
    assert_eq!(
        clone.linear_projection().unwrap(),
        tree.linear_projection().unwrap()
    );
    let error = tree
        .store()
        .create_session()
        .unwrap()
        .clone_session()
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            ErrorKind::EmptyBranch,
            "Cannot clone session: no current entry selected"
        )
    );
    assert_eq!(
        kind(tree.fork(Some("nowhere")).map(drop)),
        ErrorKind::NodeNotFound
    );
    assert_eq!(
        tree.store().sessions().unwrap().len(),
        3,
        "a fork that failed left nothing"
    );
}

/// A fork in the middle of an answer would have half of it.
#[test]
fn a_session_in_a_turn_is_not_forked() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    assert_eq!(other.ask("begin"), "ok");
    assert_eq!(kind(tree.fork(Some("n0")).map(drop)), ErrorKind::Busy);
    assert_eq!(kind(tree.clone_session().map(drop)), ErrorKind::Busy);
    assert_eq!(tree.store().sessions().unwrap().len(), 1);
    assert_eq!(other.ask("end"), "ok");
    tree.fork(Some("n0")).unwrap();
}

#[test]
fn a_long_path_is_copied_whole() {
    let tree = Store::builder()
        .open_in_memory()
        .unwrap()
        .create_session()
        .unwrap();
    let say = |turn: usize| NewNode::message(Message::user(&format!("{turn}")));
    tree.append_many((0..700).map(say)).unwrap();
    tree.rewind("n599", None).unwrap();
    tree.append_many((0..300).map(say)).unwrap();
    let fork = tree.clone_session().unwrap();
    assert_eq!(
        fork.linear_projection().unwrap(),
        tree.linear_projection().unwrap()
    );
    assert_eq!(fork.active_path().unwrap(), tree.active_path().unwrap());
    assert_eq!(fork.info().unwrap().messages, 900);
}

/// Entries a person forks from, and what is refused, with the words that clients show.
#[test]
fn where_a_person_can_fork() {
    const INVALID: &str = "Invalid entry ID for forking";
    const INCOMPLETE: &str = "Cannot fork at this assistant turn: it was interrupted or is still waiting on tool results";
    let tree = Store::builder()
        .open_in_memory()
        .unwrap()
        .create_session()
        .unwrap();
    let nodes = [
        r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"fine"}],"stopReason":"stop"}"#,
        r#"{"role":"user","content":"again"}"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"toolCall","id":"c"}],"stopReason":"toolUse"}"#,
        r#"{"role":"toolResult","content":[]}"#,
        r#"{"role":"assistant","content":[],"stopReason":"aborted"}"#,
        r#"{"role":"assistant","content":[],"stopReason":"error"}"#,
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}]}"#,
        r#"{"role":"user","content":[{"type":"image"}]}"#,
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1"}]}"#,
    ];
    for node in nodes {
        tree.append_message(json(node), None).unwrap();
    }
    tree.append(NewNode::of_kind("model_change", json(r#"{"modelId":"m"}"#)))
        .unwrap();
    let points: &[(&str, Expected)] = &[
        ("n0", Ok((None, "ab"))),
        ("n1", Ok((Some("n1"), ""))),
        ("n2", Ok((Some("n1"), "again"))),
        ("n3", Err(INCOMPLETE)),
        ("n4", Err(INVALID)),
        ("n5", Err(INCOMPLETE)),
        ("n6", Err(INCOMPLETE)),
        ("n7", Ok((Some("n7"), ""))),
        ("n8", Ok((Some("n7"), ""))),
        ("n9", Err(INCOMPLETE)),
        ("n10", Err(INVALID)),
        ("nowhere", Err(INVALID)),
    ];
    for (entry, expected) in points.iter().copied() {
        let found = tree.fork_point(entry);
        match expected {
            Ok((at, text)) => {
                let point = found.unwrap();
                assert_eq!(
                    (point.at.as_deref(), point.text.as_str()),
                    (at, text),
                    "{entry}"
                );
            }
            Err(text) => assert_eq!(found.unwrap_err().to_string(), text, "{entry}"),
        }
    }
    let listed: Vec<_> = tree
        .fork_candidates()
        .unwrap()
        .into_iter()
        .map(|it| format!("{} {} {}", it.node, it.role, it.text))
        .collect();
    assert_eq!(
        listed,
        [
            "n0 user ab",
            "n1 assistant fine",
            "n2 user again",
            "n7 assistant (assistant response)"
        ]
    );
}
