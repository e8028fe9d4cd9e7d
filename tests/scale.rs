//! A long conversation costs what is looked at: memory does not grow with the tree, and nothing recurses over its depth.
//!
//! Plainly the tree is heavy (192 MB of text in 3,000 nodes); with `ST_FULL=1` it is also a million nodes deep.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

use session_tree::{Durability, Message, NewNode, Selection, Store};

use crate::support::full;

const JOB: &str = "ST_SCALE_JOB";
/// What a process may need more on a big tree than on a small one, in KiB.
const ALLOWANCE: u64 = 24 * 1024;

/// A linear session `linear` of so many nodes, each with so many bytes of text.
fn linear(path: &Path, nodes: usize, bytes: usize) {
    let store = Store::builder()
        .durability(Durability::Off)
        .open(path)
        .unwrap();
    let tree = store.open_or_create_session("linear").unwrap();
    let text = "x".repeat(bytes);
    let chunk = (4_000_000 / (bytes + 100)).clamp(1, 1000);
    let mut left = nodes;
    while left > 0 {
        let now = left.min(chunk);
        tree.append_many((0..now).map(|_| NewNode::message(Message::user(&text))))
            .unwrap();
        left -= now;
    }
}

/// The most memory a process ever had, in KiB.
fn high_water(pid: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Not a promise of its own: a process that does everything with the session in the file that the variable names.
#[test]
fn everything_once() {
    let Ok(path) = std::env::var(JOB) else { return };
    let store = Store::builder()
        .durability(Durability::Off)
        .open(path)
        .unwrap();
    let tree = store.open_session("linear").unwrap();
    let leaf = tree
        .append_message(Message::assistant("the end"), None)
        .unwrap();
    let nodes: usize = leaf.strip_prefix('n').unwrap().parse::<usize>().unwrap() + 1;
    assert_eq!(
        tree.projection(&Selection::default())
            .unwrap()
            .map(Result::unwrap)
            .count(),
        nodes
    );
    assert_eq!(
        tree.path_nodes(&Selection::default())
            .unwrap()
            .map(Result::unwrap)
            .count(),
        nodes
    );
    let last = Selection {
        last: Some(100),
        ..Selection::default()
    };
    assert_eq!(
        tree.projection(&last).unwrap().map(Result::unwrap).count(),
        100
    );
    let middle = format!("n{}", nodes / 2);
    assert_eq!(
        tree.rewind(&middle, None).unwrap().as_deref(),
        Some("main-rewound")
    );
    assert_eq!(
        tree.projection(&Selection::default()).unwrap().remaining(),
        nodes as u64 / 2 + 1
    );
    assert_eq!(
        tree.rewind(&leaf, None).unwrap().as_deref(),
        Some("main-rewound-2")
    );
    assert_eq!(
        tree.common_ancestor(&middle, &leaf).unwrap().as_deref(),
        Some(middle.as_str())
    );
    assert_eq!(tree.outline(0, 10).unwrap().len(), 10);
    println!("\n=> {}", high_water("self").unwrap());
}

fn memory_of_everything(path: &Path) -> u64 {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "scale::everything_once",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(JOB, path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.lines()
        .find_map(|line| line.strip_prefix("=> "))
        .unwrap()
        .parse()
        .unwrap()
}

/// Runs a verb of the command line, and returns the lines it printed and the most memory it had on the way.
#[cfg(feature = "cli")]
fn memory_of_verb(path: &Path, verb: &str) -> (usize, u64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_session-tree"))
        .args(["--db", path.to_str().unwrap(), "-s", "linear", verb])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut lines, mut memory) = (0, 0);
    let pid = child.id().to_string();
    let mut buffer = vec![0; 1 << 16];
    let mut output = child.stdout.take().unwrap();
    loop {
        memory = high_water(&pid).unwrap_or(0).max(memory);
        match output.read(&mut buffer).unwrap() {
            0 => break,
            length => {
                lines += buffer[..length]
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count()
            }
        }
    }
    assert!(child.wait().unwrap().success());
    (lines, memory)
}

fn compare(nodes: usize, bytes: usize) {
    let directory = tempfile::tempdir().unwrap();
    let (small, big) = (
        directory.path().join("small.db"),
        directory.path().join("big.db"),
    );
    linear(&small, 1000, 100);
    linear(&big, nodes, bytes);
    let (few, many) = (memory_of_everything(&small), memory_of_everything(&big));
    println!(
        "library, {nodes} nodes of {bytes} bytes: {many} KiB; 1,000 nodes of 100 bytes: {few} KiB"
    );
    assert!(many <= few + ALLOWANCE, "memory grew with the tree");
    #[cfg(feature = "cli")]
    for verb in ["tree", "log"] {
        let ((_, few), (lines, many)) = (memory_of_verb(&small, verb), memory_of_verb(&big, verb));
        println!("{verb}: {lines} lines, {many} KiB; on the small tree {few} KiB");
        assert!(lines >= nodes, "{verb} left nodes out");
        assert!(
            many <= few + ALLOWANCE,
            "the memory of `{verb}` grew with the tree"
        );
    }
}

#[test]
fn a_heavy_tree_needs_no_more_memory_than_a_light_one() {
    compare(3000, 64_000);
}

#[test]
fn a_linear_tree_of_a_million_nodes_needs_no_more_memory_than_one_of_a_thousand() {
    if !full() {
        println!("skipped: a million nodes take minutes; set ST_FULL=1");
        return compare(10_000, 100);
    }
    compare(1_000_000, 100);
}
