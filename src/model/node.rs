//! Nodes as they go in and come out.

use super::id::NodeId;
use super::message::Message;

/// The kind of a node that holds one message of the conversation. Only these are in a projection.
pub const MESSAGE: &str = "message";

/// A node to be appended.
///
/// ```
/// use session_tree::{Message, NewNode};
/// let node = NewNode::message(Message::user("hello")).id("turn-1").on_branch("main").expecting_leaf(None);
/// ```
#[derive(Clone, Debug)]
pub struct NewNode {
    pub(crate) kind: String,
    pub(crate) payload: Message,
    pub(crate) id: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) expecting: Expecting,
    pub(crate) created_at_ms: Option<i64>,
}

/// What the caller believes to be the branch's leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expecting {
    /// Whatever it is.
    Any,
    /// The branch is empty.
    Empty,
    /// This node.
    Leaf(String),
}

impl NewNode {
    /// A node of kind `message`.
    pub fn message(message: Message) -> NewNode {
        NewNode::of_kind(MESSAGE, message)
    }

    /// A node of any kind. Readers take the payload's fields by name: a `compaction` has `summary`, `firstKeptEntryId` and
    /// `tokensBefore`, a `label` has `targetId` and `label`, a `session_info` has `name`, and so on.
    pub fn of_kind(kind: impl Into<String>, payload: Message) -> NewNode {
        NewNode {
            kind: kind.into(),
            payload,
            id: None,
            branch: None,
            expecting: Expecting::Any,
            created_at_ms: None,
        }
    }

    /// Gives the id. Appending the same node under the same id again is then a success without effect.
    pub fn id(mut self, id: impl Into<String>) -> NewNode {
        self.id = Some(id.into());
        self
    }

    /// Appends to this branch instead of the active one, without switching.
    pub fn on_branch(mut self, branch: impl Into<String>) -> NewNode {
        self.branch = Some(branch.into());
        self
    }

    /// Appends only if the branch's leaf is this node (`None`: if the branch is empty); else the call fails with `LeafMoved`.
    pub fn expecting_leaf(mut self, leaf: Option<&str>) -> NewNode {
        self.expecting = leaf.map_or(Expecting::Empty, |leaf| Expecting::Leaf(leaf.to_owned()));
        self
    }

    /// Sets the time of creation, Unix time in milliseconds, instead of taking it from the store's clock.
    pub fn at(mut self, created_at_ms: i64) -> NewNode {
        self.created_at_ms = Some(created_at_ms);
        self
    }
}

/// One node of a tree, with its payload.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TreeNode {
    /// Its id in the session.
    pub id: NodeId,
    /// Its parent; `None` for a root.
    pub parent: Option<NodeId>,
    /// For a root: the parent id that was declared but never written.
    pub missing_parent: Option<String>,
    /// Its children in the order of creation.
    pub children: Vec<NodeId>,
    /// `message`, `compaction`, `label`, ... or any other text.
    pub kind: String,
    /// What it holds, byte for byte as it was given. For kind `message` this is the message.
    pub message: Message,
    /// The label that is set on it.
    pub label: Option<String>,
    /// Unix time in milliseconds.
    pub created_at_ms: i64,
}

/// One node without its payload: what lists and drawings need.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct OutlineNode {
    /// Its id in the session.
    pub id: NodeId,
    /// Its parent; `None` for a root.
    pub parent: Option<NodeId>,
    /// For a root: the parent id that was declared but never written (`""` where the empty text was declared).
    pub missing_parent: Option<String>,
    /// `message`, `compaction`, `label`, ... or any other text.
    pub kind: String,
    /// Of a message: `user`, `assistant`, ...
    pub role: Option<String>,
    /// One line of text for people, at most 200 UTF-16 units.
    pub preview: String,
    /// The label that is set on it.
    pub label: Option<String>,
    /// Unix time in milliseconds.
    pub created_at_ms: i64,
    /// The timestamp as text: the source's own for an imported node, else ISO 8601 in UTC.
    pub timestamp: String,
    /// Import: its line in the source, from 1.
    pub source_line: Option<u64>,
    /// Its place in the order of writing, from 0.
    pub seq: u32,
    /// Its parent's place in the order of writing; `None` for a root.
    pub parent_seq: Option<u32>,
}
