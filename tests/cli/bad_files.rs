//! Files that are no store: one clear error, and nothing changed on disk.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;

use super::bench::{Bench, PROGRAM, Ran, contents};

/// One verb of each sort: reading, changing what is there, and the one that may make a file.
const VERBS: &[&[&str]] = &[
    &["sessions"],
    &["log"],
    &["rewind", "n0"],
    &["append", "x"],
    &["new"],
];

#[track_caller]
fn refused(bench: &Bench, parts: &[&str]) {
    let directory = bench.path("");
    let before = contents(&directory);
    for verb in VERBS {
        let error = bench.run(verb).fails(6);
        assert!(
            parts.iter().any(|part| error.contains(part)),
            "{verb:?}: {error}"
        );
        assert!(
            contents(&directory) == before,
            "{verb:?} changed something on disk"
        );
    }
}

#[test]
fn not_a_database() {
    let bench = Bench::new();
    std::fs::write(
        bench.store(),
        "just a text that is long enough to have a header. ".repeat(40),
    )
    .unwrap();
    refused(&bench, &["not a database"]);
    std::fs::write(bench.store(), [0_u8, 159, 146, 150]).unwrap();
    refused(&bench, &["not a database"]);
}

#[test]
fn a_database_of_another_program() {
    let bench = Bench::new();
    bench.sql("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')");
    refused(&bench, &["another program"]);
    bench.sql("PRAGMA application_id = 1234");
    refused(&bench, &["another program"]);
    bench.sql("PRAGMA journal_mode = WAL");
    refused(&bench, &["another program"]);
}

#[test]
fn a_store_of_a_later_version() {
    let bench = Bench::new();
    bench.script("append a");
    bench.sql("PRAGMA user_version = 99");
    refused(&bench, &["99"]);
}

#[test]
fn a_directory_and_a_missing_directory() {
    let bench = Bench::new();
    std::fs::create_dir(bench.store()).unwrap();
    refused(&bench, &["a directory"]);
    std::fs::remove_dir(bench.store()).unwrap();
    let before = contents(&bench.path(""));
    for verb in VERBS {
        let mut command = bench.bare();
        let ran: Ran = command
            .args(["--db", "no/such/store.db"])
            .args(*verb)
            .output()
            .unwrap()
            .into();
        let error = ran.fails(6);
        assert!(error.contains("no/such"), "{error}");
        // Who only reads has nothing to put into a directory.
        let is_made = error.contains("create it first");
        assert_eq!(
            is_made,
            ["append", "new"].contains(&verb[0]),
            "{verb:?}: {error}"
        );
    }
    assert!(contents(&bench.path("")) == before);

    bench.script("new | append a");
    for verb in [
        ["backup", "no/such/copy"],
        ["export", "--output=no/such/copy"],
    ] {
        let error = bench.run(&verb).fails(6);
        assert!(
            error.ends_with("the directory `no/such` does not exist; create it first"),
            "{error}"
        );
    }
}

#[test]
fn a_fifo() {
    let bench = Bench::new();
    let made = std::process::Command::new("mkfifo")
        .arg(bench.store())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: there is no mkfifo here");
        return;
    }
    // A program that opened it would hang here.
    refused(&bench, &["a named pipe"]);
}

#[test]
fn an_empty_file_is_no_store_to_readers() {
    let bench = Bench::new();
    std::fs::write(bench.store(), "").unwrap();
    for verb in ["sessions", "log", "tree"] {
        let error = bench.run(&[verb]).fails(6);
        assert!(error.contains("empty"), "{error}");
    }
    assert_eq!(std::fs::read(bench.store()).unwrap(), b"");
}

/// Permissions do not hold back root, so the program is then run as somebody else.
fn as_nobody(bench: &Bench, arguments: &[&str]) -> Ran {
    let program = bench.path("session-tree");
    if !program.exists() {
        std::fs::copy(PROGRAM, &program).unwrap();
    }
    let mut command = std::process::Command::new(program);
    command
        .env_clear()
        .arg("--db")
        .arg(bench.path("kept/store.db"))
        .args(arguments);
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    command.output().expect("the program starts").into()
}

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_store_that_cannot_be_written() {
    let bench = Bench::new();
    let kept = bench.path("kept");
    std::fs::create_dir(&kept).unwrap();
    bench.script("new --id s | append a");
    std::fs::copy(bench.store(), kept.join("store.db")).unwrap();
    mode(&bench.path(""), 0o755);
    for (directory_mode, file_mode) in [(0o555, 0o444), (0o755, 0o444), (0o555, 0o644)] {
        mode(&kept.join("store.db"), file_mode);
        mode(&kept, directory_mode);
        let before = contents(&kept);
        let read = as_nobody(&bench, &["render"]);
        assert_eq!(
            (read.code, read.out.as_str(), read.err.as_str()),
            (0, "user: a\n", "")
        );
        for verb in [&["append", "x"][..], &["rewind", "n0"], &["new"]] {
            let error = as_nobody(&bench, verb).fails(6);
            assert!(
                error.contains("read-only") || error.contains("written"),
                "{error}"
            );
        }
        assert!(
            contents(&kept) == before,
            "something was changed or left behind"
        );
        mode(&kept, 0o755);
    }
}

/// Sources that cannot be imported, beside a store and where there is none yet.
#[test]
fn sources_that_cannot_be_imported() {
    let bench = Bench::new();
    std::fs::write(bench.path("empty.jsonl"), "").unwrap();
    std::fs::write(
        bench.path("binary.jsonl"),
        (0..=255).cycle().take(4096).collect::<Vec<u8>>(),
    )
    .unwrap();
    std::fs::write(
        bench.path("unknown.jsonl"),
        "{\"hello\":\"world\"}\n{\"more\":1}\n",
    )
    .unwrap();
    std::fs::write(
        bench.path("no-id.jsonl"),
        "{\"type\":\"session\",\"version\":3}\n",
    )
    .unwrap();
    std::fs::write(bench.path("torn.tree.json"), "{\"nodes\":{\"n0\":").unwrap();
    std::fs::create_dir(bench.path("directory")).unwrap();
    // No line end within 200 MB, and nothing that would have to be held.
    let long = bench.path("long.jsonl");
    std::fs::File::create(long)
        .unwrap()
        .set_len(200_000_000)
        .unwrap();
    let fifo = std::process::Command::new("mkfifo")
        .arg(bench.path("fifo"))
        .status();
    let sources = [
        ("missing.jsonl", 6),
        ("empty.jsonl", 2),
        ("binary.jsonl", 2),
        ("unknown.jsonl", 2),
        ("no-id.jsonl", 5),
        ("torn.tree.json", 5),
        ("directory", 2),
        ("long.jsonl", 2),
        ("fifo", 2),
    ];
    for with_store in [false, true] {
        if with_store {
            bench.script("new --id s | append a");
        }
        for (source, code) in sources {
            if source == "fifo" && !fifo.as_ref().is_ok_and(|status| status.success()) {
                println!("skipped: there is no mkfifo here");
                continue;
            }
            let before = contents(&bench.path(""));
            let error = bench.run(&["import", source]).fails(code);
            assert!(error.contains(source), "{source}: {error}");
            assert!(
                contents(&bench.path("")) == before,
                "{source} changed something on disk"
            );
        }
    }
}
