//! Appending, rewinding, branching, switching.

use std::sync::PoisonError;

use super::SessionTree;
use crate::model::{ErrorKind, Message, NewNode, NodeId, Result};
use crate::ops::{self, BranchSpec};

impl SessionTree {
    /// Appends a message as a child of the active branch's leaf (a root, if the branch is empty) and moves the leaf to it.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let tree = Store::builder().open_in_memory()?.create_session()?;
    /// let first = tree.append_message(Message::user("hi"), None)?;
    /// assert_eq!(first, "n0");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `TooLarge` for a message no row can hold.
    pub fn append_message(&self, message: Message, at: impl Into<Option<i64>>) -> Result<NodeId> {
        let mut node = NewNode::message(message);
        node.created_at_ms = at.into();
        self.append(node)
    }

    /// Appends a node of any kind to any branch.
    ///
    /// A node whose id is there already with the same kind, bytes and branch (and parent, if one is expected) is a success
    /// without effect, wherever the leaf is by now: a caller that lost the answer can simply call again.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{ErrorKind, Message, NewNode, Store};
    /// # let tree = Store::builder().open_in_memory()?.create_session()?;
    /// let node = NewNode::message(Message::user("hi")).id("q1").expecting_leaf(None);
    /// tree.append(node.clone())?;
    /// assert_eq!(tree.append(node)?, "q1");
    /// let late = NewNode::message(Message::user("late")).expecting_leaf(None);
    /// assert_eq!(tree.append(late).unwrap_err().kind(), ErrorKind::LeafMoved);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `BranchNotFound`; `LeafMoved` where the leaf is not the expected one; `IdTaken`; `InvalidArgument`; `TooLarge`.
    pub fn append(&self, node: NewNode) -> Result<NodeId> {
        let ctx = self.ctx(node.created_at_ms);
        let db = &self.store.inner.db;
        let tip = || self.tip.lock().unwrap_or_else(PoisonError::into_inner);
        if ops::goes_on(&ctx, &node) && tip().is_some() {
            let appended = db.write(|tx| {
                // Read and set while the writing connection is held: threads that share this handle go on from each other.
                let mut tip = tip();
                let Some(at) = tip.take() else {
                    return Ok(None);
                };
                let appended = ops::append_at(tx, &ctx, &node, at)?;
                *tip = appended.tip;
                Ok(Some(appended.id))
            });
            match appended {
                Ok(Some(id)) => return Ok(id),
                Ok(None) => {}
                // Nothing was written: the way that looks first finds out what is the case.
                Err(error) if error.kind() == ErrorKind::LeafMoved => {}
                Err(error) => return Err(error),
            }
        }
        db.write(|tx| {
            let appended = ops::append(tx, &ctx, &node)?;
            *tip() = appended.tip;
            Ok(appended.id)
        })
    }

    /// Appends several nodes, each after the one before, in one transaction: all or none.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let ids = tree.append_many([NewNode::message(Message::user("more?")), NewNode::message(Message::assistant("no"))])?;
    /// assert_eq!(ids, ["n2", "n3"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`append`](SessionTree::append); `InvalidArgument` says which node it means, `nodes[2]` for the third.
    pub fn append_many(&self, nodes: impl IntoIterator<Item = NewNode>) -> Result<Vec<NodeId>> {
        let nodes: Vec<NewNode> = nodes.into_iter().collect();
        let ctx = self.ctx(None);
        let appended = self
            .store
            .inner
            .db
            .write(|tx| ops::append_all(tx, &ctx, &nodes))?;
        Ok(appended.into_iter().map(|node| node.id).collect())
    }

    /// Moves the active branch's leaf to a node, earlier or later. When it moves, the old leaf is kept under
    /// `<active>-rewound`, `<active>-rewound-2`, ... and that name is returned; `None` where it was there already or the
    /// branch was empty.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let tree = Store::builder().open_in_memory()?.create_session()?;
    /// let question = tree.append_message(Message::user("hi"), None)?;
    /// tree.append_message(Message::assistant("hello"), None)?;
    /// assert_eq!(tree.rewind(&question, None)?.as_deref(), Some("main-rewound"));
    /// assert_eq!(tree.rewind(&question, None)?, None);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `NodeNotFound`.
    pub fn rewind(&self, node_id: &str, at: impl Into<Option<i64>>) -> Result<Option<String>> {
        let ctx = self.ctx(at.into());
        self.store
            .inner
            .db
            .write(|tx| ops::rewind(tx, &ctx, node_id))
    }

    /// Makes a branch that ends at a node and switches to it. Without a name it is `branch`, `branch-2`, ... Returns the name.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert_eq!(tree.branch("n0", Some("try b"), None)?, "try b");
    /// assert_eq!(tree.active_branch()?, "try b");
    /// assert_eq!(tree.branch("n0", None, None)?, "branch");
    /// assert_eq!(tree.branch("n0", Some("main"), None).unwrap_err().kind(), ErrorKind::BranchExists);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `NodeNotFound`; `BranchExists` for a taken name; `InvalidArgument` for one that cannot be used.
    pub fn branch(
        &self,
        from_node: &str,
        name: Option<&str>,
        at: impl Into<Option<i64>>,
    ) -> Result<String> {
        self.make_branch(
            BranchSpec {
                from: Some(from_node),
                name,
                switch: true,
            },
            at.into(),
        )
    }

    /// Makes a branch as [`branch`](SessionTree::branch) does, but stays where it is. Without a node the branch is empty, and
    /// its first append makes another root.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.create_branch(None, Some("scratch"), None)?;
    /// assert_eq!(tree.active_branch()?, "main");
    /// tree.append(NewNode::message(Message::user("another root")).on_branch("scratch"))?;
    /// assert_eq!(tree.roots()?, ["n0", "n2"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`branch`](SessionTree::branch).
    pub fn create_branch(
        &self,
        from_node: Option<&str>,
        name: Option<&str>,
        at: impl Into<Option<i64>>,
    ) -> Result<String> {
        self.make_branch(
            BranchSpec {
                from: from_node,
                name,
                switch: false,
            },
            at.into(),
        )
    }

    fn make_branch(&self, spec: BranchSpec<'_>, at: Option<i64>) -> Result<String> {
        let ctx = self.ctx(at);
        self.store.inner.db.write(|tx| ops::branch(tx, &ctx, spec))
    }

    /// Makes another branch active. Being on it already is a success without effect.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.create_branch(Some("n0"), Some("try b"), None)?;
    /// tree.switch_branch("try b")?;
    /// assert_eq!(tree.linear_projection()?.len(), 1);
    /// assert_eq!(tree.switch_branch("try c").unwrap_err().kind(), ErrorKind::BranchNotFound);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `BranchNotFound`, for `main` too where there is none.
    pub fn switch_branch(&self, name: &str) -> Result<()> {
        let ctx = self.ctx(None);
        self.store.inner.db.write(|tx| ops::switch(tx, &ctx, name))
    }
}
