//! `tree`: a script and the drawing it must give.

use super::bench::Bench;

fn drawn(script: &str) -> String {
    let bench = Bench::new();
    bench.script(script);
    bench.run(&["tree"]).ok()
}

#[test]
fn a_chain_is_straight() {
    insta::assert_snapshot!(drawn("append a | append --role assistant b | append c"), @"
    n0 user: a
    n1 assistant: b
    n2 user: c  <- *main
    ");
}

#[test]
fn what_was_rewound_stands_before_what_went_on() {
    insta::assert_snapshot!(
        drawn("append a | append b | append c | rewind n0 | append d | append e | label n0 start"), @"
    n0 user: a  (label: start)
    ├─ n1 user: b
    │  n2 user: c  <- main-rewound
    n3 user: d
    n4 user: e  <- *main
    ");
}

#[test]
fn rewinding_often_does_not_indent_deeper() {
    insta::assert_snapshot!(
        drawn("append a | append b | rewind n0 | append c | append d | rewind n2 | append e | append f | rewind n4"), @"
    n0 user: a
    ├─ n1 user: b  <- main-rewound
    n2 user: c
    ├─ n3 user: d  <- main-rewound-2
    n4 user: e  <- *main
    n5 user: f  <- main-rewound-3
    ");
}

#[test]
fn forks_below_elder_siblings_are_indented() {
    insta::assert_snapshot!(
        drawn("append a | append b | append c | rewind n1 | append d | rewind n0 | append e | branch n3 --name deep --no-switch"), @"
    n0 user: a
    ├─ n1 user: b
    │  ├─ n2 user: c  <- main-rewound
    │  n3 user: d  <- deep, main-rewound-2
    n4 user: e  <- *main
    ");
}

#[test]
fn branches_written_in_turns_are_drawn_apart() {
    insta::assert_snapshot!(
        drawn("append a | branch n0 --name x --no-switch | append b | append --branch x c | append d | append --branch x e"), @"
    n0 user: a
    ├─ n1 user: b
    │  n3 user: d  <- *main
    n2 user: c
    n4 user: e  <- x
    ");
}

#[test]
fn several_roots_and_an_empty_branch() {
    insta::assert_snapshot!(
        drawn("append a | branch --empty --name fresh | append b | branch --empty --no-switch"), @"
    n0 user: a  <- main

    n1 user: b  <- *fresh
    (empty)  <- branch
    ");
}

#[test]
fn a_cut_is_marked() {
    let bench = Bench::new();
    bench.script("append a");
    bench.sql(
        "INSERT INTO nodes (key, id, run_start, messages, kind, role, created_at_ms, missing_parent, preview, payload)
         VALUES ((1 << 32) + 1, 'orphan', (1 << 32) + 1, 2, 'message', 'user', 0, 'lost', 'b', '{\"role\":\"user\",\"content\":\"b\"}');
         INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'cut', (1 << 32) + 1, 0)",
    );
    insta::assert_snapshot!(bench.run(&["tree"]).ok(), @"
    n0 user: a  <- *main

    orphan user: b  (cut: its parent lost was never written)  <- cut
    ");
}

#[test]
fn nodes_on_no_root_are_damage_and_not_left_out() {
    let bench = Bench::new();
    bench.script("append a | append b | append c");
    // Only who takes the guards away first can write this.
    bench.sql("DROP TRIGGER nodes_guard_update; UPDATE nodes SET parent_key = key + 1, missing_parent = 'x', run_start = key WHERE key = (1 << 32) + 1");
    let ran = bench.run(&["tree"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.err.contains("2 of 3 nodes hang on no root"), "{ran:?}");
}

#[test]
fn stored_text_cannot_steer_the_terminal() {
    let bench = Bench::new();
    bench.script("new");
    bench
        .run(&["append", "red \u{1b}[31m and \u{202e}back\nnext\u{7}"])
        .ok();
    bench.run(&["label", "n0", "\u{1b}]0;title\u{7}"]).ok();
    bench.run(&["rename", "\u{1b}c"]).ok();
    for verb in ["tree", "log", "sessions", "render", "branches"] {
        let out = bench.run(&[verb]).ok();
        let bad = out.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}');
        assert!(!bad, "{verb}: {out:?}");
    }
    let exact = bench.run(&["log", "--json"]).json();
    assert_eq!(
        exact["content"],
        "red \u{1b}[31m and \u{202e}back\nnext\u{7}"
    );
}

/// The walk behind the drawing against plain lists, on trees of any shape.
#[test]
fn a_walk_meets_every_node_once_in_order() {
    use session_tree::{Message, Store};
    let store = Store::builder().open_in_memory().unwrap();
    let mut random = 7_u64;
    let mut forks = 0;
    for round in 0..if crate::support::full() { 200 } else { 30 } {
        let tree = store.create_session().unwrap();
        let mut parents: Vec<Option<usize>> = Vec::new();
        for seq in 0..60 {
            random = random
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let draw = usize::try_from(random >> 33).unwrap();
            let parent = match draw % 8 {
                0 if seq > 0 => Some(draw / 8 % seq),
                1 => None,
                2 if seq > 1 => Some(seq - 2),
                _ => seq.checked_sub(1),
            };
            let name = format!("b{seq}");
            let from = parent.map(|parent| format!("n{parent}"));
            tree.create_branch(from.as_deref(), Some(&name), None)
                .unwrap();
            tree.switch_branch(&name).unwrap();
            tree.append_message(Message::user("x"), None).unwrap();
            parents.push(parent);
        }
        let children = |of: Option<usize>| -> Vec<usize> {
            (0..parents.len())
                .filter(|seq| parents[*seq] == of)
                .collect()
        };
        let mut expected = Vec::new();
        let mut stack: Vec<(usize, usize, bool)> = children(None)
            .into_iter()
            .rev()
            .map(|root| (root, 0, false))
            .collect();
        while let Some((seq, level, younger)) = stack.pop() {
            expected.push((format!("n{seq}"), level, younger));
            let below = children(Some(seq));
            forks += usize::from(below.len() > 1);
            for (at, child) in below.iter().enumerate().rev() {
                let younger = at + 1 < below.len();
                stack.push((*child, level + usize::from(younger), younger));
            }
        }
        let walked: Vec<_> = tree
            .walk()
            .unwrap()
            .map(|step| step.unwrap())
            .map(|step| {
                (
                    step.node.id.to_string(),
                    step.level,
                    step.has_younger_siblings,
                )
            })
            .collect();
        assert_eq!(walked, expected, "round {round}");
    }
    assert!(forks > 100, "the trees had {forks} forks");
}
