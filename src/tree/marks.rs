//! Marks and titles: what a person sets on a tree without moving anything.

use super::SessionTree;
use crate::model::Result;
use crate::ops;

impl SessionTree {
    /// Sets a node's label. An empty text clears it.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.label("n1", "good")?;
    /// assert_eq!(tree.node("n1")?.unwrap().label.as_deref(), Some("good"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `NodeNotFound`.
    pub fn label(&self, node_id: &str, text: &str) -> Result<()> {
        let ctx = self.ctx(None);
        self.store
            .inner
            .db
            .write(|tx| ops::label(tx, &ctx, node_id, text))
    }

    /// Clears a node's label. A label line of a file that is imported later does not set it again.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.label("n1", "good")?;
    /// tree.clear_label("n1")?;
    /// assert_eq!(tree.node("n1")?.unwrap().label, None);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `NodeNotFound`.
    pub fn clear_label(&self, node_id: &str) -> Result<()> {
        let ctx = self.ctx(None);
        self.store
            .inner
            .db
            .write(|tx| ops::clear_label(tx, &ctx, node_id))
    }

    /// Sets the session's title (white space around it is dropped); `None` or a blank one takes it away.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rename(Some("  Fix the tests "))?;
    /// assert_eq!(tree.info()?.name.as_deref(), Some("Fix the tests"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Only those of every change.
    pub fn rename(&self, name: Option<&str>) -> Result<()> {
        let ctx = self.ctx(None);
        self.store.inner.db.write(|tx| ops::rename(tx, &ctx, name))
    }

    /// Puts the session out of sight, or back. Nothing in it changes.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.archive(true)?;
    /// assert!(tree.info()?.is_archived);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Only those of every change.
    pub fn archive(&self, archived: bool) -> Result<()> {
        let ctx = self.ctx(None);
        self.store
            .inner
            .db
            .write(|tx| ops::archive_session(tx, &ctx, archived))
    }

    /// Puts a branch out of sight, or back. Its leaf and its name stay.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.create_branch(Some("n0"), Some("try b"), None)?;
    /// tree.archive_branch("try b", true)?;
    /// assert!(tree.branches()?[1].is_archived);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `BranchNotFound`.
    pub fn archive_branch(&self, name: &str, archived: bool) -> Result<()> {
        let ctx = self.ctx(None);
        self.store
            .inner
            .db
            .write(|tx| ops::archive_branch(tx, &ctx, name, archived))
    }
}
