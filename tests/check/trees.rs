//! Trees: whole ones from every call there is, and random damage judged by a plain walk.

use session_tree::{CheckOptions, Message, NavigateOptions, NewNode, ProblemCode, Store};

use super::describe;
use crate::attacks::engine::{self, Bench};

#[test]
fn a_store_that_went_through_everything_is_healthy() -> session_tree::Result<()> {
    let store = Store::builder().open_in_memory()?;
    let tree = store.from_linear(["a", "b", "c", "d"].map(Message::user), None)?;
    for _ in 0..3 {
        tree.rewind("n1", None)?;
        tree.append_message(Message::assistant("again"), None)?;
    }
    tree.branch("n0", None, None)?;
    tree.branch("n2", Some("named"), None)?;
    tree.append(NewNode::of_kind(
        "label",
        Message::new(r#"{"targetId":"n99","label":"later"}"#).expect("an object"),
    ))?;
    tree.clear_label("n0")?;
    tree.switch_branch("main")?;
    tree.summarize_branch("named", "short", None, None)?;
    tree.archive_branch("named", true)?;
    tree.rename(Some("title"))?;
    let turn = tree.begin_turn(None)?;
    turn.append_message(Message::assistant("in a turn"), None)?;
    turn.rewind("n1", None)?;
    turn.end()?;
    tree.navigate("n3", &NavigateOptions::new(), None)?;
    tree.undo(None)?;
    tree.redo(None)?;
    let fork = tree.fork(Some("n2"))?;
    fork.append_message(Message::user("elsewhere"), None)?;
    fork.fork(None)?
        .append_message(Message::user("anew"), None)?;
    let given = store.create_session()?;
    given.append(NewNode::message(Message::user("x")).id("n41"))?;
    given.append_message(Message::user("y"), None)?;
    store.delete_session(store.create_session()?.id())?;
    let report = store.check(CheckOptions::new())?;
    let notes: Vec<_> = report
        .problems
        .iter()
        .map(|problem| (problem.code, problem.node.as_deref()))
        .collect();
    assert_eq!(
        notes,
        [(ProblemCode::Label, Some("n99"))],
        "{}",
        describe(&report)
    );
    assert_eq!(report.sessions, 4);
    Ok(())
}

/// The same small numbers on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// A tree as parents by number, and a plain answer to what is wrong with it.
fn unreachable(parents: &[Option<usize>]) -> usize {
    let ends = |start: usize| {
        let mut at = start;
        for _ in 0..=parents.len() {
            match parents[at] {
                None => return true,
                Some(parent) => at = parent,
            }
        }
        false
    };
    (0..parents.len()).filter(|node| !ends(*node)).count()
}

#[test]
fn what_check_says_of_random_damage_agrees_with_a_plain_walk() {
    let mut dice = Dice(11);
    let (mut cycles, mut whole) = (0, 0);
    let bench = Bench::new();
    for round in 0..100 {
        let count = 2 + dice.below(40);
        // Parents anywhere: mostly older, at times younger or the node itself.
        let younger = [0, 5, 20, 50][round % 4];
        let parents: Vec<Option<usize>> = (0..count)
            .map(|node| match dice.below(100) {
                chance if chance < younger => Some(dice.below(count)),
                chance if node == 0 || chance > 90 => None,
                _ => Some(dice.below(node)),
            })
            .collect();
        let copy = bench.copy();
        let db = engine::open(&copy);
        db.set_db_config(
            rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER,
            false,
        )
        .expect("a switch");
        db.execute_batch("PRAGMA ignore_check_constraints = ON; INSERT INTO sessions (id, created_at_ms, id_style) VALUES ('any', 1, 'hex')").expect("a session");
        let base = 5_i64 << 32;
        let mut runs: Vec<i64> = Vec::new();
        let mut leaves = vec![true; count];
        for (node, parent) in parents.iter().enumerate() {
            let run = match parent {
                Some(parent) if parent + 1 == node => runs[*parent],
                _ => node as i64,
            };
            runs.push(run);
            if let Some(parent) = parent {
                leaves[*parent] = false;
            }
            // What hangs under a younger node has declared it.
            let missing = parent
                .filter(|parent| *parent >= node)
                .map(|parent| format!("w{parent}"));
            db.execute(
                "INSERT INTO nodes (key, id, parent_key, run_start, messages, kind, created_at_ms, missing_parent, preview, payload)
                 VALUES (?1, ?2, ?3, ?4, 0, 'custom', 1, ?5, '', '{}')",
                rusqlite::params![base + node as i64, format!("w{node}"), parent.map(|parent| base + parent as i64), base + run, missing],
            )
            .expect("a node");
        }
        drop(db);
        let store = Store::open(&copy).expect("a store");
        let report = store
            .check(CheckOptions::new().session("any").limit(1_000))
            .expect("a report");
        let count_of = |code| {
            report
                .problems
                .iter()
                .filter(|problem| problem.code == code)
                .count()
        };
        let lost = unreachable(&parents);
        let found = report
            .problems
            .iter()
            .find(|problem| problem.code == ProblemCode::Cycle);
        assert_eq!(
            found.is_some(),
            lost > 0,
            "{parents:?}\n{}",
            describe(&report)
        );
        if let Some(problem) = found {
            let words = if lost == 1 {
                "1 node has".to_owned()
            } else {
                format!("{lost} nodes have")
            };
            assert!(
                problem.text.contains(&words),
                "{parents:?}: {}",
                problem.text
            );
        }
        assert_eq!(
            count_of(ProblemCode::UnnamedLeaf),
            leaves.iter().filter(|leaf| **leaf).count(),
            "{parents:?}"
        );
        for code in [
            ProblemCode::RunStart,
            ProblemCode::Parent,
            ProblemCode::Gap,
            ProblemCode::Messages,
            ProblemCode::Id,
        ] {
            assert_eq!(count_of(code), 0, "{parents:?}\n{}", describe(&report));
        }
        cycles += usize::from(lost > 0);
        whole += usize::from(lost == 0);
    }
    println!("{cycles} trees with cycles, {whole} without");
    assert!(cycles > 10 && whole > 10);
}
