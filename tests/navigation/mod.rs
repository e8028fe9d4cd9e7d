//! A navigation happens whole or not at all, keeps others out while it is prepared, and says truly what came of it.

mod endings;
mod ends;
mod races;
mod summaries;

use crate::process::Other;
use crate::turns::{Bench, bench, kind, texts};
use session_tree::{
    Error, ErrorKind, GuardKind, HookDecision, Message, NavigateOptions, Navigated, Navigation,
    NavigationHooks, NavigationSummarizer, NewNode, Result, SessionTree, Store, SummaryRequest,
    Unsummarized,
};
use std::cell::RefCell;
use std::sync::mpsc;

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
