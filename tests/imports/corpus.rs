//! The files that real programs wrote, against the answers of those programs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use session_tree::interchange::ImportReport;
use session_tree::{ErrorKind, Selection, SessionTree};

use super::{import, texts};
use crate::support;

/// A file that pi could not open, or for which this store answers otherwise on purpose, and why.
enum Ruled {
    /// Not of the format, and never written to.
    Refused,
    /// A cycle is broken at its first line, where pi hangs.
    CycleBrokenAt(&'static str),
    /// A second record under an id is a node of its own, where pi forgets the first.
    SecondRecord {
        id: &'static str,
        becomes: &'static str,
    },
    /// Entries without ids get made ones, where pi draws them at random on each open.
    ByPosition,
}

fn ruled(name: &str) -> Option<Ruled> {
    Some(match name {
        "damaged-empty.jsonl" | "damaged-no-header.jsonl" => Ruled::Refused,
        "damaged-cycle.jsonl" => Ruled::CycleBrokenAt("c1"),
        "damaged-self-parent.jsonl" => Ruled::CycleBrokenAt("bbbb2222"),
        "damaged-duplicate-id.jsonl" => Ruled::SecondRecord {
            id: "e85ff414",
            becomes: "e85ff414~2",
        },
        "legacy-v1.jsonl" => Ruled::ByPosition,
        _ => return None,
    })
}

/// The parts that are no records, for the files that have some.
fn damaged_lines(name: &str) -> &'static [u64] {
    match name {
        "damaged-garbage-middle.jsonl" => &[5],
        "damaged-torn-last-line.jsonl" => &[28],
        _ => &[],
    }
}

/// Id and declared parent of each entry, as the lines of the file say.
fn declared(path: &Path) -> Vec<(String, Option<String>)> {
    let text = std::fs::read_to_string(path).unwrap();
    let text_of = |value: &Value| value.as_str().map(str::to_owned);
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|entry| entry["type"] != "session")
        .map(|entry| {
            (
                text_of(&entry["id"]).unwrap_or_default(),
                text_of(&entry["parentId"]),
            )
        })
        .collect()
}

fn stored(tree: &SessionTree) -> Vec<(String, Option<String>)> {
    let mut nodes = tree.outline(0, u32::MAX).unwrap();
    nodes.sort_by_key(|node| node.source_line);
    nodes
        .into_iter()
        .map(|node| {
            let parent = node.parent.map(|id| id.to_string()).or(node.missing_parent);
            (node.id.to_string(), parent)
        })
        .collect()
}

fn labels(tree: &SessionTree) -> BTreeMap<String, String> {
    let nodes = tree.outline(0, u32::MAX).unwrap();
    nodes
        .into_iter()
        .filter_map(|node| Some((node.id.to_string(), node.label?)))
        .collect()
}

/// Every node without children is the leaf of a branch, and the branches are named by the rules.
fn check_branches(name: &str, report: &ImportReport, tree: &SessionTree) {
    let branches = tree.branches().unwrap();
    let main_leaf = tree.info().unwrap().leaf;
    let mut expected: BTreeSet<(String, Option<String>)> = texts(tree.leaves().unwrap())
        .into_iter()
        .filter(|id| Some(id.as_str()) != main_leaf.as_deref())
        .map(|id| (format!("leaf-{id}"), Some(id)))
        .collect();
    let added: BTreeSet<String> = expected.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(
        report
            .branches_added
            .iter()
            .cloned()
            .collect::<BTreeSet<_>>(),
        added,
        "{name}"
    );
    expected.insert(("main".to_owned(), main_leaf.map(|id| id.to_string())));
    let is: BTreeSet<(String, Option<String>)> = branches
        .into_iter()
        .map(|branch| (branch.name, branch.leaf.map(|id| id.to_string())))
        .collect();
    assert_eq!(is, expected, "{name}");
    assert_eq!(tree.active_branch().unwrap(), "main", "{name}");
}

fn path_to(tree: &SessionTree, leaf: &str) -> Vec<String> {
    let selection = Selection {
        leaf: Some(leaf.to_owned()),
        allow_cut: true,
        ..Selection::default()
    };
    texts(tree.path_ids(&selection).unwrap())
}

fn strings(value: &Value) -> Vec<String> {
    let values = value.as_array().unwrap();
    values
        .iter()
        .map(|value| value.as_str().unwrap().to_owned())
        .collect()
}

fn check(name: &str, path: &Path, expected: &Value) -> String {
    let ruled = ruled(name);
    let (report, tree) = match import(path) {
        Ok(done) => done,
        Err(error) => {
            assert!(matches!(ruled, Some(Ruled::Refused)), "{name}: {error}");
            assert_eq!(error.kind(), ErrorKind::UnknownFormat, "{name}");
            return "refused".to_owned();
        }
    };
    let lines: Vec<u64> = report.damaged.iter().map(|damage| damage.line).collect();
    assert_eq!(lines, damaged_lines(name), "{name}");
    check_branches(name, &report, &tree);
    let mut declared = declared(path);
    let is = stored(&tree);
    assert_eq!(report.nodes_added, is.len() as u64, "{name}");
    match ruled {
        Some(Ruled::CycleBrokenAt(root)) => {
            assert_eq!(is, declared, "{name}: declared parents are kept");
            assert!(
                texts(tree.roots().unwrap()).iter().any(|id| id == root),
                "{name}"
            );
            let last = declared.last().map(|(id, _)| id.as_str());
            assert_eq!(tree.info().unwrap().leaf.as_deref(), last, "{name}");
            return format!("{} nodes, the cycle broken at {root}", is.len());
        }
        Some(Ruled::SecondRecord { id, becomes }) => {
            declared.last_mut().unwrap().0 = becomes.to_owned();
            assert_eq!(is, declared, "{name}");
            assert_eq!(expected["entry_count"], is.len(), "{name}");
            assert_eq!(expected["leaf"], id, "{name}");
            assert_eq!(
                tree.info().unwrap().leaf.as_deref(),
                Some(becomes),
                "{name}"
            );
            return format!("{} nodes, the second record is {becomes}", is.len());
        }
        Some(Ruled::ByPosition) => {
            assert!(is.iter().all(|(id, _)| id.len() == 8), "{name}: {is:?}");
            let parents: Vec<Option<&str>> =
                is.iter().map(|(_, parent)| parent.as_deref()).collect();
            let before = std::iter::once(None).chain(is.iter().map(|(id, _)| Some(id.as_str())));
            assert!(
                parents.into_iter().eq(before.take(is.len())),
                "{name}: a chain"
            );
            assert_eq!(expected["entry_count"], is.len(), "{name}");
            assert_eq!(
                expected["active_branch_ids"].as_array().unwrap().len(),
                is.len(),
                "{name}"
            );
            assert_eq!(tree.active_path().unwrap().len(), is.len(), "{name}");
            return format!("{} nodes by position", is.len());
        }
        _ => assert_eq!(is, declared, "{name}"),
    }
    assert_eq!(expected["entry_count"], is.len(), "{name}");
    let info = tree.info().unwrap();
    assert_eq!(expected["leaf"].as_str(), info.leaf.as_deref(), "{name}");
    assert_eq!(
        expected["session_name"].as_str(),
        info.name.as_deref(),
        "{name}"
    );
    assert_eq!(
        expected["header"]["cwd"].as_str(),
        info.cwd.as_deref(),
        "{name}"
    );
    assert_eq!(
        expected["header"]["id"].as_str(),
        Some(info.id.as_str()),
        "{name}"
    );
    assert_eq!(
        expected["labels"],
        serde_json::to_value(labels(&tree)).unwrap(),
        "{name}"
    );
    assert_eq!(
        strings(&expected["roots"]),
        texts(tree.roots().unwrap()),
        "{name}"
    );
    let leaves: BTreeSet<String> = texts(tree.leaves().unwrap()).into_iter().collect();
    assert_eq!(
        strings(&expected["leaves"])
            .into_iter()
            .collect::<BTreeSet<_>>(),
        leaves,
        "{name}"
    );
    let leaf = info.leaf.unwrap();
    assert_eq!(
        strings(&expected["active_branch_ids"]),
        path_to(&tree, &leaf),
        "{name}"
    );
    for (leaf, branch) in expected["branches"].as_object().unwrap() {
        let path = path_to(&tree, leaf);
        assert_eq!(branch["path_len"], path.len(), "{name} {leaf}");
        if branch["path"].is_array() {
            assert_eq!(strings(&branch["path"]), path, "{name} {leaf}");
        }
    }
    format!("{} nodes, {} leaves, as expected", is.len(), leaves.len())
}

#[test]
fn pi_files_are_what_pi_says_they_are() {
    for part in ["corpus/pi/v1.6.0", "corpus/pi/real-cli-1.6.0"] {
        let Some(directory) = support::shared(part) else {
            return;
        };
        let text = std::fs::read_to_string(directory.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        for (name, expected) in expected["files"].as_object().unwrap() {
            println!("{name}: {}", check(name, &directory.join(name), expected));
        }
    }
}
