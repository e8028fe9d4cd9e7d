//! Connections: the settings each one gets, and the small pool that reads go through.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use r2d2::ManageConnection;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use scheduled_thread_pool::{OnPoolDropBehavior, ScheduledThreadPool};

use super::busy;
use super::open::Durability;

/// Statements kept prepared on a connection. The default of 16 thrashes with the number this crate uses.
const STATEMENTS: usize = 128;

/// Pages that a connection keeps, in KiB: a session of a few thousand messages is read from memory the second time.
const CACHE_KIB: i64 = 4096;

/// Connections that read at the same time. Each opens when it is first needed.
const READERS: u32 = 4;

/// What a connection needs to know when it opens.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub durability: Durability,
    /// Readers of a store that others write to are not allowed to write, read-only or not.
    pub query_only: bool,
}

/// Prepares a fresh connection. None of this touches the file, so it can run before anybody knows what the file is.
pub(super) fn prepare(conn: &Connection, settings: &Settings) -> rusqlite::Result<()> {
    conn.busy_handler(Some(busy::wait))?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::MAX)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "recursive_triggers", true)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "synchronous", settings.durability.pragma())?;
    // An I/O error in mapped memory would be a signal instead of an error code.
    conn.pragma_update(None, "mmap_size", 0)?;
    // Text that is deleted is overwritten, in every page it ever was in: so deleting a session can be proved.
    conn.pragma_update(None, "secure_delete", true)?;
    conn.pragma_update(None, "query_only", settings.query_only)?;
    conn.pragma_update(None, "cache_size", -CACHE_KIB)?;
    Ok(())
}

/// The connections of a pool that are open. r2d2 may close the last ones on a thread of its own, after the pool is gone;
/// whoever closes the store waits for them, so that the file is whole and alone when the store is dropped.
#[derive(Debug, Default)]
pub(super) struct OpenReaders {
    count: Mutex<usize>,
    closed: Condvar,
}

impl OpenReaders {
    /// Waits until all are closed, for a while: a thread that never gives its connection back must not hang a drop.
    pub(super) fn wait_until_closed(&self) {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        drop(
            self.closed
                .wait_timeout_while(count, Duration::from_secs(5), |count| *count > 0),
        );
    }
}

/// A connection for reading. It counts as open until SQLite has closed it: fields are dropped in this order.
pub(super) struct Reader {
    conn: Connection,
    /// Of a store that is only read: its -wal, which must not be copied back when the last connection closes.
    wal: Option<PathBuf>,
    _counted: Counted,
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.wal.as_deref().is_some_and(has_bytes) {
            // Where it fails, closing at most finishes what a writer has acknowledged.
            let _ = self
                .conn
                .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
        }
    }
}

fn has_bytes(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|metadata| metadata.len() > 0)
}

struct Counted(Arc<OpenReaders>);

impl Drop for Counted {
    fn drop(&mut self) {
        let mut count = self.0.count.lock().unwrap_or_else(PoisonError::into_inner);
        *count -= 1;
        self.0.closed.notify_all();
    }
}

impl Deref for Reader {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        &self.conn
    }
}

/// r2d2_sqlite's manager, but a connection that comes back inside a transaction is thrown away, and open ones are counted.
#[derive(Debug)]
pub(super) struct Manager {
    inner: SqliteConnectionManager,
    wal: Option<PathBuf>,
    open: Arc<OpenReaders>,
}

impl Manager {
    pub(super) fn new(path: PathBuf, flags: OpenFlags, settings: Settings) -> Manager {
        let inner = SqliteConnectionManager::file(path).with_flags(flags);
        Manager {
            inner: inner.with_init(move |conn| prepare(conn, &settings)),
            wal: None,
            open: Arc::default(),
        }
    }

    /// Leaves what is in this -wal where it is when connections close.
    pub(super) fn leaving(mut self, wal: PathBuf) -> Manager {
        self.wal = Some(wal);
        self
    }

    pub(super) fn open_readers(&self) -> Arc<OpenReaders> {
        Arc::clone(&self.open)
    }
}

impl ManageConnection for Manager {
    type Connection = Reader;
    type Error = rusqlite::Error;

    fn connect(&self) -> Result<Reader, rusqlite::Error> {
        *self
            .open
            .count
            .lock()
            .unwrap_or_else(PoisonError::into_inner) += 1;
        let counted = Counted(Arc::clone(&self.open));
        Ok(Reader {
            conn: self.inner.connect()?,
            wal: self.wal.clone(),
            _counted: counted,
        })
    }

    fn is_valid(&self, reader: &mut Reader) -> Result<(), rusqlite::Error> {
        self.inner.is_valid(&mut reader.conn)
    }

    fn has_broken(&self, reader: &mut Reader) -> bool {
        !reader.conn.is_autocommit()
    }
}

/// The pool, and the count of what it has open.
pub(super) struct Readers {
    pub pool: r2d2::Pool<Manager>,
    pub open: Arc<OpenReaders>,
}

pub(super) fn readers(manager: Manager, patience: Duration) -> Result<Readers, r2d2::Error> {
    let open = manager.open_readers();
    // The pool's own threads would outlive it by half a minute, to do what they were to do then.
    let worker = ScheduledThreadPool::builder()
        .num_threads(1)
        .thread_name_pattern("session-tree-{}")
        .on_drop_behavior(OnPoolDropBehavior::DiscardPendingScheduled)
        .build();
    let pool = r2d2::Pool::builder()
        .thread_pool(Arc::new(worker))
        .max_size(READERS)
        .min_idle(Some(0))
        .test_on_check_out(false)
        .idle_timeout(Some(Duration::from_secs(60)))
        .connection_timeout(patience.max(Duration::from_secs(1)))
        .error_handler(Box::new(r2d2::NopErrorHandler))
        .build(manager)?;
    Ok(Readers { pool, open })
}
