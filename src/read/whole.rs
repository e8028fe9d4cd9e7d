//! All nodes of a session with their payloads, in the order of writing.

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::Connection;

use super::projection::{NODES, PAGE_BYTES, PAGE_NODES, PathNode, path_node};
use crate::db::{Db, Outcome, first_key, key_of, last_key};
use crate::model::Result;

/// All nodes of a session, whole, in the order of writing, read page by page. Nodes that are written meanwhile are in it.
///
/// Ends after the first error.
pub struct AllNodes {
    db: Arc<Db>,
    session_key: i64,
    /// Where the next page begins; `None` after the last.
    next: Option<i64>,
    last: i64,
    page: VecDeque<PathNode>,
}

impl AllNodes {
    pub(crate) fn new(db: Arc<Db>, session_key: i64) -> AllNodes {
        AllNodes {
            db,
            session_key,
            next: Some(first_key(session_key)),
            last: last_key(session_key),
            page: VecDeque::new(),
        }
    }

    /// Those of these places in the order of writing, both ends included.
    #[cfg(feature = "rpc")]
    pub(crate) fn between(db: Arc<Db>, session_key: i64, first: u32, last: u32) -> AllNodes {
        AllNodes {
            next: Some(key_of(session_key, first).max(first_key(session_key))),
            last: key_of(session_key, last),
            ..AllNodes::new(db, session_key)
        }
    }

    fn read(&mut self, conn: &Connection, from: i64) -> Outcome<()> {
        let mut statement = conn.prepare_cached(NODES)?;
        let mut rows = statement.query((from, self.last))?;
        let mut bytes = 0;
        self.next = None;
        while let Some(row) = rows.next()? {
            let node = path_node(row)?;
            bytes += node.bytes();
            let seq = node.seq;
            self.page.push_back(node);
            if self.page.len() >= PAGE_NODES || bytes >= PAGE_BYTES {
                self.next = seq.checked_add(1).map(|seq| key_of(self.session_key, seq));
                break;
            }
        }
        Ok(())
    }
}

impl Iterator for AllNodes {
    type Item = Result<PathNode>;

    fn next(&mut self) -> Option<Result<PathNode>> {
        if self.page.is_empty()
            && let Some(from) = self.next
        {
            let db = Arc::clone(&self.db);
            if let Err(error) = db.read(|tx| self.read(tx, from)) {
                self.next = None;
                self.page.clear();
                return Some(Err(error));
            }
        }
        self.page.pop_front().map(Ok)
    }
}
