//! The store gives the answers that supercode's tree gives: the same random operations, done by both.
//!
//! The peer is a program of its own (tests/oracle), since its SQLite cannot be linked into this one. It writes down what it
//! did and what came of it; here the same is done again. `tests/oracle/run` does both.
//!
//! Not compared, since they are meant to differ:
//! - Branch names that are empty or have control characters are refused here (`refused_name`).
//! - An empty label clears here, as with pi; the peer keeps it (`empty_label`).
//! - A summariser is not asked about a branch without a leaf here; the error is the same.
//! - `from_linear` gives `main` the time of its nodes here; with the peer it has none.
//! - Messages are kept byte for byte here; the peer keeps their values. `supercode_turn` and `ts` belong to its files.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead as _, BufReader};

use serde_json::{Value, json};
use session_tree::{
    BranchSummarizer, BranchSummary, ChatMessage, Clock, Error, ErrorKind, Message, NodeId, Result,
    SessionTree, Store, TreeNode,
};

const SCRIPT: &str = "ST_PEER_SCRIPT";

#[test]
fn the_same_operations_give_the_same_answers() {
    let Some(script) = std::env::var_os(SCRIPT) else {
        println!("skipped: the peer's answers are not here, run tests/oracle/run");
        return;
    };
    let store = Store::builder().clock(AtZero).open_in_memory().unwrap();
    let mut seen = Seen::default();
    let mut sequence = None;
    for line in BufReader::new(File::open(script).unwrap()).lines() {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if line["start"].is_object() {
            sequence = Some(Sequence::start(&store, &line));
            seen.sequences += 1;
        } else {
            sequence.as_mut().unwrap().step(&line, &mut seen);
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
                self.tree = self.store.from_snapshot(text(&step["text"])).unwrap();
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

// What the store says, in the shape in which the oracle writes down what the peer says ------------------------------------

fn said<T>(result: Result<T>, ok: impl FnOnce(T) -> Value) -> Value {
    match result {
        Ok(value) => json!({ "ok": ok(value) }),
        Err(error) => json!({ "error": error.to_string() }),
    }
}

fn place(tree: &SessionTree) -> Value {
    let branches = tree.branches().unwrap();
    let leaves: Vec<Value> = branches
        .iter()
        .map(|branch| json!([branch.name, branch.leaf.as_deref()]))
        .collect();
    json!({
        "active": tree.active_branch().unwrap(),
        "path": said(tree.active_path(), ids),
        "leaves": leaves,
        "has_branches": tree.has_branches().unwrap(),
    })
}

fn state(tree: &SessionTree) -> Value {
    let mut messages = Messages::default();
    let nodes: Vec<Value> = tree
        .nodes()
        .map(|listed| tree.node(&listed.unwrap().id).unwrap().unwrap())
        .map(|found| node(&mut messages, &found))
        .collect();
    let branches: Vec<Value> = tree
        .branches()
        .unwrap()
        .iter()
        .map(|branch| {
            json!({
                "name": branch.name,
                "leaf": branch.leaf.as_deref(),
                "created_at_ms": branch.created_at_ms,
                "summary": branch.summary.as_ref().map(summary),
                "read": read(&mut messages, tree, &branch.name),
            })
        })
        .collect();
    let projection = said(tree.linear_projection(), |it| messages.places(&it));
    let splice = said(tree.splice_for_linear_export(), |splice| {
        json!({
            "messages": messages.places(&splice.messages),
            "summaries": splice.summaries.iter().map(summary).collect::<Vec<_>>(),
        })
    });
    messages.with(json!({
        "active": tree.active_branch().unwrap(),
        "has_branches": tree.has_branches().unwrap(),
        "projection": projection,
        "path": said(tree.active_path(), ids),
        "branches": branches,
        "nodes": nodes,
        "roots": ids(tree.roots().unwrap()),
        "splice": splice,
    }))
}

fn read(messages: &mut Messages, tree: &SessionTree, branch: &str) -> Value {
    json!({
        "projection": said(tree.linear_projection_of(branch), |it| messages.places(&it)),
        "path": said(tree.path_of(branch), ids),
        "text": said(tree.render_branch_text(branch), |text| json!(text)),
    })
}

fn node(messages: &mut Messages, node: &TreeNode) -> Value {
    json!({
        "id": node.id.as_str(),
        "parent": node.parent.as_deref(),
        "children": ids(node.children.clone()),
        "message": messages.place(&node.message),
        "label": node.label,
        "created_at_ms": node.created_at_ms,
    })
}

fn summary(summary: &BranchSummary) -> Value {
    json!({
        "summary": summary.summary,
        "node_id": summary.node_id,
        "branch": summary.branch,
        "model_id": summary.model_id,
        "created_at_ms": summary.created_at_ms,
    })
}

fn ids(ids: Vec<NodeId>) -> Value {
    ids.iter().map(|id| id.as_str()).collect()
}

/// Each message's value once, in the order in which they come; the answers name them by their places.
#[derive(Default)]
struct Messages {
    values: Vec<Value>,
    places: HashMap<Value, usize>,
    texts: HashMap<Message, usize>,
}

impl Messages {
    fn place(&mut self, message: &Message) -> usize {
        if let Some(place) = self.texts.get(message) {
            return *place;
        }
        let value = value(message);
        let next = self.values.len();
        let place = *self.places.entry(value.clone()).or_insert(next);
        if place == next {
            self.values.push(value);
        }
        self.texts.insert(message.clone(), place);
        place
    }

    fn places(&mut self, messages: &[Message]) -> Value {
        messages.iter().map(|message| self.place(message)).collect()
    }

    fn with(self, answer: Value) -> Value {
        json!({ "answer": answer, "messages": self.values })
    }
}

/// A message's value without the members that belong to the peer's files; to the peer `null` is the same as not there. The
/// typed view must say the same.
fn value(message: &Message) -> Value {
    let mut members: serde_json::Map<String, Value> =
        serde_json::from_str(message.as_str()).unwrap();
    members.retain(|name, value| {
        !matches!(name.as_str(), "supercode_turn" | "ts") && !value.is_null()
    });
    let mut of_view = members.clone();
    of_view.retain(|name, value| name != "tool_calls" || value != &json!([]));
    let view: ChatMessage = message.parsed().unwrap();
    assert_eq!(serde_json::to_value(&view).unwrap(), Value::Object(of_view));
    Value::Object(members)
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

/// Names the first place where the two differ: whole trees are too much to read.
fn assert_same(ours: &Value, peers: &Value, about: impl Fn() -> String) {
    if ours == peers {
        return;
    }
    let (mut ours, mut peers, mut path) = (ours, peers, String::new());
    loop {
        let differing = match (ours, peers) {
            (Value::Object(a), Value::Object(b)) if a.len() == b.len() => a
                .iter()
                .find(|(name, value)| b.get(*name) != Some(value))
                .and_then(|(name, value)| Some((format!(".{name}"), value, b.get(name)?))),
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                let differing = a.iter().zip(b).position(|(a, b)| a != b);
                differing.map(|at| (format!("[{at}]"), &a[at], &b[at]))
            }
            _ => None,
        };
        let Some((step, a, b)) = differing else {
            break;
        };
        path.push_str(&step);
        (ours, peers) = (a, b);
    }
    panic!(
        "{}\ndiffers at {path:?}\n the store: {ours}\n  the peer: {peers}",
        about()
    );
}
