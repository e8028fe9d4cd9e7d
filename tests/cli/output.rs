//! Where the answer goes: pipes that close, disks that are full, bytes that must all arrive.

use std::fs::OpenOptions;
use std::process::Stdio;

use super::bench::Bench;

/// Some megabytes, so that no pipe holds them all.
fn big(bench: &Bench) -> usize {
    let text = "x".repeat(1 << 20);
    bench.script("new");
    for _ in 0..4 {
        bench.run_with_input(&["append", "-"], text.as_bytes()).ok();
    }
    4 << 20
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let bench = Bench::new();
    big(&bench);
    for arguments in [
        &["log"][..],
        &["log", "--json"],
        &["render"],
        &["export"],
        &["export", "--format", "chat"],
        &["splice", "--json"],
    ] {
        let mut child = bench
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ran = child.wait_with_output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{arguments:?}");
        assert_eq!(ran.stderr, b"", "{arguments:?}");
    }
    bench.run(&["append", "not locked afterwards"]).ok();
}

#[test]
fn a_full_disk_is_said() {
    if !std::path::Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full here");
        return;
    }
    let bench = Bench::new();
    bench.script("append a");
    for arguments in [
        &["log"][..],
        &["tree"],
        &["branches"],
        &["export"],
        &["--help"],
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = bench.command(arguments).stdout(full).output().unwrap();
        let error = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(6), "{arguments:?}: {error}");
        assert!(
            error.starts_with("error: the output cannot be written"),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn a_pipe_gets_what_a_file_gets() {
    let bench = Bench::new();
    let least = big(&bench);
    let piped = bench.run(&["log", "--json"]).ok();
    assert!(piped.len() > least);
    let path = bench.path("out");
    let file = std::fs::File::create(&path).unwrap();
    let status = bench
        .command(&["log", "--json"])
        .stdout(file)
        .status()
        .unwrap();
    assert!(status.success());
    assert_eq!(std::fs::read_to_string(path).unwrap(), piped);
}

#[test]
fn tracing_speaks_only_when_asked_and_never_of_texts() {
    let bench = Bench::new();
    bench.script("new");
    bench.run(&["append", "a secret text"]).ok();
    let ran = bench
        .command(&["log"])
        .env("SESSION_TREE_LOG", "trace")
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(0));
    assert!(!String::from_utf8(ran.stderr).unwrap().contains("secret"));
}
