//! Giving a navigation up from outside of it.

use crate::model::Result;
use crate::tree::SessionTree;
use crate::{ops, read};

/// Gives up a navigation from another thread, or tells whether somebody did.
#[derive(Clone)]
pub struct AbortHandle {
    pub(super) tree: SessionTree,
    /// `None`: there was nothing to navigate.
    pub(super) fence: Option<i64>,
}

impl AbortHandle {
    /// Gives the navigation up: the session is free at once, and committing answers `aborted`. Returns whether the navigation
    /// was still going on.
    ///
    /// # Errors
    /// `Busy`, `Io`.
    pub fn abort(&self) -> Result<bool> {
        match self.fence {
            Some(_) => abort(&self.tree, self.fence),
            None => Ok(false),
        }
    }

    /// Whether the navigation is over: aborted, from here or from another process, released or taken over. Looks into the
    /// file each time.
    pub fn is_aborted(&self) -> bool {
        let db = &self.tree.store().inner.db;
        self.fence.is_some_and(|fence| {
            // Where the file cannot be read, the commit will say so.
            let held = db.read(|tx| read::is_held(tx, self.tree.key(), fence));
            !held.unwrap_or(true)
        })
    }
}

pub(super) fn abort(tree: &SessionTree, fence: Option<i64>) -> Result<bool> {
    let ctx = tree.ctx(None);
    let db = &tree.store().inner.db;
    db.write(|tx| ops::abort_navigation(tx, &ctx, fence))
}
