//! What is no session file is refused in one sentence, at once, and nothing changes.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use session_tree::interchange::{Format, ImportOptions, detect};
use session_tree::{ErrorKind, Store};

use super::draw::{Files, HEADER, lines, says};
use super::store;
use crate::support::full;

#[track_caller]
fn refused(path: &Path, kind: ErrorKind, words: &str) {
    let store = store();
    let error = store.import(path, &ImportOptions::new()).unwrap_err();
    let text = error.to_string();
    assert_eq!(error.kind(), kind, "{text}");
    assert!(text.contains(words), "{text}");
    assert!(
        text.contains(&*path.file_name().unwrap().to_string_lossy()),
        "{text}"
    );
    assert!(!text.contains('\n'), "{text}");
    assert!(store.sessions().unwrap().is_empty());
    assert_eq!(detect(path).unwrap_err().kind(), kind);
}

#[test]
fn what_is_of_no_known_format_is_refused() {
    let files = Files::new();
    let unknown = ErrorKind::UnknownFormat;
    let says_more = says("a", None, "q");
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "is empty"),
        ("blank", b"\n \n\t\n".to_vec(), "not of any known format"),
        (
            "text",
            b"Dear diary,\ntoday\n".to_vec(),
            "not of any known format",
        ),
        (
            "binary",
            (0..=255).cycle().take(100_000).collect(),
            "not of any known format",
        ),
        ("number", b"5\n".to_vec(), "not of any known format"),
        ("object", b"{\"a\":1}\n".to_vec(), "not of any known format"),
        (
            "other.json",
            b"{\n  \"a\": 1\n}\n".to_vec(),
            "not of any known format",
        ),
        (
            "no-header",
            lines([&says_more]),
            "the session header is missing",
        ),
        (
            "after",
            lines(["5", HEADER, &says_more]),
            "not of any known format",
        ),
        (
            "database",
            b"SQLite format 3\0 and so on".to_vec(),
            "SQLite database",
        ),
    ];
    for (name, bytes, words) in cases {
        refused(&files.write(name, bytes), unknown, words);
    }
    // Named as what it should be, it is refused for what is wrong with it.
    let path = files.write("empty-object.tree.json", "{}");
    let error = store().import(&path, &ImportOptions::new()).unwrap_err();
    assert!(
        error.to_string().contains("missing field `nodes`"),
        "{error}"
    );
    let path = files.write("session", lines([HEADER]));
    assert_eq!(detect(&path).unwrap(), Format::Pi);
    let error = store()
        .import(&path, &ImportOptions::new().format(Some(Format::TreeJson)))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    let files = Files::new();
    refused(files.directory(), ErrorKind::InvalidArgument, "a directory");
    let fifo = files.path("fifo");
    if Command::new("mkfifo")
        .arg(&fifo)
        .status()
        .is_ok_and(|status| status.success())
    {
        refused(&fifo, ErrorKind::InvalidArgument, "no regular file");
    } else {
        println!("skipped: there is no mkfifo here");
    }
    refused(
        Path::new("/dev/null"),
        ErrorKind::InvalidArgument,
        "no regular file",
    );
    refused(&files.path("absent"), ErrorKind::Io, "cannot be read");
}

#[test]
fn the_store_itself_is_not_opened_as_a_source() {
    let files = Files::new();
    let path = files.path("store.db");
    let store = Store::open(&path).unwrap();
    store.create_session().unwrap();
    let link = files.path("link.jsonl");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    for own in [
        &path,
        &files.path("store.db-wal"),
        &files.path("store.db-shm"),
        &link,
    ] {
        let error = store.import(own, &ImportOptions::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.to_string().contains("the store itself"), "{error}");
    }
}

#[test]
fn a_read_only_store_takes_nothing() {
    let files = Files::new();
    let path = files.path("store.db");
    drop(Store::open(&path).unwrap());
    let store = Store::builder().read_only().open(&path).unwrap();
    let file = files.write("file.jsonl", lines([HEADER]));
    let error = store.import(&file, &ImportOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ReadOnly);
}

#[test]
fn a_header_alone_is_a_session_without_nodes() {
    let files = Files::new();
    let store = store();
    let report = store
        .import(
            files.write("file.jsonl", lines([HEADER])),
            &ImportOptions::new(),
        )
        .unwrap();
    let tree = store.open_session(&report.session).unwrap();
    assert_eq!((report.nodes_added, report.created), (0, true));
    assert_eq!(tree.info().unwrap().leaf, None);
    let path = files.write(
        "file.jsonl",
        lines([HEADER.to_owned(), says("a", None, "q")]),
    );
    store.import(path, &ImportOptions::new()).unwrap();
    assert_eq!(tree.info().unwrap().leaf.as_deref(), Some("a"));
}

#[test]
fn a_line_that_is_too_long_is_named_and_the_rest_is_taken() {
    if !full() {
        println!("skipped: lines above the limit of 128 MiB only with ST_FULL=1");
        return;
    }
    let files = Files::new();
    let path = files.path("file.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let mut long_line = |start: &str, end: &str| {
        file.write_all(start.as_bytes()).unwrap();
        for _ in 0..200 {
            file.write_all(&[b'x'; 1024 * 1024]).unwrap();
        }
        file.write_all(end.as_bytes()).unwrap();
        file.flush().unwrap();
    };
    long_line("", "");
    refused(&path, ErrorKind::UnknownFormat, "not of any known format");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    file.write_all(&lines([HEADER.to_owned(), says("a", None, "q")]))
        .unwrap();
    let mut long_line = |start: &str, end: &str| {
        file.write_all(start.as_bytes()).unwrap();
        for _ in 0..200 {
            file.write_all(&[b'x'; 1024 * 1024]).unwrap();
        }
        file.write_all(end.as_bytes()).unwrap();
        file.flush().unwrap();
    };
    long_line(
        r#"{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":""#,
        "\"}}\n",
    );
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap();
    file.write_all(&lines([says("c", Some("a"), "r")])).unwrap();
    let report = store().import(&path, &ImportOptions::new()).unwrap();
    assert_eq!((report.nodes_added, report.damaged.len()), (2, 1));
    let damage = &report.damaged[0];
    assert_eq!(damage.line, 3);
    assert!(
        damage.length > 200 * 1024 * 1024 && damage.reason.contains("not kept"),
        "{damage:?}"
    );
}
