//! Importing a file again: nothing changes, or what is new is added where it belongs.

use session_tree::interchange::{ImportOptions, ImportReport};
use session_tree::{ErrorKind, Message, SessionTree, Store};

use super::draw::{Files, HEADER, assert_drawn, lines, says};
use super::{import, import_into, store};

/// A file that grows, and the store it is imported into.
struct Growing {
    files: Files,
    store: Store,
    lines: Vec<String>,
}

impl Growing {
    fn new(entries: &[(&str, Option<&str>)]) -> Growing {
        let mut growing = Growing {
            files: Files::new(),
            store: store(),
            lines: vec![HEADER.to_owned()],
        };
        growing.grow(entries);
        growing
    }

    /// Adds a line each of id and parent, and imports the file.
    fn grow(&mut self, entries: &[(&str, Option<&str>)]) -> (ImportReport, SessionTree) {
        self.lines
            .extend(entries.iter().map(|(id, parent)| says(id, *parent, id)));
        self.import()
    }

    fn import(&self) -> (ImportReport, SessionTree) {
        let path = self.files.write("file.jsonl", lines(&self.lines));
        import_into(&self.store, &path, &ImportOptions::new()).unwrap()
    }
}

#[test]
fn the_same_file_again_changes_nothing() {
    let growing = Growing::new(&[("a", None), ("b", Some("a")), ("c", Some("a"))]);
    let before = growing.store.sessions().unwrap();
    let changes = |tree: &SessionTree| tree.cursor().unwrap();
    let (report, tree) = growing.import();
    let cursor = changes(&tree);
    assert_eq!(
        (report.created, report.nodes_added, report.nodes_known),
        (false, 0, 3)
    );
    assert_eq!(growing.store.sessions().unwrap(), before);
    // Nor does a copy of it elsewhere, nor an older one.
    let copy = growing.files.write("copy.jsonl", lines(&growing.lines));
    import_into(&growing.store, &copy, &ImportOptions::new()).unwrap();
    let older = growing
        .files
        .write("older.jsonl", lines(&growing.lines[..3]));
    let (report, tree) = import_into(&growing.store, &older, &ImportOptions::new()).unwrap();
    assert_eq!((report.nodes_added, report.nodes_known), (0, 2));
    assert_eq!(changes(&tree), cursor);
    assert_drawn(
        &tree,
        "a \"a\"\nb < a \"b\"\nc < a \"c\"\nleaf-b = b\n*main = c",
    );
}

#[test]
fn main_goes_along_while_it_ends_at_the_last_imported_node() {
    let mut growing = Growing::new(&[("a", None), ("b", Some("a"))]);
    let (report, tree) = growing.grow(&[("c", Some("b")), ("d", Some("c"))]);
    assert_eq!(
        (report.created, report.nodes_added, report.nodes_known),
        (false, 2, 2)
    );
    assert_eq!(report.branch.as_deref(), Some("main"));
    assert_drawn(
        &tree,
        "a \"a\"\nb < a \"b\"\nc < b \"c\"\nd < c \"d\"\n*main = d",
    );
    // To a node that is no descendant it goes too, and the old leaf keeps a name.
    let (report, tree) = growing.grow(&[("e", Some("b"))]);
    assert_eq!(report.branches_added, ["leaf-d"]);
    assert_drawn(
        &tree,
        "a \"a\"\nb < a \"b\"\nc < b \"c\"\nd < c \"d\"\ne < b \"e\"\nleaf-d = d\n*main = e",
    );
    // A leaf branch that nobody touched advances with its children.
    let (report, tree) = growing.grow(&[("f", Some("d")), ("g", Some("e"))]);
    assert_eq!(report.branches_added, [""; 0]);
    assert_drawn(
        &tree,
        "a \"a\"\nb < a \"b\"\nc < b \"c\"\nd < c \"d\"\ne < b \"e\"\nf < d \"f\"\ng < e \"g\"\nleaf-d = f\n*main = g",
    );
}

#[test]
fn what_is_new_gets_a_branch_of_its_own_where_main_has_gone_on() {
    let mut growing = Growing::new(&[("a", None), ("b", Some("a"))]);
    let tree = growing.import().1;
    let mine = tree.append_message(Message::user("mine"), None).unwrap();
    let (report, tree) = growing.grow(&[("c", Some("b"))]);
    assert_eq!(
        (report.branch.as_deref(), report.branches_added.as_slice()),
        (Some("import-1"), &["import-1".to_owned()][..])
    );
    let info = tree.info().unwrap();
    assert_eq!(
        (info.active_branch.as_str(), info.leaf.as_ref()),
        ("main", Some(&mine))
    );
    // It is that branch which follows the file from now on.
    growing.grow(&[("d", Some("c"))]);
    let leaf_of = |name: &str| {
        tree.branches()
            .unwrap()
            .into_iter()
            .find(|branch| branch.name == name)
            .and_then(|branch| branch.leaf)
    };
    assert_eq!(leaf_of("import-1").as_deref(), Some("d"));
    assert_eq!(leaf_of("main"), Some(mine));
    // Rewound branches stay where a person put them.
    tree.switch_branch("import-1").unwrap();
    tree.rewind("c", None).unwrap();
    growing.grow(&[("e", Some("d"))]);
    assert_eq!(leaf_of("import-1").as_deref(), Some("c"));
    assert_eq!(leaf_of("import-1-rewound").as_deref(), Some("d"));
    assert_eq!(leaf_of("import-2").as_deref(), Some("e"));
    assert_eq!(tree.active_branch().unwrap(), "import-1");
}

#[test]
fn a_session_in_a_turn_does_not_grow() {
    let mut growing = Growing::new(&[("a", None)]);
    let tree = growing.import().1;
    let turn = tree.begin_turn(None).unwrap();
    growing.lines.push(says("b", Some("a"), "b"));
    let path = growing.files.write("file.jsonl", lines(&growing.lines));
    let error = growing
        .store
        .import(&path, &ImportOptions::new())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.is_retryable());
    assert_eq!(tree.outline(0, 9).unwrap().len(), 1);
    // Reading it again without anything new is no move, and is let in.
    growing.lines.pop();
    growing.import();
    turn.end().unwrap();
    let (report, _) = growing.grow(&[("b", Some("a"))]);
    assert_eq!(report.nodes_added, 1);
}

#[test]
fn every_step_of_a_growing_file_leaves_what_the_whole_file_would() {
    // A tree with branches on branches, written in the order in which an agent would write it.
    let parents = [
        0, 1, 2, 3, 2, 5, 6, 3, 8, 1, 10, 7, 12, 13, 11, 4, 16, 17, 14, 19,
    ];
    let ids: Vec<String> = (0..=parents.len())
        .map(|number| format!("n{number}x"))
        .collect();
    let mut all = vec![HEADER.to_owned(), says(&ids[0], None, "root")];
    for (number, parent) in parents.iter().enumerate() {
        all.push(says(&ids[number + 1], Some(&ids[*parent]), "text"));
    }
    for step in 1..all.len() {
        let files = Files::new();
        let store = store();
        let path = files.path("file.jsonl");
        let mut upto = 2;
        while upto < all.len() + step {
            let upto_now = upto.min(all.len());
            std::fs::write(&path, lines(&all[..upto_now])).unwrap();
            let (_, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
            let (_, whole) = import(&path).unwrap();
            let nodes = |tree: &SessionTree| -> Vec<(String, Option<String>)> {
                let nodes = tree.outline(0, 99).unwrap();
                nodes
                    .into_iter()
                    .map(|node| (node.id.to_string(), node.parent.map(|id| id.to_string())))
                    .collect()
            };
            assert_eq!(nodes(&tree), nodes(&whole), "step {step}, {upto_now} lines");
            assert_eq!(
                tree.leaves().unwrap(),
                whole.leaves().unwrap(),
                "step {step}, {upto_now} lines"
            );
            assert_eq!(
                tree.info().unwrap().leaf,
                whole.info().unwrap().leaf,
                "step {step}, {upto_now} lines"
            );
            upto += step;
        }
    }
}
