//! Branches and their summaries.

use super::id::NodeId;

/// The name of the branch a new session starts on.
pub const MAIN_BRANCH: &str = "main";

/// A named pointer to a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Branch {
    /// Its name, unique in the session.
    pub name: String,
    /// The node where it ends; `None` while it is empty.
    pub leaf: Option<NodeId>,
    /// Whether the session is on it.
    pub is_active: bool,
    /// Whether it was archived.
    pub is_archived: bool,
    /// Its newest summary.
    pub summary: Option<BranchSummary>,
    /// Unix time in milliseconds.
    pub created_at_ms: i64,
}

/// Text that stands for a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BranchSummary {
    /// The text.
    pub summary: String,
    /// The leaf as of which it speaks; empty for a branch without a leaf. It lies behind the leaf once the branch has gone on.
    pub node_id: String,
    /// The branch it stands for.
    pub branch: String,
    /// The model that wrote it; `None` for a count or a person's words.
    pub model_id: Option<String>,
    /// Unix time in milliseconds.
    pub created_at_ms: i64,
}

/// Writes the summary of a branch. It is called with no transaction open and may take as long as it needs.
pub trait BranchSummarizer {
    /// Summarises the text of a branch, one line a message as `role: content`.
    ///
    /// # Errors
    /// Any error: the caller then stores a plain count of the turns.
    fn summarize(&self, branch_text: &str) -> crate::Result<String>;

    /// The model that writes, as it is to be recorded.
    fn model_id(&self) -> &str;
}
