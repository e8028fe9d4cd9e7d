//! Servers that are killed, and clients that go away, while a summary is written.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use session_tree::{SessionTree, Store};

use super::client::{Client, talk};
use super::program::{Listening, Place};

/// Tells its number and never ends, nor does what it starts.
const HANGING: &str = "sleep 1000 & echo $! > child; echo $$ > pid; wait";
/// Ends as soon as the file `go` is there.
const WAITING: &str = "echo $$ > pid; until test -e go; do sleep 0.01; done; echo kept";

fn navigate() -> Value {
    json!({"id": 1, "type": "navigate", "targetId": "n0", "summarize": true})
}

fn written(place: &Place, name: &str) -> String {
    loop {
        match std::fs::read_to_string(place.path(name)) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => std::thread::yield_now(),
        }
    }
}

/// Without the kill that is promised this would not end.
fn wait_until_dead(pid: &str) {
    let is_running = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        // A dead one may wait for its new parent to take note.
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    while is_running() {
        std::thread::yield_now();
    }
}

fn prepared() -> (Place, SessionTree) {
    let place = Place::new();
    let tree = talk(&Store::open(place.path("s.db")).unwrap(), &["u1", "a1"]);
    (place, tree)
}

fn listening(place: &Place, script: &str) -> (Listening, UnixStream) {
    super::program::listen_with(place, &["--summarizer", script])
}

#[test]
fn the_summariser_dies_with_a_server_that_is_killed() {
    // Not INT: who starts a program in the background may have it ignored, and that is inherited.
    for signal in ["KILL", "TERM"] {
        let (place, tree) = prepared();
        let (server, mut stream) = listening(&place, HANGING);
        writeln!(stream, "{}", navigate()).unwrap();
        let (pid, child) = (written(&place, "pid"), written(&place, "child"));
        let number = server.0.id().to_string();
        let killed = Command::new("kill")
            .args([&format!("-{signal}"), &number])
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(killed.success());
        wait_until_dead(&pid);
        wait_until_dead(&child);
        drop(server);
        assert_eq!(tree.active_path().unwrap(), ["n0", "n1"], "{signal}");
        tree.begin_turn(None).unwrap().end().unwrap();
    }
}

#[test]
fn a_client_that_is_gone_moves_nothing_and_frees_the_session() {
    let (place, tree) = prepared();
    let (_server, mut stream) = listening(&place, HANGING);
    writeln!(stream, "{}", navigate()).unwrap();
    let pid = written(&place, "pid");
    assert!(tree.begin_turn(None).is_err());
    drop(stream);
    wait_until_dead(&pid);
    while tree.who().unwrap().is_some() {
        std::thread::yield_now();
    }
    assert_eq!(tree.active_path().unwrap(), ["n0", "n1"]);

    // So it is with one on pipes that closes both, or only what it would read the answer from.
    for closes_input in [true, false] {
        std::fs::remove_file(place.path("pid")).unwrap();
        let mut child = place.spawn(&["--summarizer", HANGING]);
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take());
        writeln!(stdin, "{}", navigate()).unwrap();
        let pid = written(&place, "pid");
        let kept = (!closes_input).then_some(stdin);
        drop(stdout);
        wait_until_dead(&pid);
        assert!(child.wait().unwrap().success());
        drop(kept);
        assert!(tree.who().unwrap().is_none());
        assert_eq!(tree.active_path().unwrap(), ["n0", "n1"]);
    }
}

#[test]
fn a_client_that_only_says_no_more_is_answered_to_the_end() {
    let (place, tree) = prepared();
    let (_server, mut stream) = listening(&place, WAITING);
    writeln!(stream, "{}", navigate()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    written(&place, "pid");
    // Another client is served meanwhile, and sees the navigation go on.
    let mut other = Client::over(UnixStream::connect(place.path("socket")).unwrap(), None);
    let holders = other.data(json!({"type": "who"}))["holders"].clone();
    assert_eq!(holders[0]["kind"], "navigation");
    std::fs::write(place.path("go"), "").unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    let answer: Value = serde_json::from_str(answers.trim()).unwrap();
    assert_eq!(answer["data"]["cancelled"], false, "{answer}");
    assert!(
        tree.active_path()
            .unwrap()
            .contains(&answer["data"]["summaryNode"].as_str().unwrap().into())
    );
    other.end();
}
