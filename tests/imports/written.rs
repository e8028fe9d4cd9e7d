//! Sessions written as files of pi: what a file held comes back, and what was done since is in it.

use std::collections::BTreeMap;

use session_tree::interchange::{ImportOptions, export_pi};
use session_tree::{Message, NewNode, SessionTree, Store};

use super::draw::{Files, HEADER, assert_drawn, draw, entry, lines, says};
use super::{import, store};
use crate::support;

fn written(tree: &SessionTree) -> (Vec<u8>, session_tree::interchange::ExportReport) {
    let mut bytes = Vec::new();
    let report = export_pi(tree, &mut bytes).unwrap();
    (bytes, report)
}

/// What the session says that a file of pi can say.
fn said(tree: &SessionTree) -> impl PartialEq + std::fmt::Debug + use<> {
    let mut nodes = BTreeMap::new();
    for node in tree.nodes() {
        let node = node.unwrap();
        // Entries that an export adds for labels and titles are no part of what was said.
        if !matches!(node.kind.as_str(), "label" | "session_info") {
            let parent = node.parent.map(|id| id.to_string()).or(node.missing_parent);
            let payload: serde_json::Value = serde_json::from_str(node.message.as_str()).unwrap();
            nodes.insert(
                node.id.to_string(),
                (
                    parent,
                    node.kind,
                    payload["content"].clone(),
                    node.created_at_ms,
                ),
            );
        }
    }
    let labels: BTreeMap<String, String> = tree
        .outline(0, u32::MAX)
        .unwrap()
        .into_iter()
        .filter_map(|node| Some((node.id.to_string(), node.label?)))
        .collect();
    (nodes, labels, tree.info().unwrap().name)
}

#[test]
fn files_that_were_imported_come_back_byte_for_byte() {
    let mut files = 0;
    for part in ["corpus/pi/v1.6.0", "corpus/pi/real-cli-1.6.0"] {
        let Some(directory) = support::shared(part) else {
            return;
        };
        for file in std::fs::read_dir(directory).unwrap() {
            let path = file.unwrap().path();
            if path
                .extension()
                .is_some_and(|extension| extension == "jsonl")
                && let Ok((_, tree)) = import(&path)
            {
                let (bytes, report) = written(&tree);
                assert!(bytes == std::fs::read(&path).unwrap(), "{}", path.display());
                assert!(report.is_unchanged, "{}", path.display());
                files += 1;
            }
        }
    }
    println!("{files} files");
    assert!(files > 20);
}

#[test]
fn what_was_done_here_is_in_the_file() {
    let files = Files::new();
    let text = lines([
        HEADER.to_owned(),
        says("a", None, "q"),
        says("b", Some("a"), "r"),
        entry("label", "l", "b", r#","targetId":"a","label":"start""#),
        entry("session_info", "i", "l", r#","name":"Title""#),
    ]);
    let path = files.write("file.jsonl", &text);
    type Change = fn(&SessionTree);
    let changes: [(&str, Change, Option<&str>); 8] = [
        (
            "an append",
            |tree| drop(tree.append_message(Message::user("new"), 1).unwrap()),
            None,
        ),
        (
            "a rewind",
            |tree| drop(tree.rewind("a", None).unwrap()),
            Some("a"),
        ),
        (
            "a rewind to a label line",
            |tree| drop(tree.rewind("l", None).unwrap()),
            None,
        ),
        ("a label", |tree| tree.label("b", "mine").unwrap(), None),
        (
            "a cleared label",
            |tree| tree.clear_label("a").unwrap(),
            None,
        ),
        (
            "a new title",
            |tree| tree.rename(Some("Other")).unwrap(),
            None,
        ),
        ("no title", |tree| tree.rename(None).unwrap(), None),
        (
            "a branch and a node of another kind",
            |tree| {
                tree.branch("b", Some("side"), None).unwrap();
                let payload = Message::new(
                    r#"{"summary": "S",
                    "firstKeptEntryId":"b","tokensBefore":5}"#,
                )
                .unwrap();
                tree.append(NewNode::of_kind("compaction", payload))
                    .unwrap();
            },
            None,
        ),
    ];
    for (what, change, leaf) in changes {
        let (_, tree) = import(&path).unwrap();
        change(&tree);
        let (bytes, report) = written(&tree);
        assert!(!report.is_unchanged, "{what}");
        let shown = String::from_utf8(bytes.clone()).unwrap();
        let (report, again) = import(&files.write("again.jsonl", &bytes)).unwrap();
        assert_eq!(
            (report.damaged.len(), report.notes.len()),
            (0, 0),
            "{what}\n{shown}"
        );
        assert_eq!(said(&again), said(&tree), "{what}\n{shown}");
        let path = again.active_path().unwrap();
        let active = tree.info().unwrap().leaf.unwrap();
        assert!(path.contains(&active), "{what}\n{shown}");
        if let Some(leaf) = leaf {
            assert_eq!(
                again.info().unwrap().leaf.as_deref(),
                Some(leaf),
                "{what}\n{shown}"
            );
        }
        // Written again, it is the same.
        assert_eq!(written(&tree).0, bytes, "{what}");
    }
}

#[test]
fn a_session_that_was_made_here_is_written_too() {
    let files = Files::new();
    let store = store();
    let tree = store
        .from_linear(
            [Message::user("q"), Message::assistant("r")],
            1_700_000_000_000,
        )
        .unwrap();
    tree.branch("n0", Some("other"), None).unwrap();
    tree.append_message(Message::assistant("s"), 1_700_000_001_000)
        .unwrap();
    tree.label("n1", "first try").unwrap();
    tree.rename(Some("Made here")).unwrap();
    tree.summarize_branch("main", "S", None, None).unwrap();
    let (bytes, report) = written(&tree);
    assert_eq!(
        report.not_held,
        [
            "the summary of the branch `main`",
            "the name of the branch `other`"
        ]
    );
    let (_, again) = import(&files.write("file.jsonl", &bytes)).unwrap();
    assert_eq!(said(&again), said(&tree));
    assert_eq!(again.info().unwrap().id, tree.info().unwrap().id);
    let path = again.active_path().unwrap();
    assert_eq!(path[..2], ["n0", "n2"]);
    // An empty session is a header alone.
    let (bytes, _) = written(&store.create_session().unwrap());
    assert_eq!(bytes.iter().filter(|byte| **byte == b'\n').count(), 1);
}

#[test]
fn records_under_one_id_are_told_apart_once_something_is_new() {
    let files = Files::new();
    let text = lines([
        HEADER.to_owned(),
        says("a", None, "q"),
        says("b", Some("a"), "r"),
        says("b", Some("a"), "other"),
    ]);
    let (_, tree) = import(&files.write("file.jsonl", text)).unwrap();
    tree.append_message(Message::user("new"), 1).unwrap();
    let (report, again) = import(&files.write("again.jsonl", written(&tree).0)).unwrap();
    assert_eq!(report.notes, []);
    assert_eq!(said(&again), said(&tree));
    assert!(
        draw(&again).contains("b~2 < a \"other\""),
        "{}",
        draw(&again)
    );
}

#[test]
fn a_fork_is_a_file_of_its_own() {
    let files = Files::new();
    let text = lines([
        HEADER.to_owned(),
        says("a", None, "q"),
        entry("label", "l", "a", r#","targetId":"a","label":"start""#),
        says("b", Some("l"), "r"),
    ]);
    let (_, tree) = import(&files.write("file.jsonl", text)).unwrap();
    let fork = tree.fork(Some("b")).unwrap();
    let (bytes, _) = written(&fork);
    let store: Store = store();
    let path = files.write("fork.jsonl", bytes);
    let report = store.import(&path, &ImportOptions::new()).unwrap();
    assert_eq!(report.session, *fork.id());
    let again = store.open_session(&report.session).unwrap();
    assert_drawn(
        &again,
        "a \"q\" #start\nl < a label \"[label: start]\"\nb < l \"r\"\n*main = b",
    );
}

#[test]
fn a_header_that_shares_its_line_comes_first_though_a_later_line_repeats_it() {
    let files = Files::new();
    let joined = format!("{HEADER}{}", says("a", None, "one"));
    let bytes = lines([&joined, HEADER, &says("b", Some("a"), "two")]);
    let (_, tree) = import(&files.write("file.jsonl", &bytes)).unwrap();
    assert_eq!(written(&tree).0, bytes);
    tree.append_message(Message::user("three"), 1).unwrap();
    let (again, _) = written(&tree);
    let (_, back) = import(&files.write("again.jsonl", &again)).unwrap();
    assert_eq!(said(&back), said(&tree));
}
