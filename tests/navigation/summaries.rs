//! Summaries of what is left behind, and hooks around the move.

use super::*;

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
    let done = tree.navigate("n3", &summarizing(), Some(&never)).unwrap();
    assert_eq!(
        (
            done.summary_node,
            done.unsummarized,
            done.unsummarized.unwrap().code()
        ),
        (
            None,
            Some(Unsummarized::NothingLeftBehind),
            "nothing_left_behind"
        )
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
    assert_eq!(done.unsummarized, None);
    // An empty summary is none, and the answer says so, whoever left it empty.
    let tree = talk();
    let silent = Summarizer(|_: &SummaryRequest<'_>| Ok(String::new()));
    let done = tree
        .navigate("n1", &summarizing().label("x"), Some(&silent))
        .unwrap();
    assert_eq!(
        (done.summary_node, done.leaf.as_deref()),
        (None, Some("n1"))
    );
    assert_eq!(done.unsummarized, Some(Unsummarized::EmptySummary));
    let plan = tree.plan_navigation("n3", &summarizing()).unwrap();
    let done = plan.commit(Some("".into())).unwrap();
    assert_eq!(done.unsummarized, Some(Unsummarized::EmptySummary));
    // A move for which no summary was wanted lacks none.
    let done = tree.navigate("n1", &Default::default(), None).unwrap();
    assert_eq!(done.unsummarized, None);
    assert_eq!(
        tree.node("n1").unwrap().unwrap().label.as_deref(),
        Some("x")
    );
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
