//! One SQLite file.

mod builder;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::check::{self, CheckOptions, CheckReport};
use crate::db::{Db, session_by_id};
use crate::model::{Clock, Error, Message, NewSession, Result, SessionId, SessionInfo};
use crate::ops::{self, Ctx, Permit};
use crate::read;
use crate::tree::SessionTree;
use crate::turn::Beats;

pub use builder::StoreBuilder;

/// One SQLite file that holds sessions. A cheap handle: clones share the connections.
///
/// The file is closed when the last clone, and the last [`SessionTree`] from it, is dropped.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
    actor: Arc<str>,
}

pub(crate) struct Inner {
    pub(crate) db: Arc<Db>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) beats: Beats,
    pub(crate) path: Option<PathBuf>,
}

impl Store {
    /// Opens the file for writing and creates it if it is not there; see [`StoreBuilder::open`] for the errors.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("agent.db");
    /// let store = session_tree::Store::open(&path)?;
    /// assert!(store.sessions()?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`StoreBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Store> {
        Store::builder().open(path)
    }

    /// Opens with settings of one's own.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// let store = session_tree::Store::builder().actor("planner").open_in_memory()?;
    /// assert_eq!(store.actor(), "planner");
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> StoreBuilder {
        StoreBuilder::new()
    }

    /// Who works through this handle.
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// Another handle on the same open file for somebody else to work through.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # let store = session_tree::Store::builder().actor("server").open_in_memory()?;
    /// let phone = store.acting_as("phone");
    /// assert_eq!((store.actor(), phone.actor()), ("server", "phone"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn acting_as(&self, actor: impl Into<String>) -> Store {
        Store {
            inner: Arc::clone(&self.inner),
            actor: actor.into().into(),
        }
    }

    /// The file, as it was given; `None` for a store in memory.
    pub fn path(&self) -> Option<&Path> {
        self.inner.path.as_deref()
    }

    /// Whether it was opened for reading only.
    pub fn is_read_only(&self) -> bool {
        self.inner.db.is_read_only()
    }

    /// The file's own id, made with it: a random UUID.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert_eq!(store.id()?.len(), 36);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Io`, `Damaged`.
    pub fn id(&self) -> Result<String> {
        self.inner
            .db
            .read(|tx| Ok(tx.query_row("SELECT id FROM store", (), |row| row.get(0))?))
    }

    /// Makes a session with a made id, on an empty branch `main`.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # let store = session_tree::Store::builder().open_in_memory()?;
    /// let tree = store.create_session()?;
    /// assert_eq!(tree.active_branch()?, "main");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `ReadOnly`, `Busy`, `Io`.
    pub fn create_session(&self) -> Result<SessionTree> {
        self.create_session_with(&NewSession::new())
    }

    /// Makes a session as described.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::NewSession;
    /// # let store = session_tree::Store::builder().open_in_memory()?;
    /// let tree = store.create_session_with(&NewSession::new().id("fix-tests").name("Fix the tests").cwd("/src"))?;
    /// assert_eq!(tree.info()?.name.as_deref(), Some("Fix the tests"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `SessionExists` for a taken id; `InvalidArgument` for an id or meta that cannot be used; `ReadOnly`, `Busy`, `Io`.
    pub fn create_session_with(&self, new: &NewSession) -> Result<SessionTree> {
        let now_ms = self.inner.clock.now_ms();
        let (key, id) = self
            .inner
            .db
            .write(|tx| ops::create_session(tx, &self.actor, now_ms, new))?;
        Ok(SessionTree::new(self.clone(), key, id))
    }

    /// Makes a session whose projection is these messages, byte for byte.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::Message;
    /// # let store = session_tree::Store::builder().open_in_memory()?;
    /// let messages = vec![Message::user("hi"), Message::assistant("hello")];
    /// let tree = store.from_linear(messages.clone(), 1_700_000_000_000)?;
    /// assert_eq!(tree.linear_projection()?, messages);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `ReadOnly`, `Busy`, `Io`; nothing is stored then.
    pub fn from_linear(
        &self,
        messages: impl IntoIterator<Item = Message>,
        created_at_ms: impl Into<Option<i64>>,
    ) -> Result<SessionTree> {
        let now_ms = created_at_ms
            .into()
            .unwrap_or_else(|| ops::nearest_time(self.inner.clock.now_ms()));
        let messages: Vec<Message> = messages.into_iter().collect();
        let new = NewSession::new();
        let (key, id) = self
            .inner
            .db
            .write(|tx| ops::from_linear(tx, &self.actor, now_ms, &new, messages))?;
        Ok(SessionTree::new(self.clone(), key, id))
    }

    /// Opens a session by its id, exactly.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// let same = store.open_session(tree.id())?;
    /// assert_eq!(same.linear_projection()?.len(), 2);
    /// assert_eq!(store.open_session("nobody").err().unwrap().kind(), ErrorKind::SessionNotFound);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `SessionNotFound`; `Damaged`; `Io`.
    pub fn open_session(&self, id: &str) -> Result<SessionTree> {
        let found = self
            .inner
            .db
            .read(|tx| session_by_id(tx, id))?
            .ok_or_else(|| Error::session_not_found(id))?;
        Ok(SessionTree::new(
            self.clone(),
            found.key,
            SessionId::from(found.id),
        ))
    }

    /// Opens the session with this id, or makes it.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # let store = session_tree::Store::builder().open_in_memory()?;
    /// let one = store.open_or_create_session("nightly")?;
    /// let same = store.open_or_create_session("nightly")?;
    /// assert_eq!(one.id(), same.id());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for an id that cannot be used; `ReadOnly`, `Busy`, `Io`.
    pub fn open_or_create_session(&self, id: &str) -> Result<SessionTree> {
        let now_ms = self.inner.clock.now_ms();
        if let Some(found) = self.inner.db.read(|tx| session_by_id(tx, id))? {
            return Ok(SessionTree::new(
                self.clone(),
                found.key,
                SessionId::from(found.id),
            ));
        }
        let (key, id) = self.inner.db.write(|tx| match session_by_id(tx, id)? {
            Some(found) => Ok((found.key, SessionId::from(found.id))),
            None => ops::create_session(tx, &self.actor, now_ms, &NewSession::new().id(id)),
        })?;
        Ok(SessionTree::new(self.clone(), key, id))
    }

    /// The id of the session that `text` names: its id, else a unique prefix of it, else its name.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// tree.rename(Some("greeting"))?;
    /// assert_eq!(&store.find_session("greeting")?, tree.id());
    /// assert_eq!(&store.find_session(&tree.id()[..20])?, tree.id());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `SessionNotFound`; `AmbiguousId` where several fit.
    pub fn find_session(&self, text: &str) -> Result<SessionId> {
        self.inner.db.read(|tx| read::resolve_session(tx, text))
    }

    /// All sessions, archived ones included, the one with the newest node first. Each costs a few look-ups.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// assert_eq!(store.sessions()?[0].messages, 2);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `Damaged`, `Io`.
    pub fn sessions(&self) -> Result<Vec<SessionInfo>> {
        self.inner.db.read(|tx| read::list_sessions(tx))
    }

    /// Deletes a session with all its nodes, for good: its bytes are overwritten and the WAL is emptied. Nothing but a note
    /// that it was deleted, and when and by whom, stays.
    ///
    /// ```
    /// # use session_tree::*;
    /// # let store = Store::builder().open_in_memory()?;
    /// # let tree = store.from_linear([Message::user("q"), Message::assistant("a")], None)?;
    /// store.delete_session(tree.id())?;
    /// assert!(store.sessions()?.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// `SessionNotFound`; `Busy` while somebody is in a turn or navigation in it; `ReadOnly`, `Io`.
    pub fn delete_session(&self, id: &str) -> Result<()> {
        let at_ms = self.inner.clock.now_ms();
        self.inner.db.write_unchecked(|tx| {
            let ctx = Ctx {
                session_key: ops::deletable(tx, id)?,
                actor: &self.actor,
                at_ms,
                boot_ms: self.inner.clock.boot_ms(),
                permit: Permit::Free,
            };
            ops::delete_session(tx, &ctx, id)
        })?;
        self.inner.db.checkpoint()
    }

    /// Writes a copy of the whole store to one new file, while others read and write. It holds every call that was acknowledged
    /// before this one began, has no `-wal` or `-shm` beside it, and can be opened on read-only media.
    ///
    /// Never copy the file of an open store by other means: what is still in the `-wal` would be missing, without an error.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{Message, Store};
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let store = Store::open(directory.path().join("agent.db"))?;
    /// store.from_linear([Message::user("hi")], None)?;
    /// let copy = directory.path().join("copy.db");
    /// store.backup(&copy)?;
    /// assert_eq!(Store::builder().read_only().open(&copy)?.sessions()?.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` where the target, or a `-wal`, `-shm` or `-journal` beside it, is there already; `Io`; `Damaged`.
    pub fn backup(&self, target: impl AsRef<Path>) -> Result<()> {
        self.inner
            .db
            .backup(self.inner.path.as_deref(), target.as_ref())
    }

    /// Looks for what is wrong with the file and the trees in it, and for what is only worth knowing. A damaged store is a
    /// report, not an error. Writes nothing, unless [`CheckOptions::adopt`] asks for it.
    ///
    /// ```
    /// # fn main() -> session_tree::Result<()> {
    /// # use session_tree::{CheckOptions, Message, Store};
    /// # let store = Store::builder().open_in_memory()?;
    /// store.from_linear([Message::user("hi")], None)?;
    /// let report = store.check(CheckOptions::new())?;
    /// assert!(report.is_healthy());
    /// assert_eq!((report.sessions, report.nodes, report.branches), (1, 1, 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `SessionNotFound`; `ReadOnly` where leaves are to be named in a store that is only read; `Busy`, `Io`.
    pub fn check(&self, options: CheckOptions) -> Result<CheckReport> {
        check::check(
            &self.inner.db,
            &options,
            &self.actor,
            self.inner.clock.now_ms(),
        )
    }
}
