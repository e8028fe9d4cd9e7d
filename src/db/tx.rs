//! Transactions: every write is IMMEDIATE on the one writing connection, every read a snapshot on a pooled one.

use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

use super::busy;
use super::fault::{Fault, Outcome};
use super::migrate::{LATEST_VERSION, too_new};
use super::pool::Readers;
use crate::model::{Error, ErrorKind, Result};

/// The connections of one open store.
pub(crate) struct Db {
    writer: Option<Mutex<Connection>>,
    readers: Option<Readers>,
    patience: Duration,
    litestream: bool,
    pid: u32,
}

/// A transaction that may write. What is reached through it is rolled back unless the closure it was given to succeeds.
pub(crate) struct WriteTx<'a>(&'a Connection);

/// A transaction that sees one state of the store.
pub(crate) struct ReadTx<'a>(&'a Connection);

impl Deref for WriteTx<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        self.0
    }
}

impl Deref for ReadTx<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        self.0
    }
}

/// Rolls back on every way out but a commit, panics included.
struct Rollback<'a>(&'a Connection);

impl Drop for Rollback<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit() {
            // SQLite has already rolled back where this fails; the pool throws such a connection away.
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}

/// Foreign keys off until it is dropped.
struct Unchecked<'a>(&'a Connection);

impl<'a> Unchecked<'a> {
    fn new(conn: &'a Connection) -> Outcome<Unchecked<'a>> {
        let unchecked = Unchecked(conn);
        conn.pragma_update(None, "foreign_keys", false)?;
        Ok(unchecked)
    }
}

impl Drop for Unchecked<'_> {
    fn drop(&mut self) {
        // The pragma cannot fail outside a transaction, and the one in here has ended either way.
        let _ = self.0.pragma_update(None, "foreign_keys", true);
    }
}

impl Drop for Db {
    fn drop(&mut self) {
        if let Some(readers) = self.readers.take() {
            drop(readers.pool);
            readers.open.wait_until_closed();
        }
    }
}

impl Db {
    pub(super) fn new(
        writer: Option<Connection>,
        readers: Option<Readers>,
        patience: Duration,
        litestream: bool,
    ) -> Db {
        Db {
            writer: writer.map(Mutex::new),
            readers,
            patience,
            litestream,
            pid: std::process::id(),
        }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.writer.is_none()
    }

    /// Runs `work` in one IMMEDIATE transaction and commits it if it succeeds. No user code may run inside.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&WriteTx<'_>) -> Outcome<T>) -> Result<T> {
        let conn = self.writer()?;
        busy::set_patience(self.patience);
        in_write_transaction(&conn, work).map_err(Fault::into_error)
    }

    /// As [`write`](Db::write), with foreign keys off: deleting would look through the whole table for children, which the
    /// triggers and the order of deletion rule out already.
    pub(crate) fn write_unchecked<T>(
        &self,
        work: impl FnOnce(&WriteTx<'_>) -> Outcome<T>,
    ) -> Result<T> {
        let conn = self.writer()?;
        busy::set_patience(self.patience);
        let unchecked = Unchecked::new(&conn).map_err(Fault::into_error)?;
        let done = in_write_transaction(&conn, work).map_err(Fault::into_error);
        drop(unchecked);
        done
    }

    /// Runs `work` on one snapshot of the store.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&ReadTx<'_>) -> Outcome<T>) -> Result<T> {
        self.refuse_fork()?;
        busy::set_patience(self.patience);
        match &self.readers {
            Some(readers) => {
                let conn = readers.pool.get().map_err(|error| {
                    Error::new(
                        ErrorKind::Busy,
                        format!("no connection became free for reading: {error}"),
                    )
                })?;
                in_read_transaction(&conn, work)
            }
            None => {
                let conn = self.writer()?;
                in_read_transaction(&conn, work)
            }
        }
        .map_err(Fault::into_error)
    }

    /// Copies the WAL back into the file and empties it, unless Litestream owns that.
    pub(crate) fn checkpoint(&self) -> Result<()> {
        if self.litestream {
            return Ok(());
        }
        let conn = self.writer()?;
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))
            .map_err(|error| Fault::Sql(error).into_error())
    }

    /// Runs `work` on the writing connection with no transaction open.
    pub(super) fn outside_transaction<T>(
        &self,
        work: impl FnOnce(&Connection) -> Outcome<T>,
    ) -> Result<T> {
        let conn = self.writer()?;
        busy::set_patience(self.patience);
        work(&conn).map_err(Fault::into_error)
    }

    /// Counts, from now on, every instruction that SQLite runs on the writing connection, those of triggers included, and
    /// lets the WAL grow, so that its length tells the pages of each commit.
    #[cfg(test)]
    pub(crate) fn meter(&self) -> std::sync::Arc<std::sync::atomic::AtomicU64> {
        use std::sync::atomic::{AtomicU64, Ordering};

        let steps = std::sync::Arc::new(AtomicU64::new(0));
        let counter = std::sync::Arc::clone(&steps);
        let conn = self.writer().expect("a store that can be written");
        conn.pragma_update(None, "wal_autocheckpoint", 0)
            .expect("a connection setting");
        let count = move || {
            counter.fetch_add(1, Ordering::Relaxed);
            false
        };
        conn.progress_handler(1, Some(count))
            .expect("a connection setting");
        steps
    }

    fn writer(&self) -> Result<MutexGuard<'_, Connection>> {
        self.refuse_fork()?;
        match &self.writer {
            // A panic between BEGIN and COMMIT has rolled back on its way out, so the connection is fit for use.
            Some(writer) => Ok(writer.lock().unwrap_or_else(PoisonError::into_inner)),
            None => Err(Error::new(
                ErrorKind::ReadOnly,
                "the store was opened for reading only; open it for writing to change it",
            )),
        }
    }

    /// A connection must not cross a fork: the child would drop the parent's locks.
    fn refuse_fork(&self) -> Result<()> {
        if self.pid == std::process::id() {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Closed,
            "the store was opened before this process was forked; open it again in the child",
        ))
    }
}

fn in_write_transaction<T>(
    conn: &Connection,
    work: impl FnOnce(&WriteTx<'_>) -> Outcome<T>,
) -> Outcome<T> {
    conn.prepare_cached("BEGIN IMMEDIATE")?.execute(())?;
    let rollback = Rollback(conn);
    refuse_newer(conn)?;
    let done = work(&WriteTx(conn))?;
    conn.prepare_cached("COMMIT")?.execute(())?;
    drop(rollback);
    Ok(done)
}

fn in_read_transaction<T>(
    conn: &Connection,
    work: impl FnOnce(&ReadTx<'_>) -> Outcome<T>,
) -> Outcome<T> {
    conn.prepare_cached("BEGIN")?.execute(())?;
    let rollback = Rollback(conn);
    let done = work(&ReadTx(conn))?;
    conn.prepare_cached("COMMIT")?.execute(())?;
    drop(rollback);
    Ok(done)
}

/// Another process may have migrated the file since it was opened here.
fn refuse_newer(conn: &Connection) -> Outcome<()> {
    let version: i32 = conn
        .prepare_cached("PRAGMA user_version")?
        .query_row((), |row| row.get(0))?;
    if version > LATEST_VERSION {
        Err(Fault::Ours(too_new(version)))
    } else {
        Ok(())
    }
}
