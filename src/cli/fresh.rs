//! A store that is not there yet: made beside its place under another name, and put there when there is something in it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::failure::{Failure, Outcome};

/// A directory beside the place, so that putting the store there is one step. Dropping it leaves nothing behind.
pub(crate) struct Fresh {
    directory: tempfile::TempDir,
}

impl Fresh {
    /// `None` where there is a file already.
    pub(crate) fn unless_there(place: &Path) -> Outcome<Option<Fresh>> {
        if place.symlink_metadata().is_ok() {
            return Ok(None);
        }
        let beside = match place.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let directory = tempfile::Builder::new()
            .prefix(".session-tree-")
            .tempdir_in(beside)
            .map_err(|error| {
                Failure::Io(format!("`{}` cannot be made: {error}", place.display()))
            })?;
        Ok(Some(Fresh { directory }))
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("store.db")
    }

    /// Puts the store, which must be closed, in its place. `false`: there is one now that somebody else made.
    pub(crate) fn publish(self, place: &Path) -> Outcome<bool> {
        match std::fs::hard_link(self.path(), place) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(Failure::Io(format!(
                "`{}` cannot be made: {error}",
                place.display()
            ))),
        }
    }
}
