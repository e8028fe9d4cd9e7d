//! The server as the program it is: streams, sockets, exit codes, examples, and the README's talk.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use session_tree::Store;

use super::client::{Client, talk};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_session-tree");

pub struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .env_clear()
            .current_dir(self.directory.path())
            .arg("--db")
            .arg(self.path("s.db"))
            .arg("rpc")
            .args(words);
        command
    }

    /// The program, with pipes.
    pub fn spawn(&self, words: &[&str]) -> Child {
        self.command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Gives the program this input, and all that it has.
    pub fn run(&self, words: &[&str], input: &str) -> Output {
        let mut child = self.spawn(words);
        let mut stdin = child.stdin.take().unwrap();
        match stdin.write_all(input.as_bytes()) {
            // It may end without having read anything.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            written => written.unwrap(),
        }
        drop(stdin);
        child.wait_with_output().unwrap()
    }
}

fn lines(output: &Output) -> Vec<Value> {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.success(), "{:?}", output.status);
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// R19, R20: started as clients start it, it answers all it is asked and ends with 0.
#[test]
fn it_answers_and_ends_with_its_input() {
    let place = Place::new();
    let input = (0..1000)
        .map(|id| format!("{{\"id\":{id},\"type\":\"get_state\"}}\n"))
        .collect::<String>();
    let answers = lines(&place.run(
        &["--mode", "rpc", "--provider", "p", "--model", "m"],
        input.trim_end(),
    ));
    let ids: Vec<u64> = answers
        .iter()
        .map(|answer| answer["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, (0..1000).collect::<Vec<_>>());
    let output = place.run(&["--mode", "json"], "");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_schema_is_printed() {
    let output = Place::new().run(&["--schema"], "");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        session_tree::rpc::schema()
    );
}

#[test]
fn a_server_that_only_reads_leaves_the_file_as_it_is() {
    let place = Place::new();
    let store = Store::open(place.path("s.db")).unwrap();
    talk(&store, &["hi"]);
    drop(store);
    let before = std::fs::read(place.path("s.db")).unwrap();
    let input = "{\"type\":\"get_tree\"}\n{\"type\":\"rewind\",\"nodeId\":\"n0\"}\n{\"type\":\"get_state\"}\n";
    let answers = lines(&place.run(&["--read-only"], input));
    let codes: Vec<&Value> = answers.iter().map(|answer| &answer["code"]).collect();
    assert_eq!(codes, [&Value::Null, &json!("read_only"), &Value::Null]);
    assert_eq!(std::fs::read(place.path("s.db")).unwrap(), before);
    // Where there is no file, none is made.
    let empty = Place::new();
    assert_eq!(
        empty
            .run(&["--read-only"], "{\"type\":\"get_tree\"}\n")
            .status
            .code(),
        Some(6)
    );
    assert!(!empty.path("s.db").exists());
}

/// All places are taken: one more client is told why it is turned away, those that are served do not notice, and a place that
/// becomes free is given to the next.
#[test]
fn a_client_too_many_is_told_so() {
    let place = Place::new();
    let (_server, stream) = listen(&place);
    let socket = place.path("socket");
    let mut clients = vec![Client::over(stream, None)];
    while clients.len() < 256 {
        clients.push(Client::over(UnixStream::connect(&socket).unwrap(), None));
    }
    // Each is let in before the next: answers come from all of them.
    for client in &mut clients {
        client.data(json!({"type": "hello"}));
    }
    let mut turned_away = Client::over(UnixStream::connect(&socket).unwrap(), None);
    let told = turned_away.message().unwrap();
    assert_eq!(
        (&told["success"], &told["code"], &told["retryable"]),
        (&json!(false), &json!("busy"), &json!(true))
    );
    assert!(told["error"].as_str().unwrap().contains("256 clients"));
    assert_eq!(turned_away.line(), None, "the stream ends after it");
    clients[100].data(json!({"type": "get_state"}));
    clients.pop().unwrap().end();
    // Its place is free when its connection has ended, which may be a moment after its stream.
    loop {
        let mut stream = UnixStream::connect(&socket).unwrap();
        // One that is turned away may be gone before it has asked.
        let asked = stream.write_all(b"{\"type\":\"hello\"}\n");
        let mut line = String::new();
        let answered = BufReader::new(&stream).read_line(&mut line);
        if asked.is_ok() && answered.is_ok() && line.contains("\"success\":true") {
            break;
        }
        std::thread::yield_now();
    }
}

/// Case 27: an output that cannot be written is an error; one that is closed is not.
#[test]
fn an_output_that_fails_is_told() {
    let place = Place::new();
    let mut child = place
        .command(&[])
        .stdin(Stdio::piped())
        .stdout(
            std::fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        )
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"{\"type\":\"get_state\"}\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(6));
    assert!(!output.stderr.is_empty());
}

pub struct Listening(pub Child);

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn listen(place: &Place) -> (Listening, UnixStream) {
    listen_with(place, &[])
}

pub fn listen_with(place: &Place, words: &[&str]) -> (Listening, UnixStream) {
    listen_at(place, "socket", words)
}

pub fn listen_at(place: &Place, name: &str, words: &[&str]) -> (Listening, UnixStream) {
    let socket = place.path(name);
    let place_name = format!("unix:{}", socket.display());
    let server = Listening(
        place
            .command(&["--listen", &place_name])
            .args(words)
            .stdin(Stdio::null())
            .spawn()
            .unwrap(),
    );
    loop {
        // The socket appears whole, so the first one that can be connected to is the server's.
        match UnixStream::connect(&socket) {
            Ok(stream) => return (server, stream),
            Err(_) => std::thread::yield_now(),
        }
    }
}

#[test]
fn many_clients_share_a_socket_that_is_its_owners() {
    let place = Place::new();
    let (server, stream) = listen(&place);
    let socket = place.path("socket");
    let found = std::fs::metadata(&socket).unwrap();
    assert!(found.file_type().is_socket());
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    let mut one = Client::over(stream, None);
    let mut other = Client::over(UnixStream::connect(&socket).unwrap(), None);
    one.data(json!({"type": "new_session", "newId": "shared"}));
    one.data(json!({"type": "append_message", "message": {"role": "user", "content": "hi"}}));
    other.data(json!({"type": "switch_session", "session": "shared"}));
    assert_eq!(other.data(json!({"type": "get_state"}))["messageCount"], 1);
    // One that another connection of this server is on is in use.
    other.data(json!({"type": "new_session"}));
    assert_eq!(
        other
            .failure(json!({"type": "delete_session", "session": "shared"}))
            .0,
        "busy"
    );
    // A second server does not take the place of one that serves.
    let name = format!("unix:{}", socket.display());
    let second = place.run(&["--listen", &name], "");
    assert_eq!(
        second.status.code(),
        Some(4),
        "{}",
        String::from_utf8_lossy(&second.stderr)
    );
    one.end();
    other.end();
    // One that was killed leaves its socket, and is followed.
    drop(server);
    assert!(socket.exists());
    let (_server, stream) = listen(&place);
    let mut client = Client::over(stream, None);
    assert_eq!(
        client.data(json!({"type": "list_all_sessions"}))["sessions"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    client.end();
    std::fs::write(place.path("file"), "mine").unwrap();
    let name = format!("unix:{}", place.path("file").display());
    assert_eq!(place.run(&["--listen", &name], "").status.code(), Some(2));
}

/// A server that is killed in a turn or a navigation frees the session at once, and nothing has moved.
#[test]
fn a_server_that_is_killed_frees_what_it_held() {
    for request in [
        json!({"type": "begin_turn"}),
        json!({"type": "plan_navigation", "targetId": "n0"}),
    ] {
        let place = Place::new();
        let store = Store::open(place.path("s.db")).unwrap();
        let tree = talk(&store, &["u1", "a1"]);
        let (server, stream) = listen(&place);
        let mut client = Client::over(stream, None);
        client.data(request.clone());
        assert!(tree.begin_turn(None).is_err());
        drop(server);
        tree.begin_turn(None).unwrap().end().unwrap();
        assert_eq!(tree.active_path().unwrap(), ["n0", "n1"], "{request}");
    }
}

/// A summary that another process aborts: the summariser is killed, the answer says so, and nothing has moved.
#[test]
fn a_summary_is_aborted_by_another_process() {
    let place = Place::new();
    let tree = talk(&Store::open(place.path("s.db")).unwrap(), &["u1", "a1"]);
    let script = "echo $$ > pid; exec sleep 1000";
    let mut child = place
        .command(&["--summarizer", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin
        .write_all(b"{\"id\":1,\"type\":\"navigate\",\"targetId\":\"n0\",\"summarize\":true}\n")
        .unwrap();
    let pid = loop {
        match std::fs::read_to_string(place.path("pid")) {
            Ok(pid) if pid.ends_with('\n') => break pid,
            _ => std::thread::yield_now(),
        }
    };
    assert!(tree.abort_navigation().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        answer["data"],
        json!({"cancelled": true, "aborted": true, "leafId": "n1", "preservedBranch": null, "summaryNode": null})
    );
    assert!(
        !Path::new(&format!("/proc/{}", pid.trim())).exists(),
        "the summariser was left running"
    );
    assert_eq!(tree.active_path().unwrap().len(), 2);
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
