//! What importers need of a store: the doors to `ops::import`, one transaction each.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::model::{Fingerprint, NodeId, Result};
use crate::ops::import::{
    self, BranchToMake, Finish, Found, Identity, ImportNode, LooseRecord, NewImport, Run,
};
use crate::ops::{Ctx, Permit};
use crate::store::Store;
use crate::tree::SessionTree;

impl Store {
    fn import_ctx(&self, session_key: i64) -> Ctx<'_> {
        Ctx {
            session_key,
            actor: self.actor(),
            at_ms: self.inner.clock.now_ms(),
            boot_ms: self.inner.clock.boot_ms(),
            permit: Permit::Free,
        }
    }

    /// The files that only SQLite may open while the store is open.
    pub(crate) fn own_files(&self) -> Vec<PathBuf> {
        let Some(path) = &self.inner.path else {
            return Vec::new();
        };
        ["", "-wal", "-shm"]
            .iter()
            .map(|suffix| {
                let mut name = path.clone().into_os_string();
                name.push(suffix);
                PathBuf::from(name)
            })
            .collect()
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.inner.clock.now_ms()
    }

    /// The session that came from a source, hidden or not.
    pub(crate) fn find_import(&self, identity: Identity<'_>) -> Result<Option<Found>> {
        self.inner.db.read(|tx| import::find(tx, identity))
    }

    pub(crate) fn begin_import(&self, new: &NewImport<'_>) -> Result<Found> {
        self.inner.db.write(|tx| import::begin(tx, new))
    }

    /// Removes what an interrupted import left.
    pub(crate) fn discard_import(&self, session_key: i64) -> Result<()> {
        let ctx = self.import_ctx(session_key);
        self.inner
            .db
            .write_unchecked(|tx| import::discard(tx, &ctx))?;
        Ok(())
    }

    pub(crate) fn import_fingerprints(
        &self,
        session_key: i64,
        ids: &[&str],
    ) -> Result<Vec<Option<Fingerprint>>> {
        self.inner
            .db
            .read(|tx| import::fingerprints(tx, session_key, ids))
    }

    pub(crate) fn import_numbered(
        &self,
        session_key: i64,
        id: &str,
    ) -> Result<Vec<(String, Fingerprint)>> {
        self.inner
            .db
            .read(|tx| import::numbered(tx, session_key, id))
    }

    /// The branch that follows a source and its leaf, if it still ends where the last import put it.
    pub(crate) fn followed_branch(&self, session_key: i64) -> Result<Option<(i64, Option<i64>)>> {
        self.inner
            .db
            .read(|tx| import::last_import(tx, session_key))
    }

    /// The branch of a session that is being imported, and its leaf.
    pub(crate) fn hidden_branch(&self, session_key: i64) -> Result<(i64, Option<i64>)> {
        self.inner
            .db
            .read(|tx| import::active_branch(tx, session_key))
    }

    /// Where the path of a node begins: that root, and the parent it still waits for.
    pub(crate) fn top_of(&self, node_key: i64) -> Result<Option<(NodeId, Option<String>)>> {
        self.inner.db.read(|tx| import::top_of(tx, node_key))
    }

    /// As [`top_of`](Store::top_of), of a node named by its id, with its key.
    pub(crate) fn key_of(&self, session_key: i64, id: &str) -> Result<Option<i64>> {
        self.inner
            .db
            .read(|tx| crate::db::key_by_id(tx, session_key, id))
    }

    /// Whether the node with this id is the node `key` or an ancestor of it.
    pub(crate) fn is_above(&self, session_key: i64, id: &str, key: i64) -> Result<bool> {
        self.inner
            .db
            .read(|tx| import::is_above(tx, session_key, id, key))
    }

    /// `false`: another process has finished the same import.
    pub(crate) fn write_import_nodes(
        &self,
        run: &mut Run,
        queue: &mut VecDeque<ImportNode>,
    ) -> Result<bool> {
        let ctx = self.import_ctx(run.session_key);
        self.inner
            .db
            .write(|tx| import::write_nodes(tx, &ctx, run, queue))
    }

    pub(crate) fn write_import_loose(
        &self,
        run: &Run,
        queue: &mut VecDeque<LooseRecord>,
    ) -> Result<()> {
        self.inner
            .db
            .write(|tx| import::write_loose(tx, run, queue))
    }

    /// `false`: another process has finished the same import.
    pub(crate) fn write_import_branches(
        &self,
        run: &mut Run,
        queue: &mut VecDeque<BranchToMake>,
    ) -> Result<bool> {
        let ctx = self.import_ctx(run.session_key);
        self.inner
            .db
            .write(|tx| import::write_branches(tx, &ctx, run, queue))
    }

    /// `false`: another process has finished the same import.
    pub(crate) fn finish_import(&self, run: &mut Run, end: &Finish<'_>) -> Result<bool> {
        let ctx = self.import_ctx(run.session_key);
        self.inner.db.write(|tx| import::finish(tx, &ctx, run, end))
    }

    /// A handle on a session that was imported.
    pub(crate) fn imported(&self, found: &Found) -> SessionTree {
        SessionTree::new(self.clone(), found.key, found.id.clone())
    }

    /// Removes what interrupted imports left, and says of how many. A later import of the same source would have gone on
    /// with it; this is for sources that are gone. An import that another process is doing right now fails by it.
    ///
    /// # Errors
    /// `ReadOnly`, `Busy`, `Io`.
    pub fn discard_unfinished_imports(&self) -> Result<u64> {
        let at_ms = self.inner.clock.now_ms();
        self.inner
            .db
            .write_unchecked(|tx| import::discard_all(tx, self.actor(), at_ms))
    }
}
