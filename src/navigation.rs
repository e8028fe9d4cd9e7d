//! Navigation: a person's guarded move, with hooks and an optional summary of what is left behind.

mod abort;
mod hooks;
mod navigate;

use std::fmt;

use crate::model::{
    ErrorKind, NavigateOptions, Navigated, NavigationSummary, NodeId, Result, Unsummarized,
};
use crate::ops::{self, Permit, Place, Route};
use crate::read::{self, PathPlan, path_ids};
use crate::tree::SessionTree;
use crate::turn::Held;

pub use abort::AbortHandle;
pub use hooks::{NavigationHooks, NavigationSummarizer, SummaryRequest};

/// A navigation that is planned and not made: it keeps the session from moving until it is committed, aborted or dropped.
///
/// Between planning and committing an async program can have its summary written.
///
/// ```
/// # fn main() -> session_tree::Result<()> {
/// # use session_tree::{Message, NavigateOptions, Store};
/// # let store = Store::builder().open_in_memory()?;
/// # let tree = store.from_linear([Message::user("which?"), Message::assistant("both")], None)?;
/// let navigation = tree.plan_navigation("n0", &NavigateOptions::new())?;
/// let text = navigation.branch_text()?.unwrap_or_default();
/// assert_eq!(text, "assistant: both\n");
/// let done = navigation.commit(Some("It was both.".into()))?;
/// assert_eq!(done.editor_text.as_deref(), Some("which?"));
/// assert_eq!(done.preserved_branch.as_deref(), Some("main-rewound"));
/// # Ok(())
/// # }
/// ```
pub struct Navigation {
    tree: SessionTree,
    options: NavigateOptions,
    way: Way,
}

enum Way {
    Here(Place),
    Planned { held: Held, route: Route },
}

impl Navigation {
    /// The session.
    pub fn tree(&self) -> &SessionTree {
        &self.tree
    }

    /// Whether the target is the leaf already, so that there is nothing to do.
    pub fn is_here(&self) -> bool {
        matches!(self.way, Way::Here(_))
    }

    /// The node it goes to, as it was asked for.
    pub fn target(&self) -> Option<&NodeId> {
        match &self.way {
            Way::Here(place) => place.leaf.as_ref(),
            Way::Planned { route, .. } => Some(&route.target),
        }
    }

    /// The active branch's leaf before the move.
    pub fn old_leaf(&self) -> Option<&NodeId> {
        match &self.way {
            Way::Here(place) => place.leaf.as_ref(),
            Way::Planned { route, .. } => route.from.leaf.as_ref(),
        }
    }

    /// The leaf after it, a summary aside; `None` before the first node.
    pub fn new_leaf(&self) -> Option<&NodeId> {
        match &self.way {
            Way::Here(place) => place.leaf.as_ref(),
            Way::Planned { route, .. } => route.to.as_ref(),
        }
    }

    /// To a user's message or a custom message: its text, to be edited and sent anew.
    pub fn editor_text(&self) -> Option<&str> {
        match &self.way {
            Way::Here(_) => None,
            Way::Planned { route, .. } => route.editor_text.as_deref(),
        }
    }

    /// Whether a summary was asked for.
    pub fn wants_summary(&self) -> bool {
        self.options.summarize
    }

    /// What the summariser is to look at besides its own instructions.
    pub fn instructions(&self) -> Option<&str> {
        self.options.instructions.as_deref()
    }

    /// Whether the instructions take the place of the summariser's own.
    pub fn replaces_instructions(&self) -> bool {
        self.options.replace_instructions
    }

    /// The nodes of all kinds that are left behind: those from the common ancestor of the old leaf and the target, without it,
    /// to the old leaf. Empty for a move forward.
    ///
    /// # Errors
    /// `Damaged`, `Io`.
    pub fn left_behind(&self) -> Result<Vec<NodeId>> {
        path_ids(&self.tree.store().inner.db, &self.plan()?)
    }

    /// What is left behind as text, one line a message as `role: content`, results of tools left out; `None` where nothing of
    /// it says anything to a model.
    ///
    /// # Errors
    /// `Damaged`, `Io`.
    pub fn branch_text(&self) -> Result<Option<String>> {
        read::text_left_behind(&self.tree.store().inner.db, self.plan()?)
    }

    fn plan(&self) -> Result<PathPlan> {
        match &self.way {
            Way::Planned { route, .. } => {
                match route.from.pin.leaf_key {
                    Some(leaf) => self.tree.store().inner.db.read(|tx| {
                        read::left_behind(tx, &route.from.branch, leaf, route.target_key)
                    }),
                    None => Ok(PathPlan::default()),
                }
            }
            Way::Here(_) => Ok(PathPlan::default()),
        }
    }

    /// A handle that gives it up from another thread.
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle {
            tree: self.tree.clone(),
            fence: match &self.way {
                Way::Here(_) => None,
                Way::Planned { held, .. } => Some(held.fence()),
            },
        }
    }

    /// Gives it up: nothing is moved, and the session is free. Dropping it does the same.
    ///
    /// # Errors
    /// `Busy`, `Io`: the file could not be written. The session is free when the process ends, and after 30 seconds.
    pub fn abort(self) -> Result<()> {
        match self.way {
            Way::Here(_) => Ok(()),
            Way::Planned { mut held, .. } => held.end(),
        }
    }

    /// Makes the move. The old leaf is kept under a sibling name if it would have none otherwise; a summary becomes a node of
    /// kind `branch_summary` under the new leaf, and the summary of the branch left behind.
    ///
    /// An empty summary is none, which the answer says. A navigation that was aborted answers so, and moves nothing.
    ///
    /// # Errors
    /// `LeafMoved` where the branch was moved, or another made active, from outside the guards; `TurnLost` where the
    /// navigation was released. Nothing is changed then, and the session is free of it.
    pub fn commit(self, summary: Option<NavigationSummary>) -> Result<Navigated> {
        let Navigation { tree, options, way } = self;
        let (mut held, route) = match way {
            Way::Here(place) => {
                return Ok(Navigated {
                    leaf: place.leaf,
                    ..Navigated::default()
                });
            }
            Way::Planned { held, route } => (held, route),
        };
        let fence = held.fence();
        let permit = Permit::Held { fence, pin: None };
        let ctx = tree.ctx_with(options.at, permit);
        let db = &tree.store().inner.db;
        let label = options.label.as_deref();
        let done =
            db.write(|tx| ops::commit_navigation(tx, &ctx, fence, &route, summary.as_ref(), label));
        match done {
            Ok(moved) => {
                held.forget();
                Ok(Navigated {
                    editor_text: route.editor_text,
                    leaf: moved.leaf,
                    preserved_branch: moved.preserved,
                    summary_node: moved.summary_node,
                    unsummarized: summary
                        .filter(|summary| summary.text.is_empty())
                        .map(|_| Unsummarized::EmptySummary),
                    ..Navigated::default()
                })
            }
            Err(error)
                if matches!(error.kind(), ErrorKind::TurnLost | ErrorKind::LeafMoved)
                    && db.read(|tx| ops::was_aborted(tx, tree.key(), fence))? =>
            {
                Ok(gave_up(&tree, true))
            }
            Err(error) => Err(error),
        }
    }
}

impl fmt::Debug for Navigation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Navigation")
            .field("session", self.tree.id())
            .field("target", &self.target())
            .field("old_leaf", &self.old_leaf())
            .finish_non_exhaustive()
    }
}

/// The answer of a navigation that moved nothing.
fn gave_up(tree: &SessionTree, aborted: bool) -> Navigated {
    Navigated {
        cancelled: true,
        aborted,
        leaf: tree.info().ok().and_then(|info| info.leaf),
        ..Navigated::default()
    }
}
