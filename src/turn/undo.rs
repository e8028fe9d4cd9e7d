//! Undo and redo by who is in a turn.

use super::Turn;
use crate::db::{Outcome, WriteTx};
use crate::model::Result;
use crate::ops::{self, Ctx};
use crate::undo::{Undone, public};

impl Turn {
    /// Takes the newest move of the session back, as [`SessionTree::undo`](crate::SessionTree::undo) does. Where that leads to
    /// another branch, the turn goes on there.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// turn.rewind("n0", None)?;
    /// turn.undo(None)?.expect("there was a move");
    /// assert_eq!(turn.leaf().as_deref(), Some("n1"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `TurnLost`; `LeafMoved` where the branch has moved since that move, by an append of this turn too.
    pub fn undo(&self, at: impl Into<Option<i64>>) -> Result<Option<Undone>> {
        self.take_back(at.into(), |tx, ctx| ops::undo(tx, ctx))
    }

    /// Makes the move again that was undone last, as [`SessionTree::redo`](crate::SessionTree::redo) does.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let turn = tree.begin_turn(None)?;
    /// turn.branch("n0", Some("try b"), None)?;
    /// turn.undo(None)?;
    /// assert_eq!(turn.branch_name(), "main");
    /// turn.redo(None)?;
    /// assert_eq!(turn.branch_name(), "try b");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`undo`](Turn::undo).
    pub fn redo(&self, at: impl Into<Option<i64>>) -> Result<Option<Undone>> {
        self.take_back(at.into(), |tx, ctx| ops::redo(tx, ctx))
    }

    fn take_back(
        &self,
        at: Option<i64>,
        step: impl FnOnce(&WriteTx<'_>, &Ctx<'_>) -> Outcome<Option<ops::Undone>>,
    ) -> Result<Option<Undone>> {
        let mut place = self.place();
        let (done, now) = self.write(&place, at, |tx, ctx| {
            let done = step(tx, ctx)?;
            let is_elsewhere = done.as_ref().is_some_and(ops::Undone::switches);
            let branch = (!is_elsewhere).then_some(place.pin.branch_key);
            Ok((done, ops::place_of(tx, ctx.session_key, branch)?))
        })?;
        *place = now;
        Ok(done.map(public))
    }
}
