//! What a program can put into a navigation: a summariser, and hooks before and after it.

use super::{AbortHandle, Navigation};
use crate::model::{BranchSummarizer, HookDecision, Navigated, Result};
use crate::tree::SessionTree;

/// Writes the summary of what a navigation leaves behind. No transaction is open meanwhile, and it may take as long as it
/// needs; every [`BranchSummarizer`] is one that leaves instructions and aborts aside.
pub trait NavigationSummarizer {
    /// Summarises.
    ///
    /// # Errors
    /// Any error: the navigation then fails with its text and changes nothing. After an abort the error is not looked at.
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String>;

    /// The model that writes, as it is to be recorded.
    fn model_id(&self) -> &str;
}

impl<S: BranchSummarizer + ?Sized> NavigationSummarizer for S {
    fn summarize(&self, request: &SummaryRequest<'_>) -> Result<String> {
        BranchSummarizer::summarize(self, request.branch_text)
    }

    fn model_id(&self) -> &str {
        BranchSummarizer::model_id(self)
    }
}

/// What a summariser is asked.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct SummaryRequest<'a> {
    /// What is left behind, one line a message as `role: content`.
    pub branch_text: &'a str,
    /// What to look at besides the summariser's own instructions.
    pub instructions: Option<&'a str>,
    /// Whether the instructions take the place of the summariser's own.
    pub replace_instructions: bool,
    /// Tells whether the navigation was aborted meanwhile. One that takes long should look now and then.
    pub abort: &'a AbortHandle,
}

/// What a program wants to do before and after navigations. Never called within a transaction.
pub trait NavigationHooks {
    /// Called before anything is moved; the session is kept from moving meanwhile.
    ///
    /// # Errors
    /// Any error: the navigation fails with it and changes nothing.
    fn before(&self, planned: &Navigation) -> Result<HookDecision> {
        let _ = planned;
        Ok(HookDecision::go_on())
    }

    /// Called when the move is made and the session is free again.
    ///
    /// # Errors
    /// Any error: it is reported in [`Navigated::after_error`], beside the success.
    fn after(&self, tree: &SessionTree, done: &Navigated) -> Result<()> {
        let _ = (tree, done);
        Ok(())
    }
}
