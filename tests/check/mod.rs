//! `check` finds what the guards cannot refuse, and says nothing about healthy stores.

mod damage;
mod trees;

use session_tree::{CheckOptions, CheckReport, ErrorKind, Message, ProblemCode, Store};

use crate::attacks::cases::{self, Expect};
use crate::attacks::engine::{self, Bench};

fn codes(report: &CheckReport) -> Vec<&'static str> {
    let mut codes: Vec<_> = report
        .problems
        .iter()
        .map(|problem| problem.code.as_str())
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn describe(report: &CheckReport) -> String {
    let lines: Vec<String> = report
        .problems
        .iter()
        .map(|problem| {
            format!(
                "    {}: {:?} {:?} {}",
                problem.code, problem.session, problem.node, problem.text
            )
        })
        .collect();
    lines.join("\n")
}

/// What a healthy store may be told about: nothing that is damage.
const NOTES: &[&str] = &["orphan"];

#[test]
fn a_healthy_store_gets_notes_only() {
    let bench = Bench::new();
    let store = Store::open(bench.copy()).expect("a store");
    let report = store.check(CheckOptions::new()).expect("a report");
    assert!(report.is_healthy(), "{}", describe(&report));
    assert_eq!(
        (report.sessions, report.nodes, report.branches),
        (3, 20, 13)
    );
    let notes: Vec<_> = report
        .problems
        .iter()
        .map(|problem| {
            (
                problem.code,
                problem.session.as_deref().unwrap_or_default(),
                problem.node.as_deref().unwrap_or_default(),
            )
        })
        .collect();
    let orphans = ["bb", "ee", "nn", "xx", "p1", "q1"];
    assert_eq!(
        notes,
        orphans.map(|node| (ProblemCode::Orphan, "beta", node))
    );
    assert!(report.adopted.is_empty() && report.omitted == 0);
}

#[test]
fn every_attack_that_the_guards_cannot_stop_is_found_and_no_other_makes_a_noise() {
    let bench = Bench::new();
    let mut wrong = Vec::new();
    let mut found = 0;
    for attack in cases::all() {
        let copy = bench.copy();
        engine::run_inside(&copy, "", &cases::expand(attack.sql));
        let opened = Store::builder().read_only().open(&copy);
        let report = match opened.and_then(|store| store.check(CheckOptions::new())) {
            Ok(report) => report,
            // A file that says it is no store of this version is refused before it can be checked.
            Err(error) if attack.expect == Expect::Left(&["version"]) => {
                assert!(
                    matches!(error.kind(), ErrorKind::Damaged | ErrorKind::NotAStore),
                    "{error}"
                );
                found += 1;
                continue;
            }
            Err(error) => {
                wrong.push(format!("{}: {error}", attack.name));
                continue;
            }
        };
        let codes = codes(&report);
        let as_expected = match attack.expect {
            Expect::Left(expected) => expected.iter().all(|code| codes.contains(code)),
            Expect::Stopped(_) | Expect::Harmless | Expect::Unseen => codes == NOTES,
        };
        if !as_expected {
            wrong.push(format!(
                "{}\n    {}\n{}",
                attack.name,
                attack.sql,
                describe(&report)
            ));
        }
        found += usize::from(matches!(attack.expect, Expect::Left(_)));
    }
    assert!(
        wrong.is_empty(),
        "{} went otherwise:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{found} attacks found");
}

#[test]
fn a_page_overwritten_anywhere_is_found() {
    const PAGE: usize = 4096;
    let bench = Bench::new();
    let seed = bench.copy();
    engine::open(&seed)
        .execute_batch("VACUUM")
        .expect("no free pages");
    let bytes = std::fs::read(&seed).expect("the file, which nobody has open");
    for page in 0..bytes.len() / PAGE {
        let mut damaged = bytes.clone();
        damaged[page * PAGE..(page + 1) * PAGE].fill(0xa5);
        std::fs::write(&seed, &damaged).expect("the file");
        match Store::builder()
            .read_only()
            .open(&seed)
            .and_then(|store| store.check(CheckOptions::new()))
        {
            Ok(report) => assert!(!report.is_healthy(), "page {page}"),
            Err(error) => assert!(
                matches!(error.kind(), ErrorKind::Damaged | ErrorKind::NotAStore),
                "page {page}: {error}"
            ),
        }
    }
}

#[test]
fn adopting_names_leaves_and_changes_nothing_else() {
    let bench = Bench::new();
    let copy = bench.copy();
    let script = "INSERT INTO $node VALUES ($a6, NULL, $a1, $a6, 6, $rest), ($a7, NULL, NULL, $a7, 7, $rest);
INSERT INTO branches (session_key, name, created_at_ms) VALUES (1, 'leaf-n7', 1);
INSERT INTO $node VALUES ($b13, 'a' || char(10) || 'b', $b12, $b11, 5, $rest);";
    assert!(engine::run_inside(&copy, "", &cases::expand(script)).is_empty());
    let reader = Store::builder().read_only().open(&copy).expect("a store");
    let refused = reader
        .check(CheckOptions::new().adopt(true))
        .expect_err("it cannot write");
    assert_eq!(refused.kind(), ErrorKind::ReadOnly);
    let report = reader.check(CheckOptions::new()).expect("a report");
    assert_eq!(codes(&report), ["orphan", "unnamed_leaf"]);
    drop(reader);

    let store = Store::builder()
        .actor("doctor")
        .open(&copy)
        .expect("a store");
    let report = store
        .check(CheckOptions::new().adopt(true))
        .expect("a report");
    let named = [
        ("alpha", "leaf-n6"),
        ("alpha", "leaf-n7-2"),
        ("beta", "leaf-a\u{fffd}b"),
    ];
    assert_eq!(
        report.adopted,
        named.map(|(session, branch)| (session.to_owned(), branch.to_owned()))
    );
    assert!(report.is_healthy(), "{}", describe(&report));
    let again = store
        .check(CheckOptions::new().adopt(true))
        .expect("a report");
    assert!(
        again.adopted.is_empty() && again.is_healthy(),
        "{}",
        describe(&again)
    );
    drop(store);
    let db = engine::open(&copy);
    let operations = "SELECT session_id, verb, actor, branch, to_id, detail FROM operation_list ORDER BY operation_key LIMIT 2 OFFSET 3";
    assert_eq!(
        engine::rows(&db, operations),
        "alpha|branch|doctor|leaf-n6|n6|{\"branch\":\"leaf-n6\",\"switched\":false,\"by\":\"check\"}\n\
         alpha|branch|doctor|leaf-n7-2|n7|{\"branch\":\"leaf-n7-2\",\"switched\":false,\"by\":\"check\"}\n"
    );
}

#[test]
fn leftovers_are_named_with_what_to_do() {
    let bench = Bench::new();
    let copy = bench.copy();
    // An import that was cut off has leaves without a branch, and a deletion may go in any order: neither is damage.
    let script = "INSERT INTO sessions (id, created_at_ms, state, source_path) VALUES ('half', 1, 'importing', '/srv/half.jsonl');
INSERT INTO $node VALUES ((5 << 32), NULL, NULL, (5 << 32), 1, $rest);
UPDATE sessions SET state = 'deleting' WHERE id = 'alpha'; DELETE FROM nodes WHERE key BETWEEN $a1 AND $a3;";
    assert!(engine::run_inside(&copy, "", &cases::expand(script)).is_empty());
    let report = Store::open(&copy)
        .and_then(|store| store.check(CheckOptions::new()))
        .expect("a report");
    assert!(report.is_healthy(), "{}", describe(&report));
    let leftovers: Vec<_> = report
        .problems
        .iter()
        .filter(|problem| problem.code == ProblemCode::Leftover)
        .map(|problem| {
            (
                problem.session.as_deref().unwrap_or_default(),
                problem.text.as_str(),
            )
        })
        .collect();
    assert_eq!(leftovers.len(), 2);
    assert!(leftovers[0].0 == "alpha" && leftovers[0].1.contains("delete it again"));
    assert!(leftovers[1].0 == "half" && leftovers[1].1.contains("import `/srv/half.jsonl` again"));
}

#[test]
fn labels_and_summaries_that_name_nothing_are_notes() {
    let bench = Bench::new();
    let copy = bench.copy();
    let script = "INSERT INTO labels VALUES (1, 'n9', 'later', 'api', 1), (1, 'n01', 'zeros', 'api', 1), (1, 'n2', NULL, 'api', 1);
INSERT INTO summaries (session_key, branch_key, branch, node_id, summary, created_at_ms) VALUES (1, 3, 'empty', '', 'x', 1), (1, 3, 'empty', 'n9', 'x', 1);";
    assert!(engine::run_inside(&copy, "", script).is_empty());
    let store = Store::open(&copy).expect("a store");
    let report = store
        .check(CheckOptions::new().session("alpha"))
        .expect("a report");
    let notes: Vec<_> = report
        .problems
        .iter()
        .map(|problem| (problem.code, problem.node.as_deref()))
        .collect();
    assert_eq!(
        notes,
        [
            (ProblemCode::Label, Some("n01")),
            (ProblemCode::Label, Some("n9")),
            (ProblemCode::Summary, Some("n9"))
        ]
    );
    assert_eq!(report.sessions, 1);
    let error = store
        .check(CheckOptions::new().session("nobody"))
        .expect_err("there is none");
    assert_eq!(error.kind(), ErrorKind::SessionNotFound);
}

#[test]
fn more_than_can_be_read_is_counted() {
    let bench = Bench::new();
    let copy = bench.copy();
    let script = ".dbconfig enable_trigger off
UPDATE nodes SET messages = messages + key % 7 + 1, payload = 'x';";
    assert!(engine::run_inside(&copy, "", script).is_empty());
    let store = Store::open(&copy).expect("a store");
    let report = store.check(CheckOptions::new().limit(3)).expect("a report");
    let count = |code| {
        report
            .problems
            .iter()
            .filter(|problem| problem.code == code)
            .count()
    };
    assert_eq!(
        (count(ProblemCode::Payload), count(ProblemCode::Messages)),
        (3, 3)
    );
    let all = store.check(CheckOptions::new()).expect("a report");
    assert_eq!(all.omitted, 0);
    assert_eq!(
        report.omitted,
        (all.problems.len() - report.problems.len()) as u64
    );
    let quick = store.check(CheckOptions::new().quick()).expect("a report");
    assert_eq!(codes(&quick), ["messages", "orphan"]);
}

#[test]
fn tables_of_litestream_and_of_sqlite_belong_but_a_trigger_does_not_under_their_names() {
    let bench = Bench::new();
    let copy = bench.copy();
    let db = engine::open(&copy);
    db.execute_batch("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); CREATE TABLE _litestream_lock (id INTEGER); ANALYZE;")
        .expect("tables");
    drop(db);
    let check = || {
        Store::open(&copy)
            .and_then(|store| store.check(CheckOptions::new()))
            .expect("a report")
    };
    assert_eq!(codes(&check()), NOTES);
    engine::open(&copy)
        .execute_batch("CREATE TRIGGER _litestream_x BEFORE INSERT ON nodes BEGIN SELECT 1; END")
        .expect("a trigger");
    assert_eq!(codes(&check()), ["orphan", "schema"]);
}

#[test]
fn a_store_that_is_written_meanwhile_is_healthy_at_every_moment() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("busy.db");
    let store = Store::builder()
        .durability(session_tree::Durability::Normal)
        .open(&path)
        .expect("a store");
    let tree = store.create_session().expect("a session");
    let first = tree
        .append_message(Message::user("start"), None)
        .expect("a node");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for _ in 0..3 {
                    tree.append_message(Message::assistant("go on"), None)
                        .expect("a node");
                }
                tree.rewind(&first, None).expect("a rewind");
                let name = tree.branch(&first, None, None).expect("a branch");
                tree.label(&first, &name).expect("a label");
                let other = store.create_session().expect("a session");
                store.delete_session(other.id()).expect("a deletion");
            }
        });
        let checker = Store::builder().read_only().open(&path).expect("a store");
        let mut nodes = 0;
        for _ in 0..30 {
            let report = checker.check(CheckOptions::new()).expect("a report");
            if !report.problems.is_empty() {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
                panic!("{}", describe(&report));
            }
            nodes = report.nodes;
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        println!("30 checks while {nodes} nodes were written");
    });
}
