//! How a store is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{Inner, Store};
use crate::db::{Db, Durability, OpenMode, OpenOptions};
use crate::model::{Clock, Result, SystemClock};
use crate::turn::Beats;

/// How a store is opened. Made by [`Store::builder`].
pub struct StoreBuilder {
    mode: OpenMode,
    durability: Durability,
    patience: Duration,
    actor: String,
    clock: Arc<dyn Clock>,
}

impl StoreBuilder {
    pub(super) fn new() -> StoreBuilder {
        StoreBuilder {
            mode: OpenMode::Create,
            durability: Durability::default(),
            patience: Duration::from_secs(30),
            actor: String::from("session-tree"),
            clock: Arc::new(SystemClock),
        }
    }

    /// Who works through this handle, as the audit trail and other holders of turns see it. Default: `session-tree`.
    pub fn actor(mut self, actor: impl Into<String>) -> StoreBuilder {
        self.actor = actor.into();
        self
    }

    /// What an acknowledged call survives. Default: [`Durability::Full`].
    pub fn durability(mut self, durability: Durability) -> StoreBuilder {
        self.durability = durability;
        self
    }

    /// Where the time comes from when a call does not pass it in. Default: [`SystemClock`].
    pub fn clock(mut self, clock: impl Clock) -> StoreBuilder {
        self.clock = Arc::new(clock);
        self
    }

    /// Never writes to the file, not even a checkpoint. Changing calls fail with `ReadOnly`.
    pub fn read_only(mut self) -> StoreBuilder {
        self.mode = OpenMode::ReadOnly;
        self
    }

    /// Fails where the file is not there, instead of creating it.
    pub fn existing(mut self) -> StoreBuilder {
        if self.mode == OpenMode::Create {
            self.mode = OpenMode::Existing;
        }
        self
    }

    /// How long a call waits for another process to finish writing before it fails with `Busy`. Default: 30 seconds.
    pub fn patience(mut self, patience: Duration) -> StoreBuilder {
        self.patience = patience;
        self
    }

    /// Opens the file.
    ///
    /// # Errors
    /// `NotAStore` for a file that is no database, one of another program, or no regular file; `TooNew` for one that a later
    /// version wrote (it is left byte for byte as it is); `NetworkFilesystem`; `ReadOnly` where the file cannot be written;
    /// `Damaged`; `Busy`; `Io`, also for a directory that is not there.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Store> {
        let path = path.as_ref();
        let options = self.options();
        let db = Db::open(path, &options)?;
        Ok(self.finish(db, Some(path.to_path_buf())))
    }

    /// Makes a store in this process's memory. Nothing of it outlives the last handle.
    ///
    /// # Errors
    /// `Io` where SQLite cannot start.
    pub fn open_in_memory(self) -> Result<Store> {
        let options = self.options();
        let db = Db::in_memory(&options)?;
        Ok(self.finish(db, None))
    }

    fn options(&self) -> OpenOptions {
        OpenOptions {
            mode: self.mode,
            durability: self.durability,
            patience: self.patience,
            now_ms: self.clock.now_ms(),
        }
    }

    fn finish(self, db: Db, path: Option<PathBuf>) -> Store {
        Store {
            inner: Arc::new(Inner {
                db: Arc::new(db),
                clock: self.clock,
                beats: Beats::default(),
                path,
            }),
            actor: self.actor.into(),
        }
    }
}
