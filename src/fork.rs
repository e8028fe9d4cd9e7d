//! Forks: a path as a session of its own.

use crate::model::json::Json;
use crate::model::{Error, ErrorKind, MESSAGE, Message, NodeId, Result, content_text};
use crate::ops;
use crate::tree::SessionTree;

/// Where a conversation is forked to go on from an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForkPoint {
    /// The last node that the fork has; `None` where it begins before the first.
    pub at: Option<NodeId>,
    /// From a user's message: its text, to be edited and sent anew. From an answer: empty.
    pub text: String,
}

/// An entry that a person can fork from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForkCandidate {
    /// The entry.
    pub node: NodeId,
    /// `user` or `assistant`.
    pub role: String,
    /// What it says. An answer without words has `(assistant response)`.
    pub text: String,
}

impl SessionTree {
    /// Copies the path from the root to a node into a new session: every node with its id, parent, kind, time and bytes, the
    /// labels of these nodes, and the session's name. Its one branch is `main`. Without a node the new session is empty. Ids
    /// are kept, so whatever refers to a node of the path, as compactions do, still does. (A compaction of the oldest files, that
    /// names what it keeps by a line of its file, gets the id beside it.)
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("which?"), Message::assistant("both")], None)?;
    /// tree.label("n0", "start")?;
    /// let fork = tree.fork(Some("n0"))?;
    /// assert_eq!(fork.active_path()?, ["n0"]);
    /// assert_eq!(fork.node("n0")?.and_then(|node| node.label).as_deref(), Some("start"));
    /// assert_eq!(fork.append_message(Message::assistant("neither"), None)?, "n2");
    /// assert_eq!(fork.info()?.origin_session.as_ref(), Some(tree.id()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Busy` in the middle of a turn or navigation; `NodeNotFound`; `Damaged`.
    pub fn fork(&self, at: Option<&str>) -> Result<SessionTree> {
        let ctx = self.ctx(None);
        let (key, id) = self.store().inner.db.write(|tx| ops::fork(tx, &ctx, at))?;
        Ok(SessionTree::new(self.store().clone(), key, id))
    }

    /// Forks at the active branch's leaf.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let copy = tree.clone_session()?;
    /// assert_eq!(copy.linear_projection()?, tree.linear_projection()?);
    /// assert_ne!(copy.id(), tree.id());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `EmptyBranch` where there is none, and as [`fork`](SessionTree::fork).
    pub fn clone_session(&self) -> Result<SessionTree> {
        let leaf = self.info()?.leaf.ok_or_else(|| {
            Error::new(
                ErrorKind::EmptyBranch,
                "Cannot clone session: no current entry selected",
            )
        })?;
        self.fork(Some(&leaf))
    }

    /// Where to fork so that the conversation goes on from an entry: before a user's message, to say it differently, or after
    /// an answer that is complete.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let point = tree.fork_point("n0")?;
    /// assert_eq!((point.at, point.text.as_str()), (None, "q"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for an entry that is not there or is no message of a user or assistant, and for an answer that was
    /// interrupted or still waits for its tools.
    pub fn fork_point(&self, entry: &str) -> Result<ForkPoint> {
        let refuse = |text: &str| Error::new(ErrorKind::InvalidArgument, text).with_node(entry);
        let invalid = || refuse("Invalid entry ID for forking");
        let node = self.node(entry)?.ok_or_else(invalid)?;
        if node.kind != MESSAGE {
            return Err(invalid());
        }
        match text_of(&node.message, "role").as_deref() {
            Some("user") => Ok(ForkPoint {
                at: node.parent,
                text: content_text(node.message.json()),
            }),
            Some("assistant") if is_complete(&node.message) => Ok(ForkPoint {
                at: Some(node.id),
                text: String::new(),
            }),
            Some("assistant") => Err(refuse(
                "Cannot fork at this assistant turn: it was interrupted or is still waiting on tool results",
            )),
            _ => Err(invalid()),
        }
    }

    /// All entries a person can fork from, on all branches, in the order of their file or else of writing.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let nodes: Vec<String> = tree.fork_candidates()?.into_iter().map(|entry| entry.node.to_string()).collect();
    /// assert_eq!(nodes, ["n0", "n1"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Damaged`, `Io`.
    pub fn fork_candidates(&self) -> Result<Vec<ForkCandidate>> {
        let mut found = Vec::new();
        for node in self.nodes() {
            let node = node?;
            if node.kind != MESSAGE {
                continue;
            }
            let text = content_text(node.message.json());
            let text = match node.role.as_deref() {
                Some("user") if !text.is_empty() => text,
                Some("assistant") if !is_complete(&node.message) => continue,
                Some("assistant") if text.is_empty() => String::from("(assistant response)"),
                Some("assistant") => text,
                _ => continue,
            };
            let place = (node.source_line.unwrap_or(u64::MAX), node.seq);
            let candidate = ForkCandidate {
                node: node.id,
                role: node.role.unwrap_or_default(),
                text,
            };
            found.push((place, candidate));
        }
        found.sort_by_key(|(place, _)| *place);
        Ok(found.into_iter().map(|(_, candidate)| candidate).collect())
    }
}

fn text_of(message: &Message, name: &str) -> Option<String> {
    Some(message.json().get(name)?.as_str()?.into_owned())
}

/// Whether an answer came to its end and asks for no tool.
fn is_complete(message: &Message) -> bool {
    let stopped = text_of(message, "stopReason");
    let calls_in = |name: &str, is_call: fn(Json<'_>) -> bool| {
        let list = message.json().get(name);
        list.is_some_and(|list| list.elements().any(is_call))
    };
    let is_tool_call = |block: Json<'_>| {
        block.get("type").and_then(|kind| kind.as_str()).as_deref() == Some("toolCall")
    };
    !matches!(stopped.as_deref(), Some("error" | "aborted"))
        && !calls_in("content", is_tool_call)
        && !calls_in("tool_calls", |_| true)
}
