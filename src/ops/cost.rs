//! What an operation costs: instructions of SQLite and pages of WAL, which do not depend on the machine, the size of the tree
//! or the number of operations before.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::model::{Message, NewNode};
use crate::{Durability, SessionTree, Store};

/// The bytes of one page in a WAL: its frame header and the page.
const FRAME: u64 = 24 + 4096;

struct Meter {
    directory: tempfile::TempDir,
    store: Store,
    steps: Arc<AtomicU64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost {
    steps: u64,
    pages: u64,
}

impl Meter {
    fn new() -> Meter {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::builder()
            .durability(Durability::Off)
            .open(directory.path().join("agent.db"))
            .unwrap();
        let steps = store.inner.db.meter();
        Meter {
            directory,
            store,
            steps,
        }
    }

    fn pages(&self) -> u64 {
        std::fs::metadata(self.directory.path().join("agent.db-wal"))
            .unwrap()
            .len()
            / FRAME
    }

    fn cost(&self, work: impl FnOnce()) -> Cost {
        let (steps, pages) = (self.steps.load(Ordering::Relaxed), self.pages());
        work();
        Cost {
            steps: self.steps.load(Ordering::Relaxed) - steps,
            pages: self.pages() - pages,
        }
    }

    /// The median cost of 101 repetitions: a page that splits now and then does not count.
    fn typical(&self, mut work: impl FnMut()) -> Cost {
        let mut costs: Vec<Cost> = (0..101).map(|_| self.cost(&mut work)).collect();
        costs.sort_by_key(|cost| cost.steps);
        let steps = costs[50].steps;
        costs.sort_by_key(|cost| cost.pages);
        Cost {
            steps,
            pages: costs[50].pages,
        }
    }
}

fn say(tree: &SessionTree) {
    tree.append_message(
        Message::user("a message of usual length, as people write them to agents"),
        None,
    )
    .unwrap();
}

fn grow(tree: &SessionTree, nodes: usize) {
    for _ in 0..nodes / 1000 {
        tree.append_many((0..1000).map(|turn| NewNode::message(Message::user(&turn.to_string()))))
            .unwrap();
    }
}

/// Steps may differ by a hair; pages by a few, where rows that lay on one page lie on several of a bigger B-tree.
fn assert_as_cheap(what: &str, early: Cost, late: Cost) {
    println!("{what}: {early:?} early, {late:?} late");
    assert!(
        late.steps <= early.steps + early.steps / 20,
        "{what}: {early:?} became {late:?}"
    );
    assert!(
        late.pages <= early.pages + early.pages / 5 + 1,
        "{what}: {early:?} became {late:?}"
    );
}

#[test]
fn an_append_touches_two_pages_and_is_as_cheap_in_a_big_tree() {
    let meter = Meter::new();
    let tree = meter.store.create_session().unwrap();
    grow(&tree, 1000);
    let early = meter.typical(|| say(&tree));
    assert_eq!(
        early.pages, 2,
        "an append writes the node's page and the branch's"
    );
    grow(&tree, 50_000);
    assert_as_cheap("append", early, meter.typical(|| say(&tree)));
}

#[test]
fn an_append_is_as_cheap_beside_a_thousand_sessions() {
    let meter = Meter::new();
    let tree = meter.store.create_session().unwrap();
    let early = meter.typical(|| say(&tree));
    for _ in 0..1000 {
        meter
            .store
            .from_linear([Message::user("another")], None)
            .unwrap();
    }
    assert_as_cheap(
        "append beside 1,000 sessions",
        early,
        meter.typical(|| say(&tree)),
    );
}

#[test]
fn ten_thousand_rewinds_are_as_cheap_as_the_first() {
    let meter = Meter::new();
    let tree = meter.store.create_session().unwrap();
    grow(&tree, 1000);
    let rewind_and_go_on = || {
        tree.rewind("n500", None).unwrap();
        say(&tree);
    };
    let early = meter.typical(rewind_and_go_on);
    let mut names = Vec::new();
    for _ in 0..10_000 {
        names.extend(tree.rewind("n500", None).unwrap());
        say(&tree);
    }
    assert_eq!(names.first().map(String::as_str), Some("main-rewound-102"));
    assert_eq!(names.last().map(String::as_str), Some("main-rewound-10101"));
    assert_as_cheap("rewind and append", early, meter.typical(rewind_and_go_on));
    assert_eq!(tree.branches().unwrap().len(), 1 + 101 + 10_000 + 101);
}

#[test]
fn branching_switching_and_labelling_do_not_grow_dearer() {
    let meter = Meter::new();
    let tree = meter.store.create_session().unwrap();
    grow(&tree, 1000);
    let branch = || drop(tree.branch("n7", None, None).unwrap());
    let switch = || {
        tree.switch_branch("main").unwrap();
        tree.switch_branch("branch").unwrap();
    };
    let label = || tree.label("n7", "here").unwrap();
    let early = (
        meter.typical(branch),
        meter.typical(switch),
        meter.typical(label),
    );
    for _ in 0..3000 {
        branch();
    }
    assert_as_cheap("branch", early.0, meter.typical(branch));
    assert_as_cheap("switch", early.1, meter.typical(switch));
    assert_as_cheap("label", early.2, meter.typical(label));
}
