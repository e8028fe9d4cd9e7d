//! What a server holds is bounded, whatever a client sends or leaves unread.

use std::io::{ErrorKind, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};
use session_tree::Store;

use super::client::{Client, talk};
use super::program::{Place, listen};
use crate::support::full;

const MIB: u64 = 1024 * 1024;

/// The most memory a process ever had, in bytes.
fn high_water(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.unwrap().split_whitespace().nth(1).unwrap();
    number.parse::<u64>().unwrap() * 1024
}

/// Writes requests without reading answers until the server takes no more, while another client is answered all the time.
fn stuff(stream: &mut UnixStream, request: &[u8], other: &mut Client) -> u64 {
    stream.set_nonblocking(true).unwrap();
    let (mut written, mut before) = (0, u64::MAX);
    while written != before {
        before = written;
        for _ in 0..200 {
            other.data(json!({"type": "has_branches"}));
        }
        loop {
            match stream.write(request) {
                Ok(bytes) => written += bytes as u64,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
    written
}

fn long_line(stream: &mut UnixStream, length: usize) {
    let block = vec![b'x'; 1 << 20];
    stream
        .write_all(b"{\"type\":\"append_message\",\"message\":{\"role\":\"user\",\"content\":\"")
        .unwrap();
    for start in (0..length).step_by(block.len()) {
        let part = block.len().min(length - start);
        stream.write_all(&block[..part]).unwrap();
    }
    stream.write_all(b"\"}}\n").unwrap();
}

#[test]
fn memory_stays_bounded() {
    let place = Place::new();
    talk(
        &Store::open(place.path("s.db")).unwrap(),
        &["x".repeat(20_000).as_str()],
    );
    let (server, stream) = listen(&place);
    let pid = server.0.id();
    let mut client = Client::over(stream, None);
    client.data(json!({"type": "get_messages"}));
    let start = high_water(pid);
    let connect = || UnixStream::connect(place.path("socket")).unwrap();
    let since = |name: &str, most: u64| {
        let more = high_water(pid).saturating_sub(start) / MIB;
        println!("{name}: {more} MiB more than at the start, of {most}");
        assert!(more <= most, "{name}: {more} MiB");
    };

    let levels = 100_000;
    let deep = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    client.send_bytes(format!("{deep}\n").as_bytes());
    assert_eq!(client.answer()["code"], "unknown_command");
    since("100,000 levels", 16);

    // Each answer is some 600 times as long as its request.
    let mut silent = connect();
    let written = stuff(&mut silent, b"{\"type\":\"get_messages\"}\n", &mut client);
    assert!(written > 0);
    since("a client that does not read", 40);
    drop(silent);

    // Of a line longer than is read no more is held than of any other, 128 MiB.
    let mut long = connect();
    let mut reader = Client::over(long.try_clone().unwrap(), None);
    long_line(&mut long, 140_000_000);
    assert_eq!(reader.answer()["code"], "too_large");
    since("a line that is refused", 160);

    // One that is carried out is held three times at most: as it was read, as a message, and by SQLite.
    let length = if full() { 100_000_000 } else { 10_000_000 };
    long_line(&mut long, length);
    assert_eq!(reader.answer()["code"], Value::Null);
    since("a line that is carried out", 160 + 2 * length as u64 / MIB);
}
