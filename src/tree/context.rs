//! What the model should see, and what it has cost.

use super::SessionTree;
use crate::model::{Result, Selection};
use crate::read::{self, Context, SessionStats};

impl SessionTree {
    /// What the model should see of a path (its `branch`, `leaf` and `before` count; `last` does not, because a compaction
    /// above the window would be missed): the last compaction in place of what it took away, custom messages and summaries of branches as
    /// messages, edits made. A cut path is answered from the cut on.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, NewNode, Selection, Store};
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("one"), Message::assistant("two"), Message::user("three")], None)?;
    /// let compaction = r#"{"summary":"They counted.","firstKeptEntryId":"n2","tokensBefore":900}"#;
    /// tree.append(NewNode::of_kind("compaction", Message::new(compaction)?))?;
    /// let context = tree.context(&Selection::default())?;
    /// let nodes: Vec<&str> = context.messages.iter().map(|(node, _)| node.as_str()).collect();
    /// assert_eq!(nodes, ["n3", "n2"]);
    /// assert_eq!(context.messages[1].1, Message::user("three"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `BranchNotFound`, `NodeNotFound`, `Damaged`, `Io`.
    pub fn context(&self, selection: &Selection) -> Result<Context> {
        read::context(&self.store.inner.db, self.key, selection)
    }

    /// The last messages of the active branch's context, or of those before the message of a node; `None` where only the whole
    /// context tells them.
    #[cfg(feature = "rpc")]
    pub(crate) fn context_end(
        &self,
        before: Option<&str>,
        wanted: u64,
    ) -> Result<Option<read::ContextEnd>> {
        read::context_end(&self.store.inner.db, self.key, before, wanted)
    }

    /// Counts over the context of the active branch: what the model sees now.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let stats = tree.context_stats()?;
    /// assert_eq!((stats.user_messages, stats.assistant_messages), (1, 1));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`context`](SessionTree::context).
    pub fn context_stats(&self) -> Result<SessionStats> {
        let mut stats = SessionStats::default();
        for (_, message) in self.context(&Selection::default())?.messages {
            stats.count(&message);
        }
        Ok(stats)
    }

    /// Counts over all nodes on all branches: what the session has used.
    ///
    /// # Errors
    /// `Damaged`, `Io`.
    pub fn stats(&self) -> Result<SessionStats> {
        let mut stats = SessionStats::default();
        for node in self.nodes() {
            let node = node?;
            stats.count_node(&node.kind, &node.message);
        }
        Ok(stats)
    }
}
