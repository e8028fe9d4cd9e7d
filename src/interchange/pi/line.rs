//! Nodes as lines of a session file.

use crate::model::json::{Json, compact, push_string};
use crate::{PathNode, Result, SessionTree};

use super::record;

/// What a payload is replaced by when it is scrubbed.
const TOMBSTONE: &str = r#"{"scrubbed":true}"#;

/// Fields that every entry has; those of a payload beside them are its own.
const COMMON: [&str; 4] = ["type", "id", "parentId", "timestamp"];

/// Whether the node still has its source's line.
fn has_source_line(node: &PathNode) -> bool {
    let payload = node.message.as_str();
    if node.envelope.is_some() {
        return true;
    }
    if payload == TOMBSTONE {
        return false;
    }
    if node.source_line.is_some() {
        return true;
    }
    // A fork copies nodes without the place they had in a file. What was made here has no common fields in it.
    let [kind, id] = Json::new(payload).fields(["type", "id"]);
    node.kind != "message"
        && record::kind_of(kind) == node.kind.as_str()
        && record::text_of(id).is_some()
}

/// The line of a node, as its source had it where it came from one. With `as_it_is` not a byte of that is changed; else the
/// line says by which id and under which parent the node is known here, whatever its source said.
pub(super) fn of_node(tree: &SessionTree, node: &PathNode, as_it_is: bool) -> Result<String> {
    if !has_source_line(node) {
        return Ok(made(node));
    }
    let line = node.line();
    if as_it_is || says_the_same(node, &line) {
        return Ok(line);
    }
    rewritten(tree, node, &line)
}

fn parent_of(node: &PathNode) -> Option<&str> {
    let parent = node.parent.as_deref();
    parent.or(node.missing_parent.as_deref())
}

fn says_the_same(node: &PathNode, line: &str) -> bool {
    let [id, parent, kept] = Json::new(line).fields(["id", "parentId", "firstKeptEntryIndex"]);
    let declared = record::declared_parent(parent);
    id.and_then(Json::as_str).as_deref() == Some(&*node.id)
        && declared.as_deref().unwrap_or_default() == parent_of(node).unwrap_or_default()
        && kept.is_none()
}

/// The source's line with the node's id and parent. A compaction that counts entries names the one it means.
fn rewritten(tree: &SessionTree, node: &PathNode, line: &str) -> Result<String> {
    let mut entry = Entry::start(node);
    for (name, value) in Json::new(line).members() {
        match &*name {
            "type" | "id" | "parentId" => {}
            "firstKeptEntryIndex" => {
                if let Some(index) = value.as_u64()
                    && let Some((kept, line)) = tree.node_of_record(index)?
                    // Such a place names an earlier entry; a later one was not known yet when it was read.
                    && Some(line) < node.source_line
                {
                    entry.text("firstKeptEntryId", &kept);
                }
            }
            name => entry.raw(name, value.text()),
        }
    }
    Ok(entry.end())
}

/// The line of a node that was made here, or whose own line is gone.
fn made(node: &PathNode) -> String {
    let mut entry = Entry::start(node);
    entry.text("timestamp", &node.timestamp);
    let payload = node.message.as_str();
    if node.kind == "message" {
        entry.raw("message", payload);
    } else {
        for (name, value) in Json::new(payload).members() {
            if !COMMON.contains(&&*name) {
                entry.raw(&name, value.text());
            }
        }
    }
    entry.end()
}

/// An entry being written, on one line.
pub(super) struct Entry(String);

impl Entry {
    fn start(node: &PathNode) -> Entry {
        Entry::new(&node.kind, &node.id, parent_of(node))
    }

    pub fn new(kind: &str, id: &str, parent: Option<&str>) -> Entry {
        let mut entry = Entry("{\"type\":".to_owned());
        push_string(&mut entry.0, kind);
        entry.text("id", id);
        match parent {
            Some(parent) => entry.text("parentId", parent),
            None => entry.raw("parentId", "null"),
        }
        entry
    }

    pub fn text(&mut self, name: &str, value: &str) {
        self.name(name);
        push_string(&mut self.0, value);
    }

    /// A member whose value is JSON already; white space between its parts is dropped, and with it line ends.
    pub fn raw(&mut self, name: &str, value: &str) {
        self.name(name);
        self.0.push_str(&compact(value));
    }

    fn name(&mut self, name: &str) {
        self.0.push(',');
        push_string(&mut self.0, name);
        self.0.push(':');
    }

    pub fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
