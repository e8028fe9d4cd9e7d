//! What happened in a session, whoever did it.

use super::SessionTree;
use crate::model::{Changes, Cursor, Result, SessionId};
use crate::read;
use crate::store::Store;

impl SessionTree {
    /// What happened after a place (`None`: from the beginning), at most `limit` things: nodes that were written and operations,
    /// in one order, whatever process made them. Beginnings and ends of turns are not among them.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Change, Message, Store};
    /// # let tree = Store::builder().open_in_memory()?.create_session()?;
    /// let before = tree.cursor()?;
    /// tree.append_message(Message::user("hi"), None)?;
    /// tree.label("n0", "start")?;
    /// let page = tree.changes(Some(before), 100)?;
    /// assert!(matches!(&page.changes[..], [Change::Node(_), Change::Operation(_)]));
    /// assert!(tree.changes(Some(page.cursor), 100)?.changes.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `SessionNotFound`, `Damaged`, `Io`.
    pub fn changes(&self, since: Option<Cursor>, limit: u32) -> Result<Changes> {
        let since = since.unwrap_or_default();
        self.store
            .inner
            .db
            .read(|tx| read::changes(tx, self.key, since, limit))
    }

    /// The place after everything that has happened so far.
    ///
    /// # Errors
    /// `SessionNotFound`, `Io`.
    pub fn cursor(&self) -> Result<Cursor> {
        self.store.inner.db.read(|tx| read::head(tx, self.key))
    }
}

impl Store {
    /// The place after everything that has happened so far, of each session. Comparing two answers tells which sessions have
    /// changed. Costs a few look-ups a session.
    ///
    /// # Errors
    /// `Io`.
    pub fn cursors(&self) -> Result<Vec<(SessionId, Cursor)>> {
        self.inner.db.read(|tx| read::heads(tx))
    }
}
