//! Which file: `--db`, else `SESSION_TREE_DB`, else the place for a user's data.

use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use super::failure::{Failure, Outcome};

/// A variable of the environment. An empty one counts as not set.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The store's file, and whether it is the one that was not named by anybody.
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    is_default: bool,
}

impl Place {
    pub(crate) fn find(given: Option<PathBuf>) -> Outcome<Place> {
        let named = match given {
            Some(path) if path.as_os_str().is_empty() => {
                return Err(Failure::usage("--db needs the path of a file"));
            }
            Some(path) => Some(path),
            None => variable("SESSION_TREE_DB").map(PathBuf::from),
        };
        if let Some(path) = named {
            return Ok(Place {
                path,
                is_default: false,
            });
        }
        match dirs::data_dir() {
            Some(directory) => Ok(Place {
                path: directory.join("session-tree").join("store.db"),
                is_default: true,
            }),
            None => Err(Failure::usage(
                "there is no home directory to keep a store in; name the file with --db",
            )),
        }
    }

    /// Makes the directory of the default place, for this user alone. Directories that somebody named are not made up.
    pub(crate) fn prepare(&self) -> Outcome<()> {
        let Some(directory) = self.path.parent().filter(|_| self.is_default) else {
            return Ok(());
        };
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .map_err(|error| {
                let directory = directory.display();
                Failure::Io(format!(
                    "the directory `{directory}` cannot be made: {error}"
                ))
            })
    }
}
