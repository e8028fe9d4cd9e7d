//! The views for people: right rows, at the cost of the session that was asked for, and an end on damaged trees.

mod cost;
mod readme;

use rusqlite::{Connection, params};

use crate::attacks::cases::expand;
use crate::attacks::engine::{self, Bench};

fn seed() -> (Bench, Connection) {
    let bench = Bench::new();
    let copy = bench.copy();
    (bench, engine::open(&copy))
}

/// Compares the answer with lines as they stand in a test: indented, `-` for an empty answer.
fn expect(db: &Connection, sql: &str, lines: &str) {
    let expected: String = lines
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(engine::rows(db, &expand(sql)), expected, "{sql}");
}

#[test]
fn session_list_has_a_row_for_each_live_session() {
    let (_bench, db) = seed();
    db.execute_batch(
        "INSERT INTO sessions (id, created_at_ms) VALUES ('fresh', 1700000009000);
         INSERT INTO sessions (id, created_at_ms, state) VALUES ('half', 1, 'importing');
         UPDATE sessions SET archived_at_ms = 7 WHERE id = 'gamma';",
    )
    .expect("sessions");
    expect(
        &db,
        "SELECT session_id, name, cwd, active_branch, nodes_written, messages, branches, created_at, last_node_at, archived_at_ms,
                source_format, source_path, origin_session_id FROM session_list ORDER BY created_at_ms",
        "alpha|First|/srv/first|main|6|5|4|2023-11-14T22:13:20.000Z|2023-11-14T22:13:20.007Z||||
         beta|||main|13|4|8|2023-11-14T22:13:21.000Z|2023-11-14T22:13:21.013Z||pi|/srv/file-1.jsonl|
         gamma|||main|1|1|1|2023-11-14T22:13:22.000Z|2023-11-14T22:13:22.001Z|7|||
         fresh||||0|0|0|2023-11-14T22:13:29.000Z|2023-11-14T22:13:29.000Z||||",
    );
}

#[test]
fn branch_list_has_a_row_for_each_branch_with_its_newest_summary() {
    let (_bench, db) = seed();
    expect(
        &db,
        "SELECT branch, is_active, leaf_id, leaf_preview, summary, created_at FROM branch_list WHERE session_id = 'alpha' ORDER BY branch",
        "empty|0||||2023-11-14T22:13:20.005Z
         inner|0|n1|Hi||2023-11-14T22:13:20.005Z
         main|1|n5|Done||2023-11-14T22:13:20.000Z
         main-rewound|0|n3|Left|Went far left.|2023-11-14T22:13:20.005Z",
    );
    expect(
        &db,
        "SELECT branch FROM branch_list WHERE session_id = 'beta' AND leaf_id = 'zz'",
        "leaf-zz",
    );
}

#[test]
fn active_path_goes_from_root_to_leaf() {
    let (_bench, db) = seed();
    let path = "SELECT position, node_id, parent_id, kind, role, label, preview, created_at, payload FROM active_path
                WHERE session_id = 'alpha' ORDER BY position";
    expect(
        &db,
        path,
        "1|n0||message|user||Hello|2023-11-14T22:13:20.001Z|{\"role\":\"user\",\"content\":\"Hello\"}
         2|n1|n0|message|assistant|start|Hi|2023-11-14T22:13:20.002Z|{\"role\":\"assistant\",\"content\":\"Hi\"}
         3|n4|n1|message|user||Right|2023-11-14T22:13:20.006Z|{\"role\":\"user\",\"content\":\"Right\"}
         4|n5|n4|message|assistant||Done|2023-11-14T22:13:20.007Z|{\"role\":\"assistant\",\"content\":\"Done\"}",
    );
    db.execute(
        "UPDATE sessions SET active_branch_key = 2 WHERE key = 1",
        [],
    )
    .expect("a switch");
    expect(
        &db,
        "SELECT position, node_id FROM active_path WHERE session_id = 'alpha'",
        "1|n0
         2|n1
         3|n2
         4|n3",
    );
    db.execute(
        "UPDATE sessions SET active_branch_key = 3 WHERE key = 1",
        [],
    )
    .expect("a switch");
    expect(&db, path, "");
    // A cut path starts with the node whose parent is missing, and names that parent.
    db.execute(
        "UPDATE sessions SET active_branch_key = 6 WHERE key = 2",
        [],
    )
    .expect("a switch");
    let path = "SELECT position, node_id, parent_id FROM active_path WHERE session_id = 'beta'";
    expect(
        &db,
        path,
        "1|bb|zz
         2|cc|bb",
    );
    db.execute(
        &expand("UPDATE nodes SET parent_key = $b8 WHERE key = $b1"),
        [],
    )
    .expect("an adoption");
    expect(
        &db,
        path,
        "1|zz|
         2|bb|zz
         3|cc|bb",
    );
}

#[test]
fn tree_outline_shows_every_node_and_the_branches_that_end_there() {
    let (_bench, db) = seed();
    db.execute_batch(&expand(
        "INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'twin', $a3, 1), (1, 'too', $a5, 1)",
    ))
    .expect("branches");
    expect(
        &db,
        "SELECT node_key - $a0, node_id, parent_id, kind, role, label, preview, ends_branches FROM tree_outline
         WHERE session_id = 'alpha' ORDER BY node_key",
        "0|n0||message|user||Hello|
         1|n1|n0|message|assistant|start|Hi|inner
         2|n2|n1|model_change|||model|
         3|n3|n2|message|user||Left|main-rewound, twin
         4|n4|n1|message|user||Right|
         5|n5|n4|message|assistant||Done|too, main",
    );
    expect(
        &db,
        "SELECT node_id, parent_id, label, ends_branches FROM tree_outline WHERE session_id = 'beta' AND node_id IN ('bb', 'dd', 'nn')",
        "bb|zz||
         dd|aa|here|main
         nn|aa||leaf-nn",
    );
}

#[test]
fn label_list_shows_labels_that_are_set_and_the_nodes_they_name() {
    let (_bench, db) = seed();
    db.execute_batch(
        "INSERT INTO labels VALUES (1, 'n99', 'later', 'api', 1), (1, 'n01', 'zeros', 'api', 1), (1, '9', 'digit', 'api', 1),
           (2, 'n0', 'derived', 'api', 1), (1, 'n4294967296', 'next session', 'api', 1), (3, '0a1b2c3d', 'hex', 'api', 1);",
    )
    .expect("labels");
    expect(
        &db,
        "SELECT session_id, node_id, label, kind, role, preview, set_at_ms FROM label_list ORDER BY session_id, node_id",
        "alpha|9|digit||||1
         alpha|n01|zeros||||1
         alpha|n1|start|message|assistant|Hi|1700000000010
         alpha|n4294967296|next session||||1
         alpha|n99|later||||1
         beta|dd|here|message|user|D|1700000001015
         beta|n0|derived||||1
         gamma|0a1b2c3d|hex|message|user|G|1",
    );
}

#[test]
fn operation_list_keeps_what_was_done_to_sessions_that_are_gone() {
    let (_bench, db) = seed();
    expect(
        &db,
        "SELECT session_id, verb, actor, branch, from_id, to_id, detail, at FROM operation_list ORDER BY operation_key",
        "alpha|create|seed|main|||{}|2023-11-14T22:13:20.000Z
         alpha|rewind|seed|main|n3|n1|{}|2023-11-14T22:13:20.005Z
         |delete|seed||||{}|2023-11-14T22:13:23.003Z",
    );
}

#[test]
fn views_end_on_a_cycle() {
    let cycles = [
        (
            "UPDATE nodes SET parent_key = $a5 WHERE key = $a0;",
            "n0|n1|n4|n5",
        ),
        (
            "UPDATE nodes SET parent_key = key WHERE key = $a0;",
            "n0|n1|n4|n5",
        ),
        (
            "UPDATE nodes SET parent_key = key WHERE key = $a4;",
            "n4|n5",
        ),
        (
            "UPDATE nodes SET parent_key = $a3 WHERE key = $a0; UPDATE branches SET leaf_key = $a3 WHERE key = 1;",
            "n0|n1|n2|n3",
        ),
    ];
    for (script, members) in cycles {
        let bench = Bench::new();
        let copy = bench.copy();
        let script =
            format!(".dbconfig enable_trigger off\nPRAGMA ignore_check_constraints = ON; {script}");
        assert!(engine::run_inside(&copy, "", &expand(&script)).is_empty());
        let db = engine::open(&copy);
        let path = engine::rows(
            &db,
            "SELECT DISTINCT node_id FROM active_path WHERE session_id = 'alpha' ORDER BY node_id",
        );
        assert_eq!(path.trim_end().replace('\n', "|"), members, "{script}");
        for view in [
            "session_list",
            "branch_list",
            "tree_outline",
            "label_list",
            "operation_list",
        ] {
            engine::rows(&db, &format!("SELECT * FROM {view}"));
        }
    }
}

/// The same small numbers on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % end
    }
}

#[test]
fn active_path_agrees_with_a_walk_over_parents_in_trees_of_any_shape() {
    let (_bench, db) = seed();
    db.execute_batch(
        "INSERT INTO sessions (id, created_at_ms, id_style) VALUES ('any', 1, 'hex');
         INSERT INTO branches (session_key, name, created_at_ms) VALUES (5, 'main', 1);
         UPDATE sessions SET active_branch_key = 15 WHERE key = 5;",
    )
    .expect("a session");
    let mut dice = Dice(7);
    let base = 5_i64 << 32;
    let mut parents: Vec<Option<i64>> = Vec::new();
    let mut runs: Vec<i64> = Vec::new();
    let mut adopted = 0;
    for seq in 0..400_i64 {
        let choice = dice.below(10);
        let parent = match choice {
            _ if seq == 0 => None,
            0..=5 => Some(seq - 1),
            6..=8 => Some(dice.below(seq)),
            _ => None,
        };
        // Some roots wait for a node that is written later.
        let missing =
            (parent.is_none() && seq > 0).then(|| format!("w{}", seq + 1 + dice.below(20)));
        let run = if seq > 0 && parent == Some(seq - 1) {
            runs[seq as usize - 1]
        } else {
            seq
        };
        db.execute(
            "INSERT INTO nodes (key, id, parent_key, run_start, messages, kind, created_at_ms, missing_parent, preview, payload)
             VALUES (?1, ?2, ?3, ?4, 0, 'custom', 1, ?5, '', '{}')",
            params![base + seq, format!("w{seq}"), parent.map(|parent| base + parent), base + run, missing],
        )
        .expect("a node");
        parents.push(parent);
        runs.push(run);
        let waiting: Vec<i64> = db
            .prepare("SELECT key FROM nodes WHERE key >> 32 = 5 AND missing_parent = ?1 AND parent_key IS NULL")
            .and_then(|mut orphans| orphans.query_map([format!("w{seq}")], |row| row.get(0))?.collect())
            .expect("orphans");
        for orphan in waiting {
            if db
                .execute(
                    "UPDATE nodes SET parent_key = ?1 WHERE key = ?2",
                    [base + seq, orphan],
                )
                .is_ok()
            {
                parents[(orphan - base) as usize] = Some(seq);
                adopted += 1;
            }
        }
    }
    let mut broken_runs = 0;
    for leaf in (0..400_i64).rev() {
        // Every leaf keeps a name, so that the active branch may move anywhere.
        db.execute("INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (5, ?1, ?2, 1)", params![format!("b{leaf}"), base + leaf])
            .expect("a branch");
        db.execute(
            "UPDATE branches SET leaf_key = ?1 WHERE key = 15",
            [base + leaf],
        )
        .expect("a move");
        let mut walk = Vec::new();
        let mut at = Some(leaf);
        while let Some(node) = at {
            walk.push(node);
            at = parents[node as usize];
        }
        walk.reverse();
        broken_runs += walk
            .windows(2)
            .filter(|pair| pair[1] != pair[0] + 1)
            .count();
        let expected: String = walk
            .iter()
            .enumerate()
            .map(|(index, node)| format!("{}|w{node}\n", index + 1))
            .collect();
        let path = engine::rows(
            &db,
            "SELECT position, node_id FROM active_path WHERE session_id = 'any' ORDER BY position",
        );
        assert_eq!(path, expected, "leaf {leaf}");
    }
    println!("{adopted} adoptions, {broken_runs} breaks in the paths of 400 leaves");
    assert!(
        adopted > 5 && broken_runs > 400,
        "the trees are too plain to show anything"
    );
}
