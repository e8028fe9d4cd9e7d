//! Texts that stand for branches, and the splice made of them.

use super::SessionTree;
use crate::model::{Branch, BranchSummarizer, BranchSummary, Error, Message, Result, Selection};
use crate::{ops, read};

/// The active projection, and a summary for every other branch: what a linear format can hold of a tree.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Splice {
    /// The active branch's messages, root first.
    pub messages: Vec<Message>,
    /// One for each other branch, in name order.
    pub summaries: Vec<BranchSummary>,
}

impl SessionTree {
    /// Stores a text that stands for a branch, as of its present leaf. Older summaries are kept; the newest counts.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.summarize_branch("main", "A greeting.", Some("small-model"), None)?;
    /// let summary = tree.branches()?[0].summary.clone().unwrap();
    /// assert_eq!((summary.summary.as_str(), summary.node_id.as_str()), ("A greeting.", "n1"));
    /// # Ok::<(), Error>(())
    /// ```
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
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.summarize_branch("main", "first", None, None)?;
    /// tree.summarize_branch("main", "second", None, None)?;
    /// assert_eq!(tree.summaries("main")?.len(), 2);
    /// # Ok::<(), Error>(())
    /// ```
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
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert_eq!(tree.render_branch_text("main")?, "user: q\nassistant: a\n");
    /// # Ok::<(), Error>(())
    /// ```
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
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// struct Tiny;
    /// impl BranchSummarizer for Tiny {
    ///     fn summarize(&self, text: &str) -> Result<String> {
    ///         Ok(format!("{} lines", text.lines().count()))
    ///     }
    ///     fn model_id(&self) -> &str {
    ///         "tiny"
    ///     }
    /// }
    /// assert_eq!(tree.summarize_branch_with("main", &Tiny, None)?, "2 lines");
    /// # Ok::<(), Error>(())
    /// ```
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
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rewind("n0", None)?;
    /// let splice = tree.splice_for_linear_export()?;
    /// assert_eq!(splice.messages.len(), 1);
    /// assert_eq!(splice.summaries[0].summary, "[2 turn(s), unsummarized]");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`linear_projection`](SessionTree::linear_projection), for the active branch only.
    pub fn splice_for_linear_export(&self) -> Result<Splice> {
        Ok(Splice {
            messages: self.linear_projection()?,
            summaries: self.stand_ins()?,
        })
    }

    /// For every branch but the active one, in name order, what stands for it.
    pub(crate) fn stand_ins(&self) -> Result<Vec<BranchSummary>> {
        let branches = self.branches()?.into_iter();
        Ok(branches
            .filter(|branch| !branch.is_active)
            .map(|branch| self.standing_for(branch))
            .collect())
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
}
