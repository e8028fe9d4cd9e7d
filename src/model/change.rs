//! What happened in a session, in order.

use std::fmt;
use std::str::FromStr;

use super::error::Error;
use super::id::NodeId;
use super::node::OutlineNode;

/// A place in the order of what happened in a session: everything before it was seen. As text: `12.34`. The default is the
/// beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Nodes of the session up to this place in the order of writing were seen.
    pub(crate) nodes: u32,
    /// Key of the last operation that was seen.
    pub(crate) operation: i64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.nodes, self.operation)
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Cursor, Error> {
        let numbers = text.split_once('.').and_then(|(nodes, operation)| {
            Some(Cursor {
                nodes: nodes.parse().ok()?,
                operation: operation.parse().ok().filter(|key| *key >= 0)?,
            })
        });
        numbers.ok_or_else(|| {
            Error::invalid(format!(
                "`{text}` is no cursor; give one as it was answered, or none to begin at the beginning"
            ))
        })
    }
}

/// One thing that happened in a session.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Change {
    /// A node was written.
    Node(OutlineNode),
    /// Something else was done.
    Operation(OperationRecord),
}

/// What was done to a session, an append aside.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationRecord {
    /// Its place among all operations of the store.
    pub key: i64,
    /// `create`, `rewind`, `branch`, `switch`, `label`, `rename`, `archive`, `summarize`, `navigate`, `undo`, `redo`, `fork`,
    /// `import`, `adopt`, `release`, ...
    pub verb: String,
    /// Who did it.
    pub actor: String,
    /// Unix time in milliseconds.
    pub at_ms: i64,
    /// The branch that was moved, made, switched to or summarised.
    pub branch: Option<String>,
    /// The leaf before.
    pub from: Option<NodeId>,
    /// The leaf after, or the node that was labelled.
    pub to: Option<NodeId>,
    /// JSON object of what the verb needs besides.
    pub detail: String,
}

/// A page of what happened.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Changes {
    /// In order.
    pub changes: Vec<Change>,
    /// The place after the last of them, where the next page begins.
    pub cursor: Cursor,
    /// Whether there is more already.
    pub more: bool,
}

impl Changes {
    /// The operations among them.
    pub fn operations(&self) -> impl Iterator<Item = &OperationRecord> {
        self.changes.iter().filter_map(|change| match change {
            Change::Operation(operation) => Some(operation),
            Change::Node(_) => None,
        })
    }

    /// The nodes among them.
    pub fn nodes(&self) -> impl Iterator<Item = &OutlineNode> {
        self.changes.iter().filter_map(|change| match change {
            Change::Node(node) => Some(node),
            Change::Operation(_) => None,
        })
    }
}
