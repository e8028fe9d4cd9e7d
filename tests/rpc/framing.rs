//! Lines: what is no request is answered too, and a server outlives all of it.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use session_tree::rpc::{self, Dialect, Options};

use super::client::{Client, memory_store, talk};
use crate::support::full;

/// Sends bytes, ends the input, and returns all answers as text.
fn replies(options: Options, bytes: &[u8]) -> Vec<String> {
    let mut client = Client::with(&memory_store(), options);
    client.send_bytes(bytes);
    client.close_input();
    let mut lines = Vec::new();
    while let Some(line) = client.line() {
        lines.push(line.trim_end_matches('\n').to_owned());
    }
    client.end();
    lines
}

/// R01, R02, R03, R04, R05, R06: each line gets the answer it has in the protocol.
#[test]
fn every_line_is_answered() {
    let unknown = |command: &str| {
        format!(
            r#""error":"Unknown command: {command}","code":"unknown_command","retryable":false}}"#
        )
    };
    let cases: Vec<(&[u8], String)> = vec![
        // R03: the id comes back verbatim, whatever it is.
        (br#"{"type":"has_branches"}"#, r#"{"type":"response","command":"has_branches","success":true,"data":{"hasBranches":false}}"#.into()),
        (br#"{"id":"a\u0062","type":"has_branches"}"#, r#"{"id":"a\u0062","type":"response","command":"has_branches","success":true,"data":{"hasBranches":false}}"#.into()),
        (br#"{"id":1.50,"type":"has_branches"}"#, r#"{"id":1.50,"type":"response","command":"has_branches","success":true,"data":{"hasBranches":false}}"#.into()),
        (br#"{"id":{"a":[null]},"type":"has_branches"}"#, r#"{"id":{"a":[null]},"type":"response","command":"has_branches","success":true,"data":{"hasBranches":false}}"#.into()),
        (br#"{"id":null,"type":"has_branches"}"#, r#"{"id":null,"type":"response","command":"has_branches","success":true,"data":{"hasBranches":false}}"#.into()),
        // R05
        (br#"{"id":"x","type":"no_such"}"#, format!(r#"{{"id":"x","type":"response","command":"no_such","success":false,{}"#, unknown("no_such"))),
        (br#"{"id":"x"}"#, format!(r#"{{"id":"x","type":"response","success":false,{}"#, unknown("undefined"))),
        (br#"{"type":7}"#, format!(r#"{{"type":"response","command":7,"success":false,{}"#, unknown("7"))),
        (br#"{"type":{}}"#, format!(r#"{{"type":"response","command":{{}},"success":false,{}"#, unknown("[object Object]"))),
        // R06
        (b"5", format!(r#"{{"type":"response","success":false,{}"#, unknown("undefined"))),
        (b"[1]", format!(r#"{{"type":"response","success":false,{}"#, unknown("undefined"))),
        (b"\"get_state\"", format!(r#"{{"type":"response","success":false,{}"#, unknown("undefined"))),
        (b"null", r#"{"type":"response","command":"unknown","success":false,"error":"Command failed: Cannot read properties of null (reading 'type')","code":"invalid_argument","retryable":false}"#.into()),
        // R04
        (b"not json", r#"{"type":"response","command":"parse","success":false,"error":"Failed to parse JSON: expected a value at byte 0","code":"parse_error","retryable":false}"#.into()),
        (b"", r#"{"type":"response","command":"parse","success":false,"error":"Failed to parse JSON: expected a value at byte 0","code":"parse_error","retryable":false}"#.into()),
        (b"{\"id\":\"\xff\"}", r#"{"type":"response","command":"parse","success":false,"error":"Failed to parse JSON: the line is not UTF-8: byte 7 begins no character","code":"parse_error","retryable":false}"#.into()),
    ];
    for end in [&b"\n"[..], b"\r\n"] {
        let input: Vec<u8> = cases
            .iter()
            .flat_map(|(line, _)| [line, end].concat())
            .collect();
        let replies = replies(Options::default(), &input);
        assert_eq!(replies.len(), cases.len());
        for (reply, (line, expected)) in replies.iter().zip(&cases) {
            assert_eq!(reply, expected, "to {}", line.escape_ascii());
        }
    }
}

#[test]
fn pi_has_words_of_its_own() {
    let options = || Options::default().dialect(Dialect::Pi);
    let lines = replies(options(), b"{\nnull\n{\"type\":\"fork_nothing\"}");
    let errors: Vec<String> = lines
        .iter()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["error"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(
        errors,
        [
            "Failed to parse command: expected a member name in quotes or `}` at byte 1",
            "Unknown command: undefined",
            "Unknown command: fork_nothing"
        ]
    );
}

/// R02, R19: a last line without LF is carried out, and at the end of the input all that was asked is answered, in order.
#[test]
fn the_end_of_the_input_loses_nothing() {
    let store = memory_store();
    let mut client = Client::new(&store);
    let mut input = String::new();
    for number in 0..1000 {
        let message = json!({"role": "user", "content": number.to_string()});
        input += &json!({"id": number, "type": "append_message", "message": message}).to_string();
        input.push('\n');
    }
    input.pop();
    client.send_bytes(input.as_bytes());
    client.close_input();
    for number in 0..1000 {
        let answer = client.answer();
        assert_eq!(
            (&answer["id"], &answer["data"]["nodeId"]),
            (&json!(number), &json!(format!("n{number}")))
        );
    }
    client.end();
    let session = store.sessions().unwrap().remove(0);
    assert_eq!(session.messages, 1000);
}

/// R01, case 05: only LF ends a line, and no answer holds a character that other readers of lines take for an end.
#[test]
fn line_separators_are_text_and_are_escaped() {
    let store = memory_store();
    let mut client = Client::new(&store);
    let text = "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f\rg";
    let raw = "a\u{2028}b\u{2029}c\u{85}d\\u000be\\ff\\rg";
    client.send_bytes(
        format!("{{\"id\":1,\"type\":\"append_message\",\"message\":{{\"role\":\"user\",\"content\":\"{raw}\"}}}}\r\n").as_bytes(),
    );
    assert_eq!(client.answer()["success"], true);
    client.send_bytes(b"{\"id\":2,\"type\":\"linear_projection\"}\n");
    let line = client.line().unwrap();
    assert!(line.contains(r"a\u2028b\u2029c\u0085d"), "{line}");
    assert!(
        !line
            .trim_end_matches('\n')
            .contains(['\u{2028}', '\u{2029}', '\u{85}', '\n', '\r'])
    );
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["data"]["messages"][0]["content"], text);
    let tree = store
        .open_session(&store.sessions().unwrap()[0].id)
        .unwrap();
    assert!(
        tree.linear_projection().unwrap()[0].as_str().contains(raw),
        "what is stored is what was sent"
    );
    client.end();
}

/// Payloads of any depth go in and come out; only the place of a request's own members must be an object.
#[test]
fn depth_is_no_reason_to_fail() {
    let store = memory_store();
    let mut client = Client::new(&store);
    let levels = 100_000;
    let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    client.send_bytes(
        format!("{{\"id\":1,\"type\":\"append_message\",\"message\":{{\"role\":\"user\",\"content\":{deep}}}}}\n").as_bytes(),
    );
    assert_eq!(client.answer()["data"]["nodeId"], "n0");
    client.send_bytes(b"{\"id\":2,\"type\":\"linear_projection\"}\n");
    let line = client.line().unwrap();
    assert!(
        line.ends_with(&format!("\"content\":{deep}}}]}}}}\n")),
        "the payload came back whole"
    );
    // As a line of its own, as an id, and where a text should be.
    client.send_bytes(format!("{deep}\n{{\"id\":{deep},\"type\":\"has_branches\"}}\n").as_bytes());
    assert_eq!(client.answer()["code"], "unknown_command");
    assert!(
        client
            .line()
            .unwrap()
            .starts_with(&format!("{{\"id\":{deep},\"type\":\"response\""))
    );
    client.send_bytes(format!("{{\"type\":\"node\",\"nodeId\":{deep}}}\n").as_bytes());
    assert_eq!(client.answer()["code"], "invalid_argument");
    client.end();
}

/// Sends a line of `length` bytes without holding it.
fn send_long_line(stream: &mut UnixStream, length: usize) {
    let block = vec![b'x'; 1 << 20];
    stream
        .write_all(
            b"{\"id\":1,\"type\":\"append_message\",\"message\":{\"role\":\"user\",\"content\":\"",
        )
        .unwrap();
    let mut left = length;
    while left > 0 {
        let part = left.min(block.len());
        stream.write_all(&block[..part]).unwrap();
        left -= part;
    }
    stream.write_all(b"\"}}\n").unwrap();
}

/// Case 23: a line of 100 MB is carried out, a longer one than is read is refused by its size, and the next line is answered.
#[test]
fn long_lines() {
    let store = memory_store();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let (reader, writer) = (theirs.try_clone().unwrap(), theirs);
    let served = store.clone();
    let server =
        std::thread::spawn(move || rpc::serve(reader, writer, &served, &Options::default()));
    let mut client = Client::over(ours.try_clone().unwrap(), None);
    let mut stream = ours;
    let longest = if full() { 100_000_000 } else { 10_000_000 };
    for (length, code) in [(longest, Value::Null), (140_000_000, json!("too_large"))] {
        send_long_line(&mut stream, length);
        assert_eq!(client.answer()["code"], code);
    }
    assert_eq!(
        client.data(json!({"type": "active_path"}))["nodeIds"],
        json!(["n0"])
    );
    drop(stream);
    client.end();
    server.join().unwrap().unwrap();
}

/// A reader that hands out requests for ever and counts them.
struct Endless {
    line: Vec<u8>,
    at: usize,
    read: Arc<AtomicU64>,
    stop: UnixStream,
}

impl Read for Endless {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.line.len() {
            self.stop.set_nonblocking(true)?;
            if matches!(self.stop.read(&mut [0]), Ok(0)) {
                return Ok(0);
            }
            self.at = 0;
            self.read.fetch_add(1, Ordering::SeqCst);
        }
        let part = (self.line.len() - self.at).min(into.len());
        into[..part].copy_from_slice(&self.line[self.at..self.at + part]);
        self.at += part;
        Ok(part)
    }
}

/// A client that asks and does not read holds up itself: a bounded part of its requests is taken, and another client on the
/// same store is served.
#[test]
fn a_client_that_stops_reading_holds_up_nobody_else() {
    let store = memory_store();
    talk(&store, &["x".repeat(20_000).as_str()]);
    let (stop, stopped) = UnixStream::pair().unwrap();
    let (mut answers, output) = UnixStream::pair().unwrap();
    let read = Arc::new(AtomicU64::new(0));
    let endless = Endless {
        line: b"{\"type\":\"linear_projection\"}\n".to_vec(),
        at: 0,
        read: Arc::clone(&read),
        stop: stopped,
    };
    let served = store.clone();
    let server =
        std::thread::spawn(move || rpc::serve(endless, output, &served, &Options::default()));
    let mut other = Client::new(&store);
    // Until two looks in a row see no more requests taken, while another client is answered all the time.
    let mut before = u64::MAX;
    while read.load(Ordering::SeqCst) != before {
        before = read.load(Ordering::SeqCst);
        for _ in 0..200 {
            other.data(json!({"type": "has_branches"}));
        }
    }
    assert!(
        (1..1_000_000).contains(&before),
        "requests are read without bound"
    );
    other.end();
    drop(stop);
    std::io::copy(&mut answers, &mut std::io::sink()).unwrap();
    server.join().unwrap().unwrap();
}

/// A client that goes away ends its own server quietly.
#[test]
fn a_client_that_goes_away_is_no_error() {
    let store = memory_store();
    talk(&store, &["x".repeat(1_000_000).as_str()]);
    let (ours, theirs) = UnixStream::pair().unwrap();
    let (reader, writer) = (theirs.try_clone().unwrap(), theirs);
    let mut ours = ours;
    for _ in 0..100 {
        ours.write_all(b"{\"type\":\"linear_projection\"}\n")
            .unwrap();
    }
    drop(ours);
    rpc::serve(reader, writer, &store, &Options::default()).unwrap();
}
