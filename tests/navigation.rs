//! A navigation happens whole or not at all, keeps others out while it is prepared, and says truly what came of it.

use std::cell::RefCell;
use std::sync::mpsc;

use session_tree::{
    Error, ErrorKind, GuardKind, HookDecision, Message, NavigateOptions, Navigated, Navigation,
    NavigationHooks, NavigationSummarizer, NewNode, Result, SessionTree, Store, SummaryRequest,
};

use crate::process::Other;
use crate::turns::{Bench, bench, kind, texts};

/// A summariser that does what the test says.
struct Summarizer<F>(F);

impl<F: Fn(&SummaryRequest<'_>) -> Result<String>> NavigationSummarizer for Summarizer<F> {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String> {
        self.0(request)
    }

    fn model_id(&self) -> &str {
        "test-model"
    }
}

/// Hooks that do what the test says.
struct Hooks<B, A>(B, A);

impl<B: Fn(&Navigation) -> Result<HookDecision>, A: Fn(&Navigated) -> Result<()>> NavigationHooks
    for Hooks<B, A>
{
    fn before(&self, planned: &Navigation) -> Result<HookDecision> {
        self.0(planned)
    }

    fn after(&self, _: &SessionTree, done: &Navigated) -> Result<()> {
        self.1(done)
    }
}

fn summarizing() -> NavigateOptions {
    NavigateOptions::new().summarize(true)
}

fn failed(text: &str) -> Error {
    Error::new(ErrorKind::Io, text)
}

/// Everything a caller can see of a session: two that are equal were not told apart by a move.
fn seen(tree: &SessionTree) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        tree.outline(0, 10_000).unwrap(),
        tree.branches().unwrap(),
        tree.info().unwrap(),
        tree.who().unwrap(),
    )
}

/// The active branch's leaf, and every branch with its leaf.
fn ends(tree: &SessionTree) -> Vec<String> {
    let show = |branch: session_tree::Branch| {
        let mark = if branch.is_active { "*" } else { "" };
        let leaf = branch
            .leaf
            .map_or_else(|| String::from("-"), |leaf| leaf.to_string());
        format!("{mark}{} {leaf}", branch.name)
    };
    tree.branches().unwrap().into_iter().map(show).collect()
}

struct Case {
    target: &'static str,
    leaf: Option<&'static str>,
    editor_text: Option<&'static str>,
    preserved: Option<&'static str>,
}

/// n0 user, n1 assistant, n2 user, n3 assistant, n4 custom_message, n5 model_change; the leaf is n5.
fn talk() -> SessionTree {
    let tree = Store::builder()
        .open_in_memory()
        .unwrap()
        .create_session()
        .unwrap();
    let payload = |text: &str| Message::new(text).unwrap();
    tree.append_many([
        NewNode::message(payload(r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}"#)),
        NewNode::message(Message::assistant("one")),
        NewNode::message(Message::user("more")),
        NewNode::message(Message::assistant("two")),
        NewNode::of_kind("custom_message", payload(r#"{"customType":"note","content":"noted","display":true}"#)),
        NewNode::of_kind("model_change", payload(r#"{"provider":"p","modelId":"m"}"#)),
    ])
    .unwrap();
    tree
}

#[test]
fn where_a_navigation_ends() {
    let rewound = Some("main-rewound");
    let cases = [
        Case {
            target: "n0",
            leaf: None,
            editor_text: Some("ab"),
            preserved: rewound,
        },
        Case {
            target: "n2",
            leaf: Some("n1"),
            editor_text: Some("more"),
            preserved: rewound,
        },
        Case {
            target: "n1",
            leaf: Some("n1"),
            editor_text: None,
            preserved: rewound,
        },
        Case {
            target: "n4",
            leaf: Some("n3"),
            editor_text: Some("noted"),
            preserved: rewound,
        },
        Case {
            target: "n5",
            leaf: Some("n5"),
            editor_text: None,
            preserved: None,
        },
    ];
    for case in cases {
        let tree = talk();
        let done = tree
            .navigate(case.target, &NavigateOptions::new(), None)
            .unwrap();
        let name = case.target;
        assert!(
            !done.cancelled && !done.aborted && done.after_error.is_none(),
            "{name}"
        );
        assert_eq!(done.leaf.as_deref(), case.leaf, "{name}");
        assert_eq!(done.editor_text.as_deref(), case.editor_text, "{name}");
        assert_eq!(done.preserved_branch.as_deref(), case.preserved, "{name}");
        assert_eq!(tree.info().unwrap().leaf.as_deref(), case.leaf, "{name}");
        assert_eq!(
            tree.outline(0, 100).unwrap().len(),
            6,
            "{name}: no node is written"
        );
        assert_eq!(tree.who().unwrap(), None, "{name}");
        assert!(
            tree.leaves().unwrap().iter().any(|leaf| *leaf == "n5"),
            "{name}"
        );
    }
}

#[test]
fn a_move_to_the_leaf_does_nothing_not_even_a_label() {
    let tree = talk();
    let before = (seen(&tree), tree.cursor().unwrap());
    let options = summarizing().label("here");
    let done = tree.navigate("n5", &options, None).unwrap();
    assert_eq!((done.cancelled, done.leaf.as_deref()), (false, Some("n5")));
    assert_eq!((seen(&tree), tree.cursor().unwrap()), before);
}

#[test]
fn an_old_leaf_that_has_a_name_gets_no_second_one() {
    let tree = talk();
    tree.navigate("n2", &NavigateOptions::new(), None).unwrap();
    // n1 has a child, so nothing is lost when the branch leaves it.
    let forward = tree.navigate("n3", &NavigateOptions::new(), None).unwrap();
    assert_eq!(forward.preserved_branch, None);
    tree.append_message(Message::user("new"), None).unwrap();
    let away = tree.navigate("n5", &NavigateOptions::new(), None).unwrap();
    assert_eq!(away.preserved_branch.as_deref(), Some("main-rewound-2"));
    // Two names at one leaf: n5 belongs to main-rewound too.
    let back = tree.navigate("n6", &NavigateOptions::new(), None).unwrap();
    assert_eq!(
        (back.preserved_branch.as_deref(), back.leaf.as_deref()),
        (None, Some("n3"))
    );
}

#[test]
fn an_orphan_user_message_can_be_reached() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agent.db");
    let store = Store::open(&path).unwrap();
    let tree = store.from_linear([Message::user("one")], None).unwrap();
    let orphan = "INSERT INTO nodes (key, id, run_start, messages, kind, role, created_at_ms, missing_parent, preview, payload)
        VALUES ((1 << 32) + 1, 'lost', (1 << 32) + 1, 2, 'message', 'user', 0, 'gone', '', '{\"role\":\"user\",\"content\":\"hm\"}');
        INSERT INTO branches (session_key, name, leaf_key, created_at_ms) VALUES (1, 'lost', (1 << 32) + 1, 0);";
    if !crate::support::sqlite3(&path, orphan) {
        return;
    }
    let done = tree
        .navigate("lost", &NavigateOptions::new(), None)
        .unwrap();
    assert_eq!((done.leaf, done.editor_text.as_deref()), (None, Some("hm")));
    tree.append_message(Message::user("anew"), None).unwrap();
    assert_eq!(texts(&tree), ["anew"]);
}

#[test]
fn checks_come_in_this_order() {
    let tree = talk();
    let other = tree.store().open_session(tree.id()).unwrap();
    {
        let turn = tree.begin_turn(None).unwrap();
        let error = other.navigate("n5", &summarizing(), None).unwrap_err();
        assert_eq!(
            error.busy_with(),
            Some(GuardKind::Turn),
            "before the target is looked at"
        );
        drop(turn);
        let navigation = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
        let error = other.navigate("n5", &summarizing(), None).unwrap_err();
        assert_eq!(error.busy_with(), Some(GuardKind::Navigation));
        assert_eq!(
            kind(other.append_message(Message::user("x"), None)),
            ErrorKind::Busy
        );
        navigation.abort().unwrap();
    }
    let before = seen(&tree);
    let error = tree.navigate("nowhere", &summarizing(), None).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            ErrorKind::SummarizerFailed,
            "No model available for summarization"
        )
    );
    let error = tree
        .navigate("nowhere", &NavigateOptions::new(), None)
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.node()),
        (ErrorKind::NodeNotFound, Some("nowhere"))
    );
    assert_eq!(seen(&tree), before);
}

#[test]
fn a_summary_stands_in_the_tree_and_for_the_branch_left_behind() {
    let tree = talk();
    let asked = RefCell::new(None);
    let summarizer = Summarizer(|request: &SummaryRequest<'_>| {
        assert_eq!(request.instructions, Some("be short"));
        assert!(request.replace_instructions);
        *asked.borrow_mut() = Some(request.branch_text.to_owned());
        Ok(String::from("They talked."))
    });
    let options = summarizing()
        .instructions("be short")
        .replace_instructions(true)
        .label("end of talk")
        .at(99);
    let done = tree.navigate("n2", &options, Some(&summarizer)).unwrap();
    // The target itself is in what is left behind only if it is not on its own path: n1 is the common ancestor of n5 and n2
    // but for n2, which both paths have.
    assert_eq!(
        asked.into_inner().unwrap(),
        "assistant: two\ncustom: noted\n"
    );
    let summary = done.summary_node.unwrap();
    assert_eq!(done.leaf.as_ref(), Some(&summary));
    let node = tree.node(&summary).unwrap().unwrap();
    assert_eq!(
        (
            node.kind.as_str(),
            node.parent.as_deref(),
            node.created_at_ms
        ),
        ("branch_summary", Some("n1"), 99)
    );
    assert_eq!(
        node.message.as_str(),
        r#"{"fromId":"n5","summary":"They talked.","fromHook":false}"#
    );
    assert_eq!(node.label.as_deref(), Some("end of talk"));
    assert_eq!(tree.node("n2").unwrap().unwrap().label, None);
    let kept = tree.summaries("main-rewound").unwrap();
    assert_eq!(kept.len(), 1);
    assert_eq!(
        (
            kept[0].summary.as_str(),
            kept[0].node_id.as_str(),
            kept[0].model_id.as_deref()
        ),
        ("They talked.", "n5", Some("test-model"))
    );
    assert_eq!(ends(&tree), ["*main n6", "main-rewound n5"]);
    let verbs: Vec<String> = tree
        .changes(None, 100)
        .unwrap()
        .operations()
        .map(|it| it.verb.clone())
        .collect();
    assert_eq!(verbs, ["create", "navigate", "summarize", "label"]);
}

#[test]
fn a_summary_before_the_first_node_is_a_root() {
    let tree = talk();
    let summarizer = Summarizer(|_: &SummaryRequest<'_>| Ok(String::from("All of it.")));
    let done = tree
        .navigate("n0", &summarizing(), Some(&summarizer))
        .unwrap();
    let node = tree.node(&done.summary_node.unwrap()).unwrap().unwrap();
    assert_eq!(node.parent, None);
    assert_eq!(tree.roots().unwrap().len(), 2);
}

/// What the summariser gets, and whether it is asked at all.
#[test]
fn what_is_summarised() {
    let never =
        Summarizer(|request: &SummaryRequest<'_>| panic!("asked about {:?}", request.branch_text));
    // Forward, nothing is left behind: no summary, and the label goes to the target.
    let tree = talk();
    tree.navigate("n1", &NavigateOptions::new(), None).unwrap();
    let done = tree
        .navigate("n3", &summarizing().label("there"), Some(&never))
        .unwrap();
    assert_eq!(done.summary_node, None);
    assert_eq!(
        tree.node("n3").unwrap().unwrap().label.as_deref(),
        Some("there")
    );
    // From before the first node nothing is left behind either.
    tree.navigate("n0", &NavigateOptions::new(), None).unwrap();
    assert_eq!(
        tree.navigate("n3", &summarizing(), Some(&never))
            .unwrap()
            .summary_node,
        None
    );
    // Something is left behind, but it says nothing to a model.
    let tree = talk();
    let tool = Message::new(r#"{"role":"toolResult","toolName":"ls","content":"x"}"#).unwrap();
    tree.append_message(tool, None).unwrap();
    tree.append(NewNode::of_kind(
        "label",
        Message::new(r#"{"targetId":"n0","label":"x"}"#).unwrap(),
    ))
    .unwrap();
    let done = tree.navigate("n5", &summarizing(), Some(&never)).unwrap();
    let node = tree.node(&done.summary_node.unwrap()).unwrap().unwrap();
    assert!(node.message.as_str().contains("No content to summarize"));
    // An empty summary is none.
    let tree = talk();
    let silent = Summarizer(|_: &SummaryRequest<'_>| Ok(String::new()));
    let done = tree
        .navigate("n1", &summarizing().label("x"), Some(&silent))
        .unwrap();
    assert_eq!(
        (done.summary_node, done.leaf.as_deref()),
        (None, Some("n1"))
    );
    assert_eq!(
        tree.node("n1").unwrap().unwrap().label.as_deref(),
        Some("x")
    );
}

#[test]
fn nobody_moves_while_a_summary_is_written() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let other = RefCell::new(Other::start(&path, &tree));
    let summarizer = Summarizer(|_: &SummaryRequest<'_>| {
        // No transaction is open: labels go through. Everything that moves meets the guard.
        tree.label("n0", "meanwhile")?;
        for command in ["begin", "plan n1", "append x", "rewind n0", "fork n0"] {
            let answer = other.borrow_mut().ask(command);
            assert!(
                answer.starts_with("busy: ") && answer.contains("navigation of `me`"),
                "{answer}"
            );
        }
        let holder = tree.who()?.expect("the navigation");
        assert_eq!(
            (holder.kind, holder.is_alive),
            (GuardKind::Navigation, true)
        );
        Ok(String::from("short"))
    });
    let done = tree
        .navigate("n0", &summarizing(), Some(&summarizer))
        .unwrap();
    assert!(done.summary_node.is_some());
    assert_eq!(other.borrow_mut().ask("begin"), "ok");
}

#[test]
fn a_failing_or_panicking_summariser_changes_nothing() {
    let tree = talk();
    let before = seen(&tree);
    for (said, expected) in [
        ("no key for provider", "no key for provider"),
        ("", "Summarization failed"),
    ] {
        let summarizer = Summarizer(|_: &SummaryRequest<'_>| Err(failed(said)));
        let error = tree
            .navigate("n1", &summarizing(), Some(&summarizer))
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (ErrorKind::SummarizerFailed, expected)
        );
        assert_eq!(seen(&tree), before);
    }
    let panicking = tree.clone();
    let thread = std::thread::spawn(move || {
        let summarizer = Summarizer(|_: &SummaryRequest<'_>| {
            panic!("out of luck (this panic is part of a test)")
        });
        panicking.navigate("n1", &summarizing(), Some(&summarizer))
    });
    assert!(thread.join().is_err());
    assert_eq!(seen(&tree), before);
    tree.navigate("n1", &NavigateOptions::new(), None).unwrap();
}

/// The summariser hangs. Somebody aborts: the session is free at once, and the navigation says what happened.
#[test]
fn a_navigation_is_aborted_from_another_thread() {
    let tree = talk();
    let before = seen(&tree);
    let (began, has_begun) = mpsc::channel();
    let navigating = tree.clone();
    let thread = std::thread::spawn(move || {
        let summarizer = Summarizer(|request: &SummaryRequest<'_>| {
            began.send(request.abort.clone()).unwrap();
            while !request.abort.is_aborted() {
                std::thread::yield_now();
            }
            Err(failed("I was stopped"))
        });
        navigating.navigate("n1", &summarizing(), Some(&summarizer))
    });
    let handle = has_begun.recv().unwrap();
    assert!(!handle.is_aborted());
    assert!(handle.abort().unwrap());
    assert!(!handle.abort().unwrap(), "once is enough");
    let done = thread.join().unwrap().unwrap();
    assert_eq!(
        (done.cancelled, done.aborted, done.leaf.as_deref()),
        (true, true, Some("n5"))
    );
    assert_eq!(seen(&tree), before);
}

/// It is aborted from another process, and the summariser does not even look: its text comes too late.
#[test]
fn a_navigation_is_aborted_from_another_process() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let other = RefCell::new(Other::start(&path, &tree));
    let summarizer = Summarizer(|_: &SummaryRequest<'_>| {
        assert_eq!(other.borrow_mut().ask("abort_navigation"), "true");
        assert_eq!(other.borrow_mut().ask("append free again"), "n3");
        Ok(String::from("too late"))
    });
    let done = tree
        .navigate("n0", &summarizing(), Some(&summarizer))
        .unwrap();
    assert_eq!(
        (done.cancelled, done.aborted, done.leaf.as_deref()),
        (true, true, Some("n3"))
    );
    assert_eq!(texts(&tree), ["one", "two", "three", "free again"]);
    assert_eq!(other.borrow_mut().ask("abort_navigation"), "false");
    // A turn is no navigation.
    let _turn = tree.begin_turn(None).unwrap();
    assert_eq!(other.borrow_mut().ask("abort_navigation"), "false");
}

#[test]
fn a_summariser_can_cancel() {
    let tree = talk();
    let before = seen(&tree);
    let summarizer =
        Summarizer(|_: &SummaryRequest<'_>| Err(Error::new(ErrorKind::Cancelled, "stopped")));
    let done = tree
        .navigate("n1", &summarizing(), Some(&summarizer))
        .unwrap();
    assert_eq!((done.cancelled, done.aborted), (true, true));
    assert_eq!(seen(&tree), before);
}

#[test]
fn of_two_navigations_at_once_one_goes_on() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    let mine = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    let answer = other.ask("plan n1");
    assert!(
        answer.starts_with("busy: ") && answer.contains("navigation of `me`"),
        "{answer}"
    );
    mine.commit(None).unwrap();
    assert_eq!(other.ask("plan n1"), "ok");
    assert_eq!(
        kind(tree.navigate("n2", &NavigateOptions::new(), None)),
        ErrorKind::Busy
    );
    assert_eq!(other.ask("commit"), r#"cancelled=false leaf=Some("n1")"#);
}

#[test]
fn a_killed_process_frees_its_navigation() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let before = (tree.outline(0, 100).unwrap(), tree.branches().unwrap());
    let mut other = Other::start(&path, &tree);
    assert_eq!(other.ask("plan n0"), "ok");
    assert_eq!(
        kind(tree.append_message(Message::user("x"), None)),
        ErrorKind::Busy
    );
    other.kill();
    assert_eq!(
        (tree.outline(0, 100).unwrap(), tree.branches().unwrap()),
        before
    );
    let done = tree.navigate("n1", &NavigateOptions::new(), None).unwrap();
    assert_eq!(done.leaf.as_deref(), Some("n1"));
    assert_eq!(tree.who().unwrap(), None);
}

/// The machine slept through a navigation, and somebody went on. Its owner comes back with a paid summary.
#[test]
fn a_navigation_that_was_overtaken_says_so() {
    let Bench {
        tree,
        path,
        machine,
        directory: _kept,
    } = bench();
    let mut other = Other::start(&path, &tree);
    assert_eq!(other.ask("plan n0"), "ok");
    machine.sleep_for(31_000);
    tree.label("n0", "a label takes nothing from anybody")
        .unwrap();
    assert!(!tree.who().unwrap().unwrap().is_alive);
    tree.append_message(Message::user("four"), None).unwrap();
    let answer = other.ask("commit");
    assert!(answer.starts_with("leaf_moved: "), "{answer}");
    assert_eq!(texts(&tree).len(), 4);
    assert_eq!(tree.who().unwrap(), None);
}

/// Between plan and commit the leaf can move only from outside the guards.
#[test]
fn a_leaf_that_moved_between_plan_and_commit() {
    let sql = "INSERT INTO branches (session_key, name, leaf_key, created_at_ms) SELECT session_key, 'kept', leaf_key, 0
        FROM branches WHERE name = 'main'; UPDATE branches SET leaf_key = leaf_key - 1 WHERE name = 'main';";
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let navigation = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    if !crate::support::sqlite3(&path, sql) {
        return;
    }
    let error = navigation.commit(Some("a summary".into())).unwrap_err();
    assert_eq!(
        (error.kind(), error.node()),
        (ErrorKind::LeafMoved, Some("n1"))
    );
    assert_eq!((texts(&tree).len(), tree.who().unwrap()), (2, None));
    // Another branch was made active.
    let navigation = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    assert!(crate::support::sqlite3(
        &path,
        "UPDATE sessions SET active_branch_key = (SELECT key FROM branches WHERE name = 'kept');"
    ));
    assert_eq!(kind(navigation.commit(None)), ErrorKind::LeafMoved);
    assert_eq!(
        (ends(&tree), tree.who().unwrap()),
        (vec!["*kept n2".to_owned(), "main n1".to_owned()], None)
    );
}

#[test]
fn a_released_navigation_is_lost_and_names_who_went_on() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    let navigation = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    assert_eq!(other.ask("release"), "true");
    let error = navigation.commit(None).unwrap_err();
    assert_eq!(
        (error.kind(), error.actor()),
        (ErrorKind::TurnLost, Some("other"))
    );
    let navigation = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
    assert_eq!(other.ask("release"), "true");
    assert!(other.ask("rewind n1").contains("main-rewound"));
    let error = navigation.commit(None).unwrap_err();
    assert_eq!(
        (error.kind(), error.actor(), error.node()),
        (ErrorKind::LeafMoved, Some("other"), Some("n1"))
    );
    assert_eq!(texts(&tree).len(), 2);
}

#[test]
fn a_dropped_plan_is_no_navigation() {
    let tree = talk();
    let before = (seen(&tree), tree.cursor().unwrap());
    drop(tree.plan_navigation("n0", &summarizing()).unwrap());
    tree.plan_navigation("n0", &summarizing())
        .unwrap()
        .abort()
        .unwrap();
    assert_eq!((seen(&tree), tree.cursor().unwrap()), before);
}

#[test]
fn a_plan_knows_its_way_and_can_be_carried_to_another_thread() {
    fn carried<T: Send + 'static>() {}
    carried::<Navigation>();
    let tree = talk();
    let navigation = tree.plan_navigation("n2", &summarizing()).unwrap();
    assert_eq!(navigation.target().map(|id| &**id), Some("n2"));
    assert_eq!(navigation.old_leaf().map(|id| &**id), Some("n5"));
    assert_eq!(navigation.new_leaf().map(|id| &**id), Some("n1"));
    assert_eq!(navigation.editor_text(), Some("more"));
    assert_eq!(navigation.left_behind().unwrap(), ["n3", "n4", "n5"]);
    let summary = session_tree::NavigationSummary::new("later").by_model("async");
    let done = std::thread::spawn(move || navigation.commit(Some(summary)))
        .join()
        .unwrap()
        .unwrap();
    assert_eq!(done.leaf.as_deref(), Some("n6"));
}

#[test]
fn hooks_decide_before() {
    let nothing = |_: &Navigated| Ok(());
    let tree = talk();
    let before = seen(&tree);
    let hooks = Hooks(
        |_: &Navigation| Ok(HookDecision::cancel()),
        |_: &Navigated| panic!("nothing was done"),
    );
    let done = tree
        .navigate_with_hooks("n1", &NavigateOptions::new(), None, &hooks)
        .unwrap();
    assert_eq!(
        (done.cancelled, done.aborted, done.leaf.as_deref()),
        (true, false, Some("n5"))
    );
    assert_eq!(seen(&tree), before);

    let hooks = Hooks(|_: &Navigation| Err(failed("hook trouble")), nothing);
    let error = tree
        .navigate_with_hooks("n1", &NavigateOptions::new(), None, &hooks)
        .unwrap_err();
    assert_eq!(error.to_string(), "hook trouble");
    assert_eq!(seen(&tree), before);

    // A summary from a hook is used where one was asked for, and the summariser is not.
    let never = Summarizer(|_: &SummaryRequest<'_>| panic!("the hook has it"));
    let hooks = Hooks(
        |planned: &Navigation| {
            assert_eq!(planned.left_behind()?.len(), 4);
            assert_eq!(planned.tree().who()?.unwrap().kind, GuardKind::Navigation);
            Ok(HookDecision::go_on()
                .summary("from the hook")
                .label("hooked"))
        },
        nothing,
    );
    let done = tree
        .navigate_with_hooks("n1", &summarizing().label("asked"), Some(&never), &hooks)
        .unwrap();
    let node = tree.node(&done.summary_node.unwrap()).unwrap().unwrap();
    assert_eq!(
        node.message.as_str(),
        r#"{"fromId":"n5","summary":"from the hook","fromHook":true}"#
    );
    assert_eq!(node.label.as_deref(), Some("hooked"));
    let done = talk()
        .navigate_with_hooks(
            "n1",
            &NavigateOptions::new(),
            None,
            &Hooks(
                |_: &Navigation| Ok(HookDecision::go_on().summary("nobody asked")),
                nothing,
            ),
        )
        .unwrap();
    assert_eq!(done.summary_node, None);

    let tree = talk();
    let summarizer = Summarizer(|request: &SummaryRequest<'_>| {
        Ok(format!(
            "{:?} {}",
            request.instructions, request.replace_instructions
        ))
    });
    let hooks = Hooks(
        |_: &Navigation| Ok(HookDecision::go_on().instructions("mine", true)),
        nothing,
    );
    let done = tree
        .navigate_with_hooks(
            "n1",
            &summarizing().instructions("yours"),
            Some(&summarizer),
            &hooks,
        )
        .unwrap();
    let node = tree.node(&done.summary_node.unwrap()).unwrap().unwrap();
    assert!(
        node.message.as_str().contains(r#"Some(\"mine\") true"#),
        "{}",
        node.message
    );
}

/// The move was made: a hook that fails afterwards does not make it a failure.
#[test]
fn a_hook_that_fails_after_the_move_is_reported_beside_the_success() {
    let tree = talk();
    let hooks = Hooks(
        |_: &Navigation| Ok(HookDecision::go_on()),
        |done: &Navigated| {
            assert_eq!(done.leaf.as_deref(), Some("n1"));
            Err(failed("too late to complain"))
        },
    );
    let done = tree
        .navigate_with_hooks("n1", &NavigateOptions::new(), None, &hooks)
        .unwrap();
    assert!(!done.cancelled);
    assert_eq!(
        done.after_error.unwrap().to_string(),
        "too late to complain"
    );
    assert_eq!(
        (tree.info().unwrap().leaf.as_deref(), tree.who().unwrap()),
        (Some("n1"), None)
    );
}

#[test]
fn a_session_whose_path_is_damaged_can_be_left() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    tree.append_message(Message::assistant("four"), None)
        .unwrap();
    let damage = "DROP TRIGGER nodes_guard_delete; DELETE FROM nodes WHERE key = (1 << 32) + 2;";
    if !crate::support::sqlite3(&path, damage) {
        return;
    }
    let summarizer = Summarizer(|_: &SummaryRequest<'_>| Ok(String::new()));
    assert_eq!(
        kind(tree.navigate("n1", &summarizing(), Some(&summarizer))),
        ErrorKind::Damaged
    );
    assert_eq!(tree.who().unwrap(), None);
    let done = tree.navigate("n1", &NavigateOptions::new(), None).unwrap();
    assert_eq!(done.leaf.as_deref(), Some("n1"));
    assert_eq!(texts(&tree), ["one", "two"]);
}
