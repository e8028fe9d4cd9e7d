//! Inside a transaction two kinds of error meet: SQLite's and ours. Outside there is only ours.

use rusqlite::ErrorCode;

use crate::model::{Error, ErrorKind};

/// What makes a transaction roll back.
#[derive(Debug)]
pub(crate) enum Fault {
    Sql(rusqlite::Error),
    Ours(Error),
}

/// The result of code that runs inside a transaction.
pub(crate) type Outcome<T> = std::result::Result<T, Fault>;

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::Sql(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Ours(error)
    }
}

impl Fault {
    pub(crate) fn into_error(self) -> Error {
        match self {
            Fault::Ours(error) => error,
            Fault::Sql(error) => from_sqlite(error),
        }
    }
}

/// A change of exactly one row. A trigger that is not the store's own could swallow it without an error.
pub(crate) trait ExecuteOne {
    fn execute_one(&mut self, params: impl rusqlite::Params) -> Outcome<()>;
}

impl ExecuteOne for rusqlite::Statement<'_> {
    fn execute_one(&mut self, params: impl rusqlite::Params) -> Outcome<()> {
        match self.execute(params)? {
            1 => Ok(()),
            changed => Err(Fault::Sql(rusqlite::Error::StatementChangedRows(changed))),
        }
    }
}

/// A value that is there but cannot be read: text that is not UTF-8, a number of another kind.
fn is_conversion(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

fn from_sqlite(error: rusqlite::Error) -> Error {
    let (code, detail) = match &error {
        rusqlite::Error::SqliteFailure(failure, detail) => {
            (Some(failure.code), detail.clone().unwrap_or_default())
        }
        rusqlite::Error::SqlInputError {
            error: failure,
            msg,
            ..
        } => (Some(failure.code), msg.clone()),
        _ => (None, error.to_string()),
    };
    let made = match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::new(
            ErrorKind::Busy,
            "the store is busy: another process kept writing past the deadline; try again",
        ),
        Some(ErrorCode::NotADatabase) => Error::new(
            ErrorKind::NotAStore,
            "the file is not a database, so it cannot be a session-tree store",
        ),
        Some(ErrorCode::DatabaseCorrupt) => Error::damaged(format!(
            "the store is damaged ({detail}); run `session-tree check` on it"
        )),
        Some(ErrorCode::ReadOnly) => Error::new(
            ErrorKind::ReadOnly,
            "the store cannot be written: the file or its directory is read-only",
        ),
        Some(ErrorCode::DiskFull) => Error::new(
            ErrorKind::Io,
            "the disk is full, or a table's row numbers are used up (`session-tree check` tells); nothing was changed",
        ),
        Some(ErrorCode::CannotOpen) => Error::new(
            ErrorKind::Io,
            "the database file cannot be opened; check that its directory is there and writable",
        ),
        Some(ErrorCode::PermissionDenied) => {
            Error::new(ErrorKind::Io, "no permission to use the database file")
        }
        Some(ErrorCode::SystemIoFailure) => Error::new(
            ErrorKind::Io,
            format!("reading or writing the database file failed ({detail})"),
        ),
        Some(ErrorCode::TooBig) => Error::new(
            ErrorKind::TooLarge,
            "the record is larger than a database row can be; nothing was stored",
        ),
        Some(ErrorCode::ConstraintViolation) => Error::damaged(format!(
            "the store's own guard refused the change: {detail}; run `session-tree check` on it"
        )),
        _ if is_conversion(&error) => Error::damaged(format!(
            "a row of the store holds a value that is not what its column is for ({error}); `session-tree check` names it",
        )),
        _ if matches!(error, rusqlite::Error::StatementChangedRows(_)) => Error::damaged(
            "something in the file swallowed the change, so nothing was changed; run `session-tree check` on it",
        ),
        _ if detail.contains("malformed database schema") => Error::damaged(format!(
            "the store's schema is damaged ({detail}); run `session-tree check` on it"
        )),
        _ => Error::damaged(format!(
            "the store answered in an unexpected way ({error}); run `session-tree check` on it"
        )),
    };
    made.caused_by(error)
}
