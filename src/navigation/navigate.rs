//! Navigating in one call: plan, hooks, summary, move.

use super::abort::abort;
use super::{Navigation, NavigationHooks, NavigationSummarizer, SummaryRequest, Way, gave_up};
use crate::model::{
    Error, ErrorKind, NavigateOptions, Navigated, NavigationSummary, Result, Unsummarized,
};
use crate::ops::{self, Planning};
use crate::read;
use crate::tree::SessionTree;
use crate::turn::Held;

/// What is stored where nothing that is left behind says anything to a model.
const NOTHING_SAID: &str = "No content to summarize";

/// No hooks.
struct NoHooks;

impl NavigationHooks for NoHooks {}

impl SessionTree {
    /// Plans a navigation to a node. The session is kept from moving until the plan is committed, aborted or dropped.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let navigation = tree.plan_navigation("n0", &NavigateOptions::default())?;
    /// assert_eq!(navigation.editor_text(), Some("q"));
    /// let done = navigation.commit(None)?;
    /// assert_eq!(done.leaf, None);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Busy` while a turn or another navigation goes on ([`Error::busy_with`] tells which); `NodeNotFound`.
    pub fn plan_navigation(&self, target: &str, options: &NavigateOptions) -> Result<Navigation> {
        self.plan_to(target, options, false)
    }

    /// Navigates to a node: plans it, has what is left behind summarised if that is asked for, and makes the move.
    ///
    /// To a user's message or a custom message the leaf becomes its parent (before the first node, where it has none), and
    /// its text is answered, to be edited and sent anew. To anything else the leaf becomes the node itself. Navigating to the
    /// leaf does nothing.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, NavigateOptions, Store};
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("which?"), Message::assistant("both")], None)?;
    /// let done = tree.navigate("n0", &NavigateOptions::new().label("again"), None)?;
    /// assert_eq!((done.leaf, done.editor_text.as_deref()), (None, Some("which?")));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Checked in this order: `Busy` while a turn or another navigation goes on ([`Error::busy_with`] tells which);
    /// `SummarizerFailed` where a summary is asked for and there is no summariser; `NodeNotFound`. Then `SummarizerFailed`
    /// with the summariser's own text, and as [`Navigation::commit`]. After every error the session is as it was, and free.
    pub fn navigate(
        &self,
        target: &str,
        options: &NavigateOptions,
        summarizer: Option<&dyn NavigationSummarizer>,
    ) -> Result<Navigated> {
        self.navigate_with_hooks(target, options, summarizer, &NoHooks)
    }

    /// Navigates as [`navigate`](SessionTree::navigate) does, and asks the hooks before and after.
    ///
    /// # Errors
    /// As [`navigate`](SessionTree::navigate), and what the hook before it fails with.
    pub fn navigate_with_hooks(
        &self,
        target: &str,
        options: &NavigateOptions,
        summarizer: Option<&dyn NavigationSummarizer>,
        hooks: &dyn NavigationHooks,
    ) -> Result<Navigated> {
        let lacks_summarizer = options.summarize && summarizer.is_none();
        let mut navigation = self.plan_to(target, options, lacks_summarizer)?;
        if navigation.is_here() {
            return navigation.commit(None);
        }
        let decision = hooks.before(&navigation)?;
        if decision.cancel {
            navigation.abort()?;
            return Ok(gave_up(self, false));
        }
        if let Some((text, replace)) = decision.instructions {
            navigation.options.instructions = Some(text);
            navigation.options.replace_instructions = replace;
        }
        if decision.label.is_some() {
            navigation.options.label = decision.label;
        }
        let summary = match (options.summarize, decision.summary, summarizer) {
            (false, _, _) => None,
            (true, Some(text), _) => Some(NavigationSummary::new(text).by_hook()),
            (true, None, None) => None,
            (true, None, Some(summarizer)) => match summarized(&navigation, summarizer) {
                Ok(summary) => summary,
                Err(_) if navigation.abort_handle().is_aborted() => None,
                Err(error) if error.kind() == ErrorKind::Cancelled => {
                    navigation.abort()?;
                    return Ok(gave_up(self, true));
                }
                Err(error) => return Err(error),
            },
        };
        let wants_none = options.summarize && summary.is_none();
        let mut done = navigation.commit(summary)?;
        if !done.cancelled {
            if wants_none {
                done.unsummarized = Some(Unsummarized::NothingLeftBehind);
            }
            done.after_error = hooks.after(self, &done).err();
        }
        Ok(done)
    }

    /// Gives up the navigation that is going on in the session, in whatever process: the session is free at once, and
    /// committing answers `aborted` there. Returns whether there was one.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let navigation = tree.plan_navigation("n0", &NavigateOptions::default())?;
    /// assert!(tree.abort_navigation()?);
    /// assert!(navigation.commit(None)?.aborted);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Only those of every change.
    pub fn abort_navigation(&self) -> Result<bool> {
        abort(self, None)
    }

    fn plan_to(
        &self,
        target: &str,
        options: &NavigateOptions,
        lacks_summarizer: bool,
    ) -> Result<Navigation> {
        let planning = Held::taking(self, options.at, |tx, ctx| {
            ops::plan_navigation(tx, ctx, target, lacks_summarizer)
        })?;
        let way = match planning {
            Planning::Here(place) => Way::Here(place),
            Planning::Taken(fence, route) => Way::Planned {
                held: Held::new(self, fence),
                route,
            },
        };
        Ok(Navigation {
            tree: self.clone(),
            options: options.clone(),
            way,
        })
    }
}

/// Has what is left behind summarised; `None` where nothing is.
fn summarized(
    navigation: &Navigation,
    summarizer: &dyn NavigationSummarizer,
) -> Result<Option<NavigationSummary>> {
    let plan = navigation.plan()?;
    if plan.runs.is_empty() {
        return Ok(None);
    }
    let db = &navigation.tree.store().inner.db;
    let Some(branch_text) = read::text_left_behind(db, plan)? else {
        return Ok(Some(NavigationSummary::new(NOTHING_SAID)));
    };
    let abort = navigation.abort_handle();
    let request = SummaryRequest {
        branch_text: &branch_text,
        instructions: navigation.instructions(),
        replace_instructions: navigation.replaces_instructions(),
        abort: &abort,
    };
    match summarizer.summarize(&request) {
        Ok(text) => Ok(Some(
            NavigationSummary::new(text).by_model(summarizer.model_id()),
        )),
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        Err(error) => {
            let text = match error.to_string() {
                text if text.is_empty() => String::from("Summarization failed"),
                text => text,
            };
            Err(Error::new(ErrorKind::SummarizerFailed, text).caused_by(error))
        }
    }
}
