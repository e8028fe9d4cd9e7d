//! Nodes as the entries of a session file: what pi's commands hand out.

use super::convert::UNTYPED;
use super::write::Raw;
use crate::model::json::{Json, push_string};
use crate::model::{MESSAGE, OutlineNode, Result};
use crate::read::PathNode;
use crate::tree::SessionTree;

/// Nodes of a session as entries, in the order of writing, each with its place in the order of the file.
pub(super) struct Entries {
    pub entries: Vec<Entry>,
}

pub(super) struct Entry {
    pub id: String,
    pub json: Raw,
    /// Imported lines by their number, then what was made here by its place in the order of writing.
    pub place: (bool, u64),
}

impl Entries {
    pub fn read(tree: &SessionTree) -> Result<Entries> {
        Entries::of(tree, tree.nodes())
    }

    /// Those of these nodes, which stand in the order of writing.
    pub fn read_of(tree: &SessionTree, nodes: &[OutlineNode]) -> Result<Entries> {
        let unbroken = nodes.chunk_by(|one, next| one.seq.checked_add(1) == Some(next.seq));
        let ends = unbroken.filter_map(|run| Some((run.first()?.seq, run.last()?.seq)));
        Entries::of(
            tree,
            ends.flat_map(|(first, last)| tree.nodes_between(first, last)),
        )
    }

    fn of(tree: &SessionTree, nodes: impl Iterator<Item = Result<PathNode>>) -> Result<Entries> {
        let mut entries = Vec::new();
        for node in nodes {
            let node = node?;
            let place = match node.source_line {
                Some(line) => (false, line),
                None => (true, u64::from(node.seq)),
            };
            entries.push(Entry {
                id: node.id.to_string(),
                json: Raw::new(&entry(tree, &node)?),
                place,
            });
        }
        Ok(Entries { entries })
    }

    pub fn in_file_order(mut self) -> Vec<Entry> {
        self.entries.sort_by_key(|entry| entry.place);
        self.entries
    }
}

/// The entry in the form of version 3: a line of an older version gets what it lacks, and new names for old.
fn entry(tree: &SessionTree, node: &PathNode) -> Result<String> {
    let line = node.line();
    let source = Json::new(&line);
    if !is_line(node, source) {
        return Ok(made_here(node));
    }
    let [id, message, kept] = source.fields(["id", "message", "firstKeptEntryIndex"]);
    let role = message.and_then(|message| message.get("role"));
    let is_same_id = id.and_then(Json::as_str).as_deref() == Some(node.id.as_str());
    let is_hook = role.and_then(Json::as_str).as_deref() == Some("hookMessage");
    if is_same_id && !is_hook && kept.is_none() {
        return Ok(line);
    }
    let mut object = Object::new();
    for (name, value) in source.members() {
        match &*name {
            "id" if !is_same_id => {}
            "parentId" if id.is_none() => {}
            "firstKeptEntryIndex" => {}
            "message" if is_hook => object.member(&name, &with_role(value, "custom")),
            _ => object.member(&name, value.text()),
        }
    }
    if let Some(index) = kept.and_then(Json::as_u64)
        && let Some((kept, line)) = tree.node_of_record(index)?
        // The original looks it up before later entries have ids.
        && Some(line) < node.source_line
    {
        object.text("firstKeptEntryId", &kept);
    }
    if !is_same_id {
        object.text("id", &node.id);
    }
    if id.is_none() {
        object.text_or_null("parentId", node.parent.as_deref());
    }
    Ok(object.close())
}

/// Whether a node still has the line of a file it came from, itself or by way of a fork: then it says its type and id. A line
/// of version 1 has no id, and is known by its number.
fn is_line(node: &PathNode, line: Json<'_>) -> bool {
    let [kind, id] = line.fields(["type", "id"]);
    let is_numbered = node.source_line.is_some();
    match kind.and_then(Json::as_str).as_deref() {
        Some(kind) => kind == node.kind && (is_numbered || id.is_some_and(Json::is_string)),
        None => is_numbered && node.kind == UNTYPED,
    }
}

fn made_here(node: &PathNode) -> String {
    let mut object = Object::new();
    object.text("type", &node.kind);
    object.text("id", &node.id);
    object.text_or_null(
        "parentId",
        node.parent.as_deref().or(node.missing_parent.as_deref()),
    );
    object.text("timestamp", &node.timestamp);
    let payload = node.message.json();
    if node.kind == MESSAGE {
        object.member("message", payload.text());
    } else {
        let common = ["type", "id", "parentId", "timestamp"];
        for (name, value) in payload.members() {
            if !common.contains(&&*name) {
                object.member(&name, value.text());
            }
        }
    }
    object.close()
}

fn with_role(message: Json<'_>, role: &str) -> String {
    let mut object = Object::new();
    for (name, value) in message.members() {
        match &*name {
            "role" => object.text(&name, role),
            _ => object.member(&name, value.text()),
        }
    }
    object.close()
}

/// A JSON object being written.
struct Object(String);

impl Object {
    fn new() -> Object {
        Object(String::from("{"))
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_string(&mut self.0, name);
        self.0.push(':');
    }

    fn member(&mut self, name: &str, json: &str) {
        self.name(name);
        self.0.push_str(json);
    }

    fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        push_string(&mut self.0, text);
    }

    fn text_or_null(&mut self, name: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text(name, text),
            None => self.member(name, "null"),
        }
    }

    fn close(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
