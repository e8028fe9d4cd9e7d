//! One sequence: an operation is chosen, done to the store and to the model, and both answers must be the same.

use std::fmt::Debug;
use std::path::PathBuf;

use session_tree::{
    BranchSummarizer, CheckOptions, Durability, Error, ErrorKind, Message, NewNode, Result,
    SessionTree, Store,
};

use super::Statistics;
use super::compare::{compare, glance};
use super::dice::Dice;
use super::world::{Append, Expected, Refusal, World};

const OPERATIONS: usize = 60;
const NAMES: &[&str] = &[
    "main",
    "branch",
    "branch-2",
    "main-rewound",
    "main-rewound-2",
    "try b",
    "ünïcode ✓",
    "nowhere",
];
const KINDS: &[&str] = &[
    "message",
    "message",
    "message",
    "message",
    "custom",
    "label",
    "session_info",
    "future_type",
];

pub struct Play {
    seed: u64,
    dice: Dice,
    _directory: tempfile::TempDir,
    path: PathBuf,
    /// Two handles on one file, as two programs have them.
    stores: [Store; 2],
    /// Two sessions, so that their keys lie beside each other.
    worlds: [World; 2],
    log: Vec<String>,
}

struct Summariser(bool);

impl BranchSummarizer for Summariser {
    fn summarize(&self, branch_text: &str) -> Result<String> {
        if self.0 {
            return Err(Error::new(ErrorKind::SummarizerFailed, "no model is near"));
        }
        Ok(format!("{} bytes", branch_text.len()))
    }

    fn model_id(&self) -> &str {
        "counter"
    }
}

fn open(path: &PathBuf) -> Store {
    Store::builder()
        .durability(Durability::Off)
        .open(path)
        .unwrap()
}

impl Play {
    pub fn new(seed: u64) -> Play {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("agent.db");
        let stores = [open(&path), open(&path)];
        for id in ["one", "two"] {
            stores[0].open_or_create_session(id).unwrap();
        }
        Play {
            seed,
            dice: Dice::new(seed),
            _directory: directory,
            path,
            stores,
            worlds: [World::new(), World::new()],
            log: Vec::new(),
        }
    }

    pub fn run(&mut self, statistics: &mut Statistics) {
        for step in 0..OPERATIONS {
            if step == OPERATIONS / 2 {
                // Both are gone for a moment, so the file is closed and opened as another program would find it.
                let memory = || Store::builder().open_in_memory().unwrap();
                self.stores = [memory(), memory()];
                self.stores = [open(&self.path), open(&self.path)];
                self.log.push(String::from("reopen"));
            }
            let which = usize::from(self.dice.once_in(4));
            let store = self.dice.below(2);
            let tree = self.stores[store]
                .open_session(["one", "two"][which])
                .unwrap();
            let (operation, refused) = self.step(&tree, which);
            let counts = statistics.entry(operation).or_default();
            counts.0 += 1;
            counts.1 += u64::from(refused);
            let other = self.stores[1 - store]
                .open_session(["one", "two"][which])
                .unwrap();
            glance(&self.worlds[which], &other, &self.story());
        }
        let story = self.story();
        for (which, id) in ["one", "two"].iter().enumerate() {
            let tree = self.stores[which].open_session(id).unwrap();
            compare(&self.worlds[which], &tree, &mut self.dice, &story);
        }
        let report = self.stores[0].check(CheckOptions::new()).unwrap();
        assert!(report.is_healthy(), "check: {:?}\n{story}", report.problems);
    }

    /// What was done so far, to be printed with a failure.
    fn story(&self) -> String {
        format!(
            "sequence {} (ST_SEED={}):\n{}",
            self.seed,
            self.seed,
            self.log.join("\n")
        )
    }

    fn step(&mut self, tree: &SessionTree, which: usize) -> (&'static str, bool) {
        match self.dice.below(20) {
            0..=6 => self.append(tree, which),
            7 => self.append_many(tree, which),
            8..=10 => {
                let id = self.some_id(which);
                let world = &mut self.worlds[which];
                let (is, must) = (tree.rewind(&id, None), world.rewind(&id));
                ("rewind", self.same(format!("rewind {id}"), is, must))
            }
            11 | 12 => {
                let from = self.some_id(which);
                let name = self.dice.once_in(2).then(|| self.new_name(which));
                let name = name.as_deref();
                let (is, must) = (
                    tree.branch(&from, name, None),
                    self.worlds[which].branch(Some(&from), name, true),
                );
                (
                    "branch",
                    self.same(format!("branch {from} {name:?}"), is, must),
                )
            }
            13 => {
                let from = (!self.dice.once_in(3)).then(|| self.some_id(which));
                let name = self.dice.once_in(2).then(|| self.new_name(which));
                let name = name.as_deref();
                let is = tree.create_branch(from.as_deref(), name, None);
                let must = self.worlds[which].branch(from.as_deref(), name, false);
                (
                    "create_branch",
                    self.same(format!("create_branch {from:?} {name:?}"), is, must),
                )
            }
            14 => {
                let name = self.some_name(which);
                let (is, must) = (tree.switch_branch(&name), self.worlds[which].switch(&name));
                (
                    "switch_branch",
                    self.same(format!("switch {name}"), is, must),
                )
            }
            15 => {
                let id = self.some_id(which);
                let text =
                    *self
                        .dice
                        .pick(&[Some("good"), Some("noch ein Zeichen"), Some(""), None]);
                let is = match text {
                    Some(text) => tree.label(&id, text),
                    None => tree.clear_label(&id),
                };
                let must = self.worlds[which].label(&id, text);
                ("label", self.same(format!("label {id} {text:?}"), is, must))
            }
            16 => {
                let name = *self
                    .dice
                    .pick(&[Some("A title"), Some("  spaced\t"), Some(" "), None]);
                self.worlds[which].name = name
                    .map(str::trim)
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned);
                (
                    "rename",
                    self.same(format!("rename {name:?}"), tree.rename(name), Ok(())),
                )
            }
            17 => {
                let (name, archived) = (self.some_name(which), self.dice.once_in(2));
                let (is, must) = (
                    tree.archive_branch(&name, archived),
                    self.worlds[which].archive(&name, archived),
                );
                (
                    "archive_branch",
                    self.same(format!("archive {name} {archived}"), is, must),
                )
            }
            18 => {
                let name = self.some_name(which);
                let model = self.dice.once_in(2).then_some("model-1");
                let text = format!("summary {}", self.log.len());
                let is = tree.summarize_branch(&name, &text, model, None);
                let must = self.worlds[which].summarize(&name, &text, model);
                (
                    "summarize_branch",
                    self.same(format!("summarize {name} {model:?}"), is, must),
                )
            }
            _ => self.summarize_with(tree, which),
        }
    }

    fn append(&mut self, tree: &SessionTree, which: usize) -> (&'static str, bool) {
        let new = self.new_node(which);
        let (is, must) = (tree.append(node(&new)), self.worlds[which].append(&new));
        (
            "append",
            self.same(format!("append {new:?}"), is.map(|id| id.to_string()), must),
        )
    }

    fn append_many(&mut self, tree: &SessionTree, which: usize) -> (&'static str, bool) {
        let many: Vec<Append> = (0..1 + self.dice.below(4))
            .map(|_| self.new_node(which))
            .collect();
        let is = tree.append_many(many.iter().map(node));
        // All or none: the model works on a copy that is thrown away when one is refused.
        let mut after = self.worlds[which].clone();
        let must: std::result::Result<Vec<String>, Refusal> =
            many.iter().map(|new| after.append(new)).collect();
        if must.is_ok() {
            self.worlds[which] = after;
        }
        let is = is.map(|ids| ids.iter().map(|id| id.to_string()).collect::<Vec<String>>());
        (
            "append_many",
            self.same(format!("append_many {many:?}"), is, must),
        )
    }

    fn summarize_with(&mut self, tree: &SessionTree, which: usize) -> (&'static str, bool) {
        let (name, fails) = (self.some_name(which), self.dice.once_in(2));
        let is = tree.summarize_branch_with(&name, &Summariser(fails), None);
        let world = &mut self.worlds[which];
        let leaf = world.branches.get(&name).and_then(|branch| branch.leaf);
        let text = match (&is, fails) {
            (_, true) => format!("[{} turn(s), unsummarized]", world.messages(leaf).len()),
            (Ok(text), false) => {
                assert!(text.ends_with(" bytes"));
                text.clone()
            }
            (Err(_), false) => String::new(),
        };
        let must = world
            .summarize(&name, &text, (!fails).then_some("counter"))
            .map(|()| text);
        (
            "summarize_branch_with",
            self.same(
                format!("summarize {name} by a summariser, fails: {fails}"),
                is,
                must,
            ),
        )
    }

    fn new_node(&mut self, which: usize) -> Append {
        let world = &self.worlds[which];
        let turn = self.log.len();
        // An earlier node once more, to the letter or not: what a client sends that has lost the answer.
        if !world.nodes.is_empty() && self.dice.once_in(8) {
            let earlier = self.dice.pick(&world.nodes);
            let parent = world.id(earlier.parent);
            return Append {
                kind: earlier.kind.clone(),
                payload: if self.dice.once_in(4) {
                    String::from("{\"role\":\"user\"}")
                } else {
                    earlier.payload.clone()
                },
                id: Some(earlier.id.clone()),
                branch: Some(earlier.branch.clone()).filter(|_| !self.dice.once_in(4)),
                expected: if self.dice.once_in(2) {
                    Expected::Any
                } else {
                    Expected::Leaf(parent)
                },
                at_ms: earlier.at_ms,
            };
        }
        let kind = (*self.dice.pick(KINDS)).to_owned();
        let payload = match kind.as_str() {
            "label" => format!(
                "{{\"targetId\":\"{}\",\"label\":\"{}\"}}",
                self.some_id(which),
                ["", "line"][turn % 2]
            ),
            "session_info" => format!("{{\"name\":\"{}\"}}", ["", "named by a line"][turn % 2]),
            _ => format!(
                "{{\"role\":\"{}\", \"content\":\"turn {turn} \\ud83d ✓\"}}",
                ["user", "assistant", "toolResult"][turn % 3]
            ),
        };
        let branch = self
            .dice
            .once_in(4)
            .then(|| (self.some_name(which)).to_owned());
        let world = &self.worlds[which];
        let leaf = world
            .branches
            .get(branch.as_ref().unwrap_or(&world.active))
            .and_then(|branch| branch.leaf);
        let expected = match self.dice.below(6) {
            0 => Expected::Leaf(world.id(leaf)),
            1 => Expected::Leaf(self.dice.once_in(2).then(|| self.some_id(which))),
            _ => Expected::Any,
        };
        let id = match self.dice.below(10) {
            0 | 1 => Some(format!("given-{turn}")),
            2 => Some(format!("n{}", turn + 1000)),
            _ => None,
        };
        Append {
            kind,
            payload,
            id,
            branch,
            expected,
            at_ms: 1_700_000_000_000 + turn as i64,
        }
    }

    /// The name of a branch, mostly of one that is there.
    fn some_name(&mut self, which: usize) -> String {
        if self.dice.once_in(4) {
            return (*self.dice.pick(NAMES)).to_owned();
        }
        let place = self.dice.below(self.worlds[which].branches.len());
        self.worlds[which]
            .branches
            .keys()
            .nth(place)
            .cloned()
            .unwrap()
    }

    /// A name for a new branch, seldom one that is taken.
    fn new_name(&mut self, which: usize) -> String {
        if self.dice.once_in(4) {
            self.some_name(which)
        } else {
            format!("idea {}", self.log.len())
        }
    }

    /// The id of a node, or of none.
    fn some_id(&mut self, which: usize) -> String {
        let nodes = &self.worlds[which].nodes;
        if nodes.is_empty() || self.dice.once_in(12) {
            return (*self.dice.pick(&["n999", "nobody", "given-1", "n01", ""])).to_owned();
        }
        self.dice.pick(nodes).id.clone()
    }

    /// Fails the test unless both answered alike. Says whether both refused.
    fn same<T: Debug + PartialEq>(
        &mut self,
        what: String,
        is: Result<T>,
        must: std::result::Result<T, Refusal>,
    ) -> bool {
        self.log.push(what);
        let is = is.map_err(|error| error.kind());
        assert_eq!(
            is,
            must,
            "the store (left) and the model (right) differ\n{}",
            self.story()
        );
        must.is_err()
    }
}

fn node(new: &Append) -> NewNode {
    let mut node =
        NewNode::of_kind(&new.kind, Message::new(new.payload.as_str()).unwrap()).at(new.at_ms);
    if let Some(id) = &new.id {
        node = node.id(id);
    }
    if let Some(branch) = &new.branch {
        node = node.on_branch(branch);
    }
    match &new.expected {
        Expected::Any => node,
        Expected::Leaf(leaf) => node.expecting_leaf(leaf.as_deref()),
    }
}
