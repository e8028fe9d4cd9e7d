//! Opening a store: what the file is comes first, and nothing is written to a file that is not ours.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use r2d2::ManageConnection;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::busy;
use super::fault::{Fault, Outcome};
use super::migrate::{FileState, LATEST_VERSION, file_state, migrate};
use super::place;
use super::pool::{Manager, Settings, prepare, readers};
use super::tx::Db;
use crate::model::{Error, ErrorKind, Result};

/// What a commit survives when it has been acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// A killed process and a power loss (`synchronous = FULL`).
    #[default]
    Full,
    /// A killed process. A power loss can take back the last commits, never more than that (`synchronous = NORMAL`).
    Normal,
    /// A killed process, but a power loss can damage the file (`synchronous = OFF`). For tests on throw-away files.
    Off,
}

impl Durability {
    pub(super) fn pragma(self) -> &'static str {
        match self {
            Durability::Full => "FULL",
            Durability::Normal => "NORMAL",
            Durability::Off => "OFF",
        }
    }
}

/// What opening may do to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenMode {
    /// Write, and create the file if it is not there.
    Create,
    /// Write, but only to a file that is there.
    Existing,
    /// Read only; never write, not even a checkpoint.
    ReadOnly,
}

pub(crate) struct OpenOptions {
    pub mode: OpenMode,
    pub durability: Durability,
    /// How long a call waits for another process's lock.
    pub patience: Duration,
    /// For the store's own row, when it is made.
    pub now_ms: i64,
}

/// WAL pages are copied back and the file shrinks to this when nobody reads.
const JOURNAL_SIZE_LIMIT: i64 = 64 * 1024 * 1024;

impl Db {
    pub(crate) fn open(path: &Path, options: &OpenOptions) -> Result<Db> {
        busy::set_patience(options.patience);
        if !place::exists(path)? {
            if options.mode != OpenMode::Create {
                return Err(Error::new(
                    ErrorKind::Io,
                    format!(
                        "there is no store at `{}`; check the path, or create one by importing or appending",
                        path.display()
                    ),
                ));
            }
            place::need_directory(path)?;
            place::refuse_network(path)?;
            place::create(path)?;
        }
        place::refuse_network(path)?;
        match options.mode {
            OpenMode::ReadOnly => open_read_only(&place::plain(path), options),
            OpenMode::Create | OpenMode::Existing => open_writable(&place::plain(path), options),
        }
        .map_err(|fault| named(path, fault))
    }

    /// A store that lives in this process's memory, on one connection.
    pub(crate) fn in_memory(options: &OpenOptions) -> Result<Db> {
        let open = || -> Outcome<Db> {
            let mut conn = Connection::open_in_memory()?;
            prepare(
                &conn,
                &Settings {
                    durability: options.durability,
                    query_only: false,
                },
            )?;
            bring_up(&mut conn, options.now_ms)?;
            Ok(Db::new(Some(conn), None, options.patience, false))
        };
        open().map_err(Fault::into_error)
    }
}

/// Puts the path into errors about the file as a whole.
fn named(path: &Path, fault: Fault) -> Error {
    let error = fault.into_error();
    let text = format!("`{}`: {error}", path.display());
    Error::new(error.kind(), text).caused_by(error)
}

fn open_writable(path: &Path, options: &OpenOptions) -> Outcome<Db> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let settings = Settings {
        durability: options.durability,
        query_only: false,
    };
    let mut conn = Connection::open_with_flags(path, flags)?;
    prepare(&conn, &settings)?;
    // A newer file or another program's is refused here, before anything could be written to it.
    let state = file_state(&conn)?;
    if conn.is_readonly(rusqlite::MAIN_DB)? {
        return Err(Fault::Ours(Error::new(
            ErrorKind::ReadOnly,
            "the file cannot be written by this user; open it for reading, or change its permissions",
        )));
    }
    switch_to_wal(&conn, options.patience)?;
    conn.pragma_update(None, "journal_size_limit", JOURNAL_SIZE_LIMIT)?;
    if state != FileState::Store(LATEST_VERSION) {
        bring_up(&mut conn, options.now_ms)?;
    }
    let litestream = has_litestream(&conn)?;
    let readers = readers(
        Manager::new(
            path.to_owned(),
            flags,
            Settings {
                query_only: true,
                ..settings
            },
        ),
        options.patience,
    )
    .map_err(|error| Error::new(ErrorKind::Io, format!("no connection for reading: {error}")))?;
    Ok(Db::new(
        Some(conn),
        Some(readers),
        options.patience,
        litestream,
    ))
}

fn open_read_only(path: &Path, options: &OpenOptions) -> Outcome<Db> {
    let settings = Settings {
        durability: options.durability,
        query_only: true,
    };
    let wal = wal_beside(path);
    let flags = flags_to_read(&wal);
    let open = |path: &Path, flags| {
        Manager::new(path.to_owned(), flags, settings.clone()).leaving(wal.clone())
    };
    let manager = match probe(open(path, flags)) {
        Ok(()) => open(path, flags),
        // In a directory that cannot be written SQLite cannot make its shared memory. Without a -wal beside it the file is
        // complete, and nobody can be writing to it from here.
        Err(Fault::Sql(error)) if is_cannot_open(&error) && !wal.exists() => {
            let uri = immutable_uri(path);
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_NO_MUTEX
                | OpenFlags::SQLITE_OPEN_URI;
            probe(open(&uri, flags))?;
            open(&uri, flags)
        }
        Err(fault) => return Err(fault),
    };
    let readers = readers(manager, options.patience).map_err(|error| {
        Error::new(ErrorKind::Io, format!("no connection for reading: {error}"))
    })?;
    Ok(Db::new(None, Some(readers), options.patience, false))
}

/// Opens once by hand, because a pool would wait its whole timeout and then say only that it did.
fn probe(manager: Manager) -> Outcome<()> {
    let conn = manager.connect()?;
    match file_state(&conn)? {
        FileState::Store(LATEST_VERSION) => Ok(()),
        FileState::Store(version) => Err(Fault::Ours(Error::new(
            ErrorKind::ReadOnly,
            format!(
                "the store has the schema version {version}; open it for writing once, so that it becomes {LATEST_VERSION}"
            ),
        ))),
        FileState::Empty => Err(Fault::Ours(Error::new(
            ErrorKind::NotAStore,
            "the file is empty: there is no store in it yet",
        ))),
    }
}

fn is_cannot_open(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly)
    )
}

/// With no -wal beside it the file was closed cleanly. A connection that may write (but does not) takes its -wal and -shm away
/// again when it closes; one that may not would leave them behind.
pub(super) fn flags_to_read(wal: &Path) -> OpenFlags {
    let access = if wal.exists() {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    } else {
        OpenFlags::SQLITE_OPEN_READ_WRITE
    };
    access | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

pub(super) fn wal_beside(path: &Path) -> PathBuf {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    PathBuf::from(wal)
}

fn immutable_uri(path: &Path) -> PathBuf {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    PathBuf::from(uri)
}

/// Journal mode is a property of the file. The switch needs the file for itself for a moment, and SQLite does not always
/// ask the busy handler about that.
fn switch_to_wal(conn: &Connection, patience: Duration) -> Outcome<()> {
    let since = Instant::now();
    for tries in 0.. {
        let answer = conn.query_row("PRAGMA journal_mode = WAL", (), |row| {
            row.get::<_, String>(0)
        });
        match answer {
            Ok(mode) if mode.eq_ignore_ascii_case("wal") => return Ok(()),
            Ok(mode) => {
                return Err(Fault::Ours(Error::new(
                    ErrorKind::Io,
                    format!(
                        "the file system does not allow SQLite's WAL mode (it stays `{mode}`); keep the store on a local disk"
                    ),
                )));
            }
            Err(error) => {
                let busy = matches!(
                    error.sqlite_error_code(),
                    Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
                );
                if !busy || since.elapsed() >= patience {
                    return Err(Fault::Sql(error));
                }
                busy::wait(tries);
            }
        }
    }
    unreachable!("the loop has no end but its returns")
}

fn bring_up(conn: &mut Connection, now_ms: i64) -> Outcome<()> {
    let transaction = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    migrate(&transaction, &uuid::Uuid::new_v4().to_string(), now_ms)?;
    transaction.commit()?;
    Ok(())
}

/// Under Litestream the checkpoints are its own.
fn has_litestream(conn: &Connection) -> Outcome<bool> {
    let found: i64 = conn.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE name = '_litestream_lock'",
        (),
        |row| row.get(0),
    )?;
    Ok(found > 0)
}
