//! A walk through a part of the tree: below one node, down to a depth, going on where an earlier one stopped. It costs the
//! nodes it hands out and the path above the first of them.

use std::sync::Arc;

use rusqlite::Connection;

use super::{Fork, TreeWalk, key};
use crate::db::{Db, Fault, Outcome, SEQ_MASK, first_key, key_of, last_key};
use crate::model::{Error, Result};
use crate::read::family::known;
use crate::read::path::{Run, Window, plan_from};

/// Which part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part<'a> {
    /// Below this node, itself included; `None`: below all roots.
    pub top: Option<&'a str>,
    /// Only so many levels below the top.
    pub depth: Option<u64>,
    /// Only what comes after the node at this place in the order of writing, which is of the part.
    pub after: Option<u32>,
}

const NEWEST: &str = "SELECT coalesce(max(key), ?1 - 1) FROM nodes WHERE key BETWEEN ?1 AND ?2";

/// Of the parents in an unbroken run that goes on below each of them: those with further children, and the first of these.
const FORKS_OF_RUN: &str = "
  SELECT parent_key, min(key) FROM nodes
  WHERE parent_key BETWEEN ?1 AND ?2 AND parent_key <> key - 1 AND key > parent_key AND key <= ?3
  GROUP BY parent_key ORDER BY parent_key";

impl TreeWalk {
    /// # Errors
    /// `NodeNotFound` for an unknown top; `InvalidArgument` where `after` is no node of the part; `Damaged` where the top hangs
    /// in a cycle.
    pub(crate) fn of_part(db: Arc<Db>, session_key: i64, part: Part<'_>) -> Result<TreeWalk> {
        let first = first_key(session_key);
        let (top, high, path) = db.read(|tx| {
            let top = match part.top {
                Some(id) => {
                    let top = known(tx, session_key, id)?;
                    // A node below the top can only hang in a cycle that the top hangs in too.
                    plan_from(tx, top, Window::FromCut, id)?;
                    Some(top)
                }
                None => None,
            };
            let high = key(tx, NEWEST, &[first, last_key(session_key)])?.unwrap_or(first - 1);
            let path = match part.after {
                Some(seq) => Some(path_below(tx, top, key_of(session_key, seq))?),
                None => None,
            };
            Ok((top, high, path))
        })?;
        let mut walk = TreeWalk::up_to(Arc::clone(&db), first, high);
        walk.deepest = part.depth.unwrap_or(u64::MAX);
        if let Some(top) = top {
            // No root comes after the only top.
            (walk.root, walk.next) = (i64::MAX, Some(top));
        }
        if let (Some(path), Some(seq)) = (path, part.after) {
            if top.is_none() {
                walk.root = path.first().map_or(walk.root, |run| run.first);
            }
            walk.go_on_after(&db, &path, key_of(session_key, seq))?;
        }
        Ok(walk)
    }

    /// Puts the walk where it was when it had handed out `at`, at the end of this path.
    fn go_on_after(&mut self, db: &Db, path: &[Run], at: i64) -> Result<()> {
        db.read(|tx| self.enter_forks(tx, path))?;
        if self.depth > self.deepest {
            return Err(not_of_part(at));
        }
        if at < self.high {
            let seq = u32::try_from(at & SEQ_MASK).unwrap_or(u32::MAX);
            self.fill(db, seq.saturating_add(1))?;
        }
        self.go_on(db, at)
    }

    /// The forks along a path whose younger children are still to come, and the depth of its end.
    fn enter_forks(&mut self, conn: &Connection, path: &[Run]) -> Outcome<()> {
        let mut runs = path.iter().peekable();
        while let Some(run) = runs.next() {
            let above = self.depth;
            let mut forks = conn.prepare_cached(FORKS_OF_RUN)?;
            let mut rows = forks.query((run.first, run.last - 1, self.high))?;
            while let Some(row) = rows.next()? {
                let parent: i64 = row.get(0)?;
                self.forks.push(Fork {
                    parent,
                    next: row.get(1)?,
                    depth: above + 1 + parent.abs_diff(run.first),
                });
            }
            self.depth = above + run.last.abs_diff(run.first);
            if let Some(below) = runs.peek() {
                self.depth += 1;
                if let Some(next) = self.child_after(conn, run.last, below.first)? {
                    self.forks.push(Fork {
                        parent: run.last,
                        next,
                        depth: self.depth,
                    });
                }
            }
        }
        Ok(())
    }
}

/// The path to `at` from the top on, or from its root on where there is no single top.
fn path_below(conn: &Connection, top: Option<i64>, at: i64) -> Outcome<Vec<Run>> {
    const EXISTS: &str = "SELECT key FROM nodes WHERE key = ?1";
    if key(conn, EXISTS, &[at])?.is_none() {
        return Err(Fault::Ours(not_of_part(at)));
    }
    let mut runs = plan_from(conn, at, Window::FromCut, "")?.runs;
    let Some(top) = top else {
        return Ok(runs);
    };
    let place = runs
        .iter()
        .position(|run| run.first <= top && top <= run.last)
        .ok_or_else(|| not_of_part(at))?;
    runs.drain(..place);
    if let Some(run) = runs.first_mut() {
        run.first = top;
    }
    Ok(runs)
}

fn not_of_part(at: i64) -> Error {
    Error::invalid(format!(
        "node number {} of the session is not of this part of its tree",
        at & SEQ_MASK
    ))
}
