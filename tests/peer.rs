//! The store gives the answers that supercode's tree gives: the same random operations, done by both.
//!
//! The peer is a program of its own (tests/oracle), since its SQLite cannot be linked into this one. It writes down what it
//! did and what came of it; here the same is done again. `tests/oracle/run` does both.
//!
//! Not compared, since they are meant to differ:
//! - Times outside the years 0 to 9999 are refused here; the peer takes any number.
//! - Branch names that are empty or have control characters are refused here (`refused_name`).
//! - An empty label clears here, as with pi; the peer keeps it (`empty_label`).
//! - A summariser is not asked about a branch without a leaf here; the error is the same.
//! - `from_linear` gives `main` the time of its nodes here; with the peer it has none.
//! - Errors are one line here: control characters of the ids and names in them are escaped (`on_one_line`).
//! - Messages are kept byte for byte here; the peer keeps their values. `supercode_turn` and `ts` belong to its files.

mod answers;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::{Value, json};
use session_tree::interchange::Layout;
use session_tree::{
    BranchSummarizer, Clock, Error, ErrorKind, Message, Result, SessionTree, Store,
};

use answers::{Messages, assert_same, node, on_one_line, place, read, said, state};

const SCRIPT: &str = "ST_PEER_SCRIPT";
/// Where the store's snapshots go, for the peer to read.
const SNAPSHOTS: &str = "ST_PEER_SNAPSHOTS";

#[test]
fn the_same_operations_give_the_same_answers() {
    let Some(script) = std::env::var_os(SCRIPT) else {
        println!("skipped: the peer's answers are not here, run tests/oracle/run");
        return;
    };
    let store = Store::builder().clock(AtZero).open_in_memory().unwrap();
    let mut snapshots = std::env::var_os(SNAPSHOTS).map(|path| File::create(path).unwrap());
    let mut seen = Seen::default();
    let mut sequence = None;
    for line in BufReader::new(File::open(script).unwrap()).lines() {
        let mut line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        on_one_line(&mut line);
        if line["start"].is_object() {
            sequence = Some(Sequence::start(&store, &line));
            seen.sequences += 1;
        } else {
            let sequence: &mut Sequence = sequence.as_mut().unwrap();
            sequence.step(&line, &mut seen);
            if let Some(out) = snapshots.as_mut().filter(|_| line["state"].is_object()) {
                writeln!(out, "{}", sequence.snapshot()).unwrap();
            }
        }
    }
    println!(
        "{} sequences, {} steps, {} comparisons of everything, {} nodes at most in one of these",
        seen.sequences, seen.steps, seen.states, seen.most_nodes
    );
    for ((op, outcome), count) in &seen.outcomes {
        println!("  {op}: {outcome}: {count}");
    }
    // Fewer are run to look into a single sequence.
    if seen.sequences >= 50 {
        seen.assert_everything_happened();
    }
}

/// What `main` of an empty tree has as its time with the peer.
struct AtZero;

impl Clock for AtZero {
    fn now_ms(&self) -> i64 {
        0
    }
}

#[derive(Default)]
struct Seen {
    sequences: u64,
    steps: u64,
    states: u64,
    most_nodes: usize,
    outcomes: BTreeMap<(String, &'static str), u64>,
}

impl Seen {
    fn assert_everything_happened(&self) {
        let both = [
            "rewind",
            "branch",
            "switch",
            "summarize",
            "summarize_with",
            "label",
            "clear_label",
            "read",
        ];
        let done = ["append", "node", "empty_branch", "reload", "empty_label"];
        let wanted = both
            .iter()
            .flat_map(|op| [(*op, "done"), (*op, "refused")])
            .chain(done.iter().map(|op| (*op, "done")))
            .chain([("refused_name", "refused")]);
        for (op, outcome) in wanted {
            let key = (op.to_owned(), outcome);
            assert!(self.outcomes.contains_key(&key), "no {op} was {outcome}");
        }
    }
}

/// One sequence as far as it has come.
struct Sequence {
    store: Store,
    number: u64,
    steps: u64,
    tree: SessionTree,
}

impl Sequence {
    fn start(store: &Store, line: &Value) -> Sequence {
        let start = &line["start"];
        let tree = match start["linear"].as_array() {
            Some(texts) => {
                let messages: Vec<Message> = texts.iter().map(message).collect();
                let tree = store.from_linear(messages.clone(), at(start)).unwrap();
                assert_eq!(tree.linear_projection().unwrap(), messages);
                tree
            }
            None => store.create_session().unwrap(),
        };
        let number = start["sequence"].as_u64().unwrap();
        assert_same(&place(&tree), &line["place"], || {
            format!("sequence {number} at its start")
        });
        Sequence {
            store: store.clone(),
            number,
            steps: 0,
            tree,
        }
    }

    fn step(&mut self, line: &Value, seen: &mut Seen) {
        self.steps += 1;
        seen.steps += 1;
        let step = &line["step"];
        let about = format!("sequence {}, step {}: {step}", self.number, self.steps);
        let answer = self.apply(step);
        assert_same(&answer, &line["answer"], || {
            format!("the answer of {about}")
        });
        assert_same(&place(&self.tree), &line["place"], || {
            format!("the place after {about}")
        });
        if line["state"].is_object() {
            seen.states += 1;
            let nodes = line["state"]["answer"]["nodes"]
                .as_array()
                .map_or(0, Vec::len);
            seen.most_nodes = seen.most_nodes.max(nodes);
            assert_same(&state(&self.tree), &line["state"], || {
                format!("what is there after {about}")
            });
        }
        let refused = answer["error"].is_string() || answer["answer"]["path"]["error"].is_string();
        let key = (
            text(&step["op"]).to_owned(),
            if refused { "refused" } else { "done" },
        );
        *seen.outcomes.entry(key).or_default() += 1;
    }

    /// The tree as the peer would save it.
    fn snapshot(&self) -> Value {
        let snapshot = self.tree.snapshot().unwrap();
        assert!(snapshot.not_held().is_empty(), "{:?}", snapshot.not_held());
        json!(snapshot.to_json(Layout::AsRead))
    }

    fn apply(&mut self, step: &Value) -> Value {
        let tree = &self.tree;
        match text(&step["op"]) {
            "append" => {
                let given = message(&step["message"]);
                let answer = tree.append_message(given.clone(), at(step));
                if let Ok(id) = &answer {
                    assert_eq!(tree.node(id).unwrap().unwrap().message, given);
                }
                said(answer, |id| json!(id.as_str()))
            }
            "rewind" => said(tree.rewind(text(&step["node"]), at(step)), |name| {
                json!(name)
            }),
            "branch" => said(
                tree.branch(text(&step["from"]), step["name"].as_str(), at(step)),
                |name| json!(name),
            ),
            "switch" => said(tree.switch_branch(text(&step["name"])), |()| Value::Null),
            "summarize" => said(
                tree.summarize_branch(
                    text(&step["branch"]),
                    text(&step["summary"]),
                    step["model"].as_str(),
                    at(step),
                ),
                |()| Value::Null,
            ),
            "summarize_with" => {
                let summarizer = Summarizer {
                    reply: step["reply"].as_str(),
                    model: text(&step["model"]),
                    seen: RefCell::default(),
                };
                let answer =
                    tree.summarize_branch_with(text(&step["branch"]), &summarizer, at(step));
                said(answer, |_| json!(summarizer.seen.into_inner()))
            }
            "label" => said(tree.label(text(&step["node"]), text(&step["text"])), |()| {
                Value::Null
            }),
            "clear_label" => said(tree.clear_label(text(&step["node"])), |()| Value::Null),
            "read" => {
                let mut messages = Messages::default();
                let read = read(&mut messages, tree, text(&step["branch"]));
                messages.with(read)
            }
            "node" => {
                let mut messages = Messages::default();
                let found = said(tree.node(text(&step["node"])), |found| {
                    found.map(|found| node(&mut messages, &found)).into()
                });
                messages.with(found)
            }
            "empty_branch" => said(
                tree.create_branch(None, step["name"].as_str(), at(step)),
                |name| json!(name),
            ),
            "reload" => {
                let saved = text(&step["text"]);
                self.tree = self.store.from_snapshot(saved).unwrap();
                assert_eq!(self.tree.snapshot().unwrap().to_json(Layout::AsRead), saved);
                json!({ "ok": null })
            }
            "refused_name" => {
                let refused = tree.branch(text(&step["from"]), step["name"].as_str(), None);
                let kind = refused.map_err(|error| error.kind());
                match kind {
                    Err(ErrorKind::InvalidArgument) => json!({ "error": "invalid_argument" }),
                    other => json!({ "ok": format!("{other:?}") }),
                }
            }
            "empty_label" => said(tree.label(text(&step["node"]), ""), |()| Value::Null),
            other => panic!("the script has an operation that is not known here: {other}"),
        }
    }
}

struct Summarizer<'a> {
    reply: Option<&'a str>,
    model: &'a str,
    seen: RefCell<Option<String>>,
}

impl BranchSummarizer for Summarizer<'_> {
    fn summarize(&self, branch_text: &str) -> Result<String> {
        self.seen.replace(Some(branch_text.to_owned()));
        let failed = || Error::new(ErrorKind::SummarizerFailed, "no model is there");
        self.reply.map(str::to_owned).ok_or_else(failed)
    }

    fn model_id(&self) -> &str {
        self.model
    }
}

fn message(text: &Value) -> Message {
    Message::new(text.as_str().unwrap()).unwrap()
}

fn at(step: &Value) -> i64 {
    step["at"].as_i64().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}
