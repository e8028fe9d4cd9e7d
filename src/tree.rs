//! One conversation tree.

use std::sync::Arc;

use crate::db::key_by_id;
use crate::model::{
    Branch, BranchSummarizer, BranchSummary, Error, Message, NewNode, NodeId, OutlineNode, Result,
    Selection, SessionId, SessionInfo, TreeNode,
};
use crate::ops::{self, BranchSpec, Ctx, Permit};
use crate::read::{self, Cut, PathNodes, PathPlan, Projection, Window};
use crate::store::Store;

/// A handle on one conversation tree. Cheap to clone; `Send`, `Sync` and `'static`.
///
/// Every call is atomic, and durable when it returns. Times (`at`) are Unix time in milliseconds; `None` takes the store's
/// clock. A call that changes something fails with `ReadOnly` on a store opened for reading, with `Busy` when another process
/// keeps the file locked past the deadline or somebody else is in a turn or navigation, with `SessionNotFound` when the
/// session was deleted, and with `Io`; these are not repeated below.
#[derive(Clone)]
pub struct SessionTree {
    store: Store,
    key: i64,
    id: SessionId,
    permit: Permit,
}

/// The active projection, and a summary for every other branch: what a linear format can hold of a tree.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Splice {
    /// The active branch's messages, root first.
    pub messages: Vec<Message>,
    /// One for each other branch, in name order.
    pub summaries: Vec<BranchSummary>,
}

/// How two branches differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BranchDiff {
    /// The deepest node on both; `None` where they share nothing.
    pub common_ancestor: Option<NodeId>,
    /// Nodes only the first branch has, root first.
    pub only_left: Vec<NodeId>,
    /// Nodes only the second branch has, root first.
    pub only_right: Vec<NodeId>,
}

impl SessionTree {
    pub(crate) fn new(store: Store, key: i64, id: SessionId) -> SessionTree {
        SessionTree {
            store,
            key,
            id,
            permit: Permit::Free,
        }
    }

    /// The session's id in its store.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// The store it is in.
    pub fn store(&self) -> &Store {
        &self.store
    }

    fn ctx(&self, at: Option<i64>) -> Ctx<'_> {
        Ctx {
            session_key: self.key,
            actor: &self.store.inner.actor,
            at_ms: at.unwrap_or_else(|| self.store.inner.clock.now_ms()),
            permit: self.permit,
        }
    }

    // What is in it -------------------------------------------------------------------------------------------------------

    /// What a list of sessions shows of it.
    ///
    /// # Errors
    /// `SessionNotFound`, `Io`.
    pub fn info(&self) -> Result<SessionInfo> {
        self.store
            .inner
            .db
            .read(|tx| read::session_info(tx, self.key))
    }

    /// One node with its payload; `None` if the session has no node of this id.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let tree = Store::builder().open_in_memory()?.create_session()?;
    /// let id = tree.append_message(Message::user("hi"), 1_700_000_000_000)?;
    /// let node = tree.node(&id)?.expect("it was just appended");
    /// assert_eq!((node.parent, node.children.len(), node.created_at_ms), (None, 0, 1_700_000_000_000));
    /// assert!(tree.node("n7")?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Io`, `Damaged`.
    pub fn node(&self, id: &str) -> Result<Option<TreeNode>> {
        self.store.inner.db.read(|tx| read::node(tx, self.key, id))
    }

    /// Nodes without their payloads in the order of writing: at most `limit`, from place `from` (0 = the first) on.
    ///
    /// # Errors
    /// `Io`, `Damaged`.
    pub fn outline(&self, from: u32, limit: u32) -> Result<Vec<OutlineNode>> {
        self.store
            .inner
            .db
            .read(|tx| read::outline(tx, self.key, from, limit))
    }

    /// Children of a node in the order of creation.
    ///
    /// # Errors
    /// `NodeNotFound`, `Io`.
    pub fn children(&self, id: &str) -> Result<Vec<NodeId>> {
        self.store
            .inner
            .db
            .read(|tx| read::children(tx, self.key, id))
    }

    /// Nodes without a parent, in the order of writing.
    ///
    /// # Errors
    /// `Io`.
    pub fn roots(&self) -> Result<Vec<NodeId>> {
        self.store.inner.db.read(|tx| read::roots(tx, self.key))
    }

    /// Nodes without children, in the order of writing.
    ///
    /// # Errors
    /// `Io`.
    pub fn leaves(&self) -> Result<Vec<NodeId>> {
        self.store.inner.db.read(|tx| read::leaves(tx, self.key))
    }

    /// A node and all its descendants, in the order of writing.
    ///
    /// # Errors
    /// `NodeNotFound`, `Io`.
    pub fn subtree(&self, id: &str) -> Result<Vec<NodeId>> {
        self.store
            .inner
            .db
            .read(|tx| read::subtree(tx, self.key, id))
    }

    /// The deepest node that is on the paths of both; a node counts as its own ancestor. `None` where they share no root.
    ///
    /// # Errors
    /// `NodeNotFound`; `Damaged`; `Io`.
    pub fn common_ancestor(&self, one: &str, other: &str) -> Result<Option<NodeId>> {
        self.store
            .inner
            .db
            .read(|tx| read::common_ancestor(tx, self.key, one, other))
    }

    // Appending -----------------------------------------------------------------------------------------------------------

    /// Appends a message as a child of the active branch's leaf (a root, if the branch is empty) and moves the leaf to it.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let tree = Store::builder().open_in_memory()?.create_session()?;
    /// let first = tree.append_message(Message::user("hi"), None)?;
    /// assert_eq!(first, "n0");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `TooLarge` for a message no row can hold.
    pub fn append_message(&self, message: Message, at: impl Into<Option<i64>>) -> Result<NodeId> {
        let mut node = NewNode::message(message);
        node.created_at_ms = at.into();
        self.append(node)
    }

    /// Appends a node of any kind to any branch.
    ///
    /// A node whose id is there already with the same kind, bytes and branch (and parent, if one is expected) is a success
    /// without effect, wherever the leaf is by now: a caller that lost the answer can simply call again.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{ErrorKind, Message, NewNode, Store};
    /// # let tree = Store::builder().open_in_memory()?.create_session()?;
    /// let node = NewNode::message(Message::user("hi")).id("q1").expecting_leaf(None);
    /// tree.append(node.clone())?;
    /// assert_eq!(tree.append(node)?, "q1");
    /// let late = NewNode::message(Message::user("late")).expecting_leaf(None);
    /// assert_eq!(tree.append(late).unwrap_err().kind(), ErrorKind::LeafMoved);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `BranchNotFound`; `LeafMoved` where the leaf is not the expected one; `IdTaken`; `InvalidArgument`; `TooLarge`.
    pub fn append(&self, node: NewNode) -> Result<NodeId> {
        let ctx = self.ctx(node.created_at_ms);
        self.store.inner.db.write(|tx| ops::append(tx, &ctx, &node))
    }

    /// Appends several nodes, each after the one before, in one transaction: all or none.
    ///
    /// # Errors
    /// As [`append`](SessionTree::append).
    pub fn append_many(&self, nodes: impl IntoIterator<Item = NewNode>) -> Result<Vec<NodeId>> {
        let nodes: Vec<NewNode> = nodes.into_iter().collect();
        let ctx = self.ctx(None);
        self.store
            .inner
            .db
            .write(|tx| ops::append_all(tx, &ctx, &nodes))
    }

    // Moving --------------------------------------------------------------------------------------------------------------

    /// Moves the active branch's leaf to a node, earlier or later. When it moves, the old leaf is kept under
    /// `<active>-rewound`, `<active>-rewound-2`, ... and that name is returned; `None` where it was there already or the
    /// branch was empty.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let tree = Store::builder().open_in_memory()?.create_session()?;
    /// let question = tree.append_message(Message::user("hi"), None)?;
    /// tree.append_message(Message::assistant("hello"), None)?;
    /// assert_eq!(tree.rewind(&question, None)?.as_deref(), Some("main-rewound"));
    /// assert_eq!(tree.rewind(&question, None)?, None);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `NodeNotFound`.
    pub fn rewind(&self, node_id: &str, at: impl Into<Option<i64>>) -> Result<Option<String>> {
        let ctx = self.ctx(at.into());
        self.store
            .inner
            .db
            .write(|tx| ops::rewind(tx, &ctx, node_id))
    }

    /// Makes a branch that ends at a node and switches to it. Without a name it is `branch`, `branch-2`, ... Returns the name.
    ///
    /// # Errors
    /// `NodeNotFound`; `BranchExists` for a taken name; `InvalidArgument` for one that cannot be used.
    pub fn branch(
        &self,
        from_node: &str,
        name: Option<&str>,
        at: impl Into<Option<i64>>,
    ) -> Result<String> {
        self.make_branch(
            BranchSpec {
                from: Some(from_node),
                name,
                switch: true,
            },
            at.into(),
        )
    }

    /// Makes a branch as [`branch`](SessionTree::branch) does, but stays where it is. Without a node the branch is empty, and
    /// its first append makes another root.
    ///
    /// # Errors
    /// As [`branch`](SessionTree::branch).
    pub fn create_branch(
        &self,
        from_node: Option<&str>,
        name: Option<&str>,
        at: impl Into<Option<i64>>,
    ) -> Result<String> {
        self.make_branch(
            BranchSpec {
                from: from_node,
                name,
                switch: false,
            },
            at.into(),
        )
    }

    fn make_branch(&self, spec: BranchSpec<'_>, at: Option<i64>) -> Result<String> {
        let ctx = self.ctx(at);
        self.store.inner.db.write(|tx| ops::branch(tx, &ctx, spec))
    }

    /// Makes another branch active. Being on it already is a success without effect.
    ///
    /// # Errors
    /// `BranchNotFound`, for `main` too where there is none.
    pub fn switch_branch(&self, name: &str) -> Result<()> {
        let ctx = self.ctx(None);
        self.store.inner.db.write(|tx| ops::switch(tx, &ctx, name))
    }

    // Marks ---------------------------------------------------------------------------------------------------------------

    /// Sets a node's label. An empty text clears it.
    ///
    /// # Errors
    /// `NodeNotFound`.
    pub fn label(&self, node_id: &str, text: &str) -> Result<()> {
        let ctx = self.ctx(None);
        self.store
            .inner
            .db
            .write(|tx| ops::label(tx, &ctx, node_id, text))
    }

    /// Clears a node's label. A label line of a file that is imported later does not set it again.
    ///
    /// # Errors
    /// `NodeNotFound`.
    pub fn clear_label(&self, node_id: &str) -> Result<()> {
        let ctx = self.ctx(None);
        self.store
            .inner
            .db
            .write(|tx| ops::clear_label(tx, &ctx, node_id))
    }

    /// Sets the session's title (white space around it is dropped); `None` or a blank one takes it away.
    ///
    /// # Errors
    /// Only those of every change.
    pub fn rename(&self, name: Option<&str>) -> Result<()> {
        let ctx = self.ctx(None);
        self.store.inner.db.write(|tx| ops::rename(tx, &ctx, name))
    }

    /// Puts the session out of sight, or back. Nothing in it changes.
    ///
    /// # Errors
    /// Only those of every change.
    pub fn archive(&self, archived: bool) -> Result<()> {
        let ctx = self.ctx(None);
        self.store
            .inner
            .db
            .write(|tx| ops::archive_session(tx, &ctx, archived))
    }

    /// Puts a branch out of sight, or back. Its leaf and its name stay.
    ///
    /// # Errors
    /// `BranchNotFound`.
    pub fn archive_branch(&self, name: &str, archived: bool) -> Result<()> {
        let ctx = self.ctx(None);
        self.store
            .inner
            .db
            .write(|tx| ops::archive_branch(tx, &ctx, name, archived))
    }

    // Paths ---------------------------------------------------------------------------------------------------------------

    /// The messages of the active branch, root first, byte for byte. Only nodes of kind `message` are in it.
    ///
    /// # Errors
    /// `CutPath` where an ancestor's parent was never written; `Damaged` for a cycle or a broken path; `Io`.
    pub fn linear_projection(&self) -> Result<Vec<Message>> {
        self.projection(&Selection::default())?.collect()
    }

    /// The messages of a branch, root first, byte for byte. An empty branch has none.
    ///
    /// # Errors
    /// `BranchNotFound`, and as [`linear_projection`](SessionTree::linear_projection).
    pub fn linear_projection_of(&self, branch: &str) -> Result<Vec<Message>> {
        self.projection(&Selection {
            branch: Some(branch.to_owned()),
            ..Selection::default()
        })?
        .collect()
    }

    /// The messages of a path, read page by page as they are taken: memory does not grow with the path. Damage of the walk is
    /// found here, before the first message.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Selection, Store};
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear((0..9).map(|i| Message::user(&i.to_string())), None)?;
    /// let last: Vec<Message> =
    ///     tree.projection(&Selection { last: Some(2), ..Selection::default() })?.collect::<Result<_, _>>()?;
    /// assert_eq!(last, [Message::user("7"), Message::user("8")]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `BranchNotFound`, `NodeNotFound`, `CutPath`, `Damaged`, `Io`.
    pub fn projection(&self, selection: &Selection) -> Result<Projection> {
        Ok(Projection::new(
            Arc::clone(&self.store.inner.db),
            self.plan(selection)?,
        ))
    }

    /// The messages of a branch (`None`: the active one) as far as its path goes, and where it is cut.
    ///
    /// # Errors
    /// `BranchNotFound`, `Damaged`, `Io`.
    pub fn projection_with_report(
        &self,
        branch: Option<&str>,
    ) -> Result<(Vec<Message>, Option<Cut>)> {
        let selection = Selection {
            branch: branch.map(str::to_owned),
            allow_cut: true,
            ..Selection::default()
        };
        let projection = self.projection(&selection)?;
        let cut = projection.cut().cloned();
        Ok((projection.collect::<Result<_>>()?, cut))
    }

    /// The nodes of a path of all kinds, with their payloads, read page by page as they are taken.
    ///
    /// # Errors
    /// As [`projection`](SessionTree::projection).
    pub fn path_nodes(&self, selection: &Selection) -> Result<PathNodes> {
        Ok(PathNodes::new(
            Arc::clone(&self.store.inner.db),
            self.plan(selection)?,
        ))
    }

    /// The ids of the active branch's nodes of all kinds, root first.
    ///
    /// # Errors
    /// As [`linear_projection`](SessionTree::linear_projection).
    pub fn active_path(&self) -> Result<Vec<NodeId>> {
        self.path_ids(&Selection::default())
    }

    /// The ids of a branch's nodes of all kinds, root first.
    ///
    /// # Errors
    /// As [`linear_projection_of`](SessionTree::linear_projection_of).
    pub fn path_of(&self, branch: &str) -> Result<Vec<NodeId>> {
        self.path_ids(&Selection {
            branch: Some(branch.to_owned()),
            ..Selection::default()
        })
    }

    /// The ids of a selected path's nodes of all kinds, root first.
    ///
    /// # Errors
    /// As [`projection`](SessionTree::projection).
    pub fn path_ids(&self, selection: &Selection) -> Result<Vec<NodeId>> {
        read::path_ids(&self.store.inner.db, &self.plan(selection)?)
    }

    /// The nodes on the way from one node to another, both included: up to their common ancestor, then down.
    ///
    /// # Errors
    /// `NodeNotFound`; `InvalidArgument` where they share no root; `Damaged`; `Io`.
    pub fn path_between(&self, from: &str, to: &str) -> Result<Vec<NodeId>> {
        let up = self.path_ids(&Selection {
            leaf: Some(from.to_owned()),
            allow_cut: true,
            ..Selection::default()
        })?;
        let down = self.path_ids(&Selection {
            leaf: Some(to.to_owned()),
            allow_cut: true,
            ..Selection::default()
        })?;
        let shared = up
            .iter()
            .zip(&down)
            .take_while(|(one, other)| one == other)
            .count();
        if shared == 0 {
            return Err(Error::invalid(format!(
                "the nodes `{from}` and `{to}` have no common root"
            ))
            .with_node(from));
        }
        Ok(up
            .iter()
            .skip(shared)
            .rev()
            .chain(down.iter().skip(shared - 1))
            .cloned()
            .collect())
    }

    /// How two branches differ.
    ///
    /// # Errors
    /// `BranchNotFound`, `Damaged`, `Io`.
    pub fn diff(&self, left: &str, right: &str) -> Result<BranchDiff> {
        let path = |branch: &str| {
            self.path_ids(&Selection {
                branch: Some(branch.to_owned()),
                allow_cut: true,
                ..Selection::default()
            })
        };
        let (left, right) = (path(left)?, path(right)?);
        let shared = left
            .iter()
            .zip(&right)
            .take_while(|(one, other)| one == other)
            .count();
        Ok(BranchDiff {
            common_ancestor: shared
                .checked_sub(1)
                .and_then(|last| left.get(last))
                .cloned(),
            only_left: left.into_iter().skip(shared).collect(),
            only_right: right.into_iter().skip(shared).collect(),
        })
    }

    fn plan(&self, selection: &Selection) -> Result<PathPlan> {
        let window = match (selection.last, selection.allow_cut) {
            (Some(last), _) => Window::LastMessages(last),
            (None, true) => Window::FromCut,
            (None, false) => Window::Whole,
        };
        self.store
            .inner
            .db
            .read(|tx| read::select(tx, self.key, selection, window))
    }

    // Branches ------------------------------------------------------------------------------------------------------------

    /// All branches in name order, archived ones included.
    ///
    /// # Errors
    /// `Io`.
    pub fn branches(&self) -> Result<Vec<Branch>> {
        self.store.inner.db.read(|tx| read::branches(tx, self.key))
    }

    /// The name of the branch the session is on.
    ///
    /// # Errors
    /// `Damaged` where there is none; `Io`.
    pub fn active_branch(&self) -> Result<String> {
        Ok(self.info()?.active_branch)
    }

    /// Whether there is more than one branch, archived ones included.
    ///
    /// # Errors
    /// `Io`.
    pub fn has_branches(&self) -> Result<bool> {
        self.store
            .inner
            .db
            .read(|tx| read::has_branches(tx, self.key))
    }

    // Summaries -----------------------------------------------------------------------------------------------------------

    /// Stores a text that stands for a branch, as of its present leaf. Older summaries are kept; the newest counts.
    ///
    /// # Errors
    /// `BranchNotFound`; `EmptyBranch` for one without a leaf.
    pub fn summarize_branch(
        &self,
        branch: &str,
        summary: &str,
        model_id: Option<&str>,
        at: impl Into<Option<i64>>,
    ) -> Result<()> {
        let ctx = self.ctx(at.into());
        self.store
            .inner
            .db
            .write(|tx| ops::summarize(tx, &ctx, branch, None, summary, model_id))
    }

    /// Every summary the branch ever got, oldest first.
    ///
    /// # Errors
    /// `BranchNotFound`, `Io`.
    pub fn summaries(&self, branch: &str) -> Result<Vec<BranchSummary>> {
        self.store
            .inner
            .db
            .read(|tx| read::summaries(tx, self.key, branch))
    }

    /// The branch as text, one line a message: `role: content`.
    ///
    /// # Errors
    /// As [`linear_projection_of`](SessionTree::linear_projection_of).
    pub fn render_branch_text(&self, branch: &str) -> Result<String> {
        let mut text = String::new();
        let selection = Selection {
            branch: Some(branch.to_owned()),
            ..Selection::default()
        };
        read::render_into(&mut text, self.projection(&selection)?)?;
        Ok(text)
    }

    /// Has a branch summarised and stores the text, as of the leaf that was rendered. No transaction is open meanwhile. If the
    /// summariser fails, `[N turn(s), unsummarized]` is stored without a model, and the call succeeds. Returns the text.
    ///
    /// # Errors
    /// `BranchNotFound`, `EmptyBranch`, and as [`linear_projection_of`](SessionTree::linear_projection_of).
    pub fn summarize_branch_with(
        &self,
        branch: &str,
        summarizer: &dyn BranchSummarizer,
        at: impl Into<Option<i64>>,
    ) -> Result<String> {
        let at = at.into();
        let found = self
            .branches()?
            .into_iter()
            .find(|known| known.name == branch);
        let leaf = found
            .ok_or_else(|| Error::branch_not_found(branch))?
            .leaf
            .ok_or_else(|| ops::empty_branch(branch))?;
        // What is rendered is the path of that very leaf, wherever the branch has gone meanwhile.
        let rendered = Selection {
            leaf: Some(leaf.to_string()),
            ..Selection::default()
        };
        let projection = self.projection(&rendered)?;
        let turns = projection.remaining();
        let mut text = String::new();
        read::render_into(&mut text, projection)?;
        let (summary, model_id) = match summarizer.summarize(&text) {
            Ok(summary) => (summary, Some(summarizer.model_id())),
            Err(_) => (read::turns_text(turns), None),
        };
        let ctx = self.ctx(at);
        self.store
            .inner
            .db
            .write(|tx| ops::summarize(tx, &ctx, branch, Some(&leaf), &summary, model_id))?;
        Ok(summary)
    }

    /// The active projection, and for every other branch in name order its newest summary, or `[N turn(s), unsummarized]`, or
    /// a text that says that it could not be read or has no leaf.
    ///
    /// # Errors
    /// As [`linear_projection`](SessionTree::linear_projection), for the active branch only.
    pub fn splice_for_linear_export(&self) -> Result<Splice> {
        let messages = self.linear_projection()?;
        let mut summaries = Vec::new();
        for branch in self
            .branches()?
            .into_iter()
            .filter(|branch| !branch.is_active)
        {
            summaries.push(self.standing_for(branch));
        }
        Ok(Splice {
            messages,
            summaries,
        })
    }

    fn standing_for(&self, branch: Branch) -> BranchSummary {
        if let Some(summary) = branch.summary {
            return summary;
        }
        let (summary, node_id) = match &branch.leaf {
            None => (
                format!(
                    "[branch `{}` has no leaf yet — nothing to summarize]",
                    branch.name
                ),
                String::new(),
            ),
            Some(leaf) => {
                let selection = Selection {
                    branch: Some(branch.name.clone()),
                    ..Selection::default()
                };
                let text = match self.projection(&selection) {
                    Ok(projection) => read::turns_text(projection.remaining()),
                    Err(error) => format!(
                        "[branch `{}` could not be read, unsummarized: {error}]",
                        branch.name
                    ),
                };
                (text, leaf.to_string())
            }
        };
        BranchSummary {
            summary,
            node_id,
            branch: branch.name,
            model_id: None,
            created_at_ms: branch.created_at_ms,
        }
    }

    /// Whether a node of this id is there.
    ///
    /// # Errors
    /// `Io`.
    pub fn contains(&self, node_id: &str) -> Result<bool> {
        Ok(self
            .store
            .inner
            .db
            .read(|tx| key_by_id(tx, self.key, node_id))?
            .is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared_everywhere<T: Send + Sync + 'static>() {}

    #[test]
    fn handles_are_send_sync_and_static() {
        shared_everywhere::<Store>();
        shared_everywhere::<SessionTree>();
        shared_everywhere::<Error>();
        shared_everywhere::<Projection>();
        shared_everywhere::<PathNodes>();
    }
}
