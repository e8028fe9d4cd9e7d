//! One conversation tree.

mod changes;
mod context;
mod marks;
mod moves;
mod paths;
mod summaries;

use std::fmt;
use std::sync::{Arc, Mutex};

use crate::db::key_by_id;
use crate::model::{Branch, NodeId, OutlineNode, Result, SessionId, SessionInfo, TreeNode};
use crate::ops::{Ctx, Permit, Tip, nearest_time};
use crate::read::{self, AllNodes, TreeWalk};
use crate::store::Store;

pub use paths::BranchDiff;
pub use summaries::Splice;

/// A handle on one conversation tree. Cheap to clone; `Send`, `Sync` and `'static`.
///
/// Every call is atomic, and durable when it returns. Times (`at`) are Unix time in milliseconds; `None` takes the store's
/// clock. A call that changes something fails with `ReadOnly` on a store opened for reading, with `Busy` when another process
/// keeps the file locked past the deadline or somebody else is in a turn or navigation, with `SessionNotFound` when the
/// session was deleted, and with `Io`; these are not repeated below.
#[derive(Clone)]
pub struct SessionTree {
    store: Store,
    key: i64,
    id: SessionId,
    /// Where the last append through this handle or a clone of it ended. Another may have moved on since.
    tip: Arc<Mutex<Option<Tip>>>,
}

impl SessionTree {
    pub(crate) fn new(store: Store, key: i64, id: SessionId) -> SessionTree {
        SessionTree {
            store,
            key,
            id,
            tip: Arc::default(),
        }
    }

    /// The session's id in its store.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let same = store.open_session(tree.id())?;
    /// assert_eq!(same.id(), tree.id());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// The store it is in.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert_eq!(tree.store().sessions()?.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn key(&self) -> i64 {
        self.key
    }

    pub(crate) fn ctx(&self, at: Option<i64>) -> Ctx<'_> {
        self.ctx_with(at, Permit::Free)
    }

    pub(crate) fn ctx_with(&self, at: Option<i64>, permit: Permit) -> Ctx<'_> {
        Ctx {
            session_key: self.key,
            actor: self.store.actor(),
            at_ms: at.unwrap_or_else(|| nearest_time(self.store.inner.clock.now_ms())),
            boot_ms: self.store.inner.clock.boot_ms(),
            permit,
        }
    }

    // What is in it -------------------------------------------------------------------------------------------------------

    /// What a list of sessions shows of it.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let info = tree.info()?;
    /// assert_eq!((info.messages, info.active_branch.as_str()), (2, "main"));
    /// assert_eq!(info.leaf.as_deref(), Some("n1"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `SessionNotFound`, `Io`.
    pub fn info(&self) -> Result<SessionInfo> {
        self.store
            .inner
            .db
            .read(|tx| read::session_info(tx, self.key))
    }

    /// One node with its payload; `None` if the session has no node of this id.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let tree = Store::builder().open_in_memory()?.create_session()?;
    /// let id = tree.append_message(Message::user("hi"), 1_700_000_000_000)?;
    /// let node = tree.node(&id)?.expect("it was just appended");
    /// assert_eq!((node.parent, node.children.len(), node.created_at_ms), (None, 0, 1_700_000_000_000));
    /// assert!(tree.node("n7")?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Io`, `Damaged`.
    pub fn node(&self, id: &str) -> Result<Option<TreeNode>> {
        self.store.inner.db.read(|tx| read::node(tx, self.key, id))
    }

    /// Nodes without their payloads in the order of writing: at most `limit`, from place `from` (0 = the first) on.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let page = tree.outline(0, 100)?;
    /// assert_eq!(page[1].parent.as_deref(), Some("n0"));
    /// assert_eq!(page[1].preview, "a");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Io`, `Damaged`.
    pub fn outline(&self, from: u32, limit: u32) -> Result<Vec<OutlineNode>> {
        self.store
            .inner
            .db
            .read(|tx| read::outline(tx, self.key, from, limit))
    }

    /// All nodes with their payloads, in the order of writing, read page by page as they are taken.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear((0..3000).map(|i| Message::user(&i.to_string())), None)?;
    /// let texts: Vec<String> = tree.nodes().map(|node| Ok(node?.preview)).collect::<session_tree::Result<_>>()?;
    /// assert_eq!((texts.len(), texts[2999].as_str()), (3000, "2999"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn nodes(&self) -> AllNodes {
        AllNodes::new(Arc::clone(&self.store.inner.db), self.key)
    }

    /// The id of the node that `text` names: its id, else a unique prefix of it. For what people type.
    ///
    /// # Errors
    /// `NodeNotFound`; `AmbiguousId` where several fit; `Io`.
    pub fn find_node(&self, text: &str) -> Result<NodeId> {
        self.store
            .inner
            .db
            .read(|tx| read::find_node(tx, self.key, text))
    }

    /// The whole tree, depth first: parents before children, siblings in the order of writing. It is read page by page, and
    /// memory grows neither with the length of a chain nor with the number of forks along it.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let tree = Store::builder().open_in_memory()?.create_session()?;
    /// for text in ["q", "a"] {
    ///     tree.append_message(Message::user(text), None)?;
    /// }
    /// tree.rewind("n0", None)?;
    /// tree.append_message(Message::user("b"), None)?;
    /// let steps = tree.walk()?.collect::<session_tree::Result<Vec<_>>>()?;
    /// let levels: Vec<(&str, usize)> = steps.iter().map(|step| (step.node.preview.as_str(), step.level)).collect();
    /// assert_eq!(levels, [("q", 0), ("a", 1), ("b", 0)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Io`. While it goes: `Damaged`, at the end too, where nodes hang on no root; `Busy` where the tree was changed by an
    /// import meanwhile so that the two cannot be told apart.
    pub fn walk(&self) -> Result<TreeWalk> {
        TreeWalk::new(Arc::clone(&self.store.inner.db), self.key)
    }

    /// A part of the tree, as [`walk`](SessionTree::walk) goes through all of it. It costs the nodes that are taken.
    ///
    /// # Errors
    /// `NodeNotFound`; `InvalidArgument` where what it is to go on after is not of the part; `Damaged`; `Io`.
    #[cfg(feature = "rpc")]
    pub(crate) fn walk_part(&self, part: read::Part<'_>) -> Result<TreeWalk> {
        TreeWalk::of_part(Arc::clone(&self.store.inner.db), self.key, part)
    }

    /// The nodes of these places in the order of writing, both ends included, with their payloads.
    #[cfg(feature = "rpc")]
    pub(crate) fn nodes_between(&self, first: u32, last: u32) -> AllNodes {
        AllNodes::between(Arc::clone(&self.store.inner.db), self.key, first, last)
    }

    /// Children of a node in the order of creation.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// tree.append_message(Message::assistant("another answer"), None)?;
    /// assert_eq!(tree.children("n0")?, ["n1", "n2"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `NodeNotFound`, `Io`.
    pub fn children(&self, id: &str) -> Result<Vec<NodeId>> {
        self.store
            .inner
            .db
            .read(|tx| read::children(tx, self.key, id))
    }

    /// Nodes without a parent, in the order of writing.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert_eq!(tree.roots()?, ["n0"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Io`.
    pub fn roots(&self) -> Result<Vec<NodeId>> {
        self.store.inner.db.read(|tx| read::roots(tx, self.key))
    }

    /// Nodes without children, in the order of writing.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// tree.append_message(Message::assistant("another answer"), None)?;
    /// assert_eq!(tree.leaves()?, ["n1", "n2"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Io`.
    pub fn leaves(&self) -> Result<Vec<NodeId>> {
        self.store.inner.db.read(|tx| read::leaves(tx, self.key))
    }

    /// A node and all its descendants, in the order of writing.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// tree.append_message(Message::assistant("another answer"), None)?;
    /// assert_eq!(tree.subtree("n0")?, ["n0", "n1", "n2"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `NodeNotFound`, `Io`.
    pub fn subtree(&self, id: &str) -> Result<Vec<NodeId>> {
        self.store
            .inner
            .db
            .read(|tx| read::subtree(tx, self.key, id))
    }

    /// The deepest node that is on the paths of both; a node counts as its own ancestor. `None` where they share no root.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// tree.append_message(Message::assistant("another answer"), None)?;
    /// assert_eq!(tree.common_ancestor("n1", "n2")?.as_deref(), Some("n0"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `NodeNotFound`; `Damaged`; `Io`.
    pub fn common_ancestor(&self, one: &str, other: &str) -> Result<Option<NodeId>> {
        self.store
            .inner
            .db
            .read(|tx| read::common_ancestor(tx, self.key, one, other))
    }

    // Branches ------------------------------------------------------------------------------------------------------------

    /// All branches in name order, archived ones included.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// let names: Vec<String> = tree.branches()?.into_iter().map(|branch| branch.name).collect();
    /// assert_eq!(names, ["main", "main-rewound"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Io`.
    pub fn branches(&self) -> Result<Vec<Branch>> {
        self.store.inner.db.read(|tx| read::branches(tx, self.key))
    }

    /// The name of the branch the session is on.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert_eq!(tree.active_branch()?, "main");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Damaged` where there is none; `Io`.
    pub fn active_branch(&self) -> Result<String> {
        Ok(self.info()?.active_branch)
    }

    /// Whether there is more than one branch, archived ones included.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert!(!tree.has_branches()?);
    /// tree.rewind("n0", None)?;
    /// assert!(tree.has_branches()?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Io`.
    pub fn has_branches(&self) -> Result<bool> {
        self.store
            .inner
            .db
            .read(|tx| read::has_branches(tx, self.key))
    }

    /// Whether a node of this id is there.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert!(tree.contains("n1")? && !tree.contains("n2")?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Io`.
    pub fn contains(&self, node_id: &str) -> Result<bool> {
        Ok(self
            .store
            .inner
            .db
            .read(|tx| key_by_id(tx, self.key, node_id))?
            .is_some())
    }
}

impl fmt::Debug for SessionTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SessionTree").field(&self.id).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Error;
    use crate::read::{PathNodes, Projection};

    fn shared_everywhere<T: Send + Sync + 'static>() {}

    #[test]
    fn handles_are_send_sync_and_static() {
        shared_everywhere::<Store>();
        shared_everywhere::<SessionTree>();
        shared_everywhere::<Error>();
        shared_everywhere::<Projection>();
        shared_everywhere::<PathNodes>();
    }
}
