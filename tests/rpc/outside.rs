//! Files that clients name: below one directory, whatever `..` and links say.

use std::os::unix::fs::symlink;

use serde_json::json;
use session_tree::Store;
use session_tree::rpc::Options;

use super::client::{Client, memory_store, talk};
use super::files::{header, said};

#[test]
fn only_files_below_the_directory_are_reached() {
    let directory = tempfile::tempdir().unwrap();
    let (inside, outside) = (directory.path().join("in"), directory.path().join("out"));
    std::fs::create_dir_all(inside.join("deep")).unwrap();
    std::fs::create_dir(&outside).unwrap();
    let session = format!("{}\n{}\n", header(3), said("u1", None));
    for file in [inside.join("deep/s.jsonl"), outside.join("s.jsonl")] {
        std::fs::write(file, &session).unwrap();
    }
    symlink(outside.join("s.jsonl"), inside.join("link.jsonl")).unwrap();
    symlink(&outside, inside.join("linked")).unwrap();
    symlink(inside.join("deep/s.jsonl"), inside.join("good.jsonl")).unwrap();
    let store = Store::open(outside.join("s.db")).unwrap();
    let mut client = Client::with(&store, Options::default().files(&inside));
    let absolute = |path: &str| directory.path().join(path).display().to_string();
    for path in [
        "../out/s.jsonl".to_owned(),
        "deep/../../out/s.jsonl".to_owned(),
        "link.jsonl".to_owned(),
        "linked/s.jsonl".to_owned(),
        absolute("out/s.jsonl"),
        // Whether there is such a file outside is not told either.
        "../out/nothing.jsonl".to_owned(),
        absolute("out/nothing.jsonl"),
        "/etc/passwd".to_owned(),
    ] {
        let import = json!({"type": "import_jsonl", "inputPath": path});
        assert_eq!(client.failure(import).0, "not_allowed", "{path}");
        assert_eq!(
            client.failure(json!({"type": "import", "path": path})).0,
            "not_allowed",
            "{path}"
        );
    }
    for path in ["../out/copy.db", "linked/copy.db", "..", "", "/tmp/copy.db"] {
        let failure = client.failure(json!({"type": "backup", "path": path}));
        assert_eq!(failure.0, "not_allowed", "{path}");
    }
    assert!(store.sessions().unwrap().is_empty());
    assert!(!outside.join("copy.db").exists());

    let missing =
        client.failure(json!({"type": "import_jsonl", "inputPath": "deep/nothing.jsonl"}));
    let named = std::fs::canonicalize(&inside)
        .unwrap()
        .join("deep/nothing.jsonl");
    assert_eq!(
        missing.1,
        format!("Command failed: File not found: {}", named.display())
    );
    let imported = client.data(json!({"type": "import", "path": "good.jsonl"}));
    assert_eq!(
        (&imported["created"], &imported["nodesAdded"]),
        (&json!(true), &json!(1))
    );
    let again =
        client.data(json!({"type": "import_jsonl", "inputPath": absolute("in/deep/s.jsonl")}));
    assert_eq!(again, json!({"cancelled": false}));
    assert_eq!(
        client.data(json!({"type": "get_state"}))["sessionId"],
        imported["session"]
    );
    client.data(json!({"type": "backup", "path": "deep/copy.db"}));
    assert_eq!(
        Store::open(inside.join("deep/copy.db"))
            .unwrap()
            .sessions()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        client
            .failure(json!({"type": "backup", "path": "deep/copy.db"}))
            .0,
        "invalid_argument"
    );
    assert_eq!(client.data(json!({"type": "check"}))["isHealthy"], true);
    client.end();
}

/// A tree goes out as a snapshot and comes back as it was; a session file goes out byte for byte.
#[test]
fn sessions_go_out_and_come_back() {
    let directory = tempfile::tempdir().unwrap();
    // F10: fields that are not known here are kept.
    let mut head = header(3);
    head["branchedFrom"] = json!("/elsewhere.jsonl");
    let mut entry = said("u1", None);
    entry["mood"] = json!(1.5);
    let session = format!("{head}\n{entry}\n");
    std::fs::write(directory.path().join("s.jsonl"), &session).unwrap();
    let store = memory_store();
    let mut client = Client::with(&store, Options::default().files(directory.path()));
    client.data(json!({"type": "import_jsonl", "inputPath": "s.jsonl"}));
    let export =
        |format: &str| json!({"type": "export", "format": format, "path": format!("out.{format}")});
    let done = client.data(export("pi"));
    assert_eq!(
        done,
        json!({"lines": 2, "isUnchanged": true, "notHeld": []})
    );
    assert_eq!(
        std::fs::read_to_string(directory.path().join("out.pi")).unwrap(),
        session
    );
    assert_eq!(client.failure(export("pi")).0, "invalid_argument");
    for format in ["tree.json", "chat", "splice"] {
        assert_eq!(client.data(export(format))["isUnchanged"], false);
        assert!(directory.path().join(format!("out.{format}")).exists());
    }
    let outside = json!({"type": "export", "format": "chat", "path": "../out.chat"});
    assert_eq!(client.failure(outside).0, "not_allowed");

    let talked = talk(&store, &["u1", "a1"]);
    talked.rewind("n0", None).unwrap();
    let snapshot = client.data(json!({"type": "snapshot", "session": talked.id().as_str()}));
    let made =
        client.data(json!({"type": "from_snapshot", "snapshot": snapshot["snapshot"]}))["session"]
            .clone();
    assert_eq!(
        client.data(json!({"type": "snapshot", "session": made})),
        snapshot
    );
    let branches = client.data(json!({"type": "list_branches", "session": made}));
    assert_eq!(branches["branches"].as_array().unwrap().len(), 2);
    let refused = client.failure(json!({"type": "from_snapshot", "snapshot": {"nodes": 7}}));
    assert_eq!(refused.0, "damaged");
    // A fork of an imported entry still has what its line had.
    client.data(json!({"type": "clone"}));
    assert_eq!(
        client.data(json!({"type": "get_entries"}))["entries"],
        json!([entry])
    );
    client.end();
}

/// A store that lies below the directory is no file for clients: it is neither read past SQLite, which would let go of its
/// locks, nor written over; under no name, whether it is this server's or another one.
#[test]
fn the_store_itself_is_no_file_for_clients() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let store = Store::open(path("s.db")).unwrap();
    let tree = talk(&store, &["u1", "a1"]);
    let foreign = talk(&Store::open(path("other.db")).unwrap(), &["theirs"]);
    symlink(path("s.db"), path("link.jsonl")).unwrap();
    std::fs::hard_link(path("s.db"), path("hard.jsonl")).unwrap();
    let other_before = std::fs::read(path("other.db")).unwrap();
    let mut client = Client::with(&store, Options::default().files(directory.path()));
    for name in [
        "s.db",
        "s.db-wal",
        "s.db-shm",
        "./s.db",
        "link.jsonl",
        "hard.jsonl",
    ] {
        let (code, text) = client.failure(json!({"type": "import", "path": name}));
        assert_eq!(code, "invalid_argument", "{name}");
        assert!(text.contains("is the store itself"), "{name}: {text}");
    }
    assert_eq!(
        client
            .failure(json!({"type": "import", "path": "other.db"}))
            .0,
        "unknown_format"
    );
    for name in ["s.db", "s.db-wal", "link.jsonl", "hard.jsonl", "other.db"] {
        for request in [
            json!({"type": "backup", "path": name}),
            json!({"type": "export", "format": "chat", "path": name}),
        ] {
            assert_eq!(client.failure(request).0, "invalid_argument", "{name}");
        }
    }
    assert_eq!(
        client
            .failure(json!({"type": "get_tree", "session": foreign.id().as_str()}))
            .0,
        "session_not_found"
    );
    client.data(json!({"type": "append_message", "message": {"role": "user", "content": "on"}}));
    assert_eq!(client.data(json!({"type": "check"}))["isHealthy"], true);
    client.end();
    assert_eq!(tree.linear_projection().unwrap().len(), 3);
    assert_eq!(std::fs::read(path("other.db")).unwrap(), other_before);
}
