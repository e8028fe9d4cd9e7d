//! Paths from a root to a leaf, and how two of them differ.

use std::sync::Arc;

use super::SessionTree;
use crate::model::{Error, Message, NodeId, Result, Selection};
use crate::read::{self, Cut, PathNodes, PathPlan, Projection, Window};

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
    /// The messages of the active branch, root first, byte for byte. Only nodes of kind `message` are in it.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert_eq!(tree.linear_projection()?, [Message::user("q"), Message::assistant("a")]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `CutPath` where an ancestor's parent was never written; `Damaged` for a cycle or a broken path; `Io`.
    pub fn linear_projection(&self) -> Result<Vec<Message>> {
        self.projection(&Selection::default())?.into_messages()
    }

    /// The messages of a branch, root first, byte for byte. An empty branch has none.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// assert_eq!(tree.linear_projection_of("main-rewound")?.len(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `BranchNotFound`, and as [`linear_projection`](SessionTree::linear_projection).
    pub fn linear_projection_of(&self, branch: &str) -> Result<Vec<Message>> {
        self.projection(&Selection {
            branch: Some(branch.to_owned()),
            ..Selection::default()
        })?
        .into_messages()
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
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let (messages, cut) = tree.projection_with_report(None)?;
    /// assert_eq!((messages.len(), cut), (2, None));
    /// # Ok::<(), Error>(())
    /// ```
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
        Ok((projection.into_messages()?, cut))
    }

    /// The nodes of a path of all kinds, with their payloads, read page by page as they are taken.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// for node in tree.path_nodes(&Selection::default())? {
    ///     let node = node?;
    ///     println!("{} {}: {}", node.id, node.kind, node.preview);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
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
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert_eq!(tree.active_path()?, ["n0", "n1"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`linear_projection`](SessionTree::linear_projection).
    pub fn active_path(&self) -> Result<Vec<NodeId>> {
        self.path_ids(&Selection::default())
    }

    /// The ids of a branch's nodes of all kinds, root first.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// assert_eq!(tree.path_of("main-rewound")?, ["n0", "n1"]);
    /// # Ok::<(), Error>(())
    /// ```
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
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let selection = Selection { leaf: Some("n0".into()), ..Selection::default() };
    /// assert_eq!(tree.path_ids(&selection)?, ["n0"]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`projection`](SessionTree::projection).
    pub fn path_ids(&self, selection: &Selection) -> Result<Vec<NodeId>> {
        read::path_ids(&self.store.inner.db, &self.plan(selection)?)
    }

    /// The nodes on the way from one node to another, both included: up to their common ancestor, then down.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// tree.append_message(Message::assistant("another answer"), None)?;
    /// assert_eq!(tree.path_between("n1", "n2")?, ["n1", "n0", "n2"]);
    /// # Ok::<(), Error>(())
    /// ```
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
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// tree.append_message(Message::assistant("another answer"), None)?;
    /// let diff = tree.diff("main", "main-rewound")?;
    /// assert_eq!(diff.common_ancestor.as_deref(), Some("n0"));
    /// assert_eq!((diff.only_left, diff.only_right), (vec!["n2".into()], vec!["n1".into()]));
    /// # Ok::<(), Error>(())
    /// ```
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

    pub(super) fn plan(&self, selection: &Selection) -> Result<PathPlan> {
        let window = match (selection.last, selection.allow_cut) {
            (Some(last), true) => Window::LastFromCut(last),
            (Some(last), false) => Window::LastMessages(last),
            (None, true) => Window::FromCut,
            (None, false) => Window::Whole,
        };
        self.store
            .inner
            .db
            .read(|tx| read::select(tx, self.key, selection, window))
    }
}
