//! A guard that this process holds. Every way out of scope frees it, panics included.

use crate::db::{Outcome, WriteTx};
use crate::model::Result;
use crate::ops::{self, Ctx};
use crate::tree::SessionTree;

pub(crate) struct Held {
    tree: SessionTree,
    fence: i64,
    is_ended: bool,
}

impl Held {
    /// Runs a transaction that takes a guard; [`Held::new`] then owns it.
    pub(crate) fn taking<T>(
        tree: &SessionTree,
        at: Option<i64>,
        take: impl FnOnce(&WriteTx<'_>, &Ctx<'_>) -> Outcome<T>,
    ) -> Result<T> {
        let inner = &tree.store().inner;
        if !inner.db.is_read_only() {
            inner.beats.start(&inner.db, &inner.clock)?;
        }
        let ctx = tree.ctx(at);
        inner.db.write(|tx| take(tx, &ctx))
    }

    /// The guard that was taken under this fencing number.
    pub(crate) fn new(tree: &SessionTree, fence: i64) -> Held {
        tree.store().inner.beats.add(tree.key(), fence);
        Held {
            tree: tree.clone(),
            fence,
            is_ended: false,
        }
    }

    pub(crate) fn tree(&self) -> &SessionTree {
        &self.tree
    }

    pub(crate) fn fence(&self) -> i64 {
        self.fence
    }

    /// The guard is not there any more: another one took it, or the transaction that used it freed it.
    pub(crate) fn forget(&mut self) {
        self.is_ended = true;
        self.tree
            .store()
            .inner
            .beats
            .remove(self.tree.key(), self.fence);
    }

    pub(crate) fn end(&mut self) -> Result<()> {
        if self.is_ended {
            return Ok(());
        }
        self.forget();
        let (key, fence) = (self.tree.key(), self.fence);
        self.tree
            .store()
            .inner
            .db
            .write(|tx| ops::end(tx, key, fence))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // Where this fails the guard expires, as there is no beat for it any more.
        let _ = self.end();
    }
}
