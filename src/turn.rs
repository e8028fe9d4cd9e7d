//! Turns: the time in which an agent produces an answer, and nobody else moves the session.

mod beats;
mod held;
mod undo;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model::{GuardKind, Holder, Message, NewNode, NodeId, Result};
use crate::ops::{self, Appended, BranchSpec, Permit, Place};
use crate::read;
use crate::store::Store;
use crate::tree::SessionTree;

pub(crate) use beats::Beats;
pub(crate) use held::Held;

/// A turn in a session. It ends when it is dropped.
///
/// While it lasts, every append, rewind, branch, switch, navigation and fork in the session that is not made through it fails
/// with `Busy`: from another process, and through another handle of this one. Labels, names, summaries and reads are free.
///
/// It knows its branch and that branch's leaf. Each call compares them with the file, in the transaction in which it changes
/// it: a leaf that somebody moved from outside gives `LeafMoved`, a turn that was released, or taken over after it had
/// shown no sign of life for 30 seconds, gives `TurnLost`. Nothing is changed then.
///
/// ```
/// # fn main() -> session_tree::Result<()> {
/// # use session_tree::{ErrorKind, Message, Store};
/// # let tree = Store::builder().open_in_memory()?.create_session()?;
/// let turn = tree.begin_turn(None)?;
/// turn.append_message(Message::user("hi"), None)?;
/// let meanwhile = tree.append_message(Message::user("me too"), None).unwrap_err();
/// assert_eq!(meanwhile.kind(), ErrorKind::Busy);
/// turn.append_message(Message::assistant("hello"), None)?;
/// turn.end()?;
/// tree.append_message(Message::user("me too"), None)?;
/// # Ok(())
/// # }
/// ```
pub struct Turn {
    held: Held,
    place: Mutex<Place>,
}

impl Turn {
    /// The session it is in. Moves through this handle are not part of the turn, and fail with `Busy`.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// assert_eq!(turn.tree().id(), tree.id());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn tree(&self) -> &SessionTree {
        self.held.tree()
    }

    /// The branch it is on.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// assert_eq!(turn.branch_name(), "main");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn branch_name(&self) -> String {
        self.place().branch.clone()
    }

    /// Its branch's leaf, as it knows it; `None` while the branch is empty.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// assert_eq!(turn.leaf().as_deref(), Some("n1"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn leaf(&self) -> Option<NodeId> {
        self.place().leaf.clone()
    }

    /// Appends a message to its branch.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// turn.append_message(Message::assistant("more"), None)?;
    /// assert_eq!(turn.leaf().as_deref(), Some("n2"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `TurnLost`, `LeafMoved`; `TooLarge` for a message no row can hold.
    pub fn append_message(&self, message: Message, at: impl Into<Option<i64>>) -> Result<NodeId> {
        let mut node = NewNode::message(message);
        node.created_at_ms = at.into();
        self.append(node)
    }

    /// Appends a node of any kind, to its branch unless the node names another.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// turn.append(NewNode::message(Message::assistant("more")).id("answer-2"))?;
    /// assert_eq!(turn.leaf().as_deref(), Some("answer-2"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `TurnLost`, `LeafMoved`, and as [`SessionTree::append`].
    pub fn append(&self, node: NewNode) -> Result<NodeId> {
        let mut place = self.place();
        let at = node.created_at_ms;
        let node = on_branch(node, &place);
        let appended = self.write(&place, at, |tx, ctx| ops::append(tx, ctx, &node))?;
        follow(&mut place, &appended);
        Ok(appended.id)
    }

    /// Appends several nodes, each after the one before, in one transaction: all or none.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// turn.append_many([NewNode::message(Message::user("more?")), NewNode::message(Message::assistant("no"))])?;
    /// assert_eq!(turn.leaf().as_deref(), Some("n3"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`append`](Turn::append).
    pub fn append_many(&self, nodes: impl IntoIterator<Item = NewNode>) -> Result<Vec<NodeId>> {
        let mut place = self.place();
        let nodes: Vec<NewNode> = nodes
            .into_iter()
            .map(|node| on_branch(node, &place))
            .collect();
        let appended = self.write(&place, None, |tx, ctx| ops::append_all(tx, ctx, &nodes))?;
        for node in &appended {
            follow(&mut place, node);
        }
        Ok(appended.into_iter().map(|node| node.id).collect())
    }

    /// Moves the leaf of its branch, as [`SessionTree::rewind`] does with the active one.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// assert_eq!(turn.rewind("n0", None)?.as_deref(), Some("main-rewound"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `TurnLost`, `LeafMoved`, `NodeNotFound`.
    pub fn rewind(&self, node_id: &str, at: impl Into<Option<i64>>) -> Result<Option<String>> {
        let mut place = self.place();
        let (preserved, now) = self.write(&place, at.into(), |tx, ctx| {
            let preserved = ops::rewind(tx, ctx, node_id)?;
            let now = ops::place_of(tx, ctx.session_key, Some(place.pin.branch_key))?;
            Ok((preserved, now))
        })?;
        *place = now;
        Ok(preserved)
    }

    /// Makes a branch as [`SessionTree::branch`] does, and goes on there.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// turn.branch("n0", Some("try b"), None)?;
    /// assert_eq!(turn.branch_name(), "try b");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `TurnLost`, `LeafMoved`, and as [`SessionTree::branch`].
    pub fn branch(
        &self,
        from_node: &str,
        name: Option<&str>,
        at: impl Into<Option<i64>>,
    ) -> Result<String> {
        let spec = BranchSpec {
            from: Some(from_node),
            name,
            switch: true,
        };
        let mut place = self.place();
        let (name, now) = self.write(&place, at.into(), |tx, ctx| {
            let name = ops::branch(tx, ctx, spec)?;
            Ok((name, ops::place_of(tx, ctx.session_key, None)?))
        })?;
        *place = now;
        Ok(name)
    }

    /// Makes a branch as [`SessionTree::create_branch`] does; the turn goes on where it is.
    ///
    /// # Errors
    /// `TurnLost`, `LeafMoved`, and as [`SessionTree::create_branch`].
    pub fn create_branch(
        &self,
        from_node: Option<&str>,
        name: Option<&str>,
        at: impl Into<Option<i64>>,
    ) -> Result<String> {
        let spec = BranchSpec {
            from: from_node,
            name,
            switch: false,
        };
        let place = self.place();
        self.write(&place, at.into(), |tx, ctx| ops::branch(tx, ctx, spec))
    }

    /// Makes another branch active, and goes on there.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.create_branch(Some("n0"), Some("try b"), None)?;
    /// let turn = tree.begin_turn(None)?;
    /// turn.switch_branch("try b")?;
    /// assert_eq!(turn.leaf().as_deref(), Some("n0"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `TurnLost`, `LeafMoved`, `BranchNotFound`.
    pub fn switch_branch(&self, name: &str) -> Result<()> {
        let mut place = self.place();
        *place = self.write(&place, None, |tx, ctx| {
            ops::switch(tx, ctx, name)?;
            ops::place_of(tx, ctx.session_key, None)
        })?;
        Ok(())
    }

    /// Ends the turn, and says whether that worked; dropping it ends it too.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// assert_eq!(tree.rewind("n0", None).unwrap_err().kind(), ErrorKind::Busy);
    /// turn.end()?;
    /// tree.rewind("n0", None)?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Busy`, `Io`: the file could not be written. The turn is free for others when the process ends, and after 30 seconds.
    pub fn end(mut self) -> Result<()> {
        self.held.end()
    }

    /// Held until the call is over: the calls of several threads in one turn come one after the other.
    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write<T>(
        &self,
        place: &Place,
        at: Option<i64>,
        work: impl FnOnce(&crate::db::WriteTx<'_>, &ops::Ctx<'_>) -> crate::db::Outcome<T>,
    ) -> Result<T> {
        let permit = Permit::Held {
            fence: self.held.fence(),
            pin: Some(place.pin),
        };
        let ctx = self.tree().ctx_with(at, permit);
        self.tree().store().inner.db.write(|tx| work(tx, &ctx))
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("session", self.tree().id())
            .field("branch", &self.branch_name())
            .field("leaf", &self.leaf())
            .finish_non_exhaustive()
    }
}

fn on_branch(mut node: NewNode, place: &Place) -> NewNode {
    node.branch.get_or_insert_with(|| place.branch.clone());
    node
}

fn follow(place: &mut Place, appended: &Appended) {
    if let Some(moved) = appended.moved
        && moved.branch_key == place.pin.branch_key
    {
        place.pin = moved;
        place.leaf = Some(appended.id.clone());
    }
}

impl SessionTree {
    /// Begins a turn on a branch (`None`: the active one), without switching to it.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// let other = tree.clone();
    /// assert_eq!(other.append_message(Message::user("me too"), None).unwrap_err().kind(), ErrorKind::Busy);
    /// turn.append_message(Message::assistant("done"), None)?;
    /// turn.end()?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Busy` while somebody else, whom the error names, is in a turn or navigation; `BranchNotFound`.
    pub fn begin_turn(&self, branch: Option<&str>) -> Result<Turn> {
        let (fence, place) = Held::taking(self, None, |tx, ctx| {
            ops::take(tx, ctx, GuardKind::Turn, branch)
        })?;
        Ok(Turn {
            held: Held::new(self, fence),
            place: Mutex::new(place),
        })
    }

    /// Who is in a turn or navigation of the session. A dead holder is answered too, marked as such: it is in nobody's way.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// let holder = tree.who()?.expect("a turn is on");
    /// assert_eq!((holder.kind, holder.is_alive), (GuardKind::Turn, true));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `SessionNotFound`, `Io`.
    pub fn who(&self) -> Result<Option<Holder>> {
        let inner = &self.store().inner;
        let boot_ms = inner.clock.boot_ms();
        inner.db.read(|tx| read::who(tx, self.key(), boot_ms))
    }

    /// Frees the session from the turn or navigation it is in, whoever holds it: the holder's next call fails with `TurnLost`.
    /// The operation is recorded. Returns whether there was one.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// assert!(tree.release()?);
    /// assert_eq!(turn.append_message(Message::user("late"), None).unwrap_err().kind(), ErrorKind::TurnLost);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Only those of every change.
    pub fn release(&self) -> Result<bool> {
        let ctx = self.ctx(None);
        self.store().inner.db.write(|tx| ops::release(tx, &ctx))
    }
}

impl Store {
    /// Who is in a turn or navigation, in all sessions. Dead holders are answered too, marked as such.
    ///
    /// # Errors
    /// `Io`.
    pub fn who(&self) -> Result<Vec<Holder>> {
        let boot_ms = self.inner.clock.boot_ms();
        self.inner.db.read(|tx| read::who_all(tx, boot_ms))
    }
}
