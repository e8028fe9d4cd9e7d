//! Small files with one peculiarity each, against the trees that dreb and pi make of them.

use std::collections::BTreeMap;

use serde_json::Value;
use session_tree::{ErrorKind, SessionTree};

use super::import;
use crate::support;

/// One node as a list of nodes shows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Drawn {
    id: String,
    parent: Option<String>,
    kind: String,
    label: Option<String>,
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Nodes of a nested tree, whatever the depth. pi's has the entry inside the node.
fn expected_nodes(tree: &Value) -> Vec<Drawn> {
    let mut open: Vec<&Value> = tree.as_array().unwrap().iter().collect();
    let mut drawn = Vec::new();
    while let Some(node) = open.pop() {
        open.extend(node["children"].as_array().unwrap());
        let entry = if node["entry"].is_object() {
            &node["entry"]
        } else {
            node
        };
        drawn.push(Drawn {
            id: text(&entry["id"]).unwrap_or_default(),
            parent: text(&entry["parentId"]),
            kind: text(&entry["type"]).unwrap_or_default(),
            label: text(&node["label"]),
        });
    }
    drawn.sort();
    drawn
}

fn nodes(tree: &SessionTree) -> Vec<Drawn> {
    let nodes = tree.outline(0, u32::MAX).unwrap();
    let mut drawn: Vec<Drawn> = nodes
        .into_iter()
        .map(|node| Drawn {
            id: node.id.to_string(),
            parent: node.parent.map(|id| id.to_string()).or(node.missing_parent),
            kind: node.kind,
            label: node.label,
        })
        .collect();
    drawn.sort();
    drawn
}

/// Cases for which this store answers otherwise on purpose: the number of its nodes, and why.
fn ruled() -> BTreeMap<&'static str, (usize, &'static str)> {
    BTreeMap::from([
        ("duplicate ids", (3, "each record is a node of its own")),
        ("missing id", (1, "the id is made")),
        ("number line", (1, "a number is no node")),
        ("array line", (1, "an array is no node")),
        (
            "v1 compaction forward index",
            (2, "ids are made by position"),
        ),
    ])
}

fn check(oracle: &str, name: &str, case: &Value) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("case.jsonl");
    std::fs::write(&path, case["input"].as_str().unwrap()).unwrap();
    let place = format!("{oracle}: {name}");
    let (report, tree) = match import(&path) {
        Ok(done) => done,
        Err(error) => {
            assert_eq!(name, "header without id", "{place}: {error}");
            assert_eq!(error.kind(), ErrorKind::Damaged, "{place}");
            return;
        }
    };
    let damaged = usize::from(name == "malformed first line then header");
    assert_eq!(report.damaged.len(), damaged, "{place}");
    let info = tree.info().unwrap();
    assert_eq!(info.id, "s-1", "{place}");
    assert_eq!(info.name.as_deref(), case["name"].as_str(), "{place}");
    let is = nodes(&tree);
    if let Some((count, why)) = ruled().get(name) {
        assert_eq!(is.len(), *count, "{place}: {why}");
        return;
    }
    let (roots, leaf) = match &case["tree"] {
        Value::Object(tree) => (&tree["roots"], &tree["leafId"]),
        roots => (roots, &case["leafId"]),
    };
    assert_eq!(is, expected_nodes(roots), "{place}");
    assert_eq!(info.leaf.as_deref(), leaf.as_str(), "{place}");
    let expected_roots: Vec<String> = roots
        .as_array()
        .unwrap()
        .iter()
        .map(|node| text(&node["id"]).or(text(&node["entry"]["id"])).unwrap())
        .collect();
    assert_eq!(
        super::texts(tree.roots().unwrap()),
        expected_roots,
        "{place}"
    );
}

#[test]
fn peculiar_files_load_as_in_dreb_and_pi() {
    for name in ["load-cases.json", "load-cases-pi16.json"] {
        let Some(path) = support::shared(&format!("golden/{name}")) else {
            return;
        };
        let cases: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        for (case, value) in cases.as_object().unwrap() {
            check(name, case, value);
        }
        println!("{name}: {} cases", cases.as_object().unwrap().len());
    }
}
