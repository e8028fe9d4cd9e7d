//! Files that clients name: only those below one directory, whatever `..` and links say.

use std::path::{Component, Path, PathBuf};

use super::failure::{Failure, code};
use super::server::Server;
use crate::model::ErrorKind;

/// A file that is there, by its real path.
pub(super) fn existing(server: &Server, given: &str) -> Result<PathBuf, Failure> {
    let root = root(server)?;
    let named = root.join(given);
    let found = match named.canonicalize() {
        // The text of the original. Whether something lies outside is not told.
        Err(_) if !leads_outside(Path::new(given), &root) => {
            let text = format!("File not found: {}", named.display());
            return Err(Failure::of(ErrorKind::InvalidArgument, text));
        }
        Err(_) => return Err(outside(given)),
        Ok(found) => found,
    };
    if found.starts_with(&root) {
        Ok(found)
    } else {
        Err(outside(given))
    }
}

/// A file that is to be made in a directory that is there.
pub(super) fn new_file(server: &Server, given: &str) -> Result<PathBuf, Failure> {
    let root = root(server)?;
    let named = root.join(given);
    let (Some(parent), Some(name)) = (named.parent(), named.file_name()) else {
        return Err(outside(given));
    };
    match parent.canonicalize() {
        Ok(parent) if parent.starts_with(&root) => Ok(parent.join(name)),
        _ => Err(outside(given)),
    }
}

fn root(server: &Server) -> Result<PathBuf, Failure> {
    let root = &server.options.files;
    root.canonicalize().map_err(|error| {
        let text = format!("the directory `{}` cannot be read: {error}", root.display());
        Failure::of(ErrorKind::Io, text)
    })
}

/// Whether a path leads out of the root by its words alone.
fn leads_outside(given: &Path, root: &Path) -> bool {
    let given = given.strip_prefix(root).unwrap_or(given);
    let mut depth = 0_i64;
    given.components().any(|component| {
        depth += match component {
            Component::Normal(_) => 1,
            Component::CurDir => 0,
            Component::ParentDir => -1,
            Component::RootDir | Component::Prefix(_) => i64::MIN / 2,
        };
        depth < 0
    })
}

fn outside(given: &str) -> Failure {
    Failure::new(
        code::NOT_ALLOWED,
        format!(
            "`{given}` is not below the directory that this server may read; start it with --files DIR"
        ),
    )
}
