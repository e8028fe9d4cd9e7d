//! A whole session as supercode's `.tree.json`.

use std::collections::{BTreeMap, HashMap};

use super::turn;
use crate::model::counted;
use crate::model::json::{Json, push_pretty, push_string, validate};
use crate::{BranchSummary, PathNode, Result, SessionTree};

/// How a snapshot is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// As the text was that the session came from; pretty for a session that came from none.
    #[default]
    AsRead,
    /// Over many lines, two spaces a level.
    Pretty,
    /// Without white space.
    Compact,
}

/// A session as a `.tree.json` holds it. Made by [`SessionTree::snapshot`].
///
/// For a session that came from such a text as its own program writes it, and has not changed, [`to_json`](Snapshot::to_json)
/// is that text, byte for byte.
#[derive(Clone, Debug)]
pub struct Snapshot {
    nodes: BTreeMap<String, Node>,
    root: Option<String>,
    branches: BTreeMap<String, BranchOut>,
    active_branch: String,
    next_id: u64,
    was_compact: bool,
    had_final_newline: bool,
    not_held: Vec<String>,
}

#[derive(Clone, Debug)]
struct Node {
    parent: Option<String>,
    children: Vec<String>,
    /// The message, as JSON.
    message: String,
    label: Option<String>,
    created_at_ms: i64,
}

#[derive(Clone, Debug)]
struct BranchOut {
    leaf: Option<String>,
    summary: Option<BranchSummary>,
    created_at_ms: i64,
}

impl Snapshot {
    /// What of the session the format cannot hold, for people: nodes that are no messages, and the like.
    pub fn not_held(&self) -> &[String] {
        &self.not_held
    }

    /// How many nodes it holds.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The snapshot as JSON text.
    pub fn to_json(&self, layout: Layout) -> String {
        let compact = self.compact();
        let is_compact = match layout {
            Layout::AsRead => self.was_compact,
            Layout::Pretty => false,
            Layout::Compact => true,
        };
        let mut json = match is_compact {
            true => compact,
            false => {
                let mut pretty = String::with_capacity(compact.len() * 2);
                push_pretty(&mut pretty, &compact, 0);
                pretty
            }
        };
        if layout == Layout::AsRead && self.had_final_newline {
            json.push('\n');
        }
        json
    }

    fn compact(&self) -> String {
        let mut json = String::from("{\"nodes\":{");
        for (number, (id, node)) in self.nodes.iter().enumerate() {
            if number > 0 {
                json.push(',');
            }
            push_string(&mut json, id);
            json.push_str(":{\"id\":");
            push_string(&mut json, id);
            json.push_str(",\"parent\":");
            push_optional(&mut json, node.parent.as_deref());
            json.push_str(",\"children\":[");
            for (number, child) in node.children.iter().enumerate() {
                if number > 0 {
                    json.push(',');
                }
                push_string(&mut json, child);
            }
            json.push_str("],\"message\":");
            json.push_str(&node.message);
            json.push_str(",\"label\":");
            push_optional(&mut json, node.label.as_deref());
            push_number(&mut json, "created_at_ms", node.created_at_ms);
            json.push('}');
        }
        json.push_str("},\"root\":");
        push_optional(&mut json, self.root.as_deref());
        json.push_str(",\"branches\":{");
        for (number, (name, branch)) in self.branches.iter().enumerate() {
            if number > 0 {
                json.push(',');
            }
            push_string(&mut json, name);
            json.push_str(":{\"name\":");
            push_string(&mut json, name);
            json.push_str(",\"leaf\":");
            push_optional(&mut json, branch.leaf.as_deref());
            json.push_str(",\"summary\":");
            match &branch.summary {
                Some(summary) => push_summary(&mut json, summary),
                None => json.push_str("null"),
            }
            push_number(&mut json, "created_at_ms", branch.created_at_ms);
            json.push('}');
        }
        json.push_str("},\"active_branch\":");
        push_string(&mut json, &self.active_branch);
        push_number(&mut json, "next_id", self.next_id);
        json.push('}');
        json
    }
}

fn push_optional(json: &mut String, text: Option<&str>) {
    match text {
        Some(text) => push_string(json, text),
        None => json.push_str("null"),
    }
}

fn push_number(json: &mut String, name: &str, number: impl std::fmt::Display) {
    json.push_str(&format!(",\"{name}\":{number}"));
}

fn push_summary(json: &mut String, summary: &BranchSummary) {
    json.push_str("{\"summary\":");
    push_string(json, &summary.summary);
    json.push_str(",\"node_id\":");
    push_string(json, &summary.node_id);
    json.push_str(",\"branch\":");
    push_string(json, &summary.branch);
    json.push_str(",\"model_id\":");
    push_optional(json, summary.model_id.as_deref());
    push_number(json, "created_at_ms", summary.created_at_ms);
    json.push('}');
}

impl SessionTree {
    /// The session as supercode's `.tree.json`. What that cannot hold is left out and listed: nodes that are no messages of a
    /// role it knows go, and their children hang under the nearest ancestor that stays.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// use session_tree::interchange::Layout;
    /// use session_tree::{Message, Store};
    ///
    /// let store = Store::builder().open_in_memory()?;
    /// let tree = store.from_linear([Message::user("hi"), Message::assistant("hello")], 0)?;
    /// let text = tree.snapshot()?.to_json(Layout::Compact);
    /// let same = store.from_snapshot(&text)?;
    /// assert_eq!(same.active_path()?, tree.active_path()?);
    /// assert_eq!(same.snapshot()?.to_json(Layout::AsRead), text);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Damaged`, `Io`.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let info = self.info()?;
        let origin = Origin::of(&info.meta);
        let mut taker = Taker::default();
        for node in self.nodes() {
            taker.node(&node?);
        }
        taker.link();
        taker.labels(self)?;
        let newest_root = self.newest_root()?.map(|id| id.to_string());
        let root = match newest_root.filter(|id| taker.nodes.contains_key(id)) {
            Some(root) => Some(root),
            None if origin.is_tree_json => origin.root,
            None => taker.last_root.clone(),
        };
        let next_id = match self.next_id()? {
            Some(next_id) => next_id,
            None => taker.next_id,
        };
        let mut branches = BTreeMap::new();
        for branch in self.branches()? {
            let leaf = branch.leaf.as_ref().map(|leaf| leaf.to_string());
            let is_added = origin
                .added
                .get(&branch.name)
                .is_some_and(|added| Some(added) == leaf.as_ref());
            if is_added && !branch.is_active && branch.summary.is_none() {
                continue;
            }
            if branch.is_archived {
                taker
                    .not_held
                    .push(format!("that the branch `{}` is archived", branch.name));
            }
            let out = BranchOut {
                leaf: leaf.and_then(|leaf| taker.nearest(Some(leaf))),
                summary: branch.summary,
                created_at_ms: branch.created_at_ms,
            };
            branches.insert(branch.name, out);
        }
        Ok(Snapshot {
            nodes: taker.nodes,
            root,
            branches,
            active_branch: info.active_branch,
            next_id,
            was_compact: origin.was_compact,
            had_final_newline: origin.had_final_newline,
            not_held: taker.not_held,
        })
    }
}

/// What the session remembers of the text it came from.
#[derive(Debug, Default)]
struct Origin {
    is_tree_json: bool,
    root: Option<String>,
    was_compact: bool,
    had_final_newline: bool,
    /// Branches that the import added, and where they ended.
    added: HashMap<String, String>,
}

impl Origin {
    fn of(meta: &str) -> Origin {
        let known = match validate(meta) {
            Ok(()) => Json::new(meta).get("treeJson"),
            Err(_) => None,
        };
        let Some(known) = known else {
            return Origin::default();
        };
        let text = |value: Option<Json<'_>>| Some(value?.as_str()?.into_owned());
        let [layout, root, newline, added] =
            known.fields(["layout", "root", "finalNewline", "addedBranches"]);
        let added = added.into_iter().flat_map(Json::members);
        Origin {
            is_tree_json: true,
            root: text(root),
            was_compact: text(layout).as_deref() == Some("compact"),
            had_final_newline: newline.and_then(Json::as_bool).unwrap_or_default(),
            added: added
                .filter_map(|(name, leaf)| Some((name.into_owned(), text(Some(leaf))?)))
                .collect(),
        }
    }
}

#[derive(Default)]
struct Taker {
    nodes: BTreeMap<String, Node>,
    /// The nodes that stay, in the order of writing.
    order: Vec<String>,
    /// The nodes that go, and their parents.
    skipped: HashMap<String, Option<String>>,
    last_root: Option<String>,
    next_id: u64,
    not_held: Vec<String>,
}

impl Taker {
    fn node(&mut self, node: &PathNode) {
        let id = node.id.to_string();
        if let Some(number) = counted(&id) {
            self.next_id = self.next_id.max(number.saturating_add(1));
        }
        let made = match node.kind.as_str() {
            "message" => turn::make(Json::new(node.message.as_str()), node.created_at_ms),
            kind => Err(format!("an entry of kind `{kind}`")),
        };
        let parent = node.parent.as_ref().map(|parent| parent.to_string());
        let made = match made {
            Ok(made) => made,
            Err(why) => {
                self.not_held.push(format!("the node `{id}`: {why}"));
                self.skipped.insert(id, parent);
                return;
            }
        };
        for part in made.dropped {
            self.not_held
                .push(format!("`{part}` in the message of the node `{id}`"));
        }
        // A parent that was never written is kept as the file had it.
        let parent = parent.or_else(|| node.missing_parent.clone());
        self.order.push(id.clone());
        self.nodes.insert(
            id,
            Node {
                parent,
                children: Vec::new(),
                message: made.json,
                label: None,
                created_at_ms: node.created_at_ms,
            },
        );
    }

    /// The node, if it stays, else the nearest of its ancestors that does.
    fn nearest(&self, id: Option<String>) -> Option<String> {
        let mut at = id;
        let mut steps = 0;
        while let Some(above) = at.as_ref().and_then(|id| self.skipped.get(id)) {
            at = above.clone();
            steps += 1;
            if steps > self.skipped.len() {
                return None;
            }
        }
        at
    }

    fn link(&mut self) {
        for id in std::mem::take(&mut self.order) {
            let parent = self.nodes.get(&id).and_then(|node| node.parent.clone());
            let parent = self.nearest(parent);
            if let Some(node) = self.nodes.get_mut(&id) {
                node.parent.clone_from(&parent);
            }
            match parent {
                Some(parent) => {
                    if let Some(parent) = self.nodes.get_mut(&parent) {
                        parent.children.push(id);
                    }
                }
                None => self.last_root = Some(id),
            }
        }
    }

    fn labels(&mut self, tree: &SessionTree) -> Result<()> {
        for (id, label) in tree.labels()? {
            match self.nodes.get_mut(&id) {
                Some(node) => node.label = label,
                None if label.is_some() => {
                    self.not_held.push(format!("the label of the node `{id}`"));
                }
                None => {}
            }
        }
        Ok(())
    }
}
