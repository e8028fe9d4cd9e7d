//! What exporters need of a tree beyond its API.

use std::collections::BTreeMap;

use crate::model::{NodeId, Result};
use crate::read::{self, SourceIndex, SourceLine, SourceText};
use crate::tree::SessionTree;

impl SessionTree {
    /// Where everything stood in the session's source.
    pub(crate) fn source_index(&self) -> Result<SourceIndex> {
        let db = &self.store().inner.db;
        db.read(|tx| read::source_index(tx, self.key()))
    }

    /// The first of these lines with what stands on them, as many as fit a page.
    pub(crate) fn source_page(
        &self,
        index: &SourceIndex,
        lines: &[SourceLine],
    ) -> Result<Vec<SourceText>> {
        let db = &self.store().inner.db;
        db.read(|tx| read::source_page(tx, index, lines))
    }

    /// All labels, those that were cleared by hand too.
    pub(crate) fn labels(&self) -> Result<BTreeMap<String, Option<String>>> {
        let db = &self.store().inner.db;
        db.read(|tx| read::labels(tx, self.key()))
    }

    /// Whether somebody here has said something about a label or the title.
    pub(crate) fn has_marks_of_its_own(&self) -> Result<bool> {
        let db = &self.store().inner.db;
        db.read(|tx| read::has_marks_of_its_own(tx, self.key()))
    }

    /// Whether the active leaf is the one that the source had when it was read last.
    pub(crate) fn is_at_file_leaf(&self) -> Result<bool> {
        let Some((_, leaf_key)) = self.store().followed_branch(self.key())? else {
            return Ok(false);
        };
        match self.info()?.leaf {
            Some(leaf) => Ok(leaf_key == self.store().key_of(self.key(), &leaf)?),
            None => Ok(leaf_key.is_none()),
        }
    }

    /// The number of the next `n<number>`, in a session that counts its ids itself.
    pub(crate) fn next_id(&self) -> Result<Option<u64>> {
        let db = &self.store().inner.db;
        db.read(|tx| read::next_id(tx, self.key()))
    }

    /// SHA-256 of the source when it was read last, in hexadecimal.
    pub(crate) fn source_hash(&self) -> Result<Option<String>> {
        let db = &self.store().inner.db;
        db.read(|tx| read::source_hash(tx, self.key()))
    }

    /// The root that was appended last, not counting those that were imported.
    pub(crate) fn newest_root(&self) -> Result<Option<NodeId>> {
        let db = &self.store().inner.db;
        db.read(|tx| read::newest_root(tx, self.key()))
    }

    /// The node of the source's record number `index` and its line, as `firstKeptEntryIndex` of old session files counts: from 0
    /// over all records, header included.
    pub(crate) fn node_of_record(&self, index: u64) -> Result<Option<(NodeId, u64)>> {
        let db = &self.store().inner.db;
        db.read(|tx| read::node_of_record(tx, self.key(), index))
    }
}
