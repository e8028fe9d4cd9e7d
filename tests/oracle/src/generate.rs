//! Random sequences of operations.

use serde_json::{Value, json};
use supercode_interchange::ChatMessage;
use supercode_interchange::session_tree::SessionTree;

use crate::apply::{Op, apply};
use crate::message;
use crate::random::Random;
use crate::state::{after, number, place, state};

/// Steps between two comparisons of everything.
const STATE_EVERY: usize = 40;

/// Names that a person or an agent may give, some of them like those that are made.
const NAMES: &[&str] = &[
    "main",
    "Main",
    "branch",
    "branch-2",
    "branch-4",
    "branch-02",
    "main-rewound",
    "main-rewound-2",
    "main-rewound-rewound",
    "branch-rewound",
    "try b",
    " ",
    "é",
    "e\u{301}",
    "日本",
    "a/b\\c",
    "`tick`",
    "'; --",
    "n0",
    "%",
    "\u{2028}",
    "zz",
    "-",
];

const UNKNOWN_NODES: &[&str] = &[
    "",
    "n",
    "N0",
    "n00",
    "n01",
    "n+1",
    "n-1",
    " n0",
    "n0 ",
    "n0\n",
    "n1_0",
    "n٣",
    "0",
    "n4294967295",
    "n4294967296",
    "n18446744073709551615",
    "n18446744073709551616",
    "main",
    "%",
    "n0\u{0}",
];

const REFUSED_NAMES: &[&str] = &["", "two\nlines", "\u{0}", "\u{1b}[31m", "next\u{85}line"];

/// The lines of one sequence.
pub fn sequence(sequence: u64) -> Vec<Value> {
    let mut random = Random::new(sequence.wrapping_mul(0x0123_4567_89ab_cdef));
    let mut lines = Vec::new();
    let mut tree = start(&mut random, sequence, &mut lines);
    let steps = 40 + random.below(121);
    for step in 1..=steps {
        let op = next_op(&mut random, &tree);
        let (op, answer) = apply(&mut tree, &op);
        let mut line = json!({ "step": op, "answer": answer, "place": place(&tree) });
        if step % STATE_EVERY == 0 || step == steps {
            line["state"] = state(&tree);
            line["after"] = after(&tree);
        }
        lines.push(line);
    }
    lines
}

fn start(random: &mut Random, sequence: u64, lines: &mut Vec<Value>) -> SessionTree {
    let linear = random.chance(30).then(|| {
        let length = match random.below(4) {
            0 => 0,
            1 => 200 + random.below(100),
            _ => random.below(20),
        };
        (0..length)
            .map(|_| message::random(random))
            .collect::<Vec<_>>()
    });
    let at = random.time();
    let (tree, texts) = match linear {
        Some(messages) => {
            let (messages, texts): (Vec<ChatMessage>, Vec<String>) = messages.into_iter().unzip();
            let mut tree = SessionTree::from_linear(&messages, at);
            // A deliberate difference: the peer gives the branch no time, the store the one that was given.
            for branch in tree.branches.values_mut() {
                branch.created_at_ms = at;
            }
            (tree, Some(texts))
        }
        None => (SessionTree::new(), None),
    };
    lines.push(json!({ "start": { "sequence": sequence, "linear": texts, "at": at }, "place": place(&tree) }));
    tree
}

fn next_op(random: &mut Random, tree: &SessionTree) -> Op {
    match random.below(1000) {
        0..430 => append(random),
        430..570 => Op::Rewind {
            node: node(random, tree),
            at: random.time(),
        },
        570..670 => Op::Branch {
            from: node(random, tree),
            name: random.chance(60).then(|| name(random)),
            at: random.time(),
        },
        670..770 => Op::Switch {
            name: branch(random, tree),
        },
        770..820 => Op::Summarize {
            branch: branch(random, tree),
            summary: random.text(),
            model: random.chance(50).then(|| random.text()),
            at: random.time(),
        },
        820..870 => Op::SummarizeWith {
            branch: branch(random, tree),
            reply: random.chance(60).then(|| random.text()),
            model: random.text(),
            at: random.time(),
        },
        870..915 => Op::Label {
            node: node(random, tree),
            text: format!("{}!", random.text()),
        },
        915..935 => Op::ClearLabel {
            node: node(random, tree),
        },
        935..950 => Op::Read {
            branch: branch(random, tree),
        },
        950..960 => Op::Node {
            node: node(random, tree),
        },
        960..978 => match name(random) {
            taken if tree.branches.contains_key(&taken) => Op::Switch { name: taken },
            name => Op::EmptyBranch {
                name,
                at: random.time(),
            },
        },
        978..990 => Op::Reload {
            pretty: random.chance(50),
        },
        990..995 => match known_node(random, tree) {
            Some(from) => Op::RefusedName {
                from,
                name: random.pick(REFUSED_NAMES).to_owned(),
            },
            None => append(random),
        },
        _ => match known_node(random, tree) {
            Some(node) => Op::EmptyLabel { node },
            None => append(random),
        },
    }
}

fn append(random: &mut Random) -> Op {
    let (message, text) = message::random(random);
    Op::Append {
        message,
        text,
        at: random.time(),
    }
}

/// Mostly a node that is there: any, the active leaf, or one near it.
fn node(random: &mut Random, tree: &SessionTree) -> String {
    let unknown = |random: &mut Random| match random.below(4) {
        0 => format!("n{}", tree.nodes.len()),
        _ => random.pick(UNKNOWN_NODES).to_owned(),
    };
    if random.chance(12) {
        return unknown(random);
    }
    known_node(random, tree).unwrap_or_else(|| unknown(random))
}

fn known_node(random: &mut Random, tree: &SessionTree) -> Option<String> {
    let path = tree.active_path().unwrap_or_default();
    let newest_first = random.below(6).min(path.len().saturating_sub(1));
    if random.chance(50)
        && let Some(near) = path.iter().rev().nth(newest_first)
    {
        return Some(near.clone());
    }
    let mut ids: Vec<&String> = tree.nodes.keys().collect();
    ids.sort_by_key(|id| number(id));
    let at = random.below(ids.len());
    ids.get(at).map(|id| (*id).clone())
}

/// Mostly a branch that is there.
fn branch(random: &mut Random, tree: &SessionTree) -> String {
    if random.chance(12) {
        return name(random);
    }
    let at = random.below(tree.branches.len());
    tree.branches.keys().nth(at).cloned().unwrap_or_default()
}

fn name(random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("branch-{}", random.below(8)),
        1 => format!(
            "{}-rewound-{}",
            random.pick(&["main", "branch", "zz"]),
            random.below(5)
        ),
        _ => random.pick(NAMES).to_owned(),
    }
}
