//! Importing costs memory for the longest line, not for the file.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use session_tree::interchange::ImportOptions;
use session_tree::{Durability, Store};

use crate::support::full;

const JOB: &str = "ST_IMPORT_JOB";

/// The most memory this process ever had, in KiB.
fn high_water() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Not a promise of its own: a process that imports the file that the variable names.
#[test]
fn import_once() {
    let Some(path) = std::env::var_os(JOB).map(PathBuf::from) else {
        return;
    };
    let store = Store::builder()
        .durability(Durability::Off)
        .open(path.with_extension("db"))
        .unwrap();
    let report = store.import(&path, &ImportOptions::new()).unwrap();
    println!(
        "\n=> {} {} {}",
        high_water(),
        report.nodes_added,
        report.damaged.len()
    );
}

/// The memory an import needs in a process of its own, in KiB, and the nodes and damaged records it found.
fn import_apart(path: &Path) -> (u64, u64, u64) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "imports::memory::import_once",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(JOB, path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let answer = text.lines().find_map(|line| line.strip_prefix("=> "));
    let Some(answer) = answer else {
        panic!("{text}{}", String::from_utf8_lossy(&output.stderr));
    };
    let numbers: Vec<u64> = answer
        .split(' ')
        .map(|number| number.parse().unwrap())
        .collect();
    (numbers[0], numbers[1], numbers[2])
}

/// Four records, the third with a picture of so many MiB on its line.
fn with_picture(path: &Path, mib: usize) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    file.write_all(br#"{"type":"session","version":3,"id":"big","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"h1","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"draw"}}
{"type":"message","id":"h2","parentId":"h1","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"toolResult","content":[{"type":"image","data":""#).unwrap();
    for _ in 0..mib * 1024 {
        file.write_all(&[b'A'; 1024]).unwrap();
    }
    file.write_all(br#""}]}}
{"type":"message","id":"h3","parentId":"h2","timestamp":"2026-03-01T10:00:03.000Z","message":{"role":"assistant","content":"here"}}
"#).unwrap();
    file.flush().unwrap();
}

#[test]
fn a_long_line_needs_little_more_than_itself() {
    let directory = tempfile::tempdir().unwrap();
    let sizes: &[usize] = if full() { &[8, 32, 64, 127] } else { &[8] };
    for mib in sizes.iter().copied() {
        let path = directory.path().join(format!("{mib}.jsonl"));
        with_picture(&path, mib);
        let (memory, nodes, damaged) = import_apart(&path);
        println!("a line of {mib} MiB: {} MiB", memory / 1024);
        assert_eq!((nodes, damaged), (3, 0));
        // SQLite holds a row twice while it writes it; nothing else may.
        assert!(
            memory < (2 * mib as u64 + 32) * 1024,
            "{memory} KiB for a line of {mib} MiB"
        );
    }
}

#[test]
fn a_long_file_needs_no_more_than_a_short_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("long.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    writeln!(file, "{}", super::draw::HEADER).unwrap();
    let text = "x".repeat(64 * 1024);
    let nodes = if full() { 6_000 } else { 500 };
    for number in 0..nodes {
        let parent = (number > 0).then(|| format!("e{}", number - 1));
        writeln!(
            file,
            "{}",
            super::draw::says(&format!("e{number}"), parent.as_deref(), &text)
        )
        .unwrap();
    }
    file.flush().unwrap();
    let (memory, found, _) = import_apart(&path);
    println!(
        "{} MiB in {nodes} lines: {} MiB",
        nodes * 64 / 1024,
        memory / 1024
    );
    assert_eq!(found, nodes);
    assert!(memory < 28 * 1024, "{memory} KiB");
}
