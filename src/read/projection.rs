//! Handing out a path: pages of it, root first, each page a short read transaction of its own.
//!
//! Nodes are written once, so the pages agree with each other; no reader holds back the WAL while its caller thinks; and
//! memory holds one page, whatever the path's length.

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::{Connection, Row};

use super::path::{Cut, PathPlan, Run};
use crate::db::{Db, Fault, Outcome, SEQ_MASK, public_id};
use crate::model::{Error, Message, NodeId, Result, iso_from_ms};

/// A page ends after this many nodes or bytes of payload, whichever comes first.
pub(super) const PAGE_NODES: usize = 1024;
pub(super) const PAGE_BYTES: usize = 1 << 20;

/// The nodes that are still to be read, and what has been read but not handed out.
struct Pages<T> {
    db: Arc<Db>,
    runs: VecDeque<Run>,
    /// Whether the run in front was begun, so that its next node must be the child of the one before.
    inside_run: bool,
    page: std::vec::IntoIter<T>,
    failed: bool,
}

/// What one statement yields for a node: its key and parent, its size in bytes, and what is made of it, if it counts.
struct Item<T> {
    key: i64,
    parent_key: Option<i64>,
    bytes: usize,
    value: Option<T>,
}

impl<T> Pages<T> {
    fn new(db: Arc<Db>, plan: &PathPlan) -> Pages<T> {
        Pages {
            db,
            runs: plan.runs.iter().copied().collect(),
            inside_run: false,
            page: Vec::new().into_iter(),
            failed: false,
        }
    }

    /// `sql` yields the nodes from key `?1` to `?2`, in the order of keys.
    fn next(
        &mut self,
        sql: &str,
        map: impl Fn(&Row<'_>) -> rusqlite::Result<Item<T>>,
    ) -> Option<Result<T>> {
        while self.page.as_slice().is_empty() && !self.runs.is_empty() && !self.failed {
            let mut page = Vec::new();
            if let Err(error) = self.read_page(sql, &map, &mut page) {
                self.failed = true;
                return Some(Err(error));
            }
            self.page = page.into_iter();
        }
        self.page.next().map(Ok)
    }

    /// All that is left, at once.
    fn rest(
        mut self,
        sql: &str,
        map: impl Fn(&Row<'_>) -> rusqlite::Result<Item<T>>,
    ) -> Result<Vec<T>> {
        let mut rest: Vec<T> = self.page.by_ref().collect();
        while !self.runs.is_empty() {
            self.read_page(sql, &map, &mut rest)?;
        }
        Ok(rest)
    }

    fn read_page(
        &mut self,
        sql: &str,
        map: &impl Fn(&Row<'_>) -> rusqlite::Result<Item<T>>,
        into: &mut Vec<T>,
    ) -> Result<()> {
        let db = Arc::clone(&self.db);
        db.read(|tx| self.fill(tx, sql, map, into))
    }

    fn fill(
        &mut self,
        conn: &Connection,
        sql: &str,
        map: &impl Fn(&Row<'_>) -> rusqlite::Result<Item<T>>,
        into: &mut Vec<T>,
    ) -> Outcome<()> {
        let (mut nodes, mut bytes) = (0, 0);
        let mut statement = conn.prepare_cached(sql)?;
        while let Some(run) = self.runs.front_mut() {
            let mut rows = statement.query((run.first, run.last))?;
            // The row after the run is not asked for: it may lie on a page that nothing else needs.
            while run.first <= run.last && nodes < PAGE_NODES && bytes < PAGE_BYTES {
                let Some(row) = rows.next()? else {
                    return Err(Fault::Ours(gap(run.first)));
                };
                let item = map(row)?;
                let follows = !self.inside_run || item.parent_key == Some(item.key - 1);
                if item.key != run.first || !follows {
                    return Err(Fault::Ours(gap(run.first)));
                }
                self.inside_run = true;
                run.first += 1;
                nodes += 1;
                bytes += item.bytes;
                if let Some(value) = item.value {
                    into.push(value);
                }
            }
            if run.first <= run.last {
                return Ok(());
            }
            self.runs.pop_front();
            self.inside_run = false;
        }
        Ok(())
    }
}

fn gap(key: i64) -> Error {
    Error::damaged(format!(
        "node number {} of the session is missing or hangs elsewhere than its run says; run `session-tree check`",
        key & SEQ_MASK
    ))
}

const MESSAGES: &str = "
  SELECT key, parent_key, CASE WHEN kind = 'message' THEN payload END
  FROM nodes WHERE key BETWEEN ?1 AND ?2 ORDER BY key";

fn message_item(row: &Row<'_>) -> rusqlite::Result<Item<Message>> {
    let text: Option<String> = row.get(2)?;
    Ok(Item {
        key: row.get(0)?,
        parent_key: row.get(1)?,
        bytes: text.as_ref().map_or(0, String::len),
        value: text.map(Message::from_stored),
    })
}

fn too_few() -> Error {
    Error::damaged("the path holds fewer messages than the tree counts; run `session-tree check`")
}

/// The messages of a path, root first, read page by page.
///
/// Ends after the first error.
pub struct Projection {
    pages: Pages<Message>,
    left: u64,
    cut: Option<Cut>,
}

impl Projection {
    pub(crate) fn new(db: Arc<Db>, plan: PathPlan) -> Projection {
        Projection {
            pages: Pages::new(db, &plan),
            left: plan.messages,
            cut: plan.cut,
        }
    }

    /// Messages that are still to come.
    pub fn remaining(&self) -> u64 {
        self.left
    }

    /// Where the path was cut, if it does not reach a root.
    pub fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }

    /// All that are still to come. Quicker than taking them one by one.
    pub(crate) fn into_messages(self) -> Result<Vec<Message>> {
        let left = self.left;
        let messages = self.pages.rest(MESSAGES, message_item)?;
        if (messages.len() as u64) < left {
            return Err(too_few());
        }
        Ok(messages)
    }
}

impl Iterator for Projection {
    type Item = Result<Message>;

    fn next(&mut self) -> Option<Result<Message>> {
        let next = self.pages.next(MESSAGES, message_item);
        match &next {
            Some(Ok(_)) => self.left = self.left.saturating_sub(1),
            Some(Err(_)) => self.left = 0,
            None if self.left > 0 && !self.pages.failed => {
                self.left = 0;
                self.pages.failed = true;
                return Some(Err(too_few()));
            }
            None => {}
        }
        next
    }
}

pub(super) const NODES: &str = "
  SELECT node.key, node.parent_key, node.id, node.kind, node.role, node.created_at_ms, node.time_text, node.missing_parent,
    node.preview, node.envelope_at, node.envelope, node.payload, parent.id, node.source_line
  FROM nodes AS node LEFT JOIN nodes AS parent ON parent.key = node.parent_key
  WHERE node.key BETWEEN ?1 AND ?2 ORDER BY node.key";

/// One node, whole.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathNode {
    /// Its id in the session.
    pub id: NodeId,
    /// Its parent; `None` for a root.
    pub parent: Option<NodeId>,
    /// For a root: the parent id that was declared but never written.
    pub missing_parent: Option<String>,
    /// `message`, `compaction`, `label`, ... or any other text.
    pub kind: String,
    /// Of a message: `user`, `assistant`, ...
    pub role: Option<String>,
    /// Unix time in milliseconds.
    pub created_at_ms: i64,
    /// The timestamp as text: the source's own for an imported node, else ISO 8601 in UTC.
    pub timestamp: String,
    /// One line of text for people, at most 200 UTF-16 units.
    pub preview: String,
    /// What it holds, byte for byte as it was given.
    pub message: Message,
    /// Import: its line in the source, from 1.
    pub source_line: Option<u64>,
    /// Its place in the order of writing, from 0.
    pub seq: u32,
    /// Import: the line the payload was cut out of, without it, and the byte where it was.
    pub(crate) envelope: Option<(usize, String)>,
}

impl PathNode {
    /// The line an importer read, byte for byte; for a node that was made here, its payload.
    pub fn line(&self) -> String {
        join_line(self.envelope.as_ref(), &self.message)
    }

    /// What a page counts of it.
    pub(super) fn bytes(&self) -> usize {
        self.message.as_str().len() + self.envelope.as_ref().map_or(0, |(_, text)| text.len())
    }
}

/// Puts a payload back into the line it was cut out of.
pub(crate) fn join_line(envelope: Option<&(usize, String)>, message: &Message) -> String {
    let Some((at, envelope)) = envelope else {
        return message.as_str().to_owned();
    };
    match (envelope.get(..*at), envelope.get(*at..)) {
        (Some(before), Some(after)) => [before, message.as_str(), after].concat(),
        _ => message.as_str().to_owned(),
    }
}

/// The nodes of a path of all kinds, root first, read page by page.
///
/// Ends after the first error.
pub struct PathNodes {
    pages: Pages<PathNode>,
    cut: Option<Cut>,
}

impl PathNodes {
    pub(crate) fn new(db: Arc<Db>, plan: PathPlan) -> PathNodes {
        PathNodes {
            pages: Pages::new(db, &plan),
            cut: plan.cut,
        }
    }

    /// Where the path was cut, if it does not reach a root.
    pub fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }
}

impl Iterator for PathNodes {
    type Item = Result<PathNode>;

    fn next(&mut self) -> Option<Result<PathNode>> {
        self.pages.next(NODES, |row| {
            let node = path_node(row)?;
            Ok(Item {
                key: row.get(0)?,
                parent_key: row.get(1)?,
                bytes: node.bytes(),
                value: Some(node),
            })
        })
    }
}

/// Reads a row of [`NODES`].
pub(super) fn path_node(row: &Row<'_>) -> rusqlite::Result<PathNode> {
    let (key, parent_key): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
    let created_at_ms = row.get(5)?;
    let envelope: Option<String> = row.get(10)?;
    Ok(PathNode {
        id: public_id(row.get(2)?, key),
        parent: parent_key
            .map(|key| Ok::<_, rusqlite::Error>(public_id(row.get(12)?, key)))
            .transpose()?,
        missing_parent: row.get(7)?,
        kind: row.get(3)?,
        role: row.get(4)?,
        created_at_ms,
        timestamp: row
            .get::<_, Option<String>>(6)?
            .unwrap_or_else(|| iso_from_ms(created_at_ms)),
        preview: row.get(8)?,
        message: Message::from_stored(row.get(11)?),
        source_line: row
            .get::<_, Option<i64>>(13)?
            .and_then(|line| u64::try_from(line).ok()),
        seq: u32::try_from(key & SEQ_MASK).unwrap_or(u32::MAX),
        envelope: envelope
            .map(|text| {
                Ok::<_, rusqlite::Error>((row.get::<_, i64>(9)?.unsigned_abs() as usize, text))
            })
            .transpose()?,
    })
}

const IDS: &str = "SELECT key, parent_key, id FROM nodes WHERE key BETWEEN ?1 AND ?2 ORDER BY key";

/// The ids of a path, root first.
pub(crate) fn path_ids(db: &Arc<Db>, plan: &PathPlan) -> Result<Vec<NodeId>> {
    let pages: Pages<NodeId> = Pages::new(Arc::clone(db), plan);
    pages.rest(IDS, |row| {
        let key = row.get(0)?;
        Ok(Item {
            key,
            parent_key: row.get(1)?,
            bytes: 0,
            value: Some(public_id(row.get(2)?, key)),
        })
    })
}
