//! However a navigation or a turn ends, and whatever the clock does meanwhile: another process is kept out until then and let
//! in at once afterwards, and sees the tree as it was or fully moved.

use super::*;

/// What the other process is told when it wants to begin a turn.
fn is_kept_out(other: &RefCell<Other>) {
    let answer = other.borrow_mut().ask("begin");
    assert!(
        answer.starts_with("busy: ") && answer.contains("navigation of `me`"),
        "{answer}"
    );
}

type Outcome = std::thread::Result<Result<Navigated>>;

/// A way to navigate to `n1`, and whether it moves.
type Ending = fn(&SessionTree, &RefCell<Other>) -> Result<Navigated>;

const ENDINGS: &[(&str, bool, Ending)] = &[
    ("it goes well", true, |tree, other| {
        let summarizer = Summarizer(|_: &SummaryRequest<'_>| {
            is_kept_out(other);
            Ok(String::from("short"))
        });
        tree.navigate("n1", &summarizing(), Some(&summarizer))
    }),
    ("the summariser is silent", true, |tree, other| {
        let summarizer = Summarizer(|_: &SummaryRequest<'_>| {
            is_kept_out(other);
            Ok(String::new())
        });
        tree.navigate("n1", &summarizing(), Some(&summarizer))
    }),
    ("the summariser fails", false, |tree, other| {
        let summarizer = Summarizer(|_: &SummaryRequest<'_>| {
            is_kept_out(other);
            Err(failed("no key"))
        });
        tree.navigate("n1", &summarizing(), Some(&summarizer))
    }),
    ("the summariser panics", false, |tree, other| {
        let summarizer = Summarizer(|_: &SummaryRequest<'_>| {
            is_kept_out(other);
            panic!("out of luck (this panic is part of a test)")
        });
        tree.navigate("n1", &summarizing(), Some(&summarizer))
    }),
    ("it hangs and the other aborts it", false, |tree, other| {
        let summarizer = Summarizer(|request: &SummaryRequest<'_>| {
            is_kept_out(other);
            assert_eq!(other.borrow_mut().ask("abort_navigation"), "true");
            while !request.abort.is_aborted() {
                std::thread::yield_now();
            }
            Err(failed("I was stopped"))
        });
        tree.navigate("n1", &summarizing(), Some(&summarizer))
    }),
    ("a hook cancels", false, |tree, other| {
        let hooks = Hooks(
            |_: &Navigation| {
                is_kept_out(other);
                Ok(HookDecision::cancel())
            },
            |_: &Navigated| panic!("nothing was done"),
        );
        tree.navigate_with_hooks("n1", &NavigateOptions::new(), None, &hooks)
    }),
    ("a hook fails before the move", false, |tree, other| {
        let hooks = Hooks(
            |_: &Navigation| {
                is_kept_out(other);
                Err(failed("hook trouble"))
            },
            |_: &Navigated| panic!("nothing was done"),
        );
        tree.navigate_with_hooks("n1", &NavigateOptions::new(), None, &hooks)
    }),
    ("a hook panics before the move", false, |tree, other| {
        let hooks = Hooks(
            |_: &Navigation| -> Result<HookDecision> {
                is_kept_out(other);
                panic!("out of luck (this panic is part of a test)")
            },
            |_: &Navigated| panic!("nothing was done"),
        );
        tree.navigate_with_hooks("n1", &NavigateOptions::new(), None, &hooks)
    }),
    ("a hook fails after the move", true, |tree, other| {
        let hooks = Hooks(
            |_: &Navigation| Ok(HookDecision::go_on()),
            |_: &Navigated| {
                // The move is made, so others are let in before the hook has ended.
                assert_eq!(other.borrow_mut().ask("begin"), "ok");
                assert_eq!(other.borrow_mut().ask("end"), "ok");
                Err(failed("too late to complain"))
            },
        );
        tree.navigate_with_hooks("n1", &NavigateOptions::new(), None, &hooks)
    }),
    ("a hook panics after the move", true, |tree, _| {
        let hooks = Hooks(
            |_: &Navigation| Ok(HookDecision::go_on()),
            |_: &Navigated| panic!("out of luck (this panic is part of a test)"),
        );
        tree.navigate_with_hooks("n1", &NavigateOptions::new(), None, &hooks)
    }),
    ("it is dropped", false, |tree, other| {
        let plan = tree.plan_navigation("n1", &summarizing())?;
        is_kept_out(other);
        drop(plan);
        Err(failed("dropped"))
    }),
];

#[test]
fn however_a_navigation_ends_others_are_let_in() {
    for (name, moves, navigate) in ENDINGS {
        let Bench {
            tree,
            path,
            directory: _kept,
            ..
        } = bench();
        let other = RefCell::new(Other::start(&path, &tree));
        let (before, ends_before) = (seen(&tree), ends(&tree));
        let done: Outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| navigate(&tree, &other)));
        // The answer tells the truth.
        let says_moved = match &done {
            Ok(Ok(done)) => !done.cancelled,
            Ok(Err(_)) => false,
            Err(_) => *moves,
        };
        assert_eq!(says_moved, *moves, "{name}: {done:?}");
        if *moves {
            let leaf = tree.info().unwrap().leaf.unwrap();
            let ends = ends(&tree);
            assert_eq!(
                ends,
                [format!("*main {leaf}"), String::from("main-rewound n2")],
                "{name}"
            );
            if let Ok(Ok(done)) = done {
                assert_eq!(done.leaf, Some(leaf), "{name}");
                assert_eq!(done.preserved_branch.as_deref(), Some("main-rewound"));
            }
        } else {
            assert_eq!((seen(&tree), ends(&tree)), (before, ends_before), "{name}");
        }
        assert_eq!(tree.who().unwrap(), None, "{name}");
        let mut other = other.into_inner();
        assert_eq!(other.ask("begin"), "ok", "{name}");
        assert!(other.ask("append on").starts_with('n'), "{name}");
    }
}

/// The clock on the wall is set back and forth while one of two processes is in a turn or a navigation.
#[test]
fn a_clock_that_is_set_back_lets_nobody_in() {
    let Bench {
        tree,
        path,
        machine,
        directory: _kept,
    } = bench();
    let mut other = Other::start(&path, &tree);
    for wall in [1_700_000_000_000, 0, 1_600_000_000_000, 253_402_300_799_999] {
        let turn = tree.begin_turn(None).unwrap();
        machine.set_wall(wall);
        assert!(other.ask("append x").starts_with("busy: "), "{wall}");
        assert!(tree.who().unwrap().unwrap().is_alive, "{wall}");
        turn.append_message(Message::user("on"), None).unwrap();
        turn.end().unwrap();
        let plan = tree.plan_navigation("n0", &NavigateOptions::new()).unwrap();
        machine.set_wall(wall - 1_000_000);
        assert!(other.ask("plan n1").starts_with("busy: "), "{wall}");
        assert!(!plan.commit(None).unwrap().cancelled, "{wall}");
        // The other one holds it, and the clock here says that it began in the future, or long ago.
        assert_eq!(other.ask("begin"), "ok", "{wall}");
        assert_eq!(
            kind(tree.append_message(Message::user("x"), None)),
            ErrorKind::Busy,
            "{wall}"
        );
        assert_eq!(other.ask("end"), "ok");
        tree.rewind("n2", None).unwrap();
    }
}

/// In the middle of a turn nobody forks, neither the other process nor, as it is not part of a turn, who is in it.
#[test]
fn nobody_forks_in_the_middle_of_a_turn() {
    let Bench {
        tree,
        path,
        directory: _kept,
        ..
    } = bench();
    let mut other = Other::start(&path, &tree);
    let turn = tree.begin_turn(None).unwrap();
    turn.append_message(Message::user("which?"), None).unwrap();
    let sessions = tree.store().sessions().unwrap().len();
    assert!(other.ask("fork n0").starts_with("busy: "));
    assert_eq!(kind(tree.fork(Some("n0")).map(drop)), ErrorKind::Busy);
    assert_eq!(tree.store().sessions().unwrap().len(), sessions);
    turn.append_message(Message::assistant("both"), None)
        .unwrap();
    turn.end().unwrap();
    let fork = other.ask("fork n4");
    let fork = tree.store().open_session(&fork).unwrap();
    assert_eq!(texts(&fork), ["one", "two", "three", "which?", "both"]);
    // The other one's turn keeps this one from forking.
    assert_eq!(other.ask("begin"), "ok");
    assert_eq!(kind(tree.fork(Some("n0")).map(drop)), ErrorKind::Busy);
    assert_eq!(tree.store().sessions().unwrap().len(), sessions + 1);
}
