//! A whole tree, depth first: parents before children, siblings in the order of writing.
//!
//! Nodes are read in pages that grow while the walk follows the order of writing. What is held besides is one entry for each
//! fork whose last child is still to come, so a chain costs nothing and neither does a branch that forks again and again at
//! its end. The walk sees the nodes that were there when it began.

#[cfg(feature = "rpc")]
mod part;

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};

#[cfg(feature = "rpc")]
pub(crate) use part::Part;

use super::outline::outline;
use crate::db::{Db, Fault, Outcome, SEQ_MASK, first_key, key_of, last_key};
use crate::model::{Error, ErrorKind, OutlineNode, Result};

const PAGE_NODES: u32 = 1024;

/// One node of a walk, and where it lies in a drawing that indents elder siblings only.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WalkNode {
    /// The node.
    pub node: OutlineNode,
    /// How many of the nodes on its path, itself included, have younger siblings that are still to come. A last child, and a
    /// root, goes on at the level of its parent.
    pub level: usize,
    /// Whether it has younger siblings itself.
    pub has_younger_siblings: bool,
}

/// A fork that was entered, and its child that is to come next.
struct Fork {
    parent: i64,
    next: i64,
    /// How far its children are below the node that the walk began at.
    depth: u64,
}

/// The nodes of a tree, depth first. Ends after the first error.
pub struct TreeWalk {
    db: Arc<Db>,
    first: i64,
    high: i64,
    /// The newest operation when the walk began: a later one may have changed a parent.
    operation: i64,
    /// How many nodes must have been seen at the end; `None` for a part of the tree.
    nodes: Option<u64>,
    seen: u64,
    /// How far below its beginning the walk goes.
    deepest: u64,
    forks: Vec<Fork>,
    next: Option<i64>,
    /// How far `next` is below the beginning.
    depth: u64,
    root: i64,
    elder: bool,
    page: VecDeque<OutlineNode>,
    page_nodes: u32,
    /// From which key on no parent below the second is one of a far child.
    far: Option<(i64, i64)>,
    done: bool,
}

const HIGH: &str = "
  SELECT coalesce(max(key), ?1 - 1), count(*),
    (SELECT coalesce(max(key), 0) FROM operations WHERE session_key = ?1 >> 32)
  FROM nodes WHERE key BETWEEN ?1 AND ?2";

const NEXT_ROOT: &str = "
  SELECT key FROM nodes WHERE parent_key IS NULL AND key > ?1 AND key <= ?2 ORDER BY key LIMIT 1";

const NEXT_FAR_PARENT: &str = "
  SELECT parent_key FROM nodes WHERE parent_key BETWEEN ?1 AND ?2 AND parent_key <> key - 1
  ORDER BY parent_key LIMIT 1";

const NEXT_FAR_CHILD: &str = "
  SELECT key FROM nodes
  WHERE parent_key = ?1 AND parent_key <> key - 1 AND key > ?2 AND key <= ?3 ORDER BY key LIMIT 1";

const FAR_CHILDREN: &str = "
  SELECT key FROM nodes
  WHERE parent_key = ?1 AND parent_key <> key - 1 AND key <= ?2 ORDER BY key LIMIT 2";

const NEAR_CHILD: &str =
    "SELECT key FROM nodes WHERE key = ?1 + 1 AND parent_key = ?1 AND key <= ?2";

const OPERATION: &str = "SELECT coalesce(max(key), 0) FROM operations WHERE session_key = ?1";

fn key(conn: &Connection, sql: &str, parameters: &[i64]) -> Outcome<Option<i64>> {
    Ok(conn
        .prepare_cached(sql)?
        .query_row(rusqlite::params_from_iter(parameters), |row| row.get(0))
        .optional()?)
}

impl TreeWalk {
    pub(crate) fn new(db: Arc<Db>, session_key: i64) -> Result<TreeWalk> {
        let first = first_key(session_key);
        let (high, nodes, operation) = db.read(|tx| {
            Ok(tx
                .prepare_cached(HIGH)?
                .query_row((first, last_key(session_key)), |row| {
                    Ok((row.get(0)?, row.get::<_, i64>(1)?, row.get(2)?))
                })?)
        })?;
        Ok(TreeWalk {
            operation,
            nodes: Some(nodes.unsigned_abs()),
            ..TreeWalk::up_to(db, first, high)
        })
    }

    /// A walk that begins at the first root and sees no node after `high`.
    fn up_to(db: Arc<Db>, first: i64, high: i64) -> TreeWalk {
        TreeWalk {
            db,
            first,
            high,
            operation: 0,
            nodes: None,
            seen: 0,
            deepest: u64::MAX,
            forks: Vec::new(),
            next: None,
            depth: 0,
            root: first - 1,
            elder: false,
            page: VecDeque::new(),
            page_nodes: 0,
            far: None,
            done: false,
        }
    }

    fn step(&mut self) -> Result<Option<WalkNode>> {
        let db = Arc::clone(&self.db);
        if self.next.is_none() {
            let root = db.read(|tx| key(tx, NEXT_ROOT, &[self.root, self.high]))?;
            let Some(root) = root else {
                return db.read(|tx| self.finish(tx)).map(|()| None);
            };
            (self.root, self.next, self.depth) = (root, Some(root), 0);
        }
        let Some(at) = self.next else {
            return Ok(None);
        };
        let node = self.take(&db, at)?;
        self.seen += 1;
        let step = WalkNode {
            node,
            level: self.forks.len(),
            has_younger_siblings: self.elder,
        };
        self.go_on(&db, at)?;
        Ok(Some(step))
    }

    /// Finds what comes after `at`.
    fn go_on(&mut self, db: &Db, at: i64) -> Result<()> {
        self.elder = false;
        let children = match self.depth < self.deepest {
            true => self.children(db, at)?,
            false => (None, None),
        };
        self.next = match children {
            (None, _) => self.younger(db)?,
            (Some(first), second) => {
                self.depth += 1;
                if let Some(second) = second {
                    self.forks.push(Fork {
                        parent: at,
                        next: second,
                        depth: self.depth,
                    });
                    self.elder = true;
                }
                Some(first)
            }
        };
        Ok(())
    }

    /// The node at `at`, and the one written after it left in the page.
    fn take(&mut self, db: &Db, at: i64) -> Result<OutlineNode> {
        let seq = u32::try_from(at & SEQ_MASK).unwrap_or(u32::MAX);
        while self.page.front().is_some_and(|front| front.seq != seq) {
            self.page.pop_front();
            self.page_nodes = 0;
        }
        if self.page.is_empty() {
            self.fill(db, seq)?;
        }
        match self.page.pop_front() {
            Some(node) if node.seq == seq => {
                if self.page.is_empty() && at < self.high {
                    self.fill(db, seq + 1)?;
                }
                Ok(node)
            }
            _ => Err(Error::damaged(format!(
                "node number {seq} of the session went away while its tree was read; run `session-tree check`"
            ))),
        }
    }

    fn fill(&mut self, db: &Db, seq: u32) -> Result<()> {
        self.page_nodes = (self.page_nodes * 2).clamp(2, PAGE_NODES);
        let session_key = self.first >> 32;
        self.page = db
            .read(|tx| outline(tx, session_key, seq, self.page_nodes))?
            .into();
        Ok(())
    }

    /// The first two children of `at`. The node after it was read with it, so a chain needs no query a node.
    fn children(&mut self, db: &Db, at: i64) -> Result<(Option<i64>, Option<i64>)> {
        let near = self
            .page
            .front()
            .filter(|next| {
                let parent = next
                    .parent_seq
                    .map(|parent| key_of(self.first >> 32, parent));
                let its_key = key_of(self.first >> 32, next.seq);
                parent == Some(at) && its_key == at + 1 && its_key <= self.high
            })
            .map(|_| at + 1);
        if self
            .far
            .is_some_and(|(from, parent)| from <= at && at < parent)
        {
            return Ok((near, None));
        }
        let (from, high) = (self.far, self.high);
        let last = self.first | SEQ_MASK;
        let (far, children) = db.read(|tx| {
            let far = match from {
                Some((from, parent)) if from <= at && at <= parent => (from, parent),
                _ => (
                    at,
                    key(tx, NEXT_FAR_PARENT, &[at, last])?.unwrap_or(i64::MAX),
                ),
            };
            if far.1 != at {
                return Ok((far, Vec::new()));
            }
            let children = tx
                .prepare_cached(FAR_CHILDREN)?
                .query_map((at, high), |row| row.get(0))?
                .collect::<rusqlite::Result<Vec<i64>>>()?;
            Ok((far, children))
        })?;
        self.far = Some(far);
        let mut children: Vec<i64> = children.into_iter().chain(near).collect();
        children.sort_unstable();
        Ok((children.first().copied(), children.get(1).copied()))
    }

    fn child_after(&self, conn: &Connection, parent: i64, after: i64) -> Outcome<Option<i64>> {
        let far = key(conn, NEXT_FAR_CHILD, &[parent, after, self.high])?;
        let near = if after <= parent {
            key(conn, NEAR_CHILD, &[parent, self.high])?
        } else {
            None
        };
        Ok(far.into_iter().chain(near).min())
    }

    /// The next child of the innermost fork. With its last child a fork is forgotten.
    fn younger(&mut self, db: &Db) -> Result<Option<i64>> {
        let Some(fork) = self.forks.last() else {
            return Ok(None);
        };
        let (parent, at) = (fork.parent, fork.next);
        self.depth = fork.depth;
        match db.read(|tx| self.child_after(tx, parent, at))? {
            Some(next) => {
                self.elder = true;
                if let Some(fork) = self.forks.last_mut() {
                    fork.next = next;
                }
            }
            None => drop(self.forks.pop()),
        }
        Ok(Some(at))
    }

    /// A node that no walk from a root reaches hangs in a cycle or on a parent that is not there.
    fn finish(&self, conn: &Connection) -> Outcome<()> {
        let Some(nodes) = self.nodes.filter(|nodes| *nodes != self.seen) else {
            return Ok(());
        };
        let operation = key(conn, OPERATION, &[self.first >> 32])?;
        if operation != Some(self.operation) {
            return Err(Fault::Ours(Error::new(
                ErrorKind::Busy,
                "the tree was changed while it was read; try again",
            )));
        }
        Err(Fault::Ours(Error::damaged(format!(
            "{} of {} nodes hang on no root; run `session-tree check`",
            nodes.abs_diff(self.seen),
            nodes
        ))))
    }
}

impl Iterator for TreeWalk {
    type Item = Result<WalkNode>;

    fn next(&mut self) -> Option<Result<WalkNode>> {
        if self.done {
            return None;
        }
        let step = self.step().transpose();
        self.done = !matches!(step, Some(Ok(_)));
        step
    }
}
