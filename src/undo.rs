//! Undo and redo of moves.

use crate::model::{NodeId, Result};
use crate::ops;
use crate::tree::SessionTree;

/// A move that was undone or redone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undone {
    /// What it was: `rewind`, `branch`, `switch`, `navigate`.
    pub verb: String,
    /// The branch the session is on now.
    pub branch: String,
    /// That branch's leaf; `None` while it is empty.
    pub leaf: Option<NodeId>,
}

impl SessionTree {
    /// Takes the newest rewind, branch, switch or navigation back: the leaf, or the active branch, is what it was before. That
    /// is an operation of its own. No node goes; a name that the move had made stays, archived
    /// unless somebody has gone on under it. Undoing again takes back the
    /// move before. `None` where there is none.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("which?"), Message::assistant("both")], None)?;
    /// tree.rewind("n0", None)?;
    /// let undone = tree.undo(None)?.expect("there was a move");
    /// assert_eq!((undone.verb.as_str(), undone.leaf.as_deref()), ("rewind", Some("n1")));
    /// assert_eq!(tree.redo(None)?.expect("there is a move to redo").leaf.as_deref(), Some("n0"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `LeafMoved` where the branch has moved since, by an append too: rewind by hand then.
    pub fn undo(&self, at: impl Into<Option<i64>>) -> Result<Option<Undone>> {
        let ctx = self.ctx(at.into());
        let done = self.store().inner.db.write(|tx| ops::undo(tx, &ctx))?;
        Ok(done.map(public))
    }

    /// Makes the move again that was undone last. `None` where nothing was undone, or something was moved since.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// tree.undo(None)?;
    /// assert_eq!(tree.linear_projection()?.len(), 2);
    /// tree.redo(None)?;
    /// assert_eq!(tree.linear_projection()?.len(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `LeafMoved` where the branch has moved since.
    pub fn redo(&self, at: impl Into<Option<i64>>) -> Result<Option<Undone>> {
        let ctx = self.ctx(at.into());
        let done = self.store().inner.db.write(|tx| ops::redo(tx, &ctx))?;
        Ok(done.map(public))
    }
}

pub(crate) fn public(done: ops::Undone) -> Undone {
    Undone {
        verb: done.verb,
        branch: done.branch,
        leaf: done.leaf,
    }
}
