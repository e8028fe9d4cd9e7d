//! Files that crashes and careless writers leave: what is whole is taken, the rest is named and kept.

use session_tree::interchange::{ImportOptions, NoteKind, export_pi};
use session_tree::{ErrorKind, Message, SessionTree};

use super::draw::{Files, HEADER, assert_drawn, entry, lines, says};
use super::{import, import_into, store};

fn exported(tree: &SessionTree) -> Vec<u8> {
    let mut bytes = Vec::new();
    export_pi(tree, &mut bytes).unwrap();
    bytes
}

#[test]
fn a_torn_last_line_is_named_and_kept_and_nothing_is_glued_to_it() {
    let files = Files::new();
    let whole = lines([
        HEADER.to_owned(),
        says("a", None, "q"),
        says("b", Some("a"), "r"),
    ]);
    let torn = [whole.as_slice(), br#"{"type":"message","id":"c"#].concat();
    let path = files.write("torn.jsonl", &torn);
    let (report, tree) = import(&path).unwrap();
    let damage = &report.damaged[0];
    assert_eq!(
        (damage.line, damage.byte_offset, damage.length),
        (4, whole.len() as u64, 25)
    );
    assert_eq!(report.damaged.len(), 1);
    assert_drawn(&tree, "a \"q\"\nb < a \"r\"\n*main = b");
    assert_eq!(exported(&tree), torn);

    let id = tree.append_message(Message::user("c"), None).unwrap();
    assert_eq!(
        tree.node(&id).unwrap().unwrap().parent.as_deref(),
        Some("b")
    );
    let again = files.write("again.jsonl", exported(&tree));
    let (report, tree) = import(&again).unwrap();
    assert_eq!((report.nodes_added, report.damaged.len()), (3, 1));
    assert_eq!(tree.linear_projection().unwrap().len(), 3);
}

#[test]
fn a_last_line_without_its_end_is_no_damage() {
    let files = Files::new();
    let mut bytes = lines([HEADER.to_owned(), says("a", None, "q")]);
    bytes.pop();
    let (report, tree) = import(&files.write("file.jsonl", &bytes)).unwrap();
    assert_eq!((report.nodes_added, report.damaged.len()), (1, 0));
    assert_eq!(exported(&tree), bytes);
}

#[test]
fn a_record_that_shares_its_line_with_a_fragment_is_not_lost() {
    let files = Files::new();
    let start = lines([HEADER.to_owned(), says("a", None, "q")]);
    let fragment = br#"{"type":"message","id":"x"#;
    let rest = lines([says("b", Some("a"), "r"), says("c", Some("b"), "s")]);
    let bytes = [start.as_slice(), fragment, &rest].concat();
    let (report, tree) = import(&files.write("fused.jsonl", &bytes)).unwrap();
    assert_drawn(&tree, "a \"q\"\nb < a \"r\"\nc < b \"s\"\n*main = c");
    let damage = &report.damaged[0];
    assert_eq!(
        (damage.line, damage.byte_offset, damage.length),
        (3, start.len() as u64, 25)
    );
    assert_eq!(exported(&tree), bytes);

    // Once the file is written anew, each record has a line of its own.
    tree.append_message(Message::user("t"), None).unwrap();
    let (report, again) = import(&files.write("again.jsonl", exported(&tree))).unwrap();
    assert_eq!(report.damaged, []);
    assert_eq!(
        again.linear_projection().unwrap(),
        tree.linear_projection().unwrap()
    );

    // Two records on one line, because a line end was never written.
    let glued = [
        start.as_slice(),
        says("b", Some("a"), "r").as_bytes(),
        &lines([says("c", Some("b"), "s")]),
    ]
    .concat();
    let (report, tree) = import(&files.write("glued.jsonl", &glued)).unwrap();
    assert_eq!(report.damaged, []);
    assert_drawn(&tree, "a \"q\"\nb < a \"r\"\nc < b \"s\"\n*main = c");
    assert_eq!(exported(&tree), glued);
}

#[test]
fn a_torn_line_that_was_completed_is_a_node_once() {
    let files = Files::new();
    let store = store();
    let whole = lines([
        HEADER.to_owned(),
        says("a", None, "q"),
        says("b", Some("a"), "r"),
    ]);
    let path = files.write("file.jsonl", &whole[..whole.len() - 20]);
    let (report, _) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!((report.nodes_added, report.damaged.len()), (1, 1));
    files.write("file.jsonl", &whole);
    let (report, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!(
        (report.nodes_added, report.nodes_known, report.damaged.len()),
        (1, 1, 0)
    );
    assert_drawn(&tree, "a \"q\"\nb < a \"r\"\n*main = b");
    assert_eq!(exported(&tree), whole);
}

#[test]
fn bytes_that_are_not_utf8_are_shown_replaced_and_given_back_as_they_were() {
    let files = Files::new();
    let bytes = lines([
        HEADER.to_owned(),
        says("a", None, "caf#"),
        says("b", Some("a"), "r"),
    ]);
    let bytes: Vec<u8> = bytes
        .into_iter()
        .map(|byte| if byte == b'#' { 0xE9 } else { byte })
        .collect();
    let path = files.write("latin1.jsonl", &bytes);
    let (report, tree) = import(&path).unwrap();
    assert_eq!(report.damaged, []);
    let note = &report.notes[0];
    assert_eq!(
        (note.kind, note.line, note.node.as_deref()),
        (NoteKind::NotUtf8, Some(2), Some("a"))
    );
    assert_drawn(&tree, "a \"caf\u{fffd}\"\nb < a \"r\"\n*main = b");
    assert_eq!(exported(&tree), bytes);
    let strict = store()
        .import(&path, &ImportOptions::new().strict(true))
        .unwrap_err();
    assert_eq!(strict.kind(), ErrorKind::Damaged);

    // A record cut inside a character is damaged, and the next one is not.
    let cut = [
        lines([HEADER.to_owned(), says("a", None, "q")]).as_slice(),
        b"{\"type\":\"message\",\"id\":\"caf\xe6\x97\n",
        &lines([says("b", Some("a"), "r")]),
    ]
    .concat();
    let (report, tree) = import(&files.write("cut.jsonl", &cut)).unwrap();
    assert_eq!((report.damaged.len(), report.damaged[0].line), (1, 3));
    assert_drawn(&tree, "a \"q\"\nb < a \"r\"\n*main = b");
    assert_eq!(exported(&tree), cut);
}

#[test]
fn characters_may_lie_across_the_edges_of_buffers() {
    let files = Files::new();
    for edge in [8 * 1024, 64 * 1024, 256 * 1024] {
        let start = lines([HEADER.to_owned()]);
        let before = says("a", None, "#").find('#').unwrap();
        for shift in 0..3 {
            let text = "x".repeat(edge - start.len() - before - shift) + "日本語";
            let bytes = [
                start.as_slice(),
                &lines([says("a", None, &text), says("b", Some("a"), "r")]),
            ]
            .concat();
            let (report, tree) = import(&files.write("edge.jsonl", &bytes)).unwrap();
            assert_eq!(
                (report.nodes_added, report.damaged.len(), report.notes.len()),
                (2, 0, 0)
            );
            assert_eq!(exported(&tree), bytes, "{edge} {shift}");
        }
    }
}

#[test]
fn byte_order_marks_and_line_ends_are_framing() {
    let files = Files::new();
    let unix = lines([
        HEADER.to_owned(),
        says("a", None, "q"),
        String::new(),
        says("b", Some("a"), "r"),
    ]);
    let dos: Vec<u8> = unix
        .iter()
        .flat_map(|byte| {
            if *byte == b'\n' {
                vec![b'\r', b'\n']
            } else {
                vec![*byte]
            }
        })
        .collect();
    let mixed = [&dos[..HEADER.len() + 2], &unix[HEADER.len() + 1..]].concat();
    let marked = ["\u{feff}".as_bytes(), &dos].concat();
    for bytes in [unix, dos, mixed, marked] {
        let (report, tree) = import(&files.write("file.jsonl", &bytes)).unwrap();
        assert_eq!((report.damaged.len(), report.notes.len()), (0, 0));
        assert_drawn(&tree, "a \"q\"\nb < a \"r\"\n*main = b");
        assert_eq!(exported(&tree), bytes);
    }
}

#[test]
fn half_surrogates_and_nul_escapes_are_kept_as_they_are() {
    let files = Files::new();
    let bytes = lines([
        HEADER.to_owned(),
        says("a", None, r"cut \ud83d\u2026 here"),
        says("b", Some("a"), r"low \ude00 end"),
        says("c", Some("b"), r"before\u0000after needle"),
        says("d", Some("c"), r"pair \ud83d\ude00 and text \\ud83d"),
    ]);
    let (report, tree) = import(&files.write("file.jsonl", &bytes)).unwrap();
    assert_eq!(
        (report.nodes_added, report.damaged.len(), report.notes.len()),
        (4, 0, 0)
    );
    assert_eq!(exported(&tree), bytes);
    let stored = tree.linear_projection().unwrap();
    assert_eq!(
        stored[0].as_str(),
        r#"{"role":"user","content":"cut \ud83d\u2026 here"}"#
    );
    let mut sent = Vec::new();
    session_tree::interchange::export_chat(&tree, None, &mut sent).unwrap();
    let sent: Vec<serde_json::Value> = String::from_utf8(sent)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(sent[0]["content"], "cut \u{fffd}… here");
    assert_eq!(sent[1]["content"], "low \u{fffd} end");
    assert_eq!(sent[3]["content"], "pair 😀 and text \\ud83d");
}

#[test]
fn strict_refuses_what_is_damaged_and_stores_nothing() {
    let files = Files::new();
    let good = [
        HEADER.to_owned(),
        says("a", None, "q"),
        says("b", Some("a"), "r"),
    ];
    let damaged = [
        ("a fragment", "{bad".to_owned()),
        ("a conflict", says("b", Some("a"), "another")),
        ("a cycle", says("x", Some("x"), "self")),
    ];
    for (what, line) in damaged {
        let path = files.write("file.jsonl", lines(good.iter().chain([&line])));
        let store = store();
        let error = store
            .import(&path, &ImportOptions::new().strict(true))
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged, "{what}");
        assert!(error.to_string().contains("line 4"), "{what}: {error}");
        assert!(store.sessions().unwrap().is_empty(), "{what}");
        store.import(&path, &ImportOptions::new()).unwrap();
        assert_eq!(store.sessions().unwrap().len(), 1, "{what}");
    }
    // A parent that is elsewhere, a kind nobody knows, and a repeat are no damage.
    let path = files.write(
        "file.jsonl",
        lines(good.iter().chain(&[
            says("c", Some("elsewhere"), "o"),
            entry("novel", "d", "b", ",\"x\":1"),
            good[1].clone(),
        ])),
    );
    store()
        .import(&path, &ImportOptions::new().strict(true))
        .unwrap();
}
