//! Whatever happens to a file: it is refused in one sentence, or what is taken is a whole tree and the file can be written
//! again, byte for byte.

use proptest::prelude::*;
use session_tree::interchange::{ImportOptions, export_pi};
use session_tree::{CheckOptions, Message};

use super::draw::{Files, HEADER, entry, lines, says};
use super::store;
use crate::support::{full, runner};

/// One thing that happens to the bytes of a file; numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Mishap {
    Overwrite(usize, u8),
    Remove(usize, usize),
    RepeatLine(usize, usize),
    SwapLines(usize, usize),
    JoinLines(usize),
    ReplaceText(usize, usize),
}

/// Texts that matter to a reader, put in place of one another.
const TEXTS: [&str; 10] = [
    "\"a\"",
    "\"b\"",
    "\"c\"",
    "null",
    "\"\"",
    "\n",
    "\r\n",
    "{\"type\":",
    "\u{feff}",
    "message",
];

fn mishap() -> impl Strategy<Value = Mishap> {
    let number = || 0..10_000_usize;
    prop_oneof![
        (number(), any::<u8>()).prop_map(|(at, byte)| Mishap::Overwrite(at, byte)),
        (number(), 0..60_usize).prop_map(|(at, length)| Mishap::Remove(at, length)),
        (number(), number()).prop_map(|(line, to)| Mishap::RepeatLine(line, to)),
        (number(), number()).prop_map(|(one, other)| Mishap::SwapLines(one, other)),
        number().prop_map(Mishap::JoinLines),
        (number(), number()).prop_map(|(from, to)| Mishap::ReplaceText(from, to)),
    ]
}

impl Mishap {
    fn befall(&self, bytes: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> = bytes
            .split_inclusive(|byte| *byte == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        if bytes.is_empty() {
            return;
        }
        match *self {
            Mishap::Overwrite(at, byte) => {
                let at = at % bytes.len();
                bytes[at] = byte;
                return;
            }
            Mishap::Remove(at, length) => {
                let at = at % bytes.len();
                bytes.drain(at..(at + length).min(bytes.len()));
                return;
            }
            Mishap::RepeatLine(line, to) => {
                let line = lines[line % lines.len()].clone();
                lines.insert(to % (lines.len() + 1), line);
            }
            Mishap::SwapLines(one, other) => {
                let count = lines.len();
                lines.swap(one % count, other % count);
            }
            Mishap::JoinLines(line) => {
                let count = lines.len();
                lines[line % count].pop();
            }
            Mishap::ReplaceText(from, to) => {
                let (from, to) = (TEXTS[from % TEXTS.len()], TEXTS[to % TEXTS.len()]);
                let at = bytes
                    .windows(from.len())
                    .position(|window| window == from.as_bytes());
                if let Some(at) = at {
                    bytes.splice(at..at + from.len(), to.bytes());
                }
                return;
            }
        }
        *bytes = lines.concat();
    }
}

fn base() -> Vec<u8> {
    lines([
        HEADER.to_owned(),
        says("a", None, "ask"),
        says("b", Some("a"), "caf\u{e9} \\ud83d"),
        entry("label", "l", "b", r#","targetId":"a","label":"start""#),
        says("c", Some("a"), "other"),
        entry("session_info", "i", "c", r#","name":"Title""#),
        says("d", Some("l"), "on"),
        entry(
            "compaction",
            "e",
            "d",
            r#","summary":"S","firstKeptEntryId":"b","tokensBefore":10"#,
        ),
        says("f", Some("e"), "end"),
    ])
}

fn check(bytes: &[u8]) -> Result<bool, TestCaseError> {
    let files = Files::new();
    let path = files.write("file.jsonl", bytes);
    let store = store();
    let report = match store.import(&path, &ImportOptions::new()) {
        Ok(report) => report,
        Err(error) => {
            prop_assert!(!error.to_string().contains('\n'));
            prop_assert!(store.sessions().unwrap().is_empty());
            return Ok(false);
        }
    };
    prop_assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let found = store.check(CheckOptions::new()).unwrap();
    prop_assert!(found.is_healthy(), "{:?}", found.problems);
    let tree = store.open_session(&report.session).unwrap();
    let mut written = Vec::new();
    let exported = export_pi(&tree, &mut written).unwrap();
    prop_assert_eq!(
        String::from_utf8_lossy(&written),
        String::from_utf8_lossy(bytes)
    );
    prop_assert!(written == bytes && exported.is_unchanged);
    let again = store.import(&path, &ImportOptions::new()).unwrap();
    prop_assert_eq!((again.created, again.nodes_added), (false, 0));
    // With something new in it, the file that is written reads as the same tree.
    tree.append_message(Message::user("new"), 1).unwrap();
    let mut written = Vec::new();
    export_pi(&tree, &mut written).unwrap();
    let other = super::store();
    let report = other
        .import(files.write("new.jsonl", &written), &ImportOptions::new())
        .unwrap();
    let back = other.open_session(&report.session).unwrap();
    let ids = |tree: &session_tree::SessionTree| {
        let nodes = tree.outline(0, u32::MAX).unwrap().into_iter();
        let mut ids: Vec<_> = nodes
            .map(|node| {
                (
                    node.id.to_string(),
                    node.parent.map(|id| id.to_string()).or(node.missing_parent),
                    node.label,
                )
            })
            .collect();
        ids.sort();
        ids
    };
    prop_assert_eq!(
        ids(&back),
        ids(&tree),
        "{}",
        String::from_utf8_lossy(&written)
    );
    prop_assert_eq!(back.info().unwrap().leaf, tree.info().unwrap().leaf);
    prop_assert_eq!(back.info().unwrap().name, tree.info().unwrap().name);
    Ok(true)
}

#[test]
fn mangled_files_are_refused_or_read_and_written_as_they_are() {
    let cases = if full() { 1500 } else { 80 };
    let mut runner = runner(cases);
    let taken = std::cell::Cell::new(0);
    runner
        .run(&proptest::collection::vec(mishap(), 0..6), |mishaps| {
            let mut bytes = base();
            for mishap in &mishaps {
                mishap.befall(&mut bytes);
            }
            taken.set(taken.get() + u32::from(check(&bytes)?));
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    println!(
        "{} of {cases} mangled files were read, the others refused",
        taken.get()
    );
    assert!(taken.get() > cases / 4);
}
