//! The README's talk, the examples, and the published clients, against the program.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use session_tree::Store;

use super::client::talk;
use super::program::{Listening, PROGRAM, Place, listen};

/// The talk in the README is what is said.
#[test]
fn the_talk_in_the_readme_is_so() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let talk = readme
        .split("```text\n")
        .find(|block| block.starts_with("> "))
        .and_then(|block| block.split("```").next())
        .unwrap();
    let said = |mark: &str| -> String {
        let lines = talk.lines().filter_map(|line| line.strip_prefix(mark));
        lines.map(|line| format!("{line}\n")).collect()
    };
    let output = Place::new().run(&[], &said("> "));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), said("< "));
}

fn is_there(program: &str) -> bool {
    let found = Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: {program} is not here");
    }
    found
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples")
        .join(name)
}

#[test]
fn the_examples_run() {
    let place = Place::new();
    let store = place.path("s.db");
    if is_there("python3") {
        let output = Command::new("python3")
            .arg(example("client.py"))
            .arg(PROGRAM)
            .arg(&store)
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "stale: leaf_moved\n\
             active: Which file first? | Start with the schema.\n\
             main-rewound: Which file first? | Start with store.rs.\n"
        );
    } else {
        talk(
            &Store::open(&store).unwrap(),
            &["Which file first?", "Start with the schema."],
        );
    }
    if is_there("node") {
        let output = Command::new("node")
            .arg(example("dashboard.mjs"))
            .arg(PROGRAM)
            .arg(&store)
            .arg("--once")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(shown.contains("n0 user: Which file first?\n"), "{shown}");
        assert!(
            shown.contains("assistant: Start with the schema. <- you are here\n"),
            "{shown}"
        );
    }
}

/// The dashboard follows what others do, over the socket.
#[test]
fn the_dashboard_follows() {
    if !is_there("node") {
        return;
    }
    let place = Place::new();
    let tree = talk(&Store::open(place.path("s.db")).unwrap(), &["hi"]);
    let (_server, _stream) = listen(&place);
    let socket = format!("unix:{}", place.path("socket").display());
    let mut dashboard = Listening(
        Command::new("node")
            .arg(example("dashboard.mjs"))
            .arg(socket)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut shown = BufReader::new(dashboard.0.stdout.take().unwrap());
    let mut next = || {
        let mut line = String::new();
        shown.read_line(&mut line).unwrap();
        line
    };
    assert!(next().contains("1 messages  hi"));
    assert_eq!(next(), "n0 user: hi <- you are here\n");
    tree.append_message(session_tree::Message::assistant("hello"), None)
        .unwrap();
    assert_eq!(next(), "+ n1 assistant: hello\n");
}

/// R20: the published clients, where they were fetched (`tests/rpc-clients/run`).
#[test]
fn published_clients_work() {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rpc-clients");
    if !clients.join("node_modules").exists() {
        println!("skipped: the clients were not fetched; tests/rpc-clients/run does");
        return;
    }
    let output = Command::new(clients.join("run"))
        .arg(PROGRAM)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}
