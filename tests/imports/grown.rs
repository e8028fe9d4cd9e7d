//! Files that grow while people work in the session: it stays whole, nothing of the file is missing, and nobody is moved.

use proptest::prelude::*;
use session_tree::interchange::ImportOptions;
use session_tree::{CheckOptions, Message};

use super::draw::{Files, HEADER, lines, says};
use super::store;
use crate::support::{full, runner};

/// What happens between two imports; numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Step {
    /// The file grows by so many lines.
    Grow(usize),
    Append,
    Rewind(usize),
    Switch(usize),
    Branch(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1..6_usize).prop_map(Step::Grow),
        2 => Just(Step::Append),
        1 => any::<usize>().prop_map(Step::Rewind),
        1 => any::<usize>().prop_map(Step::Switch),
        1 => any::<usize>().prop_map(Step::Branch),
    ]
}

fn check(parents: &[usize], steps: &[Step]) -> Result<(), TestCaseError> {
    let files = Files::new();
    let store = store();
    let path = files.path("file.jsonl");
    // Most parents are earlier entries; some come later in the file, some never, some are the entry itself.
    let id = |number: usize| format!("e{number}");
    let parent = |number: usize| match parents[number] {
        0 => None,
        far if far > 60 => Some(id(far - 40)),
        near => Some(id(number.saturating_sub(near))),
    };
    let all: Vec<String> = (0..parents.len())
        .map(|number| says(&id(number), parent(number).as_deref(), "x"))
        .collect();
    let mut grown = 2.min(all.len());
    let import = |grown: usize| {
        let text = lines(std::iter::once(HEADER).chain(all[..grown].iter().map(String::as_str)));
        std::fs::write(&path, text).unwrap();
        store.import(&path, &ImportOptions::new())
    };
    let session = import(grown).unwrap().session;
    let tree = store.open_session(&session).unwrap();
    for step in steps {
        let nodes = tree.outline(0, u32::MAX).unwrap();
        let any_node = |number: usize| nodes[number % nodes.len()].id.to_string();
        match step {
            Step::Grow(by) => {
                grown = (grown + by).min(all.len());
                let before = tree.info().unwrap();
                let report = import(grown).unwrap();
                prop_assert!(!report.created);
                prop_assert_eq!(report.nodes_added + report.nodes_known, grown as u64);
                let after = tree.info().unwrap();
                prop_assert_eq!(&after.active_branch, &before.active_branch);
                if report.branch.as_ref() != Some(&after.active_branch) {
                    prop_assert_eq!(after.leaf, before.leaf);
                }
            }
            Step::Append => drop(tree.append_message(Message::user("mine"), 1).unwrap()),
            Step::Rewind(to) => drop(tree.rewind(&any_node(*to), 1).unwrap()),
            Step::Branch(at) => drop(tree.branch(&any_node(*at), None, 1).unwrap()),
            Step::Switch(to) => {
                let branches = tree.branches().unwrap();
                tree.switch_branch(&branches[to % branches.len()].name)
                    .unwrap();
            }
        }
        let found = store.check(CheckOptions::new()).unwrap();
        prop_assert!(found.is_healthy(), "{step:?}: {:?}", found.problems);
    }
    // Every entry is there under the parent it declares, if that is there and does not hang below it.
    let nodes = tree.outline(0, u32::MAX).unwrap();
    for number in 0..grown {
        let node = nodes.iter().find(|node| node.id == id(number).as_str());
        let Some(node) = node else {
            return Err(TestCaseError::fail(format!("{} is missing", id(number))));
        };
        let declared = node
            .parent
            .as_ref()
            .map(|id| id.to_string())
            .or(node.missing_parent.clone());
        prop_assert_eq!(declared, parent(number));
    }
    Ok(())
}

#[test]
fn growing_files_and_working_people_do_not_disturb_each_other() {
    let parents = proptest::collection::vec(
        prop_oneof![8 => 1..4_usize, 1 => Just(0), 1 => 61..85_usize],
        2..40,
    );
    let steps = proptest::collection::vec(step(), 1..14);
    let mut runner = runner(if full() { 400 } else { 25 });
    runner
        .run(&(parents, steps), |(parents, steps)| {
            check(&parents, &steps)
        })
        .unwrap_or_else(|error| panic!("{error}"));
}
