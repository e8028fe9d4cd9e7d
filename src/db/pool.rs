//! Connections: the settings each one gets, and the small pool that reads go through.

use std::path::PathBuf;
use std::time::Duration;

use r2d2::ManageConnection;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::busy;
use super::open::Durability;

/// Statements kept prepared on a connection. The default of 16 thrashes with the number this crate uses.
const STATEMENTS: usize = 128;

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
    conn.pragma_update(None, "query_only", settings.query_only)?;
    Ok(())
}

/// r2d2_sqlite's manager, but for one thing: a connection that comes back inside a transaction is thrown away.
#[derive(Debug)]
pub(super) struct Manager(SqliteConnectionManager);

impl Manager {
    pub(super) fn new(path: PathBuf, flags: OpenFlags, settings: Settings) -> Manager {
        let manager = SqliteConnectionManager::file(path).with_flags(flags);
        Manager(manager.with_init(move |conn| prepare(conn, &settings)))
    }
}

impl ManageConnection for Manager {
    type Connection = Connection;
    type Error = rusqlite::Error;

    fn connect(&self) -> Result<Connection, rusqlite::Error> {
        self.0.connect()
    }

    fn is_valid(&self, conn: &mut Connection) -> Result<(), rusqlite::Error> {
        self.0.is_valid(conn)
    }

    fn has_broken(&self, conn: &mut Connection) -> bool {
        !conn.is_autocommit()
    }
}

pub(super) fn readers(
    manager: Manager,
    patience: Duration,
) -> Result<r2d2::Pool<Manager>, r2d2::Error> {
    r2d2::Pool::builder()
        .max_size(READERS)
        .min_idle(Some(0))
        .test_on_check_out(false)
        .idle_timeout(Some(Duration::from_secs(60)))
        .connection_timeout(patience.max(Duration::from_secs(1)))
        .error_handler(Box::new(r2d2::NopErrorHandler))
        .build(manager)
}
