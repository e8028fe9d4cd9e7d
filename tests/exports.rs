//! What goes to programs that know no trees: messages of a branch, and a tree folded into one conversation.

use serde_json::{Value, json};
use session_tree::interchange::{SpliceLayout, export_chat, export_splice, save};
use session_tree::{Error, ErrorKind, Message, Store};

use crate::imports::draw::{Files, HEADER, lines, says};
use crate::imports::{import, store};

fn sample(store: &Store) -> session_tree::SessionTree {
    let messages = [
        Message::user("q"),
        Message::assistant("r"),
        Message::user("s"),
    ];
    let tree = store.from_linear(messages, 1000).unwrap();
    tree.rewind("n1", 2000).unwrap();
    tree.append_message(
        Message::new("{\"role\": \"assistant\",\n \"content\": null, \"cost\": 1.50}").unwrap(),
        3000,
    )
    .unwrap();
    tree
}

#[test]
fn a_branch_is_one_message_a_line() {
    let store = store();
    let tree = sample(&store);
    let mut bytes = Vec::new();
    let report = export_chat(&tree, None, &mut bytes).unwrap();
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        "{\"role\":\"user\",\"content\":\"q\"}\n{\"role\":\"assistant\",\"content\":\"r\"}\n{\"role\":\"assistant\",\"content\":null,\"cost\":1.50}\n"
    );
    assert_eq!((report.lines, report.not_held.len()), (3, 0));
    let mut bytes = Vec::new();
    export_chat(&tree, Some("main-rewound"), &mut bytes).unwrap();
    assert!(bytes.ends_with(b"{\"role\":\"user\",\"content\":\"s\"}\n"));
    let error = export_chat(&tree, Some("nowhere"), &mut Vec::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BranchNotFound);
}

#[test]
fn a_path_that_is_cut_is_not_written_as_if_it_were_whole() {
    let files = Files::new();
    let (_, tree) = import(&files.write(
        "file.jsonl",
        lines([HEADER.to_owned(), says("b", Some("a"), "q")]),
    ))
    .unwrap();
    let mut bytes = Vec::new();
    let error = export_chat(&tree, None, &mut bytes).unwrap_err();
    assert_eq!((error.kind(), bytes.len()), (ErrorKind::CutPath, 0));
}

#[test]
fn a_splice_has_a_text_for_every_other_branch() {
    let store = store();
    let tree = sample(&store);
    tree.create_branch(Some("n0"), Some("aside"), 4000).unwrap();
    tree.summarize_branch("aside", "went nowhere", Some("m-1"), 5000)
        .unwrap();
    let mut bytes = Vec::new();
    export_splice(&tree, SpliceLayout::Json, &mut bytes).unwrap();
    let value: Value = serde_json::from_slice(&bytes).unwrap();
    let expected = json!({
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": "r"},
            {"role": "assistant", "content": null, "cost": 1.5},
        ],
        "summaries": [
            {"branch": "aside", "node_id": "n0", "summary": "went nowhere", "model_id": "m-1", "created_at_ms": 5000},
            {"branch": "main-rewound", "node_id": "n2", "summary": "[3 turn(s), unsummarized]", "model_id": null, "created_at_ms": 2000},
        ],
    });
    assert_eq!(value, expected);
    let mut bytes = Vec::new();
    export_splice(&tree, SpliceLayout::JsonLines, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[..3], expected["messages"].as_array().unwrap()[..]);
    assert_eq!(
        (lines.len(), &lines[4]["type"], &lines[4]["branch"]),
        (5, &json!("branch_summary"), &json!("main-rewound"))
    );
    // An empty session is an empty answer in either shape.
    let empty = store.create_session().unwrap();
    let mut bytes = Vec::new();
    export_splice(&empty, SpliceLayout::Json, &mut bytes).unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&bytes).unwrap(),
        json!({"messages": [], "summaries": []})
    );
    let mut bytes = Vec::new();
    export_splice(&empty, SpliceLayout::JsonLines, &mut bytes).unwrap();
    assert_eq!(bytes, b"");
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let files = Files::new();
    let path = files.path("out.jsonl");
    let failed = save(&path, |out| {
        out.write_all(b"half").unwrap();
        Err::<(), _>(Error::new(ErrorKind::Damaged, "no more"))
    });
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::Damaged);
    assert_eq!(std::fs::read_dir(files.directory()).unwrap().count(), 0);
    save(&path, |out| {
        out.write_all(b"whole").unwrap();
        Ok(())
    })
    .unwrap();
    let again = save(&path, |out| {
        out.write_all(b"other").unwrap();
        Ok(())
    });
    assert_eq!(again.unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(std::fs::read(&path).unwrap(), b"whole");
    assert_eq!(std::fs::read_dir(files.directory()).unwrap().count(), 1);
    let nowhere = save(files.path("no/such/place"), |_| Ok(()));
    assert_eq!(nowhere.unwrap_err().kind(), ErrorKind::Io);
}
