//! What the lines of a file become: nodes with their parents, and what is no node.

use session_tree::interchange::{ImportOptions, NoteKind, export_pi};
use session_tree::{ErrorKind, Message, Selection};

use super::draw::{Files, HEADER, assert_drawn, entry, lines, says};
use super::{import, import_into, store, texts};

fn kinds(report: &session_tree::interchange::ImportReport) -> Vec<NoteKind> {
    report.notes.iter().map(|note| note.kind).collect()
}

#[test]
fn orphans_are_roots_until_their_parent_comes() {
    let files = Files::new();
    let store = store();
    let path = files.write(
        "file.jsonl",
        lines([
            HEADER.to_owned(),
            says("a", None, "q"),
            says("b", Some("a"), "r"),
            says("d", Some("c"), "t"),
            says("e", Some("d"), "u"),
        ]),
    );
    let (report, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!(kinds(&report), [NoteKind::Orphan]);
    assert_drawn(
        &tree,
        "a \"q\"\nb < a \"r\"\nd < ?c \"t\"\ne < d \"u\"\nleaf-b = b\n*main = e",
    );
    let error = tree.linear_projection().unwrap_err();
    assert_eq!(
        (error.kind(), error.node()),
        (ErrorKind::CutPath, Some("d"))
    );
    let (messages, cut) = tree.projection_with_report(None).unwrap();
    assert_eq!(
        (messages.len(), cut.unwrap().missing_parent.as_str()),
        (2, "c")
    );

    let late = files.write(
        "late.jsonl",
        lines([HEADER.to_owned(), says("c", Some("b"), "s")]),
    );
    let (report, tree) = import_into(&store, &late, &ImportOptions::new()).unwrap();
    assert_eq!((report.created, report.nodes_added), (false, 1));
    assert_eq!(kinds(&report), [NoteKind::Adopted]);
    let path: Vec<String> = tree
        .active_path()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(path, ["a", "b", "c", "d", "e"]);
    assert_eq!(tree.outline(0, 99).unwrap().len(), 5);
    assert_eq!(tree.linear_projection().unwrap().len(), 5);
}

#[test]
fn a_parent_that_would_close_a_cycle_adopts_nobody() {
    let files = Files::new();
    let store = store();
    let path = files.write(
        "file.jsonl",
        lines([
            HEADER.to_owned(),
            says("b", Some("a"), "x"),
            says("c", Some("b"), "y"),
        ]),
    );
    import_into(&store, &path, &ImportOptions::new()).unwrap();
    let late = files.write(
        "late.jsonl",
        lines([HEADER.to_owned(), says("a", Some("c"), "z")]),
    );
    let (report, tree) = import_into(&store, &late, &ImportOptions::new()).unwrap();
    assert_eq!(kinds(&report), [NoteKind::NeverAdopted]);
    let nodes = tree.outline(0, 99).unwrap();
    assert_eq!(nodes[0].missing_parent.as_deref(), Some("a"));
    assert_eq!(nodes[2].parent.as_deref(), Some("c"));
    let again = import_into(&store, &late, &ImportOptions::new()).unwrap().0;
    assert_eq!((again.nodes_added, again.nodes_known), (0, 1));
}

#[test]
fn cycles_are_broken_at_their_first_line_and_nothing_is_dropped() {
    let files = Files::new();
    let path = files.write(
        "file.jsonl",
        lines([
            HEADER.to_owned(),
            says("a", Some("c"), "1"),
            says("b", Some("a"), "2"),
            says("c", Some("b"), "3"),
            says("d", Some("b"), "4"),
            says("e", Some("e"), "5"),
        ]),
    );
    let store = store();
    let (report, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!(kinds(&report), [NoteKind::Cycle, NoteKind::Cycle]);
    assert_drawn(
        &tree,
        "a < ?c \"1\"\nb < a \"2\"\nc < b \"3\"\nd < b \"4\"\ne < ?e \"5\"\nleaf-c = c\nleaf-d = d\n*main = e",
    );
    // What was broken stays broken: `c` is there and is no parent to `a`.
    let (again, _) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!((again.nodes_added, again.nodes_known), (0, 5));
}

#[test]
fn parents_may_come_later_in_the_file() {
    let files = Files::new();
    let path = files.write(
        "file.jsonl",
        lines([
            HEADER.to_owned(),
            says("c", Some("b"), "3"),
            says("b", Some("a"), "2"),
            says("a", None, "1"),
        ]),
    );
    let (report, tree) = import(&path).unwrap();
    assert_eq!(report.notes, []);
    assert_drawn(
        &tree,
        "c < b \"3\"\nb < a \"2\"\na \"1\"\nleaf-c = c\n*main = a",
    );
}

#[test]
fn equal_records_fold_and_differing_ones_get_numbers() {
    let files = Files::new();
    let other_time = says("b", Some("a"), "r").replace("10:00:38", "23:00:00");
    let text = lines([
        HEADER.to_owned(),
        says("a", None, "q"),
        says("b", Some("a"), "r"),
        says("a", None, "q"),
        other_time,
        says("b", Some("a"), "another"),
        says("c", Some("b"), "s"),
        says("b", Some("a"), "third"),
        says("b", Some("a"), "another"),
    ]);
    let path = files.write("file.jsonl", &text);
    let store = store();
    let (report, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    // The last line folds into the second record of `b`, so that is the leaf.
    assert_drawn(
        &tree,
        "a \"q\"\nb < a \"r\"\nb~2 < a \"another\"\nc < b \"s\"\nb~3 < a \"third\"\nleaf-b~3 = b~3\nleaf-c = c\n*main = b~2",
    );
    let repeats: Vec<&str> = report
        .notes
        .iter()
        .filter(|note| note.kind == NoteKind::Repeat)
        .map(|note| note.text.as_str())
        .collect();
    assert_eq!(repeats.len(), 3);
    assert!(repeats[1].contains("what stands around it"), "{repeats:?}");
    assert!(!repeats[0].contains("what stands around it"), "{repeats:?}");
    assert_eq!(
        kinds(&report)
            .iter()
            .filter(|kind| **kind == NoteKind::Conflict)
            .count(),
        2
    );
    let mut bytes = Vec::new();
    export_pi(&tree, &mut bytes).unwrap();
    assert_eq!(bytes, text);

    // The same again, longer: what is there under a number is found there.
    let longer = [
        text.as_slice(),
        &lines([
            says("b", Some("a"), "fourth"),
            says("b", Some("a"), "third"),
        ]),
    ]
    .concat();
    files.write("file.jsonl", &longer);
    let (report, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!((report.nodes_added, report.nodes_known), (1, 5));
    assert!(tree.contains("b~4").unwrap());
}

#[test]
fn what_is_no_entry_is_kept_beside_the_nodes() {
    let files = Files::new();
    let text = lines([
        HEADER,
        "5",
        "[1]",
        "null",
        r#"{"setting":true}"#,
        r#"{"type":"session","version":3,"id":"s-2"}"#,
        r#"{"type":"note"}"#,
        r#"{"id":"x","parentId":null}"#,
        r#"{"type":"message","id":"y","parentId":"","message":7}"#,
        r#"{"type":7,"id":"z","parentId":5}"#,
    ]);
    let (report, tree) = import(&files.write("file.jsonl", &text)).unwrap();
    assert_eq!(
        (report.nodes_added, report.loose, report.damaged.len()),
        (4, 6, 0)
    );
    let nodes = tree.outline(0, 99).unwrap();
    let drawn: Vec<(&str, Option<&str>)> = nodes
        .iter()
        .map(|node| (node.kind.as_str(), node.missing_parent.as_deref()))
        .collect();
    assert_eq!(
        drawn,
        [
            ("note", None),
            ("untyped", None),
            ("message", Some("")),
            ("untyped", Some("5"))
        ]
    );
    assert_eq!(nodes[0].id.len(), 8);
    // A parent that is the empty text is none: the path is whole.
    let path = tree
        .path_ids(&Selection {
            leaf: Some("y".to_owned()),
            ..Selection::default()
        })
        .unwrap();
    assert_eq!(path, ["y"]);
    let mut bytes = Vec::new();
    assert!(export_pi(&tree, &mut bytes).unwrap().is_unchanged);
    assert_eq!(bytes, text);
}

#[test]
fn times_are_those_of_the_source() {
    let files = Files::new();
    let with_time = |id: &str, parent: &str, time: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}"{time},"message":{{"role":"user","content":"{id}"}}}}"#
        )
    };
    let path = files.write(
        "file.jsonl",
        lines([
            HEADER.to_owned(),
            with_time("a", "", r#","timestamp":"2026-03-01T12:00:00+02:00""#),
            with_time("b", "a", r#","timestamp":"yesterday""#),
            with_time("c", "b", ""),
            with_time("d", "c", r#","timestamp":1772359201000"#),
            with_time("e", "d", r#","timestamp":"2026-03-01T10:00:02.000Z""#),
        ]),
    );
    let (_, tree) = import(&path).unwrap();
    let is: Vec<(i64, String)> = tree
        .outline(0, 99)
        .unwrap()
        .into_iter()
        .map(|node| (node.created_at_ms, node.timestamp))
        .collect();
    let ten = 1_772_359_200_000;
    let expected = [
        (ten, "2026-03-01T12:00:00+02:00"),
        (ten, "yesterday"),
        (ten, ""),
        (ten + 1000, "1772359201000"),
        (ten + 2000, "2026-03-01T10:00:02.000Z"),
    ];
    assert_eq!(is, expected.map(|(ms, text)| (ms, text.to_owned())));
}

#[test]
fn old_files_without_ids_get_the_same_ones_each_time() {
    let files = Files::new();
    let store = store();
    let header = r#"{"type":"session","id":"old","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/w","provider":"p"}"#;
    let says = |text: &str| {
        format!(
            r#"{{"type":"message","timestamp":"2025-01-01T00:00:01.000Z","message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    let kept = r#"{"type":"compaction","timestamp":"2025-01-01T00:00:02.000Z","summary":"S","firstKeptEntryIndex":2,"tokensBefore":9}"#;
    let text = lines([
        header.to_owned(),
        says("1"),
        says("2"),
        kept.to_owned(),
        says("1"),
    ]);
    let path = files.write("old.jsonl", &text);
    let (report, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!(report.notes, []);
    let ids: Vec<String> = tree
        .active_path()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(ids.len(), 4);
    assert!(
        ids.iter()
            .all(|id| id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit())),
        "{ids:?}"
    );
    let (_, other) = import(&path).unwrap();
    assert_eq!(other.active_path().unwrap(), tree.active_path().unwrap());
    files.write("old.jsonl", [text.as_slice(), &lines([says("3")])].concat());
    let (report, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!((report.nodes_added, report.nodes_known), (1, 4));
    assert_eq!(texts(tree.active_path().unwrap())[..4], ids);

    // Written out with something new in it, the entries have ids, and the compaction names what it kept.
    tree.append_message(Message::user("4"), None).unwrap();
    let mut bytes = Vec::new();
    assert!(!export_pi(&tree, &mut bytes).unwrap().is_unchanged);
    let written = String::from_utf8(bytes).unwrap();
    assert!(
        written.starts_with(r#"{"type":"session","version":3,"id":"old""#),
        "{written}"
    );
    assert!(
        written.contains(&format!(r#""firstKeptEntryId":"{}""#, ids[1])),
        "{written}"
    );
    let (_, again) = import(&files.write("new.jsonl", written)).unwrap();
    assert_eq!(again.active_path().unwrap(), tree.active_path().unwrap());
    assert_eq!(
        again.linear_projection().unwrap(),
        tree.linear_projection().unwrap()
    );
}

#[test]
fn labels_and_titles_follow_the_last_line_and_a_persons_word() {
    let files = Files::new();
    let store = store();
    let mark = |id: &str, parent: &str, target: &str, label: &str| {
        entry(
            "label",
            id,
            parent,
            &format!(r#","targetId":"{target}"{label}"#),
        )
    };
    let mut all = vec![
        HEADER.to_owned(),
        says("a", None, "q"),
        says("b", Some("a"), "r"),
        mark("l1", "b", "a", r#","label":"first""#),
        mark("l2", "a", "a", r#","label":"second""#),
        mark("l3", "l1", "b", r#","label":"gone""#),
        mark("l4", "l3", "b", r#","label":"""#),
        mark("l5", "l4", "later", r#","label":"early""#),
        entry("session_info", "i1", "l5", r#","name":"One""#),
        entry("session_info", "i2", "i1", r#","name":"  Two \n ""#),
    ];
    let path = files.write("file.jsonl", lines(&all));
    let (_, tree) = import_into(&store, &path, &ImportOptions::new()).unwrap();
    let label = |id: &str| tree.node(id).unwrap().and_then(|node| node.label);
    assert_eq!((label("a").as_deref(), label("b")), (Some("second"), None));
    assert_eq!(tree.info().unwrap().name.as_deref(), Some("Two"));

    // A label that was set before its node came is there when it comes.
    all.push(says("later", Some("i2"), "s"));
    all.push(mark("l6", "later", "a", r#","label":"third""#));
    all.push(entry("session_info", "i3", "l6", r#","name":"Three""#));
    files.write("file.jsonl", lines(&all));
    import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!(
        (label("later").as_deref(), label("a").as_deref()),
        (Some("early"), Some("third"))
    );
    assert_eq!(tree.info().unwrap().name.as_deref(), Some("Three"));

    // What a person says here beats the lines that come after, a cleared label too.
    tree.label("a", "mine").unwrap();
    tree.clear_label("later").unwrap();
    tree.rename(Some("My title")).unwrap();
    all.push(mark("l7", "i3", "a", r#","label":"fourth""#));
    all.push(mark("l8", "l7", "later", r#","label":"back""#));
    all.push(mark("l9", "l8", "b", r#","label":"new""#));
    all.push(entry("session_info", "i4", "l9", r#","name":"Four""#));
    files.write("file.jsonl", lines(&all));
    import_into(&store, &path, &ImportOptions::new()).unwrap();
    assert_eq!(
        (label("a").as_deref(), label("later"), label("b").as_deref()),
        (Some("mine"), None, Some("new"))
    );
    assert_eq!(tree.info().unwrap().name.as_deref(), Some("My title"));
    assert_eq!(tree.info().unwrap().leaf.as_deref(), Some("i4"));
}

#[test]
fn a_file_of_a_fork_names_the_session_it_came_from() {
    let files = Files::new();
    let store = store();
    let origin = files.write(
        "2026_s-1.jsonl",
        lines([HEADER.to_owned(), says("a", None, "q")]),
    );
    import_into(&store, &origin, &ImportOptions::new()).unwrap();
    for (name, parent, known) in [
        (
            "by-id",
            "/elsewhere/2026-03-01T10-00-00-000Z_s-1.jsonl".to_owned(),
            true,
        ),
        ("by-path", origin.display().to_string(), true),
        ("unknown", "/elsewhere/2026_s-9.jsonl".to_owned(), false),
    ] {
        let header = HEADER
            .replace("\"s-1\"", &format!("\"{name}\""))
            .replace("\"/w\"", &format!("\"/w\",\"parentSession\":{parent:?}"));
        let (_, tree) = import_into(
            &store,
            &files.write("fork.jsonl", lines([header, says("a", None, "q")])),
            &ImportOptions::new(),
        )
        .unwrap();
        let info = tree.info().unwrap();
        assert_eq!(
            info.origin_session.as_deref(),
            known.then_some("s-1"),
            "{name}"
        );
        assert!(info.meta.contains("parentSession"), "{name}");
    }
}
