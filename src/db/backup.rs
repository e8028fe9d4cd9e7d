//! A copy of the whole store in one file.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use r2d2::ManageConnection;
use rusqlite::Connection;

use super::fault::{Fault, Outcome};
use super::open::{Durability, flags_to_read, wal_beside};
use super::place;
use super::pool::{Manager, Reader, Settings};
use super::tx::Db;
use crate::model::{Error, Result};

impl Db {
    /// Copies the store at `source` (`None`: this store lives in memory) to a file that must not be there yet.
    ///
    /// The copy is written under another name, synced, and linked to its own name last, which fails where somebody else took
    /// that name meanwhile: a target is never overwritten, and never half there.
    pub(crate) fn backup(&self, source: Option<&Path>, target: &Path) -> Result<()> {
        refuse_leftovers(target)?;
        place::need_directory(target)?;
        let directory = place::directory(target);
        let partial = tempfile::Builder::new()
            .prefix(".session-tree-backup-")
            .tempdir_in(&directory)
            .map_err(|error| {
                Error::io(
                    format!("the backup cannot be written to `{}`", directory.display()),
                    error,
                )
            })?;
        let copy = partial.path().join("copy.db");
        match source {
            Some(path) => own_connection(&place::plain(path))
                .and_then(|conn| vacuum_into(&conn, &copy))
                .map_err(Fault::into_error)?,
            None => self.outside_transaction(|conn| vacuum_into(conn, &copy))?,
        }
        let failed = |error| {
            Error::io(
                format!("the backup `{}` cannot be written", target.display()),
                error,
            )
        };
        // As private as the store itself.
        std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o600)).map_err(failed)?;
        std::fs::File::open(&copy)
            .and_then(|file| file.sync_all())
            .map_err(failed)?;
        std::fs::hard_link(&copy, target).map_err(failed)?;
        std::fs::File::open(&directory)
            .and_then(|file| file.sync_all())
            .map_err(failed)
    }
}

/// A connection of its own, so that the copy neither waits for this process's writer nor holds it up.
fn own_connection(path: &Path) -> Outcome<Reader> {
    let wal = wal_beside(path);
    let settings = Settings {
        durability: Durability::Full,
        query_only: false,
    };
    let manager = Manager::new(path.to_owned(), flags_to_read(&wal), settings);
    Ok(manager.leaving(wal).connect()?)
}

fn vacuum_into(conn: &Connection, copy: &Path) -> Outcome<()> {
    let name = copy.to_str().ok_or_else(|| {
        Error::invalid(format!(
            "the path `{}` is not valid UTF-8; choose another for the backup",
            copy.display()
        ))
    })?;
    conn.execute("VACUUM INTO ?1", (name,))?;
    Ok(())
}

/// A stale -wal beside the copy would be taken for the copy's own, and show the old database in its place.
fn refuse_leftovers(target: &Path) -> Result<()> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let mut beside = target.as_os_str().to_owned();
        beside.push(ending);
        let beside = PathBuf::from(beside);
        if beside.symlink_metadata().is_ok() {
            return Err(Error::invalid(format!(
                "`{}` is there already; give the backup another name",
                beside.display()
            )));
        }
    }
    Ok(())
}
