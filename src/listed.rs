//! What the lists of other programs show of a session.

use crate::model::Result;
use crate::read;
use crate::tree::SessionTree;

impl SessionTree {
    pub(crate) fn last_said_at(&self) -> Result<Option<i64>> {
        let db = &self.store().inner.db;
        db.read(|tx| read::last_said_at(tx, self.key()))
    }

    pub(crate) fn said_first(&self) -> Result<Vec<read::Said>> {
        let db = &self.store().inner.db;
        db.read(|tx| read::said_first(tx, self.key()))
    }
}
